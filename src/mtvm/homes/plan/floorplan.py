"""Floor plans: adds doors, passages, windows and stairs to a layout, and picks the best of many drafts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from mtvm.homes.home import Home, Opening, Room, Stairs, Surface, Window
from mtvm.homes.plan.catalogue import ROOM_KINDS
from mtvm.homes.plan.geometry import Interval, Rect, without
from mtvm.homes.plan.layout import STAIRS_WIDTH, WALL, Cell, Flight, count_steps, draw_layout, draw_programme

DOOR_DEPTH = 0.9
"""Metres of floor kept free on both sides of an opening."""
_SLAB = 0.25
_TRIES, _ENOUGH = 500, 12  # attempts for one programme, and how many successful ones are compared
_DOOR_WIDTH, _DOOR_HEIGHT = 0.9, 2.05
_LEAST_WINDOW_WALL = 1.3

# _ENTER[here][there]: how well `there` is entered from `here`. Pairs that are not listed get no door.
_ENTER = {
    "hallway": dict.fromkeys(ROOM_KINDS, 2.0) | {"entryway": 3.0, "bathroom": 2.4},
    "entryway": {"hallway": 3, "living room": 2.5, "garage": 1.5, "closet": 1.5, "office": 1, "bathroom": 0.8},
    "living room": {"hallway": 2.4, "entryway": 2.5, "kitchen": 3, "dining room": 3, "library": 1.8, "music room": 1.8,
                    "office": 1, "playroom": 1.2},
    "kitchen": {"dining room": 3, "living room": 3, "laundry room": 2.3, "garage": 1.2, "hallway": 1.5},
    "dining room": {"kitchen": 3, "living room": 3, "hallway": 1.5, "music room": 1, "library": 1},
    "bedroom": {"bathroom": 2, "closet": 2.6, "nursery": 1},
    "office": {"library": 1.6},
    "library": {"office": 1.6, "music room": 1.2},
    "laundry room": {"garage": 1.5},
    "garage": {"laundry room": 1.5, "gym": 0.8},
}  # fmt: skip

# Probability of an additional connection (a loop in the plan), and that a connection is a wide passage, not a door.
_LOOP = {
    ("dining room", "kitchen"): 0.9,
    ("dining room", "living room"): 0.9,
    ("kitchen", "living room"): 0.6,
    ("hallway", "living room"): 0.7,
    ("hallway", "kitchen"): 0.5,
    ("dining room", "hallway"): 0.4,
    ("entryway", "living room"): 0.4,
    ("library", "office"): 0.3,
    ("bathroom", "bedroom"): 0.2,
    ("garage", "laundry room"): 0.4,
    ("kitchen", "laundry room"): 0.4,
}
_WIDE = {
    ("entryway", "hallway"): 0.85,
    ("dining room", "living room"): 0.85,
    ("kitchen", "living room"): 0.7,
    ("dining room", "kitchen"): 0.75,
    ("hallway", "living room"): 0.6,
    ("entryway", "living room"): 0.6,
    ("dining room", "hallway"): 0.4,
    ("hallway", "kitchen"): 0.35,
    ("library", "living room"): 0.4,
    ("living room", "music room"): 0.4,
}
# What a plan scores when the two rooms are adjacent.
_NEAR = {
    ("dining room", "kitchen"): 2.0,
    ("dining room", "living room"): 1.0,
    ("kitchen", "living room"): 1.0,
    ("bathroom", "bedroom"): 0.7,
    ("bedroom", "closet"): 0.6,
    ("kitchen", "laundry room"): 0.6,
    ("entryway", "living room"): 0.4,
    ("bedroom", "nursery"): 0.5,
}
_OuterWall = tuple[Literal["x", "y"], float, Interval]
_NEED_DAYLIGHT = ("living room", "kitchen", "dining room", "bedroom", "entryway", "garage", "office", "nursery")


@dataclasses.dataclass(frozen=True, slots=True)
class _Wall:
    """A wall between two rooms, and where the middle of an opening may be on it."""

    cells: tuple[int, int]
    along: Literal["x", "y"]
    at: float
    span: Interval


@dataclasses.dataclass(frozen=True, slots=True)
class _Way:
    wall: _Wall
    kind: Literal["door", "passage"]
    middle: float
    width: float


@dataclasses.dataclass(frozen=True, slots=True)
class _Draft:
    cells: list[Cell]
    flight: Flight | None
    ways: list[_Way]
    score: float


def draw_plan(scan: str, seed: int, rng: np.random.Generator) -> Home:
    """A home without things and viewpoints."""
    ceiling_height = round(float(rng.uniform(2.45, 2.65)), 2)
    storey_height = round(ceiling_height + _SLAB, 4)
    draft = None
    while draft is None:
        draft = _best_draft(draw_programme(rng), storey_height, rng)
    storeys = 1 + max(cell.storey for cell in draft.cells)
    rooms = _rooms(draft.cells, rng)
    return Home(
        scan=scan,
        seed=seed,
        storey_heights=tuple(round(storey * storey_height, 4) for storey in range(storeys)),
        ceiling_height=ceiling_height,
        wall_thickness=WALL,
        rooms=rooms,
        openings=_openings(draft.ways, rng),
        windows=tuple(_windows(draft.cells, rng)),
        stairs=_stairs(draft, storey_height, rng),
        things=(),
        viewpoints=(),
        edges=(),
    )


def _best_draft(programme: list[list[str]], storey_height: float, rng: np.random.Generator) -> _Draft | None:
    drafts: list[_Draft] = []
    for _ in range(_TRIES):
        layout = draw_layout(programme, storey_height, rng)
        if layout is None or (draft := _judge(*layout, rng)) is None:
            continue
        drafts.append(draft)
        if len(drafts) == _ENOUGH:
            break
    return max(drafts, key=lambda draft: draft.score) if drafts else None


def _judge(cells: list[Cell], flights: list[Flight], rng: np.random.Generator) -> _Draft | None:
    """Add doors to a layout and score it; None if a room has no daylight or cannot be reached."""
    if any(cell.kind in _NEED_DAYLIGHT and not _outer_walls(cell, cells, _LEAST_WINDOW_WALL) for cell in cells):
        return None
    garages = (cell for cell in cells if cell.kind == "garage")
    if any(_drive_in(cell, cells) is None for cell in garages):
        return None
    walls = _shared_walls(cells)
    options: list[Flight | None] = [*flights] or [None]
    for flight in options:
        if (ways := _join(cells, walls, flight, rng)) is not None:
            break
    else:
        return None
    score = sum(_NEAR.get(_pair(cells, wall), 0.0) for wall in walls if wall.span[1] - wall.span[0] > 1)
    hall = sum(cell.rect.area for cell in cells if cell.kind == "hallway") / sum(cell.rect.area for cell in cells)
    long, short = max(cell.rect.x1 for cell in cells), max(cell.rect.y1 for cell in cells)
    score -= 8 * max(0.0, hall - 0.1) + 3 * max(0.0, max(long / short, short / long) - 1.4)
    for width, depth in ((cell.rect.width, cell.rect.depth) for cell in cells if cell.kind != "hallway"):
        score -= max(0.0, max(width / depth, depth / width) - 1.5)
    return _Draft(cells, flight, ways, score)


def _pair(cells: Sequence[Cell], wall: _Wall) -> tuple[str, str]:
    first, second = sorted(cells[i].kind for i in wall.cells)
    return first, second


def _shared_walls(cells: Sequence[Cell]) -> list[_Wall]:
    walls = []
    for j, second in enumerate(cells):
        for i, first in enumerate(cells[:j]):
            if first.storey == second.storey and (wall := _shared_wall(first.rect, second.rect)) is not None:
                walls.append(_Wall((i, j), *wall))
    return walls


def _shared_wall(a: Rect, b: Rect) -> tuple[Literal["x", "y"], float, Interval] | None:
    """The direction, position and inner extent of the wall between two cells; None if they are not adjacent."""
    x, y = (max(a.x0, b.x0), min(a.x1, b.x1)), (max(a.y0, b.y0), min(a.y1, b.y1))
    half = WALL / 2
    if abs(y[1] - y[0]) < 1e-6 and x[1] - x[0] > WALL:
        return "x", y[0], (x[0] + half, x[1] - half)
    if abs(x[1] - x[0]) < 1e-6 and y[1] - y[0] > WALL:
        return "y", x[0], (y[0] + half, y[1] - half)
    return None


def _middles(wall: _Wall, width: float, flight: Flight | None) -> list[Interval]:
    """Where the middle of an opening of that width may be: away from corners, and not beside stairs."""
    margin = width / 2 + 0.08
    span = wall.span[0] + margin, wall.span[1] - margin
    if span[1] < span[0]:
        return []
    if flight is None:
        return [span]
    rect = flight.rect if wall.along == "x" else Rect(flight.rect.y0, flight.rect.x0, flight.rect.y1, flight.rect.x1)
    if rect.y0 - DOOR_DEPTH > wall.at or rect.y1 + DOOR_DEPTH < wall.at:
        return [span]
    return without(span, [(rect.x0 - margin, rect.x1 + margin)])


def _join(
    cells: Sequence[Cell], walls: Sequence[_Wall], flight: Flight | None, rng: np.random.Generator
) -> list[_Way] | None:
    """Connections that make every room reachable from its storey's hallway, plus some loops."""
    possible = [wall for wall in walls if _middles(wall, _DOOR_WIDTH, flight)]
    chosen = _span(cells, possible, rng)
    if chosen is None:
        return None
    for wall in possible:
        wanted = wall not in chosen and rng.random() < _LOOP.get(_pair(cells, wall), 0.0)
        if wanted and not any(_is_pierced(cells, number, chosen) for number in wall.cells):
            chosen.append(wall)
    ways: list[_Way] = []
    for wall in chosen:
        passages = {number for way in ways if way.kind == "passage" for number in way.wall.cells}
        may_be_wide = not any(number in passages and cells[number].kind == "kitchen" for number in wall.cells)
        ways.append(_draw_way(cells, wall, flight, may_be_wide, rng))
    return ways


