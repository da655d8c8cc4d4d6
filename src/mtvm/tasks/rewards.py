"""What a step earns: progress, arrival, and likeness to the reference path.

On stopping: 2 + 2 nDTW within 3 m of a goal, else -2. On walking: +1 or -1 by whether the goal came nearer, plus the
change of nDTW, and a penalty for leaving from within a metre of the goal. Where places are to be passed before, the way
to the goal leads by them, and stopping without them earns nothing.
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
    """The running account of a batch of episodes; it begins with the agents at their starts."""

    def __init__(self, episodes: EpisodeSet) -> None:
        starts, references, via, goals = (
            nodes.astype(np.int64) for nodes in (episodes.starts, episodes.references, episodes.via, episodes.goals)
        )
        self.world, self.references, self.way = episodes.world, references, WayAhead(episodes.world, via, goals)
        self.lengths = (references >= 0).sum(axis=1)
        self.distance = self.way.distance(starts)
        self._row = dynamic_time_warping_row(None, self._apart(starts))
        self.ndtw = self._likeness()

    def _apart(self, nodes: Nodes) -> Floats:
        return pair_distances(self.world, nodes[:, None], self.references)[:, 0]

    def _likeness(self) -> Floats:
        last = np.take_along_axis(self._row, self.lengths[:, None] - 1, axis=1)[:, 0]
        return normalized_dtw(last, self.lengths)

    def step(self, nodes: Nodes, stopped: NDArray[np.bool_]) -> Floats:
        """(B,) the rewards of a step after which the agents are at `nodes`; those that `stopped` did not move."""
        before, likeness = self.distance, self.ndtw
        row = dynamic_time_warping_row(self._row, self._apart(nodes))
        self._row = np.where(stopped[:, None], self._row, row)
        self.distance = self.way.distance(nodes)
        self.ndtw = self._likeness()
        arrival = np.where(self.way.arrived(self.distance), _ARRIVAL + _ARRIVAL * self.ndtw, -_ARRIVAL)
        progress = np.sign(before - self.distance) + (self.ndtw - likeness)
        missed = (before <= _MISS_RADIUS) & (self.distance - before > 0)
        penalty = np.where(missed, _ARRIVAL * (_MISS_RADIUS - before), 0.0)
        return np.where(stopped, arrival, progress - penalty)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Drop the episodes that have ended."""
        self.way.keep(rows)
        self.references, self.lengths = self.references[rows], self.lengths[rows]
        self.distance, self.ndtw, self._row = self.distance[rows], self.ndtw[rows], self._row[rows]
