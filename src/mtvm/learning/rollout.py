"""Walking a batch of episodes with the model, as arrays: teacher-forced, sampled or greedy.

Each step is one pass over the episodes that are still running; those that have ended leave the batch. A rollout only
says what happened, step by step; the losses are computed from that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from mtvm.acting.navigator import at_starts
from mtvm.acting.walk import Path
from mtvm.learning.trace import RolloutPlan, Rows, StepTrace, Trace
from mtvm.models.history import KnownWalks, Past
from mtvm.models.language import Text
from mtvm.models.network import Network, Output
from mtvm.models.places import Places
from mtvm.models.seeing import Vision
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.teacher import Teacher
from mtvm.world.simulator import Observation

_AT_ONCE = 8192
"""Tokens that are computed in one pass over known walks, if a step has not more."""

Watch = Callable[[StepTrace], None]


def computes_at_once(model: Network, text: Text, plan: RolloutPlan) -> bool:
    """Whether the steps of a rollout that is learned from are computed in one pass, after it was walked.

    A teacher walks without the model. Others need it: on a CPU, walking first costs more than one pass then saves,
    unless losses see several variants of the texts, of which a walk needs one.
    """
    pays = not _asks(plan) or text.variants > 1 or model.device.type != "cpu"
    return pays and model.computes_walks and not plan.needs.ended


def _asks(plan: RolloutPlan) -> bool:
    """Whether walking needs the model."""
    return plan.policy != "teacher" or plan.needs.rewards


def roll_out(
    model: Network,
    vision: Vision,
    episodes: EpisodeSet,
    text: Text,
    plan: RolloutPlan,
    *,
    keep_steps: bool = False,
    watch: Watch | None = None,
) -> Trace:
    """Walk all episodes until they stop or `max_steps` are over.

    `keep_steps` keeps every step in the trace, as losses need it; `watch` is shown each step as soon as it is taken.

    Where the model can compute known walks at once, a rollout that keeps its steps may be walked first, without
    gradients and without dropout, by the teacher without the model; all steps that the losses see are then computed in
    one pass.
    """
    at_once = keep_steps and computes_at_once(model, text, plan)
    running = (_WalkingFirst if at_once else _Running)(model, vision, episodes, text, plan)
    path = Path(running.navigator.simulator)
    stopped, lengths = np.zeros(len(episodes), dtype=bool), np.zeros(len(episodes), dtype=np.int64)
    steps: list[StepTrace] = []
    for number in range(plan.max_steps):
        step = running.think(number)
        actions = step.actions.cpu().numpy()
        stopping = step.seen.actions.is_stop(actions)
        walked = step.walked = running.navigator.go(actions)
        path.add(step.rows, walked, running.navigator.simulator.view)
        if running.rewards is not None:
            earned = np.where(running.ended, 0.0, running.rewards.step(walked, stopping))
            step.rewards = torch.from_numpy(earned).float().to(model.device)
        stopped[step.rows] |= stopping
        lengths[step.rows] += ~running.ended
        if keep_steps:
            steps.append(step)
        if watch is not None:
            watch(step)
        if stopped[step.rows].all():
            running.ended[:] = True
            break
        running.go_on(step, stopping)
    left = running.values_left(len(episodes)) if plan.needs.rewards else None
    if isinstance(running, _WalkingFirst):
        running.compute(steps)
    nodes, views = path.padded()
    return Trace(
        plan.policy,
        nodes,
        views,
        stopped,
        lengths,
        text,
        model.text_is_query,
        episodes,
        vision,
        plan.mirrored,
        plan.variants,
        steps,
        left,
    )


class _Running:
    """The episodes of a rollout that are still running."""

    def __init__(self, model: Network, vision: Vision, episodes: EpisodeSet, text: Text, plan: RolloutPlan) -> None:
        self.model, self.vision, self.plan, self.text = model, vision, plan, text
        self.rows = np.arange(len(episodes))
        self.ended = np.zeros(len(episodes), dtype=bool)
        self.mirrored, self.turned, self.kept_features = plan.mirrored, plan.turned, plan.kept_features
        self.navigator = at_starts(model.config.actions, episodes)
        self.teacher = Teacher(episodes, plan.follow) if plan.has_teacher else None
        self.rewards = Rewards(episodes) if plan.needs.rewards else None
        self.past: Past = model.start(text, self._facing())

    def think(self, number: int) -> StepTrace:
        """What the model makes of where the episodes are, and the actions to take."""
        model, plan, seen = self.model, self.plan, self.navigator.observe()
        tokens, mask = self.vision.actions(seen, self.mirrored, self.kept_features)
        outputs = self.outputs(tokens, mask, number)
        teacher = None
        if self.teacher is not None:
            teacher = torch.from_numpy(self.navigator.right_actions(self.teacher)).to(model.device)
        if plan.policy == "teacher":
            assert teacher is not None
            actions = teacher
        else:
            actions = _choose(outputs[0].logits, seen, teacher, plan, number, self.rows)
        values = self.values(outputs)
        live = torch.from_numpy(~self.ended).to(model.device)
        return StepTrace(self.rows, seen, outputs, self.text.real, actions, teacher, live, values)

    def outputs(self, tokens: Tensor, mask: Tensor, number: int) -> list[Output]:
        """What the model makes of the actions' tokens, with each variant of the texts."""
        text = self._masked(self.text, [(number, self.rows)])
        output = self.model.step(
            text, self.past, tokens, mask, need_context=self._need_context, need_layers=self.plan.needs.layers
        )
        return output.variants(text.variants)

    def values(self, outputs: list[Output]) -> Tensor | None:
        """(b,) the critic's values, if they are needed."""
        return self.model.value(outputs[0]) if self.plan.needs.rewards else None

    @property
    def _need_context(self) -> bool:
        return self.plan.needs.context or self.plan.needs.rewards or self.model.needs_context

    def _masked(self, text: Text, steps: Sequence[tuple[int, Rows]]) -> Text:
        """The texts of some steps, each with its number and the rows of its episodes, as losses want them."""
        if self.plan.mask_words is None:
            return text
        shape = text.real.shape[1:]
        draws = torch.cat([_draws(self.plan.word_draws, number, rows, shape) for number, rows in steps])
        return self.plan.mask_words(text, draws.to(self.model.device))

    def go_on(self, step: StepTrace, stopping: NDArray[np.bool_]) -> None:
        """Remember the step, and leave behind the episodes that have stopped, unless they are still needed."""
        model = self.model
        going = np.nonzero(~stopping)[0]
        if self.plan.needs.ended:
            going, self.ended = np.arange(len(stopping)), self.ended | stopping
        # Before the others are left behind: one token of each episode is copied then, not all that the step gave.
        self.remember(step)
        if len(going) < len(self.rows):
            kept = torch.from_numpy(going).to(model.device)
            self.rows, self.ended = self.rows[going], self.ended[going]
            self.mirrored = None if self.mirrored is None else self.mirrored[going]
            self.turned = None if self.turned is None else self.turned[going]
            self.kept_features = None if self.kept_features is None else self.kept_features[torch.from_numpy(going)]
            self.navigator.keep(going)
            if self.teacher is not None:
                self.teacher.keep(going)
            if self.rewards is not None:
                self.rewards.keep(going)
            self.past, self.text = self.past.keep(kept), self.text.keep(kept)

    def remember(self, step: StepTrace) -> None:
        model, output, panorama = self.model, step.outputs[0], None
        if self.plan.needs.ended:
            output = _without_activations(output, torch.from_numpy(self.ended).to(model.device))
        if model.needs_panorama:
            panorama = self.vision.panorama(step.seen, self.mirrored, self.kept_features)
        self.past = model.remember(self.past, output, step.actions, self._facing(), panorama)

    def _facing(self) -> Tensor:
        """(b, angle width) where the agents look now."""
        return self.vision.facing(self.navigator.simulator.view, self.mirrored, self.turned)

    @torch.no_grad()
    def values_left(self, batch: int) -> Tensor:
        """(batch,) the critic's value of where the running episodes are, 0 for the others."""
        values = torch.zeros(batch, device=self.model.device)
        rows, running = self.rows[~self.ended], torch.from_numpy(~self.ended).to(values.device)
        if len(rows):
            tokens, mask = self.vision.actions(self.navigator.observe(), self.mirrored, self.kept_features)
            output = self.model.step(self.text.variant(0), self.past, tokens, mask)
            values[torch.from_numpy(rows).to(values.device)] = self.model.value(output)[running].float()
        return values


