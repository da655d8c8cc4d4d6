"""Result files: reading with the leaderboards' checks, scoring, and writing for submission.

A result file is a list of `{"instr_id": ..., "trajectory": [[viewpoint, heading, elevation], ...]}`; the task's spec
names the id field, and the field of an answer if the task asks for one. A step may also be a viewpoint without angles,
or a list of viewpoints walked at once.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, brief
from mtvm.io.files import atomic_path, json_text, read_json, write_json, write_text
from mtvm.progress import notice
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import Answers, Floats, pad
from mtvm.tasks.records import LARGEST_HEADING
from mtvm.tasks.spec import COMMON_ID_FIELD, TaskSpec
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING

Pose = tuple[str, float, float]
NO_OBJECT = -1
"""What result files say where an agent names no object."""
_DUETS_OBJECT = "pred_objid"


class MissingIdsError(InputError):
    """A result file lacks some of the episodes."""


class Results(NamedTuple):
    """What a result file says."""

    episodes: EpisodeSet
    """Those of the file, in the order of the split."""
    trajectories: list[list[Pose]]
    answers: list[str | None] | None
    """None if the file has no answers."""


def trajectories(episodes: EpisodeSet, nodes: NDArray[np.integer], views: NDArray[np.integer]) -> list[list[Pose]]:
    """Walks as result files have them, of the nodes (N, T) and the views faced there; -1 pads."""
    names = episodes.world.viewpoints
    walks: list[list[Pose]] = []
    for row, faced in zip(nodes, views, strict=True):
        real = row >= 0
        angles = zip(VIEW_HEADING[faced[real]].tolist(), VIEW_ELEVATION[faced[real]].tolist(), strict=True)
        walks.append([(name, *pair) for name, pair in zip(names[row[real]].tolist(), angles, strict=True)])
    return walks


def write_results(
    path: Path, episodes: EpisodeSet, trajectories: Sequence[Sequence[Pose]], answers: Answers | None = None
) -> None:
    """Write one trajectory for each episode, and its answer if there are answers, in the task's submission format."""
    task = episodes.task
    records: list[dict[str, Any]] = [
        {task.id_field: task.id_type(identity), "trajectory": [list(pose) for pose in poses]}
        for identity, poses in zip(episodes.ids, trajectories, strict=True)
    ]
    if answers is not None:
        for record, answer in zip(records, answers, strict=True):
            record[task.answer_field] = int(answer or NO_OBJECT) if task.answer == "object" else answer
    write_json(path, records)


def read_results(path: Path, episodes: EpisodeSet, partial: bool = False) -> Results:
    """The trajectories and answers of a result file, and the episodes that they belong to.

    Every episode must occur exactly once (at most once if `partial`), and nothing else may occur.
    """
    records = read_json(path, "result file")
    if not isinstance(records, list) or not records:
        raise InputError(f"{path}: a result file is a non-empty list of trajectories.")
    by_id: dict[str, list[Pose]] = {}
    said: dict[str, str | None] = {}
    known = set(episodes.ids)
    for place, record in enumerate(records):
        identity, poses = _read_record(path, place, record, episodes.task.id_field)
        if identity not in known:
            raise InputError(
                f"{path}: entry {place}: id {brief(identity)} is not in {episodes.name} ({episodes.source})."
            )
        if identity in by_id:
            raise InputError(f"{path}: entry {place}: id {brief(identity)} occurs twice.")
        by_id[identity] = poses
        for field in _answer_fields(episodes.task):
            if field in record:
                said[identity] = _answer(path, place, field, record[field], episodes)
                break
    _tell_degrees(path, list(by_id.values()))
    missing = [identity for identity in episodes.ids if identity not in by_id]
    if missing and not partial:
        raise MissingIdsError(
            f"{path}: {len(missing)} of {len(episodes)} ids of {episodes.name} are missing, "
            f"the first is {brief(missing[0])}."
        )
    if missing:
        episodes = episodes.select([row for row, identity in enumerate(episodes.ids) if identity in by_id])
    answers = [said.get(identity) for identity in episodes.ids] if said else None
    return Results(episodes, [by_id[identity] for identity in episodes.ids], answers)


