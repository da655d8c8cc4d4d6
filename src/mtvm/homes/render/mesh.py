"""A home as triangles, each with a surface and an owner.

An owner is the shell of room i, thing i, opening i (frame and leaf), window i or flight of stairs i.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.homes.home import Home, Point, Surface, Thing
from mtvm.homes.shapes import shape_of
from mtvm.homes.shapes.solids import Floats, Ints, Solid, cross

What = Literal["room", "thing", "opening", "window", "stairs"]
WHATS: tuple[What, ...] = ("room", "thing", "opening", "window", "stairs")
OVERLAP = 0.003
"""How far walls, floors and ceilings overlap, so that no ray slips through where they meet."""
NOBODY = -1
"""The owner of rays that hit nothing."""
_PER_KIND = 1 << 16


def owner_id(what: What, index: int) -> int:
    return WHATS.index(what) * _PER_KIND + index


def owner_of(owner: int) -> tuple[What, int]:
    return WHATS[owner // _PER_KIND], owner % _PER_KIND


@dataclasses.dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles, wound outwards. `texture` holds texture positions, in the frame of the room or thing."""

    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    texture: NDArray[np.float32]
    vertex_room: NDArray[np.int32]
    vertex_part: NDArray[np.int32]
    """Number of the solid, wall, floor or ceiling that each vertex belongs to."""
    triangles: NDArray[np.int32]
    surface: NDArray[np.int32]
    """Each triangle's index in `surfaces`."""
    owner: NDArray[np.int32]
    facing: NDArray[np.int32]
    """The axis of the texture's frame that each triangle faces."""
    surfaces: tuple[Surface, ...]


class MeshBuilder:
    """Collects pieces and joins them at the end."""

    def __init__(self) -> None:
        self._vertices: list[Floats] = []
        self._normals: list[Floats] = []
        self._texture: list[Floats] = []
        self._triangles: list[Ints] = []
        self._pieces: list[tuple[int, int, int, int, int]] = []  # vertices, triangles, room, surface, owner
        self._surfaces: dict[Surface, int] = {}
        self._count = 0

    def add(
        self,
        vertices: Floats,
        normals: Floats,
        triangles: Ints,
        surface: Surface,
        owner: int,
        room: int,
        texture: Floats | None = None,
    ) -> None:
        self._vertices.append(vertices)
        self._normals.append(normals)
        self._texture.append(vertices if texture is None else texture)
        self._triangles.append(triangles + self._count)
        self._note(len(vertices), len(triangles), surface, owner, room)

    def _note(self, vertices: int, triangles: int, surface: Surface, owner: int, room: int) -> None:
        look = self._surfaces.setdefault(surface, len(self._surfaces))
        self._pieces.append((vertices, triangles, room, look, owner))
        self._count += vertices

    def add_solids(
        self, solids: Sequence[Solid], owner: int, room: int, place: Point = (0.0, 0.0, 0.0), heading: float = 0.0
    ) -> None:
        """Add solids, turned clockwise by `heading` and moved to `place`."""
        if not solids:
            return
        sine, cosine = math.sin(heading), math.cos(heading)
        turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        self._vertices.append(np.concatenate([solid.vertices for solid in solids]) @ turn + np.asarray(place))
        self._normals.append(np.concatenate([solid.normals for solid in solids]) @ turn)
        textures = [_along_grain(solid) if solid.surface.material == "wood" else solid.vertices for solid in solids]
        self._texture.append(np.concatenate(textures) + _texture_shift(owner))
        for solid in solids:
            self._triangles.append(solid.triangles + self._count)
            self._note(len(solid.vertices), len(solid.triangles), solid.surface, owner, room)

    def build(self) -> Mesh:
        pieces = np.array(self._pieces)
        triangles = np.concatenate(self._triangles)
        texture = np.concatenate(self._texture).astype(np.float32)
        first, second, third = (texture[triangles[:, corner]] for corner in range(3))
        normals = np.abs(cross(second - first, third - first))
        # Lathed profiles have triangles of zero area where they meet their axis.
        real = normals.max(axis=1) > 1e-10
        owners = np.repeat(pieces[:, 3:], pieces[:, 1], axis=0)[real].astype(np.int32)
        return Mesh(
            vertices=np.concatenate(self._vertices).astype(np.float32),
            normals=np.concatenate(self._normals).astype(np.float32),
            texture=texture,
            vertex_room=np.repeat(pieces[:, 2], pieces[:, 0]).astype(np.int32),
            vertex_part=np.repeat(np.arange(len(pieces)), pieces[:, 0]).astype(np.int32),
            triangles=triangles[real].astype(np.int32),
            surface=owners[:, 0],
            owner=owners[:, 1],
            facing=normals[real].argmax(axis=1).astype(np.int32),
            surfaces=tuple(self._surfaces),
        )


