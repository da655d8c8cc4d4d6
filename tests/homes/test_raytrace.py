from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from two_rooms import two_rooms, without_things

from mtvm.errors import InputError
from mtvm.homes.generate import generate_home
from mtvm.homes.home import Surface
from mtvm.homes.render.mesh import owner_id
from mtvm.homes.render.raytrace import DEPTH_UNIT, NORTH, Panorama, Scene, face_directions, level_rotation
from mtvm.world.skybox import render_views


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(two_rooms())


@pytest.fixture(scope="module")
def from_west(scene: Scene) -> Panorama:
    return scene.panorama(scene.home.viewpoints[0], 96)


def view(panorama: Panorama, heading: float, elevation: float = 0.0) -> np.ndarray:
    assert panorama.faces is not None
    return render_views(panorama.faces, panorama.rotation, [heading], [elevation], 160, 120, math.pi / 3, threads=1)[0]


def points(panorama: Panorama) -> np.ndarray:
    directions = face_directions(panorama.depth.shape[1]) @ panorama.rotation.T
    return panorama.position + panorama.depth.reshape(-1, 1) * DEPTH_UNIT * directions


def reddish(image: np.ndarray) -> np.ndarray:
    image = image.astype(int)
    return (image[..., 0] > 90) & (image[..., 0] > 2.2 * image[..., 1]) & (image[..., 0] > 2.2 * image[..., 2])


def bluish(image: np.ndarray) -> np.ndarray:
    image = image.astype(int)
    return (image[..., 2] > 60) & (image[..., 2] > 2.2 * image[..., 0]) & (image[..., 2] > 1.3 * image[..., 1])


def test_panorama_shows_things_in_their_direction(from_west: Panorama) -> None:
    east = view(from_west, math.pi / 2)
    rows, columns = np.nonzero(reddish(east))
    assert len(rows) > 500
    assert columns.mean() == pytest.approx(80, abs=6)
    for heading in (0.0, math.pi, 3 * math.pi / 2):
        assert reddish(view(from_west, heading)).sum() < 20


def test_panorama_is_upright_and_not_mirrored(from_west: Panorama) -> None:
    east = view(from_west, math.pi / 2)
    assert east[:10].mean() > 1.5 * east[-10:].mean()  # a white ceiling over a dark floor
    rows, columns = np.nonzero(bluish(east))
    assert len(rows) > 100
    assert columns.mean() > 100  # to the south, which is on the right
    assert rows.mean() > np.nonzero(reddish(east))[0].mean()  # and lower


@pytest.mark.parametrize("turn", [0.7, 4.0])
def test_panorama_rotation_turns_faces_but_not_views(scene: Scene, turn: float) -> None:
    lean = np.array([[1, 0, 0], [0, math.cos(0.04), -math.sin(0.04)], [0, math.sin(0.04), math.cos(0.04)]])
    level = scene.panorama(scene.home.viewpoints[1], 128)
    turned = scene.panorama(scene.home.viewpoints[1], 128, lean @ level_rotation(turn))
    assert not np.array_equal(level.faces, turned.faces)
    for heading, elevation in ((0.3, 0.0), (2.0, 0.5), (5.0, -0.5)):
        difference = view(level, heading, elevation).astype(int) - view(turned, heading, elevation)
        assert np.abs(difference).mean() < 4