def _span(cells: Sequence[Cell], possible: Sequence[_Wall], rng: np.random.Generator) -> list[_Wall] | None:
    """The most suitable walls through which every room is reached, starting from the hallways."""
    reached = {i for i, cell in enumerate(cells) if cell.kind == "hallway"}
    chosen: list[_Wall] = []
    while len(reached) < len(cells):
        options = []
        for wall in possible:
            a, b = wall.cells
            if (a in reached) != (b in reached):
                inside, outside = (a, b) if a in reached else (b, a)
                if gladness := _ENTER.get(cells[inside].kind, {}).get(cells[outside].kind, 0.0):
                    pierced = _is_pierced(cells, inside, chosen)
                    options.append((gladness + rng.uniform(0, 0.5) - 1.5 * pierced, wall))
        if not options:
            return None
        best = max(options, key=lambda option: option[0])[1]
        chosen.append(best)
        reached.update(best.cells)
    return chosen


def _is_pierced(cells: Sequence[Cell], number: int, chosen: Sequence[_Wall]) -> bool:
    """Whether another opening would leave too little wall for furniture."""
    kind = cells[number].kind
    most = 99 if kind in ("hallway", "entryway") else 2 if kind == "kitchen" else 3
    return sum(number in wall.cells for wall in chosen) >= most


