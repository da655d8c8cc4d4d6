"""Evaluations that `mtvm eval` wrote, compared on the same episodes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.studies.findings import Scores, read_episodes
from mtvm.tasks import bootstrap
from mtvm.tasks.bootstrap import Interval
from mtvm.tasks.evaluation_folder import METRICS_FILE, read_manifest
from mtvm.tasks.results import EPISODE_TABLE

_REMEDY = "write it with 'mtvm eval'"


@dataclasses.dataclass(frozen=True)
class Compared:
    """One metric of a training, and how it differs from that of the first one."""

    mean: Interval
    deviation: float | None
    """Of the seeds' means; None of a single seed."""
    gain: Interval | None
    """None of the first one itself."""
    verdict: bootstrap.Verdict | None

    def as_numbers(self) -> dict[str, Any]:
        """For JSON, which has no NaN."""
        return {
            "mean": _bounds(self.mean),
            "deviation": self.deviation,
            "gain": None if self.gain is None else _bounds(self.gain),
            "verdict": self.verdict,
        }


def _bounds(interval: Interval) -> dict[str, float | None]:
    return {name: number if math.isfinite(number) else None for name, number in vars(interval).items()}


def compare(trainings: Sequence[Scores], metric: str) -> list[Compared]:
    """A metric of several trainings on the same episodes, against the first of them."""
    sign = trainings[0].metric(metric).sign
    samples = [scores.sample(metric) for scores in trainings]
    compared = []
    for number, (scores, sample) in enumerate(zip(trainings, samples, strict=True)):
        by_seed = scores.columns[metric].mean(axis=1)
        deviation = float(by_seed.std(ddof=1)) if len(by_seed) > 1 else None
        gain = bootstrap.difference(sample, samples[0]) if number else None
        verdict = bootstrap.verdict(gain, sign) if gain is not None else None
        compared.append(Compared(bootstrap.mean(sample), deviation, gain, verdict))
    return compared


def read_trainings(patterns: Sequence[str]) -> list[Scores]:
    """The evaluations of several trainings, which must be of the same episodes; see `read_seeds`."""
    found = [read_seeds(pattern) for pattern in patterns]
    for pattern, scores in zip(patterns, found, strict=True):
        if _episodes(scores) != _episodes(found[0]):
            difference = _first_difference(scores, found[0])
            raise InputError(
                f"{pattern}: holds other episodes than {patterns[0]}{difference}; compare evaluations of one split."
            )
    return _with_shared_metrics(found, patterns)


def read_seeds(pattern: str) -> Scores:
    """The evaluations of one training: a folder, or all folders that a pattern matches, each of another seed."""
    path = Path(pattern)
    folders = [path] if path.is_dir() else sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    if not folders:
        raise InputError(f"{pattern}: no such folder; 'mtvm eval RUN' writes RUN/eval/TASK-SPLIT.")
    seeds = [read_evaluation(folder) for folder in folders]
    for folder, seed in zip(folders, seeds, strict=True):
        if _episodes(seed) != _episodes(seeds[0]):
            difference = _first_difference(seed, seeds[0])
            raise InputError(f"{folder}: holds other episodes than {folders[0]}{difference}; give seeds of one split.")
    return Scores.of_seeds(_with_shared_metrics(seeds, folders))


def _with_shared_metrics(found: Sequence[Scores], names: Sequence[Path | str]) -> list[Scores]:
    """The same with what was measured of all of them: an agent that gave no answers has no metrics of answers."""
    shared = [name for name in found[0].columns if all(name in scores.columns for scores in found)]
    if not shared:
        raise InputError(f"{names[0]}: shares no metric with {names[-1]}; compare evaluations of one task.")
    return [
        dataclasses.replace(
            scores,
            columns={name: scores.columns[name] for name in shared},
            metrics=tuple(metric for metric in scores.metrics if metric.name in shared),
        )
        for scores in found
    ]


def _episodes(scores: Scores) -> list[tuple[str, str]]:
    """The ids and buildings of all episodes."""
    return list(zip(scores.ids, scores.buildings, strict=True))


def _first_difference(scores: Scores, others: Scores) -> str:
    """An episode that lies in another building, if the ids are the same."""
    if scores.ids == others.ids:
        for identity, one, other in zip(scores.ids, scores.buildings, others.buildings, strict=True):
            if one != other:
                return f" ({brief(identity)} is in {brief(one)} here, in {brief(other)} there)"
    return ""


def read_evaluation(folder: Path) -> Scores:
    """The metrics of each episode of an evaluation, in the order of their ids."""
    file = folder / EPISODE_TABLE
    if folder.is_dir() and not file.is_file():
        raise InputError(
            f"{folder}: has no {EPISODE_TABLE}; {_REMEDY}. Where goals are secret, there is nothing to compare."
        )
    manifest = read_manifest(folder, (EPISODE_TABLE, METRICS_FILE)) if (folder / METRICS_FILE).is_file() else None
    scores = read_episodes(file, _REMEDY, () if manifest is None else manifest.metrics)
    order = sorted(range(len(scores.ids)), key=scores.ids.__getitem__)
    return Scores(
        [scores.ids[row] for row in order],
        [scores.buildings[row] for row in order],
        {name: column[:, order] for name, column in scores.columns.items()},
        scores.metrics,
    )
