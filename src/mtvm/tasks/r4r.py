"""R4R: longer, winding paths, made by joining R2R paths of which one ends near the start of the other."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.errors import InputError
from mtvm.tasks import r2r
from mtvm.tasks.data import json_names
from mtvm.tasks.metrics import path_length
from mtvm.tasks.records import read_records
from mtvm.world.world import World

JOIN_RADIUS = 3.0


def build_r4r(path: Path, world: World) -> list[dict[str, Any]]:
    """The R4R entries made from an R2R file, whose scans must be in `world`.

    If a path ends at most 3 m from the start of another one of its scan, they are joined by the shortest path between
    them, and every instruction of the first with every instruction of the second.
    """
    records = read_records(path, "path_id")
    path_ids = records.unique_ids()
    paths = [row[row >= 0].tolist() for row in records.paths("path", world)]
    headings, instructions = records.headings().tolist(), records.instructions()
    if max(map(len, paths)) < 2:
        raise InputError(f"{path}: these paths cannot be joined, because they have no goals.")
    members: defaultdict[str, list[int]] = defaultdict(list)
    for entry, scan in enumerate(records.column("scan", str)):
        members[scan].append(entry)

    joined = []
    for scan, entries in members.items():
        ends = np.array([paths[entry][-1] for entry in entries])
        starts = np.array([paths[entry][0] for entry in entries])
        near = world.distance(ends[:, None], starts[None, :]) <= JOIN_RADIUS
        np.fill_diagonal(near, False)
        for first, second in np.argwhere(near):
            a, b = entries[first], entries[second]
            nodes = paths[a][:-1] + world.shortest_path(paths[a][-1], paths[b][0]) + paths[b][1:]
            joined.append(
                {
                    "scan": scan,
                    "path_id": f"{path_ids[a]}-{path_ids[b]}",
                    "heading": headings[a],
                    "path": world.viewpoints[nodes].tolist(),
                    "distance": _length(world, nodes),
                    "instructions": [
                        f"{one.strip()} {two.strip()}"
                        for one, two in itertools.product(instructions[a], instructions[b])
                    ],
                }
            )
    return joined


def _length(world: World, nodes: list[int]) -> float:
    return round(float(path_length(world, np.array([nodes]))[0]), 2)


def _file_names(split: str) -> list[str]:
    return json_names(f"R4R_{split}")


def _horizon(supervision: str) -> int:
    return 30


SPEC = dataclasses.replace(
    r2r.SPEC,
    name="r4r",
    title="R4R",
    remedy="mtvm data r4r train (and the other splits) builds it from R2R",
    file_names=_file_names,
    horizon=_horizon,
    follow="path",
    selection_metric="SDTW",
    augmented=True,
    max_text=160,
)
