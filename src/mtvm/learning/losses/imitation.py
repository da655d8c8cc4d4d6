"""Imitation learning: the negative log-probability of the teacher's actions (first term of Eq. 6)."""

from __future__ import annotations

import torch
from torch.nn import functional

from mtvm.configs.run import ImitationConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.trace import Needs, Policy, Trace

_IGNORED = -100
"""The label of episodes that have stopped."""


class Imitation(Loss):
    """The sum over an episode's steps of -log a(a*), averaged over episodes."""

    needs = Needs(teacher=True)

    def __init__(self, config: ImitationConfig) -> None:
        self.weights: dict[Policy, float] = {"teacher": config.first_weight, "student": config.student_weight}

    def applies_to(self, policy: Policy) -> bool:
        return self.weights.get(policy, 0.0) > 0

    def __call__(self, trace: Trace) -> list[Term]:
        steps = []
        for step in trace.steps:
            assert step.teacher is not None
            wanted = step.teacher.masked_fill(~step.live, _IGNORED)
            logits = step.outputs[0].logits
            steps.append(functional.cross_entropy(logits, wanted, ignore_index=_IGNORED, reduction="sum"))
        return [Term("imitation", torch.stack(steps).sum(), trace.batch, self.weights[trace.policy])]
