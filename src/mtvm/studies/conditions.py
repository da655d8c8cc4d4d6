"""What can go wrong after training: other words, fewer ways to go, worse sight.

A condition changes the data of a split and leaves the agent alone. It writes task files, graphs or features to a folder
and says what to evaluate there; the trajectories are then scored on the unchanged episodes.
"""

from __future__ import annotations

import dataclasses
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.io.files import read_json, write_json
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.records import read_records
from mtvm.world.graph import SUFFIX

NOISE_ON_SIGHT = "noise on sight"
"""The only condition that a blind agent cannot be in."""
WORDS_LOST = 0.5
TYPOS = 0.3
"""Share of the words of four letters or more that get one."""
EDGES_LOST = 0.3
"""Share of the edges that are lost, of those that the building holds together without."""
NOISE = 1.0
"""Standard deviation of the noise on sight, in standard deviations of the features."""

_OPPOSITES = {"left": "right", "right": "left", "up": "down", "down": "up", "upstairs": "downstairs"}
_OPPOSITES |= {"downstairs": "upstairs"}
_DIRECTION = re.compile(rf"\b({'|'.join(_OPPOSITES)})\b", re.IGNORECASE)

Rng = np.random.Generator


@dataclasses.dataclass(frozen=True)
class Changed:
    """What to evaluate instead: a data folder and features, and a split."""

    data: DataConfig
    split: str


Change = Callable[[EpisodeSet, DataConfig, FeatureStore | None, Path, Rng], Changed]


def change(
    name: str, episodes: EpisodeSet, data: DataConfig, store: FeatureStore | None, folder: Path, seed: int = 0
) -> Changed:
    """Write what the condition `name` makes of the episodes to `folder`."""
    if name not in CONDITIONS:
        raise InputError(f"there is no condition '{name}'; give one of {', '.join(CONDITIONS)}.")
    folder.mkdir(parents=True, exist_ok=True)
    data = dataclasses.replace(data, features=data.features if store is None else store.path)
    return CONDITIONS[name](episodes, data, store, folder, np.random.default_rng([seed, zlib.crc32(name.encode())]))


# Words


def fewer_words(text: str, rng: Rng) -> str:
    """The text without half of its words, but at least one."""
    words = text.split()
    kept = [word for word in words if rng.random() >= WORDS_LOST]
    return " ".join(kept or words[:1])


def with_typos(text: str, rng: Rng) -> str:
    """Two neighbouring letters swapped in some of the words."""
    return " ".join(_typo(word, rng) if rng.random() < TYPOS else word for word in text.split())


def _typo(word: str, rng: Rng) -> str:
    places = [i for i in range(1, len(word) - 2) if word[i : i + 2].isalpha() and word[i] != word[i + 1]]
    if not places:
        return word
    place = int(rng.choice(places))
    return f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}"


def only_the_end(text: str, rng: Rng) -> str:
    """The last sentence alone: where to stop, not how to get there."""
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part.strip()]
    return sentences[-1] if sentences else text


def contradicted(text: str, rng: Rng) -> str:
    """Left for right and up for down."""

    def opposite(match: re.Match[str]) -> str:
        word = match.group()
        other = _OPPOSITES[word.lower()]
        return other.capitalize() if word[0].isupper() else other

    return _DIRECTION.sub(opposite, text)


def _texts(rewrite: Callable[[str, Rng], str]) -> Change:
    def changed(episodes: EpisodeSet, data: DataConfig, store: FeatureStore | None, folder: Path, rng: Rng) -> Changed:
        entries = _entries(episodes)
        if not all(isinstance(entry.get("instructions"), list) for entry in entries):
            raise InputError(f"{episodes.source}: has entries without 'instructions', whose words cannot be changed.")
        new = [entry | {"instructions": [rewrite(text, rng) for text in entry["instructions"]]} for entry in entries]
        return Changed(data, _write_split(episodes, folder, new))

    return changed


# Ways to go, and sight


def _fewer_candidates(
    episodes: EpisodeSet, data: DataConfig, store: FeatureStore | None, folder: Path, rng: Rng
) -> Changed:
    """Edges are lost. Paths may be blocked, so the file names only starts, as that of a leaderboard."""
    source = DataFolder.resolve(data.folder).connectivity
    for scan in episodes.world.scans:
        records = read_json(source / f"{scan}{SUFFIX}", "connectivity file")
        write_json(folder / "connectivity" / f"{scan}{SUFFIX}", without_edges(records, rng))
    entries = [entry | {"path": entry["path"][:1]} for entry in _entries(episodes)]
    for entry in entries:
        entry.pop("via", None)
    return Changed(dataclasses.replace(data, folder=folder), _write_split(episodes, folder, entries))


def without_edges(records: list[dict[str, Any]], rng: Rng) -> list[dict[str, Any]]:
    """A connectivity file that has lost edges, but no connection."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    edges = np.array([record["unobstructed"] for record in records], dtype=bool)
    draws = np.triu(rng.uniform(0.01, 1, edges.shape), 1)
    draws += draws.T
    both = edges | edges.T
    tree = minimum_spanning_tree(np.where(both, draws, 0)).toarray() > 0
    lost = (draws > 1 - EDGES_LOST) & ~(tree | tree.T)
    kept = edges & ~lost
    return [record | {"unobstructed": row.tolist()} for record, row in zip(records, kept, strict=True)]


def _noise_on_sight(
    episodes: EpisodeSet, data: DataConfig, store: FeatureStore | None, folder: Path, rng: Rng
) -> Changed:
    if store is None:
        raise InputError("a blind agent has no sight to add noise to; leave this condition out.")
    world = episodes.world
    scans = [world.scan(node) for node in range(len(world))]
    views = store.panorama(store.rows(scans, world.viewpoints.tolist())).astype(np.float32)
    spread = NOISE * views.std()

    def entries() -> Iterator[tuple[str, str, NDArray[np.float32]]]:
        for scan, viewpoint, seen in zip(scans, world.viewpoints.tolist(), views, strict=True):
            yield scan, viewpoint, seen + rng.normal(0, spread, seen.shape).astype(np.float32)

    FeatureStore.write(folder / "noisy", entries(), source=store.path, source_format="noise")
    split = f"{episodes.task.name}/{episodes.source.absolute()}"
    return Changed(dataclasses.replace(data, features=folder / "noisy"), split)


def _entries(episodes: EpisodeSet) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = read_records(episodes.source, "path_id").entries
    return entries


def _write_split(episodes: EpisodeSet, folder: Path, entries: list[dict[str, Any]]) -> str:
    path = folder / f"{episodes.source.stem}.json"
    write_json(path, entries)
    return f"{episodes.task.name}/{path}"


CONDITIONS: dict[str, Change] = {
    "fewer words": _texts(fewer_words),
    "typos": _texts(with_typos),
    "underspecified": _texts(only_the_end),
    "contradictory": _texts(contradicted),
    "missing candidates": _fewer_candidates,
    NOISE_ON_SIGHT: _noise_on_sight,
}
MEANINGS = {
    "fewer words": f"each word is left out with a probability of {WORDS_LOST}",
    "typos": f"two letters are swapped in {TYPOS:.0%} of the words",
    "underspecified": "the last sentence alone",
    "contradictory": "left for right, up for down",
    "missing candidates": f"{EDGES_LOST:.0%} of the edges are lost that the building holds together without",
    NOISE_ON_SIGHT: f"normal noise of {NOISE:g} standard deviation of the features",
}
