"""Converters of published files: the three real buildings, small ones by hand, and every malformed file."""

from __future__ import annotations

import copy
import gzip
import json
import re

import pytest

from mtvm.errors import InputError
from mtvm.features.captions import load_captions, read_captions
from mtvm.features.converting.captions import convert_captions
from mtvm.features.converting.names import convert_names
from mtvm.features.converting.rooms import Room, Rooms
from mtvm.features.names import read_semantics

REAL = ("17DRP5sb8fy", "8194nk5LbLH", "QUCTc6BB5sX")
SECTORS = [[f"floor {sector}", f"wall {sector}", f"ceiling {sector}"] for sector in range(8)]
VIEWS = {
    str(view): {
        "global_cap": f"view {view}",
        "dense_cap": [
            {"obj_class": "bed", "coordinates": "1 2 30 40", "confidence": "0.50", "caption": f"a bed in view {view}"}
        ],
    }
    for view in reversed(range(36))
}
BOXES = {
    "v0": {
        "7": {"name": "bath#cabinet", "visible_pos": [1, 2], "bbox2d": [[0, 0, 5, 6], [1.5, 2, 3, 4]]},
        "3": {"name": "chair", "visible_pos": [], "bbox2d": []},
    }
}
LAD = {"pano_info": {"house": {"v0": {"label": "k", "region_index": "4"}, "v1": {"label": "-", "region_index": "-1"}}}}
HOUSE = """ASCII 1.1
H  house  -  0 2 0 0 0 0 0 2 1 1  0 0 0 0 0  0 0 0 1 1 1  0 0 0 0 0
L  0 2  -  0 0 0  0 0 0 1 1 1  0 0 0 0 0
R  0 0  0 0  b  0 0 0  0 0 0 1 1 1  2.5  0 0 0 0
R  4 0  0 0  k  0 0 0  0 0 0 1 1 1  2.5  0 0 0 0
P  0 0 4  -  0 0 0 1 1 1  0 0 0 0
P  v0  0 4  0  1 2 3  0 0 0 0 0
P  v1  1 -1  0  1 2 3  0 0 0 0 0
"""


def observation(sectors=SECTORS):
    parts = [
        f"heading {45 * number} - {45 * number + 45}:\ndown: {down}\nmiddle: {middle}\ntop: {top}\n"
        for number, (down, middle, top) in enumerate(sectors)
    ]
    return "".join(parts)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def lines(path):
    content = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()]


def captions(folder, **options):
    out = folder.parent / "captions.jsonl.gz"
    count = convert_captions(folder, out, show_progress=False, **options)
    found = lines(out)
    assert count == len(found)
    return found


def names(folder, **options):
    out = folder.parent / "viewpoints.jsonl"
    count = convert_names(folder, out, show_progress=False, **options)
    found = lines(out)
    assert count == len(found)
    return found


# --- the real buildings ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def originals(real_data):
    folder = real_data / "originals"
    if not folder.is_dir():
        pytest.skip(f"no published files at {folder}")
    return folder


def expected(source):
    text = gzip.decompress(source.read_bytes()).decode()
    return [line for line in text.splitlines() if json.loads(line)["scan"] in REAL]


