"""The consistency loss as the released code computes it, which is not that of Eq. 3 to 5.

It compares the layers of one pass with each other instead of the full with the dropped instruction, only at the last
step of a rollout, over the token axis, padding and stopped episodes included. `docs/paper-vs-code.md` says more.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from mtvm.configs.run import ConsistencyConfig
from mtvm.learning.batch import Batch
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs, Trace
from mtvm.models.language import Text
from mtvm.models.text import Tokens

LAYERS = 4
"""The released loop works with this number of cross-modal layers alone."""

Layers = list[tuple[Tensor, Tensor]]
"""The outputs of each layer: text and vision."""


class ReleasedConsistency(Loss):
    needs = Needs(context=True, layers=True, ended=True)
    masks_words = True

    def __init__(self, config: ConsistencyConfig) -> None:
        self.config, self.weights = config, config.weights(6.0, 2.0)

    def vary(self, batch: Batch, draws: Tensor) -> Variant:
        """x' for the language term."""
        return Variant(with_fewer_keys(batch.tokens, self.config.drop_rate, draws))

    def mask_words(self, text: Text, draws: Tensor) -> Text:
        """For the cross-modal term: X again at each step, with a share 1 - `drop_rate` of its tokens as keys."""
        return text.masked(draws < 1 - self.config.drop_rate)

    def __call__(self, trace: Trace) -> list[Term]:
        full, dropped = trace.text.variant(0).states, trace.text.variant(trace.variants[self].number).states
        passes = [step.layers for step in trace.steps[-1].outputs]
        batch, weights = trace.batch, self.weights
        return [
            Term("language_consistency", divergence(full, dropped) * batch, batch, weights[0]),
            Term("crossmodal_consistency", between_layers(*passes) * batch, batch, weights[1]),
        ]


def with_fewer_keys(tokens: Tokens, share: float, draws: Tensor) -> Tokens:
    """The texts with a share of their tokens as keys, each drawn by itself; all are encoded."""
    kept = draws[:, : tokens.ids.shape[1]].to(tokens.ids.device) < share
    return dataclasses.replace(tokens, hidden=tokens.mask & ~kept)


def between_layers(*passes: Layers) -> Tensor:
    """Of each pass, text and vision: how far the first two layers are from the last two."""
    terms = []
    for layers in passes:
        for first, second, third, fourth in zip(*layers, strict=True):
            terms += [divergence(first, third), divergence(second, fourth)]
    return torch.stack(terms).sum()


def divergence(one: Tensor, other: Tensor) -> Tensor:
    """D of two (B, n, hidden) tensors: softmax over the tokens, both directions, the mean over all numbers.

    The distribution that weighs is a target without gradient.
    """
    first, second = one.log_softmax(dim=1), other.log_softmax(dim=1)

    def towards(target: Tensor, moving: Tensor) -> Tensor:
        target = target.detach()
        return (target.exp() * (target - moving)).mean()

    return towards(first, second) + towards(second, first)
