"""What was found in the files of a data folder, as `mtvm data check` and `mtvm doctor` print it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape

from mtvm.tasks.checking import Finding

_COLOURS = {"fine": "green", "odd": "yellow", "wrong": "red"}


def print_findings(findings: Iterable[Finding], console: Console, only_problems: bool = False) -> int:
    """Print a line each; how many files are wrong."""
    wrong = 0
    for kind, said in findings:
        wrong += kind == "wrong"
        if only_problems and kind == "fine":
            continue
        console.print(f"  [{_COLOURS[kind]}]{kind:<7}[/]  {escape(said)}", soft_wrap=True, highlight=False)
    return wrong
