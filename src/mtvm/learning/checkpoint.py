"""The state of a run on disk: written beside the one before and renamed, so that there is always a whole one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from mtvm import __version__
from mtvm.errors import InputError
from mtvm.files import atomic_path
from mtvm.weight_files import read_weight_file

FORMAT = 2


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
        state = read_weight_file(path)
    except InputError:
        raise InputError(
            f"{path}: this checkpoint cannot be read; remove it to begin the run anew, or put a copy in its place."
        ) from None
    if state.get("format") != FORMAT:
        raise InputError(f"{path}: a checkpoint of another version of mtvm ({state.get('mtvm', 'unknown')}).")
    return state
