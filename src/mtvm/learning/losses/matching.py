"""Instruction-path matching: a path should be more probable with its own instruction than with another one's."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from mtvm.config import MatchingConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.rollout import Needs, Policy, StepTrace, Trace
from mtvm.models.text import Tokens


class Matching(Loss):
    """-log sigmoid of the difference of a path's log-probabilities, in teacher-forced rollouts.

    The other instruction is that of another episode of the batch; where both episodes have the same path, nothing is
    compared.
    """

    needs = Needs(teacher=True)

    def __init__(self, config: MatchingConfig) -> None:
        self.config = config

    def applies_to(self, policy: Policy) -> bool:
        return policy == "teacher"

    def drop_words(self, tokens: Tokens, draws: Tensor) -> Tokens:
        """The instructions, each moved on to another episode."""
        batch = len(tokens.ids)
        shift = 1 + int(float(draws[0, 0]) * (batch - 1)) if batch > 1 else 0
        self._others = (torch.arange(batch) + shift) % batch
        return tokens.select(self._others).padded(tokens.ids.shape[1])

    def __call__(self, trace: Trace) -> list[Term]:
        own, other = (
            trace.spread([_log_probability(step, variant) for step in trace.steps]).sum(dim=0)
            for variant in (0, self.variant)
        )
        nodes = torch.from_numpy(trace.nodes)
        differ = (nodes != nodes[self._others]).any(dim=1).to(own.device)
        losses = functional.softplus(other - own)[differ]
        count = int(differ.sum())
        return [
            Term("matching", losses.sum(), count, self.config.weight),
            Term("matching_right", 100.0 * (own > other)[differ].sum(), count, 0.0),
        ]


def _log_probability(step: StepTrace, variant: int) -> Tensor:
    """(b,) of the teacher's actions; 0 for episodes that have stopped."""
    assert step.teacher is not None
    logs = step.outputs[variant].logits.log_softmax(dim=1).gather(1, step.teacher[:, None])[:, 0]
    return logs.masked_fill(~step.live, 0)
