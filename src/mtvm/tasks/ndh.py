"""Navigation from Dialog History (CVDN): texts are dialogs, there are three kinds of supervision and several goals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, brief
from mtvm.tasks.data import json_names
from mtvm.tasks.definitions import Success
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import goal_distance
from mtvm.tasks.records import Records, TaskFile, read_records
from mtvm.tasks.spec import TaskSpec
from mtvm.world.world import World

Supervision = Literal["oracle", "navigator", "mixed"]
"""The reference path. oracle: the planner's; navigator: the player's; mixed: the player's if it passes the end of the
planner's after its start, else the planner's."""
SUPERVISIONS: tuple[Supervision, ...] = get_args(Supervision)

_ID_FIELD = "inst_idx"
_HAMT_ID_FIELD = "instr_id"
_HAMT_FIELDS: dict[str, type | tuple[type, ...]] = {
    _HAMT_ID_FIELD: int,
    "start_pano": str,
    "start_heading": (int, float),
    "nav_steps": list,
    "nav_idx": int,
}
_ROLE_MARKERS = {"navigator": "<NAV>", "oracle": "<ORA>"}
_TARGET_MARKER = "<TAR>"


def read_ndh(file: TaskFile) -> EpisodeSet:
    """Episodes of an NDH file, as released or as HAMT publishes it; ids are `inst_idx`.

    The test split has no paths: its goals are secret.
    """
    records = read_records(file.path, _ID_FIELD)
    if any(_ID_FIELD not in entry and _HAMT_ID_FIELD in entry for entry in records.entries):
        _as_released(records)
    ids = records.unique_ids(int)
    world = file.make_world(set(records.scans(file.scans)))
    supervision = file.options["supervision"]
    starts = _start_records(records)
    start_nodes = starts.paths("pano", world)
    secret = not any("end_panos" in entry or "planner_path" in entry for entry in records.entries)
    if secret:
        references, goals = start_nodes, np.empty((len(ids), 0), dtype=np.int32)
    else:
        references = _supervised_paths(records, supervision, world)
        goals = records.paths("end_panos", world, walked=False)
        nearest = goal_distance(world, references[:, :1], goals)[:, 0]
        for place in np.nonzero(np.isinf(nearest))[0]:
            raise InputError(f"{records.where(int(place), 'end_panos')}: no goal can be reached from the start.")
        for place in np.nonzero(references[:, 0] != start_nodes[:, 0])[0]:
            raise InputError(f"{records.where(int(place), 'start_pano')} is not the start of the {supervision} path.")
    texts, headings = _texts(records), starts.headings()
    return file.episodes(world, ids=ids, texts=texts, references=references, goals=goals, headings=headings)


def _supervised_paths(records: Records, supervision: str, world: World) -> NDArray[np.int32]:
    if supervision == "oracle":
        return records.paths("planner_path", world)
    player = records.paths("player_path", world)
    if supervision == "navigator" or not any("planner_path" in entry for entry in records.entries):
        return player
    planner = records.paths("planner_path", world)
    end = np.take_along_axis(planner, (planner >= 0).sum(axis=1, keepdims=True) - 1, axis=1)
    trusted = (player[:, 1:] == end).any(axis=1)
    width = max(planner.shape[1], player.shape[1])
    planner, player = (
        np.pad(nodes, ((0, 0), (0, width - nodes.shape[1])), constant_values=-1) for nodes in (planner, player)
    )
    return np.where(trusted[:, None], player, planner)


def _as_released(records: Records) -> None:
    """Bring HAMT's entries into the released form. They have the whole walk of a game in `nav_steps`, which the player
    has followed up to `nav_idx` when the dialog ends, and no path of the planner."""
    records.id_field = _HAMT_ID_FIELD
    columns = [records.column(name, kind) for name, kind in _HAMT_FIELDS.items()]
    for place, (identity, pano, heading, steps, walked) in enumerate(zip(*columns, strict=True)):
        if not 0 <= walked < len(steps):
            raise InputError(f"{records.where(place, 'nav_idx')} is {brief(walked)}, no step of 'nav_steps'.")
        records.entries[place] |= {
            _ID_FIELD: identity,
            "start_pano": {"pano": pano, "heading": heading},
            "player_path": steps[walked:],
        }
    records.id_field = _ID_FIELD


def _start_records(records: Records) -> Records:
    """The 'start_pano' of each entry as an entry of its own, with the viewpoint as a path."""
    starts = []
    for place, start in enumerate(records.column("start_pano", dict)):
        if not isinstance(start.get("pano"), str):
            raise InputError(f"{records.where(place, 'start_pano')} has no viewpoint id 'pano'.")
        entry = records.entries[place]
        heading = start.get("heading", 0.0)
        starts.append({_ID_FIELD: entry[_ID_FIELD], "scan": entry["scan"], "pano": [start["pano"]], "heading": heading})
    return Records(records.path, starts, records.id_field)


def _texts(records: Records) -> list[str]:
    """The dialog, each message after its role marker, then the target object."""
    texts = []
    targets = records.column("target", str)
    for place, (turns, target) in enumerate(zip(records.column("dialog_history", list), targets, strict=True)):
        words = []
        for turn in turns:
            if not isinstance(turn, dict) or not isinstance(turn.get("message"), str):
                raise InputError(f"{records.where(place, 'dialog_history')} has a turn without a 'message'.")
            if turn.get("role") not in tuple(_ROLE_MARKERS):
                raise InputError(
                    f"{records.where(place, 'dialog_history')}: role {brief(repr(turn.get('role')))} "
                    "is neither navigator nor oracle."
                )
            words += [_ROLE_MARKERS[turn["role"]], turn["message"].strip()]
        texts.append(" ".join([*words, _TARGET_MARKER, target]))
    return texts


def _file_names(split: str) -> list[str]:
    return json_names("test_cleaned", "test") if split == "test" else json_names(split)


def _is_ndh(path: Path) -> bool:
    """Whether a field of NDH's own occurs near the start of the file; other datasets use the same file names."""
    try:
        with path.open("rb") as file:
            start = file.read(200_000)
            return any(json.dumps(name).encode() in start for name in (_ID_FIELD, "start_heading"))
    except OSError:
        return False


def _horizon(supervision: str) -> int:
    return 20 if supervision == "oracle" else 80


SPEC = TaskSpec(
    name="ndh",
    title="NDH",
    remedy="mtvm data fetch ndh",
    file_names=_file_names,
    read=read_ndh,
    horizon=_horizon,
    accepts=_is_ndh,
    success_elsewhere=(("hamt", Success(radius=0.0, least_length=0.01)),),  # its goals form a region
    reward_to="reference",  # as CVDN: the paper's settings name the supervision, whose path may end elsewhere
    selection_metric="GP",
    headline_metrics=("GP",),
    id_field=_ID_FIELD,
    id_type=int,
    truncation="start",
    max_text=300,
    options=(("supervision", ("mixed", "oracle", "navigator")),),
)