def converted(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_navgpt_gives_the_joined_captions(originals, real_data, tmp_path):
    """All but the summary, which was made of a folder of NavGPT's that is not among the originals here."""
    out = tmp_path / "captions.jsonl.gz"
    rooms = originals / "LAD" / "vp2room_label.json"
    assert convert_captions(originals / "NavGPT", out, rooms=rooms, show_progress=False) == 209
    wanted = [json.loads(line) for line in expected(real_data / "captions" / "captions.jsonl.gz")]
    for line, want in zip(converted(out), wanted, strict=True):
        del want["summary"]
        assert line == json.dumps(want, ensure_ascii=False)  # the same keys in the same order, the same numbers
    assert [place.scan for place in load_captions(out, REAL[:1])] == [REAL[0]] * 44


def test_langnav_gives_the_joined_captions_byte_for_byte(originals, real_data, tmp_path):
    out = tmp_path / "langnav.jsonl.gz"
    assert convert_captions(originals, out, source="langnav", show_progress=False) == 209
    assert converted(out) == expected(real_data / "langnav" / "langnav.jsonl.gz")
    assert {len(place.captions) for place in read_captions(out)} == {12}


def test_reverie_and_lad_give_the_joined_names_byte_for_byte(originals, real_data, tmp_path):
    out = tmp_path / "viewpoints.jsonl.gz"
    rooms = originals / "LAD" / "vp2room_label.json"
    assert convert_names(originals, out, rooms=rooms, show_progress=False) == 209
    assert converted(out) == expected(real_data / "semantics" / "viewpoints.jsonl.gz")
    assert len(list(read_semantics(out))) == 209


def test_house_files_say_the_same_as_lad(originals, tmp_path):
    """`.house` files written by the published description, with LAD's regions and labels."""
    source = originals / "LAD" / "vp2room_label.json"
    for scan, places in json.loads(source.read_bytes())["pano_info"].items():
        labels = {place["region_index"]: place["region_label"] for place in places.values()}
        text = ["ASCII 1.1"]
        text += [f"R  {region} 0  0 0  {label}  0 0 0  0 0 0 1 1 1  2  0 0 0 0 " for region, label in labels.items()]
        text += [
            f"P  {place['name']}  {place['panorama_index']} {place['region_index']}  0  0 0 0  0 0 0 0 0 "
            for place in places.values()
        ]
        put(tmp_path / "v1" / "scans" / scan / "house_segmentations" / f"{scan}.house", "\n".join(text) + "\n")
    by_lad, by_house = Rooms.load(source), Rooms.load(tmp_path)
    for scan in REAL:
        assert by_lad.of(scan) == by_house.of(scan)
        assert len(by_lad.of(scan)) > 10


# --- small ones, by hand -----------------------------------------------------------------------------------


def test_navgpt_by_hand(tmp_path):
    folder = tmp_path / "data" / "datasets" / "R2R"
    put(folder / "observations" / "house.json", {"v1": observation(), "v0": observation(SECTORS[::-1])})
    record = {"scan": "house", "viewpoint": "v1", "captions": SECTORS}
    backwards = {"scan": "house", "viewpoint": "v0", "captions": SECTORS[::-1]}
    assert captions(tmp_path / "data") == [record, backwards]
    put(folder / "observations_summarized" / "house_summarized.json", {"v0": " a café ", "v1": "a hall", "v9": "?"})
    objects = [{"rug ": {"heading": -7.5, "distance": 2}, "tv": {"heading": 3.5, "distance": 1.25}}, *[{}] * 6]
    objects.append({"tv": {"heading": 330, "distance": 1.25}})
    put(folder / "objects_list" / "house.json.gz", {"v1": objects, "v0": [{}] * 8})
    rooms = put(tmp_path / "rooms.json", LAD)
    found = captions(tmp_path / "data", rooms=rooms)
    detections = [[0, "rug ", -7.5, 2], [0, "tv", 3.5, 1.25], [7, "tv", 330, 1.25]]
    assert found == [
        record | {"summary": "a hall", "detections": detections, "room_instance": None},
        backwards | {"summary": "a café", "detections": [], "room_instance": 4},
    ]
    assert "a café" in "".join(converted(tmp_path / "captions.jsonl.gz"))  # readable, as the joined files have it
    assert list(found[0]) == ["scan", "viewpoint", "captions", "summary", "detections", "room_instance"]


def test_langnav_by_hand(tmp_path):
    put(tmp_path / "data" / "r2r_blip_DETR_vis2text" / "house.json", {"v1": VIEWS, "v0": VIEWS})
    found = captions(tmp_path / "data")
    assert [record["viewpoint"] for record in found] == ["v0", "v1"]
    assert found[0]["captions"] == [f"view {view}" for view in range(36)]
    assert found[0]["objects"] == [[["bed", 0.5, [1, 2, 30, 40], f"a bed in view {view}"]] for view in range(36)]
    place = next(read_captions(tmp_path / "captions.jsonl.gz"))
    assert place.captions == [[f"view {row * 12 + heading}" for row in range(3)] for heading in range(12)]


def test_both_captioners_need_a_choice(tmp_path):
    put(tmp_path / "data" / "observations" / "house.json", {"v0": observation()})
    put(tmp_path / "data" / "r2r_blip_DETR_vis2text" / "house.json", {"v0": VIEWS})
    with pytest.raises(InputError, match="say which with --source navgpt or langnav"):
        captions(tmp_path / "data")
    assert captions(tmp_path / "data", source="navgpt")[0]["captions"] == SECTORS
    with pytest.raises(InputError, match="--rooms is for NavGPT's captions"):
        captions(tmp_path / "data", source="langnav", rooms=tmp_path)


def test_reverie_by_hand(tmp_path):
    put(tmp_path / "data" / "bbox" / "house_v0.json", BOXES)
    put(tmp_path / "data" / "bbox" / "house_v1.json", {"v1": {}})
    put(tmp_path / "data" / "other" / "house_v2.json", {"v2": {}})
    objects = [
        {"id": 7, "name": "bath cabinet", "views": [1, 2], "boxes": [[0, 0, 5, 6], [1.5, 2, 3, 4]]},
        {"id": 3, "name": "chair", "views": [], "boxes": []},
    ]
    unknown = {"scan": "house", "viewpoint": "v0", "room": "other room", "objects": objects}
    assert names(tmp_path / "data")[0] == unknown
    lad, house = put(tmp_path / "lad.json.gz", LAD), put(tmp_path / "houses" / "house.house", HOUSE)
    for rooms in (lad, house, house.parent):
        assert [record["room"] for record in names(tmp_path / "data", rooms=rooms)] == ["kitchen", "other room"]
        assert Rooms.load(rooms).of("house") == {"v0": Room("kitchen", 4)}


def test_scans_are_chosen_and_the_copy_nearest_to_the_top_counts(tmp_path):
    folder = tmp_path / "data"
    for name, first in (("a", "x"), ("b", "y")):
        put(folder / "R2R" / "observations" / f"{name}.json", {first: observation()})
        put(folder / "old" / "R2R" / "observations" / f"{name}.json", "not even JSON")
    assert [record["viewpoint"] for record in captions(folder)] == ["x", "y"]
    assert [record["scan"] for record in captions(folder, scans=["b"])] == ["b"]
    with pytest.raises(InputError, match="nothing of scan c is below it"):
        captions(folder, scans=["c"])


# --- what is malformed -------------------------------------------------------------------------------------


def changed(content, change):
    spoilt = copy.deepcopy(content)
    change(spoilt)
    return spoilt


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "not a JSON object"),
        ('{"v0": ', "not valid JSON"),
        ({"v" * 200: observation()}, "is no id"),
        ({"v0": 7}, "viewpoint v0: a text is expected, not 7"),
        ({"v0": observation(SECTORS[:7])}, "has 28 lines, not 8 headings"),
        ({"v0": observation().replace("middle: wall 3", "center: wall 3")}, "under heading 135 - 180: 'middle: ...'"),
        ({"v0": observation().replace("heading 90 -", "heading 91 -")}, "'heading 90 - ...:' expected, not"),
    ],
)
def test_malformed_observations_are_named(content, message, tmp_path):
    path = put(tmp_path / "data" / "observations" / "house.json", content)
    refused(captions, tmp_path, path, message)


