from __future__ import annotations

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.homes.home import Surface, Thing
from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.render.materials import MATERIALS, PALETTE
from mtvm.homes.shapes import SHAPES, shape_of
from mtvm.homes.shapes.solids import Form, Solid, deeper

MAIN, ACCENT = Surface("red", "paint"), Surface("blue", "wood")


def example(kind: str, large: bool, look: int, index: int = 0) -> Thing:
    """A thing of that kind, as small or as large as the catalogue allows."""
    entry = KINDS[kind]
    width, depth, height = (size[large] for size in (entry.width, entry.depth, entry.height))
    surface, accent = entry.surfaces[look % len(entry.surfaces)], entry.accents[look % len(entry.accents)]
    return Thing(index, kind, 0, 0.0, 0.0, 0.0, 0.0, width, depth, height, surface, accent)


def all_vertices(solids: tuple[Solid, ...]) -> np.ndarray:
    return np.concatenate([solid.vertices for solid in solids])


def area_vectors(solid: Solid) -> np.ndarray:
    corners = solid.vertices[solid.triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2


def test_shapes_cover_every_kind_of_the_catalogue() -> None:
    assert set(KINDS) <= set(SHAPES)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_shape_of_stays_in_its_box_and_fills_it(kind: str) -> None:
    for large in (False, True):
        for look in range(3):
            item = example(kind, large, look, look)
            vertices = all_vertices(shape_of(item))
            half = np.array([item.width / 2, item.depth / 2])
            assert np.isfinite(vertices).all()
            assert (np.abs(vertices[:, :2]) <= half + 1e-6).all()
            assert vertices[:, 2].min() >= -1e-6
            assert vertices[:, 2].max() <= item.height + 1e-6
            extent = np.ptp(vertices, axis=0) / [item.width, item.depth, item.height]
            assert extent.min() > 0.7


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_shape_of_gives_sound_solids(kind: str) -> None:
    """Whole triangles, unit normals, and surfaces that can be drawn."""
    for solid in shape_of(example(kind, False, 1)):
        assert len(solid.triangles) > 0
        assert solid.triangles.min() >= 0
        assert solid.triangles.max() < len(solid.vertices)
        assert len(solid.normals) == len(solid.vertices)
        np.testing.assert_allclose(np.linalg.norm(solid.normals, axis=1), 1, atol=1e-6)
        assert solid.surface.colour in PALETTE
        assert solid.surface.material in MATERIALS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_shape_of_shows_the_main_colour(kind: str) -> None:
    """Words name the main colour, so some part of the shape has it."""
    item = example(kind, False, 0)
    shown = {solid.surface.colour for solid in shape_of(item)}
    assert item.surface.colour in shown


def closed_solids() -> list[Solid]:
    form = Form(1, 1, 1, MAIN, ACCENT)
    form.box((-0.5, 0.7), (0, 0.2), (0.1, 0.9), MAIN)
    form.soft_box((0, 1), (0, 0.5), (0, 0.3), MAIN, 0.1, 3)
    form.cylinder((0.1, 0.2, 0.3), 0.2, (0, 1), MAIN, "x")
    form.cylinder((0, 0, 0), 0.3, (0, 0.5), MAIN, "y", end_radius=0.1)
    form.ball((1, 1, 1), (0.3, 0.2, 0.1), MAIN)
    form.prism([(0, 0), (1, 0), (0.5, 1)], (0.2, 0.4), MAIN, "y")
    form.prism([(0, 0), (1, 0), (1, 1), (0, 1)], (0.2, 0.4), MAIN, "x")
    form.tube([(0, 0, 0), (0, 0, 1)], 0.1, MAIN)
    form.tube([(0, 0, 0), (0.5, 0, 0.5), (1, 0, 0.5)], 0.1, MAIN)
    form.plate([(0, 0, 0), (1, 0, 0), (1, 1, 0.2), (0, 1, 0.2)], 0.05, MAIN)
    form.turn(0, "z", 0.4)
    form.fit()
    return form.solids


@pytest.mark.parametrize("number", range(10))
def test_form_gives_closed_solids_wound_outwards(number: int) -> None:
    solid = closed_solids()[number]
    areas = area_vectors(solid)
    np.testing.assert_allclose(areas.sum(axis=0), 0, atol=1e-12)
    middles = solid.vertices[solid.triangles].mean(axis=1)
    assert (areas * middles).sum() / 3 > 1e-4
    assert ((areas * solid.normals[solid.triangles].mean(axis=1)).sum(axis=1) > -1e-9).all()


def test_shape_of_faces_along_y() -> None:
    tank = all_vertices(shape_of(example("toilet", False, 0)))
    assert tank[tank[:, 2] > 0.7, 1].mean() < -0.1
    back = all_vertices(shape_of(example("sofa", False, 0)))
    assert back[back[:, 2] > 0.7 * back[:, 2].max(), 1].mean() < -0.1
    screen = next(solid for solid in shape_of(example("television", False, 0)) if solid.surface.material == "screen")
    assert screen.vertices[:, 1].max() > 0.02


def test_shape_of_is_deterministic_and_varied() -> None:
    first, again = (shape_of(example("painting", False, 0, 3)) for _ in range(2))
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(first, again, strict=True))
    pictures = {len(all_vertices(shape_of(example("painting", False, 0, index)))) for index in range(12)}
    assert len(pictures) > 1


def test_shape_of_refuses_unknown_kinds() -> None:
    item = Thing(0, "dragon", 0, 0, 0, 0, 0, 1, 1, 1, MAIN, ACCENT)
    with pytest.raises(InputError, match="no shape for a 'dragon'"):
        shape_of(item)


def test_deeper_gives_darker_colours_of_the_palette() -> None:
    for colour in PALETTE:
        assert deeper(Surface(colour, "paint")).colour in PALETTE
