"""R4R: longer, winding paths made by joining R2R paths that end and begin near each other."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.errors import InputError
from mtvm.tasks.metrics import path_length
from mtvm.tasks.r2r import read_records
from mtvm.world.world import World

JOIN_RADIUS = 3.0


def build_r4r(path: Path, world: World) -> list[dict[str, Any]]:
    """The R4R entries of an R2R file whose scans `world` holds.

    For each ordered pair of paths of a scan of which the first ends at most 3 m from where the second begins: the first
    path, the shortest connection and the second path, with every pair of their instructions joined.
    """
    records = read_records(path, "path_id")
    path_ids = records.unique_ids()
    paths = [row[row >= 0].tolist() for row in records.paths("path", world)]
    headings, instructions = records.numbers("heading").tolist(), records.instructions()
    if max(map(len, paths)) < 2:
        raise InputError(f"{path}: these paths have no goals, so they cannot be joined.")
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
