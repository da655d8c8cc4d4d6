"""What a batch of agents is shown: as arrays for networks, and one by one for whoever reads."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.scenes import Caption, Scenes, Thing
from mtvm.features.detections import Detection
from mtvm.tasks.episode import Episode, EpisodeSet
from mtvm.world.simulator import Observation
from mtvm.world.views import HEADING_STEP, VIEW_ELEVATION, VIEW_HEADING
from mtvm.world.world import World


@dataclasses.dataclass(frozen=True, eq=False)
class Sights(Sequence["Sight"]):
    """What the b running episodes of a batch see at a step. `sights[i]` is made when it is asked for."""

    episodes: EpisodeSet
    """All B of the batch."""
    seen: Observation
    """The arrays: nodes, views, candidates, headings, elevations and the rest, of the b that are running."""
    steps: NDArray[np.int64]
    """(b,) how many steps each has taken before."""
    rows: NDArray[np.int64]
    """(b,) their places in the batch."""
    kept: NDArray[np.int64]
    """(b,) their places among the sights of the step before; at the first step, their own."""
    taken: NDArray[np.int64]
    """(b,) the action that each took in the step before; -1 at an episode's first step, or if it waited."""
    scenes: Scenes

    @property
    def world(self) -> World:
        return self.episodes.world

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Sight:  # type: ignore[override]
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} sights, no number {place}.")
        return Sight(self, place % len(self))

    def __iter__(self) -> Iterator[Sight]:
        return (Sight(self, place) for place in range(len(self)))


class Sight:
    """What one agent sees, for reading. Angles are in radians; those of candidates, captions, detections and objects
    are relative to the agent's heading, clockwise, from -pi to pi."""

    def __init__(self, sights: Sights, place: int) -> None:
        self.sights, self.place = sights, place
        self.step = int(sights.steps[place])
        """From 0."""
        self.node = int(sights.seen.node[place])
        view = int(sights.seen.view[place])
        self.heading, self.elevation = float(VIEW_HEADING[view]), float(VIEW_ELEVATION[view])

    @property
    def row(self) -> int:
        """The episode's place in the batch."""
        return int(self.sights.rows[self.place])

    @functools.cached_property
    def episode(self) -> Episode:
        """Its text is the instruction. An honest agent reads neither the reference path nor the goals."""
        return self.sights.episodes[self.row]

    @property
    def instruction(self) -> str:
        return self.sights.episodes.texts[self.row]

    @property
    def scan(self) -> str:
        return self.sights.world.scan(self.node)

    @property
    def viewpoint(self) -> str:
        return str(self.sights.world.viewpoints[self.node])

    @property
    def stop(self) -> int:
        """The action that ends the episode."""
        return int(self.sights.seen.count[self.place])

    @functools.cached_property
    def candidates(self) -> list[Candidate]:
        """Where it can go; action i walks to the i-th of them."""
        seen, place = self.sights.seen, self.place
        metres = self.sights.seen.metres(self.sights.world)[place]
        seen_from = np.broadcast_to(seen.seen_from[place], metres.shape)
        return [Candidate(self, number, float(metres[number]), int(seen_from[number])) for number in range(self.stop)]

    @functools.cached_property
    def captions(self) -> list[Caption]:
        """What an image model said of the panorama: level views first, clockwise."""
        return [
            caption._replace(heading=_relative(caption.heading - self.heading))
            for caption in self.sights.scenes.captions(self.node)
        ]

    @functools.cached_property
    def detections(self) -> list[Detection]:
        """What a detector found in the panorama, the surest first."""
        return [
            one._replace(heading=_relative(one.heading - self.heading))
            for one in self.sights.scenes.detections(self.node)
        ]

    @functools.cached_property
    def objects(self) -> list[Thing]:
        """What people marked in the panorama, the largest first."""
        return [
            thing._replace(heading=_relative(thing.heading - self.heading))
            for thing in self.sights.scenes.objects(self.node)
        ]

    @property
    def room(self) -> str | None:
        """The kind of room, in people's words; None where nobody said."""
        return self.sights.scenes.room(self.node)

    def image(self, heading: float = 0.0, elevation: float = 0.0) -> NDArray[np.uint8]:
        """(480, 640, 3) RGB: the view in a direction relative to the agent's heading."""
        return self.sights.scenes.image(self.node, self.heading + heading, elevation)


class Candidate:
    """A place that an agent can walk to."""

    def __init__(self, sight: Sight, number: int, distance: float, seen_from: int) -> None:
        seen, place, world = sight.sights.seen, sight.place, sight.sights.world
        self._scenes, self._world, self.seen_from = sight.sights.scenes, world, seen_from
        self._facing = sight.heading
        self.node = int(seen.candidates[place, number])
        self.viewpoint = str(world.viewpoints[self.node])
        self.heading = _relative(float(seen.headings[place, number]))
        """Relative to the agent's, clockwise."""
        self.elevation = float(seen.elevations[place, number])
        self.distance = distance
        """Metres to walk."""
        self.view = int(seen.candidate_views[place, number])
        """The view that shows it best, of the 36 at the viewpoint from which it is seen."""

    @property
    def captions(self) -> list[str]:
        """What an image model said of the views in its direction, the one that shows it best first."""
        return self._scenes.captions_towards(self.seen_from, *self._direction)

    @property
    def detections(self) -> list[Detection]:
        """What a detector found in its direction, the surest first."""
        heading, _ = self._direction
        found = self._scenes.detections(self.seen_from)
        ahead = [one for one in found if abs(_relative(one.heading - heading)) <= HEADING_STEP]
        return [one._replace(heading=_relative(one.heading - self._facing)) for one in ahead]

    @property
    def _direction(self) -> tuple[float, float]:
        """Absolute heading and elevation in which it lies, from where it is seen."""
        if self.node == self.seen_from:
            return float(VIEW_HEADING[self.view]), float(VIEW_ELEVATION[self.view])
        east, north, up = (self._world.positions[self.node] - self._world.positions[self.seen_from]).tolist()
        return math.atan2(east, north), math.atan2(up, math.hypot(east, north))

    @property
    def objects(self) -> list[Thing]:
        """What people marked in the view that shows it, the largest first."""
        things = [thing for thing in self._scenes.objects(self.seen_from) if self.view in thing.views]
        return [thing._replace(heading=_relative(thing.heading - self._facing)) for thing in things]

    @property
    def room(self) -> str | None:
        """The kind of room that it lies in."""
        return self._scenes.room(self.node)

    @property
    def image(self) -> NDArray[np.uint8]:
        """(480, 640, 3) RGB: the view that shows it."""
        return self._scenes.image(self.seen_from, VIEW_HEADING[self.view], VIEW_ELEVATION[self.view])


def _relative(heading: float) -> float:
    """From -pi to pi."""
    return math.remainder(heading, 2 * math.pi)
