"""What a speaker learns from: paths of a split and the instructions that people gave for them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from mtvm.configs.data import DataConfig, Split
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.learning import parallel, streams
from mtvm.learning.data import fingerprints
from mtvm.learning.learner import Learner, Values
from mtvm.learning.paths import PathVision
from mtvm.learning.run_folder import Selection
from mtvm.learning.sight import SightMaker
from mtvm.models.speaker import PathInputs, Speaker, vocabulary_of
from mtvm.models.text import tokenize, with_mirrored
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes

_POOL = 16
"""Batches among which texts are sorted by length."""


class SpeakerLearner(Learner[NDArray[np.int64]]):
    """A speaker that learns which words follow on each other, given the path."""

    model: Speaker

    def __init__(self, config: SpeakerConfig, model: Speaker, train: Spoken, validation: Spoken) -> None:
        """`model` is on its device already."""
        super().__init__(config, model)
        self.config, self.train, self.validation = config, train, validation
        self.selection, self.validate_every = Selection(config.validate_on, "loss", sign=-1), config.validate_every
        self.start = "Weights to start from: random numbers."

    @classmethod
    def of(cls, config: SpeakerConfig, device: torch.device, show_progress: bool = True) -> SpeakerLearner:
        """The learner of a run: data and first weights as its config says."""
        folder = DataFolder.resolve(config.data.folder)
        store = open_store(config.data, folder, show_progress)
        if len(config.data.train) != 1:
            raise InputError("a speaker learns from one split; give one as --data.train TASK/SPLIT.")
        train = Spoken(load(config.data.train[0], folder), store, config.data.mirror)
        validation = Spoken(load(config.validate_on, folder), store)
        torch.manual_seed(config.seed)
        pieces = vocabulary_of(train.ids)
        sizes = dataclasses.replace(config.model, feature_width=store.width, vocabulary=len(pieces))
        learner = cls(config, Speaker(sizes, pieces).to(device), train, validation)
        sets = {config.data.train[0]: train.episodes, config.validate_on: validation.episodes}
        learner.fingerprints = fingerprints({"features": store}, sets)
        return learner

    def check_state(self, state: Mapping[str, Any]) -> None:
        super().check_state(state)
        if not torch.equal(state["model"]["pieces"], self.model.pieces.cpu()):
            raise ValueError("it speaks in other words")

    def draw(self) -> NDArray[np.int64]:
        return batch_of_one_length(self.train.lengths, self.config.batch, self.config.seed, self.updates)

    def learn(self, drawn: NDArray[np.int64]) -> Values:
        mirrored = None
        if self.config.data.mirror:
            mirrored = streams.generator("mirror", self.config.seed, self.updates).random(len(drawn)) < 0.5
        pieces = _pieces(self.model, self.train.texts(drawn, mirrored).to(self.device))
        recorded = {"loss": 0.0}
        for part in np.array_split(np.arange(len(drawn)), self.config.optimizer.gradient_accumulation):
            mine = parallel.own_part(part)
            if len(mine) == 0:
                continue
            path, ids = self.train.batch(drawn[mine], None if mirrored is None else mirrored[mine], self.device)
            with self.autocast():
                loss = speech_loss(self.model, path, ids, self.config.label_smoothing)
            loss = loss * (_pieces(self.model, ids) / pieces)  # its share of the mean over all words
            self.backward(loss)
            recorded["loss"] += loss.item()
        return recorded

    def put_back(self, drawn: NDArray[np.int64]) -> tuple[str, list[str]]:
        return self.config.data.train[0], [self.train.episodes.ids[row] for row in drawn]

    def validate(self) -> Values:
        self.model.eval()
        return {"loss": validation_loss(self.model, self.validation, self.device)}

    def save(self, folder: Path, metrics: Values) -> None:
        self.model.save(folder)

    def episodes(self, recorded: Values) -> int:
        return min(self.config.batch, len(self.train))


class Spoken:
    """Paths of a split with their instructions."""

    def __init__(self, episodes: EpisodeSet, store: FeatureStore, mirror: bool = False) -> None:
        self.episodes = episodes
        self.vision = PathVision(episodes.world, store)
        tokens = tokenize(episodes.texts, episodes.task.max_text, leading_cls=True)
        self.ids = (with_mirrored(tokens) if mirror else tokens).ids
        self.lengths = tokens.lengths.numpy()

    def __len__(self) -> int:
        return len(self.episodes)

    def texts(self, rows: NDArray[np.int64], mirrored: NDArray[np.bool_] | None = None) -> Tensor:
        """(B, L) WordPieces of instructions, those in mirrored buildings mirrored too."""
        ids = self.ids[torch.from_numpy(rows if mirrored is None else rows + len(self) * mirrored)]
        return ids[:, : int((ids > 0).sum(1).max())]

    def batch(
        self,
        rows: NDArray[np.int64],
        mirrored: NDArray[np.bool_] | None = None,
        device: torch.device | str = "cpu",
    ) -> tuple[PathInputs, Tensor]:
        """What is seen along the paths, and the WordPieces (B, L) of their instructions."""
        paths = self.episodes.references[rows]
        paths = paths[:, : int((paths >= 0).sum(axis=1).max())]
        seen = self.vision.inputs(paths, self.episodes.headings[rows], mirrored)
        return PathInputs(*(one.to(device) for one in seen)), self.texts(rows, mirrored).to(device)


def batch_of_one_length(lengths: NDArray[np.int64], batch: int, seed: int, update: int) -> NDArray[np.int64]:
    """(batch,) the rows of an update: texts of about one length, so that little is padded. Every text comes once an
    epoch, and which ones come together changes from epoch to epoch."""
    batch = min(batch, len(lengths))
    each = len(lengths) // batch
    epoch, number = divmod(update, each)
    rng = streams.generator("order", seed, epoch)
    rows = rng.permutation(len(lengths))[: each * batch]
    pools = np.split(rows, range(_POOL * batch, len(rows), _POOL * batch))
    rows = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    batches: NDArray[np.int64] = rows.reshape(each, batch)
    return batches[rng.permutation(each)[number]]


def speech_loss(speaker: Speaker, path: PathInputs, ids: Tensor, smoothing: float = 0.0) -> Tensor:
    """The mean negative log-probability of a WordPiece, given those before it."""
    indices = speaker.indices(ids)
    wanted = indices[:, 1:]
    asked = wanted >= 0
    logits = speaker(path, indices[:, :-1].clamp(min=0), asked)
    return functional.cross_entropy(logits, wanted[asked], label_smoothing=smoothing)


def _pieces(speaker: Speaker, ids: Tensor) -> int:
    """How many WordPieces are to be said."""
    return int((speaker.indices(ids)[:, 1:] >= 0).sum())


@torch.no_grad()
def validation_loss(speaker: Speaker, spoken: Spoken, device: torch.device | str = "cpu", batch: int = 128) -> float:
    """The mean over WordPieces of a whole split, which processes share."""
    total = count = 0.0
    parts = np.array_split(np.arange(len(spoken)), math.ceil(len(spoken) / batch))
    for rows in parts[parallel.rank() :: parallel.size()]:
        path, ids = spoken.batch(rows, device=device)
        pieces = _pieces(speaker, ids)
        total, count = total + float(speech_loss(speaker, path, ids)) * pieces, count + pieces
    both = parallel.total(torch.tensor([total, count], dtype=torch.float64, device=device))
    return float(both[0] / both[1])


def load(text: str, folder: DataFolder) -> EpisodeSet:
    """The episodes of TASK/SPLIT, which must have goals."""
    split = Split.parse(text)
    if split.folder is not None:
        raise InputError(f"{text}: a speaker reads one data folder; name a split of that one, without the ::.")
    episodes = load_episodes(split.task, split.split, folder)
    if not episodes.has_goals:
        raise InputError(
            f"{episodes.source}: {split.name} has no paths to describe; name a split with goals, as r2r/val_seen."
        )
    return episodes


def open_store(config: DataConfig, folder: DataFolder, show_progress: bool) -> FeatureStore:
    store = (
        FeatureStore.open(config.features).verify()
        if config.features is not None
        else SightMaker(config, folder, show_progress).open()
    )
    if store is None:
        raise InputError("a blind speaker has nothing to say: give --data.features, or --data.sight names.")
    return store
