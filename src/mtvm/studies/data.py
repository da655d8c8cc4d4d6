"""The data of a study: the folder, what is made of its files, what agents see, and digests of all that."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.homes.build import MANIFEST
from mtvm.io.files import read_json, write_json
from mtvm.learning.sight import SightMaker
from mtvm.tasks.data import DataFolder
from mtvm.tasks.folds import fold_entries
from mtvm.tasks.load import load_episodes, task_file
from mtvm.tasks.r4r import build_r4r
from mtvm.tasks.records import read_records
from mtvm.world.graph import connectivity_files

_BYTES = 1 << 22  # of a file, read at a time
_R4R_PATHS = {"train": 4000}
_R4R_OTHER_PATHS = 400
"""R4R has nine instructions for each of its many paths; a study takes this many paths, and three instructions each."""
_R4R_EVERY = 4  # of the nine: first with first, second with second, third with third


@dataclasses.dataclass(frozen=True)
class Fold:
    """Splits of one of the parts into which the buildings are dealt."""

    number: int
    fit: str
    """To learn from: all instructions of the other buildings but for those of val_seen."""
    seen: str
    """To choose weights by: those."""
    new: str
    """To be evaluated on: all instructions of the fold's buildings."""


class StudyData:
    """A data folder, and a folder in which files are made of it."""

    def __init__(
        self, folder: Path, made: Path, features: Path | None = None, sight: str | None = None, show: bool = True
    ) -> None:
        self.folder, self.made = DataFolder(folder.absolute()), made.absolute()
        self._features, self._sight, self._show = features and features.absolute(), sight, show
        self._digests: dict[Path, str] = {}
        self._stores: dict[tuple[str | None, tuple[str, ...], Path | None], FeatureStore | None] = {}

    @property
    def is_built_in(self) -> bool:
        """Whether this is a world of ours, in which no published number was measured."""
        return (self.folder.path / MANIFEST).is_file()

    def config(self) -> DataConfig:
        """Where the data is and what an agent sees: what was asked for, else what captions say, if there are any, as
        guesses where there are names to learn these from, else names."""
        sight = self._sight
        if sight is None and self._features is None:
            captions, names = (
                self.folder.find([file, f"{file}.gz"]) is not None for file in ("captions.jsonl", "viewpoints.jsonl")
            )
            sight = ("guesses" if names else "captions") if captions else "names"
        return DataConfig(folder=self.folder.path, features=self._features, sight=sight)

    def has(self, text: str) -> bool:
        """Whether the data has this split, or it can be made."""
        try:
            self.split(text)
        except InputError:
            return False
        return True

    def split(self, text: str, share: float = 1.0) -> str:
        """The split as a run reads it: by its name, or by the path of a file that was made."""
        split = Split.parse(text)
        if split.task.name == "r4r" and not self._is_there(split):
            split = dataclasses.replace(split, split=str(self._make_r4r(split)))
        path = task_file(self.folder, split.task, split.split)
        if share < 1:
            split = dataclasses.replace(split, split=str(self._make_share(path, share)))
        weight = "" if split.weight == 1 else f"@{split.weight:g}"
        return f"{split.task.name}/{split.split}{weight}"

    def folds(self, count: int) -> list[Fold]:
        """R2R's buildings whose goals are known, dealt into folds."""
        train = [entry for split in ("train", "val_unseen") for entry in self._entries(split)]
        seen = self._entries("val_seen")
        made = []
        for number, entries in enumerate(fold_entries(train, seen, count)):
            paths = {
                name: self._write(f"fold-{number + 1}-of-{count}/{name}", list(some)) for name, some in entries.items()
            }
            made.append(Fold(number + 1, **{name: f"r2r/{path}" for name, path in paths.items()}))
        return made

    def _entries(self, split: str) -> list[Any]:
        """Of one of R2R's files."""
        records = read_records(task_file(self.folder, Split.parse(f"r2r/{split}").task, split), "path_id")
        records.column("scan", str)
        return records.entries

    def store(self, config: DataConfig) -> FeatureStore | None:
        """What agents of this config see, made if need be; before many processes want it. None for the blind."""
        key = config.sight, config.train, config.guesser
        if key not in self._stores:
            if config.features is not None:
                self._stores[key] = FeatureStore.open(config.features)
            else:
                self._stores[key] = SightMaker(config, self.folder, self._show).open()
        return self._stores[key]

    # Digests, by which trials are known

    def digest(self, text: str) -> str:
        """Of a split's task, file and weight."""
        split = Split.parse(text)
        content = self._digest(task_file(self.folder, split.task, split.split))
        return f"{split.task.name} {split.weight:g} {content}"

    @functools.cached_property
    def graphs(self) -> str:
        """Of the connectivity files."""
        files = sorted(connectivity_files(self.folder.connectivity))
        return _joined(self._digest(file) for file in files)

    def seen(self, config: DataConfig) -> str:
        """Of what agents of this config see. Features that are made here are known by what they are made of: their last
        digits differ between machines."""
        if config.features is None:
            return SightMaker(config, self.folder, self._show).identity()
        store = self.store(config)
        assert store is not None
        return str(store.meta["id"])

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = digest_of(path)
        return self._digests[path]

    # Files that are made

    def _is_there(self, split: Split) -> bool:
        try:
            task_file(self.folder, split.task, split.split)
        except InputError:
            return False
        return True

    def _make_share(self, path: Path, share: float) -> Path:
        """A file with a share of another's entries, the same ones each time."""
        entries = read_records(path, "path_id").entries
        rows = np.random.default_rng(0).permutation(len(entries))[: max(1, round(share * len(entries)))]
        return self._write(f"{path.stem}-{share:g}", [entries[row] for row in sorted(rows)])

    def _make_r4r(self, split: Split) -> Path:
        episodes = load_episodes("r2r", split.split, self.folder)
        if not episodes.has_goals:
            raise InputError(f"{episodes.source}: its paths have no goals, so no R4R can be made of them.")
        name = f"R4R_{split.split}"
        if not (self.made / f"{name}.json").is_file() or self._stale(name, episodes.source):
            entries = build_r4r(episodes.source, episodes.world)
            if not entries:
                raise InputError(f"{episodes.source}: no path starts within 3 m of another's end to make R4R of.")
            most = _R4R_PATHS.get(split.split, _R4R_OTHER_PATHS)
            rows = np.unique(np.linspace(0, len(entries) - 1, min(most, len(entries))).astype(int))
            chosen = [entries[row] | {"instructions": entries[row]["instructions"][::_R4R_EVERY]} for row in rows]
            self._write(name, chosen)
            write_json(self.made / f"{name}.source", self._digest(episodes.source))
        return self.made / f"{name}.json"

    def _stale(self, name: str, source: Path) -> bool:
        mark = self.made / f"{name}.source"
        return not mark.is_file() or read_json(mark, "digest") != self._digest(source)

    def _write(self, name: str, entries: list[Any]) -> Path:
        path = self.made / f"{name}.json"
        if not path.is_file() or path.read_bytes() != (json.dumps(entries) + "\n").encode():
            write_json(path, entries)
        return path


def digest_of(path: Path) -> str:
    """Of a file, or of all files below a folder."""
    if path.is_dir():
        return _joined(digest_of(file) for file in sorted(path.rglob("*")) if file.is_file())
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder.")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_BYTES):
            digest.update(part)
    return digest.hexdigest()


def _joined(digests: Any) -> str:
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()
