"""How much a packed file may hold: a small one that unpacks to more than the memory is an attack or an accident."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from mtvm.errors import InputError, shown

VARIABLE = "MTVM_MAX_UNPACKED_GB"
"""The environment variable that raises the limit."""
_ALWAYS_FINE = 256 * 2**20
_LARGEST_RATIO = 100
"""Texts of ours are packed to a tenth, features hardly at all."""


def unpacked_limit(path: Path) -> int:
    """The bytes that a file may hold unpacked."""
    if said := os.environ.get(VARIABLE):
        try:
            return int(float(said) * 1e9)
        except (ValueError, OverflowError):
            raise InputError(f"${VARIABLE} is {shown(said)}, not a number of gigabytes.") from None
    return max(_ALWAYS_FINE, _LARGEST_RATIO * path.stat().st_size)


def check_unpacked(path: Path, size: int) -> None:
    """Raise if a file that holds `size` bytes unpacked holds too much for what it is."""
    if size > unpacked_limit(path):
        raise InputError(
            f"{path}: holds {size / 1e9:.1f} GB in a file of {path.stat().st_size / 1e9:.3f} GB, which looks like a "
            f"trap; if it is not, allow it with {VARIABLE}={size // 10**9 + 1}."
        )


def unpacked(content: bytes, path: Path) -> bytes:
    """The content of a file, unpacked if it is gzipped."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    limit = unpacked_limit(path)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            plain = file.read(limit + 1)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{path}: this gzip file is damaged or truncated; fetch it again.") from None
    if len(plain) > limit:
        check_unpacked(path, len(plain))
    return plain


def lines_of(file: IO[bytes], path: Path, longest: int) -> Iterator[bytes]:
    """The lines of an open file that unpacks itself, none longer than `longest` bytes, and not too many of them."""
    size, limit = 0, unpacked_limit(path)
    while line := file.readline(longest + 1):
        if len(line) > longest:
            raise InputError(f"{path}: a line is longer than {longest / 1e6:.0f} MB; fetch or write the file again.")
        size += len(line)
        if size > limit:
            check_unpacked(path, size)
        yield line
