"""Feature files that were made to do harm: they name other files, or claim to hold more than they do."""

import gzip
import json
import zipfile
import zlib

import h5py
import numpy as np
import pytest
from test_importing import ENTRIES, KEYS, VIEWS, tsv_line, write_hdf5, write_npz

from mtvm.errors import InputError
from mtvm.features.importing import import_features
from mtvm.features.names import read_semantics
from mtvm.features.store import FeatureStore
from mtvm.io.unpacking import unpacked_limit
from mtvm.world.skybox import load_depth_faces, load_faces


def assert_refused(source, match):
    """One sentence, and nothing is written."""
    with pytest.raises(InputError, match=match) as caught:
        import_features(source, source.parent / "out" / "store", show_progress=False)
    message = str(caught.value)
    assert message.startswith(str(source))
    assert message.isprintable()
    assert len(message) < 600
    assert list((source.parent / "out").glob("*")) == []


# Other files


@pytest.fixture
def secret(tmp_path):
    """A file outside, of the size of an entry."""
    path = tmp_path / "secret"
    path.write_bytes(b"SECRET!!" * (VIEWS * 6 * 4 // 8))
    return path


def outside(file, secret, other):
    file.create_dataset("scan_v1", (VIEWS, 6), "f4", external=[(str(secret), 0, h5py.h5f.UNLIMITED)])


def external_link(file, secret, other):
    file["scan_v1"] = h5py.ExternalLink(str(other), "/scanA_v1")


def soft_link(file, secret, other):
    file["kept"] = np.zeros((VIEWS, 6), "f4")
    file["scan_v1"] = h5py.SoftLink("/kept")
    del file["kept"]
    file["scan_kept"] = np.zeros((VIEWS, 6), "f4")


def virtual(file, secret, other):
    layout = h5py.VirtualLayout((VIEWS, 6), "f4")
    layout[:] = h5py.VirtualSource(str(other), "scanA_v1", (VIEWS, 6))
    file.create_virtual_dataset("scan_v1", layout)


@pytest.mark.parametrize("make", [outside, external_link, soft_link, virtual])
def test_import_features_reads_no_other_file_than_the_one_it_was_given(tmp_path, secret, make):
    write_hdf5(tmp_path / "other.hdf5")
    with h5py.File(tmp_path / "features.hdf5", "w") as file:
        make(file, secret, tmp_path / "other.hdf5")
    assert_refused(tmp_path / "features.hdf5", "is no array in this file itself, and other files are not read")


# More than there is


def test_import_features_does_not_believe_the_shape_of_an_hdf5_array(tmp_path):
    with h5py.File(tmp_path / "features.hdf5", "w") as file:
        file.create_dataset("scan_v1", (VIEWS, 2**33), "f4", chunks=(VIEWS, 1024))
    assert_refused(tmp_path / "features.hdf5", "more than the file can hold")


def member(shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)


@pytest.mark.parametrize("shape", [(VIEWS, 2**33), (VIEWS, 10**9), (2**40, 6)])
def test_import_features_does_not_believe_the_header_of_an_array(tmp_path, shape):
    with zipfile.ZipFile(tmp_path / "features.npz", "w") as archive:
        archive.writestr("scan_v1.npy", member(shape))
    assert_refused(tmp_path / "features.npz", "more than the file can hold")


def test_import_features_refuses_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "0.02")
    with zipfile.ZipFile(tmp_path / "features.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"scan_v{number}.npy", bytes(10_000_000))
    assert_refused(tmp_path / "features.npz", r"looks like a trap; .* with MTVM_MAX_UNPACKED_GB=1\.")


def test_limit_of_what_is_unpacked_follows_the_size_of_the_file(tmp_path, monkeypatch):
    monkeypatch.delenv("MTVM_MAX_UNPACKED_GB", raising=False)
    (tmp_path / "small").write_bytes(bytes(10))
    with (tmp_path / "large").open("wb") as file:
        file.truncate(10**9)  # without its bytes
    assert unpacked_limit(tmp_path / "small") == 64 * 2**20
    assert unpacked_limit(tmp_path / "large") == 10**11


def test_limit_of_what_is_unpacked_can_be_raised_and_lowered(tmp_path, monkeypatch):
    write_npz(tmp_path / "features.npz")
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "0.000001")
    assert_refused(tmp_path / "features.npz", "looks like a trap")
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "1")
    assert len(import_features(tmp_path / "features.npz", tmp_path / "store", show_progress=False)) == len(ENTRIES)
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "a lot")
    with pytest.raises(InputError, match=r"\$MTVM_MAX_UNPACKED_GB is a lot, not a number of gigabytes"):
        import_features(tmp_path / "features.npz", tmp_path / "store", show_progress=False)


