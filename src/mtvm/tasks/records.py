"""Reading task files: lists of JSON objects, checked field by field with errors that name file, entry and field."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, brief
from mtvm.io.files import parse_json, read_bytes
from mtvm.io.unpacking import check_amount, unpacked, unpacked_lines
from mtvm.progress import notice
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.world import World

if TYPE_CHECKING:
    from mtvm.tasks.spec import TaskSpec

MakeWorld = Callable[[set[str]], World]

_LONGEST_LINE = 1 << 25
_SOME_LINES = 1000
_LONGEST_PATH = 1000
_LONGEST_TEXT = 20_000
_MOST_TEXTS = 20_000, 1 / 8  # in any file, and for each byte of a larger one
_MOST_LETTERS = 4_000_000, 20
LARGEST_HEADING = 4 * math.pi
"""Radians: turns may have been added up, but what is beyond is in degrees, or nonsense."""


@dataclasses.dataclass(frozen=True, slots=True)
class KnownScans:
    """The scans that may occur in a task file."""

    scans: frozenset[str]
    otherwise: str
    """The end of the error message for any other scan."""


@dataclasses.dataclass(frozen=True)
class TaskFile:
    """A file of episodes that is to be read, and what is around it."""

    task: TaskSpec
    """The task that the file is read for; its reader gives it to the episodes, or one that it changed."""
    path: Path
    split: str
    folder: DataFolder
    """The data folder, for what a task needs beside its file."""
    scans: KnownScans
    make_world: MakeWorld
    """Loads the scans that occur."""
    options: Mapping[str, str]
    """The task's options."""

    def open(self, id_field: str, without: Sequence[str] = ()) -> tuple[Records, World]:
        """The entries, each with an id of its own in a field, and the world of their scans; `without` some fields."""
        records = read_records(self.path, id_field, without)
        records.unique_ids()
        return records, self.make_world(set(records.scans(self.scans)))

    def episodes(
        self,
        world: World,
        *,
        ids: Sequence[object],
        texts: list[str],
        references: NDArray[np.int32],
        goals: NDArray[np.int32] | None = None,
        headings: NDArray[np.float64] | None = None,
        via: NDArray[np.int32] | None = None,
        extra: Mapping[str, NDArray[Any] | list[Any]] | None = None,
    ) -> EpisodeSet:
        """The episodes that were read, as `EpisodeSet` has them: all face north, pass through nothing and have secret
        goals unless it is said otherwise."""
        nothing = np.empty((len(ids), 0), dtype=np.int32)
        return EpisodeSet(
            task=self.task,
            split=self.split,
            source=self.path,
            world=world,
            ids=[str(identity) for identity in ids],
            texts=texts,
            headings=np.zeros(len(ids)) if headings is None else headings,
            references=references,
            via=nothing if via is None else via,
            goals=nothing if goals is None else goals,
            extra=extra or {},
        )


