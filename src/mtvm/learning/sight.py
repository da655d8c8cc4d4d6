"""What the agent sees where no feature store is given: features made of what the data folder says of each view.

    names              names of rooms and objects that people annotated
    captions           sentences that an image model said of the views
    guesses            names that networks guess from captions: those of the agent, or learnt where it is trained
    aligned            guesses, and how much each word of an instruction speaks for each way, guessed likewise
    described          guesses, from what a second image model said and a detector found too
    described-aligned  the same of aligned
    captions+names     several of them side by side

Each is made once and kept in the cache, under a name that stands for everything that it is made of: the content of
the files, and the edition of the code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from mtvm.configs.data import BLIND, GUESSES, SIGHTS, DataConfig, Split
from mtvm.errors import InputError
from mtvm.features.boxes import BoxGuesser, keep_boxes, kept_boxes, learn_boxes
from mtvm.features.captions import caption_features
from mtvm.features.detections import DETECTIONS_FILE
from mtvm.features.guesses import NameGuesser, learn_names
from mtvm.features.joining import join_stores
from mtvm.features.names import semantic_features
from mtvm.features.objects import Boxes
from mtvm.features.store import FeatureStore
from mtvm.io.files import cache_dir
from mtvm.learning import parallel
from mtvm.learning.run_folder import BOXES, GUESSER, guesser_of
from mtvm.progress import notice
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes, task_file
from mtvm.tasks.objects import objects_file
from mtvm.world.graph import connectivity_files

_EDITION = ""
"""To be changed when the code makes other features of the same files."""

_DIGITS = 16


class SightMaker:
    """Makes the store that a config's `sight` names, or finds it in the cache."""

    def __init__(self, config: DataConfig, folder: DataFolder, show_progress: bool = True) -> None:
        self.config, self.folder, self.show_progress = config, folder, show_progress
        self._digests: dict[Path, bytes] = {}

    def open(self) -> FeatureStore | None:
        """The store; None if the agent is blind."""
        if self.config.sight == BLIND:
            return None
        if not self.config.sight:
            raise InputError(
                "what the agent sees is not said: give a feature store with --data.features STORE, or --data.sight "
                f"with {', '.join(SIGHTS)} or several of them joined by +, or --data.sight {BLIND}."
            )
        stores = [self._store(kind) for kind in self.config.sight.split("+")]
        if len(stores) == 1:
            return FeatureStore.open(stores[0])
        named = _joined([store.name for store in stores])
        return FeatureStore.open(
            self._made(named, lambda out: join_stores(stores, out, show_progress=self.show_progress))
        )

    def identity(self) -> str:
        """What the features are made of, by the content of files that a user has: the same on every machine, where the
        last bits of what is learnt from them are not."""
        if self.config.sight in (None, BLIND):
            return BLIND
        assert self.config.sight is not None
        names = []
        for kind in self.config.sight.split("+"):
            learnt = kind in GUESSES and self.config.guesser is None
            names.append(self._named(kind, self._learnt_from() if learnt else self._made_of(kind)))
        return names[0] if len(names) == 1 else _joined(names)

    def _store(self, kind: str) -> Path:
        if kind in GUESSES:
            return self._guessed(kind)
        return self._names() if kind == "names" else self._captions()

    def _names(self) -> Path:
        source, *_ = files = self._made_of("names")
        return self._made(
            self._named("names", files),
            lambda out: semantic_features(
                source, out, connectivity=self.folder.connectivity, show_progress=self.show_progress
            ),
        )

    def _captions(self) -> Path:
        (source,) = files = self._made_of("captions")
        return self._made(
            self._named("captions", files),
            lambda out: caption_features(source, out, show_progress=self.show_progress),
        )

    def _guessed(self, kind: str) -> Path:
        captions, guesser, *others = files = self._made_of(kind)
        made = NameGuesser.load(guesser)
        if made.sight != kind:
            raise InputError(
                f"{guesser}: these networks were learnt for --data.sight {made.sight}; let the agent see that, or "
                "leave out --data.guesser, and others are learnt."
            )
        described = others[0] if others else None
        return self._made(
            self._named(kind, files),
            lambda out: made.write_features(captions, out, show_progress=self.show_progress, described=described),
        )

    def guesser(self) -> Path:
        """The file of the networks that guess names: the one that is given, or learnt on the buildings trained on. All
        processes must ask for it together."""
        if (given := self.config.guesser) is not None:
            file = given if given.is_file() else guesser_of(given)
            if file is None:
                raise InputError(
                    f"{given}: no networks that guess names are here; give {GUESSER} of an agent that was trained with "
                    "--data.sight guesses, or leave out --data.guesser, and they are learnt."
                )
            return file
        captions, semantics, *_ = files = self._learnt_from()
        kind = "-described" if self.config.sees_described else ""
        kind += "-aligned" if self.config.sees_alignment else ""
        path = cache_dir() / "guessers" / f"{self._digest(files)}{kind}.safetensors"
        if parallel.rank() == 0 and not _is_whole(path, NameGuesser.load):
            sets = [load_episodes(split.task, split.split, self.folder) for split in self._told()]
            learnt = learn_names(
                captions,
                semantics,
                self.folder.connectivity,
                {scan for episodes in sets for scan in episodes.world.scans},
                walks=[episode for episodes in sets for episode in episodes],
                align=self.config.sees_alignment,
                described=self._detections(f"--data.sight {self.config.sight}") if self.config.sees_described else None,
                show_progress=self.show_progress,
            )
            if self.config.sees_alignment and not learnt.spoken:
                raise InputError(
                    f"data.sight {self.config.sight}: no word is frequent enough in the instructions that are trained "
                    "on; name a larger split in data.train, or see guesses."
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            learnt.save(path)
        parallel.wait()
        return path

    def box_guesser(self) -> Path:
        """The file of the networks that guess names of boxes: the one that is given, or learnt on the buildings trained
        on. All processes must ask for it together."""
        if (given := self.config.box_guesser) is not None:
            file = given if given.is_file() else guesser_of(given, BOXES)
            if file is None:
                raise InputError(
                    f"{given}: no networks that guess names of boxes are here; give {BOXES} of an agent that was "
                    "trained with --data.boxes detections, or leave out --data.box-guesser, and they are learnt."
                )
            return file
        described, semantics = self._boxes_of()
        splits = [task_file(self.folder, split.task, split.split) for split in self._told()]
        path = cache_dir() / "guessers" / f"{self._digest([described, semantics, *splits])}-boxes.safetensors"
        if parallel.rank() == 0 and not _is_whole(path, BoxGuesser.load):
            sets = [load_episodes(split.task, split.split, self.folder) for split in self._told()]
            scans = {scan for episodes in sets for scan in episodes.world.scans}
            learnt = learn_boxes(described, semantics, scans, show_progress=self.show_progress)
            path.parent.mkdir(parents=True, exist_ok=True)
            learnt.save(path)
        parallel.wait()
        return path

    def boxes(self) -> Boxes:
        """The names that are guessed of all boxes of the data folder."""
        guesser = self.box_guesser()
        described, semantics = files = self._boxes_of()
        path = cache_dir() / "boxes" / f"{self._digest([*files, guesser])}.npz"
        found = kept_boxes(path)
        if found is None:
            found = BoxGuesser.load(guesser).guess(described, semantics, self.show_progress)
            if parallel.rank() == 0:
                keep_boxes(path, found)
        return found

    def _boxes_of(self) -> tuple[Path, Path]:
        """What was said of the views, and the objects."""
        described = self._detections("--data.boxes detections")
        return described, objects_file(self.folder, "of whose boxes names are guessed")

    def _detections(self, option: str) -> Path:
        """What a second image model said of the views, and a detector found."""
        found = self.folder.find([DETECTIONS_FILE, f"{DETECTIONS_FILE}.gz"])
        if found is None:
            raise InputError(
                f"{self.folder.path}: no {DETECTIONS_FILE}(.gz) below it, which {option} guesses names from; "
                "'mtvm data captions' makes it of what LangNav publishes."
            )
        return found

    def _made_of(self, kind: str) -> list[Path]:
        """The files that a store is made of."""
        if kind == "names":
            return [self._file("viewpoints.jsonl", "semantics"), *self._graphs()]
        captions = self._file("captions.jsonl", "captions")
        if kind == "captions":
            return [captions]
        others = [self._detections(f"--data.sight {kind}")] if self.config.sees_described else []
        return [captions, self.guesser(), *others]

    def _learnt_from(self) -> list[Path]:
        """The files that networks learn from to guess names."""
        captions, semantics = self._file("captions.jsonl", "captions"), self._file("viewpoints.jsonl", "semantics")
        splits = [task_file(self.folder, split.task, split.split) for split in self._told()]
        others = [self._detections(f"--data.sight {self.config.sight}")] if self.config.sees_described else []
        return [captions, semantics, *splits, *self._graphs(), *others]

    def _told(self) -> list[Split]:
        """The splits trained on that people described, in the buildings of the run's data folder."""
        every = [Split.parse(text) for text in self.config.train]
        splits = [split for split in every if split.folder is None and not split.task.augmented]
        if not splits:
            raise InputError(
                f"data.sight {self.config.sight} learns from what people say; name a split of theirs, as r2r/train, in "
                "data.train."
            )
        return splits

    def _graphs(self) -> list[Path]:
        return connectivity_files(self.folder.connectivity)

    def _file(self, name: str, what: str) -> Path:
        found = self.folder.find([name, f"{name}.gz"])
        if found is None:
            maker = "mtvm data captions" if what == "captions" else "mtvm data names"
            raise InputError(
                f"{self.folder.path}: no {what} file {name}(.gz) below it to make features of; {maker} makes one, or "
                f"give a feature store with --data.features, or leave the agent blind with --data.sight {BLIND}."
            )
        return found

    def _named(self, kind: str, files: Sequence[Path]) -> str:
        return f"{kind}-{self._digest(files)}"

    def _digest(self, files: Sequence[Path]) -> str:
        digest = hashlib.sha256(_EDITION.encode())
        for file in files:
            if file not in self._digests:
                self._digests[file] = hashlib.sha256(file.read_bytes()).digest()
            digest.update(self._digests[file])
        return digest.hexdigest()[:_DIGITS]

    def _made(self, name: str, make: Callable[[Path], FeatureStore]) -> Path:
        path = cache_dir() / "features" / name
        if parallel.rank() == 0 and not _is_whole(path, _verified):
            make(path)
        parallel.wait()
        return path


def _joined(names: Sequence[str]) -> str:
    return f"joined-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:_DIGITS]}"


def _verified(path: Path) -> None:
    """Raise unless a store is there, byte by byte as it was written."""
    FeatureStore.open(path).verify()


def _is_whole(path: Path, check: Callable[[Path], object]) -> bool:
    """Whether something kept in the cache is there and not damaged; what is not is made anew."""
    try:
        check(path)
    except InputError:
        if path.exists():
            notice(f"{path}: what was kept there is damaged; it is made anew.")
        return False
    return True
