"""Compiled textures: noise from hashed lattice points, and the patterns of the materials; importing needs numba.

Every texture returns a factor for the surface's brightness and the share of the joint's colour. `blur` is the width in
metres that a pixel covers; finer detail fades out instead of aliasing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.render.materials import (
    BRICK,
    BRUSHED,
    CARPET,
    CONCRETE,
    FOLIAGE,
    LEATHER,
    MARBLE,
    PLANKS,
    PLASTER,
    TILE,
    WEAVE,
    WOOD,
)
from mtvm.world._skybox_kernels import compiled

PLANK_WIDTH, PLANK_LENGTH = 0.14, 1.4
TILE_SIZE, TILE_JOINT = 0.33, 0.008
BRICK_LENGTH, BRICK_HEIGHT, BRICK_JOINT = 0.24, 0.075, 0.012


@compiled
def hashed(x: int, y: int, z: int) -> float:
    """A hash of a lattice point, 0 to 1, the same on every machine."""
    word = (
        np.uint32(x) * np.uint32(0x8DA6B343)
        ^ np.uint32(y) * np.uint32(0xD8163841)
        ^ np.uint32(z) * np.uint32(0xCB1AB31F)
    )
    word = (word ^ (word >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
    word = (word ^ (word >> np.uint32(12))) * np.uint32(0x297A2D39)
    return float(np.uint32(word ^ (word >> np.uint32(15))) >> np.uint32(8)) / (1 << 24)


@compiled
def noise(x: float, y: float, z: float) -> float:
    """Smooth value noise, 0 to 1, one lattice point per unit."""
    fx, fy, fz = math.floor(x), math.floor(y), math.floor(z)
    ix, iy, iz = int(fx), int(fy), int(fz)
    u, v, w = x - fx, y - fy, z - fz
    u, v, w = u * u * (3 - 2 * u), v * v * (3 - 2 * v), w * w * (3 - 2 * w)
    a = hashed(ix, iy, iz) * (1 - u) + hashed(ix + 1, iy, iz) * u
    b = hashed(ix, iy + 1, iz) * (1 - u) + hashed(ix + 1, iy + 1, iz) * u
    c = hashed(ix, iy, iz + 1) * (1 - u) + hashed(ix + 1, iy, iz + 1) * u
    d = hashed(ix, iy + 1, iz + 1) * (1 - u) + hashed(ix + 1, iy + 1, iz + 1) * u
    return (a * (1 - v) + b * v) * (1 - w) + (c * (1 - v) + d * v) * w


@compiled
def kept(frequency: float, blur: float) -> float:
    """How much of a detail with `frequency` waves per metre remains visible at the width of a pixel."""
    share = 1.3 - 1.6 * frequency * blur
    return min(max(share, 0.0), 1.0)


@compiled
def grain(x: float, y: float, z: float, blur: float) -> float:
    """Wood grain along x, -1 to 1: broad bands, then fine streaks."""
    sway = noise(x * 0.9, y * 4, z * 4) * 3.0
    value = (noise(x * 0.7 + 7.3, y * 13 + sway, z * 13 + sway) - 0.5) * 1.3
    fine = kept(45.0, blur)
    if fine > 0:
        value += fine * 0.7 * (noise(x * 3, y * 70 + sway, z * 70) - 0.5)
    return value


@compiled
def joint(distance: float, width: float, blur: float) -> float:
    """The share of a joint of `width` in a pixel whose middle is at `distance` from the joint's middle."""
    reach = 0.5 * (width + blur)
    share = (reach - distance) / max(blur, 0.0015)
    return min(max(share, 0.0), 1.0) * min(1.0, width / max(blur, 1e-6))


@compiled
def planks(along: float, across: float, blur: float) -> tuple[float, float]:
    row = math.floor(across / PLANK_WIDTH)
    shifted = along / PLANK_LENGTH + hashed(int(row), 11, 5)
    board = math.floor(shifted)
    tone = hashed(int(row), int(board), 3) - 0.5
    value = 0.75 * tone + 0.55 * grain(along + 3.1 * row, across, tone * 9.0, blur)
    edge = min(across / PLANK_WIDTH - row, row + 1 - across / PLANK_WIDTH) * PLANK_WIDTH
    end = min(shifted - board, board + 1 - shifted) * PLANK_LENGTH
    gap = max(joint(edge, 0.004, blur), joint(end, 0.004, blur))
    return value - 1.3 * gap, 0.0