class _WalkingFirst(_Running):
    """Walks without gradients and dropout; what the losses see is computed afterwards."""

    def __init__(self, model: Network, vision: Vision, episodes: EpisodeSet, text: Text, plan: RolloutPlan) -> None:
        self.given = text
        self._sights: list[tuple[Tensor, Tensor]] = []
        self._directions: list[Tensor] = []
        self._asked = _asks(plan)
        with _deciding(model):
            super().__init__(model, vision, episodes, text.variant(0), plan)

    def outputs(self, tokens: Tensor, mask: Tensor, number: int) -> list[Output]:
        self._sights.append((tokens, mask))
        if not self._asked:
            return []
        with _deciding(self.model):
            return [self.model.step(self.text, self.past, tokens, mask, need_context=self.model.needs_context)]

    def values(self, outputs: list[Output]) -> Tensor | None:
        return None

    def remember(self, step: StepTrace) -> None:
        self._directions.append(self._facing())
        if self._asked:
            with _deciding(self.model):
                super().remember(step)

    def values_left(self, batch: int) -> Tensor:
        with _deciding(self.model):
            return super().values_left(batch)

    def compute(self, steps: list[StepTrace]) -> None:
        """Give the steps the outputs and values that the losses see."""
        past: Past | None = None
        running = np.arange(len(self.given))
        for some in self._passes(steps):
            going, running = np.searchsorted(running, steps[some.start].rows), steps[some.start].rows
            past = self._compute(steps, some, past and past.keep(torch.from_numpy(going).to(self.model.device)))

    @property
    def _shares_texts(self) -> bool:
        """Whether all steps of an episode read the same text, which does not change as they do."""
        return self.plan.mask_words is None and not self.model.text_is_query

    def _passes(self, steps: list[StepTrace]) -> Iterator[slice]:
        """Steps that are computed at once."""
        words = 0 if self._shares_texts else self.given.variants * self.given.real.shape[1]
        first, tokens = 0, 0
        for number, (step, (seen, _)) in enumerate(zip(steps, self._sights, strict=True)):
            more = len(step.rows) * (words + seen.shape[1])
            if first < number and tokens + more > _AT_ONCE:
                yield slice(first, number)
                first, tokens = number, 0
            tokens += more
        yield slice(first, len(steps))

    def _compute(self, steps: list[StepTrace], some: slice, past: Past | None) -> Past:
        """The same for some of the steps; `past` has those before."""
        model, running, sights = self.model, steps[some.start].rows, self._sights[some]
        rows = np.concatenate([step.rows for step in steps[some]])
        width = max(tokens.shape[1] for tokens, _ in sights)
        tokens, mask = (
            torch.cat([functional.pad(part, (0, 0) * (part.ndim - 2) + (0, width - part.shape[1])) for part in parts])
            for parts in zip(*sights, strict=True)
        )
        directions = torch.cat([tokens.new_zeros(0, model.config.angle_width), *self._directions[some]])
        directions = functional.pad(directions, (0, 0, 0, len(rows) - len(directions)))  # after the end nobody looks
        columns = np.repeat(np.arange(len(sights)), [len(step.rows) for step in steps[some]])
        places, of_given = (
            Places(
                batch,
                len(sights),
                torch.from_numpy(numbers).to(model.device),
                torch.from_numpy(columns).to(model.device),
            )
            for batch, numbers in ((len(running), np.searchsorted(running, rows)), (len(self.given), rows))
        )
        chosen = torch.cat([step.actions for step in steps[some]])
        past = model.walked(past, KnownWalks(some.start, places, chosen, directions))
        if self._shares_texts:
            text = self.given.keep(torch.from_numpy(running).to(model.device))
            text = dataclasses.replace(text, places=places)
        else:
            text = self.given.repeated(of_given)
            text = self._masked(text, [(number, steps[number].rows) for number in range(some.start, some.stop)])
        output = model.step(
            text, past, tokens, mask, need_context=self._need_context, need_layers=self.plan.needs.layers
        )
        outputs = output.variants(text.variants)
        values = model.value(outputs[0]) if self.plan.needs.rewards else None
        real = text.real if text.places is None else text.places.repeat(text.real)
        start = 0
        for step in steps[some]:
            of_step = slice(start, start + len(step.rows))
            step.outputs = [one.select(operator.itemgetter(of_step)) for one in outputs]
            step.text_real = real[of_step]
            step.values = None if values is None else values[of_step]
            start = of_step.stop
        return past


