"""A room while it is being furnished: its walls, its things, and the floor that has to stay free."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterable, Sequence

import numpy as np

from mtvm.homes.home import Home, Opening, Room, Thing, Window
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.plan.floorplan import DOOR_DEPTH
from mtvm.homes.plan.geometry import Interval, Rect, flight_rect, footprint, without
from mtvm.homes.plan.layout import LANDING

BODY = 0.4
"""Metres from the centre line of a path to anything beside it."""
WALL_GAP = 0.02
_RASTER = 0.1
_CARRIED = {"tv stand": 0.6}  # metres added to its height by what will stand on it
_BESIDE_WINDOW = 0.3  # metres on each side of a window that stay free for its curtain


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A wall of a room. A thing with its back to side `number` has a heading of `number` quarter turns."""

    number: int
    span: Interval
    """From corner to corner, along x for even numbers and along y for odd ones."""
    at: float

    @property
    def along(self) -> str:
        return "xy"[self.number % 2]

    @property
    def length(self) -> float:
        return self.span[1] - self.span[0]

    @property
    def heading(self) -> float:
        return round(self.number * math.pi / 2, 6)

    def place(self, along: float, away: float) -> tuple[float, float]:
        """The point at `along` on the wall, `away` metres into the room."""
        across = self.at + (away if self.number < 2 else -away)
        return (round(along, 4), round(across, 4)) if self.number % 2 == 0 else (round(across, 4), round(along, 4))

    def rect(self, low: float, high: float, depth: float) -> Rect:
        """The floor in front of a stretch of the wall."""
        (x0, y0), (x1, y1) = self.place(low, 0.0), self.place(high, depth)
        return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def span_of(hole: Opening | Window) -> Interval:
    """Where an opening or a window begins and ends along its wall."""
    middle = hole.x if hole.along == "x" else hole.y
    return middle - hole.width / 2, middle + hole.width / 2


