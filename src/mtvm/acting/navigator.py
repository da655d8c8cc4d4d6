"""How a batch of agents moves: to neighbours, on a map of what they saw, or by turning and going forward.

What an action leads to differs; who observes, walks and teaches need not know how.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.acting.policy import Moves
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.teacher import Teacher
from mtvm.world.actions import checked_actions
from mtvm.world.explored import ExploredMap, MapObservation
from mtvm.world.simulator import Observation, Simulator
from mtvm.world.views import HEADING_STEP, HEADINGS, VIEW_HEADING

Nodes = NDArray[np.int64]


class Navigator(abc.ABC):
    """Moves the agents of a simulator, which stand where they start."""

    moves: Moves

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.world = simulator, simulator.world

    @abc.abstractmethod
    def observe(self) -> Observation:
        """What the agents see and where each can go; an action is the index of a candidate, then STOP."""

    @abc.abstractmethod
    def go(self, actions: ArrayLike) -> Nodes:
        """Take an action of the last observation for each agent; (b, H) the nodes reached on the way, -1 pads."""

    def keep(self, rows: Nodes) -> None:
        """Keep only the agents at `rows`."""
        self.simulator.keep(rows)

    def begin(self, places: NDArray[np.bool_], nodes: ArrayLike, headings: ArrayLike) -> None:
        """Put the agents at `places` elsewhere, at the start of another episode."""
        self.simulator.place(places, nodes, headings)

    @abc.abstractmethod
    def right_actions(self, teacher: Teacher) -> Nodes:
        """(b,) what the teacher would do, of the actions of the last observation."""


class Local(Navigator):
    """To the candidates of the viewpoint."""

    moves: Moves = "candidates"

    def observe(self) -> Observation:
        return self.simulator.observe()

    def go(self, actions: ArrayLike) -> Nodes:
        return self.simulator.step(actions)

    def right_actions(self, teacher: Teacher) -> Nodes:
        return teacher.actions(self.simulator.node)


class Map(Navigator):
    """Also to viewpoints that were seen earlier and not visited, through those that were."""

    moves: Moves = "map"

    def __init__(self, simulator: Simulator) -> None:
        super().__init__(simulator)
        self.map = ExploredMap(simulator)
        self._observed: MapObservation | None = None

    def observe(self) -> MapObservation:
        self._observed = self.map.observe()
        return self._observed

    @property
    def _seen(self) -> MapObservation:
        return self.observe() if self._observed is None else self._observed

    def go(self, actions: ArrayLike) -> Nodes:
        seen, self._observed = self._seen, None
        return self.map.go(seen, np.asarray(actions))

    def keep(self, rows: Nodes) -> None:
        super().keep(rows)
        self.map.keep(rows)
        self._observed = None

    def begin(self, places: NDArray[np.bool_], nodes: ArrayLike, headings: ArrayLike) -> None:
        super().begin(places, nodes, headings)
        self.map.begin(places)
        self._observed = None

    def right_actions(self, teacher: Teacher) -> Nodes:
        return teacher.actions_on_map(self._seen)


class Turning(Navigator):
    """R2R's low-level actions: forward to the location nearest to the middle of the view, if there is one, then a turn
    right or left by 30 degrees. A turn is a candidate at the agent's own node."""

    moves: Moves = "turns"

    def observe(self) -> Observation:
        simulator, world = self.simulator, self.world
        node, view = simulator.node.copy(), simulator.view.copy()
        slot = simulator.navigable()[:, 0]
        ahead = slot >= 0
        row, step = np.divmod(view, HEADINGS)
        right, left = row * HEADINGS + (step + 1) % HEADINGS, row * HEADINGS + (step - 1) % HEADINGS
        bearing = world.candidate_headings[node, slot] - VIEW_HEADING[view]
        turn, level = np.full(len(node), HEADING_STEP), np.zeros(len(node))
        order = np.where(ahead[:, None], [0, 1, 2], [1, 2, 0])
        mask = np.arange(3) < 2 + ahead[:, None]

        def table(fill: int, *columns: NDArray[Any]) -> NDArray[Any]:
            """(b, 3) of forward, right and left; without the first where nothing is ahead."""
            return np.where(mask, np.take_along_axis(np.stack(columns, axis=1), order, axis=1), fill)

        headings = table(0, bearing, turn, -turn).astype(np.float32)
        elevations = table(0, world.candidate_elevations[node, slot], level, level).astype(np.float32)
        angles = np.stack([np.sin(headings), np.cos(headings), np.sin(elevations), np.cos(elevations)], axis=-1)
        return Observation(
            node=node,
            view=view,
            candidates=table(-1, world.candidates[node, slot], node, node).astype(np.int32),
            mask=mask,
            count=mask.sum(axis=1),
            candidate_views=table(0, view, right, left).astype(np.int8),
            headings=headings,
            elevations=elevations,
            angles=angles * mask[..., None],
            seen_from=node[:, None],
        )

    def go(self, actions: ArrayLike) -> Nodes:
        simulator = self.simulator
        ahead = simulator.navigable()[:, 0] >= 0
        stop = 2 + ahead.astype(np.int64)
        actions = checked_actions(actions, stop, simulator.ended)
        going = actions < stop
        forward = ahead & (actions == 0)
        right = going & (actions == stop - 2)
        simulator.act(forward, heading=right.astype(int) - (going & (actions == stop - 1)))
        simulator.ended |= ~going
        return np.where(going, simulator.node, -1)[:, None]

    def right_actions(self, teacher: Teacher) -> Nodes:
        raise NotImplementedError("no teacher says when to turn.")


_NAVIGATORS: dict[Moves, type[Navigator]] = {one.moves: one for one in (Local, Map, Turning)}


def navigator_of(moves: Moves, simulator: Simulator) -> Navigator:
    """What moves the agents of a simulator so."""
    return _NAVIGATORS[moves](simulator)


def at_starts(moves: Moves, episodes: EpisodeSet) -> Navigator:
    """Agents at the starts of episodes."""
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts, episodes.headings)
    return navigator_of(moves, simulator)