def _draw_way(
    cells: Sequence[Cell], wall: _Wall, flight: Flight | None, may_be_wide: bool, rng: np.random.Generator
) -> _Way:
    if may_be_wide and rng.random() < _WIDE.get(_pair(cells, wall), 0.0):
        for width in (rng.uniform(1.6, 2.4), 1.3):
            if places := _middles(wall, width, flight):
                low, high = max(places, key=lambda place: place[1] - place[0])
                return _Way(wall, "passage", (low + high) / 2, width)
    places = _middles(wall, _DOOR_WIDTH, flight)
    low, high = places[int(rng.integers(len(places)))]
    # Usually near a corner, which leaves long walls for furniture.
    return _Way(wall, "door", float(rng.choice((low, high, low, high, (low + high) / 2))), _DOOR_WIDTH)


def _openings(ways: Sequence[_Way], rng: np.random.Generator) -> tuple[Opening, ...]:
    colour = str(rng.choice(("white", "brown", "dark brown", "beige")))
    surface = Surface(colour, "paint" if colour == "white" else "wood")
    openings = []
    for index, way in enumerate(ways):
        x, y = (way.middle, way.wall.at) if way.wall.along == "x" else (way.wall.at, way.middle)
        height = _DOOR_HEIGHT if way.kind == "door" else 2.2
        openings.append(
            Opening(
                index=index,
                kind=way.kind,
                rooms=way.wall.cells,
                x=round(x, 4),
                y=round(y, 4),
                along=way.wall.along,
                width=round(way.width, 4),
                height=height,
                surface=surface,
            )
        )
    return tuple(openings)


