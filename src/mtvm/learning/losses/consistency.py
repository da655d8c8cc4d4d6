"""The memory-aware consistency loss (Eq. 3 to 5): an instruction with words dropped should give the same outputs.

The full and the dropped instruction go through both encoders as two variants of one batch, with the same memory and
vision.
"""

from __future__ import annotations

import torch
from torch import Tensor

from mtvm.configs.run import ConsistencyConfig
from mtvm.learning.batch import Batch
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs, Trace
from mtvm.models.packing import Packing
from mtvm.models.text import drop_words


class Consistency(Loss):
    """D over the language encoder's tokens once a rollout, and over the cross-modal encoder's at every step (Eq. 5)."""

    needs = Needs(context=True)

    def __init__(self, config: ConsistencyConfig) -> None:
        self.config, self.weights = config, config.weights(0.6, 0.2)

    def vary(self, batch: Batch, draws: Tensor) -> Variant:
        """x' = RandomDrop(x) (Eq. 3)."""
        return Variant(drop_words(batch.tokens, self.config.drop_rate, draws)[0])

    def __call__(self, trace: Trace) -> list[Term]:
        number = trace.variants[self].number
        full, dropped = trace.text.variant(0), trace.text.variant(number)
        language = kl_divergence(full.states, dropped.states, full.real)
        steps = []
        for step in trace.steps:
            ours, theirs = step.outputs[0], step.outputs[number]
            one, other, mask = ours.stream, theirs.stream, ours.stream_mask
            if trace.text_is_query:  # else there is no X̂: the text is only key and value
                one, other = torch.cat([ours.text, one], dim=1), torch.cat([theirs.text, other], dim=1)
                mask = torch.cat([step.text_real, mask], dim=1)
            steps.append(kl_divergence(one, other, mask))
        total, count = (torch.stack(column).sum() for column in zip(*steps, strict=True))
        return [
            Term("language_consistency", *language, self.weights[0]),
            Term("crossmodal_consistency", total, count, self.weights[1]),
        ]


def kl_divergence(one: Tensor, other: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """D(one || other) + D(other || one) of (B, n, hidden) outputs, summed over tokens, and the number of tokens.

    Each token that is not padding is a distribution over its numbers.
    """
    tokens = Packing(mask)
    first, second = tokens.real(one).log_softmax(dim=-1), tokens.real(other).log_softmax(dim=-1)
    return ((first.exp() - second.exp()) * (first - second)).sum(), mask.sum()
