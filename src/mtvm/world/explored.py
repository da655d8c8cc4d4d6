"""What agents know of their buildings: where they have been, and what they saw from there.

An agent that acts on this map can walk not only to the candidates of its viewpoint, but also to any viewpoint that it
saw earlier and has not visited: it goes back through viewpoints that it has visited, by the shortest way that it knows.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.world.actions import checked_actions
from mtvm.world.simulator import Observation, Simulator
from mtvm.world.world import World

Nodes = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MapObservation(Observation):
    """What B agents see and remember. The candidates of the viewpoint come first, then those seen earlier and not yet
    visited, the nearest first; headings and elevations lead straight to them from where the agent is."""

    distances: NDArray[np.float64]
    """(B, K) metres to walk to each; 0 pads."""
    visited: NDArray[np.bool_]
    """(B, K) true for candidates where the agent has been."""
    remembered: NDArray[np.bool_]
    """(B, K) true for those that are not candidates of the agent's viewpoint."""
    been: Nodes
    """(B, T) the nodes where each agent has been; -1 pads."""

    def metres(self, world: World) -> NDArray[np.float64]:
        return self.distances

    @property
    def places(self) -> NDArray[np.float32]:
        """(B, K, 4) what the map says of each candidate, as numbers for a network; zeros pad."""
        return place_feature(self.remembered, self.visited, self.distances) * self.mask[..., None]

    def has_been_at(self, nodes: Nodes) -> NDArray[np.bool_]:
        """(B,) whether each agent has been at its node."""
        return (self.been == nodes[:, None]).any(axis=1)


def place_feature(remembered: ArrayLike, visited: ArrayLike, distances: ArrayLike) -> NDArray[np.float32]:
    """(..., 4) whether a candidate is a remembered one, whether the agent has been there, how many tens of metres it is
    away, and 1, which tells a candidate from STOP."""
    known = [np.asarray(one, dtype=np.float32) for one in (remembered, visited, distances)]
    return np.stack([known[0], known[1], known[2] / 10, np.ones_like(known[0])], axis=-1)


