"""Doorways with frames and door leaves, passages, and windows with daylight behind them."""

from __future__ import annotations

import math

from mtvm.homes.home import Home, Opening, Surface, Window
from mtvm.homes.plan.geometry import Rect, flight_rect, footprint
from mtvm.homes.render.mesh import MeshBuilder, owner_id
from mtvm.homes.render.shell import LINING, Wall, place_on, wall_holes, walls_of
from mtvm.homes.shapes.solids import Form

WHITE_PAINT = Surface("white", "paint")
STEEL = Surface("silver", "metal")
SKY = Surface("light blue", "sky")
CASING = (0.06, 0.014)
LEAF = 0.04
HANDLE = 0.06
REVEAL = 0.1
"""Depth of a window's pane in its wall."""


def wall_gap(home: Home, opening: Opening) -> tuple[float, float]:
    """Positions of the wall's two faces, perpendicular to its direction."""
    first, second = (home.rooms[index] for index in opening.rooms)
    if opening.along == "x":
        faces = (first.y1, second.y0) if first.y1 < opening.y + 1e-6 else (second.y1, first.y0)
    else:
        faces = (first.x1, second.x0) if first.x1 < opening.x + 1e-6 else (second.x1, first.x0)
    return faces


def add_opening(builder: MeshBuilder, home: Home, opening: Opening) -> None:
    """Add lining and casing, the strip of floor between the rooms, and an open door leaf if there is space for one."""
    low, high = wall_gap(home, opening)
    floor = home.floor_of(opening.rooms[0])
    thick, middle = high - low, (low + high) / 2
    # The form's y runs across the wall, its x along it.
    form = Form(opening.width, thick, opening.height, opening.surface, WHITE_PAINT)
    half, back, front = opening.width / 2, -thick / 2, thick / 2
    for side in (-1, 1):
        inner, outer = sorted((side * half, side * (half + LINING)))
        form.box((inner, outer), (back, front), (0, opening.height + LINING), opening.surface)
    form.box((-half, half), (back, front), (opening.height, opening.height + LINING), opening.surface)
    edge = half + CASING[0]
    for y in ((back - CASING[1], back), (front, front + CASING[1])):
        for x in ((-edge, -half), (half, edge)):
            form.box(x, y, (0, opening.height + CASING[0]), opening.surface)
        form.box((-half, half), y, (opening.height, opening.height + CASING[0]), opening.surface)
    place = (opening.x, middle, floor) if opening.along == "x" else (middle, opening.y, floor)
    heading = 0.0 if opening.along == "x" else math.pi / 2
    owner = owner_id("opening", opening.index)
    builder.add_solids(form.solids, owner, opening.rooms[0], place, heading)
    sill = Form(1, 1, 1, WHITE_PAINT, WHITE_PAINT)
    sill.box((-half - LINING, half + LINING), (back, front), (-0.02, 0.001), home.rooms[opening.rooms[0]].floor)
    builder.add_solids(sill.solids, owner_id("room", opening.rooms[0]), opening.rooms[0], place, heading)
    if opening.kind == "door":
        _add_leaf(builder, home, opening)


def _add_leaf(builder: MeshBuilder, home: Home, opening: Opening) -> None:
    """Add the door leaf, folded back against the wall, in the room and on the side where it covers nothing."""
    floor, reach = home.floor_of(opening.rooms[0]), home.wall_thickness + 0.05
    for index in opening.rooms[::-1]:
        for wall in walls_of(home.rooms[index]):
            at = place_on(wall, opening.x, opening.y, reach)
            if at is None:
                continue
            for side in (-1, 1):
                hinge = at + side * (opening.width / 2 + 0.02)
                span = tuple(sorted((hinge, hinge + side * opening.width)))
                if _is_free(home, index, wall, (span[0], span[1]), opening):
                    _add_leaf_at(builder, opening, wall, (span[0], span[1]), side, floor, index)
                    return


def _is_free(home: Home, room: int, wall: Wall, span: tuple[float, float], opening: Opening) -> bool:
    """Whether there is neither a thing nor an opening where a leaf would rest."""
    if span[0] < 0.01 or span[1] > wall.length - 0.01:
        return False
    ways, panes = wall_holes(home, home.rooms[room], wall)
    own = place_on(wall, opening.x, opening.y, 1.0)
    for left, low, right, _ in ways + panes:
        mine = low < 0 and own is not None and left < own < right
        if not mine and low < opening.height and left - CASING[0] < span[1] and right + CASING[0] > span[0]:
            return False
    inward = (wall.right[1], -wall.right[0])
    corners = [
        (
            wall.start[0] + wall.right[0] * along + inward[0] * off,
            wall.start[1] + wall.right[1] * along + inward[1] * off,
        )
        for along in span
        for off in (0.0, CASING[1] + LEAF + HANDLE)
    ]
    xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
    taken = Rect(min(xs), min(ys), max(xs), max(ys))
    floor = home.floor_of(room)
    if any(room in stairs.rooms and flight_rect(stairs).overlaps(taken) for stairs in home.stairs):
        return False
    return not any(
        thing.room == room
        and thing.z < floor + opening.height
        and thing.height > 0.05
        and footprint(thing).overlaps(taken)
        for thing in home.things
    )


