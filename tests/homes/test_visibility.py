from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from two_rooms import WEST, thing, two_rooms

from mtvm.homes.generate import generate_home
from mtvm.homes.home import Seen
from mtvm.homes.render.raytrace import Scene, level_rotation
from mtvm.homes.render.visibility import pixel_solid_angles, seen_from, semantics_record
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_VFOV, IMAGE_WIDTH, VIEW_ELEVATION, VIEW_HEADING

FOCAL = IMAGE_HEIGHT / 2 / math.tan(IMAGE_VFOV / 2)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(two_rooms())


def look(scene: Scene, viewpoint: int, size: int = 64) -> dict[tuple[str, int], Seen]:
    found = seen_from(scene, scene.look(scene.home.viewpoints[viewpoint], size))
    return {(seen.what, seen.index): seen for seen in found}


def project(view: int, offset: tuple[float, float, float]) -> tuple[float, float] | None:
    """Where a view shows a point, given from the camera; None if it does not."""
    heading, elevation = VIEW_HEADING[view], VIEW_ELEVATION[view]
    level = math.cos(elevation)
    forward = np.array([math.sin(heading) * level, math.cos(heading) * level, math.sin(elevation)])
    right = np.array([math.cos(heading), -math.sin(heading), 0.0])
    ahead = forward @ offset
    if ahead <= 0.1:
        return None
    x = IMAGE_WIDTH / 2 + FOCAL * (right @ offset) / ahead
    y = IMAGE_HEIGHT / 2 - FOCAL * (np.cross(right, forward) @ offset) / ahead
    return (x, y) if 0 <= x <= IMAGE_WIDTH and 0 <= y <= IMAGE_HEIGHT else None


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_pixel_solid_angles_cover_the_sphere(size: int) -> None:
    angles = pixel_solid_angles(size)
    assert len(angles) == 6 * size * size
    assert angles.min() > 0
    assert angles.sum() == pytest.approx(4 * math.pi)


def test_seen_from_locates_things(scene: Scene) -> None:
    red = look(scene, 0)["thing", 0]
    assert red.heading == pytest.approx(math.pi / 2, abs=0.08)
    assert red.elevation == pytest.approx(math.atan2(1.0 - 1.5, 2.3), abs=0.08)
    assert red.distance == pytest.approx(2.4, abs=0.15)
    front = 0.6 * 2.0 / 2.3**2  # the area of its front over the square of its distance, roughly
    assert red.solid_angle == pytest.approx(front, rel=0.25)


def test_seen_from_hardly_depends_on_resolution(scene: Scene) -> None:
    coarse, fine = look(scene, 0, 64), look(scene, 0, 192)
    for key in (("thing", 0), ("thing", 1), ("opening", 0)):
        assert coarse[key].solid_angle == pytest.approx(fine[key].solid_angle, rel=0.12)
        assert coarse[key].heading == pytest.approx(fine[key].heading, abs=0.02)


def test_seen_from_omits_what_is_behind_a_wall(scene: Scene) -> None:
    assert ("thing", 3) not in look(scene, 0)
    assert ("window", 0) not in look(scene, 0)
    assert look(scene, 3)["thing", 3].visible > 0.9
    assert look(scene, 3)["window", 0].heading == pytest.approx(math.atan2(2.6, -0.5), abs=0.05)


def test_seen_from_measures_the_visible_share(scene: Scene) -> None:
    """Half of the red wardrobe is put behind another one."""
    home = scene.home
    before = look(scene, 0)["thing", 0]
    screen = thing(5, "wardrobe", 0, (2.0, 1.38, 0.0), WEST, (0.8, 0.1, 2.4), "white")
    hidden = look(Scene(dataclasses.replace(home, things=(*home.things, screen))), 0)["thing", 0]
    assert before.visible == pytest.approx(1, abs=0.02)
    assert hidden.visible == pytest.approx(0.5, abs=0.12)
    assert hidden.solid_angle < 0.65 * before.solid_angle
    assert hidden.heading > before.heading  # what is left of it is to the right


