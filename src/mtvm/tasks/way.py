"""Remaining distance to the nearest goal, through the viewpoints still to be passed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.definitions import SUCCESS_RADIUS
from mtvm.tasks.metrics import goal_distance, shortest_length
from mtvm.world.world import World

Nodes = NDArray[np.integer]


class WayAhead:
    """Tracks what a batch of agents has yet to pass, and how far they have to go."""

    def __init__(self, world: World, via: Nodes, goals: Nodes, radius: float = SUCCESS_RADIUS) -> None:
        self.world, self.goals = world, goals.copy()
        self.radius = radius
        """How near to a goal stopping is a success; 0 means at it."""
        self.via = via.copy()
        """(N, V) nodes still to be passed; -1 pads."""

    def begin(self, rows: NDArray[np.bool_], via: Nodes, goals: Nodes) -> None:
        """Start new episodes for the agents at `rows`."""
        self.via[rows], self.goals[rows] = via, goals

    def distance(self, nodes: Nodes) -> NDArray[np.float64]:
        """(N,) remaining distance of agents that have come to `nodes`. They pass what lies within 3 m."""
        padding = np.full((len(nodes), 1), -1)
        for _ in range(self.via.shape[1]):
            near = goal_distance(self.world, nodes[:, None], self.via[:, :1]) < SUCCESS_RADIUS
            self.via = np.where(near, np.concatenate([self.via[:, 1:], padding], axis=1), self.via)
        return shortest_length(self.world, nodes, self.via, self.goals)

    def arrived(self, distance: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(N,) whether stopping at this remaining `distance` is a success."""
        return (distance < self.radius) | (distance == 0)  # what is still to be passed is farther away

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only the agents at `rows`."""
        self.via, self.goals = self.via[rows], self.goals[rows]
