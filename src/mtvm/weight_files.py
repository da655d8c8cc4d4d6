"""Reading files of weights without running what they may hold."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, MissingExtraError
from mtvm.machine import import_torch


def read_weight_file(path: Path) -> dict[str, Any]:
    """The content of a safetensors file or of a pickle of plain tensors; code in a pickle is never run."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such weight file.")
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return dict(load_file(path))
        loaded = import_torch(f"Reading {path.name}").load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if "Unsupported global" in str(error) or "Unsupported class" in str(error):
            raise InputError(f"{path}: holds code beside tensors, which is not run; use a file of tensors.") from None
        raise InputError(f"{path}: cannot be read as weights; download it again.") from None
    except (MemoryError, MissingExtraError):
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot read these weights ({error.strerror or error}).") from None
    except ImportError:
        raise MissingExtraError("safetensors", "model", f"Reading {path.name}") from None
    except Exception:  # a damaged pickle fails in every way there is
        raise InputError(f"{path}: cannot be read as weights; download it again.") from None
    if not isinstance(loaded, dict):
        raise InputError(f"{path}: holds a {type(loaded).__name__}, not tensors by name.")
    return loaded
