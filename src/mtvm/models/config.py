"""Sizes and options of a model. `PRESETS` has those that we use."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Literal, get_args

from mtvm.errors import InputError, shown
from mtvm.io.config_files import from_plain
from mtvm.io.files import read_json, write_json
from mtvm.plugins import is_object_name

Reader = Literal["none", "minilm"]
Actions = Literal["candidates", "map"]
StopSight = Literal["nothing", "panorama"]
ARCHITECTURES = {"mtvm": "mtvm.models.model:MTVM", "vlnbert": "mtvm.models.vlnbert:VLNBert"}
"""mtvm: the paper's network, with any history. vlnbert: Recurrent VLN-BERT as released, whose history is its state."""
HISTORIES = {
    "memory": "mtvm.models.history.memory_bank:MemoryBankHistory",
    "none": "mtvm.models.history.none:NoHistory",
    "recurrent": "mtvm.models.history.recurrent:RecurrentHistory",
    "oriented": "mtvm.models.history.oriented:OrientedHistory",
    "hierarchical": "mtvm.models.history.hierarchical:HierarchicalHistory",
    "cached": "mtvm.models.history.cached:CachedHistory",
}
TEXT_READERS = {
    "wordpiece-en": "mtvm.models.text:WordPieces",
    "bytes": "mtvm.models.characters:Bytes",
    "characters": "mtvm.models.characters:Characters",
}
ENGLISH = "wordpiece-en"

DEFAULT_TEXT_LENGTH = 80
_MOST_LAYERS = 1000
_MINILM_LAYERS = 6
_LARGEST_READ = 2**16


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The defaults are the paper's."""

    architecture: str = "mtvm"
    """mtvm, vlnbert (Recurrent VLN-BERT as released), or MODULE:CLASS of your own `mtvm.models.network.Network`."""
    hidden: int = 768
    """Width of the tokens in the transformers."""
    heads: int = 12
    intermediate: int = 3072
    """Inner width of the feed-forward blocks."""
    language_layers: int = 9
    reader: Reader = "none"
    """minilm: the language encoder reads the word states of a frozen all-MiniLM-L6-v2 instead of word embeddings."""
    reader_layers: int = 6
    """How many of MiniLM's layers are used; with 0, its word embeddings alone."""
    train_reader: bool = False
    """Train MiniLM's layers too, at `optimizer.reader_lr`; its word embeddings stay as they are."""
    crossmodal_layers: int = 4
    feature_width: int = 2048
    """Width of a view's image feature, and of the activation that the memory stores of a step."""
    feature_scale: float = 1.0
    """Factor on image features. Features of norm 1 are lost beside the direction's 128 numbers; 5 brings them out."""
    angle_width: int = 128
    """Width of a direction feature."""
    text_reader: str = ENGLISH
    """What a text is made of. wordpiece-en: WordPieces of English, as pretrained encoders read it. bytes, characters:
    those of any language, whose embeddings are learnt. Or MODULE:NAME of your own `mtvm.models.text.TextReader`."""
    vocabulary: int | None = None
    """How many different tokens it reads; by default as many as the text reader has."""
    max_text: int | None = None
    """The most tokens of a text, [SEP] included. By default what the tasks to train on need: 80 WordPieces for R2R, 160
    for R4R and long, 300 for NDH; five times as many bytes or characters."""
    max_positions: int = 512
    """Position embeddings of the text, and of the vision stream."""
    leading_cls: bool = False
    """Begin the text with [CLS], as pretrained language encoders other than PREVALENT's expect it; vlnbert always
    does."""
    bidirectional: bool = True
    """Text attends to vision too. False is the paper's single-direction variant: text is only key and value."""
    history: str = "memory"
    """How the past enters MTVM: the memory bank, one of the paper's rivals, or `module:Class`; vlnbert has its own."""
    memory_steps: int | None = None
    """Keep only the last steps of the past; None keeps all of them."""
    panorama_layers: int = 2
    """Hierarchical history: layers of the transformer over a panorama's 36 views."""
    temporal_layers: int = 0
    """Hierarchical history: layers of a transformer over [CLS] and the past panoramas, before the cross-modal ones."""
    actions: Actions = "candidates"
    """Where the agent can walk in one step. candidates: to a neighbour of its viewpoint, as in the paper. map: also to
    any viewpoint that it saw earlier and has not visited, back through those that it has."""
    stop_sight: StopSight = "nothing"
    """What STOP's token shows. nothing: zeros, as in the paper. panorama: the mean of the viewpoint's 36 views, so that
    the agent also sees what lies where it cannot walk."""
    object_width: int = 0
    """Numbers that say what and where an object is, for an agent that points at one; 0 for one that does not. It
    follows from the tasks that are trained on, and from what the agent sees."""
    object_layers: int = 2
    """Layers in which the objects read the instruction and look at each other."""
    dropout: float = 0.1
    feature_dropout: float = 0.4
    """On the image features of the vision stream, memory included, not on the directions."""
    critic_hidden: int = 512
    critic_dropout: float = 0.5
    pool_padding: bool = False
    """Pool the critic's state over padded tokens too, as the released code does (its text is always 80 long)."""

    def __post_init__(self) -> None:
        # A network of the user's own may have no cross-modal layers.
        own = isinstance(self.architecture, str) and self.architecture not in ARCHITECTURES
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "crossmodal_layers" and own else _LEAST.get(field.name, 0)
            if field.type == "int" and not _is_size(value, least):
                raise InputError(f"{field.name} must be a whole number of at least {least}, not {shown(repr(value))}.")
            if field.type == "int | None" and value is not None and not _is_size(value, least):
                raise InputError(
                    f"{field.name} must be a whole number of at least {least}, or null, not {shown(repr(value))}."
                )
            if "dropout" in field.name and not (isinstance(value, int | float) and 0 <= value < 1):
                raise InputError(f"{field.name} must be a number from 0 to 1, not {shown(repr(value))}.")
            if field.type == "bool" and not isinstance(value, bool):
                raise InputError(f"{field.name} must be true or false, not {shown(repr(value))}.")
        self._check_layers()
        if self.hidden % self.heads:
            raise InputError(f"hidden {self.hidden} is not a multiple of heads {self.heads}.")
        if self.angle_width % 4:
            raise InputError(f"angle_width {self.angle_width} is not a multiple of 4, the numbers of a direction.")
        if not abs(self.feature_scale) < 1e9:
            raise InputError(f"feature_scale must be a number, not {shown(repr(self.feature_scale))}.")
        if self.text_length > self.max_positions:
            raise InputError(
                f"max_positions {self.max_positions} is too few for texts of {self.text_length} tokens (max_text)."
            )
        if self.reader not in get_args(Reader):
            raise InputError(f"reader '{self.reader}' is not one of {', '.join(get_args(Reader))}.")
        if self.reader != "none" and self.text_reader != ENGLISH:
            raise InputError(
                f"reader {self.reader} reads English WordPieces, not {shown(self.text_reader)}: give --model.reader "
                "none."
            )
        if self.train_reader and (self.reader == "none" or self.reader_layers == 0):
            raise InputError("train_reader needs a reader with layers to train: --model.reader minilm.")
        if self.actions == "map" and self.angle_width % 16:
            raise InputError(f"angle_width {self.angle_width} is not a multiple of 16, as acting on a map needs.")
        for name, choices in (("actions", get_args(Actions)), ("stop_sight", get_args(StopSight))):
            if getattr(self, name) not in choices:
                raise InputError(f"{name} '{shown(getattr(self, name))}' is not one of {', '.join(choices)}.")
        parts = {"history": HISTORIES, "architecture": ARCHITECTURES, "text_reader": TEXT_READERS}
        for name, known in parts.items():
            value = getattr(self, name)
            if not isinstance(value, str) or (value not in known and not is_object_name(value)):
                raise InputError(f"{name} '{shown(value)}' is not one of {', '.join(known)}, and not MODULE:CLASS.")
        if self.architecture == "vlnbert":
            object.__setattr__(self, "leading_cls", True)  # its state begins as [CLS]

    def _check_layers(self) -> None:
        """A few bytes of a config must not take all memory."""
        for name in ("language_layers", "crossmodal_layers", "panorama_layers", "temporal_layers", "object_layers"):
            check_layers(name, getattr(self, name))
        if self.reader_layers > _MINILM_LAYERS:
            raise InputError(f"reader_layers is {self.reader_layers}, but MiniLM has {_MINILM_LAYERS}.")
        if self.reader == "minilm" and (self.vocabulary or 0) > _LARGEST_READ:
            raise InputError(f"vocabulary {self.vocabulary} is more than MiniLM has words.")

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
        layers = self.language_layers + self.crossmodal_layers
        if self.history == "hierarchical":
            layers += self.panorama_layers + self.temporal_layers
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
        write_json(path, dataclasses.asdict(self), indent=1)

    @classmethod
    def load(cls, path: Path) -> ModelConfig:
        return cls.from_dict(read_json(path, "model config"), path)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> ModelConfig:
        config: ModelConfig = from_plain(cls, values, path)
        return config


