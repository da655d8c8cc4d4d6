"""Scoring result files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import NamedTuple

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.definitions import success_of
from mtvm.tasks.diagnosis import Diagnosis, diagnose
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.evaluation_folder import RESULTS
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import Floats, score_trajectories, summarize
from mtvm.tasks.results import check_answers, checked_nodes, read_results
from mtvm.tasks.spec import TaskSpec


class Scored(NamedTuple):
    """What a result file is worth."""

    episodes: EpisodeSet
    """Those in the file."""
    columns: dict[str, Floats]
    """Every metric of each of them."""

    def metrics(self) -> dict[str, float]:
        """The mean of each metric."""
        return summarize(self.columns)

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.2f}" for name, value in self.metrics().items())
        return f"Scored({self.episodes.name}: {len(self.episodes)} episodes, {means})"


def score(
    results: Path | str,
    episodes: EpisodeSet | TaskSpec | str,
    split: str | None = None,
    *,
    data: DataFolder | Path | str | None = None,
    supervision: str = "mixed",
    partial: bool = False,
    definitions: str = "leaderboard",
) -> Scored:
    """The episodes in a result file, and every metric of each, as `definitions` names a codebase to define it.

    `results` is a file, or the folder of an evaluation. `episodes` are loaded ones, or a task and its split, val_unseen
    by default: `score("results.json", "r2r", "val_seen")` and `score("results.json", "r2r/val_seen")` mean the same.
    With `partial`, episodes may be missing in the file.
    """
    path = Path(results)
    path = path / RESULTS if path.is_dir() else path
    if not isinstance(episodes, EpisodeSet):
        if split is None and isinstance(episodes, str):
            episodes, _, split = episodes.partition("/")
        episodes = load_episodes(episodes, split or "val_unseen", data, supervision=supervision)
    if not episodes.has_goals:
        raise InputError(
            f"{episodes.source}: {episodes.name} cannot be scored, because it has no goals; 'mtvm submit' checks "
            "the results and writes the file for the leaderboard."
        )
    task = dataclasses.replace(episodes.task, success=success_of(definitions, episodes.task))
    found = read_results(path, episodes, partial)
    nodes = checked_nodes(path, found.episodes, found.trajectories)
    check_answers(path, found)
    columns = score_trajectories(dataclasses.replace(found.episodes, task=task), nodes, found.answers)
    return Scored(found.episodes, columns)


def diagnosed(results: Path, episodes: EpisodeSet, columns: dict[str, Floats]) -> Diagnosis:
    """Where the trajectories of a scored result file went wrong."""
    found = read_results(results, episodes)
    return diagnose(found.episodes, checked_nodes(results, found.episodes, found.trajectories), columns)
