"""Perspective views of a viewpoint, drawn from the six faces of its skybox as the C++ simulator draws them.

Angles are radians. Heading 0 looks along +y, turning right is positive; elevation is positive upwards; `vfov`
is the vertical field of view. `rotation` is the 3x3 part of the viewpoint's pose (camera to world).
"""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.io.files import read_bytes
from mtvm.machine import usable_cores

# For each face, which pose-camera axes (X right, Y down, Z forward) are its file's right and down, and which
# one a ray must be longest along to meet it. Face 1 looks along the pose camera's back.
FACE_AXES = np.array(
    [
        [[-1, 0, 0], [0, 0, -1], [0, -1, 0]],  # 0: up
        [[-1, 0, 0], [0, 1, 0], [0, 0, -1]],  # 1
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],  # 2: right of face 1
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],  # 3: behind face 1
        [[0, 0, -1], [0, 1, 0], [1, 0, 0]],  # 4: left of face 1
        [[-1, 0, 0], [0, 0, 1], [0, 1, 0]],  # 5: down
    ],
    dtype=np.float64,
)
LARGEST_FACE = 8192  # texel positions are float32, of which the weights take eight bits
PIXELS_WORTH_THREADS = 1 << 20  # for fewer, starting threads takes as long as drawing
BANDS_PER_THREAD = 8  # enough to balance the load, few enough to be cheap to hand out


def skybox_folder(dataset: Path, scan: str) -> Path:
    """The folder of a scan's skyboxes in `dataset`, which holds the scans directly or under `v1/scans`."""
    direct = Path(dataset) / scan / "matterport_skybox_images"
    nested = Path(dataset) / "v1" / "scans" / scan / "matterport_skybox_images"
    for folder in (direct, nested):
        if folder.is_dir():
            return folder
    raise InputError(
        f"{dataset}: no skyboxes of scan {scan} here (neither {direct.relative_to(dataset)} nor "
        f"{nested.relative_to(dataset)} is a folder); give the folder that holds the unpacked scans."
    )


def load_faces(folder: Path, viewpoint: str) -> NDArray[np.uint8]:
    """The faces as (6, N, N, 3) RGB, from the strip `<viewpoint>_skybox_small.jpg` or, without it, from the six files
    `<viewpoint>_skybox<0-5>_sami.jpg`."""
    strip = Path(folder) / f"{viewpoint}_skybox_small.jpg"
    if strip.is_file():
        return _cut_strip(read_image(strip, "RGB"), strip)
    paths = [Path(folder) / f"{viewpoint}_skybox{face}_sami.jpg" for face in range(6)]
    missing = [path.name for path in paths if not path.is_file()]
    if len(missing) == 6:
        raise InputError(
            f"{folder}: no skybox of viewpoint {viewpoint} here (neither {strip.name} nor {paths[0].name} to "
            f"{paths[5].name}); unpack the scan's matterport_skybox_images into this folder."
        )
    if missing:
        raise InputError(f"{folder}: missing {', '.join(missing)}; unpack the scan's skyboxes again.")
    images = [read_image(path, "RGB") for path in paths]
    size = images[0].shape[0]
    for image, path in zip(images, paths, strict=True):
        height, width = image.shape[:2]
        if height != width:
            raise InputError(f"{path}: a skybox face must be square, not {width}x{height}; fetch it again.")
        if height != size:
            raise InputError(
                f"{path}: this face is {width}x{height} but face 0 is {size}x{size}; "
                "all six must have the same size; fetch them again."
            )
    return np.stack(images)


def load_depth_faces(folder: Path, viewpoint: str) -> NDArray[np.uint16]:
    """Distances from the viewpoint in 0.25 mm as (6, N, N), from `<viewpoint>_skybox_depth_small.png`."""
    path = Path(folder) / f"{viewpoint}_skybox_depth_small.png"
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; write it with the C++ simulator's depth_to_skybox.py.")
    return _cut_strip(read_image(path, "I;16"), path)