_LEAST = {
    "max_text": 3,
    "angle_width": 4,
    **dict.fromkeys(("hidden", "heads", "intermediate", "crossmodal_layers", "feature_width"), 1),
    **dict.fromkeys(("vocabulary", "max_positions", "critic_hidden"), 1),
}
"""The smallest size that a model can have, where it is not 0."""


def _is_size(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31


def check_layers(name: str, number: int) -> None:
    if number > _MOST_LAYERS:
        raise InputError(f"{name} is {shown(number)}; a model has at most {_MOST_LAYERS} of them.")


PRESETS: dict[str, ModelConfig] = {
    "paper": ModelConfig(),
    "paper-single": ModelConfig(bidirectional=False),
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

    hidden: int = 256
    """Width of the tokens."""
    heads: int = 4
    encoder_layers: int = 1
    decoder_layers: int = 2
    dropout: float = 0.2
    feature_dropout: float = 0.3
    """Dropout of the views' features."""
    feature_scale: float = 5.0
    """Factor on features: names and captions are unit vectors, whose single numbers are small."""
    feature_width: int = 0
    """Numbers of a view's feature; follows from the data."""
    vocabulary: int = 0
    """Number of WordPieces; follows from the data."""

    def __post_init__(self) -> None:
        if self.hidden < 1 or self.heads < 1 or self.hidden % self.heads:
            raise InputError(f"speaker: hidden {self.hidden} cannot be divided among {self.heads} heads.")
        if min(self.encoder_layers, self.decoder_layers) < 1:
            raise InputError("speaker: encoder_layers and decoder_layers must be at least 1.")
        for name in ("encoder_layers", "decoder_layers"):
            check_layers(f"speaker: {name}", getattr(self, name))
        if min(self.feature_width, self.vocabulary) < 0:
            raise InputError("speaker: feature_width and vocabulary cannot be negative.")
        if not (0 <= self.dropout < 1 and 0 <= self.feature_dropout < 1):
            raise InputError("speaker: dropout and feature_dropout must lie from 0 to below 1.")

    @property
    def least_parameters(self) -> int:
        """Less than the speaker has, but not by much."""
        layers = self.encoder_layers + self.decoder_layers
        return self.hidden * (self.vocabulary + 2 * self.feature_width + 12 * layers * self.hidden)
