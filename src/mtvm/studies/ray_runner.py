"""Trials on a Ray cluster: Ray places them, and starts those again whose worker or machine is lost."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, MissingExtraError
from mtvm.studies.runner import Outcome, StudyInterruptedError, why_it_failed
from mtvm.studies.trial import Trial
from mtvm.studies.worker import arguments_of

_LOST_WORKERS = 3
"""How often a trial goes on on another worker after it lost its own."""


class RayRunner:
    """`address` is that of a cluster whose machines share the study's folder and data; "local" starts one here."""

    def __init__(self, address: str, cores: float = 1, gpus: float = 0, work: Callable[..., int] | None = None) -> None:
        self.ray: Any = _import_ray()
        self.work = work or _work
        if not self.ray.is_initialized():
            try:
                # Without an address, Ray would join whatever cluster a file in /tmp names.
                with _where_modules_are():
                    self.ray.init(address, log_to_driver=False, include_dashboard=False, configure_logging=False)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise InputError(f"--ray {address}: no Ray cluster can be reached there ({error}).") from None
        remote = self.ray.remote(num_cpus=cores, num_gpus=gpus, max_retries=_LOST_WORKERS, max_calls=1)
        self._from_here = remote(_from)

    def __call__(self, trials: Sequence[Trial]) -> Iterator[Outcome]:
        here = str(Path.cwd())
        running = {self._from_here.remote(here, self.work, *arguments_of(trial)): trial for trial in trials}
        try:
            while running:
                ended, _ = self.ray.wait(list(running), num_returns=1)
                for one in ended:
                    yield self._outcome(running.pop(one), one)
        except KeyboardInterrupt:
            for one in running:
                self.ray.cancel(one)
            raise StudyInterruptedError from None

    def _outcome(self, trial: Trial, ended: Any) -> Outcome:
        try:
            return trial, why_it_failed(trial, self.ray.get(ended))
        except self.ray.exceptions.OutOfMemoryError:
            return trial, "Ray ended it because its machine was out of memory."
        except self.ray.exceptions.RayError as error:
            return trial, f"Ray lost it ({type(error).__name__})."


@contextlib.contextmanager
def _where_modules_are() -> Iterator[None]:
    """Be in the folder of our own package: Ray lets its workers import whatever lies in the current folder."""
    before = Path.cwd()
    os.chdir(Path(__file__).parents[2])
    try:
        yield
    finally:
        os.chdir(before)


def _from(folder: str, work: Callable[..., int], *arguments: str) -> int:
    """In a worker of the cluster: work in this folder, if this machine has it."""
    with contextlib.suppress(OSError):
        os.chdir(folder)
    return work(*arguments)


def _work(*arguments: str) -> int:
    """In a worker of the cluster: one trial, as its own process does it on one machine."""
    from mtvm.studies.worker import main

    try:
        return main(*arguments)
    except Exception:  # its reason is in the trial's folder
        return 1


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "Spreading a study over a cluster") from None
    return ray
