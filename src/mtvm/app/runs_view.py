"""Training runs on the terminal: an overview, the differing options, and curves."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from mtvm.app.runs import Curve, Run, differing_options, direction
from mtvm.tasks.metric import METRICS
from mtvm.tasks.registry import TASKS
from mtvm.tasks.spec import TaskSpec

_LEVELS = "▁▂▃▄▅▆▇█"
_ASCII_LEVELS = "_.-=+*#@"
_NARROWEST_CURVE, _WIDEST_CURVE = 12, 60
_NARROWEST_VALUE, _WIDEST_VALUE = 12, 26
"""Column widths for the values of options; longer values are wrapped."""


def show(runs: list[Run], curves: list[list[Curve]], console: Console, now: float | None = None) -> None:
    """Print the runs, their differing options and their curves, fitted to the console's width."""
    now = time.time() if now is None else now
    splits = sorted({split for run in runs for split in run.evaluations})
    wide = _overview(runs, now, splits)
    if not splits or _fits(wide, console):
        console.print(wide)
    else:
        console.print(_overview(runs, now, []))
        console.print(_evaluations(runs))
    options = differing_options(runs)
    if options:
        tables = (
            _options_by_rows(runs, options, _WIDEST_VALUE),
            _options_by_columns(runs, options),
            _options_by_rows(runs, options, _NARROWEST_VALUE),
            _options_as_lists(runs, options),
        )
        console.print(next((table for table in tables if _fits(table, console)), tables[-1]))
    for title in dict.fromkeys(curve.title for some in curves for curve in some):
        rows = [(run, curve) for run, some in zip(runs, curves, strict=True) for curve in some if curve.title == title]
        levels = _ASCII_LEVELS if console.options.ascii_only else _LEVELS
        spare = console.width - _natural_width(_curves(title, rows, 0, levels), console)
        width = min(max(spare, _NARROWEST_CURVE), _WIDEST_CURVE)
        console.print(_curves(title, rows, width, levels))


def sparkline(curve: Curve, last_update: int, width: int, levels: str = _LEVELS) -> str:
    """The curve from update 1 to the last as a row of blocks; a value covers the updates since the previous one."""
    buckets: list[list[float]] = [[] for _ in range(width)]
    for update, value in zip(curve.updates, curve.values, strict=True):
        place = math.ceil(update * width / max(last_update, 1)) - 1
        if width:
            buckets[min(max(place, 0), width - 1)].append(value)
    means = [sum(bucket) / len(bucket) if bucket else None for bucket in buckets]
    real = [mean for mean in means if mean is not None]
    low, high = min(real, default=0.0), max(real, default=0.0)
    drawn, sign = "", " "
    for mean in reversed(means):
        if mean is not None:
            share = (mean - low) / (high - low) if high > low else 0.5
            sign = levels[round(share * (len(levels) - 1))]
        drawn = sign + drawn
    return drawn


def _overview(runs: list[Run], now: float, splits: list[str]) -> Table:
    table = _table(None)
    for name in ("updates", "state", "trained", "best", "at", "episodes/s"):
        table.add_column(name, justify="left" if name in ("state", "best") else "right", no_wrap=True)
    for split in splits:
        table.add_column(f"{split}\n{' / '.join(_headline(split))}", justify="right", no_wrap=True)
    if staged := any(run.stage for run in runs):
        table.add_column("stage", no_wrap=True)
    for run in runs:
        state: str = run.state(now)
        if state == "done" and run.update < run.total:
            state = "done early"
        best = run.selection
        speed = run.episodes_per_second
        table.add_row(
            Text(run.name),
            f"{run.update} of {run.total}",
            state,
            _duration(run.trained_seconds),
            "" if best.best is None else f"{best.metric} {_formatted(best.metric, best.best)}",
            "" if best.best is None else str(best.update),
            "" if speed is None else f"{speed:.1f}",
            *(_headline_cell(split, run.evaluations.get(split)) for split in splits),
            *([run.stage] if staged else []),
        )
    return table


