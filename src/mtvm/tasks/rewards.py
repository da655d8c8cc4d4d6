"""Rewards for progress, for stopping at a goal, and for following the reference path.

Stopping earns 2 + 2 nDTW where the task says that it is right (in most tasks within 3 m of a goal), else -2. Walking
earns +1 or -1 for getting closer to the goal or farther away, plus the change in nDTW, minus a penalty for leaving from
within 1 m of the goal. If there are viewpoints to pass first (`via`), distances lead through them, and stopping before
they are passed is a failure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import dynamic_time_warping_row, normalized_dtw, pair_distances
from mtvm.tasks.way import WayAhead

Floats = NDArray[np.float64]
Nodes = NDArray[np.int64]

_ARRIVAL = 2.0
_MISS_RADIUS = 1.0


class Rewards:
    """Computes the rewards of a batch of agents step by step, from their `starts` on."""

    def __init__(self, episodes: EpisodeSet) -> None:
        ends = episodes.goals if episodes.task.reward_to == "goals" else episodes.reference_ends[:, None]
        starts, references, via, goals = (
            nodes.astype(np.int64) for nodes in (episodes.starts, episodes.references, episodes.via, ends)
        )
        self.world, self.references, self.way = (
            episodes.world,
            references,
            WayAhead(episodes.world, via, goals, episodes.task.success.radius),
        )
        self.lengths = (references >= 0).sum(axis=1)
        self.node, self.distance = starts, self.way.distance(starts)
        self._row = dynamic_time_warping_row(None, self._apart(starts))
        self.ndtw = self._ndtw()

    def _apart(self, nodes: Nodes) -> Floats:
        return pair_distances(self.world, nodes[:, None], self.references)[:, 0]

    def _ndtw(self) -> Floats:
        last = np.take_along_axis(self._row, self.lengths[:, None] - 1, axis=1)[:, 0]
        return normalized_dtw(last, self.lengths)

    def step(self, nodes: Nodes, stopped: NDArray[np.bool_]) -> Floats:
        """(B,) the rewards of a step that led the agents along `nodes` (B, H), -1 pads; those in `stopped` stay."""
        distance, ndtw = self.distance, self.ndtw
        for reached in nodes.T:
            there = reached >= 0
            self.node = np.where(there, reached, self.node)
            row = dynamic_time_warping_row(self._row, self._apart(self.node))
            self._row = np.where(there[:, None], row, self._row)
            self.distance = self.way.distance(self.node)
        self.ndtw = self._ndtw()
        arrival = np.where(self.way.arrived(self.distance), _ARRIVAL + _ARRIVAL * self.ndtw, -_ARRIVAL)
        progress = np.sign(distance - self.distance) + (self.ndtw - ndtw)
        missed = (distance <= _MISS_RADIUS) & (self.distance > distance)
        penalty = np.where(missed, _ARRIVAL * (_MISS_RADIUS - distance), 0.0)
        return np.where(stopped, arrival, progress - penalty)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only the agents at `rows`."""
        self.way.keep(rows)
        self.references, self.lengths = self.references[rows], self.lengths[rows]
        self.node = self.node[rows]
        self.distance, self.ndtw, self._row = self.distance[rows], self.ndtw[rows], self._row[rows]
