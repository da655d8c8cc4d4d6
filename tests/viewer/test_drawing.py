"""Drawings: shapes become well-formed SVG and pixels."""

import base64
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mtvm.errors import InputError
from mtvm.viewer.drawing import STYLES, Drawing, data_address


def parsed(drawing):
    return ElementTree.fromstring(drawing.svg())


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=60)
def test_any_text_gives_well_formed_svg_without_markup_of_its_own(label, text):
    drawing = Drawing(100, 50, label)
    drawing.text("label", (10, 20), text, viewpoint=text)
    root = parsed(drawing)
    assert [child.tag.rpartition("}")[2] for child in root] == ["rect", "text"]
    if text.isprintable():
        assert root[1].text in (text, None)
        assert root[1].get("data-viewpoint") == text


def test_every_look_can_be_drawn_in_both_ways():
    drawing = Drawing(200, 100, "all")
    for number, look in enumerate(STYLES):
        x = 5 + 8 * number
        drawing.line(look, (x, 5), (x, 20))
        drawing.circle(look, (x, 30), 3)
        drawing.rect(look, (x, 40), (5, 5), opacity=0.5)
        drawing.polygon(look, (x, 60), (x + 4, 60), (x, 66))
    assert len(parsed(drawing)) == 1 + 4 * len(STYLES)
    assert drawing.picture(1.0).size == (200, 100)


def test_pixels_are_where_the_shapes_are():
    drawing = Drawing(40, 20, "two halves")
    drawing.rect("cell", (0, 0), (20, 20))
    pixels = np.asarray(drawing.picture(1.0))
    assert pixels[10, 5].tolist() == [0x00, 0x72, 0xB2]
    assert pixels[10, 30].tolist() == [255, 255, 255]


def test_opacity_mixes_with_what_is_below():
    drawing = Drawing(10, 10, "half")
    drawing.rect("cell", (0, 0), (10, 10), opacity=0.5)
    assert np.asarray(drawing.picture(1.0))[5, 5].tolist() == pytest.approx([127, 184, 216], abs=2)


def test_turned_text_stands_upright_above_its_anchor():
    drawing = Drawing(60, 100, "turned")
    drawing.text("title", (30, 90), "wwwwwwww", size=12, turn=-90)
    rows, columns = np.nonzero(np.asarray(drawing.picture(1.0).convert("L")) < 128)
    assert np.ptp(rows) > 2 * np.ptp(columns)
    assert rows.max() <= 91
    assert columns.max() <= 31


def test_images_are_inside_the_svg():
    picture = Image.new("RGB", (8, 8), "#ff0000")
    drawing = Drawing(20, 20, "picture")
    drawing.image((2, 2), (16, 16), picture)
    address = parsed(drawing)[1].get("href")
    assert address == data_address(picture)
    content = base64.b64decode(re.sub("^data:image/jpeg;base64,", "", address))
    assert Image.open(io.BytesIO(content)).size == (8, 8)
    assert np.asarray(drawing.picture(1.0))[10, 10, 0] > 200


def test_save_chooses_by_the_ending(tmp_path):
    drawing = Drawing(20, 10, "x")
    drawing.save(tmp_path / "a.svg")
    drawing.save(tmp_path / "a.png", dpi=288)
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (60, 30)
    with pytest.raises(InputError, match=r"ends in \.svg, \.pdf or \.png"):
        drawing.save(tmp_path / "a.gif")
    assert not (tmp_path / "a.gif").exists()
