"""Walking a batch of episodes with the model, as arrays: teacher-forced, sampled or greedy.

Language is encoded once, each step is one pass over the episodes that are still running, and those that have ended
leave the batch. What a loss needs is collected on the way, as (T, B) tensors over steps and episodes.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.learning.consistency import (
    ConsistencyConfig,
    Mean,
    PairedText,
    crossmodal_consistency,
    language_consistency,
    step_pair,
)
from mtvm.learning.imitation import imitation_loss
from mtvm.learning.instructions import Encoded, encode
from mtvm.learning.rewards import Rewards
from mtvm.learning.teacher import Follow, Teacher
from mtvm.learning.vision import Vision
from mtvm.models.attention import take
from mtvm.models.crossmodal import Attention
from mtvm.models.history import Past
from mtvm.models.language import Text
from mtvm.models.model import MTVM, Step
from mtvm.models.text import Tokens
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.simulator import STOP, Observation, Simulator

Policy = Literal["teacher", "student", "sample", "greedy"]
"""teacher: its actions. sample: drawn from the agent's own. student: at each step one or the other, by chance."""


@dataclasses.dataclass(frozen=True)
class RolloutPlan:
    """How to walk, and what to collect."""

    policy: Policy
    max_steps: int
    follow: Follow = "goal"
    """Whom the teacher leads where; only `policy` teacher and `imitation` ask it."""
    imitation: bool = False
    """Collect the loss of the teacher's actions along the way that is walked."""
    reinforcement: bool = False
    """Collect log-probabilities, entropies, values and rewards."""
    consistency: ConsistencyConfig | None = None
    """Walk with the full and the dropped instruction side by side, and collect how far apart they are."""
    probabilities: bool = False
    attention: bool = False
    own_share: float = 1.0
    """Of a student's steps, the share at which it goes its own way; at the others the teacher leads it."""
    noise: Tensor | None = None
    """(max_steps, B) random numbers from 0 to 1 that a sampled walk is drawn with."""
    lead_noise: Tensor | None = None
    """(max_steps, B) random numbers from 0 to 1 that decide who leads a student."""
    word_noise: Tensor | None = None
    """(B, words) random numbers from 0 to 1 that decide which words are dropped, of texts that are not encoded yet."""
    mirrored: NDArray[np.bool_] | None = None
    """(B,) true for episodes that are walked in a mirrored building; their texts must be mirrored too."""

    @property
    def has_teacher(self) -> bool:
        return self.imitation or self.policy in ("teacher", "student")


@dataclasses.dataclass
class StepTrace:
    """What was seen of the model at one step, for those who look inside."""

    rows: NDArray[np.int64]
    """(b,) episodes of the batch that were running."""
    probabilities: NDArray[np.float32]
    """(b, K + 1) of candidates and STOP."""
    counts: NDArray[np.int64]
    """(b,) number of candidates; STOP stands after them."""
    attention: Attention | None
    text_mask: NDArray[np.bool_]
    stream_mask: NDArray[np.bool_]


@dataclasses.dataclass
class Rollout:
    """What B episodes did in at most T steps."""

    nodes: NDArray[np.int64]
    """(B, T + 1) where they were, the start first; -1 pads."""
    views: NDArray[np.int64]
    """(B, T + 1) the view that they faced."""
    stopped: NDArray[np.bool_]
    """(B,) true for those that chose to stop; the others ran out of steps."""
    live: Tensor
    """(T, B) true where the episode was still running."""
    imitation: Tensor | None = None
    """The sum over episodes and steps of the teacher's negative log-probability."""
    log_probabilities: Tensor | None = None
    entropies: Tensor | None = None
    values: Tensor | None = None
    rewards: Tensor | None = None
    """(T, B), like the three above."""
    bootstrap: Tensor | None = None
    """(B,) the critic's value of where they were left, 0 for those that stopped."""
    language: Mean | None = None
    crossmodal: Mean | None = None
    traces: list[StepTrace] = dataclasses.field(default_factory=list)

    @property
    def steps(self) -> int:
        """Steps of all episodes together."""
        return int(self.live.sum())


