"""Where the words of a drawing go, so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from mtvm.viewer.drawing import Anchor, Point

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""
Spot = tuple[Point, Anchor]

_LETTER = 0.6
_WIDE, _NARROW = "%mwMW@", "fijlrt .,:'-()"
"""Letters of half again the width of the others, and of half of it."""
_LEAST_COVERED = 0.15
"""As much of a word may lie over marks, because boxes are larger than letters."""
_STROKE = 4.0
"""How wide lines are taken to be."""
_GAP = 3.0
"""Between two words of a line."""


def around(centre: Point, gap: float, size: float) -> list[Spot]:
    """Spots of a word beside a mark of radius `gap`: right, left, above and below."""
    x, y = centre
    level = y + size / 3
    return [
        ((x + gap, level), "start"),
        ((x - gap, level), "end"),
        ((x, y - gap - size / 4), "middle"),
        ((x, y + gap + 0.8 * size), "middle"),
    ]


class Labels:
    """What is taken of a part of a drawing."""

    def __init__(self, part: Box) -> None:
        self._part = part
        self._taken: list[Box] = []
        self._words: list[Box] = []
        self._lines: list[tuple[Point, Point]] = []

    def take(self, centre: Point, radius: float) -> None:
        x, y = centre
        self._taken.append((x - radius, y - radius, x + radius, y + radius))

    def cross(self, *points: Point) -> None:
        """Lines that `place` avoids where it has the choice."""
        self._lines += pairwise(points)

    def place(self, text: str, size: float, spots: Sequence[Spot]) -> Spot:
        """The spot at which least is covered and crossed, the first of several; nothing else is put there."""
        best, _ = self._best(text, size, spots, _STROKE)
        self._write(box_of(text, size, best))
        return best

    def place_if_free(self, text: str, size: float, spots: Sequence[Spot]) -> Spot | None:
        """The same if it covers next to nothing, and no other word."""
        apart = [spot for spot in spots if not self._touches(box_of(text, size, spot))]
        if not apart:
            return None
        best, covered = self._best(text, size, apart)
        left, top, right, bottom = box = box_of(text, size, best)
        if covered > _LEAST_COVERED * (right - left) * (bottom - top):
            return None
        self._write(box)
        return best

    def _write(self, box: Box) -> None:
        self._taken.append(box)
        self._words.append(box)

    def _touches(self, box: Box) -> bool:
        wide = (box[0] - _GAP, box[1], box[2] + _GAP, box[3])
        return any(shared(wide, word) for word in self._words)

    def _best(self, text: str, size: float, spots: Sequence[Spot], stroke: float = 0.0) -> tuple[Spot, float]:
        """The spot at which least is covered, and how much; `stroke` is how wide lines are taken to be."""
        best, least = spots[0], math.inf
        for spot in spots:
            box = box_of(text, size, spot)
            covered = self._covered(box) + (stroke * self._crossed(box) if stroke else 0.0)
            if covered < least:
                best, least = spot, covered
            if not covered:
                break
        return best, least

    def _covered(self, box: Box) -> float:
        """The area that is taken already or outside; rounded, so that what is free is exactly 0."""
        inside = shared(box, self._part)
        outside = (box[2] - box[0]) * (box[3] - box[1]) - inside
        return round(outside + sum(shared(box, other) for other in self._taken), 3)

    def _crossed(self, box: Box) -> float:
        """How much of the lines is in a box; rounded likewise."""
        return round(sum(length_inside(box, *line) for line in self._lines), 3)


def length_inside(box: Box, start: Point, end: Point) -> float:
    """How much of a line is in a box."""
    first, last = 0.0, 1.0
    for at, to, low, high in zip(start, end, box[:2], box[2:], strict=True):
        if at == to:
            if not low < at < high:
                return 0.0
            continue
        enters, leaves = sorted(((low - at) / (to - at), (high - at) / (to - at)))
        first, last = max(first, enters), min(last, leaves)
    return max(last - first, 0.0) * math.dist(start, end)


def shared(a: Box, b: Box) -> float:
    """The area that two boxes have in common."""
    if a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]:
        return 0.0  # nearly always, and the minima take time
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high


def box_of(text: str, size: float, spot: Spot) -> Box:
    """Where a word is, about."""
    (x, y), anchor = spot
    wide = _LETTER * size * (len(text) + 0.5 * sum((mark in _WIDE) - (mark in _NARROW) for mark in text))
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return left, y - 0.8 * size, left + wide, y + 0.25 * size
