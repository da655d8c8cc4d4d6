"""The objects of a step: those that an agent chooses from, the one it answers with, and the one it should find.

The page says the same in `static/said.js`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from mtvm.tasks.events import StepEvent
from mtvm.viewer.buildings import Buildings, direction_of
from mtvm.viewer.drawing import Drawing, Point
from mtvm.viewer.figures import Walk
from mtvm.world.views import VIEWS

Project = Callable[[float, float], Point | None]
"""Where a heading and an elevation are in a picture; None for what is behind the camera."""


@dataclasses.dataclass(frozen=True)
class SeenObject:
    """An object as one sees it from where the agent stands."""

    id: str
    name: str
    chosen: bool
    target: bool
    share: float | None = None
    """Its probability, if the agent gave one."""
    view: int | None = None
    """The view that shows it, and its box there: left, top, width and height in 640x480 pixels; None if it is not in
    sight."""
    box: tuple[float, ...] | None = None

    @property
    def corners(self) -> list[tuple[float, float]]:
        """Of its box, as headings and elevations; none if it is not in sight."""
        if self.view is None or self.box is None:
            return []
        left, top, wide, high = self.box
        around = ((left, top), (left + wide, top), (left + wide, top + high), (left, top + high))
        return [direction_of(self.view, x, y) for x, y in around]

    @property
    def middle(self) -> tuple[float, float]:
        """Heading and elevation of a box that is in sight."""
        assert self.view is not None
        assert self.box is not None
        left, top, wide, high = self.box
        return direction_of(self.view, left + wide / 2, top + high / 2)


def objects_of(buildings: Buildings, walk: Walk, event: StepEvent) -> list[SeenObject]:
    """The objects of a step; a result file says the answer of the last one only."""
    last = event.step == walk.events[-1].step
    answer = event.answer if event.answer is not None or not last else walk.answer
    listed = (event.details or {}).get("objects")
    offered = {str(one.get("id")): one for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict)}
    if walk.target is None and not offered:
        return []  # an answer that is no object
    ids = list(dict.fromkeys([*offered, *(one for one in (answer, walk.target) if one is not None)]))
    known = {sight.id: sight for sight in buildings.place(event.scan, event.viewpoint, ids).sights if sight.id}
    found = []
    for identity in ids:
        own, sight = offered.get(identity, {}), known.get(identity)
        view, box = _framed(own.get("view"), own.get("box"))
        if box is None and sight is not None:
            view, box = _framed(sight.view, sight.box)
        name = own.get("name") or (sight.text if sight else buildings.object_name(event.scan, identity)) or "object"
        share = own.get("probability")
        share = float(share) if _is_number(share) and 0 <= share <= 1 else None
        found.append(SeenObject(identity, str(name), identity == answer, identity == walk.target, share, view, box))
    return found


def _framed(view: Any, box: Any) -> tuple[int, tuple[float, ...]] | tuple[None, None]:
    """A view and a box in it, if they are; anybody may have written them."""
    numbers = isinstance(box, list) and len(box) == 4 and all(map(_is_number, box))
    if not isinstance(view, int) or not 0 <= view < VIEWS or not numbers:
        return None, None
    return view, tuple(map(float, box))


def _is_number(value: Any) -> TypeGuard[float]:
    """Of pixels, or smaller; whole numbers can be too large for any arithmetic."""
    return isinstance(value, int | float) and abs(value) < 1e6


def looked_at(objects: Sequence[SeenObject]) -> SeenObject | None:
    """What an agent that stops is shown looking at: its choice, else the target, if it is in sight."""
    wanted = sorted((one for one in objects if one.chosen or one.target), key=lambda one: not one.chosen)
    return next((one for one in wanted if one.corners), None)


def target_said(objects: list[SeenObject]) -> str:
    """The target in words; nothing if nobody knows it."""
    found = [one for one in objects if one.target]
    return f"target: {found[0].name} {found[0].id}{'' if found[0].corners else ', not in view here'}" if found else ""


def choice_said(objects: list[SeenObject]) -> str:
    """The choice in words, and whether it is right; nothing if there is none."""
    chosen = next((one for one in objects if one.chosen), None)
    if chosen is None:
        return ""
    share = "" if chosen.share is None else f" ({chosen.share:.0%})"
    verdict = ", right" if chosen.target else ", wrong" if any(one.target for one in objects) else ""
    return f"chosen: {chosen.name} {chosen.id}{share}{verdict}"


def draw_boxes(drawing: Drawing, objects: list[SeenObject], corner: Point, size: Point, project: Project) -> None:
    """The boxes that are in a picture at `corner`, cut at its edges; target and choice on top, with their names."""
    for one in sorted(objects, key=lambda one: (one.chosen, one.target)):
        points = [project(*direction) for direction in one.corners]
        inside = _cut([point for point in points if point is not None], size) if points and None not in points else []
        if not inside:
            continue
        looks = [name for name, is_so in (("target-box", one.target), ("chosen-box", one.chosen)) if is_so]
        outline = [(corner[0] + x, corner[1] + y) for x, y in (*inside, inside[0])]
        for look in looks or ["box"]:
            drawing.line(look, *outline)
        if looks:
            left, top = min(x for x, _ in inside), min(y for _, y in inside)
            at = (corner[0] + min(left + 3, size[0] - 60), corner[1] + max(top - 4, 12))
            drawing.text(
                "label", at, f"{one.name} ({' and '.join(look.removesuffix('-box') for look in looks)})", size=12
            )


def _cut(points: list[Point], size: Point) -> list[Point]:
    """A polygon within a picture (Sutherland and Hodgman); empty if it lies outside."""
    for axis, edge, sign in ((0, 0.0, 1), (0, size[0], -1), (1, 0.0, 1), (1, size[1], -1)):
        kept: list[Point] = []
        for start, end in zip(points, [*points[1:], *points[:1]], strict=True):
            inside = sign * (start[axis] - edge) >= 0
            if inside:
                kept.append(start)
            if inside != (sign * (end[axis] - edge) >= 0):
                share = (edge - start[axis]) / (end[axis] - start[axis])
                kept.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
        points = kept
    return points