def test_seen_from_measures_an_opening_by_its_hole(scene: Scene) -> None:
    door = look(scene, 1)["opening", 0]
    assert door.heading == pytest.approx(math.pi / 2, abs=0.03)
    assert door.distance == pytest.approx(2.06, abs=0.05)
    assert door.visible == pytest.approx(1, abs=0.02)
    bed = look(scene, 1)["thing", 2]
    assert 0.2 < bed.visible < 1


def test_seen_from_headings_do_not_depend_on_the_pose(scene: Scene) -> None:
    viewpoint = scene.home.viewpoints[1]
    level = seen_from(scene, scene.look(viewpoint))
    turned = {(s.what, s.index): s for s in seen_from(scene, scene.look(viewpoint, rotation=level_rotation(1.0)))}
    for seen in level[:4]:
        assert turned[seen.what, seen.index].heading == pytest.approx(seen.heading, abs=0.03)
        assert turned[seen.what, seen.index].solid_angle == pytest.approx(seen.solid_angle, rel=0.1)


def test_semantics_record_has_the_format_of_the_real_file(scene: Scene) -> None:
    viewpoint = scene.home.viewpoints[0]
    record = semantics_record(scene.home, viewpoint, scene.look(viewpoint, 128))
    assert json.loads(json.dumps(record)) == record
    assert {key: record[key] for key in ("scan", "viewpoint", "room")} == {
        "scan": "two-rooms",
        "viewpoint": "west",
        "room": "living room",
    }
    assert list(record) == ["scan", "viewpoint", "room", "objects"]
    assert {"wardrobe", "door", "ceiling lamp"} <= {entry["name"] for entry in record["objects"]}
    assert len({entry["id"] for entry in record["objects"]}) == len(record["objects"])
    for entry in record["objects"]:
        assert list(entry) == ["id", "name", "views", "boxes"]
        assert len(entry["views"]) == len(entry["boxes"]) > 0
        assert entry["views"] == sorted(set(entry["views"]))
        for x, y, width, height in entry["boxes"]:
            assert min(x, y) >= 0
            assert min(width, height) > 0
            assert x + width <= IMAGE_WIDTH
            assert y + height <= IMAGE_HEIGHT


def test_semantics_record_boxes_contain_the_middle_of_their_object(scene: Scene) -> None:
    viewpoint = scene.home.viewpoints[0]
    record = semantics_record(scene.home, viewpoint, scene.look(viewpoint, 192))
    red = next(entry for entry in record["objects"] if entry["id"] == 0)
    # The middle of its front, which is 2.3 m to the east, and two corners that bound it there.
    for view in range(36):
        middle = project(view, (2.3, 0.0, -0.5))
        if middle is None:
            continue
        x, y, width, height = red["boxes"][red["views"].index(view)]
        assert x <= middle[0] <= x + width
        assert y <= middle[1] <= y + height
    x, y, width, height = red["boxes"][red["views"].index(15)]  # level, to the east
    left, top = project(15, (2.3, 0.3, 0.5)) or (0, 0)
    right, bottom = project(15, (2.3, -0.3, -1.35)) or (0, 0)
    assert x == pytest.approx(left, abs=8)
    assert y == pytest.approx(top, abs=8)
    assert x + width >= right - 8
    assert y + height >= bottom - 8


@pytest.mark.parametrize("seed", [2])
def test_seen_from_shows_the_things_of_generated_homes(seed: int) -> None:
    home = generate_home("shown", seed)
    scene = Scene(home)
    shown = {}
    for viewpoint in home.viewpoints:
        for seen in seen_from(scene, scene.look(viewpoint, 32)):
            assert 0 <= seen.heading < 2 * math.pi
            assert 0 < seen.visible <= 1
            assert seen.distance < 25
            if seen.what == "thing" and home.things[seen.index].room == viewpoint.room:
                shown[seen.index] = viewpoint
    standing = [item.index for item in home.things if item.kind in ("bed", "sofa", "fridge", "toilet", "bookshelf")]
    assert standing
    assert set(standing) <= set(shown)
