"""The batched simulator: panoramic and low-level actions, walking to any node."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.world.actions import ActionSpace
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING
from mtvm.world.world import World
from small_worlds import make_graph


@pytest.fixture
def simulator(tiny_world):
    simulator = Simulator(tiny_world)
    rng = np.random.default_rng(1)
    simulator.reset(rng.integers(len(tiny_world), size=40), rng.uniform(0, 7, 40), rng.uniform(-1, 1, 40))
    return simulator


def stop_actions(simulator):
    return simulator.world.degree[simulator.node]


def random_actions(simulator, rng, stop=0.0):
    degree = stop_actions(simulator)
    return np.where(rng.random(len(simulator)) < stop, degree, (rng.random(len(simulator)) * degree).astype(int))


def random_goals(simulator, rng):
    """A node in each agent's building."""
    world = simulator.world
    scan = world.scan_of_node[simulator.node]
    return world.first_node[scan] + (rng.random(len(simulator)) * np.diff(world.first_node)[scan]).astype(int)


def test_observe_agrees_with_the_graph(simulator):
    seen, world = simulator.observe(), simulator.world
    assert seen.candidates.shape[1] == seen.count.max()
    for row, node in enumerate(simulator.node):
        count = world.degree[node]
        assert seen.count[row] == seen.mask[row].sum() == count
        assert (seen.candidates[row, :count] == world.candidates[node, :count]).all()
        assert (seen.candidates[row, count:] == -1).all()
        relative = world.candidate_headings[node, :count] - VIEW_HEADING[simulator.view[row]]
        elevation = world.candidate_elevations[node, :count]
        np.testing.assert_allclose(seen.headings[row, :count], relative, atol=1e-6)
        np.testing.assert_allclose(seen.elevations[row, :count], elevation, atol=1e-6)
        expected = np.stack([np.sin(relative), np.cos(relative), np.sin(elevation), np.cos(elevation)], axis=-1)
        np.testing.assert_allclose(seen.angles[row, :count], expected, atol=1e-6)
        assert not seen.angles[row, count:].any()
        assert not seen.headings[row, count:].any()
    np.testing.assert_allclose(seen.heading, VIEW_HEADING[simulator.view], rtol=1e-6)
    np.testing.assert_allclose(seen.elevation, VIEW_ELEVATION[simulator.view], rtol=1e-6)


def test_step_faces_the_view_that_showed_the_candidate(simulator):
    seen = simulator.observe()
    walked = simulator.step(np.zeros(len(simulator), dtype=int))
    assert (simulator.node == seen.candidates[:, 0]).all()
    assert (walked == simulator.node[:, None]).all()
    assert (simulator.view == seen.candidate_views[:, 0]).all()
    assert (simulator.steps == 1).all()


def test_observe_gives_what_later_steps_do_not_change(simulator):
    seen = simulator.observe()
    before = seen.node.copy(), seen.candidates.copy()
    simulator.step(np.zeros(len(simulator), dtype=int))
    assert (seen.node == before[0]).all()
    assert (seen.candidates == before[1]).all()


def test_step_leaves_stopped_agents_where_they_are(simulator):
    rng = np.random.default_rng(3)
    stopping = rng.random(len(simulator)) < 0.5
    walked = simulator.step(np.where(stopping, stop_actions(simulator), 0))
    assert ((walked[:, 0] == -1) == stopping).all()
    node, view = simulator.node.copy(), simulator.view.copy()
    for _ in range(5):
        walked = simulator.step(np.where(simulator.ended, 99, random_actions(simulator, rng)))
        assert ((walked[:, 0] == -1) == stopping).all()
    assert (simulator.node[stopping] == node[stopping]).all()
    assert (simulator.view[stopping] == view[stopping]).all()
    assert (simulator.steps == np.where(stopping, 1, 6)).all()
    assert (simulator.ended == stopping).all()


@given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 6))
@settings(max_examples=25)
def test_step_of_a_batch_equals_those_of_its_agents_alone(tiny_world, seed, steps):
    rng = np.random.default_rng(seed)
    batch = Simulator(tiny_world)
    nodes, headings = rng.integers(len(tiny_world), size=5), rng.uniform(-7, 7, 5)
    batch.reset(nodes, headings)
    actions = []
    for _ in range(steps):
        actions.append(random_actions(batch, rng, stop=0.1))
        batch.step(actions[-1])
    for row in range(5):
        alone = Simulator(tiny_world)
        alone.reset(nodes[[row]], headings[[row]])
        for step in actions:
            alone.step(step[[row]])
        assert (alone.node[0], alone.view[0], alone.ended[0], alone.steps[0]) == (
            batch.node[row],
            batch.view[row],
            batch.ended[row],
            batch.steps[row],
        )


