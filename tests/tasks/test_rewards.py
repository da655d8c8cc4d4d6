"""Rewards: progress, arrival, the reference path, and what is to be passed first."""

import numpy as np
import pytest

from mtvm.tasks.metrics import pair_distances, score_trajectories
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.teacher import Teacher
from mtvm.world.simulator import Simulator
from mtvm.world.world import World
from small_worlds import make_episodes, make_graph


def follow_teacher(episodes, follow):
    """The teacher's walk: the rewards' account, what each step earned (T, N), and the nodes (N, T + 1)."""
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts)
    rewards, teacher = Rewards(episodes), Teacher(episodes, follow)
    earned, path = [], [simulator.node]
    while not simulator.ended.all():
        walked = simulator.step(teacher.actions(simulator.node))
        path.append(simulator.node)
        earned.append(rewards.step(walked, simulator.ended))
    return rewards, np.array(earned), np.array(path).T


def test_rewards_of_the_teacher_are_progress_then_arrival(tiny_r2r):
    rewards, earned, path = follow_teacher(tiny_r2r, "goal")
    np.testing.assert_allclose(rewards.ndtw * 100, score_trajectories(tiny_r2r, path)["nDTW"])
    for row, length in enumerate(tiny_r2r.reference_lengths):
        assert earned[length - 1, row] == pytest.approx(2 + 2 * rewards.ndtw[row])
        assert (earned[: length - 1, row] > 1).all(), "each step gets closer and adds to nDTW"


def test_rewards_lead_to_via_and_then_to_the_goal(there_and_back):
    rewards, earned, path = follow_teacher(there_and_back, "path")
    np.testing.assert_allclose(rewards.ndtw * 100, score_trajectories(there_and_back, path)["nDTW"])
    away = pair_distances(there_and_back.world, path, there_and_back.via)[:, :, 0]
    for row, length in enumerate(there_and_back.reference_lengths):
        passed, turn = np.flatnonzero(away[row] < 3)[0], np.argmin(away[row])
        for step in range(1, length):
            assert (earned[step - 1, row] > 0) != (passed < step <= turn), "via is passed within 3 m of it"
        assert earned[length - 1, row] == pytest.approx(2 + 2 * rewards.ndtw[row])


@pytest.mark.parametrize("name", ["tiny_r2r", "there_and_back"])
def test_rewards_are_negative_for_stopping_at_the_start(request, name):
    episodes = request.getfixturevalue(name)  # those of there_and_back start at their goals
    earned = Rewards(episodes).step(np.full((len(episodes), 1), -1), np.ones(len(episodes), dtype=bool))
    assert (earned == -2).all()


@pytest.mark.parametrize(("start", "penalty"), [("a", 2.0), ("b", 0.8), ("c", 0.0)])
def test_rewards_punish_leaving_from_within_a_metre_of_the_goal(start, penalty):
    """a is the goal; b is 0.6 m from it, c 1.2 m. The agent walks 0.6 m away from it."""
    row = {name: (0.6 * i, 0) for i, name in enumerate("abcd")}
    world = World([make_graph(row, ["ab", "bc", "cd"])])
    here = world.node("made", start)
    rewards = Rewards(make_episodes(world, [[here, 0]], [[0]]))
    before = rewards.ndtw[0]
    (earned,) = rewards.step(np.array([[here + 1]]), np.array([False]))
    assert earned == pytest.approx(-1 + rewards.ndtw[0] - before - penalty)


def test_keep_leaves_the_other_agents_rewards(tiny_r2r):
    rows, walking = np.arange(0, len(tiny_r2r), 3), np.zeros(len(tiny_r2r), dtype=bool)
    full, part = Rewards(tiny_r2r), Rewards(tiny_r2r)
    part.keep(rows)
    for nodes in tiny_r2r.references.T[1:3, :, None]:
        np.testing.assert_allclose(full.step(nodes, walking)[rows], part.step(nodes[rows], walking[rows]))


def test_rewards_of_a_step_over_several_nodes_count_each_of_them():
    """The same walk in one step and in three: the same path, so the same nDTW; progress counts once a step."""
    row = {name: (2.0 * i, 0) for i, name in enumerate("abcdef")}
    world = World([make_graph(row, ["ab", "bc", "cd", "de", "ef"])])
    episodes = make_episodes(world, [[0, 1, 2, 3, 4, 5]], [[5]])
    once, thrice, going = Rewards(episodes), Rewards(episodes), np.array([False])
    (together,) = once.step(np.array([[1, 2, 3]]), going)
    apart = [thrice.step(np.array([[node, -1]]), going)[0] for node in (1, 2, 3)]
    assert once.ndtw == thrice.ndtw
    assert once.distance == thrice.distance
    assert together == pytest.approx(sum(apart) - 2)
