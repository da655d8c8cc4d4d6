"""Viewpoints: where the agent can stand in a home, and the edges between them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.home import EYE_HEIGHT, Home, Room, Stairs, Viewpoint
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.plan.geometry import Boxes, Floats, Rect, flight_rect, wall_rects

CLEARANCE = 0.35
"""Metres from a viewpoint to walls and things."""
BODY_RADIUS = 0.125
MAX_EDGE = 4.5
_GRID = 0.25  # metres between the grid points among which a room's viewpoints are chosen
_REACH = 1.2  # metres around a viewpoint that it covers
_STRIDE = 2.8  # longest straight walk between two grid points when testing what is connected
_LEAST_GAP = 1.0
_CROWDED = 0.7
_ENOUGH = 0.9  # share of a room's grid points that its viewpoints must cover
_SOCIABLE = 0.08  # weight of one more neighbour against a share of the room
_LEAST_GAIN = 0.04
_STEP_OFF = 0.4  # metres between the ends of stairs and the viewpoints there

Flags = NDArray[np.bool_]


class BlockedError(Exception):
    """Furniture blocks the way through a room."""


def place_viewpoints(home: Home) -> tuple[tuple[Viewpoint, ...], tuple[tuple[int, int], ...]]:
    """The viewpoints and edges of a home; the graph is connected."""
    places = [*_doorways(home), *_stair_ends(home)]
    edges: list[tuple[int, int]] = []
    for storey in range(len(home.storey_heights)):
        obstacles = obstacles_of(home, storey)
        for room in home.rooms:
            if room.storey == storey:
                gates = [(place.x, place.y) for place in places if _leads_into(home, place, room)]
                others = [(place.x, place.y) for place in places if home.rooms[place.room].storey == storey]
                floor = home.storey_heights[storey] + EYE_HEIGHT
                places += [
                    Viewpoint("", float(x), float(y), round(floor, 4), room.index, "room")
                    for x, y in _choose_in_room(room, np.array(gates), np.array(others), obstacles)
                ]
        here = [i for i, place in enumerate(places) if home.rooms[place.room].storey == storey]
        points = np.array([(places[i].x, places[i].y) for i in here])
        edges += [(here[i], here[j]) for i, j in _edges(points, obstacles)]
    for stairs in home.stairs:
        foot, top = (
            next(i for i, p in enumerate(places) if p.stairs == stairs.index and p.room == r) for r in stairs.rooms
        )
        edges += [(foot, len(places)), (top, len(places))]
        places.append(_stair_middle(stairs))
    viewpoints = tuple(dataclasses.replace(place, id=_name(home.scan, i)) for i, place in enumerate(places))
    return viewpoints, tuple(sorted((min(edge), max(edge)) for edge in edges))


def obstacles_of(home: Home, storey: int) -> Boxes:
    """Everything on a storey that blocks walking, or sight at eye height."""
    rects = wall_rects(home, storey)
    rects += [
        flight_rect(stairs) for stairs in home.stairs if storey in {home.rooms[room].storey for room in stairs.rooms}
    ]
    things = [thing for thing in home.things if home.rooms[thing.room].storey == storey and KINDS[thing.kind].blocks]
    return Boxes.of(rects, things)


def connectivity_records(home: Home) -> list[dict[str, Any]]:
    """The home's graph in the format of a Matterport connectivity file."""
    rng = np.random.default_rng(home.seed)
    linked = np.zeros((len(home.viewpoints),) * 2, dtype=bool)
    for a, b in home.edges:
        linked[a, b] = linked[b, a] = True
    visible = linked | _in_sight(home)
    return [
        {
            "image_id": viewpoint.id,
            "pose": _pose(viewpoint, float(rng.uniform(0, 2 * math.pi))),
            "included": True,
            "visible": visible[i].tolist(),
            "unobstructed": linked[i].tolist(),
            "height": EYE_HEIGHT,
        }
        for i, viewpoint in enumerate(home.viewpoints)
    ]


def _in_sight(home: Home) -> Flags:
    """(n, n) which viewpoints of the same storey see each other, at any distance."""
    storeys = np.array([home.rooms[place.room].storey for place in home.viewpoints])
    points = np.array([(place.x, place.y) for place in home.viewpoints])
    result = np.zeros((len(points),) * 2, dtype=bool)
    for storey in range(len(home.storey_heights)):
        i, j = np.nonzero(np.triu(np.outer(storeys == storey, storeys == storey), 1))
        clear = ~obstacles_of(home, storey).cross(points[i], points[j])
        result[i[clear], j[clear]] = True
    return result | result.T


