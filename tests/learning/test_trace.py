"""What a rollout collects: needs, columns spread over the batch, and paths of several nodes a step."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made_traces import step_of, trace_of

from mtvm.acting.walk import Path
from mtvm.learning.trace import Needs
from mtvm.world.simulator import Simulator

NAMES = ("teacher", "rewards", "context", "layers", "ended")


# Needs


@given(*[st.tuples(*[st.booleans()] * len(NAMES))] * 2)
def test_needs_union_has_what_either_needs(one, other):
    found = Needs(*one) | Needs(*other)
    assert vars(found) == {name: one[i] or other[i] for i, name in enumerate(NAMES)}


def test_needs_union_with_nothing_changes_nothing():
    for values in itertools.product([False, True], repeat=len(NAMES)):
        assert Needs() | Needs(*values) == Needs(*values)


# Columns


@pytest.fixture
def three_steps():
    """Of four episodes: the second leaves after the first step, the first and the last after the second."""
    return trace_of(
        4,
        step_of([0, 1, 2, 3], rewards=[1.0, 2.0, 3.0, 4.0], values=[0.1, 0.2, 0.3, 0.4]),
        step_of([0, 2, 3], rewards=[5.0, 6.0, 7.0], values=[0.5, 0.6, 0.7]),
        step_of([2], rewards=[8.0], values=[0.8]),
    )


def test_trace_spread_puts_each_step_at_its_rows_and_zeros_after_the_end(three_steps):
    found = three_steps.spread([torch.tensor([1, 2, 3, 4]), torch.tensor([5, 6, 7]), torch.tensor([8])])
    assert found.tolist() == [[1, 2, 3, 4], [5, 0, 6, 7], [0, 0, 8, 0]]
    assert found.dtype == torch.int64


def test_trace_spread_leaves_gradients_where_they_belong(three_steps):
    columns = [torch.ones(4), torch.ones(3), torch.ones(1)]
    for column in columns:
        column.requires_grad_()
    weights = torch.arange(12.0).view(3, 4)
    (three_steps.spread(columns) * weights).sum().backward()
    assert [column.grad.tolist() for column in columns] == [[0, 1, 2, 3], [4, 6, 7], [10]]


def test_trace_spread_asks_for_one_column_a_step(three_steps):
    with pytest.raises(ValueError, match="zip"):
        three_steps.spread([torch.ones(4)])


def test_trace_live_is_true_until_an_episode_leaves(three_steps):
    live = three_steps.live
    assert live.dtype == torch.bool
    assert live.int().tolist() == [[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0]]


def test_trace_live_is_false_of_ended_episodes_that_stay():
    trace = trace_of(2, step_of([0, 1]), step_of([0, 1], live=[True, False]))
    assert trace.live.tolist() == [[True, True], [True, False]]


def test_trace_rewards_and_values_are_spread(three_steps):
    assert three_steps.rewards.tolist() == [[1, 2, 3, 4], [5, 0, 6, 7], [0, 0, 8, 0]]
    torch.testing.assert_close(three_steps.values[1], torch.tensor([0.5, 0.0, 0.6, 0.7]))
    assert three_steps.batch == 4


# Paths


class FakeSimulator:
    """Agents that stand where they are told to."""

    def __init__(self, nodes, views):
        self.node, self.view = np.array(nodes), np.array(views)

    def __len__(self):
        return len(self.node)


def test_path_takes_all_nodes_that_a_step_leads_through():
    """Three agents whose steps lead through up to three nodes; the second stops at once, the first later."""
    path = Path(FakeSimulator([10, 20, 30], [0, 1, 2]))
    path.add(np.array([0, 1, 2]), np.array([[11, 12, 13], [-1, -1, -1], [31, -1, -1]]), np.array([5, 6, 7]))
    path.add(np.array([0, 2]), np.array([[-1, -1, -1, -1], [32, 33, 34, 35]]), np.array([8, 9]))
    nodes, views = path.padded()
    assert nodes.tolist() == [[10, 11, 12, 13, -1, -1], [20, -1, -1, -1, -1, -1], [30, 31, 32, 33, 34, 35]]
    assert views.tolist() == [[0, 5, 5, 5, -1, -1], [1, -1, -1, -1, -1, -1], [2, 7, 9, 9, 9, 9]]


def test_path_has_room_for_any_number_of_nodes():
    path = Path(FakeSimulator([0, 0], [0, 0]))
    for step in range(40):
        path.add(np.array([1]), np.arange(7)[None] + 7 * step + 1, np.array([step % 36]))
    nodes, views = path.padded()
    assert nodes[1].tolist() == list(range(281))
    assert nodes.shape == views.shape == (2, 281)
    assert (nodes[0, 1:] == -1).all()


@given(st.data())
def test_path_is_that_of_lists_of_nodes(data):
    batch, steps = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    path, expected = Path(FakeSimulator(range(batch), [0] * batch)), [[row] for row in range(batch)]
    running = list(range(batch))
    for _ in range(steps):
        width = data.draw(st.integers(1, 4))
        hops = [data.draw(st.lists(st.integers(100, 199), max_size=width)) for _ in running]
        walked = np.array([[*some, *[-1] * (width - len(some))] for some in hops]).reshape(len(running), width)
        path.add(np.array(running), walked, np.full(len(running), 3))
        for row, some in zip(running, hops, strict=True):
            expected[row] += some
        running = [row for row in running if row == 0 or data.draw(st.booleans())]
    nodes, views = path.padded()
    assert [row[row >= 0].tolist() for row in nodes] == expected
    assert nodes.shape[1] == max(map(len, expected))
    assert ((views >= 0) == (nodes >= 0)).all()


def test_path_takes_what_the_simulator_walks_to_far_nodes(tiny_world):
    """`Simulator.go_to` walks through several nodes in one step."""
    simulator = Simulator(tiny_world)
    far = int(tiny_world.graphs[0].distances[0].argmax())
    simulator.reset([0, 0])
    path = Path(simulator)
    path.add(np.array([0, 1]), simulator.go_to([far, 0]), simulator.view)
    nodes, views = path.padded()
    assert nodes[0].tolist() == tiny_world.shortest_path(0, far)
    assert nodes.shape[1] > 3
    assert nodes[1].tolist() == [0] + [-1] * (nodes.shape[1] - 1)
    assert views[0, -1] == simulator.view[0]
