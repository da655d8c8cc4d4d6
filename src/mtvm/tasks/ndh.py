"""Navigation from Dialog History (CVDN): three ways to supervise, several right places to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.tasks.episode import EpisodeSet, KnownScans, Records
from mtvm.tasks.metrics import goal_distance
from mtvm.tasks.r2r import MakeWorld, read_records

Supervision = Literal["oracle", "navigator", "mixed"]
SUPERVISIONS: tuple[Supervision, ...] = get_args(Supervision)

_ROLE_MARKERS = {"navigator": "<NAV>", "oracle": "<ORA>"}
_TARGET_MARKER = "<TAR>"


def load_ndh(path: Path, split: str, supervision: Supervision, scans: KnownScans, make_world: MakeWorld) -> EpisodeSet:
    """Episodes of an NDH file; ids are `inst_idx`. The test split has no paths: its goals are secret."""
    if supervision not in SUPERVISIONS:
        raise InputError(f"supervision '{supervision}' is none of {', '.join(SUPERVISIONS)}.")
    records = read_records(path, "inst_idx")
    ids = [str(identity) for identity in records.unique_ids(int)]
    world = make_world(set(records.scans(scans)))
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
            raise InputError(f"{records.where(int(place), 'end_panos')}: none of them can be reached from the start.")
        for place in np.nonzero(references[:, 0] != start_nodes[:, 0])[0]:
            raise InputError(f"{records.where(int(place), 'start_pano')} is not where the {supervision} path begins.")
    return EpisodeSet(
        task="ndh",
        split=split,
        source=path,
        world=world,
        ids=ids,
        texts=_texts(records),
        headings=starts.numbers("heading"),
        references=references,
        via=np.empty((len(ids), 0), dtype=np.int32),
        goals=goals,
    )


def _supervised_paths(records: Records, supervision: Supervision, world: Any) -> NDArray[np.int32]:
    """Oracle: the planner's path. Navigator: the player's. Mixed: the player's if it comes by the planner's
    last viewpoint after its start, else the planner's."""
    if supervision == "oracle":
        return records.paths("planner_path", world)
    player = records.paths("player_path", world)
    if supervision == "navigator":
        return player
    planner = records.paths("planner_path", world)
    end = np.take_along_axis(planner, (planner >= 0).sum(axis=1, keepdims=True) - 1, axis=1)
    trusted = (player[:, 1:] == end).any(axis=1)
    width = max(planner.shape[1], player.shape[1])
    planner, player = (
        np.pad(nodes, ((0, 0), (0, width - nodes.shape[1])), constant_values=-1) for nodes in (planner, player)
    )
    return np.where(trusted[:, None], player, planner)


def _start_records(records: Records) -> Records:
    """The field 'start_pano' of each entry as an entry of its own, with the viewpoint as a path of one."""
    starts = []
    for place, start in enumerate(records.column("start_pano", dict)):
        if not isinstance(start.get("pano"), str):
            raise InputError(f"{records.where(place, 'start_pano')} has no viewpoint id 'pano'.")
        entry = records.entries[place]
        heading = start.get("heading", 0.0)
        starts.append(
            {
                "inst_idx": entry["inst_idx"],
                "scan": entry["scan"],
                "pano": [start["pano"]],
                "heading": heading,
            }
        )
    return Records(records.path, starts, records.id_field)


def _texts(records: Records) -> list[str]:
    """The dialog role by role, then the target object."""
    texts = []
    targets = records.column("target", str)
    for place, (turns, target) in enumerate(zip(records.column("dialog_history", list), targets, strict=True)):
        words = []
        for turn in turns:
            if not isinstance(turn, dict) or not isinstance(turn.get("message"), str):
                raise InputError(f"{records.where(place, 'dialog_history')} holds a turn without a 'message'.")
            if turn.get("role") not in tuple(_ROLE_MARKERS):
                raise InputError(
                    f"{records.where(place, 'dialog_history')}: role {turn.get('role')!r} "
                    "is neither navigator nor oracle."
                )
            words += [_ROLE_MARKERS[turn["role"]], turn["message"].strip()]
        texts.append(" ".join([*words, _TARGET_MARKER, target]))
    return texts
