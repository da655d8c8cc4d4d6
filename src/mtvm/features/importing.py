"""Importing other projects' feature files into a feature store: TSV (plain, .gz, .zip), HDF5 and .npz."""

from __future__ import annotations

import binascii
import codecs
import contextlib
import gzip
import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError, brief
from mtvm.features.store import FeatureStore
from mtvm.io.arrays import npy_header
from mtvm.io.unpacking import check_unpacked, lines_of, unpacked_limit
from mtvm.progress import progress
from mtvm.world.views import VIEWS

TSV_COLUMNS = [b"scanId", b"viewpointId", b"image_w", b"image_h", b"vfov", b"features"]
READ_BUFFER_BYTES = 1 << 22  # a line is about 0.4 MB; the default of 8 KB is four times slower
LONGEST_LINE = 1 << 26
FETCH_AGAIN = "it may be truncated, fetch it again"


class _Entry(NamedTuple):
    place: str
    scan: str
    viewpoint: str
    load: Callable[[], NDArray[Any]]
    amount: float  # of progress


class _Source(NamedTuple):
    total: float | None
    unit: str
    entries: Iterable[_Entry]


def import_features(
    source: Path | str,
    out: Path | str,
    *,
    width: int | None = None,
    scans: Collection[str] | None = None,
    show_progress: bool = True,
) -> FeatureStore:
    """Convert the feature file `source` to a store at `out`, which appears complete or not at all.

    `width` keeps only the first columns of each feature, `scans` only these scans.
    """
    source = Path(source)
    source_format = _recognise(source)
    entries = _entries(source, source_format, width, None if scans is None else set(scans), show_progress)
    with contextlib.closing(entries):
        return FeatureStore.write(out, entries, source=source, source_format=source_format)


def _recognise(source: Path) -> str:
    try:
        with source.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError:
        raise InputError(f"{source}: there is no such file (image features).") from None
    except OSError as error:
        raise InputError(f"{source}: cannot read these image features ({error.strerror}).") from None
    if not head:
        raise InputError(f"{source}: the file is empty; fetch it again.")
    if head.startswith(b"\x89HDF\r\n\x1a\n"):
        return "hdf5"
    if head.startswith(b"PK"):
        return "npz" if source.suffix == ".npz" else "tsv.zip"
    if head.startswith(b"\x1f\x8b"):
        return "tsv.gz"
    if source.suffix == ".tsv" or head.splitlines()[0].count(b"\t") == len(TSV_COLUMNS) - 1:
        return "tsv"
    raise InputError(
        f"{source}: not image features in a known format (TSV, TSV in .gz or .zip, HDF5, .npz); "
        "check that the download is not a web page or truncated."
    )


def _entries(
    source: Path, source_format: str, width: int | None, scans: set[str] | None, show_progress: bool
) -> Generator[tuple[str, str, NDArray[Any]], None, None]:
    """Entries of the requested scans, each cut to `width`; every read failure becomes an `InputError`."""
    place = "its beginning"
    shape: tuple[int, ...] | None = None
    found = set()
    try:
        with contextlib.ExitStack() as stack:
            total, unit, entries = _OPENERS[source_format](source, stack)
            title = f"Importing {source.name}"
            advance = stack.enter_context(progress(total, title, unit, show_progress))
            for place, scan, viewpoint, load, amount in entries:
                if scans is None or scan in scans:
                    found.add(scan)
                    features = load()
                    shape = shape or features.shape
                    _check_shape(features, shape, width, f"{source}, {place}")
                    yield scan, viewpoint, features[:, :width]
                advance(amount)
    except InputError:
        raise
    except _READING_FAILURES as error:
        raise InputError(f"{source}: damaged at or after {place} ({brief(error)}); {FETCH_AGAIN}.") from None
    if scans is not None and (absent := scans - found):
        raise InputError(
            f"{source}: has no features for {len(absent)} of the {len(scans)} requested scans, "
            f"first {min(absent)!r}; check the names or leave these scans out."
        )


def _check_shape(features: NDArray[Any], first: tuple[int, ...], width: int | None, place: str) -> None:
    if features.shape != first:
        raise InputError(
            f"{place}: the features have shape {features.shape} but the first ones have {first}; {FETCH_AGAIN}, "
            "or use a separate file for each model's features."
        )
    if width is not None and not 1 <= width <= first[1]:
        raise InputError(
            f"{place}: the features are {first[1]} wide and cannot be cut to {width}; give a width from 1 to "
            f"{first[1]}."
        )


def _open_tsv(source: Path, stack: contextlib.ExitStack) -> _Source:
    file = stack.enter_context(source.open("rb", buffering=READ_BUFFER_BYTES))
    return _Source(source.stat().st_size / 1e6, "MB", _tsv_entries(file, source))


def _open_gzipped_tsv(source: Path, stack: contextlib.ExitStack) -> _Source:
    file = stack.enter_context(gzip.GzipFile(source))
    return _Source(None, "MB", _tsv_entries(_buffered(file), source))


