"""One page of HTML about a run for people who are new to it: scores, curves, walks and what to do next.

The page is a single file that needs neither network nor JavaScript: the style, the curves (SVG) and the pictures
are in it, so that it can be mailed or kept beside the results.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import math
import re
import struct
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from mtvm.errors import InputError
from mtvm.files import read_bytes, write_text

Point = tuple[float, float]


@dataclasses.dataclass(frozen=True)
class Table:
    """Scores of several agents on the same episodes: distances in metres, all other metrics in percent."""

    title: str
    note: str
    metrics: tuple[str, ...]
    rows: list[tuple[str, dict[str, float]]]
    bounds: tuple[str, ...] = ()
    """The rows that do not compete, such as the shortest path: shown muted and never the best."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """Values over something, such as training iterations; the title should say over what, `unit` is that of y."""

    title: str
    unit: str
    series: dict[str, list[Point]]


@dataclasses.dataclass(frozen=True)
class Walk:
    """An instruction and pictures (PNG or JPEG files with captions) of how somebody followed it."""

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
    """Write the page; empty lists leave their section out. A blank line in `lead` or `footer` begins a paragraph."""
    sections = [_tables_section(tables), _curves_section(curves), _walks_section(walks), _steps_section(next_steps)]
    body = "\n".join(section for section in sections if section)
    closing = f"\n<footer>\n{_paragraphs(footer)}\n</footer>" if footer.strip() else ""
    page = _PAGE.format(
        title=_text(title), style=_STYLE, lead=_paragraphs(lead, "lead"), body=body and f"\n{body}", footer=closing
    )
    write_text(path, page)


_NOT_FOR_HTML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def _text(text: str) -> str:
    """`text` for an element or a quoted attribute; characters that HTML forbids become the replacement character."""
    return html.escape(_NOT_FOR_HTML.sub("\N{REPLACEMENT CHARACTER}", text))


def _paragraphs(text: str, style: str = "") -> str:
    opening = f'<p class="{style}">' if style else "<p>"
    return "\n".join(f"{opening}{_text(part.strip())}</p>" for part in re.split(r"\n\s*\n", text) if part.strip())


# Tables


@dataclasses.dataclass(frozen=True)
class _Metric:
    words: str
    metres: bool = False
    better: str = "higher"
    """higher, lower, or neither of them"""

    @property
    def heading(self) -> str:
        arrow = {"higher": "↑", "lower": "↓"}.get(self.better, "")
        return f'{"m" if self.metres else "%"}<span aria-hidden="true">{arrow and " " + arrow}</span>'

    def shown(self, value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return "–"
        return f"{value:.{2 if self.metres else 1}f}".replace("-", "−")

    def best(self, values: Iterable[float | None]) -> str | None:
        """How the best value is shown, so that values that look alike are emphasised alike."""
        known = [value for value in values if value is not None and math.isfinite(value)]
        if not known or self.better not in ("higher", "lower"):
            return None
        return self.shown(max(known) if self.better == "higher" else min(known))


_METRICS = {
    "NE": _Metric("navigation error: how many metres from the goal the agent stops", metres=True, better="lower"),
    "SR": _Metric("success rate: how often it stops within 3 m of the goal"),
    "AR": _Metric("arrival rate: how often it stops within 3 m of the goal, by whatever way"),
    "OSR": _Metric("oracle success rate: how often it comes within 3 m of the goal anywhere on its way"),
    "SPL": _Metric("success weighted by path length: a success counts less the longer the detour"),
    "nDTW": _Metric("normalized dynamic time warping: how like the described path its own path is"),
    "SDTW": _Metric("success weighted by nDTW: likeness of the path, zero without success"),
    "CLS": _Metric("coverage weighted by length score: how much of the described path it covers"),
    "TL": _Metric("trajectory length: how many metres it walks", metres=True, better="neither"),
    "GP": _Metric("goal progress: how many metres nearer to the goal it ends", metres=True),
}


def _metric(name: str) -> _Metric:
    return _METRICS.get(name, _Metric(""))


def _tables_section(tables: list[Table]) -> str:
    if not tables:
        return ""
    parts = [_table(number, table) for number, table in enumerate(tables, 1)]
    return _section("scores", "Scores", "\n".join([*parts, _explanations(tables)]))


def _table(number: int, table: Table) -> str:
    head = "".join(
        f'<th scope="col">{_text(name)} <small>{_metric(name).heading}</small></th>' for name in table.metrics
    )
    competitors = [values for name, values in table.rows if name not in table.bounds]
    best = {name: _metric(name).best(values.get(name) for values in competitors) for name in table.metrics}
    rows = []
    for agent, values in table.rows:
        bound = agent in table.bounds
        cells = []
        for name in table.metrics:
            shown = _metric(name).shown(values.get(name))
            emphasised = not bound and shown == best[name]
            cells.append(f'<td class="best"><strong>{shown}</strong></td>' if emphasised else f"<td>{shown}</td>")
        opening = '<tr class="bound">' if bound else "<tr>"
        rows.append(f'{opening}<th scope="row">{_text(agent)}</th>{"".join(cells)}</tr>')
    lines = [
        f'<h3 id="table-{number}">{_text(table.title)}</h3>',
        *([_paragraphs(table.note)] if table.note.strip() else []),
        f'<div class="scroll" role="region" aria-labelledby="table-{number}" tabindex="0">',
        f'<table aria-labelledby="table-{number}">',
        f'<thead><tr><th scope="col">agent</th>{head}</tr></thead>',
        "<tbody>",
        *rows,
        "</tbody>",
        "</table>",
        "</div>",
    ]
    return "\n".join(lines)


def _explanations(tables: list[Table]) -> str:
    """What the metrics of all tables mean, once."""
    names = list(dict.fromkeys(name for table in tables for name in table.metrics if name in _METRICS))
    reading = "The best value of each column is in bold."
    if any(name in table.bounds for table in tables for name, _ in table.rows):
        reading += " Rows in grey italics are for orientation and do not compete."
    if any(_metric(name).better != "neither" for name in names):
        reading += " ↑ higher is better, ↓ lower is better."
    terms = "".join(f"\n<div><dt>{name}</dt><dd>{_METRICS[name].words}</dd></div>" for name in names)
    listing = f'\n<dl class="metrics">{terms}\n</dl>' if names else ""
    return f'<h3>How to read the tables</h3>\n<p class="hint">{reading}</p>{listing}'


# Curves

_WIDTH, _HEIGHT = 440.0, 270.0  # in SVG units; near one CSS pixel each on a desktop
_TOP, _BOTTOM = 30.0, 28.0  # room above for the unit, below for the numbers of the x axis
_LETTER, _LINE = 8.0, 15.0  # width of a letter (generous) and height of a line
_LABEL_LETTERS = 14
_MOST_POINTS = 100
_COLOURS, _DASHES = 6, 4  # as in the style below; a series has one of their twelve pairs
_HUGE, _TINY = 1e100, 1e-100


@dataclasses.dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    ticks: list[float]
    labels: list[str]

    def share(self, value: float) -> float:
        """Where on the axis a value is, from 0 to 1."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclasses.dataclass(frozen=True)
