"""Every view that the C++ simulator drew, drawn again from the same files.

Where those files are absent, the projection and the interpolation as they are written down remain to compare with.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mtvm.world.skybox import load_faces, render_depth, render_views, skybox_folder

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("numba")

WORST_MEAN_DIFFERENCE = 0.1  # grey levels
LEAST_SHARE_WITHIN_ONE = 0.9999
LAYOUTS = {"strip": "*_skybox_small.jpg", "six files": "*_sami.jpg"}


@pytest.fixture(scope="module")
def golden(golden_data) -> Path:
    return golden_data / "golden" / "render"


@pytest.fixture(scope="module")
def index(golden) -> dict:
    return json.loads((golden / "index.json").read_text())


@pytest.fixture(scope="module", params=LAYOUTS)
def skyboxes(request, golden, index, tmp_path_factory) -> dict[str, np.ndarray]:
    """The faces by viewpoint, read from a folder that holds only one layout."""
    scan = index["views"][0]["scan"]
    source = skybox_folder(golden / "faces", scan)
    assert source == skybox_folder(golden / "faces" / "v1" / "scans", scan)
    files = list(source.glob(LAYOUTS[request.param]))
    if not files:
        pytest.skip(f"no faces as {request.param} in {source}; the excerpt has only the strip")
    folder = tmp_path_factory.mktemp("faces")
    for path in files:
        shutil.copy(path, folder)
    return {entry["viewpoint"]: load_faces(folder, entry["viewpoint"]) for entry in index["viewpoints"]}


def test_every_golden_view_is_compared(golden, index):
    assert sorted(view["file"] for view in index["views"]) == sorted(
        str(path.relative_to(golden)) for path in (golden / "views").iterdir()
    )
    assert len(index["views"]) in (3, 33)


def test_faces_decode_to_the_same_pixels(golden, index, skyboxes):
    for entry in index["viewpoints"]:
        faces = np.concatenate(list(skyboxes[entry["viewpoint"]]), axis=1)
        if "decoded_sha256" in entry:
            assert hashlib.sha256(faces.tobytes()).hexdigest() == entry["decoded_sha256"]
        else:
            np.testing.assert_array_equal(faces, np.asarray(Image.open(golden / entry["decoded"]).convert("RGB")))


def test_render_views_agrees_with_the_simulator(golden, index, skyboxes):
    poses = {entry["viewpoint"]: np.reshape(entry["pose"], (4, 4)) for entry in index["viewpoints"]}
    for view in index["views"]:
        drawn = render_views(
            skyboxes[view["viewpoint"]],
            poses[view["viewpoint"]][:3, :3],
            view["heading"],
            view["elevation"],
            view["width"],
            view["height"],
            view["vfov"],
        )[0]
        expected = np.asarray(Image.open(golden / view["file"]).convert("RGB"))
        difference = np.abs(drawn.astype(int) - expected)
        assert difference.mean() < WORST_MEAN_DIFFERENCE, view["file"]
        assert (difference.max(axis=-1) <= 1).mean() >= LEAST_SHARE_WITHIN_ONE, view["file"]


def random_rotation(random: np.random.Generator) -> np.ndarray:
    orthogonal = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return orthogonal * np.linalg.det(orthogonal)


def restated(faces, rotation, heading, elevation, width, height, vfov, nearest=False):
    """One view by the textbook, pixel by pixel in float64."""
    size = faces.shape[1]
    h, e = float(np.float32(heading)), float(np.float32(elevation))
    forward = np.array([np.sin(h) * np.cos(e), np.cos(h) * np.cos(e), np.sin(e)])
    right = np.array([np.cos(h), -np.sin(h), 0])
    up = np.cross(right, forward)
    view = np.empty((height, width, *faces.shape[3:]), dtype=faces.dtype)
    for row, column in np.ndindex(height, width):
        px = ((column + 0.5) / width * 2 - 1) * np.tan(vfov / 2) * width / height
        py = (1 - (row + 0.5) / height * 2) * np.tan(vfov / 2)
        x, y, z = np.asarray(rotation, np.float32).astype(float).T @ (forward + px * right + py * up)
        choices = [(-x, -z, -y), (-x, y, -z), (z, y, -x), (x, y, z), (-z, y, x), (-x, z, y)]
        face = int(np.argmax([main for _, _, main in choices]))
        sc, tc, main = choices[face]
        s, t = ((value / main + 1) / 2 * size - 0.5 for value in (sc, tc))
        if nearest:
            s, t = (min(max(int(np.rint(value)), 0), size - 1) for value in (s, t))
            view[row, column] = np.rint(faces[face, t, s] / np.sqrt(1 + px**2 + py**2))
        else:
            view[row, column] = bilinear(faces[face].astype(int), s, t)
    return view


def bilinear(face, s, t):
    def lerp(low, high, fraction):
        return low + (((high - low) * int(np.rint(fraction * 256)) + 128) >> 8)

    def clamped(row, column):
        return face[min(max(row, 0), len(face) - 1), min(max(column, 0), len(face) - 1)]

    row, column = int(np.floor(t)), int(np.floor(s))
    upper = lerp(clamped(row, column), clamped(row, column + 1), s - column)
    lower = lerp(clamped(row + 1, column), clamped(row + 1, column + 1), s - column)
    return lerp(upper, lower, t - row)


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_the_textbook(seed):
    random = np.random.default_rng(seed)
    size, width, height = (int(value) for value in random.integers(2, 60, 3))
    faces = random.integers(0, 256, (6, size, size, 3), dtype=np.uint8)
    camera = (random_rotation(random), *random.uniform(-7, 7, 2), width, height, random.uniform(0.2, 2.8))
    difference = render_views(faces, *camera)[0].astype(int) - restated(faces, *camera)
    # A position may round to the next 1/256 texel in float32: one level along s and one along t.
    assert np.abs(difference).max() <= 3
    assert np.abs(difference).mean() < 0.05


@pytest.mark.parametrize("size", [1, 2, 29])
def test_depth_takes_the_nearest_texel(size):
    random = np.random.default_rng(size)
    faces = random.integers(0, 65_536, (6, size, size), dtype=np.uint16)
    camera = (random_rotation(random), 0.77, -0.31, 43, 29, 2.1)
    depth = render_depth(faces, *camera)[0]
    assert (depth == restated(faces, *camera, nearest=True)).mean() > 0.99
