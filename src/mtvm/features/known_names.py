"""What annotation and instructions say of each view of training buildings: the names that a network learns to guess."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.caption_words import frequent_words, words_of
from mtvm.features.names import SeenPlace, object_phrase, places_of, read_semantics, room_phrase, shares_ahead
from mtvm.world.graph import NavGraph
from mtvm.world.views import VIEWS
from mtvm.world.world import World

OBJECTS = 150
"""So many of the most frequent names of objects count."""
_IN_CAPTIONS, _IN_INSTRUCTIONS = 100, 50  # texts that a word of an instruction must be in to count as seen and as said
_OFTEN_SPOKEN = 40  # instructions that a word must be in to speak for one way or another
_WHEN = 0.2  # of an instruction's length: how exactly we know when it speaks of a step
_LEAVING = 0.7  # of a step: an instruction speaks of a view when one is about to go there
# Words of both instructions and captions that name nothing that is seen.
_NO_NAMES = """
head leave set few them s can open inside leading hanging standing empty stand sitting home house up down left right end
side area way back middle between behind long white black brown over around under off above near
"""


class Walk(Protocol):
    """A walk with its instruction, as an episode of R2R is."""

    @property
    def scan(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def reference(self) -> Sequence[str]: ...


class Choices(NamedTuple):
    """n steps of walks: the ways that were open, the one that was taken, and the words that were said of it."""

    places: NDArray[np.int64]
    """(n,) where one stood."""
    views: NDArray[np.int64]
    """(n, ways) the view towards each; -1 pads."""
    taken: NDArray[np.int64]
    """(n,) the number of the way."""
    words: NDArray[np.float16]
    """(n, words) how near each was to this step's share of the instruction, 0 if it was not said."""

    def at(self, places: NDArray[np.int64]) -> Choices:
        """Those that were made at some places, by their new numbers; -1 for a place that is left out."""
        here = places[self.places] >= 0
        return Choices(places[self.places[here]], self.views[here], self.taken[here], self.words[here])


class KnownNames(NamedTuple):
    """What is known of n places; zeros where nothing is."""

    row_of: dict[tuple[str, str], int]
    """The row of each scan and viewpoint."""
    rooms: NDArray[np.float32]
    """(n, rooms) 1 for the room."""
    rooms_ahead: NDArray[np.float16]
    """(n, 36, rooms) shares of the rooms that a view looks into."""
    objects: NDArray[np.float16]
    """(n, 36, objects + 1) shares of the objects that it shows; the last is 1 where it shows none of them."""
    words: NDArray[np.float16]
    """(n, 36, words) how often each was said by those who went there."""
    choices: Choices
    """Of all steps of the walks, if they were asked for."""
    room_names: tuple[str, ...]
    object_names: tuple[str, ...]
    word_names: tuple[str, ...]
    spoken_names: tuple[str, ...]
    """The words of `choices`: all that are frequent in instructions, whether they name something or not."""


def known_names(
    semantics: Path,
    connectivity: Path,
    scans: set[str],
    walks: Iterable[Walk],
    captions: Iterable[str],
    with_choices: bool = False,
) -> KnownNames:
    """What the semantics file and the walks say of `scans`; nothing that they say of others is looked at. The words
    that count as names are those that are frequent both in the walks' instructions and in the captions."""
    seen = [place for place in read_semantics(semantics) if place.scan in scans]
    if absent := scans - {place.scan for place in seen}:
        raise InputError(f"{semantics}: says nothing of training scan {min(absent)}; check the names of the scans.")
    graphs = World.load(connectivity, sorted(scans)).graphs
    seen = places_of(graphs, seen, semantics)
    row_of = {(place.scan, place.viewpoint): row for row, place in enumerate(seen)}
    rooms, room_names = _rooms(seen)
    objects, object_names = _objects(seen)
    known = [walk for walk in walks if walk.scan in scans]
    described = set(frequent_words(captions, _IN_CAPTIONS)) - set(_NO_NAMES.split()) if known else set()
    words = [word for word in frequent_words((walk.text for walk in known), _IN_INSTRUCTIONS) if word in described]
    said = _said(known, words, graphs, row_of)
    choosing = known if with_choices else []
    spoken = frequent_words((walk.text for walk in choosing), _OFTEN_SPOKEN)
    choices = _choices(choosing, spoken, graphs, row_of)
    ahead = _rooms_ahead(graphs, rooms)
    return KnownNames(
        row_of, rooms, ahead, objects, said, choices, room_names, object_names, tuple(words), tuple(spoken)
    )


