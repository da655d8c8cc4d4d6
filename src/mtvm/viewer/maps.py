"""Maps of walks: the building from above, with the reference path, agents' ways, and what one of them thinks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from mtvm.errors import InputError
from mtvm.tasks.events import StepEvent
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.drawing import AGENTS, Drawing, Point
from mtvm.viewer.figures import Walk
from mtvm.viewer.labels import Labels, Spot, around

_PANEL, _MARGIN = 420.0, 22.0
_BORDER = 0.8  # metres around the building
_AROUND = 3.0  # metres around a walk
_APART = 1e5
_LABEL, _MARK = 16.0, 10.0  # size of words and radius of candidates
_SHOWN_PROBABILITY, _LIKELY = 0.005, 0.02
_LEGEND = 20.0  # height of a line of the legend


@dataclasses.dataclass(frozen=True)
class MapOptions:
    """What a map shows beside the walks."""

    step: int | None = None
    """At which the agent's candidates are drawn."""
    here: bool = False
    """Only the storey where the agent is, named in the drawing's data, and of a large building only the surroundings
    of the walks."""
    own: int = 0
    """Whose candidates, among the walks; each walk has the colour of its place among them."""
    storeys: tuple[int, ...] = ()
    """Only these, from 1 at the bottom; empty: all."""
    legend: tuple[str, ...] = ()
    """The names of the agents: below the map, colours, marks and a scale bar are explained."""


class _Map:
    """Where the viewpoints of a building are in the drawing: one panel a storey, side by side, from the bottom up.

    A panel is as wide as its storey. With `framed`, all panels show the surroundings of these viewpoints, and are far
    apart.
    """

    def __init__(
        self,
        buildings: Buildings,
        scan: str,
        goals: Sequence[str] = (),
        framed: Sequence[str] = (),
        chosen: Sequence[int] = (),
        radius: float = 0.0,
    ) -> None:
        world = buildings.world(scan)
        self.names = [str(name) for name in world.viewpoints]
        self.node = {name: number for number, name in enumerate(self.names)}
        self.storeys: list[int] = buildings.storeys(scan).tolist()
        self.count = max(self.storeys) + 1
        self.drawn = sorted({storey - 1 for storey in chosen}) or list(range(self.count))
        if self.drawn[0] < 0 or self.drawn[-1] >= self.count:
            raise InputError(f"{scan} has storeys 1 to {self.count}, not {', '.join(map(str, chosen))}.")
        flat = world.positions[:, :2]
        radius = max(radius - _BORDER, 0.0)
        circles = flat[[self.node[goal] for goal in goals if goal in self.node]]
        inner = flat[[self.node[name] for name in framed]] if framed else flat
        wide = [inner - _AROUND, inner + _AROUND] if framed else [inner]
        seen = np.concatenate(wide).clip(flat.min(axis=0), flat.max(axis=0))
        corners = np.concatenate([seen, circles - radius, circles + radius])
        low, high = corners.min(axis=0) - _BORDER, corners.max(axis=0) + _BORDER
        extent = np.maximum(high - low, 4.0)
        self.scale = float(min(_PANEL / extent[0], _PANEL / extent[1]))
        self.height = float(extent[1]) * self.scale + 2 * _MARGIN + 8
        self._flat, self._south = flat, float(low[1])
        self.left: dict[int, float] = {}
        """The left edge of each storey's panel."""
        self._west: dict[int, float] = {}
        self.panel: dict[int, float] = {}
        """Their widths."""
        at = 0.0
        for storey in self.drawn:
            west, east = (
                (float(low[0]), float(low[0] + extent[0]))
                if framed
                else self._extent(buildings, scan, storey, goals, radius)
            )
            self.left[storey], self._west[storey] = at, west
            self.panel[storey] = (east - west) * self.scale + 2 * _MARGIN
            at += _APART if framed else self.panel[storey]
        self.width = at

    def _extent(
        self, buildings: Buildings, scan: str, storey: int, goals: Sequence[str], radius: float
    ) -> tuple[float, float]:
        """How far a storey and its stairs reach from west to east."""
        world = buildings.world(scan)
        own = [node for node, there in enumerate(self.storeys) if there == storey]
        ahead = [other for node in own for other in world.candidates[node, : world.degree[node]].tolist()]
        east = self._flat[[*own, *ahead], 0]
        ends = [self.node[goal] for goal in goals if goal in self.node and self.storeys[self.node[goal]] == storey]
        rims = [float(self._flat[node, 0]) + side for node in ends for side in (-radius, radius)]
        low, high = min([float(east.min()), *rims]) - _BORDER, max([float(east.max()), *rims]) + _BORDER
        spare = max(4.0 - (high - low), 0.0) / 2
        return low - spare, high + spare

    def shows(self, node: int) -> bool:
        return self.storeys[node] in self.left

    def point(self, node: int, storey: int | None = None) -> Point:
        """The place of a viewpoint, in its own storey's panel or in another's."""
        panel = self.storeys[node] if storey is None else storey
        east, north = self._flat[node].tolist()
        x = self.left[panel] + _MARGIN + (east - self._west[panel]) * self.scale
        return x, self.height - _MARGIN - (north - self._south) * self.scale

    def segments(self, names: list[str]) -> list[tuple[Point, Point, bool]]:
        """The lines of a way; between storeys there is one in each panel, and it is marked."""
        lines = []
        for a, b in pairwise(self.node[name] for name in names if name in self.node):
            storeys = sorted({self.storeys[a], self.storeys[b]})
            lines += [
                (self.point(a, storey), self.point(b, storey), len(storeys) > 1)
                for storey in storeys
                if storey in self.left
            ]
        return lines


