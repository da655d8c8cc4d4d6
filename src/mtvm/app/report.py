"""An HTML report for newcomers: scores, curves, walks and next steps.

The page is a single file that needs neither network nor JavaScript: style, curves (SVG) and images are embedded, so it
can be mailed or kept beside the results.
"""

from __future__ import annotations

import base64
import dataclasses
import math
import struct
from collections.abc import Iterable
from pathlib import Path

from mtvm.app.figures import MOST_POINTS, Point, curves_svg, drawable, smoothed, swatch
from mtvm.errors import InputError
from mtvm.io.files import read_bytes, write_text
from mtvm.io.report_page import escaped, page, paragraphs, section
from mtvm.tasks.metric import METRICS, Metric


@dataclasses.dataclass(frozen=True)
class Table:
    """Scores of several agents on the same episodes; distances in metres, all other metrics in percent."""

    title: str
    note: str
    metrics: tuple[str, ...]
    rows: list[tuple[str, dict[str, float]]]
    bounds: tuple[str, ...] = ()
    """Rows for reference only, such as the shortest path: shown muted and never as the best."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """Values over something, such as training updates, which the title should name; `unit` is that of y."""

    title: str
    unit: str
    series: dict[str, list[Point]]


@dataclasses.dataclass(frozen=True)
class Walk:
    """An instruction, and images (PNG or JPEG files with captions) of how it was followed."""

    title: str
    text: str
    pictures: list[tuple[Path, str]]


def write_report(
    path: Path,
    title: str,
    lead: str,
    tables: list[Table],
    curves: list[Curve],
    walks: list[Walk],
    next_steps: list[tuple[str, str]],
    footer: str,
) -> None:
    """Write the page; sections of empty lists are left out. A blank line in `lead` or `footer` starts a paragraph."""
    sections = [_tables_section(tables), _curves_section(curves), _walks_section(walks), _steps_section(next_steps)]
    write_text(path, page(title, lead, sections, footer))


# Tables

_ARROWS = {"higher": " ↑", "lower": " ↓", "neither": ""}


def _metric(name: str) -> Metric:
    """The metric of a column; unknown ones are shown in percent, without a best value."""
    return METRICS.get(name) or Metric(name, "%", "neither", "")


def _heading(metric: Metric) -> str:
    unit = f'{metric.unit}<span aria-hidden="true">{_ARROWS[metric.better]}</span>'
    return f'<th scope="col">{escaped(metric.name)} <small>{unit}</small></th>'


def _formatted(metric: Metric, value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else _signed(metric.format(value))


def _best(metric: Metric, values: Iterable[float | None]) -> str | None:
    """The best value as displayed, so that all values that look equal to it are emphasised."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known or not metric.sign:
        return None
    return _formatted(metric, max(known, key=lambda value: metric.sign * value))


def _tables_section(tables: list[Table]) -> str:
    if not tables:
        return ""
    parts = [_table(number, table) for number, table in enumerate(tables, 1)]
    return section("scores", "Scores", "\n".join([*parts, _explanations(tables)]))


def _table(number: int, table: Table) -> str:
    metrics = [_metric(name) for name in table.metrics]
    competitors = [values for name, values in table.rows if name not in table.bounds]
    best = [_best(metric, (values.get(metric.name) for values in competitors)) for metric in metrics]
    rows = []
    for agent, values in table.rows:
        bound = agent in table.bounds
        cells = []
        for metric, best_text in zip(metrics, best, strict=True):
            text = _formatted(metric, values.get(metric.name))
            emphasised = not bound and text == best_text
            cells.append(f'<td class="best"><strong>{text}</strong></td>' if emphasised else f"<td>{text}</td>")
        opening = '<tr class="bound">' if bound else "<tr>"
        rows.append(f'{opening}<th scope="row">{escaped(agent)}</th>{"".join(cells)}</tr>')
    lines = [
        f'<h3 id="table-{number}">{escaped(table.title)}</h3>',
        *([paragraphs(table.note)] if table.note.strip() else []),
        f'<div class="scroll" role="region" aria-labelledby="table-{number}" tabindex="0">',
        f'<table aria-labelledby="table-{number}">',
        f'<thead><tr><th scope="col">agent</th>{"".join(map(_heading, metrics))}</tr></thead>',
        "<tbody>",
        *rows,
        "</tbody>",
        "</table>",
        "</div>",
    ]
    return "\n".join(lines)


