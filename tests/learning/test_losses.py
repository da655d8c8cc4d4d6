"""Imitation, returns, advantages and rewards against values computed by hand and by a slow reference."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mtvm.learning.a2c import A2CConfig, a2c_terms, discounted_returns
from mtvm.learning.imitation import imitation_loss
from mtvm.learning.rewards import Rewards

from mtvm.tasks.metrics import pair_distances, score_trajectories
from mtvm.world.simulator import STOP, Simulator


def test_imitation_is_the_negative_log_probability_of_the_teachers_action():
    logits = torch.tensor([[math.log(1.0), math.log(3.0), -math.inf], [0.0, 0.0, 0.0]])
    loss = imitation_loss(logits, torch.tensor([1, 2]))
    assert loss.tolist() == pytest.approx([-math.log(0.75), math.log(3)])


def test_returns_by_hand():
    rewards = torch.tensor([[1.0, 1.0], [2.0, -2.0], [4.0, 0.0]])
    live = torch.tensor([[True, True], [True, True], [True, False]])
    returns = discounted_returns(rewards, live, torch.tensor([8.0, 0.0]), discount=0.5)
    # First: 4 + 8/2 = 8, 2 + 4 = 6, 1 + 3 = 4. Second stopped after two steps: -2, 1 - 1 = 0.
    assert returns.tolist() == [[4.0, 0.0], [6.0, -2.0], [8.0, 0.0]]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_terms_agree_with_a_slow_reference(seed):
    generator = torch.Generator().manual_seed(seed)
    steps, batch, config = 5, 3, A2CConfig()
    lengths = torch.randint(1, steps + 1, (batch,), generator=generator)
    live = torch.arange(steps)[:, None] < lengths
    draws = [torch.randn(steps, batch, generator=generator) for _ in range(4)]
    log_probabilities, entropies, values, rewards = (draw * live for draw in draws)
    bootstrap = torch.randn(batch, generator=generator) * (lengths == steps)
    terms = a2c_terms(log_probabilities, entropies, values, rewards, live, bootstrap, config)
    policy = value = entropy = 0.0
    for row in range(batch):
        following = float(bootstrap[row])
        for step in reversed(range(int(lengths[row]))):
            following = float(rewards[step, row]) + config.discount * following
            advantage = following - float(values[step, row])
            policy -= float(log_probabilities[step, row]) * advantage
            value += advantage**2
            entropy += float(entropies[step, row])
    count = int(lengths.sum())
    assert int(terms.count) == count
    assert float(terms.policy) == pytest.approx(policy, rel=1e-4, abs=1e-5)
    assert float(terms.value) == pytest.approx(value, rel=1e-4, abs=1e-5)
    expected = policy + config.value_weight * value - config.entropy_weight * entropy
    assert float(terms.loss(config)) == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_the_policy_gradient_does_not_flow_through_the_advantage():
    log_probabilities = torch.zeros(1, 1, requires_grad=True)
    values = torch.full((1, 1), 0.5, requires_grad=True)
    one = torch.ones(1, 1)
    terms = a2c_terms(log_probabilities, one * 0, values, one * 2, one.bool(), torch.zeros(1), A2CConfig())
    terms.policy.backward()
    assert log_probabilities.grad.item() == pytest.approx(-1.5)
    assert values.grad is None


def walked(tiny_r2r, actions):
    """Rewards of a walk of all episodes, and the episodes' final ndtw and distance."""
    simulator = Simulator(tiny_r2r.world)
    simulator.reset(tiny_r2r.starts, tiny_r2r.headings)
    rewards = Rewards(tiny_r2r.world, simulator.node, tiny_r2r.references, tiny_r2r.via, tiny_r2r.goals)
    earned, path = [], [simulator.node]
    for action in actions(simulator):
        stopped = action == STOP
        simulator.step(action)
        path.append(simulator.node)
        earned.append(rewards.step(simulator.node, stopped | simulator.ended))
    return rewards, np.array(earned), np.array(path).T


def test_following_the_teacher_earns_progress_and_arrival(tiny_r2r):
    def teacher(simulator):
        while not simulator.ended.all():
            yield simulator.observe(tiny_r2r.reference_ends).teacher

    rewards, earned, path = walked(tiny_r2r, teacher)
    lengths = tiny_r2r.reference_lengths
    np.testing.assert_allclose(rewards.ndtw * 100, score_trajectories(tiny_r2r, path)["nDTW"])
    for row, length in enumerate(lengths):
        assert earned[length - 1, row] == pytest.approx(2 + 2 * rewards.ndtw[row])
        assert (earned[: length - 1, row] > 1).all(), "each step came nearer and made the path more alike"


def test_there_and_back_earns_progress_to_the_turn_and_from_it(there_and_back):
    def reference(simulator):
        for nodes in there_and_back.references.T[1:]:
            yield simulator.observe(np.where(nodes >= 0, nodes, simulator.node)).teacher

    rewards, earned, path = walked(there_and_back, reference)
    np.testing.assert_allclose(rewards.ndtw * 100, score_trajectories(there_and_back, path)["nDTW"])
    away = pair_distances(there_and_back.world, path, there_and_back.via)[:, :, 0]
    for row, length in enumerate(there_and_back.reference_lengths):
        near = away[row, :length] < 3
        to_the_turn = np.flatnonzero(near)[0], np.argmin(away[row, :length])  # it counts as passed a little before
        for step in range(1, length):
            assert (earned[step - 1, row] > 0) != (to_the_turn[0] < step <= to_the_turn[1])
    stop = np.ones(len(there_and_back), dtype=bool)
    np.testing.assert_allclose(rewards.step(path[:, -1], stop), 2 + 2 * rewards.ndtw)


def test_stopping_at_the_end_earns_nothing_before_what_is_to_be_passed(there_and_back):
    def stop(simulator):
        yield np.full(len(simulator), STOP)

    _, earned, _ = walked(there_and_back, stop)
    assert (earned[0] == -2).all(), "they stand at their goals already"


def test_stopping_at_once_earns_the_penalty(tiny_r2r):
    def stop(simulator):
        yield np.full(len(simulator), STOP)

    _, earned, _ = walked(tiny_r2r, stop)
    assert (earned[0] == -2).all()


def test_leaving_the_goal_is_punished(tiny_world):
    graph = tiny_world.graphs[0]
    there = int(graph.neighbours(0)[0])
    reference = np.array([[there, 0]])
    rewards = Rewards(tiny_world, np.array([0]), reference, np.empty((1, 0), dtype=int), np.array([[0]]))
    before = rewards.ndtw[0]
    earned = rewards.step(np.array([there]), np.array([False]))
    # One step away: -1, the change of nDTW, and the penalty 2 * (1 - 0) for leaving from the goal itself.
    assert earned[0] == pytest.approx(-1 + rewards.ndtw[0] - before - 2)


def test_kept_episodes_go_on_as_before(tiny_r2r):
    world = tiny_r2r.world
    rows = np.arange(0, len(tiny_r2r), 3)
    full = Rewards(world, tiny_r2r.starts, tiny_r2r.references, tiny_r2r.via, tiny_r2r.goals)
    part = Rewards(world, tiny_r2r.starts, tiny_r2r.references, tiny_r2r.via, tiny_r2r.goals)
    part.keep(rows)
    second = tiny_r2r.references[:, 1]
    none = np.zeros(len(tiny_r2r), dtype=bool)
    np.testing.assert_allclose(full.step(second, none)[rows], part.step(second[rows], none[rows]))
