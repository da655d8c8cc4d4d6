"""Navigation graphs: made by hand, errors that name the place, and the cache."""

import itertools
import json
import math

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.views import VIEW_HEADING
from small_worlds import both_ways, make_graph, make_records, make_star


@pytest.fixture
def corridor():
    """a - b - x - c along +y, where x is excluded, and b - c; d lies east of b."""
    places = {"a": (0, 0, 0), "b": (0, 2, 0), "x": (0, 3, 0), "c": (0, 5, 1), "d": (2, 2, 0)}
    return make_records(places, both_ways(["ab", "bx", "xc", "bc", "bd"]), excluded="x")


def write(folder, records, scan="corridor"):
    path = folder / f"{scan}{SUFFIX}"
    path.write_text(records if isinstance(records, str) else json.dumps(records))
    return path


def test_graph_of_a_corridor_equals_tables_made_by_hand(tmp_path, corridor):
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


def test_navigable_locations_lie_within_40_degrees_of_the_view(tmp_path, corridor):
    graph = NavGraph.load(write(tmp_path, corridor))
    b, ahead, right = 1, 0, 1
    assert graph.navigable[b, 12].max() == ahead  # looking north: only c
    # At 60 degrees, d is 30 degrees off and c 60: only d.
    assert [slot for slot in graph.navigable[b, 14] if slot >= 0] == [right]


def test_distances_are_a_metric_and_the_lengths_of_shortest_paths(tiny_world):
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


def test_candidates_are_the_neighbours_once_each(tiny_world):
    for graph in tiny_world.graphs:
        for node in range(len(graph)):
            neighbours = graph.neighbours(node)
            assert len(set(neighbours.tolist())) == len(neighbours)
            assert all(node in graph.neighbours(other) for other in neighbours)
            assert set(graph.navigable[node].ravel().tolist()) - {-1} == set(range(len(neighbours)))


def test_shortest_path_refuses_parts_that_are_not_connected():
    graph = make_graph({"a": (0, 0), "b": (2, 1)}, [])
    assert graph.distances[0, 1] == math.inf
    assert graph.next_hop(0, 1) == -1
    assert graph.candidates.tolist() == [[-1], [-1]]
    with pytest.raises(InputError, match="no path from a to b"):
        graph.shortest_path(0, 1)


def test_slots_above_127_do_not_overflow():
    """The hub of a star has 200 neighbours; each leads to a viewpoint behind it."""
    arms = 200
    graph = make_star(arms)
    near, far = np.arange(1, arms + 1), np.arange(arms + 1, 2 * arms + 1)
    assert sorted(graph.neighbours(0)) == near.tolist()
    assert (graph.candidates[0, graph.next_slot[0, near]] == near).all()
    assert (graph.candidates[0, graph.next_slot[0, far]] == near).all()
    assert graph.next_slot[0].max() == arms - 1
    assert graph.shortest_path(arms, 2 * arms - 1) == [arms, 0, arms - 1, 2 * arms - 1]
    seen = set()
    for view in range(12, 24):
        slots = graph.navigable[0, view]
        slots = slots[slots >= 0]
        off = np.abs((graph.candidate_headings[0, slots] - VIEW_HEADING[view] + np.pi) % (2 * np.pi) - np.pi)
        assert (np.degrees(off) < 40.001).all()
        assert (np.diff(off) > -1e-6).all(), "nearest to the centre first"
        seen |= set(slots.tolist())
    assert seen == set(range(arms))


def test_cache_gives_the_same_graph_and_follows_the_content(tmp_path, corridor, monkeypatch):
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


def test_cache_is_written_again_if_damaged(tmp_path, corridor, monkeypatch):
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    path = write(tmp_path, corridor)
    NavGraph.load(path)
    (cached,) = (tmp_path / "cache").rglob("*.npz")
    whole = cached.read_bytes()
    cached.write_bytes(whole[: len(whole) // 2])
    assert len(NavGraph.load(path)) == 4
    assert cached.read_bytes() == whole


def test_cache_may_be_unwritable(tmp_path, corridor, monkeypatch):
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
        (
            lambda r: spoil(r, 3, unobstructed=["no"] * 5),
            "entry 3: field 'unobstructed' is not a list",
        ),
        (lambda r: spoil(r, 0, visible=[True] * 4), "entry 0: field 'visible' has 4 values"),
        (lambda r: spoil(r, 1, visible="all"), "entry 1: field 'visible' is not a list of true and false"),
        (lambda r: spoil(r, 0, included="yes"), "entry 0: field 'included' is missing or not a bool"),
        (lambda r: spoil(r, 1, image_id="a"), "field 'image_id': viewpoint a occurs twice"),
        (lambda r: spoil(r, 1, pose=["x"] * 16), "field 'pose' contains something other than numbers"),
        (lambda r: spoil(r, 1, pose=[math.nan] * 16), "field 'pose' contains a number that is not finite"),
        (lambda r: [dict(x, included=False) for x in r], "no viewpoint has 'included' true"),
        (lambda r: [{"image_id": "a"}], "entry 0: field 'pose' is missing"),
        (lambda r: ["a"], "entry 0 is not an object"),
        (lambda r: {}, "a non-empty list of viewpoints"),
        (lambda r: "[1,\n2", "not valid JSON at line 2, column 2"),
        (lambda r: make_records({"a": (0, 0, 0), "b": (0, 0, 3)}, ["ab", "ba"]), "exactly above"),
    ],
)
def test_load_refuses_bad_files_in_one_sentence(tmp_path, corridor, change, message):
    path = write(tmp_path, change(corridor))
    with pytest.raises(InputError, match=message) as caught:
        NavGraph.load(path)
    assert str(path) in str(caught.value)


def test_load_refuses_a_missing_file_and_a_wrong_name(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        NavGraph.load(tmp_path / f"nowhere{SUFFIX}")
    (tmp_path / "graph.json").write_text("[]")
    with pytest.raises(InputError, match=r"is named <scan>_connectivity\.json"):
        NavGraph.load(tmp_path / "graph.json")