def _pose(viewpoint: Viewpoint, heading: float) -> list[float]:
    """Row-major camera-to-world matrix of a level camera: x right, y down, z forward."""
    sine, cosine = round(math.sin(heading), 6), round(math.cos(heading), 6)
    right, down, forward = (cosine, -sine, 0.0), (0.0, 0.0, -1.0), (sine, cosine, 0.0)
    position = (viewpoint.x, viewpoint.y, viewpoint.z)
    rows = zip(right, down, forward, position, strict=True)
    return [number for row in rows for number in row] + [0.0, 0.0, 0.0, 1.0]


def _name(scan: str, number: int) -> str:
    return hashlib.blake2b(f"{scan}/{number}".encode(), digest_size=16).hexdigest()


def _doorways(home: Home) -> list[Viewpoint]:
    """One viewpoint in every opening; it belongs to the room that is not the hallway."""
    places = []
    for opening in home.openings:
        room = min(opening.rooms, key=lambda number: home.rooms[number].kind == "hallway")
        height = round(home.floor_of(room) + EYE_HEIGHT, 4)
        places.append(Viewpoint("", opening.x, opening.y, height, room, "doorway", opening=opening.index))
    return places


def _stair_ends(home: Home) -> list[Viewpoint]:
    """Viewpoints at the foot and at the top of each flight."""
    places = []
    for stairs in home.stairs:
        east, north = _direction(stairs)
        for room, (x, y, floor), step in zip(
            stairs.rooms, (stairs.foot, stairs.top), (-_STEP_OFF, _STEP_OFF), strict=True
        ):
            position = round(x + step * east, 4), round(y + step * north, 4), round(floor + EYE_HEIGHT, 4)
            places.append(Viewpoint("", *position, room, "stairs", stairs=stairs.index))
    return places


def _stair_middle(stairs: Stairs) -> Viewpoint:
    """A viewpoint on the middle step."""
    (x0, y0, z0), (x1, y1, z1) = stairs.foot, stairs.top
    step = stairs.steps // 2
    share = (step - 0.5) / stairs.steps
    x, y, z = x0 + share * (x1 - x0), y0 + share * (y1 - y0), z0 + (step / stairs.steps) * (z1 - z0)
    room = stairs.rooms[0 if share < 0.5 else 1]
    return Viewpoint("", round(x, 4), round(y, 4), round(z + EYE_HEIGHT, 4), room, "stairs", stairs=stairs.index)


def _direction(stairs: Stairs) -> tuple[float, float]:
    east, north = stairs.top[0] - stairs.foot[0], stairs.top[1] - stairs.foot[1]
    return east / math.hypot(east, north), north / math.hypot(east, north)


def _leads_into(home: Home, place: Viewpoint, room: Room) -> bool:
    return place.room == room.index or (place.opening is not None and room.index in home.openings[place.opening].rooms)


def _choose_in_room(room: Room, gates: Floats, others: Floats, obstacles: Boxes) -> Floats:
    """Points that, together with a room's gates, cover the room well and connect all gates.

    `others` are all viewpoints of the storey so far, which may be visible through the room's openings.
    """
    from scipy.sparse.csgraph import connected_components  # only here: most of the package does without it

    around = obstacles.near(Rect(room.x0, room.y0, room.x1, room.y1).grown(0.5))
    free = _grid(room)
    points = np.concatenate([gates, free[around.distance(free) >= CLEARANCE + 0.01]])
    links = _walkable(points, points, _STRIDE, around)
    _, part = connected_components(links)
    if len(set(part[: len(gates)].tolist())) > 1:
        raise BlockedError(f"the ways into the {room.kind} (room {room.index}) are not joined inside it")
    of_use = np.flatnonzero(part == part[0])
    points, links = points[of_use], links[np.ix_(of_use, of_use)]
    chosen = _cover(points, links, _walkable(points, others, MAX_EDGE, obstacles).sum(axis=1), len(gates), around)
    chosen += _bridges(chosen, points, links, len(gates), around)
    return points[_thinned(chosen, points, len(gates), around)]


