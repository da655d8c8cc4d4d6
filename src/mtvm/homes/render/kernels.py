"""Compiled inner loops of the ray tracer; importing this module needs numba.

Every triangle is one row of numbers (see `TRIANGLE_COLUMNS`), so that a pixel reads one contiguous piece of memory.
Callers check the arrays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.render.materials import GLOWING, SKY
from mtvm.homes.render.textures import noise, texture
from mtvm.world._skybox_kernels import compiled

# Columns of a triangle's row: first corner and two edges, then light, texture position and normal of each corner.
CORNER, LIGHT, TEXTURE, NORMAL, TRIANGLE_COLUMNS = 0, 9, 18, 27, 36
# Columns of a surface's row, see materials.SURFACE_COLUMNS.
STRENGTH, GLOSS, SHARPNESS, METALLIC, GLOW, JOINT = 3, 4, 5, 6, 7, 8

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@compiled
def fill_rows(triangles: Ints, vertices: Floats, corner_values: Floats, rows: Floats) -> None:
    """Fill each triangle's row: first corner, two edges, then its corners' values (vertices, k, 3), k by k."""
    for triangle in range(triangles.shape[0]):
        row = rows[triangle]
        first = triangles[triangle, 0]
        for axis in range(3):
            row[axis] = vertices[first, axis]
            row[3 + axis] = vertices[triangles[triangle, 1], axis] - vertices[first, axis]
            row[6 + axis] = vertices[triangles[triangle, 2], axis] - vertices[first, axis]
        for kind in range(corner_values.shape[1]):
            for corner in range(3):
                for axis in range(3):
                    row[9 + 9 * kind + 3 * corner + axis] = corner_values[triangles[triangle, corner], kind, axis]


@compiled
def measure(origins: Floats, directions: Floats, met: Ints, triangles: Floats, hits: Floats) -> None:
    """Distance, and weights of the second and third corner, where each ray meets its triangle; 0 if it meets none."""
    single = origins.shape[0] == 1
    for ray in range(met.size):
        index = met[ray]
        if index < 0:
            hits[ray, 0] = hits[ray, 1] = hits[ray, 2] = 0.0
            continue
        row, origin = triangles[index], origins[0 if single else ray]
        dx, dy, dz = np.float64(directions[ray, 0]), np.float64(directions[ray, 1]), np.float64(directions[ray, 2])
        ax, ay, az = np.float64(row[3]), np.float64(row[4]), np.float64(row[5])
        bx, by, bz = np.float64(row[6]), np.float64(row[7]), np.float64(row[8])
        px, py, pz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
        scale = ax * px + ay * py + az * pz
        scale = 1.0 / scale if scale != 0 else scale
        sx, sy, sz = origin[0] - np.float64(row[0]), origin[1] - np.float64(row[1]), origin[2] - np.float64(row[2])
        qx, qy, qz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
        hits[ray, 0] = (bx * qx + by * qy + bz * qz) * scale
        hits[ray, 1] = min(max((sx * px + sy * py + sz * pz) * scale, 0.0), 1.0)
        hits[ray, 2] = min(max((dx * qx + dy * qy + dz * qz) * scale, 0.0), 1.0)


@compiled
def turn(rays: Floats, chosen: NDArray[np.int64], to_world: Floats, out: Floats) -> None:
    """Rotate the chosen rays (all if none are chosen) from the camera's axes to the world's."""
    for place in range(out.shape[0]):
        ray = rays[chosen[place] if chosen.size else place]
        for axis in range(3):
            out[place, axis] = to_world[axis, 0] * ray[0] + to_world[axis, 1] * ray[1] + to_world[axis, 2] * ray[2]


@compiled
def blended(row: Floats, first: int, second: float, third: float, out: Floats) -> None:
    """Weighted mean of the three corners' values."""
    rest = 1.0 - second - third
    for axis in range(3):
        out[axis] = row[first + axis] * rest + row[first + 3 + axis] * second + row[first + 6 + axis] * third


@compiled
def unit(vector: Floats) -> None:
    length = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    scale = 1.0 / max(length, 1e-9)
    for axis in range(3):
        vector[axis] *= scale


