"""Reading files with clear errors, and writing them atomically."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtvm.errors import InputError


def cache_dir() -> Path:
    """The cache folder: `$MTVM_CACHE`, else `$XDG_CACHE_HOME/mtvm`, else `~/.cache/mtvm`."""
    if explicit := os.environ.get("MTVM_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mtvm"


def read_bytes(path: Path, what: str) -> bytes:
    """The file's content; `what` is the kind of file in error messages."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file ({what}).") from None
    except OSError as error:
        raise InputError(f"{path}: cannot read this {what} ({error.strerror}).") from None


def parse_json(content: bytes, path: Path) -> Any:
    """`content` of `path` as JSON; a syntax error names the line and column."""
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}: not valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "the file may be truncated, fetch or write it again."
        ) from None
    except (RecursionError, ValueError) as error:
        if not isinstance(error, UnicodeDecodeError):
            raise InputError(f"{path}: contains JSON that cannot be read ({error}).") from None
        raise InputError(f"{path}: not a JSON text file (it contains bytes that are not UTF-8).") from None


def read_json(path: Path, what: str) -> Any:
    return parse_json(read_bytes(path, what), path)


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` only if the block succeeds.

    The block may create a file or a folder there. An existing `path` stays unchanged until the rename, or altogether if
    the block raises.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        holder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"{path}: cannot write there ({error.strerror}).") from None
    try:
        fresh = holder / path.name
        yield fresh
        _rename(fresh, path, aside=holder / "replaced")
    except OSError as error:
        named = f"{error.filename} {error.filename2}"
        ours = error.filename is None or str(holder) in named
        if not ours or error.errno is None:
            raise  # the block failed at something else
        raise InputError(f"{path}: writing failed ({error.strerror}); nothing was changed.") from error
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def _rename(fresh: Path, path: Path, aside: Path) -> None:
    if not (fresh.is_dir() and path.is_dir()):
        fresh.replace(path)
        return
    path.replace(aside)  # a folder cannot replace one that is not empty
    try:
        fresh.replace(path)
    except OSError:
        aside.replace(path)
        raise


def write_text(path: Path, text: str) -> None:
    with atomic_path(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any, indent: int | None = None) -> None:
    write_text(path, json.dumps(value, indent=indent) + "\n")
