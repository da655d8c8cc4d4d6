"""REVERIE: short instructions that name an object, to which the agent should go and at which it should point.

An episode is a success if the agent stops where the object is in view: at one of its viewpoints, however near. RGS is
whether the agent names the object, wherever it stops. So it is in the released evaluation (YuankaiQi/REVERIE,
`tasks/REVERIE/eval_release.py`, `_score_item`), whose SPL and RGSPL compare a walk with the shortest path to the end of
the reference path. HAMT's and DUET's `reverie/env.py` have the same, but compare with the reference path itself, and
with 1 cm at least.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mtvm.errors import InputError
from mtvm.tasks import r2r
from mtvm.tasks.data import json_names
from mtvm.tasks.definitions import Success
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metric import GROUNDING, NAVIGATION
from mtvm.tasks.metrics import Answers, Floats, Walks, navigation_metrics, path_efficiency
from mtvm.tasks.objects import read_objects
from mtvm.tasks.records import TaskFile


def read_reverie(file: TaskFile) -> EpisodeSet:
    """Episodes of a file in REVERIE's format; ids are `<path>_<object>_<i>`, goals the viewpoints that see the object,
    and the extra field `answer` is its id. If no entry has an `objId`, as in the test split, the goals are secret."""
    records, world = file.open("id")
    objects = read_objects(file.folder, world, "where an agent of REVERIE should stop")
    episodes = dataclasses.replace(r2r.episodes_of(file, records, world), objects=objects)
    if not any("objId" in entry for entry in records.entries):
        return dataclasses.replace(episodes, goals=episodes.goals[:, :0])
    wanted = [str(one) for one in records.column("objId", (int, str))]
    places = []
    for place, (scan, identity) in enumerate(zip(records.column("scan", str), wanted, strict=True)):
        known = identity.isascii() and identity.isdigit() and len(identity) < 19
        nodes = objects.viewpoints(world, scan, int(identity)) if known else np.zeros(0, dtype=np.int32)
        if not len(nodes):
            raise InputError(f"{records.where(place, 'objId')}: no viewpoint of {scan} sees object {identity[:40]}.")
        places.append(nodes)
    goals = np.full((len(places), max(map(len, places))), -1, dtype=np.int32)
    for row, nodes in zip(goals, places, strict=True):
        row[: len(nodes)] = nodes
    of_entry = np.repeat(np.arange(len(records)), [len(texts) for texts in records.instructions()])
    return dataclasses.replace(episodes, goals=goals[of_entry], extra={"answer": [wanted[row] for row in of_entry]})


def measure(episodes: EpisodeSet, walks: Walks, answers: Answers | None = None) -> dict[str, Floats]:
    """The metrics of walks and, if agents answered, of their answers."""
    columns = navigation_metrics(episodes, walks)
    if answers is not None:
        right = np.array([answer == wanted for answer, wanted in zip(answers, episodes.extra["answer"], strict=True)])
        columns["RGS"] = 100.0 * right
        columns["RGSPL"] = columns["RGS"] * path_efficiency(episodes, columns["TL"])
    return columns


def _file_names(split: str) -> list[str]:
    return json_names(f"REVERIE_{split}")


_IN_VIEW = Success(radius=0.0, spl_length="direct")
_FROM_THE_PATH = Success(radius=0.0, spl_length="reference", least_length=0.01)
_MEANINGS = {
    "NE": "Navigation error: how far from the nearest viewpoint that sees the object the agent stops.",
    "SR": "Success rate: how often the agent stops where the object is in view.",
    "OSR": "Oracle success rate: how often the agent comes to where the object is in view at any time.",
    "GP": "Goal progress: how much closer to a viewpoint that sees the object the agent ends than it started.",
}

SPEC = dataclasses.replace(
    r2r.SPEC,
    name="reverie",
    title="REVERIE",
    remedy="mtvm data fetch reverie",
    file_names=_file_names,
    read=read_reverie,
    splits=("train", "val_seen", "val_unseen", "test"),
    success=_IN_VIEW,
    success_elsewhere=(("hamt", _FROM_THE_PATH), ("duet", _FROM_THE_PATH)),
    metrics=(
        *(dataclasses.replace(one, meaning=_MEANINGS.get(one.name, one.meaning)) for one in NAVIGATION),
        *GROUNDING,
    ),
    measure=measure,
    answer="object",
    answer_field="predObjId",
)
