"""Whether the files of a data folder say what they should: what is wrong is refused by every command, what is odd may
be meant so."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from mtvm.errors import InputError, brief
from mtvm.features.captions import load_captions
from mtvm.features.names import SeenPlace, read_semantics
from mtvm.features.store import FEATURES_FILE, META_FILE, FeatureStore
from mtvm.features.turned import turn_of
from mtvm.io.files import read_json
from mtvm.progress import collected_notices
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import available_splits, load_episodes, task_file
from mtvm.tasks.objects import SEMANTICS
from mtvm.tasks.registry import TASKS
from mtvm.tasks.results import check_answers, checked_nodes, read_results
from mtvm.tasks.sub_instructions import read_sub_instructions
from mtvm.world.graph import SUFFIX, NavGraph, connectivity_files, oddities

CAPTIONS = "captions.jsonl"
_ROUNDING = 0.1
"""Metres between the length of a path that a file names and the graph's; files round to 1 cm."""
_A_LOOK = 4096
"""Bytes in which a result file names its first trajectory."""


class Finding(NamedTuple):
    """What is to be said of a file."""

    kind: Literal["fine", "odd", "wrong"]
    said: str
    """A sentence that names the file and the place in it; of what is fine, what it holds."""


def check_data(folder: DataFolder) -> Iterator[Finding]:
    """Look into every file below a data folder that we know how to read, the graphs first."""
    said: set[str] = set()
    for finding in _all_findings(folder):
        if finding.said not in said:  # a spoiled graph spoils each file that needs it
            said.add(finding.said)
            yield finding


def _all_findings(folder: DataFolder) -> Iterator[Finding]:
    graphs: list[NavGraph] = []
    yield from _graphs(folder, graphs)
    sets: list[EpisodeSet] = []
    for task in TASKS.values():
        for split in available_splits(folder, task):
            path = task_file(folder, task, split)
            with _looking() as found:
                episodes = load_episodes(task, split, folder)
                sets.append(episodes)
                found += [Finding("odd", f"{path}: {one}.") for one in _odd_lengths(path, episodes)]
                found.append(Finding("fine", f"{path}: {len(episodes):,} episodes of {episodes.name}"))
            yield from found
    named: list[SeenPlace] = []
    yield from _places(folder, graphs, named)
    for path in folder.files():
        if path.name.startswith("FGR2R_") and path.suffix == ".json":
            with _looking() as found:
                found.append(Finding("fine", f"{path}: {len(read_sub_instructions(path)):,} cut instructions"))
            yield from found
        elif path.name == META_FILE and (path.parent / FEATURES_FILE).is_file():
            with _looking() as found:
                store = FeatureStore.open(path.parent).verify()
                found.append(Finding("fine", f"{path.parent}: {len(store):,} viewpoints x 36 x {store.width}"))
            yield from found
        elif path.suffix == ".json" and _has_trajectories(path):
            with _looking() as found:
                found.append(_results(path, sets))
            yield from found


@contextlib.contextmanager
def _looking() -> Iterator[list[Finding]]:
    """What a block finds, what its readers tell the user, and what they refuse."""
    found: list[Finding] = []
    with collected_notices() as notices:
        try:
            yield found
        except InputError as error:
            found[:] = [one for one in found if one.kind != "fine"]
            found.append(Finding("wrong", str(error)))
    found[:0] = [Finding("odd", one) for one in notices]


def _graphs(folder: DataFolder, graphs: list[NavGraph]) -> Iterator[Finding]:
    try:
        files = connectivity_files(folder.connectivity)
    except InputError as error:
        yield Finding("wrong", str(error))
        return
    for path in files:
        with _looking() as found:
            graph = NavGraph.load(path)
            graphs.append(graph)
            found += [Finding("odd", f"{path}: {one}.".replace("?.", "?")) for one in oddities(graph)]
        yield from found
    yield Finding("fine", f"{folder.connectivity}: {len(graphs)} of {len(files)} graphs, *{SUFFIX}")


