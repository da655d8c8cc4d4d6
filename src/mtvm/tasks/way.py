"""How far it still is: by way of the places that come first, to the nearest goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.metrics import SUCCESS_RADIUS, goal_distance, shortest_length
from mtvm.world.world import World

Nodes = NDArray[np.integer]


class WayAhead:
    """What lies ahead of a batch of agents, step by step."""

    def __init__(self, world: World, via: Nodes, goals: Nodes) -> None:
        self.world, self.goals = world, goals.copy()
        self.via = via.copy()
        """(N, V) what is still to be passed."""

    def begin(self, rows: NDArray[np.bool_], via: Nodes, goals: Nodes) -> None:
        """Give the agents at `rows` other ways."""
        self.via[rows], self.goals[rows] = via, goals

    def distance(self, nodes: Nodes) -> NDArray[np.float64]:
        """(N,) metres left from where the agents are now; what they are near counts as passed from now on."""
        nobody = np.full((len(nodes), 1), -1)
        for _ in range(self.via.shape[1]):
            near = goal_distance(self.world, nodes[:, None], self.via[:, :1]) < SUCCESS_RADIUS
            self.via = np.where(near, np.concatenate([self.via[:, 1:], nobody], axis=1), self.via)
        return shortest_length(self.world, nodes, self.via, self.goals)

    def arrived(self, distance: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(N,) whether stopping is right at this `distance`."""
        return (self.via < 0).all(axis=1) & (distance < SUCCESS_RADIUS)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Drop the episodes that have ended."""
        self.via, self.goals = self.via[rows], self.goals[rows]