def _answer_fields(task: TaskSpec) -> tuple[str, ...]:
    """Where an answer may stand: DUET and what came from it have a field of their own for objects."""
    if task.answer is None:
        return ()
    return (task.answer_field, _DUETS_OBJECT) if task.answer == "object" else (task.answer_field,)


def _answer(path: Path, place: int, field: str, value: Any, episodes: EpisodeSet) -> str | None:
    """An answer, which may be null; ids may be written as texts."""
    task = episodes.task
    if task.answer == "object" and type(value) is int:
        value = None if value == NO_OBJECT else str(value)
    if value is None or (isinstance(value, str) and task.is_answer(value)):
        return None if value is None else str(int(value)) if task.answer == "object" else value
    wanted = "the number of an object" if task.answer == "object" else "a text"
    raise InputError(f"{path}: entry {place}: '{field}' is {brief(repr(value), 40)}, not {wanted}.")


def _read_record(path: Path, place: int, record: Any, id_field: str) -> tuple[str, list[Pose]]:
    if not isinstance(record, dict):
        raise InputError(f"{path}: entry {place} is not an object with '{id_field}' and 'trajectory'.")
    # Some codebases write the common field for every task.
    identity = record.get(id_field, record.get(COMMON_ID_FIELD))
    if str(record.get(COMMON_ID_FIELD, identity)) != str(identity):
        raise InputError(
            f"{path}: entry {place}: '{id_field}' is {brief(identity)}, but '{COMMON_ID_FIELD}' "
            f"{brief(record[COMMON_ID_FIELD])}; one of them is of another episode."
        )
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        raise InputError(f"{path}: entry {place} has no '{id_field}' that is a string or a whole number.")
    trajectory = record.get("trajectory")
    if not isinstance(trajectory, list) or not trajectory:
        raise InputError(f"{path}: entry {place} (id {brief(identity)}): 'trajectory' is missing or empty.")
    poses: list[Pose] = []
    for step, entry in enumerate(trajectory):
        poses += _read_step(entry) or _bad_step(path, place, identity, step)
    return str(identity), poses


def _read_step(entry: Any) -> list[Pose]:
    """The poses of a step: `[viewpoint, heading, elevation]`, a viewpoint, or a list of them; empty if malformed."""
    entry = [entry] if isinstance(entry, str) else entry
    if not isinstance(entry, list | tuple) or not entry or not isinstance(entry[0], str):
        return []
    if all(isinstance(item, str) for item in entry):
        return [(viewpoint, 0.0, 0.0) for viewpoint in entry]
    if len(entry) == 3 and all(_is_angle(angle) for angle in entry[1:]):
        return [(entry[0], float(entry[1]), float(entry[2]))]
    return []


_LARGEST_ANGLE = 1000.0
"""Radians: an agent that adds up what it turned may come to hundreds."""