@compiled
def sky_colour(dx: float, dy: float, dz: float, out: Floats) -> None:
    """The outdoors: a lawn, a line of trees, a blue sky with some clouds."""
    azimuth = math.atan2(dx, dy)
    trees = 0.035 + 0.06 * noise(azimuth * 5 + 20, 0.5, 0.5) + 0.03 * noise(azimuth * 17 + 60, 0.5, 0.5)
    if dz > trees:
        rise = min((dz - 0.02) * 1.5, 1.0)
        out[0], out[1], out[2] = 0.80 - 0.42 * rise, 0.90 - 0.27 * rise, 1.0 - 0.06 * rise
        far = 1.0 / (dz + 0.12)
        cloud = noise(dx * far * 1.2, dy * far * 1.2, 3.0) * 0.65 + noise(dx * far * 3, dy * far * 3, 7.0) * 0.35
        share = min(max((cloud - 0.48) * 4.0, 0.0), 1.0) * 0.85
        for axis in range(3):
            out[axis] = out[axis] * (1 - share) + share * 1.02
    elif dz > -0.015:
        leaf = 0.6 + 0.8 * noise(azimuth * 60, dz * 60, 1.0)
        out[0], out[1], out[2] = 0.10 * leaf, 0.24 * leaf, 0.08 * leaf
    else:
        near = min(-dz * 2.0, 1.0)
        far = 1.0 / (0.02 - dz)
        blade = 0.85 + 0.3 * noise(dx * far, dy * far, 2.0)
        out[0], out[1], out[2] = (0.36 - 0.1 * near) * blade, (0.55 - 0.13 * near) * blade, (0.20 - 0.06 * near) * blade


@compiled
def add_gloss(
    normal: Floats, direction: Floats, point: Floats, light: Floats, surface: Floats, lamp: Floats, colour: Floats
) -> None:
    """Add reflections of the room, brighter above than below, and of its lamp."""
    facing = -(normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2])
    grazing = 1.0 - min(max(facing, 0.0), 1.0)
    grazing = grazing * grazing * grazing * grazing * grazing
    share = surface[GLOSS] + (1.0 - surface[GLOSS]) * grazing * (
        0.5 if surface[METALLIC] > 0 else min(1.0, surface[GLOSS] * 9)
    )
    rx = direction[0] + 2 * facing * normal[0]
    ry = direction[1] + 2 * facing * normal[1]
    rz = direction[2] + 2 * facing * normal[2]
    level = (light[0] + light[1] + light[2]) / 3
    room = level * (0.5 + 0.35 * rz)
    lx, ly, lz = lamp[0] - point[0], lamp[1] - point[1], lamp[2] - point[2]
    far = math.sqrt(lx * lx + ly * ly + lz * lz)
    towards = (rx * lx + ry * ly + rz * lz) / max(far, 1e-6)
    spot = math.exp(surface[SHARPNESS] * math.log(towards)) * level * 2.5 if towards > 0.75 else 0.0
    for axis in range(3):
        tint = 1.0 - surface[METALLIC] * (1.0 - surface[axis])
        colour[axis] = colour[axis] * (1.0 - share * 0.8) + share * tint * (room + spot)