def _odd_lengths(path: Path, episodes: EpisodeSet) -> Iterator[str]:
    """Whether the lengths of paths that an R2R file names are those of the graph."""
    if path.suffix != ".json" or not episodes.has_goals:
        return
    lengths = {
        str(entry["path_id"]): float(entry["distance"])
        for entry in read_json(path, "task file")
        if "path_id" in entry and isinstance(entry.get("distance"), int | float)
    }
    walked = _lengths(episodes)
    wrong = [
        (identity, lengths[entry], metres)
        for identity, metres in zip(episodes.ids, walked.tolist(), strict=True)
        if (entry := identity.rpartition("_")[0]) in lengths and abs(lengths[entry] - metres) > _ROUNDING
    ]
    if wrong:
        identity, said, metres = wrong[0]
        yield (
            f"the paths of {len(wrong):,} episodes are not as long in the graphs as the field 'distance' says, first "
            f"{brief(identity)}: {said:.2f} m, and {metres:.2f} m in the graph"
        )


def _lengths(episodes: EpisodeSet) -> np.ndarray:
    """(N,) metres along the reference paths."""
    here, there = episodes.references[:, :-1], episodes.references[:, 1:]
    moves = there >= 0
    metres = episodes.world.distance(np.where(moves, here, 0), np.where(moves, there, 0))
    return np.where(moves, metres, 0).sum(axis=1)


def _places(folder: DataFolder, graphs: list[NavGraph], named: list[SeenPlace]) -> Iterator[Finding]:
    """The files that say something of each viewpoint."""
    known = {(graph.scan, viewpoint) for graph in graphs for viewpoint in graph.viewpoints.tolist()}
    if (names := folder.find([SEMANTICS, f"{SEMANTICS}.gz"])) is not None:
        with _looking() as found:
            named += read_semantics(names)
            found += _coverage(names, ((one.scan, one.viewpoint) for one in named), known)
            if not any(place.room or place.objects for place in named):
                found.append(Finding("odd", f"{names}: names neither a room nor an object."))
        yield from found
    if (captions := folder.find([CAPTIONS, f"{CAPTIONS}.gz"])) is not None:
        with _looking() as found:
            places = load_captions(captions)
            found += _coverage(captions, ((one.scan, one.viewpoint) for one in places), known)
            if (turned := turn_of(captions, named)) is not None:
                degrees, there, here = turned
                found.append(
                    Finding(
                        "odd",
                        f"{captions}: captions seem to be turned by {degrees:+.0f} degrees: there they name {there:,} "
                        f"of the things that are known to be in a direction, and {here:,} in that direction itself.",
                    )
                )
        yield from found


def _coverage(path: Path, places: Iterable[tuple[str, str]], known: set[tuple[str, str]]) -> Iterator[Finding]:
    """What a file has of the graphs' viewpoints, and what it has beside them."""
    there = set(places)
    scans = {scan for scan, _ in known}
    strange = sorted(pair for pair in there - known if pair[0] in scans)
    missing = sorted(known - there)
    if strange and missing:
        yield Finding(
            "odd",
            f"{path}: {len(strange):,} viewpoints are not in the graphs of their buildings, the first "
            f"{brief(strange[0][1])} of scan {strange[0][0]}.",
        )
    if missing:
        yield Finding(
            "odd",
            f"{path}: says nothing of {len(missing):,} of the {len(known):,} viewpoints of the graphs, the first "
            f"{missing[0][1]} of scan {missing[0][0]}.",
        )
    yield Finding("fine", f"{path}: {len(there):,} viewpoints")


def _has_trajectories(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b'"trajectory"' in file.read(_A_LOOK)
    except OSError:
        return False


def _results(path: Path, sets: list[EpisodeSet]) -> Finding:
    """Of which of the splits a result file is; raises if it is wrong."""
    problem: InputError | None = None
    records = read_json(path, "result file")
    ids = {str(value) for one in records[:1] for value in one.values()} if isinstance(records, list) else set()
    for episodes in sets:
        if not ids & set(episodes.ids):
            continue
        try:
            with collected_notices():
                found = read_results(path, episodes, partial=True)
            checked_nodes(path, found.episodes, found.trajectories)
            check_answers(path, found)
        except InputError as error:
            problem = problem or error
        else:
            read_results(path, episodes, partial=True)  # once more, for what is to be told
            return Finding("fine", f"{path}: {len(found.trajectories):,} trajectories of {episodes.name}")
    if problem is not None:
        raise problem
    return Finding("odd", f"{path}: holds trajectories of none of the splits here.")
