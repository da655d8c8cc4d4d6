"""The feature store: lookup, gathering, refusals and sharing between processes."""

import contextlib
import functools
import json
import multiprocessing
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.world.views import VIEWS

WIDTH = 5
KEYS = [
    ("scanB", "v2"),
    ("scan_A", "v10"),
    ("scanB", "v1"),
    ("scan", "A_v10"),
    ("scan_A", "a-longer-viewpoint"),
]


def features_of(number, width=WIDTH):
    return np.random.default_rng(number).standard_normal((VIEWS, width)).astype(np.float32)


def write(path, keys=KEYS, width=WIDTH):
    entries = ((scan, viewpoint, features_of(number, width)) for number, (scan, viewpoint) in enumerate(keys))
    return FeatureStore.write(path, entries, source="made.tsv", source_format="test")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return write(tmp_path_factory.mktemp("features") / "store")


def assert_nothing_written(folder):
    assert list(folder.iterdir()) == []


def child_reads(store, row, connection):
    connection.send((store.gather([row], [7]).tolist(), store._features.flags.writeable))


def test_feature_store_returns_values_in_half_precision(store):
    assert (len(store), store.width) == (len(KEYS), WIDTH)
    rows = store.rows([scan for scan, _ in KEYS], [viewpoint for _, viewpoint in KEYS])
    assert rows.dtype == np.int64
    expected = np.stack([features_of(number) for number in range(len(KEYS))]).astype(np.float16)
    assert np.array_equal(store.panorama(rows), expected)


def test_feature_store_files_are_plain_numpy_and_json(store):
    plain = np.load(store.path / "features.npy")
    assert plain.shape == (len(KEYS), VIEWS, WIDTH)
    assert plain.dtype == np.float16
    meta = json.loads((store.path / "meta.json").read_text())
    assert (meta["source"], meta["source_format"], meta["viewpoints"]) == ("made.tsv", "test", len(KEYS))
    assert meta["features_bytes"] == (store.path / "features.npy").stat().st_size


def test_feature_store_id_depends_on_the_values(tmp_path, store):
    assert write(tmp_path / "same").meta["id"] == store.meta["id"]
    assert write(tmp_path / "other", list(reversed(KEYS[1:]))).meta["id"] != store.meta["id"]


def test_rows_accepts_one_scan_for_many_viewpoints_and_any_shape(store):
    assert store.rows("scanB", [["v1", "v2"]]).tolist() == [[2, 0]]
    assert store.rows(np.array("scanB"), "v1").shape == ()
    assert store.rows([], []).shape == (0,)


@pytest.mark.parametrize(
    ("scans", "viewpoints", "message"),
    [
        (["scanB", "scanB", "no"], ["v1", "v9", "v1"], "2 of 3 .* viewpoint 'v9' of scan 'scanB'; make"),
        ("zzz", "zzz", "1 of 1 .* viewpoint 'zzz' of scan 'zzz'"),
        ("scan_AA", "v10", "'scan_AA'"),
        ("scan_A", "a-longer-viewpoint-still", "still"),
        ("scan_", "Av10", "'scan_'"),
        ("scané", "v1", "scané"),
        ("", "", "''"),
    ],
)
def test_rows_names_missing_viewpoints(store, scans, viewpoints, message):
    with pytest.raises(InputError, match=message) as caught:
        store.rows(scans, viewpoints)
    assert str(store.path) in str(caught.value)


@given(data=st.data())
def test_gather_equals_a_loop(store, data):
    shape = data.draw(st.sampled_from([(), (0,), (4,), (3, 5), (2, 1, 3)]))
    size = int(np.prod(shape))
    row = st.integers(-2, len(KEYS) - 1)
    rows = np.array(data.draw(st.lists(row, min_size=size, max_size=size)), dtype=np.int64).reshape(shape)
    view = st.integers(0, VIEWS - 1)
    views = np.array(data.draw(st.lists(view, min_size=size, max_size=size)), dtype=np.int64).reshape(shape)
    dtype = data.draw(st.sampled_from([np.int8, np.int32, np.int64]))

    plain = np.load(store.path / "features.npy")
    expected = np.zeros((*shape, WIDTH), dtype=np.float16)
    for place in np.ndindex(*shape):
        if rows[place] >= 0:
            expected[place] = plain[rows[place], views[place]]
    gathered = store.gather(rows.astype(dtype), views.astype(dtype))
    assert gathered.dtype == np.float16
    assert np.array_equal(gathered, expected)


def test_gather_ignores_the_views_of_padding(store):
    assert not store.gather([-1, -1, -5], [-1, 99, 10**9]).any()
    assert not store.panorama([-1]).any()


