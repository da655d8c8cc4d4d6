"""The memory-aware consistency loss (Eq. 3 to 5): an instruction with words dropped should give the same outputs.

The full and the dropped instruction go through both encoders as two variants of one batch, with the same memory and
vision.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from mtvm.config import ConsistencyConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.rollout import Needs, Trace
from mtvm.models.packing import Packing
from mtvm.models.text import Tokens, drop_words


class Consistency(Loss):
    """D over the language encoder's tokens once a rollout, and over the cross-modal encoder's at every step (Eq. 5)."""

    needs = Needs(rest=True)

    def __init__(self, config: ConsistencyConfig) -> None:
        self.config = config

    def drop_words(self, tokens: Tokens, draws: Tensor) -> Tokens:
        """x' = RandomDrop(x) (Eq. 3)."""
        masked, dropped = drop_words(tokens, self.config.drop_rate, draws)
        return masked if self.config.variant == "paper" else dataclasses.replace(tokens, hidden=dropped)

    def __call__(self, trace: Trace) -> list[Term]:
        divergence = kl_divergence if self.config.variant == "paper" else kl_divergence_over_tokens
        full, dropped = trace.text.variant(0), trace.text.variant(self.variant)
        language = divergence(full.states, dropped.states, full.real)
        steps = []
        for step in trace.steps:
            ours, theirs = step.outputs[0], step.outputs[self.variant]
            one, other, mask = ours.stream, theirs.stream, ours.stream_mask
            if trace.text_is_query:  # else there is no X̂: the text is only key and value
                one, other = torch.cat([ours.text, one], dim=1), torch.cat([theirs.text, other], dim=1)
                mask = torch.cat([step.text_real, mask], dim=1)
            steps.append(divergence(one, other, mask))
        total, count = (torch.stack(column).sum() for column in zip(*steps, strict=True))
        return [
            Term("language_consistency", *language, self.config.language_weight),
            Term("crossmodal_consistency", total, count, self.config.crossmodal_weight),
        ]


def kl_divergence(one: Tensor, other: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """D(one || other) + D(other || one) of (B, n, hidden) outputs, summed over tokens, and the number of tokens.

    Each token that is not padding is a distribution over its numbers.
    """
    real = Packing(mask)
    first, second = real.pack(one).log_softmax(dim=-1), real.pack(other).log_softmax(dim=-1)
    return ((first.exp() - second.exp()) * (first - second)).sum(), mask.sum()


def kl_divergence_over_tokens(one: Tensor, other: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The same with a distribution over the tokens for each hidden number, and no gradient through the targets."""
    hidden = ~mask[..., None]
    first = one.masked_fill(hidden, -torch.inf).log_softmax(dim=1).masked_fill(hidden, 0)
    second = other.masked_fill(hidden, -torch.inf).log_softmax(dim=1).masked_fill(hidden, 0)

    def towards(target: Tensor, moving: Tensor) -> Tensor:
        weight = target.detach().exp().masked_fill(hidden, 0)
        return (weight * (target.detach() - moving)).sum()

    return towards(second, first) + towards(first, second), mask.sum() * one.shape[-1]
