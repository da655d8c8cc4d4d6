"""The catalogue: all kinds of rooms and things, with their sizes, surfaces and placements.

`KINDS` is in the order of furnishing: a host comes before the things that stand on, beside or around it.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

from mtvm.homes.home import Surface

Range = tuple[float, float]

Placement = Literal[
    "entrance",
    "wall",
    "run",
    "corner",
    "middle",
    "around",
    "on",
    "hung",
    "ceiling",
    "flat",
    "beside",
    "before",
    "window",
]
"""Where a thing goes. `hosts` are the kinds that it is placed relative to, in order of preference.

entrance a closed door in an outer wall of the ground floor
wall     its back against a wall, its front facing the room; if there is a host, opposite or free-standing before it
run      as wall, but in one row with the room's other things of this placement (kitchen units)
corner   in a corner of the room
middle   free-standing, away from the walls
around   at the sides of a host, facing it (chairs around a table)
on       on top of a host, facing the same way
hung     on a wall at `elevation`, above a host if there is one
ceiling  hanging from the ceiling
flat     lying on the floor under and before a host, or in the middle of the room; it can be walked over
beside   its back against the wall, next to a host
before   in front of a host, facing it
window   before a window of the room, slightly wider than the window
"""


@dataclasses.dataclass(frozen=True, slots=True)
class RoomKind:
    """A kind of room: sizes, storeys and surfaces."""

    name: str
    area: Range
    """Plausible range in square metres."""
    least_side: float
    """Smallest length of the shorter side, in metres."""
    most: int
    """Largest number in a home."""
    weight: float
    """Weight in the draw of optional rooms."""
    storeys: tuple[int, ...]
    """Storeys that it may be on; 0 is the ground floor."""
    floors: tuple[Surface, ...]
    walls: tuple[Surface, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing. Its width runs left to right as seen from its front, its depth from front to back."""

    name: str
    width: Range
    depth: Range
    height: Range
    rooms: dict[str, tuple[int, int]]
    """For each kind of room that may hold it, the smallest and largest number."""
    placement: Placement
    surfaces: tuple[Surface, ...]
    """Possible surfaces of its main part, whose colour and material instructions mention."""
    accents: tuple[Surface, ...]
    """Possible surfaces of its secondary part: legs, pillows, frame, screen, leaves."""
    hosts: tuple[str, ...] = ()
    elevation: Range = (0.0, 0.0)
    """For `hung`: height of the underside above the floor. For `ceiling`: gap below the ceiling."""
    clearance: float = 0.6
    """Metres of free floor needed in front of it."""
    blocks: bool = True
    """Whether it is an obstacle to walking."""
    landmark: bool = True
    """Whether an instruction may name it."""
    plural: str = ""
    """Plural of the name, if irregular."""

    @property
    def stands(self) -> bool:
        """Whether it occupies floor that no other standing thing may occupy."""
        return self.placement not in ("entrance", "on", "hung", "ceiling", "flat", "window")


def _groups(text: str) -> list[tuple[str, list[str]]]:
    """Parse "one: a, b; two: c" into [("one", ["a", "b"]), ("two", ["c"])]."""
    pairs = (group.split(":") for group in text.split(";"))
    return [(head.strip(), [item.strip() for item in items.split(",")]) for head, items in pairs]


def _looks(text: str) -> tuple[Surface, ...]:
    """Parse surfaces from "material: colour, colour; material: colour"."""
    return tuple(Surface(colour, material) for material, colours in _groups(text) for colour in colours)


def _range(text: str) -> Range:
    low, _, high = text.partition("-")
    return float(low), float(high or low)


def _room(
    name: str, area: str, side: float, most: int, weight: float, storeys: str, floors: str, walls: str
) -> RoomKind:
    return RoomKind(name, _range(area), side, most, weight, tuple(map(int, storeys)), _looks(floors), _looks(walls))