def test_level_rotation_matches_headings() -> None:
    np.testing.assert_allclose(level_rotation(0.0), NORTH, atol=1e-12)
    np.testing.assert_allclose(level_rotation(math.pi / 2) @ [0, 0, 1], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(level_rotation(1.2) @ [0, 1, 0], [0, 0, -1], atol=1e-12)


def test_panorama_depth_is_the_distance_to_walls_and_floor() -> None:
    scene = Scene(without_things(two_rooms()))
    panorama = scene.look(scene.home.viewpoints[0], 33)
    middle = panorama.depth[:, 16, 16] * DEPTH_UNIT
    # Up, south, west, north, east, down: face 1 looks along the camera's back, face 2 to its left.
    np.testing.assert_allclose(middle, [1.0, 1.0, 1.0, 3.0, 3.0, 1.5], atol=1e-3)
    shell = points(panorama)[panorama.owner.ravel() == owner_id("room", 0)]
    assert shell.min() > -2e-3
    assert (shell.max(axis=0) < [4.14, 4.002, 2.502]).all()


def test_panorama_owner_is_what_is_visible(from_west: Panorama, scene: Scene) -> None:
    home = scene.home
    for index in (0, 1):
        item = home.things[index]
        seen = points(from_west)[from_west.owner.ravel() == owner_id("thing", index)]
        assert len(seen) > 50
        assert (np.abs(seen[:, :2] - [item.x, item.y]) <= 0.31).all()
    east = scene.look(home.viewpoints[3], 64)
    pane = points(east)[east.owner.ravel() == owner_id("window", 0)]
    assert len(pane) > 50
    assert pane[:, 0].min() > 8.1
    assert (from_west.owner >= 0).all()


def test_scene_look_agrees_with_panorama(scene: Scene, from_west: Panorama) -> None:
    looked = scene.look(scene.home.viewpoints[0], 96)
    assert looked.faces is None
    assert np.array_equal(looked.depth, from_west.depth)
    assert np.array_equal(looked.owner, from_west.owner)
    assert looked.depth.dtype == np.uint16
    assert looked.owner.dtype == np.int32


def test_panorama_is_deterministic(from_west: Panorama) -> None:
    again = Scene(two_rooms()).panorama(two_rooms().viewpoints[0], 96)
    assert np.array_equal(again.faces, from_west.faces)
    assert np.array_equal(again.depth, from_west.depth)


def test_panorama_shows_colours_that_match_their_names() -> None:
    """A wall of each of these colours, lit as rooms are, keeps its hue."""
    home = without_things(two_rooms())
    for colour, channel in (("red", 0), ("green", 1), ("blue", 2)):
        painted = dataclasses.replace(home.rooms[0], walls=Surface(colour, "paint"))
        scene = Scene(dataclasses.replace(home, rooms=(painted, home.rooms[1])))
        faces = scene.panorama(home.viewpoints[0], 16).faces
        assert faces is not None
        wall = faces[3, 6:10, 6:10].reshape(-1, 3).mean(axis=0)
        assert wall.argmax() == channel
        assert wall.max() > 1.25 * np.sort(wall)[1]
        assert 60 < wall.max() < 250


def test_panorama_mirrors_show_what_is_opposite() -> None:
    home = two_rooms()
    mirror = dataclasses.replace(home.things[0], kind="mirror", x=0.02, y=1.0, z=0.9, heading=math.pi / 2)
    mirror = dataclasses.replace(mirror, width=1.2, depth=0.04, height=1.2, index=5)
    scene = Scene(dataclasses.replace(home, things=(*home.things, mirror)))
    west = view(scene.panorama(home.viewpoints[0], 96), 3 * math.pi / 2)
    assert reddish(west).sum() > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_panorama_of_generated_homes_has_no_gaps(seed: int) -> None:
    home = generate_home("closed", seed)
    scene = Scene(home)
    for viewpoint in home.viewpoints:
        looked = scene.look(viewpoint, 24)
        assert (looked.owner >= 0).all()
        assert looked.depth.min() > 0.05 / DEPTH_UNIT
    faces = scene.panorama(home.viewpoints[0], 32).faces
    assert faces is not None
    assert 60 < faces.mean() < 230


def test_panorama_refuses_bad_sizes_and_rotations(scene: Scene) -> None:
    with pytest.raises(InputError, match="at least one pixel"):
        scene.look(scene.home.viewpoints[0], 0)
    with pytest.raises(InputError, match="3x3 matrix"):
        scene.look(scene.home.viewpoints[0], 8, np.eye(4))
