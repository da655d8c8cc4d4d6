"""MTVM: language encoder, cross-modality encoder over [past; actions], action head and critic."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn

from mtvm.models.attention import Queries, Recalled
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import CrossModalEncoder, LayerKeys
from mtvm.models.history import KnownWalks, Past, ReadHistory, Transition, make_history
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.network import (
    Network,
    Output,
    initialize_like_bert,
    make_critic,
    scale_features,
    stack_attention,
)
from mtvm.models.packing import Packing
from mtvm.models.text import Tokens
from mtvm.models.vision import CURRENT, PAST, StreamEmbedding, TokenEncoder
from mtvm.products import Linear


class ActionHead(nn.Module):
    """Scores of the actions, through the activations that the memory stores."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activate = Linear(config.hidden, config.feature_width)
        self.score = Linear(config.feature_width, 1)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        activations = torch.tanh(self.activate(tokens))
        return self.score(activations)[..., 0], activations


class StatePooler(nn.Module):
    """The critic's state: a learned mix of the text's tokens plus the mean of the vision stream."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.pool_padding = config.released.padding
        self.mix = Linear(config.text_length, 1)
        self.dense = Linear(config.hidden, config.hidden)

    def forward(self, step: Output) -> Tensor:
        text, stream = step.text, step.stream
        weights = self.mix.weight[0, : text.shape[1]]
        if self.pool_padding:
            seen = stream.mean(dim=1)
        else:
            text = text * step.text_mask[..., None]
            real = step.stream_mask[..., None].to(stream.dtype)
            seen = (stream * real).sum(dim=1) / real.sum(dim=1)
        read = weights @ text + self.mix.bias
        return torch.tanh(self.dense(read + seen))


class MTVM(Network):
    """The paper's network."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.language = LanguageEncoder(config)
        self.token_encoder = TokenEncoder(config)
        self.embedding = StreamEmbedding(config)
        self.crossmodal = CrossModalEncoder(config, config.bidirectional)
        self.head = ActionHead(config)
        self.pooler = StatePooler(config)
        self.critic = make_critic(config)
        self.history = make_history(config)
        self.needs_context, self.needs_panorama = self.history.needs_context, self.history.needs_panorama
        self.computes_walks = self.history.computes_walks
        initialize_like_bert(self, config.hidden)

    def encode(self, *variants: Tokens) -> Text:
        if self.config.released.padding:
            variants = tuple(one.padded(self.config.text_length) for one in variants)
        tokens = Tokens.join([self.language.read(one) for one in variants])
        mask = tokens.mask if tokens.hidden is None else tokens.mask & ~tokens.hidden
        states = self.language(tokens, mask)
        real = torch.stack([one.mask for one in variants]).any(dim=0)
        return self.prepare(states, mask, real, len(variants), drop=tokens.hidden is None, ids=tokens.ids)

    def prepare(
        self,
        states: Tensor,
        mask: Tensor,
        real: Tensor,
        variants: int = 1,
        drop: bool = True,
        ids: Tensor | None = None,
    ) -> Text:
        """Encoded texts with everything about them that is computed once per episode. For the arguments see `Text`."""
        packing = self._packing(mask, drop)
        return Text(states, mask, real, packing, self.crossmodal.text_cache(states, packing), variants, ids)

    def start(self, text: Text, direction: Tensor | None = None) -> Past:
        return self.history.start(text)

    def step(
        self,
        text: Text,
        past: Past,
        actions: Tensor,
        mask: Tensor,
        *,
        need_context: bool = True,
        need_attention: bool = False,
        need_layers: bool = False,
    ) -> Output:
        """X̂, M̂, V̂ = C(X, [M; V]) (Eq. 1) and a = MLP(V̂)."""
        recall = None
        if isinstance(self.history, ReadHistory):
            recall = functools.partial(self.history.read, state=past)
            memory, memory_mask = text.states.new_zeros(len(mask), 0, self.config.hidden), mask[:, :0]
        else:
            memory, memory_mask = self.history.tokens(past, self.token_encoder)
        step: Output = self(text, memory, memory_mask, actions, mask, need_context, need_attention, need_layers, recall)
        return step

    def walked(self, past: Past | None, walks: KnownWalks) -> Past:
        history = self.history
        return history.walked(past, walks) if isinstance(history, ReadHistory) else super().walked(past, walks)

    def forward(
        self,
        text: Text,
        memory: Tensor,
        memory_mask: Tensor,
        actions: Tensor,
        mask: Tensor,
        need_context: bool = True,
        need_attention: bool = False,
        need_layers: bool = False,
        recall: Callable[[int, Queries], Recalled | None] | None = None,
    ) -> Output:
        """`step` as a function of tensors alone, which can be exported, unless the past is read by `recall`.

        `memory` (B, n, hidden) are the encoded tokens of the past and `memory_mask` (B, n) is true for real ones.
        """
        need_context = need_context or need_layers  # of the last layer too
        here = self._packing(mask)
        current = here.spread(self.token_encoder(here.pack(actions), self.config.feature_scale))
        stream, stream_mask = self._embedded(memory, current, memory_mask, mask), torch.cat([memory_mask, mask], dim=1)
        if text.variants > 1:
            stream, actions = stream.repeat(text.variants, 1, 1), actions.repeat(text.variants, 1, 1)
            stream_mask, mask = stream_mask.repeat(text.variants, 1), mask.repeat(text.variants, 1)
            here = self._packing(mask)
        record: list[tuple[Tensor, Tensor]] | None = [] if need_attention else None
        layers: list[tuple[Tensor, Tensor]] | None = [] if need_layers else None
        keys: list[LayerKeys] = []
        asked = None if need_context else here
        packing = self._packing(stream_mask)
        if text.places is not None:
            packing.join(text.places.of_variants(text.variants))
        read, seen = self.crossmodal(
            text.states,
            text.packing,
            stream,
            packing,
            text.cache,
            asked,
            record,
            layers,
            recall,
            keys,
        )
        scores, activations = self.head(here.pack(seen[:, -mask.shape[1] :]) if need_context else seen)
        return Output(
            logits=here.spread(scores).masked_fill(~mask, -torch.inf),
            mask=mask,
            actions=actions,
            activations=here.spread(activations),
            text=text.of_rows(read if need_context or text.places is None else read[:, :0]),
            text_mask=text.of_rows(text.mask),
            stream=seen if need_context else stream[:, :0],
            stream_mask=stream_mask,
            attention=stack_attention(record or []),
            has_context=need_context,
            layers=[(text.of_rows(words), tokens) for words, tokens in layers or []],
            keys=[] if recall is None else keys,
        )

    def _embedded(self, memory: Tensor, current: Tensor, memory_mask: Tensor, mask: Tensor) -> Tensor:
        """The stream [M; V] with its positions and kinds."""
        numbered = torch.ones_like(mask) if self.config.released.padding else mask
        count = torch.cat([memory_mask, numbered], dim=1).cumsum(dim=1)
        positions = (count - 1).clamp(0, self.config.max_positions - 1)
        past, now = (
            torch.full((tokens.shape[1],), kind, device=tokens.device)
            for tokens, kind in ((memory, PAST), (current, CURRENT))
        )
        embedded: Tensor = self.embedding(torch.cat([memory, current], dim=1), positions, torch.cat([past, now]))
        return embedded

    def _packing(self, mask: Tensor, drop: bool = True) -> Packing:
        return Packing(mask, drop=drop and not self.config.released.padding)

    def remember(
        self, past: Past, step: Output, chosen: Tensor, direction: Tensor, panorama: Tensor | None = None
    ) -> Past:
        """M_t <- (M_{t-1}, [V̂_t^k; d_t^k]) (Eq. 2)."""
        record = Transition(
            chosen=chosen,
            actions=step.actions,
            activations=step.activations,
            direction=direction,
            text=step.text,
            text_mask=step.text_mask,
            stream=step.stream,
            stream_mask=step.stream_mask,
            panorama=None if panorama is None else scale_features(panorama, self.config),
            keys=step.keys,
        )
        return self.history.update(past, record)

    def value(self, step: Output) -> Tensor:
        if not step.has_context:
            raise ValueError("the critic reads text and memory, which this step skipped (need_context=False).")
        values: Tensor = self.critic(self.pooler(step))[:, 0]
        return values
