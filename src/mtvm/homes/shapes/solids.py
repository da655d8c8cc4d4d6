"""Simple solids, and the form that gathers them into the shape of a thing.

A thing's own axes: x to the right when looking along its heading, y to its front, z up from its underside. Solids are
closed, wound outwards, and have a normal at every vertex; faces are divided into cells small enough for light that is
stored per vertex.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.homes.home import Surface

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Axis = Literal["x", "y", "z"]
Span = tuple[float, float]

CELL = 0.5
"""The longest edge of a flat face's cell, in metres."""
SMOOTH_COSINE = 0.7
"""Faces whose normals have a larger cosine than this are shaded as one curved face."""
# Where a solid's own (across, across, along) axes go; cyclic, so that nothing is mirrored.
_ORDER: dict[Axis, list[int]] = {"z": [0, 1, 2], "x": [2, 0, 1], "y": [1, 2, 0]}


_DEEPER = {
    "white": "silver", "cream": "beige", "beige": "brown", "brown": "dark brown", "silver": "grey", "grey": "dark grey",
    "red": "dark red", "orange": "dark red", "yellow": "orange", "gold": "brown", "green": "dark green",
    "turquoise": "blue", "light blue": "blue", "blue": "dark blue", "purple": "dark blue", "pink": "red",
}  # fmt: skip


def deeper(surface: Surface) -> Surface:
    """The same material in the next darker colour."""
    return Surface(_DEEPER.get(surface.colour, "black"), surface.material)


def span(first: float, second: float) -> Span:
    """The two values in ascending order, for parts mirrored to the other side."""
    return min(first, second), max(first, second)


class Solid(NamedTuple):
    vertices: Floats
    normals: Floats
    triangles: Ints
    surface: Surface


Template = tuple[Floats, Floats, Ints]


def cross(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Cross product, row by row; numpy's own has far more overhead."""
    ax, ay, az = first.T
    bx, by, bz = second.T
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


@functools.cache
def grid_triangles(rows: int, columns: int) -> Ints:
    """Two triangles for each cell of a grid of rows x columns vertices; along a row, then up, is anticlockwise."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, above, across = corner + 1, corner + columns, corner + columns + 1
    return np.stack([corner, right, across, corner, across, above], axis=-1).reshape(-1, 3)


def _joined(pieces: Sequence[Template]) -> Template:
    counts = np.cumsum([0] + [len(piece[0]) for piece in pieces[:-1]])
    return (
        np.concatenate([piece[0] for piece in pieces]),
        np.concatenate([piece[1] for piece in pieces]),
        np.concatenate([piece[2] + count for piece, count in zip(pieces, counts, strict=True)]),
    )


def _cube_face(axis: int, sign: int, first: Floats, second: Floats) -> tuple[Floats, Ints]:
    """Grid points (rows by `second`) of one face of the cube [-1, 1]^3, wound outwards."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    points = np.empty((len(second), len(first), 3))
    points[..., axis] = sign
    points[..., u], points[..., v] = first[None, :], second[:, None]
    triangles = grid_triangles(len(second), len(first))
    return points.reshape(-1, 3), triangles if sign > 0 else triangles[:, ::-1]


@functools.cache
def _unit_box(cells: tuple[int, int, int]) -> Template:
    pieces = []
    for axis in range(3):
        for sign in (-1, 1):
            first, second = (np.linspace(-1, 1, cells[(axis + step) % 3] + 1) for step in (1, 2))
            points, triangles = _cube_face(axis, sign, first, second)
            normals = np.zeros_like(points)
            normals[:, axis] = sign
            pieces.append((points, normals, triangles))
    return _joined(pieces)


@functools.cache
def _unit_rounded_box(steps: int) -> Template:
    """A template whose points hold the signs of their corner's sphere, and normals the direction from its centre."""
    angles = np.tan(np.linspace(0, math.pi / 4, steps + 1))
    values = np.concatenate([-angles[::-1], angles])
    signs = np.repeat([-1.0, 1.0], steps + 1)
    pieces = []
    for axis in range(3):
        for sign in (-1, 1):
            directions, triangles = _cube_face(axis, sign, values, values)
            corners, _ = _cube_face(axis, sign, signs, signs)
            directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
            pieces.append((corners, directions, triangles))
    return _joined(pieces)


@functools.cache
def _ring(segments: int) -> Floats:
    angles = np.arange(segments + 1) / segments * 2 * math.pi
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _profile_normals(profile: Floats) -> tuple[Floats, Floats]:
    """Normals at the start and end of each segment of an open polyline, to the right of its direction."""
    steps = np.diff(profile, axis=0)
    normals = np.stack([steps[:, 1], -steps[:, 0]], axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    smooth = (normals[1:] * normals[:-1]).sum(axis=1, keepdims=True) > SMOOTH_COSINE
    between = np.where(smooth, normals[1:] + normals[:-1], 0)
    starts, ends = normals.copy(), normals.copy()
    starts[1:] = np.where(smooth, between, normals[1:])
    ends[:-1] = np.where(smooth, between, normals[:-1])
    for blended in (starts, ends):
        blended /= np.maximum(np.linalg.norm(blended, axis=1, keepdims=True), 1e-12)
    return starts, ends


def _turned(line: Floats, segments: int, squash: tuple[float, float]) -> Template:
    """A polyline of (radius, height) rotated about z."""
    starts, ends = _profile_normals(line)
    ring = _ring(segments)
    # Each segment has its own rings, because its normals differ from its neighbours'.
    rims = np.stack([line[:-1], line[1:]], axis=1).reshape(-1, 1, 2)
    slopes = np.stack([starts, ends], axis=1).reshape(-1, 1, 2)
    vertices, normals = np.empty((len(rims), segments + 1, 3)), np.empty((len(rims), segments + 1, 3))
    vertices[..., :2], vertices[..., 2] = ring * rims[..., :1] * squash, rims[..., 1]
    normals[..., :2], normals[..., 2] = ring * slopes[..., :1] / squash, slopes[..., 1]
    normals /= np.maximum(np.sqrt((normals * normals).sum(axis=-1, keepdims=True)), 1e-12)
    first = np.arange(len(line) - 1)[:, None, None] * 2 * (segments + 1)
    triangles = (grid_triangles(2, segments + 1)[None] + first).reshape(-1, 3)
    return vertices.reshape(-1, 3), normals.reshape(-1, 3), triangles


@functools.cache
def _unit_cylinder(segments: int) -> Template:
    """A cylinder of radius and height 1."""
    return _turned(np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]), segments, (1.0, 1.0))


