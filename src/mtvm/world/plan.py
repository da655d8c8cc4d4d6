"""A building and the walks through it, drawn from above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import MissingExtraError
from mtvm.files import atomic_path
from mtvm.world.graph import NavGraph

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")  # readable without full colour vision


def draw_plan(
    graph: NavGraph,
    walks: Mapping[str, Sequence[int]],
    path: Path,
    *,
    title: str = "",
    start: int | None = None,
    goal: int | None = None,
    success_radius: float = 3.0,
) -> None:
    """Draw a scan's graph, walks by name (nodes of the graph), the start and the goal, to a PNG or SVG file.

    Storeys are drawn one above the other. The ring around the goal holds every viewpoint from which stopping succeeds.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures", "Drawing a plan") from None
    points = _project(graph.positions)
    figure = Figure(figsize=(7, 6), dpi=110, layout="constrained")
    axes = figure.add_subplot()
    _draw_graph(axes, graph, points)
    if goal is not None:
        near = graph.distances[:, goal] < success_radius
        axes.scatter(
            points[near, 0], points[near, 1], s=150, facecolors="none", edgecolors="#b8b8b8", linewidths=1.2, zorder=2
        )
        axes.scatter(
            points[goal, 0],
            points[goal, 1],
            marker="*",
            s=330,
            color="#f0c800",
            edgecolors="black",
            zorder=6,
            label="goal",
        )
    if start is not None:
        axes.scatter(
            points[start, 0],
            points[start, 1],
            marker="s",
            s=90,
            color="white",
            edgecolors="black",
            zorder=6,
            label="start",
        )
    for place, (name, walk) in enumerate(walks.items()):
        offset = (place - (len(walks) - 1) / 2) * 0.1  # walks along one edge stay visible side by side
        line = points[list(walk)] + [offset, offset]
        colour = _COLOURS[place % len(_COLOURS)]
        axes.plot(*line.T, color=colour, linewidth=2.6, solid_joinstyle="round", zorder=4, label=name)
        axes.scatter(line[-1, 0], line[-1, 1], color=colour, s=60, zorder=5)
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    with atomic_path(path) as fresh:
        figure.savefig(fresh, format=path.suffix.lstrip(".") or "png", metadata=_no_date(path))


def _project(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seen at a slant from above, with storeys far enough apart not to hide each other."""
    depth = np.ptp(positions[:, 1]) * 0.62
    storey = np.round((positions[:, 2] - positions[:, 2].min()) / 2.5)
    return np.stack([positions[:, 0] + positions[:, 1] * 0.25, positions[:, 1] * 0.62 + storey * (depth + 2.0)], axis=1)


def _draw_graph(axes: Any, graph: NavGraph, points: NDArray[np.float64]) -> None:
    from matplotlib.collections import LineCollection

    node, slot = np.nonzero(graph.candidates >= 0)
    other = graph.candidates[node, slot]
    once = node < other
    edges = np.stack([points[node[once]], points[other[once]]], axis=1)
    axes.add_collection(LineCollection([*edges], colors="#d5d5d5", linewidths=1.4, zorder=1))
    axes.scatter(points[:, 0], points[:, 1], s=16, color="#9a9a9a", zorder=3)


def _no_date(path: Path) -> dict[str, Any] | None:
    """The same picture gives the same bytes."""
    return {"Date": None} if path.suffix == ".svg" else None
