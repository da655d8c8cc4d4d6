"""Episodes per second of training and evaluation on real episodes, against the usual loop in the same run.

    python benchmarks/training.py                                   # the small sizes; a few minutes on two quiet cores
    python benchmarks/training.py --sizes paper --repeats 3 --only training evaluation
    python benchmarks/training.py --only growth --sizes small-256   # growth with batch, horizon and length of text
    python benchmarks/training.py --data FOLDER                     # default: $MTVM_DATA, ../shared/data, or homes

Ours is `roll_out` and `rollout_loss`, as the trainer calls them. The usual loop is restated here with the model of
`benchmarks/model.py`: an observation is a dictionary with a list of candidates whose feature rows are copied from a
dictionary of float32 arrays, directions are computed one by one, the teacher looks its way up in nested dictionaries,
and Python loops fill the padded batch; texts are padded to 80 tokens, full and dropped instructions run one after the
other, ended episodes stay in the batch until all have ended, and the memory is copied at each step. It is kept
friendly: candidates come from a table instead of a simulator's sweep, the 36 views that nobody reads are not copied,
and each rollout's gradients are taken before the next rollout, so that it needs less memory.

Both walk the same: before anything is timed their losses, gradients and walks are compared without dropout; and
where dropout would lead them apart, the usual loop follows the way that ours has sampled. Features are random, in half
precision, for a few scans, and so are the weights. Walks of random weights differ more in length than those of a
trained agent, and the usual loop pays for the longest of a batch: look at the columns of steps, and at the teacher's
rollouts, whose lengths are the data's.

The paper's size is measured at batch 4: at its 16 the usual loop's training does not fit into 24 GB.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from model import SIZES as MODEL_SIZES
from model import Plain, peak_gflops
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn import functional

from mtvm.config import PRESETS as TRAINING_PRESETS
from mtvm.config import OptimizerConfig
from mtvm.homes.build import WorldConfig, build_world
from mtvm.learning.consistency import divergence
from mtvm.learning.evaluation import evaluate_agent, text_tokens
from mtvm.learning.losses import LossConfig, rollout_loss
from mtvm.learning.optimizing import make_optimizer
from mtvm.learning.reading import ReadTexts
from mtvm.learning.rollout import Policy, Rollout, RolloutPlan, roll_out
from mtvm.learning.teacher import Follow
from mtvm.learning.vision import Vision
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.config import ModelConfig
from mtvm.models.model import MTVM
from mtvm.models.text import MASK, PAD, Tokens, drop_words
from mtvm.models.weights import load_reader
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import SUCCESS_RADIUS
from mtvm.world.features import FeatureStore
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, VIEWS, nearest_view
from mtvm.world.world import World

HORIZON = 15
VIEWPOINTS = 250
"""Of each split; whole scans are taken until there are so many."""
EPISODES = 512
"""Of each split, at most."""
TOLERANCE = 1e-4
READER_TOLERANCE = 1e-3
"""Of probabilities, where our table holds what a frozen reader has read in half precision."""
GAIN = 0.8
"""Standard deviation of the random matrices, times the root of the width. As BERT begins them (0.3 to 0.6) the text
hardly changes what narrow models do, and a comparison would say nothing of it; at 1 or more deep ones make all words
equal."""
CLIP = 40.0
RATE = 1e-6
"""So small that timing hardly moves the weights."""
GROWTH = {"batch": (8, 16, 32, 64, 128), "horizon": (15, 30, 80), "text": (20, 40, 80)}
GROWTH_BATCH = {"horizon": 8, "text": 16}
CHEAP_FOR_THE_USUAL = {"batch": 16, "horizon": 15, "text": 40}
"""The largest points at which the usual loop's growth is measured too."""
JOBS = ("training", "evaluation", "growth")
CONSOLE = Console(width=None if sys.stdout.isatty() else 120, highlight=False)


@dataclasses.dataclass(frozen=True)
class Size:
    """A model, how it is trained, and with which batch."""

    model: ModelConfig
    loss: LossConfig
    batch: int

    @property
    def policies(self) -> list[Policy]:
        """The rollouts of a training iteration."""
        policies: list[Policy] = ["teacher"]
        policies += ["student"] if self.loss.student > 0 else []
        policies += ["sample"] if self.loss.reinforcement > 0 else []
        return policies

    def imitation_weight(self, policy: Policy) -> float:
        return {"teacher": self.loss.imitation, "student": self.loss.student}.get(policy, 0.0)


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


