"""The simulator: a batch of agents, each a node and a view.

There are three ways to act, which may be mixed: panoramic (`step`: walk to a candidate, or stop), to any node of the
building (`go_to`), and low-level (`act`: move to a navigable location of the current view, turn, look up or down), as
in the C++ simulator with discretized viewing angles.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.world.actions import ActionSpace, checked_actions
from mtvm.world.views import HEADINGS, ROWS, VIEW_ELEVATION, VIEW_HEADING, nearest_view
from mtvm.world.world import World

_HEADING = VIEW_HEADING.astype(np.float32)
_ELEVATION = VIEW_ELEVATION.astype(np.float32)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What B agents see; K is the largest number of candidates."""

    node: NDArray[np.int64]
    """(B,) the node where each agent is."""
    view: NDArray[np.int64]
    """(B,) the view that each agent faces."""
    candidates: NDArray[np.int32]
    """(B, K) nodes that each agent can walk to; -1 pads."""
    mask: NDArray[np.bool_]
    """(B, K) true for candidates, false for padding."""
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
    seen_from: NDArray[np.int64]
    """(B, 1 or K) the node from which each candidate is seen, in the view that `candidate_views` names; -1 pads."""

    @property
    def actions(self) -> ActionSpace:
        """The agents' actions: walk to a candidate, or stop."""
        return ActionSpace.of(self.node, self.candidates)

    def of(self, row: int) -> Observation:
        """What one of the agents sees, as a batch of one."""
        fields = {field.name: getattr(self, field.name)[row : row + 1] for field in dataclasses.fields(self)}
        return type(self)(**fields)

    @property
    def places(self) -> NDArray[np.float32] | None:
        """(B, K, 4) what a map says of each candidate; None without a map."""
        return None

    def metres(self, world: World) -> NDArray[np.float64]:
        """(B, K) the way to each candidate; 0 pads."""
        return world.distance(self.node[:, None], np.where(self.mask, self.candidates, self.node[:, None]))

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
        # Relative elevations never change; relative headings are turned by the agent's own at each step.
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
        """Restart only the agents at `rows` (indices or a mask)."""
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
        """Keep only the agents at `rows` (indices or a mask), in that order."""
        rows = np.asarray(rows)
        self.node, self.view = self.node[rows], self.view[rows]
        self.ended, self.steps = self.ended[rows], self.steps[rows]

    def observe(self) -> Observation:
        """What the agents see now."""
        world, node = self.world, self.node.copy()
        count = world.degree[node]
        width = int(count.max(initial=0))
        candidates = world.candidates.take(node, axis=0)[:, :width]
        mask = candidates >= 0
        turn = _HEADING[self.view][:, None]
        angles = self._angles.take(node, axis=0)[:, :width]
        _turn_angles(angles, self.view)
        return Observation(
            node=node,
            view=self.view.copy(),
            candidates=candidates,
            mask=mask,
            count=count,
            candidate_views=world.candidate_views.take(node, axis=0)[:, :width],
            headings=(self._headings.take(node, axis=0)[:, :width] - turn) * mask,
            elevations=self._elevations.take(node, axis=0)[:, :width],
            angles=angles,
            seen_from=node[:, None],
        )

    def step(self, actions: ArrayLike, space: ActionSpace | None = None) -> NDArray[np.int64]:
        """Take one action of `space` per agent; by default, walk to a candidate or stop.

        Agents that have stopped stay where they are, whatever their action. An agent that walks ends up facing the
        view that showed where it went. Returns (B, H), the nodes reached on the way, padded with -1; without `space`,
        H is 1.
        """
        stop = self.world.degree[self.node] if space is None else space.stop
        actions = checked_actions(actions, stop, self.ended)
        stopping = actions == stop
        if space is not None:
            walked = self.go_to(space.target_of(actions))
        else:
            self._move(actions, ~stopping)
            self.steps += ~self.ended
            walked = np.where(stopping, -1, self.node)[:, None]
        self.ended |= stopping
        return walked

    def go_to(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Walk to one node per agent along the shortest path. This counts as one step, however long the path.

        Agents that are already there, or have stopped, stay. Returns (B, H), the nodes reached on the way, padded
        with -1.
        """
        nodes = np.asarray(nodes, dtype=np.int64)
        if nodes.shape != self.node.shape:
            raise ValueError(f"expected {len(self)} nodes, one for each agent; got shape {nodes.shape}.")
        world, path = self.world, []
        nodes = np.where(self.ended, self.node, nodes)
        unreachable = ~world.reachable(self.node, nodes)
        if unreachable.any():
            row = int(unreachable.argmax())
            raise ValueError(f"agent {row} cannot walk from node {self.node[row]} to node {nodes[row]}.")
        # A neighbour is walked to directly, even where another one lies exactly on the way.
        neighbours = world.candidates[self.node] == nodes[:, None]
        slot = np.where(neighbours.any(axis=1), neighbours.argmax(axis=1), world.next_slot(self.node, nodes))
        while (moving := self.node != nodes).any():
            self._move(slot, moving)
            path.append(np.where(moving, self.node, -1))
            slot = world.next_slot(self.node, nodes)
        self.steps += ~self.ended
        return np.stack(path, axis=1) if path else np.full((len(self), 1), -1)

    def follow(self, paths: NDArray[np.int64], stopping: NDArray[np.bool_]) -> None:
        """Walk along `paths` (B, H), edge by edge; -1 pads. This counts as one step. Agents that are `stopping` end."""
        for nodes in paths.T:
            neighbours = self.world.candidates[self.node] == nodes[:, None]
            moving = (nodes >= 0) & ~self.ended
            if not neighbours.any(axis=1)[moving].all():
                raise ValueError("a path leads along an edge that its building does not have.")
            self._move(neighbours.argmax(axis=1), moving)
        self.steps += ~self.ended
        self.ended |= stopping

    def _move(self, slots: NDArray[np.integer], moving: NDArray[np.bool_]) -> None:
        """Move the agents marked by `moving` to the candidates in these slots."""
        slots = np.where(moving, slots, 0)
        self.view = np.where(moving, self.world.candidate_views[self.node, slots], self.view)
        self.node = np.where(moving, self.world.candidates[self.node, slots], self.node)

    def navigable(self) -> NDArray[np.int64]:
        """(B, V) slots of the candidates inside each agent's view, nearest to its centre first; -1 pads."""
        return self.world.navigable[self.node, self.view].astype(np.int64)

    def act(self, index: ArrayLike = 0, heading: ArrayLike = 0, elevation: ArrayLike = 0) -> None:
        """Low-level action: move to navigable location `index` (0 stays, i is the i-th of `navigable`), keeping the
        view; then turn and look up or down by one view, according to the signs of `heading` and `elevation`."""
        index = np.broadcast_to(np.asarray(index, dtype=np.int64), self.node.shape)
        locations = np.concatenate([np.full((len(self), 1), -1), self.navigable()], axis=1)
        illegal = (index < 0) | (index > (locations >= 0).sum(axis=1))
        if illegal.any():
            row = int(illegal.argmax())
            raise ValueError(f"agent {row} has no navigable location {index[row]} in its view.")
        slot = np.take_along_axis(locations, index[:, None], axis=1)[:, 0]
        self.node = np.where(slot >= 0, self.world.candidates[self.node, slot], self.node)
        rows, steps = np.divmod(self.view, HEADINGS)
        steps = (steps + np.sign(np.asarray(heading, dtype=np.float64)).astype(np.int64)) % HEADINGS
        rows = np.clip(rows + np.sign(np.asarray(elevation, dtype=np.float64)).astype(np.int64), 0, ROWS - 1)
        self.view = rows * HEADINGS + steps
        self.steps += 1

    def forward(self) -> NDArray[np.bool_]:
        """Move to the navigable location closest to the view's centre; returns which agents had one."""
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
        """`(viewpoint, heading, elevation)` of each agent, as in result files."""
        ids = self.world.viewpoints[self.node].tolist()
        headings, elevations = VIEW_HEADING[self.view].tolist(), VIEW_ELEVATION[self.view].tolist()
        return list(zip(ids, headings, elevations, strict=True))


_TURN = np.stack([np.sin(VIEW_HEADING), np.cos(VIEW_HEADING)], axis=-1).astype(np.float32)


def _turn_angles(angles: NDArray[np.float32], view: NDArray[np.int64]) -> None:
    """Turn the sine and cosine of absolute headings into those of headings relative to `view`, in place."""
    turn_sin, turn_cos = _TURN[view, 0][:, None], _TURN[view, 1][:, None]
    sin, cos = angles[..., 0].copy(), angles[..., 1].copy()
    angles[..., 0] = sin * turn_cos - cos * turn_sin
    angles[..., 1] = cos * turn_cos + sin * turn_sin
