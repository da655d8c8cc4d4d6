"""A speaker: says an instruction for a path, word by word.

The path is encoded as one token a step (what lies in the direction taken, and the turn to it); the decoder attends to
these and to the views around each viewpoint. Its vocabulary are the WordPieces of the instructions that it learnt from.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.errors import InputError
from mtvm.io.config_files import from_plain, to_plain
from mtvm.io.files import read_json, write_json
from mtvm.io.weight_files import check_finite, is_finite, read_weight_file, write_safetensors
from mtvm.models.config import SpeakerModelConfig
from mtvm.models.text import CLS, PAD, SEP
from mtvm.models.vision import FeatureLinear
from mtvm.products import Linear

CONFIG, WEIGHTS = "config.json", "model.safetensors"
WORDPIECES = 30522
"""In BERT's vocabulary."""
_MAX_STEPS, _MAX_WORDS = 64, 160


class PathInputs(NamedTuple):
    """What is seen along B paths of at most T steps, the last of which is STOP."""

    actions: Tensor
    """(B, T, feature width + 4) of the view in the direction taken, with the turn to it; zeros for STOP."""
    views: Tensor
    """(B, T, V, feature width + 4) of views all around, with their directions."""
    mask: Tensor
    """(B, T) true for steps."""


def speaker_folder(path: Path | str) -> Path:
    """The folder with the weights of a speaker, given that or the run that trained it."""
    best = Path(path) / "best"
    return best if (best / CONFIG).is_file() else Path(path)