# The usual loop


class UsualHouses:
    """What the usual code keeps of buildings and features: dictionaries by scan and viewpoint."""

    def __init__(self, world: World, store: FeatureStore) -> None:
        self.features: dict[str, NDArray[np.float32]] = {}
        self.candidates: dict[str, list[dict[str, Any]]] = {}
        self.distances: dict[str, dict[str, dict[str, float]]] = {}
        self.next_viewpoint: dict[str, dict[str, dict[str, str]]] = {}
        for graph in world.graphs:
            names: list[str] = graph.viewpoints.tolist()
            rows = store.rows(graph.scan, names)
            self.distances[graph.scan] = {}
            self.next_viewpoint[graph.scan] = {}
            for node, name in enumerate(names):
                key = f"{graph.scan}_{name}"
                self.features[key] = store.panorama(rows[node]).astype(np.float32)
                self.candidates[key] = [
                    {
                        "viewpoint": names[neighbour],
                        "view": int(graph.candidate_views[node, slot]),
                        "heading": float(graph.candidate_headings[node, slot]),
                        "elevation": float(graph.candidate_elevations[node, slot]),
                    }
                    for slot, neighbour in enumerate(graph.neighbours(node).tolist())
                ]
                self.distances[graph.scan][name] = dict(zip(names, graph.distances[node].tolist(), strict=True))
                self.next_viewpoint[graph.scan][name] = {
                    goal: names[graph.next_hop(node, place)]
                    for place, goal in enumerate(names)
                    if graph.next_hop(node, place) >= 0
                }


