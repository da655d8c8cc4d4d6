"""Ray-traced panoramas of a home: colours, distances and owners for the six faces of a skybox.

    scene = Scene(home)
    panorama = scene.panorama(home.viewpoints[0], 256)

Faces have Matterport's order and orientation, so `render_views(panorama.faces, panorama.rotation, ...)` of
`mtvm.world.skybox` renders the home. Needs the packages embreex and numba.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import math
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.homes.home import Home, Viewpoint
from mtvm.homes.render.materials import GLASS, MIRROR, encode_table, surface_table
from mtvm.homes.render.mesh import NOBODY, build_mesh
from mtvm.world.skybox import FACE_AXES

Floats = NDArray[np.float32]

DEPTH_UNIT = 0.00025
SUN = 1.5
"""Brightness of sunlit patches; typical light is 1."""
BRIGHTEST = 2.5
"""Light above this is shown as white."""
EDGE_CONTRAST = 20
"""Difference in grey levels between neighbours above which a pixel is drawn from several rays."""
EDGE_OFFSETS = ((-0.125, -0.375), (0.375, -0.125), (0.125, 0.375), (-0.375, 0.125))
"""Offsets in pixels of those rays, in addition to the one through the pixel's middle."""
GLASS_TINT = 0.15
ALL = np.empty(0, dtype=np.int64)
NORTH = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Rotation of a level camera that looks along +y: from x right, y down, z forward to world."""


@dataclasses.dataclass(frozen=True, slots=True)
class Panorama:
    """The view in all directions from one position, as six faces."""

    position: tuple[float, float, float]
    rotation: NDArray[np.float64]
    """The 3x3 rotation of the pose: camera (x right, y down, z forward) to world."""
    depth: NDArray[np.uint16]
    """(6, N, N) distances in units of 0.25 mm; 0 where nothing is hit."""
    owner: NDArray[np.int32]
    """(6, N, N), see `mtvm.homes.render.mesh.owner_of`; -1 where nothing is hit."""
    faces: NDArray[np.uint8] | None = None
    """(6, N, N, 3) RGB; None from `Scene.look`."""


def level_rotation(heading: float) -> NDArray[np.float64]:
    """The rotation of a level camera with this heading."""
    sine, cosine = math.sin(heading), math.cos(heading)
    return np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]) @ NORTH


@functools.lru_cache(maxsize=8)
def face_directions(size: int, across: float = 0.0, down: float = 0.0) -> Floats:
    """Unit directions (6 * size * size, 3) of the pixels in the camera's axes, offset by fractions of a pixel."""
    steps = (np.arange(size) + 0.5) / size * 2 - 1
    right, below, ahead = FACE_AXES[:, 0], FACE_AXES[:, 1], FACE_AXES[:, 2]
    rays = (
        ahead[:, None, None]
        + (steps + 2 * across / size)[None, None, :, None] * right[:, None, None]
        + (steps + 2 * down / size)[None, :, None, None] * below[:, None, None]
    )
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    return np.ascontiguousarray(rays.reshape(-1, 3), dtype=np.float32)


