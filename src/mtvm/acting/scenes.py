"""What the data folder says of viewpoints, for agents that read: captions, detections, objects, rooms and images.

Files are read when they are first asked for, and only for the buildings that agents walk in.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.policy import WANTS, Want
from mtvm.errors import InputError
from mtvm.features.captions import CaptionedPlace, read_captions
from mtvm.features.detections import DETECTIONS_FILE, Detection, read_detections
from mtvm.features.names import SeenPlace, object_phrase, read_semantics, room_phrase
from mtvm.tasks.data import DataFolder
from mtvm.world.skybox import SkyboxRenderer, skybox_folder
from mtvm.world.views import ELEVATION_STEP, IMAGE_HEIGHT, IMAGE_WIDTH, ROWS, direction_in_view
from mtvm.world.world import World

_FILES: dict[Want, str] = {
    "captions": "captions.jsonl",
    "detections": DETECTIONS_FILE,
    "objects": "viewpoints.jsonl",
    "rooms": "viewpoints.jsonl",
}


class Caption(NamedTuple):
    """What was said of a part of the panorama. Angles are absolute, in radians."""

    text: str
    heading: float
    elevation: float


class Thing(NamedTuple):
    """An object that people annotated, in the direction in which most of it is seen. Angles are absolute."""

    id: int
    name: str
    heading: float
    elevation: float
    views: tuple[int, ...]
    """The views that show it."""


class _Pictures(NamedTuple):
    """Skyboxes that are drawn when somebody looks."""

    skyboxes: Path
    draw: Callable[[str, str], None]
    """Returns when those of a scan and viewpoint are there."""


_offered: dict[Path, _Pictures] = {}


def offer_pictures(folder: Path, skyboxes: Path, draw: Callable[[str, str], None]) -> None:
    """Let this process draw what a data folder has no skyboxes of: `draw` returns when those of a scan and viewpoint
    are below `skyboxes`."""
    _offered[folder.resolve()] = _Pictures(skyboxes, draw)


class Scenes:
    """What is known of the viewpoints of a world, of the kinds that an agent `wants`."""

    def __init__(self, world: World, folder: DataFolder | str | Path | None = None, wants: Sequence[Want] = ()) -> None:
        self.world, self.wants = world, tuple(wants)
        if unknown := [want for want in wants if want not in WANTS]:
            raise InputError(f"wants: there is no '{unknown[0]}'; name some of {', '.join(WANTS)}.")
        if not wants:
            return
        self.folder = DataFolder.resolve(folder)
        for want in wants:  # before anybody walks
            if want == "images":
                _ = self._renderer
            else:
                self._file(want)

    def check(self, want: Want) -> None:
        """Refuse what the agent did not say that it reads."""
        if want not in self.wants:
            said = f"{(*self.wants, want)!r}"
            raise InputError(f"this agent reads {want}, but does not say so; write wants = {said} in its class.")

    def captions(self, node: int) -> list[Caption]:
        """All around a node: the level ones first, clockwise from north, then those below and above."""
        self.check("captions")
        place = self._captioned.get(self._key(node))
        if place is None:
            return []
        turn = 2 * math.pi / len(place.captions)
        return [
            Caption(rows[row], number * turn, (row - 1) * ELEVATION_STEP)
            for row in (1, 0, 2)
            for number, rows in enumerate(place.captions)
            if rows[row]
        ]

    def captions_towards(self, node: int, heading: float, elevation: float) -> list[str]:
        """What was said at the heading nearest to a direction: the view that looks there best first."""
        self.check("captions")
        place = self._captioned.get(self._key(node))
        if place is None:
            return []
        rows = place.captions[round(heading * len(place.captions) / (2 * math.pi)) % len(place.captions)]
        nearest = sorted(range(ROWS), key=lambda row: abs((row - 1) * ELEVATION_STEP - elevation))
        return [rows[row] for row in nearest if rows[row]]

    @property
    def captioned(self) -> list[CaptionedPlace]:
        """All captions of the world, as the file has them."""
        self.check("captions")
        return list(self._captioned.values())

    def detections(self, node: int) -> list[Detection]:
        """What a detector found all around a node, the surest first."""
        self.check("detections")
        return self._detected.get(self._key(node), [])

    def objects(self, node: int) -> list[Thing]:
        """What is seen from a node, the largest first."""
        self.check("objects")
        place = self._annotated.get(self._key(node))
        found = []
        for thing in place.objects if place is not None else []:
            sizes = [width * height for _, _, width, height in thing.boxes]
            if sizes:
                largest = int(np.argmax(sizes))
                left, top, width, height = thing.boxes[largest]
                direction = direction_in_view(thing.views[largest], left + width / 2, top + height / 2)
                found.append((max(sizes), Thing(thing.id, object_phrase(thing.name), *direction, tuple(thing.views))))
        return [thing for _, thing in sorted(found, key=lambda pair: -pair[0])]

    def room(self, node: int) -> str | None:
        """The kind of room that a node is in."""
        self.check("rooms")
        place = self._annotated.get(self._key(node))
        return None if place is None or not place.room else room_phrase(place.room)

    def image(
        self, node: int, heading: float, elevation: float, width: int = IMAGE_WIDTH, height: int = IMAGE_HEIGHT
    ) -> NDArray[np.uint8]:
        """(height, width, 3) RGB: what a camera at a node sees in an absolute direction, 60 degrees from top to
        bottom."""
        self.check("images")
        scan, viewpoint = self._key(node)
        if self._pictures is not None and self._renderer.dataset == self._pictures.skyboxes:
            self._pictures.draw(scan, viewpoint)
        pixels = self._renderer.render(
            scan, viewpoint, self.world.rotations[node], [heading], [elevation], width, height
        )
        return pixels[0]

    def _key(self, node: int) -> tuple[str, str]:
        return self.world.scan(node), str(self.world.viewpoints[node])

    @functools.cached_property
    def _captioned(self) -> dict[tuple[str, str], CaptionedPlace]:
        places = read_captions(self._file("captions"), self.world.scans)
        return {(place.scan, place.viewpoint): place for place in places}

    @functools.cached_property
    def _detected(self) -> dict[tuple[str, str], list[Detection]]:
        places = read_detections(self._file("detections"), self.world.scans)
        return {(place.scan, place.viewpoint): place.detections for place in places}

    @functools.cached_property
    def _annotated(self) -> dict[tuple[str, str], SeenPlace]:
        places = read_semantics(self._file("objects"), self.world.scans)
        return {(place.scan, place.viewpoint): place for place in places}

    @property
    def _pictures(self) -> _Pictures | None:
        return _offered.get(self.folder.path.resolve())

    @functools.cached_property
    def _renderer(self) -> SkyboxRenderer:
        top = self.folder.path
        for folder in (top / "skyboxes", top, top / "matterport"):
            try:
                skybox_folder(folder, self.world.scans[0])
            except InputError:
                continue
            return SkyboxRenderer(folder)
        if self._pictures is not None:
            return SkyboxRenderer(self._pictures.skyboxes)
        raise InputError(
            f"{top}: no skyboxes of scan {self.world.scans[0]} below it, which the agent wants to see; put "
            "Matterport3D's folders <scan>/matterport_skybox_images into its folder 'skyboxes'."
        )

    def _file(self, want: Want) -> Path:
        name = _FILES[want]
        found = self.folder.find([name, f"{name}.gz"])
        if found is None:
            raise InputError(
                f"{self.folder.path}: no file {name}(.gz) below it, of which the agent reads {want}; docs/data.md says "
                "what it holds."
            )
        return found
