"""The whole sphere of a skybox shows in each direction what a camera sees there."""

import numpy as np
import pytest

from mtvm.world.skybox import render_sphere, render_views

WIDTH = 720


def smooth_faces(size=64):
    """Faces whose colours change slowly, and differ from face to face."""
    across, down = np.meshgrid(np.linspace(0, 80, size), np.linspace(0, 80, size))
    faces = [
        np.stack([across + 20 * face, down + 10 * face, np.full_like(down, 40 * face)], axis=-1) for face in range(6)
    ]
    return np.array(faces).astype(np.uint8)


def turned(heading):
    """The rotation of a level pose: x right, y down, z forward."""
    right, forward = (np.cos(heading), -np.sin(heading), 0), (np.sin(heading), np.cos(heading), 0)
    return np.array([right, (0, 0, -1), forward]).T


@pytest.mark.parametrize("pose", [0.0, 0.9, -2.0])
@pytest.mark.parametrize(("heading", "elevation"), [(0.1, 0.0), (1.9, 0.3), (-2.6, -0.5), (3.0, 1.2), (-0.8, -1.3)])
def test_sphere_agrees_with_views(pose, heading, elevation):
    faces = smooth_faces()
    sphere = render_sphere(faces, turned(pose), WIDTH)
    assert sphere.shape == (WIDTH // 2, WIDTH, 3)
    column = round((heading / np.pi + 1) / 2 * WIDTH - 0.5)
    row = round((0.5 - elevation / np.pi) * (WIDTH // 2) - 0.5)
    seen = render_views(faces, turned(pose), [heading], [elevation], 31, 31, np.radians(10))[0, 15, 15]
    np.testing.assert_allclose(sphere[row, column].astype(int), seen.astype(int), atol=3)


def test_sphere_turns_with_the_pose():
    faces = smooth_faces()
    straight, turned_right = render_sphere(faces, turned(0.0), WIDTH), render_sphere(faces, turned(np.pi / 2), WIDTH)
    middle = WIDTH // 4
    np.testing.assert_allclose(
        np.roll(straight[middle].astype(int), WIDTH // 4, axis=0), turned_right[middle].astype(int), atol=1
    )
