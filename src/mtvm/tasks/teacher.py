"""The teacher: at every viewpoint, the action of somebody who knows the way.

Training imitates it, the shortest-path baseline is it, and the gymnasium environments tell what it would do.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.world.actions import ActionSpace

Follow = Literal["goal", "path"]
"""goal: take the shortest way to the end of the reference path, by way of what is to be passed first (`via`).
path: walk along the reference path; from elsewhere, go to its first viewpoint that was not reached yet."""

Nodes = NDArray[np.int64]


class Teacher:
    """Leads a batch of agents through the viewpoints that their episodes ask for, in order, to the last one."""

    def __init__(self, episodes: EpisodeSet, follow: Follow = "goal") -> None:
        self.world = episodes.world
        stations = _reference_stations(episodes) if follow == "path" else _goal_stations(episodes)
        self.stations = stations.astype(np.int64)
        """(B, S) the viewpoints to reach, -1 padded."""
        self.last = (stations >= 0).sum(axis=1) - 1
        self.next = np.zeros(len(stations), dtype=np.int64)
        """(B,) which station each agent is heading for."""

    def heading_for(self, here: Nodes) -> Nodes:
        """(B,) the station that each agent at `here` should walk to; the agent's own node when it should stop."""
        rows = np.arange(len(self.last))
        while True:  # several stations in a row may be the same viewpoint
            station = self.stations[rows, self.next]
            reached = (station == here) & (self.next < self.last)
            if not reached.any():
                return station
            self.next += reached

    def actions(self, here: Nodes, space: ActionSpace | None = None) -> Nodes:
        """(B,) what the agents at `here` should do: an action of `space`, which by default has their candidates.

        Where a space does not have the next viewpoint of the way, it is the action on whose way the station is nearest.
        """
        station = self.heading_for(here)
        if space is None:
            slot = self.world.next_slot(here, station).astype(np.int64)
            return np.where(slot < 0, self.world.degree[here], slot)
        targets = np.where(space.mask, space.targets, here[:, None])
        detour = self.world.distance(here[:, None], targets) + self.world.distance(targets, station[:, None])
        detour[~space.mask | (targets == here[:, None])] = np.inf
        return np.where(station == here, space.stop, detour.argmin(axis=1))

    def keep(self, rows: Nodes) -> None:
        """Drop all agents but those at `rows`: the others have ended."""
        self.stations, self.last, self.next = self.stations[rows], self.last[rows], self.next[rows]

    def begin(self, rows: NDArray[np.bool_], other: Teacher) -> None:
        """Give the agents at `rows` the episodes of another teacher."""
        width = max(self.stations.shape[1], other.stations.shape[1])
        self.stations = _padded(self.stations, width)
        self.stations[rows], self.last[rows], self.next[rows] = _padded(other.stations, width), other.last, other.next


def _reference_stations(episodes: EpisodeSet) -> NDArray[np.int32]:
    """The reference path after its start, or the start where there is nothing else."""
    rest = episodes.references[:, 1:]
    if rest.shape[1] == 0:
        return episodes.references
    return np.where((rest[:, :1] < 0) & (np.arange(rest.shape[1]) == 0), episodes.references[:, :1], rest)


def _goal_stations(episodes: EpisodeSet) -> NDArray[np.int32]:
    """The nodes of `via`, then the end of the reference path."""
    stations = np.pad(episodes.via, ((0, 0), (0, 1)), constant_values=-1)
    stations[np.arange(len(stations)), (episodes.via >= 0).sum(axis=1)] = episodes.reference_ends
    return stations


def _padded(stations: Nodes, width: int) -> Nodes:
    return np.pad(stations, ((0, 0), (0, width - stations.shape[1])), constant_values=-1)