class Scene:
    """A home ready for rendering: triangles, a search tree over them, and light."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.mesh = build_mesh(home)
        self._kernels = kernels()
        self._tree = _tree(self.mesh.vertices, self.mesh.triangles)
        self._surfaces, self._behaviours = surface_table(self.mesh.surfaces)
        light = _optional("mtvm.homes.render.light")
        self._towards_sun = light.sun_direction(home)
        self._panes, self._pane_ranges = light.sun_panes(home, self._towards_sun)
        self._codes = np.ascontiguousarray(
            np.stack([self.mesh.surface, self.mesh.facing, self.mesh.vertex_room[self.mesh.triangles[:, 0]]], axis=-1)
        )
        self._lamps = self._lamp_places()
        self._solid_tree = self._without_glass()
        self._triangles = self._triangle_rows(light.bake_light(home, self.mesh, self._occluded))
        self._encoding = encode_table(1 << 14, BRIGHTEST)
        self._alone: dict[int, tuple[Any, NDArray[np.float32], float]] = {}

    def panorama(self, viewpoint: Viewpoint, size: int = 256, rotation: ArrayLike | None = None) -> Panorama:
        """Colours, depth and owners; `rotation` is that of the viewpoint's pose, by default level and facing north."""
        origin, turned, to_world = self._camera(viewpoint, size, rotation)
        met = self._tree.run(np.broadcast_to(origin, turned.shape), turned)
        hits = self._measure(origin, turned, met)
        depth, owner = self._depth(hits, size), self._owner(met, size)
        faces = self._encoded(self._colours(origin, turned, met, hits, size)).reshape(6, size, size, 3)
        marked = np.zeros((6, size, size), dtype=np.bool_)
        self._kernels.find_edges(faces, owner, EDGE_CONTRAST, marked)
        self._smooth_edges(faces.reshape(-1, 3), np.flatnonzero(marked), origin, to_world, size)
        return Panorama(_position(viewpoint), to_world, depth, owner, faces)

    def look(self, viewpoint: Viewpoint, size: int = 64, rotation: ArrayLike | None = None) -> Panorama:
        """Depth and owners only, which is fast."""
        origin, turned, to_world = self._camera(viewpoint, size, rotation)
        met = self._tree.run(np.broadcast_to(origin, turned.shape), turned)
        hits = self._measure(origin, turned, met)
        return Panorama(_position(viewpoint), to_world, self._depth(hits, size), self._owner(met, size))

    def alone(self, owner: int, position: tuple[float, float, float], directions: Floats) -> NDArray[np.int64]:
        """The directions in which `owner` would be visible from `position` if there were nothing else."""
        if owner not in self._alone:
            own = self.mesh.triangles[self.mesh.owner == owner]
            used, triangles = np.unique(own, return_inverse=True)
            corners = self.mesh.vertices[used]
            middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
            radius = float(np.linalg.norm(corners - middle, axis=1).max())
            self._alone[owner] = _tree(corners, triangles.reshape(-1, 3).astype(np.int32)), middle, radius
        tree, middle, radius = self._alone[owner]
        offset = middle - np.array(position)
        distance = max(float(np.linalg.norm(offset)), 1e-6)
        widest = math.sqrt(1 - (radius / distance) ** 2) if radius < distance else -1.0
        near = np.flatnonzero(directions @ offset.astype(np.float32) >= widest * distance)
        rays = directions[near]
        met = tree.run(np.broadcast_to(np.array(position, dtype=np.float32), rays.shape), rays)
        return near[met >= 0]

    def _camera(
        self, viewpoint: Viewpoint, size: int, rotation: ArrayLike | None
    ) -> tuple[Floats, Floats, NDArray[np.float64]]:
        if size < 1:
            raise InputError(f"A face must have at least one pixel, not {size}.")
        to_world = NORTH if rotation is None else np.asarray(rotation, dtype=np.float64)
        if to_world.shape != (3, 3):
            raise InputError(f"rotation must be a 3x3 matrix, not of shape {to_world.shape}.")
        origin = np.array([_position(viewpoint)], dtype=np.float32)
        return origin, self._turned(face_directions(size), to_world), to_world

    def _turned(self, rays: Floats, to_world: NDArray[np.float64], chosen: NDArray[np.int64] = ALL) -> Floats:
        out = np.empty((len(chosen) or len(rays), 3), dtype=np.float32)
        self._kernels.turn(rays, chosen, to_world.astype(np.float32), out)
        return out

    def _smooth_edges(
        self,
        pixels: NDArray[np.uint8],
        marked: NDArray[np.int64],
        origin: Floats,
        to_world: NDArray[np.float64],
        size: int,
    ) -> None:
        """Redraw each marked pixel as the mean of several rays."""
        if len(marked) == 0:
            return
        parts = [self._turned(face_directions(size, *offset), to_world, marked) for offset in EDGE_OFFSETS]
        directions = np.concatenate(parts)
        met = self._tree.run(np.broadcast_to(origin, directions.shape), directions)
        hits = self._measure(origin, directions, met)
        colours = self._encoded(self._colours(origin, directions, met, hits, size))
        total = colours.reshape(len(EDGE_OFFSETS), -1, 3).sum(axis=0, dtype=np.uint16) + pixels[marked]
        count = len(EDGE_OFFSETS) + 1
        pixels[marked] = (total + count // 2) // count

    def _measure(self, origins: Floats, directions: Floats, met: NDArray[np.int32]) -> Floats:
        hits = np.empty((len(met), 3), dtype=np.float32)
        self._kernels.measure(origins, directions, met, self._triangles, hits)
        return hits

    def _colours(
        self,
        origins: Floats,
        directions: Floats,
        met: NDArray[np.int32],
        hits: Floats,
        size: int,
        bounces: int = 2,
    ) -> Floats:
        """Linear light along each ray."""
        colours = np.empty((len(met), 3), dtype=np.float32)
        sun = self._sunlight(origins, directions, met, hits)
        self._kernels.shade(
            origins,
            directions,
            met,
            hits,
            sun,
            self._triangles,
            self._codes,
            self._surfaces,
            self._behaviours,
            self._lamps,
            math.pi / 2 / size,
            colours,
        )
        if bounces:
            self._add_bounces(origins, directions, met, hits, size, bounces, colours)
        return colours

    def _add_bounces(
        self,
        origins: Floats,
        directions: Floats,
        met: NDArray[np.int32],
        hits: Floats,
        size: int,
        bounces: int,
        colours: Floats,
    ) -> None:
        """Add what mirrors reflect and what is behind glass."""
        behaviour = np.where(met >= 0, self._behaviours[self._codes[met, 0], 1], 0)
        rays = np.flatnonzero((behaviour == MIRROR) | (behaviour == GLASS))
        if len(rays) == 0:
            return
        mirrors = behaviour[rays] == MIRROR
        starts, onward = np.empty((len(rays), 3), dtype=np.float32), np.empty((len(rays), 3), dtype=np.float32)
        self._kernels.bounce(origins, directions, rays, met, hits, self._triangles, mirrors, starts, onward)
        next_met = self._tree.run(starts, onward)
        next_hits = self._measure(starts, onward, next_met)
        seen = self._colours(starts, onward, next_met, next_hits, size, bounces - 1)
        tint = 0.75 + 0.25 * self._surfaces[self._codes[met[rays], 0], :3]
        through = (1 - GLASS_TINT) * tint * seen + GLASS_TINT * colours[rays]
        colours[rays] = np.where(mirrors[:, None], 0.92 * seen + 0.015, through)

    def _sunlight(self, origins: Floats, directions: Floats, met: NDArray[np.int32], hits: Floats) -> Floats:
        strength, reach = np.zeros(len(met), dtype=np.float32), np.zeros(len(met), dtype=np.float32)
        if len(self._panes) == 0:
            return strength
        towards = self._towards_sun.astype(np.float32)
        self._kernels.find_sun(
            origins,
            directions,
            met,
            hits,
            self._triangles,
            self._codes,
            towards,
            self._panes,
            self._pane_ranges,
            strength,
            reach,
        )
        lit = np.flatnonzero(strength)
        if len(lit):
            start = origins[0] if len(origins) == 1 else origins[lit]
            points = start + hits[lit, :1] * directions[lit] + 0.004 * towards
            rays = np.broadcast_to(towards, points.shape)
            strength[lit[self._occluded(points, rays, reach[lit] - 0.03)]] = 0
        return strength * np.float32(SUN)

    def _occluded(self, origins: Floats, directions: Floats, distances: Floats) -> NDArray[np.bool_]:
        return self._solid_tree.run(origins, directions, dists=distances, query="OCCLUDED") >= 0

    def _without_glass(self) -> Any:
        """A search tree of everything that blocks light; the full tree if there is no glass."""
        glass = np.isin(self._behaviours[self.mesh.surface, 1], (GLASS,))
        return _tree(self.mesh.vertices, self.mesh.triangles[~glass]) if glass.any() else self._tree

    def _triangle_rows(self, light: Floats) -> Floats:
        mesh = self.mesh
        rows = np.empty((len(mesh.triangles), self._kernels.TRIANGLE_COLUMNS), dtype=np.float32)
        values = np.stack([light, mesh.texture, mesh.normals], axis=1)
        self._kernels.fill_rows(mesh.triangles, mesh.vertices, values, rows)
        return rows

    def _lamp_places(self) -> Floats:
        """Position of one lamp in each room, for reflections."""
        places = []
        for room in self.home.rooms:
            lamps = [thing for thing in self.home.things if thing.room == room.index and thing.kind == "ceiling lamp"]
            top = self.home.floor_of(room.index) + self.home.ceiling_height
            places.append((lamps[0].x, lamps[0].y, lamps[0].z) if lamps else (*room.centre, top))
        return np.array(places, dtype=np.float32)

    def _encoded(self, colours: Floats) -> NDArray[np.uint8]:
        pixels = np.empty(colours.shape, dtype=np.uint8)
        self._kernels.encode(colours, self._encoding, BRIGHTEST, pixels)
        return pixels

    def _owner(self, met: NDArray[np.int32], size: int) -> NDArray[np.int32]:
        return np.where(met >= 0, self.mesh.owner[met], NOBODY).astype(np.int32).reshape(6, size, size)

    def _depth(self, hits: Floats, size: int) -> NDArray[np.uint16]:
        units = np.rint(hits[:, 0] / DEPTH_UNIT)
        return np.minimum(units, 65535).astype(np.uint16).reshape(6, size, size)


def _position(viewpoint: Viewpoint) -> tuple[float, float, float]:
    return viewpoint.x, viewpoint.y, viewpoint.z


def _tree(vertices: Floats, triangles: NDArray[np.int32]) -> Any:
    """Embree's scene of these triangles."""
    scene = _optional("embreex.rtcore_scene").EmbreeScene()
    mesh = _optional("embreex.mesh_construction").TriangleMesh
    mesh(scene, np.ascontiguousarray(vertices), np.ascontiguousarray(triangles))
    return scene


def kernels() -> ModuleType:
    """The compiled inner loops."""
    return _optional("mtvm.homes.render.kernels")


def _optional(module: str) -> ModuleType:
    """Import a module that is, or needs, a package of the extra `homes`."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("embreex", "numba"):
            raise
        raise MissingExtraError(package, "homes", "Ray tracing homes") from None
