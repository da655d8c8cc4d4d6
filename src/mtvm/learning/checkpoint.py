"""The state of a run on disk: written beside the one before and renamed, so that there is always a whole one.

The one before is kept too, for the case that the disk damages the newest.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from mtvm import __version__
from mtvm.errors import InputError, brief
from mtvm.io.files import atomic_path
from mtvm.io.weight_files import is_finite, read_weight_file, torch_file

FORMAT = 2


def save(path: Path, state: dict[str, Any], before: Path | None = None) -> None:
    """Write a state of tensors and plain values; a full disk leaves the one before as it was. The one that is replaced
    is kept as `before`."""
    with torch_file(path) as file:
        torch.save(state | {"format": FORMAT, "mtvm": __version__, "torch": str(torch.__version__)}, file)
        if before is not None and path.is_file():
            _keep(path, before)


def _keep(path: Path, before: Path) -> None:
    """Give the file a second name, under which it stays when it is replaced."""
    with atomic_path(before) as fresh:
        try:
            fresh.hardlink_to(path)
        except OSError:  # a file system without links
            shutil.copyfile(path, fresh)


def load(path: Path, before: Path | None = None) -> dict[str, Any]:
    """The state, or one sentence why not, which offers the one `before` if that is whole."""
    try:
        if (damaged := _damaged_part(path)) is not None:
            raise InputError(f"{path}: {damaged} is damaged")
        state = read_weight_file(path)
    except InputError:
        remedy = "remove it to begin the run anew, or put a copy in its place"
        with contextlib.suppress(InputError):
            if before is not None and before.is_file():
                update = load(before).get("update")
                remedy = f"go on from the one before it, after update {update}, with: mv {before} {path}"
        raise InputError(f"{path}: this checkpoint is damaged; {remedy}.") from None
    if state.get("format") != FORMAT:
        raise InputError(f"{path}: a checkpoint of another version of mtvm ({brief(state.get('mtvm', 'unknown'))}).")
    return state


@contextlib.contextmanager
def resuming(path: Path) -> Iterator[None]:
    """A block that uses a state: where something in it is missing or of the wrong type, one sentence says so."""
    try:
        yield
    except InputError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        reason = brief(f"{type(error).__name__}: {error}")
        raise InputError(f"{path}: not a checkpoint of this run ({reason}); remove it to train from scratch.") from None


def check_kind(given: Any, ours: Any, name: str) -> None:
    """Raise a ValueError unless a value of a checkpoint has the form of ours: tensors of the same shape with finite
    numbers, the same names and words, numbers where we have numbers. An empty dictionary or list of ours stands for
    any."""
    if isinstance(ours, torch.Tensor):
        fits = isinstance(given, torch.Tensor) and (given.shape, given.dtype) == (ours.shape, ours.dtype)
        fits = fits and given.is_contiguous() and is_finite(given)  # optimizers compute on the memory as it lies
    elif isinstance(ours, dict):
        fits = isinstance(given, dict) and (not ours or given.keys() == ours.keys())
    elif isinstance(ours, list | tuple):
        fits = type(given) is type(ours) and (not ours or len(given) == len(ours))
    elif isinstance(ours, float) or ours is None:
        fits = (given is None and ours is None) or (isinstance(given, int | float) and not math.isnan(given))
    elif isinstance(ours, str):
        fits = given == ours
    else:
        fits = type(given) is type(ours) and (not isinstance(given, int) or given >= 0)
    if not fits:
        raise ValueError(f"{name} is {brief(_described(given), 40)}")
    inside = ours.items() if isinstance(ours, dict) else enumerate(ours) if isinstance(ours, list | tuple) else ()
    for part, value in inside:
        check_kind(given[part], value, f"{name}.{part}")


def _described(given: Any) -> Any:
    if not isinstance(given, torch.Tensor):
        return given
    finite = "" if is_finite(given) else ", with numbers that are not finite"
    return f"a tensor {tuple(given.shape)} of {given.dtype}{finite}"


def refuse_other_data(path: Path, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise if the data is not what it was, by the fingerprints of each part."""
    for name, fingerprint in before.items():
        if now.get(name) != fingerprint:
            raise InputError(
                f"{path}: {name} is not what it was when this run began; bring it back, or begin a new run with --out."
            )


def _damaged_part(path: Path) -> str | None:
    """What of the file is not as it was written, by the checksums that torch writes but does not compare."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip()
    except Exception:  # a damaged archive fails in every way there is
        return "all of it"
