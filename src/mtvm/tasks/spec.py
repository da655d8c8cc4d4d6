"""A task's description: its files, how to read them, and how agents are taught, judged and submitted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mtvm.errors import InputError, brief
from mtvm.tasks.definitions import Success
from mtvm.tasks.metric import NAVIGATION, Metric
from mtvm.tasks.metrics import Measure, navigation_metrics

if TYPE_CHECKING:
    from mtvm.tasks.episode import EpisodeSet
    from mtvm.tasks.records import TaskFile
    from mtvm.tasks.teacher import Follow

COMMON_ID_FIELD = "instr_id"


def _accept_any(path: Path) -> bool:
    return True


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """Everything that is particular to a task. For a task of your own, `dataclasses.replace` one that is similar.

    Callables should be functions of a module, not lambdas, so that episodes can be pickled.
    """

    name: str
    """Name on the command line and in configs, such as `r2r`."""
    title: str
    """Name for people, such as `R2R`."""
    remedy: str
    """What `mtvm doctor` suggests if no file of the task is found."""
    file_names: Callable[[str], list[str]]
    """The released file names of a split, the preferred one first."""
    read: Callable[[TaskFile], EpisodeSet]
    """Reads a file. The task of its episodes is `TaskFile.task`, unless the reader knows better."""
    horizon: Callable[[str], int]
    """Steps after which an episode is cut off, given the supervision."""
    splits: tuple[str, ...] = ("train", "val_train_seen", "val_seen", "val_unseen", "test")
    """The usual splits."""
    accepts: Callable[[Path], bool] = _accept_any
    """Whether a file of the right name belongs to the task, for names that other datasets use too."""
    augmented: bool = False
    """Whether its instructions were made by a program: generated, or joined from those of another task."""
    follow: Follow = "goal"
    """Where the teacher leads: by the shortest path to the goal, or along the reference path."""
    reward_to: Literal["goals", "reference"] = "goals"
    """Where progress is rewarded to and stopping is right in training: the goals of the metrics, or the end of the
    reference path, for tasks whose supervision ends elsewhere than at their goals."""
    success: Success = dataclasses.field(default_factory=Success)
    """Where stopping is right: within a radius of a goal, or at one of the viewpoints that are the episode's goals."""
    success_elsewhere: tuple[tuple[str, Success], ...] = ()
    """The same as the code of HAMT or DUET has it, by name."""
    metrics: tuple[Metric, ...] = NAVIGATION
    """What is measured, in the order of the tables."""
    measure: Measure = navigation_metrics
    """Computes them: (episodes, walks, answers) -> a value for each episode, by the names of `metrics`; rates in
    percent. A metric may be missing where nothing can be said, as of answers that were not given."""
    answer: Literal["object", "text"] | None = None
    """What an agent answers beside walking: the id of an object that it sees in the end, a text, or nothing."""
    answer_field: str = "answer"
    """The field of result files that holds an episode's answer."""
    selection_metric: str = "SPL"
    """The metric that selects the best checkpoint."""
    headline_metrics: tuple[str, ...] = ("SR", "SPL")
    """The metrics shown where there is no room for all."""
    id_field: str = COMMON_ID_FIELD
    """The field of result files that holds an episode's id."""
    id_type: type[str] | type[int] = str
    """The type of ids in result files."""
    submission: Literal["trajectories", "paths"] = "trajectories"
    """What its leaderboard takes. trajectories: a result file. paths: JSON lines of ids and viewpoints."""
    truncation: Literal["start", "end"] = "end"
    """Which end of a text is dropped if it is too long."""
    max_text: int = 80
    """Length of texts in WordPieces, above which they are truncated."""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What can be chosen when episodes are read, by name: the values that are known, the first one by default."""
    origin: str = ""
    """MODULE:NAME of a task that is not built in, as `find_task` found it."""

    @property
    def has_supervision(self) -> bool:
        """Whether `supervision` changes the reference paths."""
        return "supervision" in dict(self.options)

    def chosen(self, given: Mapping[str, str]) -> dict[str, str]:
        """The value of every option; those that are not given are what they are by default."""
        known = dict(self.options)
        for name, value in given.items():
            if name not in known:
                has = f"has only {', '.join(known)}" if known else "has none"
                raise InputError(f"task {self.name} has no option '{brief(name)}'; it {has}.")
            if value not in known[name]:
                raise InputError(f"unknown {name} '{brief(value)}'; give one of {', '.join(known[name])}.")
        return {name: given.get(name, values[0]) for name, values in known.items()}

    @property
    def identity(self) -> str:
        """What finds this task again: its name, or MODULE:NAME."""
        return self.origin or self.name

    def metric(self, name: str) -> Metric | None:
        return next((metric for metric in self.metrics if metric.name == name), None)

    def metrics_in(self, names: Collection[str]) -> list[Metric]:
        """Those of its metrics that are among `names`, in the order of the tables."""
        return [metric for metric in self.metrics if metric.name in names]

    def is_answer(self, text: str) -> bool:
        """Whether this can be an answer: of an object its number, which is all digits."""
        return self.answer == "text" or (
            self.answer == "object" and text.isascii() and text.isdigit() and len(text) < 19
        )
