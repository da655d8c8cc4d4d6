"""A batch of agents that walk, as a few index arrays.

Three ways to act, which may be mixed: panoramic (`step`: walk to a candidate, or stop), to any node of the building
(`go_to`), and low-level (`act`: move to a navigable location of the current view, turn, look up or down), as in the C++
simulator with discretized viewing angles.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.world.actions import ActionSpace
from mtvm.world.views import HEADINGS, ROWS, VIEW_ELEVATION, VIEW_HEADING, nearest_view
from mtvm.world.world import World

_HEADING = VIEW_HEADING.astype(np.float32)
_ELEVATION = VIEW_ELEVATION.astype(np.float32)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What a batch of B agents sees; K is the largest number of candidates among them."""

    node: NDArray[np.int64]
    """(B,) where each agent is."""
    view: NDArray[np.int64]
    """(B,) the view that it faces."""
    candidates: NDArray[np.int32]
    """(B, K) nodes that it can walk to; -1 pads."""
    mask: NDArray[np.bool_]
    """(B, K) true for real candidates."""
    count: NDArray[np.int64]
    """(B,) number of candidates."""
    candidate_views: NDArray[np.int8]
    """(B, K) the view that shows each candidate."""
    headings: NDArray[np.float32]
    """(B, K) heading of each candidate relative to the agent's."""
    elevations: NDArray[np.float32]
    """(B, K) elevation of each candidate."""
    angles: NDArray[np.float32]
    """(B, K, 4) sine and cosine of heading, sine and cosine of elevation; zeros pad."""

    @property
    def actions(self) -> ActionSpace:
        """What the agents can do: walk to a candidate, or stop."""
        return ActionSpace.of(self.node, self.candidates)

    @property
    def heading(self) -> NDArray[np.float32]:
        """(B,) the agent's heading, a multiple of 30 degrees."""
        return _HEADING[self.view]

    @property
    def elevation(self) -> NDArray[np.float32]:
        """(B,) the agent's elevation: -30, 0 or 30 degrees."""
        return _ELEVATION[self.view]


