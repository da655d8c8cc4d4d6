"""Compiled inner loops of `mtvm.homes.render.light`; importing this module needs numba."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mtvm.world._skybox_kernels import compiled

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@compiled
def add_lamp(
    vertices: Floats,
    normals: Floats,
    spot_of: NDArray[np.int64],
    free: NDArray[np.bool_],
    position: Floats,
    outward: Floats,
    sideways: float,
    power: Floats,
    total: Floats,
) -> None:
    """Add the light of one source, which shines along `outward` and less sideways, to vertices whose spot sees it."""
    for vertex in range(vertices.shape[0]):
        if not free[spot_of[vertex]]:
            continue
        dx, dy, dz = (
            position[0] - vertices[vertex, 0],
            position[1] - vertices[vertex, 1],
            position[2] - vertices[vertex, 2],
        )
        square = dx * dx + dy * dy + dz * dz
        slope = dx * normals[vertex, 0] + dy * normals[vertex, 1] + dz * normals[vertex, 2]
        if slope <= 0:
            continue
        scale = 1.0 / math.sqrt(square + 1e-9)
        ahead = -(dx * outward[0] + dy * outward[1] + dz * outward[2]) * scale
        amount = slope * scale * min(max(sideways + (1 - sideways) * ahead, 0.0), 1.0) / (square + 0.6)
        for axis in range(3):
            total[vertex, axis] += amount * power[axis]


@compiled
def towards_point(
    spots: Floats,
    position: Floats,
    outward: Floats,
    sideways: float,
    chosen: NDArray[np.int64],
    rays: Floats,
    reach: Floats,
) -> int:
    """Find the spots (position and normal) a lamp may reach, with direction and distance to it; returns how many."""
    count = 0
    for spot in range(spots.shape[0]):
        dx, dy, dz = position[0] - spots[spot, 0], position[1] - spots[spot, 1], position[2] - spots[spot, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        scale = 1.0 / max(length, 1e-6)
        slope = (dx * spots[spot, 3] + dy * spots[spot, 4] + dz * spots[spot, 5]) * scale
        ahead = -(dx * outward[0] + dy * outward[1] + dz * outward[2]) * scale
        if slope < -0.3 or sideways + (1 - sideways) * ahead <= 0:
            continue
        chosen[count] = spot
        rays[count, 0], rays[count, 1], rays[count, 2] = dx * scale, dy * scale, dz * scale
        reach[count] = max(length - 0.02, 1e-3)
        count += 1
    return count


@compiled
def corner_rays(normals: Floats, x: float, y: float, z: float, rays: Floats) -> None:
    """For each normal, the direction (x, y, z) given in a frame whose z axis is that normal."""
    for place in range(normals.shape[0]):
        nx, ny, nz = normals[place, 0], normals[place, 1], normals[place, 2]
        if abs(nz) < 0.9:
            scale = 1.0 / math.sqrt(nx * nx + ny * ny)
            ax, ay, az = -ny * scale, nx * scale, 0.0
        else:
            scale = 1.0 / math.sqrt(ny * ny + nz * nz)
            ax, ay, az = 0.0, -nz * scale, ny * scale
        bx, by, bz = ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax
        rays[place, 0] = ax * x + bx * y + nx * z
        rays[place, 1] = ay * x + by * y + ny * z
        rays[place, 2] = az * x + bz * y + nz * z


@compiled
def corner_middles(triangles: Ints, vertices: Floats, sums: Floats) -> None:
    """For each vertex, the mean centre of the triangles that it belongs to."""
    counts = np.zeros(vertices.shape[0], dtype=np.float32)
    for triangle in range(triangles.shape[0]):
        a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
        for corner in (a, b, c):
            counts[corner] += 1
            for axis in range(3):
                sums[corner, axis] += (vertices[a, axis] + vertices[b, axis] + vertices[c, axis]) / 3
    for vertex in range(vertices.shape[0]):
        for axis in range(3):
            sums[vertex, axis] /= max(counts[vertex], 1)


@compiled
def spread(triangles: Ints, light: Floats, known: NDArray[np.bool_]) -> None:
    """Give unknown vertices the mean light of the known ones in their triangles, and mark them as known."""
    sums = np.zeros_like(light)
    counts = np.zeros(light.shape[0], dtype=np.float32)
    for triangle in range(triangles.shape[0]):
        for corner in triangles[triangle]:
            if known[corner]:
                continue
            for other in triangles[triangle]:
                if known[other]:
                    counts[corner] += 1
                    for axis in range(3):
                        sums[corner, axis] += light[other, axis]
    for vertex in range(light.shape[0]):
        if counts[vertex] > 0:
            known[vertex] = True
            for axis in range(3):
                light[vertex, axis] = sums[vertex, axis] / counts[vertex]
