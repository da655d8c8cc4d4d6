"""What a generated home is: the one description from which geometry, pictures, graphs and words are made.

Lengths are metres, z is up, angles are radians. A heading of 0 looks along +y and grows clockwise, towards +x, as in
Matterport. Everything is axis-aligned but things, which have a heading of their own.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

EYE_HEIGHT = 1.5
"""Of the camera above the floor."""

Point = tuple[float, float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Room:
    """A rectangle of floor on one storey, between the inner faces of its walls."""

    index: int
    kind: str
    """What people call it: kitchen, bedroom, hallway, ..."""
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
        """Whether a point of the plan lies in the room, at least `margin` from its walls."""
        return self.x0 + margin <= x <= self.x1 - margin and self.y0 + margin <= y <= self.y1 - margin


@dataclasses.dataclass(frozen=True, slots=True)
class Surface:
    """How something looks: a colour that people can name, and a material that gives its texture."""

    colour: str
    """A key of the palette: white, red, dark brown, ..."""
    material: str
    """A key of the materials: wood, tile, carpet, fabric, ..."""


@dataclasses.dataclass(frozen=True, slots=True)
class Opening:
    """A way between two rooms through the wall that they share: a doorway, or a wide open passage."""

    index: int
    kind: Literal["door", "passage"]
    rooms: tuple[int, int]
    x: float
    y: float
    along: Literal["x", "y"]
    """The direction in which the wall runs; one walks across it."""
    width: float
    height: float
    surface: Surface
    """Of the frame and, where there is one, the opened leaf."""


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
    """A straight flight from the foot in one room to the top in a room of the storey above."""

    index: int
    rooms: tuple[int, int]
    """The room with the foot, the room with the top."""
    foot: Point
    """Middle of the first edge, on the lower floor."""
    top: Point
    """Middle of the last edge, on the upper floor."""
    width: float
    steps: int
    surface: Surface


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    """A piece of furniture or an object: a box of the given size that its kind fills with a shape."""

    index: int
    kind: str
    """A key of the catalogue: sofa, bed, toilet, ..."""
    room: int
    x: float
    y: float
    z: float
    """Of the middle of its underside; above the floor for what hangs or stands on something."""
    heading: float
    """Where its front looks."""
    width: float
    depth: float
    height: float
    surface: Surface
    accent: Surface
    """Of its second part: legs of a table, pillows of a bed, frame of a painting."""


@dataclasses.dataclass(frozen=True, slots=True)
class Viewpoint:
    """A place where the agent can stand."""

    id: str
    x: float
    y: float
    z: float
    """Of the camera, `EYE_HEIGHT` above the floor or the step."""
    room: int
    """The room that it is in; on stairs and in a doorway, the nearer one."""
    place: Literal["room", "doorway", "stairs"]
    opening: int | None = None
    stairs: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Home:
    """A whole home. `rooms[i].index == i`, and so for everything that has an index."""

    scan: str
    seed: int
    storey_heights: tuple[float, ...]
    """Of each floor above the ground."""
    ceiling_height: float
    """Of every storey above its floor."""
    wall_thickness: float
    rooms: tuple[Room, ...]
    openings: tuple[Opening, ...]
    windows: tuple[Window, ...]
    stairs: tuple[Stairs, ...]
    things: tuple[Thing, ...]
    viewpoints: tuple[Viewpoint, ...]
    edges: tuple[tuple[int, int], ...]
    """Pairs of viewpoints between which one can walk and see, the smaller number first."""

    def floor_of(self, room: int) -> float:
        return self.storey_heights[self.rooms[room].storey]


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """A thing, opening, window or flight of stairs as it is seen from a viewpoint."""

    what: Literal["thing", "opening", "window", "stairs"]
    index: int
    heading: float
    """Absolute, to the middle of what is visible of it."""
    elevation: float
    distance: float
    """To the middle of what is visible of it."""
    solid_angle: float
    """In steradians: how large it looks."""
    visible: float
    """The visible share of what its shape would show with nothing before it, 0 to 1."""