class Simulator:
    """Agents in a `World`. State: `node` and `view` (B,), `ended` (B,), `steps` (B,)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._headings = world.candidate_headings.astype(np.float32)
        self._elevations = world.candidate_elevations.astype(np.float32)
        # sin/cos of the elevation never change; of the heading, the agent's turn is applied at each step.
        self._angles = np.stack(
            [
                np.sin(self._headings),
                np.cos(self._headings),
                np.sin(self._elevations),
                np.cos(self._elevations),
            ],
            axis=-1,
        )
        self._angles[world.candidates < 0] = 0
        self.reset(np.zeros(0, dtype=np.int64))

    def reset(self, nodes: ArrayLike, headings: ArrayLike = 0.0, elevations: ArrayLike = 0.0) -> None:
        """Put one agent at each node; headings and elevations snap to the nearest view."""
        self.node = np.array(nodes, dtype=np.int64)
        view = nearest_view(headings, elevations)
        self.view = np.broadcast_to(view, self.node.shape).copy()
        self.ended = np.zeros(self.node.shape, dtype=bool)
        self.steps = np.zeros(self.node.shape, dtype=np.int64)

    def place(self, rows: ArrayLike, nodes: ArrayLike, headings: ArrayLike = 0.0, elevations: ArrayLike = 0.0) -> None:
        """Start the agents at `rows` (indices or a mask) anew, and leave the others as they are."""
        rows = np.asarray(rows)
        self.node[rows], self.view[rows] = np.asarray(nodes), nearest_view(headings, elevations)
        self.ended[rows], self.steps[rows] = False, 0

    def reset_at(
        self,
        scans: Sequence[str],
        viewpoints: Sequence[str],
        headings: ArrayLike = 0.0,
        elevations: ArrayLike = 0.0,
    ) -> None:
        """`reset` with ids instead of nodes."""
        self.reset(self.world.nodes(scans, viewpoints), headings, elevations)

    def __len__(self) -> int:
        return len(self.node)

    def keep(self, rows: ArrayLike) -> None:
        """Drop all agents but `rows` (indices or a mask), in that order: ended episodes leave the batch."""
        rows = np.asarray(rows)
        self.node, self.view = self.node[rows], self.view[rows]
        self.ended, self.steps = self.ended[rows], self.steps[rows]

    def observe(self) -> Observation:
        """What the agents see now."""
        world, node = self.world, self.node
        count = world.degree[node]
        width = int(count.max(initial=0))
        candidates = world.candidates.take(node, axis=0)[:, :width]
        mask = candidates >= 0
        turn = _HEADING[self.view][:, None]
        angles = self._angles.take(node, axis=0)[:, :width]
        _turn_angles(angles, self.view)
        return Observation(
            node=node.copy(),
            view=self.view.copy(),
            candidates=candidates,
            mask=mask,
            count=count,
            candidate_views=world.candidate_views.take(node, axis=0)[:, :width],
            headings=(self._headings.take(node, axis=0)[:, :width] - turn) * mask,
            elevations=self._elevations.take(node, axis=0)[:, :width],
            angles=angles,
        )

    def step(self, actions: ArrayLike, space: ActionSpace | None = None) -> NDArray[np.int64]:
        """Take an action of `space` each, which by default is walking to a candidate or stopping.

        Agents that have stopped stay where they are. An agent that walks ends up facing the view through which it saw
        where it went. Returns (B, H) the nodes that each agent came to on the way, -1 padded; H is 1 for candidates.
        """
        live = ~self.ended
        if space is not None:
            actions = space.checked(np.where(live, actions, space.stop))
            walked = self.go_to(space.target_of(actions))
            self.ended |= live & space.is_stop(actions)
            return walked
        degree = self.world.degree[self.node]
        actions = np.asarray(actions, dtype=np.int64)
        if actions.shape != degree.shape or (live & ((actions < 0) | (actions > degree))).any():
            self.observe().actions.checked(actions if actions.shape != degree.shape else np.where(live, actions, 0))
        moving = live & (actions < degree)
        self._move(actions, moving)
        self.ended |= live & ~moving
        self.steps += live
        return np.where(moving, self.node, -1)[:, None]

    def go_to(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Walk to a node each along the shortest path; an agent that is there, or has stopped, stays where it is.

        Returns (B, H) the nodes that each agent came to on the way, -1 padded. However far it is, this is one step.
        """
        nodes = np.asarray(nodes, dtype=np.int64)
        live = ~self.ended
        world, path = self.world, []
        same = world.scan_of_node[nodes] == world.scan_of_node[self.node]
        known = same & np.isfinite(world.distance(self.node, np.where(same, nodes, self.node)))
        if (live & ~known).any():
            row = int((live & ~known).argmax())
            raise ValueError(
                f"agent {row} at node {self.node[row]} cannot walk to node {nodes[row]}: no way leads there."
            )
        nodes = np.where(live, nodes, self.node)
        neighbours = world.candidates[self.node] == nodes[:, None]
        slot = np.where(neighbours.any(axis=1), neighbours.argmax(axis=1), world.next_slot(self.node, nodes))
        while (moving := self.node != nodes).any():
            self._move(slot, moving)
            path.append(np.where(moving, self.node, -1))
            slot = world.next_slot(self.node, nodes)
        self.steps += live
        return np.stack(path, axis=1) if path else np.full((len(self), 1), -1)

    def _move(self, slots: NDArray[np.integer], moving: NDArray[np.bool_]) -> None:
        """Move the agents that are `moving` to the candidate in their slot."""
        slots = np.where(moving, slots, 0)
        self.view = np.where(moving, self.world.candidate_views[self.node, slots], self.view)
        self.node = np.where(moving, self.world.candidates[self.node, slots], self.node).astype(np.int64)

    def navigable(self) -> NDArray[np.int64]:
        """(B, V) candidate slots inside each agent's view, nearest to its centre first; -1 pads."""
        return self.world.navigable[self.node, self.view].astype(np.int64)

    def act(self, index: ArrayLike = 0, heading: ArrayLike = 0, elevation: ArrayLike = 0) -> None:
        """Low-level action: move to navigable location `index` (0: stay; i: the i-th of `navigable`), and
        turn right or left and look up or down by one view, by the signs of `heading` and `elevation`.

        Moving keeps the heading and elevation.
        """
        index = np.broadcast_to(np.asarray(index, dtype=np.int64), self.node.shape)
        locations = np.concatenate([np.full((len(self), 1), -1), self.navigable()], axis=1)
        illegal = (index < 0) | (index > (locations >= 0).sum(axis=1))
        if illegal.any():
            row = int(illegal.argmax())
            raise ValueError(f"agent {row} has no navigable location {index[row]} in its view.")
        slot = np.take_along_axis(locations, index[:, None], axis=1)[:, 0]
        self.node = np.where(slot >= 0, self.world.candidates[self.node, slot], self.node).astype(np.int64)
        rows, steps = np.divmod(self.view, HEADINGS)
        steps = (steps + np.sign(np.asarray(heading, dtype=np.float64)).astype(np.int64)) % HEADINGS
        rows = np.clip(rows + np.sign(np.asarray(elevation, dtype=np.float64)).astype(np.int64), 0, ROWS - 1)
        self.view = rows * HEADINGS + steps
        self.steps += 1

    def forward(self) -> NDArray[np.bool_]:
        """Move to the navigable location closest to the view's centre; true for agents that had one."""
        possible = self.navigable()[:, 0] >= 0
        self.act(possible.astype(np.int64))
        return possible

    def turn(self, direction: ArrayLike) -> None:
        """Turn right (positive) or left (negative) by 30 degrees."""
        self.act(heading=direction)

    def look(self, direction: ArrayLike) -> None:
        """Look up (positive) or down (negative) by one row of views."""
        self.act(elevation=direction)

    def locations(self) -> list[tuple[str, float, float]]:
        """`(viewpoint, heading, elevation)` of each agent, as result files hold them."""
        ids = self.world.viewpoints[self.node].tolist()
        headings, elevations = VIEW_HEADING[self.view].tolist(), VIEW_ELEVATION[self.view].tolist()
        return list(zip(ids, headings, elevations, strict=True))


_TURN = np.stack([np.sin(VIEW_HEADING), np.cos(VIEW_HEADING)], axis=-1).astype(np.float32)


def _turn_angles(angles: NDArray[np.float32], view: NDArray[np.int64]) -> None:
    """Make sin and cos of absolute headings those of `heading - view heading`, in place."""
    turn_sin, turn_cos = _TURN[view, 0][:, None], _TURN[view, 1][:, None]
    sin, cos = angles[..., 0].copy(), angles[..., 1].copy()
    angles[..., 0] = sin * turn_cos - cos * turn_sin
    angles[..., 1] = cos * turn_cos + sin * turn_sin
