"""Progress on stderr: a bar on a terminal, otherwise a plain line every few seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

Item = TypeVar("Item")

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_BARS = 0.1


class Advance(Protocol):
    """Called with the amount of work just done, and optionally a note to show."""

    def __call__(self, amount: float = 1, note: str = "") -> None: ...


class Report(Protocol):
    def __call__(self, done: float, total: float | None, status: str) -> None: ...


_collected: ContextVar[list[str] | None] = ContextVar("_collected", default=None)


@contextlib.contextmanager
def collected_notices() -> Iterator[list[str]]:
    """Collect messages to the user instead of printing them."""
    messages: list[str] = []
    before = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(before)


def notice(text: str) -> None:
    """Print a message to the user on stderr."""
    if (messages := _collected.get()) is not None:
        messages.append(text)
        return
    with _suppressing_write_errors():
        print(f"mtvm: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _suppressing_write_errors() -> Iterator[None]:
    """Work goes on where nobody can see it: a terminal may be closed, or a pipe."""
    with contextlib.suppress(OSError):
        yield


@contextlib.contextmanager
def progress(total: float | None, title: str, unit: str, show: bool = True, already: float = 0.0) -> Iterator[Advance]:
    """Show how much of `total` (None: unknown) is done, the rate and the time left; yields `advance`. Work that was
    `already` done counts towards the total but not the rate."""
    started = reported = time.monotonic()
    done = already

    def advance(amount: float = 1, note: str = "") -> None:
        nonlocal done, reported
        done += amount
        now = time.monotonic()
        if show and now - reported >= interval:
            reported = now
            status = _status(done, total, unit, now - started, already)
            with _suppressing_write_errors():
                report(done, total, f"{status}, {note}" if note else status)

    with contextlib.ExitStack() as stack:
        on_terminal = show and sys.stderr.isatty()
        interval = SECONDS_BETWEEN_BARS if on_terminal else SECONDS_BETWEEN_LINES
        report = _bar(stack, title, total) if on_terminal else _lines(title)
        yield advance
        if show:
            seconds = time.monotonic() - started
            rate = (done - already) / max(seconds, 1e-9)
            with _suppressing_write_errors():
                report(done, done, f"{_rate(done, unit, rate)}, done in {_duration(seconds)}")


def track(items: Iterable[Item], total: float | None, title: str, unit: str, show: bool = True) -> Iterator[Item]:
    """Yield `items`, showing progress."""
    with progress(total, title, unit, show) as advance:
        for item in items:
            yield item
            advance()


def _bar(stack: contextlib.ExitStack, title: str, total: float | None) -> Report:
    name, status = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[status]}", markup=False)
    bar = stack.enter_context(_running(Progress(name, BarColumn(), status, console=Console(stderr=True))))
    task = bar.add_task(title, total=total, status="")
    return lambda done, total, status: bar.update(task, completed=done, total=total, status=status)


@contextlib.contextmanager
def _running(bar: Progress) -> Iterator[Progress]:
    with _suppressing_write_errors():
        bar.start()
    try:
        yield bar
    finally:
        with _suppressing_write_errors():
            bar.stop()


def _lines(title: str) -> Report:
    return lambda done, total, status: print(f"{title}: {status}", file=sys.stderr, flush=True)


def _status(done: float, total: float | None, unit: str, seconds: float, already: float) -> str:
    rate = (done - already) / max(seconds, 1e-9)
    if total is None or not already < done < total:
        return _rate(done, unit, rate)
    return f"{_number(done)} of {_rate(total, unit, rate)}, {_duration((total - done) / rate)} left"


def _rate(amount: float, unit: str, rate: float) -> str:
    return f"{_number(amount)} {unit}, {_number(rate)} {unit}/s"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _duration(seconds: float) -> str:
    minutes, hours = round(seconds / 60), int(seconds // 3600)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if hours == 0 else f"{minutes // 60} h {minutes % 60:02d} min"
