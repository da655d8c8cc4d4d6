"""Graphs: hand-made corridors, errors that name the place, and the cache."""

import itertools
import json
import math

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.world import World


def record(name, position, neighbours, included=True):
    pose = np.eye(4)
    pose[:3, 3] = position
    return {"image_id": name, "pose": pose.ravel().tolist(), "included": included, "unobstructed": neighbours}


@pytest.fixture
def corridor():
    """a - b - x - c along +y, 2 m apart, where x is not included; a and d: d lies east of b."""
    names = "abxcd"
    edges = {("a", "b"), ("b", "x"), ("x", "c"), ("b", "c"), ("b", "d")}
    places = {"a": (0, 0, 0), "b": (0, 2, 0), "x": (0, 3, 0), "c": (0, 5, 1), "d": (2, 2, 0)}
    return [record(n, places[n], [(n, m) in edges or (m, n) in edges for m in names], included=n != "x") for n in names]


def write(folder, records, scan="corridor"):
    path = folder / f"{scan}{SUFFIX}"
    path.write_text(records if isinstance(records, str) else json.dumps(records))
    return path


def test_a_corridor_by_hand(tmp_path, corridor):
    graph = NavGraph.load(write(tmp_path, corridor))
    assert graph.viewpoints.tolist() == ["a", "b", "c", "d"]
    assert graph.file_index.tolist() == [0, 1, 3, 4]
    a, b, c, d = range(4)
    # From b: a lies behind (180 degrees), c ahead and up, d to the right (90). The sweep begins looking north.
    assert graph.neighbours(b).tolist() == [c, d, a]
    climb = math.atan2(1, 3)
    np.testing.assert_allclose(graph.candidate_headings[b], [0, math.pi / 2, math.pi], atol=1e-6)
    np.testing.assert_allclose(graph.candidate_elevations[b], [climb, 0, 0], atol=1e-6)
    # c is 18 degrees up: nearer to the view at 30 degrees (index 24) than to the level one (12).
    assert graph.candidate_views[b].tolist() == [24, 15, 18]
    assert graph.distances[a, c] == pytest.approx(2 + math.hypot(3, 1))
    assert graph.shortest_path(a, c) == [a, b, c]
    assert graph.next_hop(a, c) == b
    assert graph.next_hop(c, c) == c
    assert graph.next_slot[c, c] == -1


def test_navigable_locations_are_those_within_40_degrees_nearest_first(tmp_path, corridor):
    graph = NavGraph.load(write(tmp_path, corridor))
    b, ahead, right = 1, 0, 1
    assert graph.navigable[b, 12].max() == ahead  # looking north: only c
    # At 60 degrees, d is 30 degrees off and c 60: only d.
    assert [slot for slot in graph.navigable[b, 14] if slot >= 0] == [right]


def test_distances_are_a_metric_and_hops_lead_to_the_goal(tiny_world):
    for graph in tiny_world.graphs:
        distances = graph.distances
        np.testing.assert_allclose(distances, distances.T)
        assert (np.diag(distances) == 0).all()
        assert (distances[:, None] <= distances[:, :, None] + distances[None] + 1e-9).all()
        for goal in range(0, len(graph), 7):
            for start in range(0, len(graph), 5):
                path = graph.shortest_path(start, goal)
                length = sum(
                    np.linalg.norm(graph.positions[i] - graph.positions[j]) for i, j in itertools.pairwise(path)
                )
                assert length == pytest.approx(distances[start, goal])


def test_every_neighbour_is_a_candidate_once(tiny_world):
    for graph in tiny_world.graphs:
        for node in range(len(graph)):
            neighbours = graph.neighbours(node)
            assert len(set(neighbours.tolist())) == len(neighbours)
            assert all(node in graph.neighbours(other) for other in neighbours)
            assert set(graph.navigable[node].ravel().tolist()) - {-1} == set(range(len(neighbours)))


def test_no_way_between_two_parts(tmp_path):
    records = [record(n, (i * 2, i, 0), [False] * 2) for i, n in enumerate("ab")]
    graph = NavGraph.load(write(tmp_path, records))
    assert graph.distances[0, 1] == math.inf
    assert graph.next_hop(0, 1) == -1
    assert graph.candidates.tolist() == [[-1], [-1]]
    with pytest.raises(InputError, match="no way from a to b"):
        graph.shortest_path(0, 1)


def test_the_cache_gives_the_same_graph_and_follows_the_content(tmp_path, corridor, monkeypatch):
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    path = write(tmp_path, corridor)
    fresh, cached = NavGraph.load(path), NavGraph.load(path)
    assert len(list((tmp_path / "cache").rglob("*.npz"))) == 1
    for name in vars(fresh):
        np.testing.assert_array_equal(getattr(fresh, name), getattr(cached, name))
        if name != "scan":
            assert getattr(fresh, name).dtype == getattr(cached, name).dtype
    corridor[0]["pose"][3] = 0.5
    assert NavGraph.load(write(tmp_path, corridor)).positions[0, 0] == 0.5