def _is_angle(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST_ANGLE


def _tell_degrees(path: Path, trajectories: Sequence[Sequence[Pose]]) -> None:
    """Say so if angles look as if they were in degrees; nothing is measured by them, but pictures are drawn so."""
    turned = [
        (row, step, heading, elevation)
        for row, poses in enumerate(trajectories)
        for step, (_, heading, elevation) in enumerate(poses)
        if abs(heading) > LARGEST_HEADING or abs(elevation) > math.pi / 2
    ]
    if turned:
        row, step, heading, elevation = turned[0]
        notice(
            f"{path}: {len(turned):,} steps have angles unusual in radians, first step {step} of entry {row} "
            f"with heading {heading:g} and elevation {elevation:g}; are these degrees?"
        )


def _bad_step(path: Path, place: int, identity: str | int, step: int) -> list[Pose]:
    raise InputError(
        f"{path}: entry {place} (id {brief(identity)}): "
        f"step {step} of 'trajectory' is not [viewpoint, heading, elevation]."
    )


def trajectory_nodes(path: Path, episodes: EpisodeSet, trajectories: list[list[Pose]]) -> NDArray[np.int32]:
    """(N, T) nodes of the trajectories, padded with -1 and checked as by `checked_nodes`."""
    return pad(checked_nodes(path, episodes, trajectories))


def checked_nodes(path: Path, episodes: EpisodeSet, trajectories: list[list[Pose]]) -> list[NDArray[np.int32]]:
    """The nodes of each trajectory. As on the leaderboards, it must begin at the episode's start and follow edges."""
    world, names = episodes.world, episodes.world.viewpoints
    nodes: list[int] = []  # of all trajectories, one after the other
    for identity, start, poses in zip(episodes.ids, episodes.starts.tolist(), trajectories, strict=True):
        scan = world.scan(start)
        found = [world.find(scan, viewpoint) for viewpoint, _, _ in poses]
        if -1 in found:
            unknown = brief(poses[found.index(-1)][0])
            raise InputError(f"{path}: id {brief(identity)}: scan {scan} has no included viewpoint {unknown}.")
        if found[0] != start:
            raise InputError(
                f"{path}: id {brief(identity)}: the trajectory begins at {poses[0][0]}, "
                f"but the episode at {names[start]}."
            )
        nodes += found
    walked = np.array(nodes, dtype=np.int32)
    firsts = np.cumsum([0, *map(len, trajectories)])
    here, there = walked[:-1], walked[1:]
    broken = (there != here) & ~world.has_edge(here, there)
    broken[firsts[1:-1] - 1] = False  # from the end of a trajectory to the start of the next
    for place in np.nonzero(broken)[0].tolist():
        row = int(np.searchsorted(firsts, place, side="right")) - 1
        raise InputError(
            f"{path}: id {brief(episodes.ids[row])}: the trajectory moves from {names[here[place]]} to "
            f"{names[there[place]]} (step {place - firsts[row]}), but the navigation graph has no such edge."
        )
    return np.split(walked, firsts[1:-1])


def check_answers(path: Path, found: Results) -> None:
    """Raise if an answer is an object that nobody sees in the building of its episode. One that is not seen from the
    end of the walk is only wrong, as on the leaderboards."""
    episodes, objects = found.episodes, found.episodes.objects
    if objects is None or found.answers is None:
        return
    known: dict[str, set[int]] = {}
    for identity, start, answer in zip(episodes.ids, episodes.starts.tolist(), found.answers, strict=True):
        scan = episodes.world.scan(start)
        if scan not in known:
            (nodes,) = np.nonzero(episodes.world.scan_of_node == episodes.world.scan_of_node[start])
            known[scan] = {one for node in nodes.tolist() for one in objects.at(node).tolist()}
        if answer is not None and int(answer) not in known[scan]:
            raise InputError(f"{path}: id {brief(identity)}: no viewpoint of scan {scan} sees object {answer}.")


EPISODE_TABLE = "episodes.csv"
"""The file of `write_episode_table` in the folder of an evaluation."""


def write_episode_table(
    path: Path,
    episodes: EpisodeSet,
    columns: dict[str, Floats],
    answers: Answers | None = None,
    more: Mapping[str, Sequence[object]] | None = None,
) -> None:
    """Write a CSV table with a row for each episode: id, scan, answer if there are answers, every metric, and more."""
    with atomic_path(path) as fresh, fresh.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "scan", *([] if answers is None else ["answer"]), *columns, *(more or {})])
        values = np.stack(list(columns.values()), axis=1).tolist()
        for row, (identity, start) in enumerate(zip(episodes.ids, episodes.starts.tolist(), strict=True)):
            said = [] if answers is None else ["" if answers[row] is None else answers[row]]
            measured = (f"{value:.7g}" for value in values[row])
            others = (column[row] for column in (more or {}).values())
            writer.writerow([identity, episodes.world.scan(start), *said, *measured, *others])


def write_submission(results: Path, out: Path, episodes: EpisodeSet) -> int:
    """Check a result file as the leaderboard does and write it in the task's format; returns the number of
    trajectories."""
    found = read_results(results, episodes)
    checked_nodes(results, found.episodes, found.trajectories)
    check_answers(results, found)
    task = episodes.task
    if task.submission == "paths":
        lines = [
            json_text({task.id_field: task.id_type(identity), "path": [viewpoint for viewpoint, _ in groupby(places)]})
            for identity, poses in zip(found.episodes.ids, found.trajectories, strict=True)
            for places in [[viewpoint for viewpoint, _, _ in poses]]
        ]
        write_text(out, "".join(f"{line}\n" for line in lines))
        return len(lines)
    answers = [None] * len(episodes) if found.answers is None and task.answer is not None else found.answers
    write_results(out, found.episodes, found.trajectories, answers)
    return len(found.trajectories)
