"""The data of a run, opened once: the folder is walked, graphs and features are read, texts are tokenised."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.features.guesses import NameGuesser
from mtvm.features.objects import NAME_WIDTH, PLACE_WIDTH, Boxes, ObjectSights, object_sights
from mtvm.features.store import FeatureStore
from mtvm.learning import parallel
from mtvm.learning.sight import SightMaker
from mtvm.learning.texts import Texts
from mtvm.models.config import ModelConfig
from mtvm.models.mirroring import language_of
from mtvm.models.network import Network
from mtvm.models.policy import NetworkPolicy
from mtvm.models.seeing import Vision
from mtvm.models.text import Tokens, mirrored_too, read_texts, share_lost
from mtvm.progress import notice
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.objects import objects_file
from mtvm.tasks.teacher import Follow


@dataclasses.dataclass
class Dataset:
    """A split with its texts and features, to train on or to validate on."""

    split: Split
    episodes: EpisodeSet
    vision: Vision
    tokens: Tokens
    horizon: int
    follow: Follow

    def __len__(self) -> int:
        return len(self.episodes)

    @property
    def name(self) -> str:
        return self.split.name

    def first(self, limit: int | None) -> Dataset:
        """The dataset with its first episodes only."""
        if limit is None or limit >= len(self):
            return self
        return self.select(np.arange(limit))

    def select(self, rows: NDArray[np.int64]) -> Dataset:
        """The dataset with some of its episodes."""
        tokens = self.tokens.select(torch.from_numpy(rows))
        return dataclasses.replace(self, episodes=self.episodes.select(rows), tokens=tokens)

    def mirrored(self, model: ModelConfig) -> Tokens:
        """The texts, followed by the same as they would be told in mirrored buildings, as the model reads them."""
        texts = self.episodes.texts
        return mirrored_too(texts, self.tokens, model, language_of(texts), self.split.task.truncation, self.name)


class DatasetPolicy(NetworkPolicy):
    """A network that walks episodes of a dataset, whose texts were tokenised before; `texts` are those of the dataset,
    if a frozen reader has read them."""

    def __init__(
        self, model: Network, dataset: Dataset, *, texts: Texts | None = None, attention: bool = False, looks: int = 1
    ) -> None:
        super().__init__(model, vision=dataset.vision, attention=attention, looks=looks)
        self._tokenised, self._texts_read = dataset.tokens, texts
        if looks > 1:
            self.language = language_of(dataset.episodes.texts)
        keys = zip(dataset.episodes.ids, dataset.episodes.texts, strict=True)
        self._row_of = {key: row for row, key in enumerate(keys)}

    def _rows(self, episodes: EpisodeSet) -> Tensor:
        keys = zip(episodes.ids, episodes.texts, strict=True)
        return torch.tensor([self._row_of[key] for key in keys], dtype=torch.int64)

    def lengths(self, episodes: EpisodeSet) -> NDArray[np.int64]:
        return self._tokenised.lengths[self._rows(episodes)].numpy()

    def read(self, episodes: EpisodeSet) -> Tokens:
        return (self._texts_read or self._tokenised).select(self._rows(episodes))


class Data:
    """Everything that a run reads; nothing is read twice. A model that is `trained` must fit the features."""

    def __init__(
        self,
        config: DataConfig,
        model: ModelConfig,
        device: torch.device | str = "cpu",
        show_progress: bool = True,
        trained: bool = False,
    ) -> None:
        self.config, self.model, self.device, self._trained = config, model, torch.device(device), trained
        self.folder = DataFolder.resolve(config.folder)
        self._show_progress = show_progress
        self._guessed_boxes: dict[Path, Boxes] = {}
        self._datasets: dict[tuple[str, str, Path | None], Dataset] = {}
        self._elsewhere: dict[Path, tuple[DataFolder, FeatureStore | None]] = {}

    @functools.cached_property
    def store(self) -> FeatureStore | None:
        """The features of the views of the run's data folder; None if the agent is blind."""
        if self.config.features is None:
            return SightMaker(self.config, self.folder, self._show_progress).open()
        store = FeatureStore.open(self.config.features)
        if parallel.rank() == 0:
            store.verify()
        return store

    @functools.cached_property
    def guesser(self) -> Path | None:
        """The networks that guess names; None if the agent does not see guesses."""
        if not self.config.sees_guesses:
            return None
        return SightMaker(self.config, self.folder, self._show_progress).guesser()

    @functools.cached_property
    def box_guesser(self) -> Path | None:
        """The networks that guess names of boxes; None if the agent does not point by them."""
        if not (self.config.sees_boxes and self._points):
            return None
        return SightMaker(self.config, self.folder, self._show_progress).box_guesser()

    @property
    def _points(self) -> bool:
        """Whether the agent points at objects, or is to learn to."""
        if self._trained:
            return self.model.object_width > 0
        return any(Split.parse(text).task.answer == "object" for text in self.config.train)

    @functools.cached_property
    def network(self) -> ModelConfig:
        """The model's config; where it is still to be trained, with features as wide as the store's, and with an object
        head if one of its tasks asks for an object."""
        if self._trained:
            return self.model
        width = self.model.feature_width if self.store is None else self.store.width
        pointing = self._object_width if self._points else 0
        return dataclasses.replace(self.model, feature_width=width, object_width=pointing)

    @property
    def _names_objects(self) -> bool:
        """Whether the agent sees the names that people gave to objects."""
        return self.config.track == "privileged"

    @property
    def _object_width(self) -> int:
        if self._names_objects:
            return NAME_WIDTH + PLACE_WIDTH
        if self.config.sees_boxes:
            return len(self._boxes(self.folder).names) + PLACE_WIDTH
        return (0 if self.store is None else self.store.width) + PLACE_WIDTH

    def _objects(self, episodes: EpisodeSet, folder: DataFolder, store: FeatureStore | None) -> ObjectSights | None:
        """The objects that an agent can point at."""
        if episodes.task.answer != "object" or self.network.object_width == 0:
            return None
        source = objects_file(folder, "which an agent points at one of")
        guessed = None
        if store is not None and self.config.sight in ("guesses", "described") and self.guesser is not None:
            networks = NameGuesser.load(self.guesser)
            guessed = networks.object_columns, networks.objects
        boxes = self._boxes(folder) if self.config.sees_boxes else None
        return object_sights(source, episodes.world, store, named=self._names_objects, guessed=guessed, boxes=boxes)

    def _boxes(self, folder: DataFolder) -> Boxes:
        """The names that the run's networks guess of the boxes of a data folder."""
        if folder.path not in self._guessed_boxes:
            config = dataclasses.replace(self.config, box_guesser=self.box_guesser)
            self._guessed_boxes[folder.path] = SightMaker(config, folder, self._show_progress).boxes()
        return self._guessed_boxes[folder.path]

    def _place(self, split: Split) -> tuple[DataFolder, FeatureStore | None]:
        """The data folder of a split, and the features of its views. Networks that guess names are the run's."""
        if split.folder is None:
            return self.folder, self.store
        if split.folder not in self._elsewhere:
            folder, config = DataFolder(split.folder), dataclasses.replace(self.config, guesser=self.guesser)
            store = None if self.store is None else SightMaker(config, folder, self._show_progress).open()
            self._elsewhere[split.folder] = folder, store
        return self._elsewhere[split.folder]

    @property
    def stores(self) -> dict[str, FeatureStore | None]:
        """All features that were opened, by what a message calls them."""
        others = {f"features of {path.name}": store for path, (_, store) in self._elsewhere.items()}
        return {"features": self.store} | others

    def dataset(self, split: Split) -> Dataset:
        """The episodes of a split with their texts and features."""
        key = (split.task.name, split.split, split.folder)
        if key not in self._datasets:
            config, (folder, store) = self.config, self._place(split)
            episodes = load_episodes(split.task, split.split, folder, supervision=config.supervision)
            self._datasets[key] = Dataset(
                split,
                episodes,
                Vision(episodes.world, store, self.network, self.device, self._objects(episodes, folder, store)),
                self._tokens(split, episodes),
                config.horizon_of(split.task),
                config.follow_of(split.task),
            )
        return dataclasses.replace(self._datasets[key], split=split)

    def _tokens(self, split: Split, episodes: EpisodeSet) -> Tokens:
        """The texts of a split; says so if some of them are too long for the model, or cannot be read by it."""
        length, lost = self.model.text_length, split.task.truncation
        tokens = read_texts(episodes.texts, self.model, lost)
        reader, largest = tokens.reader, int(tokens.ids.max())
        if largest >= self.model.tokens_known:
            raise InputError(
                f"model.vocabulary {self.model.tokens_known} is too few: the texts of {split.name} have {reader.unit} "
                f"up to number {largest}; {self.model.text_reader} has {reader.vocabulary}."
            )
        if not self._show_progress or parallel.rank() != 0:
            return tokens
        if tokens.cut:
            notice(
                f"{tokens.cut} of {len(episodes)} texts of {split.name} have more than {length} {reader.unit} and lose "
                f"their {lost}; a model with a larger --model.max-text reads all of them."
            )
        if share := share_lost(episodes.texts, self.model):
            notice(
                f"{share:.1%} of the letters of {split.name} are lost on {self.model.text_reader}; a model with "
                "--model.text-reader characters or bytes reads any language."
            )
        return tokens

    def dataset_with_goals(self, split: Split, purpose: str) -> Dataset:
        """The same, of a split whose goals are not secret."""
        dataset = self.dataset(split)
        if not dataset.episodes.has_goals:
            raise InputError(f"{dataset.episodes.source}: {split.name} has no goals to {purpose}.")
        return dataset


def fingerprints(stores: Mapping[str, FeatureStore | None], sets: Mapping[str, EpisodeSet]) -> dict[str, str]:
    """What the data is, so that a run is not resumed with other data; `sets` are the episodes by name."""
    found = {}
    for name, store in stores.items():
        found[name] = "none" if store is None else str(store.meta["id"])
        if store is not None:
            found[f"index of the {name}"] = hashlib.sha256(store.index.tobytes()).hexdigest()
    for name, episodes in sets.items():
        found[name] = hashlib.sha256(episodes.source.read_bytes()).hexdigest()
        found[f"graphs of {name}"] = episodes.world.fingerprint
    return found
