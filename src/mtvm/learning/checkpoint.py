"""The state of a run on disk: written beside the old one and renamed, so that there is always a whole one."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from mtvm import __version__
from mtvm.errors import InputError
from mtvm.files import atomic_path
from mtvm.models.weights import _read_file

try:
    import fcntl
except ImportError:  # Windows has none, and its runs no lock
    fcntl = None  # type: ignore[assignment]

NAME = "checkpoint.pt"
FORMAT = 1


def save(path: Path, state: dict[str, Any]) -> None:
    """Write a state of tensors and plain values; a full disk leaves the one before as it was."""
    try:
        with atomic_path(path) as fresh, fresh.open("wb") as file:
            torch.save(state | {"format": FORMAT, "mtvm": __version__, "torch": str(torch.__version__)}, file)
            file.flush()
            os.fsync(file.fileno())
    except (OSError, RuntimeError) as error:  # torch wraps a failed write in its own way
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the disk may be full"
        raise InputError(f"{path}: the checkpoint could not be written ({reason}); the one before is kept.") from error


def load(path: Path) -> dict[str, Any]:
    """The state, or one sentence why not."""
    try:
        state = _read_file(path)
    except InputError:
        raise InputError(
            f"{path}: this checkpoint cannot be read; remove it to begin the run anew, or put a copy in its place."
        ) from None
    if state.get("format") != FORMAT:
        raise InputError(f"{path}: a checkpoint of another version of mtvm ({state.get('mtvm', 'unknown')}).")
    return state


@contextlib.contextmanager
def alone(config: Path) -> Iterator[None]:
    """Hold the run of this config file against a second process that would train there, and clear up after one that
    was killed. The system lets go of the file when we end, however we do."""
    folder = config.parent
    with config.open("r+") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"{folder}: another process is training here; wait for it, or name another folder with --out."
            ) from None
        _clear_leftovers(folder)
        yield


def _clear_leftovers(folder: Path) -> None:
    """Remove what a killed process left half-written in a run."""
    for pattern in (f".{NAME}.*", ".*.json*.*", ".model.safetensors.*", ".README.md.*"):
        for left in folder.rglob(pattern):
            shutil.rmtree(left, ignore_errors=True)
