"""Reading files with clear errors, and writing them atomically."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gzip
import json
import math
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.io.locks import HAS_LOCKS, lock
from mtvm.io.unpacking import check_json_memory, json_memory

_TEMPORARY = ".tmp"
"""How the names of temporary folders end; they begin with a dot and the name of what is written."""
_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


def cache_dir() -> Path:
    """The cache folder: `$MTVM_CACHE`, else `$XDG_CACHE_HOME/mtvm`, else `~/.cache/mtvm`."""
    if explicit := os.environ.get("MTVM_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mtvm"


# Reading


def read_bytes(path: Path, what: str) -> bytes:
    """The file's content; `what` is the kind of file in error messages. A pipe is read too, as from `<(...)`."""
    try:
        if path.is_char_device() or path.is_block_device():
            raise InputError(f"{path}: is a device, which may have no end, and no {what}; name a file.")
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file ({what}).") from None
    except OSError as error:
        raise InputError(f"{path}: cannot read this {what} ({error.strerror}).") from None


def parse_json(content: bytes, path: Path | str) -> Any:
    """`content` of `path` as JSON; a syntax error names the line and column."""
    check_json_memory(Path(path), json_memory(content))
    try:
        value = json.loads(content, object_pairs_hook=_object)
        if _HALF_A_PAIR.search(content):
            json.dumps(value, ensure_ascii=False).encode()  # a text with half a surrogate pair cannot be written
        return value
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}: not valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "the file may be truncated, fetch or write it again."
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a JSON text file (it contains bytes that are not UTF-8).") from None
    except UnicodeEncodeError:
        raise InputError(f"{path}: contains half of a surrogate pair, which is no character; write it again.") from None
    except _RepeatedKeyError as error:
        raise InputError(f"{path}: has the key {brief(error)!r} twice in one object; remove one.") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}: contains JSON that cannot be read ({error}).") from None


class _RepeatedKeyError(ValueError):
    """An object of JSON says two things under one key."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; Python would keep the last value of a key that occurs twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key)
            seen.add(key)
    return made


def read_json(path: Path, what: str) -> Any:
    return parse_json(read_bytes(path, what), path)


# Writing


def check_links(folder: Path, names: Iterable[str]) -> None:
    """Raise if one of these in a folder, or what is below it, is a link that leads out of the folder: whoever made a
    folder that was downloaded would choose what is written over."""
    inside = os.path.realpath(folder)
    for name in names:
        walked = os.walk(folder / name)  # which does not mind what another process removes meanwhile
        below = (Path(place, item) for place, folders, files in walked for item in (*folders, *files))
        for path in (folder / name, *below):
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
                raise InputError(
                    f"{path}: is a link that leads out of {folder}, to what would be written over; put a copy in its "
                    "place, or remove it."
                )


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` only if the block succeeds.

    The block may create a file or a folder there. An existing `path` stays unchanged until the rename, or altogether if
    the block raises. What killed processes left of earlier writes to `path` is removed. A link stays a link: what it
    leads to is written. Devices and pipes are refused.
    """
    given = path = Path(path)
    try:
        if _is_device(path):
            raise InputError(f"{path}: is a device or a pipe, which would be replaced by a file; name another.")
        if path.is_symlink():
            path = Path(os.path.realpath(path))  # a link stays one, and what it leads to is written
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path.parent, path.name)
        holder, descriptor = _make_holder(path)
    except OSError as error:
        raise InputError(f"{given}: cannot write there ({error.strerror}).") from None
    try:
        fresh = holder / path.name
        yield fresh
        _rename(fresh, path, aside=holder / "replaced")
    except OSError as error:
        named = f"{error.filename} {error.filename2}"
        ours = error.filename is None or str(holder) in named
        if not ours or error.errno is None:
            raise  # the block failed at something else
        raise InputError(f"{given}: writing failed ({error.strerror}); nothing was changed.") from error
    except InputError as error:
        if str(holder) not in str(error):
            raise
        if isinstance(inner := error.__cause__, OSError):  # of a file in a folder that is being written
            raise InputError(f"{given}: writing failed ({inner.strerror}); nothing was changed.") from inner
        raise InputError(str(error).replace(str(holder / path.name), str(given))) from error
    finally:
        shutil.rmtree(holder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _is_device(path: Path) -> bool:
    """Whether something is there that a file must not take the place of, such as /dev/null, or /dev/stdout, which is a
    link to whatever that is now."""
    if path.is_symlink() and str(path.readlink()).startswith("/proc/"):
        return True
    try:
        mode = path.stat().st_mode  # one look, as another process may replace what is there
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left half-written in a folder: of writes to the file `name`, or of any."""
    start = "." if name is None else _prefix(name)
    with os.scandir(folder) as items:
        found = [item.path for item in items if item.name.startswith(start) and item.name.endswith(_TEMPORARY)]
    for left in found if HAS_LOCKS else []:
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY | os.O_DIRECTORY)
            try:
                if lock(descriptor) is True:  # nobody is writing it
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(descriptor)


def _prefix(name: str) -> str:
    return f".{name[:80]}."  # a name of 255 letters can have no longer one


def _make_holder(path: Path) -> tuple[Path, int | None]:
    """A temporary folder beside `path`, locked as long as we write, where the system knows locks."""
    while True:
        holder = Path(tempfile.mkdtemp(prefix=_prefix(path.name), suffix=_TEMPORARY, dir=path.parent))
        if not HAS_LOCKS:
            return holder, None
        try:
            descriptor = os.open(holder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # taken for a leftover before it was locked
        lock(descriptor, wait=True)
        if holder.is_dir():
            return holder, descriptor
        os.close(descriptor)


def _rename(fresh: Path, path: Path, aside: Path) -> None:
    try:
        fresh.replace(path)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    # A folder cannot replace one that is not empty, but it can change places with it.
    if _swap(fresh, path):
        return
    path.replace(aside)
    try:
        fresh.replace(path)
    except OSError:
        aside.replace(path)
        raise


def _swap(one: Path, other: Path) -> bool:
    """Exchange two folders in a single step; false if the system or the file system cannot."""
    if os.name != "posix":
        return False
    system, exchange = ctypes.CDLL(None, use_errno=True), 2
    here, paths = -100, (os.fsencode(one), os.fsencode(other))
    if hasattr(system, "renameat2"):
        failed = system.renameat2(here, paths[0], here, paths[1], exchange)
    elif hasattr(system, "renamex_np"):  # macOS
        failed = system.renamex_np(*paths, exchange)
    else:
        return False
    if failed and (number := ctypes.get_errno()) not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(number, os.strerror(number), str(one), None, str(other))
    return not failed


def write_text(path: Path, text: str) -> None:
    with atomic_path(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


def copy_file(source: Path, path: Path) -> None:
    with atomic_path(path) as fresh:
        try:
            shutil.copyfile(source, fresh)
        except FileNotFoundError:
            raise InputError(f"{source}: there is no such file; it was needed for {path}.") from None


def json_text(value: Any, indent: int | None = None) -> str:
    """`value` as JSON, which knows neither NaN nor infinity: they become null."""
    try:
        return json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_json(path: Path, value: Any, indent: int | None = None) -> None:
    """Write `value`, gzipped if the name ends in .gz; the same value always gives the same bytes."""
    content = (json_text(value, indent) + "\n").encode()
    with atomic_path(path) as fresh:
        fresh.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
