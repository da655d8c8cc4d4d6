"""The feature store: image features of every view of every viewpoint, memory-mapped in half precision.

A store is a folder of three files:

- `features.npy`: float16, shape (viewpoints, 36, width), in the order of writing;
- `index.npy`: one record (scan, viewpoint, row) per viewpoint, sorted by scan and viewpoint;
- `meta.json`: format version, sizes, source, and an id, which is a digest of the features that `verify` compares.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, brief
from mtvm.io.arrays import read_npy
from mtvm.io.files import atomic_path, json_text, read_json
from mtvm.world.graph import LONGEST_ID
from mtvm.world.views import VIEWS

FORMAT_VERSION = 1
FEATURES_FILE, INDEX_FILE, META_FILE = "features.npy", "index.npy", "meta.json"
_ID_DIGITS = 16

Ids: TypeAlias = str | Sequence[str] | NDArray[np.str_]
Integers: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]


class FeatureStore:
    """Read-only features by (scan, viewpoint, view); made by `open` or `write`.

    Processes that open the same store share its memory; pickling a store saves only its path.
    """

    def __init__(
        self, path: Path, meta: dict[str, Any], index: NDArray[np.void], features: NDArray[np.float16]
    ) -> None:
        self.path = path
        self.meta = meta
        self.index = index
        self.width: int = features.shape[2]
        self._features = features
        self._views = features.reshape(-1, self.width)
        self._keys = _keys(index)

    @classmethod
    def open(cls, path: Path | str) -> FeatureStore:
        """Memory-map the store at `path` after checking that its three files agree; reads no features."""
        path = Path(path).absolute()
        while True:
            before = _identity(path)
            try:
                opened = cls._open(path)
            except InputError:
                if _identity(path) == before:
                    raise
            else:
                if _identity(path) == before:
                    return opened
            # Another process has replaced the store: what was read may be of both.

    @classmethod
    def _open(cls, path: Path) -> FeatureStore:
        if not path.is_dir():
            raise InputError(f"{path}: no feature store here; make one with: mtvm features import SOURCE STORE")
        for file in (path / name for name in (META_FILE, INDEX_FILE, FEATURES_FILE)):
            if file.exists() and not file.is_file():
                raise InputError(f"{file}: not a file but a folder, a pipe or a device; import the features again.")
        meta = read_json(path / META_FILE, "description of a feature store")
        if not isinstance(meta, dict) or meta.get("format_version") != FORMAT_VERSION:
            raise InputError(f"{path / META_FILE}: not format version {FORMAT_VERSION}; import the features again.")
        if not all(isinstance(meta.get(name), str) for name in ("id", "source")):
            raise InputError(f"{path / META_FILE}: 'id' or 'source' is missing; import the features again.")
        try:
            size = (path / FEATURES_FILE).stat().st_size
            if size != meta.get("features_bytes"):
                raise InputError(
                    f"{path / FEATURES_FILE}: has {size} bytes instead of {brief(meta.get('features_bytes'))}, "
                    "so it is truncated or belongs to another store; copy or import it again."
                )
            features = read_npy(path / FEATURES_FILE, mapped=True)
            index = read_npy(path / INDEX_FILE)
        except InputError:
            raise
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: this feature store is damaged ({error}); import it again.") from None
        if disagreement := _disagreement(meta, index, features):
            raise InputError(f"{path}: this feature store is damaged ({disagreement}); import it again.")
        # Views of a plain array are cheaper than those of np.memmap.
        return cls(path, meta, index, np.asarray(features))

    def verify(self) -> FeatureStore:
        """Raise if the features are not the bytes that were written; this reads all of them."""
        if _digest_of(self._features) != self.meta.get("id"):
            raise InputError(
                f"{self.path / FEATURES_FILE}: this feature store is damaged (its features have another checksum than "
                "when they were written); import it again."
            )
        return self

    @classmethod
    def write(
        cls,
        path: Path | str,
        entries: Iterable[tuple[str, str, NDArray[Any]]],
        *,
        source: Path | str,
        source_format: str,
    ) -> FeatureStore:
        """Write a store from a stream of (scan, viewpoint, features of shape (36, width)), in any order.

        The first entry sets the width. `path` appears when everything is written, or not at all; an existing store is
        replaced.
        """
        path = Path(path)
        _refuse_other_content(path)
        with atomic_path(path) as folder:
            folder.mkdir()
            with (folder / FEATURES_FILE).open("wb") as file:
                rows, width, digest = _write_features(file, entries, source)
            packed = io.BytesIO()  # where the disk is full, numpy would not say so
            np.save(packed, _sorted_index(rows))
            (folder / INDEX_FILE).write_bytes(packed.getbuffer())
            meta = {
                "format_version": FORMAT_VERSION,
                "id": digest,
                "viewpoints": len(rows),
                "views": VIEWS,
                "width": width,
                "features_bytes": (folder / FEATURES_FILE).stat().st_size,
                "source": Path(source).name,
                "source_format": source_format,
                "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            }
            (folder / META_FILE).write_text(json_text(meta, indent=1) + "\n", encoding="utf-8")
        return cls.open(path)

    def __len__(self) -> int:
        return len(self._features)

    def __repr__(self) -> str:
        return f"FeatureStore({str(self.path)!r}: {len(self)} viewpoints, width {self.width})"

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureStore.open, (self.path,)

    def rows(self, scans: Ids, viewpoints: Ids) -> NDArray[np.int64]:
        """The row of each viewpoint, for `gather`; a single scan may be given for many viewpoints."""
        wanted_scans, wanted_viewpoints = np.broadcast_arrays(_encoded(scans), _encoded(viewpoints))
        wanted = np.empty(wanted_scans.shape, self.index.dtype.descr[:2])
        wanted["scan"], wanted["viewpoint"] = wanted_scans, wanted_viewpoints
        places = np.searchsorted(self._keys, wanted.view(self._keys.dtype))
        found = self.index[np.minimum(places, len(self) - 1)]
        # Compare with the original ids: longer ones were cut to the width of the index above.
        missing = (found["scan"] != wanted_scans) | (found["viewpoint"] != wanted_viewpoints)
        if missing.any():
            scan = wanted_scans[missing][0].decode()
            viewpoint = wanted_viewpoints[missing][0].decode()
            raise InputError(
                f"{self.path}: {missing.sum()} of {missing.size} viewpoints have no features in this store (made of "
                f"{self.meta['source']}), first viewpoint {viewpoint!r} of scan {scan!r}; make features of a file that "
                "has all scans in use."
            )
        return np.asarray(found["row"], dtype=np.int64)

    def gather(self, rows: Integers, views: Integers, out: NDArray[np.float16] | None = None) -> NDArray[np.float16]:
        """Features (..., width) of `views` at `rows` (of the same shape); zeros where the row is negative."""
        rows, views = _integers(rows), _integers(views)
        if rows.shape != views.shape:
            raise ValueError(f"rows and views differ in shape: {rows.shape} and {views.shape}")
        if ((rows >= 0) & ((views < 0) | (views >= VIEWS))).any():
            raise IndexError(f"a view lies outside 0..{VIEWS - 1}")
        return self._take(self._views, rows, rows * VIEWS + views, out)

    def panorama(self, rows: Integers, out: NDArray[np.float16] | None = None) -> NDArray[np.float16]:
        """Features (..., 36, width) of all views at `rows`; zeros where the row is negative."""
        rows = _integers(rows)
        return self._take(self._features, rows, rows, out)

    def _take(
        self,
        table: NDArray[np.float16],
        rows: NDArray[np.intp],
        positions: NDArray[np.intp],
        out: NDArray[np.float16] | None,
    ) -> NDArray[np.float16]:
        if (rows >= len(self)).any():
            raise IndexError(f"row {rows.max()} lies outside the {len(self)} rows of {self.path}")
        padding = rows < 0
        positions = np.where(padding, 0, positions)
        # The bounds are already checked; mode "raise" would copy everything twice.
        features = np.take(table, positions, axis=0, out=out, mode="clip")
        features[padding] = 0
        return features


def _refuse_other_content(path: Path) -> None:
    """Raise if `path` is something other than a store, because it would be replaced."""
    try:
        others = {item.name for item in path.iterdir()} - {FEATURES_FILE, INDEX_FILE, META_FILE}
    except FileNotFoundError:
        return
    except NotADirectoryError:
        others = {path.name}
    if others:
        raise InputError(
            f"{path}: not a feature store (it contains {min(others)!r}) and would be overwritten; give a new folder."
        )


def _write_features(
    file: IO[bytes], entries: Iterable[tuple[str, str, NDArray[Any]]], source: Path | str
) -> tuple[dict[tuple[str, str], int], int, str]:
    """Append each entry as it arrives; returns the rows by scan and viewpoint, the width, and a digest."""
    rows: dict[tuple[str, str], int] = {}
    width: int | None = None
    digest = hashlib.sha256()
    for scan, viewpoint, features in entries:
        entry = f"{source}: viewpoint {brief(repr(viewpoint))} of scan {brief(repr(scan))}"
        if (scan, viewpoint) in rows:
            raise InputError(f"{entry} appears twice; keep one of the two.")
        if not (_can_be_stored(scan) and _can_be_stored(viewpoint)):
            raise InputError(
                f"{entry} cannot be stored; both names must have 1 to {LONGEST_ID} characters and no zero bytes."
            )
        half = _half_precision(entry, features, width)
        if width is None:
            width = half.shape[1]
            _write_header(file, 0, width)
        rows[scan, viewpoint] = len(rows)
        file.write(half.data)
        digest.update(half.data)
    if width is None:
        raise InputError(f"{source}: contains no features; give a file with at least one viewpoint.")
    file.seek(0)
    _write_header(file, len(rows), width)
    return rows, width, digest.hexdigest()[:_ID_DIGITS]


def _digest_of(features: NDArray[np.float16]) -> str:
    """The id of a store with these features."""
    digest = hashlib.sha256()
    for viewpoint in features:
        digest.update(viewpoint.data)
    return digest.hexdigest()[:_ID_DIGITS]


def _can_be_stored(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return 1 <= len(name) <= LONGEST_ID and "\0" not in name


def _half_precision(entry: str, features: NDArray[Any], width: int | None) -> NDArray[np.float16]:
    features = np.asarray(features)
    if features.dtype.kind != "f" or features.ndim != 2 or len(features) != VIEWS or features.shape[1] == 0:
        raise InputError(
            f"{entry} has {features.dtype} of shape {features.shape} instead of floating-point numbers of "
            f"shape ({VIEWS}, width); extract it again."
        )
    if width not in (None, features.shape[1]):
        raise InputError(
            f"{entry} has features of width {features.shape[1]}, but those before have {width}; "
            "use a separate file for each model's features."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        half = np.ascontiguousarray(features, dtype="<f2")
    # All exponent bits set means infinity or NaN; this is much faster than isfinite on float16.
    if ((half.view("<u2") & 0x7C00) == 0x7C00).any():
        raise InputError(
            f"{entry} has a value that is not finite or beyond ±{np.finfo(np.float16).max:.0f}, the range "
            "of half precision; extract it again."
        )
    return half


def _write_header(file: IO[bytes], viewpoints: int, width: int) -> None:
    """Write the .npy header; numpy pads it to the same length for any number of rows, so it can be rewritten."""
    shape = (viewpoints, VIEWS, width)
    np.lib.format.write_array_header_1_0(file, {"descr": "<f2", "fortran_order": False, "shape": shape})


def _sorted_index(rows: dict[tuple[str, str], int]) -> NDArray[np.void]:
    records = [(scan.encode(), viewpoint.encode(), row) for (scan, viewpoint), row in rows.items()]
    scan_bytes = max(len(scan) for scan, _, _ in records)
    viewpoint_bytes = max(len(viewpoint) for _, viewpoint, _ in records)
    dtype = [("scan", f"S{scan_bytes}"), ("viewpoint", f"S{viewpoint_bytes}"), ("row", "<i8")]
    return np.array(sorted(records), dtype=dtype)


def _keys(index: NDArray[np.void]) -> NDArray[np.bytes_]:
    """Scan and viewpoint of each record as one fixed-width string, which sorts like the pair."""
    bytes_of_key = index.dtype["scan"].itemsize + index.dtype["viewpoint"].itemsize
    keys: NDArray[np.bytes_] = index.view([("key", f"S{bytes_of_key}"), ("row", "<i8")])["key"]
    return np.ascontiguousarray(keys)


def _disagreement(meta: dict[str, Any], index: NDArray[Any], features: NDArray[Any]) -> str | None:
    """How a store's files contradict each other, or None."""
    shape = (meta.get("viewpoints"), meta.get("views"), meta.get("width"))
    plain = features.dtype == np.dtype("<f2") and features.flags.c_contiguous
    if not plain or features.shape != shape or shape[1] != VIEWS:
        return f"{FEATURES_FILE} has {features.dtype} of shape {features.shape}, {META_FILE} says {shape}"
    if index.dtype.names != ("scan", "viewpoint", "row") or index.shape != (len(features),):
        return f"{INDEX_FILE} does not list {len(features)} viewpoints"
    scan, viewpoint = index.dtype["scan"], index.dtype["viewpoint"]
    packed = np.dtype([("scan", scan), ("viewpoint", viewpoint), ("row", "<i8")])
    if index.dtype != packed or any(ids.kind != "S" or not ids.itemsize for ids in (scan, viewpoint)):
        return f"{INDEX_FILE} has other columns than scan, viewpoint and row"
    keys = _keys(index)
    if not (keys[:-1] < keys[1:]).all() or not np.array_equal(np.sort(index["row"]), np.arange(len(features))):
        return f"{INDEX_FILE} is not sorted, or does not name every row once"
    return None


def _identity(path: Path) -> tuple[int, ...] | None:
    """Changes when another folder takes this place."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_ctime_ns


def _encoded(ids: Ids) -> NDArray[np.bytes_]:
    return np.char.encode(np.asarray(ids, dtype=np.str_), "utf-8")


def _integers(values: Integers) -> NDArray[np.intp]:
    return np.asarray(values).astype(np.intp, casting="same_kind", copy=False)