class Walkers:
    """The episodes of a rollout that are still running."""

    def __init__(self, model: MTVM, vision: Vision, episodes: EpisodeSet, encoded: Encoded, plan: RolloutPlan) -> None:
        self.model, self.vision, self.plan = model, vision, plan
        self.rows = np.arange(len(episodes))
        self.mirrored = plan.mirrored
        self.simulator = Simulator(episodes.world)
        self.simulator.reset(episodes.starts, episodes.headings)
        self.teacher = Teacher(episodes, plan.follow) if plan.has_teacher else None
        self.rewards: Rewards | None = None
        if plan.reinforcement:
            paths = (episodes.references, episodes.via, episodes.goals)
            self.rewards = Rewards(episodes.world, self.simulator.node, *(nodes.astype(np.int64) for nodes in paths))
        self.pair = encoded if isinstance(encoded, PairedText) else None
        self.text: Text = encoded.full if isinstance(encoded, PairedText) else encoded
        self.past: Past = model.start(self.text)

    def observe(self) -> Observation:
        return self.simulator.observe(None if self.teacher is None else self.teacher.heading_for(self.simulator.node))

    def think(self, candidates: Tensor, counts: Tensor) -> tuple[Step, Step | None]:
        """The step of the model, and the same with words dropped if consistency is asked for."""
        if self.pair is not None:
            return step_pair(self.model, self.pair, self.past, candidates, counts)
        need_rest = self.plan.reinforcement or self.model.config.history == "recurrent"
        step = self.model.step(
            self.text, self.past, candidates, counts, need_rest=need_rest, need_attention=self.plan.attention
        )
        return step, None

    def value(self) -> Tensor:
        """(b,) the critic's value of where they are, without gradients."""
        with torch.no_grad():
            seen = self.simulator.observe()
            counts = torch.from_numpy(seen.count).to(self.model.device)
            candidates = self.vision.candidates(seen, self.mirrored)
            return self.model.value(self.model.step(self.text, self.past, candidates, counts))

    def go_on(self, step: Step, chosen: Tensor, going: NDArray[np.int64], panorama: Tensor | None) -> None:
        """Remember the step, and leave behind all but the episodes at `going`."""
        if len(going) < len(self.rows):
            kept = torch.from_numpy(going).to(self.model.device)
            self.rows = self.rows[going]
            self.mirrored = None if self.mirrored is None else self.mirrored[going]
            self.simulator.keep(going)
            if self.teacher is not None:
                self.teacher.keep(going)
            if self.rewards is not None:
                self.rewards.keep(going)
            self.past, self.text = self.past.keep(kept), self.text.keep(kept)
            self.pair = None if self.pair is None else self.pair.keep(kept)
            step, chosen = step.select(lambda batch: take(batch, kept)), chosen[kept]
            panorama = None if panorama is None else panorama[kept]
        direction = self.vision.facing(self.simulator.view, self.mirrored)
        self.past = self.model.remember(self.past, step, chosen, direction, panorama)


def roll_out(model: MTVM, vision: Vision, episodes: EpisodeSet, told: Tokens | Encoded, plan: RolloutPlan) -> Rollout:
    """Walk all episodes until they stop or `max_steps` are over. What they are told may be encoded already, with its
    dropped words if the plan asks for consistency."""
    device, batch = model.device, len(episodes)
    if isinstance(told, Tokens):
        told = encode(model, told.to(device), plan.consistency, plan.word_noise)
    walkers = Walkers(model, vision, episodes, told, plan)
    nodes = np.full((batch, plan.max_steps + 1), -1, dtype=np.int64)
    views = np.full_like(nodes, -1)
    nodes[:, 0], views[:, 0] = walkers.simulator.node, walkers.simulator.view
    stopped = np.zeros(batch, dtype=bool)
    collected = _Collected(batch, device)
    for number in range(plan.max_steps):
        seen = walkers.observe()
        counts = torch.from_numpy(seen.count).to(device)
        step, dropped = walkers.think(vision.candidates(seen, walkers.mirrored), counts)
        label = _places(seen, device) if plan.has_teacher else None
        chosen = _choose(step, counts, label, plan, number, walkers.rows)
        collected.take(walkers, step, dropped, chosen, label)
        panorama = vision.panorama(seen, walkers.mirrored) if model.history.needs_panorama else None
        places = chosen.cpu().numpy()
        stopping = places == seen.count
        walkers.simulator.step(np.where(stopping, STOP, places))
        if walkers.rewards is not None:
            collected.rewards.append((walkers.rows, walkers.rewards.step(walkers.simulator.node, stopping)))
        stopped[walkers.rows] = stopping
        going = np.nonzero(~stopping)[0]
        moved = walkers.rows[going]
        nodes[moved, number + 1] = walkers.simulator.node[going]
        views[moved, number + 1] = walkers.simulator.view[going]
        if not len(going):
            walkers.rows = moved
            break
        walkers.go_on(step, chosen, going, panorama)
    return collected.rollout(walkers, nodes, views, stopped)


def _places(seen: Observation, device: torch.device) -> Tensor:
    """The teacher's actions as places among the current tokens, where STOP stands after the candidates."""
    assert seen.teacher is not None
    return torch.from_numpy(np.where(seen.teacher == STOP, seen.count, seen.teacher)).to(device)


