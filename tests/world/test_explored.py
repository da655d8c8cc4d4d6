"""The map that agents draw while they walk: what they remember, and the ways that they know."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.world.explored import ExploredMap, place_feature
from mtvm.world.simulator import Simulator
from mtvm.world.world import World
from small_worlds import make_graph

# a - b - c - d in a row, with e beside b and f beside a; g joins d and a by a detour.
PLACES = {"a": (0, 0), "b": (2, 0), "c": (4, 0), "d": (6, 0), "e": (2, 2), "f": (0, 3), "g": (3, -4)}
EDGES = ["ab", "bc", "cd", "be", "af", "dg", "ga"]


@pytest.fixture
def world():
    return World([make_graph(PLACES, EDGES)])


def at(world, letters):
    return np.array([world.node("made", letter) for letter in letters])


def walk(world, start, targets):
    """The map of one agent that walked to `targets`, one action each, and all nodes on the way."""
    simulator = Simulator(world)
    simulator.reset(at(world, start))
    known, way = ExploredMap(simulator), []
    for target in targets:
        seen = known.observe()
        way += known.go(seen, seen.actions.leading_to(at(world, target)))[0].tolist()
    return known, "".join(str(world.viewpoints[node]) for node in way if node >= 0)


def remembered(known):
    seen = known.observe()
    return "".join(known.world.viewpoints[seen.candidates[seen.remembered]].tolist())


def test_the_first_observation_is_the_simulators(world):
    simulator = Simulator(world)
    simulator.reset(at(world, "ab"), [0.0, 2.0])
    seen, plain = ExploredMap(simulator).observe(), simulator.observe()
    for name in ("node", "view", "candidates", "mask", "count", "candidate_views", "headings", "elevations", "angles"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(plain, name), err_msg=name)
    assert not seen.remembered.any()
    assert not seen.visited.any()
    assert (np.where(seen.mask, seen.seen_from, seen.node[:, None]) == seen.node[:, None]).all()


def test_what_was_seen_and_not_visited_is_remembered_the_nearest_first(world):
    known, _ = walk(world, "a", "bc")
    assert remembered(known) == "efg", "from c: e over b, f over b and a, g over b and a; not the candidates b and d"
    seen = known.observe()
    far = seen.distances[0][seen.remembered[0]]
    np.testing.assert_allclose(far, [2 + 2, 4 + 3, 4 + 5])
    assert [str(world.viewpoints[n]) for n in seen.seen_from[0][seen.remembered[0]]] == ["b", "a", "a"]


def test_an_agent_walks_back_through_where_it_has_been(world):
    assert walk(world, "a", "bcf")[1] == "bcbaf"


def test_an_agent_takes_the_shortest_way_that_it_knows_and_no_other(world):
    """From d the way back to a's neighbour f leads over c, b, a; once g is visited, over g."""
    assert walk(world, "a", "bcdf")[1] == "bcdcbaf"
    assert walk(world, "a", "bcdge")[1] == "bcdg" + "abe", "over a: 5 + 2 + 2 m, against 5 + 2 + 2 + 2 m over d"


def test_a_node_that_comes_into_sight_again_is_a_candidate(world):
    known, _ = walk(world, "a", "bcb")
    assert "e" not in remembered(known)
    seen = known.observe()
    names = world.viewpoints[seen.candidates[0][seen.mask[0]]].tolist()
    assert dict(zip(names, seen.visited[0].tolist(), strict=False)) == {
        "a": True, "c": True, "e": False, "f": False, "g": False, "d": False
    }  # fmt: skip


def test_directions_of_remembered_nodes_lead_straight_to_them(world):
    known, _ = walk(world, "a", "bc")
    seen = known.observe()
    f = world.viewpoints[seen.candidates[0]].tolist().index("f")
    heading = np.arctan2(0 - 4, 3 - 0) - float(seen.heading[0])
    np.testing.assert_allclose(seen.angles[0, f], [np.sin(heading), np.cos(heading), 0, 1], atol=1e-6)
    np.testing.assert_allclose(np.sin(seen.headings[0, f]), np.sin(heading), atol=1e-6)