@compiled
def tiles(u: float, v: float, blur: float) -> tuple[float, float]:
    a, b = u / TILE_SIZE, v / TILE_SIZE
    column, row = math.floor(a), math.floor(b)
    value = hashed(int(column), int(row), 7) - 0.5 + 0.6 * (noise(u * 6, v * 6, 0.5) - 0.5)
    edge = min(min(a - column, column + 1 - a), min(b - row, row + 1 - b)) * TILE_SIZE
    return value, joint(edge, TILE_JOINT, blur)


@compiled
def bricks(u: float, v: float, blur: float) -> tuple[float, float]:
    b = v / BRICK_HEIGHT
    row = math.floor(b)
    a = u / BRICK_LENGTH + 0.5 * (int(row) & 1)
    column = math.floor(a)
    value = 1.1 * (hashed(int(column), int(row), 17) - 0.5) + 0.6 * (noise(u * 40, v * 40, 0.5) - 0.5) * kept(
        40.0, blur
    )
    side = min(a - column, column + 1 - a) * BRICK_LENGTH
    bed = min(b - row, row + 1 - b) * BRICK_HEIGHT
    return value, max(joint(side, BRICK_JOINT, blur), joint(bed, BRICK_JOINT, blur))


@compiled
def marble(x: float, y: float, z: float, blur: float) -> float:
    warp = noise(x * 1.7, y * 1.7, z * 1.7) * 2.4 + noise(x * 5, y * 5, z * 5) * 0.7
    wave = abs(math.sin((x + 0.7 * y + 0.5 * z) * 2.2 + warp * 2.2))
    vein = max(0.0, 1.0 - wave * 7.0)
    cloud = noise(x * 3 + 5, y * 3, z * 3) - 0.5
    return 0.35 * cloud - 0.85 * vein * (0.4 + 0.6 * noise(x * 2, y * 2, z * 2 + 9))


@compiled
def speckle(x: float, y: float, z: float, frequency: float, blur: float) -> float:
    """Noise at one frequency and, where a pixel can show it, at three times that."""
    value = (noise(x * frequency, y * frequency, z * frequency) - 0.5) * kept(frequency, blur)
    finer = kept(3 * frequency, blur)
    if finer > 0:
        value += 0.8 * finer * (noise(x * 3 * frequency, y * 3 * frequency, z * 3 * frequency) - 0.5)
    return value


@compiled
def texture(kind: int, place: NDArray[np.float32], facing: int, blur: float) -> tuple[float, float]:
    """Brightness in multiples of the material's strength, and the joint's share, at a point in the surface's frame.

    `facing` is the axis that the surface faces; patterns lie in the other two.
    """
    x, y, z = place[0], place[1], place[2]
    u, v = x, z
    if facing == 0:
        u = y
    elif facing == 2:
        v = y
    if kind == WOOD:
        # The ends of boards show grain, too.
        return (grain(y, z, x, blur) if facing == 0 else grain(x, y, z, blur)), 0.0
    if kind == PLANKS:
        return planks(u, v, blur)
    if kind == TILE:
        return tiles(u, v, blur)
    if kind == BRICK:
        return bricks(u, v, blur)
    if kind == MARBLE:
        return marble(x, y, z, blur), 0.0
    if kind == CARPET:
        return speckle(x, y, z, 45.0, blur) + 0.3 * (noise(x * 2, y * 2, z * 2) - 0.5), 0.0
    if kind == WEAVE:
        return speckle(x, y, z, 90.0, blur) + 0.4 * (noise(x * 5, y * 5, z * 5) - 0.5), 0.0
    if kind == LEATHER:
        return speckle(x, y, z, 30.0, blur) + 0.5 * (noise(x * 7, y * 7, z * 7) - 0.5), 0.0
    if kind == CONCRETE:
        return 0.8 * (noise(x * 1.5, y * 1.5, z * 1.5) - 0.5) + speckle(x, y, z, 14.0, blur), 0.0
    if kind == FOLIAGE:
        return 1.1 * (noise(x * 14, y * 14, z * 14) - 0.5), 0.0
    if kind == BRUSHED:
        return (noise(x * 2, y * 80, z * 3) - 0.5) * kept(80.0, blur), 0.0
    if kind == PLASTER:
        return noise(x * 3, y * 3, z * 3) - 0.5, 0.0
    return 0.0, 0.0
