from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from generated import SEEDS, home

from mtvm.homes.home import Home, Opening, Room
from mtvm.homes.plan.catalogue import ROOM_KINDS
from mtvm.homes.plan.geometry import Rect, flight_rect
from thinning import thinned


def cell(home: Home, room: Room) -> Rect:
    return Rect(room.x0, room.y0, room.x1, room.y1).grown(home.wall_thickness / 2)


def zones(opening: Opening, depth: float) -> tuple[Rect, Rect]:
    """The floor on both sides of an opening, wall included."""
    half = opening.width / 2
    if opening.along == "x":
        low, high = opening.x - half, opening.x + half
        return Rect(low, opening.y - depth, high, opening.y), Rect(low, opening.y, high, opening.y + depth)
    low, high = opening.y - half, opening.y + half
    return Rect(opening.x - depth, low, opening.x, high), Rect(opening.x, low, opening.x + depth, high)


@pytest.mark.parametrize("seed", thinned(SEEDS, every=4))
def test_draw_plan_fills_storeys_without_overlap(seed):
    built = home(seed)
    assert 6 <= len(built.rooms) <= 14
    for storey in range(len(built.storey_heights)):
        cells = [cell(built, room) for room in built.rooms if room.storey == storey]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(cells, 2))
        # Whatever of the bounding rectangle is free can be reached from outside it: no gap is enclosed.
        outline = Rect(*np.array(cells).min(axis=0)[:2], *np.array(cells).max(axis=0)[2:])
        step = 0.05
        xs, ys = (
            np.arange(low - step / 2, high + step, step)
            for low, high in ((outline.x0, outline.x1), (outline.y0, outline.y1))
        )
        inside = np.zeros((len(xs), len(ys)), dtype=bool)
        for rect in cells:
            inside |= ((xs > rect.x0) & (xs < rect.x1))[:, None] & ((ys > rect.y0) & (ys < rect.y1))
        from scipy.ndimage import label

        parts, _ = label(np.pad(~inside, 1, constant_values=True))
        assert set(np.unique(parts)) <= {0, 1}
        assert inside.mean() > 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_gives_rooms_the_shape_of_their_kind(seed):
    for room in home(seed).rooms:
        kind = ROOM_KINDS[room.kind]
        assert min(room.width, room.depth) >= kind.least_side - 1e-6
        assert 0.9 * kind.area[0] <= room.width * room.depth <= 1.1 * kind.area[1]
        assert room.storey in kind.storeys
        assert room.floor in kind.floors
        assert room.walls in kind.walls


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_rests_the_upper_storey_on_the_lower(seed):
    built = home(seed)
    below = [cell(built, room) for room in built.rooms if room.storey == 0]
    for room in built.rooms:
        if room.storey == 1:
            rect = cell(built, room)
            shared = sum(
                max(0, min(rect.x1, b.x1) - max(rect.x0, b.x0)) * max(0, min(rect.y1, b.y1) - max(rect.y0, b.y0))
                for b in below
            )
            assert shared == pytest.approx(rect.area, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_puts_openings_in_shared_walls(seed):
    built = home(seed)
    for number, opening in enumerate(built.openings):
        assert opening.index == number
        first, second = (built.rooms[i] for i in opening.rooms)
        assert first.storey == second.storey
        assert opening.height < built.ceiling_height
        thickness = built.wall_thickness
        low, high = (opening.x, opening.y)["xy".index(opening.along)] + np.array([-0.5, 0.5]) * opening.width
        for room in (first, second):
            start, end = (room.x0, room.x1) if opening.along == "x" else (room.y0, room.y1)
            assert start <= low
            assert high <= end
            faces = (room.y0, room.y1) if opening.along == "x" else (room.x0, room.x1)
            at = opening.y if opening.along == "x" else opening.x
            assert min(abs(face - at) for face in faces) == pytest.approx(thickness / 2, abs=1e-4)
        for rect in map(flight_rect, built.stairs):
            assert not any(zone.overlaps(rect) for zone in zones(opening, 0.8))


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_reaches_every_room_but_not_through_private_ones(seed):
    built = home(seed)
    ways = [opening.rooms for opening in built.openings] + [stairs.rooms for stairs in built.stairs]
    reached = {0}
    for _ in built.rooms:
        reached |= {room for way in ways if reached & set(way) for room in way}
    assert reached == set(range(len(built.rooms)))
    for opening in built.openings:
        kinds = {built.rooms[i].kind for i in opening.rooms}
        if "bathroom" in kinds:
            assert kinds & {"hallway", "bedroom", "entryway"}
        assert kinds != {"bedroom"}


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_puts_windows_in_outer_walls(seed):
    built = home(seed)
    for window in built.windows:
        room = built.rooms[window.room]
        centre = np.array([window.x, window.y])
        outward = centre - np.clip(centre, (room.x0, room.y0), (room.x1, room.y1))
        assert np.abs(outward).max() == pytest.approx(built.wall_thickness / 2, abs=1e-4)
        half = np.array([window.width / 2, 0] if window.along == "x" else [0, window.width / 2])
        for end in (centre - half, centre, centre + half):
            x, y = end + 4 * outward
            assert not any(other.storey == room.storey and other.holds(x, y) for other in built.rooms)
            assert room.holds(*(end - 1.01 * outward), margin=-1e-3)
        assert window.sill + window.height < built.ceiling_height


@pytest.mark.parametrize("seed", SEEDS)
def test_draw_plan_fits_stairs(seed):
    built = home(seed)
    assert len(built.stairs) == len(built.storey_heights) - 1
    for stairs in built.stairs:
        rect = flight_rect(stairs)
        for number in stairs.rooms:
            room = built.rooms[number]
            assert room.kind == "hallway"
            assert Rect(room.x0, room.y0, room.x1, room.y1).contains(rect)
        going = math.dist(stairs.foot[:2], stairs.top[:2])
        direction = (np.array(stairs.top) - stairs.foot)[:2] / going
        rise = stairs.top[2] - stairs.foot[2]
        assert (stairs.foot[2], stairs.top[2]) == built.storey_heights
        assert 0.15 <= rise / stairs.steps <= 0.2
        assert going / stairs.steps == pytest.approx(0.25, abs=1e-3)
        before = np.array(stairs.foot[:2]) - 0.9 * direction
        behind = np.array(stairs.top[:2]) + 0.9 * direction
        assert built.rooms[stairs.rooms[0]].holds(*before)
        assert built.rooms[stairs.rooms[1]].holds(*behind)


def test_draw_plan_puts_garages_and_entryways_at_outer_walls():
    for seed in SEEDS:
        built = home(seed)
        kinds = [thing.kind for thing in built.things]
        assert kinds.count("front door") == 1
        assert kinds.count("garage door") == sum(room.kind == "garage" for room in built.rooms)
        for thing in built.things:
            if thing.kind in ("front door", "garage door"):
                outside = thing.x - 0.5 * math.sin(thing.heading), thing.y - 0.5 * math.cos(thing.heading)
                assert not any(room.storey == 0 and room.holds(*outside) for room in built.rooms)


def test_draw_plan_differs_between_seeds():
    plans = {tuple((room.kind, room.x0, room.y0, room.x1, room.y1) for room in home(seed).rooms) for seed in SEEDS}
    assert len(plans) == len(SEEDS)
    assert {len(home(seed).storey_heights) for seed in SEEDS} == {1, 2}
