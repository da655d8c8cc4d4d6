from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from generated import SEEDS, home

from mtvm.homes.home import EYE_HEIGHT, Home
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.plan.geometry import Boxes, Rect, flight_rect
from mtvm.homes.plan.viewpoints import connectivity_records, obstacles_of
from mtvm.world.graph import NavGraph


def nearest_thing(built: Home, storey: int, points: np.ndarray) -> np.ndarray:
    """Metres from points of the plan to the nearest thing that blocks, or to stairs."""
    shapes = [
        (thing.x, thing.y, thing.width / 2, thing.depth / 2, thing.heading)
        for thing in built.things
        if built.rooms[thing.room].storey == storey and KINDS[thing.kind].blocks
    ]
    shapes += [
        ((rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2, rect.width / 2, rect.depth / 2, 0.0)
        for rect in map(flight_rect, built.stairs)
    ]
    gap = np.full(len(points), np.inf)
    for x, y, half_width, half_depth, heading in shapes:
        turned = (points - (x, y)) @ np.array(
            [[math.cos(heading), math.sin(heading)], [-math.sin(heading), math.cos(heading)]]
        )
        outside = np.maximum(np.abs(turned) - (half_width, half_depth), 0)
        gap = np.minimum(gap, np.hypot(*outside.T))
    return gap


def is_open(built: Home, storey: int, points: np.ndarray, margin: float) -> np.ndarray:
    """Whether points of the plan lie in a room or an opening, at least `margin` from its walls."""
    ok = np.zeros(len(points), dtype=bool)
    for room in built.rooms:
        if room.storey == storey:
            ok |= (
                (points >= (room.x0 + margin, room.y0 + margin)) & (points <= (room.x1 - margin, room.y1 - margin))
            ).all(axis=1)
    for opening in built.openings:
        if built.rooms[opening.rooms[0]].storey == storey:
            half = opening.width / 2 - margin, built.wall_thickness / 2 + margin + 1e-6
            size = half if opening.along == "x" else half[::-1]
            ok |= (np.abs(points - (opening.x, opening.y)) <= size).all(axis=1)
    return ok


@pytest.mark.parametrize("seed", SEEDS)
def test_place_viewpoints_avoids_walls_and_things(seed):
    built = home(seed)
    for viewpoint in built.viewpoints:
        room = built.rooms[viewpoint.room]
        if viewpoint.place == "stairs" and viewpoint.z - EYE_HEIGHT not in built.storey_heights:
            continue
        point = np.array([[viewpoint.x, viewpoint.y]])
        assert viewpoint.z == pytest.approx(built.storey_heights[room.storey] + EYE_HEIGHT)
        assert is_open(built, room.storey, point, margin=0.349).all()
        assert nearest_thing(built, room.storey, point).min() >= (0.349 if viewpoint.place == "room" else 0.3)
        if viewpoint.place != "doorway":
            assert room.holds(viewpoint.x, viewpoint.y)


@pytest.mark.parametrize("seed", SEEDS)
def test_place_viewpoints_gives_walkable_and_visible_edges(seed):
    built = home(seed)
    for a, b in built.edges:
        assert a < b
        first, second = built.viewpoints[a], built.viewpoints[b]
        start, end = (np.array([v.x, v.y]) for v in (first, second))
        assert 0.3 < np.linalg.norm(end - start) <= 5
        if abs(first.z - second.z) > 0.1:
            assert first.place == second.place == "stairs"
            continue
        points = start + (end - start) * np.linspace(0, 1, math.ceil(np.linalg.norm(end - start) / 0.02))[:, None]
        storey = built.rooms[first.room].storey
        assert is_open(built, storey, points, margin=0.12).all(), (a, b)
        assert nearest_thing(built, storey, points).min() >= 0.12, (a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_place_viewpoints_covers_openings_stairs_and_rooms(seed):
    built = home(seed)
    doorways = [v.opening for v in built.viewpoints if v.place == "doorway"]
    assert sorted(doorways) == list(range(len(built.openings)))
    for viewpoint in built.viewpoints:
        if viewpoint.opening is not None:
            opening = built.openings[viewpoint.opening]
            assert (viewpoint.x, viewpoint.y) == (opening.x, opening.y)
            assert viewpoint.room in opening.rooms
    assert {v.room for v in built.viewpoints if v.place == "room"} == set(range(len(built.rooms)))
    for stairs in built.stairs:
        foot, top, middle = (v for v in built.viewpoints if v.stairs == stairs.index)
        assert (foot.room, top.room) == stairs.rooms
        assert foot.z < middle.z < top.z
        step = (middle.z - EYE_HEIGHT - stairs.foot[2]) / (stairs.top[2] - stairs.foot[2]) * stairs.steps
        assert step == pytest.approx(round(step), abs=1e-2)


@pytest.mark.parametrize("seed", SEEDS)
def test_connectivity_records_make_a_connected_graph(seed):
    built = home(seed)
    records = connectivity_records(built)
    graph = NavGraph.from_records(built.scan, records, Path("generated"))
    assert np.isfinite(graph.distances).all()
    assert graph.viewpoints.tolist() == [v.id for v in built.viewpoints]
    assert all(len(name) == 32 and set(name) <= set("0123456789abcdef") for name in graph.viewpoints.tolist())
    np.testing.assert_allclose(graph.positions, [(v.x, v.y, v.z) for v in built.viewpoints])
    np.testing.assert_allclose(
        graph.rotations @ graph.rotations.transpose(0, 2, 1), np.eye(3)[None].repeat(len(graph), 0), atol=1e-5
    )
    np.testing.assert_allclose(graph.rotations[:, :, 1], [[0, 0, -1]] * len(graph))
    assert np.linalg.det(graph.rotations) == pytest.approx(1, abs=1e-5)
    linked = {(i, j) for i, record in enumerate(records) for j, free in enumerate(record["unobstructed"]) if free}
    assert linked == set(built.edges) | {(b, a) for a, b in built.edges}
    storeys = np.array([built.rooms[v.room].storey for v in built.viewpoints])
    links = np.array([record["unobstructed"] for record in records])
    far = graph.visible & ~links
    assert (graph.visible == graph.visible.T).all()
    assert far.any()
    assert (storeys[np.nonzero(far)[0]] == storeys[np.nonzero(far)[1]]).all()
    for i, j in zip(*np.nonzero(far), strict=True):  # no wall between them
        way = np.linspace(graph.positions[i, :2], graph.positions[j, :2], 200)
        assert obstacles_of(built, int(storeys[i])).distance(way).min() > 0


def test_place_viewpoints_gives_graphs_like_those_of_r2r():
    degrees, lengths = [], []
    for seed in SEEDS:
        built = home(seed)
        degrees += np.bincount(np.array(built.edges).ravel(), minlength=len(built.viewpoints)).tolist()
        lengths += [
            math.dist(*((v.x, v.y, v.z) for v in (built.viewpoints[a], built.viewpoints[b]))) for a, b in built.edges
        ]
    assert np.mean(degrees) == pytest.approx(4.06, abs=0.5)  # of the 90 Matterport buildings
    assert np.mean(lengths) == pytest.approx(2.27, abs=0.2)


def test_boxes_test_segments_and_points():
    boxes = Boxes.of([Rect(0, 0, 1, 1)], [])
    turned = Boxes(np.array([[0.0, 0.0]]), np.array([[1.0, 0.1]]), np.array([math.sin(0.5)]), np.array([math.cos(0.5)]))
    points = np.array([[2.0, 0.5], [0.5, 0.5], [2.0, 2.0]])
    np.testing.assert_allclose(boxes.distance(points), [1, 0, math.sqrt(2)])
    starts = np.array([[-1.0, 0.5], [-1.0, 1.1], [-1.0, 1.1], [-1.0, -1.0]])
    ends = np.array([[2.0, 0.5], [2.0, 1.1], [2.0, 1.1], [-0.5, -0.5]])
    assert boxes.cross(starts, ends).tolist() == [True, False, False, False]
    assert boxes.cross(starts, ends, radius=0.2).tolist() == [True, True, True, False]
    # A heading of 0.5 turns clockwise: the long side points to the lower right.
    along = np.array([[math.cos(0.5), -math.sin(0.5)]])
    assert turned.distance(1.5 * along) == pytest.approx([0.5])
    assert turned.cross(np.array([[0.0, 0.5]]), np.array([[0.0, -0.5]])).tolist() == [True]
