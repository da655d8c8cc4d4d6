"""Episodes: what the agent is told, where it starts, the path it should take, and where it may end.

A set of episodes is held as arrays over the nodes of a `World`, so that rollouts, rewards and metrics gather
from them; `episodes[i]` gives one episode in words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError
from mtvm.world.world import World


@dataclasses.dataclass(frozen=True, slots=True)
class Episode:
    """One episode, with ids instead of node numbers."""

    id: str
    scan: str
    text: str
    start: str
    heading: float
    reference: tuple[str, ...]
    via: tuple[str, ...]
    goals: tuple[str, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class EpisodeSet:
    """N episodes of one split of a task."""

    task: str
    split: str
    source: Path
    world: World
    ids: list[str]
    """What result files call each episode."""
    texts: list[str]
    """The instruction, or the dialog with its role markers and the target."""
    headings: NDArray[np.float64]
    """(N,) the heading at the start."""
    references: NDArray[np.int32]
    """(N, P) nodes of the reference path, the start first; -1 pads. Only the start if the goal is secret."""
    via: NDArray[np.int32]
    """(N, V) nodes that are to be passed, in this order, before stopping at a goal is right; -1 pads. V is 0 where only
    the end matters, as in R2R."""
    goals: NDArray[np.int32]
    """(N, G) nodes of which any is a right place to stop; -1 pads. G is 0 if the goal is secret."""

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> Episode:
        names, via, goals = self.world.viewpoints, self.via[index], self.goals[index]
        reference = names[self.references[index, : self.reference_lengths[index]]].tolist()
        return Episode(
            id=self.ids[index],
            scan=self.world.scan(self.starts[index]),
            text=self.texts[index],
            start=reference[0],
            heading=float(self.headings[index]),
            reference=tuple(reference),
            via=tuple(names[via[via >= 0]].tolist()),
            goals=tuple(names[goals[goals >= 0]].tolist()),
        )

    def __iter__(self) -> Iterator[Episode]:
        return (self[index] for index in range(len(self)))

    @property
    def name(self) -> str:
        return f"{self.task} {self.split}"

    @property
    def starts(self) -> NDArray[np.int32]:
        return self.references[:, 0]

    @property
    def reference_lengths(self) -> NDArray[np.int64]:
        """(N,) number of nodes of each reference path."""
        return (self.references >= 0).sum(axis=1)

    @property
    def reference_ends(self) -> NDArray[np.int32]:
        """(N,) the last node of each reference path: the teacher's goal."""
        return np.take_along_axis(self.references, self.reference_lengths[:, None] - 1, axis=1)[:, 0]

    @property
    def has_goals(self) -> bool:
        return self.goals.shape[1] > 0

    def select(self, rows: ArrayLike) -> EpisodeSet:
        """The episodes at `rows`, in that order."""
        rows = np.asarray(rows)
        chosen = np.arange(len(self))[rows if rows.size else np.zeros(0, dtype=int)]
        return dataclasses.replace(
            self,
            ids=[self.ids[row] for row in chosen],
            texts=[self.texts[row] for row in chosen],
            headings=self.headings[chosen],
            references=self.references[chosen],
            via=self.via[chosen],
            goals=self.goals[chosen],
        )


@dataclasses.dataclass(frozen=True, slots=True)
class KnownScans:
    """The scans that episodes may be in, and what to say of others."""

    scans: frozenset[str]
    otherwise: str


