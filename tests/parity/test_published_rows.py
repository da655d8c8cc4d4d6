"""Counts and baseline rows that others have published, from the real files."""

from pathlib import Path

import numpy as np
import pytest

from mtvm.acting.baselines import run_baseline
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.tasks.r4r import build_r4r
from mtvm.tasks.results import trajectory_nodes
from thinning import thinned

SEEDS = range(20)


@pytest.fixture(scope="module")
def load(real_data):
    folder = DataFolder(real_data)
    return lambda task, split, **options: load_episodes(task, split, folder, **options)


def score(episodes, baseline, seed=0):
    trajectories = run_baseline(baseline, episodes, seed)
    return summarize(score_trajectories(episodes, trajectory_nodes(Path("baseline.json"), episodes, trajectories)))


def number_of_paths(episodes):
    return len({identity.rsplit("_", 1)[0] for identity in episodes.ids})


@pytest.mark.parametrize(
    ("split", "paths", "instructions", "scans"),
    [
        ("train", 4_675, 14_039, 61),
        ("val_seen", 340, 1_021, 56),
        ("val_unseen", 783, 2_349, 11),
        ("test", 1_391, 4_173, 18),
    ],
)
def test_r2r_counts(load, split, paths, instructions, scans):
    episodes = load("r2r", split)
    assert (number_of_paths(episodes), len(episodes), len(episodes.world.scans)) == (paths, instructions, scans)
    assert episodes.has_goals == (split != "test")


@pytest.mark.parametrize(("split", "dialogs"), [("val_seen", 382), ("val_unseen", 907)])
def test_ndh_counts(load, split, dialogs):
    assert len(load("ndh", split)) == dialogs


@pytest.mark.parametrize(
    ("split", "error", "success"), thinned([("val_unseen", 9.23, 16), ("val_seen", 9.45, 16)], every=2)
)
def test_r2r_random_agent(load, split, error, success):
    episodes = load("r2r", split)
    rows = [score(episodes, "random", seed) for seed in SEEDS]
    assert np.mean([row["NE"] for row in rows]) == pytest.approx(error, abs=0.25)
    assert np.mean([row["SR"] for row in rows]) == pytest.approx(success, abs=1.5)


@pytest.mark.parametrize("split", ["train", "val_seen", "val_unseen"])
def test_r2r_references_are_shortest_paths(load, split):
    means = score(load("r2r", split), "shortest")
    assert (means["NE"], means["SR"]) == (0, 100)
    assert means["SPL"] == pytest.approx(100)


@pytest.mark.parametrize(("supervision", "progress"), [("oracle", 8.36), ("navigator", 7.99), ("mixed", 9.58)])
def test_ndh_shortest_path_agent(load, supervision, progress):
    episodes = load("ndh", "val_unseen", supervision=supervision)
    assert round(score(episodes, "shortest")["GP"], 2) == progress


def test_ndh_random_agent(load):
    episodes = load("ndh", "val_unseen")
    assert np.mean([score(episodes, "random", seed)["GP"] for seed in SEEDS]) == pytest.approx(1.09, abs=0.3)


@pytest.mark.parametrize(
    ("split", "paths", "instructions"),
    [("train", 25_921, 233_532), ("val_seen", 115, 1_035), ("val_unseen", 5_026, 45_234)],
)
def test_r4r_counts(load, split, paths, instructions):
    episodes = load("r2r", split)
    joined = build_r4r(episodes.source, episodes.world)
    assert (len(joined), sum(len(entry["instructions"]) for entry in joined)) == (paths, instructions)
    assert len({entry["path_id"] for entry in joined}) == paths