def build_mesh(home: Home) -> Mesh:
    """The mesh of a whole home: rooms, openings, windows, stairs and things."""
    # Imported here because these modules import this one.
    from mtvm.homes.render.openings import add_opening, add_window
    from mtvm.homes.render.shell import add_room, add_stairs

    builder = MeshBuilder()
    for room in home.rooms:
        add_room(builder, home, room)
    for opening in home.openings:
        add_opening(builder, home, opening)
    for window in home.windows:
        add_window(builder, home, window)
    for stairs in home.stairs:
        add_stairs(builder, home, stairs)
    for thing in home.things:
        add_thing(builder, thing)
    return builder.build()


def add_thing(builder: MeshBuilder, thing: Thing) -> None:
    place = (thing.x, thing.y, thing.z)
    builder.add_solids(shape_of(thing), owner_id("thing", thing.index), thing.room, place, thing.heading)


def add_grid(
    builder: MeshBuilder,
    corner: ArrayLike,
    right: ArrayLike,
    up: ArrayLike,
    across: Floats,
    upwards: Floats,
    holes: list[tuple[float, float, float, float]],
    surface: Surface,
    owner: int,
    room: int,
    texture_origin: ArrayLike,
    swap: bool = False,
) -> None:
    """Add a rectangle as a grid with the given lines, without the cells in a hole (left, low, right, high).

    It faces along `right` x `up`. `swap` exchanges the texture's x and y, to lay planks the other way.
    """
    right, up, corner = np.asarray(right), np.asarray(up), np.asarray(corner)
    points = corner + across[None, :, None] * right + upwards[:, None, None] * up
    middle_across, middle_up = (across[1:] + across[:-1]) / 2, (upwards[1:] + upwards[:-1]) / 2
    keep = np.ones((len(middle_up), len(middle_across)), dtype=bool)
    for left, low, far, high in holes:
        inside = (middle_across > left) & (middle_across < far)
        keep &= ~(((middle_up > low) & (middle_up < high))[:, None] & inside)
    rows, columns = np.nonzero(keep)
    first = rows * len(across) + columns
    above = first + len(across)
    triangles = np.stack([first, first + 1, above + 1, first, above + 1, above], axis=-1).reshape(-1, 3)
    vertices = points.reshape(-1, 3)
    normals = np.tile(np.cross(right, up).astype(np.float64), (len(vertices), 1))
    texture = vertices - np.asarray(texture_origin)
    builder.add(vertices, normals, triangles, surface, owner, room, texture[:, [1, 0, 2]] if swap else texture)


def grid_lines(length: float, cell: float, edges: list[float]) -> Floats:
    """Grid lines from just before 0 to just after `length`, including both and all `edges`, at most `cell` apart."""
    stops = sorted({0.0, length, *(round(edge, 6) for edge in edges if 1e-4 < edge < length - 1e-4)})
    pieces = [
        np.linspace(a, b, max(1, math.ceil((b - a) / cell - 1e-6)), endpoint=False)
        for a, b in itertools.pairwise(stops)
    ]
    return np.concatenate([[-OVERLAP], *pieces, [length, length + OVERLAP]])


def _along_grain(solid: Solid) -> Floats:
    """Texture positions with the solid's longest side as x, the direction of the wood's grain."""
    extent = np.ptp(solid.vertices, axis=0)
    order = np.argsort(-extent, kind="stable")
    return solid.vertices[:, order]


def _texture_shift(owner: int) -> Floats:
    """A texture offset for each owner, so that two tables do not have the same grain."""
    return np.array([(owner * 0.619) % 1.0, (owner * 0.377) % 1.0, (owner * 0.841) % 1.0]) * 7.0
