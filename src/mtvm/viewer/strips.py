"""The view ahead at each step of a walk, and the pictures of its animation."""

from __future__ import annotations

import functools
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from mtvm.tasks.events import StepEvent
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.drawing import Drawing, Point
from mtvm.viewer.figures import Walk
from mtvm.viewer.labels import Box, shared
from mtvm.viewer.maps import MapOptions, draw_map
from mtvm.viewer.objects import SeenObject, choice_said, draw_boxes, looked_at, objects_of, target_said
from mtvm.world.views import IMAGE_VFOV

if TYPE_CHECKING:
    from PIL.Image import Image

_VIEW = (320, 240)
_COLUMNS = 4
_WORDS_FIELD = (math.radians(90), math.radians(90))
"""How much is in sight where words stand for the picture, across and up."""
_WORDS_WIDTH = 22
"""Letters of a line."""


def draw_strip(
    buildings: Buildings,
    walk: Walk,
    title: bool = True,
    check: Callable[[], None] = lambda: None,
    steps: Sequence[int] | None = None,
) -> Drawing:
    """The view ahead at each step, or at these, in words where there are no pictures; `check` comes before each."""
    events = walk.events if steps is None else [walk.events[step] for step in steps]
    count = len(events)
    columns = min(count, _COLUMNS)
    objects = [objects_of(buildings, walk, event) for event in events]
    wide, high = _VIEW[0] + 8, _VIEW[1] + (42 if any(objects) else 26)
    lines = textwrap.wrap(walk.text, width=max(columns * 46, 40)) if title else []
    top = 14 + 16 * len(lines)
    drawing = Drawing(8 + wide * columns, top + high * math.ceil(count / columns), f"What the agent saw: {walk.text}")
    for number, line in enumerate(lines):
        drawing.text("title", (8, 18 + 16 * number), line, size=13)
    for number, event in enumerate(events):
        x, y = 8 + wide * (number % columns), top + high * (number // columns)
        check()
        heading, elevation = facing(buildings, event, objects[number])
        picture = buildings.view(event.scan, event.viewpoint, heading, elevation, _VIEW)
        if picture is None:
            _draw_words(drawing, buildings, event, heading, (x, y), objects[number])
            project = functools.partial(_spot, heading)
        else:
            drawing.image((x, y), _VIEW, picture)
            project = functools.partial(pixel, heading, elevation)
        draw_boxes(drawing, objects[number], (x, y), _VIEW, project)
        done = "stops" if event.stops else "goes there"
        drawing.text("label", (x, y + _VIEW[1] + 15), f"step {event.step}: {done}{_share(event)}", size=12)
        said = "; ".join(filter(None, (target_said(objects[number]), choice_said(objects[number]))))
        if said:
            drawing.text("label", (x, y + _VIEW[1] + 31), said, size=12)
    return drawing


def facing(buildings: Buildings, event: StepEvent, objects: Sequence[SeenObject] = ()) -> tuple[float, float]:
    """Where the agent is about to go; where it stops, its object, else where it looks."""
    if event.stops:
        pointed = looked_at(objects)
        return (event.heading, event.elevation) if pointed is None else pointed.middle
    first = event.way[0] if event.way else event.candidates[event.action]
    heading, elevation, _ = buildings.directions(event.scan, event.viewpoint)[first]
    return heading, elevation


def _share(event: StepEvent) -> str:
    return "" if event.probabilities is None else f" ({event.probabilities[event.action]:.0%})"


def _spot(heading: float, there: float, up: float) -> Point | None:
    """Where a direction is in a field of words, whose angles are even; None behind the agent."""
    across = math.remainder(there - heading, 2 * math.pi)
    if abs(across) > math.pi / 2:
        return None
    return _VIEW[0] * (0.5 + across / _WORDS_FIELD[0]), _VIEW[1] * (0.5 - up / _WORDS_FIELD[1])


def pixel(heading: float, elevation: float, there: float, up: float) -> Point | None:
    """Where a direction is in a picture; None behind the camera."""
    turn, focal = there - heading, _VIEW[1] / 2 / math.tan(IMAGE_VFOV / 2)
    ahead, right, above = math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)
    depth = ahead * math.cos(elevation) + above * math.sin(elevation)
    if depth < 0.05:
        return None
    rise = above * math.cos(elevation) - ahead * math.sin(elevation)
    return _VIEW[0] / 2 + focal * right / depth, _VIEW[1] / 2 - focal * rise / depth


