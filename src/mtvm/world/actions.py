"""What an agent can do at a step: walk to one of several nodes, or stop.

Simulator, model, teacher, rewards, records and `Agent` all mean the same by an action: a column of the step's
`ActionSpace`. Usually the nodes are the candidates of the viewpoint, but any nodes of the same building will do.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ActionSpace:
    """The actions of B agents, the agent's nodes first and then STOP; A is the largest number of actions."""

    targets: NDArray[np.int64]
    """(B, A) the node that each action leads to; STOP leads to where the agent is. -1 pads."""
    stop: NDArray[np.int64]
    """(B,) the action that ends the episode, which is also the number of nodes that the agent can walk to."""

    @classmethod
    def of(cls, here: NDArray[np.integer], nodes: NDArray[np.integer]) -> ActionSpace:
        """The space of agents at `here` (B,) that can walk to `nodes` (B, K), -1 padded at the end, or stop."""
        stop = (nodes >= 0).sum(axis=1)
        targets = np.full((len(nodes), int(stop.max(initial=0)) + 1), -1, dtype=np.int64)
        targets[:, : nodes.shape[1]] = nodes[:, : targets.shape[1]]
        targets[np.arange(len(targets)), stop] = here
        return cls(targets, stop)

    def __len__(self) -> int:
        return len(self.stop)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(B, A) true for real actions."""
        return self.targets >= 0

    def is_stop(self, actions: ArrayLike) -> NDArray[np.bool_]:
        return np.asarray(actions) == self.stop

    def target_of(self, actions: ArrayLike) -> NDArray[np.int64]:
        """(B,) the node that each agent's action leads to."""
        actions = self.checked(actions)
        return self.targets[np.arange(len(self)), actions]

    def leading_to(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """(B,) the action that leads to each agent's node; STOP for the node where it is."""
        found = self.targets == np.asarray(nodes)[:, None]
        if not found.any(axis=1).all():
            row = int((~found.any(axis=1)).argmax())
            raise ValueError(f"no action of agent {row} leads to node {np.asarray(nodes)[row]}.")
        return np.where(found[np.arange(len(self)), self.stop], self.stop, found.argmax(axis=1))

    def checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """`actions` (B,) as integers, if every agent has the action that it is given."""
        actions = np.asarray(actions, dtype=np.int64)
        if actions.shape != self.stop.shape:
            raise ValueError(f"{len(self)} actions are needed, one for each agent; got shape {actions.shape}.")
        illegal = (actions < 0) | (actions > self.stop)
        if illegal.any():
            row = int(illegal.argmax())
            raise ValueError(
                f"action {actions[row]} of agent {row} is neither one of its {self.stop[row]} candidates nor STOP "
                f"({self.stop[row]})."
            )
        return actions
