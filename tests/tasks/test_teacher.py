"""The teacher: to the goal through via, along the path, in any action space."""

import dataclasses

import numpy as np
import pytest

from mtvm.tasks.teacher import Teacher
from mtvm.world.actions import ActionSpace
from mtvm.world.simulator import Simulator
from mtvm.world.world import World
from small_worlds import lettered_episodes, make_episodes, make_graph, make_star


@pytest.fixture(scope="module")
def ladder():
    """a - b - c - d - e, 2 m apart, and a longer way a - f - c."""
    places = {name: (2 * i, 0) for i, name in enumerate("abcde")} | {"f": (1.5, 3)}
    return World([make_graph(places, ["ab", "bc", "cd", "de", "af", "fc"])])


def walks(episodes, teacher, starts=None):
    """The viewpoints to which the teacher leads each agent until it stops, as letters."""
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts if starts is None else starts)
    names = [str(name) for name in episodes.world.viewpoints[simulator.node]]
    while not simulator.ended.all():
        assert simulator.steps.max() < 30, "the teacher never stops"
        walked = simulator.step(teacher.actions(simulator.node))[:, 0]
        for row in np.nonzero(walked >= 0)[0]:
            names[row] += str(episodes.world.viewpoints[walked[row]])
    return names


def nodes_of(world, names):
    return world.nodes([world.scans[0]] * len(names), list(names))


def space_at(world, here, *rows):
    """Actions that lead to these letters."""
    width = max(map(len, rows))
    nodes = [[*nodes_of(world, row), *[-1] * (width - len(row))] for row in rows]
    return ActionSpace.of(nodes_of(world, here), np.array(nodes))


def test_teacher_goal_walks_the_shortest_path_and_stops(tiny_r2r):
    simulator, world = Simulator(tiny_r2r.world), tiny_r2r.world
    simulator.reset(tiny_r2r.starts)
    teacher, length = Teacher(tiny_r2r), np.zeros(len(tiny_r2r))
    while not simulator.ended.all():
        before = simulator.node
        simulator.step(teacher.actions(before))
        length += world.distance(before, simulator.node)
    assert (simulator.node == tiny_r2r.reference_ends).all()
    np.testing.assert_allclose(length, world.distance(tiny_r2r.starts, tiny_r2r.reference_ends))


@pytest.mark.parametrize(
    ("via", "walked"),
    [
        ("", "ab"),
        ("e", "abcdedcb"),
        ("ec", "abcdedcb"),
        ("ce", "abcdedcb"),
        ("ea", "abcdedcbab"),
        ("ff", "afab"),  # the same viewpoint twice
        ("b", "ab"),
        ("a", "ab"),
    ],
)
def test_teacher_goal_passes_via_first(ladder, via, walked):
    episodes = lettered_episodes(ladder, ("ab", via), ("abcde", ""), ("abc", "eff"))
    assert walks(episodes, Teacher(episodes)) == [walked, "abcde", "abcdedcfc"]


def test_teacher_path_follows_the_reference(ladder):
    episodes = lettered_episodes(ladder, ("afcbafcd", ""), ("abccb", ""), ("ab", "e"))
    assert walks(episodes, Teacher(episodes, "path")) == ["afcbafcd", "abcb", "ab"]


def test_teacher_path_leads_back_to_the_first_viewpoint_not_reached(ladder):
    episodes = lettered_episodes(ladder, ("afcd", ""))
    assert walks(episodes, Teacher(episodes, "path"), nodes_of(ladder, "e")) == ["edcfcd"]


@pytest.mark.parametrize("follow", ["goal", "path"])
def test_teacher_stops_at_once_if_there_is_nothing_to_reach(ladder, follow):
    episodes = lettered_episodes(ladder, ("c", ""), ("cd", ""))
    assert walks(episodes, Teacher(episodes, follow)) == ["c", "cd"]
    secret = dataclasses.replace(episodes, references=episodes.references[:, :1], goals=episodes.goals[:, :0])
    assert walks(secret, Teacher(secret, follow)) == ["c", "c"]


