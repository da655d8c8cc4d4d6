"""What came out of a study's trials: every metric of every episode, for each arm and seed."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.baselines import Baseline, run_baseline
from mtvm.configs.data import Split
from mtvm.errors import InputError
from mtvm.io.files import read_bytes, read_json
from mtvm.learning.run_folder import RunFolder
from mtvm.studies.data import StudyData
from mtvm.studies.plan import GIVEN, Request, known_split
from mtvm.studies.study import Study
from mtvm.studies.trial import COST, TRAINED, Trial
from mtvm.tasks import bootstrap
from mtvm.tasks.bootstrap import Interval, Sample
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import METRICS, NAVIGATION, Metric
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.results import EPISODE_TABLE, trajectory_nodes

_RANDOM_SEEDS = 5
_LARGEST = 1e18
_REMEDY = "remove its folder, and run the study again"


@dataclasses.dataclass(frozen=True)
class Scores:
    """The metrics of the same episodes, walked by agents of several seeds."""

    ids: list[str]
    buildings: list[str]
    columns: dict[str, NDArray[np.float64]]
    """(seeds, episodes) of each metric."""
    metrics: tuple[Metric, ...] = NAVIGATION
    """What the columns mean."""

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    @classmethod
    def of_seeds(cls, parts: Sequence[Scores]) -> Scores:
        """Several seeds together, which walked the same episodes in the same order."""
        first = parts[0]
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in first.columns}
        return dataclasses.replace(first, columns=columns)

    @property
    def seeds(self) -> int:
        return len(next(iter(self.columns.values())))

    def sample(self, metric: str, rows: NDArray[Any] | None = None) -> Sample:
        """A metric of all episodes, or of those at `rows`."""
        if metric not in self.columns:
            raise InputError(f"{metric} was not kept of these episodes, only {', '.join(self.columns)}; {_REMEDY}.")
        chosen = slice(None) if rows is None else rows
        return Sample(self.columns[metric][:, chosen], np.array(self.buildings)[chosen])

    def mean(self, metric: str, rows: NDArray[Any] | None = None) -> Interval:
        return bootstrap.mean(self.sample(metric, rows))


class Findings:
    """The outcome of all trials that are built on one preset, and of agents that were given."""

    def __init__(
        self, request: Request, data: StudyData, trials: Sequence[Trial], failed: dict[str, str], preset: str
    ) -> None:
        self.request, self.data, self.preset, self.failed = request, data, preset, failed
        self.trials = [trial for trial in trials if trial.preset in (preset, GIVEN)]
        self._scores: dict[tuple[str, str, str | None, int | None], Scores | None] = {}

    @property
    def study(self) -> Study:
        return self.request.study

    @property
    def splits(self) -> list[str]:
        """The names of the splits that were evaluated, in order."""
        found = [known_split(one.split) for trial in self.trials for one in trial.evaluations if not one.condition]
        return list(dict.fromkeys(found))

    @property
    def arms(self) -> list[str]:
        """The arms that were trained, and the agents that were given, in order."""
        return list(dict.fromkeys(trial.arm for trial in self.trials))

    def of(self, arm: str) -> list[Trial]:
        """The trials of an arm that did not fail."""
        return [trial for trial in self.trials if trial.arm == arm and trial.folder.name not in self.failed]

    def scores(
        self, arm: str, split: str, condition: str | None = None, memory_steps: int | None = None
    ) -> Scores | None:
        """Of an arm on a split; None if all its trials failed, or the split was not evaluated. Folds are put together;
        a seed of which one failed is left out."""
        key = arm, split, condition, memory_steps
        if key not in self._scores:
            by_seed: dict[int, list[Scores]] = {}
            for trial in self.of(arm):
                if (file := _episodes(trial, split, condition, memory_steps)) is not None:
                    by_seed.setdefault(trial.seed, []).append(read_episodes(file))
            if folds := len({trial.fold for trial in self.trials if trial.fold is not None}):
                whole = [_of_folds(parts) for parts in by_seed.values() if len(parts) == folds]
            else:
                whole = [part for parts in by_seed.values() for part in parts]
            self._scores[key] = _joined(whole) if whole else None
        return self._scores[key]

    def mean(self, arm: str, split: str, metric: str, condition: str | None = None) -> Interval | None:
        scores = self.scores(arm, split, condition)
        return None if scores is None else scores.mean(metric)

    def fold_episodes(self) -> list[EpisodeSet]:
        """Of each fold, in the order of the scores."""
        texts = {trial.fold: trial.evaluations[0].split for trial in self.trials}
        splits = [Split.parse(text) for text in texts.values()]
        return [load_episodes(split.task, split.split, self.data.folder) for split in splits]

    def episodes(self, split: str) -> EpisodeSet:
        """The episodes of a split, in the order of its scores."""
        task, _, name = self._text(split).partition("/")
        return load_episodes(task, name, self.data.folder)

    def baseline(self, baseline: Baseline, split: str, supervision: str = "mixed") -> Scores:
        """Of an agent that reads no instruction; the random one walks with several seeds."""
        task, _, name = self._text(split).partition("/")
        episodes = load_episodes(task, name, self.data.folder, supervision=supervision)
        columns: list[dict[str, NDArray[np.float64]]] = []
        for seed in range(_RANDOM_SEEDS if baseline == "random" else 1):
            poses = run_baseline(baseline, episodes, seed)
            columns.append(score_trajectories(episodes, trajectory_nodes(episodes.source, episodes, poses)))
        scans = [episodes.world.scan(int(start)) for start in episodes.starts]
        return Scores(episodes.ids, scans, {name: np.stack([one[name] for one in columns]) for name in columns[0]})

    def training(self, arm: str) -> dict[str, float] | None:
        """What its trainings cost, averaged over seeds; None if none of them was done."""
        found = [read_numbers(trial.training, TRAINED) for trial in self.of(arm) if trial.training.is_file()]
        return {name: float(np.mean([one[name] for one in found])) for name in found[0]} if found else None

    def seconds_per_episode(self, arm: str, split: str) -> float | None:
        """Of an evaluation, averaged over seeds."""
        files = [
            trial.evaluation(one) / COST
            for trial in self.of(arm)
            for one in trial.evaluations
            if known_split(one.split) == split and one.condition is None and one.memory_steps is None
        ]
        costs = [read_numbers(file, ("seconds", "episodes")) for file in files]
        return float(np.mean([cost["seconds"] / cost["episodes"] for cost in costs])) if costs else None

    def agent_folder(self, arm: str) -> Path | None:
        """The saved agent of the arm's first seed."""
        trials = self.of(arm)
        return None if not trials else trials[0].agent or RunFolder(trials[0].run).best

    def results_file(self, arm: str, split: str) -> Path | None:
        """The result file of the arm's first seed."""
        for trial in self.of(arm)[:1]:
            for one in trial.evaluations:
                if known_split(one.split) == split and one.condition is None and one.memory_steps is None:
                    return trial.evaluation(one) / "results.json"
        return None

    def _text(self, split: str) -> str:
        """The split as runs read it."""
        for trial in self.trials:
            for one in trial.evaluations:
                if known_split(one.split) == split:
                    return one.split
        return self.data.split(split)


