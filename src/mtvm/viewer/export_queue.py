"""Exports are made one at a time, because each takes a processor for seconds and memory for every frame."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from mtvm.errors import InputError
from mtvm.viewer.figures import Walk
from mtvm.viewer.refusals import GoneError, TooManyError

MOST_FRAMES = 120
"""Steps of a walk that is exported picture by picture."""
_WAITING = 8
_LOOK = 0.1  # seconds after which it is seen that a visitor has gone, or that it is one's turn

Check = Callable[[], None]
"""Raises if nobody waits for the export any more; called before each picture."""


class ExportQueue:
    """One export runs, a few wait, and those whose visitor has gone end."""

    def __init__(self) -> None:
        self._asked = 0
        self._running = False

    async def make(self, request: Request, walk: Walk, work: Callable[[Check], bytes]) -> bytes:
        """What `work` makes, when its turn comes."""
        if len(walk.events) > MOST_FRAMES:
            raise InputError(f"this walk has {len(walk.events):,} steps; exports show {MOST_FRAMES} at most.")
        async with self._turn(request):
            gone = threading.Event()

            def check() -> None:
                if gone.is_set():
                    raise GoneError("nobody waits for this export any more.")

            task = asyncio.ensure_future(run_in_threadpool(work, check))
            while not task.done():
                await asyncio.wait({task}, timeout=_LOOK)
                if not task.done() and await request.is_disconnected():
                    gone.set()
            return task.result()

    @contextlib.asynccontextmanager
    async def _turn(self, request: Request) -> AsyncIterator[None]:
        if self._asked > _WAITING:
            raise TooManyError(f"{self._asked} exports are under way or waiting; try again in a moment.")
        self._asked += 1
        try:
            while self._running:
                if await request.is_disconnected():
                    raise GoneError("nobody waits for this export any more.")
                await asyncio.sleep(_LOOK)
            self._running = True
            try:
                yield
            finally:
                self._running = False
        finally:
            self._asked -= 1