@compiled
def shade(
    origins: Floats,
    directions: Floats,
    met: Ints,
    hits: Floats,
    sun: Floats,
    triangles: Floats,
    codes: Ints,
    surfaces: Floats,
    behaviours: Ints,
    lamps: Floats,
    pixel: float,
    out: Floats,
) -> None:
    """Linear colours of rays. `codes` holds each triangle's surface, facing and room; `pixel` is an angle."""
    single = origins.shape[0] == 1
    light, place = np.empty(3, dtype=np.float32), np.empty(3, dtype=np.float32)
    normal, point = np.empty(3, dtype=np.float32), np.empty(3, dtype=np.float32)
    for ray in range(met.size):
        direction, colour, index = directions[ray], out[ray], met[ray]
        if index < 0:
            sky_colour(direction[0], direction[1], direction[2], colour)
            continue
        look = codes[index, 0]
        surface, behaviour = surfaces[look], behaviours[look, 1]
        if behaviour == SKY:
            sky_colour(direction[0], direction[1], direction[2], colour)
            continue
        row, distance, second, third = triangles[index], hits[ray, 0], hits[ray, 1], hits[ray, 2]
        blended(row, NORMAL, second, third, normal)
        unit(normal)
        facing = -(normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2])
        if behaviour == GLOWING:
            for axis in range(3):
                colour[axis] = (0.05 + 1.1 * surface[axis]) * (0.85 + 0.2 * abs(facing))
            continue
        if facing < 0:
            for axis in range(3):
                normal[axis] = -normal[axis]
        blended(row, LIGHT, second, third, light)
        blended(row, TEXTURE, second, third, place)
        blur = distance * pixel / max(abs(facing), 0.2)
        shift, joint = texture(behaviours[look, 0], place, codes[index, 1], blur)
        factor = max(1.0 + surface[STRENGTH] * shift, 0.05)
        origin = origins[0 if single else ray]
        for axis in range(3):
            base = surface[axis] * factor * (1.0 - joint) + surface[JOINT + axis] * joint
            warm = (1.0, 0.93, 0.80)[axis]
            colour[axis] = base * (light[axis] + sun[ray] * warm + surface[GLOW])
            point[axis] = origin[axis] + distance * direction[axis]
        if surface[GLOSS] > 0 and joint < 0.5:
            add_gloss(normal, direction, point, light, surface, lamps[codes[index, 2]], colour)


@compiled
def find_sun(
    origins: Floats,
    directions: Floats,
    met: Ints,
    hits: Floats,
    triangles: Floats,
    codes: Ints,
    towards: Floats,
    panes: Floats,
    pane_ranges: Ints,
    strength: Floats,
    reach: Floats,
) -> None:
    """How strongly the sun would shine on each hit through a window of its room, and the distance to that window.

    A pane's row: its middle (3), the direction of its width (2), half its width, half its height, its normal (2).
    """
    single = origins.shape[0] == 1
    for ray in range(met.size):
        strength[ray] = 0.0
        index = met[ray]
        if index < 0:
            continue
        room = codes[index, 2]
        if pane_ranges[room] == pane_ranges[room + 1]:
            continue
        row = triangles[index]
        slope = 0.0
        for axis in range(3):
            slope += row[NORMAL + axis] * towards[axis]
        if slope < 0.02:
            continue
        origin = origins[0 if single else ray]
        x = origin[0] + hits[ray, 0] * directions[ray, 0]
        y = origin[1] + hits[ray, 0] * directions[ray, 1]
        z = origin[2] + hits[ray, 0] * directions[ray, 2]
        for number in range(pane_ranges[room], pane_ranges[room + 1]):
            pane = panes[number]
            crossing = towards[0] * pane[7] + towards[1] * pane[8]
            way = ((pane[0] - x) * pane[7] + (pane[1] - y) * pane[8]) / crossing
            if way < 0.02:
                continue
            across = (x + way * towards[0] - pane[0]) * pane[3] + (y + way * towards[1] - pane[1]) * pane[4]
            above = z + way * towards[2] - pane[2]
            inside = min(pane[5] - abs(across), pane[6] - abs(above))
            soft = 0.008 + 0.012 * way
            share = min(max(inside / soft, 0.0), 1.0)
            if share > 0:
                strength[ray] = share * slope
                reach[ray] = way
                break


@compiled
def bounce(
    origins: Floats,
    directions: Floats,
    rays: NDArray[np.int64],
    met: Ints,
    hits: Floats,
    triangles: Floats,
    mirrors: NDArray[np.bool_],
    starts: Floats,
    onward: Floats,
) -> None:
    """Continue rays that hit mirrors and panes of glass."""
    single = origins.shape[0] == 1
    for place in range(rays.size):
        ray = rays[place]
        row, direction, origin = triangles[met[ray]], directions[ray], origins[0 if single else ray]
        nx, ny, nz = (
            row[4] * row[8] - row[5] * row[7],
            row[5] * row[6] - row[3] * row[8],
            row[3] * row[7] - row[4] * row[6],
        )
        scale = 1.0 / max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
        facing = (direction[0] * nx + direction[1] * ny + direction[2] * nz) * scale * scale
        turn = 2 * facing if mirrors[place] else 0.0
        onward[place, 0] = direction[0] - turn * nx
        onward[place, 1] = direction[1] - turn * ny
        onward[place, 2] = direction[2] - turn * nz
        step = 0.02 if not mirrors[place] else 0.001
        for axis in range(3):
            starts[place, axis] = origin[axis] + hits[ray, 0] * direction[axis] + step * onward[place, axis]


