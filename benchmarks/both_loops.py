"""Ours and the usual loop on the same episodes with the same weights."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch
from model import SIZES as MODEL_SIZES
from model import peak_gflops
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor
from usual_environment import UsualHouses
from usual_loop import HORIZON, Draws, Size, Usual, UsualRollout, Walk

from mtvm.configs.data import Split
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import LossConfig, OptimizerConfig, TrainConfig
from mtvm.features.store import FeatureStore
from mtvm.homes.build import WorldConfig, build_world
from mtvm.learning import streams
from mtvm.learning.data import Dataset
from mtvm.learning.losses import Loss, Term
from mtvm.learning.trace import Policy, Trace
from mtvm.learning.update import ROLLOUTS, AgentLearner
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.model import MTVM
from mtvm.models.seeing import Vision
from mtvm.models.text import tokenize
from mtvm.models.weights import load_reader
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.world.views import VIEWS
from mtvm.world.world import World

SPLITS = {"train": "r2r/train", "evaluation": "r2r/val_unseen"}
VIEWPOINTS = 250
"""Of each split; whole scans are taken until there are so many."""
EPISODES = 512
"""Of each split, at most."""
LEARNING_RATE = 1e-12
"""So small that no update moves a weight, and both loops always have the same ones."""
CLIP = 40.0
NAMES_WIDTH = 3 * 384
"""Width of the features of names, which these presets are trained on."""
GAIN = 0.8
"""Standard deviation of the random matrices, times the root of the width. As MTVM begins them (0.55) the text
hardly changes what narrow models do, and a comparison would say nothing of it; at 1 or more deep ones make all words
equal."""
CONSOLE = Console(width=None if sys.stdout.isatty() else 120, highlight=False)

SIZES = {
    "small-256": Size(MODEL_SIZES["small-256"], LossConfig(), 16),
    "small": Size(MODELS["small"], LossConfig(), 16),
    "paper": Size(MODELS["paper"], LossConfig(), 4),
} | {
    name: Size(
        dataclasses.replace(PRESETS[name].model, feature_width=NAMES_WIDTH, stop_sight="nothing"),
        dataclasses.replace(PRESETS[name].loss, teacher_forced_updates=0),
        PRESETS[name].batch,
    )
    for name in ("demo", "r2r-semantic")
}
DEFAULT_SIZES = ["small-256", "demo", "r2r-semantic"]


# The episodes


def load_split(data: DataFolder, name: str) -> EpisodeSet:
    """Some of a split's episodes, in few scans, with a world of just these."""
    split = Split.parse(name)
    everything = load_episodes(split.task, split.split, data)
    world, rng = everything.world, np.random.default_rng(0)
    chosen: list[int] = []
    for scan in rng.permutation(len(world.scans)):
        if sum(len(world.graphs[one]) for one in chosen) < VIEWPOINTS:
            chosen.append(int(scan))
    smaller = World(world.graphs[scan] for scan in chosen)
    moved = np.full(len(world), -1, dtype=np.int32)
    for place, scan in enumerate(chosen):
        nodes = np.arange(len(world.graphs[scan]))
        moved[world.first_node[scan] + nodes] = smaller.first_node[place] + nodes
    rows = rng.permutation(np.nonzero(moved[everything.starts] >= 0)[0])[:EPISODES]
    kept = everything.select(rows)

    def renamed(nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.where(nodes >= 0, moved[nodes], -1).astype(np.int32)

    return dataclasses.replace(kept, world=smaller, references=renamed(kept.references), goals=renamed(kept.goals))


def random_store(worlds: list[World], width: int, folder: Path) -> FeatureStore:
    path = folder / f"features-{width}"
    if path.is_dir():
        return FeatureStore.open(path)
    rng = np.random.default_rng(0)
    names = {(world.scan(node), str(world.viewpoints[node])) for world in worlds for node in range(len(world))}
    entries = ((*name, rng.standard_normal((VIEWS, width), dtype=np.float32)) for name in sorted(names))
    return FeatureStore.write(path, entries, source="random", source_format="benchmark")


# The two beside each other


@dataclasses.dataclass
class Update:
    """What an update did; its rollouts in their order."""

    seconds: float = 0.0
    spans: dict[Policy, float] = dataclasses.field(default_factory=dict)
    """Seconds of each rollout with its gradients. The first has the encoding of the texts too, and the last one all
    that comes before the optimizer's step."""
    lengths: dict[Policy, list[int]] = dataclasses.field(default_factory=dict)
    """Steps of each episode."""
    nodes: dict[Policy, NDArray[np.int64]] = dataclasses.field(default_factory=dict)
    """Ours: where the episodes were."""
    probabilities: dict[Policy, list[StepProbabilities]] = dataclasses.field(default_factory=dict)
    """Ours: of each step, if they are kept."""
    recorded: dict[str, float] = dataclasses.field(default_factory=dict)
    """Ours: what the trainer would write down."""
    rollouts: dict[Policy, UsualRollout] = dataclasses.field(default_factory=dict)
    """The usual loop's, if they are kept."""
    gradient: Tensor | None = None
    """What the optimizer was given, if it is kept."""

    def finish(self, began: float, starts: dict[Policy, float], stepped: float) -> None:
        """Note the times: of the beginning, of each rollout's, and of the optimizer's step."""
        self.seconds = time.perf_counter() - began
        moments = [began, *list(starts.values())[1:], stepped]
        self.spans = {
            policy: after - before for policy, (before, after) in zip(starts, itertools.pairwise(moments), strict=True)
        }


@dataclasses.dataclass
class StepProbabilities:
    rows: NDArray[np.int64]
    """(b,) the episodes that were running."""
    stop: NDArray[np.int64]
    """(b,) which action is STOP: the last."""
    values: Tensor
    """(b, A)"""


def gradient_of(model: MTVM) -> Tensor:
    """The gradients of all weights in one row; zeros where there are none."""
    return torch.cat(
        [(torch.zeros_like(one) if one.grad is None else one.grad).flatten() for one in model.parameters()]
    )


class Watch(Loss):
    """Adds nothing to the loss, but notes when the rollouts of an update began and what they walked."""

    def __init__(self, keep: bool) -> None:
        self.keep, self.starts, self.update = keep, {}, Update()

    def applies_to(self, policy: Policy) -> bool:
        self.starts[policy] = time.perf_counter()  # the update asks when a rollout begins
        return True

    def __call__(self, trace: Trace) -> list[Term]:
        self.update.lengths[trace.policy] = trace.lengths.tolist()
        self.update.nodes[trace.policy] = trace.nodes
        if self.keep:
            self.update.probabilities[trace.policy] = [
                StepProbabilities(step.rows, step.seen.actions.stop, step.outputs[0].logits.detach().softmax(dim=1))
                for step in trace.steps
            ]
        return []


class Ours:
    """The updates of `AgentLearner`, watched from outside."""

    def __init__(self, model: MTVM, size: Size, dataset: Dataset, *, clip: float = CLIP, keep: bool = False) -> None:
        self.model, self.dataset, self.keep = model, dataset, keep
        optimizer = OptimizerConfig(lr=LEARNING_RATE, clip=clip)
        self.config = TrainConfig(
            Path("none"), size.model, loss=size.loss, optimizer=optimizer, batch=size.batch, device="cpu"
        )
        self.learner = AgentLearner(self.config, model, [dataset], show_progress=False)
        self.learner.optimizer.register_step_pre_hook(self._stepping)
        self.stepped, self.gradient = 0.0, None

    def _stepping(self, *_: object) -> None:
        self.stepped = time.perf_counter()
        self.gradient = gradient_of(self.model) if self.keep else None

    def next_rows(self) -> NDArray[np.int64]:
        """The episodes of the next update."""
        return copy.deepcopy(self.learner.batches).next()[1]

    def next_draws(self, policy: Policy) -> Draws:
        """The random numbers of the next update."""
        seed, number, batch = self.config.seed, self.learner.updates, self.config.batch
        shape = (2, self.dataset.horizon, batch)
        actions, student = streams.uniform(shape, "actions", seed, number, ROLLOUTS.index(policy))
        return Draws(actions, student, streams.uniform((batch, self.dataset.words), "words", seed, number))

    def update(self) -> Update:
        watch = Watch(self.keep)
        self.learner.losses.append(watch)
        began = time.perf_counter()
        recorded = self.learner.update()
        watch.update.finish(began, watch.starts, self.stepped)
        self.learner.losses.remove(watch)
        watch.update.recorded, watch.update.gradient = recorded, self.gradient
        return watch.update


class UsualTraining:
    """The usual loop's updates."""

    def __init__(self, usual: Usual, *, clip: float = CLIP, keep: bool = False) -> None:
        self.usual, self.clip, self.keep = usual, clip, keep
        self.parameters = [one for one in usual.plain.model.parameters() if one.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=LEARNING_RATE)

    def update(self, dataset: Dataset, rows: NDArray[np.int64], walks: list[Walk]) -> Update:
        """Of the episodes at `rows`, walked in several ways."""
        done, starts, began = Update(), {}, time.perf_counter()
        episodes, tokens = dataset.episodes.select(rows), dataset.tokens.select(torch.from_numpy(rows))
        self.usual.plain.train(True)
        self.optimizer.zero_grad(set_to_none=True)
        for walk in walks:
            starts[walk.policy] = time.perf_counter()
            rollout = self.usual.roll_out(episodes, tokens, walk)
            rollout.loss.backward()
            done.lengths[walk.policy] = rollout.lengths
            if self.keep:
                done.rollouts[walk.policy] = rollout
            del rollout
        if self.clip:
            torch.nn.utils.clip_grad_norm_([one for one in self.parameters if one.grad is not None], self.clip)
        stepped = time.perf_counter()
        self.optimizer.step()
        done.finish(began, starts, stepped)
        done.gradient = gradient_of(self.usual.plain.model) if self.keep else None
        self.optimizer.zero_grad(set_to_none=True)
        return done


class Setting:
    """A size with its model, and the splits as both loops want them."""

    def __init__(self, size: Size, splits: dict[str, EpisodeSet], folder: Path) -> None:
        torch.manual_seed(0)
        self.size = size
        self.model = MTVM(size.model)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if parameter.ndim == 2 and "embedding" not in name:
                    parameter.mul_(GAIN / (0.02 * math.sqrt(768)))  # which MTVM begins with at every width
        load_reader(self.model)
        store = random_store([episodes.world for episodes in splits.values()], size.model.feature_width, folder)
        self.datasets: dict[str, Dataset] = {}
        self.houses: dict[str, UsualHouses] = {}
        for name, episodes in splits.items():
            self.datasets[name] = Dataset(
                Split.parse(SPLITS[name]),
                episodes,
                Vision(episodes.world, store, size.model),
                tokenize(episodes.texts, size.model.text_length, leading_cls=size.model.leading_cls),
                HORIZON,
                "goal",
            )
            self.houses[name] = UsualHouses(episodes.world, store)

    def usual(self, split: str, size: Size | None = None) -> Usual:
        """The usual agent on a split, trained as this size or another says."""
        return Usual(self.model, size or self.size, self.houses[split])


def some_episodes(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """The dataset with the episodes at `rows` only."""
    return dataclasses.replace(
        dataset, episodes=dataset.episodes.select(rows), tokens=dataset.tokens.select(torch.from_numpy(rows))
    )


# What a benchmark begins with


def find_data(named: Path | None, folder: Path) -> Path:
    """The folder that is named, $MTVM_DATA, ../shared/data, or a few homes of the built-in world."""
    usual = os.environ.get("MTVM_DATA") or Path(__file__).parents[2] / "shared" / "data"
    data = named or Path(usual)
    if named is not None or data.is_dir():
        return data
    CONSOLE.print("no real data found ($MTVM_DATA): building ten homes of the built-in world")
    return built_in_world(folder)


def built_in_world(folder: Path) -> Path:
    """Ten homes without features, made if they are not there."""
    homes = folder / "homes"
    if homes.is_dir():
        return homes
    return build_world(WorldConfig(homes=10, face_size=16, features="none"), homes, show_progress=False)


def print_machine(when: str) -> None:
    CONSOLE.print(
        f"{when}: matrix products of 2048 reach {peak_gflops():.0f} GFLOP/s on {torch.get_num_threads()} threads"
    )