def direction_feature(heading: float, elevation: float, width: int) -> NDArray[np.float32]:
    four = [math.sin(heading), math.cos(heading), math.sin(elevation), math.cos(elevation)]
    return np.array(four * (width // 4), dtype=np.float32)


def likeness_to_reference(path: list[str], reference: list[str], distances: dict[str, dict[str, float]]) -> float:
    """nDTW, as it is usually computed: the whole warping table at each step."""
    table = np.full((len(path) + 1, len(reference) + 1), np.inf)
    table[0, 0] = 0
    for i in range(1, len(path) + 1):
        for j in range(1, len(reference) + 1):
            best = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
            table[i, j] = distances[path[i - 1]][reference[j - 1]] + best
    return math.exp(-table[-1, -1] / (SUCCESS_RADIUS * len(reference)))


class UsualEnvironment:
    """A batch of episodes, each a dictionary; observations are made one by one."""

    def __init__(self, houses: UsualHouses, episodes: EpisodeSet, config: ModelConfig, follow: Follow = "goal") -> None:
        self.houses, self.config, self.follow = houses, config, follow
        self.states: list[dict[str, Any]] = [
            {
                "scan": episode.scan,
                "viewpoint": episode.start,
                "view": int(nearest_view(episode.heading)),
                "reference": list(episode.reference),
                "goals": list(episode.goals),
                "path": [episode.start],
                "reached": 0,
                "ended": False,
            }
            for episode in episodes
        ]

    def observe(self, with_teacher: bool) -> list[dict[str, Any]]:
        observations = []
        for state in self.states:
            key = f"{state['scan']}_{state['viewpoint']}"
            features, heading = self.houses.features[key], VIEW_HEADING[state["view"]]
            candidates = []
            for known in self.houses.candidates[key]:
                candidate = dict(known)
                direction = direction_feature(known["heading"] - heading, known["elevation"], self.config.angle_width)
                candidate["feature"] = np.concatenate((features[known["view"]], direction), -1)
                candidates.append(candidate)
            observation = {"scan": state["scan"], "viewpoint": state["viewpoint"], "candidate": candidates}
            if with_teacher:
                observation["teacher"] = self.teacher(state, candidates)
            observations.append(observation)
        return observations

    def teacher(self, state: dict[str, Any], candidates: list[dict[str, Any]]) -> int:
        """The place of the next viewpoint on the way; that of STOP, after the candidates, at the goal."""
        reference, here = state["reference"], state["viewpoint"]
        goal = reference[-1]
        if self.follow == "path":
            while state["reached"] < len(reference) - 1 and reference[state["reached"] + 1] == here:
                state["reached"] += 1
            goal = reference[min(state["reached"] + 1, len(reference) - 1)]
        if here == goal:
            return len(candidates)
        following = self.houses.next_viewpoint[state["scan"]][here][goal]
        for place, candidate in enumerate(candidates):
            if candidate["viewpoint"] == following:
                return place
        raise AssertionError("the way leads over no candidate")

    def pad(self, observations: list[dict[str, Any]]) -> tuple[Tensor, Tensor]:
        """(B, K + 1, token width) candidates with STOP after the last, zeros; and which of them are real."""
        counts = [len(observation["candidate"]) + 1 for observation in observations]
        tokens = np.zeros((len(observations), max(counts), self.config.token_width), dtype=np.float32)
        mask = np.zeros((len(observations), max(counts)), dtype=bool)
        for row, observation in enumerate(observations):
            mask[row, : counts[row]] = True
            for place, candidate in enumerate(observation["candidate"]):
                tokens[row, place] = candidate["feature"]
        return torch.from_numpy(tokens), torch.from_numpy(mask)

    def directions(self) -> Tensor:
        """(B, angle width) of where the agents face."""
        width = self.config.angle_width
        features = [
            direction_feature(VIEW_HEADING[state["view"]], VIEW_ELEVATION[state["view"]], width)
            for state in self.states
        ]
        return torch.from_numpy(np.stack(features))

    def step(self, observations: list[dict[str, Any]], places: list[int]) -> None:
        for state, observation, place in zip(self.states, observations, places, strict=True):
            if state["ended"]:
                continue
            if place == len(observation["candidate"]):
                state["ended"] = True
            else:
                candidate = observation["candidate"][place]
                state["viewpoint"], state["view"] = candidate["viewpoint"], candidate["view"]
                state["path"].append(candidate["viewpoint"])

    def account(self, state: dict[str, Any]) -> tuple[float, float]:
        """How far the goal is, and how like the reference the path was so far."""
        distances = self.houses.distances[state["scan"]]
        away = min(distances[state["viewpoint"]][goal] for goal in state["goals"])
        return away, likeness_to_reference(state["path"], state["reference"], distances)

    def rewards(self, before: list[tuple[float, float]], was_ended: list[bool]) -> list[float]:
        """As in `mtvm.learning.rewards`; `before` becomes the account of now."""
        rewards = []
        for row, state in enumerate(self.states):
            if was_ended[row]:
                rewards.append(0.0)
                continue
            (last_away, last_likeness), (away, likeness) = before[row], self.account(state)
            before[row] = (away, likeness)
            if state["ended"]:
                reward = 2.0 + 2.0 * likeness if away < SUCCESS_RADIUS else -2.0
            else:
                reward = float(np.sign(last_away - away)) + (likeness - last_likeness)
                if last_away <= 1.0 and away > last_away:
                    reward -= 2.0 * (1.0 - last_away)
            rewards.append(reward)
        return rewards


@dataclasses.dataclass
class UsualRollout:
    loss: Tensor
    parts: dict[str, float]
    paths: list[list[str]]
    probabilities: list[Tensor]
    """For each step (B, K + 1)."""
    margins: list[list[float]]
    """Of each episode and step: by how much the best score beats the next, or how near to another action a draw is."""

    @property
    def lengths(self) -> list[int]:
        """Steps of each episode."""
        return [len(steps) for steps in self.margins]


@dataclasses.dataclass
class Draws:
    """The random numbers of a rollout, the same for both."""

    noise: Tensor
    lead_noise: Tensor
    word_noise: Tensor

    @classmethod
    def make(cls, batch: int, steps: int, seed: int) -> Draws:
        generator = torch.Generator().manual_seed(seed)
        noise = torch.rand(2, steps, batch, generator=generator)
        return cls(noise[0], noise[1], torch.rand(batch, 512, generator=generator))


@dataclasses.dataclass
class Walk:
    """Which rollout to make of a batch."""

    policy: Policy
    draws: Draws
    learn: bool = True
    """Compute the losses."""
    probabilities: bool = False
    """Ours: keep them, to compare."""
    max_steps: int = HORIZON
    follow: Follow = "goal"


class Usual:
    """The usual agent: the plain model in the usual loop."""

    def __init__(self, model: MTVM, size: Size, houses: UsualHouses) -> None:
        self.plain, self.size, self.houses = Plain(model), size, houses

    def encode(self, tokens: Tokens, passes: int, draws: Draws) -> tuple[list[Tensor], Tensor]:
        """X and, with two passes, X'; and which tokens are real. All texts have the greatest length."""
        missing = self.size.model.max_text - tokens.ids.shape[1]
        ids = functional.pad(tokens.ids, (0, missing), value=PAD)
        states = self.plain.read(ids)
        texts = [self.plain.encode(ids, states)]
        if passes == 2:
            _, dropped = drop_words(tokens, self.size.loss.consistency.drop_rate, draws.word_noise)
            hidden = ids.masked_fill(functional.pad(dropped, (0, missing)), MASK)
            texts.append(self.plain.encode(hidden, states))
        return texts, ids != PAD

    def roll_out(
        self,
        episodes: EpisodeSet,
        tokens: Tokens,
        walk: Walk,
        *,
        passes: int,
        replay: NDArray[np.int64] | None = None,
    ) -> UsualRollout:
        """Walk, over the nodes of `replay` if they are given; episodes that have ended are computed until all have."""
        plain, model, loss_config = self.plain, self.plain.model, self.size.loss
        environment = UsualEnvironment(self.houses, episodes, self.size.model, walk.follow)
        batch, policy = len(episodes), walk.policy
        imitation_weight = self.size.imitation_weight(policy) if walk.learn else 0.0
        reinforce = walk.learn and policy == "sample"
        with_teacher = policy in ("teacher", "student") or imitation_weight > 0
        texts, real = self.encode(tokens, passes, walk.draws)
        memory = torch.zeros(batch, 0, self.size.model.token_width)
        account = [environment.account(state) for state in environment.states] if reinforce else []
        imitation, crossmodal, compared = torch.zeros(()), torch.zeros(()), 0
        log_probabilities, entropies, values, rewards, lives = [], [], [], [], []
        margins: list[list[float]] = [[] for _ in range(batch)]
        probabilities: list[Tensor] = []
        for number in range(walk.max_steps):
            was_ended = [state["ended"] for state in environment.states]
            live = ~torch.tensor(was_ended)
            observations = environment.observe(with_teacher)
            current, mask = environment.pad(observations)
            stream, stream_mask = plain.stream(memory, current, mask)
            outputs = [plain.crossmodal(text, stream, real, stream_mask) for text in texts]
            scores, activations = model.head(outputs[0][1][:, memory.shape[1] :])
            logits = scores.masked_fill(~mask, -torch.inf)
            logs = logits.log_softmax(dim=1)
            probabilities.append(logs.detach().exp())
            if with_teacher:
                teacher = torch.tensor([observation["teacher"] for observation in observations])
            if imitation_weight > 0:
                target = teacher.masked_fill(~live, -100)
                imitation = imitation + functional.cross_entropy(logits, target, reduction="sum", ignore_index=-100)
            if walk.learn and passes == 2:
                seen, token_mask = [stream for _, stream in outputs], stream_mask
                if self.size.model.bidirectional:
                    seen = [torch.cat(output, dim=1) for output in outputs]
                    token_mask = torch.cat([real, stream_mask], dim=1)
                apart = divergence(seen[0], seen[1], token_mask & live[:, None])
                crossmodal, compared = crossmodal + apart.total, compared + int(apart.count)
            chosen, margin = self.choose(logits.detach(), walk, number, teacher if with_teacher else None)
            if replay is not None:
                chosen = self.replayed(observations, replay, number, episodes.world)
            places = chosen.tolist()
            for row in torch.nonzero(live)[:, 0].tolist():
                margins[row].append(float(margin[row]))
            environment.step(observations, places)
            if reinforce:
                log_probabilities.append(logs.gather(1, chosen[:, None])[:, 0])
                entropies.append(-(logs.exp() * logs.masked_fill(~mask, 0)).sum(dim=1))
                values.append(plain.value(*outputs[0], real, stream_mask))
                rewards.append(torch.tensor(environment.rewards(account, was_ended)))
                lives.append(live)
            token = torch.cat([activations[torch.arange(batch), chosen], environment.directions()], dim=1)
            memory = torch.cat([memory, token[:, None]], dim=1)
            if all(state["ended"] for state in environment.states):
                break
        paths = [state["path"] for state in environment.states]
        loss, parts = torch.zeros(()), {}
        if imitation_weight > 0:
            loss = loss + imitation_weight * imitation / batch
            parts["imitation"] = imitation.item() / batch
        if reinforce:
            following = torch.zeros(batch)
            ended = torch.tensor([state["ended"] for state in environment.states])
            if not ended.all():
                following = self.value_of_the_last(environment, texts[0], real, memory).masked_fill(ended, 0)
            a2c, terms = self.a2c(log_probabilities, entropies, values, rewards, lives, following)
            loss, parts = loss + loss_config.reinforcement * a2c, parts | terms
        if walk.learn and passes == 2:
            language, crossmodal = divergence(texts[0], texts[1], real).value, crossmodal / compared
            consistency = loss_config.consistency
            loss = loss + consistency.language_weight * language + consistency.crossmodal_weight * crossmodal
            parts |= {"language_consistency": language.item(), "crossmodal_consistency": crossmodal.item()}
        return UsualRollout(loss, parts, paths, probabilities, margins)

    def choose(self, logits: Tensor, walk: Walk, number: int, teacher: Tensor | None) -> tuple[Tensor, Tensor]:
        """(B,) places among the current tokens, and how narrowly they were chosen."""
        if walk.policy == "teacher":
            assert teacher is not None
            return teacher, torch.ones(len(logits))
        if walk.policy == "greedy":
            best = logits.topk(2, dim=1).values
            return logits.argmax(dim=1), best[:, 0] - best[:, 1]
        reached, drawn = logits.softmax(dim=1).cumsum(dim=1), walk.draws.noise[number][:, None]
        last = torch.isfinite(logits).sum(dim=1) - 1
        sampled = torch.minimum((reached <= drawn).sum(dim=1), last)
        margin = (reached - drawn).abs().min(dim=1).values
        if walk.policy == "student":
            assert teacher is not None
            own = walk.draws.lead_noise[number] < self.size.loss.own_share
            sampled = torch.where(own, sampled, teacher)
        return sampled, margin

    def replayed(
        self, observations: list[dict[str, Any]], replay: NDArray[np.int64], number: int, world: World
    ) -> Tensor:
        """The places that ours has chosen, which walked over the nodes `replay`; STOP for those that had ended."""
        places = []
        for row, observation in enumerate(observations):
            place = len(observation["candidate"])
            node = replay[row, number + 1] if number + 1 < replay.shape[1] else -1
            if node >= 0:
                names = [candidate["viewpoint"] for candidate in observation["candidate"]]
                place = names.index(str(world.viewpoints[node]))
            places.append(place)
        return torch.tensor(places)

    @torch.no_grad()
    def value_of_the_last(self, environment: UsualEnvironment, text: Tensor, real: Tensor, memory: Tensor) -> Tensor:
        stream, stream_mask = self.plain.stream(memory, *environment.pad(environment.observe(False)))
        return self.plain.value(*self.plain.crossmodal(text, stream, real, stream_mask), real, stream_mask)

    def a2c(
        self,
        log_probabilities: list[Tensor],
        entropies: list[Tensor],
        values: list[Tensor],
        rewards: list[Tensor],
        lives: list[Tensor],
        following: Tensor,
    ) -> tuple[Tensor, dict[str, float]]:
        config = self.size.loss.a2c
        policy, value, entropy, total = torch.zeros(()), torch.zeros(()), torch.zeros(()), 0
        for number in reversed(range(len(rewards))):
            live = lives[number].float()
            following = torch.where(lives[number], rewards[number] + config.discount * following, following)
            advantage = (following - values[number]).detach()
            policy = policy - (log_probabilities[number] * advantage * live).sum()
            value = value + ((following - values[number]) ** 2 * live).sum()
            entropy = entropy + (entropies[number] * live).sum()
            total += int(live.sum())
        loss = (policy + config.value_weight * value - config.entropy_weight * entropy) / total
        return loss, {name: term.item() / total for name, term in zip(TERMS, (policy, value, entropy), strict=True)}


TERMS = ("policy", "value", "entropy")


# Both, on the same episodes


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
                    parameter.mul_(GAIN / (0.02 * math.sqrt(size.model.hidden)))
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

    def our_rollout(
        self, scene: Scene, rows: NDArray[np.int64], walk: Walk
    ) -> tuple[Tensor, dict[str, float], Rollout]:
        """The loss of a rollout of ours, its parts, and what was walked."""
        tokens = scene.texts.select(torch.from_numpy(rows))
        return self.our_rollout_of(scene.vision, scene.episodes.select(rows), tokens, walk)

    def our_rollout_of(
        self, vision: Vision, episodes: EpisodeSet, tokens: Tokens, walk: Walk
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
        rollout = roll_out(self.model, vision, episodes, tokens, plan)
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


@dataclasses.dataclass
class Timed:
    seconds: list[float] = dataclasses.field(default_factory=list)
    episodes: int = 0
    steps: int = 0
    """Of all repeats, as `episodes`."""
    longest: int = 0

    @property
    def rate(self) -> float:
        return self.episodes / len(self.seconds) / statistics.median(self.seconds)

    def add(self, seconds: float, lengths: list[int]) -> None:
        """The time of one repeat, and how many steps each of its episodes took."""
        self.seconds.append(seconds)
        self.episodes += len(lengths)
        self.steps += sum(lengths)
        self.longest = max(self.longest, *lengths)


Results = dict[str, dict[str, Timed]]
"""By what was done, and by the way of doing it."""


def time_training(setting: Setting, repeats: int) -> Results:
    """A training iteration of each, turn by turn: all rollouts of the size, clipping, AdamW."""
    size, scene, model = setting.size, setting.scenes["train"], setting.model
    optimizers = {
        "ours": make_optimizer(model, OptimizerConfig(rate=RATE)),
        "usual": torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=RATE),
    }
    jobs = ["training iteration", *(f"- {policy} rollout" for policy in size.policies)]
    results: Results = {job: {name: Timed() for name in optimizers} for job in jobs}
    setting.train(True)
    for repeat in range(repeats):
        rows = np.random.default_rng(repeat).permutation(len(scene.episodes))[: size.batch]
        walked: dict[Policy, NDArray[np.int64]] = {}
        for name, optimizer in optimizers.items():
            began = time.perf_counter()
            model.zero_grad(set_to_none=True)
            for number, policy in enumerate(size.policies):
                started = time.perf_counter()
                walk = Walk(policy, Draws.make(len(rows), HORIZON, 100 * repeat + number))
                if name == "ours":
                    loss, _, rollout = setting.our_rollout(scene, rows, walk)
                    walked[policy], lengths = rollout.nodes, rollout.live.sum(dim=0).tolist()
                    del rollout
                else:
                    usual = setting.usual_rollout(scene, rows, walk, setting.passes, replay=walked[policy])
                    loss, lengths = usual.loss, usual.lengths
                    del usual
                loss.backward()
                del loss
                results[f"- {policy} rollout"][name].add(time.perf_counter() - started, lengths)
            torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], CLIP)
            optimizer.step()
            results["training iteration"][name].add(time.perf_counter() - began, lengths)
    for job, ways in results.items():
        if ways["ours"].steps != ways["usual"].steps:
            raise DisagreementError(
                f"{job}: ours took {ways['ours'].steps} steps, the usual loop {ways['usual'].steps}"
            )
    model.zero_grad(set_to_none=True)
    return results


