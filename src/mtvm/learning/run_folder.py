"""A run's folder: what its files are called, what they say, and which weights are the best.

    config.json      every option
    metrics.jsonl    the record, see `record.py`
    checkpoint.pt    the state to resume from; checkpoint-before.pt is the one before it
    products.json    how the run multiplies, see `mtvm.products`
    best/            the best agent so far
    guesser.safetensors    if the agent sees guesses, the networks that make them; in best/ too
    boxes.safetensors      the same of those that guess names of boxes
    eval/TASK-SPLIT/ results.json, metrics.json, episodes.csv, records.jsonl and steps.jsonl of the best agent
    tensorboard/     curves
    recipe.json      if this is a recipe: its config; its earlier stages are runs in folders of their own here
    lock             held by the process that trains here

Trainer, `mtvm runs`, reports and viewers all go through this module, which needs no torch.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, get_args

from mtvm.configs.data import DataConfig, Split
from mtvm.configs.recipe import RecipeConfig
from mtvm.configs.run import Products, SelectionConfig, TrainConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError, brief
from mtvm.io.config_files import completed, differences
from mtvm.io.files import check_links, read_json, remove_leftovers, write_json
from mtvm.io.locks import lock
from mtvm.learning.record import RECORD, read_record
from mtvm.models.config import ModelConfig
from mtvm.tasks.metric import METRICS

CONFIG, CHECKPOINT, BEST, EVALUATIONS, TENSORBOARD = "config.json", "checkpoint.pt", "best", "eval", "tensorboard"
BEFORE, PRODUCTS, RECIPE = "checkpoint-before.pt", "products.json", "recipe.json"
GUESSER, BOXES = "guesser.safetensors", "boxes.safetensors"
_LOCK = "lock"
_WRITTEN = (CONFIG, CHECKPOINT, BEFORE, RECORD, PRODUCTS, BEST, GUESSER, BOXES, EVALUATIONS, TENSORBOARD, RECIPE, _LOCK)
_EARLIER = "training.json"
"""What a speaker's config was called when the speaker itself was where a run's config is now."""
_JSON = re.compile(r"\.jsonl?(\.gz)?$")
_MAY_CHANGE = (
    "device",
    "log_every",
    "save_minutes",
    "tensorboard",
    "out",
    "data.folder",
    "data.features",
    "data.guesser",
    "data.box_guesser",
    "optimizer.products",
    "data.evaluate",
)
"""Options that do not change what is learned, apart from rounding. Data may move; that it is the same data is checked
on resuming."""


class RunFolder:
    """The folder of a run, which may not be there yet."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.config_file = self.path / CONFIG
        self.recipe_file = self.path / RECIPE
        self.checkpoint = self.path / CHECKPOINT
        self.before = self.path / BEFORE
        self.products = self.path / PRODUCTS
        self.best = self.path / BEST
        self.record = self.path / RECORD

    @property
    def kept_products(self) -> str | None:
        """How the run multiplies; None for runs of before there was a choice."""
        if not self.products.is_file():
            return None
        kept = read_json(self.products, "how the run multiplies")
        kind = kept.get("kind") if isinstance(kept, dict) else None
        if kind not in get_args(Products):
            raise InputError(
                f"{self.products}: does not say how the run multiplies; give --optimizer.products mkl or onednn."
            )
        return str(kind)

    @property
    def is_run(self) -> bool:
        return self.config_file.is_file()

    def config(self) -> TrainConfig:
        """The config of an agent's run, with the folder and the networks that guess names where they are now."""
        content = self._content()
        if _is_speakers(content):
            raise InputError(f"{self.path}: a speaker was trained here, not an agent; see 'mtvm speaker --help'.")
        config = TrainConfig.from_dict(content, self.config_file)
        return dataclasses.replace(config, out=self.path, data=with_guesser_of(self.path, config.data))

    def speaker_config(self) -> SpeakerConfig:
        """The config of a speaker's run, with the folder where it is now."""
        file = self.path / _EARLIER
        content = read_json(file, "config of a speaker's training") if file.is_file() else self._content()
        if not _is_speakers(content):
            raise InputError(
                f"{self.path}: has no config of a speaker's training, which says what the speaker sees; copy it from "
                "where it was trained."
            )
        config = SpeakerConfig.from_dict(content, file if file.is_file() else self.config_file)
        return dataclasses.replace(config, out=self.path)

    def recipe(self) -> RecipeConfig | None:
        """The recipe whose stages are here, with the folder where it is now."""
        if not self.recipe_file.is_file():
            return None
        config = RecipeConfig.from_dict(read_json(self.recipe_file, "recipe"), self.recipe_file)
        return dataclasses.replace(config, out=self.path)

    def resumed_config(self) -> TrainConfig | SpeakerConfig | RecipeConfig:
        """The config with which the run goes on."""
        if (recipe := self.recipe()) is not None:
            return recipe
        return self.speaker_config() if _is_speakers(self._content()) else self.config()

    def _content(self) -> Any:
        """What is in the config's file."""
        if not self.is_run:
            raise InputError(f"{self.path}: no run is here ({CONFIG} is missing); 'mtvm runs' lists runs.")
        content = read_json(self.config_file, "config of a run")
        if isinstance(content, dict) and not content.keys() & {"out", "model", "data"}:
            raise InputError(f"{self.path}: not a run ({CONFIG} is something else).")
        return content

    def write_config(self, config: TrainConfig | SpeakerConfig) -> None:
        write_json(self.config_file, config.to_dict(), indent=1)

    def check(self, config: TrainConfig | SpeakerConfig) -> None:
        """Raise if another run than that of `config` is here."""
        if (self.path / _EARLIER).is_file():
            raise InputError(
                f"{self.path}: holds a speaker of an earlier version of mtvm, which can be used but not trained on; "
                "name another folder with --out."
            )
        if not self.is_run:
            if self.checkpoint.is_file():
                raise InputError(f"{self.path}: has a checkpoint but no {CONFIG}; name another folder with --out.")
            return
        there = read_json(self.config_file, "config of a run")
        if not isinstance(there, dict):
            raise InputError(f"{self.config_file}: not the config of a run; name another folder with --out.")
        if _is_speakers(there) != isinstance(config, SpeakerConfig):
            raise InputError(f"{self.path}: another kind of run is there; name another folder with --out.")
        what, remedy = "a run with another config is there", "name another folder"
        refuse_changes(config.as_today(there), config, self.path, what, "there", remedy)

    def lines(self) -> list[dict[str, Any]]:
        """The lines of the record."""
        return read_record(self.path)

    def evaluation(self, split: Split) -> Path:
        """The folder of the best agent's evaluation on a split. A file of a user's own may be called like a split of
        the task, so that its folder is named too."""
        name = split.split
        if "/" in name or _JSON.search(name):
            file = Path(name).absolute()
            name = f"{file.parent.name}-{_JSON.sub('', file.name)}"
        elsewhere = "" if split.folder is None else f"{split.folder.absolute().name}-"
        return self.path / EVALUATIONS / f"{elsewhere}{split.task.name}-{name}"

    def evaluations(self) -> dict[str, Path]:
        """The metrics files of all evaluations, by TASK-SPLIT."""
        files = sorted(self.path.glob(f"{EVALUATIONS}/*/metrics.json"))
        return {file.parent.name: file for file in files if file.is_file()}

    def check_links(self, stages: Iterable[str] = ()) -> None:
        """Raise if something that is written here, by a recipe in its stages too, is a link that leads elsewhere."""
        check_links(self.path, (*_WRITTEN, *stages))

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from training here, and clear up after one that was killed.

        The lock file is never replaced, and the system lets go of it when we end, however we end. What is refused
        before anything else was written leaves no folder behind.
        """
        missing = [place for place in (self.path, *self.path.parents) if not place.is_dir()]
        self.check_links()
        with self._locked_file():
            try:
                for place, _, _ in os.walk(self.path):
                    remove_leftovers(Path(place))
                yield
            except BaseException:
                if missing and [item.name for item in self.path.iterdir()] == [_LOCK]:
                    (self.path / _LOCK).unlink()
                    with contextlib.suppress(OSError):
                        for folder in missing:
                            folder.rmdir()
                raise

    @contextlib.contextmanager
    def _locked_file(self) -> Iterator[None]:
        try:
            file = self._open_lock()
        except OSError as error:
            raise InputError(f"{self.path}: cannot write there ({error.strerror}).") from None
        with file:
            if (
                lock(file.fileno()) is False or os.fstat(file.fileno()).st_nlink == 0
            ):  # gone: a process that was refused
                raise InputError(
                    f"{self.path}: another process is training here; wait for it, or name another folder with --out."
                )
            yield

    def _open_lock(self) -> IO[str]:
        self.path.mkdir(parents=True, exist_ok=True)
        return (self.path / _LOCK).open("a")

    def clear(self) -> None:
        """Remove everything, unless another process trains here."""
        with self.lock():
            for item in self.path.iterdir():
                if item.name != _LOCK:
                    shutil.rmtree(item) if item.is_dir() and not item.is_symlink() else item.unlink()


def _is_speakers(content: Any) -> bool:
    """Whether a plain config is that of a speaker's training."""
    return isinstance(content, dict) and "validate_on" in content


