"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.markup import escape
from rich.table import Table

from mtvm.app.options import console
from mtvm.io.files import read_json
from mtvm.tasks.diagnosis import MISTAKES
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
    table.add_column("", overflow="fold")
    for metric in metrics:
        table.add_column(escape(metric.name), justify="right", no_wrap=True)
    for name, means in rows.items():
        cells = (metric.format(means[metric.name]) if metric.name in means else "" for metric in metrics)
        table.add_row(escape(name), *cells)
    return table


def mistakes_table(counts: Mapping[str, int], episodes: int) -> Table:
    """How often each mistake was made, and what it means."""
    failed = sum(counts.values())
    title = f"Where it went wrong, in {failed:,} of {episodes:,} episodes"
    table = simple_table(title, "the first that is true of each")
    table.add_column("mistake", no_wrap=True)
    table.add_column("episodes", justify="right")
    table.add_column("of all", justify="right")
    table.add_column("the agent")
    for mistake in MISTAKES:
        count = counts[mistake.name]
        table.add_row(mistake.name, f"{count:,}", f"{count / episodes:.1%}", mistake.meaning)
    return table


def print_speaker(path: Path, samples: int = 5) -> None:
    """Print an evaluation of a speaker that `evaluate_speaker` wrote."""
    done = read_json(path, "evaluation of a speaker")
    scores = simple_table(f"{done['split']}: {done['paths']} paths", "loss: nats per WordPiece; the others in percent")
    for name in done["scores"]:
        scores.add_column(name, justify="right")
    scores.add_row(*(f"{value:.3f}" if name == "loss" else f"{value:.1f}" for name, value in done["scores"].items()))
    console.print(scores)
    table = simple_table("What it says", "")
    for name in ("path", "the speaker", "a person"):
        table.add_column(name)
    for row in done["texts"][:samples]:
        table.add_row(*(escape(str(text)) for text in (row["path_id"], row["said"], row["instructions"][0])))
    console.print(table)
    console.print(f"All of it: {escape(str(path))}", soft_wrap=True)
