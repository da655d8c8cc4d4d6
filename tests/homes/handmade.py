"""A small home drawn by hand, its graph, and a crude idea of what is seen from where."""

from __future__ import annotations

import functools
import hashlib
import math
from itertools import combinations
from pathlib import Path

import numpy as np

from mtvm.homes.home import EYE_HEIGHT, Home, Opening, Room, Seen, Stairs, Surface, Thing, Viewpoint, Window
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.words.route import Scene
from mtvm.world.graph import NavGraph

PAINT = Surface("white", "paint")
UPPER = 2.8

ROOMS = [
    ("hallway", 0, 4.0, 0.0, 6.0, 12.0),
    ("living room", 0, -2.0, 0.0, 3.8, 5.8),
    ("kitchen", 0, -2.0, 6.0, 3.8, 12.0),
    ("bedroom", 0, 6.2, 0.0, 10.2, 4.0),
    ("bathroom", 0, 6.2, 4.2, 9.0, 7.0),
    ("office", 0, 6.2, 7.2, 10.2, 12.0),
    ("entryway", 0, 4.0, 12.2, 6.0, 17.0),
    ("hallway", 1, 4.0, 16.6, 6.0, 21.0),
    ("bedroom", 1, -1.0, 16.6, 3.8, 21.0),
    ("bathroom", 1, 6.2, 16.6, 9.0, 21.0),
    ("playroom", 1, 4.0, 21.2, 9.0, 26.0),
]
OPENINGS = [
    ("passage", (0, 1), 3.9, 2.5, "y", 1.8),
    ("passage", (1, 2), 1.0, 5.9, "x", 2.0),
    ("door", (0, 2), 3.9, 9.0, "y", 0.9),
    ("door", (0, 3), 6.1, 1.5, "y", 0.9),
    ("door", (0, 4), 6.1, 5.5, "y", 0.9),
    ("door", (0, 5), 6.1, 9.5, "y", 0.9),
    ("door", (0, 6), 5.0, 12.1, "x", 0.9),
    ("door", (7, 8), 3.9, 18.5, "y", 0.9),
    ("door", (7, 9), 6.1, 19.5, "y", 0.9),
    ("door", (7, 10), 5.0, 21.1, "x", 0.9),
]
THINGS = [
    ("sofa", 1, -1.4, 2.0, 1.57, "red", "fabric"),
    ("coffee table", 1, 0.0, 2.0, 1.57, "brown", "wood"),
    ("tv stand", 1, 2.5, 0.3, 0.0, "black", "paint"),
    ("armchair", 1, -1.3, 5.0, 2.3, "blue", "fabric"),
    ("armchair", 1, 3.2, 5.0, 4.0, "grey", "fabric"),
    ("piano", 1, -1.6, 0.5, 1.57, "black", "wood"),
    ("fridge", 2, -1.6, 11.6, 3.14, "silver", "metal"),
    ("stove", 2, -0.5, 11.6, 3.14, "white", "metal"),
    ("dining table", 2, 1.0, 8.2, 0.0, "brown", "wood"),
    ("chair", 2, 1.0, 7.4, 0.0, "white", "plastic"),
    ("chair", 2, 1.0, 9.0, 3.14, "white", "plastic"),
    ("bed", 3, 9.2, 1.2, 4.7, "green", "fabric"),
    ("wardrobe", 3, 9.8, 3.5, 4.7, "brown", "wood"),
    ("bathtub", 4, 8.5, 5.6, 4.7, "white", "ceramic"),
    ("toilet", 4, 7.0, 6.7, 3.14, "white", "ceramic"),
    ("desk", 5, 9.8, 9.5, 4.7, "brown", "wood"),
    ("bookshelf", 5, 8.0, 11.8, 3.14, "white", "paint"),
    ("bookshelf", 5, 8.0, 7.4, 0.0, "dark brown", "wood"),
    ("painting", 0, 4.05, 5.0, 1.57, "blue", "paper"),
    ("painting", 0, 4.05, 7.0, 1.57, "red", "paper"),
    ("sideboard", 0, 5.7, 3.4, 4.7, "brown", "wood"),
    ("bench", 6, 4.2, 13.4, 1.57, "black", "leather"),
    ("coat rack", 6, 5.7, 12.5, 4.0, "brown", "wood"),
    ("bed", 8, 0.0, 20.0, 1.57, "purple", "fabric"),
    ("dresser", 8, 1.5, 16.9, 0.0, "white", "paint"),
    ("shower", 9, 8.4, 20.4, 4.0, "light blue", "glass"),
    ("washbasin", 9, 7.5, 16.9, 0.0, "white", "ceramic"),
    ("pool table", 10, 6.5, 23.5, 0.0, "green", "fabric"),
    ("toy chest", 10, 4.4, 25.4, 1.57, "yellow", "paint"),
    ("potted plant", 10, 8.6, 25.5, 4.0, "green", "plant"),
    ("aquarium", 7, 4.3, 20.5, 1.57, "turquoise", "glass"),
]


