"""Figures for screen and print: lines with intervals, heat maps, differences, performance profiles.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; markers and dashes tell lines apart in grey.
"""

from __future__ import annotations

import dataclasses
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.machine import require_matplotlib
from mtvm.tasks.bootstrap import Interval

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLE = {
    "font.size": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "mtvm",
}
_DOTS_PER_INCH = 200
_COLOURS = 32
_INCHES_PER_LETTER, _INCHES_PER_HANDLE, _INCHES_PER_ROW = 0.08, 0.6, 0.21
"""Of a legend, at most."""


@dataclasses.dataclass(frozen=True)
class Line:
    """Estimates over x."""

    name: str
    x: Sequence[float]
    y: Sequence[Interval]


@dataclasses.dataclass(frozen=True)
class Panel:
    """One plot of lines; `levels` are dashed, horizontal, and belong to the lines of the same number. Where x is of
    kinds, not of numbers, there are points that are not `joined`. A `logarithmic` x needs `ticks`."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    levels: Sequence[tuple[str, float]] = ()
    ticks: Sequence[tuple[float, str]] = ()
    joined: bool = True
    logarithmic: bool = False


def draw_panels(panels: Sequence[Panel], width: float = 3.3) -> Any:
    """Plots of this width in inches side by side, with one legend below them."""
    figure, axes = figure_with_axes((width * len(panels) + 0.3, 3.1), 1, len(panels))
    for panel, plot in zip(panels, axes, strict=True):
        for number, line in enumerate(panel.lines):
            if panel.joined:
                _draw_line(plot, line, number)
            else:
                _draw_points(plot, line, number, len(panel.lines))
        for number, (name, level) in enumerate(panel.levels):
            plot.axhline(level, color=_colour(number), linestyle=(0, (5, 3)), linewidth=1.1, label=name)
        plot.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
        if panel.logarithmic:
            plot.set_xscale("log")
            plot.minorticks_off()
        if panel.ticks:
            plot.set_xticks([place for place, _ in panel.ticks], [name for _, name in panel.ticks])
    return _with_legend(figure, axes)


def _draw_line(plot: Any, line: Line, number: int) -> None:
    values = [one.value for one in line.y]
    look = {"color": _colour(number), "marker": MARKERS[number % len(MARKERS)]}
    plot.plot(line.x, values, label=line.name, linewidth=1.6, markersize=4.5, **look)
    known = [(x, one) for x, one in zip(line.x, line.y, strict=True) if one.is_known]
    if known:
        low, high = [one.low for _, one in known], [one.high for _, one in known]
        plot.fill_between([x for x, _ in known], low, high, color=look["color"], alpha=0.13, linewidth=0)


def _draw_points(plot: Any, line: Line, number: int, lines: int) -> None:
    """Points side by side, each with its interval."""
    x = np.array(line.x) + 0.5 * ((number + 0.5) / lines - 0.5)
    look = {"color": _colour(number), "marker": MARKERS[number % len(MARKERS)]}
    plot.plot(x, [one.value for one in line.y], label=line.name, linestyle="none", markersize=5, **look)
    for place, one in zip(x, line.y, strict=True):
        if one.is_known:
            plot.plot([place, place], [one.low, one.high], color=look["color"], linewidth=1.2)


def draw_heat_map(
    values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], x: str, y: str, unit: str
) -> Any:
    """A matrix, darker for more, with its numbers; NaN stays empty."""
    figure, axes = figure_with_axes((0.8 * len(columns) + 2.2, 0.6 * len(rows) + 1.5), 1, 1)
    plot, table = axes[0], np.array(values, dtype=np.float64)
    drawn = plot.imshow(table, cmap="cividis_r", aspect="auto")
    lightest, darkest = drawn.get_clim()
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            dark = value > (lightest + darkest) / 2
            plot.text(column, row, f"{value:.1f}", ha="center", va="center", color="white" if dark else "black")
    plot.set(xlabel=x, ylabel=y)
    plot.set_xticks(range(len(columns)), columns)
    plot.set_yticks(range(len(rows)), rows)
    plot.grid(visible=False)
    figure.colorbar(drawn, ax=plot, label=unit)
    return figure


def draw_differences(differences: Mapping[str, Interval], unit: str) -> Any:
    """Each difference as a point with its interval, and a line at none."""
    figure, axes = figure_with_axes((5.6, 0.34 * len(differences) + 1.0), 1, 1)
    plot = axes[0]
    for row, gain in enumerate(differences.values()):
        if gain.is_known:
            plot.plot([gain.low, gain.high], [row, row], color=COLOURS[0], linewidth=1.6)
        plot.plot(gain.value, row, "o", color=COLOURS[0], markersize=5)
    plot.axvline(0, color="black", linewidth=0.9)
    plot.set_yticks(range(len(differences)), list(differences))
    plot.set_ylim(len(differences) - 0.5, -0.5)
    plot.set_xlabel(unit)
    return figure


def draw_profiles(profiles: Mapping[str, Sequence[float]], thresholds: Sequence[float], x: str) -> Any:
    """The share of buildings and seeds above each threshold; a line that lies above another's is better."""
    figure, axes = figure_with_axes((5.6, 3.4), 1, 1)
    for number, (name, profile) in enumerate(profiles.items()):
        look = {"color": _colour(number), "linestyle": _dashes(number)}
        axes[0].plot(thresholds, profile, label=name, linewidth=1.6, **look)
    axes[0].set(xlabel=x, ylabel="share of buildings and seeds above", ylim=(-0.02, 1.02))
    return _with_legend(figure, axes)


def save(figure: Any, folder: Path, name: str) -> None:
    """As NAME.png and NAME.svg; the same figure gives the same bytes."""
    from matplotlib import style

    folder.mkdir(parents=True, exist_ok=True)
    with style.context(["default", STYLE]):
        _write_png(figure, folder / f"{name}.png")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    (folder / f"{name}.svg").write_text(text.getvalue(), encoding="utf-8")


def _write_png(figure: Any, path: Path) -> None:
    """With a palette, which takes a third of the space."""
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=_DOTS_PER_INCH)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=4).save(path, "PNG", optimize=True)


def figure_with_axes(size: tuple[float, float], rows: int, columns: int) -> tuple[Any, list[Any]]:
    """A figure of this size in inches, and its plots row by row."""
    require_matplotlib("The figures of a study")
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", STYLE]):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.ravel())


def _with_legend(figure: Any, axes: Sequence[Any]) -> Any:
    """One legend of all plots, below them, which makes the figure higher if it needs more than one row."""
    named = {name: handle for plot in axes for handle, name in zip(*plot.get_legend_handles_labels(), strict=True)}
    widest = _INCHES_PER_LETTER * max(map(len, named)) + _INCHES_PER_HANDLE
    columns = max(1, min(len(named), int(figure.get_figwidth() / widest)))
    rows = math.ceil(len(named) / columns)
    figure.set_figheight(figure.get_figheight() + _INCHES_PER_ROW * (rows - 1))
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=columns, frameon=False)
    return figure


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _dashes(number: int) -> Any:
    return ("solid", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)))[number % 4]
