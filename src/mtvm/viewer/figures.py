"""The figures of a walk (map, attention matrix, strip of views), for the page, exports and `mtvm figure`."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mtvm.errors import InputError
from mtvm.tasks.definitions import SUCCESS_RADIUS
from mtvm.tasks.events import StepEvent
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.drawing import Drawing, Point
from mtvm.viewer.labels import Box, Labels, Spot, around, shared

if TYPE_CHECKING:
    from PIL.Image import Image

_PANEL, _MARGIN = 420.0, 22.0
_BORDER = 0.8  # metres around the building
_AROUND = 4.0  # metres around a walk
_APART = 1e5
_CELL, _ROW = 13.0, 20.0
_SHOWN_PROBABILITY = 0.005
_LABEL, _MARK = 16.0, 10.0  # size of words and radius of candidates on the map
_FEW = 8
_VIEW = (320, 240)
_COLUMNS = 4
_WORDS_FIELD = (math.radians(90), math.radians(90))
"""How much is in sight where words stand for the picture, across and up."""
_WORDS_WIDTH = 22
"""Letters of a line."""


@dataclasses.dataclass(frozen=True)
class Walk:
    """What an agent did in an episode, and what it was asked to do."""

    id: str
    scan: str
    text: str
    events: list[StepEvent]
    reference: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    metrics: dict[str, float] = dataclasses.field(default_factory=dict)
    distances: list[float] = dataclasses.field(default_factory=list)
    """From each of `viewpoints` to the nearest goal, in metres, where the goals are known."""
    mistake: str = ""
    """What went wrong, in the words of `mtvm.tasks.diagnosis`."""

    @property
    def viewpoints(self) -> list[str]:
        """Where the agent was, in order, and where its last step led."""
        places = [event.viewpoint for event in self.events]
        last = self.events[-1].target if self.events else None
        return places if last is None else [*places, last]

    def walked(self, first: int = 0, last: int | None = None) -> list[str]:
        """The viewpoints from the beginning of step `first` to that of step `last`, also those on the way."""
        places = self.viewpoints
        last = len(places) - 1 if last is None else min(last, len(places) - 1)
        ways = [event.way or [] for event in self.events]
        passed = [name for step in range(first, last) for name in (*ways[step], places[step + 1])]
        return [*places[first : first + 1], *passed]

    @property
    def places(self) -> list[str]:
        """Every viewpoint that the walk has to do with: the reference's, the agent's, and those it could go to."""
        offered = [name for event in self.events for name in event.candidates]
        return sorted({*self.reference, *self.goals, *self.walked(), *offered})

    @property
    def left_reference(self) -> int | None:
        """The step with which the agent left the reference path for good; None if it ended on it."""
        if len(self.reference) < 2:
            return None
        known = set(self.reference)
        on_it = [step for step, viewpoint in enumerate(self.viewpoints) if viewpoint in known]
        return on_it[-1] if on_it and on_it[-1] + 1 < len(self.viewpoints) else None

    def at(self, step: int) -> StepEvent:
        if not 0 <= step < len(self.events):
            raise InputError(f"episode {self.id} has steps 0 to {len(self.events) - 1}, not {step}.")
        return self.events[step]


class _Map:
    """Where the viewpoints of a building are in the drawing: one panel a storey, side by side, from the bottom up.

    With `framed`, a panel shows the surroundings of these viewpoints, and the panels are far apart.
    """

    def __init__(self, buildings: Buildings, scan: str, goals: Sequence[str] = (), framed: Sequence[str] = ()) -> None:
        world = buildings.world(scan)
        self.names = [str(name) for name in world.viewpoints]
        self.node = {name: number for number, name in enumerate(self.names)}
        self.storeys: list[int] = buildings.storeys(scan).tolist()
        self.count = max(self.storeys) + 1
        flat = world.positions[:, :2]
        circles = flat[[self.node[goal] for goal in goals if goal in self.node]]
        radius = SUCCESS_RADIUS - _BORDER
        inner = flat[[self.node[name] for name in framed]] if framed else flat
        wide = [inner - _AROUND, inner + _AROUND] if framed else [inner]
        seen = np.concatenate(wide).clip(flat.min(axis=0), flat.max(axis=0))
        corners = np.concatenate([seen, circles - radius, circles + radius])
        self._low = corners.min(axis=0) - _BORDER
        extent = np.maximum(corners.max(axis=0) + _BORDER - self._low, 4.0)
        self.scale = min(_PANEL / extent[0], _PANEL / extent[1])
        self.panel = float(extent[0]) * self.scale + 2 * _MARGIN
        self.spacing = _APART if framed else self.panel
        self.height = float(extent[1]) * self.scale + 2 * _MARGIN + 8
        self._offsets: list[Point] = [(float(x), float(y)) for x, y in (flat - self._low) * self.scale]

    def point(self, node: int, storey: int | None = None) -> Point:
        """The place of a viewpoint, in its own storey's panel or in another's."""
        east, north = self._offsets[node]
        panel = self.storeys[node] if storey is None else storey
        return panel * self.spacing + _MARGIN + east, self.height - _MARGIN - north

    def segments(self, names: list[str]) -> list[tuple[Point, Point, bool]]:
        """The lines of a way; between storeys there is one in each panel, and it is marked."""
        lines = []
        for a, b in pairwise(self.node[name] for name in names if name in self.node):
            storeys = sorted({self.storeys[a], self.storeys[b]})
            lines += [(self.point(a, storey), self.point(b, storey), len(storeys) > 1) for storey in storeys]
        return lines


def draw_map(
    buildings: Buildings, walk: Walk, step: int | None = None, other: Walk | None = None, here: bool = False
) -> Drawing:
    """The building from above, with the reference path, the agent's way and, at a step, its candidates.

    `other` is the walk of another agent in the same episode. `here` draws only the storey where the agent is, and of a
    large building only the surroundings of the walk.
    """
    places = [*walk.places, *(other.places if other else ())] if here and walk.reference else ()
    layout = _Map(buildings, walk.scan, walk.goals, places)
    drawing = Drawing(layout.panel * layout.count, layout.height, _describe(walk, step))
    _draw_building(drawing, layout, buildings, walk.scan)
    for start, end, _ in layout.segments(list(walk.reference)):
        drawing.line("reference", start, end)
    for name in walk.goals:
        if name in layout.node:
            centre = layout.point(layout.node[name])
            drawing.circle("goal", centre, SUCCESS_RADIUS * layout.scale)
            drawing.circle("goal-mark", centre, 5)
    if other is not None:
        for start, end, _ in layout.segments(other.walked()):
            drawing.line("other", start, end)
    reached = len(walk.events) if step is None else step
    for start, end, _ in layout.segments(walk.walked(reached)):
        drawing.line("path-ahead", start, end)
    for start, end, _ in layout.segments(walk.walked(0, reached)):
        drawing.line("path", start, end)
    left = walk.left_reference
    if left is not None and left <= reached:
        drawing.circle("left", layout.point(layout.node[walk.viewpoints[left]]), 14)
    event, left_edge = None, 0.0
    if walk.events:
        event = walk.events[-1] if step is None else walk.at(step)
        left_edge = layout.storeys[layout.node[event.viewpoint]] * layout.spacing if here else 0.0
    labels = Labels((left_edge, 0, left_edge + (layout.panel if here else drawing.width), drawing.height))
    if event is not None:
        _draw_agent(drawing, layout, labels, event, thinking=step is not None)
    _draw_names(drawing, layout, labels, _room_groups(buildings, walk.scan, layout))
    if here and event is not None:
        drawing.cut(left_edge, layout.panel, (layout.spacing - layout.panel) / 2)
    return drawing


def _describe(walk: Walk, step: int | None) -> str:
    said = f"Map of {walk.scan}: the reference path has {max(len(walk.reference) - 1, 0)} steps, "
    said += f"the agent took {len(walk.viewpoints) - 1}"
    if step is not None and walk.events:
        event = walk.at(step)
        said += f"; at step {step} it has {len(event.candidates)} candidates"
        said += " and stops" if event.stops else f" and goes to candidate {event.action + 1}"
    return said + "."


def _draw_building(drawing: Drawing, layout: _Map, buildings: Buildings, scan: str) -> None:
    for node, neighbour in buildings.edges(scan):
        for start, end, stairs in layout.segments([layout.names[node], layout.names[neighbour]]):
            drawing.line("stairs" if stairs else "edge", start, end)
    for node, (name, room) in enumerate(zip(layout.names, buildings.rooms(scan), strict=True)):
        drawing.circle("viewpoint", layout.point(node), 3, viewpoint=name, room=room or "")


def _draw_names(drawing: Drawing, layout: _Map, labels: Labels, rooms: list[tuple[list[int], str]]) -> None:
    """The names of storeys and rooms, where they cover neither marks nor each other."""
    if layout.count > 1:
        for storey in range(layout.count):
            at, said = (storey * layout.spacing + 6, 18.0), f"Storey {storey + 1}"
            labels.place(said, _LABEL, [(at, "start")])
            drawing.text("label", at, said, size=_LABEL)
    for node in range(len(layout.names)):
        labels.take(layout.point(node), 3)
    for nodes, room in rooms:
        x, y = np.mean([layout.point(node) for node in nodes], axis=0)
        short = room.split(",")[0].split(" containing ")[0]  # as in "porch, terrace, deck, driveway"
        at, anchor = labels.place(short, _LABEL, [*_in_the_middle(float(x), float(y)), *around((x, y), 8, _LABEL)])
        drawing.text("room", at, short, size=_LABEL, anchor=anchor)


def _in_the_middle(x: float, y: float) -> list[Spot]:
    return [((x, y + down), "middle") for down in (-7, 17, -22, 32)]


def _room_groups(buildings: Buildings, scan: str, layout: _Map) -> list[tuple[list[int], str]]:
    """Neighbouring viewpoints of one storey whose room has the same name."""
    rooms, world = buildings.rooms(scan), buildings.world(scan)
    groups, grouped = [], set()
    for first, room in enumerate(rooms):
        if room is None or first in grouped:
            continue
        group, ahead = [], [first]
        while ahead:
            node = ahead.pop()
            if node in grouped or rooms[node] != room or layout.storeys[node] != layout.storeys[first]:
                continue
            grouped.add(node)
            group.append(node)
            ahead += world.candidates[node, : world.degree[node]].tolist()
        groups.append((group, room))
    return groups


def _draw_agent(drawing: Drawing, layout: _Map, labels: Labels, event: StepEvent, thinking: bool) -> None:
    here = layout.node[event.viewpoint]
    storey = layout.storeys[here]
    x, y = layout.point(here)
    labels.take((x, y), 12)
    if thinking:
        places = [layout.point(layout.node[name], storey) for name in event.candidates]
        for place in places:
            labels.take(place, _MARK)
        for action, place in enumerate(places):
            _draw_candidate(drawing, event, action, (x, y), place)
        for action, place in enumerate(places):
            _draw_share(drawing, labels, event, action, place)
    turn = event.heading
    arrow = [(0, -13), (8, 9), (0, 5), (-8, 9)]
    points = [
        (x + px * math.cos(turn) - py * math.sin(turn), y + px * math.sin(turn) + py * math.cos(turn))
        for px, py in arrow
    ]
    drawing.polygon("agent", *points)
    if thinking and event.probabilities is not None:
        stop = event.probabilities[-1]
        if event.stops or stop >= _SHOWN_PROBABILITY:
            at, anchor = labels.place(f"stop {stop:.0%}", _LABEL, around((x, y), 15, _LABEL)[::-1])
            said = f"stop {stop:.0%}"
            drawing.text("label", at, said, size=_LABEL, anchor=anchor, action=len(event.candidates))


def _matters(event: StepEvent, action: int) -> bool:
    """Whether a candidate is worth its number: those of an agent with a map are many, most of them unlikely."""
    few = len(event.candidates) <= _FEW
    return few or action == event.action or _probability(event, action) >= _SHOWN_PROBABILITY


def _probability(event: StepEvent, action: int) -> float:
    return 0.0 if event.probabilities is None else event.probabilities[action]


def _draw_candidate(drawing: Drawing, event: StepEvent, action: int, here: Point, place: Point) -> None:
    name, matters = event.candidates[action], _matters(event, action)
    if matters:
        drawing.line("candidate", here, place, width=1.5 + 6 * _probability(event, action), action=action)
    look = "chosen" if action == event.action else "candidate"
    drawing.circle(f"{look}-mark", place, _MARK if matters else 5, action=action, viewpoint=name)
    if matters:
        x, y = place
        drawing.text(f"{look}-number", (x, y + 4.5), str(action + 1), size=13, anchor="middle", action=action)


def _draw_share(drawing: Drawing, labels: Labels, event: StepEvent, action: int, place: Point) -> None:
    share = _probability(event, action)
    if share >= _SHOWN_PROBABILITY:
        at, anchor = labels.place(f"{share:.0%}", _LABEL, around(place, _MARK + 3, _LABEL))
        drawing.text("label", at, f"{share:.0%}", size=_LABEL, anchor=anchor, action=action)


def draw_matrix(walk: Walk, step: int | None = None) -> Drawing:
    """The words of the instruction by the steps, shaded by attention, as in the paper's Figure 6."""
    rows = [event for event in walk.events if event.words]
    if not rows:
        raise InputError(f"episode {walk.id}: no attention was recorded; evaluate with --attention.")
    words = [word for word, _ in rows[0].words or []]
    top, side = 14 + 6.5 * max(map(len, words)), 64.0
    width, height = side + _CELL * len(words) + 10, top + _ROW * len(rows) + 10
    drawing = Drawing(max(width, 200), height, f"Attention on {len(words)} words at {len(rows)} steps.")
    for column, word in enumerate(words):
        x = side + _CELL * column + _CELL - 3
        drawing.text("label", (x, top - 4), word, size=10, turn=-90, word=column)
    for row, event in enumerate(rows):
        y = top + _ROW * row
        drawing.text("label", (side - 6, y + 14), f"step {event.step}", size=11, anchor="end", step=event.step)
        weights = [weight for _, weight in event.words or []]
        most = max(weights, default=0) or 1
        for column, weight in enumerate(weights):
            corner = (side + _CELL * column, y + 1)
            share = max(weight / most, 0.0)
            drawing.rect("cell", corner, (_CELL - 1, _ROW - 2), opacity=share, step=event.step, weight=f"{weight:.4f}")
        if event.step == step:
            frame = _CELL * len(weights)
            corners = [(side - 1, y), (side + frame, y), (side + frame, y + _ROW), (side - 1, y + _ROW), (side - 1, y)]
            drawing.line("now", *corners)
    return drawing


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


def draw_frames(buildings: Buildings, walk: Walk) -> Iterator[Image]:
    """A picture of each step for an animation: instruction, map, and the view ahead."""
    for event in walk.events:
        plan = draw_map(buildings, walk, event.step)
        alone = dataclasses.replace(walk, events=[event])
        view = draw_strip(buildings, alone, title=False)
        lines = textwrap.wrap(walk.text, width=int((plan.width + view.width) / 7.2))
        top = 16.0 + 17 * len(lines)
        frame = Drawing(plan.width + view.width, top + max(plan.height, view.height), plan.label)
        for number, line in enumerate(lines):
            frame.text("title", (10, 20 + 17 * number), line, size=13)
        frame.place(plan, 0, top)
        frame.place(view, plan.width, top)
        yield frame.picture(1.0)
