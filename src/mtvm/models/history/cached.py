"""A memory of linear cost: what a step leaves is written once, and afterwards only read.

The paper's memory tokens go through all layers again at every step. Here the actions alone do: in each layer they, and
the text, also attend to the keys and values that the actions chosen before had in that layer, with the text and the
memory before them in view. A step costs the same however long the walk is, apart from the attention itself.

A layer's memory depends on the layers below it alone, and never on the last one's output. Where the actions of a walk
are known, all of its steps can therefore be computed in one pass.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.models.attention import KeyValue, Queries, Reader, Recalled
from mtvm.models.config import ModelConfig
from mtvm.models.history.base import KnownWalks, ReadHistory, Transition
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.places import Places
from mtvm.products import Linear


@dataclasses.dataclass
class Written:
    """Keys and values of all layers and readers, side by side in one token a step."""

    bank: MemoryBank
    _tokens: Tensor | None = None

    def tokens(self) -> Tensor:
        """(B, n, parts * hidden), joined once for all layers of a step."""
        if self._tokens is None:
            self._tokens = self.bank.tokens()
        return self._tokens

    def append(self, token: Tensor) -> None:
        self.bank.append(token)
        self._tokens = None

    def keep(self, rows: Tensor) -> Written:
        return Written(self.bank.keep(rows))


Part = tuple[int, Reader]
"""A layer and who reads there."""


@dataclasses.dataclass
class KnownPast:
    """Known walks, of which each step sees what those before it write."""

    walks: KnownWalks
    marks: Tensor
    """(R, parts * hidden)"""
    before: dict[Part, KeyValue]
    """What was written before these steps, each (B, heads, m, hidden / heads)."""
    written: dict[Part, KeyValue] = dataclasses.field(default_factory=dict)
    """The same with what these steps write."""

    def keep(self, rows: Tensor) -> KnownPast:
        written = {part: (keys[rows], values[rows]) for part, (keys, values) in self.written.items()}
        return dataclasses.replace(self, written=written)


class CachedHistory(ReadHistory):
    computes_walks = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.readers: tuple[Reader, ...] = ("text", "stream") if config.bidirectional else ("stream",)
        self.parts = 2 * len(self.readers) * config.crossmodal_layers
        """Keys and values of each reader in each layer."""
        self.when = nn.Embedding(config.max_positions, config.angle_width)
        self.mark = Linear(config.angle_width, self.parts * config.hidden)
        """What the direction after a move and the number of the step add to keys and values."""

    def start(self, text: Text) -> Written:
        states, limit = text.states, self.options.steps
        return Written(MemoryBank(len(text), self.parts * self.config.hidden, limit, states.device, states.dtype))

    def update(self, past: Written, step: Transition) -> Written:
        number = torch.full_like(step.chosen, len(past.bank))
        chosen = [_at(part, step.chosen) for keys in step.keys for reader in self.readers for part in keys[reader]]
        past.append(torch.cat(chosen, dim=1) + self._marks(step.direction, number))
        return past

    def walked(self, past: KnownPast | None, walks: KnownWalks) -> KnownPast:
        before = {} if past is None else past.written
        return KnownPast(walks, self._marks(walks.direction, walks.numbers), before)

    def read(self, layer: int, queries: Queries, state: Written | KnownPast) -> Recalled | None:
        first = 2 * (layer * len(self.readers) + self.readers.index(queries.reader))
        heads, hidden = self.config.heads, self.config.hidden

        def part(tokens: Tensor, number: int) -> Tensor:
            """(..., heads, hidden / heads) of tokens (..., parts * hidden)."""
            start = (first + number) * hidden
            return tokens[..., start : start + hidden].view(*tokens.shape[:-1], heads, hidden // heads)

        if isinstance(state, KnownPast):
            marks = part(state.marks, 0), part(state.marks, 1)
            return _of_known_walks((layer, queries.reader), queries, marks, state, self.options.steps)
        tokens = state.tokens()
        if tokens.shape[1] == 0:
            return None
        keys, values = (part(tokens, number).transpose(1, 2) for number in (0, 1))
        return KeysAndValues(keys, values)

    def _marks(self, direction: Tensor, number: Tensor) -> Tensor:
        """(B, parts * hidden)"""
        when = self.when(number.clamp(max=self.config.max_positions - 1))
        marks: Tensor = self.mark(direction + when)
        return marks


def _at(part: Tensor, chosen: Tensor) -> Tensor:
    """(B, hidden) the keys or values (B, heads, A, hidden / heads) of the chosen actions."""
    tokens: Tensor = _AtChosen.apply(part, torch.arange(len(chosen), device=chosen.device), chosen)  # type: ignore[no-untyped-call]
    return tokens.flatten(1)


class _AtChosen(torch.autograd.Function):
    """(B, heads, width), with a gradient that is copied, not added up."""

    @staticmethod
    def forward(ctx: Any, part: Tensor, rows: Tensor, chosen: Tensor) -> Tensor:
        ctx.save_for_backward(rows, chosen)
        ctx.shape = part.shape
        return part.transpose(1, 2)[rows, chosen]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        rows, chosen = ctx.saved_tensors
        gradient = gradients[0].new_zeros(ctx.shape)
        gradient.transpose(1, 2)[rows, chosen] = gradients[0]
        return gradient, None, None


class KeysAndValues(Recalled):
    """Keys and values (B, heads, m, hidden / heads), the same for all variants of a text."""

    def __init__(self, keys: Tensor, values: Tensor) -> None:
        self.keys, self.values = keys, values

    def scores(self, queries: Tensor) -> Tensor:
        return queries @ self._repeated(self.keys, queries).transpose(-1, -2)

    def mix(self, weights: Tensor) -> Tensor:
        return weights @ self._repeated(self.values, weights)

    def _repeated(self, part: Tensor, rows: Tensor) -> Tensor:
        variants = len(rows) // len(part)
        return part if variants == 1 else part.repeat(variants, 1, 1, 1)


def _of_known_walks(
    part: Part, queries: Queries, marks: KeyValue, past: KnownPast, limit: int | None
) -> Recalled | None:
    """What each step reads of those before it, whose keys and values are among those of this very layer."""
    walks, places = past.walks, past.walks.places
    own = []
    for tokens, mark in zip((queries.keys, queries.values), marks, strict=True):
        chosen = _at(tokens[: len(walks.chosen)], walks.chosen).view_as(mark) + mark
        own.append(places.spread(chosen[:, :, None])[:, :, :, 0])
    keys, values = own
    if part in past.before:
        keys, values = (torch.cat(both, dim=2) for both in zip(past.before[part], own, strict=True))
    if limit is not None and keys.shape[2] > limit + places.count:
        keys, values = keys[:, :, -limit - places.count :], values[:, :, -limit - places.count :]
    past.written[part] = keys, values
    last = walks.first + places.count
    if last < 2:
        return None
    numbers = torch.arange(last - keys.shape[2], last, device=keys.device)
    before = numbers < walks.numbers[:, None]
    if limit is not None:
        before &= numbers >= walks.numbers[:, None] - limit
    return OfKnownWalks(places, keys, values, before)


class OfKnownWalks(Recalled):
    """One set of keys and values (B, heads, m, hidden / heads) an episode, which all of its steps read as far as they
    come after: nothing is copied for each step."""

    def __init__(self, places: Places, keys: Tensor, values: Tensor, before: Tensor) -> None:
        self.places, self.keys, self.values = places, keys, values
        self.after = ~before[:, None, None]

    def scores(self, queries: Tensor) -> Tensor:
        scores = self._product(queries, self.keys.transpose(-1, -2))
        return scores.masked_fill(self._repeated(self.after, scores), -torch.inf)

    def mix(self, weights: Tensor) -> Tensor:
        return self._product(weights, self.values)

    def _product(self, rows: Tensor, of_episodes: Tensor) -> Tensor:
        """(R, heads, n, width) times (B, heads, width, m) of their episodes."""
        places = self.places.of_variants(len(rows) // len(self.places))
        grid = places.spread(rows)
        product = grid.flatten(2, 3) @ self._repeated(of_episodes, grid)
        return places.collect(product.view(*grid.shape[:4], -1))

    def _repeated(self, part: Tensor, rows: Tensor) -> Tensor:
        variants = len(rows) // len(part)
        return part if variants == 1 else part.repeat(variants, 1, 1, 1)