def test_keep_drops_the_other_agents(simulator):
    stopping = np.arange(len(simulator)) % 3 == 0
    simulator.step(np.where(stopping, stop_actions(simulator), 0))
    node = simulator.node.copy()
    simulator.keep(~simulator.ended)
    assert (simulator.node == node[~stopping]).all()
    assert len(simulator.observe().node) == (~stopping).sum()


def test_place_restarts_only_the_agents_given(simulator):
    simulator.step(stop_actions(simulator))
    node = simulator.node.copy()
    simulator.place([2, 5], [7, 8], [math.pi, 0.0])
    assert simulator.node[[2, 5]].tolist() == [7, 8]
    assert simulator.view[[2, 5]].tolist() == [18, 12]
    assert simulator.ended.sum() == len(simulator) - 2
    others = np.delete(np.arange(len(simulator)), [2, 5])
    assert (simulator.node[others] == node[others]).all()


def test_turn_wraps_around_and_look_stops_at_the_last_row(simulator):
    simulator.view[:] = 12
    simulator.turn(-1)
    assert (simulator.view == 23).all()
    simulator.turn(0.01)
    assert (simulator.view == 12).all()
    simulator.look(1)
    simulator.look(1)
    assert (simulator.view == 24).all()
    simulator.look([-1] * len(simulator))
    simulator.look(-5.0)
    assert (simulator.view == 0).all()


def test_forward_moves_ahead_and_keeps_the_view(simulator):
    node, view, ahead = simulator.node.copy(), simulator.view.copy(), simulator.navigable()[:, 0]
    moved = simulator.forward()
    assert (moved == (ahead >= 0)).all()
    assert 0 < moved.sum() < len(simulator)
    assert (simulator.view == view).all()
    expected = np.where(moved, simulator.world.candidates[node, ahead], node)
    assert (simulator.node == expected).all()


@pytest.mark.parametrize("action", [99, -1])
def test_step_refuses_actions_out_of_range(simulator, action):
    actions = np.zeros(len(simulator), dtype=int)
    actions[3] = action
    with pytest.raises(ValueError, match=f"action {action} of agent 3 is out of range"):
        simulator.step(actions)


def test_step_refuses_a_wrong_number_of_actions(simulator):
    with pytest.raises(ValueError, match="expected 40 actions"):
        simulator.step([0])
    with pytest.raises(ValueError, match="expected 40 actions"):
        simulator.step([0], simulator.observe().actions)


def test_act_refuses_a_location_that_is_not_in_view(simulator):
    with pytest.raises(ValueError, match="agent 0 has no navigable location 50"):
        simulator.act(50)


def test_locations_are_plain_poses_as_in_result_files(simulator):
    viewpoint, heading, elevation = simulator.locations()[4]
    assert viewpoint == simulator.world.viewpoints[simulator.node[4]]
    assert (heading, elevation) == (VIEW_HEADING[simulator.view[4]], VIEW_ELEVATION[simulator.view[4]])
    assert isinstance(viewpoint, str)
    assert isinstance(heading, float)


def test_simulator_without_agents_observes_and_steps(tiny_world):
    simulator = Simulator(tiny_world)
    assert simulator.observe().candidates.shape == (0, 0)
    simulator.step([])
    assert simulator.go_to([]).shape == (0, 1)


# Any node of the building


def check_walk(simulator, before, view, goals, walked):
    """Each row of `walked` is the shortest path after its start, and the agent faces where it came from last."""
    world = simulator.world
    for row, (start, goal) in enumerate(zip(before.tolist(), goals.tolist(), strict=True)):
        path = world.shortest_path(start, goal)
        assert walked[row, : len(path) - 1].tolist() == path[1:]
        assert (walked[row, len(path) - 1 :] == -1).all()
        facing = view[row]
        if len(path) > 1:
            facing = world.candidate_views[path[-2], world.next_slot(path[-2], goal)]
        assert simulator.view[row] == facing
    assert (simulator.node == goals).all()


def test_go_to_walks_the_shortest_path_and_faces_its_last_move(simulator):
    before, view = simulator.node.copy(), simulator.view.copy()
    goals = random_goals(simulator, np.random.default_rng(0))
    goals[:3] = before[:3]
    walked = simulator.go_to(goals)
    assert walked.shape[1] > 3
    check_walk(simulator, before, view, goals, walked)
    assert (simulator.steps == 1).all()
    assert not simulator.ended.any()


