"""Static light, computed once for each vertex of a home.

Every room is lit by its lamps and windows, with shadows, and by ambient light from its surfaces, dimmed in corners;
then its brightness is adjusted so that no room is gloomy. Sunlight has sharp edges, so it is computed per pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.home import Home, Room
from mtvm.homes.render import light_kernels as kernels
from mtvm.homes.render.materials import linear_colour
from mtvm.homes.render.mesh import Mesh, owner_id
from mtvm.homes.render.openings import REVEAL
from mtvm.homes.render.shell import place_on, walls_of

Floats = NDArray[np.float32]
Occluded = Callable[[Floats, Floats, Floats], NDArray[np.bool_]]
"""From origins, directions and distances to whether something blocks each ray."""

LAMP_COLOUR = np.array([1.0, 0.94, 0.84], dtype=np.float32)
DAY_COLOUR = np.array([0.93, 0.98, 1.06], dtype=np.float32)
DIRECT, AMBIENT = 0.43, 0.46
"""Light on a typical wall from lamps and windows, and from the room's surfaces."""
INSET = (0.12, 0.55)
"""How far from a vertex towards the middle of its triangles its light is sampled; the second if it is buried."""
COVERED = 0.1
"""Openness below which a vertex counts as covered."""
SPOT = 0.12
"""Metres within which vertices with the same normal share their shadows."""
LIFT = 0.006
"""Distance from a surface, in metres, at which its light is sampled."""
DARKEST = 0.2
"""Share of the ambient light that remains in a closed corner."""
CORNER_RAYS = 10
CORNER_REACH = (0.35, 1.1)


def bake_light(home: Home, mesh: Mesh, occluded: Occluded) -> Floats:
    """The light (vertices, 3) that falls on each vertex.

    Shadows are computed per spot, a group of nearby vertices with the same normal; the angle of incidence is computed
    per vertex.
    """
    middles = np.zeros_like(mesh.vertices)
    kernels.corner_middles(mesh.triangles, mesh.vertices, middles)
    inset = middles - mesh.vertices
    spot_of, spots = _spots(mesh, inset)
    spots, openness = _opened(spots, occluded)
    light = np.zeros((len(mesh.vertices), 3), dtype=np.float32)
    is_shell = np.zeros(len(light), dtype=np.bool_)
    is_shell[mesh.triangles[mesh.owner < owner_id("thing", 0)]] = True
    order = np.argsort(mesh.vertex_room, kind="stable")
    bounds = np.searchsorted(mesh.vertex_room[order], np.arange(len(home.rooms) + 1))
    for room in home.rooms:
        members = order[bounds[room.index] : bounds[room.index + 1]]
        used, own = np.unique(spot_of[members], return_inverse=True)
        normals = mesh.normals[members]
        direct = _direct(home, room, mesh.vertices[members], normals, spots[used], own, occluded)
        walls_and_floor = direct[is_shell[members] & (normals[:, 2] > -0.5) & (openness[used][own] > 0.6)]
        typical = max(float(np.median(walls_and_floor.mean(axis=1))) if len(walls_and_floor) else 0.0, 1e-6)
        light[members] = direct * (DIRECT / typical) + AMBIENT * _ambient(room, normals) * (
            DARKEST + (1 - DARKEST) * openness[used][own, None]
        )
    # Covered vertices take their neighbours' light, or else a painting would darken the wall around it.
    known = openness[spot_of] >= COVERED
    for _ in range(2):
        kernels.spread(mesh.triangles, light, known)
    return np.minimum(light, np.float32(1.5))


