"""Files that say something of each viewpoint: one JSON object a line, plain or gzipped."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from mtvm.errors import InputError
from mtvm.io.files import parse_json, read_bytes
from mtvm.io.unpacking import unpacked_lines
from mtvm.world.graph import LONGEST_ID

_LONGEST_LINE = 1 << 25


class _OfViewpoint(Protocol):
    @property
    def scan(self) -> str: ...
    @property
    def viewpoint(self) -> str: ...


Line = TypeVar("Line", bound=_OfViewpoint)


def read_viewpoint_lines(
    source: Path, what: str, checked: Callable[[Any, str], Line], scans: Collection[str] | None = None
) -> Iterator[Line]:
    """Each line as `checked(record, where)` understands it; `where` begins the sentence of an error. A viewpoint may
    occur once. Lines that do not name one of `scans` are not even parsed."""
    named = [json.dumps(scan).encode() for scan in scans or ()]
    leaves_out = scans is not None and all(map(str.isascii, scans))  # other letters are written in several ways
    content = read_bytes(source, what)
    seen: set[tuple[str, str]] = set()
    for number, text in enumerate(unpacked_lines(content, source, _LONGEST_LINE), 1):
        if text.isspace() or (leaves_out and not any(scan in text for scan in named)):
            continue
        where = f"{source}, line {number}"
        try:
            record = parse_json(text, where)
        except InputError:
            raise InputError(f"{where}: not valid JSON; the file may be cut short, fetch it again.") from None
        line = checked(record, where)
        if (line.scan, line.viewpoint) in seen:
            raise InputError(f"{where}: viewpoint {line.viewpoint} of scan {line.scan} appears twice; keep one.")
        seen.add((line.scan, line.viewpoint))
        if scans is None or line.scan in scans:
            yield line


def checked_texts(record: dict[str, Any], fields: tuple[str, ...], where: str) -> list[str]:
    """The values of fields that must hold a text."""
    for field in fields:
        if not isinstance(record.get(field), str) or not record[field].strip():
            raise InputError(f"{where}: field '{field}' is missing or not a string.")
        if len(record[field]) > LONGEST_ID:
            raise InputError(f"{where}: field '{field}' has more than {LONGEST_ID} characters.")
    return [record[field] for field in fields]