def test_gather_does_not_overflow_small_integers(tmp_path):
    many = write(tmp_path / "many", [("scan", f"v{number}") for number in range(120)], width=1)
    row = np.array([119], dtype=np.int8)
    assert many.gather(row, np.array([35], dtype=np.int8))[0, 0] == np.float16(features_of(119, 1)[35, 0])


def test_gather_fills_and_returns_out(store):
    out = np.full((2, 3, WIDTH), 7, dtype=np.float16)
    rows, views = np.array([[0, 1, -1], [2, -1, -1]]), np.full((2, 3), 4)
    assert store.gather(rows, views, out) is out
    assert np.array_equal(out, store.gather(rows, views))
    part = np.full((2, 3, 2 * WIDTH), 7, dtype=np.float16)
    store.gather(rows, views, part[..., :WIDTH])
    assert np.array_equal(part[..., :WIDTH], out)
    assert (part[..., WIDTH:] == 7).all()


def test_feature_store_refuses_bad_arguments(store):
    with pytest.raises(ValueError, match="shape"):
        store.gather([0], [[0]])
    with pytest.raises(IndexError, match="row 5"):
        store.gather([5], [0])
    with pytest.raises(IndexError, match="row 5"):
        store.panorama([5])
    with pytest.raises(IndexError, match=r"0\.\.35"):
        store.gather([0], [36])
    with pytest.raises(IndexError, match=r"0\.\.35"):
        store.gather([0], [-1])
    with pytest.raises(TypeError):
        store.gather(np.array([0.5]), [0])
    with pytest.raises(ValueError, match="output array"):
        store.gather([0], [0], np.empty((2, WIDTH), dtype=np.float16))
    with pytest.raises(TypeError):
        store.gather([0], [0], np.empty((1, WIDTH), dtype=np.float32))


def test_feature_store_pickles_as_its_path(store, tmp_path, monkeypatch):
    sent = pickle.dumps(store)
    assert len(sent) < 1000
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(sent)
    assert np.array_equal(again.gather([1], [2]), store.gather([1], [2]))


def test_feature_store_survives_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    relative = write("here")
    monkeypatch.chdir("/")
    assert len(pickle.loads(pickle.dumps(relative))) == len(KEYS)


def test_feature_store_reads_the_same_values_in_a_child_process(store):
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=child_reads, args=(store, 3, there))
    child.start()
    values, writeable = here.recv()
    child.join()
    assert values == store.gather([3], [7]).tolist()
    assert not writeable


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.zeros((35, WIDTH)), r"\(35, 5\)"),
        (np.zeros((VIEWS, WIDTH + 1)), "width 6, but those before have 5"),
        (np.zeros(VIEWS), r"\(36,\)"),
        (np.zeros((VIEWS, WIDTH), dtype=int), "int64"),
        (np.full((VIEWS, WIDTH), np.nan), "not finite"),
        (np.full((VIEWS, WIDTH), -np.inf), "not finite"),
        (np.full((VIEWS, WIDTH), 7e4), "65504"),
    ],
)
def test_feature_store_write_refuses_bad_features(tmp_path, features, message):
    entries = [("scan", "v1", features_of(1)), ("scan", "v2", features)]
    with pytest.raises(InputError, match=f"^made: viewpoint 'v2' of scan 'scan' .*{message}"):
        FeatureStore.write(tmp_path / "store", entries, source="made", source_format="test")
    assert_nothing_written(tmp_path)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([("scan", "v"), ("scan", "v")], "viewpoint 'v' of scan 'scan' appears twice"),
        ([("", "v")], "cannot be stored"),
        ([("s", "v\0")], "cannot be stored"),
        ([], "contains no features"),
    ],
)
def test_feature_store_write_refuses_bad_keys(tmp_path, keys, message):
    with pytest.raises(InputError, match=message):
        write(tmp_path / "store", keys)
    assert_nothing_written(tmp_path)


def test_feature_store_write_replaces_a_store_only_when_complete(tmp_path):
    path = tmp_path / "store"
    old = write(path)
    with pytest.raises(InputError, match="twice"):
        write(path, [("new", "v"), ("new", "v")])
    assert len(FeatureStore.open(path)) == len(KEYS)
    assert len(write(path, [("new", "v")])) == 1
    assert np.array_equal(old.panorama([0])[0], features_of(0).astype(np.float16))
    assert [item.name for item in tmp_path.iterdir()] == ["store"]