@contextlib.contextmanager
def _deciding(model: Network) -> Iterator[None]:
    """A block in which the model decides as it would when evaluated."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def _choose(
    logits: Tensor, seen: Observation, teacher: Tensor | None, plan: RolloutPlan, number: int, rows: Rows
) -> Tensor:
    """(b,) the actions that the policy takes, if it is not the teacher."""
    if plan.policy == "greedy":
        return logits.argmax(dim=1)
    reached = logits.detach().float().softmax(dim=1).cumsum(dim=1)
    threshold = _draws(plan.action_draws, number, rows).to(reached.device)[:, None] * reached[:, -1:]
    stop = torch.from_numpy(seen.count).to(reached.device)
    sampled = torch.minimum((reached <= threshold).sum(dim=1), stop)
    if plan.policy == "sample":
        return sampled
    assert teacher is not None
    own = _draws(plan.student_draws, number, rows).to(teacher.device) < plan.student_share
    return torch.where(own, sampled, teacher)


def _draws(draws: Tensor | None, number: int, rows: Rows, shape: Sequence[int] = ()) -> Tensor:
    """(b, *shape) random numbers from 0 to 1 for this step of the running episodes."""
    return torch.rand(len(rows), *shape) if draws is None else draws[number, torch.from_numpy(rows)]


def _without_activations(step: Output, ended: Tensor) -> Output:
    """The step as the released code remembers it: episodes that have stopped leave zeros in the memory."""
    return dataclasses.replace(step, activations=step.activations.masked_fill(ended[:, None, None], 0))
