"""Multi-head attention and feed-forward blocks of BERT (post-norm), on torch's fused attention and without padding.

Nearly all of a transformer's work is products of tokens with weight matrices, and padded tokens cost as much as real
ones. So tokens travel packed, as one (tokens, hidden) matrix of the real ones; only attention, which must know who
belongs together, spreads them out to (batch, length) and back.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.models.dropout import Dropout, dropout

LAYER_NORM_EPS = 1e-12


class Packing:
    """Where the real tokens of a padded batch are.

    `mask` is (B, n), true for tokens that can be attended to. With `drop` false all of them are computed, real or not.
    """

    def __init__(self, mask: Tensor, drop: bool = True) -> None:
        self.batch, self.length = mask.shape
        self.drop = drop
        # A program that is exported must not depend on the data: it keeps its padding, and its batch.
        self._exporting = torch.compiler.is_exporting()
        full = not self._exporting and bool(mask.all())
        self.mask: Tensor | None = None if full else mask
        """None where all tokens are real, which lets torch take its fastest path."""
        self._places: Tensor | None = None if full or self._exporting or not drop else mask.flatten().nonzero()[:, 0]
        self._grid: tuple[Tensor, Tensor] | None = None
        if self._places is not None:
            self._grid = (self._places // self.length, self._places % self.length)

    def last(self, packed: Tensor, places: Packing) -> Tensor:
        """Of packed tokens those at the last places, which are packed as `places` says."""
        if self._grid is not None:
            return take(packed, (self._grid[1] >= self.length - places.length).nonzero()[:, 0])
        spread = packed if self._exporting else packed.view(self.batch, self.length, *packed.shape[1:])
        return places.pack(spread[:, -places.length :])

    def pack(self, tokens: Tensor) -> Tensor:
        """(B, n, ...) to (real tokens, ...)."""
        if self._exporting:
            return tokens
        flat = tokens.flatten(0, 1)
        return flat if self._places is None else take(flat, self._places)

    def spread(self, packed: Tensor) -> Tensor:
        """(real tokens, ...) to (B, n, ...), with zeros for padding."""
        if self._exporting:
            return packed
        if self._places is not None:
            padded = packed.new_zeros(self.batch * self.length, *packed.shape[1:])
            packed = padded.index_copy(0, self._places, packed)
        return packed.view(self.batch, self.length, *packed.shape[1:])

    def spread_heads(self, packed: Tensor) -> Tensor:
        """(real tokens, parts, heads, width) to (parts, B, heads, n, width), with zeros for padding."""
        if self._grid is not None:
            padded: Tensor = _SpreadHeads.apply(packed, *self._grid, self.batch, self.length)  # type: ignore[no-untyped-call]
            return padded
        spread = packed if self._exporting else packed.view(self.batch, self.length, *packed.shape[1:])
        return spread.permute(2, 0, 3, 1, 4)

    def pack_heads(self, spread: Tensor) -> Tensor:
        """(B, heads, n, width) to (real tokens, heads * width)."""
        if self._grid is None:
            return self.pack(spread.transpose(1, 2).flatten(2))
        packed: Tensor = _PackHeads.apply(spread, *self._grid)  # type: ignore[no-untyped-call]
        return packed


# Gathers whose gradients are copies: no place is taken twice, which torch's own cannot know and would add up slowly.


def take(batch: Tensor, rows: Tensor) -> Tensor:
    """The rows at these places, each of them at most once."""
    taken: Tensor = _Take.apply(batch, rows)  # type: ignore[no-untyped-call]
    return taken


class _Take(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, flat: Tensor, places: Tensor) -> Tensor:
        ctx.save_for_backward(places)
        ctx.count = len(flat)
        return flat.index_select(0, places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (places,) = ctx.saved_tensors
        gradient = gradients[0]
        return gradient.new_zeros(ctx.count, *gradient.shape[1:]).index_copy_(0, places, gradient), None


class _SpreadHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, packed: Tensor, rows: Tensor, columns: Tensor, batch: int, length: int) -> Tensor:
        ctx.save_for_backward(rows, columns)
        _, parts, heads, width = packed.shape
        spread = packed.new_zeros(parts, batch, heads, length, width)
        spread.permute(1, 3, 0, 2, 4)[rows, columns] = packed
        return spread

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        rows, columns = ctx.saved_tensors
        return gradients[0].permute(1, 3, 0, 2, 4)[rows, columns], None, None, None, None


class _PackHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, spread: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        ctx.save_for_backward(rows, columns)
        ctx.shape = spread.shape
        return spread.transpose(1, 2)[rows, columns].flatten(1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        rows, columns = ctx.saved_tensors
        _, heads, _, width = ctx.shape
        spread = gradients[0].new_zeros(ctx.shape)
        spread.transpose(1, 2)[rows, columns] = gradients[0].view(-1, heads, width)
        return spread, None, None


class Heads(nn.Module):
    """Projections to queries, keys and values in one matrix, and the attention between them."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.hidden, self.heads, self.dropout = hidden, heads, dropout
        self.qkv = nn.Linear(hidden, 3 * hidden)

    def query(self, packed: Tensor, packing: Packing) -> Tensor:
        """(B, heads, n, hidden / heads) of packed tokens."""
        weight, bias = self.qkv.weight[: self.hidden], self.qkv.bias[: self.hidden]
        return self.split(functional.linear(packed, weight, bias), packing)[0]

    def key_value(self, packed: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        weight, bias = self.qkv.weight[self.hidden :], self.qkv.bias[self.hidden :]
        key, value = self.split(functional.linear(packed, weight, bias), packing)
        return key, value

    def split(self, projected: Tensor, packing: Packing) -> tuple[Tensor, ...]:
        """Packed projections (tokens, parts * hidden) to `parts` tensors (B, heads, n, hidden / heads)."""
        return packing.spread_heads(
            projected.view(*projected.shape[:-1], -1, self.heads, self.hidden // self.heads)
        ).unbind(0)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, keys: Packing, queries: Packing) -> Tensor:
        """What the queries make of the values, packed as the queries are."""
        mixed = attention(query, key, value, _allowed(keys), self.dropout if self.training else 0.0)
        return queries.pack_heads(mixed)


def attention(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None, rate: float) -> Tensor:
    """(B, heads, n, width) the values of the `allowed` keys, weighed; a weight falls out with probability `rate`.

    torch's fused attention, but for a CPU with dropout, where it has no fast path.
    """
    if rate > 0 and query.device.type == "cpu" and not torch.compiler.is_compiling():
        return dropout(_weights(query, key, allowed), rate) @ value
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=rate)