@pytest.mark.parametrize("follow", ["goal", "path"])
def test_teacher_in_the_space_of_candidates_acts_as_by_default(there_and_back, follow):
    simulator, rng = Simulator(there_and_back.world), np.random.default_rng(0)
    simulator.reset(there_and_back.starts)
    one, other = Teacher(there_and_back, follow), Teacher(there_and_back, follow)
    stopped = False
    for _ in range(40):
        seen = simulator.observe()
        actions = one.actions(seen.node)
        assert (actions == other.actions(seen.node, seen.actions)).all()
        stopped |= seen.actions.is_stop(actions).any()
        strayed = rng.random(len(simulator)) < 0.2
        walking = np.where(seen.actions.is_stop(actions) | strayed, rng.integers(seen.count), actions)
        simulator.step(walking)
    assert stopped


@pytest.mark.parametrize(
    ("here", "targets", "goal", "right"),
    [
        ("a", "fb", "e", "b"),
        ("a", "edb", "e", "b"),  # all on the way: the next viewpoint
        ("a", "f", "b", "f"),  # a detour, but the only action
        ("d", "fb", "a", "b"),
        ("a", "ef", "d", "f"),  # past d and back is 10 m, by f 9.3 m
        ("c", "ab", "c", "STOP"),
    ],
)
def test_teacher_in_any_space_takes_the_action_with_the_shortest_path(ladder, here, targets, goal, right):
    episodes = lettered_episodes(ladder, (here + goal, ""))
    space = space_at(ladder, here, targets)
    action = Teacher(episodes).actions(nodes_of(ladder, here), space)
    assert action == (space.stop if right == "STOP" else targets.index(right))


def test_teacher_stops_where_no_action_leads_to_the_goal():
    places = {"a": (0, 0), "b": (2, 0), "c": (1, 2), "x": (9, 0), "y": (9, 2)}
    world = World([make_graph(places, ["ab", "bc", "ca", "xy"])])
    here = nodes_of(world, "abc")
    episodes = make_episodes(world, [[node, world.node("made", "x")] for node in here], [[3]] * 3)
    assert Teacher(episodes).actions(here).tolist() == [2, 2, 2]
    space = space_at(world, "abc", "bc", "a", "")
    assert Teacher(episodes).actions(here, space).tolist() == [2, 1, 0]


def test_teacher_with_200_candidates_takes_the_right_one():
    arms = 200
    world = World([make_star(arms)])
    near, far = np.arange(1, arms + 1), np.arange(arms + 1, 2 * arms + 1)
    episodes = make_episodes(world, [[0, *pair] for pair in zip(near, far, strict=True)], far[:, None])
    hub = np.zeros(arms, dtype=np.int64)
    simulator = Simulator(world)
    simulator.reset(hub)
    for teacher in (Teacher(episodes), Teacher(episodes, "path")):
        actions = teacher.actions(hub)
        assert (world.candidates[0, actions] == near).all()
        assert (teacher.actions(hub, simulator.observe().actions) == actions).all()
        assert world.viewpoints[world.candidates[near, teacher.actions(near)]].tolist() == [
            f"far{i}" for i in range(arms)
        ]


def test_keep_leaves_the_other_agents_progress(ladder):
    episodes = lettered_episodes(ladder, ("ab", "e"), ("abcde", ""), ("ab", "d"))
    teacher = Teacher(episodes)
    teacher.heading_for(nodes_of(ladder, "edd"))
    teacher.keep(np.array([2, 0]))
    assert walks(episodes.select([2, 0]), teacher, nodes_of(ladder, "cd")) == ["cb", "dcb"]


def test_begin_starts_new_episodes_and_leaves_the_others(ladder):
    episodes = lettered_episodes(ladder, ("ab", "e"), ("cd", ""), ("ab", "c"))
    teacher = Teacher(episodes)
    teacher.heading_for(nodes_of(ladder, "edc"))
    fresh = lettered_episodes(ladder, ("bc", "aec"), ("cd", ""))  # with more stations than before
    teacher.begin(np.array([False, True, True]), Teacher(fresh))
    assert walks(episodes, teacher, [*nodes_of(ladder, "d"), *fresh.starts]) == ["dcb", "babcdedc", "cd"]
