"""The batched simulator: panoramic and low-level actions, batches against one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.world.simulator import STOP, Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING


@pytest.fixture
def simulator(tiny_world):
    simulator = Simulator(tiny_world)
    rng = np.random.default_rng(1)
    simulator.reset(rng.integers(len(tiny_world), size=40), rng.uniform(0, 7, 40), rng.uniform(-1, 1, 40))
    return simulator


def random_actions(simulator, rng, stop=0.0):
    degree = simulator.world.degree[simulator.node]
    return np.where(rng.random(len(simulator)) < stop, STOP, (rng.random(len(simulator)) * degree).astype(int))


def test_observation_agrees_with_the_graph(simulator):
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
    assert seen.teacher is None


def test_a_move_faces_the_view_that_showed_the_candidate(simulator):
    seen = simulator.observe()
    simulator.step(np.zeros(len(simulator), dtype=int))
    assert (simulator.node == seen.candidates[:, 0]).all()
    assert (simulator.view == seen.candidate_views[:, 0]).all()
    assert (simulator.steps == 1).all()


def test_observations_do_not_change_when_agents_move_on(simulator):
    seen = simulator.observe()
    before = seen.node.copy(), seen.candidates.copy()
    simulator.step(np.zeros(len(simulator), dtype=int))
    assert (seen.node == before[0]).all()
    assert (seen.candidates == before[1]).all()


def test_the_teacher_leads_to_the_goal_and_stops_there(simulator):
    world, rng = simulator.world, np.random.default_rng(0)
    scan = world.scan_of_node[simulator.node]
    size = np.diff(world.first_node)[scan]
    goals = world.first_node[scan] + (rng.random(len(simulator)) * size).astype(int)
    expected, walked = world.distance(simulator.node, goals), np.zeros(len(simulator))
    while not simulator.ended.all():
        before = simulator.node
        simulator.step(simulator.observe(goals).teacher)
        walked += world.distance(before, simulator.node)
    assert (simulator.node == goals).all()
    np.testing.assert_allclose(walked, expected)


def test_stopped_agents_stay(simulator):
    rng = np.random.default_rng(3)
    stopping = rng.random(len(simulator)) < 0.5
    simulator.step(np.where(stopping, STOP, 0))
    node, view = simulator.node.copy(), simulator.view.copy()
    for _ in range(5):
        simulator.step(random_actions(simulator, rng))
    assert (simulator.node[stopping] == node[stopping]).all()
    assert (simulator.view[stopping] == view[stopping]).all()
    assert (simulator.steps == np.where(stopping, 1, 6)).all()
    assert (simulator.ended == stopping).all()


@given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_a_batch_walks_as_its_agents_would_alone(tiny_world, seed, steps):
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


def test_ended_agents_leave_the_batch(simulator):
    stopping = np.arange(len(simulator)) % 3 == 0
    simulator.step(np.where(stopping, STOP, 0))
    node = simulator.node.copy()
    simulator.keep(~simulator.ended)
    assert (simulator.node == node[~stopping]).all()
    assert len(simulator.observe().node) == (~stopping).sum()


def test_place_starts_some_agents_anew(simulator):
    simulator.step(np.full(len(simulator), STOP))
    node = simulator.node.copy()
    simulator.place([2, 5], [7, 8], [math.pi, 0.0])
    assert simulator.node[[2, 5]].tolist() == [7, 8]
    assert simulator.view[[2, 5]].tolist() == [18, 12]
    assert simulator.ended.sum() == len(simulator) - 2
    others = np.delete(np.arange(len(simulator)), [2, 5])
    assert (simulator.node[others] == node[others]).all()


def test_turning_and_looking(simulator):
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


def test_forward_moves_to_what_lies_ahead_and_keeps_the_heading(simulator):
    node, view, ahead = simulator.node.copy(), simulator.view.copy(), simulator.navigable()[:, 0]
    moved = simulator.forward()
    assert (moved == (ahead >= 0)).all()
    assert 0 < moved.sum() < len(simulator)
    assert (simulator.view == view).all()
    expected = np.where(moved, simulator.world.candidates[node, ahead], node)
    assert (simulator.node == expected).all()


def test_impossible_actions_are_refused(simulator):
    actions = np.zeros(len(simulator), dtype=int)
    actions[3] = 99
    with pytest.raises(ValueError, match="action 99 of agent 3"):
        simulator.step(actions)
    with pytest.raises(ValueError, match="action -2 of agent 0"):
        simulator.step(np.full(len(simulator), -2))
    with pytest.raises(ValueError, match="40 actions are needed"):
        simulator.step([0])
    with pytest.raises(ValueError, match="agent 0 has no navigable location 50"):
        simulator.act(50)


def test_locations_are_what_result_files_hold(simulator):
    viewpoint, heading, elevation = simulator.locations()[4]
    assert viewpoint == simulator.world.viewpoints[simulator.node[4]]
    assert (heading, elevation) == (VIEW_HEADING[simulator.view[4]], VIEW_ELEVATION[simulator.view[4]])
    assert isinstance(viewpoint, str)
    assert isinstance(heading, float)


def test_no_agents_is_fine(tiny_world):
    simulator = Simulator(tiny_world)
    assert simulator.observe().candidates.shape == (0, 0)
    simulator.step([])
