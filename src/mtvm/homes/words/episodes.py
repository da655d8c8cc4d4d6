"""All episodes of a home: paths with instructions, long journeys and dialogs."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mtvm.homes.home import Home, Seen
from mtvm.homes.words.dialogs import draw_dialogs
from mtvm.homes.words.guide import Guide, Tour
from mtvm.homes.words.journeys import draw_journeys
from mtvm.homes.words.route import Scene
from mtvm.world.graph import NavGraph

MOVES = range(4, 7)
"""Number of moves of a path, as in R2R."""
LEAST_LENGTH = 5.0

_EVEN = 0.15  # weight of balancing the lengths of paths against balancing their start and end viewpoints
_SPARE = 1.5  # paths drawn per path wanted, because some cannot be described unambiguously


@dataclasses.dataclass(frozen=True, slots=True)
class HomeEpisodes:
    """Entries in the formats of R2R and NDH."""

    r2r: list[dict[str, Any]]
    long: list[dict[str, Any]]
    ndh: list[dict[str, Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Numbers:
    """Ids for entries, unique across all homes that share this object."""

    paths: Iterator[int] = dataclasses.field(default_factory=itertools.count)
    games: Iterator[int] = dataclasses.field(default_factory=itertools.count)
    instances: Iterator[int] = dataclasses.field(default_factory=itertools.count)


def home_episodes(
    home: Home,
    graph: NavGraph,
    seen: Sequence[Sequence[Seen]],
    rng: np.random.Generator,
    numbers: Numbers | None = None,
    paths: int = 44,
    journeys: int = 40,
    dialogs: int = 30,
) -> HomeEpisodes:
    """The episodes of a home: up to `paths` and `journeys` with three instructions each, and about `dialogs` instances.

    `graph` comes from the home's connectivity records: node i is viewpoint i, and `seen[i]` is what is visible there.
    """
    numbers = numbers or Numbers()
    guide = Guide(Scene(home, graph, seen), rng)
    return HomeEpisodes(
        r2r=[entry(graph, tour, next(numbers.paths)) for tour in draw_tours(guide, paths)],
        long=[entry(graph, tour, next(numbers.paths)) for tour in draw_journeys(guide, journeys)],
        ndh=draw_dialogs(guide, dialogs, numbers.games, numbers.instances),
    )


def draw_tours(guide: Guide, count: int) -> list[Tour]:
    """Up to `count` paths that can be described unambiguously, with their instructions."""
    tours: list[Tour] = []
    for path in draw_paths(guide.scene.graph, round(_SPARE * count), guide.rng):
        tour = guide.tour(path)
        if tour is not None:
            tours.append(tour)
        if len(tours) == count:
            break
    return tours


def draw_paths(graph: NavGraph, count: int, rng: np.random.Generator) -> list[list[int]]:
    """Shortest paths of 4 to 6 moves and at least 5 m, spread over the home: each one starts and ends where the fewest
    others do, and long paths are as frequent as short ones if there are enough."""
    found = []
    for start, goal in np.argwhere(np.isfinite(graph.distances) & (graph.distances >= LEAST_LENGTH)).tolist():
        path = graph.shortest_path(start, goal)
        if len(path) - 1 in MOVES:
            found.append(path)
    if not found:
        return []
    starts, goals, moves = np.array([(path[0], path[-1], len(path) - 1) for path in found]).T
    luck = rng.random(len(found))
    begun, ended, long = np.zeros(len(graph)), np.zeros(len(graph)), np.zeros(MOVES.stop)
    chosen: list[list[int]] = []
    while len(chosen) < min(count, len(found)):
        best = int(np.argmin(begun[starts] + ended[goals] + _EVEN * long[moves] + luck))
        luck[best] = np.inf
        for used, index in ((begun, starts), (ended, goals), (long, moves)):
            used[index[best]] += 1
        chosen.append(found[best])
    return chosen


def entry(graph: NavGraph, tour: Tour, path_id: int) -> dict[str, Any]:
    """A tour in R2R's format; `distance` is the length of its path, and `via` is where a journey turns back."""
    positions = graph.positions[list(tour.path)]
    length = sum(float(np.linalg.norm(there - here)) for here, there in pairwise(positions))
    fields = {
        "distance": round(length, 2),
        "scan": graph.scan,
        "path_id": path_id,
        "path": graph.viewpoints[list(tour.path)].tolist(),
        "heading": tour.heading,
        "instructions": [one.text for one in tour.instructions],
    }
    return fields | ({"via": graph.viewpoints[list(tour.via)].tolist()} if tour.via else {})
