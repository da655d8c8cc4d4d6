"""The training runs below a folder: their progress, differing options and curves.

Reads only the JSON files of a run, so it does not need torch.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from pathlib import Path
from typing import Any, Literal

from mtvm.configs.run import SelectionConfig
from mtvm.errors import InputError
from mtvm.io.config_files import differences
from mtvm.io.earlier_configs import run_as_today
from mtvm.io.files import read_json
from mtvm.learning.run_folder import CONFIG, RunFolder, Selection, find_recipes, find_run_folders, is_number
from mtvm.plugins import check_names
from mtvm.tasks.evaluation_folder import read_metrics
from mtvm.tasks.metric import METRICS

State = Literal["done", "stopped", "running?", "waiting"]

_PARTS = ("model", "data", "optimizer", "selection")
_SILENCE = 300.0
"""Seconds without output after which a run counts as stopped, unless its earlier pauses were longer."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """A recorded quantity over updates."""

    name: str
    kind: str
    """train, or the split that was evaluated."""
    updates: list[int]
    values: list[float]

    @property
    def title(self) -> str:
        return f"{self.name} in training" if self.kind == "train" else f"{self.name} on {self.kind}"

    def best(self) -> tuple[float, int] | None:
        """The best value and its update; None if neither high nor low values are better."""
        sign = direction(self.name)
        if not sign or not self.values:
            return None
        place = max(range(len(self.values)), key=lambda place: sign * self.values[place])
        return self.values[place], self.updates[place]


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """A run, as read from its folder."""

    name: str
    folder: Path
    config: dict[str, Any]
    lines: list[dict[str, Any]]
    """The lines of metrics.jsonl."""
    evaluations: dict[str, dict[str, Any]]
    """The metrics of the best weights by split, such as r2r-val_unseen."""
    written: float
    """When the run last wrote something, in seconds since the epoch."""
    stage: str = ""
    """Which stage of a recipe it is, such as 1 of 2."""
    begun: bool = True
    """False of a stage whose turn has not come."""

    @property
    def total(self) -> int:
        return int(self.config["optimizer"]["updates"])

    @property
    def update(self) -> int:
        """The last update in the record."""
        return max((line["update"] for line in self.lines), default=0)

    @property
    def trained_seconds(self) -> float | None:
        return next(reversed(self.curve("trained_seconds").values), None)

    @property
    def episodes_per_second(self) -> float | None:
        """The median over the record, which is robust against other work on the machine."""
        speeds = sorted(self.curve("episodes_per_second").values)
        return speeds[len(speeds) // 2] if speeds else None

    @functools.cached_property
    def selection(self) -> Selection:
        """The best weights so far."""
        return Selection.of(_selection_config(self.config)).replay(self.lines)

    def state(self, now: float) -> State:
        """Whether the run is done or, if not, has written something recently."""
        if not self.begun:
            return "waiting"
        if self.update >= self.total or self.selection.out_of_patience:
            return "done"
        moments = [0.0, *self.curve("trained_seconds").values]
        longest = max((later - earlier for earlier, later in itertools.pairwise(moments)), default=0.0)
        return "running?" if now - self.written < max(_SILENCE, 2 * longest) else "stopped"

    def curve(self, name: str) -> Curve:
        """The curve of a quantity; empty if it was not recorded."""
        split = self.selection.split
        kind = split if any(name in line for line in self.lines if line.get("kind") == split) else "train"
        points = [(line["update"], _number(line, name)) for line in self.lines if line.get("kind") == kind]
        real = [(update, value) for update, value in points if value is not None]
        return Curve(name, kind, [update for update, _ in real], [value for _, value in real])

    def recorded(self) -> set[str]:
        """The quantities that have a curve."""
        names = {name for line in self.lines for name in line} - {"update", "kind"}
        return {name for name in names if self.curve(name).values}


# Reading


def find_runs(folder: Path) -> list[Run]:
    """All runs below a folder, including the folder itself, sorted by path."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; give the folder that contains your runs.")
    runs = [read_run(place, folder) for place in find_run_folders(folder)]
    found = _with_stages([run for run in runs if run is not None], folder)
    if not found:
        raise InputError(f"{folder}: contains no runs; a run is a folder with a {CONFIG} written by 'mtvm train'.")
    return sorted(found, key=lambda run: run.folder.parts)


def read_run(folder: RunFolder, root: Path) -> Run | None:
    """The run in a folder, named by its path below `root`; None if its config is not that of a run."""
    config = run_as_today(read_json(folder.config_file, "config of a run"))
    if not isinstance(config, dict) or not all(isinstance(config.get(part), dict) for part in _PARTS):
        return None
    _check(config, folder.config_file)
    lines = folder.lines()
    evaluations = {name: _read_evaluation(path.parent) for name, path in folder.evaluations().items()}
    files = (folder.config_file, folder.record, folder.checkpoint)
    times = [file.stat().st_mtime for file in files if file.is_file()]
    return Run(_name_of(folder.path, root), folder.path, config, lines, evaluations, max(times, default=0.0))


