"""The buildings of a data folder as one looks at them: storeys, rooms, panoramas, and what is where on the sphere."""

from __future__ import annotations

import dataclasses
import functools
import io
import math
import threading
from collections.abc import Collection
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.captions import CaptionedPlace, read_captions
from mtvm.features.names import SeenPlace, object_phrase, read_semantics, room_phrase
from mtvm.tasks.data import DataFolder
from mtvm.world.graph import connectivity_files, directions, scan_of
from mtvm.world.skybox import SkyboxRenderer, skybox_folder
from mtvm.world.storeys import storeys
from mtvm.world.views import ELEVATION_STEP, IMAGE_HEIGHT, IMAGE_VFOV, IMAGE_WIDTH, VIEW_ELEVATION, VIEW_HEADING
from mtvm.world.world import World

if TYPE_CHECKING:
    from PIL.Image import Image


_MOST_OBJECTS, _MOST_ROOMS = 24, 6
_ROOM_RANGE = 10.0
_SPHERE_WIDTH = 2048


class Painter(Protocol):
    """Draws skyboxes when somebody looks, where there are no photographs."""

    skyboxes: Path
    """Where they are kept."""

    def ask(self, scan: str, viewpoint: str) -> Future[None]:
        """Draw a viewpoint of a building; done when its file is there."""


@dataclasses.dataclass(frozen=True)
class Sight:
    """A name or sentence in the direction of what it means, angles in radians."""

    text: str
    kind: str
    """room, object or caption."""
    heading: float
    elevation: float
    id: str | None = None
    """An object's in its building."""
    view: int | None = None
    """The view that shows most of an object, and its box there: left, top, width and height in 640x480 pixels."""
    box: list[float] | None = None


@dataclasses.dataclass(frozen=True)
class Place:
    """What is known of a viewpoint beside its picture."""

    room: str | None
    sights: list[Sight]


class Buildings:
    """Everything is read when it is first asked for, and only the scans that are asked for."""

    def __init__(self, folder: DataFolder, skyboxes: Path | None = None, painter: Painter | None = None) -> None:
        self.folder = folder
        self._painter = painter if skyboxes is None else None
        self.scans = sorted(map(scan_of, connectivity_files(folder.connectivity)))
        self._known = set(self.scans)
        self._skyboxes = skyboxes
        self._renderers: dict[Path, SkyboxRenderer] = {}
        self._lock = threading.Lock()
        self._worlds: dict[str, World] = {}
        self._described: dict[str, tuple[dict[str, SeenPlace], dict[str, CaptionedPlace]]] = {}

    def world(self, scan: str) -> World:
        """The world of one building."""
        if scan not in self._known:
            raise InputError(f"there is no building {scan!r} below {self.folder.path}.")
        with self._lock:
            if scan not in self._worlds:
                self._worlds[scan] = World.load(self.folder.connectivity, [scan])
            return self._worlds[scan]

    def storeys(self, scan: str) -> NDArray[np.int64]:
        """The storey of each viewpoint, from 0 at the bottom."""
        return storeys(self.world(scan))

    @functools.lru_cache(maxsize=128)  # noqa: B019 - there is one of these a server
    def edges(self, scan: str) -> list[tuple[int, int]]:
        """Pairs of nodes between which one can walk, in either direction."""
        rows = self.world(scan).candidates.tolist()
        pairs = {(min(node, other), max(node, other)) for node, row in enumerate(rows) for other in row if other >= 0}
        return sorted(pairs)

    def rooms(self, scan: str) -> list[str | None]:
        """The room of each viewpoint, where it is known."""
        places = self._describe(scan)[0]
        return [_room(places.get(str(name))) for name in self.world(scan).viewpoints]

    def place(self, scan: str, viewpoint: str, wanted: Collection[str] = ()) -> Place:
        """What can be said of a viewpoint and of the directions around it; the `wanted` objects, by their ids, are
        among the largest ones that are named."""
        world = self.world(scan)
        node = world.node(scan, viewpoint)
        semantics, captions = self._describe(scan)
        here = semantics.get(viewpoint)
        sights = [] if here is None else _objects(here, wanted)
        sights += self._rooms_ahead(scan, node)
        if viewpoint in captions:
            sights += _captions(captions[viewpoint])
        return Place(_room(here), sights)

    def plan(self, scan: str) -> dict[str, tuple[float, float, float, int, str | None]]:
        """Where each viewpoint is (east, north and up, in metres), its storey and its room."""
        world, rooms, found = self.world(scan), self.rooms(scan), self.storeys(scan).tolist()
        places = zip(world.viewpoints.tolist(), world.positions.round(3).tolist(), found, rooms, strict=True)
        return {name: (*position, storey, room) for name, position, storey, room in places}

    def object_name(self, scan: str, identity: str) -> str | None:
        """What an object of a building is called; None if nobody says."""
        for place in self._describe(scan)[0].values():
            for thing in place.objects:
                if str(thing.id) == identity:
                    return object_phrase(thing.name)
        return None

    def directions(self, scan: str, viewpoint: str) -> dict[str, tuple[float, float, float]]:
        """Heading, elevation and distance of every viewpoint, as the crow flies: with a map one may go to any."""
        world = self.world(scan)
        node = world.node(scan, viewpoint)
        east, north, elevation, distance = directions(world.positions[node], world.positions)
        rows = np.stack([np.arctan2(east, north), elevation, distance], axis=1).round(4).tolist()
        return dict(zip(world.viewpoints.tolist(), map(tuple, rows), strict=True))

    def _rooms_ahead(self, scan: str, node: int) -> list[Sight]:
        """The other rooms in sight, each where its nearest viewpoint is."""
        world, rooms = self.world(scan), self.rooms(scan)
        graph = world.graphs[0]
        east, north, elevation, distance = directions(graph.positions[node], graph.positions)
        found: dict[str, Sight] = {}
        for other in np.argsort(distance, kind="stable").tolist():
            room = rooms[other]
            near = graph.visible[node, other] and distance[other] < _ROOM_RANGE
            if near and room and room != rooms[node] and room not in found:
                heading = math.atan2(float(east[other]), float(north[other]))
                found[room] = Sight(room, "room", heading, float(elevation[other]))
        return list(found.values())[:_MOST_ROOMS]

    def _describe(self, scan: str) -> tuple[dict[str, SeenPlace], dict[str, CaptionedPlace]]:
        self.world(scan)  # refuses a scan that does not exist
        with self._lock:
            if scan not in self._described:
                semantics = self.folder.find(["viewpoints.jsonl", "viewpoints.jsonl.gz"])
                captions = self.folder.find(["captions.jsonl", "captions.jsonl.gz"])
                seen = {} if semantics is None else {one.viewpoint: one for one in read_semantics(semantics, [scan])}
                said = {} if captions is None else {one.viewpoint: one for one in read_captions(captions, [scan])}
                self._described[scan] = seen, said
            return self._described[scan]

    # Pictures

    def renderer(self, scan: str) -> SkyboxRenderer | None:
        """What draws the building; None where there are no skyboxes of it."""
        top = self.folder.path
        if self._painter is not None:
            return self._renderers.setdefault(top, SkyboxRenderer(self._painter.skyboxes, threads=1))
        for folder in [self._skyboxes] if self._skyboxes else [top / "skyboxes", top, top / "matterport"]:
            try:
                skybox_folder(folder, scan)
            except InputError:
                continue
            with self._lock:
                return self._renderers.setdefault(folder, SkyboxRenderer(folder, threads=1))
        return None

    def drawn(self, scan: str, viewpoint: str, seconds: float | None = None) -> bool:
        """Wait until the skybox of a viewpoint is drawn, if it is drawn on demand; False if it takes longer."""
        if self._painter is not None:
            try:
                self._painter.ask(scan, viewpoint).result(seconds)
            except FutureTimeoutError:
                return False
        return True

    @functools.lru_cache(maxsize=64)  # noqa: B019 - there is one of these a server
    def sphere(self, scan: str, viewpoint: str) -> bytes | None:
        """The panorama as a JPEG, headings from -180 to 180 degrees; None without skyboxes."""
        renderer, world = self.renderer(scan), self.world(scan)
        node = world.node(scan, viewpoint)
        if renderer is None:
            return None
        self.drawn(scan, viewpoint)
        return _jpeg(renderer.sphere(scan, viewpoint, world.rotations[node], _SPHERE_WIDTH))

    def view(self, scan: str, viewpoint: str, heading: float, elevation: float, size: tuple[int, int]) -> Image | None:
        """What a camera there sees; None without skyboxes."""
        renderer, world = self.renderer(scan), self.world(scan)
        node = world.node(scan, viewpoint)
        if renderer is None:
            return None
        self.drawn(scan, viewpoint)
        from PIL import Image

        width, height = size
        pixels = renderer.render(scan, viewpoint, world.rotations[node], [heading], [elevation], width, height)
        return Image.fromarray(pixels[0])