@dataclasses.dataclass(frozen=True)
class Difference:
    """How an arm compares with the study's reference."""

    arm: str
    metric: str
    gain: Interval
    verdict: bootstrap.Verdict
    probability: Interval
    """Of an improvement."""

    def formatted(self) -> str:
        """The arm and how far it is from the reference."""
        metric = METRICS[self.metric]
        gain = f"{self.arm} by {self.gain.value:+.{metric.decimals}f} {'points' if metric.is_rate else metric.unit}"
        if not self.gain.is_known:
            return gain
        return f"{gain} ({self.gain.low:+.{metric.decimals}f} to {self.gain.high:+.{metric.decimals}f})"


def differences(findings: Findings, condition: str | None = None) -> list[Difference]:
    """All arms against the reference, on the split on which the study compares them, as it is or in a condition."""
    study, found = findings.study, []
    reference = findings.scores(study.reference, study.compared_on, condition) if study.reference else None
    if reference is None:
        return []
    for arm in findings.arms:
        scores = findings.scores(arm, study.compared_on, condition)
        if arm == study.reference or scores is None:
            continue
        for metric in study.metrics:
            ours, theirs, sign = scores.sample(metric), reference.sample(metric), METRICS[metric].sign
            gain = bootstrap.difference(ours, theirs)
            probability = bootstrap.probability_of_improvement(ours, theirs, sign)
            found.append(Difference(arm, metric, gain, bootstrap.verdict(gain, sign), probability))
    return found


def read_episodes(path: Path, remedy: str = _REMEDY, metrics: tuple[Metric, ...] = ()) -> Scores:
    """The table of an evaluation's episodes; by default its columns are those of what walks are measured by."""
    content = read_bytes(path, "table of episodes").decode(errors="replace")
    try:
        rows = list(csv.DictReader(io.StringIO(content, newline="")))  # answers may hold whatever ends a line in a text
        named = metrics or tuple(one for one in NAVIGATION if rows and one.name in rows[0])
        columns = {one.name: np.array([[float(row[one.name]) for row in rows]]) for one in named}
        ids, scans = [row["id"] for row in rows], [row["scan"] for row in rows]
    except (csv.Error, KeyError, TypeError, ValueError):
        rows = []
    if not rows or not columns or not all((abs(column) < _LARGEST).all() for column in columns.values()):
        raise InputError(f"{path}: not a table of episodes; {remedy}.")
    return Scores(ids, scans, columns, named)


def read_numbers(path: Path, names: Collection[str]) -> dict[str, float]:
    """The numbers of these names that a trial wrote."""
    content = read_json(path, "record of a trial")
    for name in names:
        number = content.get(name) if isinstance(content, dict) else None
        if not isinstance(number, int | float) or not 0 <= number < _LARGEST:
            raise InputError(f"{path}: '{name}' is missing or no number that a trial writes; {_REMEDY}.")
    return {name: float(content[name]) for name in names}


def _joined(parts: list[Scores]) -> Scores:
    """The seeds together."""
    first = parts[0]
    if any(part.ids != first.ids for part in parts):
        raise InputError("seeds of one arm were evaluated on different episodes; run the study with another --out.")
    return Scores.of_seeds(parts)


def _of_folds(parts: list[Scores]) -> Scores:
    """The folds together, each of which has other buildings."""
    first, *_ = parts
    ids, buildings = ([one for part in parts for one in getattr(part, name)] for name in ("ids", "buildings"))
    columns = {name: np.concatenate([part.columns[name] for part in parts], axis=1) for name in first.columns}
    return Scores(ids, buildings, columns, first.metrics)


def _episodes(trial: Trial, split: str, condition: str | None, memory_steps: int | None = None) -> Path | None:
    """The table of a trial's evaluation; None where goals are secret, or it was not evaluated."""
    for one in trial.evaluations:
        file = trial.evaluation(one) / EPISODE_TABLE
        asked = known_split(one.split) == split and one.condition == condition and one.memory_steps == memory_steps
        if asked and file.is_file():
            return file
    return None
