"""The 36 views of a panorama: 12 headings, 30 degrees apart, in 3 rows (down, level, up).

A view's index is `row * 12 + heading step`. Heading 0 looks along +y and increases clockwise, towards +x; elevation
increases upwards. All angles are in radians.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

HEADINGS = 12
ROWS = 3
VIEWS = HEADINGS * ROWS
HEADING_STEP = 2 * math.pi / HEADINGS
ELEVATION_STEP = math.pi / 6

IMAGE_WIDTH, IMAGE_HEIGHT, IMAGE_VFOV = 640, 480, math.radians(60)
# The simulator takes width/height times the vertical field of view as the horizontal one: +-40 degrees.
HALF_HFOV = IMAGE_VFOV * IMAGE_WIDTH / IMAGE_HEIGHT / 2

VIEW_HEADING: NDArray[np.float64] = np.tile(np.arange(HEADINGS) * HEADING_STEP, ROWS)
VIEW_ELEVATION: NDArray[np.float64] = np.repeat((np.arange(ROWS) - 1) * ELEVATION_STEP, HEADINGS)

ANGLE_FEATURE_REPEATS = 32


def wrap_heading(heading: ArrayLike) -> NDArray[np.float64]:
    """Headings wrapped into [0, 2 pi), with the same operations as the C++ simulator."""
    wrapped = np.fmod(np.asarray(heading, dtype=np.float64), 2 * math.pi)
    return np.where(wrapped < 0, wrapped + 2 * math.pi, wrapped)


def nearest_view(heading: ArrayLike, elevation: ArrayLike = 0.0) -> NDArray[np.int64]:
    """The view whose centre is nearest: headings round half up, rows split strictly at +-15 degrees."""
    steps = wrap_heading(heading) / HEADING_STEP
    whole = np.floor(steps)
    step = np.where(steps - whole >= 0.5, whole + 1, whole).astype(np.int64) % HEADINGS
    elevation = np.asarray(elevation, dtype=np.float64)
    row = 1 + (elevation > ELEVATION_STEP / 2).astype(np.int64) - (elevation < -ELEVATION_STEP / 2)
    return row * HEADINGS + step


def angle_feature(
    heading: ArrayLike, elevation: ArrayLike, repeats: int = ANGLE_FEATURE_REPEATS
) -> NDArray[np.float32]:
    """`(sin h, cos h, sin e, cos e)` repeated 32 times: the paper's direction feature `d`."""
    heading, elevation = np.broadcast_arrays(
        np.asarray(heading, dtype=np.float32), np.asarray(elevation, dtype=np.float32)
    )
    feature = np.empty((*heading.shape, repeats, 4), dtype=np.float32)
    feature[..., 0] = np.sin(heading)[..., None]
    feature[..., 1] = np.cos(heading)[..., None]
    feature[..., 2] = np.sin(elevation)[..., None]
    feature[..., 3] = np.cos(elevation)[..., None]
    return feature.reshape(*heading.shape, repeats * 4)


def direction_in_view(view: int, x: float, y: float) -> tuple[float, float]:
    """Absolute heading and elevation of a pixel of a view's 640x480 image."""
    focal = IMAGE_HEIGHT / 2 / math.tan(IMAGE_VFOV / 2)
    right, up = (x - IMAGE_WIDTH / 2) / focal, (IMAGE_HEIGHT / 2 - y) / focal
    heading, elevation = float(VIEW_HEADING[view]), float(VIEW_ELEVATION[view])
    ahead = math.cos(elevation) - up * math.sin(elevation)
    above = math.sin(elevation) + up * math.cos(elevation)
    return heading + math.atan2(right, ahead), math.atan2(above, math.hypot(ahead, right))
