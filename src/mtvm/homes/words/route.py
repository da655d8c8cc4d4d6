"""Facts about a home for speakers and followers: the room of an edge, where exits lead, what can be named.

Nodes are those of the home's graph: node i is viewpoint i.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from mtvm.errors import InputError
from mtvm.homes.home import EYE_HEIGHT, Home, Opening, Seen, Viewpoint
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.words.meaning import Landmark, Side
from mtvm.world.graph import NavGraph

Zone = tuple[Literal["room", "opening", "stairs", "none"], int]
"""Where an edge runs: within a room, through an opening, on stairs, or undefined."""

QUARTER = math.pi / 2

_CONFUSABLE = 0.004  # steradians above which a thing could be mistaken for another of its kind
_NAMEABLE = 0.02  # steradians above which a thing may be named
_NAMEABLE_SHARE = 0.35  # share of it that must be visible
_NAMEABLE_DISTANCE = 7.0


@dataclasses.dataclass(frozen=True, slots=True)
class Sight:
    """Something with a name, as seen from a node."""

    what: Literal["thing", "window", "stairs"]
    index: int
    kind: str
    colour: str
    material: str
    room: int
    x: float
    y: float
    heading: float
    clear: bool
    """Whether it is visible enough to be named, not just to cause confusion."""
    size: float

    def fits(self, landmark: Landmark) -> bool:
        return (
            landmark.kind == self.kind
            and landmark.colour in (None, self.colour)
            and landmark.material in (None, self.material)
        )

    def same(self, other: Sight) -> bool:
        return self.what == other.what and self.index == other.index


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """An exit of a room: the opening, a node in or just behind it, and the room behind it."""

    opening: int
    node: int
    room: int


def turn_between(before: float, after: float) -> float:
    """The angle from one heading to another, clockwise, in [-pi, pi)."""
    return (after - before + math.pi) % (2 * math.pi) - math.pi


def snap(heading: float) -> float:
    """The nearest of the four directions of walls."""
    return round(heading / QUARTER) * QUARTER % (2 * math.pi)


class Scene:
    """Facts about one home, computed once for speakers and followers."""

    def __init__(self, home: Home, graph: NavGraph, seen: Sequence[Sequence[Seen]]) -> None:
        self.home, self.graph, self.rooms = home, graph, home.rooms
        self.spots = [_where_it_counts(home, spot) for spot in home.viewpoints]
        self.xy = [(float(x), float(y)) for x, y in graph.positions[:, :2]]
        self.neighbours: list[list[int]] = [graph.neighbours(node).tolist() for node in range(len(graph))]
        self.distances: list[list[float]] = graph.distances.tolist()
        self._hops: list[list[int]] = [
            [row[slot] if slot >= 0 else -1 for slot in slots]
            for row, slots in zip(graph.candidates.tolist(), graph.next_slot.tolist(), strict=True)
        ]
        self._paths: dict[tuple[int, int], tuple[int, ...]] = {}
        nodes = list(enumerate(self.spots))
        self.room_nodes = _grouped(len(home.rooms), [(s.room, i) for i, s in nodes if s.place == "room"])
        self.doorways = _grouped(len(home.openings), [(s.opening, i) for i, s in nodes if s.place == "doorway"])
        self.steps = _grouped(len(home.stairs), [(s.stairs, i) for i, s in nodes if s.place == "stairs"])
        self.openings = _grouped(len(home.rooms), [(room, o.index) for o in home.openings for room in o.rooms])
        self._zones = {(a, b): self._zone(a, b) for a, row in enumerate(self.neighbours) for b in row}
        self.ways = [self._ways_out(room) for room in range(len(home.rooms))]
        self.gaps = _thing_gaps(home)
        self.sights = [self._named_sights(one) for one in seen]

    def __len__(self) -> int:
        return len(self.spots)

    def path(self, start: int, goal: int) -> tuple[int, ...]:
        """Nodes of the shortest path, both ends included."""
        found = self._paths.get((start, goal))
        if found is None:
            nodes = [start]
            while nodes[-1] != goal:
                nodes.append(self._hops[nodes[-1]][goal])
                if nodes[-1] < 0:
                    raise InputError(f"scan {self.home.scan}: no way between nodes {start} and {goal}.")
            found = self._paths[start, goal] = tuple(nodes)
        return found

    def zone(self, here: int, there: int) -> Zone:
        return self._zones[here, there]

    def heading(self, here: int, there: int) -> float:
        (x, y), (to_x, to_y) = self.xy[here], self.xy[there]
        return math.atan2(to_x - x, to_y - y) % (2 * math.pi)

    def heading_to(self, here: int, x: float, y: float) -> float:
        return math.atan2(x - self.xy[here][0], y - self.xy[here][1]) % (2 * math.pi)

    def first_heading(self, nodes: Sequence[int], reach: float = 2.2) -> float:
        """The initial direction of a walk: from its start to the point `reach` metres along it."""
        left = reach
        for here, there in pairwise(nodes):
            (x, y), (to_x, to_y) = self.xy[here], self.xy[there]
            length = math.hypot(to_x - x, to_y - y)
            if length >= left > 0 or there == nodes[-1]:
                share = min(1.0, left / length)
                return self.heading_to(nodes[0], x + share * (to_x - x), y + share * (to_y - y))
            left -= length
        raise ValueError("a walk without a move has no heading")

    def across(self, opening: int, room: int) -> int:
        """The room on the other side."""
        one, other = self.home.openings[opening].rooms
        return other if room == one else one

    def into(self, opening: int, room: int) -> float:
        """The heading when walking through an opening into a room."""
        way, (x, y) = self.home.openings[opening], self.rooms[room].centre
        if way.along == "x":
            return 0.0 if y > way.y else math.pi
        return QUARTER if x > way.x else 3 * QUARTER

    def stairs_heading(self, stairs: int, up: bool) -> float:
        foot, top = self.home.stairs[stairs].foot, self.home.stairs[stairs].top
        heading = math.atan2(top[0] - foot[0], top[1] - foot[1])
        return (heading if up else heading + math.pi) % (2 * math.pi)

    def from_opening(self, node: int, opening: int) -> float:
        way = self.home.openings[opening]
        return math.hypot(way.x - self.xy[node][0], way.y - self.xy[node][1])

    def centre(self, opening: int) -> tuple[float, float]:
        return self.home.openings[opening].x, self.home.openings[opening].y

    def stairs_ends(self, room: int, end: str) -> list[tuple[float, float]]:
        """Points of the floor plan at which stairs begin or end in a room."""
        at = 1 if end == "top" else 0
        return [(s.top if at else s.foot)[:2] for s in self.home.stairs if s.rooms[at] == room]

    def landings(self, stairs: int, room: int) -> list[int]:
        """The nodes of a room that are adjacent to a flight of stairs."""
        ends = (b for (_, b), zone in self._zones.items() if zone == ("stairs", stairs))
        return sorted({b for b in ends if self.spots[b].place != "stairs" and self.spots[b].room == room})

    def gap(self, node: int, sight: Sight) -> float:
        """Metres from a node to the outline of something."""
        if sight.what == "thing":
            return self.gaps[node][sight.index]
        return math.hypot(sight.x - self.xy[node][0], sight.y - self.xy[node][1])

    def clear_sights(self, node: int) -> list[Sight]:
        return [sight for sight in self.sights[node] if sight.clear]

    def sides(self, node: int, room: int, opening: int, facing: float) -> tuple[Side, bool, tuple[Side, ...]]:
        """The side on which an opening lies; whether everyone would agree; and all sides that someone might say."""
        way = self.home.openings[opening]
        bearing = math.degrees(turn_between(facing, self.heading_to(node, way.x, way.y)))
        wall = math.degrees(turn_between(facing, self.into(opening, self.across(opening, room))))
        angle, hand = abs(bearing), _hand(bearing)
        if angle > 135:
            return "behind", angle > 155, ("behind",) if angle > 155 else ("behind", hand)
        if 45 < abs(wall) < 135:
            hand = _hand(wall)
            some: tuple[Side, ...] = (hand, "ahead") if angle < 5 else (hand, "behind") if angle > 115 else (hand,)
            return hand, 12 <= angle <= 115, some
        if angle < 40:
            return "ahead", angle <= 28, ("ahead",) if angle <= 20 else ("ahead", hand)
        return hand, 55 <= angle <= 115, (hand, "ahead") if angle < 60 else (hand, "behind") if angle > 115 else (hand,)

    def in_order(self, node: int, room: int, facing: float, side: Side, kind: str, behind: int | None) -> list[int]:
        """The openings of a kind on one side, in the order in which someone walking that way reaches them."""
        found = []
        for opening in self.openings[room]:
            way = self.home.openings[opening]
            angle = abs(turn_between(facing, self.heading_to(node, way.x, way.y)))
            if opening == behind or way.kind != kind or angle > math.radians(110):
                continue
            if self.sides(node, room, opening, facing)[0] == side:
                found.append((self.from_opening(node, opening) * math.cos(angle), opening))
        return [opening for _, opening in sorted(found)]

    def _zone(self, a: int, b: int) -> Zone:
        """The zone of an edge. A node in a doorway belongs to both rooms."""
        one, other = self.spots[a], self.spots[b]
        if one.place == "stairs" or other.place == "stairs":
            stairs = one.stairs if one.place == "stairs" else other.stairs
            return "stairs", -1 if stairs is None else stairs
        rooms_a, rooms_b = self._rooms_at(a), self._rooms_at(b)
        if self.rooms[rooms_a[0]].storey != self.rooms[rooms_b[0]].storey:
            joining = [s.index for s in self.home.stairs if {*s.rooms} <= {*rooms_a, *rooms_b}]
            return ("stairs", joining[0]) if joining else ("none", -1)
        x, y = ((p + q) / 2 for p, q in zip(self.xy[a], self.xy[b], strict=True))
        common = [room for room in rooms_a if room in rooms_b]
        if common:
            return "room", next((room for room in common if self.rooms[room].holds(x, y)), common[0])
        between = [o for o in self.home.openings if _joins(o, rooms_a, rooms_b)]
        if not between:
            return "none", -1
        return "opening", min(between, key=lambda o: math.hypot(o.x - x, o.y - y)).index

    def _rooms_at(self, node: int) -> tuple[int, ...]:
        spot = self.spots[node]
        return self.home.openings[spot.opening].rooms if spot.opening is not None else (spot.room,)

    def _ways_out(self, room: int) -> list[Way]:
        ways = []
        for opening in self.openings[room]:
            beyond = self.across(opening, room)
            ways += [Way(opening, node, beyond) for node in self.doorways[opening]]
            ends = {
                b for (a, b), zone in self._zones.items() if zone == ("opening", opening) and room in self._rooms_at(a)
            }
            ways += [Way(opening, node, beyond) for node in sorted(ends)]
        return ways

    def _named_sights(self, seen: Sequence[Seen]) -> list[Sight]:
        return [sight for one in seen if one.solid_angle >= _CONFUSABLE and (sight := self._sight(one)) is not None]

    def _sight(self, seen: Seen) -> Sight | None:
        clear = (
            seen.solid_angle >= _NAMEABLE and seen.visible >= _NAMEABLE_SHARE and seen.distance <= _NAMEABLE_DISTANCE
        )
        view = (seen.heading, clear, seen.solid_angle)
        if seen.what == "thing":
            thing = self.home.things[seen.index]
            kind = KINDS.get(thing.kind)
            if kind is not None and not kind.landmark:
                return None
            look = thing.surface
            return Sight(
                "thing", seen.index, thing.kind, look.colour, look.material, thing.room, thing.x, thing.y, *view
            )
        if seen.what == "window":
            window = self.home.windows[seen.index]
            return Sight("window", seen.index, "window", "", "", window.room, window.x, window.y, *view)
        if seen.what == "stairs":
            stairs = self.home.stairs[seen.index]
            x, y = (stairs.foot[0] + stairs.top[0]) / 2, (stairs.foot[1] + stairs.top[1]) / 2
            return Sight("stairs", seen.index, "stairs", "", "", stairs.rooms[0], x, y, *view)
        return None


def _where_it_counts(home: Home, spot: Viewpoint) -> Viewpoint:
    """The viewpoint itself, but those at the ends of stairs count as in the room, not on the stairs."""
    if spot.place == "stairs" and abs(spot.z - EYE_HEIGHT - home.floor_of(spot.room)) < 0.05:
        return dataclasses.replace(spot, place="room", stairs=None)
    return spot


def _grouped(count: int, pairs: Iterable[tuple[int | None, int]]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(count)]
    for group, member in pairs:
        if group is not None:
            groups[group].append(member)
    return groups


def _hand(angle: float) -> Literal["left", "right"]:
    return "right" if angle > 0 else "left"


def _joins(opening: Opening, rooms_a: Sequence[int], rooms_b: Sequence[int]) -> bool:
    one, other = opening.rooms
    return (one in rooms_a and other in rooms_b) or (other in rooms_a and one in rooms_b)


def _thing_gaps(home: Home) -> list[list[float]]:
    """Distances in metres from every viewpoint to every thing's outline on the floor."""
    if not home.things:
        return [[] for _ in home.viewpoints]
    spots = np.array([(spot.x, spot.y) for spot in home.viewpoints])[:, None]
    things = np.array([(t.x, t.y, t.heading, t.width, t.depth) for t in home.things])
    east, north = np.moveaxis(spots - things[None, :, :2], -1, 0)
    sine, cosine = np.sin(things[:, 2]), np.cos(things[:, 2])
    across, along = east * cosine - north * sine, east * sine + north * cosine
    gaps = np.hypot(np.maximum(abs(across) - things[:, 3] / 2, 0.0), np.maximum(abs(along) - things[:, 4] / 2, 0.0))
    return gaps.tolist()