def render_views(
    faces: NDArray[np.uint8],
    rotation: ArrayLike,
    headings: ArrayLike,
    elevations: ArrayLike,
    width: int,
    height: int,
    vfov: float,
    out: NDArray[np.uint8] | None = None,
    *,
    threads: int | None = None,
) -> NDArray[np.uint8]:
    """Views of one viewpoint as (views, height, width, 3) RGB, written to `out` if given.

    Interpolation is bilinear with the simulator's integer rounding, and does not blend across the edges of faces.
    `threads` defaults to one per available core.
    """
    kernels = _kernels()
    faces = _checked_faces(faces, np.uint8, (3,))
    if faces.shape[1] == 1:
        faces = faces.repeat(2, axis=1).repeat(2, axis=2)  # the kernel interpolates between two texels
    rays = _face_rays(rotation, headings, elevations, width, height, vfov)
    shape = (len(rays), height, width, 3)
    if out is None:
        out = np.empty(shape, dtype=np.uint8)
    elif out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous or not out.flags.writeable:
        raise InputError(f"out must be a writable C-contiguous uint8 array of shape {shape}.")
    size = faces.shape[1]
    texels = np.ascontiguousarray(faces).reshape(6, -1)
    views = out

    def draw(first: int, end: int) -> None:
        kernels.colour_rows(texels, size, rays, views, first, end)

    _in_bands(draw, len(rays) * height, width, threads)
    return out