class _Label:
    """The name of a series beside the end of its line."""

    lines: list[str]
    wanted: float

    @property
    def height(self) -> float:
        return _LINE * len(self.lines) + 3


def _curves_section(curves: list[Curve]) -> str:
    figures, smoothed = [], False
    for curve in curves:
        series = {name: _drawable(points) for name, points in curve.series.items()}
        series = {name: points for name, points in series.items() if points}
        if series:
            figures.append(_curve(curve, series))
            smoothed = smoothed or any(len(points) > _MOST_POINTS for points in series.values())
    if not figures:
        return ""
    hint = f"Lines of more than {_MOST_POINTS} points are lightly smoothed: neighbouring points are averaged."
    grid = '<div class="curves">\n' + "\n".join(figures) + "\n</div>"
    return _section("curves", "Curves", f'<p class="hint">{hint}</p>\n{grid}' if smoothed else grid)


def _drawable(points: Iterable[Point]) -> list[Point]:
    """The points in the order of x, without those that are not numbers or are beyond all measure."""
    return sorted((x, y) for x, y in points if abs(x) < _HUGE and abs(y) < _HUGE)


def _thinned(points: list[Point]) -> list[Point]:
    """At most `_MOST_POINTS` points, each the mean of as many neighbours."""
    size = math.ceil(len(points) / _MOST_POINTS)
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    return [
        (math.fsum(x for x, _ in group) / len(group), math.fsum(y for _, y in group) / len(group)) for group in groups
    ]


