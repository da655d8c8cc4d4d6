"""Captions: reading and every error, features worked out by hand, the cache, joined stores; the real file."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.errors import InputError
from mtvm.features import captions as captions_module
from mtvm.features.captions import CaptionedPlace, caption_features, heading_shares, load_captions, read_captions
from mtvm.features.joining import join_stores
from mtvm.features.store import FeatureStore
from mtvm.io.files import cache_dir
from mtvm.world.views import HEADINGS, VIEWS

ROW = ["a rug", "a sofa", ""]
HOUSE = {"scan": "house", "viewpoint": "v0", "captions": [["a rug", "a sofa", ""]] + [["", "a door", ""]] * 7}
FLAT = {"scan": "flat", "viewpoint": "v0", "captions": [["a sofa", "a rug", "a door"]] * 8, "summary": "ignored"}

VECTORS = {"a rug": [1, 0, 0], "a sofa": [0, 1, 0], "a door": [0, 0, 1]}


def by_hand(phrases):
    assert list(phrases) == sorted(set(phrases))
    return np.array([VECTORS[phrase] for phrase in phrases], dtype=np.float32)


def write(path, *records):
    lines = "".join(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


def convert(source, **options):
    return caption_features(source, source.parent / "store", **({"embed": by_hand, "show_progress": False} | options))


def views_of(store, scan, viewpoint="v0"):
    return store.panorama(store.rows([scan], [viewpoint]))[0].astype(np.float32)


# --- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["said.jsonl", "said.jsonl.gz", "no-suffix"])
def test_reads_plain_and_compressed(name, tmp_path):
    spaced = FLAT | {"captions": [[" a sofa\n", "a rug", "a door "]] * 8}
    places = list(read_captions(write(tmp_path / name, HOUSE, "\n", spaced)))
    assert places == [CaptionedPlace(record["scan"], "v0", record["captions"]) for record in (HOUSE, FLAT)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"scan": "house", \n', "not valid JSON"),
        ("[1, 2]\n", "not a JSON object with scan, viewpoint and captions"),
        (FLAT | {"scan": 7}, "field 'scan' is missing or not a string"),
        (FLAT | {"viewpoint": ""}, "field 'viewpoint' is missing or not a string"),
        ({"scan": "flat", "viewpoint": "v0"}, "field 'captions' is missing or not a list"),
        (FLAT | {"captions": []}, "field 'captions' is missing or not a list"),
        (FLAT | {"captions": [ROW, ROW[:2]]}, "field 'captions', entry 1: not a list of 3 texts"),
        (FLAT | {"captions": [ROW, "a rug"]}, "entry 1: not a list of 3 texts"),
        (FLAT | {"captions": [["a rug", None, ""]]}, "entry 0: not a list of 3 texts"),
        (HOUSE, "viewpoint v0 of scan house appears twice"),
    ],
)
def test_a_bad_line_is_named(record, message, tmp_path):
    source = write(tmp_path / "said.jsonl", HOUSE, record)
    with pytest.raises(InputError, match=f"{re.escape(str(source))}, line 2: .*{re.escape(message)}") as caught:
        convert(source)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "store").exists()


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: there is no such file \(captions file\)"):
        convert(tmp_path / "none.jsonl")
    (tmp_path / "cut.gz").write_bytes(write(tmp_path / "whole.gz", HOUSE).read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged or truncated"):
        convert(tmp_path / "cut.gz")
    with pytest.raises(InputError, match="holds no captions"):
        convert(write(tmp_path / "empty.jsonl"))
    with pytest.raises(InputError, match="all captions are empty"):
        convert(write(tmp_path / "silent.jsonl", HOUSE | {"captions": [["", " ", ""]]}))
    source = write(tmp_path / "said.jsonl", HOUSE, FLAT | {"captions": [ROW] * 12})
    with pytest.raises(InputError, match="viewpoint v0 of scan flat has 12 headings where the first viewpoint has 8"):
        convert(source)
    with pytest.raises(InputError, match="says nothing of scan villa"):
        convert(source, scans=["house", "villa"])
    assert [place.scan for place in load_captions(source, ["flat"])] == ["flat"]


# --- features ----------------------------------------------------------------------------------------------


def test_worked_out_by_hand(tmp_path):
    store = convert(write(tmp_path / "said.jsonl", HOUSE, FLAT))
    assert (len(store), store.width) == (2, 3)
    views = views_of(store, "house")
    level = views[HEADINGS : 2 * HEADINGS]
    assert np.abs(level[0] - VECTORS["a sofa"]).max() < 1e-3
    # View 1 looks at 30 degrees: a third of the way is left to the caption at 45, two thirds are gone from that at 0.
    assert np.abs(level[1] - np.array([0, 1, 2]) / 5**0.5).max() < 1e-3
    assert np.abs(level[11] - np.array([0, 1, 2]) / 5**0.5).max() < 1e-3
    assert np.abs(level[2:11] - VECTORS["a door"]).max() < 1e-3
    assert np.abs(views[[0, 1, 11]] - VECTORS["a rug"]).max() < 1e-3  # beside it nothing was said of the floor
    assert not views[2:11].any()
    assert not views[2 * HEADINGS :].any()
    expected = np.repeat([VECTORS["a sofa"], VECTORS["a rug"], VECTORS["a door"]], HEADINGS, axis=0)
    assert np.abs(views_of(store, "flat") - expected).max() < 1e-3


def test_twelve_headings_are_our_own_views(tmp_path):
    random = np.random.default_rng(0)
    said = random.choice(sorted(VECTORS), (HEADINGS, 3))
    store = convert(write(tmp_path / "said.jsonl", HOUSE | {"captions": said.tolist()}))
    assert views_of(store, "house").tolist() == [VECTORS[caption] for caption in said.T.ravel()]


@given(count=st.integers(1, 40))
def test_the_two_nearest_headings_share_a_view(count):
    shares = heading_shares(count)
    assert shares.shape == (HEADINGS, count)
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-5
    assert (shares >= 0).all()
    apart = np.abs(np.arange(HEADINGS)[:, None] / HEADINGS - np.arange(count) / count)
    apart = np.minimum(apart, 1 - apart) * count  # in steps from heading to heading
    if count > 2:  # else both neighbours are the same heading
        assert np.abs(shares - np.maximum(1 - apart, 0)).max() < 1e-5


def test_embeddings_are_computed_once(tmp_path, monkeypatch):
    calls = []

    def counted(phrases, title=None):
        calls.append(title)
        return by_hand(phrases)

    monkeypatch.setattr(captions_module, "embed_phrases", counted)
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    source = write(tmp_path / "said.jsonl", HOUSE, FLAT)
    first = convert(source, embed=None, show_progress=True)
    (cached,) = (cache_dir() / "captions").iterdir()
    second = convert(source, embed=None)
    assert calls == ["Embedding captions"]
    assert first.meta["id"] == second.meta["id"] == convert(source).meta["id"]
    convert(write(tmp_path / "other.jsonl", HOUSE), embed=None)  # the same three texts
    assert len(calls) == 1
    cached.write_bytes(cached.read_bytes()[:-2])
    assert convert(source, embed=None).meta["id"] == first.meta["id"]
    assert calls == ["Embedding captions", None]


def test_embeddings_are_kept_in_parts_which_an_interruption_does_not_lose(tmp_path, monkeypatch):
    embedded, most = [], [0]

    def counted(phrases, title=None):
        if len(embedded) == most[0]:
            raise KeyboardInterrupt
        embedded.append(set(phrases))
        return by_hand(phrases)

    monkeypatch.setattr(captions_module, "embed_phrases", counted)
    monkeypatch.setattr(captions_module, "_PART", 1)
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    source = write(tmp_path / "said.jsonl", HOUSE, FLAT)
    most[0] = 1
    with pytest.raises(KeyboardInterrupt):
        convert(source, embed=None)
    most[0] = 99
    assert convert(source, embed=None).meta["id"] == convert(source).meta["id"]
    assert len(embedded) > 1
    assert sum(map(len, embedded)) == len(set.union(*embedded))  # none of them twice


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    monkeypatch.setattr(captions_module, "embed_phrases", lambda phrases, title=None: by_hand(phrases))
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    source = write(tmp_path / "said.jsonl", HOUSE)
    assert convert(source, embed=None).meta["id"] == convert(source).meta["id"]


def test_the_real_file(real_data, tmp_path):
    source = real_data / "captions" / "captions.jsonl.gz"
    if not source.is_file():
        pytest.skip(f"no {source}")
    places = load_captions(source)
    assert len(places) == 10567
    assert {len(place.captions) for place in places} == {8}
    assert len({caption for place in places for row in place.captions for caption in row}) == 127372


# --- joined stores -----------------------------------------------------------------------------------------


def store_of(path, scans, width, value):
    entries = ((scan, "v0", np.full((VIEWS, width), value + place, np.float32)) for place, scan in enumerate(scans))
    return FeatureStore.write(path, entries, source=f"{path.name}.jsonl", source_format="test")


def test_stores_side_by_side(tmp_path):
    first = store_of(tmp_path / "first", ["c", "a", "b"], 2, 1)
    store_of(tmp_path / "second", ["b", "c", "d"], 3, 5)
    joined = join_stores([first, tmp_path / "second"], tmp_path / "out", show_progress=False)
    assert joined.index["scan"].tolist() == [b"b", b"c"]
    assert (views_of(joined, "b") == [3, 3, 5, 5, 5]).all()
    assert (views_of(joined, "c") == [1, 1, 6, 6, 6]).all()
    weighed = join_stores([first, first], tmp_path / "out", weights=[0.5, 2], show_progress=False)
    assert (views_of(weighed, "a") == [1, 1, 4, 4]).all()
    assert weighed.meta["source"] == "first.jsonl + first.jsonl"


def test_stores_that_cannot_be_joined(tmp_path):
    first, second = store_of(tmp_path / "first", ["a"], 2, 1), store_of(tmp_path / "second", ["b"], 2, 1)
    for message, stores, options in [
        ("there is no feature store to join", [], {}),
        ("2 feature stores to join have 1 weights", [first, second], {"weights": [1]}),
        ("has no viewpoint in common", [first, second], {}),
        ("no feature store here", [first, tmp_path / "none"], {}),
    ]:
        with pytest.raises(InputError, match=message):
            join_stores(stores, tmp_path / "out", **options)
    with pytest.raises(InputError, match="is one of the stores to join"):
        join_stores([first], tmp_path / "first")
    assert len(FeatureStore.open(tmp_path / "first")) == 1
    assert not (tmp_path / "out").exists()


def test_read_captions_of_some_scans_leaves_out_the_others_unread(tmp_path):
    path = tmp_path / "captions.jsonl"
    good = {"viewpoint": "v", "captions": [["a", "b", "c"]]}
    lines = [
        json.dumps({"scan": "one", **good}),
        '{"scan": "two", broken',
        json.dumps({"scan": "one", **good, "viewpoint": "w"}),
    ]
    path.write_text("\n".join(lines))
    assert [place.viewpoint for place in read_captions(path, ["one"])] == ["v", "w"]
    assert list(read_captions(path, ["three"])) == []
    with pytest.raises(InputError, match="line 2"):
        list(read_captions(path, ["one", "two"]))
