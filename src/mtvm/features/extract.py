"""From skyboxes to a feature store: render the 36 views of every viewpoint and encode them.

Finished viewpoints are kept in a file `.<store>.partial` beside the store until all are done, so that an interrupted
run can resume. The file holds a digest of the settings (encoder, weights, sizes, viewpoints), then for each viewpoint
a digest and the features in half precision.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError
from mtvm.features.encoders import Encoder, encoding_threads
from mtvm.features.store import META_FILE, FeatureStore
from mtvm.io.locks import lock
from mtvm.machine import usable_cores
from mtvm.progress import progress
from mtvm.world.skybox import load_faces, render_views, skybox_folder
from mtvm.world.views import IMAGE_VFOV, VIEW_ELEVATION, VIEW_HEADING, VIEWS
from mtvm.world.world import World

Item = TypeVar("Item")
Result = TypeVar("Result")

PARTIAL_VERSION = 1
DIGEST_BYTES = 16
TASKS_AHEAD = 2  # per worker: enough that none waits, few enough to limit memory


def extract_features(
    dataset: Path | str,
    connectivity: Path | str,
    out: Path | str,
    encoder: Encoder,
    *,
    scans: Collection[str] | None = None,
    workers: int | None = None,
    show_progress: bool = True,
    resume: bool = True,
) -> FeatureStore:
    """Encode every view of the scans and write the store `out`, which appears only when it is complete.

    `dataset` holds the skyboxes, `connectivity` the graphs; `scans` defaults to all that have a graph. Each of the
    `workers` (by default torch's number of threads) renders and encodes different viewpoints. An interrupted run
    resumes, unless `resume` is false or the settings or images have changed.
    """
    out = Path(out)
    if out.exists() and not (out / META_FILE).is_file():
        raise InputError(f"{out}: not a feature store and would be overwritten; give a new folder.")
    places = _places(Path(dataset), World.load(Path(connectivity), None if scans is None else sorted(scans)))
    with _Partial.open(out, _settings(encoder, places), places, encoder.width, resume) as partial:
        left = places[len(partial) :]
        group = max(1, encoder.batch_size // VIEWS)
        groups = [left[first : first + group] for first in range(0, len(left), group)]
        title = f"Encoding with {encoder.name}"
        with progress(len(left) * VIEWS, title, "views", show_progress) as advance, encoding_threads(workers) as pool:
            ahead = TASKS_AHEAD * (workers or usable_cores())
            for features in _in_order(pool, lambda group: _encode(encoder, group), groups, ahead):
                for viewpoint in features:
                    partial.append(viewpoint)
                advance(len(features) * VIEWS)
        kind = f"{encoder.name} of {encoder.image_width}x{encoder.image_height}, weights {encoder.weights_id}"
        store = FeatureStore.write(out, partial.entries(complete=True), source=dataset, source_format=kind)
        partial.remove()
    return store


def view_images(
    faces: NDArray[np.uint8],
    rotation: ArrayLike,
    width: int,
    height: int,
    headings: NDArray[np.float64] = VIEW_HEADING,
    elevations: NDArray[np.float64] = VIEW_ELEVATION,
) -> NDArray[np.uint8]:
    """Views of a viewpoint as given to encoders, (views, height, width, 3); by default its 36.

    A pixel interpolates between two texels in each direction. If texels are denser than that, the views are rendered
    larger and averaged down, so that no texel is skipped.
    """
    texels_per_pixel = faces.shape[1] * math.tan(IMAGE_VFOV / 2) / height
    finer = max(1, math.ceil(texels_per_pixel / 2))
    size = (width * finer, height * finer)
    views = render_views(faces, rotation, headings, elevations, *size, IMAGE_VFOV, threads=1)
    if finer == 1:
        return views
    from PIL import Image

    column = Image.fromarray(views.reshape(-1, size[0], 3))
    return np.array(column.reduce(finer)).reshape(len(views), height, width, 3)


class _Place(NamedTuple):
    scan: str
    viewpoint: str
    rotation: NDArray[np.float32]
    folder: Path
    stamp: bytes
    """Changes when the images change."""


def _places(dataset: Path, world: World) -> list[_Place]:
    """All viewpoints; raises right away if one of them has no images."""
    if not dataset.is_dir():
        raise InputError(f"{dataset}: there is no such folder (skyboxes).")
    places = []
    for graph in world.graphs:
        folder = skybox_folder(dataset, graph.scan)
        for viewpoint, rotation in zip(graph.viewpoints.tolist(), graph.rotations, strict=True):
            places.append(_Place(graph.scan, viewpoint, rotation, folder, _stamp(folder, viewpoint)))
    return places


def _stamp(folder: Path, viewpoint: str) -> bytes:
    """Sizes and modification times of the files that `load_faces` may read."""
    names = [f"{viewpoint}_skybox_small.jpg", *(f"{viewpoint}_skybox{face}_sami.jpg" for face in range(6))]
    found = []
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            status = (folder / name).stat()
            found.append((name, status.st_size, status.st_mtime_ns))
    if not found:
        load_faces(folder, viewpoint)  # raises an error that names what is missing
    return repr(found).encode()


def _settings(encoder: Encoder, places: Sequence[_Place]) -> bytes:
    """A digest of everything that the features depend on, except the images."""
    described = [
        *(PARTIAL_VERSION, encoder.name, encoder.weights_id, encoder.width),
        *(encoder.image_width, encoder.image_height, encoder.mean, encoder.deviation),
        [(place.scan, place.viewpoint, place.rotation.tolist()) for place in places],
    ]
    return hashlib.sha256(json.dumps(described).encode()).digest()


def _encode(encoder: Encoder, places: Sequence[_Place]) -> NDArray[np.float32]:
    """Features of all views of these viewpoints, (viewpoints, 36, width)."""
    size = (encoder.image_width, encoder.image_height)
    images = [view_images(load_faces(place.folder, place.viewpoint), place.rotation, *size) for place in places]
    return encoder.encode(np.concatenate(images)).reshape(len(places), VIEWS, encoder.width)


def _in_order(
    pool: Executor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """Results in the order of `items`, computed at most `ahead` items in advance."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _Partial:
    """The features of the viewpoints finished so far, on disk."""

    def __init__(self, path: Path, file: IO[bytes], places: Sequence[_Place], width: int) -> None:
        self._path, self._file, self._places, self._width = path, file, places, width
        self._start = file.tell()
        self._count = 0

    @classmethod
    @contextlib.contextmanager
    def open(cls, out: Path, settings: bytes, places: Sequence[_Place], width: int, resume: bool) -> Iterator[_Partial]:
        """Open the file, keeping only what was computed with the same settings and images."""
        path = out.with_name(f".{out.name}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b", buffering=0)
        except OSError as error:
            raise InputError(f"{out}: cannot write there ({error.strerror}).") from None
        with file:
            if lock(file.fileno()) is False:
                raise InputError(f"{out}: another run is extracting into this store; wait for it or stop it.")
            file.seek(0)
            if not resume or file.read(len(settings)) != settings:
                file.truncate(0)
                _write(file, settings)
            partial = cls(path, file, places, width)
            partial._count = sum(1 for _ in partial.entries())
            file.truncate(partial._start + partial._count * partial._record_bytes)
            yield partial

    def __len__(self) -> int:
        return self._count

    @property
    def _record_bytes(self) -> int:
        return DIGEST_BYTES + VIEWS * self._width * 2

    def append(self, features: NDArray[np.float32]) -> None:
        with np.errstate(over="ignore"):  # the store rejects values that are not finite
            content = features.astype("<f2").tobytes()
        _write(self._file, _digest(self._places[self._count], content) + content)
        self._count += 1

    def entries(self, complete: bool = False) -> Iterator[tuple[str, str, NDArray[Any]]]:
        """The viewpoints with complete features and unchanged images, up to the first one without.

        With `complete`, every viewpoint must have them.
        """
        self._file.seek(self._start)
        for place in self._places:
            record = self._file.read(self._record_bytes)
            content = record[DIGEST_BYTES:]
            if len(record) < self._record_bytes or record[:DIGEST_BYTES] != _digest(place, content):
                if complete:
                    raise InputError(f"{self._path}: changed during the run; run the command again to resume.")
                return
            yield place.scan, place.viewpoint, np.frombuffer(content, dtype="<f2").reshape(VIEWS, self._width)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def _write(file: IO[bytes], content: bytes) -> None:
    left = memoryview(content)
    try:
        while left:
            left = left[file.write(left) :]
    except OSError as error:
        raise InputError(f"{file.name}: writing failed ({error.strerror}); run the command again to resume.") from None


def _digest(place: _Place, content: bytes) -> bytes:
    digest = hashlib.blake2b(place.stamp, digest_size=DIGEST_BYTES)
    digest.update(content)
    return digest.digest()
