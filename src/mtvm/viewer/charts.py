"""Matrices and curves of a walk: attention on words, memory by step, distance to the goal, STOP and entropy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from mtvm.errors import InputError
from mtvm.viewer.drawing import AGENTS, Drawing, Point
from mtvm.viewer.figures import Walk

Scale = Literal["row", "common"]
"""Whether each row of a matrix is shaded by its own maximum, or all by that of the matrix."""

_CELL, _ROW, _SIDE = 13.0, 20.0, 64.0
_COLOURS = 11  # steps of a colour bar
_CHART = (360.0, 84.0)
_LEFT, _BETWEEN = 40.0, 30.0


def draw_matrix(walk: Walk, step: int | None = None, scale: Scale = "row") -> Drawing:
    """The words of the instruction by the steps, shaded by attention, as in the paper's Figure 6."""
    rows = {event.step: [weight for _, weight in event.words] for event in walk.events if event.words}
    if not rows:
        raise InputError(f"episode {walk.id}: no attention was recorded; evaluate with --attention.")
    words = next([word for word, _ in event.words] for event in walk.events if event.words)
    label = f"Attention on {len(words)} words at {len(rows)} steps."
    return _matrix(words, rows, label, step, scale)


def draw_memory(walk: Walk, step: int | None = None, scale: Scale = "row") -> Drawing:
    """The memory tokens by the steps, oldest first, shaded by attention: a token is added with each step."""
    rows = {event.step: event.memory for event in walk.events if event.memory}
    if not rows:
        raise InputError(f"episode {walk.id}: no attention on memory was recorded; evaluate with --attention.")
    columns = max(map(len, rows.values()))
    label = f"Attention on {columns} memory tokens at {len(rows)} steps."
    return _matrix([f"token {number}" for number in range(columns)], rows, label, step, scale)


def _matrix(
    columns: Sequence[str], rows: dict[int, list[float]], label: str, step: int | None, scale: Scale
) -> Drawing:
    top = 14 + 6.5 * max(map(len, columns))
    width, height = _SIDE + _CELL * len(columns) + 10, top + _ROW * len(rows) + 30
    drawing = Drawing(max(width, 300), height, label)
    for column, name in enumerate(columns):
        x = _SIDE + _CELL * column + _CELL - 3
        drawing.text("label", (x, top - 4), name, size=10, turn=-90, word=column)
    overall = max(max(weights) for weights in rows.values())
    for row, (number, weights) in enumerate(rows.items()):
        y, most = top + _ROW * row, (max(weights) if scale == "row" else overall) or 1.0
        drawing.text("label", (_SIDE - 6, y + 14), f"step {number}", size=11, anchor="end", step=number)
        for column, weight in enumerate(weights):
            corner, share = (_SIDE + _CELL * column, y + 1), min(max(weight / most, 0.0), 1.0)
            drawing.rect("cell", corner, (_CELL - 1, _ROW - 2), opacity=share, step=number, weight=f"{weight:.4f}")
        if number == step:
            left, right = _SIDE - 1, _SIDE + _CELL * len(weights)
            drawing.line("now", (left, y), (right, y), (right, y + _ROW), (left, y + _ROW), (left, y))
    _colour_bar(drawing, (_SIDE, top + _ROW * len(rows) + 12), "each row's maximum" if scale == "row" else overall)
    return drawing


def _colour_bar(drawing: Drawing, corner: Point, most: float | str) -> None:
    """What the shades mean."""
    x, y = corner
    for number in range(_COLOURS):
        drawing.rect("cell", (x + 8 * number, y), (8, 10), opacity=number / (_COLOURS - 1))
    drawing.text("label", (x - 4, y + 9), "0", size=10, anchor="end")
    said = most if isinstance(most, str) else f"{most:.2g}"
    drawing.text("label", (x + 8 * _COLOURS + 4, y + 9), said, size=10)


def entropy(probabilities: Sequence[float]) -> float:
    """In bits."""
    return -sum(share * math.log2(share) for share in probabilities if share > 0)


def curves_of(walk: Walk) -> dict[str, list[float | None]]:
    """By step: how far the agent is from the goal, how probable STOP is, and how uncertain it is."""
    known = [event.probabilities for event in walk.events]
    return {
        "distance": list(walk.distances[: len(walk.events)]),
        "stop": [None if shares is None else shares[-1] for shares in known],
        "entropy": [None if shares is None else entropy(shares) for shares in known],
    }


_CURVES = (("distance", "Distance to the goal (m)"), ("stop", "Probability of STOP"), ("entropy", "Entropy (bits)"))


