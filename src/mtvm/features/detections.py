"""Objects that a detector found in the views: they come from pixels, unlike those that people annotated.

They stand in the captions file, in one of two forms, as `mtvm data captions` writes them:

    "detections": [[0, "sofa", -9.75, 1.33], ...]      NavGPT's: sector, name, heading in degrees, distance in metres
    "objects": [[["sofa", 0.9, [x1, y1, x2, y2], "a sofa in a room"], ...], ...]       LangNav's: boxes of each view
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mtvm.errors import InputError, brief
from mtvm.features.lines import checked_texts, read_viewpoint_lines
from mtvm.world.views import VIEWS, direction_in_view

_SAME = math.radians(10)
"""Equal names nearer to each other than this are one object, which two views show."""
_NUMBERED = re.compile(r"_\d+$")
_MOST, _LONGEST_NAME = 2000, 200


class Detection(NamedTuple):
    """An object that was found. Angles are absolute, in radians."""

    name: str
    heading: float
    distance: float | None
    """In metres; None where nobody measured it."""


class DetectedPlace(NamedTuple):
    """What a line of the file says of one viewpoint."""

    scan: str
    viewpoint: str
    detections: list[Detection]
    """The nearest first, or else the surest."""


def read_detections(source: Path | str, scans: Collection[str] | None = None) -> Iterator[DetectedPlace]:
    """The lines of a captions file (plain or gzipped), or those of some scans; an error names line and field."""
    return read_viewpoint_lines(Path(source), "captions file", check_detections, scans)


def check_detections(record: Any, where: str) -> DetectedPlace:
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object with scan, viewpoint and detections.")
    scan, viewpoint = checked_texts(record, ("scan", "viewpoint"), where)
    measured, boxes = record.get("detections"), record.get("objects")
    if isinstance(measured, list):
        found = sorted((_measured(one, where) for one in measured[:_MOST]), key=lambda one: one.distance or 0.0)
    elif isinstance(boxes, list) and len(boxes) == VIEWS and all(isinstance(view, list) for view in boxes):
        each = [_boxed(box, view, where) for view, some in enumerate(boxes) for box in some][:_MOST]
        found = [one for _, one in sorted(each, key=lambda pair: -pair[0])]
    else:
        raise InputError(
            f"{where}: has neither 'detections' nor 'objects', which an agent reads; 'mtvm data captions' writes them "
            "where NavGPT's objects_list lies beside the captions."
        )
    return DetectedPlace(scan, viewpoint, _once(found))


def _measured(one: Any, where: str) -> Detection:
    """[sector, name, heading in degrees, distance in metres]."""
    if isinstance(one, list) and len(one) == 4 and isinstance(one[1], str):
        heading, distance = one[2:]
        if _is_number(heading, 720) and _is_number(distance, 1000) and distance >= 0:
            return Detection(_named(one[1], where), math.radians(heading), float(distance))
    raise InputError(f"{where}: field 'detections' holds {brief(str(one))}, not [sector, name, heading, distance].")


def _boxed(box: Any, view: int, where: str) -> tuple[float, Detection]:
    """[name, confidence, [x1, y1, x2, y2], ...] of a view, with its confidence."""
    if isinstance(box, list) and len(box) >= 3 and isinstance(box[0], str) and _is_number(box[1], 1):
        corners = box[2]
        if isinstance(corners, list) and len(corners) == 4 and all(_is_number(one, 10_000) for one in corners):
            left, top, right, bottom = corners
            heading, _ = direction_in_view(view, (left + right) / 2, (top + bottom) / 2)
            return float(box[1]), Detection(_named(box[0], where), heading, None)
    raise InputError(f"{where}: field 'objects', view {view}: {brief(str(box))} is not [name, confidence, corners].")


def _named(name: str, where: str) -> str:
    """Without the number by which NavGPT tells objects of one name apart."""
    if len(name) > _LONGEST_NAME:
        raise InputError(f"{where}: the name of an object has more than {_LONGEST_NAME} letters.")
    return _NUMBERED.sub("", name).strip()


def _once(found: list[Detection]) -> list[Detection]:
    kept: list[Detection] = []
    for one in found:
        like = (other for other in kept if other.name == one.name)
        if all(abs(math.remainder(other.heading - one.heading, 2 * math.pi)) > _SAME for other in like):
            kept.append(one)
    return kept


def _is_number(value: Any, most: float) -> bool:
    return type(value) in (int, float) and abs(value) <= most
