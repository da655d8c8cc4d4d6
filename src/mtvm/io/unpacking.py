"""How much a file may cost: a small one that takes all memory, or hours, is an attack or an accident."""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mtvm.errors import InputError, brief

VARIABLE = "MTVM_MAX_UNPACKED_GB"
"""The environment variable that raises the limits."""
_ALWAYS_FINE = 64 * 2**20
_LARGEST_RATIO = 100
"""Texts of ours are packed to a tenth, features hardly at all."""
_MEMORY_ALWAYS_FINE = 2**30
_NOT_WORTH_COUNTING = 2**20
_SOME_LINES, _LINES_ALWAYS_FINE = 100_000, 1_000_000
_COSTS = {b"{": 240, b"[": 100, b",": 80, b":": 80}
"""At most so many bytes of memory does Python take for what each of these marks in JSON stands for."""
_XZ_MEMORY = 256 * 2**20
"""Of which a file's header says how much it needs."""


def unpacked_limit(path: Path) -> int:
    """The bytes that a file may hold unpacked."""
    return _allowed() or max(_ALWAYS_FINE, _LARGEST_RATIO * _size(path))


def check_unpacked(path: Path, size: int) -> None:
    """Raise if a file that holds `size` bytes unpacked holds too much for what it is."""
    if size > unpacked_limit(path):
        raise _trap(path, f"{size / 1e9:.1f} GB", size)


def json_memory(content: bytes) -> int:
    """At most so many bytes of memory does JSON take when it is parsed, beside its longer texts."""
    if len(content) < _NOT_WORTH_COUNTING:
        return 0
    return sum(cost * content.count(mark) for mark, cost in _COSTS.items())


def check_json_memory(path: Path, size: int) -> None:
    """Raise if the objects of a JSON file take too much memory for what it is."""
    if size > (_allowed() or max(_MEMORY_ALWAYS_FINE, _LARGEST_RATIO * _size(path))):
        raise _trap(path, f"so many objects that they could take {size / 1e9:.1f} GB of memory", size)


def check_amount(path: Path, number: int, what: str, always_fine: int, for_each_byte: float) -> None:
    """Raise if a file holds more of something that costs time than `always_fine`, and than there is room for in it."""
    if number > max(always_fine, for_each_byte * _size(path)) and not _allowed():
        raise _trap(path, f"{number:,} {what}", 10**9)


def _trap(path: Path, held: str, needed: int) -> InputError:
    return InputError(
        f"{path}: holds {held} in a file of {_size(path) / 1e6:.1f} MB, which looks like a trap; if it is not, allow "
        f"it with {VARIABLE}={needed // 10**9 + 1}."
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # not a file, but a place in one
        return 0


def _allowed() -> int | None:
    """The bytes that the user allows."""
    said = os.environ.get(VARIABLE)
    if not said:
        return None
    try:
        return int(float(said) * 1e9)
    except (ValueError, OverflowError):
        raise InputError(f"${VARIABLE} is {brief(said)}, not a number of gigabytes.") from None


def unpacked(content: bytes, path: Path) -> bytes:
    """The content of a file, unpacked if it is gzipped."""
    if not _is_packed(content):
        return content
    limit = unpacked_limit(path)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            plain = file.read(limit + 1)
    except (OSError, EOFError, zlib.error):
        raise _damaged(path) from None
    if len(plain) > limit:
        check_unpacked(path, len(plain))
    return plain


def unpacked_xz(content: bytes, path: Path) -> bytes:
    """The content of a file that was packed with xz."""
    limit = unpacked_limit(path)
    try:
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        plain = unpacker.decompress(content, max_length=limit + 1)
    except lzma.LZMAError:
        raise _damaged(path, "xz") from None
    if len(plain) > limit:
        check_unpacked(path, len(plain))
    if not unpacker.eof:
        raise _damaged(path, "xz")
    return plain


def unpacked_lines(content: bytes, path: Path, longest: int) -> Iterator[bytes]:
    """The lines of a file's content, unpacked one after the other if it is gzipped."""
    plain = io.BytesIO(content)
    file: Any = gzip.GzipFile(fileobj=plain) if _is_packed(content) else plain
    try:
        yield from lines_of(file, path, longest)
    except (OSError, EOFError, zlib.error):
        raise _damaged(path) from None


def lines_of(file: IO[bytes], path: Path, longest: int) -> Iterator[bytes]:
    """The lines of an open file that unpacks itself, none longer than `longest` bytes, and not too many of them."""
    size, limit = 0, unpacked_limit(path)
    for number in itertools.count(1):
        line = file.readline(longest + 1)
        if not line:
            return
        if number % _SOME_LINES == 0:
            check_amount(path, number, "lines", _LINES_ALWAYS_FINE, 1)
        if len(line) > longest:
            raise InputError(f"{path}: a line is longer than {longest / 1e6:.0f} MB; fetch or write the file again.")
        size += len(line)
        if size > limit:
            check_unpacked(path, size)
        yield line


def _is_packed(content: bytes) -> bool:
    return content.startswith(b"\x1f\x8b")


def _damaged(path: Path, kind: str = "gzip") -> InputError:
    return InputError(f"{path}: this {kind} file is damaged or truncated; fetch it again.")
