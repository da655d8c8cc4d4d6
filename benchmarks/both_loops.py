"""Ours and the usual loop on the same episodes with the same weights, and whether they compute the same."""

from __future__ import annotations

import dataclasses
import math
import os
import sys
from pathlib import Path

import numpy as np
import torch
from model import SIZES as MODEL_SIZES
from model import peak_gflops
from numpy.typing import NDArray
from rich.console import Console
from torch import Tensor
from usual_loop import HORIZON, Draws, Size, Usual, UsualHouses, UsualRollout, Walk

from mtvm.config import PRESETS as TRAINING_PRESETS
from mtvm.features.store import FeatureStore
from mtvm.homes.build import WorldConfig, build_world
from mtvm.learning.evaluation import evaluate_agent, text_tokens
from mtvm.learning.instructions import Encoded, Instructions
from mtvm.learning.losses import LossConfig, rollout_loss
from mtvm.learning.reading import ReadTexts
from mtvm.learning.rollout import Rollout, RolloutPlan, roll_out
from mtvm.learning.vision import Vision
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens
from mtvm.models.weights import load_reader
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.world.views import VIEWS
from mtvm.world.world import World

VIEWPOINTS = 250
"""Of each split; whole scans are taken until there are so many."""
EPISODES = 512
"""Of each split, at most."""
TOLERANCE = 1e-4
READER_TOLERANCE = 1e-3
"""Of probabilities, where our table holds what a frozen reader has read in half precision."""
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
    name: Size(TRAINING_PRESETS[name].model, TRAINING_PRESETS[name].loss, TRAINING_PRESETS[name].batch)
    for name in ("demo", "r2r-semantic")
    if name in TRAINING_PRESETS
}
DEFAULT_SIZES = [name for name in ("small-256", "demo", "r2r-semantic") if name in SIZES]


# The episodes


def load_split(data: DataFolder, split: str) -> EpisodeSet:
    """Some of a split's R2R episodes, in few scans, with a world of just these."""
    everything = load_episodes("r2r", split, data)
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


def walk_back_and_forth(episodes: EpisodeSet, steps: int) -> EpisodeSet:
    """The same episodes with references of `steps` - 1 moves, so that with the final STOP they take `steps` steps."""
    references = np.full((len(episodes), steps), -1, dtype=np.int32)
    for row in range(len(episodes)):
        there = episodes.references[row, : episodes.reference_lengths[row]]
        round_trip = np.concatenate([there, there[-2:0:-1]])
        references[row] = np.resize(round_trip, steps)
    return dataclasses.replace(episodes, references=references, goals=references[:, -1:])