def draw_map(buildings: Buildings, walks: Walk | Sequence[Walk], options: MapOptions | None = None) -> Drawing:
    """The building from above with the reference path and the agents' ways; at a step, one's candidates."""
    walks = [walks] if isinstance(walks, Walk) else list(walks)
    options = options or MapOptions()
    walk = walks[options.own]
    places = sorted({name for one in walks for name in one.places}) if options.here and walk.reference else ()
    layout = _Map(buildings, walk.scan, walk.goals, places, () if options.here else options.storeys, walk.radius)
    drawing = Drawing(layout.width, layout.height, _describe(walk, options.step))
    drawing.data["metre"] = f"{layout.scale:.3f}"
    event, left_edge, width = None, 0.0, drawing.width
    if walk.events:
        event = walk.events[-1] if options.step is None else walk.at(options.step)
        if options.here:
            storey = layout.storeys[layout.node[event.viewpoint]]
            left_edge, width = layout.left[storey], layout.panel[storey]
    labels = Labels((left_edge, 0, left_edge + width, drawing.height))
    _draw_building(drawing, layout, buildings, walk.scan)
    _draw_ways(drawing, layout, labels, walks, options)
    below = len(drawing.shapes)
    if event is not None and layout.shows(layout.node[event.viewpoint]):
        _draw_agent(drawing, layout, labels, event, options, _is_near(buildings, event))
    above = len(drawing.shapes)
    if options.here and event is not None and layout.count > 1:
        drawing.data["storey"] = f"Storey {layout.storeys[layout.node[event.viewpoint]] + 1} of {layout.count}"
    else:
        _draw_storeys(drawing, layout, labels)
    _draw_names(drawing, layout, labels, _room_groups(buildings, walk.scan, layout))
    drawing.lower(above, below)
    if options.here and event is not None:
        drawing.cut(left_edge, width, (_APART - width) / 2 if places else 0)
    if options.legend:
        _draw_legend(drawing, layout, walks, options)
    return drawing


def _describe(walk: Walk, step: int | None) -> str:
    said = f"Map of {walk.scan}: the reference path has {max(len(walk.reference) - 1, 0)} edges, "
    said += f"the agent took {len(walk.viewpoints) - 1} steps"
    if step is not None and walk.events:
        event = walk.at(step)
        said += f"; at step {step} it has {len(event.candidates)} candidates"
        said += " and stops" if event.stops else f" and goes to candidate {event.called(event.action)}"
    return said + "."


def _draw_building(drawing: Drawing, layout: _Map, buildings: Buildings, scan: str) -> None:
    for node, neighbour in buildings.edges(scan):
        for start, end, stairs in layout.segments([layout.names[node], layout.names[neighbour]]):
            drawing.line("stairs" if stairs else "edge", start, end)
    for node, (name, room) in enumerate(zip(layout.names, buildings.rooms(scan), strict=True)):
        if layout.shows(node):
            drawing.circle("viewpoint", layout.point(node), 3, viewpoint=name, room=room or "")


