"""The memory-aware consistency loss (Eq. 3 to 5): half the words of an instruction should give the same thoughts.

The full and the dropped instruction go through both encoders as one batch of twice the size, the full ones first, with
the same memory and vision.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import torch
from torch import Tensor

from mtvm.models.attention import Packing
from mtvm.models.history import Past
from mtvm.models.language import Text
from mtvm.models.model import MTVM, Step
from mtvm.models.text import Tokens, drop_words

Variant = Literal["paper", "released"]


@dataclasses.dataclass(frozen=True)
class ConsistencyConfig:
    """Weights and the kind of dropping."""

    enabled: bool = True
    """Off leaves out the loss and its second pass."""
    drop_rate: float = 0.5
    """Probability with which a word is dropped."""
    language_weight: float = 0.6
    """lambda_s of Eq. 5."""
    crossmodal_weight: float = 0.2
    """lambda_m of Eq. 5."""
    variant: Variant = "paper"
    """paper: dropped words become [MASK]; a softmax over each token's numbers. released: dropped words are hidden from
    attention; a softmax over the token axis, mean over everything, targets without gradients."""


@dataclasses.dataclass
class PairedText:
    """X and X' of B episodes as one batch of 2 B."""

    both: Text
    real: Tensor
    """(B, L), true for tokens that are not padding, dropped or not."""

    @property
    def full(self) -> Text:
        """X, for the history to start from."""
        half = len(self.both.states) // 2
        cache = [tuple(part[:half] for part in parts) for parts in self.both.cache]
        mask = self.both.mask[:half]
        return Text(self.both.states[:half], mask, Packing(mask, self.both.packing.drop), cache)

    def keep(self, rows: Tensor) -> PairedText:
        """The pairs of the episodes at `rows` (indices or a mask), which go on."""
        rows = rows.nonzero()[:, 0] if rows.dtype == torch.bool else rows
        half, length = len(self.both.states) // 2, int(self.real[rows].sum(dim=1).max()) if len(rows) else 0
        return PairedText(self.both.part(torch.cat([rows, rows + half]), length), self.real[rows][:, :length])


def encode_pair(model: MTVM, tokens: Tokens, config: ConsistencyConfig, draws: Tensor | None = None) -> PairedText:
    """X = S(x) and X' = S(x') with x' = RandomDrop(x) (Eq. 3), in one pass; `draws` as in `drop_words`."""
    tokens = model.language.read(tokens)  # before words are dropped, as a table of read texts has it
    masked, dropped = drop_words(tokens, config.drop_rate, draws)
    real = tokens.mask
    words = tokens.words.repeat(2, 1)
    states = None if tokens.states is None else tokens.states.repeat(2, 1, 1)
    if config.variant == "paper":
        return PairedText(model.encode(Tokens(torch.cat([tokens.ids, masked.ids]), words, states)), real)
    mask = torch.cat([real, real & ~dropped])
    return PairedText(model.encode(Tokens(tokens.ids.repeat(2, 1), words, states), mask), real)


def step_pair(model: MTVM, pair: PairedText, past: Past, candidates: Tensor, counts: Tensor) -> tuple[Step, Step]:
    """The step on X (Eq. 1) and the step on X' with the same memory and vision (Eq. 4), in one pass."""
    stream, stream_mask, current, mask = model.assemble(past, candidates, counts)
    both = model.attend(
        pair.both, stream.repeat(2, 1, 1), stream_mask.repeat(2, 1), current.repeat(2, 1, 1), mask.repeat(2, 1)
    )
    return _half(both, 0), _half(both, 1)


def _half(step: Step, part: int) -> Step:
    return step.select(lambda batch: batch.chunk(2)[part])


@dataclasses.dataclass
class Mean:
    """A sum and the number of things summed, so that parts of a batch can be averaged together."""

    total: Tensor
    count: Tensor

    def __add__(self, other: Mean) -> Mean:
        return Mean(self.total + other.total, self.count + other.count)

    @property
    def value(self) -> Tensor:
        return self.total / self.count.clamp(min=1)


def language_consistency(pair: PairedText, variant: Variant = "paper") -> Mean:
    """D(X || X') + D(X' || X), the first term of Eq. 5 without its weight."""
    full, dropped = pair.both.states.chunk(2)
    return divergence(full, dropped, pair.real, variant)


def crossmodal_consistency(
    full: Step, dropped: Step, real: Tensor, variant: Variant = "paper", with_text: bool = True
) -> Mean:
    """D over all tokens of X̂, M̂ and V̂ in both directions, the second term of Eq. 5 without its weight.

    `real` (B, L) marks the text's tokens that are not padding. `with_text` is false where the text is only key and
    value, so that there is no X̂.
    """
    if not with_text:
        return divergence(full.stream, dropped.stream, full.stream_mask, variant)
    ours = torch.cat([full.text, full.stream], dim=1)
    theirs = torch.cat([dropped.text, dropped.stream], dim=1)
    return divergence(ours, theirs, torch.cat([real, full.stream_mask], dim=1), variant)


def divergence(one: Tensor, other: Tensor, mask: Tensor, variant: Variant = "paper") -> Mean:
    """The Kullback-Leibler divergence in both directions between (B, n, hidden) outputs; padding counts nothing."""
    if variant == "released":
        return _released_divergence(one, other, mask)
    # Only real tokens are compared, each as a distribution over its numbers; the mean is over tokens.
    real = Packing(mask)
    first, second = real.pack(one).log_softmax(dim=-1), real.pack(other).log_softmax(dim=-1)
    return Mean(((first.exp() - second.exp()) * (first - second)).sum(), mask.sum())


def _released_divergence(one: Tensor, other: Tensor, mask: Tensor) -> Mean:
    hidden = ~mask[..., None]
    first = one.masked_fill(hidden, -torch.inf).log_softmax(dim=1).masked_fill(hidden, 0)
    second = other.masked_fill(hidden, -torch.inf).log_softmax(dim=1).masked_fill(hidden, 0)

    def towards(target: Tensor, moving: Tensor) -> Tensor:
        weight = target.detach().exp().masked_fill(hidden, 0)
        return (weight * (target.detach() - moving)).sum()

    return Mean(towards(second, first) + towards(first, second), mask.sum() * one.shape[-1])


def consistency_loss(language: Tensor, crossmodal: Tensor, config: ConsistencyConfig) -> Tensor:
    """Eq. 5."""
    return config.language_weight * language + config.crossmodal_weight * crossmodal


__all__ = [
    "ConsistencyConfig",
    "Mean",
    "PairedText",
    "consistency_loss",
    "crossmodal_consistency",
    "divergence",
    "encode_pair",
    "language_consistency",
    "step_pair",
]