@pytest.mark.parametrize(
    ("beside", "content", "message"),
    [
        ("objects_list/house.json", {}, "says nothing of viewpoint v0, which has captions"),
        ("objects_list/house.json", {"v0": [{}] * 7}, "not a list of objects for each of 8 headings"),
        ("objects_list/house.json", {"v0": [{"tv": {"heading": 3}}, *[{}] * 7]}, "'tv' has no heading and distance"),
        ("objects_list/house.json", '{"v0": [{"tv": {"heading": NaN, "distance": 1}},{},{},{},{},{},{},{}]}', "'tv'"),
        (
            "objects_list/house.json",
            {"v0": [{"tv": {"heading": 10**400, "distance": 1}}, *[{}] * 7]},
            "'tv' has no heading and distance",
        ),
        ("observations_summarized/house_summarized.json", {"v0": ["a", "b"]}, "a text is expected"),
    ],
)
def test_malformed_files_beside_observations_are_named(beside, content, message, tmp_path):
    put(tmp_path / "data" / "observations" / "house.json", {"v0": observation()})
    refused(captions, tmp_path, put(tmp_path / "data" / beside, content), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda views: views.pop("35"), "viewpoint v0: not an object with the views 0 to 35"),
        (lambda views: views.update({"0": []}), "view 0: not an object with global_cap and dense_cap"),
        (lambda views: views["1"].pop("global_cap"), "view 1: a text is expected, not null"),
        (lambda views: views["2"]["dense_cap"].append(3), "view 2, box 1: not an object with the texts obj_class"),
        (lambda views: views["3"]["dense_cap"][0].update(coordinates="1 2 3"), "'1 2 3' with confidence '0.50' is no"),
        (lambda views: views["3"]["dense_cap"][0].update(confidence="nan"), "with confidence 'nan' is no box"),
    ],
)
def test_malformed_langnav_is_named(change, message, tmp_path):
    path = put(tmp_path / "data" / "r2r_blip_DETR_vis2text" / "house.json", {"v0": changed(VIEWS, change)})
    refused(captions, tmp_path, path, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda boxes: boxes.update(v1=boxes.pop("v0")), "not an object with viewpoint v0, as its name says"),
        (lambda boxes: boxes["v0"].update({"x": {}}), "object 'x' is not a number"),
        (lambda boxes: boxes["v0"]["7"].pop("name"), "object 7 has no name"),
        (lambda boxes: boxes["v0"]["7"].update(visible_pos=[1, 36]), "field 'views' is not a list of views"),
        (lambda boxes: boxes["v0"]["7"]["bbox2d"].pop(), "field 'boxes' is not a list with one box"),
        (lambda boxes: boxes["v0"]["7"].update(bbox2d=[[0, 0, -1, 1]] * 2), "field 'boxes' is not a list with one"),
    ],
)
def test_malformed_boxes_are_named(change, message, tmp_path):
    path = put(tmp_path / "data" / "BBox" / "house_v0.json", changed(BOXES, change))
    refused(names, tmp_path, path, message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("lad.json", {"label_info": {}}, "has no 'pano_info' with scans and viewpoints"),
        ("lad.json", {"pano_info": {"flat": {}}}, "says nothing of scan house"),
        ("lad.json", {"pano_info": {"house": {"v0": {"label": "k"}}}}, "scan house, viewpoint v0: not an object with"),
        ("lad.json", {"pano_info": {"house": {"v0": {"label": "?", "region_index": "1"}}}}, "'?' of region '1' is no"),
        ("house.house", HOUSE.replace("  k  ", "  q  "), "'q' of region '4' is no label"),
        ("house.house", HOUSE.replace("v0  0 4", "v0  0 5"), "line 7: region 5 of this panorama is not among"),
        ("house.house", HOUSE.replace("v0  0 4", "v0  0"), "line 7: has 12 fields, as no region, panorama or portal"),
        ("house.house", "ASCII 1.1\n", "names no panorama"),
        ("flat.house", HOUSE, "says nothing of scan house"),
    ],
)
def test_malformed_rooms_are_named(name, content, message, tmp_path):
    put(tmp_path / "data" / "BBox" / "house_v0.json", BOXES)
    path = put(tmp_path / name, content)
    refused(lambda folder: names(folder, rooms=path), tmp_path, path, message)


def refused(convert, tmp_path, path, message):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        convert(tmp_path / "data")
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before  # nothing is half-written


def test_folders_without_anything_to_convert(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        captions(tmp_path / "none")
    (tmp_path / "data").mkdir()
    with pytest.raises(InputError, match="no captions to convert are below it; NavGPT's are in"):
        captions(tmp_path / "data")
    with pytest.raises(InputError, match="no boxes of objects are below it; REVERIE's are in a folder 'BBox'"):
        names(tmp_path / "data")
    put(tmp_path / "data" / "BBox" / "house_v0.json", BOXES)
    with pytest.raises(InputError, match=r"no <scan>\.house is below it"):
        names(tmp_path / "data", rooms=tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        names(tmp_path / "data", rooms=tmp_path / "house.house")
