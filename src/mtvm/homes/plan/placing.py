"""Where a thing might go: for each placement of the catalogue, candidates in order of preference."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np

from mtvm.homes.home import Surface, Thing
from mtvm.homes.plan.catalogue import Kind, Placement
from mtvm.homes.plan.geometry import Rect, footprint
from mtvm.homes.plan.space import WALL_GAP, Side, Space, span_of

_CENTRED = ("bed", "sofa", "fireplace", "tv stand", "sideboard", "piano", "desk", "treadmill", "aquarium")
_DIAGONAL = ("armchair",)
_TUCKED = 0.03  # metres between a seat and its table
_FAR = 3.6  # metres between two things that face each other
_QUARTER = math.pi / 2


@dataclasses.dataclass(frozen=True, slots=True)
class Model:
    """One design of a kind, shared by, for example, all chairs of a table."""

    kind: Kind
    width: float
    depth: float
    height: float
    surface: Surface
    accent: Surface

    def at(self, space: Space, x: float, y: float, heading: float, above: float = 0.0) -> Thing:
        """The thing with its underside `above` metres over the floor; its index is set later."""
        return Thing(
            index=-1,
            kind=self.kind.name,
            room=space.room.index,
            x=round(float(x), 4),
            y=round(float(y), 4),
            z=round(space.floor + above, 4),
            heading=round(heading % (2 * math.pi), 6),
            width=self.width,
            depth=self.depth,
            height=self.height,
            surface=self.surface,
            accent=self.accent,
        )

    def at_wall(self, space: Space, side: Side, along: float, above: float = 0.0, gap: float = WALL_GAP) -> Thing:
        return self.at(space, *side.place(along, self.depth / 2 + gap), side.heading, above)


def front_of(thing: Thing, along: float, away: float) -> tuple[float, float]:
    """The point `along` metres to the thing's own right and `away` metres in front of its middle."""
    sine, cosine = math.sin(thing.heading), math.cos(thing.heading)
    return thing.x + along * cosine + away * sine, thing.y - along * sine + away * cosine


