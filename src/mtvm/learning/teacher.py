"""Whom the agent imitates: at every place, the next step of somebody who knows the way."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtvm.tasks.episode import EpisodeSet

Follow = Literal["goal", "path"]

Nodes = NDArray[np.int64]


class Teacher:
    """Says where the agents should be heading.

    goal: to the end of the reference path, by the shortest way. path: to the first viewpoint of the reference path that
    was not yet reached in its order, so that an agent which strays is led back to where it left.
    """

    def __init__(self, episodes: EpisodeSet, follow: Follow) -> None:
        self.follow = follow
        self.references = episodes.references.astype(np.int64)
        self.last = episodes.reference_lengths - 1
        self.reached = np.zeros(len(episodes), dtype=np.int64)

    def heading_for(self, nodes: Nodes) -> Nodes:
        """(B,) the node to walk to, from where the agents are now; to stop, where it is their own."""
        rows = np.arange(len(self.last))
        if self.follow == "path":
            while True:  # a reference may stay where it is for several steps
                following = self.references[rows, np.minimum(self.reached + 1, self.last)]
                arrived = (self.reached < self.last) & (following == nodes)
                if not arrived.any():
                    return following
                self.reached += arrived
        return self.references[rows, self.last]

    def keep(self, rows: Nodes) -> None:
        """Drop the episodes that have ended."""
        self.references, self.last, self.reached = self.references[rows], self.last[rows], self.reached[rows]
