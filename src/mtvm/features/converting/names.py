"""Names of rooms and objects as REVERIE and LAD (or Matterport3D) publish them, in the format of `features.names`.

REVERIE's folder BBox has a file for each viewpoint, <scan>_<viewpoint>.json:

    viewpoint -> object id -> name, visible_pos: the views that show it, bbox2d: its box [x, y, w, h] in each
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.features.converting.published import check_id, chosen, json_files, read_object, write_lines
from mtvm.features.converting.rooms import OTHER_ROOM, Room, Rooms
from mtvm.features.names import check_place
from mtvm.progress import track

_BOXES = "bbox"
"""The folder's name, in any case."""


def convert_names(
    folder: Path | str,
    out: Path | str,
    *,
    rooms: Path | str | None = None,
    scans: Collection[str] = (),
    show_progress: bool = True,
) -> int:
    """Write the semantics file of REVERIE's boxes below a folder, and return how many viewpoints it has.

    `rooms` is LAD's vp2room_label.json, or a folder with Matterport3D's `.house` files; a viewpoint of which it says
    nothing, or every one if it is left out, is in an "other room".
    """
    folder = Path(folder)
    files: dict[str, dict[str, Path]] = {}
    for parent, stem, path in json_files(folder):
        if parent.lower() == _BOXES and "_" in stem:
            scan, _, viewpoint = stem.rpartition("_")
            files.setdefault(scan, {}).setdefault(viewpoint, path)
    if not files:
        raise InputError(
            f"{folder}: no boxes of objects are below it; REVERIE's are in a folder 'BBox', one "
            "<scan>_<viewpoint>.json for each viewpoint."
        )
    picked = chosen(dict.fromkeys(sorted(files), folder), scans, folder)
    known = Rooms.load(rooms) if rooms is not None else None
    total = sum(len(files[scan]) for scan in picked)
    lines = _lines({scan: files[scan] for scan in picked}, known)
    return write_lines(Path(out), track(lines, total, "Names", "viewpoints", show_progress))


def _lines(files: Mapping[str, Mapping[str, Path]], rooms: Rooms | None) -> Iterator[str]:
    for scan, paths in files.items():
        room_of: Mapping[str, Room] = {} if rooms is None else rooms.of(scan)
        for viewpoint, path in sorted(paths.items()):
            check_id(scan, path)
            content = read_object(path, "file of REVERIE's boxes")
            if list(content) != [viewpoint] or not isinstance(content[viewpoint], dict):
                raise InputError(f"{path}: not an object with viewpoint {brief(viewpoint)}, as its name says.")
            objects = [_object(key, thing, path) for key, thing in content[viewpoint].items()]
            room = room_of[viewpoint].name if viewpoint in room_of else OTHER_ROOM
            record = {"scan": scan, "viewpoint": viewpoint, "room": room, "objects": objects}
            check_place(record, str(path))
            yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _object(key: str, thing: Any, path: Path) -> dict[str, Any]:
    if not isinstance(thing, dict) or not key.isascii() or not key.isdecimal() or len(key) > 9:
        raise InputError(f"{path}: object {brief(key)!r} is not a number with name, visible_pos and bbox2d.")
    name = thing.get("name")
    if not isinstance(name, str):
        raise InputError(f"{path}: object {key} has no name.")
    # Matterport3D writes a # where a name has a blank.
    return {
        "id": int(key),
        "name": name.replace("#", " "),
        "views": thing.get("visible_pos"),
        "boxes": thing.get("bbox2d"),
    }
