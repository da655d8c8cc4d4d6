"""Stopping a training at a good moment when the user or the system asks for it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

from mtvm.learning import parallel
from mtvm.machine import ending_signals


@contextlib.contextmanager
def interruption() -> Iterator[list[int]]:
    """A list that holds the signal once the run is asked to stop, by Ctrl-C, SIGTERM or a terminal that is closed.

    A second Ctrl-C stops it at once, unless there are many processes, whose launcher passes on what each of them got
    already.
    """
    caught: list[int] = []

    def note(number: int, _: Any) -> None:
        if number == signal.SIGINT and number in caught and parallel.size() == 1:
            raise KeyboardInterrupt
        caught.append(number)

    before = {}
    try:
        for one in ending_signals():
            before[one] = signal.signal(one, note)
    except ValueError:  # not in the main thread: nobody can send us signals
        pass
    try:
        yield caught
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