def guesser_of(path: Path, name: str = GUESSER) -> Path | None:
    """The networks that guess names (or, of another file name, other networks) for a run, or for an agent or a file of
    weights in it."""
    folder = path if path.is_dir() else path.parent
    files = (place / name for place in (folder, folder / BEST, folder.parent))
    return next((file for file in files if file.is_file()), None)


def with_guesser_of(path: Path, data: DataConfig) -> DataConfig:
    """What an agent at `path` reads, with its own networks that guess names if it sees guesses and has some."""
    if data.sees_guesses:
        data = dataclasses.replace(data, guesser=guesser_of(path) or data.guesser)
    if data.sees_boxes:
        data = dataclasses.replace(data, box_guesser=guesser_of(path, BOXES) or data.box_guesser)
    return data


def refuse_changes(
    there: dict[str, Any], config: TrainConfig | SpeakerConfig, path: Path, what: str, where: str, remedy: str
) -> None:
    """Raise if a config differs from the plain one that is there in anything that changes what is learned.

    Options that are not there, since they are newer than the run, were what they are by default.
    """
    usual = TrainConfig(config.out, ModelConfig()) if isinstance(config, TrainConfig) else SpeakerConfig(config.out)
    for name, (before, now) in differences(completed(there, usual.to_dict()), config.to_dict()).items():
        if name not in _MAY_CHANGE and not (name == "init" and _has_moved(before, now)):
            raise InputError(
                f"{path}: {what} ({name} is {brief(before)} {where}, {brief(now)} here); {remedy} with --out."
            )