def attention_weights(query: Tensor, key: Tensor, keys: Packing) -> Tensor:
    """(B, heads, n, m) what `Heads.attend` weighs the values with; computed only when somebody looks."""
    return _weights(query, key, _allowed(keys))


def _weights(query: Tensor, key: Tensor, allowed: Tensor | None) -> Tensor:
    scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(dim=-1)


def _allowed(keys: Packing) -> Tensor | None:
    return None if keys.mask is None else keys.mask[:, None, None, :]


class Residual(nn.Module):
    """Linear, dropout, and LayerNorm of the sum with the block's input."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, hidden)
        self.dropout = Dropout(dropout)
        self.norm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)

    def forward(self, inner: Tensor, residual: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.dropout(self.dense(inner)) + residual)
        return normed


class SelfAttention(nn.Module):
    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention = Heads(hidden, heads, dropout)
        self.output = Residual(hidden, hidden, dropout)

    def forward(self, packed: Tensor, packing: Packing, asking: Packing | None = None) -> Tensor:
        """The tokens after the block; with `asking` only those at the last places, packed as it says."""
        if asking is None:
            query, key, value = self.attention.split(self.attention.qkv(packed), packing)
            asked, asking = packed, packing
        else:
            asked = packing.last(packed, asking)
            query = self.attention.query(asked, asking)
            key, value = self.attention.key_value(packed, packing)
        result: Tensor = self.output(self.attention.attend(query, key, value, packing, asking), asked)
        return result


class FeedForward(nn.Module):
    def __init__(self, hidden: int, intermediate: int, dropout: float) -> None:
        super().__init__()
        self.expand = nn.Linear(hidden, intermediate)
        self.output = Residual(intermediate, hidden, dropout)

    def forward(self, packed: Tensor) -> Tensor:
        result: Tensor = self.output(functional.gelu(self.expand(packed)), packed)
        return result


class TransformerLayer(nn.Module):
    """Self-attention and feed-forward: a layer of BERT."""

    def __init__(self, hidden: int, heads: int, intermediate: int, dropout: float) -> None:
        super().__init__()
        self.attention = SelfAttention(hidden, heads, dropout)
        self.feed_forward = FeedForward(hidden, intermediate, dropout)

    def forward(self, packed: Tensor, packing: Packing) -> Tensor:
        result: Tensor = self.feed_forward(self.attention(packed, packing))
        return result