def _grid(room: Room) -> Floats:
    """Evenly spaced points, centred in a room."""
    sides = []
    for low, high in ((room.x0, room.x1), (room.y0, room.y1)):
        count = max(0, math.floor((high - low - 2 * CLEARANCE - 0.02) / _GRID))
        sides.append((low + high) / 2 + (np.arange(count + 1) - count / 2) * _GRID)
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2).round(4)


def _walkable(first: Floats, second: Floats, reach: float, obstacles: Boxes) -> Flags:
    """(n, m) whether a straight line from each of (n, 2) to each of (m, 2) points is free to walk and in sight."""
    lengths = _lengths(first, second)
    wanted: Flags = (lengths <= reach) & (lengths > 0)
    i, j = np.nonzero(np.triu(wanted) if first is second else wanted)
    clear = ~obstacles.cross(first[i], second[j], BODY_RADIUS)
    result = np.zeros_like(wanted)
    result[i[clear], j[clear]] = True
    return result | result.T if first is second else result


def _lengths(first: Floats, second: Floats) -> Floats:
    return np.hypot(*np.moveaxis(first[:, None] - second, -1, 0))


def _cover(points: Floats, links: Flags, neighbours: NDArray[np.int64], gates: int, obstacles: Boxes) -> list[int]:
    """Greedily choose points that cover most of what is uncovered and have most neighbours, not too near each other."""
    links = links & (_lengths(points, points) <= _REACH)
    covered: Flags = np.logical_or.reduce(links[:gates])
    gap = _lengths(points, points[:gates]).min(axis=1)
    chosen: list[int] = []
    while not chosen or covered[gates:].mean() < _ENOUGH:
        gain = (links & ~covered).mean(axis=1) + _SOCIABLE * np.minimum(neighbours, 6)
        gain[gap < (_LEAST_GAP if chosen else min(_LEAST_GAP, 0.9 * gap.max()))] = -1.0
        gain[:gates] = -1.0
        best = int(gain.argmax())
        if gain[best] < 0 or (chosen and (links[best] & ~covered).mean() < _LEAST_GAIN):
            break
        chosen.append(best)
        covered = covered | links[best]
        gap = np.minimum(gap, _lengths(points, points[[best]])[:, 0])
        neighbours = neighbours + _walkable(points, points[[best]], MAX_EDGE, obstacles)[:, 0]
    return chosen


def _bridges(chosen: list[int], points: Floats, links: Flags, gates: int, obstacles: Boxes) -> list[int]:
    """Additional points that connect viewpoints separated by furniture."""
    from scipy.sparse.csgraph import connected_components, dijkstra

    added: list[int] = []
    while True:
        nodes = np.array([*range(gates), *chosen, *added])
        sights = _walkable(points, points[nodes], MAX_EDGE, obstacles)
        count, part = connected_components(sights[nodes])
        if count == 1:
            return added
        joined = np.stack([sights[:, part == i].any(axis=1) for i in range(count)]).sum(axis=0)
        joined[nodes] = 0
        if joined.max() > 1:
            roomy = _lengths(points, points[nodes]).min(axis=1)
            added.append(int(np.where(joined == joined.max(), roomy, -1.0).argmax()))
        else:  # no point sees two parts: take one step along the shortest path to another part
            inside, outside = nodes[part == part[0]], nodes[part != part[0]]
            steps = np.where(links, _lengths(points, points), 0.0)
            ways, before, _ = dijkstra(steps, indices=inside, return_predecessors=True, min_only=True)
            added.append(int(before[outside[ways[outside].argmin()]]))


def _thinned(chosen: list[int], points: Floats, gates: int, obstacles: Boxes) -> list[int]:
    """Drop points that are close to another one and whose neighbours stay connected without them."""
    from scipy.sparse.csgraph import connected_components

    for node in [*chosen]:
        rest = [*range(gates), *(other for other in chosen if other != node)]
        if len(chosen) > 1 and _lengths(points[[node]], points[rest]).min() < _CROWDED:
            count, _ = connected_components(_walkable(points[rest], points[rest], MAX_EDGE, obstacles))
            if count == 1:
                chosen = rest[gates:]
    return chosen


def _edges(points: Floats, obstacles: Boxes) -> list[tuple[int, int]]:
    links = _walkable(points, points, MAX_EDGE, obstacles)
    return [(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(links)), strict=True)]