def _curve(curve: Curve, series: dict[str, list[Point]]) -> str:
    lines = {name: _thinned(points) for name, points in series.items()}
    names = [textwrap.wrap(name, _LABEL_LETTERS, max_lines=3, placeholder="…") or ["–"] for name in lines]
    height = max(_HEIGHT, _TOP + _BOTTOM + sum(_Label(words, 0).height for words in names))
    bottom = height - _BOTTOM
    y_axis = _value_axis([y for points in lines.values() for _, y in points])
    left = max(map(len, y_axis.labels)) * _LETTER + 12
    right = _WIDTH - max(len(line) for words in names for line in words) * _LETTER - 23
    x_axis = _time_axis([x for points in lines.values() for x, _ in points], right - left)

    def place(point: Point) -> Point:
        return left + x_axis.share(point[0]) * (right - left), bottom - y_axis.share(point[1]) * (bottom - _TOP)

    drawing = [f'<text class="unit" x="2" y="14">{_text(curve.unit)}</text>']
    for tick, words in zip(y_axis.ticks, y_axis.labels, strict=True):
        y = bottom - y_axis.share(tick) * (bottom - _TOP)
        drawing.append(f'<line class="rule" x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>')
        drawing.append(f'<text class="end" x="{left - 7:.1f}" y="{y + 4:.1f}">{words}</text>')
    drawing.append(f'<line class="axis" x1="{left:.1f}" y1="{bottom:.1f}" x2="{right:.1f}" y2="{bottom:.1f}"/>')
    for tick, words in zip(x_axis.ticks, x_axis.labels, strict=True):
        x = left + x_axis.share(tick) * (right - left)
        drawing.append(f'<line class="axis" x1="{x:.1f}" y1="{bottom:.1f}" x2="{x:.1f}" y2="{bottom + 4:.1f}"/>')
        drawing.append(f'<text class="middle" x="{x:.1f}" y="{bottom + 18:.1f}">{words}</text>')

    placed = [[place(point) for point in points] for points in lines.values()]
    labels = [_Label(name, points[-1][1]) for name, points in zip(names, placed, strict=True)]
    middles = _spread(labels, _TOP - 8, bottom)
    for index, (points, label, middle) in enumerate(zip(placed, labels, middles, strict=True)):
        drawing.append(_line(index, points, label, middle, right))
    said = "; ".join(
        f"{name} from {_number(points[0][1])} at {_number(points[0][0])} "
        f"to {_number(points[-1][1])} at {_number(points[-1][0])}"
        for name, points in lines.items()
    )
    about = _text(f"{curve.title} ({curve.unit}): {said}.")
    opening = f'<svg viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img" aria-label="{about}">'
    caption = f"<figcaption>{_text(curve.title)}</figcaption>"
    return "\n".join(["<figure>", caption, opening, *drawing, "</svg>", "</figure>"])


def _line(index: int, points: list[Point], label: _Label, middle: float, right: float) -> str:
    """A series: its line, a dot at its end, and from there a thin leader to its name."""
    x, y = points[-1]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    first = middle - _LINE * (len(label.lines) - 1) / 2 + 4.5
    parts = [
        f'<g class="series c{index % _COLOURS} d{index % _DASHES}">',
        f'<polyline class="leader" points="{x:.1f},{y:.1f} {right + 3:.1f},{y:.1f} {right + 10:.1f},{middle:.1f}"/>',
        f'<line x1="{right + 10:.1f}" y1="{middle:.1f}" x2="{right + 17:.1f}" y2="{middle:.1f}"/>',
        f'<polyline points="{path}"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>',
        *(
            f'<text x="{right + 21:.1f}" y="{first + _LINE * row:.1f}">{_text(words)}</text>'
            for row, words in enumerate(label.lines)
        ),
        "</g>",
    ]
    return "".join(parts)


