"""Episodes: the instruction, the start, the reference path and the goals.

A set of episodes is stored as arrays of `World` nodes for rollouts, rewards and metrics; `episodes[i]` is one episode
with viewpoint ids.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.world.world import World

if TYPE_CHECKING:
    from mtvm.tasks.objects import SeenObjects
    from mtvm.tasks.spec import TaskSpec


@dataclasses.dataclass(frozen=True, slots=True)
class Episode:
    """One episode, with ids instead of nodes."""

    id: str
    scan: str
    text: str
    start: str
    heading: float
    reference: tuple[str, ...]
    via: tuple[str, ...]
    goals: tuple[str, ...]
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """What the task's reader adds, such as the object that is asked for."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class EpisodeSet:
    """N episodes of one split of a task."""

    task: TaskSpec
    split: str
    source: Path
    world: World
    ids: list[str]
    """The episodes' ids in result files."""
    texts: list[str]
    """The instructions; for NDH the dialogs, with role markers and the target."""
    headings: NDArray[np.float64]
    """(N,) initial headings."""
    references: NDArray[np.int32]
    """(N, P) nodes of the reference path, from the start on; -1 pads. Only the start if the goal is secret."""
    via: NDArray[np.int32]
    """(N, V) nodes that the agent must pass, in this order, before it stops at a goal; -1 pads. V is 0 if only the end
    matters, as in R2R."""
    goals: NDArray[np.int32]
    """(N, G) goals, any of which is a right place to stop; -1 pads. G is 0 if the goal is secret."""
    extra: Mapping[str, NDArray[Any] | list[Any]] = dataclasses.field(default_factory=dict)
    """What a task's reader adds, by name: a value for each episode, such as its language. `answer` is the right one."""
    objects: SeenObjects | None = None
    """What is seen from where, if the task asks for an object."""
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The task's options with which these were read."""

    def __post_init__(self) -> None:
        for name, values in self.extra.items():
            if len(values) != len(self):
                raise ValueError(f"extra '{name}' has {len(values)} values for {len(self)} episodes")

    def __repr__(self) -> str:
        buildings = len(set(self.world.scan_of_node[self.starts].tolist()))
        return f"EpisodeSet({self.name}: {len(self)} episodes, {buildings} building{'s' * (buildings != 1)})"

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> Episode:
        names, path, via, goals = self.world.viewpoints, self.references[index], self.via[index], self.goals[index]
        reference = names[path[path >= 0]].tolist()
        return Episode(
            id=self.ids[index],
            scan=self.world.scan(self.starts[index]),
            text=self.texts[index],
            start=reference[0],
            heading=float(self.headings[index]),
            reference=tuple(reference),
            via=tuple(names[via[via >= 0]].tolist()),
            goals=tuple(names[goals[goals >= 0]].tolist()),
            extra={name: _plain(values[index]) for name, values in self.extra.items()},
        )

    def __iter__(self) -> Iterator[Episode]:
        return (self[index] for index in range(len(self)))

    @property
    def name(self) -> str:
        """Task and split: `r2r val_unseen`."""
        return f"{self.task.name} {self.split}"

    @property
    def starts(self) -> NDArray[np.int32]:
        return self.references[:, 0]

    @property
    def reference_lengths(self) -> NDArray[np.int64]:
        """(N,) number of nodes in each reference path."""
        return (self.references >= 0).sum(axis=1)

    @property
    def reference_ends(self) -> NDArray[np.int32]:
        """(N,) last node of each reference path, which is the teacher's goal."""
        return np.take_along_axis(self.references, self.reference_lengths[:, None] - 1, axis=1)[:, 0]

    @property
    def has_goals(self) -> bool:
        return self.goals.shape[1] > 0

    def select(self, rows: ArrayLike) -> EpisodeSet:
        """The episodes at `rows`, in that order."""
        rows = np.asarray(rows)
        chosen = np.arange(len(self))[rows if rows.size else np.zeros(0, dtype=int)]
        return dataclasses.replace(
            self,
            ids=[self.ids[row] for row in chosen],
            texts=[self.texts[row] for row in chosen],
            headings=self.headings[chosen],
            references=self.references[chosen],
            via=self.via[chosen],
            goals=self.goals[chosen],
            extra={
                name: values[chosen] if isinstance(values, np.ndarray) else [values[row] for row in chosen]
                for name, values in self.extra.items()
            },
        )


def _plain(value: Any) -> Any:
    """Numbers of an array as Python has them."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value
