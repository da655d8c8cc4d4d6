"""What is known of the objects that are seen from each viewpoint, for agents that point at one.

Their boxes and ids come from the file of objects (`mtvm.features.names`), as the tasks that ask for an object give
them to every agent. What is in a box is either its name, which people annotated, or what the views that show it show.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtvm.features.names import Embed, SeenObject, embed_phrases, object_phrase, read_semantics
from mtvm.features.store import FeatureStore
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_WIDTH, VIEWS, direction_in_view
from mtvm.world.world import World

NAME_WIDTH = 384
"""Numbers of an embedded name."""
PLACE_WIDTH = 8
"""Numbers that say where an object is and how large it looks."""

_GUESSES = 3
"""Names that are guessed of an object."""
_MIDDLE = 0.25  # of a view's height: half the way to the next view


@dataclasses.dataclass(frozen=True, eq=False)
class ObjectSights:
    """The n objects that are in some view of the nodes of a world, node by node. Angles are absolute, in radians."""

    first: NDArray[np.int64]
    """(nodes + 1,) where the objects of each node begin."""
    ids: NDArray[np.int64]
    """(n,) sorted for each node."""
    features: NDArray[np.float16]
    """(n, width) what they look like, or their names."""
    names: tuple[str, ...]
    """Of each: its name, or those that were guessed, one after the other; or nothing at all."""
    headings: NDArray[np.float32]
    """(n,) of the middle of the largest box."""
    elevations: NDArray[np.float32]
    sizes: NDArray[np.float32]
    """(n, 4) width and height of the largest box, the root of the area of all boxes, as shares of a view, and the share
    of the views that show it."""

    def at(self, nodes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(b, K) the numbers of the objects that are seen from some nodes, and which of them are real."""
        count = self.first[nodes + 1] - self.first[nodes]
        columns = np.arange(max(int(count.max(initial=0)), 1))
        mask = columns < count[:, None]
        return np.where(mask, self.first[nodes][:, None] + columns, 0), mask


def object_sights(
    source: Path | str,
    world: World,
    store: FeatureStore | None,
    *,
    named: bool,
    guessed: tuple[slice, Sequence[str]] | None = None,
    embed: Embed | None = None,
) -> ObjectSights:
    """The objects of a world, by a file of objects: `named`, or by the features of the views that show them; without a
    store only by where they are. `guessed` says which of these features are shares of names, and of which."""
    seen: list[list[SeenObject]] = [[] for _ in range(len(world))]
    for place in read_semantics(source, world.scans):
        node = world.find(place.scan, place.viewpoint)
        if node >= 0:
            by_id = {thing.id: thing for thing in place.objects if thing.views}
            seen[node] = [by_id[number] for number in sorted(by_id)]
    things = [thing for here in seen for thing in here]
    first = np.cumsum([0, *map(len, seen)]).astype(np.int64)
    names = tuple(object_phrase(thing.name) for thing in things) if named else ()
    if named:
        features = _named(names, embed or embed_phrases)
    elif store is not None:
        features = _view_features(seen, world, store)
        if guessed is not None:
            names = _likely(features[:, guessed[0]], guessed[1])
    else:
        features = np.zeros((len(things), 0), dtype=np.float16)
    places = np.array([_place(thing) for thing in things], dtype=np.float32).reshape(-1, 6)
    ids = np.array([thing.id for thing in things], dtype=np.int64)
    return ObjectSights(first, ids, features, names, places[:, 0], places[:, 1], places[:, 2:])


def _named(names: Sequence[str], embed: Embed) -> NDArray[np.float16]:
    known = sorted(set(names))
    if not known:
        return np.zeros((0, NAME_WIDTH), dtype=np.float16)
    row_of = {name: row for row, name in enumerate(known)}
    return embed(known).astype(np.float16)[[row_of[name] for name in names]]


def _likely(shares: NDArray[np.float16], names: Sequence[str]) -> tuple[str, ...]:
    """The names that each of the n objects most likely has."""
    order = np.argsort(-shares.astype(np.float32), axis=1, kind="stable")[:, :_GUESSES]
    return tuple(" ".join(object_phrase(names[number]) for number in row) for row in order)


def _view_features(seen: list[list[SeenObject]], world: World, store: FeatureStore) -> NDArray[np.float16]:
    """The mean feature of the views that show each object: large boxes in the middle of a view count most."""
    rows = store.rows([world.scan(node) for node in range(len(world))], world.viewpoints.tolist())
    parts = [np.zeros((0, store.width), dtype=np.float16)]
    for row, here in zip(rows, seen, strict=True):
        if here:
            shares = np.zeros((len(here), VIEWS), dtype=np.float32)
            for number, thing in enumerate(here):
                shares[number, thing.views] = _prominence(np.array(thing.boxes, dtype=np.float64))
            parts.append((shares @ store.panorama(row[None])[0].astype(np.float32)).astype(np.float16))
    return np.concatenate(parts)


def _prominence(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of each of an object's boxes, by its area and by how near its middle is to that of the view."""
    left, top, width, height = boxes.T
    away = np.hypot(left + width / 2 - IMAGE_WIDTH / 2, top + height / 2 - IMAGE_HEIGHT / 2) / IMAGE_HEIGHT
    weights = np.maximum(width * height, 1.0) * np.exp(-((away / _MIDDLE) ** 2))
    return weights / weights.sum()


def _place(thing: SeenObject) -> tuple[float, ...]:
    """Heading, elevation and sizes."""
    areas = [width * height for _, _, width, height in thing.boxes]
    largest = int(np.argmax(areas))
    left, top, width, height = thing.boxes[largest]
    heading, elevation = direction_in_view(thing.views[largest], left + width / 2, top + height / 2)
    root = (sum(areas) / (IMAGE_WIDTH * IMAGE_HEIGHT)) ** 0.5
    return heading, elevation, width / IMAGE_WIDTH, height / IMAGE_HEIGHT, root, len(thing.views) / VIEWS
