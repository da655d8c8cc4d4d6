"""Arrays in files: nothing is allocated that a header only claims, and no damaged cache is believed."""

import io
import resource

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtvm.io.arrays import keep_cached, npy_header, read_cached, read_npy

TABLE = np.arange(24, dtype=np.float32).reshape(4, 6)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def with_header(text, body=b"", version=b"\x01\x00"):
    padded = text.encode() + b"\n"
    size = len(padded).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + padded + body


@pytest.mark.parametrize("mapped", [False, True])
def test_read_npy_reads_what_numpy_wrote(tmp_path, mapped):
    np.save(tmp_path / "a.npy", TABLE)
    found = read_npy(tmp_path / "a.npy", mapped)
    assert isinstance(found, np.memmap) == mapped
    np.testing.assert_array_equal(found, TABLE)


HEADER = "{'descr': %s, 'fortran_order': False, 'shape': %s}"
MALFORMED = {
    "nothing": b"",
    "no magic": b"PK\x03\x04" + bytes(50),
    "no dictionary": with_header("[1, 2]"),
    "an unfinished one": with_header("{'descr': '<f4', "),
    "parentheses without end": with_header("(" * 5000),
    "a huge header": with_header("{" + " " * 60000 + "}"),
    "a shape of words": with_header(HEADER % ("'<f4'", "('a', 2)")),
    "a negative shape": with_header(HEADER % ("'<f4'", "(-1, 6)"), bytes(96)),
    "a shape without end": with_header(HEADER % ("'<f4'", "(10**30,)"), bytes(96)),
    "more than there is": with_header(HEADER % ("'<f4'", "(1000000000000,)"), bytes(96)),
    "less than there is": with_header(HEADER % ("'<f4'", "(3,)"), bytes(96)),
    "objects": with_header(HEADER % ("'|O'", "(3,)"), bytes(96)),
    "numbers of no size": with_header(HEADER % ("'|V0'", "(99999999999,)")),
    "a type that is none": with_header(HEADER % ("'zebra'", "(3,)"), bytes(12)),
    "a type that is a number": with_header(HEADER % ("5", "(3,)"), bytes(12)),
    "a type of odd tuples": with_header(HEADER % ("[('a',)]", "(3,)"), bytes(12)),
    "another version": with_header(HEADER % ("'<f4'", "(24,)"), bytes(96), b"\x09\x00"),
    "not text": b"\x93NUMPY\x01\x00\x10\x00" + bytes(range(240, 256)),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_read_npy_says_how_a_file_is_damaged_and_takes_no_memory_for_it(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"^(the header of an array|a\.npy has)"):
        read_npy(tmp_path / "a.npy")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "KB"


@settings(max_examples=200)
@given(st.binary(max_size=200))
@example(npy(TABLE)[:100])
def test_npy_header_fails_in_one_way_only(content):
    try:
        shape, dtype = npy_header(io.BytesIO(b"\x93NUMPY\x01\x00" + content))
    except ValueError:
        return
    assert dtype.itemsize > 0
    assert all(size >= 0 for size in shape)


def test_cache_gives_back_what_was_kept(tmp_path):
    keep_cached(tmp_path / "deep" / "a.npz", {"table": TABLE, "names": np.array(["a", "bcd"])})
    found = read_cached(tmp_path / "deep" / "a.npz", ["table", "names"])
    np.testing.assert_array_equal(found["table"], TABLE)
    assert found["names"].tolist() == ["a", "bcd"]
    assert read_cached(tmp_path / "deep" / "a.npz", ["table"]) is None, "of another version of the program"
    assert read_cached(tmp_path / "b.npz", ["table"]) is None


def test_cache_that_is_damaged_anywhere_is_not_believed(tmp_path):
    """Every byte of the file in turn: what comes back is nothing, or what was kept."""
    path = tmp_path / "a.npz"
    keep_cached(path, {"table": TABLE})
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        found = read_cached(path, ["table"])
        refused += found is None
        assert found is None or np.array_equal(found["table"], TABLE), place
    assert refused > TABLE.nbytes
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert read_cached(path, ["table"]) is None


def test_cache_that_cannot_be_written_costs_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    keep_cached(tmp_path / "file" / "a.npz", {"table": TABLE})
    assert read_cached(tmp_path / "file" / "a.npz", ["table"]) is None
