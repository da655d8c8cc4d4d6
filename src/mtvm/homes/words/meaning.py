"""The meaning of an instruction: typed steps that a follower can carry out.

A meaning is a sequence of steps. `Cross`, `Climb`, `Go`, `Stop`, `Seek` and `BackTo` walk; `Turn`, `Face`, `Pass` and
`Between` say how to do the next walk; `See` mentions what is in sight.
"""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

Side = Literal["left", "right", "ahead", "behind"]
Bend = Literal["left", "right", "around", "ahead", "slightly left", "slightly right"]


@dataclasses.dataclass(frozen=True, slots=True)
class Landmark:
    """A thing, window or flight of stairs as described in an instruction."""

    kind: str
    colour: str | None = None
    material: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Exit:
    """An exit of the current room as described in an instruction."""

    leads_to: str | None = None
    """The kind of room behind it."""
    kind: Literal["door", "passage"] | None = None
    side: Side | None = None
    ordinal: int | None = None
    """Its number, from 1, among exits of its kind on its side, in the order in which they are reached."""
    beside: Landmark | None = None
    """What it is next to."""
    showing: Landmark | None = None
    """What is in the room behind it."""
    untaken: bool = False
    """Whether the walk so far has not gone through it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Turn:
    bend: Bend


@dataclasses.dataclass(frozen=True, slots=True)
class Face:
    """Walk towards something."""

    landmark: Landmark


@dataclasses.dataclass(frozen=True, slots=True)
class Pass:
    landmark: Landmark
    side: Literal["left", "right"] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Between:
    """Walk between two landmarks."""

    first: Landmark
    second: Landmark


@dataclasses.dataclass(frozen=True, slots=True)
class See:
    landmark: Landmark
    side: Side


@dataclasses.dataclass(frozen=True, slots=True)
class Cross:
    """Walk through an exit of the current room."""

    exit: Exit
    leaving: str | None = None
    """The kind of the current room, if mentioned."""


@dataclasses.dataclass(frozen=True, slots=True)
class Climb:
    up: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Beside:
    landmark: Landmark


@dataclasses.dataclass(frozen=True, slots=True)
class Amid:
    first: Landmark
    second: Landmark


@dataclasses.dataclass(frozen=True, slots=True)
class InDoorway:
    exit: Exit


@dataclasses.dataclass(frozen=True, slots=True)
class Before:
    """In front of an exit, without going through it."""

    exit: Exit


@dataclasses.dataclass(frozen=True, slots=True)
class JustInside:
    """The first node behind the door just walked through."""


@dataclasses.dataclass(frozen=True, slots=True)
class FarEnd:
    """As far as the room goes in the current heading."""

    kind: str


@dataclasses.dataclass(frozen=True, slots=True)
class Middle:
    kind: str


@dataclasses.dataclass(frozen=True, slots=True)
class InRoom:
    kind: str


@dataclasses.dataclass(frozen=True, slots=True)
class StairsEnd:
    end: Literal["top", "foot"]


@dataclasses.dataclass(frozen=True, slots=True)
class OnStairs:
    up: bool


Place: TypeAlias = Beside | Amid | InDoorway | Before | JustInside | FarEnd | Middle | InRoom | StairsEnd | OnStairs


@dataclasses.dataclass(frozen=True, slots=True)
class Go:
    """Walk to a place without leaving the room."""

    place: Place


@dataclasses.dataclass(frozen=True, slots=True)
class Stop:
    """Walk to a place, which may be the current one, and end there."""

    place: Place


@dataclasses.dataclass(frozen=True, slots=True)
class Seek:
    """Walk through the house until a thing is in sight."""

    landmark: Landmark


@dataclasses.dataclass(frozen=True, slots=True)
class BackTo:
    """Return to a place that is defined by the walk so far."""

    what: Literal["start", "first room", "room", "doorway", "room with", "room of kind"]
    number: int = 0
    """Number of the room or doorway, from 1, in the order in which they were entered after the start."""
    kind: str | None = None
    """The kind of the room, if mentioned."""
    landmark: Landmark | None = None
    """What was in sight in the room."""


Step: TypeAlias = Turn | Face | Pass | Between | See | Cross | Climb | Go | Stop | Seek | BackTo
Meaning: TypeAlias = tuple[Step, ...]


def landmarks_of(part: object) -> list[Landmark]:
    """All landmarks that a step or a part of one mentions."""
    if isinstance(part, Landmark):
        return [part]
    if not dataclasses.is_dataclass(part):
        return []
    return [mark for field in dataclasses.fields(part) for mark in landmarks_of(getattr(part, field.name))]