class Space:
    """The things of a room so far, and the checks that another one must pass."""

    def __init__(self, home: Home, room: Room) -> None:
        self.home, self.room = home, room
        self.rect = Rect(room.x0, room.y0, room.x1, room.y1)
        self.floor = home.floor_of(room.index)
        self.sides = (
            Side(0, (room.x0, room.x1), room.y0),
            Side(1, (room.y0, room.y1), room.x0),
            Side(2, (room.x0, room.x1), room.y1),
            Side(3, (room.y0, room.y1), room.x1),
        )
        self.windows = [window for window in home.windows if window.room == room.index]
        self.things: list[Thing] = []
        self.flights = [flight_rect(stairs) for stairs in home.stairs if room.index in stairs.rooms]
        self.kept: list[Rect] = []
        """Floor that must stay free: at openings and entrances, and at both ends of stairs."""
        self.gates: list[tuple[float, float]] = []
        """Points that must stay connected on foot."""
        self.wishes: list[Rect] = []
        """Floor in front of things, kept free for using them."""
        self._keep_ways_free()

    def _keep_ways_free(self) -> None:
        for opening in self.home.openings:
            if self.room.index in opening.rooms:
                side, (low, high) = self.side_of(opening), span_of(opening)
                self.kept.append(side.rect(low - 0.05, high + 0.05, DOOR_DEPTH))
                self.gates.append(side.place((low + high) / 2, 0.5))
        for stairs in self.home.stairs:
            for room, (x, y, _), (other_x, other_y, _) in zip(
                stairs.rooms, (stairs.foot, stairs.top), (stairs.top, stairs.foot), strict=True
            ):
                if room == self.room.index:
                    east, north = np.sign(x - other_x), np.sign(y - other_y)
                    centre = x + east * LANDING / 2, y + north * LANDING / 2
                    self.kept.append(Rect(*centre, *centre).grown(LANDING / 2))
                    self.gates.append(centre)

    def copy(self) -> Space:
        """A copy for trying things out."""
        twin = copy.copy(self)
        twin.things, twin.wishes = [*self.things], [*self.wishes]
        return twin

    def beside_stairs(self) -> Rect:
        """The room without the strip that the stairs occupy."""
        rect = self.rect
        for flight in self.flights:
            if flight.width > flight.depth:
                south = flight.y0 - rect.y0 < rect.y1 - flight.y1
                rect = rect._replace(y0=flight.y1) if south else rect._replace(y1=flight.y0)
            else:
                west = flight.x0 - rect.x0 < rect.x1 - flight.x1
                rect = rect._replace(x0=flight.x1) if west else rect._replace(x1=flight.x0)
        return rect

    def side_of(self, hole: Opening | Window) -> Side:
        """The wall that holds an opening or a window."""
        at = hole.y if hole.along == "x" else hole.x
        return min((side for side in self.sides if side.along == hole.along), key=lambda side: abs(side.at - at))

    def standing(self) -> list[Thing]:
        return [thing for thing in self.things if KINDS[thing.kind].stands]

    def of_kind(self, kinds: Sequence[str]) -> list[Thing]:
        """Things of these kinds, in the order of the kinds."""
        return [thing for kind in kinds for thing in self.things if thing.kind == kind]

    def fill(self) -> float:
        """The share of the floor that things stand on."""
        return sum(footprint(thing).area for thing in self.standing()) / self.rect.area

    def open_wall(self, side: Side, margin: float, window_margin: float | None) -> list[Interval]:
        """The stretches of a wall without openings or stairs, and without windows unless `window_margin` is None."""
        openings = [o for o in self.home.openings if self.room.index in o.rooms and self.side_of(o) == side]
        holes = [(low - margin, high + margin) for low, high in map(span_of, openings)]
        if window_margin is not None:
            holes += [(low - window_margin, high + window_margin) for low, high in self.window_spans(side)]
        for rect in self.flights:
            if rect.grown(0.3).overlaps(side.rect(*side.span, 0.1)):
                holes.append((rect.x0, rect.x1) if side.along == "x" else (rect.y0, rect.y1))
        return without(side.span, holes)

    def outer_wall(self, side: Side) -> list[Interval]:
        """The stretches of a wall with no room of the storey behind them."""
        beyond = side.rect(*side.span, -2 * self.home.wall_thickness)
        taken = [
            (other.x0, other.x1) if side.along == "x" else (other.y0, other.y1)
            for other in self.home.rooms
            if other.storey == self.room.storey
            and other is not self.room
            and beyond.overlaps(Rect(other.x0, other.y0, other.x1, other.y1))
        ]
        return without(side.span, taken)

    def window_spans(self, side: Side) -> list[Interval]:
        return [span_of(window) for window in self.windows if self.side_of(window) == side]

    def has_place(self, thing: Thing, guest: bool = False) -> bool:
        """Whether a thing can stand there, apart from blocking paths; a guest may stand in `wishes`."""
        rect = footprint(thing)
        if not self.rect.contains(rect, slack=-0.005):
            return False
        if any(rect.overlaps(other) for other in (*self.kept, *self.flights)):
            return False
        if not guest and any(rect.overlaps(wish) for wish in self.wishes):
            return False
        if any(rect.overlaps(footprint(other), slack=-0.005) for other in self.standing()):
            return False
        return not self._darkens(thing, rect)

    def _darkens(self, thing: Thing, rect: Rect) -> bool:
        """Whether a thing would stand before a window and rise above its sill; glass does not darken."""
        sill = min((window.sill for window in self.windows), default=math.inf)
        height = thing.height + _CARRIED.get(thing.kind, 0.0)
        if height <= sill or thing.surface.material == "glass":
            return False
        spans = ((side, span) for side in self.sides for span in self.window_spans(side))
        return any(rect.overlaps(side.rect(a - _BESIDE_WINDOW, b + _BESIDE_WINDOW, 0.4)) for side, (a, b) in spans)

    def is_usable(self, zone: Rect) -> bool:
        """Whether the floor in front of a thing is free and inside the room."""
        blocked = (*self.flights, *(footprint(thing) for thing in self.standing()))
        return self.rect.contains(zone) and not any(zone.overlaps(other) for other in blocked)

    def stays_walkable(self, added: Iterable[Thing]) -> bool:
        """Whether all gates stay connected on foot, with somewhere to stand."""
        from scipy.ndimage import label  # slow to import and needed only here

        inner = self.rect.grown(-BODY)

        def raster(x: float, y: float) -> tuple[float, float]:
            return (x - inner.x0) / _RASTER, (y - inner.y0) / _RASTER

        free = np.ones([math.floor(size) + 1 for size in raster(inner.x1, inner.y1)], dtype=bool)
        standing = [footprint(thing) for thing in (*self.standing(), *added) if KINDS[thing.kind].blocks]
        for rect in (other.grown(BODY) for other in (*standing, *self.flights)):
            (x0, y0), (x1, y1) = raster(rect.x0, rect.y0), raster(rect.x1, rect.y1)
            free[max(0, math.ceil(x0)) : max(0, math.ceil(x1)), max(0, math.ceil(y0)) : max(0, math.ceil(y1))] = False
        parts, _ = label(free)
        gates = np.array([raster(x, y) for x, y in self.gates]).round().astype(int).clip(0, np.array(free.shape) - 1)
        reached = set(parts[tuple(gates.T)].tolist())
        if len(reached) != 1 or 0 in reached:
            return False
        return int((parts == reached.pop()).sum()) * _RASTER**2 >= max(0.3, 0.2 * (self.rect.area - 6.0))
