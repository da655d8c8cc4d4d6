"""Multi-head attention and feed-forward blocks of BERT (post-norm) on packed tokens, with torch's fused attention."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.models.dropout import Dropout, dropout
from mtvm.models.packing import Packing
from mtvm.products import Linear, linear

LAYER_NORM_EPS = 1e-12

Reader = Literal["text", "stream"]
"""Who reads the stream in a layer: the text, or the stream itself."""


@dataclasses.dataclass
class Queries:
    """What is asked of a history inside a layer."""

    reader: Reader
    vectors: Tensor
    """(B, heads, n, hidden / heads)"""
    keys: Tensor
    """(B, heads, A, hidden / heads) of the stream's own tokens, which the same queries see."""
    values: Tensor


class Recalled(abc.ABC):
    """What a history answers: m things that are read beside the stream's own tokens, by one softmax over both."""

    @abc.abstractmethod
    def scores(self, queries: Tensor) -> Tensor:
        """(B, heads, n, m) how well scaled queries (B, heads, n, hidden / heads) match; -inf for what they must not
        see."""

    @abc.abstractmethod
    def mix(self, weights: Tensor) -> Tensor:
        """(B, heads, n, hidden / heads) by weights (B, heads, n, m)."""


Recall = Callable[[Queries], Recalled | None]
"""A layer's way to ask the history; None where nothing is remembered yet."""


KeyValue = tuple[Tensor, Tensor]
"""Each (B, heads, n, hidden / heads)."""


class Heads(nn.Module):
    """Projections to queries, keys and values in one matrix, and the attention between them."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.hidden, self.heads, self.dropout = hidden, heads, dropout
        self.qkv = Linear(hidden, 3 * hidden)

    def query(self, packed: Tensor, packing: Packing) -> Tensor:
        """(B, heads, n, hidden / heads) of packed tokens."""
        weight, bias = self.qkv.weight[: self.hidden], self.qkv.bias[: self.hidden]
        return self.split(linear(packed, weight, bias), packing)[0]

    def key_value(self, packed: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        weight, bias = self.qkv.weight[self.hidden :], self.qkv.bias[self.hidden :]
        key, value = self.split(linear(packed, weight, bias), packing)
        return key, value

    def split(self, projected: Tensor, packing: Packing) -> tuple[Tensor, ...]:
        """Packed projections (tokens, parts * hidden) to `parts` tensors (B, heads, n, hidden / heads)."""
        return packing.spread_heads(
            projected.view(*projected.shape[:-1], -1, self.heads, self.hidden // self.heads)
        ).unbind(0)

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        keys: Packing,
        queries: Packing,
        recalled: Recalled | None = None,
    ) -> Tensor:
        """The attended values, packed as the queries."""
        rate = self.dropout if self.training else 0.0
        if recalled is None:
            mixed = attention(query, key, value, _allowed(keys), rate)
        else:
            weights = dropout(_weights(query, key, _allowed(keys), recalled), rate)
            past = weights.shape[-1] - key.shape[-2]
            mixed = recalled.mix(weights[..., :past]) + weights[..., past:] @ value
        return queries.pack_heads(mixed)


def attention(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None, rate: float) -> Tensor:
    """(B, heads, n, width) scaled dot-product attention to the `allowed` keys, with dropout of its weights.

    torch's fused attention, except with dropout on a CPU, where it has no fast path.
    """
    if rate > 0 and query.device.type == "cpu" and not torch.compiler.is_compiling():
        return dropout(_weights(query, key, allowed), rate) @ value
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=rate)


def attention_weights(query: Tensor, key: Tensor, keys: Packing, recalled: Recalled | None = None) -> Tensor:
    """(B, heads, n, m) the weights of `Heads.attend`, which its fused attention does not return."""
    return _weights(query, key, _allowed(keys), recalled)


def _weights(query: Tensor, key: Tensor, allowed: Tensor | None, recalled: Recalled | None = None) -> Tensor:
    """The weights of what is recalled stand before those of the keys."""
    query = query / math.sqrt(query.shape[-1])
    scores = query @ key.transpose(-1, -2)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    if recalled is not None:
        scores = torch.cat([recalled.scores(query), scores], dim=-1)
    return scores.softmax(dim=-1)


def _allowed(keys: Packing) -> Tensor | None:
    return None if keys.mask is None else keys.mask[:, None, None, :]


class Residual(nn.Module):
    """Linear, dropout, and LayerNorm of the sum with the block's input."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.dense = Linear(width, hidden)
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

    def forward(
        self, packed: Tensor, packing: Packing, asked: Packing | None = None, recall: Recall | None = None
    ) -> tuple[Tensor, KeyValue]:
        """The tokens after the block, and the keys and values of all; with `asked` only the last tokens of each row,
        packed as `asked`."""
        if asked is None:
            query, key, value = self.attention.split(self.attention.qkv(packed), packing)
            tokens, asked = packed, packing
        else:
            tokens = packing.last(packed, asked)
            query = self.attention.query(tokens, asked)
            key, value = self.attention.key_value(packed, packing)
        recalled = None if recall is None else recall(Queries("stream", query, key, value))
        attended = self.attention.attend(query, key, value, packing, asked, recalled)
        return self.output(attended, tokens), (key, value)


class FeedForward(nn.Module):
    def __init__(self, hidden: int, intermediate: int, dropout: float) -> None:
        super().__init__()
        self.expand = Linear(hidden, intermediate)
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
        result: Tensor = self.feed_forward(self.attention(packed, packing)[0])
        return result
