"""What is visible in a panorama: things, openings, windows and stairs, with size, direction and the 36 views.

seen = seen_from(scene, scene.look(viewpoint))
record = semantics_record(home, viewpoint, scene.panorama(viewpoint))
"""

from __future__ import annotations

import functools
import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.home import Home, Opening, Seen, Viewpoint
from mtvm.homes.render.mesh import What, owner_id, owner_of
from mtvm.homes.render.openings import wall_gap
from mtvm.homes.render.raytrace import ALL, DEPTH_UNIT, Panorama, Scene, face_directions, kernels
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_VFOV, IMAGE_WIDTH, VIEW_ELEVATION, VIEW_HEADING, VIEWS

LEAST_SOLID_ANGLE = 0.0015
"""Steradians below which something counts as not visible: a 10 cm square at a distance of 2.5 m."""
LEAST_SHARE = 0.01
"""Smallest visible share, used even if the sample misses the thing."""
LEAST_BOX_SIDE = 6
"""Boxes with a shorter side, in pixels of a 640x480 view, are dropped as slivers."""

Floats = NDArray[np.float32]
Pixels = dict[int, NDArray[np.int64]]
"""The pixels that show each owner."""
_SEEN: dict[What, Literal["thing", "opening", "window", "stairs"]] = {
    "thing": "thing",
    "opening": "opening",
    "window": "window",
    "stairs": "stairs",
}


class _Hole(NamedTuple):
    """The pixels that point into an opening, and those of them that see through it."""

    inside: NDArray[np.int64]
    through: NDArray[np.int64]


@functools.lru_cache(maxsize=8)
def pixel_solid_angles(size: int) -> NDArray[np.float64]:
    """(6 * size * size,) solid angles of the pixels of all six faces, in steradians."""
    edges = np.linspace(-1, 1, size + 1)
    across, down = edges[None, :], edges[:, None]
    corner = np.arctan(across * down / np.sqrt(1 + across * across + down * down))
    face = corner[1:, 1:] - corner[1:, :-1] - corner[:-1, 1:] + corner[:-1, :-1]
    return np.tile(face.ravel(), 6)


def seen_from(scene: Scene, panorama: Panorama, least: float = LEAST_SOLID_ANGLE) -> list[Seen]:
    """Everything but rooms that covers at least `least` steradians, the largest first.

    An opening also counts as visible where something behind it is seen through it.
    """
    directions, angles = _directions(panorama), pixel_solid_angles(panorama.depth.shape[1])
    distances = _distances(panorama)
    holes = _holes(scene.home, panorama, directions)
    sample = _sample(panorama.depth.shape[1])
    sampled_owners, sampled_directions = panorama.owner.ravel()[sample], directions[sample]
    found = []
    for owner, pixels in _visible_pixels(panorama, holes).items():
        solid_angle = float(angles[pixels].sum())
        if solid_angle < least:
            continue
        what, index = owner_of(owner)
        if what == "opening" and holes[index].through.size:
            hole, pixels = holes[index], holes[index].through
            share = float(angles[pixels].sum() / angles[hole.inside].sum())
            distance = _plan_distance(scene.home.openings[index], panorama)
        else:
            whole = angles[sample[scene.alone(owner, panorama.position, sampled_directions)]].sum()
            share = float(angles[sample[sampled_owners == owner]].sum() / max(whole, 1e-9))
            distance = float((angles[pixels] * distances[pixels]).sum() / angles[pixels].sum())
        x, y, z = (angles[pixels, None] * directions[pixels]).sum(axis=0).tolist()
        heading, elevation = math.atan2(x, y) % math.tau % math.tau, math.atan2(z, math.hypot(x, y))
        found.append(
            Seen(_SEEN[what], index, heading, elevation, distance, solid_angle, min(max(share, LEAST_SHARE), 1.0))
        )
    return sorted(found, key=lambda seen: (-seen.solid_angle, seen.what, seen.index))


def semantics_record(
    home: Home, viewpoint: Viewpoint, panorama: Panorama, least: float = LEAST_SOLID_ANGLE
) -> dict[str, Any]:
    """One line of the semantics file: the room, and the objects with their boxes in the views that show them."""
    directions, angles = _directions(panorama), pixel_solid_angles(panorama.depth.shape[1])
    visible = _visible_pixels(panorama, _holes(home, panorama, directions))
    large_enough = {owner: pixels for owner, pixels in visible.items() if angles[pixels].sum() >= least}
    owners = sorted(large_enough)
    boxes = _view_boxes(directions, angles, [large_enough[owner] for owner in owners])
    objects = []
    for owner, own in zip(owners, boxes, strict=True):
        views = [view for view in range(VIEWS) if min(own[view, 2:]) >= LEAST_BOX_SIDE]
        if views:
            entry = {"id": object_id(home, owner), "name": object_name(home, owner), "views": views}
            objects.append(entry | {"boxes": [own[view].tolist() for view in views]})
    room = "stairs" if viewpoint.place == "stairs" else home.rooms[viewpoint.room].kind
    return {"scan": home.scan, "viewpoint": viewpoint.id, "room": room, "objects": objects}