def _spread(labels: Sequence[_Label], top: float, bottom: float) -> list[float]:
    """The middles of the labels: near where they are wanted, between top and bottom, none over another."""
    order = sorted(range(len(labels)), key=lambda place: labels[place].wanted)
    middles = [0.0] * len(labels)
    free = top
    for place in order:
        half = labels[place].height / 2
        middles[place] = max(labels[place].wanted, free + half)
        free = middles[place] + half
    free = bottom
    for place in reversed(order):
        half = labels[place].height / 2
        middles[place] = min(middles[place], free - half)
        free = middles[place] - half
    return middles


def _value_axis(values: list[float]) -> _Axis:
    """An axis that begins and ends at a tick."""
    low, high = _limits(values)
    step = _step(high - low, 4)
    ticks = [step * count for count in range(math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6) + 1)]
    return _Axis(ticks[0], ticks[-1], ticks, _tick_labels(ticks, step))


def _time_axis(values: list[float], width: float) -> _Axis:
    """An axis that begins and ends with the values, with as many ticks as there is room for."""
    low, high = _limits(values)
    axis = _Axis(low, high, [], [])
    for most in (5, 4, 3, 2, 1):
        step = _step(high - low, most)
        ticks = [step * count for count in range(math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6) + 1)]
        labels = _tick_labels(ticks, step)
        axis = _Axis(low, high, ticks, labels)
        if len(ticks) * (max(map(len, labels), default=0) + 2) * _LETTER <= width:
            break
    return axis


def _limits(values: list[float]) -> tuple[float, float]:
    """The least and the greatest value, from zero where that is near, and apart where all values are the same."""
    low, high = min(values), max(values)
    if high - low <= max(1e-6 * max(abs(low), abs(high)), _TINY):
        margin = max(abs(low), abs(high)) / 4
        margin = margin if margin > _TINY else 1.0
        return (max(low - margin, 0.0) if low >= 0 else low - margin), high + margin
    return (0.0 if 0 < low < 0.4 * high else low), high


def _step(span: float, most: int) -> float:
    """1, 2 or 5 times a power of ten, so that about `most` steps make the span."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power * most >= span * 0.999)


def _tick_labels(ticks: list[float], step: float) -> list[str]:
    largest = max((abs(tick) for tick in ticks), default=0.0)
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if step >= size and largest < 1000 * size:
            return [_signed(f"{tick / size:.0f}{letter if tick else ''}") for tick in ticks]
    if step >= 1e-4 and largest < 1e6:
        decimals = max(0, -math.floor(math.log10(step) + 1e-6))
        return [_signed(f"{tick:,.{decimals}f}") for tick in ticks]
    digits = 1 + max(0, math.ceil(math.log10(largest / step))) if largest else 1
    return [_signed(f"{tick:.{digits}g}") for tick in ticks]


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
        quote = f"\n<blockquote>\n{_paragraphs(walk.text)}\n</blockquote>" if walk.text.strip() else ""
        articles.append(f"<article>\n<h3>{_text(walk.title)}</h3>{quote}{pictures}\n</article>")
    return _section("walks", "Walks", "\n".join(articles)) if articles else ""


def _picture(path: Path, caption: str, title: str) -> str:
    content = read_bytes(path, "picture for the report")
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        kind = "png"
        width, height = struct.unpack(">II", content[16:24])
        size, wide = f' width="{width}" height="{height}"', width > 1.6 * height
    elif content.startswith(b"\xff\xd8\xff"):
        kind, size, wide = "jpeg", "", False
    else:
        raise InputError(f"{path}: neither a PNG nor a JPEG picture, draw it again.")
    data = base64.b64encode(content).decode("ascii")
    alternative = _text(f"{title}: {caption}" if caption.strip() else title)
    below = f"\n<figcaption>{_text(caption)}</figcaption>" if caption.strip() else ""
    opening = '<figure class="wide">' if wide else "<figure>"
    return f'{opening}\n<img src="data:image/{kind};base64,{data}"{size} alt="{alternative}">{below}\n</figure>'


def _steps_section(next_steps: list[tuple[str, str]]) -> str:
    items = [
        f'<li>\n<p>{_text(what)}</p>\n<pre tabindex="0"><code>{_text(command.strip())}</code></pre>\n</li>'
        for what, command in next_steps
    ]
    return _section("next", "Next steps", "<ol>\n" + "\n".join(items) + "\n</ol>") if items else ""


def _section(name: str, title: str, content: str) -> str:
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}\n</section>'


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
{lead}
</header>
<main>{body}
</main>{footer}
</body>
</html>
"""

