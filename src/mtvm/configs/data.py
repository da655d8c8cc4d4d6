"""What a run reads, and what of it the agent sees, as plain dataclasses: nothing here imports torch."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Literal

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import available_splits, task_file
from mtvm.tasks.ndh import Supervision
from mtvm.tasks.registry import find_task
from mtvm.tasks.spec import TaskSpec
from mtvm.tasks.teacher import Follow

SIGHTS = ("names", "captions", "guesses", "aligned", "described", "described-aligned")
"""What can be made of a data folder for the agent to see; `mtvm.learning.sight` says more."""
GUESSES = frozenset(SIGHTS) - {"names", "captions"}
"""Those that networks guess."""
BLIND = "blind"
_VALIDATION = {"val_seen", "val_unseen"}
BoxSight = Literal["views", "detections"]


@dataclasses.dataclass(frozen=True)
class Split:
    """A split of a task: `r2r/train`, `prevalent/aug@0.5` with a weight, or `DIR::ndh/train` of another data folder."""

    task: TaskSpec
    split: str
    weight: float = 1.0
    folder: Path | None = None
    """The data folder of buildings that are not in the run's own."""

    @classmethod
    def parse(cls, text: str) -> Split:
        folder, elsewhere, named = text.rpartition("::")
        if elsewhere and not folder:
            raise InputError(f"'{text}' names no data folder before the ::, as DIR::TASK/SPLIT does.")
        name, _, weight = named.partition("@")
        task, _, split = name.partition("/")
        if not split:
            raise InputError(f"'{text}' is not TASK/SPLIT or TASK/SPLIT@WEIGHT, such as r2r/val_unseen.")
        try:
            number = float(weight or 1)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise InputError(f"'{text}': the weight after @ must be a number above 0.")
        return cls(find_task(task), split, number, Path(folder) if elsewhere else None)

    @property
    def name(self) -> str:
        elsewhere = "" if self.folder is None else f"{self.folder.name}::"
        return f"{elsewhere}{self.task.name}/{self.split}"

    def data(self, folder: DataFolder) -> DataFolder:
        """Its own data folder, or else the run's."""
        return folder if self.folder is None else DataFolder(self.folder)


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """What is read."""

    folder: Path | None = None
    """Data folder; default $MTVM_DATA."""
    features: Path | None = None
    """Feature store of the views, as `mtvm features` writes it."""
    sight: str | None = None
    """What the agent sees where no store is given. names: features of the annotated names of rooms and objects.
    captions: features of what an image model said of each view. guesses: names guessed from captions. aligned: the
    same, with a score for how well each word of the instruction matches each direction. described, described-aligned:
    the same two, guessed also from what a second image model said and a detector found (langnav.jsonl). Several are
    joined by +, as captions+names. blind: nothing but the directions in which it can walk."""
    guesser: Path | None = None
    """The networks that guess names, guesser.safetensors of an agent; by default those of --init, or else they learn on
    the buildings that are trained on."""
    boxes: BoxSight = "views"
    """What an agent that points at objects, and is not told the names that people gave to them, knows of their boxes.
    views: what it sees of the views that show them. detections: names that networks guess from what a detector and an
    image model said of the boxes (langnav.jsonl)."""
    box_guesser: Path | None = None
    """The networks that guess names of boxes, boxes.safetensors of an agent; by default those of --init, or else they
    learn on the buildings that are trained on."""
    train: tuple[str, ...] = ("r2r/train",)
    """Splits to train on, as TASK/SPLIT or TASK/SPLIT@WEIGHT; they take turns in proportion to their weights. Those of
    another data folder, with buildings of its own, are DIR::TASK/SPLIT."""
    evaluate: tuple[str, ...] | None = None
    """Splits on which the best agent is evaluated at the end; by default val_seen and val_unseen of the tasks that are
    trained on, as far as they are there."""
    supervision: Supervision = "mixed"
    """NDH: whose path is the reference."""
    follow: Follow | None = None
    """Whether the teacher takes the shortest way to the goal, or walks along the reference path. By default the task
    decides: the path for R4R and long, the goal for the others."""
    mirror: bool = False
    """Walk half of the training episodes in mirrored buildings: left is right, in the directions and in the text."""
    turn: bool = False
    """Turn the building of each training episode by a random angle, so that north, which the memory's directions refer
    to, means nothing."""
    environment_dropout: float = 0.0
    """Share of a view's features that are dropped everywhere in a building while an episode is trained on, so that the
    building becomes another one (EnvDrop)."""
    horizon: int | None = None
    """Steps after which a walk is cut; by default the task's: 15 for R2R, 30 for R4R and long, 20 or 80 for NDH."""

    def __post_init__(self) -> None:
        for text in (*self.train, *(self.evaluate or ())):
            Split.parse(text)
        if self.features is not None and any("::" in text for text in (*self.train, *(self.evaluate or ()))):
            raise InputError(
                "data.features has the buildings of one data folder; to train in those of several, give --data.sight."
            )
        if not self.train:
            raise InputError("data.train names no split.")
        if self.sight != BLIND and not self._sights <= set(SIGHTS):
            raise InputError(
                f"data.sight '{self.sight}' is neither {BLIND} nor made of {', '.join(SIGHTS)}, joined by +; a feature "
                "store is given with --data.features."
            )
        if len(GUESSES & self._sights) > 1:
            raise InputError(
                f"data.sight '{self.sight}': guesses, aligned, described and described-aligned are all guessed names; "
                "name one of them."
            )
        if not 0 <= self.environment_dropout < 1:
            raise InputError(f"data.environment_dropout must lie from 0 to below 1, not {self.environment_dropout}.")
        if self.horizon is not None and self.horizon < 1:
            raise InputError(f"data.horizon must be at least 1, not {self.horizon}.")

    def splits_to_evaluate(self, folder: DataFolder | None = None) -> tuple[str, ...]:
        """The splits on which the best agent is evaluated: those that were named, or else what there is in the data
        folder, which may be open already."""
        if self.evaluate is not None:
            return self.evaluate
        trained_on = [split for split in map(Split.parse, self.train) if split.folder is None]
        tasks = {split.task.identity: split.task for split in trained_on}
        if all(not _VALIDATION & set(task.splits) for task in tasks.values()):
            tasks = {"r2r": find_task("r2r")}  # what is augmented, and has no splits to evaluate on
        opened = folder or DataFolder.resolve(self.folder)
        return tuple(
            f"{name}/{split}"
            for name, task in tasks.items()
            for split in available_splits(opened, task)
            if split in _VALIDATION
        )

    def check_splits_to_evaluate(self, folder: DataFolder | None = None) -> None:
        """Raise if one of them is not there, before an hour of training."""
        own = folder or DataFolder.resolve(self.folder)
        for text in self.splits_to_evaluate(own):
            split = Split.parse(text)
            opened = own if split.folder is None else DataFolder(split.folder)
            if not (file := task_file(opened, split.task, split.split)).is_file():
                raise InputError(f"data.evaluate {text}: {file} is not there.")

    @property
    def _sights(self) -> set[str]:
        return set() if self.sight is None else set(self.sight.split("+"))

    @property
    def sees_guesses(self) -> bool:
        """Whether names that are guessed from captions are among what the agent sees."""
        return self.features is None and bool(GUESSES & self._sights)

    @property
    def sees_alignment(self) -> bool:
        """Whether it also sees how well each word of an instruction matches each direction."""
        return self.features is None and bool({"aligned", "described-aligned"} & self._sights)

    @property
    def sees_described(self) -> bool:
        """Whether names are also guessed from what a second image model said and a detector found."""
        return self.features is None and bool({"described", "described-aligned"} & self._sights)

    @property
    def track(self) -> str | None:
        """What results of such an agent may be compared with; None where a store of the user's decides."""
        if self.features is not None or self.sight is None:
            return None
        if self.sight == BLIND or "names" in self._sights:
            return self.sight if self.sight == BLIND else "privileged"
        return "captions and detections" if self.sees_described or self.boxes == "detections" else "captions only"

    @property
    def sees_boxes(self) -> bool:
        """Whether names that are guessed of boxes are among what it sees."""
        return self.boxes == "detections" and self.track not in (BLIND, "privileged")

    def follow_of(self, task: TaskSpec) -> Follow:
        """What the teacher follows."""
        return self.follow or task.follow

    def horizon_of(self, task: TaskSpec) -> int:
        """Steps after which a walk of this task is cut."""
        return self.horizon or task.horizon(self.supervision)