def _draw_ways(drawing: Drawing, layout: _Map, labels: Labels, walks: Sequence[Walk], options: MapOptions) -> None:
    """The reference path, the goals, the start, and every agent's way; the one whose map it is on top."""
    walk, step = walks[options.own], options.step
    for start, end, _ in layout.segments(list(walk.reference)):
        drawing.line("reference", start, end)
    for name in walk.goals:
        if name in layout.node and layout.shows(layout.node[name]):
            centre = layout.point(layout.node[name])
            if walk.radius:
                drawing.circle("goal", centre, walk.radius * layout.scale)
            drawing.circle("goal-mark", centre, 5)
    for number, one in enumerate(walks):
        if number != options.own:
            for start, end, _ in layout.segments(one.walked()):
                drawing.line(f"other-{number % len(AGENTS)}", start, end)
    colour = options.own % len(AGENTS)
    reached = len(walk.events) if step is None else step
    for start, end, _ in layout.segments(walk.walked(reached)):
        drawing.line(f"ahead-{colour}", start, end)
    for start, end, _ in layout.segments(walk.walked(0, reached)):
        drawing.line(f"path-{colour}", start, end)
    first = layout.node.get(walk.viewpoints[0]) if walk.events else None
    if first is not None and layout.shows(first):
        x, y = layout.point(first)
        labels.take((x, y), 12)
        drawing.rect("start", (x - 6, y - 6), (12, 12))
    for number, one in enumerate(walks):
        if number != options.own and one.events and step is not None:
            there = layout.node[one.events[min(step, len(one.events) - 1)].viewpoint]
            if layout.shows(there):
                drawing.circle(f"stands-{number % len(AGENTS)}", layout.point(there), 6)
    left = walk.left_reference
    if left is not None and left <= reached and layout.shows(layout.node[walk.viewpoints[left]]):
        drawing.circle("left", layout.point(layout.node[walk.viewpoints[left]]), 14)


def _draw_storeys(drawing: Drawing, layout: _Map, labels: Labels) -> None:
    """The name of each storey above its panel."""
    if layout.count > 1:
        for storey in layout.drawn:
            at, said = (layout.left[storey] + 6, 18.0), f"Storey {storey + 1}"
            labels.place(said, _LABEL, [(at, "start")])
            drawing.text("label", at, said, size=_LABEL)


def _draw_names(drawing: Drawing, layout: _Map, labels: Labels, rooms: list[tuple[list[int], str]]) -> None:
    """The names of rooms, where they cover neither marks nor other words; what has no place is left out."""
    for node in range(len(layout.names)):
        if layout.shows(node):
            labels.take(layout.point(node), 3)
    for nodes, room in rooms:
        if layout.shows(nodes[0]):
            x, y = np.mean([layout.point(node) for node in nodes], axis=0)
            short = room.split(",")[0].split(" containing ")[0]  # as in "porch, terrace, deck, driveway"
            spots = [*_in_the_middle(float(x), float(y)), *around((float(x), float(y)), 8, _LABEL)]
            spot = labels.place_if_free(short, _LABEL, spots)
            if spot is not None:
                drawing.text("room", spot[0], short, size=_LABEL, anchor=spot[1])


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


def _is_near(buildings: Buildings, event: StepEvent) -> bool:
    """Whether all candidates are next to the agent; otherwise it acts on a map, and they are many."""
    world = buildings.world(event.scan)
    node = world.node(event.scan, event.viewpoint)
    near = set(world.viewpoints[world.candidates[node, : world.degree[node]]].tolist())
    return near.issuperset(set(event.candidates) - {event.viewpoint})


