"""The cross-modality encoder C of Eq. 1: X̂, M̂, V̂ = C(X, [M; V]).

A layer has one cross-attention block with the same weights for both directions; each stream then has a self-attention
and a feed-forward of its own. In the single-direction variant the text is only key and value: it has no blocks of its
own, and its keys and values are computed once per episode.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.models.attention import (
    FeedForward,
    Heads,
    KeyValue,
    Queries,
    Reader,
    Recall,
    Recalled,
    Residual,
    SelfAttention,
    attention_weights,
)
from mtvm.models.config import ModelConfig
from mtvm.models.packing import Packing

Projected = tuple[Tensor, ...]
"""Keys and values, or queries, keys and values, each (B, heads, n, hidden / heads)."""
LayerKeys = dict[Reader, KeyValue]
"""The stream's keys and values in a layer, by who reads them."""
LayerOutput = tuple[Tensor, Tensor, Tensor, LayerKeys]
"""The text after a layer, vision between its blocks and after it, and the stream's keys and values."""


@dataclasses.dataclass
class Attention:
    """The vision stream's attention weights, by layer: (layers, B, heads, stream, words or stream)."""

    over_words: Tensor
    over_stream: Tensor

    def of(self, row: int, text_mask: Tensor, stream_mask: Tensor) -> Attention:
        """That of one episode, (layers, heads, tokens, words or tokens), without padding."""
        words, stream = text_mask[row], stream_mask[row]
        over_words, over_stream = self.over_words[:, row], self.over_stream[:, row]
        # What a history recalled inside the layers stands before the stream, and is all real.
        keys = functional.pad(stream, (over_stream.shape[-1] - len(stream), 0), value=True)
        return Attention(over_words[:, :, stream][..., words], over_stream[:, :, stream][..., keys])

    def at(self, action: int, actions: int) -> tuple[Tensor, Tensor]:
        """What the token of one of an episode's `actions` looks at in the final layer, as the mean of the heads: the
        words, and the memory."""
        over_words, over_memory = self.by_head(action, actions)
        return over_words[-1].mean(dim=0), over_memory[-1].mean(dim=0)

    def by_head(self, action: int, actions: int) -> tuple[Tensor, Tensor]:
        """The same of each layer and head: (layers, heads, words) and (layers, heads, memory)."""
        memory = self.over_stream.shape[-1] - actions
        over_words, over_stream = (
            part[:, :, part.shape[-2] - actions + action] for part in (self.over_words, self.over_stream)
        )
        return over_words, over_stream[..., :memory]


class CrossAttention(nn.Module):
    """The block that both directions share."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention = Heads(config.hidden, config.heads, config.dropout)
        self.output = Residual(config.hidden, config.hidden, config.dropout)

    def both(
        self,
        text: Tensor,
        vision: Tensor,
        words: Packing,
        stream: Packing,
        known: Projected | None,
        recall: Recall | None = None,
    ) -> tuple[Tensor, Tensor, KeyValue]:
        """Text attends to vision and vision to text; also vision's keys and values. The streams share the weights, so
        they share the products.

        `known` are the text's queries, keys and values, if they were computed before.
        """
        heads, count = self.attention, text.shape[-2]
        tokens = torch.cat([text, vision], dim=-2)
        projected = heads.qkv(vision if known else tokens)
        text_query, text_key, text_value = known or heads.split(projected[..., :count, :], words)
        vision_query, vision_key, vision_value = heads.split(projected if known else projected[..., count:, :], stream)
        recalled = None if recall is None else recall(Queries("text", text_query, vision_key, vision_value))
        of_text = heads.attend(text_query, vision_key, vision_value, stream, words, recalled)
        of_vision = heads.attend(vision_query, text_key, text_value, words, stream)
        mixed: Tensor = self.output(torch.cat([of_text, of_vision], dim=-2), tokens)
        return mixed[..., :count, :], mixed[..., count:, :], (vision_key, vision_value)

    def vision_only(self, vision: Tensor, text: Projected, words: Packing, stream: Packing) -> Tensor:
        """Vision attends to the text's keys and values."""
        (key, value), asking = text, stream.together
        attended = self.attention.attend(self.attention.query(vision, asking), key, value, words, asking)
        result: Tensor = self.output(attended, vision)
        return result


