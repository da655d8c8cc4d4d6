"""Buildings of a training split, R2R's or another's, held out to choose settings without looking at val_unseen."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.io.files import read_bytes, write_json
from mtvm.tasks import r2r
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import task_file
from mtvm.tasks.records import read_records
from mtvm.tasks.spec import TaskSpec


def held_out_scans(path: Path | None = None) -> frozenset[str]:
    """The scans listed in a file, one a line; by default our eight of R2R's 61."""
    if path is None:
        content = resources.files("mtvm").joinpath("data/r2r_held_out_scans.txt").read_text(encoding="utf-8")
    else:
        content = read_bytes(path, "list of scans").decode("utf-8-sig", errors="replace")
    lines = (line.partition("#")[0].strip() for line in content.splitlines())
    scans = frozenset(line for line in lines if line)
    if not scans:
        raise InputError(f"{path}: names no scan; write one a line.")
    return scans


def hold_out(
    folder: DataFolder, scans: frozenset[str], out: Path, augmented: Sequence[Path] = (), task: TaskSpec = r2r.SPEC
) -> dict[str, int]:
    """Write fit.json (the task's train without the scans), held_out.json (with only them), val_seen.json (without them)
    and, by their own names, the augmented files (without them) to a folder; returns their numbers of instructions. The
    task's files have R2R's form."""
    train, seen = (_entries(task_file(folder, task, split)) for split in ("train", "val_seen"))
    if absent := scans - {entry["scan"] for entry in train}:
        file = task_file(folder, task, "train")
        raise InputError(f"{file}: has no scan {brief(min(absent))} to hold out; check the list of scans.")
    parts = {
        "fit.json": _without(train, scans),
        "held_out.json": [entry for entry in train if entry["scan"] in scans],
        "val_seen.json": _without(seen, scans),
    }
    for file in augmented:
        if file.name in parts or (out / file.name).resolve() == file.resolve():
            raise InputError(f"{file}: this name is taken already in {out}; give the file another.")
        parts[file.name] = _without(_entries(file), scans)
    for name, entries in parts.items():
        if not entries:
            raise InputError(f"{name} would be empty: check the list of scans ({brief(', '.join(sorted(scans)))}).")
    for name, entries in parts.items():
        write_json(out / name, entries)
    return {name: sum(len(entry["instructions"]) for entry in entries) for name, entries in parts.items()}


def _without(entries: Sequence[dict[str, Any]], scans: frozenset[str]) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["scan"] not in scans]


def _entries(file: Path) -> list[dict[str, Any]]:
    records = read_records(file, "path_id")
    records.column("scan", str)
    records.instructions()
    return records.entries
