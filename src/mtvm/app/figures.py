"""Curves as SVG for an HTML page, legible on light and dark backgrounds."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from statistics import fmean

from mtvm.errors import MissingExtraError
from mtvm.io.report_page import escaped

Point = tuple[float, float]

MOST_POINTS = 100
"""Longer curves are smoothed down to this many points."""

_WIDTH, _HEIGHT = 440, 250
_GREY = "#808080"
# Those of Okabe and Ito's colours that stand out on both white and black; dashes distinguish lines in greyscale.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", _GREY)
_DASHES = ((), (8, 3), (3, 2), (10, 3, 3, 3))
_HUGE = 1e100  # far larger values overflow inside matplotlib

_STYLE = {
    "svg.fonttype": "none",  # text in the font of the page, not paths
    "svg.hashsalt": "mtvm",  # the same curve gives the same SVG
    "font.size": 12,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": _GREY,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": _GREY,
    "grid.alpha": 0.35,
    "xtick.color": _GREY,
    "ytick.left": False,
    "lines.linewidth": 2,
    "lines.scale_dashes": False,
}


def drawable(points: Iterable[Point]) -> list[Point]:
    """The points sorted by x, without those that are not finite or too large to draw."""
    return sorted((x, y) for x, y in points if abs(x) < _HUGE and abs(y) < _HUGE)


def smoothed(points: list[Point]) -> list[Point]:
    """At most `MOST_POINTS` points, each the mean of a group of neighbours."""
    size = math.ceil(len(points) / MOST_POINTS)
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    return [(fmean(x for x, _ in group), fmean(y for _, y in group)) for group in groups]


def curves_svg(lines: Sequence[list[Point]], label: str, name: str) -> str:
    """Draw the lines in one plot, with a dot at the end of each.

    `label` describes the plot for screen readers. `name` must be unique on the page and prefixes all ids. The legend is
    left to HTML (see `swatch`), because matplotlib can neither wrap long names nor measure every script.
    """
    try:
        from matplotlib import style
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures", "Drawing curves") from None
    buffer = io.StringIO()
    with style.context(["default", _STYLE]):
        figure = Figure(figsize=(_WIDTH / 72, _HEIGHT / 72), layout="constrained")
        axes = figure.subplots()
        for number, points in enumerate(lines):
            colour, dashes = _look(number)
            pattern = (0, dashes) if dashes else "solid"
            axes.plot(*zip(*points, strict=True), color=colour, linestyle=pattern, marker="o", markevery=[-1])
        axes.locator_params(nbins=6)
        figure.savefig(buffer, format="svg")
    drawn = buffer.getvalue()
    # Drop what comes before the first group: a header, a date, and a style that would apply to the whole page.
    content = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", drawn[drawn.index("<g ") :])
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escaped(label)}">\n{content.strip()}'


def swatch(number: int) -> str:
    """A short sample of line `number`, for a legend."""
    colour, dashes = _look(number)
    pattern = " ".join(map(str, dashes)) or "none"
    line = f'<path d="M0 4h32" stroke="{colour}" stroke-width="2" stroke-dasharray="{pattern}"/>'
    return f'<svg viewBox="0 0 32 8" aria-hidden="true">{line}</svg>'


def _look(number: int) -> tuple[str, tuple[int, ...]]:
    return _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