def draw_curves(walks: Sequence[Walk], step: int | None = None, legend: Sequence[str] = ()) -> Drawing:
    """What `curves_of` says, a chart each, with a line for each agent."""
    found = [curves_of(walk) for walk in walks]
    steps = max(len(walk.events) for walk in walks)
    charts = [
        (name, title) for name, title in _CURVES if any(value is not None for one in found for value in one[name])
    ]
    if not charts:
        raise InputError(f"episode {walks[0].id}: neither its goal nor probabilities are known.")
    wide, high = _CHART
    drawing = Drawing(_LEFT + wide + 14, (high + _BETWEEN) * len(charts) + 14 + 18 * bool(legend), "Curves over steps")
    for row, (name, title) in enumerate(charts):
        top = 20 + (high + _BETWEEN) * row
        _draw_chart(drawing, top, title, [one[name] for one in found], steps, name, walks[0].radius)
        if step is not None:
            x = _at(step, steps)
            drawing.line("now", (x, top), (x, top + high))
    x = _LEFT
    for number, name in enumerate(legend):
        drawing.line(f"path-{number % len(AGENTS)}", (x, drawing.height - 9), (x + 18, drawing.height - 9))
        drawing.text("label", (x + 23, drawing.height - 5), name, size=11)
        x += 34 + 6.2 * len(name)
    drawing.width = max(drawing.width, x)
    return drawing


def _at(step: float, steps: int) -> float:
    return _LEFT + _CHART[0] * step / max(steps - 1, 1)


def _draw_chart(
    drawing: Drawing, top: float, title: str, lines: list[list[float | None]], steps: int, name: str, radius: float
) -> None:
    wide, high = _CHART
    most = 1.0 if name == "stop" else max([value for line in lines for value in line if value is not None] or [1.0])
    most = most or 1.0

    def height(value: float) -> float:
        return top + high * (1 - value / most)

    drawing.text("title", (_LEFT, top - 6), title, size=11)
    for value in (0.0, most / 2, most):
        drawing.line("grid", (_LEFT, height(value)), (_LEFT + wide, height(value)))
        said = f"{value:.0%}" if name == "stop" else f"{value:.1f}"
        drawing.text("label", (_LEFT - 5, height(value) + 4), said, size=10, anchor="end")
    if name == "distance" and 0 < radius < most:
        drawing.line("goal", (_LEFT, height(radius)), (_LEFT + wide, height(radius)))
    for number, line in enumerate(lines):
        points = [(_at(place, steps), height(value)) for place, value in enumerate(line) if value is not None]
        drawing.line(f"path-{number % len(AGENTS)}", *points)
        for place, point in enumerate(points):
            drawing.circle(f"stands-{number % len(AGENTS)}", point, 3, step=place)
    every = max(1, math.ceil(steps / 12))
    for number in range(0, steps, every):
        drawing.text("label", (_at(number, steps), top + high + 13), str(number), size=10, anchor="middle")


def draw_mistakes(counts: dict[str, list[int]], names: Sequence[str], episodes: int) -> Drawing:
    """How often each mistake was made, a bar for each agent; those that nobody made, as in tasks that do not know
    them, are left out."""
    counts = {mistake: values for mistake, values in counts.items() if any(values)} or counts
    side, bar, wide = 130.0, 13.0, 300.0
    row = bar * len(names) + 12
    drawing = Drawing(side + wide + 60, 34 + row * len(counts) + 20, f"Mistakes in {episodes} episodes")
    drawing.text("title", (8, 18), f"Mistakes in {episodes:,} episodes", size=13)
    most = max(max(values) for values in counts.values()) or 1
    for number, (mistake, values) in enumerate(counts.items()):
        top = 34 + row * number
        drawing.text("label", (side - 8, top + bar * len(names) / 2 + 4), mistake, size=12, anchor="end")
        for agent, value in enumerate(values):
            corner = (side, top + bar * agent)
            drawing.rect(f"bar-{agent % len(AGENTS)}", corner, (wide * value / most, bar - 2))
            said = f"{value} ({value / episodes:.1%})"
            drawing.text("label", (side + wide * value / most + 5, corner[1] + 9.5), said, size=10)
    x = side
    for agent, name in enumerate(names):
        drawing.rect(f"bar-{agent % len(AGENTS)}", (x, drawing.height - 16), (10, 10))
        drawing.text("label", (x + 15, drawing.height - 7), name, size=11)
        x += 30 + 6.2 * len(name)
    drawing.width = max(drawing.width, x)
    return drawing