def test_stopping_ends_and_moves_nobody(world):
    simulator = Simulator(world)
    simulator.reset(at(world, "ab"))
    known = ExploredMap(simulator)
    seen = known.observe()
    walked = known.go(seen, np.array([seen.actions.stop[0], 0]))
    assert simulator.ended.tolist() == [True, False]
    assert simulator.node[0] == at(world, "a")[0]
    assert (walked[0] == -1).all()
    assert walked[1, 0] == simulator.node[1]
    before = simulator.node.copy()
    known.go(known.observe(), np.zeros(2, dtype=int))
    assert simulator.node[0] == before[0], "an agent that has stopped stays, whatever its action"


def test_an_action_that_is_not_there_is_refused(world):
    simulator = Simulator(world)
    simulator.reset(at(world, "a"))
    known = ExploredMap(simulator)
    with pytest.raises(ValueError, match="out of range"):
        known.go(known.observe(), np.array([9]))


def test_one_way_edges_are_not_walked_back():
    from pathlib import Path

    from mtvm.world.graph import NavGraph
    from small_worlds import both_ways, make_records

    edges = [*both_ways(["ax", "bc"]), ("a", "b")]
    records = make_records({"a": (0, 0), "b": (2, 0), "c": (4, 0), "x": (0, 2)}, edges)
    known, _ = walk(World([NavGraph.from_records("made", records, Path("made"))]), "a", "bc")
    assert remembered(known) == "", "x was seen from a, to which no way leads back"


def brute_force(world, visited, here, goal):
    """Metres from `here` to `goal` through visited nodes, by Dijkstra."""
    queue, done = [(0.0, here)], set()
    while queue:
        far, node = heapq.heappop(queue)
        if node == goal:
            return far
        if node in done or (node not in visited):
            continue
        done.add(node)
        for other in world.candidates[node]:
            if other >= 0:
                step = float(np.linalg.norm(world.positions[node] - world.positions[other]))
                heapq.heappush(queue, (far + step, int(other)))
    return np.inf


@settings(max_examples=30)
@given(st.data())
def test_batches_of_random_walks_agree_with_brute_force(tiny_world, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    batch = data.draw(st.integers(1, 5))
    simulator = Simulator(tiny_world)
    simulator.reset(rng.integers(0, len(tiny_world), batch))
    known = ExploredMap(simulator)
    been = [{int(node)} for node in simulator.node]
    sighted = [set(tiny_world.candidates[node].tolist()) for node in simulator.node]
    for step in range(8):
        seen = known.observe()
        for row in range(len(simulator)):
            nodes = seen.candidates[row][seen.mask[row]].tolist()
            around = [node for node in tiny_world.candidates[simulator.node[row]].tolist() if node >= 0]
            assert nodes[: len(around)] == around
            assert len(set(nodes)) == len(nodes)
            assert set(nodes) == set(around) | (sighted[row] - been[row] - {-1})
            wanted = [brute_force(tiny_world, been[row], int(simulator.node[row]), node) for node in nodes]
            np.testing.assert_allclose(seen.distances[row][seen.mask[row]], wanted, rtol=1e-5)
            assert seen.has_been_at(seen.node)[row]
        actions = rng.integers(0, seen.count)
        metres = seen.distances[np.arange(len(simulator)), actions]
        starts, walked = simulator.node.copy(), known.go(seen, actions)
        for row in range(len(simulator)):
            path = [int(starts[row]), *(int(node) for node in walked[row] if node >= 0)]
            assert set(path[:-1]) <= been[row]
            assert path[-1] == simulator.node[row]
            steps = np.linalg.norm(np.diff(tiny_world.positions[path], axis=0), axis=1)
            assert steps.sum() == pytest.approx(metres[row], rel=1e-5)
            been[row].add(path[-1])
            sighted[row] |= set(tiny_world.candidates[path[-1]].tolist())
        if step == 4 and batch > 1:
            kept = np.arange(batch)[1:]
            simulator.keep(kept)
            known.keep(kept)
            been, sighted = been[1:], sighted[1:]


def test_place_feature_tells_candidates_from_padding(world):
    known, _ = walk(world, "a", "bc")
    seen = known.observe()
    assert (seen.places[seen.mask][:, 3] == 1).all()
    assert (seen.places[~seen.mask] == 0).all()
    np.testing.assert_allclose(place_feature([True], [False], [25.0]), [[1, 0, 2.5, 1]])