class Records:
    """The entries of a task file."""

    def __init__(self, path: Path, entries: Any, id_field: str) -> None:
        if not isinstance(entries, list) or not entries:
            raise InputError(f"{path}: a task file is a non-empty list of episodes.")
        check_amount(path, len(entries), "episodes", *_MOST_TEXTS)
        for place, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise InputError(f"{path}: entry {place} is not an object.")
        self.path, self.entries, self.id_field = path, entries, id_field

    def __len__(self) -> int:
        return len(self.entries)

    def where(self, place: int, field: str) -> str:
        identity = self.entries[place].get(self.id_field)
        named = f" ({self.id_field} {brief(identity)})" if identity is not None else ""
        return f"{self.path}: entry {place}{named}: field '{field}'"

    def column(self, field: str, kind: type | tuple[type, ...], default: Any = None) -> list[Any]:
        """One field of all entries, each of type `kind`; entries may lack it if there is a default."""
        values = [entry.get(field, default) for entry in self.entries]
        for place, value in enumerate(values):
            if value is None and field not in self.entries[place]:
                raise InputError(f"{self.where(place, field)} is missing.")
            if not isinstance(value, kind) or isinstance(value, bool):
                raise InputError(f"{self.where(place, field)} is {brief(repr(value))}, not {_kind_name(kind)}.")
        return values

    def texts(self, field: str, optional: bool = False) -> list[list[str]]:
        """A field that is a list of strings; if optional, it is empty for entries that lack it."""
        lists = self.column(field, list, [] if optional else None)
        for place, values in enumerate(lists):
            if not all(isinstance(value, str) for value in values):
                raise InputError(f"{self.where(place, field)} is not a list of strings.")
        return lists

    def unique_ids(self, kind: type | tuple[type, ...] = (int, str)) -> list[Any]:
        ids = self.column(self.id_field, kind)
        if len({str(identity).strip() for identity in ids}) != len(ids):  # a blank makes no other id
            first: dict[str, int] = {}
            for place, identity in enumerate(ids):
                if (earlier := first.setdefault(str(identity).strip(), place)) != place:
                    blank = "" if str(ids[earlier]) == str(identity) else " but for blanks"
                    raise InputError(
                        f"{self.where(place, self.id_field)} occurs twice{blank}, first in entry {earlier}."
                    )
        return ids

    def scans(self, known: KnownScans) -> list[str]:
        """The field 'scan', which must be among the `known`."""
        scans = self.column("scan", str)
        for place, scan in enumerate(scans):
            if scan not in known.scans:
                raise InputError(f"{self.where(place, 'scan')}: unknown scan {brief(scan)}, {known.otherwise}.")
        return scans

    def headings(self) -> NDArray[np.float64]:
        """The field 'heading', in radians."""
        headings = self.numbers("heading")
        for place in np.nonzero(np.abs(headings) > LARGEST_HEADING)[0].tolist():
            raise InputError(
                f"{self.where(place, 'heading')} is {brief(headings[place])}; headings are in radians, from 0 to 2π."
            )
        return headings

    def check_lengths(self, field: str) -> None:
        """Raise if a field that entries may have holds a number that is no length."""
        for place, entry in enumerate(self.entries):
            value = entry.get(field, 0)
            if isinstance(value, int | float) and not 0 <= value < 1e6:
                raise InputError(f"{self.where(place, field)} is {brief(value)}, which is no length in metres.")

    def numbers(self, field: str) -> NDArray[np.float64]:
        """A field that is a finite number."""
        values = self.column(field, (int, float))
        for place, value in enumerate(values):
            if not -1e300 < value < 1e300:
                raise InputError(f"{self.where(place, field)} is {brief(repr(value))}, not a finite number.")
        return np.array(values, dtype=np.float64)

    def instructions(self) -> list[list[str]]:
        """The field 'instructions', at least one in each entry."""
        instructions = self.texts("instructions")
        for place, texts in enumerate(instructions):
            if not texts:
                raise InputError(f"{self.where(place, 'instructions')} is empty.")
        check_amount(self.path, sum(map(len, instructions)), "instructions", *_MOST_TEXTS)
        return instructions

    def paths(self, field: str, world: World, walked: bool = True, optional: bool = False) -> NDArray[np.int32]:
        """A field of viewpoint ids as (N, P) nodes, padded with -1; if `walked`, every move must follow an edge."""
        scans, paths = self.column("scan", str), self.texts(field, optional)
        width = max(map(len, paths))
        if width > _LONGEST_PATH:
            place = [len(path) for path in paths].index(width)
            raise InputError(f"{self.where(place, field)} has {width:,} viewpoints, more than {_LONGEST_PATH:,}.")
        nodes = np.full((len(paths), width), -1, dtype=np.int32)
        for place, (scan, path) in enumerate(zip(scans, paths, strict=True)):
            if not path and not optional:
                raise InputError(f"{self.where(place, field)} is empty.")
            nodes[place, : len(path)] = found = [world.find(scan, viewpoint) for viewpoint in path]
            if -1 in found:
                unknown = path[found.index(-1)]
                raise InputError(f"{self.where(place, field)}: scan {scan} has no included viewpoint {brief(unknown)}.")
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


def read_records(path: Path, id_field: str, without: Sequence[str] = ()) -> Records:
    """The entries of a JSON or JSON lines file, plain or gzipped; of lines, `without` fields that take memory."""
    content = read_bytes(path, "task file")
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        return Records(path, parse_json(unpacked(content, path), path), id_field)
    entries: list[Any] = []
    for number, line in enumerate(unpacked_lines(content, path, _LONGEST_LINE), start=1):
        if line.isspace():
            continue
        if number % _SOME_LINES == 0:
            check_amount(path, len(entries), "episodes", *_MOST_TEXTS)
        try:
            entry = parse_json(line, path)
        except InputError:
            raise InputError(f"{path}: line {number} is not valid JSON; the file may be truncated.") from None
        for field in without if isinstance(entry, dict) else ():
            entry.pop(field, None)
        entries.append(entry)
    return Records(path, entries, id_field)


def check_texts(path: Path, ids: Sequence[str], texts: Sequence[str], made: bool = False) -> None:
    """Raise if the texts of a file's episodes would take hours to read, or if one is empty; if they were `made` by a
    program, which happens to say nothing now and then, only tell how many are."""
    check_amount(path, sum(map(len, texts)), "letters of instructions", *_MOST_LETTERS)
    for identity, text in zip(ids, texts, strict=True):
        if len(text) > _LONGEST_TEXT:
            raise InputError(f"{path}: the text of episode {brief(identity)} has more than {_LONGEST_TEXT:,} letters.")
    empty = [identity for identity, text in zip(ids, texts, strict=True) if not text.strip()]
    if empty and not made:
        raise InputError(f"{path}: the text of episode {brief(empty[0])} is empty; write an instruction, or remove it.")
    if empty:
        notice(f"{path}: {len(empty):,} of {len(texts):,} instructions are empty, the first that of {brief(empty[0])}.")


def _kind_name(kind: type | tuple[type, ...]) -> str:
    if kind == (int, float):
        return "a number"
    names = {int: "a whole number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(dict.fromkeys(names[k] for k in kinds))
