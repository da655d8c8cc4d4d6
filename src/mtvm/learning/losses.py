"""The loss of a rollout (Eq. 6): imitation, reinforcement, consistency, in the order of the equation.

Each term is a sum over what this process walked, divided by the number of such things in all processes, so that the
gradients of many processes add up to those of one.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from mtvm.learning import parallel
from mtvm.learning.a2c import A2CConfig, a2c_terms
from mtvm.learning.consistency import ConsistencyConfig, consistency_loss
from mtvm.learning.rollout import Rollout


@dataclasses.dataclass(frozen=True)
class LossConfig:
    """Weights of Eq. 6."""

    imitation: float = 0.2
    """lambda_l, of the teacher's actions in a teacher-forced rollout."""
    student: float = 0.0
    """The same in a rollout in which the agent partly goes its own way; 0 has no such rollouts."""
    own_share: float = 0.5
    """Share of the steps at which the student goes its own, sampled way; at the others the teacher leads it."""
    sampled_from: int = 0
    """Update before which all rollouts are teacher-forced: a random agent's own way teaches little."""
    reinforcement: float = 1.0
    """Of the A2C term in a sampled rollout; 0 leaves it out."""
    a2c: A2CConfig = dataclasses.field(default_factory=A2CConfig)
    consistency: ConsistencyConfig = dataclasses.field(default_factory=ConsistencyConfig)
    word_dropping: float = 0.0
    """Without consistency: drop words of the instruction with this probability, as plain augmentation."""


def rollout_loss(
    rollout: Rollout, imitation_weight: float, config: LossConfig, batch: int, share: float = 1.0
) -> tuple[Tensor, dict[str, float]]:
    """The loss of this process's part of a rollout over `batch` episodes in all processes; and its parts to log, each
    already divided by the common count, so that their sum over processes is the mean.

    If a batch is walked in parts, `share` is how much of it this is: what is a mean over steps or tokens is then a mean
    over this part's, weighed by its share.
    """
    counts = [rollout.live.sum()]
    counts += [mean.count for mean in (rollout.language, rollout.crossmodal) if mean is not None]
    totals = parallel.total(torch.stack(counts).to(torch.float64)).clamp(min=1).to(torch.float32).tolist()
    totals = [count / share for count in totals]
    loss = rollout.live.new_zeros((), dtype=torch.float32)
    parts: dict[str, float] = {}
    if rollout.imitation is not None and imitation_weight > 0:
        imitation = rollout.imitation / batch
        loss = loss + imitation_weight * imitation
        parts["imitation"] = imitation.item()
    if rollout.rewards is not None:
        assert rollout.log_probabilities is not None
        assert rollout.entropies is not None
        assert rollout.values is not None
        assert rollout.bootstrap is not None
        terms = a2c_terms(
            rollout.log_probabilities,
            rollout.entropies,
            rollout.values,
            rollout.rewards,
            rollout.live,
            rollout.bootstrap,
            config.a2c,
        )
        loss = loss + config.reinforcement * terms.loss(config.a2c) / totals[0]
        parts["policy"] = terms.policy.item() / totals[0]
        parts["value"] = terms.value.item() / totals[0]
        parts["entropy"] = terms.entropy.item() / totals[0]
        parts["return"] = float(rollout.rewards.sum()) / batch
    if rollout.language is not None and rollout.crossmodal is not None:
        language, crossmodal = rollout.language.total / totals[1], rollout.crossmodal.total / totals[2]
        loss = loss + consistency_loss(language, crossmodal, config.consistency)
        parts["language_consistency"], parts["crossmodal_consistency"] = language.item(), crossmodal.item()
    return loss, parts
