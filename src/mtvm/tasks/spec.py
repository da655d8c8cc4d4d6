"""A task's description: its files, how to read them, and how agents are taught, judged and submitted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mtvm.tasks.episode import EpisodeSet
    from mtvm.tasks.records import KnownScans, MakeWorld
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
    read: Callable[[Path, str, KnownScans, MakeWorld, str], EpisodeSet]
    """Reads a file. Arguments: path, split, known scans, a function that loads the scans that occur, supervision.
    `load_episodes` sets `EpisodeSet.task` of the result."""
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
    selection_metric: str = "SPL"
    """The metric that selects the best checkpoint."""
    headline_metrics: tuple[str, ...] = ("SR", "SPL")
    """The metrics shown where there is no room for all."""
    id_field: str = COMMON_ID_FIELD
    """The field of result files that holds an episode's id."""
    id_type: type[str] | type[int] = str
    """The type of ids in result files."""
    truncation: Literal["start", "end"] = "end"
    """Which end of a text is dropped if it is too long."""
    max_text: int = 80
    """Length of texts in WordPieces, above which they are truncated."""
    goals_form_a_region: bool = False
    """Whether an episode's goals are the viewpoints of a region, in which some codebases ask the agent to stop."""
    has_supervision: bool = False
    """Whether `supervision` changes the reference paths."""
