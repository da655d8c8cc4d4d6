"""The folder of an evaluation: written as a whole, and checked by whoever reads it.

    results.json     trajectories and answers, as result files have them
    records.jsonl    text, trajectory, answer and metrics of each episode
    episodes.csv     the metrics alone; not there if the goals are secret
    steps.jsonl      what the agent did and thought at each step, if that was kept
    metrics.json     the split, the number of episodes and the mean of each metric
    manifest.json    the task, its metrics, the agent, and the SHA-256 of every file above

The folder is written beside its place and switched in one step, so that an evaluation is never half of one and half of
another. A folder without a manifest, of an older version, is checked by what its files say of each other.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import math
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtvm import __version__
from mtvm.errors import InputError, brief
from mtvm.io.files import atomic_path, json_text, read_json, write_json
from mtvm.progress import notice
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.events import STEPS, write_events
from mtvm.tasks.metric import NAVIGATION, Metric
from mtvm.tasks.metrics import Floats, summarize
from mtvm.tasks.results import EPISODE_TABLE, write_episode_table, write_results

RESULTS, RECORDS, METRICS_FILE, MANIFEST = "results.json", "records.jsonl", "metrics.json", "manifest.json"
FILES = (RESULTS, RECORDS, EPISODE_TABLE, STEPS, METRICS_FILE)
"""What a manifest lists, as far as it is there."""
_VERSION = 1
_REMEDY = "evaluate again with 'mtvm eval'"


@dataclasses.dataclass(frozen=True)
class Manifest:
    """What an evaluation says of itself."""

    task: str
    """The identity of the task: its name, or MODULE:NAME."""
    split: str
    metrics: tuple[Metric, ...]
    """What was measured, in the order of the tables."""
    agent: str = ""
    """Whose walks these are."""
    track: str = ""
    """What they may be compared with, by what the agent sees, such as captions only; empty if nobody knows."""


def write_evaluation(folder: Path, done: Evaluation, agent: str = "", track: str = "") -> None:
    """Write everything that is known of an evaluation. What else is in the folder stays there."""
    folder = Path(os.path.realpath(folder))  # a link to a folder stays a link
    with atomic_path(folder) as fresh:
        fresh.mkdir()
        _write_files(fresh, done)
        manifest = Manifest(done.episodes.task.identity, done.episodes.split, tuple(done.measured), agent, track)
        write_manifest(fresh, manifest)
        _keep_others(folder, fresh)
    done.folder = folder
    if done.refused:
        objects = done.episodes.task.answer == "object"
        what = "name no object that is seen from where the agent stopped" if objects else "are none"
        notice(f"{done.refused} of {len(done.episodes)} answers {what}, and do not count.")


def _write_files(folder: Path, done: Evaluation) -> None:
    episodes, trajectories, columns = done.episodes, done.trajectories(), done.columns()
    write_results(folder / RESULTS, episodes, trajectories, done.answers)
    with (folder / RECORDS).open("w", encoding="utf-8") as file:
        for row, identity in enumerate(episodes.ids):
            record: dict[str, Any] = {
                "id": identity,
                "scan": episodes.world.scan(int(episodes.starts[row])),
                "text": episodes.texts[row],
                "trajectory": [list(pose) for pose in trajectories[row]],
                "metrics": {name: round(float(column[row]), 4) for name, column in columns.items()},
            }
            if done.answers is not None:
                record["answer"] = done.answers[row]
            file.write(json_text(record) + "\n")
    if done.steps:
        write_events(folder / STEPS, (event for steps in done.steps for event in steps))
    if columns:
        write_episode_table(folder / EPISODE_TABLE, episodes, columns, done.answers)
    said = {"split": episodes.name, "episodes": len(episodes)}
    write_json(folder / METRICS_FILE, said | summarize(columns), indent=1)


def _keep_others(folder: Path, fresh: Path) -> None:
    """Copy what others have put into the folder, such as figures."""
    for item in sorted(folder.iterdir()) if folder.is_dir() else []:
        if item.name in (*FILES, MANIFEST) or item.name.startswith("."):
            continue
        if item.is_dir() and not item.is_symlink():
            shutil.copytree(item, fresh / item.name, symlinks=True)
        else:
            shutil.copy2(item, fresh / item.name, follow_symlinks=False)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of the files that are in a folder."""
    files = {name: _digest(folder / name) for name in FILES if (folder / name).is_file()}
    values = {"version": _VERSION, "mtvm": __version__} | dataclasses.asdict(manifest) | {"files": files}
    write_json(folder / MANIFEST, values, indent=1)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


# Reading


def read_manifest(folder: Path, names: Sequence[str] = FILES) -> Manifest:
    """What an evaluation says of itself, once its files are known to belong together; `names` are those to be read."""
    path = folder / MANIFEST
    if not path.is_file():
        return _older(folder, names)
    values = read_json(path, "manifest of an evaluation")
    manifest, files = _parsed(values, path)
    for name in names:
        if not (folder / name).is_file():
            continue
        if name not in files or _digest(folder / name) != files[name]:
            raise InputError(f"{folder}: {name} is not of the same evaluation as {MANIFEST}; {_REMEDY}.")
    return manifest


