"""Tables on the terminal."""

from __future__ import annotations

from rich import box
from rich.markup import escape
from rich.table import Table

from mtvm.tasks.metric import EVALUATED, METRICS, describe_units


def simple_table(title: str, caption: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )


def metrics_table(title: str) -> Table:
    table = simple_table(title, describe_units(EVALUATED))
    table.add_column("")
    for name in EVALUATED:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def add_metrics_row(table: Table, name: str, means: dict[str, float]) -> None:
    table.add_row(escape(name), *(METRICS[metric].format(means[metric]) for metric in EVALUATED))
