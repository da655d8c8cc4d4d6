"""Semantic features: text embeddings of the room and object names in each view, made without images.

The semantics file has one JSON object per line, plain or gzipped:

    {"scan": ..., "viewpoint": ..., "room": "dining_room",
     "objects": [{"id": 7, "name": "chair", "views": [12, 13], "boxes": [[x, y, w, h], ...]}, ...]}

An object has one box, in pixels of the 640x480 image, for each of the views (0 to 35) that show it. The room may be
missing.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.lines import checked_texts, read_viewpoint_lines
from mtvm.features.store import FeatureStore
from mtvm.machine import minilm_folder
from mtvm.progress import progress, track
from mtvm.world.graph import SUFFIX, NavGraph, directions
from mtvm.world.views import HALF_HFOV, VIEW_ELEVATION, VIEW_HEADING, VIEWS
from mtvm.world.world import World

Embed: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
"""Maps phrases to one unit vector each."""

Vectors: TypeAlias = Mapping[str, NDArray[np.float32]]
"""The embedding of each phrase."""

PHRASES_PER_BATCH = 128

_FOCUS = math.radians(15)  # half the angle between views: a viewpoint counts mostly for the view that faces it
_NEAREST = 0.5  # metres; closer viewpoints get no more weight

# English words for those of Matterport3D's room types that are not.
_ROOM_WORDS = {
    "familyroom": "family room",
    "meetingroom": "meeting room",
    "conferenceroom": "conference room",
    "laundryroom": "laundry room",
    "utilityroom": "utility room",
    "toolroom": "tool room",
    "drivway": "driveway",
    "rec": "recreation room",
    "game": "game room",
    "tv": "television room",
}
# Annotators' notes in object names that concern the location, not the object.
_ASIDES = {"other room", "otherroom", "other oom", "outside", "reflection", "shifted"}


class SeenObject(NamedTuple):
    id: int
    name: str
    views: list[int]
    boxes: list[list[float]]
    """[x, y, w, h] for each of `views`."""


class SeenPlace(NamedTuple):
    """One line of the file: what is visible at one viewpoint."""

    scan: str
    viewpoint: str
    room: str
    """Empty if nobody says."""
    objects: list[SeenObject]


def semantic_features(
    source: Path | str,
    out: Path | str,
    *,
    connectivity: Path | str | None = None,
    scans: Collection[str] | None = None,
    embed: Embed | None = None,
    show_progress: bool = True,
) -> FeatureStore:
    """Write a store of text embeddings of the objects and rooms in each view.

    A feature has two parts, or three if `connectivity` gives the graphs, which say which viewpoints see each other.
    With the default `embed` (all-MiniLM-L6-v2) each part is a unit vector of width 384, or zeros if nothing is there:

    1. the objects in the view: the mean of their names, weighted by the area of their boxes;
    2. the room of the viewpoint;
    3. the rooms of the viewpoints in the view; near and central ones get more weight. Like an image, this shows the
       room behind a doorway.

    The store has all viewpoints of the graphs, or of the file if no graphs are given; `scans` selects scans, by default
    all that occur in both.
    """
    source = Path(source)
    places = [place for place in read_semantics(source) if scans is None or place.scan in scans]
    covered = sorted({place.scan for place in places})
    if absent := set(scans or ()) - set(covered):
        raise InputError(f"{source}: does not contain scan {min(absent)}; check the names of the scans.")
    graphs = None
    if connectivity is not None:
        known = [scan for scan in covered if scans is not None or (Path(connectivity) / f"{scan}{SUFFIX}").is_file()]
        graphs = World.load(Path(connectivity), known).graphs
        places = places_of(graphs, places, source)
    if not places:
        raise InputError(f"{source}: contains no features; give a file with at least one viewpoint.")
    phrases = {room_phrase(place.room) for place in places if place.room}
    phrases |= {object_phrase(thing.name) for place in places for thing in place.objects}
    ordered = sorted(phrases)
    vectors = (embed or embed_phrases)(ordered)
    vector_of = dict(zip(ordered, vectors, strict=True)) | {"": np.zeros(vectors.shape[1], dtype=np.float32)}
    entries = _views_alone(places, vector_of) if graphs is None else _views_with_rooms_ahead(graphs, places, vector_of)
    tracked = track(entries, len(places), "Semantic features", "viewpoints", show_progress)
    return FeatureStore.write(
        out, tracked, source=source, source_format="names of rooms and objects as text embeddings"
    )


def read_semantics(source: Path | str, scans: Collection[str] | None = None) -> Iterator[SeenPlace]:
    """The lines of a semantics file (plain or gzipped), or those of some scans; an error names line and field."""
    return read_viewpoint_lines(Path(source), "semantics file", check_place, scans)


def room_phrase(room: str) -> str:
    """A room type in plain words: `dining_room` is "dining room", `entryway/foyer` is "entryway, foyer"."""
    return ", ".join(dict.fromkeys(_ROOM_WORDS.get(part, part) for part in _parts(room))) or room


def object_phrase(name: str) -> str:
    """An object's name in plain words, without `/otherroom` and other annotators' notes."""
    return ", ".join(dict.fromkeys(part for part in _parts(name) if part not in _ASIDES)) or name


def embed_phrases(phrases: Sequence[str], title: str | None = None) -> NDArray[np.float32]:
    """Unit vectors (n, 384) by all-MiniLM-L6-v2: the mean over a phrase's tokens, as sentence-transformers does. With
    a `title`, progress is shown under it."""
    torch, tokenizer, model = _minilm()
    vectors = np.empty((len(phrases), model.config.hidden_size), dtype=np.float32)
    by_length = sorted(range(len(phrases)), key=lambda place: len(phrases[place]))  # little padding in a batch
    reporting = progress(len(phrases), title or "", "phrases", title is not None)
    with torch.inference_mode(), reporting as advance:
        for first in range(0, len(phrases), PHRASES_PER_BATCH):
            chosen = by_length[first : first + PHRASES_PER_BATCH]
            tokens = tokenizer([phrases[place] for place in chosen], padding=True, truncation=True, return_tensors="pt")
            mask = tokens["attention_mask"].unsqueeze(-1)
            states = model(**tokens).last_hidden_state
            mean = (states * mask).sum(1) / mask.sum(1)
            vectors[chosen] = torch.nn.functional.normalize(mean).numpy()
            advance(len(chosen))
    return vectors


def _minilm() -> tuple[Any, Any, Any]:
    """torch, the tokenizer and the model, whose weights are a pip package."""
    needed = {
        "torch": "torch",
        "transformers": "transformers",
        "safetensors.torch": "safetensors",
    }
    modules: list[Any] = []
    for module, package in needed.items():
        try:
            modules.append(importlib.import_module(module))
        except ImportError:
            raise MissingExtraError(package, "model", "Embedding names") from None
    torch, transformers, safetensors = modules
    folder = minilm_folder()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    config = transformers.BertConfig.from_pretrained(folder, local_files_only=True)
    model = transformers.BertModel(config, add_pooling_layer=False)
    state = safetensors.load_file(folder / "model.safetensors")
    model.load_state_dict({name: state[name] for name in model.state_dict()})
    return torch, tokenizer, model.eval()


def places_of(graphs: Sequence[NavGraph], places: Sequence[SeenPlace], source: Path) -> list[SeenPlace]:
    """The records of the graphs' viewpoints, in the graphs' order."""
    by_id = {(place.scan, place.viewpoint): place for place in places}
    wanted = [(graph.scan, viewpoint) for graph in graphs for viewpoint in graph.viewpoints.tolist()]
    missing = [pair for pair in wanted if pair not in by_id]
    if missing:
        raise InputError(
            f"{source}: lacks {len(missing)} of the {len(wanted)} viewpoints of the graphs, first viewpoint "
            f"{missing[0][1]} of scan {missing[0][0]}; add them, or leave this scan out."
        )
    return [by_id[pair] for pair in wanted]


def _views_alone(places: Sequence[SeenPlace], vector_of: Vectors) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    for place in places:
        room = np.broadcast_to(vector_of[room_phrase(place.room)], (VIEWS, _width(vector_of)))
        yield place.scan, place.viewpoint, np.hstack([_objects_in_views(place, vector_of), room])


def _views_with_rooms_ahead(
    graphs: Sequence[NavGraph], places: Sequence[SeenPlace], vector_of: Vectors
) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    """Expects `places` in the order of the graphs' viewpoints."""
    first = 0
    for graph in graphs:
        here = places[first : first + len(graph)]
        first += len(graph)
        rooms = np.stack([vector_of[room_phrase(place.room)] for place in here])
        for place, room, shares in zip(here, rooms, shares_ahead(graph), strict=True):
            parts = [_objects_in_views(place, vector_of), np.broadcast_to(room, (VIEWS, len(room)))]
            yield place.scan, place.viewpoint, np.hstack([*parts, unit_vectors(shares @ rooms)])


