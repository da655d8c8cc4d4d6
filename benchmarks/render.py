"""Views per second from one skybox, against a plain numpy restatement in the same run.

    python benchmarks/render.py [--repetitions 15] [--face-size 512]

36 views of 640x480 with 60 degrees of vertical field of view, from made-up smooth faces; figures are medians of
interleaved repetitions after compilation.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mtvm.world.skybox import FACE_AXES, render_views

WIDTH, HEIGHT, VFOV = 640, 480, np.pi / 3
HEADINGS = np.tile(np.arange(12) * np.pi / 6, 3)
ELEVATIONS = np.repeat([-np.pi / 6, 0, np.pi / 6], 12)
NUMPY_VIEWS = 2  # of the 36: one level, one looking up


def smooth_faces(size: int) -> NDArray[np.uint8]:
    """Random colours on a coarse grid, blended in between."""
    coarse = np.random.default_rng(0).random((6, 9, 9, 3)) * 255
    position = np.linspace(0, 8 - 1e-9, size)
    cell, fraction = position.astype(int), position % 1
    across = fraction[:, None]
    rows = coarse[:, :, cell] * (1 - across) + coarse[:, :, cell + 1] * across
    down = fraction[:, None, None]
    return (rows[:, cell] * (1 - down) + rows[:, cell + 1] * down).astype(np.uint8)


def slightly_tilted_pose() -> NDArray[np.float64]:
    yaw, tilt = 0.7, 0.03
    level = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return turn @ lean @ level


def numpy_view(
    faces: NDArray[np.uint8], rotation: NDArray[np.float64], heading: float, elevation: float
) -> NDArray[np.uint8]:
    """One view with whole-image array operations, the same arithmetic."""
    size = faces.shape[1]
    level = np.cos(elevation)
    forward = np.array([np.sin(heading) * level, np.cos(heading) * level, np.sin(elevation)])
    right = np.array([np.cos(heading), -np.sin(heading), 0])
    up = np.cross(right, forward)
    slope = np.tan(VFOV / 2)
    px = ((np.arange(WIDTH) + 0.5) / WIDTH * 2 - 1) * slope * WIDTH / HEIGHT
    py = (1 - (np.arange(HEIGHT) + 0.5) / HEIGHT * 2) * slope
    rays = (forward + px[None, :, None] * right + py[:, None, None] * up) @ rotation
    towards = rays @ FACE_AXES[:, 2].T
    face = towards.argmax(axis=-1)
    main = towards.max(axis=-1)
    fixed = [(((FACE_AXES[face, axis] * rays).sum(axis=-1) / main + 1) / 2 * size - 0.5) * 256 for axis in (0, 1)]
    s, t = (np.clip(np.rint(value).astype(np.int64), 0, (size - 1) * 256) for value in fixed)
    column, row = np.minimum(s >> 8, size - 2), np.minimum(t >> 8, size - 2)
    right_weight, lower_weight = (s - column * 256)[..., None], (t - row * 256)[..., None]

    def blended(low: NDArray[np.int64], high: NDArray[np.int64], weight: NDArray[np.int64]) -> NDArray[np.int64]:
        return low + (((high - low) * weight + 128) >> 8)

    def between_columns(row: NDArray[np.int64]) -> NDArray[np.int64]:
        low, high = faces[face, row, column], faces[face, row, column + 1]
        return blended(low.astype(np.int64), high.astype(np.int64), right_weight)

    return blended(between_columns(row), between_columns(row + 1), lower_weight).astype(np.uint8)


def median_seconds(repetitions: int, contestants: list[Callable[[], object]]) -> list[float]:
    """Median of each contestant, run in turns so that all meet the same state of the machine."""
    seconds: list[list[float]] = [[] for _ in contestants]
    for _ in range(repetitions):
        for place, contestant in enumerate(contestants):
            begin = time.perf_counter()
            contestant()
            seconds[place].append(time.perf_counter() - begin)
    return [statistics.median(values) for values in seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--face-size", type=int, default=512)
    arguments = parser.parse_args()
    faces, rotation = smooth_faces(arguments.face_size), slightly_tilted_pose()
    views = np.empty((len(HEADINGS), HEIGHT, WIDTH, 3), dtype=np.uint8)
    checked = [len(HEADINGS) // 2, len(HEADINGS) - 1][:NUMPY_VIEWS]

    def ours(threads: int) -> object:
        return render_views(faces, rotation, HEADINGS, ELEVATIONS, WIDTH, HEIGHT, VFOV, views, threads=threads)

    def restated() -> list[NDArray[np.uint8]]:
        return [numpy_view(faces, rotation, HEADINGS[view], ELEVATIONS[view]) for view in checked]

    begin = time.perf_counter()
    ours(1)
    first_call = time.perf_counter() - begin
    worst = max(
        np.abs(views[view].astype(int) - expected).mean() for view, expected in zip(checked, restated(), strict=True)
    )
    one, two, plain = median_seconds(arguments.repetitions, [lambda: ours(1), lambda: ours(2), restated])
    slowest = plain / len(checked)
    print(f"{len(HEADINGS)} views of {WIDTH}x{HEIGHT}, vfov 60 degrees, {arguments.face_size}-pixel faces")
    print(f"{'':24}{'views/s':>10}{'against numpy':>16}")
    for name, seconds in (
        ("1 thread", one / len(HEADINGS)),
        ("2 threads", two / len(HEADINGS)),
        ("plain numpy", slowest),
    ):
        print(f"{name:24}{1 / seconds:>10.1f}{slowest / seconds:>15.1f}x")
    print(f"first call, with compiling or loading the compiled code: {first_call:.2f} s")
    print(f"mean difference from plain numpy: {worst:.4f} grey levels")


if __name__ == "__main__":
    main()
