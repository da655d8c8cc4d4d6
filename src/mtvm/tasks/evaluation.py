"""What an agent did on a split, and how good that was."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.events import StepEvent
from mtvm.tasks.metric import Metric
from mtvm.tasks.metrics import Floats, score_trajectories, summarize
from mtvm.tasks.results import Pose, trajectories


@dataclasses.dataclass(repr=False)
class Evaluation:
    """What an agent did on a split."""

    episodes: EpisodeSet
    nodes: NDArray[np.int64]
    """(N, T) nodes visited, -1 padded."""
    views: NDArray[np.int64]
    """(N, T) the views faced there."""
    steps: list[list[StepEvent]]
    """What each episode did and thought at each step, if asked for."""
    seconds: float
    answers: list[str | None] | None = None
    """What it answered in each episode; None if it gives no answers, or the task asks for none."""
    folder: Path | None = None
    """Where it was written."""
    measures: tuple[Metric, ...] = ()
    """What the agent's steps say in numbers beside the task's metrics, added up for each episode."""
    refused: int = dataclasses.field(default=0, init=False)
    """Answers that do not count, since they are none to the task: an object has to be seen from where the agent is in
    the end."""

    def __post_init__(self) -> None:
        if self.answers is None or self.episodes.task.answer is None or not any(self.answers):
            self.answers = None
        else:
            valid = _valid(self.episodes, self.nodes, self.answers)
            self.refused = len(self.answers) - self.answers.count(None) - (len(valid) - valid.count(None))
            self.answers = valid

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.2f}" for name, value in self.metrics().items())
        return f"Evaluation({self.episodes.name}: {len(self.episodes)} episodes, {means or 'goals are secret'})"

    @functools.cached_property
    def _columns(self) -> dict[str, Floats]:
        found = score_trajectories(self.episodes, self.nodes, self.answers) if self.episodes.has_goals else {}
        return found | {measure.name: self._summed(measure.name) for measure in self.measures}

    def _summed(self, name: str) -> Floats:
        """(N,) what the steps' details of this name add up to."""
        return np.array([sum(_number(event.details, name) for event in steps) for steps in self.steps], dtype=float)

    @property
    def measured(self) -> list[Metric]:
        """The metrics of its columns, in the order of the tables."""
        return [*self.episodes.task.metrics_in(self._columns), *self.measures]

    def columns(self) -> dict[str, Floats]:
        """Each metric of each episode; of the task's nothing where the goals are secret."""
        return self._columns

    def metrics(self) -> dict[str, float]:
        """The mean of each metric; of the task's nothing where the goals are secret."""
        return summarize(self._columns)

    def trajectories(self) -> list[list[Pose]]:
        """Its walks as result files have them."""
        return trajectories(self.episodes, self.nodes, self.views)


def _number(details: Any, name: str) -> float:
    """The number of this name; 0 if there is none."""
    for part in name.split("."):
        details = details.get(part) if isinstance(details, dict) else None
    return float(details) if isinstance(details, int | float) else 0.0


def _valid(episodes: EpisodeSet, nodes: NDArray[np.int64], answers: list[str | None]) -> list[str | None]:
    """The answers, without those that are none to the task."""
    said = [answer if answer is not None and episodes.task.is_answer(answer) else None for answer in answers]
    if episodes.objects is None:
        return said
    ends = nodes[np.arange(len(nodes)), (nodes >= 0).sum(axis=1) - 1]
    seen = episodes.objects.answerable(ends, said)
    return [answer if fine else None for answer, fine in zip(said, seen, strict=True)]
