"""What two image models and a detector said of each view, in numbers for networks that guess names from all of it.

The sentences of one image model are in the file of captions (`mtvm.features.captions`), those of the other in that of
detections (`mtvm.features.detections`), with what the detector found and what was said of each box.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.caption_words import WORDS_OF_CAPTION, caption_numbers, frequent_words, word_numbers
from mtvm.features.captions import CaptionedPlace
from mtvm.features.detections import Box, read_described
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_WIDTH, VIEWS

WORDS_OF_BOXES = 24
"""The most words that are kept of what was said of the boxes of a view."""
OF_CLASS = 4
"""Numbers that say how a class of the detector is found in a view."""
MOST_WORDS = 2**15 - 1

_MIDDLE = 0.2  # of a view's width
_ALWAYS = 0.3  # what a box counts however small it is, where the whole view counts 1 more


def what_occurs(
    places: Sequence[CaptionedPlace], described: Path, scans: Collection[str], at_least: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that are in so many sentences of either image model, or so many that were said of boxes in some scans;
    and the classes that the detector found there."""
    said = [caption for place in places for heading in place.captions for caption in heading]
    of_views: list[str] = []
    of_boxes: list[str] = []
    classes = set()
    for place in read_described(described, scans):
        of_views += place.captions
        for box in itertools.chain.from_iterable(place.boxes):
            of_boxes.append(box.caption)
            classes.add(box.name)
    words = {word for texts in (said, of_views, of_boxes) for word in frequent_words(texts, at_least)}
    return tuple(sorted(words)), tuple(sorted(classes))


def read_said(
    places: Sequence[CaptionedPlace], described: Path, vocabulary: Sequence[str], classes: Sequence[str]
) -> tuple[NDArray[Any], ...]:
    """Of n places, in this order:

    1. (n, captions, words) the words of the one image model's captions, from 1; 0 pads;
    2. (n, 36, words) those of the other's;
    3. (n, 36, words) those that were said of the boxes in each view;
    4. (n, 36, words) how sure the detector is of these boxes, times what they take up of the view;
    5. (n, 36, classes * OF_CLASS) of each class how sure it is, that by size, by nearness to the middle, and the sum.
    """
    row_of = {(place.scan, place.viewpoint): row for row, place in enumerate(places)}
    number_of = {word: number for number, word in enumerate(vocabulary, 1)}
    column_of = {name: column for column, name in enumerate(classes)}
    known: dict[str, NDArray[np.int64]] = {}
    views = np.zeros((len(places), VIEWS, WORDS_OF_CAPTION), dtype=np.int16)
    of_boxes = np.zeros((len(places), VIEWS, WORDS_OF_BOXES), dtype=np.int16)
    shares = np.zeros(of_boxes.shape, dtype=np.float16)
    found = np.zeros((len(places), VIEWS, len(classes), OF_CLASS), dtype=np.float16)
    missing = set(row_of)
    for place in read_described(described, {place.scan for place in places}):
        key = place.scan, place.viewpoint
        if key not in missing:
            continue
        missing.remove(key)
        row = row_of[key]
        for view, (caption, boxes) in enumerate(zip(place.captions, place.boxes, strict=True)):
            views[row, view] = caption_numbers(caption, number_of, known)
            said = _said_of_boxes(boxes, number_of, known)
            of_boxes[row, view, : len(said)] = [word for word, _ in said]
            shares[row, view, : len(said)] = [share for _, share in said]
            found[row, view] = _found(boxes, column_of)
    if missing:
        scan, viewpoint = min(missing)
        raise InputError(f"{described}: says nothing of viewpoint {viewpoint} of scan {scan}; describe it too.")
    words = word_numbers(places, vocabulary).astype(np.int16)
    return words, views, of_boxes, shares, found.reshape(len(places), VIEWS, -1)


def _said_of_boxes(
    boxes: Sequence[Box], number_of: Mapping[str, int], known: dict[str, NDArray[np.int64]]
) -> list[tuple[int, float]]:
    """The words that count most, with what they count: as much as the box that counts most."""
    shares: dict[int, float] = {}
    for box in boxes:
        share = box.confidence * (_ALWAYS + math.sqrt(_area(box)))
        for word in caption_numbers(box.caption, number_of, known).tolist():
            if word:
                shares[word] = max(shares.get(word, 0.0), share)
    return sorted(shares.items(), key=lambda item: -item[1])[:WORDS_OF_BOXES]


def _found(boxes: Sequence[Box], column_of: Mapping[str, int]) -> NDArray[np.float32]:
    found = np.zeros((len(column_of), OF_CLASS), dtype=np.float32)
    for box in boxes:
        if (column := column_of.get(box.name)) is not None:
            left, _, right, _ = box.corners
            away = ((left + right) / 2 / IMAGE_WIDTH - 0.5) / _MIDDLE
            sure = box.confidence
            found[column, :3] = np.maximum(
                found[column, :3], [sure, sure * math.sqrt(_area(box)), sure * math.exp(-(away**2))]
            )
            found[column, 3] += sure / 2
    return found


def _area(box: Box) -> float:
    """As a share of the view's."""
    left, top, right, bottom = box.corners
    return min(max(right - left, 1) * max(bottom - top, 1) / (IMAGE_WIDTH * IMAGE_HEIGHT), 1.0)
