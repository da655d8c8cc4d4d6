"""Layouts: which rooms a home has and where. Two bands of rooms line a hallway, with more rooms across its ends.

Everything is laid out with the hallway along x, then turned and mirrored. Rectangles here reach the middle of walls.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from mtvm.homes.plan.catalogue import ROOM_KINDS
from mtvm.homes.plan.geometry import Interval, Rect

WALL = 0.12
"""Thickness of every wall."""
TREAD, STAIRS_WIDTH = 0.25, 1.0
LANDING = 0.95
"""Free floor at the foot and at the top of stairs."""
_GRID = 0.05
_UPPER_TRIES = 30  # attempts to fit an upper storey onto a lower one
_SMALL = 8.0  # square metres up to which two rooms may share a slot of a band


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A room of the layout."""

    kind: str
    storey: int
    rect: Rect


@dataclasses.dataclass(frozen=True, slots=True)
class Flight:
    """A place for stairs: the area they cover, and the middles of their lowest and highest edges."""

    rect: Rect
    foot: tuple[float, float]
    top: tuple[float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class _Wish:
    kind: str
    area: float

    @property
    def small(self) -> bool:
        return self.area < _SMALL and self.kind != "entryway"


@dataclasses.dataclass(frozen=True, slots=True)
class _Slot:
    """A slot of a band: one room, or two from south to north."""

    wishes: list[_Wish]
    width: float


@dataclasses.dataclass(frozen=True, slots=True)
class _Frame:
    """The three strips of a home from south to north, and their allowed lengths."""

    south: float
    hall: float
    north: float
    least_core: float
    """Smallest length between the rooms across the ends."""
    whole: bool = False
    """Whether both bands must be as long as the hallway, because another storey rests on them."""
    length: float = math.inf

    @property
    def depth(self) -> float:
        return self.south + self.hall + self.north


def draw_programme(rng: np.random.Generator) -> list[list[str]]:
    """The kinds of rooms on each storey; every storey has a hallway, which comes first."""
    if rng.random() < 0.5:
        storeys = [["hallway", "living room", "kitchen", "bedroom", "bathroom"]]
        total = int(rng.integers(6, 11))
    else:
        storeys = [["hallway", "living room", "kitchen"], ["hallway", "bedroom", "bedroom", "bathroom"]]
        total = int(rng.integers(10, 15))
    if rng.random() < 0.75:
        storeys[0].append("entryway")
    while sum(map(len, storeys)) < total:
        # The upper storey rests on the lower one, so it must not become larger.
        storey = 1 if len(storeys) == 2 and _expected(storeys[1]) < 0.95 * _expected(storeys[0]) else 0
        count = Counter(kind for kinds in storeys for kind in kinds)
        wanted = [
            kind
            for kind in ROOM_KINDS.values()
            if kind.weight > 0
            and storey in kind.storeys
            and count[kind.name] < kind.most
            and (kind.name != "bathroom" or count["bathroom"] * 2 <= count["bedroom"])
            and (kind.name not in ("closet", "nursery") or "bedroom" in storeys[storey])
        ]
        weights = np.array([kind.weight / (1 + count[kind.name]) for kind in wanted])
        storeys[storey].append(wanted[int(rng.choice(len(wanted), p=weights / weights.sum()))].name)
    return storeys


def draw_layout(
    programme: Sequence[Sequence[str]], storey_height: float, rng: np.random.Generator
) -> tuple[list[Cell], list[Flight]] | None:
    """Try once to place a programme's rooms; also returns all places for stairs. None if the rooms do not fit."""
    stairs = len(programme) > 1
    hall = rng.uniform(2.25, 2.55) if stairs else rng.uniform(1.35, 1.8)
    least_core = TREAD * count_steps(storey_height) + 2 * LANDING + WALL if stairs else 3.2
    frame = _Frame(_snap(rng.uniform(3.1, 4.4)), _snap(hall), _snap(rng.uniform(3.1, 4.4)), least_core)
    lower = _storey(programme[0], 0, dataclasses.replace(frame, whole=stairs), rng)
    if lower is None or not stairs:
        return None if lower is None else _turned(lower, [], rng)
    length = max(cell.rect.x1 for cell in lower)
    frame = dataclasses.replace(frame, length=length)
    for _ in range(_UPPER_TRIES):
        upper = _storey(programme[1], 1, frame, rng)
        if upper is None:
            continue
        shift = rng.uniform(0, length - max(cell.rect.x1 for cell in upper))
        upper = [_moved(cell, _snap(shift)) for cell in upper]
        if flights := _flights(lower, upper, storey_height):
            return _turned([*lower, *upper], [flights[i] for i in rng.permutation(len(flights))], rng)
    return None


def _expected(kinds: Sequence[str]) -> float:
    return sum(0.7 * ROOM_KINDS[kind].area[0] + 0.3 * ROOM_KINDS[kind].area[1] for kind in kinds)


def _snap(value: float) -> float:
    return round(round(value / _GRID) * _GRID, 4)


def _storey(kinds: Sequence[str], storey: int, frame: _Frame, rng: np.random.Generator) -> list[Cell] | None:
    """The rooms of one storey, starting at x = 0."""
    rooms = [kind for kind in kinds if kind != "hallway"]
    pool = [_Wish(rooms[i], _draw_area(rooms[i], rng)) for i in rng.permutation(len(rooms))]
    west = _take_cap(pool, frame, rng, 0.7 if storey == 0 else 0.35)
    east = _take_cap(pool, frame, rng, 0.5 if len(rooms) > 6 else 0.15)
    entry = not (west and east) and any(wish.kind == "entryway" for wish in pool) and rng.random() < 0.6
    if entry:
        pool = [wish for wish in pool if wish.kind != "entryway"]
    bands = _split_bands(pool, frame, rng)
    natural = [sum(slot.width for slot in band) for band in bands]
    widths = [_cap_width(cap, frame) if cap else 0.0 for cap in (west, east)]
    core = _snap(min(rng.uniform(0.95 * min(natural), 1.05 * max(natural)), frame.length - sum(widths)))
    if (
        core < frame.least_core
        or not all(0.84 < core / length < 1.8 for length in natural if length)
        or not all(natural)
    ):
        return None
    span = widths[0], _snap(widths[0] + core)
    cells = _cap_cells(west, storey, (0.0, span[0]), frame)
    cells += _cap_cells(east, storey, (span[1], _snap(span[1] + widths[1])), frame)
    cells += _hall_cells(storey, span, frame, entry, bool(west))
    for band, strip in zip(bands, ((0.0, frame.south), (_snap(frame.south + frame.hall), frame.depth)), strict=True):
        cells += _band_cells(band, storey, _band_span(band, span, frame, rng), strip)
    return cells if all(map(_well_shaped, cells)) else None


def _well_shaped(cell: Cell) -> bool:
    room, kind = cell.rect.grown(-WALL / 2), ROOM_KINDS[cell.kind]
    short, long = sorted((room.width, room.depth))
    if short < kind.least_side or not 0.9 * kind.area[0] <= room.area <= 1.1 * kind.area[1]:
        return False
    return cell.kind == "hallway" or (long < 2.6 * short and (cell.kind != "garage" or long > 5.3))


def _draw_area(kind: str, rng: np.random.Generator) -> float:
    low, high = ROOM_KINDS[kind].area
    return float(rng.uniform(low + 0.1 * (high - low), low + 0.55 * (high - low)))


def _take_cap(pool: list[_Wish], frame: _Frame, rng: np.random.Generator, chance: float) -> list[_Wish]:
    """Take one or two rooms for an end of the hallway out of the pool; none by chance or if nothing fits."""
    count = int(rng.integers(1, 3))
    cap = pool[:count]
    if rng.random() > chance or len(pool) < count + 3 or _cap_width(cap, frame) < 2.6:
        return []
    if any(wish.kind == "entryway" for wish in cap):
        return []
    del pool[:count]
    return cap


def _cap_width(cap: Sequence[_Wish], frame: _Frame) -> float:
    return _snap(sum(wish.area for wish in cap) / (frame.depth - WALL * len(cap)) + WALL)


def _cap_cells(cap: Sequence[_Wish], storey: int, span: Interval, frame: _Frame) -> list[Cell]:
    rows = _shares((0.0, frame.depth), [wish.area for wish in cap])
    return [Cell(wish.kind, storey, Rect(span[0], rows[i], span[1], rows[i + 1])) for i, wish in enumerate(cap)]


def _shares(span: Interval, sizes: Sequence[float]) -> list[float]:
    """The edges that divide an interval in proportion to `sizes`."""
    unit = (span[1] - span[0]) / sum(sizes) if sizes else 0.0
    return [_snap(span[0] + unit * end) for end in itertools.accumulate(sizes, initial=0.0)]


def _split_bands(pool: Sequence[_Wish], frame: _Frame, rng: np.random.Generator) -> list[list[_Slot]]:
    """Divide the pool into two bands of similar length; two small rooms may share a slot."""
    groups: list[list[_Wish]] = []
    for wish in pool:
        pairs = wish.small and groups and len(groups[-1]) == 1 and groups[-1][0].small
        if pairs and min(frame.south, frame.north) > 3.95 and rng.random() < 0.7:
            groups[-1].append(wish)
        else:
            groups.append([wish])
    bands: list[list[_Slot]] = [[], []]
    lengths = [0.0, 0.0]
    bias = rng.uniform(0.75, 1.33)
    for group in groups:
        side = int(lengths[1] * bias < lengths[0])
        depth = (frame.south, frame.north)[side] - WALL * len(group)
        width = max(sum(wish.area for wish in group) / depth, *(ROOM_KINDS[wish.kind].least_side for wish in group))
        bands[side].append(_Slot(group if rng.random() < 0.5 else group[::-1], width + WALL))
        lengths[side] += width + WALL
    return bands


def _band_span(band: Sequence[_Slot], span: Interval, frame: _Frame, rng: np.random.Generator) -> Interval:
    """The extent of a band: as long as the hallway, or shorter if its rooms would become far too wide."""
    natural, core = sum(slot.width for slot in band), span[1] - span[0]
    if frame.whole or core < 1.25 * natural:
        return span
    length = _snap(1.1 * natural)
    return (span[0], _snap(span[0] + length)) if rng.random() < 0.5 else (_snap(span[1] - length), span[1])


def _band_cells(band: Sequence[_Slot], storey: int, span: Interval, strip: Interval) -> list[Cell]:
    columns = _shares(span, [slot.width for slot in band])
    cells = []
    for i, slot in enumerate(band):
        rows = _shares(strip, [wish.area for wish in slot.wishes])
        cells += [
            Cell(wish.kind, storey, Rect(columns[i], rows[j], columns[i + 1], rows[j + 1]))
            for j, wish in enumerate(slot.wishes)
        ]
    return cells


def _hall_cells(storey: int, span: Interval, frame: _Frame, entry: bool, at_east: bool) -> list[Cell]:
    """The hallway and, if `entry`, the entryway at its end."""
    y0, y1 = frame.south, _snap(frame.south + frame.hall)
    if not entry:
        return [Cell("hallway", storey, Rect(span[0], y0, span[1], y1))]
    length = _snap(max(4.5 / (frame.hall - WALL), 1.8) + WALL)
    middle = _snap(span[1] - length if at_east else span[0] + length)
    west, east = Rect(span[0], y0, middle, y1), Rect(middle, y0, span[1], y1)
    entryway, hallway = (east, west) if at_east else (west, east)
    return [Cell("hallway", storey, hallway), Cell("entryway", storey, entryway)]


def _moved(cell: Cell, shift: float) -> Cell:
    rect = cell.rect
    return dataclasses.replace(cell, rect=Rect(round(rect.x0 + shift, 4), rect.y0, round(rect.x1 + shift, 4), rect.y1))


def _flights(lower: Sequence[Cell], upper: Sequence[Cell], storey_height: float) -> list[Flight]:
    """Places for stairs along one side of both hallways, with landings at both ends."""
    below = next(cell.rect for cell in lower if cell.kind == "hallway")
    above = next(cell.rect for cell in upper if cell.kind == "hallway")
    inset, length = WALL / 2, TREAD * count_steps(storey_height)
    found = []
    for eastward, south in itertools.product((False, True), repeat=2):
        # The lower hallway must hold the landing at the foot, the upper one that at the top, and both the flight.
        first, last = (below, above) if eastward else (above, below)
        low = max(first.x0 + LANDING, last.x0) + inset
        high = min(first.x1, last.x1 - LANDING) - inset - length
        y = below.y0 + inset + STAIRS_WIDTH / 2 if south else below.y1 - inset - STAIRS_WIDTH / 2
        for x in (low, (low + high) / 2, high) if low <= high else ():
            ends = (round(x, 4), round(y, 4)), (round(x + length, 4), round(y, 4))
            rect = Rect(ends[0][0], round(y - STAIRS_WIDTH / 2, 4), ends[1][0], round(y + STAIRS_WIDTH / 2, 4))
            found.append(Flight(rect, *(ends if eastward else ends[::-1])))
    return found


def count_steps(storey_height: float) -> int:
    return math.ceil(storey_height / 0.2)


def _turned(
    cells: Sequence[Cell], flights: Sequence[Flight], rng: np.random.Generator
) -> tuple[list[Cell], list[Flight]]:
    """Mirror and turn everything at random, and move its corner to the origin."""
    mirror, swap = rng.random() < 0.5, rng.random() < 0.5
    width = max(cell.rect.x1 for cell in cells)

    def point(x: float, y: float) -> tuple[float, float]:
        x = round(width - x, 4) if mirror else x
        return (y, x) if swap else (x, y)

    def rectangle(rect: Rect) -> Rect:
        (x0, y0), (x1, y1) = point(rect.x0, rect.y0), point(rect.x1, rect.y1)
        return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    turned = [dataclasses.replace(cell, rect=rectangle(cell.rect)) for cell in cells]
    return turned, [Flight(rectangle(f.rect), point(*f.foot), point(*f.top)) for f in flights]
