"""The shell of a home: floors, ceilings, walls with holes, skirting boards and stairs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mtvm.homes.home import Home, Room, Stairs, Surface
from mtvm.homes.plan.geometry import Rect, flight_rect, without
from mtvm.homes.render.mesh import OVERLAP, MeshBuilder, add_grid, grid_lines, owner_id
from mtvm.homes.shapes.solids import Form

WHITE_PAINT = Surface("white", "paint")
FLOOR_CELL, WALL_CELL = 0.2, 0.3
"""Resolution of the light on floors and walls, in metres."""
LINING = 0.03
"""Thickness of the boards that line an opening, outside its clear width."""
WALL_MATERIALS = {"paint": "wall", "tile": "wall tile"}
SKIRTING = (0.08, 0.012)
RAIL_HEIGHT = 0.9

Hole = tuple[float, float, float, float]


class Wall(NamedTuple):
    """An inner face of a room's walls; seen from inside, it runs from `start` along `right`."""

    start: tuple[float, float]
    right: tuple[float, float]
    length: float


def walls_of(room: Room) -> list[Wall]:
    """North, east, south, west."""
    return [
        Wall((room.x0, room.y1), (1.0, 0.0), room.width),
        Wall((room.x1, room.y1), (0.0, -1.0), room.depth),
        Wall((room.x1, room.y0), (-1.0, 0.0), room.width),
        Wall((room.x0, room.y0), (0.0, 1.0), room.depth),
    ]


def place_on(wall: Wall, x: float, y: float, reach: float) -> float | None:
    """Position of a point along the wall; None if it is more than `reach` off the wall's line, or past its ends."""
    east, north = x - wall.start[0], y - wall.start[1]
    along = east * wall.right[0] + north * wall.right[1]
    off = abs(east * wall.right[1] - north * wall.right[0])
    return along if off < reach and -1e-6 < along < wall.length + 1e-6 else None


def wall_holes(home: Home, room: Room, wall: Wall) -> tuple[list[Hole], list[Hole]]:
    """The holes for openings and for windows in a wall: left, low, right, high; heights above the floor."""
    reach = home.wall_thickness + 0.05
    ways: list[Hole] = []
    for opening in home.openings:
        if room.index in opening.rooms and (at := place_on(wall, opening.x, opening.y, reach)) is not None:
            half = opening.width / 2 + LINING
            ways.append((at - half, -1.0, at + half, opening.height + LINING))
    panes = [
        (at - window.width / 2, window.sill, at + window.width / 2, window.sill + window.height)
        for window in home.windows
        if window.room == room.index and (at := place_on(wall, window.x, window.y, reach)) is not None
    ]
    return ways, panes


def add_room(builder: MeshBuilder, home: Home, room: Room) -> None:
    owner, floor = owner_id("room", room.index), home.floor_of(room.index)
    _add_level(builder, home, room, floor, True)
    _add_level(builder, home, room, floor + home.ceiling_height, False)
    boards = Form(1, 1, 1, WHITE_PAINT, WHITE_PAINT)
    for wall in walls_of(room):
        ways, panes = wall_holes(home, room, wall)
        holes = ways + panes
        across = grid_lines(wall.length, WALL_CELL, [edge for hole in holes for edge in (hole[0], hole[2])])
        upwards = grid_lines(home.ceiling_height, WALL_CELL, [edge for hole in holes for edge in (hole[1], hole[3])])
        add_grid(
            builder,
            (*wall.start, floor),
            (*wall.right, 0),
            (0, 0, 1),
            across,
            upwards,
            holes,
            Surface(room.walls.colour, WALL_MATERIALS.get(room.walls.material, room.walls.material)),
            owner,
            room.index,
            (room.x0, room.y0, floor),
        )
        if room.walls.material == "paint":
            for low, high in without((0.0, wall.length), [(hole[0] - 0.05, hole[2] + 0.05) for hole in ways]):
                _add_board(boards, wall, low, high, floor)
    builder.add_solids(boards.solids, owner, room.index)


def _add_board(form: Form, wall: Wall, low: float, high: float, floor: float) -> None:
    """Add a skirting board from `low` to `high` along a wall."""
    inward = (wall.right[1], -wall.right[0])
    a = [wall.start[axis] + wall.right[axis] * low for axis in (0, 1)]
    b = [wall.start[axis] + wall.right[axis] * high + inward[axis] * SKIRTING[1] for axis in (0, 1)]
    x, y = sorted((a[0], b[0])), sorted((a[1], b[1]))
    form.box((x[0], x[1]), (y[0], y[1]), (floor, floor + SKIRTING[0]), WHITE_PAINT)


def _add_level(builder: MeshBuilder, home: Home, room: Room, height: float, is_floor: bool) -> None:
    """Add a floor or a ceiling, with holes for stairs."""
    holes: list[Hole] = []
    for stairs in home.stairs:
        if stairs.rooms[1 if is_floor else 0] == room.index:
            rect = flight_rect(stairs)
            holes.append((rect.x0 - room.x0, rect.y0 - room.y0, rect.x1 - room.x0, rect.y1 - room.y0))
    cell = FLOOR_CELL if is_floor else WALL_CELL
    across = grid_lines(room.width, cell, [edge for hole in holes for edge in (hole[0], hole[2])])
    upwards = grid_lines(room.depth, cell, [edge for hole in holes for edge in (hole[1], hole[3])])
    surface = room.floor if is_floor else room.ceiling
    if is_floor and surface.material == "wood":
        surface = Surface(surface.colour, "planks")
    corner, right, up = (room.x0, room.y0, height), (1, 0, 0), (0, 1, 0)
    owner, swap = owner_id("room", room.index), room.depth > room.width
    origin = (room.x0, room.y0, height)
    if is_floor:
        add_grid(builder, corner, right, up, across, upwards, holes, surface, owner, room.index, origin, swap)
    else:
        turned = [(low, left, high, far) for left, low, far, high in holes]
        add_grid(builder, corner, up, right, upwards, across, turned, surface, owner, room.index, origin)