# The colours of the series keep apart for colour-blind eyes (after Okabe and Ito, darker on white, lighter on black);
# dashes keep them apart in grey print.
_STYLE = """\
:root { color-scheme: light dark; --back: #fdfdfb; --ink: #1e2022; --muted: #5d6266; --rule: #dcdcd6; --box: #f2f2ee; }
.c0 { --c: #0072b2; } .c1 { --c: #c44e00; } .c2 { --c: #008060; }
.c3 { --c: #a23b80; } .c4 { --c: #846500; } .c5 { --c: #4a4f54; }
@media screen and (prefers-color-scheme: dark) {
:root { --back: #17191b; --ink: #e3e3df; --muted: #a3a8ad; --rule: #3a3e42; --box: #212427; }
.c0 { --c: #56b4e9; } .c1 { --c: #f58a42; } .c2 { --c: #2fc79a; }
.c3 { --c: #e09ac6; } .c4 { --c: #f0e442; } .c5 { --c: #c0c5ca; }
img { filter: brightness(.88); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2rem clamp(1rem, 4vw, 2rem) 3rem; background: var(--back);
color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
overflow-wrap: break-word; -webkit-text-size-adjust: 100%; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
h2 + h3, h2 + article > h3 { margin-top: 0; }
p, blockquote, dl { max-width: 44rem; margin: 0 0 .8rem; }
.lead { font-size: 1.1rem; }
.hint, figcaption, footer, dl { color: var(--muted); font-size: .93rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem 0 .4rem 1.4rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
th:first-child { padding-left: 0; text-align: left; white-space: normal; min-width: 8rem; position: sticky; left: 0;
background: var(--back) padding-box; }
th { font-weight: 400; }
thead th { font-weight: 600; border-color: var(--muted); vertical-align: bottom; }
small { color: var(--muted); font-weight: 400; }
.bound { color: var(--muted); font-style: italic; }
strong { font-weight: 700; }
.metrics div { display: grid; grid-template-columns: 3.6rem 1fr; }
dt { font-weight: 600; color: var(--ink); }
dd { margin: 0; }
figure { margin: 0; }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 1.5rem 2rem;
align-items: end; }
.curves figure { max-width: 34rem; }
.curves figcaption { color: var(--ink); font-weight: 600; font-size: 1rem; margin-bottom: .3rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 13px; fill: var(--muted); font-variant-numeric: tabular-nums; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.rule { stroke: var(--rule); } .axis { stroke: var(--muted); }
.series text { fill: var(--ink); }
.series line, .series polyline { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.series circle { fill: var(--c); }
.series .leader { stroke-width: 1; stroke-dasharray: none; }
.d1 polyline { stroke-dasharray: 8 3; } .d2 polyline { stroke-dasharray: 3 2.5; }
.d3 polyline { stroke-dasharray: 10 3 3 3; }
article + article { margin-top: 2.5rem; }
blockquote { padding-left: 1rem; border-left: 3px solid var(--rule); }
.pictures { display: flex; flex-wrap: wrap; gap: 1.2rem; }
.pictures figure { flex: 0 1 30rem; min-width: 0; } .pictures .wide { flex-basis: 100%; }
img { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
.pictures figcaption { margin-top: .3rem; }
ol { margin: 0; padding-left: 1.4rem; }
li p { margin-bottom: .3rem; }
pre { margin: 0 0 1.1rem; padding: .6rem .8rem; background: var(--box); border-radius: 4px; overflow-x: auto; }
code { font: .9rem/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; user-select: all; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
:focus-visible { outline: 2px solid var(--muted); outline-offset: 2px; }
@media (max-width: 36rem) {
h1 { font-size: 1.55rem; }
th, td { padding-left: .5rem; font-size: .85rem; }
th:first-child { min-width: 6rem; }
thead small { display: block; }
}
@media print {
:root { font-size: 10pt; }
body { max-width: none; padding: 0; }
.curves { grid-template-columns: 1fr 1fr; }
.scroll { overflow: visible; }
th:first-child { position: static; background: none; }
table, figure, li, dl, blockquote { break-inside: avoid; }
h2, h3, blockquote, .hint { break-after: avoid; }
pre { border: 1px solid var(--rule); white-space: pre-wrap; }
}
"""
