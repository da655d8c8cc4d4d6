from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from two_rooms import two_rooms, without_things

from mtvm.errors import InputError
from mtvm.homes.home import Home, Stairs, Surface
from mtvm.homes.render.materials import PALETTE, encode_table, linear_colour, surface_table
from mtvm.homes.render.mesh import WHATS, Mesh, build_mesh, grid_lines, owner_id, owner_of


def part(mesh: Mesh, owner: int, material: str | None = None) -> np.ndarray:
    """The corners (n, 3, 3) of what belongs to an owner, and is of that material."""
    made_of = np.array([material in (None, surface.material) for surface in mesh.surfaces])
    return mesh.vertices[mesh.triangles[(mesh.owner == owner) & made_of[mesh.surface]]]


def area(corners: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2


def two_storeys() -> Home:
    """The second room now lies above the first, with stairs along the southern wall."""
    home = without_things(two_rooms())
    above = dataclasses.replace(home.rooms[1], storey=1, x0=0.0, x1=4.0)
    stairs = Stairs(0, (0, 1), (0.5, 0.5, 0.0), (3.5, 0.5, 2.75), 1.0, 14, Surface("brown", "wood"))
    return dataclasses.replace(
        home,
        rooms=(home.rooms[0], above),
        storey_heights=(0.0, 2.75),
        openings=(),
        windows=(),
        stairs=(stairs,),
    )


def test_owner_id_and_owner_of_are_inverse() -> None:
    for what in WHATS:
        for index in (0, 7, 4321):
            assert owner_of(owner_id(what, index)) == (what, index)


def test_build_mesh_is_sound_and_complete() -> None:
    home = two_rooms()
    mesh = build_mesh(home)
    assert mesh.triangles.max() < len(mesh.vertices)
    assert mesh.surface.max() < len(mesh.surfaces)
    assert area(mesh.vertices[mesh.triangles]).min() > 0
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
    expected = {owner_id("room", 0), owner_id("room", 1), owner_id("opening", 0), owner_id("window", 0)}
    expected |= {owner_id("thing", thing.index) for thing in home.things}
    assert set(mesh.owner.tolist()) == expected


def test_build_mesh_places_things() -> None:
    home = two_rooms()
    mesh = build_mesh(home)
    for item in home.things:
        corners = part(mesh, owner_id("thing", item.index)).reshape(-1, 3)
        wide, deep = (item.width, item.depth) if abs(np.sin(item.heading)) < 0.5 else (item.depth, item.width)
        reach = np.array([wide, deep]) / 2 + 1e-4
        assert (np.abs(corners[:, :2] - [item.x, item.y]) <= reach).all()
        assert corners[:, 2].min() >= item.z - 1e-4
        assert corners[:, 2].max() <= item.z + item.height + 1e-4


def test_build_mesh_cuts_doors_and_windows_into_walls() -> None:
    mesh = build_mesh(without_things(two_rooms()))
    western = part(mesh, owner_id("room", 0), "wall")
    facing_west = western[np.ptp(western[:, :, 0], axis=1) < 1e-6]
    eastern_wall = facing_west[np.abs(facing_west[:, 0, 0] - 4.0) < 1e-4]
    solid = 4.0 * 2.5 - (0.9 + 0.06) * (2.05 + 0.03)
    assert area(eastern_wall).sum() == pytest.approx(solid, abs=0.06)  # a little runs on behind other walls
    inner = eastern_wall.mean(axis=1)
    assert not ((np.abs(inner[:, 1] - 2.5) < 0.4) & (inner[:, 2] > 0.1) & (inner[:, 2] < 2.0)).any()


def test_build_mesh_faces_shells_inwards() -> None:
    mesh = build_mesh(without_things(two_rooms()))
    inside = np.array([2.0, 2.0, 1.2])
    for material, count in (("planks", 500), ("wall", 500)):
        corners = part(mesh, owner_id("room", 0), material)
        outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert len(corners) > count
        assert ((inside - corners.mean(axis=1)) * outward).sum(axis=1).min() > 0


def test_build_mesh_gives_stairs_a_hole_and_railings() -> None:
    home = two_storeys()
    mesh = build_mesh(home)
    steps = part(mesh, owner_id("stairs", 0)).reshape(-1, 3)
    assert steps[:, 2].min() == pytest.approx(0, abs=1e-5)
    assert steps[:, 2].max() > 2.75 + 0.8
    for room, height in ((0, 2.5), (1, 2.75)):
        corners = part(mesh, owner_id("room", room))
        level = corners[(np.abs(corners[:, :, 2] - height) < 1e-5).all(axis=1)]
        middles = level.mean(axis=1)
        over = (middles[:, 0] > 0.55) & (middles[:, 0] < 3.45) & (middles[:, 1] > 0.05) & (middles[:, 1] < 0.95)
        assert len(level) > 100
        assert not over.any()


def test_add_opening_keeps_the_leaf_clear_of_things() -> None:
    home = two_rooms()
    leaf = part(build_mesh(home), owner_id("opening", 0)).reshape(-1, 3)
    assert leaf[:, 0].min() < 3.98 or leaf[:, 0].max() > 4.14
    blocked = [
        dataclasses.replace(home.things[0], x=x, y=y, index=index, room=int(x > 4))
        for index, (x, y) in enumerate(BESIDE_THE_DOOR)
    ]
    closed = part(build_mesh(dataclasses.replace(home, things=tuple(blocked))), owner_id("opening", 0)).reshape(-1, 3)
    assert closed[:, 0].min() > 3.97
    assert closed[:, 0].max() < 4.15


BESIDE_THE_DOOR = [(3.7, 1.5), (3.7, 3.5), (4.42, 1.5), (4.42, 3.5)]


def test_grid_lines_include_edges() -> None:
    lines = grid_lines(3.0, 0.4, [1.1, 2.0, -1.0, 9.0])
    assert {0.0, 1.1, 2.0, 3.0} <= set(lines.round(6).tolist())
    assert np.diff(lines).max() <= 0.4 + 1e-9
    assert (np.diff(lines) > 0).all()


def test_linear_colour_matches_its_name() -> None:
    for name in PALETTE:
        assert ((linear_colour(name) >= 0) & (linear_colour(name) <= 1)).all()
    for name, channel in (("red", 0), ("green", 1), ("blue", 2)):
        assert linear_colour(name).argmax() == channel
        assert linear_colour(name).mean() > linear_colour(f"dark {name}").mean()
    assert linear_colour("white").min() > 0.8
    assert linear_colour("black").max() < 0.02
    with pytest.raises(InputError, match="no colour 'mauve'"):
        linear_colour("mauve")
    with pytest.raises(InputError, match="no material 'cheese'"):
        surface_table([Surface("red", "cheese")])


def test_encode_table_rises_to_white() -> None:
    table = encode_table(1000, 2.5).astype(int)
    assert table[0] == 0
    assert (np.diff(table) >= 0).all()
    assert table[-1] >= 254