def shares_ahead(graph: NavGraph) -> NDArray[np.float32]:
    """(n, 36, n) weight of each viewpoint in each view: 0 if it is not visible or outside the view."""
    east, north, elevation, distance = directions(graph.positions[:, None], graph.positions[None])
    heading = np.arctan2(east, north)
    to_place = _pointing(heading, elevation)
    angle = np.arccos(np.clip(np.einsum("vc,ijc->ivj", _pointing(VIEW_HEADING, VIEW_ELEVATION), to_place), -1, 1))
    shares = np.exp(-((angle / _FOCUS) ** 2)) / np.maximum(distance, _NEAREST)[:, None]
    return np.where(graph.visible[:, None] & (angle <= HALF_HFOV), shares, 0).astype(np.float32)


def _pointing(heading: NDArray[Any], elevation: NDArray[Any]) -> NDArray[np.float64]:
    """Unit vectors east, north, up."""
    level = np.cos(elevation)
    return np.stack([level * np.sin(heading), level * np.cos(heading), np.sin(elevation)], axis=-1)


def _objects_in_views(place: SeenPlace, vector_of: Vectors) -> NDArray[np.float32]:
    areas = np.zeros((VIEWS, len(place.objects)), dtype=np.float32)
    for column, thing in enumerate(place.objects):
        for view, (_, _, width, height) in zip(thing.views, thing.boxes, strict=True):
            areas[view, column] += width * height
    vectors = [vector_of[object_phrase(thing.name)] for thing in place.objects]
    return unit_vectors(areas @ np.array(vectors, dtype=np.float32).reshape(-1, _width(vector_of)))