class Records:
    """The entries of a task file, read field by field with errors that name file, entry and field."""

    def __init__(self, path: Path, entries: Any, id_field: str) -> None:
        if not isinstance(entries, list) or not entries:
            raise InputError(f"{path}: a task file is a non-empty list of episodes.")
        for place, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise InputError(f"{path}: entry {place} is not an object.")
        self.path, self.entries, self.id_field = path, entries, id_field

    def __len__(self) -> int:
        return len(self.entries)

    def where(self, place: int, field: str) -> str:
        identity = self.entries[place].get(self.id_field)
        named = f" ({self.id_field} {identity})" if identity is not None else ""
        return f"{self.path}: entry {place}{named}: field '{field}'"

    def column(self, field: str, kind: type | tuple[type, ...], default: Any = None) -> list[Any]:
        """One field of all entries, each of the type asked for; with a default, entries may lack it."""
        values = [entry.get(field, default) for entry in self.entries]
        for place, value in enumerate(values):
            if value is None and field not in self.entries[place]:
                raise InputError(f"{self.where(place, field)} is missing.")
            if not isinstance(value, kind) or isinstance(value, bool):
                raise InputError(f"{self.where(place, field)} is {_shown(value)}, not {_kind_name(kind)}.")
        return values

    def texts(self, field: str, optional: bool = False) -> list[list[str]]:
        """A field that holds a list of strings; empty for entries that lack it, if it is optional."""
        lists = self.column(field, list, [] if optional else None)
        for place, values in enumerate(lists):
            if not all(isinstance(value, str) for value in values):
                raise InputError(f"{self.where(place, field)} is not a list of strings.")
        return lists

    def unique_ids(self, kind: type | tuple[type, ...] = (int, str)) -> list[Any]:
        ids = self.column(self.id_field, kind)
        if len({str(identity) for identity in ids}) != len(ids):
            first: dict[str, int] = {}
            for place, identity in enumerate(ids):
                if (earlier := first.setdefault(str(identity), place)) != place:
                    raise InputError(f"{self.where(place, self.id_field)} is there twice, first in entry {earlier}.")
        return ids

    def scans(self, known: KnownScans) -> list[str]:
        """The field 'scan', each one known."""
        scans = self.column("scan", str)
        for place, scan in enumerate(scans):
            if scan not in known.scans:
                raise InputError(f"{self.where(place, 'scan')}: unknown scan {scan}, {known.otherwise}.")
        return scans

    def numbers(self, field: str) -> NDArray[np.float64]:
        """A field that holds a finite number."""
        values = self.column(field, (int, float))
        for place, value in enumerate(values):
            if not -1e300 < value < 1e300:
                raise InputError(f"{self.where(place, field)} is {_shown(value)}, not a finite number.")
        return np.array(values, dtype=np.float64)

    def instructions(self) -> list[list[str]]:
        """The field 'instructions', at least one in each entry."""
        instructions = self.texts("instructions")
        for place, texts in enumerate(instructions):
            if not texts:
                raise InputError(f"{self.where(place, 'instructions')} is empty.")
        return instructions

    def paths(self, field: str, world: World, walked: bool = True, optional: bool = False) -> NDArray[np.int32]:
        """A field of viewpoint ids as (N, P) nodes, -1 padded; `walked` asks for an edge at each move."""
        scans, paths = self.column("scan", str), self.texts(field, optional)
        width = max(map(len, paths))
        nodes = np.full((len(paths), width), -1, dtype=np.int32)
        for place, (scan, path) in enumerate(zip(scans, paths, strict=True)):
            if not path and not optional:
                raise InputError(f"{self.where(place, field)} is empty.")
            nodes[place, : len(path)] = found = [world.find(scan, viewpoint) for viewpoint in path]
            if -1 in found:
                unknown = path[found.index(-1)]
                raise InputError(f"{self.where(place, field)}: scan {scan} has no included viewpoint {unknown}.")
        if walked:
            moves = (nodes[:, 1:] >= 0) & (nodes[:, 1:] != nodes[:, :-1])
            broken = moves & ~world.has_edge(nodes[:, :-1], nodes[:, 1:])
            if broken.any():
                place, step = (int(i) for i in np.argwhere(broken)[0])
                here, there = paths[place][step], paths[place][step + 1]
                raise InputError(
                    f"{self.where(place, field)}: no edge between {here} and {there} "
                    f"(viewpoints {step} and {step + 1} of the path)."
                )
        return nodes


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _kind_name(kind: type | tuple[type, ...]) -> str:
    if kind == (int, float):
        return "a number"
    names = {int: "a whole number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(dict.fromkeys(names[k] for k in kinds))
