"""Sizes and options of a model. `PRESETS` has those that we use."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Literal

from mtvm.errors import InputError, brief
from mtvm.io.config_files import Layers, Number, Share, Size, SomeLayers, check_fields, from_plain, to_plain
from mtvm.io.earlier_configs import model_as_today
from mtvm.io.files import read_json, write_json
from mtvm.models.parts import (
    ArchitectureConfig,
    HistoryConfig,
    MemoryConfig,
    MTVMConfig,
    ReleasedCode,
    VLNBertConfig,
    part,
)
from mtvm.plugins import is_object_name

Reader = Literal["none", "minilm"]
Actions = Literal["candidates", "map"]
StopSight = Literal["nothing", "panorama"]
TEXT_READERS = {
    "wordpiece-en": "mtvm.models.text:WordPieces",
    "bytes": "mtvm.models.characters:Bytes",
    "characters": "mtvm.models.characters:Characters",
}
ENGLISH = "wordpiece-en"

DEFAULT_TEXT_LENGTH = 80
_SHORTEST_TEXT = 3
_MINILM_LAYERS = 6
_LARGEST_READ = 2**16


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """What all networks share, and the parts that are chosen by name; the defaults are the paper's.

    In Python a part's name alone stands for its defaults: `ModelConfig(history="none")`.
    """

    architecture: ArchitectureConfig = dataclasses.field(default_factory=MTVMConfig)
    """The network: mtvm, vlnbert, or MODULE:CLASS of your own `mtvm.models.network.Network`, with its own options."""
    history: HistoryConfig = dataclasses.field(default_factory=MemoryConfig)
    """How the past enters MTVM: the memory bank, one of the paper's rivals, or MODULE:CLASS of your own
    `mtvm.models.history.HistoryEncoder`, with its own options; vlnbert has its own history."""
    hidden: Size = 768
    """Width of the tokens in the transformers."""
    heads: Size = 12
    """Attention heads."""
    intermediate: Size = 3072
    """Inner width of the feed-forward blocks."""
    language_layers: Layers = 9
    """Layers of the language encoder."""
    reader: Reader = "none"
    """minilm: the language encoder reads the word states of a frozen all-MiniLM-L6-v2 instead of word embeddings."""
    reader_layers: Layers = 6
    """How many of MiniLM's layers are used; with 0, its word embeddings alone."""
    train_reader: bool = False
    """Train MiniLM's layers too, at `optimizer.reader_lr`; its word embeddings stay as they are."""
    crossmodal_layers: Layers = 4
    """Layers of the cross-modality encoder."""
    feature_width: Size = 2048
    """Width of a view's image feature, and of the activation that the memory stores of a step."""
    feature_scale: float = 1.0
    """Factor on image features. Features of norm 1 are lost beside the direction's 128 numbers; 5 brings them out."""
    angle_width: Size = 128
    """Width of a direction feature."""
    text_reader: str = ENGLISH
    """What a text is made of. wordpiece-en: WordPieces of English, as pretrained encoders read it. bytes, characters:
    those of any language, whose embeddings are learnt. Or MODULE:NAME of your own `mtvm.models.text.TextReader`."""
    vocabulary: Size | None = None
    """How many different tokens it reads; by default as many as the text reader has."""
    max_text: Size | None = None
    """The most tokens of a text, [SEP] included. By default what the tasks to train on need: 80 WordPieces for R2R, 160
    for R4R and long, 300 for NDH; five times as many bytes or characters, as far as there are `max_positions`."""
    max_positions: Size = 512
    """Position embeddings of the text, and of the vision stream."""
    leading_cls: bool = False
    """Begin the text with [CLS], as pretrained language encoders other than PREVALENT's expect it; vlnbert always
    does."""
    actions: Actions = "candidates"
    """Where the agent can walk in one step. candidates: to a neighbour of its viewpoint, as in the paper. map: also to
    any viewpoint that it saw earlier and has not visited, back through those that it has."""
    stop_sight: StopSight = "nothing"
    """What STOP's token shows. nothing: zeros, as in the paper. panorama: the mean of the viewpoint's 36 views, so that
    the agent also sees what lies where it cannot walk."""
    object_width: Number = 0
    """Numbers that say what and where an object is, for an agent that points at one; 0 for one that does not. It
    follows from the tasks that are trained on, and from what the agent sees."""
    object_layers: Layers = 2
    """Layers in which the objects read the instruction and look at each other."""
    dropout: Share = 0.1
    """In the transformers."""
    feature_dropout: Share = 0.4
    """On the image features of the vision stream, memory included, not on the directions."""
    critic_hidden: Size = 512
    """Width of the critic's hidden layer."""
    critic_dropout: Share = 0.5
    """In the critic."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "architecture", part(ArchitectureConfig, self.architecture))
        object.__setattr__(self, "history", part(HistoryConfig, self.history))
        check_fields(self)
        if self.architecture.leading_cls:
            object.__setattr__(self, "leading_cls", True)
        if self.crossmodal_layers < self.architecture.least_crossmodal_layers:
            raise InputError(
                f"crossmodal_layers must be a whole number of at least {self.architecture.least_crossmodal_layers}, "
                f"not {self.crossmodal_layers}."
            )
        if self.reader_layers > _MINILM_LAYERS:
            raise InputError(f"reader_layers is {self.reader_layers}, but MiniLM has {_MINILM_LAYERS}.")
        if self.reader == "minilm" and (self.vocabulary or 0) > _LARGEST_READ:
            raise InputError(f"vocabulary {self.vocabulary} is more than MiniLM has words.")
        if self.hidden % self.heads:
            raise InputError(f"hidden {self.hidden} is not a multiple of heads {self.heads}.")
        if self.angle_width % 4:
            raise InputError(f"angle_width {self.angle_width} is not a multiple of 4, the numbers of a direction.")
        if self.actions == "map" and self.angle_width % 16:
            raise InputError(f"angle_width {self.angle_width} is not a multiple of 16, as acting on a map needs.")
        if not abs(self.feature_scale) < 1e9:
            raise InputError(f"feature_scale must be a number, not {brief(repr(self.feature_scale))}.")
        self._check_text()

    def _check_text(self) -> None:
        if self.max_text is not None and self.max_text < _SHORTEST_TEXT:
            raise InputError(f"max_text must be at least {_SHORTEST_TEXT}, not {self.max_text}.")
        if self.text_length > self.max_positions:
            raise InputError(
                f"max_positions {self.max_positions} is too few for texts of {self.text_length} tokens (max_text)."
            )
        if self.text_reader not in TEXT_READERS and not is_object_name(self.text_reader):
            raise InputError(
                f"text_reader '{brief(self.text_reader)}' is not one of {', '.join(TEXT_READERS)}, and not "
                "MODULE:CLASS."
            )
        if self.reader != "none" and self.text_reader != ENGLISH:
            raise InputError(
                f"reader {self.reader} reads English WordPieces, not {brief(self.text_reader)}: give --model.reader "
                "none."
            )
        if self.train_reader and (self.reader == "none" or self.reader_layers == 0):
            raise InputError("train_reader needs a reader with layers to train: --model.reader minilm.")

    as_today = staticmethod(model_as_today)

    @property
    def released(self) -> ReleasedCode:
        """Where it does as the released code does."""
        return self.architecture.released if isinstance(self.architecture, MTVMConfig) else ReleasedCode()

    @property
    def bidirectional(self) -> bool:
        """Whether text attends to vision too, so that there is an X̂."""
        return not isinstance(self.architecture, VLNBertConfig) and getattr(self.architecture, "bidirectional", True)

    @property
    def tokens_known(self) -> int:
        """How many different tokens it reads."""
        if self.vocabulary is not None:
            return self.vocabulary
        from mtvm.models.text import text_reader

        return text_reader(self.text_reader).vocabulary

    def text_length_for(self, pieces: int) -> int:
        """How many tokens of its reader a text of so many WordPieces needs, as far as there are positions for them."""
        from mtvm.models.text import text_reader

        needed = math.ceil(pieces * text_reader(self.text_reader).tokens_per_piece)
        return max(pieces, min(needed, self.max_positions))

    @property
    def text_length(self) -> int:
        """The most tokens of a text; where nothing is said 80, as the paper's, or as many as have positions."""
        return self.max_text or min(DEFAULT_TEXT_LENGTH, self.max_positions)

    @property
    def least_parameters(self) -> int:
        """Less than the model has, but not by much; a frozen reader, which a file need not hold, does not count."""
        layers = self.language_layers + self.crossmodal_layers + self.history.layers
        if self.object_width:
            layers += self.object_layers
        words = self.tokens_known if self.reader == "none" else 0
        tables = words + self.max_positions + self.token_width + self.critic_hidden
        return self.hidden * (tables + layers * (4 * self.hidden + 2 * self.intermediate))

    @property
    def token_width(self) -> int:
        """Width of an action's or a memory token: image feature and direction."""
        return self.feature_width + self.angle_width

    @property
    def place_width(self) -> int:
        """How many of the direction's numbers say what the map knows of a candidate, instead of its direction."""
        return self.angle_width // 4 if self.actions == "map" else 0

    def save(self, path: Path) -> None:
        write_json(path, to_plain(self), indent=1)

    @classmethod
    def load(cls, path: Path) -> ModelConfig:
        return cls.from_dict(read_json(path, "model config"), path)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> ModelConfig:
        config: ModelConfig = from_plain(cls, values, path)
        return config