def time_evaluation(setting: Setting, repeats: int) -> Results:
    """Greedy walks of two batches, turn by turn; the usual loop also with the dropped pass that training needs."""
    size, scene = setting.size, setting.scenes["evaluation"]
    count = min(2 * size.batch, len(scene.episodes))
    passes = {"ours": 0, "usual": 1} | ({"usual, two passes": 2} if setting.passes == 2 else {})
    results = {name: Timed() for name in passes}
    setting.train(False)
    for repeat in range(repeats):
        rows = np.random.default_rng(repeat).permutation(len(scene.episodes))[:count]
        episodes = scene.episodes.select(rows)
        for name in list(results) if repeat % 2 == 0 else list(results)[::-1]:
            lengths: list[int] = []
            started = time.perf_counter()
            with torch.no_grad():
                if name == "ours":
                    done = evaluate_agent(
                        setting.model, scene.vision, episodes, HORIZON, batch=size.batch, show_progress=False
                    )
                    lengths = np.minimum((done.nodes >= 0).sum(axis=1), HORIZON).tolist()
                else:
                    for part in np.split(rows, range(size.batch, count, size.batch)):
                        walk = Walk("greedy", Draws.make(len(part), HORIZON, 0), learn=False)
                        lengths += setting.usual_rollout(scene, part, walk, passes[name]).lengths
            results[name].add(time.perf_counter() - started, lengths)
    return {"evaluation": results}