def _open_zipped_tsv(source: Path, stack: contextlib.ExitStack) -> _Source:
    archive = stack.enter_context(zipfile.ZipFile(source))
    members = [item for item in archive.infolist() if Path(item.filename).suffix == ".tsv"]
    members = [item for item in members if not item.filename.startswith("__MACOSX/")]
    if len(members) != 1:
        raise InputError(f"{source}: contains {len(members)} .tsv files, not one; unpack it and import one of them.")
    file = stack.enter_context(archive.open(members[0]))
    return _Source(members[0].file_size / 1e6, "MB", _tsv_entries(_buffered(file), source))


def _buffered(file: object) -> IO[bytes]:
    return io.BufferedReader(cast(io.RawIOBase, file), READ_BUFFER_BYTES)


def _tsv_entries(file: IO[bytes], source: Path) -> Iterator[_Entry]:
    for number, line in enumerate(lines_of(file, source, LONGEST_LINE), 1):
        place = f"line {number}"
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        features_start = line.rfind(b"\t") + 1
        columns = line[:features_start].split(b"\t")  # without the features, which would copy 0.4 MB
        if line.isspace() or (number == 1 and line.split() == TSV_COLUMNS):
            continue
        if len(columns) != len(TSV_COLUMNS):
            raise InputError(
                f"{source}, {place}: has {len(columns)} columns instead of {len(TSV_COLUMNS)} "
                f"({' '.join(name.decode() for name in TSV_COLUMNS)}); {FETCH_AGAIN}."
            )
        load = partial(_decode, memoryview(line)[features_start:], f"{source}, {place}")
        yield _Entry(place, columns[0].decode(), columns[1].decode(), load, len(line) / 1e6)


def _decode(text: memoryview, place: str) -> NDArray[np.float32]:
    try:
        content = binascii.a2b_base64(text)
    except binascii.Error as error:
        raise InputError(f"{place}: the features are not valid base64 ({error}); {FETCH_AGAIN}.") from None
    if not content or len(content) % (VIEWS * 4):
        raise InputError(
            f"{place}: the features have {len(content)} bytes, which is not {VIEWS} views of float32; {FETCH_AGAIN}."
        )
    return np.frombuffer(content, dtype="<f4").reshape(VIEWS, -1)


def _open_hdf5(source: Path, stack: contextlib.ExitStack) -> _Source:
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("h5py", "features", "Reading HDF5 features") from None
    file = stack.enter_context(h5py.File(source, "r"))

    def read(key: str) -> Any:
        dataset = file[key] if isinstance(file.get(key, getlink=True), h5py.HardLink) else None
        elsewhere = isinstance(dataset, h5py.Dataset) and (dataset.external or dataset.is_virtual)
        if dataset is None or elsewhere:
            raise InputError(
                f"{source}: key {brief(repr(key))} is no array in this file itself, and other files are not read; "
                "remove it, or copy the array into the file."
            )
        shape = getattr(dataset, "shape", None)  # a group has none
        _check_claim(source, key, shape, getattr(dataset, "dtype", None), unpacked_limit(source))
        return dataset[()]

    return _keyed_entries(source, list(file), read)


def _open_npz(source: Path, stack: contextlib.ExitStack) -> _Source:
    archive = stack.enter_context(zipfile.ZipFile(source))
    members = {item.filename.removesuffix(".npy"): item for item in archive.infolist()}
    check_unpacked(source, sum(item.file_size for item in members.values()))

    def read(key: str) -> Any:
        with archive.open(members[key]) as member:
            _check_claim(source, key, *npy_header(member), members[key].file_size)
        with archive.open(members[key]) as member, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            return np.lib.format.read_array(member, allow_pickle=False)

    return _keyed_entries(source, list(members), read)


def _keyed_entries(source: Path, keys: list[str], read: Callable[[str], Any]) -> _Source:
    """Entries of an open file that maps `<scan>_<viewpoint>` to an array."""

    def entries() -> Iterator[_Entry]:
        for key in keys:
            scan, _, viewpoint = key.rpartition("_")
            named = f"key {brief(repr(key))}"
            if not scan or not viewpoint:
                raise InputError(f"{source}: {named} is not <scan>_<viewpoint>; rename or remove it.")
            yield _Entry(named, scan, viewpoint, partial(read, key), 1)

    return _Source(len(keys), "viewpoints", entries())


def _check_claim(source: Path, key: str, shape: tuple[int, ...] | None, dtype: Any, most: int) -> None:
    """Raise unless an array is a table whose numbers can be in the file, before memory is taken for them."""
    if shape is None or len(shape) != 2:
        raise InputError(f"{source}: key {brief(repr(key))} is not an array of shape ({VIEWS}, width); remove it.")
    if shape[0] * shape[1] * dtype.itemsize > most:
        raise InputError(
            f"{source}: key {brief(repr(key))} says to have the shape {brief(shape)}, more than the file can hold; "
            "fetch it again."
        )


_READING_FAILURES = (
    *(OSError, EOFError, ValueError, LookupError, RuntimeError, TypeError, MemoryError),  # of h5py and numpy
    *(zlib.error, zipfile.BadZipFile, struct.error),
)
_OPENERS: dict[str, Callable[[Path, contextlib.ExitStack], _Source]] = {
    "tsv": _open_tsv,
    "tsv.gz": _open_gzipped_tsv,
    "tsv.zip": _open_zipped_tsv,
    "hdf5": _open_hdf5,
    "npz": _open_npz,
}
