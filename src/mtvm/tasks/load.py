"""From a task and a split to episodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.records import KnownScans, TaskFile, check_texts
from mtvm.tasks.registry import find_task
from mtvm.tasks.spec import TaskSpec
from mtvm.world.graph import connectivity_files, scan_of
from mtvm.world.world import World


def load_episodes(
    task: str | TaskSpec,
    split: str | None = None,
    data: DataFolder | str | Path | None = None,
    *,
    supervision: str | None = None,
    options: Mapping[str, str] | None = None,
    world: World | None = None,
) -> EpisodeSet:
    """The episodes of a split.

    Args:
        task: a name (see `tasks.registry`), `module:NAME` of your own spec, or a spec. With its split, it is written
            `r2r/val_seen`.
        split: a released split (train, val_seen, val_unseen, test), or the path of a .json or .jsonl file, which may
            be gzipped (.json.gz).
        data: the data folder; default `$MTVM_DATA`.
        supervision: which path is the reference, for tasks that offer several; an option of NDH.
        options: the task's own, by name; `TaskSpec.options` has those that it knows.
        world: share this world between splits, instead of loading the scans that occur.
    """
    if split is None:
        name, _, split = (task if isinstance(task, str) else task.name).partition("/")
        if not split:
            raise InputError(f"'{name}' names no split; give it as {name}/val_unseen, or as the second argument.")
        task = name
    spec = find_task(task) if isinstance(task, str) else task
    folder = DataFolder.resolve(data)
    path = task_file(folder, spec, split)
    connectivity = folder.connectivity
    if world is None:
        names = frozenset(map(scan_of, connectivity_files(connectivity)))
        scans = KnownScans(names, f"which has no connectivity file in {connectivity}")
    else:
        scans = KnownScans(frozenset(world.scans), f"which is not among the {len(world.scans)} of the given world")

    def make_world(occurring: set[str]) -> World:
        return World.load(connectivity, sorted(occurring)) if world is None else world

    given = dict(options or {})
    if supervision is not None and spec.has_supervision:
        given["supervision"] = supervision
    file = TaskFile(spec, path, split_name(split), folder, scans, make_world, spec.chosen(given))
    episodes = spec.read(file)
    check_texts(path, episodes.ids, episodes.texts, made=spec.augmented)
    task = episodes.task
    if task.origin != spec.origin:  # a reader need not know by which name its task was found
        task = dataclasses.replace(task, origin=spec.origin)
    return dataclasses.replace(episodes, task=task, options=file.options)


def task_file(folder: DataFolder, task: TaskSpec, split: str) -> Path:
    """The file of a split: `split` itself if it is a path, else the file of a released name below the data folder."""
    if is_file_name(split):
        return Path(split)
    names = task.file_names(split)
    found = folder.find(names, task.accepts)
    if found is None:
        available = ", ".join(available_splits(folder, task)) or "none"
        raise InputError(
            f"{folder.path}: no file of {task.name} split '{split}' below it (looked for {', '.join(names)}); "
            f"available splits: {available}."
        )
    return found


def available_splits(folder: DataFolder, task: TaskSpec) -> list[str]:
    """The splits of a task that have a file below the data folder."""
    return [split for split in task.splits if folder.find(task.file_names(split), task.accepts)]


def is_file_name(split: str) -> bool:
    """Whether a split is the path of a file."""
    return split.removesuffix(".gz").endswith((".json", ".jsonl"))


def split_name(split: str) -> str:
    """What a split is called: a file by its name without the ending."""
    return Path(split.removesuffix(".gz")).stem if is_file_name(split) else split
