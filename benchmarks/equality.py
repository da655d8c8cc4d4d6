"""Whether ours and the usual loop compute the same: walks, probabilities, losses and gradients."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import torch
from both_loops import CONSOLE, Ours, Setting, StepProbabilities, UsualTraining
from numpy.typing import NDArray
from usual_loop import Size, UsualRollout, Walk

from mtvm.configs.run import LossConfig
from mtvm.learning.agents import walk as evaluate
from mtvm.learning.data import Dataset
from mtvm.learning.trace import Policy
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.world import World

SHORT = 4
"""Steps of sampled walks alone: so few that some are cut, whose returns go on with the critic's values."""
TOLERANCE = 1e-4
READER_TOLERANCE = 1e-3
"""Of probabilities, where our table holds what a frozen reader has read in half precision."""
GRADIENT_TOLERANCE = 1e-4
READER_GRADIENT_TOLERANCE = 1e-3


class DisagreementError(Exception):
    """Ours and the usual loop do not compute the same."""


class Check:
    """A comparison of updates of `count` episodes, without dropout."""

    def __init__(self, size: Size, splits: dict[str, EpisodeSet], folder: Path, count: int) -> None:
        model = dataclasses.replace(size.model, dropout=0.0, feature_dropout=0.0, critic_dropout=0.0)
        self.size = dataclasses.replace(size, model=model, batch=count)
        self.setting = Setting(self.size, splits, folder)
        self.dataset = self.setting.datasets["train"].first(4 * count)
        half = model.reader != "none"
        self.tolerance = READER_TOLERANCE if half else TOLERANCE
        self.gradient_tolerance = READER_GRADIENT_TOLERANCE if half else GRADIENT_TOLERANCE

    def run(self) -> None:
        """Compare an update of each kind of rollout, one of all kinds, and greedy walks; say what was seen."""
        policies = self.size.policies
        for policy in policies:
            self.compare([policy])
        if len(policies) > 1:
            self.compare(policies)
        self.compare_evaluation()

    def compare(self, policies: list[Policy]) -> None:
        """Compare an update with these rollouts."""
        size = dataclasses.replace(self.size, loss=only(self.size.loss, policies))
        horizon = SHORT if policies == ["sample"] else self.dataset.horizon
        dataset = dataclasses.replace(self.dataset, horizon=horizon)
        ours = Ours(self.setting.model, size, dataset, clip=0.0, keep=True)
        rows = ours.next_rows()
        walks = [Walk(policy, ours.next_draws(policy), passes=size.passes, horizon=horizon) for policy in policies]
        mine = ours.update()
        usual = UsualTraining(self.setting.usual("train", size), clip=0.0, keep=True)
        theirs = usual.update(dataset, rows, walks)
        CONSOLE.print(f"  an update of {', '.join(policies)}:")
        ties = 0
        for policy, rollout in theirs.rollouts.items():
            paths = our_paths(self.dataset.episodes.world, mine.nodes[policy])
            same = same_walks(paths, rollout.paths, rollout.margins)
            CONSOLE.print(f"    {policy}: {same} of {len(rows)} walks the same, at most {max(rollout.lengths)} steps")
            ties += len(rows) - same
            if same == len(rows) and len(policies) == 1:  # after a tie everything differs
                self.compare_rollout(policy, mine.recorded, mine.probabilities[policy], rollout)
        assert mine.gradient is not None
        assert theirs.gradient is not None
        apart = float((mine.gradient - theirs.gradient).norm() / theirs.gradient.norm())
        CONSOLE.print(f"    gradients: {apart:.0e} apart, of norm {float(theirs.gradient.norm()):.3g}")
        if not ties and apart > self.gradient_tolerance:
            raise DisagreementError(f"{', '.join(policies)}: gradients differ by {apart:.0e}")

    def compare_rollout(
        self, policy: Policy, recorded: dict[str, float], ours: list[StepProbabilities], theirs: UsualRollout
    ) -> None:
        """Compare the terms of the loss and the probabilities of every action."""
        for name, value in theirs.parts.items():
            mine = recorded[f"{policy}_{name}"]
            relative = abs(mine - value) / max(abs(value), 1e-6)
            CONSOLE.print(f"    {name}: ours {mine:.6g}, usual {value:.6g} ({relative:.0e})")
            if relative > TOLERANCE:
                raise DisagreementError(f"{policy}: {name} differs by {relative:.0e}")
        difference = probability_difference(ours, theirs)
        CONSOLE.print(f"    probabilities of actions differ by at most {difference:.0e}")
        if difference > self.tolerance:
            raise DisagreementError(f"{policy}: probabilities differ by {difference:.0e}")
        if policy == "teacher":
            self.check_control(theirs)

    def check_control(self, theirs: UsualRollout) -> None:
        """The comparison must be one that could fail: with other episodes' texts the probabilities must be others."""
        tokens = self.dataset.tokens.select(torch.arange(len(self.dataset)).roll(1))
        size = dataclasses.replace(self.size, loss=only(self.size.loss, ["teacher"]))
        done = Ours(self.setting.model, size, dataclasses.replace(self.dataset, tokens=tokens), keep=True).update()
        difference = probability_difference(done.probabilities["teacher"], theirs)
        imitation = done.recorded["teacher_imitation"]
        CONSOLE.print(f"    (control: by {difference:.0e} with other texts; imitation would be {imitation:.6g})")
        if difference < 10 * READER_TOLERANCE:
            raise DisagreementError("what is compared hardly depends on the text, so the comparison says nothing")

    @torch.no_grad()
    def compare_evaluation(self) -> None:
        count = self.size.batch
        dataset: Dataset = self.setting.datasets["evaluation"].first(count)
        done = evaluate(self.setting.model, dataset, batch=count, show_progress=False)
        usual = self.setting.usual("evaluation")
        usual.plain.train(False)
        theirs = usual.roll_out(dataset.episodes, dataset.tokens, Walk("greedy", learn=False))
        same = same_walks(our_paths(dataset.episodes.world, done.nodes), theirs.paths, theirs.margins)
        steps = sum(theirs.lengths) / count
        CONSOLE.print(f"  greedy: {same} of {count} walks the same, {steps:.1f} steps an episode")


def only(loss: LossConfig, policies: list[Policy]) -> LossConfig:
    """The losses without the rollouts of other policies."""
    imitation, a2c = loss.imitation, loss.a2c
    return dataclasses.replace(
        loss,
        imitation=dataclasses.replace(
            imitation,
            weight=imitation.weight if "teacher" in policies else 0.0,
            student_weight=imitation.student_weight if "student" in policies else 0.0,
        ),
        a2c=dataclasses.replace(a2c, weight=a2c.weight if "sample" in policies else 0.0),
    )


def our_paths(world: World, nodes: NDArray[np.int64]) -> list[list[str]]:
    return [world.viewpoints[row[row >= 0]].tolist() for row in nodes]


def probability_difference(ours: list[StepProbabilities], theirs: UsualRollout) -> float:
    """The largest of any action at any step of walks that are the same."""
    largest = 0.0
    for step, usual in zip(ours, theirs.probabilities, strict=True):
        for place, (row, stop) in enumerate(zip(step.rows.tolist(), step.stop.tolist(), strict=True)):
            apart = (step.values[place, : stop + 1] - usual[row, : stop + 1]).abs()
            largest = max(largest, float(apart.max()))
    return largest


def same_walks(ours: list[list[str]], theirs: list[list[str]], margins: list[list[float]]) -> int:
    """How many are the same; one that leaves the other where two actions were as good as equal is skipped."""
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