def _kind(
    name: str,
    placement: Placement,
    size: str,
    rooms: str,
    surfaces: str,
    accents: str,
    hosts: str = "",
    elevation: Range = (0.0, 0.0),
    clearance: float = 0.6,
    blocks: bool = True,
    landmark: bool = True,
    plural: str = "",
) -> Kind:
    """Make a kind from `size` "width x depth x height" and `rooms` "count: room, room; count: room"; each number may be
    a range."""
    width, depth, height = map(_range, size.split(" x "))
    counts = {room: _range(count) for count, names in _groups(rooms) for room in names}
    return Kind(
        name,
        width,
        depth,
        height,
        {room: (int(least), int(most)) for room, (least, most) in counts.items()},
        placement,
        _looks(surfaces),
        _looks(accents),
        tuple(hosts.split(", ")) if hosts else (),
        elevation,
        clearance,
        blocks,
        landmark,
        plural,
    )


_WOOD = "wood: brown, dark brown, beige, dark grey"
_SOFT = "carpet: beige, grey, light blue, dark red, dark green"
_TILES = "tile: white, grey, beige, light blue, dark grey"
_CALM = "paint: white, cream, beige, grey"
_MERRY = "paint: light blue, pink, yellow, green, turquoise, orange"
_RICH = "paint: dark green, dark red, dark blue, beige, brown"

# fmt: off
ROOM_KINDS: dict[str, RoomKind] = {
    kind.name: kind
    for kind in (
        _room("living room", "17-38", 3.2, 1, 0, "0", _WOOD, f"{_CALM}; paint: light blue, green"),
        _room("kitchen", "8-19", 2.5, 1, 0, "0", f"{_TILES}; marble: white", f"{_CALM}; paint: yellow, green"),
        _room("dining room", "9-19", 2.8, 1, 2.0, "0", _WOOD, f"{_CALM}; paint: dark red, green, orange"),
        _room("bedroom", "9-21", 2.8, 4, 1.6, "01", f"{_WOOD}; {_SOFT}", f"{_CALM}; paint: light blue, pink, purple"),
        _room("bathroom", "4.2-9.5", 1.8, 3, 0.9, "01", f"{_TILES}; marble: white, grey",
              "tile: white, light blue, green, beige"),
        _room("hallway", "4-30", 1.2, 2, 0, "01", f"{_WOOD}; marble: white, beige", _CALM),
        _room("entryway", "3.5-10", 1.7, 1, 0, "0", "tile: grey, beige, black; marble: white", _CALM),
        _room("office", "6.5-15", 2.3, 1, 1.2, "01", f"{_WOOD}; carpet: grey, dark blue",
              f"{_CALM}; paint: dark green"),
        _room("laundry room", "4-9", 1.8, 1, 1.8, "0", _TILES, "paint: white, light blue; tile: white"),
        _room("garage", "16-30", 3.25, 1, 1.0, "0", "concrete: grey, dark grey", "brick: red, white; concrete: grey"),
        _room("library", "8.5-18", 2.6, 1, 1.0, "01", "wood: dark brown; carpet: dark red, dark green", _RICH),
        _room("gym", "8.5-20", 2.6, 1, 0.7, "01", "carpet: dark grey, black; wood: beige",
              "paint: white, grey, orange, red"),
        _room("closet", "2.3-5.5", 1.4, 1, 0.9, "01", "wood: beige, brown; carpet: beige", "paint: white, cream"),
        _room("playroom", "8.5-18", 2.6, 1, 0.8, "01", "carpet: light blue, green, orange; wood: beige", _MERRY),
        _room("nursery", "7.5-14", 2.4, 1, 1.0, "01", "carpet: pink, cream, light blue; wood: beige",
              "paint: pink, light blue, yellow, cream"),
        _room("music room", "8.5-20", 2.6, 1, 0.7, "01", "wood: brown, dark brown; carpet: dark red", _RICH),
    )
}
# fmt: on