def object_id(home: Home, owner: int) -> int:
    """Id of an owner: things keep their index; openings, windows and stairs follow them."""
    what, index = owner_of(owner)
    before: dict[What, int] = {
        "thing": 0,
        "opening": len(home.things),
        "window": len(home.things) + len(home.openings),
        "stairs": len(home.things) + len(home.openings) + len(home.windows),
    }
    return before[what] + index


def object_name(home: Home, owner: int) -> str:
    what, index = owner_of(owner)
    if what == "thing":
        return home.things[index].kind
    if what == "opening":
        return "door" if home.openings[index].kind == "door" else "doorway"
    return what


def _directions(panorama: Panorama) -> Floats:
    """Unit directions of the pixels, in world axes."""
    rays = face_directions(panorama.depth.shape[1])
    out = np.empty_like(rays)
    kernels().turn(rays, ALL, panorama.rotation.astype(np.float32), out)
    return out


def _distances(panorama: Panorama) -> Floats:
    return panorama.depth.ravel() * np.float32(DEPTH_UNIT)


@functools.lru_cache(maxsize=8)
def _sample(size: int) -> NDArray[np.int64]:
    """The sample of pixels for estimating shares: about 64 x 64 per face."""
    step = max(1, size // 64)
    numbers = np.arange(6 * size * size).reshape(6, size, size)
    return numbers[:, step // 2 :: step, step // 2 :: step].ravel()


def _holes(home: Home, panorama: Panorama, directions: Floats) -> list[_Hole]:
    """The pixels that point into each opening and those that see through it; none if the viewpoint is inside it."""
    rows = []
    for opening in home.openings:
        faces = wall_gap(home, opening)
        axis, middle = (1, opening.x) if opening.along == "x" else (0, opening.y)
        floor = home.floor_of(opening.rooms[0])
        within = faces[0] - 0.1 < panorama.position[axis] < faces[1] + 0.1
        half = -1.0 if within else opening.width / 2
        rows.append([axis, (faces[0] + faces[1]) / 2, middle, half, floor, floor + opening.height])
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    inside, through = (np.zeros((len(rows), len(directions)), dtype=np.bool_) for _ in range(2))
    place = np.array(panorama.position)
    kernels().look_through(directions, _distances(panorama), place, table, inside, through)
    return [_Hole(np.flatnonzero(a), np.flatnonzero(b)) for a, b in zip(inside, through, strict=True)]


def _visible_pixels(panorama: Panorama, holes: list[_Hole]) -> Pixels:
    """The pixels that show each visible thing, opening, window and flight of stairs."""
    owners = panorama.owner.ravel()
    kept = np.flatnonzero(owners >= owner_id("thing", 0))
    order = kept[np.argsort(owners[kept], kind="stable")]
    present, starts = np.unique(owners[order], return_index=True)
    pixels = dict(zip(present.tolist(), np.split(order, starts[1:]), strict=True)) if len(present) else {}
    for index, hole in enumerate(holes):
        if hole.through.size:
            owner = owner_id("opening", index)
            pixels[owner] = np.union1d(pixels[owner], hole.through) if owner in pixels else hole.through
    return pixels


def _plan_distance(opening: Opening, panorama: Panorama) -> float:
    return math.hypot(opening.x - panorama.position[0], opening.y - panorama.position[1])


def _view_boxes(directions: Floats, angles: NDArray[np.float64], groups: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """For each group of pixels and each view, the box [x, y, width, height] around the pixels that the view shows."""
    level = np.cos(VIEW_ELEVATION)
    forward = np.stack([np.sin(VIEW_HEADING) * level, np.cos(VIEW_HEADING) * level, np.sin(VIEW_ELEVATION)], axis=-1)
    right = np.stack([np.cos(VIEW_HEADING), -np.sin(VIEW_HEADING), np.zeros(VIEWS)], axis=-1)
    axes = np.stack([right, -np.cross(right, forward), forward], axis=1)
    focal = IMAGE_HEIGHT / 2 / math.tan(IMAGE_VFOV / 2)
    limits = np.tile([np.inf, np.inf, -np.inf, -np.inf], (len(groups), VIEWS, 1))
    for number, pixels in enumerate(groups):
        kernels().box_views(directions, angles, pixels, axes, focal, IMAGE_WIDTH, IMAGE_HEIGHT, limits[number])
    low, high = np.floor(limits[..., :2]), np.ceil(limits[..., 2:])
    empty = ~np.isfinite(limits).all(axis=-1, keepdims=True)
    low, high = np.where(empty, 0, low), np.where(empty, 0, high)
    return np.concatenate([low, high - low], axis=-1).astype(np.int64)
