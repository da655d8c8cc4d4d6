"""Somebody on the way through a home: where, looking where, in which room, and what they remember of the walk."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from mtvm.homes.words.meaning import Bend, Landmark, Side
from mtvm.homes.words.route import Scene, Sight, turn_between


@dataclasses.dataclass(frozen=True, slots=True)
class Stance:
    """The state after a walk."""

    walk: tuple[int, ...]
    """All nodes so far."""
    heading: float
    room: int
    """In a doorway: the room that one is about to enter."""
    through: int | None
    """The opening through which one came into the room."""
    taken: tuple[int, ...]
    """All openings that one walked through."""
    rooms: tuple[int, ...]
    """All rooms entered, beginning with the first."""

    @property
    def node(self) -> int:
        return self.walk[-1]


def first_stance(scene: Scene, node: int, heading: float) -> Stance:
    """At the start. In a doorway one is about to enter the room that one looks into."""
    spot = scene.spots[node]
    room = spot.room
    if spot.opening is not None:
        ahead = scene.home.openings[spot.opening].rooms
        room = min(ahead, key=lambda r: abs(turn_between(heading, scene.into(spot.opening or 0, r))))
    return Stance((node,), heading, room, spot.opening, (), (room,))


def walked(scene: Scene, stance: Stance, nodes: Sequence[int]) -> Stance:
    """The stance after walking on along `nodes`, which begin where it stands."""
    heading = stance.heading
    for here, there in pairwise(nodes):
        zone, index = scene.zone(here, there)
        stance = entered(scene, stance, here, zone, index)
        heading = scene.heading(here, there)
        if zone == "opening":
            stance = through(scene, stance, index)
            heading = stance.heading
        elif zone == "stairs" and scene.spots[there].place != "stairs":
            room = scene.spots[there].room
            heading = scene.stairs_heading(index, up=scene.spots[there].z > scene.spots[here].z)
            stance = dataclasses.replace(stance, room=room, rooms=(*stance.rooms, room), through=None)
    return dataclasses.replace(stance, walk=(*stance.walk, *nodes[1:]), heading=heading)


def entered(scene: Scene, stance: Stance, here: int, zone: str, index: int) -> Stance:
    """The stance before a move from a doorway: through it, if the move goes on in the room behind."""
    opening = scene.spots[here].opening
    if zone not in ("room", "opening") or opening is None:
        return stance
    rooms = (index,) if zone == "room" else scene.home.openings[index].rooms
    if stance.room in rooms or scene.across(opening, stance.room) not in rooms:
        return stance
    return through(scene, stance, opening)


def through(scene: Scene, stance: Stance, opening: int) -> Stance:
    """The stance after going through an opening of its room."""
    room = scene.across(opening, stance.room)
    return dataclasses.replace(
        stance,
        heading=scene.into(opening, room),
        room=room,
        through=opening,
        taken=(*stance.taken, opening),
        rooms=(*stance.rooms, room),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Leg:
    """A part of a path: within a room, and at its end, unless it is the last, out of it."""

    stance: Stance
    nodes: tuple[int, ...]
    end: Literal["opening", "stairs", "stop"]
    index: int = -1


def legs_of(scene: Scene, path: Sequence[int], heading: float) -> list[Leg] | None:
    """A path cut where rooms end; None where that cannot be told."""
    return legs_from(scene, first_stance(scene, path[0], heading), path)


def legs_from(scene: Scene, stance: Stance, path: Sequence[int]) -> list[Leg] | None:
    legs, first = [], 0
    for k, (here, there) in enumerate(pairwise(path)):
        zone, index = scene.zone(here, there)
        before = walked(scene, stance, path[first : k + 1])
        inside = entered(scene, before, here, zone, index)
        if inside.through is not None and inside.room != before.room:
            if first == k:
                return None
            legs.append(Leg(stance, tuple(path[first : k + 1]), "opening", inside.through))
            stance, first = inside, k
        if zone == "none" or (zone == "room" and index != inside.room):
            return None
        if zone == "opening" and inside.room not in scene.home.openings[index].rooms:
            return None
        if zone == "opening" or (zone == "stairs" and scene.spots[there].place != "stairs"):
            legs.append(Leg(stance, tuple(path[first : k + 2]), zone, index))
            stance, first = walked(scene, stance, path[first : k + 2]), k + 1
    return [*legs, Leg(stance, tuple(path[first:]), "stop")]


def stays_in(scene: Scene, room: int, nodes: Sequence[int]) -> bool:
    return all(scene.zone(a, b) == ("room", room) for a, b in pairwise(nodes))


@dataclasses.dataclass(frozen=True, slots=True)
class Passing:
    """How a walk comes by a point."""

    move: int
    """The number of the move on which it is nearest."""
    distance: float
    offset: float
    """To the right of the direction of walking, in metres."""
    margin: float
    """Metres of the walk before or after the nearest place, whichever are fewer."""


def passing(scene: Scene, nodes: Sequence[int], x: float, y: float) -> Passing | None:
    best: tuple[float, int, float, float] | None = None
    walked_before, lengths = 0.0, 0.0
    for move, (here, there) in enumerate(pairwise(nodes)):
        (ax, ay), (bx, by) = scene.xy[here], scene.xy[there]
        east, north = bx - ax, by - ay
        length = math.hypot(east, north)
        if length == 0:
            continue
        along = ((x - ax) * east + (y - ay) * north) / length
        clipped = min(max(along, 0.0), length)
        distance = math.hypot(x - ax - east * clipped / length, y - ay - north * clipped / length)
        if best is None or distance < best[0]:
            offset = ((x - ax) * north - (y - ay) * east) / length
            best = distance, move, offset, walked_before + clipped
        walked_before += length
        lengths += length
    if best is None:
        return None
    distance, move, offset, at = best
    return Passing(move, distance, offset, min(at, lengths - at))


def bend_of(angle: float) -> Bend | None:
    """What all would call a turn by an angle; nothing if some would call it something else."""
    degrees = abs(math.degrees(angle))
    if degrees <= 25:
        return "ahead"
    if degrees >= 152:
        return "around"
    if 42 <= degrees <= 130:
        return "right" if angle > 0 else "left"
    return None


def side_of(angle: float) -> Side | None:
    """Where all would say that something is which lies in this direction from where one looks."""
    degrees = abs(math.degrees(angle))
    if degrees <= 22:
        return "ahead"
    if degrees >= 150:
        return "behind"
    if 42 <= degrees <= 125:
        return "right" if angle > 0 else "left"
    return None


def sights_of(scene: Scene, nodes: Sequence[int], landmark: Landmark) -> list[Sight]:
    """Everything that fits a landmark as it is seen from some nodes."""
    return [sight for node in nodes for sight in scene.sights[node] if sight.fits(landmark)]