def print_rates(measured: dict[str, Results]) -> None:
    """By size. Ratios are of medians."""
    table = Table("size", "", "way", "batch", "seconds", "episodes/s", "steps", "longest", "ours is faster by")
    for column in table.columns[3:]:
        column.justify = "right"
    for size, results in measured.items():
        for job, ways in results.items():
            for name, timed in ways.items():
                table.add_row(
                    size,
                    job,
                    name,
                    str(SIZES[size].batch),
                    f"{statistics.median(timed.seconds):.2f}",
                    f"{timed.rate:.2f}",
                    "" if job == "training iteration" else f"{timed.steps / timed.episodes:.1f}",
                    "" if job == "training iteration" else str(timed.longest),
                    "" if name == "ours" else f"{ways['ours'].rate / timed.rate:.2f}x",
                )
            table.add_section()
    CONSOLE.print(table)


# Growth: each point in a process of its own


@dataclasses.dataclass
class Point:
    """What is measured in one process."""

    size: str
    way: str
    axis: str
    value: int
    data: str
    folder: str
    """Of the feature stores that were made before."""

    @property
    def batch(self) -> int:
        return self.value if self.axis == "batch" else GROWTH_BATCH[self.axis]


def measure_growth(size: str, data: Path, folder: Path) -> None:
    """Each point is measured once: what counts is the row of them."""
    for axis, values in GROWTH.items():
        table = Table(axis, "way", "batch", "steps", title=f"{size}: growth with {axis} (teacher's walks)")
        for heading in ("training ms/episode", "ms/step", "MB/episode", "walking ms/episode", "ms/step", "MB/episode"):
            table.add_column(heading, justify="right")
        for value in values:
            for way in ("ours", "usual") if value <= CHEAP_FOR_THE_USUAL[axis] else ("ours",):
                point = Point(size, way, axis, value, str(data), str(folder))
                found = in_own_process(point)
                if found is None:
                    table.add_row(str(value), way, str(point.batch), "did not finish (memory?)")
                    continue
                cells = []
                for job in ("training", "walking"):
                    milliseconds = 1000 * found[f"{job}_seconds"]
                    cells.append(f"{milliseconds / point.batch:.1f}")
                    cells.append(f"{milliseconds / found['steps']:.2f}")
                    cells.append(f"{found[f'{job}_megabytes'] / point.batch:.1f}")
                table.add_row(str(value), way, str(point.batch), f"{found['steps'] / point.batch:.1f}", *cells)
        CONSOLE.print(table)