PRESETS: dict[str, ModelConfig] = {
    "paper": ModelConfig(),
    "paper-single": ModelConfig(architecture=MTVMConfig(bidirectional=False)),
    "small": ModelConfig(
        hidden=384,
        intermediate=1536,
        language_layers=6,
        crossmodal_layers=3,
        feature_width=1280,
        leading_cls=True,
    ),
    "tiny": ModelConfig(
        hidden=64, heads=4, intermediate=128, language_layers=1, crossmodal_layers=2, feature_width=32, critic_hidden=32
    ),
}
"""paper: the released model. paper-single: its single-direction variant. small: MiniLM's width and six pretrained
layers, features of EfficientNet-Lite0. tiny: for tests."""


@dataclasses.dataclass(frozen=True)
class SpeakerModelConfig:
    """The sizes of a speaker."""

    hidden: Size = 256
    """Width of the tokens."""
    heads: Size = 4
    encoder_layers: SomeLayers = 1
    decoder_layers: SomeLayers = 2
    dropout: Share = 0.2
    feature_dropout: Share = 0.3
    """Dropout of the views' features."""
    feature_scale: float = 5.0
    """Factor on features: names and captions are unit vectors, whose single numbers are small."""
    feature_width: Number = 0
    """Numbers of a view's feature; follows from the data."""
    vocabulary: Number = 0
    """Number of WordPieces; follows from the data."""

    def __post_init__(self) -> None:
        check_fields(self, "speaker: ")
        if self.hidden % self.heads:
            raise InputError(f"speaker: hidden {self.hidden} cannot be divided among {self.heads} heads.")

    @property
    def least_parameters(self) -> int:
        """Less than the speaker has, but not by much."""
        layers = self.encoder_layers + self.decoder_layers
        return self.hidden * (self.vocabulary + 2 * self.feature_width + 12 * layers * self.hidden)
