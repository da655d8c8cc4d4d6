"""Room-to-Room and every file of its form: R4R, the PREVALENT augmented file, a user's own."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.errors import InputError
from mtvm.files import parse_json, read_bytes
from mtvm.tasks.episode import EpisodeSet, KnownScans, Records
from mtvm.world.world import World

MakeWorld = Callable[[set[str]], World]


def read_records(path: Path, id_field: str) -> Records:
    """The entries of a JSON list, or of a JSON-lines file."""
    content = read_bytes(path, "task file")
    if path.suffix == ".jsonl":
        entries: list[Any] = []
        for number, line in enumerate(content.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                entries.append(json.loads(line))
            except (ValueError, RecursionError):
                raise InputError(f"{path}: line {number} is not valid JSON; the file may be truncated.") from None
        return Records(path, entries, id_field)
    return Records(path, parse_json(content, path), id_field)


def load_r2r(path: Path, task: str, split: str, scans: KnownScans, make_world: MakeWorld) -> EpisodeSet:
    """Episodes of a file in R2R form, one for each instruction; ids are `<path_id>_<i>`.

    Where no path has more than its start, as in R2R's test split, the goal is secret and the set has none. Entries may
    have a field `via`: viewpoints that are to be passed, in this order, before the end.
    """
    records = read_records(path, "path_id")
    path_ids = records.unique_ids()
    world = make_world(set(records.scans(scans)))
    references = records.paths("path", world)
    via = records.paths("via", world, walked=False, optional=True)
    instructions = records.instructions()

    of_entry = np.repeat(np.arange(len(records)), [len(texts) for texts in instructions])
    episodes = EpisodeSet(
        task=task,
        split=split,
        source=path,
        world=world,
        ids=[f"{i}_{n}" for i, texts in zip(path_ids, instructions, strict=True) for n in range(len(texts))],
        texts=list(itertools.chain.from_iterable(instructions)),
        headings=records.numbers("heading")[of_entry],
        references=references[of_entry],
        via=via[of_entry],
        goals=np.empty((len(of_entry), 0), dtype=np.int32),
    )
    if references.shape[1] == 1:
        return episodes
    return EpisodeSet(**{**vars(episodes), "goals": episodes.reference_ends[:, None]})