_ANY_WOOD = "wood: brown, dark brown, beige; paint: white, black"
_DYED = "fabric: grey, beige, blue, dark blue, green, red, yellow, white"
_LEATHER = "leather: brown, black, dark red, white"
_LEGS = "wood: brown, dark brown, beige; metal: black, silver"
_FRONTS = "paint: white, red, green, blue; wood: brown, beige, dark brown"
_STEEL = "metal: silver, white, black"
_SHADE = "fabric: white, cream, yellow, orange, red, green; glass: white"
_BRIGHT = "paint: red, blue, yellow, green, orange, purple, pink, turquoise"
_GREEN = "plant: green, dark green"
_DARK = "plastic: black, dark grey"
_WHITE = "ceramic: white"
_METAL = "metal: silver, gold, black"

# fmt: off
_ALL_KINDS = (
    # outer doors, which always stay closed
    _kind("front door", "entrance", "0.95-1.05 x 0.06 x 2.05", "1: entryway; 0-1: hallway, living room",
          "wood: brown, dark brown; paint: red, blue, green, black, white", _METAL, clearance=1.0, blocks=False),
    _kind("garage door", "entrance", "2.3-2.6 x 0.06 x 2.1", "1: garage", "metal: white, grey, brown, dark green",
          "metal: silver", clearance=0.5, blocks=False),
    # sleeping
    _kind("bed", "wall", "1.1-1.8 x 2-2.1 x 0.8-1.1", "1: bedroom",
          "fabric: white, blue, grey, red, green, purple, pink, beige", _ANY_WOOD),
    _kind("crib", "wall", "1.2-1.3 x 0.7-0.75 x 0.9-1", "1: nursery", "wood: beige, brown; paint: white",
          "fabric: white, pink, light blue, yellow"),
    _kind("nightstand", "beside", "0.4-0.5 x 0.38-0.45 x 0.5-0.6", "1-2: bedroom", _ANY_WOOD, _METAL, hosts="bed",
          clearance=0.3),
    _kind("wardrobe", "wall", "1-1.8 x 0.58-0.62 x 1.95-2.2", "1: bedroom, closet; 0-1: nursery", _ANY_WOOD, _METAL),
    _kind("dresser", "wall", "0.9-1.3 x 0.45-0.5 x 0.8-0.95", "0-1: bedroom, nursery, closet", _ANY_WOOD, _METAL),
    # sitting
    _kind("tv stand", "wall", "1.2-1.7 x 0.4-0.45 x 0.45-0.55", "1: living room; 0-1: playroom", _ANY_WOOD, _METAL),
    _kind("sofa", "wall", "1.7-2.3 x 0.85-0.95 x 0.75-0.9", "1: living room; 0-1: library, music room, playroom",
          f"{_DYED}; {_LEATHER}", _LEGS, hosts="tv stand"),
    _kind("television", "on", "0.9-1.3 x 0.08-0.12 x 0.55-0.8", "1: living room; 0-1: playroom", _DARK, "glass: black",
          hosts="tv stand"),
    _kind("coffee table", "before", "0.8-1.2 x 0.5-0.65 x 0.38-0.45", "1: living room; 0-1: library, music room",
          "wood: brown, dark brown, beige; glass: light blue; marble: white", _LEGS, hosts="sofa", clearance=0.45),
    _kind("fireplace", "wall", "1.2-1.6 x 0.4-0.5 x 1.1-1.3", "0-1: living room, library",
          "brick: red, dark grey; marble: white, black", "brick: black", clearance=0.9),
    # eating and cooking
    _kind("dining table", "middle", "1.4-2 x 0.85-1 x 0.74-0.77", "1: dining room; 0-1: kitchen",
          "wood: brown, dark brown, beige; paint: white; glass: light blue", _LEGS),
    _kind("fridge", "run", "0.65-0.85 x 0.65-0.7 x 1.7-1.95", "1: kitchen", "metal: silver, white, black; paint: red",
          _METAL, clearance=0.8),
    _kind("kitchen sink", "run", "0.7-0.9 x 0.6 x 1.15", "1: kitchen; 0-1: laundry room",
          "metal: silver; ceramic: white", _FRONTS, clearance=0.8),
    _kind("kitchen counter", "run", "0.8-1.6 x 0.6 x 0.9", "1-2: kitchen",
          "marble: white, black, grey; wood: brown, beige",
          _FRONTS, clearance=0.8),
    _kind("stove", "run", "0.6-0.75 x 0.6 x 0.9", "1: kitchen", "metal: silver, white, black", "glass: black",
          clearance=0.8),
    _kind("microwave", "on", "0.45-0.55 x 0.35-0.4 x 0.28-0.32", "0-1: kitchen", _STEEL, "glass: black",
          hosts="kitchen counter"),
    _kind("kitchen island", "middle", "1.2-1.8 x 0.7-0.9 x 0.9-0.95", "0-1: kitchen",
          "marble: white, black, grey; wood: brown", "paint: white, blue, green; wood: brown, beige"),
    # washing
    _kind("toilet", "wall", "0.38-0.42 x 0.65-0.7 x 0.75-0.85", "1: bathroom", _WHITE, "plastic: white, black"),
    _kind("washbasin", "wall", "0.55-0.9 x 0.45-0.5 x 0.84-0.88", "1: bathroom", _WHITE,
          "wood: brown, dark brown, beige; paint: white, blue"),
    _kind("bathtub", "wall", "1.5-1.7 x 0.7-0.8 x 0.5-0.6", "0-1: bathroom", _WHITE, _METAL),
    _kind("shower", "corner", "0.85-1 x 0.85-1 x 2-2.1", "1: bathroom", "glass: light blue, grey",
          "metal: silver, black, gold"),
    _kind("washing machine", "run", "0.6-0.62 x 0.58-0.6 x 0.85-0.87", "1: laundry room", "metal: white, silver",
          "glass: dark grey", clearance=0.7),
    _kind("dryer", "run", "0.6-0.62 x 0.58-0.6 x 0.85-0.87", "1: laundry room", "metal: white, silver, dark grey",
          "glass: dark grey", clearance=0.7),
    # working and playing
    _kind("car", "middle", "1.7-1.8 x 3.9-4.3 x 1.4-1.5", "1: garage",
          "metal: red, blue, black, white, silver, green, yellow", "glass: dark grey", clearance=0.3),
    _kind("pool table", "middle", "2.1-2.3 x 1.2-1.3 x 0.82-0.86", "0-1: playroom, library", "fabric: green, blue, red",
          "wood: brown, dark brown"),
    _kind("desk", "wall", "1.1-1.6 x 0.6-0.75 x 0.73-0.76", "1: office; 0-1: bedroom, library", _ANY_WOOD, _LEGS,
          clearance=0.9),
    _kind("piano", "wall", "1.4-1.5 x 0.6-0.65 x 1.15-1.3", "1: music room; 0-1: living room",
          "wood: black, brown, dark brown; paint: white", "plastic: white", clearance=0.9),
    _kind("workbench", "wall", "1.3-1.8 x 0.55-0.65 x 0.85-0.95", "0-1: garage", "wood: brown, beige; metal: red, blue",
          "metal: black, silver", clearance=0.5),
    _kind("treadmill", "wall", "0.75-0.85 x 1.6-1.8 x 1.3-1.4", "1: gym", _DARK, "metal: silver, red"),
    _kind("dumbbell rack", "wall", "1.2-1.5 x 0.5-0.55 x 0.8-1", "1: gym", "metal: black, silver, red",
          "metal: dark grey"),
    _kind("toy chest", "wall", "0.8-1 x 0.45-0.5 x 0.5-0.6", "1: playroom; 0-1: nursery", _BRIGHT, "wood: beige, brown",
          clearance=0.5),
    # storing
    _kind("bookshelf", "wall", "0.8-1.6 x 0.28-0.35 x 1.6-2.1",
          "2-4: library; 0-2: office, living room; 0-1: bedroom, music room, playroom", _ANY_WOOD,
          "paper: red, blue, green, brown, beige", clearance=0.5, plural="bookshelves"),
    _kind("sideboard", "wall", "1.2-1.7 x 0.4-0.45 x 0.8-0.9", "0-1: dining room, hallway, living room", _ANY_WOOD,
          _METAL, clearance=0.5),
    _kind("aquarium", "wall", "0.9-1.3 x 0.4-0.5 x 1.1-1.3", "0-1: living room, office, playroom, dining room",
          "glass: light blue, turquoise", "wood: black, brown, beige"),
    _kind("shoe rack", "wall", "0.7-1 x 0.3-0.35 x 0.5-0.9", "0-1: entryway, closet, hallway", _ANY_WOOD,
          "leather: brown, black; fabric: red, blue", clearance=0.4),
    _kind("bench", "wall", "1-1.4 x 0.38-0.45 x 0.43-0.48", "0-1: entryway, gym, hallway, music room",
          "wood: brown, dark brown, beige; leather: black, red, brown; fabric: grey, blue", _LEGS, clearance=0.5),
    _kind("bicycle", "wall", "1.6-1.7 x 0.45-0.5 x 1-1.05", "0-1: garage, gym",
          "metal: red, blue, green, yellow, black, white", "plastic: black", clearance=0.4),
    # seats that belong to something
    _kind("armchair", "corner", "0.75-0.9 x 0.8-0.9 x 0.85-1",
          "0-2: living room; 1-2: library; 0-1: bedroom, nursery, music room", f"{_DYED}; {_LEATHER}", _LEGS,
          clearance=0.5),
    _kind("chair", "around", "0.42-0.48 x 0.45-0.5 x 0.85-0.95", "4-6: dining room; 2-4: kitchen",
          "wood: brown, dark brown, beige; plastic: white, red, black; fabric: grey, blue, green", _LEGS,
          hosts="dining table", clearance=0.0),
    _kind("office chair", "before", "0.55-0.6 x 0.55-0.6 x 0.95-1.1", "1: office; 0-1: bedroom, library",
          "leather: black, brown, white; fabric: grey, blue, red", "metal: silver; plastic: black", hosts="desk",
          clearance=0.0),
    _kind("stool", "before", "0.34-0.4 x 0.34-0.4 x 0.5-0.7", "2-3: kitchen; 1: music room; 0-1: living room, garage",
          "wood: brown, beige; leather: black, red; metal: silver; plastic: white", _LEGS,
          hosts="kitchen island, piano, workbench", clearance=0.0),
    # corners
    _kind("potted plant", "corner", "0.4-0.6 x 0.4-0.6 x 0.8-1.5", "1-2: living room; 0-1: dining room, bedroom, "
          "hallway, entryway, office, library, playroom, music room, nursery, bathroom", _GREEN,
          "ceramic: white, orange, blue, black; paint: red, yellow", clearance=0.0),
    _kind("floor lamp", "corner", "0.35-0.45 x 0.35-0.45 x 1.5-1.75",
          "1: living room; 0-1: library, music room, office, bedroom", _SHADE, _METAL, clearance=0.0),
    _kind("globe", "corner", "0.4-0.5 x 0.4-0.5 x 0.9-1.1", "0-1: library, office, playroom",
          "paint: blue, green, brown", "wood: brown, dark brown; metal: gold", clearance=0.0),
    _kind("guitar", "corner", "0.4-0.45 x 0.3-0.35 x 1-1.1", "1-2: music room; 0-1: bedroom, living room",
          "wood: brown, beige, red, black; paint: blue, white", "metal: black, silver", clearance=0.0),
    _kind("coat rack", "corner", "0.4-0.5 x 0.4-0.5 x 1.65-1.8", "1: entryway; 0-1: hallway, closet",
          "wood: brown, dark brown; metal: black, silver; paint: white", "fabric: red, blue, black, green, beige",
          clearance=0.0),
    _kind("laundry basket", "corner", "0.4-0.5 x 0.35-0.45 x 0.5-0.6", "1: laundry room; 0-1: bathroom, closet",
          "plastic: white, blue, pink, green; wood: beige, brown", "fabric: white, blue, red", clearance=0.0),
    _kind("trash can", "corner", "0.28-0.35 x 0.28-0.35 x 0.4-0.65", "0-1: kitchen, bathroom, office, garage",
          "metal: silver, black, red; plastic: blue, green, white", _DARK, clearance=0.0, landmark=False),
    # on top
    _kind("computer", "on", "0.5-0.65 x 0.2-0.3 x 0.4-0.5", "1: office; 0-1: bedroom, library",
          "plastic: black, white; metal: silver", "glass: blue, black", hosts="desk"),
    _kind("table lamp", "on", "0.24-0.32 x 0.24-0.32 x 0.4-0.55", "1-2: bedroom; 0-1: hallway, nursery, library",
          _SHADE, _METAL, hosts="nightstand, sideboard, dresser, desk"),
    _kind("vase", "on", "0.16-0.24 x 0.16-0.24 x 0.28-0.45",
          "1: dining room; 0-1: living room, bedroom, hallway, kitchen",
          "ceramic: white, blue, red, yellow, turquoise; glass: green, purple",
          "plant: green; paper: red, yellow, pink, white",
          hosts="dining table, coffee table, sideboard, dresser, kitchen island"),
    # walls, ceiling, floor
    _kind("mirror", "hung", "0.5-0.8 x 0.03-0.05 x 0.7-0.9", "1: bathroom; 0-1: entryway, bedroom, closet; 1-2: gym",
          "mirror: silver", "wood: brown, beige; metal: gold, silver, black", hosts="washbasin, dresser",
          elevation=(1.1, 1.2), blocks=False),
    _kind("towel rack", "hung", "0.5-0.7 x 0.08-0.12 x 0.5-0.6", "0-1: bathroom",
          "fabric: white, blue, red, green, yellow, pink", "metal: silver, gold", elevation=(0.8, 0.95), blocks=False),
    _kind("painting", "hung", "0.6-1.3 x 0.03-0.05 x 0.5-0.9", "1-2: living room; 0-1: dining room, entryway, "
          "office, library, playroom, music room, nursery; 0-2: bedroom; 1-3: hallway",
          "paper: red, blue, green, yellow, orange, purple, turquoise, pink",
          "wood: black, brown, beige; metal: gold, silver", hosts="sofa, bed, sideboard, fireplace",
          elevation=(1.3, 1.45), blocks=False),
    _kind("clock", "hung", "0.3-0.4 x 0.04-0.06 x 0.3-0.4", "0-1: kitchen, office, dining room, gym, hallway",
          "paint: white, black, red, blue", "metal: black, silver, gold; wood: brown", elevation=(1.65, 1.8),
          blocks=False),
    _kind("curtain", "window", "1-3 x 0.1-0.12 x 1.6-2.5",
          "1-3: living room, dining room, bedroom, office, library, nursery, playroom, music room",
          "fabric: white, beige, red, blue, green, yellow, grey, purple, pink", _METAL, clearance=0.0, blocks=False,
          landmark=False),
    _kind("ceiling lamp", "ceiling", "0.35-0.6 x 0.35-0.6 x 0.2-0.4",
          f"1: {', '.join(ROOM_KINDS)}", _SHADE, _METAL, blocks=False,
          landmark=False),
    _kind("rug", "flat", "1.6-2.8 x 1.1-2 x 0.01-0.015", "1: living room; 0-1: library, music room, bedroom, "
          "nursery, office, playroom, dining room, hallway, bathroom",
          "carpet: red, blue, green, beige, grey, dark red, dark blue, purple, orange, white",
          "carpet: beige, white, black, gold", hosts="coffee table, dining table, bed, desk", clearance=0.0,
          blocks=False),
)
# fmt: on

KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL_KINDS}