def _outer_walls(cell: Cell, cells: Sequence[Cell], least: float) -> list[_OuterWall]:
    """Stretches of a cell's border, between inner faces, that have no other room of the storey behind them."""
    rect = cell.rect
    others = [other.rect for other in cells if other.storey == cell.storey and other is not cell]
    found: list[_OuterWall] = []
    for y, opposite in ((rect.y0, "y1"), (rect.y1, "y0")):
        taken = [(o.x0, o.x1) for o in others if abs(getattr(o, opposite) - y) < 1e-6]
        found += [("x", y, free) for free in without((rect.x0, rect.x1), taken)]
    for x, opposite in ((rect.x0, "x1"), (rect.x1, "x0")):
        taken = [(o.y0, o.y1) for o in others if abs(getattr(o, opposite) - x) < 1e-6]
        found += [("y", x, free) for free in without((rect.y0, rect.y1), taken)]
    half = WALL / 2
    return [(a, at, (lo + half, hi - half)) for a, at, (lo, hi) in found if hi - lo - WALL >= least]


def _drive_in(cell: Cell, cells: Sequence[Cell]) -> _OuterWall | None:
    """The outer wall for a garage's door: a short one, so that the car fits lengthwise behind it."""
    along = "y" if cell.rect.width > cell.rect.depth else "x"
    return next((wall for wall in _outer_walls(cell, cells, 2.7) if wall[0] == along), None)


def _entrance(cells: Sequence[Cell]) -> tuple[Cell, _OuterWall] | None:
    """The room with the front door, and the outer wall that holds it and therefore gets no window."""
    for kind in ("entryway", "hallway", "living room"):
        for cell in cells:
            if cell.kind == kind and cell.storey == 0 and (walls := _outer_walls(cell, cells, _LEAST_WINDOW_WALL)):
                return cell, max(walls, key=lambda wall: wall[2][1] - wall[2][0])
    return None


def _windows(cells: Sequence[Cell], rng: np.random.Generator) -> Iterator[Window]:
    index = 0
    doors = [_entrance(cells), *((cell, _drive_in(cell, cells)) for cell in cells if cell.kind == "garage")]
    for number, cell in enumerate(cells):
        if cell.kind == "closet":
            continue
        little = cell.kind in ("bathroom", "garage", "laundry room", "entryway")
        for wall in _outer_walls(cell, cells, _LEAST_WINDOW_WALL):
            along, at, (low, high) = wall
            if rng.random() < (0.4 if little else 0.1) or (cell, wall) in doors:
                continue
            count = 1 if little else max(1, round((high - low) / 3.2))
            room = (high - low) / count
            width = 0.6 if little else round(min(rng.uniform(1.0, 1.8), room - 0.7), 2)
            if width < 0.5:
                continue
            sill, height = (1.4, 0.6) if little else (0.9, 1.3)
            for i in range(count):
                middle = round(low + (i + 0.5) * room, 4)
                x, y = (middle, at) if along == "x" else (at, middle)
                yield Window(index, number, x, y, along, width, sill, height)
                index += 1


def _rooms(cells: Sequence[Cell], rng: np.random.Generator) -> tuple[Room, ...]:
    rooms = []
    for index, cell in enumerate(cells):
        kind = ROOM_KINDS[cell.kind]
        x0, y0, x1, y1 = (round(side, 4) for side in cell.rect.grown(-WALL / 2))
        rooms.append(
            Room(
                index,
                cell.kind,
                cell.storey,
                x0,
                y0,
                x1,
                y1,
                floor=kind.floors[int(rng.integers(len(kind.floors)))],
                walls=kind.walls[int(rng.integers(len(kind.walls)))],
                ceiling=Surface("grey", "concrete") if cell.kind == "garage" else Surface("white", "paint"),
            )
        )
    return tuple(rooms)


def _stairs(draft: _Draft, storey_height: float, rng: np.random.Generator) -> tuple[Stairs, ...]:
    if draft.flight is None:
        return ()
    below, above = (
        next(i for i, cell in enumerate(draft.cells) if cell.kind == "hallway" and cell.storey == storey)
        for storey in (0, 1)
    )
    surface = (Surface("brown", "wood"), Surface("dark brown", "wood"), Surface("beige", "carpet"))[
        int(rng.integers(3))
    ]
    foot, top = draft.flight.foot, draft.flight.top
    steps = count_steps(storey_height)
    return (Stairs(0, (below, above), (*foot, 0.0), (*top, storey_height), STAIRS_WIDTH, steps, surface),)
