from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from generated import SEEDS, home

from mtvm.homes.home import Home, Thing
from mtvm.homes.plan.catalogue import KINDS, ROOM_KINDS
from mtvm.homes.plan.geometry import Rect, flight_rect, footprint

COLOURS = {
    *("white", "black", "grey", "dark grey", "brown", "dark brown", "beige", "cream", "red", "dark red", "orange"),
    *(
        "yellow",
        "green",
        "dark green",
        "blue",
        "light blue",
        "dark blue",
        "purple",
        "pink",
        "gold",
        "silver",
        "turquoise",
    ),
}
MATERIALS = {
    *(
        "paint",
        "wood",
        "tile",
        "marble",
        "carpet",
        "fabric",
        "leather",
        "metal",
        "glass",
        "ceramic",
        "brick",
        "plastic",
    ),
    *("paper", "plant", "concrete", "mirror"),
}


def corners(thing: Thing) -> np.ndarray:
    right = np.array([math.cos(thing.heading), -math.sin(thing.heading)]) * thing.width / 2
    front = np.array([math.sin(thing.heading), math.cos(thing.heading)]) * thing.depth / 2
    middle = np.array([thing.x, thing.y])
    return np.array([middle - right - front, middle + right - front, middle + right + front, middle - right + front])


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """The widest gap between two convex outlines along an edge of one of them; negative if they overlap."""
    gaps = []
    for outline in (first, second):
        for edge in np.diff(outline[[0, 1, 2]], axis=0):
            axis = edge / np.linalg.norm(edge)
            a, b = first @ axis, second @ axis
            gaps.append(max(b.min() - a.max(), a.min() - b.max()))
    return max(gaps)


def outline(rect: Rect) -> np.ndarray:
    return np.array([(rect.x0, rect.y0), (rect.x1, rect.y0), (rect.x1, rect.y1), (rect.x0, rect.y1)])


def of_room(built: Home, room: int) -> list[Thing]:
    return [thing for thing in built.things if thing.room == room]


def test_catalogue_uses_known_colours_materials_and_hosts():
    assert len(ROOM_KINDS) >= 14
    assert len(KINDS) >= 57
    seen: set[str] = set()
    for kind in KINDS.values():
        assert set(kind.rooms) <= set(ROOM_KINDS)
        assert set(kind.hosts) <= seen | {kind.name}, "hosts are furnished first"
        seen.add(kind.name)
        for surface in (*kind.surfaces, *kind.accents):
            assert surface.colour in COLOURS
            assert surface.material in MATERIALS
    for room in ROOM_KINDS.values():
        for surface in (*room.floors, *room.walls):
            assert surface.colour in COLOURS
            assert surface.material in MATERIALS


@pytest.mark.parametrize("seed", SEEDS)
def test_furnish_keeps_things_in_their_room_and_size(seed):
    built = home(seed)
    for number, thing in enumerate(built.things):
        assert thing.index == number
        kind, room = KINDS[thing.kind], built.rooms[thing.room]
        assert room.kind in kind.rooms
        assert thing.surface in kind.surfaces
        assert thing.accent in kind.accents
        assert all(room.holds(x, y, margin=-1e-3) for x, y in corners(thing)), thing
        floor = built.storey_heights[room.storey]
        assert floor <= thing.z
        assert thing.z + thing.height <= floor + built.ceiling_height + 1e-3
        if kind.stands:
            assert thing.z == floor
        assert (
            kind.placement == "flat"
            or kind.height[0] - 1e-9 <= thing.height <= kind.height[1] + 1e-9
            or thing.kind == "curtain"
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_furnish_avoids_collisions(seed):
    built = home(seed)
    for room in built.rooms:
        solid = [thing for thing in of_room(built, room.index) if thing.kind != "rug"]
        for first, second in itertools.combinations(solid, 2):
            if first.z < second.z + second.height - 1e-6 and second.z < first.z + first.height - 1e-6:
                assert apart(corners(first), corners(second)) > -1e-3, (first, second)


@pytest.mark.parametrize("seed", SEEDS)
def test_furnish_keeps_doorways_stairs_and_entrances_free(seed):
    built = home(seed)
    for thing in built.things:
        if not KINDS[thing.kind].stands:
            continue
        room = built.rooms[thing.room]
        for opening in built.openings:
            if room.index in opening.rooms:
                half, deep = opening.width / 2, 0.8
                size = (half, deep) if opening.along == "x" else (deep, half)
                zone = Rect(opening.x - size[0], opening.y - size[1], opening.x + size[0], opening.y + size[1])
                assert apart(corners(thing), outline(zone)) > -1e-3, (thing, opening)
        for stairs in built.stairs:
            if room.index in stairs.rooms:
                assert apart(corners(thing), outline(flight_rect(stairs))) > -1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_furnish_keeps_all_entries_of_a_room_connected(seed):
    from scipy.ndimage import label

    built, step, half_width = home(seed), 0.05, 0.3
    for room in built.rooms:
        xs, ys = np.arange(room.x0, room.x1, step), np.arange(room.y0, room.y1, step)
        points = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1)
        free = np.ones(points.shape[:2], dtype=bool)
        blocking = [corners(t) for t in of_room(built, room.index) if KINDS[t.kind].blocks and KINDS[t.kind].stands]
        blocking += [outline(flight_rect(stairs)) for stairs in built.stairs if room.index in stairs.rooms]
        for shape in blocking:
            middle, (right, front) = shape.mean(axis=0), np.diff(shape[:3], axis=0)
            away = [
                np.maximum(np.abs((points - middle) @ (side / np.linalg.norm(side))) - np.linalg.norm(side) / 2, 0)
                for side in (right, front)
            ]
            free &= np.hypot(*away) > half_width
        free &= (points[..., 0] > room.x0 + half_width) & (points[..., 0] < room.x1 - half_width)
        free &= (points[..., 1] > room.y0 + half_width) & (points[..., 1] < room.y1 - half_width)
        parts, _ = label(free)
        gates = []
        for opening in built.openings:
            if room.index in opening.rooms:
                x, y = np.clip(
                    (opening.x, opening.y), (room.x0 + 0.45, room.y0 + 0.45), (room.x1 - 0.45, room.y1 - 0.45)
                )
                gates.append(parts[round((x - room.x0) / step), round((y - room.y0) / step)])
        assert len(set(gates)) == 1, (room, gates)
        assert gates[0] != 0


def test_furnish_gives_rooms_their_defining_things():
    needed = {"bedroom": "bed", "bathroom": "toilet", "living room": "sofa", "garage": "car", "nursery": "crib"}
    for seed in SEEDS:
        built = home(seed)
        for room in built.rooms:
            kinds = {thing.kind for thing in of_room(built, room.index)}
            assert "ceiling lamp" in kinds
            assert needed.get(room.kind, "ceiling lamp") in kinds, (seed, room)


def test_furnish_supports_things_that_stand_on_others():
    for seed in SEEDS:
        built = home(seed)
        for thing in built.things:
            if KINDS[thing.kind].placement == "on":
                assert any(
                    host.kind in KINDS[thing.kind].hosts
                    and host.z + host.height == pytest.approx(thing.z, abs=1e-3)
                    and footprint(host).contains(footprint(thing), slack=1e-3)
                    for host in of_room(built, thing.room)
                ), thing
