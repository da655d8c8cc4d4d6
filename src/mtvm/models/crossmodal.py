"""The cross-modality encoder C of Eq. 1: X̂, M̂, V̂ = C(X, [M; V]).

In each layer one cross-attention block is shared by both directions, then each stream has a self-attention and a
feed-forward of its own. In the single-direction variant the text is only key and value: it has no blocks of its own,
and its keys and values are computed once an episode.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.models.attention import FeedForward, Heads, Packing, Residual, SelfAttention, attention_weights
from mtvm.models.config import ModelConfig

Projected = tuple[Tensor, ...]
"""Keys and values, or queries, keys and values, each (B, heads, n, hidden / heads)."""


@dataclasses.dataclass
class Attention:
    """Where the vision stream looks, by layer: (layers, B, heads, stream, words or stream)."""

    over_words: Tensor
    over_stream: Tensor


class CrossAttention(nn.Module):
    """The shared block: the same weights whichever stream asks."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = Heads(config.hidden, config.heads, config.dropout)
        self.output = Residual(config.hidden, config.hidden, config.dropout)

    def both(
        self, text: Tensor, vision: Tensor, words: Packing, places: Packing, known: Projected | None
    ) -> tuple[Tensor, Tensor]:
        """Text attends to vision and vision to text. The streams share the weights, so they share the products.

        `known` are the text's queries, keys and values, if they were computed before.
        """
        heads, count = self.attention, text.shape[-2]
        tokens = torch.cat([text, vision], dim=-2)
        projected = heads.qkv(vision if known else tokens)
        text_query, text_key, text_value = known or heads.split(projected[..., :count, :], words)
        vision_query, vision_key, vision_value = heads.split(projected if known else projected[..., count:, :], places)
        seen = heads.attend(text_query, vision_key, vision_value, places, words)
        read = heads.attend(vision_query, text_key, text_value, words, places)
        mixed: Tensor = self.output(torch.cat([seen, read], dim=-2), tokens)
        return mixed[..., :count, :], mixed[..., count:, :]

    def vision_only(self, vision: Tensor, text: Projected, words: Packing, places: Packing) -> Tensor:
        """Vision attends to the text's keys and values."""
        key, value = text
        read = self.attention.attend(self.attention.query(vision, places), key, value, words, places)
        result: Tensor = self.output(read, vision)
        return result


class CrossModalLayer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.cross = CrossAttention(config)
        self.vision_attention = SelfAttention(config.hidden, config.heads, config.dropout)
        self.vision_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)
        if config.bidirectional:
            self.text_attention = SelfAttention(config.hidden, config.heads, config.dropout)
            self.text_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)

    def forward(
        self,
        read: Tensor,
        seen: Tensor,
        words: Packing,
        places: Packing,
        both: bool,
        known: Projected | None,
        asked: Packing | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The text and the stream after this layer, and the stream between its blocks.

        Unless `both`, the text is only read. `known` is what was projected of it before. `asked` are the last places of
        the stream, if nobody reads the others after this layer.
        """
        if both:
            read, crossed = self.cross.both(read, seen, words, places, known)
            read = self.text_feed_forward(self.text_attention(read, words))
        else:
            projected = known or self.cross.attention.key_value(read, words)
            crossed = self.cross.vision_only(seen, projected, words, places)
        return read, crossed, self.vision_feed_forward(self.vision_attention(crossed, places, asked))

    def look(
        self, before: Tensor, after: Tensor, text: Tensor, words: Packing, places: Packing
    ) -> tuple[Tensor, Tensor]:
        """The stream's attention over words (from what came in) and over itself (after the cross block)."""
        cross, own = self.cross.attention, self.vision_attention.attention
        over_words = attention_weights(cross.query(before, places), cross.key_value(text, words)[0], words)
        over_stream = attention_weights(own.query(after, places), own.key_value(after, places)[0], places)
        return over_words, over_stream


class CrossModalEncoder(nn.Module):
    """`forward` is one step. `text_cache` is what an episode computes once for all its steps."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.bidirectional = config.bidirectional
        self.checkpointing = False
        """Compute a layer's activations again for its gradients instead of keeping them."""
        self.layers = nn.ModuleList(CrossModalLayer(config) for _ in range(config.crossmodal_layers))

    def text_cache(self, text: Tensor, words: Packing) -> list[Projected]:
        """What does not change from step to step: the text's keys and values in every layer where it is only key and
        value; else its queries, keys and values in the first layer."""
        packed = words.pack(text)
        if self.bidirectional:
            first = self._layers()[0].cross.attention
            return [first.split(first.qkv(packed), words)]
        return [layer.cross.attention.key_value(packed, words) for layer in self._layers()]

    def _run(self, layer: CrossModalLayer, *given: Any) -> tuple[Tensor, Tensor, Tensor]:
        if self.checkpointing and torch.is_grad_enabled():
            from torch.utils.checkpoint import checkpoint

            return checkpoint(layer, *given, use_reentrant=False)
        result: tuple[Tensor, Tensor, Tensor] = layer(*given)
        return result

    def _layers(self) -> list[CrossModalLayer]:
        return [layer for layer in self.layers if isinstance(layer, CrossModalLayer)]

    def forward(
        self,
        text: Tensor,
        words: Packing,
        vision: Tensor,
        places: Packing,
        cache: list[Projected] | None = None,
        asked: Packing | None = None,
        record: list[tuple[Tensor, Tensor]] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """X̂ (B, L, hidden) and [M̂; V̂] (B, S, hidden), zero where padded.

        With `asked`, the last places of the stream, it is X and V̂ there, packed: where nobody reads the rest, the last
        layer need not compute it. `record` collects (over words, over stream) attention of each layer.
        """
        read, seen = words.pack(text), places.pack(vision)
        cache = cache or self.text_cache(text, words)
        layers = self._layers()
        for number, layer in enumerate(layers):
            before, reading = seen, read
            wanted = asked if number + 1 == len(layers) else None
            both = self.bidirectional and wanted is None
            known = cache[0] if number == 0 and both else None if self.bidirectional else cache[number]
            read, crossed, seen = self._run(layer, read, seen, words, places, both, known, wanted)
            if record is not None:
                record.append(layer.look(before, crossed, reading, words, places))
        if asked is not None:
            return text, seen
        return (words.spread(read) if self.bidirectional else text), places.spread(seen)
