"""Captions as NavGPT and LangNav publish them, in the format of `features.captions`.

NavGPT has three folders with one file a building, of which the first is needed:

    observations/<scan>.json                        viewpoint -> a text with three captions for each of 8 sectors
    observations_summarized/<scan>_summarized.json  viewpoint -> a sentence
    objects_list/<scan>.json                        viewpoint -> 8 objects: name -> heading (degrees), distance (m)

A sector is named by its lower edge ("heading 0 - 45"), but its captions are centred on it: sector 0 looks to heading 0.
LangNav has one folder:

    r2r_blip_DETR_vis2text/<scan>.json   viewpoint -> view (0 to 35) -> a caption, and boxes with class and caption
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mtvm.errors import InputError, brief
from mtvm.features.converting.published import (
    check_id,
    chosen,
    first_of_each,
    json_files,
    read_object,
    write_lines,
)
from mtvm.features.converting.rooms import Rooms
from mtvm.progress import track
from mtvm.world.views import VIEWS

CaptionSource: TypeAlias = Literal["navgpt", "langnav"]

_SECTORS = 8
_DEGREES = 360 // _SECTORS
_ROWS = ("down", "middle", "top")
_LANGNAV = "r2r_blip_DETR_vis2text"
_SUMMARIZED = "_summarized"
_NAVGPT, _OBJECTS, _LANGNAV_FILE = "NavGPT observation file", "NavGPT object file", "LangNav caption file"


def convert_captions(
    folder: Path | str,
    out: Path | str,
    *,
    source: CaptionSource | None = None,
    rooms: Path | str | None = None,
    scans: Collection[str] = (),
    show_progress: bool = True,
) -> int:
    """Write the captions file of the published files below a folder, and return how many viewpoints it has.

    `source` is needed only where files of both publications are there. `rooms` adds to NavGPT's captions the number of
    each viewpoint's room, which is annotation and which no agent reads.
    """
    folder, out = Path(folder), Path(out)
    by_folder: dict[str, dict[str, Path]] = {}
    for parent, stem, path in json_files(folder):
        by_folder.setdefault(parent, {}).setdefault(stem, path)
    found: dict[CaptionSource, dict[str, Path]] = {
        "navgpt": by_folder.get("observations", {}),
        "langnav": by_folder.get(_LANGNAV, {}),
    }
    there = [name for name, files in found.items() if files]
    if source is None and len(there) == 2:
        raise InputError(f"{folder}: has captions of NavGPT and of LangNav; say which with --source navgpt or langnav.")
    if (source or next(iter(there), None)) not in there:
        raise InputError(
            f"{folder}: no captions to convert are below it; NavGPT's are in a folder 'observations', LangNav's in "
            f"'{_LANGNAV}', one <scan>.json for each building."
        )
    files = chosen(first_of_each(found[source or there[0]].items()), scans, folder)
    if (source or there[0]) == "langnav":
        if rooms is not None:
            raise InputError("--rooms is for NavGPT's captions; LangNav's have no place for the numbers of rooms.")
        lines = _langnav_lines(track(files.items(), len(files), "Captions", "buildings", show_progress))
    else:
        beside = by_folder.get("observations_summarized", {}), by_folder.get("objects_list", {})
        known = Rooms.load(rooms) if rooms is not None else None
        lines = _navgpt_lines(track(files.items(), len(files), "Captions", "buildings", show_progress), *beside, known)
    return write_lines(out, lines)


def _navgpt_lines(
    files: Iterator[tuple[str, Path]], summaries: dict[str, Path], objects: dict[str, Path], rooms: Rooms | None
) -> Iterator[str]:
    for scan, path in files:
        check_id(scan, path)
        summary_of = _read_beside(summaries.get(f"{scan}{_SUMMARIZED}"), "NavGPT summary file")
        objects_of = _read_beside(objects.get(scan), _OBJECTS)
        room_of = rooms.of(scan) if rooms is not None else None
        for viewpoint, text in read_object(path, _NAVGPT).items():
            record: dict[str, Any] = {"scan": scan, "viewpoint": viewpoint}
            record["captions"] = _sectors(text, f"{path}, viewpoint {viewpoint}")
            if summary_of is not None:
                record["summary"] = _text(*_entry(summary_of, viewpoint))
            if objects_of is not None:
                record["detections"] = _detections(*_entry(objects_of, viewpoint))
            if room_of is not None:
                record["room_instance"] = room_of[viewpoint].number if viewpoint in room_of else None
            yield json.dumps(record, ensure_ascii=False)


def _read_beside(path: Path | None, what: str) -> tuple[dict[str, Any], Path] | None:
    return None if path is None else (read_object(path, what), path)


def _entry(beside: tuple[dict[str, Any], Path], viewpoint: str) -> tuple[Any, str]:
    entries, path = beside
    if viewpoint not in entries:
        raise InputError(f"{path}: says nothing of viewpoint {viewpoint}, which has captions; fetch the file again.")
    return entries[viewpoint], f"{path}, viewpoint {viewpoint}"


def _sectors(text: Any, where: str) -> list[list[str]]:
    """Of each sector the captions down, middle and top."""
    lines = _text(text, where).split("\n")
    if len(lines) != _SECTORS * (1 + len(_ROWS)):
        raise InputError(f"{where}: has {len(lines)} lines, not {_SECTORS} headings with down, middle and top each.")
    sectors = []
    for number in range(_SECTORS):
        title, *captions = lines[number * 4 : number * 4 + 4]
        if title != f"heading {number * _DEGREES} - {(number + 1) * _DEGREES}:":
            raise InputError(f"{where}: 'heading {number * _DEGREES} - ...:' expected, not {brief(title)!r}.")
        for row, caption in zip(_ROWS, captions, strict=True):
            if not caption.startswith(f"{row}:"):
                raise InputError(f"{where}: under {title} '{row}: ...' expected, not {brief(caption)!r}.")
        sectors.append([caption.partition(":")[2].strip() for caption in captions])
    return sectors


def _detections(sectors: Any, where: str) -> list[list[Any]]:
    """[sector, name, heading, distance] of each object."""
    if (
        not isinstance(sectors, list)
        or len(sectors) != _SECTORS
        or not all(isinstance(named, dict) for named in sectors)
    ):
        raise InputError(f"{where}: not a list of objects for each of {_SECTORS} headings.")
    found = []
    for number, named in enumerate(sectors):
        for name, place in named.items():
            at = [place.get(field) for field in ("heading", "distance")] if isinstance(place, dict) else []
            if len(at) != 2 or not all(_is_number(value) for value in at):
                raise InputError(f"{where}: object {brief(name)!r} has no heading and distance.")
            found.append([number, name, *at])
    return found


def _langnav_lines(files: Iterator[tuple[str, Path]]) -> Iterator[str]:
    for scan, path in files:
        check_id(scan, path)
        for viewpoint, views in sorted(read_object(path, _LANGNAV_FILE).items()):
            where = f"{path}, viewpoint {viewpoint}"
            if not isinstance(views, dict) or set(views) != {str(view) for view in range(VIEWS)}:
                raise InputError(f"{where}: not an object with the views 0 to {VIEWS - 1}.")
            seen = [_view(views[str(view)], f"{where}, view {view}") for view in range(VIEWS)]
            captions, objects = zip(*seen, strict=True)
            record = {"scan": scan, "viewpoint": viewpoint, "captions": captions, "objects": objects}
            yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _view(said: Any, where: str) -> tuple[str, list[list[Any]]]:
    if not isinstance(said, dict) or not isinstance(said.get("dense_cap"), list):
        raise InputError(f"{where}: not an object with global_cap and dense_cap.")
    boxes = [_box(box, f"{where}, box {number}") for number, box in enumerate(said["dense_cap"])]
    return _text(said.get("global_cap"), where), boxes


def _box(box: Any, where: str) -> list[Any]:
    """[class, confidence, [x1, y1, x2, y2], caption]."""
    fields = ("obj_class", "confidence", "coordinates", "caption")
    if not isinstance(box, dict) or not all(isinstance(box.get(field), str) for field in fields):
        raise InputError(f"{where}: not an object with the texts {', '.join(fields)}.")
    name, confidence, corners, caption = (box[field] for field in fields)
    try:
        numbers = [int(corner) for corner in corners.split()]
        share = float(confidence)
    except ValueError:
        numbers, share = [], math.nan
    if len(numbers) != 4 or not 0 <= share <= 1:
        raise InputError(
            f"{where}: {brief(corners)!r} with confidence {brief(confidence)!r} is no box 'x1 y1 x2 y2' with a "
            "confidence from 0 to 1."
        )
    return [name, share, numbers, caption]


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: a text is expected, not {brief(json.dumps(value))}.")
    return value.strip()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e9  # whole numbers can be too large for any arithmetic
