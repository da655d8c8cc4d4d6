"""Skyboxes of generated homes: as files, and drawn one by one when somebody looks."""

from __future__ import annotations

import dataclasses
import functools
import io
import queue
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtvm.homes.generate import generate_home
from mtvm.homes.home import Viewpoint
from mtvm.io.files import atomic_path
from mtvm.world.graph import NavGraph

if TYPE_CHECKING:
    from mtvm.homes.render.raytrace import Panorama, Scene

_JPEG_QUALITY = 92
_KEPT_HOMES = 4


def skybox_files(skyboxes: Path, scan: str, viewpoint: str) -> tuple[Path, Path]:
    """Where the colours and distances of a viewpoint are, as the six faces side by side."""
    folder = skyboxes / scan / "matterport_skybox_images"
    return folder / f"{viewpoint}_skybox_small.jpg", folder / f"{viewpoint}_skybox_depth_small.png"


def write_skybox(skyboxes: Path, scan: str, viewpoint: str, panorama: Panorama) -> None:
    from PIL import Image

    assert panorama.faces is not None
    colours, depth = skybox_files(skyboxes, scan, viewpoint)
    with atomic_path(depth) as fresh:
        Image.fromarray(np.concatenate(list(panorama.depth), axis=1)).save(fresh, compress_level=1)
    strip, packed = np.concatenate(list(panorama.faces), axis=1), io.BytesIO()
    # Written in one piece: on a full disk, Pillow would leave half of a JPEG without a word.
    Image.fromarray(strip).save(packed, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    with atomic_path(colours) as fresh:
        fresh.write_bytes(packed.getbuffer())


@dataclasses.dataclass(frozen=True)
class _Easel:
    """A home that is ready to be drawn."""

    scene: Scene
    viewpoints: dict[str, tuple[Viewpoint, NDArray[np.float64]]]
    """By id, with the rotation of the pose."""


class Painter:
    """Draws the skyboxes of homes below `skyboxes` in the background, what was asked for last first, and keeps them.

    The very first one takes long, because the ray tracer is compiled; numba keeps that too.
    """

    def __init__(self, skyboxes: Path, seeds: dict[str, int], face_size: int) -> None:
        self.skyboxes = skyboxes
        self._seeds, self._face_size = seeds, face_size
        self._easel = functools.lru_cache(maxsize=_KEPT_HOMES)(self._set_up)
        self._lock = threading.Lock()
        self._asked: dict[tuple[str, str], Future[None]] = {}
        self._waiting: queue.LifoQueue[tuple[str, str]] = queue.LifoQueue()
        self._thread: threading.Thread | None = None

    def ask(self, scan: str, viewpoint: str) -> Future[None]:
        """Draw a viewpoint of a home; done when its files are there."""
        with self._lock:
            job = self._asked.get((scan, viewpoint))
            if job is None or (job.done() and not skybox_files(self.skyboxes, scan, viewpoint)[0].is_file()):
                job = self._asked[scan, viewpoint] = Future()
                self._waiting.put((scan, viewpoint))
            if self._thread is None:  # a daemon, so that nobody who wants to leave waits for a picture
                self._thread = threading.Thread(target=self._work, name="painter", daemon=True)
                self._thread.start()
            return job

    def _work(self) -> None:
        while True:
            scan, viewpoint = self._waiting.get()
            job = self._asked[scan, viewpoint]
            try:
                self._draw(scan, viewpoint)
            except Exception as error:
                job.set_exception(error)
            else:
                job.set_result(None)

    def _draw(self, scan: str, viewpoint: str) -> None:
        if skybox_files(self.skyboxes, scan, viewpoint)[0].is_file():
            return
        easel = self._easel(scan)
        place, rotation = easel.viewpoints[viewpoint]
        write_skybox(self.skyboxes, scan, viewpoint, easel.scene.panorama(place, self._face_size, rotation))

    def _set_up(self, scan: str) -> _Easel:
        from mtvm.homes.plan.viewpoints import connectivity_records
        from mtvm.homes.render.raytrace import Scene

        home = generate_home(scan, self._seeds[scan])
        graph = NavGraph.from_records(scan, connectivity_records(home), self.skyboxes)
        pairs = zip(home.viewpoints, graph.rotations, strict=True)
        return _Easel(Scene(home), {place.id: (place, rotation) for place, rotation in pairs})
