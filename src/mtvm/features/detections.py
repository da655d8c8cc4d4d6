"""Objects that a detector found in the views: they come from pixels, unlike those that people annotated.

They stand in a captions file that has what a detector said of each of our 36 views, as `mtvm data captions` makes it of
what LangNav publishes:

    {"scan": ..., "viewpoint": ..., "objects": [[["sofa", 0.9, [x1, y1, x2, y2], "a sofa in a room"], ...], ...]}

The field `detections` of NavGPT's is not read: its names are those that people gave.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mtvm.errors import InputError, brief
from mtvm.features.captions import check_captions
from mtvm.features.lines import checked_texts, read_viewpoint_lines
from mtvm.world.views import HEADINGS, VIEWS, direction_in_view

DETECTIONS_FILE = "langnav.jsonl"
_SAME = math.radians(10)
"""Equal names nearer to each other than this are one object, which two views show."""
_MOST, _LONGEST_NAME, _LONGEST_CAPTION = 2000, 200, 2000


class Detection(NamedTuple):
    """An object that was found."""

    name: str
    heading: float
    """Absolute, in radians."""
    confidence: float


class DetectedPlace(NamedTuple):
    """What a line of the file says was found around one viewpoint."""

    scan: str
    viewpoint: str
    detections: list[Detection]
    """The surest first; what several views show stands once."""


class Box(NamedTuple):
    """What a detector found in a view."""

    name: str
    confidence: float
    corners: list[float]
    """Left, top, right and bottom in the view's 640x480 image."""
    caption: str
    """What an image model said of it; empty if nothing."""


class DescribedPlace(NamedTuple):
    """Everything that a line of the file says of one viewpoint."""

    scan: str
    viewpoint: str
    captions: list[str]
    """Of each of the 36 views."""
    boxes: list[list[Box]]
    """Of each of the 36 views."""


def read_detections(source: Path | str, scans: Collection[str] | None = None) -> Iterator[DetectedPlace]:
    """The lines of a captions file (plain or gzipped), or those of some scans; an error names line and field."""
    return read_viewpoint_lines(Path(source), "captions file", check_detections, scans)


def read_described(source: Path | str, scans: Collection[str] | None = None) -> Iterator[DescribedPlace]:
    """The same lines, view by view, with what an image model said."""
    return read_viewpoint_lines(Path(source), "captions file", check_described, scans)


def check_detections(record: Any, where: str) -> DetectedPlace:
    scan, viewpoint, views = _checked_views(record, where)
    found = [_placed(box, view) for view, boxes in enumerate(views) for box in boxes]
    return DetectedPlace(scan, viewpoint, _once(sorted(found, key=lambda one: -one.confidence)))


def check_described(record: Any, where: str) -> DescribedPlace:
    scan, viewpoint, boxes = _checked_views(record, where)
    said = check_captions(record, where).captions
    nearest = [round((view % HEADINGS) * len(said) / HEADINGS) % len(said) for view in range(VIEWS)]
    return DescribedPlace(scan, viewpoint, [said[place][view // HEADINGS] for view, place in enumerate(nearest)], boxes)


def _checked_views(record: Any, where: str) -> tuple[str, str, list[list[Box]]]:
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object with scan, viewpoint and objects.")
    scan, viewpoint = checked_texts(record, ("scan", "viewpoint"), where)
    views = record.get("objects")
    if not isinstance(views, list) or len(views) != VIEWS or not all(isinstance(view, list) for view in views):
        raise InputError(
            f"{where}: field 'objects' is missing or not a list of what a detector found in each of {VIEWS} views; "
            "'mtvm data captions' writes it of what LangNav publishes."
        )
    return scan, viewpoint, [[_checked(box, view, where) for box in boxes[:_MOST]] for view, boxes in enumerate(views)]


def _checked(box: Any, view: int, where: str) -> Box:
    """[name, confidence, [x1, y1, x2, y2], caption] of a view; the caption may be left out."""
    if isinstance(box, list) and len(box) >= 3 and isinstance(box[0], str) and _is_number(box[1], 1):
        corners = box[2]
        if isinstance(corners, list) and len(corners) == 4 and all(_is_number(one, 10_000) for one in corners):
            if len(box[0]) > _LONGEST_NAME:
                raise InputError(f"{where}: the name of an object has more than {_LONGEST_NAME} letters.")
            caption = box[3] if len(box) > 3 and isinstance(box[3], str) else ""
            return Box(box[0].strip(), float(box[1]), corners, caption[:_LONGEST_CAPTION])
    raise InputError(f"{where}: field 'objects', view {view}: {brief(str(box))} is not [name, confidence, corners].")


def _placed(box: Box, view: int) -> Detection:
    left, top, right, bottom = box.corners
    heading, _ = direction_in_view(view, (left + right) / 2, (top + bottom) / 2)
    return Detection(box.name, heading, box.confidence)


def _once(found: list[Detection]) -> list[Detection]:
    kept: list[Detection] = []
    like: dict[str, list[float]] = {}
    for one in found:
        headings = like.setdefault(one.name, [])
        if all(abs(math.remainder(heading - one.heading, 2 * math.pi)) > _SAME for heading in headings):
            headings.append(one.heading)
            kept.append(one)
    return kept


def _is_number(value: Any, most: float) -> bool:
    return type(value) in (int, float) and abs(value) <= most
