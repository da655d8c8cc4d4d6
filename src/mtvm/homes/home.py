"""The description of a home, from which its geometry, images, graph and instructions are made.

Lengths are in metres, z is up, angles are in radians. Heading 0 looks along +y and headings grow clockwise, towards
+x, as in Matterport. Everything is axis-aligned except things, which have their own heading.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

EYE_HEIGHT = 1.5
"""Height of the camera above the floor."""

Point = tuple[float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Room:
    """A rectangular room on one storey, measured between the inner faces of its walls."""

    index: int
    kind: str
    """kitchen, bedroom, hallway, ..."""
    storey: int
    x0: float
    y0: float
    x1: float
    y1: float
    floor: Surface
    walls: Surface
    ceiling: Surface

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def depth(self) -> float:
        return self.y1 - self.y0

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point of the floor plan lies in the room, at least `margin` from its walls."""
        return self.x0 + margin <= x <= self.x1 - margin and self.y0 + margin <= y <= self.y1 - margin


@dataclasses.dataclass(frozen=True, slots=True)
class Surface:
    """How something looks: a named colour, and a material that gives its texture."""

    colour: str
    """A key of the palette: white, red, dark brown, ..."""
    material: str
    """A key of the materials: wood, tile, carpet, fabric, ..."""


@dataclasses.dataclass(frozen=True, slots=True)
class Opening:
    """A doorway or a wide open passage in the wall between two rooms."""

    index: int
    kind: Literal["door", "passage"]
    rooms: tuple[int, int]
    x: float
    y: float
    along: Literal["x", "y"]
    """The direction in which the wall runs."""
    width: float
    height: float
    surface: Surface
    """Surface of the frame and, if there is one, of the open door leaf."""


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """A hole in an outer wall, with daylight behind it."""

    index: int
    room: int
    x: float
    y: float
    along: Literal["x", "y"]
    width: float
    sill: float
    height: float


@dataclasses.dataclass(frozen=True, slots=True)
class Stairs:
    """A straight flight of stairs from a room to one on the storey above."""

    index: int
    rooms: tuple[int, int]
    """The rooms at the foot and at the top."""
    foot: Point
    """Middle of the lowest edge, on the lower floor."""
    top: Point
    """Middle of the highest edge, on the upper floor."""
    width: float
    steps: int
    surface: Surface


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    """A piece of furniture or an object: a box that is filled with the shape of its kind."""

    index: int
    kind: str
    """A key of the catalogue: sofa, bed, toilet, ..."""
    room: int
    x: float
    y: float
    z: float
    """Height of its underside."""
    heading: float
    """The direction that its front faces."""
    width: float
    depth: float
    height: float
    surface: Surface
    accent: Surface
    """Surface of its secondary part: a table's legs, a bed's pillows, a painting's frame."""


@dataclasses.dataclass(frozen=True, slots=True)
class Viewpoint:
    """A position where the agent can stand."""

    id: str
    x: float
    y: float
    z: float
    """Height of the camera: `EYE_HEIGHT` above the floor or the step."""
    room: int
    """The room that it is in; on stairs and in a doorway, the nearest room."""
    place: Literal["room", "doorway", "stairs"]
    opening: int | None = None
    stairs: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Home:
    """A whole home. `rooms[i].index == i`, and the same for everything else that has an index."""

    scan: str
    seed: int
    storey_heights: tuple[float, ...]
    """Height of each storey's floor above the ground."""
    ceiling_height: float
    """Height of every ceiling above its floor."""
    wall_thickness: float
    rooms: tuple[Room, ...]
    openings: tuple[Opening, ...]
    windows: tuple[Window, ...]
    stairs: tuple[Stairs, ...]
    things: tuple[Thing, ...]
    viewpoints: tuple[Viewpoint, ...]
    edges: tuple[tuple[int, int], ...]
    """Pairs of viewpoints with a free path and line of sight between them, the smaller number first."""

    def floor_of(self, room: int) -> float:
        return self.storey_heights[self.rooms[room].storey]


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """A thing, opening, window or flight of stairs as seen from a viewpoint."""

    what: Literal["thing", "opening", "window", "stairs"]
    index: int
    heading: float
    """Absolute heading of the middle of its visible part."""
    elevation: float
    distance: float
    """Distance to the middle of its visible part."""
    solid_angle: float
    """Apparent size in steradians."""
    visible: float
    """The share of it, 0 to 1, that is not hidden by something in front."""