def _parsed(values: Any, path: Path) -> tuple[Manifest, dict[str, str]]:
    if not isinstance(values, dict) or not isinstance(values.get("version"), int):
        raise InputError(f"{path}: not the manifest of an evaluation; {_REMEDY}.")
    if values["version"] > _VERSION:
        raise InputError(f"{path}: a newer version of mtvm wrote this evaluation; update mtvm.")
    texts = [values.get("task"), values.get("split"), values.get("agent"), values.get("track", "")]
    files, metrics = values.get("files"), values.get("metrics")
    found = [Metric.from_plain(one) for one in metrics] if isinstance(metrics, list) else [None]
    known = tuple(metric for metric in found if metric is not None)
    sound = all(isinstance(text, str) and len(text) < 1000 for text in texts) and len(known) == len(found)
    if not sound or not isinstance(files, dict):
        raise InputError(f"{path}: not the manifest of an evaluation; {_REMEDY}.")
    task, split, agent, track = (str(text) for text in texts)
    return Manifest(task, split, known, agent, track), files


def read_metrics(folder: Path) -> dict[str, Any]:
    """The numbers of metrics.json, which must be of the same evaluation as the manifest."""
    values = _said(folder / METRICS_FILE)
    if (folder / MANIFEST).is_file():
        read_manifest(folder, (METRICS_FILE,))
    return values


def _said(path: Path) -> dict[str, Any]:
    values = read_json(path, "metrics of an evaluation")
    if not isinstance(values, dict):
        raise InputError(f"{path}: not the metrics of an evaluation; {_REMEDY}.")
    return values


def _older(folder: Path, names: Sequence[str]) -> Manifest:
    """What is known of an evaluation without a manifest, whose files must agree."""
    said = _said(folder / METRICS_FILE)
    task, _, split = str(said.get("split", "")).partition(" ")
    if not split:
        raise InputError(f"{folder / METRICS_FILE}: does not say which split was walked; evaluate again.")
    metrics = tuple(metric for metric in NAVIGATION if metric.name in said)
    listed: dict[str, list[str]] = {}
    if RESULTS in names and (folder / RESULTS).is_file():
        listed[RESULTS] = _ids_of(folder / RESULTS)
    if EPISODE_TABLE in names and (folder / EPISODE_TABLE).is_file():
        listed[EPISODE_TABLE], means = _means_of(folder / EPISODE_TABLE)
        for metric in metrics:
            mean, other = means.get(metric.name), said[metric.name]
            if mean is None or not _alike(mean, other):
                raise InputError(
                    f"{folder}: {EPISODE_TABLE} has a mean {metric.name} of {brief(mean)} and {METRICS_FILE} one of "
                    f"{brief(other)}, so they are of two evaluations; {_REMEDY}."
                )
    for name, ids in listed.items():
        if len(ids) != said.get("episodes", len(ids)):
            raise InputError(f"{folder}: {name} has {len(ids)} episodes and {METRICS_FILE} another number; {_REMEDY}.")
    if len(listed) == 2 and len({tuple(sorted(ids)) for ids in listed.values() if "" not in ids}) > 1:
        raise InputError(f"{folder}: {' and '.join(listed)} have different episodes; {_REMEDY}.")
    return Manifest(task, split, metrics)


def check_walks(folder: Path, columns: Mapping[str, Floats]) -> None:
    """Raise if walks whose metrics are `columns` are not those of an older evaluation's metrics.json."""
    path = folder / METRICS_FILE
    if (folder / MANIFEST).is_file() or "TL" not in columns:
        return  # a manifest says more
    said, walked = _said(path).get("TL"), float(columns["TL"].mean())
    if said is not None and not _alike(walked, said):
        raise InputError(
            f"{folder}: the walks of {RESULTS} are {walked:.2f} m long on average and those of {METRICS_FILE} "
            f"{brief(said)} m, so they are of two evaluations; {_REMEDY}."
        )


def _alike(mean: float, other: Any) -> bool:
    """Whether a number of metrics.json is this mean of rounded numbers."""
    is_number = isinstance(other, int | float) and abs(other) < 1e300  # larger ones overflow
    return is_number and math.isclose(mean, other, rel_tol=1e-5, abs_tol=1e-4)


def _ids_of(path: Path) -> list[str]:
    """The ids of a result file; what is wrong with it otherwise is for its own reader to say."""
    records = read_json(path, "result file")
    fields = ("instr_id", "inst_idx")
    found: Iterable[Any] = records if isinstance(records, list) else []
    return [
        str(next((record[field] for field in fields if field in record), ""))
        for record in found
        if isinstance(record, dict)
    ]


def _means_of(path: Path) -> tuple[list[str], dict[str, float]]:
    """The ids of a table of episodes, and the means of its numbers."""
    ids: list[str] = []
    sums: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                ids.append(str(row.pop("id")))
                for name, value in row.items():
                    if name not in ("scan", "answer"):
                        sums[name] = sums.get(name, 0.0) + float(value)
    except (OSError, csv.Error, KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path}: not a table of episodes; {_REMEDY}.") from None
    return ids, {name: total / len(ids) for name, total in sums.items()}