@pytest.mark.parametrize("name", ["features.tsv.gz", "features.zip"])
def test_import_features_refuses_a_line_without_end(tmp_path, name):
    content = b"scan\tv\t640\t480\t60\t" + b"A" * 70_000_000
    if name.endswith("gz"):
        (tmp_path / name).write_bytes(gzip.compress(content, 1))
    else:
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("features.tsv", content)
    assert_refused(tmp_path / name, "a line is longer than 67 MB")


def test_read_semantics_refuses_a_bomb_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "0.02")
    packer, unpacked = zlib.compressobj(9, zlib.DEFLATED, 31), 0
    with (tmp_path / "viewpoints.jsonl.gz").open("wb") as file:
        for _ in range(40):
            file.write(packer.compress(b" " * 1_000_000 + b"\n"))
            unpacked += 1_000_001
        file.write(packer.flush())
    assert (tmp_path / "viewpoints.jsonl.gz").stat().st_size < unpacked / 500
    with pytest.raises(InputError, match="looks like a trap"):
        list(read_semantics(tmp_path / "viewpoints.jsonl.gz"))


@pytest.mark.parametrize("text", ['{"scan": ' * 5000, '{"scan": "\\ud800"}', '{"scan": ' + "1" * 6000 + "}"])
def test_read_semantics_of_absurd_lines_is_one_sentence(tmp_path, text):
    (tmp_path / "viewpoints.jsonl").write_text(text)
    with pytest.raises(InputError, match="line 1"):
        list(read_semantics(tmp_path / "viewpoints.jsonl"))


def test_read_semantics_refuses_ids_without_end(tmp_path):
    line = {"scan": "s", "viewpoint": "v" * 100_000, "room": "hall", "objects": []}
    (tmp_path / "viewpoints.jsonl").write_text(json.dumps(line))
    with pytest.raises(InputError, match="field 'viewpoint' has more than 128 characters"):
        list(read_semantics(tmp_path / "viewpoints.jsonl"))


def test_import_features_shortens_and_escapes_names_in_messages(tmp_path):
    bad = "\x1b[31mred\x07" + "v" * 1000
    (tmp_path / "features.tsv").write_text(tsv_line("scan", bad, np.zeros((VIEWS, 6))))
    assert_refused(tmp_path / "features.tsv", r"viewpoint '\\x1b\[31mred\\x07vvv")


def test_open_of_a_store_with_malformed_headers_is_one_sentence(tmp_path):
    entries = ((*key, np.zeros((VIEWS, 6), np.float32)) for key in KEYS)
    store = FeatureStore.write(tmp_path / "store", entries, source="made", source_format="test").path
    whole = (store / "index.npy").read_bytes()
    claimed = np.lib.format
    for header in ({"descr": "|O"}, {"descr": "<f4", "shape": (10**15,)}, {"shape": (4, 0)}, {"fortran_order": 7}):
        with (store / "index.npy").open("wb") as file:
            fields = {"descr": [("scan", "S5"), ("viewpoint", "S2"), ("row", "<i8")], "fortran_order": False}
            claimed.write_array_header_1_0(file, fields | {"shape": (4,)} | header)
            file.write(whole[-60:])
        with pytest.raises(InputError, match=r"store: this feature store is damaged"):
            FeatureStore.open(store)


# Pictures


def test_load_faces_reads_pictures_by_what_they_are_not_by_their_names(tmp_path):
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 60 10\nshowpage\n%%EOF\n"
    for content in (postscript, b"GIF89a" + bytes(50), b"BM" + bytes(60), b"II*\0" + bytes(60)):
        (tmp_path / "v_skybox_small.jpg").write_bytes(content)
        with pytest.raises(InputError, match="not a readable image"):
            load_faces(tmp_path, "v")


def test_load_depth_faces_of_a_cut_picture_is_one_sentence(tmp_path):
    from PIL import Image

    path = tmp_path / "v_skybox_depth_small.png"
    Image.fromarray(np.arange(600, dtype=np.uint16).reshape(10, 60)).save(path)
    whole = path.read_bytes()
    depth, refused = load_depth_faces(tmp_path, "v"), 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            np.testing.assert_array_equal(load_depth_faces(tmp_path, "v"), depth)
        except InputError:
            refused += 1
    assert refused > 0.7 * len(whole), "all but the last bytes, which only check the others and say that it ends"
