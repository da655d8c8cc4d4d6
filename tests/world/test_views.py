"""The 36 views: snapping to the nearest, and the angle feature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, VIEWS, angle_feature, nearest_view, wrap_heading

angles = st.floats(-50, 50)


def test_nearest_view_of_a_centre_is_the_view_itself():
    assert nearest_view(VIEW_HEADING, VIEW_ELEVATION).tolist() == list(range(VIEWS))


@pytest.mark.parametrize(
    ("heading", "elevation", "view"),
    [
        (0, 0, 12),
        (14.9, 0, 12),
        (15.1, 0, 13),
        (-14.9, 0, 12),
        (-15.1, 0, 23),
        (359, 0, 12),
        (345.1, 0, 12),
        (90, 31, 27),
        (90, -90, 3),
        (90, 15, 15),
        (90, -15, 15),
        (90, 15.1, 27),
    ],
)
def test_nearest_view_splits_rows_strictly_at_15_degrees(heading, elevation, view):
    assert nearest_view(math.radians(heading), math.radians(elevation)) == view


def test_nearest_view_rounds_half_a_step_up():
    assert nearest_view(math.pi * 2 / 12 * 0.5) == 13


@given(angles)
def test_wrap_heading_gives_the_same_direction_within_one_turn(heading):
    wrapped = float(wrap_heading(heading))
    assert 0 <= wrapped <= 2 * math.pi
    assert math.sin(wrapped) == pytest.approx(math.sin(heading), abs=1e-9)
    assert math.cos(wrapped) == pytest.approx(math.cos(heading), abs=1e-9)


@given(angles)
def test_nearest_view_is_at_most_15_degrees_off(heading):
    off = wrap_heading(heading - VIEW_HEADING[nearest_view(heading)])
    assert min(off, 2 * math.pi - off) <= math.radians(15) + 1e-9


def test_angle_feature_repeats_sine_and_cosine():
    feature = angle_feature([0.1, 0.2], [0.3, 0.4])
    assert feature.shape == (2, 128)
    expected = [math.sin(0.2), math.cos(0.2), math.sin(0.4), math.cos(0.4)] * 32
    np.testing.assert_allclose(feature[1], expected, rtol=1e-6)
    assert angle_feature(0.0, 0.0, repeats=1).tolist() == [0, 1, 0, 1]