def _draw_words(
    drawing: Drawing,
    buildings: Buildings,
    event: StepEvent,
    heading: float,
    corner: Point,
    objects: Sequence[SeenObject],
) -> None:
    """The names and captions in front of the agent, where a camera would see the things; none covers another."""
    named = {one.id for one in objects if one.chosen or one.target}  # at their boxes
    place = buildings.place(event.scan, event.viewpoint)
    drawing.rect("cell-frame", corner, _VIEW)
    drawing.text("room", (corner[0] + 8, corner[1] + 16), place.room or "", size=12)
    taken: list[Box] = [(0, 0, 7 * len(place.room or ""), 22)]
    for sight in place.sights:
        spot = _spot(heading, sight.heading, sight.elevation)
        if spot is None or sight.id in named:
            continue
        lines = textwrap.wrap(sight.text, _WORDS_WIDTH)[:3]
        wide, high = 6.2 * max(map(len, lines), default=0), 14.0 * len(lines)
        x, y = spot
        box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        inside = box[0] >= 2 and box[1] >= 2 and box[2] <= _VIEW[0] - 2 and box[3] <= _VIEW[1] - 2
        if not inside or any(shared(box, other) for other in taken):
            continue
        taken.append(box)
        look = "room" if sight.kind == "caption" else "label"
        for number, line in enumerate(lines):
            at = (corner[0] + x, corner[1] + box[1] + 11 + 14 * number)
            drawing.text(look, at, line, size=12, anchor="middle")


def draw_frames(
    buildings: Buildings, walks: Sequence[Walk], names: Sequence[str], check: Callable[[], None] = lambda: None
) -> Iterator[Image]:
    """A picture of each step for an animation: the instruction, and the map with the view ahead, or the map of each
    agent if there are several. `check` comes before each."""
    known = [number for number, walk in enumerate(walks) if walk.events]
    last = max(len(walks[number].events) for number in known) - 1
    for step in range(last + 1):
        check()
        parts = []
        for number in known:
            walk, at = walks[number], min(step, len(walks[number].events) - 1)
            plan = draw_map(buildings, walks, MapOptions(at, bool(walk.reference), number, legend=tuple(names)))
            ended = f"stopped at step {at}" if at < step else f"step {at} of {len(walk.events) - 1}"
            chosen = choice_said(objects_of(buildings, walk, walk.events[at]))
            parts.append(_titled(plan, "; ".join(filter(None, (f"{names[number]}: {ended}", chosen)))))
        if len(known) == 1:
            parts.append(draw_strip(buildings, walks[known[0]], title=False, steps=[step]))
        yield _framed(parts, walks[0].text).picture(1.0)


def _titled(plan: Drawing, said: str) -> Drawing:
    titled = Drawing(plan.width, plan.height + 22, plan.label)
    titled.text("title", (10, 16), said, size=12)
    titled.place(plan, 0, 22)
    return titled


def _framed(parts: Sequence[Drawing], text: str) -> Drawing:
    """Drawings side by side below a text."""
    width = sum(part.width for part in parts)
    lines = textwrap.wrap(text, width=max(int(width / 7.2), 20))
    top = 16.0 + 17 * len(lines)
    frame = Drawing(width, top + max(part.height for part in parts), parts[0].label)
    for number, line in enumerate(lines):
        frame.text("title", (10, 20 + 17 * number), line, size=13)
    left = 0.0
    for part in parts:
        frame.place(part, left, top)
        left += part.width
    return frame