def handmade_home(scan: str = "handmade") -> Home:
    rooms = tuple(
        Room(i, kind, storey, *corners, floor=Surface("brown", "wood"), walls=PAINT, ceiling=PAINT)
        for i, (kind, storey, *corners) in enumerate(ROOMS)
    )
    openings = tuple(
        Opening(i, kind, between, x, y, along, width, 2.1, PAINT)
        for i, (kind, between, x, y, along, width) in enumerate(OPENINGS)
    )
    stairs = (Stairs(0, (6, 7), (5.0, 14.2, 0.0), (5.0, 16.6, UPPER), 1.0, 16, Surface("brown", "wood")),)
    things = []
    for i, (kind, room, x, y, heading, colour, material) in enumerate(THINGS):
        width, depth, height = (sum(size) / 2 for size in (KINDS[kind].width, KINDS[kind].depth, KINDS[kind].height))
        z = rooms[room].storey * UPPER + sum(KINDS[kind].elevation) / 2
        surface = Surface(colour, material)
        things.append(Thing(i, kind, room, x, y, z, heading, width, depth, height, surface, surface))
    spots = _viewpoints(scan, rooms, openings, stairs[0])
    return Home(
        scan=scan,
        seed=0,
        storey_heights=(0.0, UPPER),
        ceiling_height=2.5,
        wall_thickness=0.2,
        rooms=rooms,
        openings=openings,
        windows=(Window(0, 3, 8.0, -0.1, "x", 1.2, 0.9, 1.2),),
        stairs=stairs,
        things=tuple(things),
        viewpoints=tuple(spots),
        edges=tuple(_edges(openings, spots)),
    )


def _viewpoints(scan, rooms, openings, stairs) -> list[Viewpoint]:
    rng = np.random.default_rng(1)
    spots = []

    def add(x, y, z, room, place, **more):
        name = hashlib.blake2b(f"{scan}/{len(spots)}".encode(), digest_size=16).hexdigest()
        spots.append(Viewpoint(name, round(x, 3), round(y, 3), z + EYE_HEIGHT, room, place, **more))

    for room in rooms:
        columns, rows = max(1, round(room.width / 2.2)), max(1, round(room.depth / 2.2))
        for i in range(columns):
            for j in range(rows):
                dx, dy = rng.uniform(-0.2, 0.2, 2)
                x, y = room.x0 + (i + 0.5) * room.width / columns + dx, room.y0 + (j + 0.5) * room.depth / rows + dy
                if room.index != stairs.rooms[0] or y < stairs.foot[1] - 0.2:
                    add(x, y, room.storey * UPPER, room.index, "room")
    for opening in openings:
        if opening.kind == "door":
            room = opening.rooms[0]
            add(opening.x, opening.y, rooms[room].storey * UPPER, room, "doorway", opening=opening.index)
    add(5.0, 15.4, UPPER / 2, 6, "stairs", stairs=0)
    return spots


def _edges(openings, spots):
    for (i, a), (j, b) in combinations(enumerate(spots), 2):
        length = math.dist((a.x, a.y, a.z), (b.x, b.y, b.z))
        if "stairs" in (a.place, b.place):
            other = b if a.place == "stairs" else a
            if other.room in (6, 7) and other.place == "room" and length < 3.5:
                yield i, j
            continue
        common = set(_rooms(openings, a)) & set(_rooms(openings, b))
        through = any(_sees_through(o, a, b.x, b.y) for o in openings if o.kind == "passage" and _between(o, a, b))
        if length <= 3.2 and abs(a.z - b.z) < 0.1 and (common or through):
            yield i, j