class Speaker(nn.Module):
    """`forward` gives logits of the next piece after each piece; `say` writes instructions."""

    pieces: Tensor

    def __init__(self, config: SpeakerModelConfig, pieces: Tensor | None = None) -> None:
        """`pieces` (vocabulary,) are WordPiece ids; the first two must be [CLS], which begins a text, and [SEP]."""
        super().__init__()
        self.config = config
        hidden, width = config.hidden, config.feature_width + 4
        self.register_buffer("pieces", torch.zeros(config.vocabulary, dtype=torch.long) if pieces is None else pieces)
        self.action = FeatureLinear(width, hidden)
        self.view = FeatureLinear(width, hidden)
        self.step = nn.Embedding(_MAX_STEPS, hidden)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(
                hidden, config.heads, 4 * hidden, config.dropout, "gelu", batch_first=True, norm_first=True
            ),
            config.encoder_layers,
            enable_nested_tensor=False,
        )
        self.around = nn.LayerNorm(hidden)
        self.word = nn.Embedding(config.vocabulary, hidden)
        self.position = nn.Embedding(_MAX_WORDS, hidden)
        self._layers = [DecoderLayer(config) for _ in range(config.decoder_layers)]
        self.layers = nn.ModuleList(self._layers)
        self.norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(config.dropout)
        nn.init.normal_(self.word.weight, std=hidden**-0.5)
        nn.init.normal_(self.position.weight, std=0.02)
        nn.init.normal_(self.step.weight, std=0.02)

    def forward(self, path: PathInputs, words: Tensor, asked: Tensor | None = None) -> Tensor:
        """(B, L, vocabulary) logits of what follows each of `words` (B, L), which begin with [CLS]; or (n, vocabulary)
        where `asked` (B, L) is true."""
        sights, mask = self.encode(path)
        states = self.dropout(self.word(words) + self.position.weight[: words.shape[1]])
        for layer in self._layers:
            states = layer(states, layer.look(sights), mask)
        return self._logits(states if asked is None else states[asked])

    def encode(self, path: PathInputs) -> tuple[Tensor, Tensor]:
        """(B, S, hidden) the steps and the views around them, and the mask (B, 1, 1, S)."""
        _, steps, views, _ = path.views.shape
        where = self.step.weight[:steps]
        encoded = self.encoder(
            self.dropout(self.action(self._scaled(path.actions)) + where), src_key_padding_mask=~path.mask
        )
        around = self.around(self.view(self._scaled(path.views)) + where[:, None])
        sights = torch.cat([encoded, self.dropout(around).flatten(1, 2)], dim=1)
        mask = torch.cat([path.mask, path.mask.repeat_interleave(views, dim=1)], dim=1)
        return sights, mask[:, None, None, :]

    def _scaled(self, tokens: Tensor) -> Tensor:
        """Scale features and drop some of them; directions stay."""
        width = self.config.feature_width
        features = functional.dropout(tokens[..., :width], self.config.feature_dropout, self.training)
        return torch.cat([features * self.config.feature_scale, tokens[..., width:]], dim=-1)

    def _logits(self, states: Tensor) -> Tensor:
        return functional.linear(self.norm(states), self.word.weight)

    @torch.no_grad()
    def say(
        self,
        path: PathInputs,
        max_words: int = 80,
        temperature: float = 0.0,
        generator: torch.Generator | None = None,
        unrepeated: int = 5,
    ) -> list[list[int]]:
        """WordPiece ids for each path, without [CLS] and [SEP]; `temperature` 0 takes the most probable piece.

        No sequence of `unrepeated` pieces is said twice, since small speakers get caught in circles; 0 allows it.
        """
        sights, mask = self.encode(path)
        looks = [layer.look(sights) for layer in self._layers]
        caches: list[Cache] = [None] * len(self._layers)
        rows = torch.arange(len(mask), device=mask.device)
        last = torch.zeros(len(rows), dtype=torch.long, device=mask.device)  # [CLS]
        said: list[list[int]] = [[] for _ in rows]
        words = torch.empty(len(rows), 0, dtype=torch.long, device=mask.device)
        for number in range(min(max_words, _MAX_WORDS)):
            states = (self.word(last) + self.position.weight[number])[:, None]
            for index, layer in enumerate(self._layers):
                states, caches[index] = layer.go_on(states, looks[index], mask, caches[index])
            logits = self._logits(states[:, 0])
            if not is_finite(logits):
                raise InputError("this speaker's weights give numbers that are not finite; train it again.")
            if unrepeated:
                _forbid_repetition(logits, words, unrepeated)
            last = _choose(logits, temperature, generator)
            words = torch.cat([words, last[:, None]], dim=1)
            going = last != 1  # [SEP]
            for row, piece in zip(rows[going].tolist(), self.pieces[last[going]].tolist(), strict=True):
                said[row].append(piece)
            if not going.all():
                if not going.any():
                    break
                rows, last, mask, words = rows[going], last[going], mask[going], words[going]
                looks = [(key[going], value[going]) for key, value in looks]
                caches = [(cache[0][going], cache[1][going]) for cache in caches if cache is not None]
        return said

    def indices(self, ids: Tensor) -> Tensor:
        """(B, L) indices of WordPiece ids in the vocabulary; -1 for padding and for pieces that are not in it."""
        table = torch.full((int(max(ids.max(), self.pieces.max())) + 1,), -1, device=ids.device)
        table[self.pieces] = torch.arange(len(self.pieces), device=ids.device)
        return table[ids]

    def save(self, folder: Path) -> None:
        write_safetensors(folder / WEIGHTS, self.state_dict())
        write_json(folder / CONFIG, to_plain(self.config), indent=1)

    @classmethod
    def load(cls, folder: Path | str) -> Speaker:
        """The speaker that `save` wrote, in evaluation mode."""
        folder = speaker_folder(folder)
        if not (folder / CONFIG).is_file():
            raise InputError(f"{folder}: no speaker here ({CONFIG} is missing); 'mtvm speaker train' makes one.")
        content = read_json(folder / CONFIG, "config of a speaker")
        is_run = isinstance(content, dict) and "validate_on" in content
        if not is_run and not (isinstance(content, dict) and "decoder_layers" in content):
            raise InputError(f"{folder}: not a speaker; 'mtvm speaker train' makes one.")
        if is_run or not (folder / WEIGHTS).is_file():
            raise InputError(
                f"{folder}: this speaker has no {WEIGHTS}; the first validation of its training saves them."
            )
        config = from_plain(SpeakerModelConfig, content, folder / CONFIG)
        tensors = read_weight_file(folder / WEIGHTS)
        if config.least_parameters > (folder / WEIGHTS).stat().st_size:
            raise InputError(f"{folder / CONFIG}: describes a larger speaker than {WEIGHTS} holds; restore one.")
        speaker = cls(config)
        try:
            speaker.load_state_dict(tensors)
            fits = bool(((speaker.pieces >= 0) & (speaker.pieces < WORDPIECES)).all())
        except (RuntimeError, TypeError, AttributeError):
            fits = False
        if not fits:
            raise InputError(f"{folder / WEIGHTS}: does not fit {CONFIG} beside it; train the speaker again.")
        check_finite(folder / WEIGHTS, tensors)
        return speaker.eval()


