"""Two rooms side by side with a door between them, drawn by hand for tests of geometry and pictures."""

from __future__ import annotations

import dataclasses
import math

from mtvm.homes.home import EYE_HEIGHT, Home, Opening, Room, Surface, Thing, Viewpoint, Window

WHITE, BROWN = Surface("white", "paint"), Surface("dark brown", "wood")
EAST, WEST = math.pi / 2, 3 * math.pi / 2


def thing(
    index: int,
    kind: str,
    room: int,
    place: tuple[float, float, float],
    heading: float,
    size: tuple[float, float, float],
    colour: str = "red",
    material: str = "paint",
) -> Thing:
    return Thing(index, kind, room, *place, heading, *size, Surface(colour, material), BROWN)


def two_rooms() -> Home:
    """Rooms of 4 m by 4 m, from x = 0 and from x = 4.12; heading 90 degrees leads through the door."""
    rooms = (
        Room(0, "living room", 0, 0.0, 0.0, 4.0, 4.0, BROWN, WHITE, WHITE),
        Room(1, "bedroom", 0, 4.12, 0.0, 8.12, 4.0, BROWN, Surface("light blue", "paint"), WHITE),
    )
    things = (
        thing(0, "wardrobe", 0, (3.6, 1.0, 0.0), WEST, (0.6, 0.6, 2.0), "red"),
        thing(1, "wardrobe", 0, (2.9, 0.3, 0.0), WEST, (0.5, 0.5, 1.2), "blue"),
        thing(2, "bed", 1, (7.0, 2.0, 0.0), WEST, (1.6, 2.0, 0.9), "green", "fabric"),
        thing(3, "toilet", 1, (5.0, 0.5, 0.0), 0.0, (0.4, 0.7, 0.8), "white", "ceramic"),
        thing(4, "ceiling lamp", 0, (2.0, 2.0, 2.2), 0.0, (0.4, 0.4, 0.3), "white", "glass"),
    )
    viewpoints = (
        Viewpoint("west", 1.0, 1.0, EYE_HEIGHT, 0, "room"),
        Viewpoint("middle", 2.0, 2.5, EYE_HEIGHT, 0, "room"),
        Viewpoint("door", 4.06, 2.5, EYE_HEIGHT, 0, "doorway", opening=0),
        Viewpoint("east", 5.5, 2.5, EYE_HEIGHT, 1, "room"),
    )
    return Home(
        scan="two-rooms",
        seed=5,
        storey_heights=(0.0,),
        ceiling_height=2.5,
        wall_thickness=0.12,
        rooms=rooms,
        openings=(Opening(0, "door", (0, 1), 4.06, 2.5, "y", 0.9, 2.05, WHITE),),
        windows=(Window(0, 1, 8.18, 2.0, "y", 1.4, 0.9, 1.2),),
        stairs=(),
        things=things,
        viewpoints=viewpoints,
        edges=((0, 1), (1, 2), (2, 3)),
    )


def without_things(home: Home) -> Home:
    return dataclasses.replace(home, things=())