def _jpeg(pixels: NDArray[np.uint8]) -> bytes:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError("pillow", "viewer", "Showing panoramas") from None
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=88)
    return buffer.getvalue()


def _room(place: SeenPlace | None) -> str | None:
    return None if place is None or not place.room else room_phrase(place.room)


def _objects(place: SeenPlace, wanted: Collection[str]) -> list[Sight]:
    """The wanted and the largest objects, each in the view that shows most of it."""
    found: list[tuple[bool, float, Sight]] = []
    for thing in place.objects:
        if thing.views:
            area, view, box = max(
                (box[2] * box[3], view, box) for view, box in zip(thing.views, thing.boxes, strict=True)
            )
            heading, elevation = direction_of(view, box[0] + box[2] / 2, box[1] + box[3] / 2)
            name, identity = object_phrase(thing.name), str(thing.id)
            sight = Sight(name, "object", heading, elevation, identity, view, box)
            found.append((identity in wanted, area, sight))
    found.sort(key=lambda one: one[:2], reverse=True)
    return [sight for *_, sight in found[: _MOST_OBJECTS + len(wanted)]]


def direction_of(view: int, x: float, y: float) -> tuple[float, float]:
    """Heading and elevation of a pixel of a view's 640x480 image."""
    focal = IMAGE_HEIGHT / 2 / math.tan(IMAGE_VFOV / 2)
    right, up = (x - IMAGE_WIDTH / 2) / focal, (IMAGE_HEIGHT / 2 - y) / focal
    heading, elevation = float(VIEW_HEADING[view]), float(VIEW_ELEVATION[view])
    ahead = math.cos(elevation) - up * math.sin(elevation)
    above = math.sin(elevation) + up * math.cos(elevation)
    return heading + math.atan2(right, ahead), math.atan2(above, math.hypot(ahead, right))


def _captions(place: CaptionedPlace) -> list[Sight]:
    turn = 2 * math.pi / len(place.captions)
    return [
        Sight(caption, "caption", number * turn, (row - 1) * ELEVATION_STEP)
        for number, rows in enumerate(place.captions)
        for row, caption in enumerate(rows)
        if caption
    ]
