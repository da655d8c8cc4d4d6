"""Running trials: each in a process of its own, some at a time; what fails is tried once more, then reported."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from mtvm.errors import InputError
from mtvm.machine import usable_cores
from mtvm.progress import notice, progress
from mtvm.studies.trial import Trial
from mtvm.studies.worker import INTERRUPTED, MEMORY_REMEDY, PROGRAM, arguments_of

ATTEMPTS = 2
_BETWEEN_LOOKS = 0.2
_SECONDS_TO_SAVE = 120.0

Outcome = tuple[Trial, str | None]
"""A trial that has ended, and why it failed."""


class StudyInterruptedError(KeyboardInterrupt):
    """The user stopped the study; what was done is kept."""


class Runner(Protocol):
    """Tries each of some trials once."""

    def __call__(self, trials: Sequence[Trial]) -> Iterator[Outcome]: ...


def run_trials(trials: Sequence[Trial], runner: Runner) -> dict[str, str]:
    """Run what is not done; of trials that failed twice, the reasons by the names of their folders."""
    different = {trial.folder: trial for trial in trials}.values()  # two arms may be the same training
    todo = [trial for trial in different if not trial.is_done]
    done = len(different) - len(todo)
    if not todo:
        return {}
    if done:
        notice(f"{done} trials are done already; {len(todo)} are left.")
    failed: dict[str, str] = {}
    with _terminated_as_interrupted(), progress(len(todo), "Running trials", "trials") as advance:
        for attempt in range(1, ATTEMPTS + 1):
            again = []
            for trial, reason in runner(todo):
                if reason is None:
                    advance(1, trial.name)
                elif attempt < ATTEMPTS:
                    notice(f"{trial.name} failed and will be tried again: {reason}")
                    again.append(trial)
                else:
                    notice(f"{trial.name} failed again and is left out: {reason} Its log: {trial.log}")
                    failed[trial.folder.name] = reason
            todo = again
    return failed


@contextlib.contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM, as the scheduler of a cluster sends it, does what Ctrl-C does."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not in the main thread: nobody can send us signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class LocalRunner:
    """Processes on this machine, `workers` at a time, which share its cores."""

    def __init__(self, workers: int | None = None, command: Sequence[str] | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"--workers must be at least 1, not {workers}.")
        self.workers = workers or usable_cores()
        self.command = command or [sys.executable, "-c", PROGRAM]

    def __call__(self, trials: Sequence[Trial]) -> Iterator[Outcome]:
        waiting, running = deque(trials), dict[int, tuple[Trial, subprocess.Popen[bytes]]]()
        try:
            while waiting or running:
                while waiting and len(running) < self.workers:
                    trial = waiting.popleft()
                    process = self._start(trial, min(self.workers, len(trials)))
                    running[process.pid] = trial, process
                time.sleep(_BETWEEN_LOOKS)
                for pid, (trial, process) in list(running.items()):
                    code = process.poll()
                    if code is None:
                        continue
                    del running[pid]
                    if code == INTERRUPTED:
                        raise KeyboardInterrupt
                    yield trial, why_it_failed(trial, code)
        except KeyboardInterrupt:
            raise StudyInterruptedError from None
        finally:
            _stop([process for _, process in running.values()])

    def _start(self, trial: Trial, at_once: int) -> subprocess.Popen[bytes]:
        arguments = arguments_of(trial)
        threads = os.environ.get("OMP_NUM_THREADS") or str(max(usable_cores() // at_once, 1))
        with trial.log.open("ab") as log:
            return subprocess.Popen(
                [*self.command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"OMP_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "false"},
                start_new_session=True,  # Ctrl-C comes to us, and we tell them
            )


def why_it_failed(trial: Trial, code: int) -> str | None:
    """None if it did not."""
    if code == 0 and trial.is_done:
        return None
    if trial.failure.is_file():
        return trial.failure.read_text(encoding="utf-8", errors="replace").strip()
    if code == -signal.SIGKILL:
        return f"its process was killed, most probably because the machine was out of memory; {MEMORY_REMEDY}."
    if code < 0:
        return f"its process was ended by signal {-code}."
    return f"its process ended with code {code}."


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask the processes to save and end, and wait until they have; a second Ctrl-C ends them at once."""
    for process in processes:
        process.terminate()
    try:
        until = time.monotonic() + _SECONDS_TO_SAVE
        for process in processes:
            process.wait(max(0.0, until - time.monotonic()))
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        for process in processes:
            process.kill()
            process.wait()
