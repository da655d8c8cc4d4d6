"""What a report is made of: tables in the paper's layout, figures and paragraphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mtvm.tasks.bootstrap import Interval
from mtvm.tasks.metric import METRICS

if TYPE_CHECKING:
    from mtvm.studies.findings import Findings

Kind = Literal["measured", "published", "reference"]
"""measured: an agent of ours. published: a row of the paper. reference: not an agent to compare, such as random."""
MISSING = "–"
_ARROWS = {"higher": " ↑", "lower": " ↓", "neither": ""}


@dataclasses.dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[str, ...]
    kind: Kind = "measured"
    best: frozenset[int] = frozenset()
    """The cells that are the best of their column."""


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, int], ...] = ()
    """Headings over so many columns each."""
    first: str = ""
    """The heading of the labels."""
    note: str = ""
    prose: bool = False
    """Whether the cells are text to read, not numbers to compare."""


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    """Of its files."""
    title: str
    drawing: Any
    """A matplotlib figure."""
    described: str
    """What it shows, for those who cannot see it."""


@dataclasses.dataclass(frozen=True)
class Text:
    text: str


Block: TypeAlias = Table | Figure | Text


def formatted(interval: Interval | None, decimals: int = 1, signed: bool = False) -> str:
    """An estimate with its interval."""
    if interval is None:
        return MISSING
    form = f"{'+' if signed else ''}.{decimals}f"
    value = f"{interval.value:{form}}"
    return f"{value} ({interval.low:{form}} to {interval.high:{form}})" if interval.is_known else value


def heading(metric: str) -> str:
    return f"{metric}{_ARROWS[METRICS[metric].better]}"


def metrics_table(
    findings: Findings,
    title: str,
    metrics: Sequence[str],
    splits: Sequence[str] | None = None,
    published: Sequence[Row] = (),
    first: str = "Methods",
    note: str = "",
) -> Table:
    """The arms' metrics on each split, with rows of baselines above and the paper's rows below."""
    chosen = [split for split in (splits or findings.splits) if _is_scored(findings, split)]
    rows = [_baseline_row(findings, name, chosen, metrics) for name in findings.study.baselines]
    rows += _measured_rows(findings, chosen, metrics)
    width = len(chosen) * len(metrics)
    rows += [dataclasses.replace(row, cells=row.cells[:width], kind="published") for row in published]
    return Table(
        title,
        tuple(heading(metric) for _ in chosen for metric in metrics),
        tuple(rows),
        tuple((split, len(metrics)) for split in chosen),
        first,
        note,
    )


def _is_scored(findings: Findings, split: str) -> bool:
    return any(findings.scores(arm, split) is not None for arm in findings.arms)


def _baseline_row(findings: Findings, name: Any, splits: Sequence[str], metrics: Sequence[str]) -> Row:
    scores = [findings.baseline(name, split) for split in splits]
    cells = tuple(METRICS[metric].format(one.sample(metric).mean) for one in scores for metric in metrics)
    return Row({"shortest": "shortest path"}.get(name, name), cells, "reference")


def _measured_rows(findings: Findings, splits: Sequence[str], metrics: Sequence[str]) -> list[Row]:
    columns = [(split, metric) for split in splits for metric in metrics]
    found = {arm: [findings.mean(arm, *column) for column in columns] for arm in findings.arms}
    best = [_best([found[arm][place] for arm in found], metric) for place, (_, metric) in enumerate(columns)]
    rows = []
    for arm, cells in found.items():
        texts = tuple(
            formatted(cell, METRICS[metric].decimals) for cell, (_, metric) in zip(cells, columns, strict=True)
        )
        marked = frozenset(place for place, cell in enumerate(cells) if cell is not None and cell.value == best[place])
        rows.append(Row(arm, texts, best=marked))
    return rows


def _best(cells: Sequence[Interval | None], metric: str) -> float | None:
    values = [cell.value for cell in cells if cell is not None]
    sign = METRICS[metric].sign
    return max(values, key=lambda value: sign * value) if values and sign else None


def published_row(label: str, *values: float | str | None) -> Row:
    """A row of the paper, as it is printed there."""
    return Row(label, tuple(MISSING if value is None else str(value) for value in values), "published")