def _add_leaf_at(
    builder: MeshBuilder,
    opening: Opening,
    wall: Wall,
    span: tuple[float, float],
    side: int,
    floor: float,
    room: int,
) -> None:
    """Add the leaf with four panels and handles; `side` is the side of the opening on which it hangs."""
    width, height = opening.width, opening.height - 0.01
    form = Form(width, LEAF, height, opening.surface, STEEL)
    half = width / 2
    form.box((-half, half), (0, LEAF), (0.008, height), opening.surface)
    gap = 0.1
    for x in ((-half + gap, -gap / 2), (gap / 2, half - gap)):
        for z in ((0.15, 0.85), (1.05, height - 0.13)):
            form.panel(x, (LEAF, LEAF + 0.008), z, opening.surface)
    # Seen from inside, the wall runs along +right; the form faces the room, so its x runs the opposite way.
    away = -side * (half - 0.06)
    form.tube(
        [(away, LEAF, 0.98), (away, LEAF + HANDLE - 0.015, 0.98), (away + side * 0.1, LEAF + HANDLE - 0.015, 0.98)],
        0.01,
        STEEL,
    )
    form.cylinder((away, 0, 0.98), 0.025, (LEAF, LEAF + 0.01), STEEL, "y")
    inward = (wall.right[1], -wall.right[0])
    along = (span[0] + span[1]) / 2
    place = (
        wall.start[0] + wall.right[0] * along + inward[0] * CASING[1],
        wall.start[1] + wall.right[1] * along + inward[1] * CASING[1],
        floor,
    )
    builder.add_solids(form.solids, owner_id("opening", opening.index), room, place, math.atan2(inward[0], inward[1]))


def add_window(builder: MeshBuilder, home: Home, window: Window) -> None:
    """Add reveals, a white frame with bars, a sill board, and a pane that shows the sky."""
    room = home.rooms[window.room]
    reach = home.wall_thickness + 0.05
    found = [(wall, at) for wall in walls_of(room) if (at := place_on(wall, window.x, window.y, reach)) is not None]
    wall, at = min(found, key=lambda pair: abs((window.along == "x") - abs(pair[0].right[0])))
    width, height = window.width, window.height
    half, deep = width / 2, -REVEAL
    # The form faces the room: y is 0 at the inner face of the wall and negative inside the wall.
    form = Form(width, REVEAL, height, WHITE_PAINT, WHITE_PAINT)
    for x in ((-half - 0.02, -half), (half, half + 0.02)):
        form.box(x, (deep, -0.002), (-0.02, height + 0.02), WHITE_PAINT)
    form.box((-half, half), (deep, -0.002), (height, height + 0.02), WHITE_PAINT)
    form.box((-half - 0.03, half + 0.03), (deep, 0.008), (-0.03, 0.0), WHITE_PAINT)
    bar, thick = 0.045, (deep + 0.005, deep + 0.045)
    for x in ((-half, -half + bar), (half - bar, half)):
        form.box(x, thick, (0, height), WHITE_PAINT)
    for z in ((0, bar), (height - bar, height)):
        form.box((-half + bar, half - bar), thick, z, WHITE_PAINT)
    panes = max(1, round(width / 0.8))
    for pane in range(1, panes):
        at_bar = -half + width * pane / panes
        form.box((at_bar - bar / 2, at_bar + bar / 2), thick, (bar, height - bar), WHITE_PAINT)
    if height > 1.0:
        form.box((-half + bar, half - bar), thick, (height * 0.68, height * 0.68 + 0.03), WHITE_PAINT)
    form.box((-half, half), (deep - 0.01, deep + 0.004), (0, height), SKY)
    inward = (wall.right[1], -wall.right[0])
    place = (
        wall.start[0] + wall.right[0] * at,
        wall.start[1] + wall.right[1] * at,
        home.floor_of(window.room) + window.sill,
    )
    builder.add_solids(
        form.solids, owner_id("window", window.index), room.index, place, math.atan2(inward[0], inward[1])
    )
