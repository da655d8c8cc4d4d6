"""The view ahead at each step of a walk, and the pictures of its animation."""

from __future__ import annotations

import dataclasses
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

if TYPE_CHECKING:
    from PIL.Image import Image

_VIEW = (320, 240)
_COLUMNS = 4
_WORDS_FIELD = (math.radians(90), math.radians(90))
"""How much is in sight where words stand for the picture, across and up."""
_WORDS_WIDTH = 22
"""Letters of a line."""


def draw_strip(
    buildings: Buildings, walk: Walk, title: bool = True, check: Callable[[], None] = lambda: None
) -> Drawing:
    """The view ahead at each step, in words where there are no pictures; `check` comes before each."""
    count = len(walk.events)
    columns = min(count, _COLUMNS)
    wide, high = _VIEW[0] + 8, _VIEW[1] + 26
    lines = textwrap.wrap(walk.text, width=max(columns * 46, 40)) if title else []
    top = 14 + 16 * len(lines)
    drawing = Drawing(8 + wide * columns, top + high * math.ceil(count / columns), f"What the agent saw: {walk.text}")
    for number, line in enumerate(lines):
        drawing.text("title", (8, 18 + 16 * number), line, size=13)
    for number, event in enumerate(walk.events):
        x, y = 8 + wide * (number % columns), top + high * (number // columns)
        check()
        heading, elevation = facing(buildings, event)
        picture = buildings.view(event.scan, event.viewpoint, heading, elevation, _VIEW)
        if picture is None:
            _draw_words(drawing, buildings, event, heading, (x, y))
        else:
            drawing.image((x, y), _VIEW, picture)
        done = "stops" if event.stops else "goes there"
        drawing.text("label", (x, y + _VIEW[1] + 15), f"step {event.step}: {done}{_share(event)}", size=12)
    return drawing


def facing(buildings: Buildings, event: StepEvent) -> tuple[float, float]:
    """Where the agent is about to go, else where it looks."""
    if event.stops:
        return event.heading, event.elevation
    first = event.way[0] if event.way else event.candidates[event.action]
    heading, elevation, _ = buildings.directions(event.scan, event.viewpoint)[first]
    return heading, elevation


def _share(event: StepEvent) -> str:
    return "" if event.probabilities is None else f" ({event.probabilities[event.action]:.0%})"


def _draw_words(drawing: Drawing, buildings: Buildings, event: StepEvent, heading: float, corner: Point) -> None:
    """The names and captions in front of the agent, where a camera would see the things; none covers another."""
    place = buildings.place(event.scan, event.viewpoint)
    drawing.rect("cell-frame", corner, _VIEW)
    drawing.text("room", (corner[0] + 8, corner[1] + 16), place.room or "", size=12)
    taken: list[Box] = [(0, 0, 7 * len(place.room or ""), 22)]
    for sight in place.sights:
        lines = textwrap.wrap(sight.text, _WORDS_WIDTH)[:3]
        across = math.remainder(sight.heading - heading, 2 * math.pi) / _WORDS_FIELD[0]
        wide, high = 6.2 * max(map(len, lines), default=0), 14.0 * len(lines)
        x, y = _VIEW[0] * (0.5 + across), _VIEW[1] * (0.5 - sight.elevation / _WORDS_FIELD[1])
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
            parts.append(_titled(plan, f"{names[number]}: {ended}"))
        if len(known) == 1:
            alone = dataclasses.replace(walks[known[0]], events=[walks[known[0]].events[step]])
            parts.append(draw_strip(buildings, alone, title=False))
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
