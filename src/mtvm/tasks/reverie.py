"""REVERIE's instructions as navigation: short ones that name a room and an object in it, to the end of the path.

Its own success, to stop where the object can be seen and to point at it, is not computed here.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mtvm.tasks import r2r
from mtvm.tasks.data import json_names
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.records import KnownScans, MakeWorld


def read_reverie(path: Path, split: str, scans: KnownScans, make_world: MakeWorld, supervision: str) -> EpisodeSet:
    """Episodes of a file in REVERIE's format; ids are `<path>_<object>_<i>`."""
    return r2r.read_entries(path, split, scans, make_world, "id")


def _file_names(split: str) -> list[str]:
    return json_names(f"REVERIE_{split}")


SPEC = dataclasses.replace(
    r2r.SPEC,
    name="reverie",
    title="REVERIE",
    remedy="mtvm data fetch reverie",
    file_names=_file_names,
    read=read_reverie,
    splits=("train", "val_seen", "val_unseen", "test"),
)