def add_stairs(builder: MeshBuilder, home: Home, stairs: Stairs) -> None:
    """Add steps, the sides of their hole, and railings where there is no wall."""
    owner = owner_id("stairs", stairs.index)
    rect = flight_rect(stairs)
    (x0, y0, z0), (x1, y1, z1) = stairs.foot, stairs.top
    length = math.hypot(x1 - x0, y1 - y0)
    heading = math.atan2(x1 - x0, y1 - y0)
    place = (x0, y0, z0)
    form = Form(stairs.width, length, z1 - z0, stairs.surface, WHITE_PAINT)
    tread, rise, half = length / stairs.steps, (z1 - z0) / stairs.steps, stairs.width / 2
    for step in range(stairs.steps):
        y, z = step * tread, (step + 1) * rise
        form.box((-half, half), (y + 0.02, y + tread + 0.001), (0, z - 0.03), WHITE_PAINT)
        form.box((-half, half), (y, y + tread), (z - 0.035, z), stairs.surface)
    below, above = home.rooms[stairs.rooms[0]], home.rooms[stairs.rooms[1]]
    head = home.ceiling_height - RAIL_HEIGHT - 0.05
    for side in _open_sides(stairs, rect, below):
        _add_slope_rail(form, side * (half - 0.04), tread, rise, min(stairs.steps, int(head / rise)))
    builder.add_solids(form.solids, owner, below.index, place, heading)
    guard = Form(stairs.width, length, 1.0, stairs.surface, WHITE_PAINT)
    top = z1 - z0
    _add_guard(guard, (-half, -0.03), (half, -0.03), top)
    for side in _open_sides(stairs, rect, above):
        _add_guard(guard, (side * (half + 0.03), -0.03), (side * (half + 0.03), length), top)
    builder.add_solids(guard.solids, owner, above.index, place, heading)
    _add_hole_sides(builder, rect, z0 + home.ceiling_height, z1, above.index)


def _open_sides(stairs: Stairs, rect: Rect, room: Room) -> list[int]:
    """The sides of the flight without a wall nearby: -1 is left and 1 is right when climbing."""
    (x0, y0, _), (x1, y1, _) = stairs.foot, stairs.top
    if abs(x1 - x0) > abs(y1 - y0):
        gaps = {1: rect.y0 - room.y0, -1: room.y1 - rect.y1}
        climbs_back = x1 < x0
    else:
        gaps = {1: room.x1 - rect.x1, -1: rect.x0 - room.x0}
        climbs_back = y1 < y0
    return [-side if climbs_back else side for side, gap in gaps.items() if gap > 0.1]


def _add_slope_rail(form: Form, x: float, tread: float, rise: float, steps: int) -> None:
    """Add a baluster on each step and a handrail along them."""
    for step in range(steps):
        y, z = (step + 0.5) * tread, (step + 1) * rise
        form.cylinder((x, y, 0), 0.014, (z, z + RAIL_HEIGHT), WHITE_PAINT, segments=6)
    # The handrail starts at the newel post, before the first step.
    ends = [(x, y, (y / tread + 0.5) * rise + RAIL_HEIGHT) for y in (-0.02, (steps - 0.5) * tread)]
    form.tube(ends, 0.028, form.main)
    form.box((x - 0.038, x + 0.038), (-0.06, 0.016), (0, rise + RAIL_HEIGHT + 0.08), form.main)


def _add_guard(form: Form, start: tuple[float, float], end: tuple[float, float], level: float) -> None:
    """Add a level railing from one point of the floor plan to another."""
    a, b = np.array(start), np.array(end)
    count = max(2, round(float(np.linalg.norm(b - a)) / 0.13))
    for place in range(count + 1):
        x, y = a + (b - a) * place / count
        post = place in (0, count)
        if post:
            form.box((x - 0.03, x + 0.03), (y - 0.03, y + 0.03), (level, level + RAIL_HEIGHT + 0.08), form.main)
        else:
            form.cylinder((x, y, 0), 0.013, (level, level + RAIL_HEIGHT), WHITE_PAINT, segments=6)
    form.tube([(*start, level + RAIL_HEIGHT), (*end, level + RAIL_HEIGHT)], 0.028, form.main)


def _add_hole_sides(builder: MeshBuilder, rect: Rect, low: float, high: float, room: int) -> None:
    """Add the sides of the hole in the slab."""
    owner = owner_id("room", room)
    shaft = Room(room, "", 0, *rect, WHITE_PAINT, WHITE_PAINT, WHITE_PAINT)
    for wall in walls_of(shaft):
        across = grid_lines(wall.length, WALL_CELL, [])
        lines = np.array([-OVERLAP, high - low + OVERLAP / 3])
        corner = (*wall.start, low)
        add_grid(builder, corner, (*wall.right, 0), (0, 0, 1), across, lines, [], WHITE_PAINT, owner, room, corner)