def test_a_damaged_cache_is_made_anew(tmp_path, corridor, monkeypatch):
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    path = write(tmp_path, corridor)
    NavGraph.load(path)
    (cached,) = (tmp_path / "cache").rglob("*.npz")
    whole = cached.read_bytes()
    cached.write_bytes(whole[: len(whole) // 2])
    assert len(NavGraph.load(path)) == 4
    assert cached.read_bytes() == whole


def test_an_unwritable_cache_costs_only_time(tmp_path, corridor, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "file"))
    assert len(NavGraph.load(write(tmp_path, corridor))) == 4


def spoil(records, place, **changes):
    records = [dict(r) for r in records]
    records[place] |= changes
    return records


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: spoil(r, 1, pose=[1.0]), "entry 1: field 'pose' has 1 numbers, not 16"),
        (lambda r: spoil(r, 2, unobstructed=[True]), "entry 2: field 'unobstructed' has 1 values"),
        (lambda r: spoil(r, 3, unobstructed=["no"] * 5), "entry 3: field 'unobstructed' holds something"),
        (lambda r: spoil(r, 0, visible=[True] * 4), "entry 0: field 'visible' has 4 values"),
        (lambda r: spoil(r, 1, visible="all"), "entry 1: field 'visible' holds something"),
        (lambda r: spoil(r, 0, included="yes"), "entry 0: field 'included' is missing or not a bool"),
        (lambda r: spoil(r, 1, image_id="a"), "field 'image_id': viewpoint a is there twice"),
        (lambda r: spoil(r, 1, pose=["x"] * 16), "field 'pose' holds something that is not a number"),
        (lambda r: spoil(r, 1, pose=[math.nan] * 16), "field 'pose' holds a number that is not finite"),
        (lambda r: [dict(x, included=False) for x in r], "no viewpoint has 'included' true"),
        (lambda r: [{"image_id": "a"}], "entry 0: field 'pose' is missing"),
        (lambda r: ["a"], "entry 0 is not an object"),
        (lambda r: {}, "a non-empty list of viewpoints"),
        (lambda r: "[1,\n2", "not valid JSON at line 2, column 2"),
        (lambda r: [record("a", (0, 0, 0), [False, True]), record("b", (0, 0, 3), [True, False])], "exactly above"),
    ],
)
def test_bad_files_are_named_in_one_sentence(tmp_path, corridor, change, message):
    path = write(tmp_path, change(corridor))
    with pytest.raises(InputError, match=message) as caught:
        NavGraph.load(path)
    assert str(path) in str(caught.value)


def test_missing_file_and_wrong_name(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        NavGraph.load(tmp_path / f"nowhere{SUFFIX}")
    (tmp_path / "graph.json").write_text("[]")
    with pytest.raises(InputError, match=r"is named <scan>_connectivity\.json"):
        NavGraph.load(tmp_path / "graph.json")


def test_a_world_joins_graphs(tiny_folder, tiny_world):
    assert len(tiny_world) == sum(map(len, tiny_world.graphs))
    for scan in tiny_world.scans:
        graph = tiny_world.graph(scan)
        first = tiny_world.first_node[tiny_world.scan_number[scan]]
        nodes = first + np.arange(len(graph))
        assert (tiny_world.viewpoints[nodes] == graph.viewpoints).all()
        np.testing.assert_array_equal(tiny_world.distance(nodes[:, None], nodes[None, :]), graph.distances)
        np.testing.assert_array_equal(tiny_world.teacher(nodes[:, None], nodes[None, :]), graph.next_slot)
        for node in nodes[::9]:
            neighbours = graph.neighbours(node - first) + first
            assert tiny_world.candidates[node, : tiny_world.degree[node]].tolist() == neighbours.tolist()
            assert tiny_world.has_edge(np.full(len(nodes), node), nodes).sum() == len(neighbours)
            assert tiny_world.scan(node) == scan
            assert tiny_world.node(scan, str(tiny_world.viewpoints[node])) == node
        assert tiny_world.shortest_path(nodes[0], nodes[-1])[-1] == nodes[-1]


def test_a_world_says_what_it_does_not_hold(tiny_folder, tiny_world, tmp_path):
    with pytest.raises(InputError, match="scan castle is not among the 5 scans"):
        tiny_world.node("castle", "a")
    with pytest.raises(InputError, match="scan tiny0 has no included viewpoint attic"):
        tiny_world.node("tiny0", "attic")
    with pytest.raises(InputError, match=r"no file named <scan>_connectivity\.json"):
        World.load(tmp_path)
    with pytest.raises(InputError, match="the same scan was given twice"):
        World([tiny_world.graphs[0]] * 2)
    assert World.load(tiny_folder / "connectivity", ["tiny1", "tiny1"]).scans == ["tiny1"]