def _explanations(tables: list[Table]) -> str:
    """The meaning of all metrics in the tables."""
    names = list(dict.fromkeys(name for table in tables for name in table.metrics if name in METRICS))
    reading = "The best value of each column is in bold."
    if any(name in table.bounds for table in tables for name, _ in table.rows):
        reading += " Rows in grey italics are for reference only."
    if any(METRICS[name].sign for name in names):
        reading += " ↑ higher is better, ↓ lower is better."
    terms = "".join(f"\n<div><dt>{name}</dt><dd>{escaped(METRICS[name].meaning)}</dd></div>" for name in names)
    listing = f'\n<dl class="metrics">{terms}\n</dl>' if names else ""
    return f'<h3>How to read the tables</h3>\n<p class="hint">{reading}</p>{listing}'


# Curves


def _curves_section(curves: list[Curve]) -> str:
    figures: list[str] = []
    any_smoothed = False
    for curve in curves:
        series = {name: drawable(points) for name, points in curve.series.items()}
        series = {name: points for name, points in series.items() if points}
        if series:
            figures.append(_curve(curve, series, f"curve-{len(figures) + 1}"))
            any_smoothed = any_smoothed or any(len(points) > MOST_POINTS for points in series.values())
    if not figures:
        return ""
    hint = f"Curves of more than {MOST_POINTS} points are lightly smoothed by averaging neighbouring points."
    grid = '<div class="curves">\n' + "\n".join(figures) + "\n</div>"
    return section("curves", "Curves", f'<p class="hint">{hint}</p>\n{grid}' if any_smoothed else grid)


def _curve(curve: Curve, series: dict[str, list[Point]], name: str) -> str:
    lines = {agent: smoothed(points) for agent, points in series.items()}
    said = "; ".join(
        f"{agent} from {_number(points[0][1])} at {_number(points[0][0])} "
        f"to {_number(points[-1][1])} at {_number(points[-1][0])}"
        for agent, points in lines.items()
    )
    legend = "\n".join(
        f"<li>{swatch(number)}{escaped(agent.strip() or '–')}</li>" for number, agent in enumerate(lines)
    )
    parts = [
        "<figure>",
        f"<figcaption>{escaped(curve.title)} <small>{escaped(curve.unit)}</small></figcaption>",
        curves_svg(list(lines.values()), f"{curve.title} ({curve.unit}): {said}.", name),
        f'<ul class="legend">\n{legend}\n</ul>',
        "</figure>",
    ]
    return "\n".join(parts)


def _number(value: float) -> str:
    plain = value == 0 or 1e-3 <= abs(value) < 1e7
    return _signed(f"{value:,.3f}".rstrip("0").rstrip(".") if plain else f"{value:.3g}")


def _signed(number: str) -> str:
    return number.replace("-", "−")


# Walks and next steps


def _walks_section(walks: list[Walk]) -> str:
    articles = []
    for walk in walks:
        figures = "\n".join(_picture(picture, caption, walk.title) for picture, caption in walk.pictures)
        pictures = f'\n<div class="pictures">\n{figures}\n</div>' if figures else ""
        quote = f"\n<blockquote>\n{paragraphs(walk.text)}\n</blockquote>" if walk.text.strip() else ""
        articles.append(f"<article>\n<h3>{escaped(walk.title)}</h3>{quote}{pictures}\n</article>")
    return section("walks", "Walks", "\n".join(articles)) if articles else ""


def _picture(path: Path, caption: str, title: str) -> str:
    content = read_bytes(path, "picture for the report")
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        kind = "png"
        width, height = struct.unpack(">II", content[16:24])
        size, wide = f' width="{width}" height="{height}"', width > 1.6 * height
    elif content.startswith(b"\xff\xd8\xff"):
        kind, size, wide = "jpeg", "", False
    else:
        raise InputError(f"{path}: neither a PNG nor a JPEG image; draw it again.")
    data = base64.b64encode(content).decode("ascii")
    alternative = escaped(f"{title}: {caption}" if caption.strip() else title)
    below = f"\n<figcaption>{escaped(caption)}</figcaption>" if caption.strip() else ""
    opening = '<figure class="wide">' if wide else "<figure>"
    return f'{opening}\n<img src="data:image/{kind};base64,{data}"{size} alt="{alternative}">{below}\n</figure>'


def _steps_section(next_steps: list[tuple[str, str]]) -> str:
    items = [
        f'<li>\n<p>{escaped(what)}</p>\n<pre tabindex="0"><code>{escaped(command.strip())}</code></pre>\n</li>'
        for what, command in next_steps
    ]
    return section("next", "Next steps", "<ol>\n" + "\n".join(items) + "\n</ol>") if items else ""
