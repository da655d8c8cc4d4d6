"""Furnishing: places things in every room by the rules of their kinds, without collisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mtvm.homes.home import Home, Thing
from mtvm.homes.plan.catalogue import KINDS, Kind, Range
from mtvm.homes.plan.geometry import footprint
from mtvm.homes.plan.placing import PLACERS, Model, front_zone
from mtvm.homes.plan.space import WALL_GAP, Space

_FULL = 0.34  # share of occupied floor above which only required things are added
_VARIED = ("painting", "potted plant", "guitar")  # each one in a room looks different
_GUESTS = ("around", "before")  # may stand on the floor that is kept free for their host
_NO_LIMIT = 99
_RUN_STEP = 0.1
_LEAST_ENTRANCE = 1.3


def furnish(home: Home, rng: np.random.Generator) -> tuple[Thing, ...]:
    """The things of a home, numbered consecutively."""
    things: list[Thing] = []
    entrance = _entrance_room(home)
    for room in home.rooms:
        space = Space(home, room)
        kinds = [kind for kind in KINDS.values() if room.kind in kind.rooms]
        for kind in kinds:
            if kind.placement == "entrance" and (kind.name != "front door" or room.index == entrance):
                _add_entrance(space, kind, rng)
        if row := [kind for kind in kinds if kind.placement == "run"]:
            _add_run(space, row, rng)
        for kind in kinds:
            if kind.placement not in ("entrance", "run"):
                _add_kind(space, kind, rng)
        things += space.things
    return tuple(replace(thing, index=index) for index, thing in enumerate(things))


def _entrance_room(home: Home) -> int:
    """The room with the front door: the entryway, else the hallway, else the living room."""
    ground = [room for room in home.rooms if room.storey == 0]
    order = ("entryway", "hallway", "living room")
    for room in sorted((room for room in ground if room.kind in order), key=lambda room: order.index(room.kind)):
        space = Space(home, room)
        if any(high - low > _LEAST_ENTRANCE for side in space.sides for low, high in space.outer_wall(side)):
            return room.index
    return -1


def _draw_model(kind: Kind, rng: np.random.Generator, small: bool = False) -> Model:
    def draw(bounds: Range) -> float:
        return bounds[0] if small else round(float(rng.uniform(*bounds)), 3)

    return Model(
        kind,
        draw(kind.width),
        draw(kind.depth),
        draw(kind.height),
        kind.surfaces[int(rng.integers(len(kind.surfaces)))],
        kind.accents[int(rng.integers(len(kind.accents)))],
    )


def _add_kind(space: Space, kind: Kind, rng: np.random.Generator) -> None:
    least, most = kind.rooms[space.room.kind]
    count = int(rng.integers(least, most + 1))
    if count == 0 or (least == 0 and kind.stands and space.fill() > _FULL):
        return
    if kind.placement in ("ceiling", "window"):
        count = _NO_LIMIT  # as many as the room or its windows need
    if kind.name in _VARIED:
        for _ in range(count):
            _place(space, _draw_model(kind, rng), 1, rng)
    elif not _place(space, _draw_model(kind, rng), count, rng) and least:
        _place(space, _draw_model(kind, rng, small=True), least, rng)


def _place(space: Space, model: Model, count: int, rng: np.random.Generator) -> int:
    """Add up to `count` things of a model; returns how many fitted."""
    placed = 0
    if count == 0:
        return 0
    for thing in PLACERS[model.kind.placement](space, model, count, rng):
        if _accept(space, model.kind, thing):
            space.things.append(thing)
            placed += 1
        if placed == count:
            break
    return placed


def _accept(space: Space, kind: Kind, thing: Thing) -> bool:
    if not kind.stands:
        return kind.placement in ("flat", "window") or not any(_collide(thing, other) for other in space.things)
    guest = kind.placement in _GUESTS
    if kind.placement == "middle":
        zone = footprint(thing).grown(kind.clearance)
    else:
        zone = front_zone(thing, 0.0 if guest else kind.clearance)
    if not space.has_place(thing, guest) or not space.is_usable(zone) or not space.stays_walkable([thing]):
        return False
    if not guest and kind.clearance:
        space.wishes.append(zone)
    return True


def _collide(thing: Thing, other: Thing, margin: float = 0.03) -> bool:
    if thing.z >= other.z + other.height - 1e-6 or other.z >= thing.z + thing.height - 1e-6:
        return False
    return footprint(thing).grown(margin).overlaps(footprint(other))


def _add_entrance(space: Space, kind: Kind, rng: np.random.Generator) -> None:
    """A closed door to the outside, with the floor before it kept free."""
    model = _draw_model(kind, rng)
    margin = model.width / 2 + 0.05
    for side in sorted(space.sides, key=lambda side: side.length):
        for low, high in space.open_wall(side, 0.1, 0.1):
            for outer_low, outer_high in space.outer_wall(side):
                first, last = max(low, outer_low) + margin, min(high, outer_high) - margin
                for along in ((first + last) / 2, first, last) if first < last else ():
                    thing = model.at_wall(space, side, along, gap=0.0)
                    zone = front_zone(thing, kind.clearance)
                    if not any(zone.overlaps(rect) for rect in space.flights):
                        space.things.append(thing)
                        space.kept.append(zone)
                        if kind.name == "front door":  # must stay reachable on foot; a garage door need not
                            space.gates.append(side.place(along, 0.5))
                        return


def _add_run(space: Space, kinds: list[Kind], rng: np.random.Generator) -> None:
    """Place things side by side along the walls, starting from the corner that keeps them closest together."""
    for small in (False, True):
        models = []
        for kind in kinds:
            least, most = kind.rooms[space.room.kind]
            count = least if small else int(rng.integers(least, most + 1))
            models += [_draw_model(kind, rng, small)] * count
        cabinets = [model.accent for model in models if model.kind.name == "kitchen counter"]
        if cabinets:  # sink and counter have the same fronts
            models = [replace(m, accent=cabinets[0]) if m.kind.name == "kitchen sink" else m for m in models]
        rows = [row for corner in rng.permutation(8) if (row := _line_up(space, models, int(corner)))]
        rows = [(way, things) for way, things in rows if space.stays_walkable(things)]
        if rows:
            for thing in min(rows, key=lambda row: row[0])[1]:
                space.things.append(thing)
                space.wishes.append(front_zone(thing, KINDS[thing.kind].clearance))
            return
    for kind in kinds:  # no row fits: place each one separately
        _place(space, _draw_model(kind, rng, small=True), kind.rooms[space.room.kind][0], rng)


def _line_up(space: Space, models: list[Model], corner: int) -> tuple[float, list[Thing]] | None:
    """Place models in a row from a corner, along three walls at most; returns the row's length and the things."""
    trial = space.copy()
    backwards = corner >= 4
    order = [(corner + (i if backwards else -i)) % 4 for i in range(3)]
    way = 0.0
    ends = np.cumsum([space.sides[number].length for number in order])
    for model in models:
        while True:
            turn = int(np.searchsorted(ends, way + 1e-6, side="right"))
            if turn == len(order):
                return None
            if way + model.width + WALL_GAP > ends[turn]:
                way = float(ends[turn])
                continue
            thing = _on_tour(space, model, order[turn], way - (ends[turn] - space.sides[order[turn]].length), backwards)
            zone = front_zone(thing, model.kind.clearance)
            if trial.has_place(thing) and trial.is_usable(zone):
                break
            way += _RUN_STEP
        trial.things.append(thing)
        trial.wishes.append(zone)
        way += model.width + 0.015
    return way, trial.things[len(space.things) :]


def _on_tour(space: Space, model: Model, number: int, way: float, backwards: bool) -> Thing:
    """A thing at a wall, `way` metres from the corner at which a tour around the room reaches this wall."""
    side = space.sides[number]
    rising = (number in (0, 3)) != backwards
    offset = way + model.width / 2 + WALL_GAP / 2
    return model.at_wall(space, side, side.span[0] + offset if rising else side.span[1] - offset)
