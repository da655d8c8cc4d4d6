"""Rectangles of the floor plan, and fast tests of points and segments against many boxes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.home import Home, Stairs, Thing

Floats = NDArray[np.float64]
Interval = tuple[float, float]


class Rect(NamedTuple):
    """An axis-aligned rectangle of the floor plan."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def depth(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return self.width * self.depth

    def grown(self, margin: float) -> Rect:
        return Rect(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)

    def overlaps(self, other: Rect, slack: float = 1e-6) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.x0 < other.x1 - slack
            and other.x0 < self.x1 - slack
            and self.y0 < other.y1 - slack
            and other.y0 < self.y1 - slack
        )

    def contains(self, other: Rect, slack: float = 1e-6) -> bool:
        return (
            self.x0 <= other.x0 + slack
            and self.y0 <= other.y0 + slack
            and self.x1 >= other.x1 - slack
            and self.y1 >= other.y1 - slack
        )


def without(interval: Interval, holes: Iterable[Interval]) -> list[Interval]:
    """What is left of an interval after cutting out others."""
    left = [interval]
    for low, high in holes:
        left = [piece for a, b in left for piece in ((a, min(b, low)), (max(a, high), b)) if piece[1] - piece[0] > 1e-9]
    return left


def footprint(thing: Thing) -> Rect:
    """The smallest axis-aligned rectangle around a thing."""
    sine, cosine = abs(math.sin(thing.heading)), abs(math.cos(thing.heading))
    half_x = (thing.width * cosine + thing.depth * sine) / 2
    half_y = (thing.width * sine + thing.depth * cosine) / 2
    return Rect(thing.x - half_x, thing.y - half_y, thing.x + half_x, thing.y + half_y)


def flight_rect(stairs: Stairs) -> Rect:
    """The floor that a flight of stairs covers, which is also its hole in the storey above."""
    (x0, y0, _), (x1, y1, _) = stairs.foot, stairs.top
    side_x, side_y = (0.0, stairs.width / 2) if abs(x1 - x0) > abs(y1 - y0) else (stairs.width / 2, 0.0)
    return Rect(min(x0, x1) - side_x, min(y0, y1) - side_y, max(x0, x1) + side_x, max(y0, y1) + side_y)


def wall_rects(home: Home, storey: int) -> list[Rect]:
    """The walls of a storey as obstacles to walking: openings are cut out, windows are not."""
    half = home.wall_thickness / 2
    openings = [o for o in home.openings if home.rooms[o.rooms[0]].storey == storey]
    rects = []
    for room in home.rooms:
        if room.storey != storey:
            continue
        cell = Rect(room.x0, room.y0, room.x1, room.y1).grown(half)
        for y in (cell.y0, cell.y1):
            cut = [(o.x - o.width / 2, o.x + o.width / 2) for o in openings if o.along == "x" and abs(o.y - y) < half]
            rects += [Rect(a, y - half, b, y + half) for a, b in without((cell.x0 - half, cell.x1 + half), cut)]
        for x in (cell.x0, cell.x1):
            cut = [(o.y - o.width / 2, o.y + o.width / 2) for o in openings if o.along == "y" and abs(o.x - x) < half]
            rects += [Rect(x - half, a, x + half, b) for a, b in without((cell.y0 - half, cell.y1 + half), cut)]
    return list(dict.fromkeys(Rect(*(round(side, 4) for side in rect)) for rect in rects))


@dataclasses.dataclass(frozen=True, slots=True)
class Boxes:
    """Rotated rectangles of the floor plan: centres (n, 2), half sizes (n, 2), sines and cosines (n,)."""

    centres: Floats
    halves: Floats
    sines: Floats
    cosines: Floats

    @classmethod
    def of(cls, rects: Iterable[Rect], things: Iterable[Thing]) -> Boxes:
        rows = [((r.x0 + r.x1) / 2, (r.y0 + r.y1) / 2, r.width / 2, r.depth / 2, 0.0) for r in rects]
        rows += [(t.x, t.y, t.width / 2, t.depth / 2, t.heading) for t in things]
        table = np.array(rows, dtype=np.float64).reshape(-1, 5)
        return cls(table[:, :2], table[:, 2:4], np.sin(table[:, 4]), np.cos(table[:, 4]))

    def near(self, rect: Rect) -> Boxes:
        """The boxes that may overlap a rectangle."""
        reach = np.hypot(self.halves[:, 0], self.halves[:, 1])[:, None]
        inside = (self.centres >= np.array(rect[:2]) - reach) & (self.centres <= np.array(rect[2:]) + reach)
        kept = inside.all(axis=1)
        return Boxes(self.centres[kept], self.halves[kept], self.sines[kept], self.cosines[kept])

    def _local(self, points: Floats) -> tuple[Floats, Floats]:
        """Coordinates of (m, 2) points in each box's own frame, along its width and its depth: (m, n) each."""
        east, north = points[:, :1] - self.centres[:, 0], points[:, 1:] - self.centres[:, 1]
        return east * self.cosines - north * self.sines, east * self.sines + north * self.cosines

    def distance(self, points: Floats) -> Floats:
        """Distance from each of (m, 2) points to the nearest box; 0 inside one."""
        along, across = self._local(points)
        outside_x = np.maximum(np.abs(along) - self.halves[:, 0], 0)
        outside_y = np.maximum(np.abs(across) - self.halves[:, 1], 0)
        return np.hypot(outside_x, outside_y).min(axis=1, initial=np.inf)

    def cross(self, start: Floats, end: Floats, radius: float = 0.0) -> NDArray[np.bool_]:
        """Whether each segment from `start` to `end`, both (m, 2), meets a box grown by `radius` on all sides."""
        enter = np.zeros((len(start), len(self.centres)))
        leave = np.ones_like(enter)
        for origin, target, half in zip(self._local(start), self._local(end), self.halves.T + radius, strict=True):
            step = target - origin
            step[np.abs(step) < 1e-9] = 1e-9
            middle, reach = -origin / step, np.abs(half / step)
            np.maximum(enter, middle - reach, out=enter)
            np.minimum(leave, middle + reach, out=leave)
        return np.logical_or.reduce(enter < leave, axis=1)
