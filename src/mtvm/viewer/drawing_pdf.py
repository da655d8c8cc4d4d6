"""Drawings as PDF, with text that can be searched and lines that stay sharp, by way of matplotlib."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

from mtvm.errors import MissingExtraError
from mtvm.io.files import atomic_path
from mtvm.viewer.drawing import Drawing, Shape

_INCH = 96.0  # pixels, as in CSS
_POINT = 0.75  # of a pixel


def write_pdf(drawing: Drawing, path: Path) -> None:
    """The drawing at its own size."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures", "Drawing PDF") from None
    figure = Figure(figsize=(drawing.width / _INCH, drawing.height / _INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    fonts = ["DejaVu Sans"]
    with (
        matplotlib.rc_context({"lines.scale_dashes": False, "pdf.fonttype": 42, "font.sans-serif": fonts}),
        atomic_path(path) as fresh,
    ):
        for order, shape in zip(itertools.count(1), drawing.shapes, strict=False):
            _add(axes, shape, order)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font")  # hundreds, of a text in another script
            figure.savefig(fresh, format="pdf", metadata={"CreationDate": None, "Title": drawing.label})


def _add(axes: Any, shape: Shape, order: int) -> None:
    from matplotlib import lines, patches

    style, (x, y) = shape.style, shape.points[0]
    if shape.kind == "text":
        _add_text(axes, shape, order)
        return
    if shape.kind == "image":
        extent = (x, x + shape.size[0], y + shape.size[1], y)
        axes.imshow(shape.picture, extent=extent, aspect="auto", zorder=order)
        return
    look: dict[str, Any] = {"linewidth": style.width * _POINT, "alpha": style.opacity, "zorder": order}
    if style.dash:
        look["linestyle"] = (0, tuple(part * _POINT for part in style.dash))
    if shape.kind == "line":
        xs, ys = zip(*shape.points, strict=True)
        axes.add_line(lines.Line2D(xs, ys, color=style.stroke, solid_capstyle="round", **look))
        return
    look |= {"facecolor": style.fill or "none", "edgecolor": style.stroke or "none"}
    if shape.kind == "circle":
        axes.add_patch(patches.Circle((x, y), shape.size[0], **look))
    elif shape.kind == "rect":
        axes.add_patch(patches.Rectangle((x, y), *shape.size, **look))
    else:
        axes.add_patch(patches.Polygon(shape.points, closed=True, **look))


def _add_text(axes: Any, shape: Shape, order: int) -> None:
    from matplotlib import patheffects

    style = shape.style
    rim = [patheffects.withStroke(linewidth=3 * _POINT, foreground="#ffffff")] if style.halo else None
    axes.text(
        *shape.points[0],
        shape.text.replace("$", r"\$"),  # no mathematics
        fontsize=shape.size[0] * _POINT,
        color=style.fill,
        fontweight="bold" if style.bold else "normal",
        ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
        va="baseline",
        rotation=-shape.turn,
        rotation_mode="anchor",
        path_effects=rim,
        zorder=order,
    )
