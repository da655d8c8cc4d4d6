"""Every view that the C++ simulator drew, drawn again from the same files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mtvm.world.skybox import load_faces, render_views, skybox_folder

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("numba")

VIEWS = [
    *(f"disc_{number:02d}" for number in range(0, 36, 2)),
    *(f"cont_{number:02d}" for number in range(10)),
    *(f"small_{number:02d}" for number in range(5)),
]
WORST_MEAN_DIFFERENCE = 0.1  # grey levels
LEAST_SHARE_WITHIN_ONE = 0.9999


@pytest.fixture(scope="module")
def golden(real_data) -> Path:
    return real_data / "golden" / "render"


@pytest.fixture(scope="module")
def index(golden) -> dict:
    return json.loads((golden / "index.json").read_text())


@pytest.fixture(scope="module")
def skyboxes(golden, index, tmp_path_factory) -> dict[tuple[str, str], np.ndarray]:
    """The faces by (layout, viewpoint), each read from a folder that holds only that layout."""
    scan = index["views"][0]["scan"]
    source = skybox_folder(golden / "faces", scan)
    assert source == skybox_folder(golden / "faces" / "v1" / "scans", scan)
    faces = {}
    for layout, pattern in (("strip", "*_skybox_small.jpg"), ("six files", "*_sami.jpg")):
        folder = tmp_path_factory.mktemp("faces")
        for path in source.glob(pattern):
            shutil.copy(path, folder)
        for viewpoint in index["viewpoints"]:
            faces[layout, viewpoint["viewpoint"]] = load_faces(folder, viewpoint["viewpoint"])
    return faces


def test_every_golden_view_is_compared(index):
    assert sorted(Path(view["file"]).stem for view in index["views"]) == sorted(VIEWS)


@pytest.mark.parametrize("layout", ["strip", "six files"])
def test_faces_decode_to_the_same_pixels(golden, index, skyboxes, layout):
    for viewpoint in index["viewpoints"]:
        strip = np.asarray(Image.open(golden / viewpoint["decoded"]).convert("RGB"))
        faces = skyboxes[layout, viewpoint["viewpoint"]]
        np.testing.assert_array_equal(np.concatenate(list(faces), axis=1), strip)


@pytest.mark.parametrize("layout", ["strip", "six files"])
@pytest.mark.parametrize("name", VIEWS)
def test_agrees_with_the_simulator(golden, index, skyboxes, name, layout):
    view = next(view for view in index["views"] if Path(view["file"]).stem == name)
    poses = {entry["viewpoint"]: np.reshape(entry["pose"], (4, 4)) for entry in index["viewpoints"]}
    drawn = render_views(
        skyboxes[layout, view["viewpoint"]],
        poses[view["viewpoint"]][:3, :3],
        view["heading"],
        view["elevation"],
        view["width"],
        view["height"],
        view["vfov"],
    )[0]
    expected = np.asarray(Image.open(golden / view["file"]).convert("RGB"))
    difference = np.abs(drawn.astype(int) - expected)
    assert difference.mean() < WORST_MEAN_DIFFERENCE
    assert (difference.max(axis=-1) <= 1).mean() >= LEAST_SHARE_WITHIN_ONE
