"""Published files wherever they are below a folder, and lines of ours written one after the other."""

from __future__ import annotations

import gzip
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from mtvm.errors import InputError, brief
from mtvm.io.files import atomic_path, parse_json, read_bytes
from mtvm.io.unpacking import unpacked
from mtvm.world.graph import LONGEST_ID


class PublishedFile(NamedTuple):
    folder: str
    """The name of the folder that it is in."""
    stem: str
    """Its name without `.json` or `.json.gz`."""
    path: Path


def json_files(folder: Path) -> Iterator[PublishedFile]:
    """The JSON files below a folder, plain or gzipped, those nearest to the top first."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; give the one with the files to convert.")
    found = []
    for parent, subfolders, names in os.walk(folder):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        for name in names:
            stem = name.removesuffix(".gz").removesuffix(".json")
            path = Path(parent, name)
            if name in (f"{stem}.json", f"{stem}.json.gz") and path.is_file():  # not a pipe, which would be waited for
                found.append(PublishedFile(path.parent.name, stem, path))
    return iter(sorted(found, key=lambda file: (len(file.path.parts), str(file.path))))


def first_of_each(files: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """The first file of each name, sorted by name."""
    first: dict[str, Path] = {}
    for name, path in files:
        first.setdefault(name, path)
    return dict(sorted(first.items()))


def chosen(found: dict[str, Path], scans: Collection[str], folder: Path) -> dict[str, Path]:
    """The files of the `scans` that were asked for, all if none was."""
    if absent := set(scans) - set(found):
        raise InputError(f"{folder}: nothing of scan {brief(min(absent))} is below it; check the names of the scans.")
    return {scan: path for scan, path in found.items() if not scans or scan in scans}


def read_object(path: Path, what: str) -> dict[str, Any]:
    """A JSON object in a file, which may be gzipped."""
    content = parse_json(unpacked(read_bytes(path, what), path), path)
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a JSON object; this is no {what}.")
    for name in content:
        check_id(name, path)
    return content


def check_id(name: str, path: Path) -> str:
    """A scan, a viewpoint or an object, as readers of lines accept it."""
    if not name.strip() or len(name) > LONGEST_ID:
        raise InputError(f"{path}: {brief(name)!r} is no id; it must have from 1 to {LONGEST_ID} characters.")
    return name


def write_lines(out: Path, lines: Iterable[str]) -> int:
    """Write lines as they come, gzipped if the name says so, and return their number; all of them or no file."""
    count = 0
    with atomic_path(out) as fresh, fresh.open("wb") as plain:
        packed = gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if out.suffix == ".gz" else None
        file: IO[bytes] | gzip.GzipFile = packed or plain
        for count, line in enumerate(lines, 1):  # noqa: B007
            file.write(f"{line}\n".encode())
        if packed is not None:
            packed.close()
    return count
