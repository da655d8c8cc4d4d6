"""Room-to-Room. Other tasks use its file format too."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from mtvm.tasks.data import json_names
from mtvm.tasks.definitions import Success
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.records import Records, TaskFile
from mtvm.tasks.spec import TaskSpec
from mtvm.world.world import World


def read_r2r(file: TaskFile) -> EpisodeSet:
    """Episodes of a file in R2R's format, one for each instruction; ids are `<path_id>_<i>`.

    If every path consists of its start alone, as in R2R's test split, the goals are secret. Entries may have a field
    `via`: viewpoints that the agent must pass, in this order, before the end.
    """
    return episodes_of(file, *file.open("path_id"))


def episodes_of(file: TaskFile, records: Records, world: World) -> EpisodeSet:
    """The same, of entries that were read before."""
    path_ids = records.unique_ids()
    references = records.paths("path", world)
    via = records.paths("via", world, walked=False, optional=True)
    instructions = records.instructions()
    records.check_lengths("distance")

    of_entry = np.repeat(np.arange(len(records)), [len(texts) for texts in instructions])
    episodes = file.episodes(
        world,
        ids=[f"{i}_{n}" for i, texts in zip(path_ids, instructions, strict=True) for n in range(len(texts))],
        texts=list(itertools.chain.from_iterable(instructions)),
        headings=records.headings()[of_entry],
        references=references[of_entry],
        via=via[of_entry],
    )
    if references.shape[1] == 1:
        return episodes
    return dataclasses.replace(episodes, goals=episodes.reference_ends[:, None])


def _file_names(split: str) -> list[str]:
    return json_names(f"R2R_{split}")


def _horizon(supervision: str) -> int:
    return 15


SPEC = TaskSpec(
    name="r2r",
    title="R2R",
    remedy="mtvm data fetch r2r",
    file_names=_file_names,
    read=read_r2r,
    horizon=_horizon,
    success_elsewhere=tuple((name, Success(spl_length="reference", least_length=0.01)) for name in ("hamt", "duet")),
)