def _with_stages(runs: list[Run], root: Path) -> list[Run]:
    """The runs, those of recipes with their stage, and the stages whose turn has not come."""
    found = {run.folder: run for run in runs}
    for recipe in find_recipes(root):
        content = run_as_today(read_json(recipe.recipe_file, "recipe"))
        stages = content.get("stages") if isinstance(content, dict) else None
        if not isinstance(stages, dict) or not isinstance(content.get("model"), dict):
            continue
        for number, (name, stage) in enumerate(stages.items(), start=1):
            place = recipe.path if number == len(stages) else recipe.path / name
            which = f"{name}, {number} of {len(stages)}"
            if place in found:
                found[place] = dataclasses.replace(found[place], stage=which)
            elif isinstance(stage, dict):
                config = {"model": content["model"], "data": content.get("data"), **stage}
                if all(isinstance(config.get(part), dict) for part in _PARTS):
                    _check(config, recipe.recipe_file)
                    found[place] = Run(_name_of(place, root), place, config, [], {}, 0.0, which, begun=False)
    return list(found.values())


def _name_of(place: Path, root: Path) -> str:
    return place.resolve().name if place == root else str(place.relative_to(root))


def _check(config: dict[str, Any], path: Path) -> None:
    selection = config["selection"]
    sound = {
        "optimizer.updates": _is_count(config["optimizer"].get("updates")),
        "selection.metric": selection.get("metric") is None or isinstance(selection["metric"], str),
        "selection.split": isinstance(selection.get("split"), str),
        "selection.patience": selection.get("patience") is None or _is_count(selection["patience"]),
    }
    for name, fine in sound.items():
        if not fine:
            raise InputError(f"{path}: {name} is missing or invalid; restore the file that 'mtvm train' wrote.")
    check_names(selection["split"], path, "selection.split")
    try:
        _selection_config(config)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _selection_config(config: dict[str, Any]) -> SelectionConfig:
    """The options that select the best weights; all others may come from an older or newer version."""
    selection = config["selection"]
    return SelectionConfig(selection["split"], selection.get("metric"), patience=selection.get("patience"))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_evaluation(folder: Path) -> dict[str, Any]:
    values = read_metrics(folder)
    return {name: value for name, value in values.items() if _number(values, name) is not None}


def _number(values: dict[str, Any], name: str) -> float | None:
    """The value of `name` if it is a finite number."""
    value: Any = values.get(name)
    return float(value) if is_number(value) else None


def direction(name: str) -> int:
    """1 if high values are better, -1 if low ones are, 0 if neither."""
    if name in METRICS:
        return METRICS[name].sign
    if name == "loss" or name.endswith("_imitation"):
        return -1
    return 1 if name.endswith(("_success", "_return")) else 0


# Comparing


def differing_options(runs: list[Run]) -> dict[str, dict[str, Any]]:
    """The options other than `out` that differ between runs, each with its value in every run that has it."""
    names = {name for run in runs[1:] for name in differences(runs[0].config, run.config)} - {"out"}
    found: dict[str, dict[str, Any]] = {}
    for name in sorted(names):
        *groups, last = name.split(".")
        found[name] = {}
        for run in runs:
            place: Any = run.config
            for group in groups:
                place = place.get(group) if isinstance(place, dict) else None
            if isinstance(place, dict) and last in place:
                found[name][run.name] = place[last]
    return found


def chosen_curves(runs: list[Run], folder: Path, metric: str | None = None) -> list[list[Curve]]:
    """Each run's curves of the loss and of its selection metric, or of `metric`; only recorded ones."""
    names = {name for run in runs for name in run.recorded()}
    if metric is not None and metric not in names:
        there = f"there are {', '.join(sorted(names))}" if names else "nothing is recorded yet"
        raise InputError(f"{folder}: no run has recorded '{metric}'; {there}.")
    wanted = [(metric,) if metric is not None else ("loss", run.selection.metric) for run in runs]
    curves = [[run.curve(name) for name in some] for run, some in zip(runs, wanted, strict=True)]
    return [[curve for curve in some if curve.values] for some in curves]


def as_json(runs: list[Run], curves: list[list[Curve]], folder: Path, now: float | None = None) -> dict[str, Any]:
    """Everything that `show` prints, as plain values."""
    now = time.time() if now is None else now
    listed = []
    for run, some in zip(runs, curves, strict=True):
        selection = run.selection
        best = {"split": selection.split, "metric": selection.metric, "best": selection.best, "update": None}
        if selection.best is not None:
            best["update"] = selection.update
        listed.append(
            {
                "name": run.name,
                "folder": str(run.folder),
                "state": run.state(now),
                "stage": run.stage,
                "update": run.update,
                "updates": run.total,
                "out_of_patience": selection.out_of_patience,
                "trained_seconds": run.trained_seconds,
                "episodes_per_second": run.episodes_per_second,
                "selection": best,
                "evaluations": run.evaluations,
                "curves": [dataclasses.asdict(curve) for curve in some],
            }
        )
    return {"folder": str(folder), "runs": listed, "differences": differing_options(runs)}