def texts_of_length(tokens: Tokens, length: int) -> Tokens:
    """The same texts, each repeated until it has so many tokens."""
    ids, words = [], []
    for row, count in enumerate(tokens.mask.sum(dim=1).tolist()):
        last = int(tokens.words[row].max()) + 1
        repeats = -(-length // count)
        ids.append(tokens.ids[row, :count].repeat(repeats)[:length])
        shifted = [
            torch.where(tokens.words[row, :count] >= 0, tokens.words[row, :count] + last * number, -1)
            for number in range(repeats)
        ]
        words.append(torch.cat(shifted)[:length])
    return Tokens(torch.stack(ids), torch.stack(words))


# The two beside each other


@dataclasses.dataclass
class Scene:
    """A split as both want it."""

    episodes: EpisodeSet
    tokens: Tokens
    texts: ReadTexts
    vision: Vision
    usual: Usual


class Setting:
    """A size with its model and both splits."""

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
        self.scenes: dict[str, Scene] = {}
        for name, episodes in splits.items():
            tokens = text_tokens(episodes, size.model.max_text, size.model.leading_cls)
            self.scenes[name] = Scene(
                episodes,
                tokens,
                ReadTexts(self.model, tokens, name, show_progress=False),
                Vision(episodes.world, store, size.model),
                Usual(self.model, size, UsualHouses(episodes.world, store)),
            )

    @property
    def passes(self) -> int:
        return 2 if self.size.loss.consistency.enabled else 1

    def train(self, mode: bool) -> None:
        self.model.train(mode)
        for scene in self.scenes.values():
            scene.usual.plain.train(mode)

    def instructions(self, scene: Scene, rows: NDArray[np.int64], walk: Walk) -> Instructions:
        """What all rollouts of a training iteration are told."""
        consistency = self.size.loss.consistency if self.size.loss.consistency.enabled else None
        tokens = scene.texts.select(torch.from_numpy(rows))
        return Instructions(self.model, tokens, consistency, walk.draws.word_noise)

    def our_rollout(
        self, scene: Scene, rows: NDArray[np.int64], walk: Walk, encoded: Encoded | None = None
    ) -> tuple[Tensor, dict[str, float], Rollout]:
        """The loss of a rollout of ours, its parts, and what was walked."""
        told = scene.texts.select(torch.from_numpy(rows)) if encoded is None else encoded
        return self.our_rollout_of(scene.vision, scene.episodes.select(rows), told, walk)

    def our_rollout_of(
        self, vision: Vision, episodes: EpisodeSet, told: Tokens | Encoded, walk: Walk
    ) -> tuple[Tensor, dict[str, float], Rollout]:
        loss_config, weight = self.size.loss, self.size.imitation_weight(walk.policy) if walk.learn else 0.0
        plan = RolloutPlan(
            walk.policy,
            walk.max_steps,
            follow=walk.follow,
            imitation=weight > 0,
            reinforcement=walk.learn and walk.policy == "sample",
            consistency=loss_config.consistency if walk.learn and loss_config.consistency.enabled else None,
            probabilities=walk.probabilities,
            own_share=loss_config.own_share,
            noise=walk.draws.noise,
            lead_noise=walk.draws.lead_noise,
            word_noise=walk.draws.word_noise,
        )
        rollout = roll_out(self.model, vision, episodes, told, plan)
        if not walk.learn:
            return torch.zeros(()), {}, rollout
        loss, parts = rollout_loss(rollout, weight, loss_config, len(episodes))
        return loss, parts, rollout

    def usual_rollout(
        self, scene: Scene, rows: NDArray[np.int64], walk: Walk, passes: int, replay: NDArray[np.int64] | None = None
    ) -> UsualRollout:
        tokens = scene.tokens.select(torch.from_numpy(rows))
        return scene.usual.roll_out(scene.episodes.select(rows), tokens, walk, passes=passes, replay=replay)


def our_paths(world: World, nodes: NDArray[np.int64]) -> list[list[str]]:
    return [world.viewpoints[row[row >= 0]].tolist() for row in nodes]


class DisagreementError(Exception):
    """Ours and the usual loop do not compute the same."""


def check_equality(setting: Setting, count: int) -> None:
    """Compare probabilities, losses, gradients and walks of `count` episodes without dropout, and say what was seen."""
    setting.train(False)  # without dropout, but with gradients
    scene, rows = setting.scenes["train"], np.arange(count)
    for seed, policy in enumerate(setting.size.policies):
        walk = Walk(policy, Draws.make(count, HORIZON, seed), probabilities=True)
        ours, parts, rollout = setting.our_rollout(scene, rows, walk)
        our_gradient = gradient_of(setting.model, ours)
        theirs = setting.usual_rollout(scene, rows, walk, setting.passes)
        their_gradient = gradient_of(setting.model, theirs.loss)
        same = same_walks(our_paths(scene.episodes.world, rollout.nodes), theirs.paths, theirs.margins)
        apart = float((our_gradient - their_gradient).norm() / their_gradient.norm())
        CONSOLE.print(f"  {policy}: {same} of {count} walks the same, gradients apart by {apart:.0e}")
        if same < count:  # after a tie everything differs
            continue
        for name, value in theirs.parts.items():
            relative = abs(parts[name] - value) / max(abs(value), 1e-6)
            CONSOLE.print(f"    {name}: ours {parts[name]:.6g}, usual {value:.6g} ({relative:.0e})")
            if relative > TOLERANCE:
                raise DisagreementError(f"{policy}: {name} differs by {relative:.0e}")
        difference = probability_difference(rollout, theirs)
        CONSOLE.print(f"    probabilities of actions differ by at most {difference:.0e}")
        if policy == "teacher":
            check_sensitivity(setting, scene, rows, walk, theirs)
        if difference > (TOLERANCE if setting.size.model.reader == "none" else READER_TOLERANCE):
            raise DisagreementError(f"{policy}: probabilities differ by {difference:.0e}")
    check_evaluation(setting, setting.scenes["evaluation"], rows)


@torch.no_grad()
def check_sensitivity(
    setting: Setting, scene: Scene, rows: NDArray[np.int64], walk: Walk, theirs: UsualRollout
) -> None:
    """The comparison must be one that could fail: with other episodes' texts the probabilities must be others."""
    others = scene.texts.select(torch.from_numpy(rows + len(rows)))
    _, parts, rollout = setting.our_rollout_of(scene.vision, scene.episodes.select(rows), others, walk)
    difference = probability_difference(rollout, theirs)
    CONSOLE.print(f"    (control: by {difference:.0e} with other texts; imitation would be {parts['imitation']:.6g})")
    if difference < 10 * READER_TOLERANCE:
        raise DisagreementError("what is compared hardly depends on the text, so the comparison says nothing")


@torch.no_grad()
def check_evaluation(setting: Setting, scene: Scene, rows: NDArray[np.int64]) -> None:
    episodes, count = scene.episodes.select(rows), len(rows)
    done = evaluate_agent(setting.model, scene.vision, episodes, HORIZON, batch=count, show_progress=False)
    walk = Walk("greedy", Draws.make(count, HORIZON, 0), learn=False)
    theirs = setting.usual_rollout(scene, rows, walk, passes=1)
    same = same_walks(our_paths(episodes.world, done.nodes), theirs.paths, theirs.margins)
    CONSOLE.print(f"  greedy: {same} of {count} walks the same, {sum(theirs.lengths) / count:.1f} steps an episode")


def probability_difference(ours: Rollout, theirs: UsualRollout) -> float:
    """The largest of any action at any step of walks that are the same."""
    largest = 0.0
    for trace, usual in zip(ours.traces, theirs.probabilities, strict=True):
        for place, row in enumerate(trace.rows.tolist()):
            actions = int(trace.counts[place]) + 1
            apart = np.abs(trace.probabilities[place, :actions] - usual[row, :actions].numpy())
            largest = max(largest, float(apart.max()))
    return largest


def gradient_of(model: MTVM, loss: Tensor) -> Tensor:
    model.zero_grad(set_to_none=True)
    loss.backward()
    pieces = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
    joined = torch.cat(pieces)
    model.zero_grad(set_to_none=True)
    return joined


def same_walks(ours: list[list[str]], theirs: list[list[str]], margins: list[list[float]]) -> int:
    """How many are the same; one that leaves the other where two actions were as good as equal is pardoned."""
    same = 0
    for row, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one == other:
            same += 1
            continue
        parted = next(
            (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        if margins[row][min(parted, len(margins[row])) - 1] > TOLERANCE:
            raise DisagreementError(f"walk {row} parts from ours at step {parted} without a tie: {one} and {other}")
    return same


# What a benchmark begins with


def find_data(named: Path | None, folder: Path) -> Path:
    """The folder that is named, $MTVM_DATA, ../shared/data, or a few homes of the built-in world."""
    usual = os.environ.get("MTVM_DATA") or Path(__file__).parents[2] / "shared" / "data"
    data = named or Path(usual)
    if named is not None or data.is_dir():
        return data
    CONSOLE.print("no real data found ($MTVM_DATA): building ten homes of the built-in world")
    return build_world(WorldConfig(homes=10, face_size=16, features="none"), folder / "homes", show_progress=False)


def print_machine(when: str) -> None:
    CONSOLE.print(
        f"{when}: matrix products of 2048 reach {peak_gflops():.0f} GFLOP/s on {torch.get_num_threads()} threads"
    )
