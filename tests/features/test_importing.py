"""Importing feature files: every format gives the same store, every bad file one sentence and no store."""

import base64
import codecs
import gzip
import re
import sys
import zipfile

import h5py
import numpy as np
import pytest

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.importing import import_features
from mtvm.world.views import VIEWS

WIDTH = 6
KEYS = [("scanB", "v2"), ("made_scan_1", "v1"), ("scanB", "v1"), ("scanA", "v1")]
FEATURES = np.random.default_rng(0).standard_normal((len(KEYS), VIEWS, WIDTH)).astype(np.float32)
ENTRIES = {f"{scan}_{viewpoint}": features for (scan, viewpoint), features in zip(KEYS, FEATURES, strict=True)}


def tsv_line(scan, viewpoint, features):
    content = base64.b64encode(np.ascontiguousarray(features, dtype="<f4").tobytes()).decode()
    return f"{scan}\t{viewpoint}\t640\t480\t60\t{content}\n"


LINES = [tsv_line(*key, features) for key, features in zip(KEYS, FEATURES, strict=True)]


def write_tsv(path):
    path.write_text("".join(LINES))


def write_tsv_with_header(path):
    header = "scanId\tviewpointId\timage_w\timage_h\tvfov\tfeatures\r\n"
    path.write_bytes((header + "".join(LINES).replace("\n", "\r\n") + "\r\n").encode())


def write_tsv_with_mark(path):
    """As editors on Windows save a text."""
    path.write_bytes(codecs.BOM_UTF8 + "".join(LINES).encode())


def write_tsv_without_last_newline(path):
    path.write_text("".join(LINES).rstrip("\n"))


def write_gz(path):
    path.write_bytes(gzip.compress("".join(LINES).encode()))


def write_zip(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ResNet-152/features.tsv", "".join(LINES))
        archive.writestr("__MACOSX/features.tsv", "")


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        for key, features in ENTRIES.items():
            file.create_dataset(key, data=features, compression="gzip")


def write_npz(path):
    np.savez(path, **ENTRIES)


FORMATS = {
    "plain.tsv": (write_tsv, "tsv"),
    "header.tsv": (write_tsv_with_header, "tsv"),
    "header.txt": (write_tsv_with_header, "tsv"),
    "mark.tsv": (write_tsv_with_mark, "tsv"),
    "open-end.tsv": (write_tsv_without_last_newline, "tsv"),
    "features.tsv.gz": (write_gz, "tsv.gz"),
    "ResNet-152.zip": (write_zip, "tsv.zip"),
    "pth_vit.hdf5": (write_hdf5, "hdf5"),
    "no-suffix": (write_hdf5, "hdf5"),
    "features.npz": (write_npz, "npz"),
}


def convert(source, **options):
    return import_features(source, source.parent / "out" / "store", show_progress=False, **options)


def assert_refused(source, message, **options):
    with pytest.raises(InputError, match=message) as caught:
        convert(source, **options)
    assert str(source) in str(caught.value)
    assert len(str(caught.value)) < 330
    out = source.parent / "out"
    assert not out.exists() or list(out.iterdir()) == []


@pytest.mark.parametrize("name", FORMATS)
def test_import_features_gives_the_same_store_for_every_format(tmp_path, name):
    write_source, source_format = FORMATS[name]
    write_source(tmp_path / name)
    store = convert(tmp_path / name)
    rows = store.rows([scan for scan, _ in KEYS], [viewpoint for _, viewpoint in KEYS])
    assert len(store) == len(KEYS)
    assert np.array_equal(store.panorama(rows), FEATURES.astype(np.float16))
    assert (store.meta["source"], store.meta["source_format"]) == (name, source_format)
    assert [item.name for item in (tmp_path / "out").iterdir()] == ["store"]


@pytest.mark.parametrize("name", FORMATS)
def test_import_features_selects_width_and_scans(tmp_path, name):
    FORMATS[name][0](tmp_path / name)
    store = convert(tmp_path / name, width=2, scans=["scanB", "made_scan_1"])
    assert (len(store), store.width) == (3, 2)
    assert np.array_equal(store.panorama(store.rows("scanB", "v1")), FEATURES[2, :, :2].astype(np.float16))
    with pytest.raises(InputError, match="scanA"):
        store.rows("scanA", "v1")


@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f8"])
def test_import_features_reads_hdf5_of_any_float_type(tmp_path, dtype):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["s_v"] = FEATURES[0].astype(dtype)
    store = convert(tmp_path / "x.h5")
    assert np.array_equal(store.panorama(store.rows("s", "v")), FEATURES[0].astype(np.float16))


def test_import_features_shows_progress_on_stderr(tmp_path, capsys):
    write_tsv(tmp_path / "x.tsv")
    import_features(tmp_path / "x.tsv", tmp_path / "store")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Importing x.tsv: ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LINES[0], LINES[1].replace("\t640", "")], "line 2: has 5 columns instead of 6"),
        ([LINES[0], LINES[1] + "scanA"], "line 3: has 1 columns .* truncated"),
        ([LINES[0], LINES[1][:-2]], "line 2: .* not valid base64"),
        ([LINES[0], LINES[1][:-101] + "==="], "line 2: .* bytes, which is not 36 views"),
        ([LINES[0], LINES[1].replace("\t60\t", "\t60\t****")[:-5]], "line 2: "),
        ([LINES[0], LINES[1][: -192 - 1]], r"line 2: .* shape \(36, 5\) but the first ones have \(36, 6\)"),
        ([LINES[0], "scanA\tv1\t640\t480\t60\t\n"], "line 2: .* 0 bytes"),
        ([LINES[0], LINES[1], LINES[0]], "viewpoint 'v2' of scan 'scanB' appears twice"),
        ([tsv_line("", "v", FEATURES[0])], "cannot be stored"),
        ([tsv_line("s", "v", FEATURES[0] * np.nan)], "not finite"),
        (["features\tviewpointId\timage_w\timage_h\tvfov\tscanId\n", LINES[0]], "line 1: "),
        (["\n"], "contains no features"),
        ([], "the file is empty"),
        (["no tabs at all"], "line 1: has 1 columns"),
    ],
)
def test_import_features_refuses_bad_tsv(tmp_path, lines, message):
    (tmp_path / "x.tsv").write_text("".join(lines))
    assert_refused(tmp_path / "x.tsv", message)