def test_go_to_a_neighbour_equals_step(simulator, tiny_world):
    other = Simulator(tiny_world)
    other.reset(simulator.node)
    other.view = simulator.view.copy()
    seen = simulator.observe()
    actions = random_actions(simulator, np.random.default_rng(0))
    assert (simulator.step(actions) == other.go_to(seen.actions.target_of(actions))).all()
    assert (simulator.view == other.view).all()


def test_go_to_a_neighbour_is_direct_where_another_lies_on_the_way():
    """a, b and c on a line, all neighbours: after rounding, a - b - c is even shorter than a - c."""
    graph = make_graph({"a": (0, 0), "b": (0, 0.2), "c": (0, 0.9)}, ["ab", "bc", "ac"])
    simulator = Simulator(World([graph]))
    simulator.reset([0, 2])
    assert simulator.go_to([2, 0]).tolist() == [[2], [0]]


def test_go_to_leaves_stopped_agents_where_they_are(simulator):
    rng = np.random.default_rng(1)
    stopping = np.arange(len(simulator)) % 2 == 0
    simulator.step(np.where(stopping, stop_actions(simulator), 0))
    node, view = simulator.node.copy(), simulator.view.copy()
    goals = random_goals(simulator, rng)
    walked = simulator.go_to(np.where(stopping, -5, goals))
    assert (simulator.node == np.where(stopping, node, goals)).all()
    assert (simulator.view[stopping] == view[stopping]).all()
    assert (walked[stopping] == -1).all()
    assert (simulator.steps == np.where(stopping, 1, 2)).all()


def test_go_to_refuses_unreachable_nodes():
    graph = make_graph({"a": (0, 0), "b": (0, 2), "c": (0, 4)}, ["ab"])
    simulator = Simulator(World([graph]))
    simulator.reset([0, 1])
    with pytest.raises(ValueError, match="agent 1 cannot walk from node 1 to node 2"):
        simulator.go_to([1, 2])
    assert simulator.node.tolist() == [0, 1]


@pytest.mark.parametrize("node", ["elsewhere", -1, 10**6])
def test_go_to_refuses_other_buildings_and_no_nodes(simulator, node):
    world, goals = simulator.world, simulator.node.copy()
    goals[7] = (world.first_node[1:] % len(world))[world.scan_of_node[goals[7]]] if node == "elsewhere" else node
    with pytest.raises(ValueError, match=f"agent 7 cannot walk from node {simulator.node[7]} to node {goals[7]}"):
        simulator.go_to(goals)


def test_go_to_refuses_a_wrong_number_of_nodes(simulator):
    with pytest.raises(ValueError, match="expected 40 nodes"):
        simulator.go_to(simulator.node[:1])


def seen_but_unvisited(visited, seen):
    rows = [sorted(s - v) for s, v in zip(seen, visited, strict=True)]
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows])


def test_step_takes_a_space_of_nodes_seen_but_not_visited(simulator):
    rng = np.random.default_rng(2)
    visited = [{node} for node in simulator.node.tolist()]
    seen = [set() for _ in visited]
    farthest = 0
    for step in range(6):
        look = simulator.observe()
        for row, nodes in enumerate(look.candidates.tolist()):
            seen[row] |= set(nodes) - {-1}
        space = ActionSpace.of(simulator.node, seen_but_unvisited(visited, seen))
        actions = (rng.random(len(simulator)) * space.stop).astype(int)
        stopping = simulator.ended | (np.arange(len(simulator)) % 7 == step)
        actions = np.where(stopping, space.stop, actions)
        before, view = simulator.node.copy(), simulator.view.copy()
        walked = simulator.step(actions, space)
        check_walk(simulator, before, view, space.target_of(actions), walked)
        assert (simulator.ended == stopping).all()
        farthest = max(farthest, walked.shape[1])
        for row, node in enumerate(simulator.node.tolist()):
            visited[row].add(node)
    assert farthest > 2, "some nodes are farther than a candidate"
    first_stop = np.arange(len(simulator)) % 7
    assert (simulator.steps == np.minimum(first_stop + 1, 6)).all()


def test_step_refuses_actions_outside_the_space(simulator):
    space = ActionSpace.of(simulator.node, simulator.node[:, None])
    with pytest.raises(ValueError, match="action 2 of agent 0 is out of range: it has actions 0 to 1"):
        simulator.step(np.full(len(simulator), 2), space)
