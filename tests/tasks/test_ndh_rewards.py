"""NDH's teacher and rewards agree on where to go, whatever the supervision."""

import dataclasses

import numpy as np
import pytest

from mtvm.tasks.load import load_episodes
from mtvm.tasks.ndh import SUPERVISIONS
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.teacher import Teacher
from mtvm.world.simulator import Simulator


def punished_stops(episodes, rewarded=None):
    """Share of the episodes in which the teacher's own STOP earns a negative reward, as `rewarded` tells it."""
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts, episodes.headings)
    teacher, rewards = Teacher(episodes, episodes.task.follow), Rewards(rewarded or episodes)
    punished = np.zeros(len(episodes), dtype=bool)
    while not simulator.ended.all():
        ended = simulator.ended.copy()
        actions = teacher.actions(simulator.node)
        stopping = simulator.observe().actions.is_stop(actions)
        earned = rewards.step(simulator.step(actions), stopping | ended)
        punished |= stopping & ~ended & (earned < 0)
    return punished.mean()


@pytest.mark.parametrize("supervision", SUPERVISIONS)
@pytest.mark.parametrize("split", ["val_seen", "val_unseen"])
def test_rewards_of_ndh_never_punish_the_teacher(real_data, split, supervision):
    episodes = load_episodes("ndh", split, real_data, supervision=supervision)
    assert punished_stops(episodes) == 0


def test_rewards_to_the_goals_would_punish_the_teacher(real_data):
    """So the check above can fail."""
    episodes = load_episodes("ndh", "val_unseen", real_data)
    to_goals = dataclasses.replace(episodes, task=dataclasses.replace(episodes.task, reward_to="goals"))
    assert punished_stops(episodes, to_goals) > 0.5