class ExploredMap:
    """The maps of B agents, which grow as they walk."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.world = simulator, simulator.world
        batch = len(simulator)
        self.nodes = np.full((batch, 1), -1, dtype=np.int64)
        """(B, T) the nodes where each agent has been, in the order of its first visits; -1 pads."""
        self.count = np.zeros(batch, dtype=np.int64)
        self.lengths = np.full((batch, 1, 1), np.inf)
        """(B, T, T) metres between visited nodes, by the shortest way through visited nodes."""
        self.next = np.zeros((batch, 1, 1), dtype=np.int64)
        """(B, T, T) which of the visited nodes comes next on that way."""
        self._arrive()

    def observe(self) -> MapObservation:
        """What the agents see now, and what they remember."""
        seen, world = self.simulator.observe(), self.world
        nodes, seen_from, slots, metres = self._remembered(seen)
        known, here = nodes >= 0, seen.node[:, None]
        count = seen.count + known.sum(axis=1)
        away = world.positions[np.where(known, nodes, here)] - world.positions[here]
        heading = np.arctan2(away[..., 0], away[..., 1]) - seen.heading[:, None]
        elevation = np.arctan2(away[..., 2], np.hypot(away[..., 0], away[..., 1]))
        angles = np.stack([np.sin(heading), np.cos(heading), np.sin(elevation), np.cos(elevation)], axis=-1)

        def joined(now: NDArray[Any], then: NDArray[Any], fill: float) -> NDArray[Any]:
            """(B, K) what belongs to candidates, followed without a gap by what belongs to remembered nodes."""
            both = np.full((len(here), int(count.max(initial=0)), *now.shape[2:]), fill, dtype=now.dtype)
            both[:, : now.shape[1]] = np.where(_spread(seen.mask, now.ndim), now, fill)[:, : both.shape[1]]
            rows, columns = np.nonzero(known)
            both[rows, seen.count[rows] + columns] = then[rows, columns]
            return both

        candidates = joined(seen.candidates, nodes, -1)
        mask = candidates >= 0
        own = world.distance(here, np.where(seen.mask, seen.candidates, here))
        visited = (candidates[:, :, None] == self.nodes[:, None, :]).any(axis=-1) & mask
        return MapObservation(
            node=seen.node,
            view=seen.view,
            candidates=candidates,
            mask=mask,
            count=count,
            candidate_views=joined(seen.candidate_views, world.candidate_views[np.maximum(seen_from, 0), slots], 0),
            headings=joined(seen.headings, heading, 0),
            elevations=joined(seen.elevations, elevation, 0),
            angles=joined(seen.angles, angles, 0),
            seen_from=joined(np.broadcast_to(here, seen.candidates.shape), seen_from, -1),
            distances=joined(own, metres, 0),
            visited=visited,
            remembered=mask & (np.arange(mask.shape[1]) >= seen.count[:, None]),
            been=self.nodes.copy(),
        )

    def go(self, seen: MapObservation, actions: Nodes) -> Nodes:
        """Take one action per agent. Returns (B, H), the nodes reached on the way, padded with -1."""
        space = seen.actions
        actions = checked_actions(actions, space.stop, self.simulator.ended)
        stopping, targets = space.is_stop(actions), space.target_of(actions)
        last = np.where(stopping, -1, np.take_along_axis(seen.seen_from, _column(actions, seen), axis=1)[:, 0])
        path = []
        here = seen.node
        while (going := (last >= 0) & (here != last)).any():
            here = np.where(going, self._next(here, np.where(going, last, here)), here)
            path.append(np.where(going, here, -1))
        path.append(np.where(stopping, -1, targets))
        walked = _without_gaps(np.stack(path, axis=1))
        self.simulator.follow(walked, stopping)
        self._arrive()
        return walked

    def keep(self, rows: Nodes) -> None:
        """Keep only the agents at `rows`; the simulator must keep them too."""
        self.nodes, self.count = self.nodes[rows], self.count[rows]
        self.lengths, self.next = self.lengths[rows], self.next[rows]

    def begin(self, rows: NDArray[np.bool_]) -> None:
        """Forget all that the agents at `rows` know; the simulator has put them elsewhere."""
        self.nodes[rows], self.count[rows], self.lengths[rows], self.next[rows] = -1, 0, np.inf, 0
        self._arrive()

    def _remembered(self, seen: Observation) -> tuple[Nodes, Nodes, Nodes, NDArray[np.float64]]:
        """(B, F) nodes that were seen but not visited and are no candidates here, the nearest first, -1 pads: each with
        the visited node on the way to it, its slot there, and the metres to walk."""
        world, batch = self.world, len(self.nodes)
        here = np.where(self.nodes >= 0, self.nodes, 0)
        nodes = np.where(self.nodes[:, :, None] >= 0, world.candidates[here], -1)  # (B, T, K)
        width = nodes.shape[2]
        place = (self.nodes == seen.node[:, None]).argmax(axis=1)
        metres = self.lengths[np.arange(batch), place][:, :, None] + world.distance(
            here[:, :, None], np.where(nodes >= 0, nodes, here[:, :, None])
        )
        flat, far = nodes.reshape(batch, -1), metres.reshape(batch, -1)
        hidden = (flat < 0) | np.isinf(far)
        for known in (self.nodes, seen.candidates):
            hidden |= (flat[:, :, None] == known[:, None, :]).any(axis=-1)
        # Of several sightings of a node, the one by which it is nearest.
        flat, far = np.where(hidden, -1, flat), np.where(hidden, np.inf, far)
        order = np.lexsort((far, flat), axis=1)
        ordered = np.take_along_axis(flat, order, axis=1)
        first = (ordered >= 0) & (np.diff(ordered, axis=1, prepend=-1) != 0)
        longest = int(first.sum(axis=1).max(initial=0))
        chosen = np.where(first, np.take_along_axis(far, order, axis=1), np.inf)
        order = np.take_along_axis(order, np.argsort(chosen, axis=1, kind="stable")[:, :longest], axis=1)
        real = np.arange(longest) < first.sum(axis=1)[:, None]

        def taken(table: NDArray[Any], fill: float) -> NDArray[Any]:
            return np.where(real, np.take_along_axis(table, order, axis=1), fill)

        from_here = np.take_along_axis(here, order // width, axis=1)
        return taken(flat, -1), np.where(real, from_here, -1), np.where(real, order % width, 0), taken(far, 0.0)

    def _next(self, here: Nodes, goal: Nodes) -> Nodes:
        """(B,) the next visited node on the way from one visited node to another."""
        rows = np.arange(len(here))
        start, end = ((self.nodes == nodes[:, None]).argmax(axis=1) for nodes in (here, goal))
        following: Nodes = self.nodes[rows, self.next[rows, start, end]]
        return following

    def _arrive(self) -> None:
        """Put the nodes where the agents are on their maps."""
        new = np.nonzero(~(self.nodes == self.simulator.node[:, None]).any(axis=1))[0]
        if not len(new):
            return
        if self.count[new].max() == self.nodes.shape[1]:
            self._widen()
        node, at, rows = self.simulator.node[new], self.count[new], np.arange(len(new))
        self.nodes[new, at] = node
        self.count[new] += 1
        visited = self.nodes[new]
        there = np.where(visited >= 0, visited, node[:, None])
        edge = self.world.has_edge(node[:, None], there) & self.world.has_edge(there, node[:, None])
        metres = np.where(edge & (visited >= 0), self.world.distance(node[:, None], there), np.inf)
        metres[rows, at] = np.inf
        lengths, following = self.lengths[new], self.next[new]
        # From the new node to each visited one: first along an edge, then as before.
        ways = metres[:, :, None] + lengths
        first, best = ways.argmin(axis=1), ways.min(axis=1)
        best[rows, at] = 0.0
        back = np.take_along_axis(following, first[:, :, None], axis=2)[:, :, 0]
        back = np.where(first == np.arange(first.shape[1]), at[:, None], back)
        lengths[rows, at], lengths[rows, :, at] = best, best
        following[rows, at], following[rows, :, at] = first, back
        # Between visited nodes, the way through the new one may be shorter.
        through = best[:, :, None] + best[:, None, :]
        shorter = through < lengths
        self.lengths[new] = np.where(shorter, through, lengths)
        self.next[new] = np.where(shorter, back[:, :, None], following)

    def _widen(self) -> None:
        more = self.nodes.shape[1]
        self.nodes = np.pad(self.nodes, ((0, 0), (0, more)), constant_values=-1)
        self.lengths = np.pad(self.lengths, ((0, 0), (0, more), (0, more)), constant_values=np.inf)
        self.next = np.pad(self.next, ((0, 0), (0, more), (0, more)))


def _spread(mask: NDArray[np.bool_], dimensions: int) -> NDArray[np.bool_]:
    return mask.reshape(*mask.shape, *[1] * (dimensions - mask.ndim))


def _column(actions: Nodes, seen: MapObservation) -> Nodes:
    """(B, 1) the candidate of each action; for STOP any."""
    return np.minimum(actions, np.maximum(seen.count - 1, 0))[:, None]


def _without_gaps(paths: Nodes) -> Nodes:
    """The nodes of each row moved to its beginning."""
    return np.take_along_axis(paths, np.argsort(paths < 0, axis=1, kind="stable"), axis=1)