def _has_moved(before: Any, now: Any) -> bool:
    """Whether what a run started from was at one path and is now at another."""
    if not isinstance(before, str) or not isinstance(now, str):
        return False
    was, is_ = Path(before), Path(now)
    return was.parts[-2:] == is_.parts[-2:] and is_.exists() and not was.exists()


def find_run_folders(folder: Path) -> list[RunFolder]:
    """All folders with a config below a folder, itself included, except those inside a run."""
    found = []
    for place, below, files in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        if CONFIG in files and (run := RunFolder(place)).is_run:
            found.append(run)
            below[:] = [name for name in below if name not in (BEST, EVALUATIONS, TENSORBOARD)]
    return found


def find_recipes(folder: Path) -> list[RunFolder]:
    """All folders of recipes below a folder, itself included."""
    found = []
    for place, below, files in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        if RECIPE in files:
            found.append(RunFolder(place))
    return found


@dataclasses.dataclass
class Selection:
    """Which weights are the best: those with the best value of a metric on the validation split, ties by SR."""

    split: str
    metric: str
    patience: int | None = None
    best: float | None = None
    """The best value so far."""
    update: int = 0
    """After which update it was reached."""
    validations_since: int = 0
    tie: float = -math.inf
    sign: int = 0
    """-1 if a lower value of the metric is better, else 1; by default as of the walks' metric of this name."""

    def __post_init__(self) -> None:
        if not self.sign:
            self.sign = -1 if self.metric in METRICS and METRICS[self.metric].sign < 0 else 1

    @classmethod
    def of(cls, config: SelectionConfig) -> Selection:
        split, name = Split.parse(config.split), config.metric_name
        metric = split.task.metric(name)
        return cls(split.name, name, config.patience, sign=-1 if metric is not None and metric.sign < 0 else 1)

    def consider(self, update: int, metrics: Mapping[str, float]) -> bool:
        """Take in a validation; whether its weights are the best so far."""
        if self.metric not in metrics:
            raise InputError(f"selection.metric {self.metric} was not measured on {self.split}; name another.")
        value, tie = metrics[self.metric], metrics.get("SR", -math.inf)
        if self.best is not None and (self.sign * value, tie) <= (self.sign * self.best, self.tie):
            self.validations_since += 1
            return False
        self.best, self.tie, self.update, self.validations_since = value, tie, update, 0
        return True

    @property
    def formatted(self) -> str:
        """The best value."""
        return f"{self.best:.{3 if self.metric == 'loss' else 1}f}"

    @property
    def out_of_patience(self) -> bool:
        return self.patience is not None and self.validations_since >= self.patience

    def replay(self, lines: Iterable[Mapping[str, Any]]) -> Selection:
        """Take in all validations of a record."""
        for line in lines:
            numbers = {name: value for name, value in line.items() if is_number(value)}
            if line.get("kind") == self.split and self.metric in numbers:
                self.consider(line["update"], numbers)
        return self

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps; the rest is up to the config."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name != "sign"}

    def resumed(self, state: Mapping[str, Any]) -> Selection:
        """The same selection as it was in a checkpoint."""
        return dataclasses.replace(self, **state)


def is_number(value: Any) -> bool:
    """Whether a value of a record can be counted with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
