"""The baselines."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from mtvm.acting.baselines import BASELINES, run_baseline
from mtvm.errors import InputError
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.tasks.results import trajectory_nodes
from mtvm.world.graph import NavGraph
from mtvm.world.simulator import Simulator
from mtvm.world.world import World
from small_worlds import make_episodes, make_records


def score(episodes, trajectories):
    return summarize(score_trajectories(episodes, trajectory_nodes(Path("made.json"), episodes, trajectories)))


def viewpoints(trajectory):
    """The viewpoints visited, each stay once."""
    return [name for name, _ in itertools.groupby(pose[0] for pose in trajectory)]


@pytest.fixture(scope="session")
def train(tiny_folder):
    return load_episodes("r2r", "train", tiny_folder)


def walk_forward(episodes, row, turns):
    """What one agent does that turns right, then moves forward five times, turning right if it cannot."""
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts[row : row + 1], episodes.headings[row : row + 1])
    poses = simulator.locations()
    for _ in range(turns):
        simulator.turn(1)
        poses += simulator.locations()
    moves = 0
    while moves < 5:
        if simulator.forward()[0]:
            moves += 1
        else:
            simulator.turn(1)
        poses += simulator.locations()
    return poses


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_baseline_trajectories_follow_edges_from_the_start(tiny_r2r, tiny_ndh, baseline, task):
    episodes = {"r2r": tiny_r2r, "ndh": tiny_ndh}[task]
    trajectories = run_baseline(baseline, episodes)
    assert len(trajectories) == len(episodes)
    for episode, poses in zip(episodes, trajectories, strict=True):
        nodes = [episodes.world.node(episode.scan, pose[0]) for pose in poses]
        assert poses[0][0] == episode.start
        for here, there in itertools.pairwise(nodes):
            assert here == there or there in episodes.world.candidates[here]


def test_shortest_baseline_is_perfect_on_r2r(tiny_r2r):
    means = score(tiny_r2r, run_baseline("shortest", tiny_r2r))
    assert (means["NE"], means["SR"]) == (0, 100)
    assert means["SPL"] == pytest.approx(100)


def test_shortest_baseline_passes_via(there_and_back):
    trajectories = run_baseline("shortest", there_and_back)
    means = score(there_and_back, trajectories)
    assert (means["NE"], means["SR"]) == (0, 100)
    assert means["SPL"] == pytest.approx(100)
    for episode, poses in zip(there_and_back, trajectories, strict=True):
        assert episode.via[0] in viewpoints(poses)
    assert score(there_and_back, run_baseline("stop", there_and_back))["SR"] == 0


@pytest.mark.parametrize("supervision", ["oracle", "navigator", "mixed"])
def test_shortest_baseline_walks_the_shortest_path_to_the_references_end(tiny_folder, supervision):
    episodes = load_episodes("ndh", "train", tiny_folder, supervision=supervision)
    for episode, poses in zip(episodes, run_baseline("shortest", episodes), strict=True):
        walked = viewpoints(poses)
        assert walked[-1] == episode.reference[-1]
        nodes = [episodes.world.node(episode.scan, name) for name in walked]
        length = sum(episodes.world.distance(nodes[:-1], nodes[1:]))
        assert length == pytest.approx(float(episodes.world.distance(nodes[0], nodes[-1])))


def test_shortest_baseline_refuses_secret_goals(tiny_folder):
    episodes = load_episodes("r2r", "test", tiny_folder)
    with pytest.raises(InputError, match="r2r test has no goals") as caught:
        run_baseline("shortest", episodes)
    assert str(caught.value).startswith(f"{episodes.source}: ")


def test_stop_baseline_stays_at_the_start(tiny_r2r):
    trajectories = run_baseline("stop", tiny_r2r)
    assert [len(poses) for poses in trajectories] == [1] * len(tiny_r2r)
    means = score(tiny_r2r, trajectories)
    assert (means["TL"], means["GP"]) == (0, 0)
    assert means["NE"] > 5
    for (_, heading, elevation), wanted in zip((t[0] for t in trajectories), tiny_r2r.headings, strict=True):
        assert abs((heading - wanted + np.pi) % (2 * np.pi) - np.pi) <= np.pi / 12 + 1e-9
        assert elevation == 0


@pytest.mark.parametrize("baseline", ["random", "forward"])
@pytest.mark.parametrize("seed", [0, 1])
def test_wandering_baseline_moves_exactly_five_times(train, baseline, seed):
    moves = [len(viewpoints(poses)) - 1 for poses in run_baseline(baseline, train, seed)]
    assert moves == [5] * len(train)


def test_random_baseline_is_reproducible_by_seed(train):
    assert run_baseline("random", train, seed=4) == run_baseline("random", train, seed=4)
    assert run_baseline("random", train, seed=4) != run_baseline("random", train, seed=5)


def test_forward_baseline_ignores_the_seed(train):
    assert run_baseline("forward", train, seed=4) == run_baseline("forward", train, seed=5)


def test_forward_baseline_agrees_with_one_agent_at_a_time(tiny_r2r):
    assert run_baseline("forward", tiny_r2r) == [walk_forward(tiny_r2r, row, 0) for row in range(len(tiny_r2r))]


def test_random_baseline_turns_right_0_to_11_times_then_moves_like_forward(tiny_r2r):
    episodes = tiny_r2r.select(range(0, len(tiny_r2r), 3))  # one for each path
    by_turns = [[walk_forward(episodes, row, turns) for turns in range(12)] for row in range(len(episodes))]
    seen = set()
    for seed in range(20):
        for poses, possible in zip(run_baseline("random", episodes, seed), by_turns, strict=True):
            assert poses in possible
            if possible.count(poses) == 1:  # a turn for want of a way ahead looks like one of the first turns
                seen.add(possible.index(poses))
    assert seen == set(range(12))


def test_random_baseline_runs_with_secret_goals(tiny_folder):
    episodes = load_episodes("ndh", "test", tiny_folder)
    assert len(run_baseline("random", episodes)) == len(episodes)


# Odd buildings


def one_way(edges):
    """An episode from a to c in a row of viewpoints a, b, c, 1 m apart, with these one-way edges."""
    records = make_records({"a": (0, 0), "b": (1, 0), "c": (2, 0)}, edges)
    return make_episodes(World([NavGraph.from_records("row", records, Path("row"))]), [[0]], [[2]])


@pytest.mark.parametrize("edges", [["bc"], []], ids=["no edge out", "no edges"])
@pytest.mark.parametrize("baseline", BASELINES)
def test_baseline_stays_at_a_viewpoint_without_neighbours(baseline, edges):
    assert [viewpoints(poses) for poses in run_baseline(baseline, one_way(edges))] == [["a"]]


@pytest.mark.parametrize("baseline", ["random", "forward"])
def test_wandering_baseline_ends_in_a_dead_end(baseline, monkeypatch):
    act, calls = Simulator.act, itertools.count()

    def counted(*args, **kwargs):
        assert next(calls) < 100, "the agent never stops turning"
        act(*args, **kwargs)

    monkeypatch.setattr(Simulator, "act", counted)
    (poses,) = run_baseline(baseline, one_way(["ab", "bc"]))
    assert viewpoints(poses) == ["a", "b", "c"]


# Mistakes


def test_run_baseline_refuses_an_unknown_name(tiny_r2r):
    with pytest.raises(InputError, match=r"'rnadom'.*random, shortest, stop, forward"):
        run_baseline("rnadom", tiny_r2r)


def test_run_baseline_refuses_a_negative_seed(tiny_r2r):
    with pytest.raises(InputError, match="seed"):
        run_baseline("random", tiny_r2r, seed=-1)