@functools.cache
def _unit_ball(steps: int) -> Template:
    angles = np.linspace(-math.pi / 2, math.pi / 2, steps + 1)
    points = np.cos(angles)[:, None, None] * _ring(2 * steps)
    heights = np.broadcast_to(np.sin(angles)[:, None, None], (steps + 1, 2 * steps + 1, 1))
    vertices = np.concatenate([points, heights], axis=-1).reshape(-1, 3)
    return vertices, vertices, grid_triangles(steps + 1, 2 * steps + 1)


class Form:
    """The shape of one thing while it is being built: solids inside a box of the thing's size."""

    def __init__(
        self, width: float, depth: float, height: float, main: Surface, accent: Surface, seed: int = 0
    ) -> None:
        self.width, self.depth, self.height = width, depth, height
        self.main, self.accent = main, accent
        self.rng = np.random.default_rng(seed)
        self.solids: list[Solid] = []
        self.left, self.right = -width / 2, width / 2
        self.back, self.front = -depth / 2, depth / 2

    def add(self, vertices: Floats, normals: Floats, triangles: Ints, surface: Surface) -> None:
        self.solids.append(Solid(vertices, normals, triangles, surface))

    def box(self, x: Span, y: Span, z: Span, surface: Surface) -> None:
        low, high = np.array([x[0], y[0], z[0]]), np.array([x[1], y[1], z[1]])
        half = (high - low) / 2
        cells = np.maximum(np.ceil(2 * half / CELL), 1).astype(int)
        points, normals, triangles = _unit_box((int(cells[0]), int(cells[1]), int(cells[2])))
        self.add(points * half + (low + high) / 2, normals, triangles, surface)

    def panel(self, x: Span, y: Span, z: Span, surface: Surface, line: float = 0.008) -> None:
        """A raised panel on a front that faces along y, with a darker line around it."""
        self.box(x, (y[0], (y[0] + y[1]) / 2), z, deeper(surface))
        self.box((x[0] + line, x[1] - line), y, (z[0] + line, z[1] - line), surface)

    def soft_box(self, x: Span, y: Span, z: Span, surface: Surface, radius: float, steps: int = 2) -> None:
        """A box with rounded edges: a cushion, a mattress, a car bonnet."""
        low, high = np.array([x[0], y[0], z[0]]), np.array([x[1], y[1], z[1]])
        half = (high - low) / 2
        bend = np.minimum(radius, half * 0.999)
        corners, directions, triangles = _unit_rounded_box(steps)
        normals = directions / bend
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        self.add(corners * (half - bend) + directions * bend + (low + high) / 2, normals, triangles, surface)

    def lathe(
        self,
        centre: ArrayLike,
        profile: ArrayLike,
        surface: Surface,
        axis: Axis = "z",
        segments: int = 20,
        squash: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        """A polyline of (radius, height) rotated about an axis through `centre`; upwards, the outside to its right."""
        vertices, normals, triangles = _turned(np.asarray(profile, dtype=np.float64), segments, squash)
        order = _ORDER[axis]
        place = np.asarray(centre, dtype=np.float64)
        self.add(vertices[:, order] + place, normals[:, order], triangles, surface)

    def cylinder(
        self,
        centre: ArrayLike,
        radius: float,
        along: Span,
        surface: Surface,
        axis: Axis = "z",
        end_radius: float | None = None,
        segments: int = 16,
    ) -> None:
        """A cylinder along an axis through `centre`; with `end_radius`, a cone or truncated cone."""
        if end_radius is not None and end_radius != radius:
            profile = [(0.0, along[0]), (radius, along[0]), (end_radius, along[1]), (0.0, along[1])]
            self.lathe(centre, profile, surface, axis, segments)
            return
        points, normals, triangles = _unit_cylinder(segments)
        points = points * [radius, radius, along[1] - along[0]] + [0.0, 0.0, along[0]]
        order = _ORDER[axis]
        self.add(points[:, order] + np.asarray(centre), normals[:, order], triangles, surface)

    def ball(
        self,
        centre: Sequence[float] | Floats,
        radii: float | Sequence[float] | Floats,
        surface: Surface,
        steps: int = 8,
    ) -> None:
        """A sphere, or an ellipsoid with three radii."""
        points, _, triangles = _unit_ball(steps)
        normals = points / radii
        normals /= np.sqrt((normals * normals).sum(axis=1, keepdims=True))
        self.add(points * radii + centre, normals, triangles, surface)

    def prism(
        self, outline: ArrayLike, along: Span, surface: Surface, axis: Axis = "z", centre: ArrayLike = (0, 0, 0)
    ) -> None:
        """An anticlockwise, star-shaped outline of (y, z), (x, z) or (x, y), extruded along an axis."""
        shape = np.asarray(outline, dtype=np.float64)
        if axis == "y":
            shape = shape[::-1, ::-1]  # to (z, x), which is the cyclic order
        closed = np.concatenate([shape[-1:], shape, shape[:2]])
        starts, ends = (normals[1:-1] for normals in _profile_normals(closed))
        count = len(shape)
        pieces: list[Template] = []
        walls, wall_normals = np.empty((count, 4, 3)), np.zeros((count, 4, 3))
        following = np.roll(shape, -1, axis=0)
        for corner, points, normals, height in (
            (0, shape, starts, along[0]),
            (1, following, ends, along[0]),
            (2, following, ends, along[1]),
            (3, shape, starts, along[1]),
        ):
            walls[:, corner, :2], walls[:, corner, 2] = points, height
            wall_normals[:, corner, :2] = normals
        quads = np.arange(count)[:, None] * 4 + np.array([[0, 1, 2, 0, 2, 3]])
        pieces.append((walls.reshape(-1, 3), wall_normals.reshape(-1, 3), quads.reshape(-1, 3)))
        fan = np.stack([np.full(count, count), np.arange(count), np.roll(np.arange(count), -1)], axis=-1)
        for height, sign in ((along[0], -1), (along[1], 1)):
            points = np.column_stack([np.vstack([shape, shape.mean(axis=0)]), np.full(count + 1, height)])
            pieces.append((points, np.tile([0.0, 0.0, sign], (count + 1, 1)), fan if sign > 0 else fan[:, ::-1]))
        vertices, normals, triangles = _joined(pieces)
        order = _ORDER[axis]
        self.add(vertices[:, order] + np.asarray(centre), normals[:, order], triangles, surface)

    def tube(self, points: ArrayLike, radius: float, surface: Surface, segments: int = 8) -> None:
        """A round bar along a polyline."""
        line = np.asarray(points, dtype=np.float64)
        if len(line) == 2:
            self._bar(line, radius, surface, segments)
            return
        steps = np.diff(line, axis=0)
        steps /= np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
        tangents = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
        tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-12)
        before = tangents[0]
        side = np.eye(3)[np.abs(before).argmin()]
        side = side - before * (side @ before)
        side /= np.linalg.norm(side)
        rings = np.empty((len(line), segments + 1, 3))
        for row, tangent in enumerate(tangents):
            # The smallest rotation from one tangent to the next.
            both = before + tangent
            side = side - both * ((both @ side) / max(float(1 + before @ tangent), 1e-9))
            before = tangent
            rings[row] = _ring(segments) @ np.concatenate([side[None], cross(tangent[None], side[None])])
        vertices = (line[:, None] + rings * radius).reshape(-1, 3)
        pieces = [(vertices, rings.reshape(-1, 3), grid_triangles(len(line), segments + 1))]
        fan = np.array([[0, i, i + 1] for i in range(1, segments - 1)])
        for row, sign in ((0, -1), (len(line) - 1, 1)):
            end = line[row] + rings[row, :-1] * radius
            pieces.append((end, np.tile(tangents[row] * sign, (segments, 1)), fan if sign > 0 else fan[:, ::-1]))
        self.add(*_joined(pieces), surface)

    def _bar(self, ends: Floats, radius: float, surface: Surface, segments: int) -> None:
        """A straight tube."""
        dx, dy, dz = (ends[1] - ends[0]).tolist()
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        flat = math.hypot(dx, dy)
        side = (dy / flat, -dx / flat, 0.0) if flat > 1e-9 else (1.0, 0.0, 0.0)
        along = (dx / length, dy / length, dz / length)
        other = (
            along[1] * side[2] - along[2] * side[1],
            along[2] * side[0] - along[0] * side[2],
            along[0] * side[1] - along[1] * side[0],
        )
        axes = np.array([side, other, along])
        points, normals, triangles = _unit_cylinder(segments)
        self.add(points * [radius, radius, length] @ axes + ends[0], normals @ axes, triangles, surface)

    def plate(self, corners: ArrayLike, thickness: float, surface: Surface) -> None:
        """A thin slab on a quadrilateral in space, anticlockwise seen from above."""
        upper = np.asarray(corners, dtype=np.float64)
        normal = cross(upper[2:3] - upper[0], upper[3:] - upper[1])
        normal /= np.linalg.norm(normal)
        lower = upper - normal * thickness
        sides = [[lower[i], lower[j], upper[j], upper[i]] for i, j in ((0, 1), (1, 2), (2, 3), (3, 0))]
        quads = np.array([upper, lower[::-1], *sides])
        facing = cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
        facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-12)
        triangles = (np.arange(6)[:, None] * 4 + np.array([[0, 1, 2, 0, 2, 3]])).reshape(-1, 3)
        self.add(quads.reshape(-1, 3), facing.repeat(4, axis=0), triangles, surface)

    def legs(self, x: Span, y: Span, z: Span, thickness: float, surface: Surface, round_ones: bool = False) -> None:
        """Four posts at the corners of a rectangle."""
        half = thickness / 2
        for corner_x in (x[0] + half, x[1] - half):
            for corner_y in (y[0] + half, y[1] - half):
                if round_ones:
                    self.cylinder((corner_x, corner_y, 0), half, z, surface, segments=10)
                else:
                    self.box((corner_x - half, corner_x + half), (corner_y - half, corner_y + half), z, surface)

    def turn(self, first: int, axis: Axis, angle: float, about: ArrayLike = (0, 0, 0)) -> None:
        """Rotate the solids from number `first` on about an axis through a point."""
        u, v = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        matrix = np.eye(3)
        matrix[u, u] = matrix[v, v] = math.cos(angle)
        matrix[u, v], matrix[v, u] = -math.sin(angle), math.sin(angle)
        point = np.asarray(about, dtype=np.float64)
        for place in range(first, len(self.solids)):
            solid = self.solids[place]
            self.solids[place] = solid._replace(
                vertices=(solid.vertices - point) @ matrix.T + point, normals=solid.normals @ matrix.T
            )

    def fit(self) -> None:
        """Scale everything to fill the box, for shapes drawn in their own proportions."""
        low = np.min([solid.vertices.min(axis=0) for solid in self.solids], axis=0)
        high = np.max([solid.vertices.max(axis=0) for solid in self.solids], axis=0)
        scale = np.array([self.width, self.depth, self.height]) / np.maximum(high - low, 1e-9)
        corner = np.array([self.left, self.back, 0.0])
        for place, solid in enumerate(self.solids):
            normals = solid.normals / scale
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
            self.solids[place] = solid._replace(vertices=(solid.vertices - low) * scale + corner, normals=normals)
