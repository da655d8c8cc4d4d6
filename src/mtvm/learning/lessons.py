"""What a run begins with: episodes with their texts and features, and a model with its first weights."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mtvm.config import Part, TrainConfig
from mtvm.errors import InputError
from mtvm.features.names import semantic_features
from mtvm.features.store import FeatureStore
from mtvm.files import cache_dir
from mtvm.learning import checkpoint, parallel
from mtvm.learning.evaluation import Evaluation, evaluate_agent, text_tokens
from mtvm.learning.vision import Vision
from mtvm.models.agent import fill, load_weights
from mtvm.models.config import ModelConfig
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens, minilm_folder
from mtvm.models.weights import load_reader, load_released, read_tensors
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.world.graph import SUFFIX

_MINILM = {"hidden": 384, "heads": 12, "intermediate": 1536, "vocabulary": 30522, "max_positions": 512}


@dataclasses.dataclass
class Lesson:
    """A split to learn from or to be examined on."""

    part: Part
    episodes: EpisodeSet
    vision: Vision
    tokens: Tokens
    horizon: int

    @functools.cached_property
    def words(self) -> int:
        """More than the largest number of a word; a text that lost its beginning has none of the small ones."""
        return max(int(self.tokens.words.max()) + 1, 1)


def open_store(config: TrainConfig, show_progress: bool = True) -> FeatureStore | None:
    """The feature store of a run; None if the agent is blind."""
    if config.data.features is not None:
        return FeatureStore.open(config.data.features)
    return semantic_store(DataFolder.resolve(config.data.folder), show_progress) if config.data.semantic else None


def semantic_store(data: DataFolder, show_progress: bool) -> FeatureStore:
    """The store of the names in the folder's semantics file, made once and kept in the cache."""
    source = data.find(["viewpoints.jsonl", "viewpoints.jsonl.gz"])
    if source is None:
        raise InputError(
            f"{data.path}: no semantics file viewpoints.jsonl(.gz) below it to make features of; give a feature store "
            "with --data.features, or leave the agent blind with --data.no-semantic."
        )
    graphs = sorted(data.connectivity.glob(f"*{SUFFIX}"))
    digest = hashlib.sha256()
    for file in (source, *graphs):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    path = cache_dir() / "features" / f"semantic-{digest.hexdigest()[:16]}"
    if parallel.rank() == 0 and not path.is_dir():
        semantic_features(source, path, connectivity=data.connectivity, show_progress=show_progress)
    parallel.wait()
    return FeatureStore.open(path)


def load_part(part: Part, config: TrainConfig, store: FeatureStore | None, device: torch.device) -> Lesson:
    """The episodes of a split with their texts and eyes."""
    data = DataFolder.resolve(config.data.folder)
    episodes = load_episodes(part.task, part.split, data, supervision=config.data.supervision)
    vision = Vision(episodes.world, store, config.model, device)
    tokens = text_tokens(episodes, config.model.max_text, config.model.leading_cls)
    return Lesson(part, episodes, vision, tokens, config.data.steps(part.task))


def make_model(config: TrainConfig) -> MTVM:
    """The model with the weights that it begins with."""
    torch.manual_seed(config.seed)
    model = MTVM(config.model)
    load_reader(model)
    if config.init is not None:
        own = config.init / "config.json"
        if (config.init / checkpoint.NAME).is_file():
            fill(model, checkpoint.load(config.init / checkpoint.NAME)["model"], config.init)
        elif own.is_file() and (config.init / "model.safetensors").is_file() and _is_agent(own):
            load_weights(model, config.init / "model.safetensors")
        else:
            load_released(model, read_tensors(config.init), config.init)
    elif config.model.reader == "none" and all(getattr(config.model, name) == value for name, value in _MINILM.items()):
        folder = minilm_folder()
        load_released(model, read_tensors(folder), folder)
    return model


def _is_agent(path: Path) -> bool:
    try:
        ModelConfig.load(path)
    except InputError:
        return False
    return True


def evaluate_part(config: TrainConfig, model: MTVM, part: Part, limit: int | None = None, **options: Any) -> Evaluation:
    """Walk a split, or its first episodes, with a model of the run."""
    lesson = first_of(load_part(part, config, open_store(config), model.device), limit)
    return evaluate_agent(model, lesson.vision, lesson.episodes, lesson.horizon, **options)


def first_of(lesson: Lesson, limit: int | None) -> Lesson:
    """A lesson with its first episodes only."""
    if limit is None:
        return lesson
    rows = np.arange(min(limit, len(lesson.episodes)))
    return dataclasses.replace(
        lesson, episodes=lesson.episodes.select(rows), tokens=lesson.tokens.select(torch.from_numpy(rows))
    )
