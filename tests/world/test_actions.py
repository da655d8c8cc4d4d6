"""Action spaces: columns of nodes, then STOP."""

import numpy as np
import pytest

from mtvm.world.actions import ActionSpace
from mtvm.world.simulator import Simulator


@pytest.fixture
def space():
    """Three agents at nodes 5, 6 and 7 with three, no and one node to walk to."""
    return ActionSpace.of(np.array([5, 6, 7]), np.array([[1, 2, 3, -1], [-1, -1, -1, -1], [9, -1, -1, -1]]))


def test_action_space_has_stop_right_after_the_last_node(space):
    assert len(space) == 3
    assert space.stop.tolist() == [3, 0, 1]
    assert space.targets.tolist() == [[1, 2, 3, 5], [6, -1, -1, -1], [9, 7, -1, -1]]
    assert space.mask.sum(axis=1).tolist() == [4, 1, 2]


def test_action_space_is_that_of_the_observed_candidates(tiny_world):
    simulator = Simulator(tiny_world)
    simulator.reset(np.arange(len(tiny_world)))
    seen = simulator.observe()
    space = seen.actions
    assert (space.stop == seen.count).all()
    assert (space.targets[:, :-1][seen.mask] == seen.candidates[seen.mask]).all()
    assert (space.targets[np.arange(len(space)), space.stop] == seen.node).all()


def test_action_space_without_agents_has_only_a_column_for_stop():
    space = ActionSpace.of(np.zeros(0, dtype=int), np.zeros((0, 4), dtype=int))
    assert space.targets.shape == (0, 1)
    assert space.target_of([]).shape == (0,)


def test_is_stop_tells_stop_from_walking(space):
    assert space.is_stop([3, 0, 0]).tolist() == [True, True, False]
    assert space.is_stop([0, 0, 1]).tolist() == [False, True, True]


def test_target_of_gives_the_node_and_for_stop_where_the_agent_is(space):
    assert space.target_of([1, 0, 0]).tolist() == [2, 6, 9]
    assert space.target_of(space.stop).tolist() == [5, 6, 7]


def test_leading_to_is_the_inverse_of_target_of(space):
    for actions in ([0, 0, 0], [2, 0, 1], [3, 0, 0]):
        assert space.leading_to(space.target_of(actions)).tolist() == actions


def test_leading_to_prefers_stop_if_a_candidate_is_where_the_agent_is():
    space = ActionSpace.of(np.array([5]), np.array([[5, 2]]))
    assert space.leading_to([5]).tolist() == [2]


@pytest.mark.parametrize("node", [4, -1])
def test_leading_to_refuses_a_node_that_no_action_leads_to(space, node):
    with pytest.raises(ValueError, match=f"agent 2 has no action that leads to node {node}"):
        space.leading_to([1, 6, node])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([4, 0, 0], "action 4 of agent 0 is out of range: it has actions 0 to 3"),
        ([0, 1, 0], "action 1 of agent 1 is out of range: it has actions 0 to 0"),
        ([0, 0, -1], "action -1 of agent 2"),
        ([0, 0], r"expected 3 actions, one for each agent; got shape \(2,\)"),
        ([[0, 0, 0]], r"expected 3 actions, one for each agent; got shape \(1, 3\)"),
    ],
)
def test_checked_refuses_actions_that_an_agent_does_not_have(space, actions, message):
    with pytest.raises(ValueError, match=message):
        space.checked(actions)
    with pytest.raises(ValueError, match=message):
        space.target_of(actions)
