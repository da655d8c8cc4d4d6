"""Which objects can be seen from where, for tasks that ask for one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.names import read_semantics
from mtvm.tasks.data import DataFolder
from mtvm.world.world import World

SEMANTICS = "viewpoints.jsonl"


@dataclasses.dataclass(frozen=True, eq=False)
class SeenObjects:
    """The objects that are in some view of each node of a world, by the ids that they have in their building."""

    first: NDArray[np.int64]
    """(nodes + 1,) where the objects of each node begin in `ids`."""
    ids: NDArray[np.int64]
    """Sorted for each node."""

    def at(self, node: int) -> NDArray[np.int64]:
        """The ids of the objects that are seen from a node."""
        return self.ids[self.first[node] : self.first[node + 1]]

    def viewpoints(self, world: World, scan: str, identity: int) -> NDArray[np.int32]:
        """The nodes of a building from which an object is seen."""
        places = np.nonzero(self.ids == identity)[0]
        nodes = np.searchsorted(self.first, places, side="right") - 1
        return nodes[world.scan_of_node[nodes] == world.scans.index(scan)].astype(np.int32)

    def answerable(self, nodes: NDArray[np.integer], answers: Sequence[str | None]) -> list[bool]:
        """Whether each answer is an object that is seen from its node."""
        return [
            answer is not None and answer.isdigit() and int(answer) in self.at(int(node))
            for node, answer in zip(nodes, answers, strict=True)
        ]


def objects_file(folder: DataFolder, purpose: str) -> Path:
    """The file of objects below a data folder; it is needed for a `purpose`."""
    path: Path | None = folder.find([SEMANTICS, f"{SEMANTICS}.gz"])
    if path is None:
        raise InputError(
            f"{folder.path}: no {SEMANTICS}(.gz) below it, which says what is seen from where, {purpose}; "
            "'mtvm data names' makes it from REVERIE's boxes."
        )
    return path


def read_objects(folder: DataFolder, world: World, purpose: str) -> SeenObjects:
    """What the file of objects below a data folder says of a world's viewpoints; it is needed for a `purpose`."""
    path = objects_file(folder, purpose)
    seen: list[list[int]] = [[] for _ in range(len(world))]
    for place in read_semantics(path, world.scans):
        node = world.find(place.scan, place.viewpoint)
        if node >= 0:
            seen[node] = sorted({thing.id for thing in place.objects if thing.views})
    first = np.cumsum([0, *map(len, seen)])
    return SeenObjects(first.astype(np.int64), np.array([one for ids in seen for one in ids], dtype=np.int64))
