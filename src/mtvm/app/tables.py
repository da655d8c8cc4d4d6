"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from mtvm.tasks.metric import Metric, describe_units


def simple_table(title: str, caption: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )


def metrics_table(title: str, metrics: Sequence[Metric], rows: Mapping[str, Mapping[str, float]]) -> Table:
    """The means of each row, which may lack some of the metrics."""
    table = simple_table(title, describe_units(metrics))
    table.add_column("")
    for metric in metrics:
        table.add_column(escape(metric.name), justify="right", no_wrap=True)
    for name, means in rows.items():
        cells = (metric.format(means[metric.name]) if metric.name in means else "" for metric in metrics)
        table.add_row(escape(name), *cells)
    return table
