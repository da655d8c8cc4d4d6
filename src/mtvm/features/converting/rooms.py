"""The room of each viewpoint, by LAD's file or by Matterport3D's `.house` files: the same annotation twice.

LAD's vp2room_label.json has `pano_info`: scan -> viewpoint -> `region_index` and `label`, a letter. Matterport3D's
house_segmentations/<scan>.house has lines of fields, of which two kinds matter here:

    R <region> <level> 0 0 <label> ...          a region of the house, 20 fields
    P <viewpoint> <number> <region> 0 ...       a panorama, 13 fields; P lines of 15 fields are portals
"""

from __future__ import annotations

import dataclasses
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mtvm.errors import InputError, brief
from mtvm.features.converting.published import check_id, read_object
from mtvm.io.files import read_bytes
from mtvm.io.unpacking import lines_of

OTHER_ROOM = "other room"
"""Where nobody said which room it is."""

# Matterport3D's labels of regions, in LAD's words.
_ROOM_OF_LABEL = {
    "a": "bathroom",
    "b": "bedroom",
    "c": "closet",
    "d": "dining_room",
    "e": "entryway/foyer/lobby",
    "f": "familyroom",
    "g": "garage",
    "h": "hallway",
    "i": "library",
    "j": "laundryroom/mudroom",
    "k": "kitchen",
    "l": "living room",
    "m": "meetingroom/conferenceroom",
    "n": "lounge",
    "o": "office",
    "p": "porch/terrace/deck/drivway",
    "r": "rec/game",
    "s": "stairs",
    "t": "toilet",
    "u": "utilityroom/toolroom",
    "v": "tv",
    "w": "workout/gym/exercise",
    "x": "outdoor areas containing grass, plants, bushes, trees, etc",
    "y": "balcony",
    "z": OTHER_ROOM,
    "B": "bar",
    "C": "classroom",
    "D": "dining booth",
    "S": "spa/sauna",
    "Z": "junk",
    "-": OTHER_ROOM,
}
_HOUSE, _WHAT = ".house", "house file"
_REGION_FIELDS, _PORTAL_FIELDS, _PANORAMA_FIELDS = 20, 15, 13
_LONGEST_LINE = 1 << 16


class Room(NamedTuple):
    name: str
    number: int
    """Of the region in its building: equal numbers are one room."""


@dataclasses.dataclass(frozen=True)
class Rooms:
    """Where the rooms of each building are said; of `.house` files, only the building that is asked for is read."""

    source: Path
    of_scan: Mapping[str, Any]
    """LAD's entry of each scan, or the path of its `.house` file."""

    @classmethod
    def load(cls, source: Path | str) -> Rooms:
        """LAD's file, one `.house` file, or a folder with `.house` files anywhere below it."""
        source = Path(source)
        if source.is_dir() or source.suffix == _HOUSE:
            return cls(source, _house_files(source))
        of_scan = read_object(source, "file of rooms (LAD's vp2room_label.json)").get("pano_info")
        if not isinstance(of_scan, dict) or not all(isinstance(places, dict) for places in of_scan.values()):
            raise InputError(
                f"{source}: has no 'pano_info' with scans and viewpoints; give LAD's vp2room_label.json, or "
                f"Matterport3D's {_HOUSE} files."
            )
        return cls(source, of_scan)

    def of(self, scan: str) -> dict[str, Room]:
        """The room of each viewpoint of a scan that is in one."""
        if scan not in self.of_scan:
            raise InputError(f"{self.source}: says nothing of scan {brief(scan)}; leave out --rooms, or the scan.")
        entry = self.of_scan[scan]
        return _read_house(entry) if isinstance(entry, Path) else _read_lad(entry, self.source, scan)


def _house_files(source: Path) -> dict[str, Path]:
    if not source.is_dir():
        return {source.stem: source}
    found: dict[str, Path] = {}
    for folder, _, names in os.walk(source):
        for path in sorted(Path(folder, name) for name in names if name.endswith(_HOUSE)):
            if path.is_file():
                found.setdefault(path.stem, path)
    if not found:
        raise InputError(f"{source}: no <scan>{_HOUSE} is below it; they are in Matterport3D's house_segmentations.")
    return found


def _read_lad(places: dict[str, Any], source: Path, scan: str) -> dict[str, Room]:
    rooms = {}
    for viewpoint, place in places.items():
        where = f"{source}, scan {brief(scan)}, viewpoint {brief(viewpoint)}"
        label, region = (place.get("label"), place.get("region_index")) if isinstance(place, dict) else (None, None)
        if not isinstance(label, str) or not isinstance(region, str):
            raise InputError(f"{where}: not an object with the texts label and region_index.")
        room = _room(label, region, where)
        if room is not None:
            rooms[viewpoint] = room
    return rooms


def _read_house(path: Path) -> dict[str, Room]:
    labels: dict[str, str] = {}
    region_of: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(lines_of(io.BytesIO(read_bytes(path, _WHAT)), path, _LONGEST_LINE), 1):
        where = f"{path}, line {number}"
        if not re.match(rb"[RP]\s", line):
            continue
        fields = line.decode("utf-8", "replace").split()
        if fields[0] == "R" and len(fields) == _REGION_FIELDS:
            labels[fields[1]] = fields[5]
        elif fields[0] == "P" and len(fields) == _PANORAMA_FIELDS:
            region_of[check_id(fields[1], path)] = fields[3], where
        elif len(fields) != _PORTAL_FIELDS:
            raise InputError(f"{where}: has {len(fields)} fields, as no region, panorama or portal has.")
    if not region_of:
        raise InputError(f"{path}: names no panorama; give a file of Matterport3D's house_segmentations.")
    rooms = {}
    for viewpoint, (region, where) in region_of.items():
        if region != "-1" and region not in labels:
            raise InputError(f"{where}: region {brief(region)} of this panorama is not among the house's regions.")
        room = _room(labels.get(region, "-"), region, where)
        if room is not None:
            rooms[viewpoint] = room
    return rooms


def _room(label: str, region: str, where: str) -> Room | None:
    """None for a viewpoint in no region."""
    if region == "-1":
        return None
    if label not in _ROOM_OF_LABEL or not region.isascii() or not region.isdecimal() or len(region) > 9:
        raise InputError(f"{where}: {brief(label)!r} of region {brief(region)!r} is no label of Matterport3D's rooms.")
    return Room(_ROOM_OF_LABEL[label], int(region))
