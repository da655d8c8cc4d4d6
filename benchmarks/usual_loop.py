"""The usual loop of VLN code, restated: see `benchmarks/training.py`."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import torch
from model import Plain
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from mtvm.features.store import FeatureStore
from mtvm.learning.consistency import divergence
from mtvm.learning.losses import LossConfig
from mtvm.learning.rollout import Policy
from mtvm.learning.teacher import Follow
from mtvm.models.config import ModelConfig
from mtvm.models.model import MTVM
from mtvm.models.text import MASK, PAD, Tokens, drop_words
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import SUCCESS_RADIUS
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, nearest_view
from mtvm.world.world import World

HORIZON = 15


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