def _draw_agent(
    drawing: Drawing, layout: _Map, labels: Labels, event: StepEvent, options: MapOptions, near: bool
) -> None:
    here = layout.node[event.viewpoint]
    storey = layout.storeys[here]
    x, y = layout.point(here)
    labels.take((x, y), 12)
    thinking = options.step is not None
    places = [layout.point(layout.node[name], storey) for name in event.candidates] if thinking else []
    elsewhere = [action for action in range(len(places)) if event.candidates[action] != event.viewpoint]  # not a turn
    named = [action for action in elsewhere if near or _is_likely(event, action)]
    for action in named:
        width = 1.5 + 6 * _probability(event, action)
        drawing.line("candidate", (x, y), places[action], width=width, action=action)
    for shape in drawing.shapes:
        if shape.kind == "line" and shape.look not in ("edge", "stairs"):
            labels.cross(*shape.points)
    turn = event.heading
    points = [
        (x + px * math.cos(turn) - py * math.sin(turn), y + px * math.sin(turn) + py * math.cos(turn))
        for px, py in ((0, -13), (8, 9), (0, 5), (-8, 9))
    ]
    drawing.polygon(f"agent-{options.own % len(AGENTS)}", *points)
    for action in elsewhere:
        place = places[action]
        look, name = "chosen" if action == event.action else "candidate", event.candidates[action]
        radius = _MARK if action in named else 5
        labels.take(place, radius)
        drawing.circle(f"{look}-mark", place, radius, action=action, viewpoint=name)
    for action in named:
        at, look = places[action], "chosen" if action == event.action else "candidate"
        drawing.text(
            f"{look}-number", (at[0], at[1] + 4.5), event.called(action), size=13, anchor="middle", action=action
        )
    for action in named:
        share = _probability(event, action)
        if share >= _SHOWN_PROBABILITY:
            spot, anchor = labels.place(f"{share:.0%}", _LABEL, around(places[action], _MARK + 3, _LABEL))
            drawing.text("label", spot, f"{share:.0%}", size=_LABEL, anchor=anchor, action=action)
    if thinking and event.probabilities is not None:
        stop = event.probabilities[-1]
        if event.stops or stop >= _SHOWN_PROBABILITY:
            said = f"stop {stop:.0%}"
            spot, anchor = labels.place(said, _LABEL, around((x, y), 15, _LABEL)[::-1])
            drawing.text("label", spot, said, size=_LABEL, anchor=anchor, action=len(event.candidates))


def _is_likely(event: StepEvent, action: int) -> bool:
    return action == event.action or _probability(event, action) >= _LIKELY


def _probability(event: StepEvent, action: int) -> float:
    return 0.0 if event.probabilities is None else event.probabilities[action]


def _draw_legend(drawing: Drawing, layout: _Map, walks: Sequence[Walk], options: MapOptions) -> None:
    """What the colours and marks mean, and how long a metre is, in lines below the map."""
    entries: list[tuple[str, str]] = []
    walk = walks[options.own]
    if len(walk.reference) > 1:
        entries.append(("reference", "reference path"))
    entries += [(f"path-{number % len(AGENTS)}", name) for number, name in enumerate(options.legend[: len(walks)])]
    entries.append(("start", "start"))
    if walk.goals:
        entries.append(("goal", f"goal, {walk.radius:g} m around it") if walk.radius else ("goal-mark", "goal"))
    if options.step is not None:
        entries += [("candidate-mark", "candidate"), ("chosen-mark", "chosen")]
    if walk.left_reference is not None:
        entries.append(("left", "left the reference path for good"))
    top, x, y = drawing.height, 12.0, drawing.height + 6
    drawing.width = max(drawing.width, 240.0)
    for look, said in [("scale", f"{_bar(layout.scale)} m"), *entries]:
        mark = _bar(layout.scale) * layout.scale if look == "scale" else 22.0
        wide = mark + 10 + 6.6 * len(said)
        if x > 12 and x + wide > drawing.width - 6:
            x, y = 12.0, y + _LEGEND
        _draw_mark(drawing, look, (x, y), mark)
        drawing.text("label", (x + mark + 5, y + 4), said, size=12)
        x += wide + 12
    drawing.height = max(top, y + _LEGEND - 4)


def _bar(scale: float) -> int:
    """The length of the scale bar in metres: about a fifth of a panel."""
    return next((metres for metres in (1, 2, 5, 10, 20) if metres * scale >= _PANEL / 8), 50)


def _draw_mark(drawing: Drawing, look: str, at: Point, width: float) -> None:
    x, y = at
    if look == "scale":
        drawing.line("scale", (x, y - 4), (x, y), (x + width, y), (x + width, y - 4))
    elif look.startswith("path") or look == "reference":
        drawing.line(look, (x, y), (x + width, y))
    elif look == "start":
        drawing.rect(look, (x + width / 2 - 6, y - 6), (12, 12))
    else:
        drawing.circle(look, (x + width / 2, y), 7)