class SingleDirectionLayer(nn.Module):
    """Vision attends to the text, which is only key and value and does not change."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.cross = CrossAttention(config)
        self.vision_attention = SelfAttention(config.hidden, config.heads, config.dropout)
        self.vision_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)

    def project(self, text: Tensor, words: Packing) -> Projected:
        """What `forward` takes as `known`: the projections of the text that it begins with."""
        return self.cross.attention.key_value(text, words)

    def forward(
        self,
        text: Tensor,
        vision: Tensor,
        words: Packing,
        stream: Packing,
        known: Projected | None = None,
        asked: Packing | None = None,
        recall: Recall | None = None,
    ) -> LayerOutput:
        """With `asked` only the stream's last tokens are computed, packed as `asked`, and the text does not change."""
        known = known or self.cross.attention.key_value(text, words)
        crossed = self.cross.vision_only(vision, known, words, stream)
        attended, keys = self.vision_attention(crossed, stream, asked, recall)
        return text, crossed, self.vision_feed_forward(attended), {"stream": keys}

    def weights(
        self,
        before: Tensor,
        crossed: Tensor,
        text: Tensor,
        words: Packing,
        stream: Packing,
        recall: Recall | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The attention weights over words, and over what was recalled and the stream."""
        cross, own = self.cross.attention, self.vision_attention.attention
        over_words = attention_weights(cross.query(before, stream), cross.key_value(text, words)[0], words)
        query, (key, value) = own.query(crossed, stream), own.key_value(crossed, stream)
        recalled = None if recall is None else recall(Queries("stream", query, key, value))
        over_stream = attention_weights(query, key, stream, recalled)
        return over_words, over_stream


class BidirectionalLayer(SingleDirectionLayer):
    """Text attends to vision too."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.text_attention = SelfAttention(config.hidden, config.heads, config.dropout)
        self.text_feed_forward = FeedForward(config.hidden, config.intermediate, config.dropout)

    def project(self, text: Tensor, words: Packing) -> Projected:
        heads = self.cross.attention
        return heads.split(heads.qkv(text), words)

    def forward(
        self,
        text: Tensor,
        vision: Tensor,
        words: Packing,
        stream: Packing,
        known: Projected | None = None,
        asked: Packing | None = None,
        recall: Recall | None = None,
    ) -> LayerOutput:
        if asked is not None:
            text, crossed, seen, keys = super().forward(text, vision, words, stream, None, asked, recall)
            if recall is not None:  # for later steps, which may want the text too
                keys["text"] = self.cross.attention.key_value(vision, stream)
            return text, crossed, seen, keys
        text, crossed, for_text = self.cross.both(text, vision, words, stream, known, recall)
        text = self.text_feed_forward(self.text_attention(text, words)[0])
        attended, for_stream = self.vision_attention(crossed, stream, None, recall)
        return text, crossed, self.vision_feed_forward(attended), {"text": for_text, "stream": for_stream}


class CrossModalEncoder(nn.Module):
    """`forward` is one step; `text_cache` is what all steps of an episode have in common."""

    def __init__(self, config: ModelConfig, bidirectional: bool) -> None:
        super().__init__()
        self.bidirectional = bidirectional
        self.checkpointing = False
        """Compute a layer's activations again for its gradients instead of keeping them."""
        layer = BidirectionalLayer if bidirectional else SingleDirectionLayer
        self.layers = nn.ModuleList(layer(config) for _ in range(config.crossmodal_layers))

    def text_cache(self, text: Tensor, words: Packing) -> list[Projected]:
        """The text's projections in the layers that see it unchanged: the first, or all in a single direction."""
        packed = words.pack(text)
        layers = self._layers()
        return [layer.project(packed, words) for layer in (layers[:1] if self.bidirectional else layers)]

    def forward(
        self,
        text: Tensor,
        words: Packing,
        vision: Tensor,
        stream: Packing,
        cache: list[Projected] | None = None,
        asked: Packing | None = None,
        record: list[tuple[Tensor, Tensor]] | None = None,
        outputs: list[tuple[Tensor, Tensor]] | None = None,
        recall: Callable[[int, Queries], Recalled | None] | None = None,
        keys: list[LayerKeys] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """X̂ (B, L, hidden) and [M̂; V̂] (B, S, hidden), zero where padded.

        `words` packs the text and `stream` the vision. With `asked`, which packs the last tokens of the stream, only
        those are computed in the last layer: the result is X and they, packed. `record` collects each layer's
        attention weights over words and over the stream, `outputs` what each layer gives, and `keys` the stream's keys
        and values. `recall` is asked in each layer, by its number, for what is read beside the stream.
        """
        packed, seen = words.pack(text), stream.pack(vision)
        cache = cache or self.text_cache(text, words)
        layers = self._layers()
        for number, layer in enumerate(layers):
            before, read = seen, packed
            known = cache[number] if number < len(cache) else None
            wanted = asked if number + 1 == len(layers) else None
            ask = None if recall is None else functools.partial(recall, number)
            packed, crossed, seen, projected = self.run(layer, packed, seen, words, stream, known, wanted, ask)
            if keys is not None:
                keys.append(projected)
            if record is not None:
                record.append(layer.weights(before, crossed, read, words, stream, ask))
            if outputs is not None:
                outputs.append((words.spread(packed) if self.bidirectional else text, stream.spread(seen)))
        if asked is not None:
            return text, seen
        return (words.spread(packed) if self.bidirectional else text), stream.spread(seen)

    def run(self, layer: SingleDirectionLayer, *given: Any) -> LayerOutput:
        """A layer's output; what it keeps for its gradients is `checkpointing`'s choice."""
        if self.checkpointing and torch.is_grad_enabled():
            from torch.utils.checkpoint import checkpoint

            return checkpoint(layer, *given, use_reentrant=False)
        result: LayerOutput = layer(*given)
        return result

    def _layers(self) -> list[SingleDirectionLayer]:
        return [layer for layer in self.layers if isinstance(layer, SingleDirectionLayer)]