def render_sphere(faces: NDArray[np.uint8], rotation: ArrayLike, width: int) -> NDArray[np.uint8]:
    """The whole sphere as (width / 2, width, 3) RGB: columns are headings with 0 in the middle, rows elevations."""
    faces = _checked_faces(faces, np.uint8, (3,))
    size = faces.shape[1]
    heading = ((np.arange(width) + 0.5) / width * 2 - 1) * np.pi
    elevation = (0.5 - (np.arange(width // 2) + 0.5) / (width // 2)) * np.pi
    level = np.cos(elevation)[:, None]
    up = np.broadcast_to(np.sin(elevation)[:, None], (width // 2, width))
    rays = np.stack([level * np.sin(heading), level * np.cos(heading), up], axis=-1)
    axes = np.einsum("fij,kj->fik", FACE_AXES, np.asarray(rotation, dtype=np.float64))
    towards = rays @ axes[:, 2].T  # (rows, columns, 6)
    face = towards.argmax(axis=-1)
    depth = np.take_along_axis(towards, face[..., None], axis=-1)[..., 0]
    across, down = (
        np.clip(((np.einsum("rck,rck->rc", rays, axes[face, axis]) / depth + 1) * size - 1) / 2, 0, size - 1)
        for axis in (0, 1)
    )
    x0, y0 = np.minimum(across, size - 1).astype(int), np.minimum(down, size - 1).astype(int)
    x1, y1 = np.minimum(x0 + 1, size - 1), np.minimum(y0 + 1, size - 1)
    dx, dy = (across - x0)[..., None], (down - y0)[..., None]
    upper = faces[face, y0, x0] * (1 - dx) + faces[face, y0, x1] * dx
    lower = faces[face, y1, x0] * (1 - dx) + faces[face, y1, x1] * dx
    return np.asarray(np.rint(upper * (1 - dy) + lower * dy), dtype=np.uint8)


def render_depth(
    depth_faces: NDArray[np.uint16],
    rotation: ArrayLike,
    headings: ArrayLike,
    elevations: ArrayLike,
    width: int,
    height: int,
    vfov: float,
    *,
    threads: int | None = None,
) -> NDArray[np.uint16]:
    """Distances perpendicular to the image plane as (views, height, width), from the nearest texels.

    The unit is that of the faces, which hold distances from the viewpoint; 0 (unknown) stays 0.
    """
    kernels = _kernels()
    faces = np.ascontiguousarray(_checked_faces(depth_faces, np.uint16, ()))
    rays = _face_rays(rotation, headings, elevations, width, height, vfov)
    sideways, upwards = _image_plane(width, height, vfov)
    cosines = 1 / np.sqrt(1 + sideways[None, :] ** 2 + upwards[:, None] ** 2)
    out = np.empty((len(rays), height, width), dtype=np.uint16)

    def draw(first: int, end: int) -> None:
        kernels.depth_rows(faces, rays, cosines, out, first, end)

    _in_bands(draw, len(rays) * height, width, threads)
    return out


class SkyboxRenderer:
    """Draws views from a dataset's skyboxes and keeps the faces of the last `cache_size` viewpoints in memory.

    A viewpoint with 512-pixel faces takes 4.7 MB. A renderer may be shared between threads.
    """

    def __init__(self, dataset: Path, cache_size: int = 32, threads: int | None = None) -> None:
        if cache_size < 1:
            raise InputError(f"cache_size must be at least 1, not {cache_size}.")
        self.dataset = Path(dataset)
        self.cache_size = cache_size
        self.threads = threads
        self._cache: OrderedDict[tuple[str, str], NDArray[np.uint8]] = OrderedDict()
        self._lock = threading.Lock()

    def render(
        self,
        scan: str,
        viewpoint: str,
        rotation: ArrayLike,
        headings: ArrayLike,
        elevations: ArrayLike,
        width: int = 640,
        height: int = 480,
        vfov: float = np.pi / 3,
        out: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.uint8]:
        """`render_views` of this viewpoint."""
        faces = self._faces(scan, viewpoint)
        return render_views(faces, rotation, headings, elevations, width, height, vfov, out, threads=self.threads)

    def sphere(self, scan: str, viewpoint: str, rotation: ArrayLike, width: int = 2048) -> NDArray[np.uint8]:
        """`render_sphere` of this viewpoint."""
        return render_sphere(self._faces(scan, viewpoint), rotation, width)

    def preload(self, viewpoints: Iterable[tuple[str, str]]) -> None:
        """Load the faces of these (scan, viewpoint) pairs into the cache, in parallel."""
        wanted = list(dict.fromkeys(viewpoints))
        if len(wanted) > self.cache_size:
            raise InputError(
                f"cannot preload {len(wanted)} viewpoints into a cache of {self.cache_size}; "
                f"give SkyboxRenderer a cache_size of {len(wanted)} or more."
            )
        with ThreadPoolExecutor(_thread_count(self.threads)) as pool:
            for _ in pool.map(lambda pair: self._faces(*pair), wanted):
                pass

    def _faces(self, scan: str, viewpoint: str) -> NDArray[np.uint8]:
        key = (scan, viewpoint)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        faces = load_faces(skybox_folder(self.dataset, scan), viewpoint)
        with self._lock:
            self._cache[key] = faces
            self._cache.move_to_end(key)
            while len(self._cache) > self.cache_size:
                self._cache.popitem(last=False)
        return faces


def _kernels() -> ModuleType:
    try:
        import mtvm.world._skybox_kernels as kernels
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        raise MissingExtraError("numba", "render", "Rendering skyboxes") from None
    return kernels


def read_image(path: Path, mode: str = "RGB") -> NDArray[Any]:
    """A picture as (height, width, 3), or 16-bit depth as (height, width)."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise MissingExtraError("pillow", "render", "Reading skybox images") from None
    content = read_bytes(path, "skybox image")
    try:
        with Image.open(io.BytesIO(content), formats=["JPEG", "PNG"] if mode == "RGB" else ["PNG"]) as image:
            if mode == "RGB":
                return np.array(image.convert("RGB"))
            if not image.mode.startswith("I"):
                raise InputError(f"{path}: depth must be 16-bit grey, not {image.mode}; write the file again.")
            return np.array(image).astype(np.uint16)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged picture fails in every way there is
        reason = "truncated" if "truncated" in str(error) else "not a readable image"
        raise InputError(f"{path}: the file is {reason}; fetch it again.") from error


def _cut_strip(strip: NDArray[Any], path: Path) -> NDArray[Any]:
    """(N, 6N, ...) to (6, N, N, ...)."""
    height, width = strip.shape[:2]
    if width != 6 * height:
        raise InputError(
            f"{path}: six square faces side by side must be 6 times as wide as high, not {width}x{height}; "
            "fetch or write the file again."
        )
    faces = strip.reshape(height, 6, height, *strip.shape[2:])
    return np.ascontiguousarray(np.moveaxis(faces, 1, 0))


def _checked_faces(faces: NDArray[Any], dtype: type, channels: tuple[int, ...]) -> NDArray[Any]:
    size = faces.shape[1] if faces.ndim > 1 else 0
    if faces.dtype != dtype or faces.shape != (6, size, size, *channels) or not 1 <= size <= LARGEST_FACE:
        wanted = ", ".join(["6", "N", "N", *map(str, channels)])
        raise InputError(
            f"faces must be {np.dtype(dtype)} of shape ({wanted}) with N up to {LARGEST_FACE}, "
            f"not {faces.dtype} of shape {faces.shape}."
        )
    return faces


def _image_plane(width: int, height: int, vfov: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres of the columns and rows on the image plane at distance 1; right and up are positive."""
    if width < 1 or height < 1:
        raise InputError(f"a view must have at least one pixel, not {width}x{height}.")
    if not 0 < vfov < np.pi:
        raise InputError(f"vfov must be between 0 and pi radians, not {vfov}.")
    slope = np.tan(vfov / 2)
    sideways = ((np.arange(width) + 0.5) / width * 2 - 1) * slope * width / height
    upwards = (1 - (np.arange(height) + 0.5) / height * 2) * slope
    return sideways, upwards


def _face_rays(
    rotation: ArrayLike,
    headings: ArrayLike,
    elevations: ArrayLike,
    width: int,
    height: int,
    vfov: float,
) -> NDArray[np.float64]:
    """The pixels' rays in each face's coordinates, as (views, 6, 3, 3).

    The third axis is right, down and towards the face; the last one is the top left pixel, the step from column to
    column and the step from row to row.
    """
    to_world = np.asarray(rotation, dtype=np.float32).astype(np.float64)
    # If this is not a rotation, rays can be zero, and they are divided by their longest component.
    if to_world.shape != (3, 3) or not np.allclose(to_world.T @ to_world, np.eye(3), atol=1e-2):
        raise InputError("rotation must be a 3x3 rotation matrix: the upper left part of the viewpoint's pose.")
    # The simulator keeps both angles as float32.
    heading = np.atleast_1d(np.asarray(headings, dtype=np.float32)).astype(np.float64)
    elevation = np.atleast_1d(np.asarray(elevations, dtype=np.float32)).astype(np.float64)
    if heading.ndim != 1 or heading.shape != elevation.shape:
        raise InputError(
            f"there must be as many headings as elevations, not shapes {heading.shape} and {elevation.shape}."
        )
    if not (np.isfinite(heading).all() and np.isfinite(elevation).all()):
        raise InputError("headings and elevations must be finite.")
    sideways, upwards = _image_plane(width, height, vfov)
    sine, cosine = np.sin(heading), np.cos(heading)
    level = np.cos(elevation)
    forward = np.stack([sine * level, cosine * level, np.sin(elevation)], axis=-1)
    right = np.stack([cosine, -sine, np.zeros_like(sine)], axis=-1)
    up = np.cross(right, forward)
    pixel = 2 * np.tan(vfov / 2) / height
    corner = forward + sideways[0] * right + upwards[0] * up
    world = np.stack([corner, pixel * right, -pixel * up], axis=-1)
    return np.ascontiguousarray(np.einsum("fij,kj,vkl->vfil", FACE_AXES, to_world, world))


def _thread_count(threads: int | None) -> int:
    if threads is None:
        return usable_cores()
    if threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}.")
    return threads


def _in_bands(draw: Callable[[int, int], None], rows: int, width: int, threads: int | None) -> None:
    """Call `draw(first, end)` for bands of rows that cover them all, on several threads if that is faster."""
    workers = _thread_count(threads)
    if workers == 1 or rows * width < PIXELS_WORTH_THREADS:
        draw(0, rows)
        return
    band = -(-rows // (BANDS_PER_THREAD * workers))
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(lambda first: draw(first, min(first + band, rows)), range(0, rows, band)):
            pass