def _rooms(openings, spot):
    return openings[spot.opening].rooms if spot.opening is not None else (spot.room,)


def _between(opening, a, b):
    return {a.room, b.room} == set(opening.rooms) and a.place == b.place == "room"


def _sees_through(opening, spot, x, y) -> bool:
    """Whether the line to a point goes through an opening."""
    across, beside = ("y", "x") if opening.along == "x" else ("x", "y")
    here, there = {"x": spot.x, "y": spot.y}, {"x": x, "y": y}
    wall, centre = {"x": opening.x, "y": opening.y}[across], {"x": opening.x, "y": opening.y}[beside]
    if (here[across] - wall) * (there[across] - wall) >= 0:
        return False
    share = (wall - here[across]) / (there[across] - here[across])
    return abs(here[beside] + share * (there[beside] - here[beside]) - centre) < opening.width / 2


def look_around(home: Home) -> list[list[Seen]]:
    """What is seen from each viewpoint if things hide nothing: all of the room, and what shows through openings."""
    return [_seen_from(home, spot) for spot in home.viewpoints]


def _seen_from(home: Home, spot: Viewpoint) -> list[Seen]:
    rooms = set(_rooms(home.openings, spot)) if spot.place != "stairs" else set(home.stairs[spot.stairs].rooms)
    seen = []
    for thing in home.things:
        open_to = [o for o in home.openings if thing.room in o.rooms and rooms & set(o.rooms)]
        if thing.room in rooms or any(_sees_through(o, spot, thing.x, thing.y) for o in open_to):
            size = math.sqrt(thing.width * thing.depth) * thing.height
            seen.append(_as_seen("thing", thing.index, spot, thing.x, thing.y, thing.z + thing.height / 2, size))
    seen += [
        _as_seen("opening", o.index, spot, o.x, o.y, spot.z - 0.4, o.width * 2)
        for o in home.openings
        if rooms & set(o.rooms) and o.index != spot.opening
    ]
    seen += [_as_seen("window", w.index, spot, w.x, w.y, spot.z, 1.4) for w in home.windows if w.room in rooms]
    for stairs in home.stairs:
        if rooms & set(stairs.rooms) and spot.place != "stairs":
            x, y, z = ((a + b) / 2 for a, b in zip(stairs.foot, stairs.top, strict=True))
            seen.append(_as_seen("stairs", stairs.index, spot, x, y, z, 2.5))
    return seen


def _as_seen(what, index, spot, x, y, z, size) -> Seen:
    level = max(math.hypot(x - spot.x, y - spot.y), 0.3)
    heading = math.atan2(x - spot.x, y - spot.y) % (2 * math.pi)
    distance = math.hypot(level, z - spot.z)
    return Seen(what, index, heading, math.atan2(z - spot.z, level), distance, size / distance**2, 0.9)


def connectivity(home: Home) -> list[dict]:
    """The home's graph as the records of a connectivity file."""
    linked = np.zeros((len(home.viewpoints),) * 2, dtype=bool)
    for a, b in home.edges:
        linked[a, b] = linked[b, a] = True
    return [
        {
            "image_id": spot.id,
            "pose": [1.0, 0, 0, spot.x, 0, 0, 1.0, spot.y, 0, -1.0, 0, spot.z, 0, 0, 0, 1.0],
            "included": True,
            "visible": linked[i].tolist(),
            "unobstructed": linked[i].tolist(),
            "height": EYE_HEIGHT,
        }
        for i, spot in enumerate(home.viewpoints)
    ]


def graph_of(home: Home) -> NavGraph:
    return NavGraph.from_records(home.scan, connectivity(home), Path(f"{home.scan}_connectivity.json"))


@functools.cache
def handmade_scene() -> Scene:
    home = handmade_home()
    return Scene(home, graph_of(home), look_around(home))


def standing(scene: Scene, room: int, x: float, y: float) -> int:
    """The node of a room that is nearest to a point."""
    return min(scene.room_nodes[room], key=lambda node: math.dist(scene.xy[node], (x, y)))
