"""One call from a task's name and split to its episodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet, KnownScans
from mtvm.tasks.ndh import Supervision, load_ndh
from mtvm.tasks.r2r import load_r2r
from mtvm.world.graph import SUFFIX
from mtvm.world.world import World

Task = Literal["r2r", "r4r", "long", "ndh", "prevalent"]
TASKS: tuple[Task, ...] = get_args(Task)


def load_episodes(
    task: Task,
    split: str,
    data: DataFolder | Path | None = None,
    *,
    supervision: Supervision = "mixed",
    world: World | None = None,
) -> EpisodeSet:
    """The episodes of a split.

    `split` is a released name (train, val_seen, val_unseen, test) or the path of a file in that form.
    `data` is the data folder (default: `$MTVM_DATA`). `world` lets several splits share one world; otherwise
    the scans that occur are loaded. `supervision` matters for NDH alone.
    """
    folder = data if isinstance(data, DataFolder) else DataFolder.resolve(data)
    path = task_file(folder, task, split)
    connectivity = folder.connectivity
    if world is None:
        names = frozenset(file.name.removesuffix(SUFFIX) for file in connectivity.glob(f"*{SUFFIX}"))
        scans = KnownScans(names, f"there is no connectivity file of it in {connectivity}")
    else:
        scans = KnownScans(frozenset(world.scans), f"it is not among the {len(world.scans)} scans of the world given")

    def make_world(occurring: set[str]) -> World:
        return world or World.load(connectivity, sorted(occurring))

    name = path.stem if _is_file(split) else split
    if task == "ndh":
        return load_ndh(path, name, supervision, scans, make_world)
    return load_r2r(path, task, name, scans, make_world)


def _is_file(split: str) -> bool:
    return split.endswith((".json", ".jsonl"))


def task_file(folder: DataFolder, task: Task, split: str) -> Path:
    """The file of a split: a path as it is given, else a released name anywhere below the data folder."""
    if _is_file(split):
        return Path(split)
    names = released_names(task, split)
    found = folder.find(names, _looks_like_ndh) if task == "ndh" else folder.find(names)
    if found is None:
        there = ", ".join(splits_there(folder, task)) or "none"
        raise InputError(
            f"{folder.path}: no file of {task} split '{split}' below it (looked for {', '.join(names)}); "
            f"splits there: {there}."
        )
    return found


def released_names(task: Task, split: str) -> list[str]:
    """The names under which the common repositories keep a split."""
    if task == "prevalent":
        stems = ["prevalent_aug", "prevalent_aug_train_enc", "aug_paths"] if split == "aug" else [f"prevalent_{split}"]
    elif task == "ndh":
        stems = ["test_cleaned", "test"] if split == "test" else [split]
    else:
        stems = [f"{task.upper()}_{split}"]
    return [f"{stem}{ending}" for stem in stems for ending in (".json", "_enc.json", ".jsonl", "_enc.jsonl")]


def splits_there(folder: DataFolder, task: Task) -> list[str]:
    """The splits of a task whose files are below the data folder."""
    if task == "prevalent":
        return ["aug"] if folder.find(released_names(task, "aug")) else []
    usual = ["train", "val_train_seen", "val_seen", "val_unseen", "test"]
    accept = _looks_like_ndh if task == "ndh" else lambda _: True
    return [split for split in usual if folder.find(released_names(task, split), accept)]


def _looks_like_ndh(path: Path) -> bool:
    """NDH's files have names that say nothing, so look for its own field near the beginning."""
    try:
        with path.open("rb") as file:
            beginning = file.read(200_000)
    except OSError:
        return False
    return json.dumps("inst_idx").encode() in beginning