def _width(vector_of: Vectors) -> int:
    return len(next(iter(vector_of.values())))


def unit_vectors(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors scaled to length 1; zeros stay zeros."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def _parts(name: str) -> list[str]:
    """Split a name with slashes and underscores into lower-case names."""
    spaced = name.lower().replace("_", " ")
    spelled = re.sub(r"(?<!\w)w/|/\s*w\b", " with ", spaced)
    parts = (" ".join(part.split()).strip(" ?.'") for part in re.split(r"[/\\]", spelled))
    return [part for part in parts if part]


def check_place(record: Any, where: str) -> SeenPlace:
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object with the fields scan, viewpoint and objects.")
    scan, viewpoint = checked_texts(record, ("scan", "viewpoint"), where)
    room = "" if record.get("room") is None else checked_texts(record, ("room",), where)[0]
    objects = record.get("objects")
    if not isinstance(objects, list):
        raise InputError(f"{where}: field 'objects' is missing or not a list.")
    checked = [_checked_object(thing, f"{where}: field 'objects', entry {i}") for i, thing in enumerate(objects)]
    return SeenPlace(scan, viewpoint, room, checked)


def _checked_object(thing: Any, where: str) -> SeenObject:
    if not isinstance(thing, dict):
        raise InputError(f"{where}: not an object with the fields id, name, views and boxes.")
    number, name, views, boxes = (thing.get(field) for field in ("id", "name", "views", "boxes"))
    if not isinstance(number, int) or abs(number) >= 2**63:
        raise InputError(f"{where}: field 'id' is missing or not a whole number of 64 bits.")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{where}: field 'name' is missing or not a string.")
    if not isinstance(views, list) or not all(type(view) is int and 0 <= view < VIEWS for view in views):
        raise InputError(f"{where}: field 'views' is not a list of views from 0 to {VIEWS - 1}.")
    if not isinstance(boxes, list) or len(boxes) != len(views) or not all(map(_is_box, boxes)):
        raise InputError(f"{where}: field 'boxes' is not a list with one box [x, y, w, h] for each view.")
    return SeenObject(number, name, views, boxes)


def _is_box(box: Any) -> bool:
    """Whether `box` is four finite numbers, the last two not negative."""
    if not isinstance(box, list) or len(box) != 4:
        return False
    return all(type(value) in (int, float) and abs(value) < 1e9 for value in box) and box[2] >= 0 and box[3] >= 0
