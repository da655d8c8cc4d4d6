"""What a report is redrawn from when the folders of its trials are gone, in two small files beside it.

episodes.csv.xz   a row for each episode of each evaluation: evaluation, id, scan, and of each trial the study's
                  metrics to two decimals, in columns that are named "TRIAL METRIC"
trials.json       each trial: its arm, preset, seed and config, and what its training and evaluations cost
"""

from __future__ import annotations

import csv
import dataclasses
import io
import lzma
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.io.files import atomic_path, json_text, read_bytes, read_json, write_json
from mtvm.io.unpacking import unpacked_xz
from mtvm.studies.trial import COST, Trial
from mtvm.tasks.metric import METRICS
from mtvm.tasks.results import EPISODE_TABLE

EPISODES, TRIALS = "episodes.csv.xz", "trials.json"
_NAME = re.compile(r"\w[\w.@-]*")
_FIRST = ("evaluation", "id", "scan")

Rows = dict[tuple[str, str, str], dict[str, str]]
"""By evaluation, id and scan, in the order of the episodes: the values of the columns."""


def keep(trials: Sequence[Trial], metrics: Sequence[str], folder: Path) -> None:
    """Write both files; trials that failed are left out."""
    rows: Rows = {}
    told: dict[str, Any] = {}
    for trial in {trial.folder: trial for trial in trials if trial.is_done}.values():
        name = trial.folder.name
        evaluations = {one.name: trial.evaluation(one) for one in trial.evaluations}
        told[name] = {
            "arm": trial.arm,
            "preset": trial.preset,
            "seed": trial.seed,
            "config": None if trial.config is None else trial.config.to_dict(),
            **({} if trial.fold is None else {"fold": trial.fold}),
            "training": read_json(trial.training, "record of a trial") if trial.training.is_file() else None,
            "evaluations": {
                evaluation: read_json(place / COST, "record of a trial") if (place / COST).is_file() else None
                for evaluation, place in evaluations.items()
            },
        }
        for evaluation, place in evaluations.items():
            if (place / EPISODE_TABLE).is_file():  # where goals are secret, there is none
                _add(rows, evaluation, place / EPISODE_TABLE, name, metrics)
    columns = [f"{name} {metric}" for name in told for metric in metrics]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_FIRST, *columns])
    for (evaluation, identity, scan), values in rows.items():
        writer.writerow([evaluation, identity, scan, *(values.get(column, "") for column in columns)])
    (folder / EPISODES).write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))
    (folder / TRIALS).write_text(json_text(told, indent=1) + "\n", encoding="utf-8")


def _add(rows: Rows, evaluation: str, table: Path, trial: str, metrics: Sequence[str]) -> None:
    content = read_bytes(table, "table of episodes").decode(errors="replace")
    for row in csv.DictReader(io.StringIO(content, newline="")):
        if not {"id", "scan"} <= row.keys():
            raise _damaged(table)
        values = rows.setdefault((evaluation, row["id"], row["scan"]), {})
        there = [metric for metric in metrics if metric in row]
        values.update({f"{trial} {metric}": _to_two_decimals(row[metric], table) for metric in there})


def _to_two_decimals(value: str, table: Path) -> str:
    """A centimetre or a hundredth of a percent; more digits are most of the file, and no report shows them."""
    try:
        return f"{round(float(value), 2):.10g}"
    except ValueError:
        raise _damaged(table) from None


def restore(folder: Path, trials: Path) -> None:
    """Make the folders of the trials that a report's folder keeps, unless they are there."""
    if not (folder / EPISODES).is_file() or not (folder / TRIALS).is_file():
        return
    tables = _tables(folder / EPISODES)
    for name, cost in _told(folder).items():
        if (trials / name).exists():
            continue
        with atomic_path(trials / name) as fresh:
            if cost.get("training") is not None:
                write_json(fresh / "training.json", cost["training"], indent=1)
            for evaluation, seconds in cost["evaluations"].items():
                if not _NAME.fullmatch(evaluation):
                    raise _damaged(folder / TRIALS)
                place = fresh / "evaluations" / evaluation
                place.mkdir(parents=True)
                if seconds is not None:
                    write_json(place / COST, seconds, indent=1)
                if (evaluation, name) in tables:
                    with (place / EPISODE_TABLE).open("w", encoding="utf-8", newline="") as file:
                        csv.writer(file).writerows(tables[evaluation, name])


def as_kept(trial: Trial, folder: Path) -> Trial:
    """The trial, or if it is not done, the one of the same arm, preset and seed that the report's folder keeps, with
    the config that it had."""
    if trial.is_done or not (folder / TRIALS).is_file():
        return trial
    for name, cost in _told(folder).items():
        kept_as = tuple(cost.get(name) for name in ("arm", "preset", "seed", "fold"))
        if kept_as == (trial.arm, trial.preset, trial.seed, trial.fold):
            plain = cost.get("config")
            config = trial.config if plain is None else TrainConfig.from_dict(plain, folder / TRIALS)
            kept = dataclasses.replace(trial, folder=trial.folder.with_name(name), config=config)
            return kept if kept.is_done else trial
    return trial


def _told(folder: Path) -> dict[str, Any]:
    """By the names of their folders: the trials that a report's folder keeps."""
    told = read_json(folder / TRIALS, "record of a study")
    parts = list(told.items()) if isinstance(told, dict) else [("", None)]
    for name, cost in parts:
        if not _NAME.fullmatch(name) or not isinstance(cost, dict) or not isinstance(cost.get("evaluations"), dict):
            raise _damaged(folder / TRIALS)
    return dict(parts)


def _tables(path: Path) -> dict[tuple[str, str], list[list[str]]]:
    """By evaluation and trial: the rows of the table of episodes that was kept."""
    content = unpacked_xz(read_bytes(path, "table of a study"), path)
    try:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise _damaged(path) from None
    if not rows or tuple(rows[0][:3]) != _FIRST or any(len(row) != len(rows[0]) for row in rows):
        raise _damaged(path)
    places: dict[str, dict[str, int]] = {}
    for place, column in enumerate(rows[0][3:], 3):
        trial, _, metric = column.rpartition(" ")
        if metric not in METRICS:
            raise _damaged(path)
        places.setdefault(trial, {})[metric] = place
    tables: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows[1:]:
        for trial, metrics in places.items():
            values = [row[place] for place in metrics.values()]
            if all(values):
                head = ["id", "scan", *metrics]
                tables.setdefault((row[0], trial), [head]).append([row[1], row[2], *values])
    return tables


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: not what 'mtvm study run' keeps of trials; remove it, and run the study again.")