KeyValue = tuple[Tensor, Tensor]
Cache = KeyValue | None


class DecoderLayer(nn.Module):
    """Attention to the words so far, attention to the path, and a feed-forward block, each after a LayerNorm."""

    def __init__(self, config: SpeakerModelConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.heads, self.rate = config.heads, config.dropout
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(3))
        self.qkv = Linear(hidden, 3 * hidden)
        self.self_output = Linear(hidden, hidden)
        self.query = Linear(hidden, hidden)
        self.key_value = Linear(hidden, 2 * hidden)
        self.cross_output = Linear(hidden, hidden)
        self.feed_forward = nn.Sequential(Linear(hidden, 4 * hidden), nn.GELU(), Linear(4 * hidden, hidden))
        self.dropout = nn.Dropout(config.dropout)

    def look(self, sights: Tensor) -> KeyValue:
        """The keys and values of what is seen, which do not change from word to word."""
        key, value = self._split(self.key_value(sights), 2)
        return key, value

    def forward(self, states: Tensor, look: KeyValue, mask: Tensor) -> Tensor:
        """(B, L, hidden) for all words at once; each attends to those before it."""
        query, key, value = self._split(self.qkv(self.norms[0](states)), 3)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self._rest(states, mixed, look, mask)

    def go_on(self, states: Tensor, look: KeyValue, mask: Tensor, cache: Cache) -> tuple[Tensor, KeyValue]:
        """The same for one more word (B, 1, hidden), given the keys and values of those before."""
        query, key, value = self._split(self.qkv(self.norms[0](states)), 3)
        if cache is not None:
            key, value = torch.cat([cache[0], key], dim=2), torch.cat([cache[1], value], dim=2)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return self._rest(states, mixed, look, mask), (key, value)

    def _rest(self, states: Tensor, mixed: Tensor, look: KeyValue, mask: Tensor) -> Tensor:
        states = states + self.dropout(self.self_output(_joined(mixed)))
        (query,) = self._split(self.query(self.norms[1](states)), 1)
        seen = functional.scaled_dot_product_attention(query, *look, attn_mask=mask)
        states = states + self.dropout(self.cross_output(_joined(seen)))
        result: Tensor = states + self.dropout(self.feed_forward(self.norms[2](states)))
        return result

    def _split(self, projected: Tensor, count: int) -> tuple[Tensor, ...]:
        """(B, heads, n, width) of each of `count` projections."""
        return projected.view(*projected.shape[:-1], count, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)


def _joined(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def _forbid_repetition(logits: Tensor, words: Tensor, length: int) -> None:
    """Forbid, in place, the pieces that would end a sequence of `length` pieces which is in `words` (B, n) already."""
    if words.shape[1] < length:
        return
    sequences = words.unfold(1, length, 1)  # (B, n - length + 1, length)
    begun = words[:, None, words.shape[1] - length + 1 :]
    row, place = (sequences[..., :-1] == begun).all(dim=-1).nonzero(as_tuple=True)
    logits[row, sequences[row, place, -1]] = -torch.inf


def _choose(logits: Tensor, temperature: float, generator: torch.Generator | None) -> Tensor:
    """(B,) indices of pieces; never [CLS]."""
    logits[:, 0] = -torch.inf
    if temperature == 0:
        return logits.argmax(dim=-1)
    return torch.multinomial((logits / temperature).softmax(dim=-1), 1, generator=generator)[:, 0]


def vocabulary_of(ids: Tensor, least: int = 3) -> Tensor:
    """The WordPieces that occur at least so often in padded texts (N, L): [CLS] and [SEP] first, then by number."""
    counts = torch.bincount(ids.flatten())
    counts[[PAD, CLS, SEP]] = 0
    return torch.cat([torch.tensor([CLS, SEP]), torch.nonzero(counts >= least)[:, 0]])
