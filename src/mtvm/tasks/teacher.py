"""The teacher, which knows the right action at every viewpoint.

Training imitates it, the shortest-path baseline executes it, and the gymnasium environments report it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import pair_distances
from mtvm.world.actions import ActionSpace
from mtvm.world.explored import MapObservation

Follow = Literal["goal", "path"]
"""goal: lead by the shortest path to the end of the reference path, through `via`.
path: lead along the reference path; from elsewhere, to its first viewpoint that has not been reached yet.
Where stopping at that end is not right, both lead on to the goal that is nearest to it."""

Nodes = NDArray[np.int64]


class Teacher:
    """Leads a batch of agents from station to station, in order; at the last one they should stop."""

    def __init__(self, episodes: EpisodeSet, follow: Follow = "goal") -> None:
        self.world = episodes.world
        stations = _reference_stations(episodes) if follow == "path" else _goal_stations(episodes)
        self.stations = stations.astype(np.int64)
        """(B, S) nodes to reach, in order; -1 pads."""
        self.last = (stations >= 0).sum(axis=1) - 1
        """(B,) index of each agent's last station."""
        self.next = np.zeros(len(stations), dtype=np.int64)
        """(B,) index of the station that each agent is heading for."""

    def heading_for(self, here: Nodes) -> Nodes:
        """(B,) the station that each agent at `here` should walk to; its own node if it should stop."""
        rows = np.arange(len(self.last))
        while True:  # consecutive stations may be the same node
            station = self.stations[rows, self.next]
            reached = (station == here) & (self.next < self.last)
            if not reached.any():
                return station
            self.next += reached

    def actions(self, here: Nodes, space: ActionSpace | None = None) -> Nodes:
        """(B,) the right actions of agents at `here`, among those of `space`; by default, their candidates and STOP.

        It is the action that leads to the next node of the shortest path. If `space` lacks that node, it is the action
        through which the path to the station is shortest; if none leads there, it is STOP.
        """
        station = self.heading_for(here)
        slot = self.world.next_slot(here, station).astype(np.int64)
        if space is None:
            return np.where(slot < 0, self.world.degree[here], slot)
        following = np.where(slot < 0, -1, self.world.candidates[here, slot])
        targets = np.where(space.mask, space.targets, here[:, None])
        length = self.world.distance(here[:, None], targets) + self.world.distance(targets, station[:, None])
        length[targets == following[:, None]] = 0.0
        length[targets == here[:, None]] = np.inf
        stop = (station == here) | np.isinf(length).all(axis=1)
        return np.where(stop, space.stop, length.argmin(axis=1))

    def actions_on_map(self, seen: MapObservation) -> Nodes:
        """(B,) the right actions of agents that can walk to viewpoints which they saw earlier: to the unvisited one
        through which the way to the station is shortest. To a station where they have been, they go back."""
        station, space = self.heading_for(seen.node), seen.actions
        nearest = self.actions(seen.node, space)
        length = seen.distances + self.world.distance(
            np.where(seen.mask, seen.candidates, station[:, None]), station[:, None]
        )
        length[seen.visited | ~seen.mask] = np.inf
        if not length.shape[1]:
            return nearest
        unvisited = np.where(np.isinf(length).all(axis=1), nearest, length.argmin(axis=1))
        following = np.minimum(nearest, seen.count - 1)[:, None]
        back = np.take_along_axis(seen.visited, following, axis=1)[:, 0] & ~seen.has_been_at(station)
        return np.where(back & (nearest < space.stop), unvisited, nearest)

    def keep(self, rows: Nodes) -> None:
        """Keep only the agents at `rows`."""
        self.stations, self.last, self.next = self.stations[rows], self.last[rows], self.next[rows]

    def begin(self, rows: NDArray[np.bool_], other: Teacher) -> None:
        """Give the agents at `rows` the episodes of `other`, a teacher of as many agents."""
        width = max(self.stations.shape[1], other.stations.shape[1])
        self.stations = _padded(self.stations, width)
        self.stations[rows], self.last[rows], self.next[rows] = _padded(other.stations, width), other.last, other.next


def _reference_stations(episodes: EpisodeSet) -> NDArray[np.int32]:
    """The reference path after its start, or just the start if there is nothing after it, then where to stop."""
    rest = episodes.references[:, 1:]
    if rest.shape[1] == 0:
        rest = episodes.references
    rest = np.where((rest[:, :1] < 0) & (np.arange(rest.shape[1]) == 0), episodes.references[:, :1], rest)
    ends = _ends(episodes)
    if np.array_equal(ends, episodes.reference_ends):
        return rest
    count = (rest >= 0).sum(axis=1)
    rest = np.pad(rest, ((0, 0), (0, 1)), constant_values=-1)
    rest[np.arange(len(rest)), count] = ends
    return rest


def _ends(episodes: EpisodeSet) -> NDArray[np.int32]:
    """(N,) where agents are led to: the end of the reference path, or if stopping is not right there, the goal that is
    nearest to it."""
    ends, goals = episodes.reference_ends, episodes.goals
    if episodes.task.reward_to == "reference" or not episodes.has_goals:
        return ends
    apart = pair_distances(episodes.world, ends[:, None], goals)[:, 0]
    nearest = apart.min(axis=1)
    right = (nearest < episodes.task.success.radius) | (nearest == 0) | np.isinf(nearest)
    return np.where(right, ends, goals[np.arange(len(goals)), apart.argmin(axis=1)])


def _goal_stations(episodes: EpisodeSet) -> NDArray[np.int32]:
    """The nodes of `via`, then where to stop."""
    stations = np.pad(episodes.via, ((0, 0), (0, 1)), constant_values=-1)
    stations[np.arange(len(stations)), (episodes.via >= 0).sum(axis=1)] = _ends(episodes)
    return stations


def _padded(stations: Nodes, width: int) -> Nodes:
    return np.pad(stations, ((0, 0), (0, width - stations.shape[1])), constant_values=-1)