def front_zone(thing: Thing, clearance: float) -> Rect:
    """The floor in front of an axis-aligned thing."""
    near, far = front_of(thing, -thing.width / 2, thing.depth / 2), (thing.width / 2, thing.depth / 2 + clearance)
    x1, y1 = front_of(thing, *far)
    x0, y0 = near
    return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def against_wall(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    for host in space.of_kind(model.kind.hosts):
        opposite = space.sides[(round(host.heading / _QUARTER) + 2) % 4]
        if _distance(host, opposite) - host.depth / 2 - model.depth < _FAR:
            yield model.at_wall(space, opposite, host.x if opposite.along == "x" else host.y)
        for away in rng.permutation([2.3, 2.6, 2.9]):
            yield model.at(space, *front_of(host, 0, away), host.heading + math.pi)
    centred = model.kind.name in _CENTRED
    ranked: list[tuple[float, Side, float]] = []
    for side in space.sides:
        for low, high in space.open_wall(side, 0.0, None):
            first, last = low + model.width / 2 + WALL_GAP, high - model.width / 2 - WALL_GAP
            if last < first:
                continue
            taste = rng.uniform(0, 1)
            ranked += [(taste + 0.6 * centred, side, first), (taste + 0.6 * centred, side, last)]
            ranked += [(taste + 0.6 * (not centred), side, (first + last) / 2)]
            ranked += [(taste + 0.8, side, rng.uniform(first, last))]
    for _, side, spot in sorted(ranked, key=lambda entry: entry[0]):
        yield model.at_wall(space, side, spot)


def _distance(thing: Thing, side: Side) -> float:
    return abs(side.at - (thing.y if side.along == "x" else thing.x))


def in_corner(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    for number in map(int, rng.permutation(8)):
        if model.kind.name in _DIAGONAL:
            east, north = 1 - 2 * (number % 2), 1 - 2 * (number // 2 % 2)
            x, y = space.rect[0 if east > 0 else 2], space.rect[1 if north > 0 else 3]
            heading = math.atan2(east, north)
            away = footprint(model.at(space, x, y, heading)).width / 2 + WALL_GAP
            yield model.at(space, x + away * east, y + away * north, heading)
        else:
            side, away = space.sides[number % 4], model.width / 2 + WALL_GAP
            yield model.at_wall(space, side, side.span[1] - away if number < 4 else side.span[0] + away)
    yield from against_wall(space, model, count, rng)


def in_middle(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    """Aligned with the room; a thing that is deeper than wide (a car) faces the entrance."""
    lengthwise = model.width >= model.depth
    heading = 0.0 if (space.rect.width >= space.rect.depth) == lengthwise else _QUARTER
    doors = space.of_kind(["garage door"])
    if doors:
        heading = doors[0].heading + math.pi
    centre_x, centre_y = (space.rect.x0 + space.rect.x1) / 2, (space.rect.y0 + space.rect.y1) / 2
    spread = rng.uniform(-0.5, 0.5, (40, 2)) * np.linspace(0, 1, 40)[:, None]
    for turn in (0.0, _QUARTER):
        rect = footprint(model.at(space, 0, 0, heading + turn))
        slack = space.rect.width - rect.width, space.rect.depth - rect.depth
        if min(slack) > 0:
            for x, y in spread * slack:
                yield model.at(space, centre_x + x, centre_y + y, heading + turn)


def around(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    for host in space.of_kind(model.kind.hosts):
        seats = max(1, int(host.width / (model.width + 0.12)))
        away = (host.depth + model.depth) / 2 + _TUCKED
        for i in range(seats):
            along = host.width * ((i + 0.5) / seats - 0.5)
            yield model.at(space, *front_of(host, along, away), host.heading + math.pi)
            yield model.at(space, *front_of(host, along, -away), host.heading)
        away = (host.width + model.depth) / 2 + _TUCKED
        yield model.at(space, *front_of(host, away, 0), host.heading - _QUARTER)
        yield model.at(space, *front_of(host, -away, 0), host.heading + _QUARTER)


def before(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    gap = max(model.kind.clearance - 0.05, _TUCKED)
    for host in space.of_kind(model.kind.hosts):
        seats = max(1, min(count, int(host.width / (model.width + 0.12))))
        for i in range(seats):
            along = host.width * ((i + 0.5) / seats - 0.5)
            place = front_of(host, along, (host.depth + model.depth) / 2 + gap)
            yield model.at(space, *place, host.heading + math.pi)


def beside(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    for host in space.of_kind(model.kind.hosts):
        for hand in rng.permutation([-1, 1]):
            along = int(hand) * ((host.width + model.width) / 2 + 0.04)
            yield model.at(space, *front_of(host, along, (model.depth - host.depth) / 2), host.heading)


def on_top(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    hosts = [h for h in space.of_kind(model.kind.hosts) if h.width > model.width and h.depth > model.depth]
    load = {host: sum(footprint(host).overlaps(footprint(o)) for o in space.things if o.z > host.z) for host in hosts}
    for host in sorted(hosts, key=load.__getitem__):
        room = (host.width - model.width) / 2 - 0.04
        back = -(host.depth - model.depth) / 2 + 0.04 if model.width > 0.4 else 0.0
        spots = [0.0] if model.width > 0.8 or load[host] == 0 else [room, -room]
        for along in (*spots, *rng.uniform(-room, room, 4)) if room > 0 else (0.0,):
            yield model.at(space, *front_of(host, along, back), host.heading, host.z - space.floor + host.height)


def hung(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    above = rng.uniform(*model.kind.elevation)
    for host in space.of_kind(model.kind.hosts):
        side = space.sides[round(host.heading / _QUARTER) % 4]
        along = host.x if side.along == "x" else host.y
        higher = max(above, host.z - space.floor + host.height + 0.12)
        free = space.open_wall(side, 0.12, 0.35)
        has_wall = any(low <= along - model.width / 2 and along + model.width / 2 <= high for low, high in free)
        if has_wall and higher + model.height < space.home.ceiling_height - 0.1 and host.width >= 0.6 * model.width:
            yield model.at_wall(space, side, along, higher, gap=0.0)
    margin = model.width / 2 + 0.1
    stretches = [(side, *stretch) for side in space.sides for stretch in space.open_wall(side, 0.12, 0.35)]
    stretches = [stretch for stretch in stretches if stretch[2] - stretch[1] > 2 * margin]
    for number in rng.permutation(len(stretches)):
        side, low, high = stretches[number]
        for along in ((low + high) / 2, *rng.uniform(low + margin, high - margin, 3)):
            yield model.at_wall(space, side, along, above, gap=0.0)


def from_ceiling(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    rect = space.beside_stairs()
    above = space.home.ceiling_height - model.height
    number = max(1, round(max(rect.width, rect.depth) / 4.5))
    for i in range(number):
        share = (i + 0.5) / number
        x, y = (share, 0.5) if rect.width >= rect.depth else (0.5, share)
        yield model.at(space, rect.x0 + x * rect.width, rect.y0 + y * rect.depth, 0.0, above)


def flat(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    rect = space.beside_stairs().grown(-0.25)
    x, y, heading = (rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2, 0.0 if rect.width >= rect.depth else _QUARTER
    for host in space.of_kind(model.kind.hosts)[:1]:
        x, y = front_of(host, 0, 0.4 if host.kind == "bed" else 0)
        heading = host.heading
    long, short = (rect.width, rect.depth) if abs(math.cos(heading)) > 0.5 else (rect.depth, rect.width)
    model = dataclasses.replace(model, width=round(min(model.width, long), 3), depth=round(min(model.depth, short), 3))
    cover = footprint(model.at(space, 0, 0, heading))
    x = min(max(x, rect.x0 + cover.width / 2), rect.x1 - cover.width / 2)
    y = min(max(y, rect.y0 + cover.depth / 2), rect.y1 - cover.depth / 2)
    if min(model.width, model.depth) > 0.5:
        yield model.at(space, x, y, heading)


def at_window(space: Space, model: Model, count: int, rng: np.random.Generator) -> Iterator[Thing]:
    """Down to the floor, or to what stands below the window; none if that covers much of the window."""
    for window in space.windows:
        side, (low, high) = space.side_of(window), span_of(window)
        low, high = max(low - 0.25, side.span[0] + 0.01), min(high + 0.25, side.span[1] - 0.01)
        top = min(window.sill + window.height + 0.15, space.home.ceiling_height - 0.02)
        below = side.rect(low, high, model.depth + 0.05)
        tops = [t.z - space.floor + t.height for t in space.things if t.kind != "rug" and footprint(t).overlaps(below)]
        bottom = max(window.sill - 0.1, max(tops) + 0.02) if tops else 0.03
        if bottom > window.sill + 0.4 * window.height:
            continue
        curtain = dataclasses.replace(model, width=round(high - low, 3), height=round(top - bottom, 3))
        yield curtain.at_wall(space, side, (low + high) / 2, bottom, gap=0.0)


PLACERS: dict[Placement, Callable[[Space, Model, int, np.random.Generator], Iterator[Thing]]] = {
    "wall": against_wall,
    "run": against_wall,
    "corner": in_corner,
    "middle": in_middle,
    "around": around,
    "before": before,
    "beside": beside,
    "on": on_top,
    "hung": hung,
    "ceiling": from_ceiling,
    "flat": flat,
    "window": at_window,
}