def _choose(
    step: Step, counts: Tensor, label: Tensor | None, plan: RolloutPlan, number: int, rows: NDArray[np.int64]
) -> Tensor:
    """(b,) places among the current tokens."""
    if plan.policy == "teacher":
        assert label is not None
        return label
    if plan.policy == "greedy":
        return step.logits.argmax(dim=1)
    reached = step.logits.detach().float().softmax(dim=1).cumsum(dim=1)
    threshold = _drawn(plan.noise, number, rows).to(reached.device)[:, None] * reached[:, -1:]
    sampled = torch.minimum((reached <= threshold).sum(dim=1), counts)
    if plan.policy == "sample":
        return sampled
    assert label is not None
    own = _drawn(plan.lead_noise, number, rows).to(label.device) < plan.own_share
    return torch.where(own, sampled, label)


def _drawn(noise: Tensor | None, number: int, rows: NDArray[np.int64]) -> Tensor:
    """(b,) random numbers from 0 to 1 for this step of the running episodes."""
    return torch.rand(len(rows)) if noise is None else noise[number, torch.from_numpy(rows)]


class _Collected:
    """What the steps leave behind; at the end each list becomes a (T, B) tensor."""

    def __init__(self, batch: int, device: torch.device) -> None:
        self.batch, self.device = batch, device
        self.live: list[tuple[NDArray[np.int64], Tensor]] = []
        self.log_probabilities: list[Tensor] = []
        self.entropies: list[Tensor] = []
        self.values: list[Tensor] = []
        self.rewards: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
        self.imitation: list[Tensor] = []
        self.crossmodal: list[Mean] = []
        self.traces: list[StepTrace] = []
        self.language: Mean | None = None

    def take(self, walkers: Walkers, step: Step, dropped: Step | None, chosen: Tensor, label: Tensor | None) -> None:
        plan, model = walkers.plan, walkers.model
        if plan.consistency is not None and walkers.pair is not None and dropped is not None:
            variant = plan.consistency.variant
            if self.language is None:
                self.language = language_consistency(walkers.pair, variant)
            with_text = model.config.bidirectional
            self.crossmodal.append(crossmodal_consistency(step, dropped, walkers.pair.real, variant, with_text))
        if plan.imitation and label is not None:
            self.imitation.append(imitation_loss(step.logits, label).sum())
        self.live.append((walkers.rows, torch.ones(len(walkers.rows), dtype=torch.bool, device=self.device)))
        if plan.reinforcement:
            logs = step.logits.log_softmax(dim=1)
            self.log_probabilities.append(logs.gather(1, chosen[:, None])[:, 0])
            self.entropies.append(-(logs.exp() * logs.masked_fill(~step.mask, 0)).sum(dim=1))
            self.values.append(model.value(step))
        if plan.probabilities or plan.attention:
            self.traces.append(
                StepTrace(
                    walkers.rows,
                    step.logits.detach().float().softmax(dim=1).cpu().numpy(),
                    (step.mask.sum(dim=1) - 1).cpu().numpy(),
                    step.attention,
                    step.text_mask.cpu().numpy(),
                    step.stream_mask.cpu().numpy(),
                )
            )

    def rollout(
        self, walkers: Walkers, nodes: NDArray[np.int64], views: NDArray[np.int64], stopped: NDArray[np.bool_]
    ) -> Rollout:
        taken = len(self.live)
        result = Rollout(
            nodes[:, : taken + 1],
            views[:, : taken + 1],
            stopped,
            self._spread([live for _, live in self.live]),
            language=self.language,
            traces=self.traces,
        )
        if self.imitation:
            result.imitation = torch.stack(self.imitation).sum()
        if self.crossmodal:
            total = torch.stack([one.total for one in self.crossmodal]).sum()
            result.crossmodal = Mean(total, torch.stack([one.count for one in self.crossmodal]).sum())
        if walkers.plan.reinforcement:
            result.log_probabilities = self._spread(self.log_probabilities)
            result.entropies = self._spread(self.entropies)
            result.values = self._spread(self.values)
            result.rewards = self._spread([torch.from_numpy(reward).float() for _, reward in self.rewards])
            result.bootstrap = torch.zeros(self.batch, device=self.device)
            if len(walkers.rows):
                left = torch.from_numpy(walkers.rows).to(self.device)
                result.bootstrap[left] = walkers.value().float()
        return result

    def _spread(self, parts: list[Tensor]) -> Tensor:
        """(T, B) of the running episodes' values at each step; zeros after an episode's end."""
        spread = []
        for (rows, _), values in zip(self.live, parts, strict=True):
            values = values.to(self.device)
            if len(rows) < self.batch:
                empty = torch.zeros(self.batch, dtype=values.dtype, device=self.device)
                values = empty.index_copy(0, torch.from_numpy(rows).to(self.device), values)
            spread.append(values)
        return torch.stack(spread)
