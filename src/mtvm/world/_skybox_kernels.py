"""The compiled inner loops of `mtvm.world.skybox`; importing this module needs numba.

The caller must check the arrays: nothing here checks bounds. The kernels release the GIL but start no threads, because
numba's thread pools kill the process when it forks (OpenMP) or when two Python threads render at once (workqueue).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., object])

# Weights and texel positions are counted in 1/256 texel, as the simulator's rasteriser does.
FRACTION_BITS = 8
UNITS_PER_TEXEL = 1 << FRACTION_BITS


def compiled(function: Function) -> Function:
    """Compile on first call, and cache the machine code on disk if possible."""
    try:
        return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    except RuntimeError:  # numba found no writable cache folder
        return cast(Function, numba.njit(nogil=True, error_model="numpy")(function))


@compiled
def face_at(lines: NDArray[np.float32], column: int) -> int:
    """The face that the ray of `column` hits."""
    best = 0
    largest = lines[0, 2, 0] + lines[0, 2, 1] * np.float32(column)
    for face in range(1, 6):
        component = lines[face, 2, 0] + lines[face, 2, 1] * np.float32(column)
        if component > largest:
            best = face
            largest = component
    return best


@compiled
def run_end(lines: NDArray[np.float32], face: int, first: int, width: int) -> int:
    """One past the last column, from `first` on, that shows `face`.

    A face is convex, so its columns in a row are adjacent and bisection finds the last.
    """
    if face_at(lines, width - 1) == face:
        return width
    within = first
    beyond = width - 1
    while beyond - within > 1:
        middle = (within + beyond) // 2
        if face_at(lines, middle) == face:
            within = middle
        else:
            beyond = middle
    return beyond


@compiled
def project_run(
    line: NDArray[np.float32],
    first: int,
    grid: NDArray[np.float32],
    across: NDArray[np.int32],
    down: NDArray[np.int32],
) -> None:
    """Where in its face each column of a run falls; `grid` is (scale, offset, highest position).

    Everything is 32 bits wide, so that the compiler can process eight columns at a time.
    """
    right_start, right_step = line[0, 0], line[0, 1]
    down_start, down_step = line[1, 0], line[1, 1]
    main_start, main_step = line[2, 0], line[2, 1]
    scale, offset, highest = grid[0], grid[1], grid[2]
    zero = np.float32(0)
    begin = np.float32(first)
    for index in range(across.size):
        column = begin + np.float32(np.int32(index))
        per_main = scale / (main_start + main_step * column)
        s = (right_start + right_step * column) * per_main + offset
        t = (down_start + down_step * column) * per_main + offset
        s = s if s > zero else zero
        t = t if t > zero else zero
        across[index] = np.int32(s if s < highest else highest)
        down[index] = np.int32(t if t < highest else highest)


@compiled
def set_lines(rays: NDArray[np.float64], row: int, lines: NDArray[np.float32]) -> None:
    """For each face its three coordinates along `row`, as start and step: they are linear in the column."""
    for face in range(6):
        for axis in range(3):
            lines[face, axis, 0] = rays[face, axis, 0] + rays[face, axis, 2] * row
            lines[face, axis, 1] = rays[face, axis, 1]


@compiled
def weigh_run(
    size: int,
    across: NDArray[np.int32],
    down: NDArray[np.int32],
    places: NDArray[np.uint32],
    weights: NDArray[np.uint32],
) -> None:
    """Split positions into the upper left texel of four, and the weights of its right and lower neighbours.

    A weight is 0 to 256: at the last texel it is 256 for the last and 0 for the one before. The weight of the
    lower neighbour is in the upper half of the word.
    """
    last = np.int32(size - 2)
    for index in range(across.size):
        s = across[index]
        t = down[index]
        column = np.int32(s >> FRACTION_BITS)
        row = np.int32(t >> FRACTION_BITS)
        column = column if column < last else last
        row = row if row < last else last
        places[index] = np.uint32(row * size + column)
        right_weight = s - (column << FRACTION_BITS)
        lower_weight = t - (row << FRACTION_BITS)
        weights[index] = np.uint32(right_weight | (lower_weight << 16))


@compiled
def texel(pixels: NDArray[np.uint8], place: np.uint64) -> np.uint64:
    """Red, green and blue in three 16-bit lanes of one word, so that one multiplication serves all three."""
    red = np.uint64(pixels[place])
    green = np.uint64(pixels[place + np.uint64(1)])
    blue = np.uint64(pixels[place + np.uint64(2)])
    return red | (green << np.uint64(16)) | (blue << np.uint64(32))


@compiled
def blend(low: np.uint64, high: np.uint64, weight: np.uint64) -> np.uint64:
    """low + (((high - low) * weight + 128) >> 8) in each lane.

    A negative difference borrows from the lane above, and `low << 8` gives it back: each lane's sum is between
    0 and 65,535.
    """
    halves = np.uint64(0x0080_0080_0080)
    lanes = np.uint64(0x00FF_00FF_00FF)
    bits = np.uint64(FRACTION_BITS)
    return (((low << bits) + (high - low) * weight + halves) >> bits) & lanes


@compiled
def blend_run(
    pixels: NDArray[np.uint8],
    size: int,
    places: NDArray[np.uint32],
    weights: NDArray[np.uint32],
    out: NDArray[np.uint8],
) -> None:
    """Bilinear colours of a run, from the `pixels` of its face: along the rows first, then down."""
    # Unsigned indexes: numba tests signed ones for being negative, at every load.
    next_column = np.uint64(3)
    next_row = np.uint64(3 * size)
    for index in range(places.size):
        place = np.uint64(places[index]) * next_column
        right_weight = np.uint64(weights[index]) & np.uint64(0xFFFF)
        lower_weight = np.uint64(weights[index]) >> np.uint64(16)
        upper = blend(texel(pixels, place), texel(pixels, place + next_column), right_weight)
        place += next_row
        lower = blend(texel(pixels, place), texel(pixels, place + next_column), right_weight)
        colour = blend(upper, lower, lower_weight)
        pixel = np.uint64(index)
        out[pixel, np.uint64(0)] = np.uint8(colour)
        out[pixel, np.uint64(1)] = np.uint8(colour >> np.uint64(16))
        out[pixel, np.uint64(2)] = np.uint8(colour >> np.uint64(32))


@compiled
def colour_rows(
    faces: NDArray[np.uint8],
    size: int,
    rays: NDArray[np.float64],
    out: NDArray[np.uint8],
    first: int,
    end: int,
) -> None:
    """Rows `first` to `end` of all views' rows, one below the other; `faces` is (6, size * size * 3)."""
    height, width = out.shape[1], out.shape[2]
    grid = np.array(
        [size / 2 * UNITS_PER_TEXEL, (size - 1) / 2 * UNITS_PER_TEXEL + 0.5, (size - 1) * UNITS_PER_TEXEL],
        dtype=np.float32,
    )
    lines = np.empty((6, 3, 2), dtype=np.float32)
    across, down = np.empty(width, dtype=np.int32), np.empty(width, dtype=np.int32)
    places, weights = np.empty(width, dtype=np.uint32), np.empty(width, dtype=np.uint32)
    for view_row in range(first, end):
        view, row = view_row // height, view_row % height
        set_lines(rays[view], row, lines)
        begin = 0
        while begin < width:
            face = face_at(lines, begin)
            stop = run_end(lines, face, begin, width)
            count = stop - begin
            project_run(lines[face], begin, grid, across[:count], down[:count])
            weigh_run(size, across[:count], down[:count], places[:count], weights[:count])
            blend_run(faces[face], size, places[:count], weights[:count], out[view, row, begin:stop])
            begin = stop


@compiled
def depth_rows(
    faces: NDArray[np.uint16],
    rays: NDArray[np.float64],
    cosines: NDArray[np.float64],
    out: NDArray[np.uint16],
    first: int,
    end: int,
) -> None:
    """The same for distances: the nearest texel, times the cosine of the pixel's ray to the forward axis."""
    height, width = out.shape[1], out.shape[2]
    size = faces.shape[1]
    grid = np.array([size / 2, size / 2, size - 1], dtype=np.float32)
    lines = np.empty((6, 3, 2), dtype=np.float32)
    across, down = np.empty(width, dtype=np.int32), np.empty(width, dtype=np.int32)
    for view_row in range(first, end):
        view, row = view_row // height, view_row % height
        set_lines(rays[view], row, lines)
        begin = 0
        while begin < width:
            face = face_at(lines, begin)
            stop = run_end(lines, face, begin, width)
            project_run(lines[face], begin, grid, across[begin:stop], down[begin:stop])
            for column in range(begin, stop):
                distance = faces[face, down[column], across[column]]
                out[view, row, column] = np.uint16(np.rint(distance * cosines[row, column]))
            begin = stop
