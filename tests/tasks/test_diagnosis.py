"""Where it went wrong: one case by hand for each mistake."""

import dataclasses

import numpy as np
import pytest

from mtvm.tasks.definitions import Success
from mtvm.tasks.diagnosis import NAMES, diagnose
from mtvm.tasks.metrics import pad, score_trajectories
from mtvm.world.storeys import storey_changes, storeys
from mtvm.world.world import World
from small_worlds import lettered_episodes, make_graph


@pytest.fixture(scope="module")
def world():
    """A corridor A to F with 2 m between neighbours, a side room X, Y, Z off B, and U above X."""
    places = {name: (2 * i, 0, 0) for i, name in enumerate("ABCDEF")}
    places |= {"X": (2, -4, 0), "Y": (2, -8, 0), "Z": (2, -12, 0), "U": (2.5, -4, 3)}
    return World([make_graph(places, ["AB", "BC", "CD", "DE", "EF", "BX", "XY", "YZ", "XU"])])


@pytest.mark.parametrize(
    ("walked", "reference", "via", "mistake", "move"),
    [
        ("ABCDE", "ABCDE", "", "", -1),
        ("ABCDEDCB", "ABCDE", "", "overshot", -1),
        ("ABC", "ABCDE", "", "near miss", -1),  # 4 m from E
        ("AB", "ABCDE", "", "stopped early", -1),
        ("AABB", "ABCDE", "", "stopped early", -1),
        ("ABXBXY", "ABCDEF", "", "loop", 3),
        ("ABXU", "ABCDEF", "", "wrong storey", 1),
        ("BXY", "BCDEF", "", "wrong first turn", 0),
        ("ABXY", "ABCDEF", "", "wrong turn", 1),
        ("ABXBAB", "ABCDEF", "", "stopped early", -1),  # on the path at its end, which comes before the loop
        ("ABCDE", "ABXBCDE", "X", "missed a waypoint", -1),
    ],
)
def test_each_mistake_is_recognised(world, walked, reference, via, mistake, move):
    episodes = lettered_episodes(world, (reference, via))
    nodes = [np.array([world.node("made", name) for name in walked], dtype=np.int32)]
    found = diagnose(episodes, nodes, score_trajectories(episodes, pad(nodes)))
    assert found.names() == [mistake]
    assert found.move.tolist() == [move]
    assert sum(found.counts().values()) == bool(mistake)
    assert list(found.counts()) == list(NAMES)


def test_near_is_what_the_task_calls_near(world):
    """Where success is at the goal itself, 2 m are no near miss."""
    walked = [np.array([world.node("made", name) for name in "ABXBCD"], dtype=np.int32)]
    for radius, mistake in ((3.0, ""), (1.0, "near miss"), (0.0, "stopped early")):
        episodes = lettered_episodes(world, ("ABCDE", ""))
        task = dataclasses.replace(episodes.task, success=Success(radius=radius))
        episodes = dataclasses.replace(episodes, task=task)
        found = diagnose(episodes, walked, score_trajectories(episodes, pad(walked)))
        assert found.names() == [mistake]


def test_episodes_of_different_lengths_do_not_mix(world):
    episodes = lettered_episodes(world, ("ABCDEF", ""), ("BCDEF", ""), ("ABCDE", ""))
    walks = ["ABXBXY", "BXY", "ABCDE"]
    nodes = [np.array([world.node("made", name) for name in walk], dtype=np.int32) for walk in walks]
    found = diagnose(episodes, nodes, score_trajectories(episodes, pad(nodes)))
    assert found.names() == ["loop", "wrong first turn", ""]


def test_storeys_and_their_changes(world):
    found = storeys(world)
    assert found[world.node("made", "U")] == 1
    assert found.sum() == 1
    path = np.array([[world.node("made", name) for name in "BXUX"], [world.node("made", "B"), -1, -1, -1]])
    assert storey_changes(found, path).tolist() == [2, 0]