@compiled
def encode(linear: Floats, table: NDArray[np.uint8], highest: float, out: NDArray[np.uint8]) -> None:
    scale = (table.size - 1) / highest
    last = np.float32(table.size - 1)
    for pixel in range(linear.shape[0]):
        for axis in range(3):
            value = linear[pixel, axis] * scale + 0.5
            out[pixel, axis] = table[int(min(max(value, 0.0), last))]


@compiled
def find_edges(faces: NDArray[np.uint8], owners: Ints, contrast: int, marked: NDArray[np.bool_]) -> None:
    """Mark pixels that differ from a neighbour so much that the edge would look jagged."""
    size = faces.shape[1]
    for face in range(6):
        for row in range(size):
            for column in range(size):
                for down in range(2):
                    r, c = row + down, column + 1 - down
                    if r >= size or c >= size:
                        continue
                    differs = owners[face, row, column] != owners[face, r, c]
                    limit = contrast // 2 if differs else contrast
                    for axis in range(3):
                        step = np.int32(faces[face, row, column, axis]) - np.int32(faces[face, r, c, axis])
                        if step > limit or step < -limit:
                            marked[face, row, column] = True
                            marked[face, r, c] = True
                            break


@compiled
def box_views(
    directions: Floats,
    angles: NDArray[np.float64],
    pixels: NDArray[np.int64],
    axes: NDArray[np.float64],
    focal: float,
    width: int,
    height: int,
    limits: NDArray[np.float64],
) -> None:
    """Widen each view's box (left, top, right, bottom) to enclose those of `pixels` that it shows."""
    for view in range(axes.shape[0]):
        box = limits[view]
        for place in range(pixels.size):
            direction = directions[pixels[place]]
            z = axes[view, 2, 0] * direction[0] + axes[view, 2, 1] * direction[1] + axes[view, 2, 2] * direction[2]
            if z < 0.1:
                continue
            x = axes[view, 0, 0] * direction[0] + axes[view, 0, 1] * direction[1] + axes[view, 0, 2] * direction[2]
            y = axes[view, 1, 0] * direction[0] + axes[view, 1, 1] * direction[1] + axes[view, 1, 2] * direction[2]
            column, row = width / 2 + focal * x / z, height / 2 + focal * y / z
            if column < 0 or row < 0 or column > width or row > height:
                continue
            spread = focal * 0.5 * math.sqrt(angles[pixels[place]]) / (z * z)
            box[0], box[1] = min(box[0], max(column - spread, 0.0)), min(box[1], max(row - spread, 0.0))
            box[2], box[3] = max(box[2], min(column + spread, width)), max(box[3], min(row + spread, height))


@compiled
def look_through(
    directions: Floats,
    distances: Floats,
    position: NDArray[np.float64],
    holes: NDArray[np.float64],
    inside: NDArray[np.bool_],
    through: NDArray[np.bool_],
) -> None:
    """For each hole and direction, whether it points into the hole, and whether what it hits is behind the hole.

    A hole's row: the axis across it, its position on that axis, its middle on the other axis, half its width, bottom
    and top.
    """
    for hole in range(holes.shape[0]):
        across = int(holes[hole, 0])
        offset = holes[hole, 1] - position[across]
        shift = position[1 - across] - holes[hole, 2]
        half, low, high = holes[hole, 3], holes[hole, 4] - position[2], holes[hole, 5] - position[2]
        for place in range(directions.shape[0]):
            ahead = directions[place, across]
            if ahead * offset <= 0:
                continue
            way = offset / ahead
            height = way * directions[place, 2]
            if height > low and height < high and abs(shift + way * directions[place, 1 - across]) < half:
                inside[hole, place] = True
                through[hole, place] = way < distances[place]
