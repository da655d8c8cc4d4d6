"""Arrays in files: others', whose headers are checked before anything is allocated, and our own in the cache."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.io.files import atomic_path

_HEADER_READERS: dict[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(path: Path, mapped: bool = False) -> NDArray[Any]:
    """The array of a .npy file, memory-mapped if asked for; a ValueError says how it is damaged."""
    with path.open("rb") as file:
        shape, dtype = npy_header(file)
        held, said = path.stat().st_size - file.tell(), math.prod(shape) * dtype.itemsize
    if held != said:
        raise ValueError(f"{path.name} has {held} bytes of numbers instead of {said}")
    array: NDArray[Any] = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    return array


def npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of the array that begins here; a ValueError if no header of plain numbers or records does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            shape, _, dtype = _HEADER_READERS[np.lib.format.read_magic(file)](file)
    except OSError:
        raise
    except Exception:  # a malformed header fails in every way there is
        raise ValueError("the header of an array cannot be read") from None
    if dtype.hasobject or not dtype.itemsize or not all(0 <= size < 2**48 for size in shape):
        raise ValueError("the header of an array describes no plain numbers")
    return shape, dtype


def read_cached(path: Path, names: Collection[str]) -> dict[str, NDArray[Any]] | None:
    """The arrays of these names that `keep_cached` wrote, each with its checksum; None if there are none, or damaged
    ones."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in names} if set(stored.files) == set(names) else None
    except Exception:  # a damaged archive fails in every way there is
        return None


def keep_cached(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Keep arrays in the cache; one that cannot be written costs time, nothing else."""
    with contextlib.suppress(OSError, InputError), atomic_path(path) as fresh, fresh.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