def _spots(mesh: Mesh, inset: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Each vertex's spot; and (n, 9) each spot's position, normal and direction out of a corner."""
    cells = np.floor(mesh.vertices / SPOT).astype(np.int64) & 255
    looks = np.rint(mesh.normals * 1.4).astype(np.int64) + 1
    key = mesh.vertex_part.astype(np.int64)
    for column, size in [(cells[:, axis], 256) for axis in range(3)] + [(looks[:, axis], 3) for axis in range(3)]:
        key = key * size + column
    order = np.argsort(key, kind="stable")
    first = np.concatenate([[True], np.diff(key[order]) > 0])
    starts, number = np.flatnonzero(first), np.cumsum(first) - 1
    spot_of = np.empty(len(order), dtype=np.int64)
    spot_of[order] = number
    values = np.concatenate([mesh.vertices, mesh.normals, inset], axis=1)[order]
    spots = np.add.reduceat(values, starts) / np.diff(np.append(starts, len(order)))[:, None].astype(np.float32)
    length = np.sqrt((spots[:, 3:6] ** 2).sum(axis=1, keepdims=True))
    spots[:, 3:6] = np.where(length > 0.1, spots[:, 3:6] / np.maximum(length, 0.1), [0, 0, 1])
    # The mean of a curved face lies inside it: move it out as far as the outermost vertex.
    bulge = ((values[:, :3] - spots[number, :3]) * spots[number, 3:6]).sum(axis=1)
    spots[:, :3] += np.maximum.reduceat(bulge, starts)[:, None] * spots[:, 3:6]
    return spot_of, spots.astype(np.float32)


def _opened(spots: Floats, occluded: Occluded) -> tuple[Floats, Floats]:
    """The points (position and normal) at which the light of spots is sampled, and how open each is.

    A point lies a little outwards, and towards the middle of its triangles, to leave a possible corner; farther towards
    the middle if it is buried in another solid.
    """
    places, normals, inset = spots[:, :3], spots[:, 3:6], spots[:, 6:]
    places = places + np.float32(INSET[0]) * inset + np.float32(LIFT) * normals
    openness = _openness(places, normals, occluded)
    buried = np.flatnonzero(openness < COVERED)
    places[buried] += np.float32(INSET[1] - INSET[0]) * inset[buried]
    openness[buried] = _openness(places[buried], normals[buried], occluded)
    return np.concatenate([places, normals], axis=1), openness


def _openness(places: Floats, normals: Floats, occluded: Occluded) -> Floats:
    """The share of the hemisphere above each point that is free nearby."""
    free = np.zeros(len(places), dtype=np.float32)
    rays = np.empty_like(places)
    for ray in range(CORNER_RAYS):
        height = math.sqrt((ray + 0.5) / CORNER_RAYS)
        ring, angle = math.sqrt(1 - height * height), ray * 2.39996
        kernels.corner_rays(normals, ring * math.cos(angle), ring * math.sin(angle), height, rays)
        free += ~occluded(places, rays, np.full(len(places), CORNER_REACH[ray % 2], dtype=np.float32))
    return free / np.float32(CORNER_RAYS)


def _ambient(room: Room, normals: Floats) -> NDArray[np.float64]:
    """Ambient light from ceiling, walls and floor, in their colours."""
    above, beside, below = (
        0.55 + 0.45 * linear_colour(surface.colour) / max(float(linear_colour(surface.colour).mean()), 0.35)
        for surface in (room.ceiling, room.walls, room.floor)
    )
    up = normals[:, 2:].astype(np.float64)
    from_above, from_below = np.maximum(up, 0) * above, np.maximum(-up, 0) * (0.65 * above + 0.35 * below)
    return from_above * 1.05 + from_below * 1.25 + (1 - np.abs(up)) * (0.3 * above + 0.5 * beside + 0.2 * below)


def _direct(
    home: Home,
    room: Room,
    vertices: Floats,
    normals: Floats,
    spots: Floats,
    spot_of: NDArray[np.int64],
    occluded: Occluded,
) -> Floats:
    """Direct light from lamps and windows."""
    total = np.zeros((len(vertices), 3), dtype=np.float32)
    chosen = np.empty(len(spots), dtype=np.int64)
    rays, reach = np.empty((len(spots), 3), dtype=np.float32), np.empty(len(spots), dtype=np.float32)
    for position, outward, sideways, power in _light_points(home, room):
        count = kernels.towards_point(spots, position, outward, sideways, chosen, rays, reach)
        free = np.zeros(len(spots), dtype=np.bool_)
        lit = chosen[:count]
        free[lit] = ~occluded(spots[lit, :3], rays[:count], reach[:count])
        kernels.add_lamp(vertices, normals, spot_of, free, position, outward, sideways, power, total)
    return total


def _light_points(home: Home, room: Room) -> list[tuple[Floats, Floats, float, Floats]]:
    """Light sources: position, main direction, how much shines sideways, and power."""
    floor = home.floor_of(room.index)
    size = max(room.width * room.depth, 4.0)
    points: list[tuple[Floats, Floats, float, Floats]] = []
    down = np.array([0, 0, -1], dtype=np.float32)
    lamps = [thing for thing in home.things if thing.room == room.index and thing.kind == "ceiling lamp"]
    spots = [(lamp.x, lamp.y, lamp.z - 0.06, lamp.width * 0.6) for lamp in lamps]
    if not spots:
        spots = [(*room.centre, floor + home.ceiling_height - 0.15, 0.3)]
    for x, y, z, radius in spots:
        for corner in range(4):
            angle = 0.6 + corner * math.pi / 2
            place = (x + radius * math.cos(angle), y + radius * math.sin(angle), z)
            points.append(
                (np.array(place, dtype=np.float32), down, 0.35, LAMP_COLOUR * np.float32(size / 4 / len(spots)))
            )
    for thing in home.things:
        if thing.room == room.index and thing.kind in ("floor lamp", "table lamp"):
            place = (thing.x, thing.y, thing.z + thing.height + 0.05)
            points.append((np.array(place, dtype=np.float32), down, 0.8, LAMP_COLOUR * np.float32(0.5)))
    for middle, right, inward, half_width, half_height in window_panes(home, room):
        columns = max(2, round(half_width / 0.5))
        for column in range(columns):
            for row in (-0.5, 0.5):
                along = (2 * (column + 0.5) / columns - 1) * half_width
                place = middle + right * along + inward * 0.12 + np.array([0, 0, row * half_height])
                power = DAY_COLOUR * np.float32(6 * half_width * half_height / columns)
                points.append((place.astype(np.float32), inward.astype(np.float32), 0.0, power))
    return points


def window_panes(
    home: Home, room: Room
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, float]]:
    """For each window of the room: the middle of its pane, directions along it and inwards, half width and height."""
    panes = []
    for window in home.windows:
        if window.room != room.index:
            continue
        for wall in walls_of(room):
            at = place_on(wall, window.x, window.y, home.wall_thickness + 0.05)
            if at is None or (window.along == "x") != (abs(wall.right[0]) > 0.5):
                continue
            right = np.array([*wall.right, 0.0])
            inward = np.array([wall.right[1], -wall.right[0], 0.0])
            middle = np.array([*wall.start, home.floor_of(room.index) + window.sill + window.height / 2])
            middle = middle + right * at - inward * (REVEAL - 0.01)
            panes.append((middle, right, inward, window.width / 2, window.height / 2))
    return panes


def sun_direction(home: Home) -> NDArray[np.float64]:
    """Direction to the sun: the azimuth differs between homes, the height is that of a fine morning."""
    azimuth = np.random.default_rng([home.seed, 7]).uniform(0, 2 * math.pi)
    height = math.radians(38)
    return np.array([math.sin(azimuth) * math.cos(height), math.cos(azimuth) * math.cos(height), math.sin(height)])


def sun_panes(home: Home, towards: NDArray[np.float64]) -> tuple[Floats, NDArray[np.int32]]:
    """The windows that the sun shines through, by room, and each room's first index; see `find_sun`."""
    rows, begins = [], [0]
    for room in home.rooms:
        for middle, right, inward, half_width, half_height in window_panes(home, room):
            if towards @ -inward > 0.25:
                rows.append([*middle, *right[:2], half_width - 0.04, half_height - 0.04, *(-inward[:2])])
        begins.append(len(rows))
    return np.array(rows, dtype=np.float32).reshape(-1, 9), np.array(begins, dtype=np.int32)
