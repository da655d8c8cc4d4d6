"""Progress of long work on stderr: a bar on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

Item = TypeVar("Item")

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_BARS = 0.1


class Advance(Protocol):
    """Call it with the amount of work just done, and a word on how it goes."""

    def __call__(self, amount: float = 1, note: str = "") -> None: ...


class Report(Protocol):
    def __call__(self, done: float, total: float | None, status: str) -> None: ...


@contextlib.contextmanager
def progress(total: float | None, title: str, unit: str, show: bool = True) -> Iterator[Advance]:
    """Show how much of `total` (None: unknown) is done, the rate and the time left; yields `advance`."""
    started = reported = time.monotonic()
    done = 0.0

    def advance(amount: float = 1, note: str = "") -> None:
        nonlocal done, reported
        done += amount
        now = time.monotonic()
        if show and now - reported >= interval:
            reported = now
            status = _status(done, total, unit, now - started)
            report(done, total, f"{status}, {note}" if note else status)

    with contextlib.ExitStack() as stack:
        on_terminal = show and sys.stderr.isatty()
        interval = SECONDS_BETWEEN_BARS if on_terminal else SECONDS_BETWEEN_LINES
        report = _bar(stack, title, total) if on_terminal else _lines(title)
        yield advance
        if show:
            seconds = time.monotonic() - started
            report(done, done, f"{_rate(done, unit, seconds)}, done in {_duration(seconds)}")


def track(items: Iterable[Item], total: float | None, title: str, unit: str, show: bool = True) -> Iterator[Item]:
    """Pass `items` on, showing the progress of the loop that takes them."""
    with progress(total, title, unit, show) as advance:
        for item in items:
            yield item
            advance()


def _bar(stack: contextlib.ExitStack, title: str, total: float | None) -> Report:
    name, status = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[status]}")
    bar = stack.enter_context(Progress(name, BarColumn(), status, console=Console(stderr=True)))
    task = bar.add_task(title, total=total, status="")
    return lambda done, total, status: bar.update(task, completed=done, total=total, status=status)


def _lines(title: str) -> Report:
    return lambda done, total, status: print(f"{title}: {status}", file=sys.stderr, flush=True)


def _status(done: float, total: float | None, unit: str, seconds: float) -> str:
    if total is None or not 0 < done < total:
        return _rate(done, unit, seconds)
    left = _duration(seconds * (total - done) / done)
    return f"{_number(done)} of {_rate(total, unit, seconds * total / done)}, {left} left"


def _rate(done: float, unit: str, seconds: float) -> str:
    return f"{_number(done)} {unit}, {_number(done / max(seconds, 1e-9))} {unit}/s"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _duration(seconds: float) -> str:
    minutes, hours = round(seconds / 60), int(seconds // 3600)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if hours == 0 else f"{minutes // 60} h {minutes % 60:02d} min"
