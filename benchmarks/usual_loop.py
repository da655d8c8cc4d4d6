"""The usual training loop of VLN code, restated: see `benchmarks/training.py`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import torch
from model import Plain
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from usual_environment import UsualEnvironment, UsualHouses

from mtvm.configs.run import LossConfig
from mtvm.learning.losses.consistency import Consistency
from mtvm.learning.trace import Policy
from mtvm.models.config import ModelConfig
from mtvm.models.model import MTVM
from mtvm.models.text import MASK, PAD, Tokens, drop_words
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.teacher import Follow
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
        """The rollouts of an update."""
        loss = self.loss
        weights: dict[Policy, float] = {
            "teacher": loss.imitation.weight,
            "student": loss.imitation.student_weight,
            "sample": loss.a2c.weight,
        }
        return [policy for policy, weight in weights.items() if weight > 0]

    @property
    def passes(self) -> int:
        """How often a step is computed: with the consistency loss, also with words dropped."""
        return 2 if self.loss.consistency.enabled else 1

    def imitation_weight(self, policy: Policy) -> float:
        imitation = self.loss.imitation
        return {"teacher": imitation.weight, "student": imitation.student_weight}.get(policy, 0.0)


@dataclasses.dataclass
class Draws:
    """The random numbers of a rollout, from 0 to 1, the same for both loops."""

    actions: Tensor
    """(steps, B) that sampled actions are drawn with."""
    student: Tensor
    """(steps, B) that decide who acts in a student rollout."""
    words: Tensor
    """(B, words) that decide which words are dropped."""


@dataclasses.dataclass
class Walk:
    """Which rollout to make of a batch."""

    policy: Policy
    draws: Draws | None = None
    """Not needed where nothing is drawn."""
    learn: bool = True
    """Compute the losses."""
    passes: int = 1
    horizon: int = HORIZON
    follow: Follow = "goal"
    replay: NDArray[np.int64] | None = None
    """(B, N) nodes to walk over, -1 padded, whatever the policy says."""


@dataclasses.dataclass
class UsualRollout:
    loss: Tensor
    parts: dict[str, float]
    """The terms of the loss."""
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
class Collected:
    """What the losses need of the steps: a list for each kind, which grows by one with every step."""

    imitation: list[Tensor] = dataclasses.field(default_factory=list)
    divergences: list[Tensor] = dataclasses.field(default_factory=list)
    compared: list[Tensor] = dataclasses.field(default_factory=list)
    """How many tokens each divergence is a sum over."""
    log_probabilities: list[Tensor] = dataclasses.field(default_factory=list)
    entropies: list[Tensor] = dataclasses.field(default_factory=list)
    values: list[Tensor] = dataclasses.field(default_factory=list)
    rewards: list[Tensor] = dataclasses.field(default_factory=list)
    live: list[Tensor] = dataclasses.field(default_factory=list)
    """(B,) true for episodes that had not ended before the step."""


class Usual:
    """The usual agent: the plain model in the usual loop."""

    def __init__(self, model: MTVM, size: Size, houses: UsualHouses) -> None:
        self.plain, self.size, self.houses = Plain(model), size, houses

    def encode(self, tokens: Tokens, walk: Walk) -> tuple[list[Tensor], Tensor]:
        """X and, with two passes, X'; and which tokens are real. All texts have the greatest length."""
        missing = self.size.model.text_length - tokens.ids.shape[1]
        ids = functional.pad(tokens.ids, (0, missing), value=PAD)
        texts = [self.plain.encode(ids)]
        if walk.passes == 2:
            draws = None if walk.draws is None else walk.draws.words
            _, dropped = drop_words(tokens, self.size.loss.consistency.drop_rate, draws)
            hidden = ids.masked_fill(functional.pad(dropped, (0, missing)), MASK)
            texts.append(self.plain.encode(hidden))
        return texts, ids != PAD

    def roll_out(self, episodes: EpisodeSet, tokens: Tokens, walk: Walk) -> UsualRollout:
        """Walk until all episodes have ended; those that have ended before are computed too."""
        environment = UsualEnvironment(self.houses, episodes, self.size.model, walk.follow)
        batch, reinforce = len(episodes), walk.learn and walk.policy == "sample"
        imitate = walk.learn and self.size.imitation_weight(walk.policy) > 0
        with_teacher = imitate or walk.policy in ("teacher", "student")
        texts, real = self.encode(tokens, walk)
        memory = torch.zeros(batch, 0, self.size.model.token_width)
        progress = [environment.progress(state) for state in environment.states] if reinforce else []
        found, margins, probabilities = Collected(), [[] for _ in range(batch)], []
        for number in range(walk.horizon):
            was_ended = [state["ended"] for state in environment.states]
            found.live.append(~torch.tensor(was_ended))
            observations = environment.observe(with_teacher)
            teacher = torch.tensor([observation["teacher"] for observation in observations]) if with_teacher else None
            current, mask = environment.pad(observations)
            stream, stream_mask = self.plain.stream(memory, current, mask)
            outputs = [self.plain.crossmodal(text, stream, real, stream_mask) for text in texts]
            scores, activations = self.plain.model.head(outputs[0][1][:, memory.shape[1] :])
            logits = scores.masked_fill(~mask, -torch.inf)
            probabilities.append(logits.detach().softmax(dim=1))
            if imitate:
                self.collect_imitation(found, logits, teacher)
            if walk.learn and walk.passes == 2:
                self.collect_consistency(found, outputs, real, stream_mask)
            chosen, margin = self.choose(logits.detach(), walk, number, teacher)
            if walk.replay is not None:
                chosen = self.replayed(observations, walk.replay, number, episodes.world)
            for row in torch.nonzero(found.live[-1])[:, 0].tolist():
                margins[row].append(float(margin[row]))
            environment.step(observations, chosen.tolist())
            if reinforce:
                found.rewards.append(torch.tensor(environment.rewards(progress, was_ended)))
                found.values.append(self.plain.value(*outputs[0], real, stream_mask))
                self.collect_policy(found, logits, chosen)
            token = torch.cat([activations[torch.arange(batch), chosen], environment.directions()], dim=1)
            memory = torch.cat([memory, token[:, None]], dim=1)
            if all(state["ended"] for state in environment.states):
                break
        paths = [state["path"] for state in environment.states]
        left = self.values_left(environment, texts[0], real, memory) if reinforce else None
        loss, parts = self.loss(found, walk, texts, real, left)
        return UsualRollout(loss, parts, paths, probabilities, margins)

    # What the losses need of a step

    def collect_imitation(self, found: Collected, logits: Tensor, teacher: Tensor) -> None:
        target = teacher.masked_fill(~found.live[-1], -100)
        found.imitation.append(functional.cross_entropy(logits, target, reduction="sum", ignore_index=-100))

    def collect_consistency(
        self, found: Collected, outputs: list[tuple[Tensor, Tensor]], real: Tensor, stream_mask: Tensor
    ) -> None:
        seen, mask = [stream for _, stream in outputs], stream_mask
        if self.size.model.bidirectional:
            seen = [torch.cat(output, dim=1) for output in outputs]
            mask = torch.cat([real, stream_mask], dim=1)
        divergence, count = self.plain.divergence(seen[0], seen[1], mask & found.live[-1][:, None])
        found.divergences.append(divergence)
        found.compared.append(count)

    def collect_policy(self, found: Collected, logits: Tensor, chosen: Tensor) -> None:
        logs = logits.log_softmax(dim=1)
        found.log_probabilities.append(logs.gather(1, chosen[:, None])[:, 0])
        found.entropies.append(-(logs.exp() * logs.masked_fill(logits == -torch.inf, 0)).sum(dim=1))

    # The actions

    def choose(self, logits: Tensor, walk: Walk, number: int, teacher: Tensor | None) -> tuple[Tensor, Tensor]:
        """(B,) the actions, and how narrowly they were chosen."""
        if walk.policy == "teacher":
            assert teacher is not None
            return teacher, torch.ones(len(logits))
        if walk.policy == "greedy":
            best = logits.topk(2, dim=1).values
            return logits.argmax(dim=1), best[:, 0] - best[:, 1]
        assert walk.draws is not None
        reached, drawn = logits.softmax(dim=1).cumsum(dim=1), walk.draws.actions[number][:, None]
        last = torch.isfinite(logits).sum(dim=1) - 1
        sampled = torch.minimum((reached <= drawn).sum(dim=1), last)
        margin = (reached - drawn).abs().min(dim=1).values
        if walk.policy == "student":
            assert teacher is not None
            own = walk.draws.student[number] < self.size.loss.imitation.student_share
            sampled = torch.where(own, sampled, teacher)
        return sampled, margin

    def replayed(
        self, observations: list[dict[str, Any]], replay: NDArray[np.int64], number: int, world: World
    ) -> Tensor:
        """(B,) the actions that lead over the nodes of `replay`; STOP after its end."""
        actions = []
        for row, observation in enumerate(observations):
            action = len(observation["candidate"])
            node = replay[row, number + 1] if number + 1 < replay.shape[1] else -1
            if node >= 0:
                names = [candidate["viewpoint"] for candidate in observation["candidate"]]
                action = names.index(str(world.viewpoints[node]))
            actions.append(action)
        return torch.tensor(actions)

    @torch.no_grad()
    def values_left(self, environment: UsualEnvironment, text: Tensor, real: Tensor, memory: Tensor) -> Tensor:
        """(B,) the critic's value of where unfinished episodes were left, 0 for the others."""
        ended = torch.tensor([state["ended"] for state in environment.states])
        if ended.all():
            return torch.zeros(len(ended))
        stream, stream_mask = self.plain.stream(memory, *environment.pad(environment.observe(False)))
        value = self.plain.value(*self.plain.crossmodal(text, stream, real, stream_mask), real, stream_mask)
        return value.masked_fill(ended, 0)

    # The losses

    def loss(
        self, found: Collected, walk: Walk, texts: list[Tensor], real: Tensor, left: Tensor | None
    ) -> tuple[Tensor, dict[str, float]]:
        """The loss of a rollout, and its terms."""
        loss, parts, config = torch.zeros(()), {}, self.size.loss
        if found.imitation:
            imitation = torch.stack(found.imitation).sum() / len(real)
            loss = loss + self.size.imitation_weight(walk.policy) * imitation
            parts["imitation"] = imitation.item()
        if left is not None:
            a2c, terms = self.a2c(found, left)
            loss, parts = loss + config.a2c.weight * a2c, parts | terms
        if found.divergences:
            total, count = self.plain.divergence(texts[0], texts[1], real)
            language = total / count
            crossmodal = torch.stack(found.divergences).sum() / torch.stack(found.compared).sum()
            language_weight, crossmodal_weight = Consistency(config.consistency).weights
            loss = loss + language_weight * language + crossmodal_weight * crossmodal
            parts |= {"language_consistency": language.item(), "crossmodal_consistency": crossmodal.item()}
        return loss, parts

    def a2c(self, found: Collected, left: Tensor) -> tuple[Tensor, dict[str, float]]:
        config, following = self.size.loss.a2c, left
        policy, value, entropy, steps = torch.zeros(()), torch.zeros(()), torch.zeros(()), 0
        for number in reversed(range(len(found.rewards))):
            live, values = found.live[number], found.values[number]
            following = torch.where(live, found.rewards[number] + config.gamma * following, following)
            advantage = (following - values).detach()
            policy = policy - (found.log_probabilities[number] * advantage * live).sum()
            value = value + ((following - values) ** 2 * live).sum()
            entropy = entropy + (found.entropies[number] * live).sum()
            steps += int(live.sum())
        loss = (policy + config.value_coefficient * value - config.entropy_coefficient * entropy) / steps
        terms = {"policy": policy, "value": value, "entropy": entropy}
        return loss, {name: term.item() / steps for name, term in terms.items()}