def test_import_features_refuses_tsv_that_is_not_text(tmp_path):
    (tmp_path / "x.tsv").write_bytes(LINES[0].encode() + b"\xff\xfe" + LINES[1].encode())
    assert_refused(tmp_path / "x.tsv", "damaged at or after line 1")


def test_import_features_refuses_a_cut_line_even_with_a_width(tmp_path):
    (tmp_path / "x.tsv").write_text(LINES[0] + LINES[1][: -192 - 1])
    assert_refused(tmp_path / "x.tsv", "line 2", width=2)


@pytest.mark.parametrize("width", [0, -1, WIDTH + 1])
def test_import_features_refuses_an_unavailable_width(tmp_path, width):
    write_tsv(tmp_path / "x.tsv")
    assert_refused(tmp_path / "x.tsv", f"6 wide and cannot be cut to {width}", width=width)


def test_import_features_refuses_absent_scans(tmp_path):
    write_tsv(tmp_path / "x.tsv")
    assert_refused(
        tmp_path / "x.tsv", "no features for 1 of the 2 requested scans, first 'ooo'", scans=["ooo", "scanA"]
    )


def test_import_features_refuses_absent_files_folders_and_unknown_formats(tmp_path):
    assert_refused(tmp_path / "x.tsv", "there is no such file")
    (tmp_path / "folder.tsv").mkdir()
    assert_refused(tmp_path / "folder.tsv", "cannot read")
    (tmp_path / "page.hdf5").write_text("<!DOCTYPE html>")
    assert_refused(tmp_path / "page.hdf5", "known format .* web page")


@pytest.mark.parametrize("name", ["features.tsv.gz", "ResNet-152.zip", "pth_vit.hdf5", "features.npz"])
@pytest.mark.parametrize("part", [0.05, 0.5, 0.95])
def test_import_features_refuses_truncated_binary_files(tmp_path, name, part):
    FORMATS[name][0](tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(part * len(content))])
    assert_refused(tmp_path / name, r"damaged at or after .* fetch it again|columns|base64|36 views|shape")


@pytest.mark.parametrize("name", ["features.tsv.gz", "ResNet-152.zip", "features.npz"])
def test_import_features_refuses_flipped_bytes(tmp_path, name):
    FORMATS[name][0](tmp_path / name)
    content = bytearray((tmp_path / name).read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = b"\xa5" * 40
    (tmp_path / name).write_bytes(content)
    assert_refused(tmp_path / name, "damaged|columns|base64|36 views|shape")


@pytest.mark.parametrize("names", [[], ["a.tsv", "b.tsv"], ["a.csv"]])
def test_import_features_requires_one_tsv_in_a_zip(tmp_path, names):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in names:
            archive.writestr(name, LINES[0])
    assert_refused(tmp_path / "x.zip", r"\d \.tsv files, not one")


@pytest.mark.parametrize("suffix", ["hdf5", "npz"])
@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"nounderscore": FEATURES[0]}, "key 'nounderscore' is not <scan>_<viewpoint>"),
        ({"s_a": FEATURES[0], "s_b": FEATURES[0][0]}, "key 's_b' is not an array of shape"),
        ({"s_a": FEATURES[0][:35]}, r"'a' of scan 's' has float32 of shape \(35, 6\)"),
        (
            {"s_a": FEATURES[0], "s_b": FEATURES[0][:, :3]},
            r"key 's_b': .*\(36, 3\) but the first ones have \(36, 6\)",
        ),
        ({"s_a": np.zeros((VIEWS, 2), dtype=int)}, "int64"),
        ({"s_a": np.full((VIEWS, 2), 1e6)}, "65504"),
        ({}, "contains no features"),
    ],
)
def test_import_features_refuses_bad_arrays(tmp_path, suffix, entries, message):
    source = tmp_path / f"x.{suffix}"
    if suffix == "npz":
        np.savez(source, **entries)
    else:
        with h5py.File(source, "w") as file:
            file.update(entries)
    assert_refused(source, message)


def test_import_features_refuses_hdf5_groups(tmp_path):
    with h5py.File(tmp_path / "x.hdf5", "w") as file:
        file.create_group("s_v")
    assert_refused(tmp_path / "x.hdf5", "key 's_v' is not an array")


def test_import_features_does_not_load_pickled_objects(tmp_path):
    np.savez(tmp_path / "x.npz", s_v=np.array([[{}]]))
    assert_refused(tmp_path / "x.npz", "damaged at or after key 's_v'")


def test_import_features_names_the_extra_without_h5py(tmp_path, monkeypatch):
    write_hdf5(tmp_path / "x.hdf5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'mtvm[features]'")):
        convert(tmp_path / "x.hdf5")
    assert list((tmp_path / "out").iterdir()) == []
