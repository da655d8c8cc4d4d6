"""Captions and instructions as words of a small vocabulary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mtvm.features.captions import CaptionedPlace

WORDS_OF_CAPTION = 10
"""The most words of a caption that are kept, which are nearly always all of them."""

# Words that say nothing of what is seen, or that are said of any picture.
_EMPTY_WORDS = """
a an the of in on with and is are to at by from next front top through that it its for has into be being out there this
other some all same view picture image photo photograph shown seen looking one two three large small big
"""
_NOT_PLURAL = frozenset({"stairs", "upstairs", "downstairs", "glass", "grass"})


def words_of(text: str) -> list[str]:
    """The words of a text in small letters and, by a simple rule, in the singular."""
    return [_singular(word) for word in re.findall("[a-z]+", text.lower())]


def frequent_words(texts: Iterable[str], at_least: int) -> list[str]:
    """The words with a meaning of their own that are in so many texts, the most frequent first."""
    empty = set(_EMPTY_WORDS.split())
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words_of(text)))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, count in ordered if count >= at_least and word not in empty]


def word_numbers(places: Sequence[CaptionedPlace], vocabulary: Sequence[str]) -> NDArray[np.int64]:
    """(places, captions, WORDS_OF_CAPTION) which words each caption has, from 1; 0 pads. A place's captions are in
    the order of its headings, and of each heading down, level, up."""
    number_of = {word: number for number, word in enumerate(vocabulary, 1)}
    known: dict[str, NDArray[np.int64]] = {}
    numbers = [
        [caption_numbers(caption, number_of, known) for heading in place.captions for caption in heading]
        for place in places
    ]
    return np.array(numbers, dtype=np.int64)


def caption_numbers(
    caption: str, number_of: Mapping[str, int], known: dict[str, NDArray[np.int64]]
) -> NDArray[np.int64]:
    """(WORDS_OF_CAPTION,) which words a caption has, from 1; 0 pads. Captions that occurred are `known`."""
    if caption not in known:
        found = [number_of[word] for word in dict.fromkeys(words_of(caption)) if word in number_of]
        padded = np.zeros(WORDS_OF_CAPTION, dtype=np.int64)
        padded[: len(found)] = found[:WORDS_OF_CAPTION]
        known[caption] = padded
    return known[caption]


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss") and word not in _NOT_PLURAL
    return word[:-1] if plural else word
