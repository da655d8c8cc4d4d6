"""Multi-head attention and feed-forward blocks of BERT (post-norm), on torch's fused attention."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYER_NORM_EPS = 1e-12


class Heads(nn.Module):
    """Projections to queries, keys and values in one matrix, and the attention between them."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(hidden, 3 * hidden)

    def project(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, n, hidden) to queries, keys and values (B, heads, n, hidden / heads)."""
        batch, length, hidden = tokens.shape
        shaped = self.qkv(tokens).view(batch, length, 3, self.heads, hidden // self.heads)
        query, key, value = shaped.permute(2, 0, 3, 1, 4).unbind(0)
        return query, key, value

    def project_query(self, tokens: Tensor) -> Tensor:
        hidden = tokens.shape[-1]
        return self._split(functional.linear(tokens, self.qkv.weight[:hidden], self.qkv.bias[:hidden]))

    def project_key_value(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        batch, length, hidden = tokens.shape
        projected = functional.linear(tokens, self.qkv.weight[hidden:], self.qkv.bias[hidden:])
        key, value = projected.view(batch, length, 2, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        return key, value

    def _split(self, projected: Tensor) -> Tensor:
        batch, length, hidden = projected.shape
        return projected.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """(B, n, hidden); `mask` is (B, m), true where a key is real, or None if all are."""
        allowed = None if mask is None else mask[:, None, None, :]
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=dropout)
        return mixed.transpose(1, 2).flatten(2)


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
    """(B, heads, n, m) what `Heads.attend` weighs the values with; computed only when somebody looks."""
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
    return scores.softmax(dim=-1)


class Residual(nn.Module):
    """Linear, dropout, and LayerNorm of the sum with the block's input."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)

    def forward(self, inner: Tensor, residual: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.dropout(self.dense(inner)) + residual)
        return normed


class SelfAttention(nn.Module):
    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention = Heads(hidden, heads, dropout)
        self.output = Residual(hidden, hidden, dropout)

    def forward(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        attended = self.attention.attend(*self.attention.project(tokens), mask)
        result: Tensor = self.output(attended, tokens)
        return result


class FeedForward(nn.Module):
    def __init__(self, hidden: int, intermediate: int, dropout: float) -> None:
        super().__init__()
        self.expand = nn.Linear(hidden, intermediate)
        self.output = Residual(intermediate, hidden, dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        result: Tensor = self.output(functional.gelu(self.expand(tokens)), tokens)
        return result


class TransformerLayer(nn.Module):
    """Self-attention and feed-forward: a layer of BERT."""

    def __init__(self, hidden: int, heads: int, intermediate: int, dropout: float) -> None:
        super().__init__()
        self.attention = SelfAttention(hidden, heads, dropout)
        self.feed_forward = FeedForward(hidden, intermediate, dropout)

    def forward(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        result: Tensor = self.feed_forward(self.attention(tokens, mask))
        return result


def mask_or_none(mask: Tensor) -> Tensor | None:
    """None where nothing is masked, which lets torch take its fastest path."""
    return None if torch.compiler.is_exporting() is False and bool(mask.all()) else mask
