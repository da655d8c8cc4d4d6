"""Whether captions stand where things are: captions that are turned cost an agent, and nothing fails.

Where a thing is, people say (the file of names) or a detector (the field `detections` of a captions file, as NavGPT
published: `[number, name, heading in degrees, distance]`). Its name is counted in the captions at its heading, and at
those that are turned from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.features.captions import CaptionedPlace, check_captions
from mtvm.features.lines import read_viewpoint_lines
from mtvm.features.names import SeenPlace, object_phrase
from mtvm.world.views import HEADINGS

_LEAST_SURPRISE = 5.0
"""Standard deviations: a turn that is told of is no accident."""
_WORD = re.compile(r"[^\W\d_]+")


class SeenThing(NamedTuple):
    """A thing that is known to be in a direction."""

    name: str
    heading: float
    """In parts of a whole turn."""


class _Described(NamedTuple):
    scan: str
    viewpoint: str
    captions: list[list[str]]
    detections: list[SeenThing]


def turn_of(captions: Path, named: Iterable[SeenPlace]) -> tuple[float, int, int] | None:
    """How far captions seem to be turned clockwise, in degrees, how often names of things are then in the captions, and
    how often as the file has them; None if they are in their places, or nobody knows. `named` are the places of the
    file of names; what is detected counts too."""
    things = {(place.scan, place.viewpoint): list(_named_things(place)) for place in named}
    counts: NDArray[np.int64] | None = None
    for place in read_viewpoint_lines(captions, "captions file", _described):
        number = len(place.captions)
        if counts is None:
            counts = np.zeros(number, dtype=np.int64)
        if len(counts) != number:
            continue
        words = [set(_WORD.findall(" ".join(row).lower())) for row in place.captions]
        for thing in (*place.detections, *things.get((place.scan, place.viewpoint), ())):
            here = round(thing.heading * number)
            counts += [thing.name in words[(here + turn) % number] for turn in range(number)]
    if counts is None:
        return None
    best, right = int(counts.argmax()), int(counts[0])
    if counts[best] - right <= _LEAST_SURPRISE * math.sqrt(counts[best] + right):
        return None
    degrees = 360 * best / len(counts)
    return degrees - 360 if degrees > 180 else degrees, int(counts[best]), right


def _described(record: Any, where: str) -> _Described:
    place: CaptionedPlace = check_captions(record, where)
    found = []
    detections = record.get("detections")
    for one in detections if isinstance(detections, list) else []:
        if isinstance(one, list) and len(one) == 4 and isinstance(one[1], str) and _is_angle(one[2]):
            found += [SeenThing(word, one[2] / 360) for word in _WORD.findall(one[1].lower())[-1:]]
    return _Described(place.scan, place.viewpoint, place.captions, found)


def _is_angle(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e6


def _named_things(place: SeenPlace) -> Iterator[SeenThing]:
    """Each thing that is named, at the middle of the views that show most of it."""
    for thing in place.objects:
        if thing.views:
            sizes = [width * height for _, _, width, height in thing.boxes]
            view = thing.views[int(np.argmax(sizes))]
            yield from (
                SeenThing(word, view % HEADINGS / HEADINGS)
                for word in _WORD.findall(object_phrase(thing.name).lower())[-1:]
            )
