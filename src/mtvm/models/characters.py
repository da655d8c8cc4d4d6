"""Readers for any language, whose embeddings are learnt: the bytes of a text, or its characters.

Both read a text in lower case and in Unicode's composed form. Words are what stands between blanks and punctuation, and
each character where a script writes no blanks between words.
"""

from __future__ import annotations

import re
import unicodedata

from mtvm.models.mirroring import Language
from mtvm.models.text import TextReader

FIRST = 4
"""The first number after padding, [CLS], [SEP] and [MASK]."""

_ALONE = "\u2e80-\u2fff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff"  # Han, kana, Thai, Lao
_SIGNS = r"!-/:-@\[-`{-~\u00a1-\u00bf\u0964\u0965\u2010-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
_WORD = re.compile(rf"\s*(?:[{_ALONE}]|[^\s{_SIGNS}{_ALONE}]+|\S)")


class Bytes(TextReader):
    """The bytes of a text in UTF-8: 256 embeddings for any script, three tokens for a Chinese character."""

    vocabulary = FIRST + 256
    unit = "bytes"
    tokens_per_piece = 5.0
    mirrors: frozenset[Language] = frozenset({"en", "zh"})

    def split(self, text: str) -> list[tuple[str, list[int]]]:
        return [(word.strip(), self.tokens(word)) for word in _words(text)]

    def tokens(self, word: str) -> list[int]:
        return [FIRST + byte for byte in word.encode("utf-8", errors="replace")]


class Characters(Bytes):
    """The characters of a text. Of more than a million, those that are as far apart as `PLACES` share an embedding."""

    PLACES = 32749
    """A prime: no two letters of one alphabet share an embedding, and few of two that are used together."""
    vocabulary = FIRST + PLACES
    unit = "characters"

    def tokens(self, word: str) -> list[int]:
        return [FIRST + ord(character) % self.PLACES for character in word]


def _words(text: str) -> list[str]:
    """The words of a text, each with one blank before it where there is any."""
    composed = " ".join(unicodedata.normalize("NFC", text).lower().split())
    return [found[0] for found in _WORD.finditer(composed)]
