"""What is known of the objects that are seen from each viewpoint, for agents that point at one.

Their boxes and ids come from the file of objects (`mtvm.features.names`), as the tasks that ask for an object give
them to every agent. What is in a box is its name, which people annotated, or names that networks guess of it
(`mtvm.features.boxes`), or else what the views that show it show.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
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

_GUESSES = 5
"""The likeliest names of an object, which are compared with the words of a text."""
_MIDDLE = 0.25  # of a view's height: half the way to the next view


@dataclasses.dataclass(frozen=True, eq=False)
class Boxes:
    """Names that are guessed of objects by their boxes, for all viewpoints that have some."""

    names: tuple[str, ...]
    shares: Mapping[tuple[str, str], NDArray[np.float16]]
    """Of each scan and viewpoint (n, names): the shares of the names in what each of its objects may be, by id."""


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
    """All names that they may have; none if nothing is known of them."""
    likely: NDArray[np.int64]
    """(n, m) the numbers of the likeliest names of each."""
    shares: NDArray[np.float32]
    """(n, m) how likely these are; they sum to 1."""
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
    boxes: Boxes | None = None,
    embed: Embed | None = None,
) -> ObjectSights:
    """The objects of a world, by a file of objects: `named`, or by the names that are guessed of their `boxes`, or by
    the features of the views that show them; without a store only by where they are. `guessed` says which of these
    features are shares of names, and of which."""
    seen: list[list[SeenObject]] = [[] for _ in range(len(world))]
    for place in read_semantics(source, world.scans):
        node = world.find(place.scan, place.viewpoint)
        if node >= 0:
            seen[node] = in_order(place.objects)
    things = [thing for here in seen for thing in here]
    first = np.cumsum([0, *map(len, seen)]).astype(np.int64)
    ids = np.array([thing.id for thing in things], dtype=np.int64)
    places = np.array([_place(thing) for thing in things], dtype=np.float32).reshape(-1, 6)
    likely, shares = np.zeros((len(things), 0), dtype=np.int64), np.zeros((len(things), 0), dtype=np.float32)
    names: tuple[str, ...] = ()
    if named:
        phrases = [object_phrase(thing.name) for thing in things]
        names = tuple(sorted(set(phrases)))
        likely = np.searchsorted(names, phrases).astype(np.int64)[:, None] if things else likely
        shares = np.ones(likely.shape, dtype=np.float32)
        features = _named(names, likely, embed or embed_phrases)
    elif boxes is not None:
        keys = [(world.scan(node), str(world.viewpoints[node])) for node, some in enumerate(seen) if some]
        guesses = [boxes.shares[key].astype(np.float32) for key in keys]
        known = np.concatenate([np.zeros((0, len(boxes.names)), dtype=np.float32), *guesses])
        names, (likely, shares) = boxes.names, _likely(known)
        features = np.sqrt(known).astype(np.float16)
    elif store is not None:
        features = _view_features(seen, world, store)
        if guessed is not None:
            columns, kinds = guessed
            names = tuple(map(object_phrase, kinds))
            likely, shares = _likely(features[:, columns].astype(np.float32) ** 2)
    else:
        features = np.zeros((len(things), 0), dtype=np.float16)
    return ObjectSights(first, ids, features, names, likely, shares, places[:, 0], places[:, 1], places[:, 2:])


def in_order(objects: Sequence[SeenObject]) -> list[SeenObject]:
    """Those that some view shows, each once, by their ids."""
    by_id = {thing.id: thing for thing in objects if thing.views}
    return [by_id[number] for number in sorted(by_id)]


def _named(names: Sequence[str], numbers: NDArray[np.int64], embed: Embed) -> NDArray[np.float16]:
    if not names:
        return np.zeros((0, NAME_WIDTH), dtype=np.float16)
    vectors: NDArray[np.float16] = embed(names).astype(np.float16)[numbers[:, 0]]
    return vectors


def _likely(shares: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(n, m) the numbers of the names that each of the n objects most likely has, and their shares of 1."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :_GUESSES]
    best = np.take_along_axis(shares, order, axis=1)
    return order.astype(np.int64), best / np.maximum(best.sum(axis=1, keepdims=True), 1e-6)


def _view_features(seen: list[list[SeenObject]], world: World, store: FeatureStore) -> NDArray[np.float16]:
    """The mean feature of the views that show each object: large boxes in the middle of a view count most."""
    rows = store.rows([world.scan(node) for node in range(len(world))], world.viewpoints.tolist())
    parts = [np.zeros((0, store.width), dtype=np.float16)]
    for row, here in zip(rows, seen, strict=True):
        if here:
            shares = np.zeros((len(here), VIEWS), dtype=np.float32)
            for number, thing in enumerate(here):
                shares[number, thing.views] = prominence(thing.boxes)
            parts.append((shares @ store.panorama(row[None])[0].astype(np.float32)).astype(np.float16))
    return np.concatenate(parts)


def prominence(boxes: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """The share of each of an object's boxes, by its area and by how near its middle is to that of the view."""
    left, top, width, height = np.array(boxes, dtype=np.float64).T
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