def _rooms(seen: Sequence[SeenPlace]) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """1 for the room of each place, nothing for those of which nobody says it; and the rooms' names."""
    phrases = [room_phrase(place.room) for place in seen]
    names = tuple(sorted({*phrases} - {""}))
    known = np.zeros((len(seen), len(names)), dtype=np.float32)
    for row, phrase in enumerate(phrases):
        if phrase:
            known[row, names.index(phrase)] = 1
    return known, names


def _rooms_ahead(graphs: Sequence[NavGraph], rooms: NDArray[np.float32]) -> NDArray[np.float16]:
    parts, first = [], 0
    for graph in graphs:
        parts.append(_shares(shares_ahead(graph) @ rooms[first : first + len(graph)]))
        first += len(graph)
    return np.concatenate(parts)


def _objects(seen: Sequence[SeenPlace]) -> tuple[NDArray[np.float16], tuple[str, ...]]:
    counts = Counter(object_phrase(thing.name) for place in seen for thing in place.objects)
    ordered = sorted(counts, key=lambda phrase: (-counts[phrase], phrase))[:OBJECTS]
    columns = {phrase: column for column, phrase in enumerate(ordered)}
    shares = np.zeros((len(seen), VIEWS, len(columns) + 1), dtype=np.float16)
    for row, place in enumerate(seen):
        areas = np.zeros((VIEWS, len(columns)), dtype=np.float32)
        for thing in place.objects:
            column = columns.get(object_phrase(thing.name))
            if column is not None:
                for view, (_, _, width, height) in zip(thing.views, thing.boxes, strict=True):
                    areas[view, column] += width * height
        if areas.any():  # else nobody marked what is here
            shares[row, :, :-1] = _shares(np.sqrt(areas))
            shares[row, :, -1] = ~areas.any(axis=1)
    return shares, tuple(ordered)


class _Move(NamedTuple):
    place: int
    views: NDArray[np.int64]
    """Towards the ways that are open."""
    taken: int
    words: NDArray[np.int64]
    """The columns of those that were said."""
    nearness: NDArray[np.float64]
    """How near each of them is to the step's share of the instruction."""


def _steps(
    walks: Sequence[Walk], words: Sequence[str], graphs: Sequence[NavGraph], row_of: Mapping[tuple[str, str], int]
) -> Iterator[_Move]:
    columns = {word: column for column, word in enumerate(words)}
    graph_of = {graph.scan: graph for graph in graphs}
    for walk in walks:
        graph = graph_of[walk.scan]
        nodes = [graph.node(viewpoint) for viewpoint in walk.reference]
        spoken = words_of(walk.text)
        places = [place for place, word in enumerate(spoken) if word in columns]
        when = (np.array(places) + 0.5) / max(len(spoken), 1)
        of_word = np.array([columns[spoken[place]] for place in places], dtype=np.int64)
        for step, (node, following) in enumerate(itertools.pairwise(nodes)):
            ways = graph.neighbours(node).tolist()
            nearness = np.exp(-(((when - (step + _LEAVING) / len(nodes)) / _WHEN) ** 2))
            views = graph.candidate_views[node, : len(ways)].astype(np.int64)
            yield _Move(row_of[walk.scan, walk.reference[step]], views, ways.index(following), of_word, nearness)


def _said(
    walks: Sequence[Walk], words: Sequence[str], graphs: Sequence[NavGraph], row_of: Mapping[tuple[str, str], int]
) -> NDArray[np.float16]:
    said = np.zeros((len(row_of), VIEWS, len(words)), dtype=np.float32)
    for step in _steps(walks, words, graphs, row_of):
        np.add.at(said[step.place, step.views[step.taken]], step.words, step.nearness)
    return _shares(said)


def _choices(
    walks: Sequence[Walk], words: Sequence[str], graphs: Sequence[NavGraph], row_of: Mapping[tuple[str, str], int]
) -> Choices:
    steps = list(_steps(walks, words, graphs, row_of))
    views = np.full((len(steps), max((len(step.views) for step in steps), default=0)), -1, dtype=np.int64)
    spoken = np.zeros((len(steps), len(words)), dtype=np.float16)
    for row, step in enumerate(steps):
        views[row, : len(step.views)] = step.views
        np.add.at(spoken[row], step.words, step.nearness.astype(np.float16))
    places = np.array([step.place for step in steps], dtype=np.int64)
    return Choices(places, views, np.array([step.taken for step in steps], dtype=np.int64), spoken)


def _shares(amounts: NDArray[np.float32]) -> NDArray[np.float16]:
    """Brought to a sum of 1; nothing stays nothing."""
    total = amounts.sum(axis=-1, keepdims=True)
    return np.divide(amounts, total, out=np.zeros_like(amounts), where=total > 0).astype(np.float16)
