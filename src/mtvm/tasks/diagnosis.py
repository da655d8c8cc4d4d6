"""Where it went wrong: each failed episode is given one mistake, the first of `MISTAKES` that is true of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import pad, without_stays
from mtvm.world.storeys import storeys

_NEAR = 1.5  # metres outside the radius
_EPISODES = 512  # at a time


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    meaning: str


MISTAKES = (
    Mistake("missed a waypoint", "ends at the goal, but did not pass a place that had to be passed"),
    Mistake("overshot", "was within the goal's radius, walked on, and stopped outside"),
    Mistake("near miss", f"stopped less than {_NEAR:g} m outside the goal's radius"),
    Mistake("stopped early", "stopped on the reference path, before its end"),
    Mistake("loop", "made the same move twice"),
    Mistake("wrong storey", "stopped on another storey than the goal's"),
    Mistake("wrong first turn", "left the reference path for good with its first move"),
    Mistake("wrong turn", "left the reference path for good with a later move"),
)
"""In the order in which they are looked for."""
NAMES = tuple(mistake.name for mistake in MISTAKES)


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """What went wrong in N episodes."""

    kind: NDArray[np.int8]
    """(N,) the mistake, as an index into `MISTAKES`; -1 for a success."""
    move: NDArray[np.int32]
    """(N,) the move, from 0, with which the agent left the reference path for good; -1 if it ends on it."""

    def names(self, rows: slice = slice(None)) -> list[str]:
        """The mistake of each episode, "" for a success."""
        return ["" if kind < 0 else NAMES[kind] for kind in self.kind[rows].tolist()]

    def moves(self) -> list[int | str]:
        """The wrong move of each failed episode, "" where there is none."""
        moves = zip(self.move.tolist(), self.kind.tolist(), strict=True)
        return [move if kind >= 0 and move >= 0 else "" for move, kind in moves]

    def counts(self) -> dict[str, int]:
        """How often each mistake was made."""
        found = np.bincount(self.kind[self.kind >= 0], minlength=len(MISTAKES)).tolist()
        return dict(zip(NAMES, found, strict=True))


def diagnose(
    episodes: EpisodeSet, nodes: Sequence[NDArray[np.integer]], columns: dict[str, NDArray[np.float64]]
) -> Diagnosis:
    """The mistakes of trajectories, given as nodes, whose metrics are `columns`."""
    found_on, radius = storeys(episodes.world), episodes.task.success.radius
    kind, move = np.full(len(episodes), -1, dtype=np.int8), np.full(len(episodes), -1, dtype=np.int32)
    for first in range(0, len(episodes), _EPISODES):
        rows = np.arange(first, min(first + _EPISODES, len(episodes)))
        walked = without_stays(pad([nodes[row] for row in rows.tolist()]))
        some = episodes.select(rows)
        move[rows] = leaves(walked, some.references)
        last = walked[np.arange(len(rows)), (walked >= 0).sum(axis=1) - 1]
        goals = np.where(some.goals >= 0, found_on[some.goals], -1)
        error = columns["NE"][rows]
        checks = (
            ((error < radius) | (error == 0)) & (some.via >= 0).any(axis=1),
            columns["OSR"][rows] > 0,
            error < radius + _NEAR,
            move[rows] < 0,
            _repeats(walked, len(episodes.world)),
            (goals != found_on[last][:, None]).all(axis=1),
            move[rows] == 0,
            np.ones(len(rows), dtype=bool),
        )
        mistake = np.argmax(np.stack(checks), axis=0)  # the first that is true
        kind[rows] = np.where(columns["SR"][rows] > 0, -1, mistake)
    return Diagnosis(kind, move)


def leaves(walked: NDArray[np.integer], references: NDArray[np.integer]) -> NDArray[np.int32]:
    """(N,) the move, from 0, after which an agent is off the reference path for good; -1 if it ends on it."""
    real = walked >= 0
    on_it = real & (walked[:, :, None] == references[:, None]).any(axis=2)
    last_on_it = walked.shape[1] - 1 - np.argmax(on_it[:, ::-1], axis=1)
    ends_on_it = last_on_it == real.sum(axis=1) - 1
    return np.where(ends_on_it, -1, last_on_it).astype(np.int32)


def _repeats(walked: NDArray[np.integer], nodes: int) -> NDArray[np.bool_]:
    """(N,) whether a trajectory makes the same move twice."""
    if walked.shape[1] < 3:
        return np.zeros(len(walked), dtype=bool)
    padding = -1 - np.arange(walked.shape[1] - 1)  # all different
    moves = np.where(walked[:, 1:] >= 0, walked[:, :-1].astype(np.int64) * nodes + walked[:, 1:], padding)
    moves.sort(axis=1)
    repeats: NDArray[np.bool_] = (moves[:, 1:] == moves[:, :-1]).any(axis=1)
    return repeats