def test_feature_store_write_replaces_a_store_that_another_process_has_just_written(tmp_path, monkeypatch):
    """It appears between two looks at its place."""
    write = functools.partial(FeatureStore.write, tmp_path / "store", source="made", source_format="test")
    write([("s", "v", np.zeros((VIEWS, 2), np.float32))])
    is_dir = Path.is_dir
    with monkeypatch.context() as patched:
        patched.setattr(Path, "is_dir", lambda path: path != tmp_path / "store" and is_dir(path))
        entries = iter([("s", "v", np.ones((VIEWS, 2), np.float32))])
        with contextlib.suppress(InputError):  # of opening what is no folder
            write(entries)
    assert next(entries, None) is None
    assert (FeatureStore.open(tmp_path / "store").panorama([0]) == 1).all()


def test_feature_store_write_refuses_to_replace_other_folders(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        write(tmp_path)
    with pytest.raises(InputError, match="not a feature store"):
        write(tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def truncate_features(path):
    with (path / "features.npy").open("r+b") as file:
        file.truncate(300)


def change_width(path):
    meta = json.loads((path / "meta.json").read_text())
    (path / "meta.json").write_text(json.dumps({**meta, "width": WIDTH + 1}))


def cut_index(path):
    np.save(path / "index.npy", np.load(path / "index.npy")[:-1])


def unsort_index(path):
    np.save(path / "index.npy", np.load(path / "index.npy")[::-1])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (truncate_features, "features.npy: has 300 bytes instead of .* truncated"),
        (change_width, r"\(5, 36, 5\), meta.json says \(5, 36, 6\)"),
        (cut_index, "does not list 5"),
        (unsort_index, "not sorted"),
        (lambda path: (path / "index.npy").write_bytes(b""), "damaged"),
        (lambda path: (path / "features.npy").unlink(), "damaged"),
        (lambda path: (path / "meta.json").write_text("{}"), "format version"),
        (lambda path: (path / "meta.json").unlink(), "no such file"),
    ],
)
def test_feature_store_refuses_damaged_files(tmp_path, damage, message):
    path = write(tmp_path / "store").path
    damage(path)
    with pytest.raises(InputError, match=message):
        FeatureStore.open(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("name", ["meta.json", "index.npy", "features.npy"])
def test_feature_store_does_not_wait_for_a_pipe(tmp_path, name):
    path = write(tmp_path / "store").path
    (path / name).unlink()
    os.mkfifo(path / name)
    with pytest.raises(InputError, match=rf"{name}: not a file but a folder, a pipe or a device"):
        FeatureStore.open(path)


def test_feature_store_names_an_absent_store(tmp_path):
    with pytest.raises(InputError, match="nowhere: no feature store here"):
        FeatureStore.open(tmp_path / "nowhere")


def replace_again_and_again(path, stop):
    number = 0
    while not stop.is_set():
        number += 1
        keys = KEYS[: 1 + number % len(KEYS)]
        values = np.full((VIEWS, 4 + number % 3), float(len(keys)), dtype=np.float32)
        FeatureStore.write(path, ((*key, values) for key in keys), source="made", source_format="test")


def test_feature_store_is_read_whole_beside_a_process_that_replaces_it(tmp_path):
    path = tmp_path / "store"
    write(path)
    context = multiprocessing.get_context("fork")
    stop = context.Event()
    writer = context.Process(target=replace_again_and_again, args=(path, stop))
    writer.start()
    seen = set()
    try:
        for _ in range(300):
            opened = FeatureStore.open(path)
            seen.add((len(opened), opened.width))
            if opened.width != WIDTH or len(opened) != len(KEYS):
                assert (opened.panorama(np.arange(len(opened))) == len(opened)).all(), "of two stores"
            opened.verify()
    finally:
        stop.set()
        writer.join()
    assert writer.exitcode == 0
    assert len(seen) > 3
    assert [item.name for item in tmp_path.iterdir()] == ["store"]


def test_feature_store_verify_finds_any_changed_bit(tmp_path):
    store = write(tmp_path / "store")
    assert store.verify() is store
    path = store.path / "features.npy"
    whole = path.read_bytes()
    for place in range(128, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"features\.npy: this feature store is damaged .*checksum"):
            FeatureStore.open(store.path).verify()


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 129, "half \ud800"])
def test_feature_store_write_refuses_names_that_cannot_be_stored(tmp_path, name):
    with pytest.raises(InputError, match="cannot be stored; both names must have 1 to 128 characters") as caught:
        write(tmp_path / "store", [("scan", "v"), ("scan", name)])
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()
    assert_nothing_written(tmp_path)


def test_feature_store_repr_shows_its_size(store):
    assert "5 viewpoints, width 5" in repr(store)
