"""The cross-modality encoder C of Eq. 1: X̂, M̂, V̂ = C(X, [M; V]).

In each layer one cross-attention block is shared by both directions, then each stream has a self-attention and a
feed-forward of its own. In the single-direction variant the text is only key and value: it has no blocks of its own,
and its keys and values are computed once an episode.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from mtvm.models.attention import FeedForward, Heads, Residual, SelfAttention, attention_weights, mask_or_none
from mtvm.models.config import ModelConfig

KeyValue = tuple[Tensor, Tensor]


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
        self, text: Tensor, vision: Tensor, text_mask: Tensor | None, vision_mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Text attends to vision and vision to text. The streams share the weights, so they share the products."""
        length = text.shape[1]
        tokens = torch.cat([text, vision], dim=1)
        query, key, value = self.attention.project(tokens)
        seen = self.attention.attend(query[:, :, :length], key[:, :, length:], value[:, :, length:], vision_mask)
        read = self.attention.attend(query[:, :, length:], key[:, :, :length], value[:, :, :length], text_mask)
        mixed: Tensor = self.output(torch.cat([seen, read], dim=1), tokens)
        return mixed[:, :length], mixed[:, length:]

    def vision_only(self, vision: Tensor, text: KeyValue, text_mask: Tensor | None) -> Tensor:
        """Vision attends to the text's keys and values."""
        read = self.attention.attend(self.attention.project_query(vision), *text, text_mask)
        result: Tensor = self.output(read, vision)
        return result

    def weights(self, vision: Tensor, text: Tensor, text_mask: Tensor | None) -> Tensor:
        query, (key, _) = self.attention.project_query(vision), self.attention.project_key_value(text)
        return attention_weights(query, key, text_mask)


class CrossModalLayer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.cross = CrossAttention(config)
        self.vision_attention = SelfAttention(config.hidden, config.heads, config.dropout)
        self.vision_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)
        if config.bidirectional:
            self.text_attention = SelfAttention(config.hidden, config.heads, config.dropout)
            self.text_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)

    def finish_vision(self, vision: Tensor, mask: Tensor | None) -> Tensor:
        result: Tensor = self.vision_feed_forward(self.vision_attention(vision, mask))
        return result

    def finish_text(self, text: Tensor, mask: Tensor | None) -> Tensor:
        result: Tensor = self.text_feed_forward(self.text_attention(text, mask))
        return result


class CrossModalEncoder(nn.Module):
    """`forward` is one step. `text_cache` is what an episode computes once for all its steps."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.bidirectional = config.bidirectional
        self.layers: nn.ModuleList = nn.ModuleList(CrossModalLayer(config) for _ in range(config.crossmodal_layers))

    def text_cache(self, text: Tensor) -> list[KeyValue]:
        """Keys and values of the text in every layer, where it never changes (single direction); else nothing."""
        if self.bidirectional:
            return []
        return [layer.cross.attention.project_key_value(text) for layer in self.layers]  # type: ignore[union-attr, operator]

    def forward(
        self,
        text: Tensor,
        text_mask: Tensor,
        vision: Tensor,
        vision_mask: Tensor,
        cache: list[KeyValue] | None = None,
        need_text: bool = True,
        record: list[tuple[Tensor, Tensor]] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """X̂ (B, L, hidden) and [M̂; V̂] (B, S, hidden). Masks are true for real tokens.

        With `need_text` false the text after the last layer is not computed and the text before it is given back: in
        inference nobody reads it. `record` collects (over words, over stream) attention of each layer.
        """
        words, stream = mask_or_none(text_mask), mask_or_none(vision_mask)
        cache = cache if cache or self.bidirectional else self.text_cache(text)
        for number, layer in enumerate(self.layers):
            assert isinstance(layer, CrossModalLayer)
            before, reading = vision, text
            if self.bidirectional and (need_text or number + 1 < len(self.layers)):
                text, vision = layer.cross.both(text, vision, words, stream)
                text = layer.finish_text(text, words)
            else:
                known = cache[number] if cache else layer.cross.attention.project_key_value(text)
                vision = layer.cross.vision_only(vision, known, words)
            if record is not None:
                heads = layer.vision_attention.attention
                query, key, _ = heads.project(vision)
                record.append((layer.cross.weights(before, reading, words), attention_weights(query, key, stream)))
            vision = layer.finish_vision(vision, stream)
        return text, vision