def _evaluations(runs: list[Run]) -> Table:
    table = _table("Best weights, evaluated")
    table.add_column("split", no_wrap=True)
    used = {split for run in runs for split in run.evaluations}
    metrics = list(dict.fromkeys(metric for split in sorted(used, reverse=True) for metric in _headline(split)))
    for name in ("episodes", *metrics):
        table.add_column(name, justify="right", no_wrap=True)
    for run in runs:
        for number, (split, values) in enumerate(run.evaluations.items()):
            cells = [_formatted(name, values[name]) if name in values else "" for name in metrics]
            table.add_row(
                Text("" if number else run.name),
                Text(split),
                str(values.get("episodes", "")),
                *(cell if name in _headline(split) else "" for name, cell in zip(metrics, cells, strict=True)),
            )
    return table


def _headline(split: str) -> tuple[str, ...]:
    """The metrics to show for an evaluation named `<task>-<split>`."""
    return TASKS.get(split.partition("-")[0], TaskSpec).headline_metrics


def _headline_cell(split: str, values: dict[str, Any] | None) -> str:
    names = [name for name in _headline(split) if values is not None and name in values]
    return " / ".join(_formatted(name, (values or {})[name]) for name in names)


def _options_by_rows(runs: list[Run], options: dict[str, dict[str, Any]], widest: int) -> Table:
    table = _table("Options that differ", first="option")
    for run in runs:
        table.add_column(Text(run.name), overflow="fold", max_width=widest)
    for option, values in options.items():
        table.add_row(option, *(Text(_option_text(values, run)) for run in runs))
    return table


def _options_by_columns(runs: list[Run], options: dict[str, dict[str, Any]]) -> Table:
    table = _table("Options that differ")
    for option in options:
        table.add_column(option, overflow="fold", max_width=_WIDEST_VALUE)
    for run in runs:
        table.add_row(Text(run.name), *(Text(_option_text(values, run)) for values in options.values()))
    return table


def _options_as_lists(runs: list[Run], options: dict[str, dict[str, Any]]) -> Table:
    """For many runs: the most common values, then for each run only those that differ."""
    table = _table("Options that differ")
    table.add_column("options", overflow="fold")
    texts = {name: [_option_text(values, run) for run in runs] for name, values in options.items()}
    usual = {name: Counter(some).most_common(1)[0][0] for name, some in texts.items()}
    table.add_row(Text("most runs", "dim"), _option_lines(usual))
    for number, run in enumerate(runs):
        own = {name: some[number] for name, some in texts.items() if some[number] != usual[name]}
        table.add_row(Text(run.name), _option_lines(own))
    return table


def _option_lines(values: dict[str, str]) -> Text:
    return Text("\n").join(Text.assemble((f"{name} ", "dim"), value) for name, value in values.items())


def _option_text(values: dict[str, Any], run: Run) -> str:
    """A value as typed on the command line; empty if the run's config lacks the option."""
    value = values.get(run.name, "")
    if isinstance(value, list):
        return " ".join(map(str, value))
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _curves(title: str, rows: list[tuple[Run, Curve]], width: int, levels: str) -> Table:
    table = _table(title)
    table.add_column("", no_wrap=True, min_width=width)
    for name in ("first", "last", "best" if direction(rows[0][1].name) else "range"):
        table.add_column(name, justify="right", no_wrap=True)
    for run, curve in rows:
        best = curve.best()
        ends = [_formatted(curve.name, value) for value in (curve.values[0], curve.values[-1])]
        if best is None:
            spread = f"{_formatted(curve.name, min(curve.values))} to {_formatted(curve.name, max(curve.values))}"
        else:
            spread = f"{_formatted(curve.name, best[0])} at {best[1]}"
        table.add_row(Text(run.name), sparkline(curve, run.update, width, levels), *ends, spread)
    return table


def _table(title: str | None, first: str = "run") -> Table:
    table = Table(
        title=None if title is None else Text(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column(first, overflow="fold")
    return table


def _natural_width(table: Table, console: Console) -> int:
    return Measurement.get(console, console.options.update(max_width=10_000), table).maximum


def _fits(table: Table, console: Console) -> bool:
    return _natural_width(table, console) <= console.width


def _formatted(name: str, value: float) -> str:
    return METRICS[name].format(value) if name in METRICS else f"{value:.4g}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
