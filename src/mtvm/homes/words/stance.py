"""The state of someone walking through a home: position, heading, room, and memory of the walk."""

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
    """The current room; in a doorway, the room about to be entered."""
    through: int | None
    """The opening through which the room was entered."""
    taken: tuple[int, ...]
    """All openings walked through."""
    rooms: tuple[int, ...]
    """All rooms so far, including the first."""

    @property
    def node(self) -> int:
        return self.walk[-1]


def first_stance(scene: Scene, node: int, heading: float) -> Stance:
    """The stance at the start; in a doorway, about to enter the room that is faced."""
    spot = scene.spots[node]
    room = spot.room
    if spot.opening is not None:
        ahead = scene.home.openings[spot.opening].rooms
        room = min(ahead, key=lambda r: abs(turn_between(heading, scene.into(spot.opening or 0, r))))
    return Stance((node,), heading, room, spot.opening, (), (room,))


def walked(scene: Scene, stance: Stance, nodes: Sequence[int]) -> Stance:
    """The stance after walking along `nodes`, which start at its node."""
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
    """The stance before a move from a doorway: through it, if the move continues in the room behind."""
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
    """A part of a path that stays in one room and then, unless it is the last, leaves it."""

    stance: Stance
    nodes: tuple[int, ...]
    end: Literal["opening", "stairs", "stop"]
    index: int = -1


def legs_of(scene: Scene, path: Sequence[int], heading: float) -> list[Leg] | None:
    """Split a path where it leaves rooms; None if that is undefined."""
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
    """How a walk passes a point."""

    move: int
    """The number of the move during which it is nearest."""
    distance: float
    offset: float
    """Metres to the right of the direction of walking."""
    margin: float
    """Metres of the walk before or after the nearest position, whichever is less."""


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
    """What everyone would call a turn by this angle; None if opinions would differ."""
    degrees = abs(math.degrees(angle))
    if degrees <= 25:
        return "ahead"
    if degrees >= 152:
        return "around"
    if 42 <= degrees <= 130:
        return "right" if angle > 0 else "left"
    return None


def side_of(angle: float) -> Side | None:
    """The side that everyone would name for something at this angle from the heading; None if opinions would differ."""
    degrees = abs(math.degrees(angle))
    if degrees <= 22:
        return "ahead"
    if degrees >= 150:
        return "behind"
    if 42 <= degrees <= 125:
        return "right" if angle > 0 else "left"
    return None


def sights_of(scene: Scene, nodes: Sequence[int], landmark: Landmark) -> list[Sight]:
    """Everything that fits a landmark, as seen from the nodes."""
    return [sight for node in nodes for sight in scene.sights[node] if sight.fits(landmark)]