def in_own_process(point: Point) -> dict[str, float] | None:
    command = [sys.executable, __file__, "--point", json.dumps(dataclasses.asdict(point))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode < 0:  # killed
        return None
    done.check_returncode()
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_point(point: Point) -> dict[str, float]:
    """Time and peak memory of teacher's walks: first without losses and gradients, then with them."""
    splits = {"train": load_split(DataFolder(Path(point.data)), "train")}
    setting = Setting(SIZES[point.size], splits, Path(point.folder))
    scene = setting.scenes["train"]
    rows = np.arange(point.batch) % len(scene.episodes)
    episodes, tokens = scene.episodes.select(rows), scene.texts.select(torch.from_numpy(rows))
    follow: Follow = "goal"
    if point.axis == "horizon":
        episodes, follow = walk_back_and_forth(episodes, point.value), "path"
    if point.axis == "text":
        tokens = setting.model.language.read(texts_of_length(tokens, point.value))
    horizon = point.value if point.axis == "horizon" else HORIZON

    def rollout(count: int, learn: bool) -> int:
        """Of the first `count` episodes; the number of steps."""
        setting.train(learn)
        walk = Walk("teacher", Draws.make(count, horizon, 0), learn, max_steps=horizon, follow=follow)
        some, texts = episodes.select(np.arange(count)), tokens.select(torch.arange(count))
        with torch.set_grad_enabled(learn):
            if point.way == "ours":
                loss, _, rolled = setting.our_rollout_of(scene.vision, some, texts, walk)
                steps = rolled.steps
            else:
                usual = scene.usual.roll_out(some, texts, walk, passes=setting.passes if learn else 1)
                loss, steps = usual.loss, sum(usual.lengths)
        if learn:
            loss.backward()
        return steps

    rollout(2, False)  # the first of anything is slower, and takes memory that stays
    before = memory_megabytes("VmRSS")
    found: dict[str, float] = {}
    for job, learn in (("walking", False), ("training", True)):
        if learn:
            for parameter in setting.model.parameters():
                if parameter.requires_grad:
                    parameter.grad = torch.zeros_like(parameter)
                    before += parameter.grad.nbytes / 1e6
            rollout(2, True)
        forget_peak()
        setting.model.zero_grad(set_to_none=False)
        started = time.perf_counter()
        found["steps"] = rollout(point.batch, learn)
        found[f"{job}_seconds"] = time.perf_counter() - started
        found[f"{job}_megabytes"] = memory_megabytes("VmHWM") - before
    return found


def forget_peak() -> None:
    """Let the peak of this process begin anew. (`ru_maxrss` cannot; and it begins with the parent's own peak.)"""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")


def memory_megabytes(field: str) -> float:
    """VmRSS: what this process holds now. VmHWM: its peak since `forget_peak`."""
    if sys.platform != "linux":
        return math.nan
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1000


# The command line


def find_data(named: Path | None, folder: Path) -> Path:
    """The folder that is named, $MTVM_DATA, ../shared/data, or a few homes of the built-in world."""
    usual = os.environ.get("MTVM_DATA") or Path(__file__).parents[2] / "shared" / "data"
    data = named or Path(usual)
    if named is not None or data.is_dir():
        return data
    CONSOLE.print("no real data found ($MTVM_DATA): building ten homes of the built-in world")
    return build_world(WorldConfig(homes=10, face_size=16, features=False), folder / "homes", show_progress=False)


def print_machine(when: str) -> None:
    CONSOLE.print(
        f"{when}: matrix products of 2048 reach {peak_gflops():.0f} GFLOP/s on {torch.get_num_threads()} threads"
    )


def run(arguments: argparse.Namespace, folder: Path) -> None:
    data = find_data(arguments.data, folder)
    print_machine("at the start")
    splits = {name: load_split(DataFolder(data), split) for name, split in SPLITS.items()}
    for name, episodes in splits.items():
        CONSOLE.print(f"{name}: {len(episodes)} episodes of {episodes.name} in {episodes.world.describe()}")
    measured: dict[str, Results] = {}
    timers: dict[str, Callable[[Setting, int], Results]] = {
        "training": time_training,
        "evaluation": time_evaluation,
    }
    wanted = {job: timer for job, timer in timers.items() if job in arguments.only}
    for name in arguments.sizes if wanted else []:
        config = SIZES[name].model
        layers = f"{config.language_layers} + {config.crossmodal_layers} layers"
        CONSOLE.print(f"{name}: hidden {config.hidden}, {layers}, without dropout:")
        setting = Setting(SIZES[name], splits, folder)
        check_equality(setting, min(arguments.check, SIZES[name].batch))
        measured[name] = {}
        for timer in wanted.values():
            measured[name] |= timer(setting, arguments.repeats)
        del setting
    if measured:
        print_rates(measured)
    if "growth" in arguments.only:
        measure_growth(arguments.sizes[0], data, folder)
    print_machine("at the end")


SPLITS = {"train": "train", "evaluation": "val_unseen"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=DEFAULT_SIZES, help="growth is of the first")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=JOBS, default=JOBS)
    parser.add_argument("--data", type=Path, help="default: $MTVM_DATA, ../shared/data, or built-in homes")
    parser.add_argument("--check", type=int, default=8, help="episodes on which the two are compared before timing")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.point:
        print(json.dumps(run_point(Point(**json.loads(arguments.point)))))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")  # also of the processes that measure growth
        run(arguments, Path(folder))


if __name__ == "__main__":
    main()
