"""Action spaces: at each step an agent walks to one of several nodes, or stops.

The simulator, the model, the teacher and `Agent` number actions alike: an action is a column of the step's
`ActionSpace`. Usually the nodes are the viewpoint's candidates, but any reachable nodes of the building can be used.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ActionSpace:
    """The actions of B agents: the nodes that each can walk to, then STOP. A is the largest number of actions."""

    targets: NDArray[np.int64]
    """(B, A) the node that each action leads to, which for STOP is the agent's own; -1 pads."""
    stop: NDArray[np.int64]
    """(B,) the action that ends the episode. It equals the number of nodes that the agent can walk to."""

    @classmethod
    def of(cls, here: NDArray[np.integer], nodes: NDArray[np.integer]) -> ActionSpace:
        """The actions of agents at `here` (B,) that can walk to `nodes` (B, K), padded with -1 at the end, or stop."""
        stop = (nodes >= 0).sum(axis=1)
        targets = np.full((len(nodes), int(stop.max(initial=0)) + 1), -1, dtype=np.int64)
        targets[:, : nodes.shape[1]] = nodes[:, : targets.shape[1]]
        targets[np.arange(len(targets)), stop] = here
        return cls(targets, stop)

    def __len__(self) -> int:
        return len(self.stop)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(B, A) true for actions, false for padding."""
        return self.targets >= 0

    def is_stop(self, actions: ArrayLike) -> NDArray[np.bool_]:
        return np.asarray(actions) == self.stop

    def target_of(self, actions: ArrayLike) -> NDArray[np.int64]:
        """(B,) the node that each agent's action leads to."""
        return self.targets[np.arange(len(self)), self.checked(actions)]

    def leading_to(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """(B,) the action that takes each agent to its node; STOP if it is already there."""
        nodes = np.asarray(nodes)
        found = (self.targets == nodes[:, None]) & self.mask
        missing = ~found.any(axis=1)
        if missing.any():
            row = int(missing.argmax())
            raise ValueError(f"agent {row} has no action that leads to node {nodes[row]}.")
        return np.where(found[np.arange(len(self)), self.stop], self.stop, found.argmax(axis=1))

    def checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """`actions` (B,) as integers. Raises ValueError if an agent does not have the action given for it."""
        return checked_actions(actions, self.stop)


def checked_actions(
    actions: ArrayLike, stop: NDArray[np.int64], ended: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """`actions` (B,) as integers, each from 0 to the agent's `stop`; agents that have `ended` get STOP instead."""
    actions = np.asarray(actions, dtype=np.int64)
    if actions.shape != stop.shape:
        raise ValueError(f"expected {len(stop)} actions, one for each agent; got shape {actions.shape}.")
    if ended is not None:
        actions = np.where(ended, stop, actions)
    invalid = (actions < 0) | (actions > stop)
    if invalid.any():
        row = int(invalid.argmax())
        raise ValueError(f"action {actions[row]} of agent {row} is out of range: it has actions 0 to {stop[row]}.")
    return actions
