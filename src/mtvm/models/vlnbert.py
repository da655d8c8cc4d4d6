"""Recurrent VLN-BERT (VLN⟲BERT), the paper's main rival, as its authors released it on PREVALENT's weights.

The past is a single state, which starts as the pooled [CLS] of the instruction and stands at the head of the vision
stream. Text is only key and value. There is no action head: how much the state attends to each action in the last layer
are the scores. The state then takes in what it attended to, in the text and in the view.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import torch
from torch import Tensor, nn

from mtvm.models.attention import LAYER_NORM_EPS, Heads
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import CrossModalEncoder, SingleDirectionLayer
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.network import (
    Network,
    Output,
    initialize_like_bert,
    make_critic,
    stack_attention,
)
from mtvm.models.packing import Packing
from mtvm.models.text import Tokens
from mtvm.models.vision import TokenEncoder
from mtvm.products import Linear


@dataclasses.dataclass
class State:
    """What VLN⟲BERT knows of the past."""

    state: Tensor
    """(B, hidden)"""
    direction: Tensor
    """(B, angle width) the direction feature of the agent as it stands now, absolute."""

    def keep(self, rows: Tensor) -> State:
        return State(self.state[rows], self.direction[rows])


class VLNBert(Network):
    """VLN⟲BERT's own network; it has no history encoder, and scores by attention."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        hidden = config.hidden
        norm = functools.partial(nn.LayerNorm, hidden, eps=LAYER_NORM_EPS)
        self.language = LanguageEncoder(config)
        self.token_encoder = TokenEncoder(config)
        self.crossmodal = CrossModalEncoder(config, bidirectional=False)
        self.pooler = Linear(hidden, hidden)
        self.act = Linear(hidden + config.angle_width, hidden)
        self.act_norm = norm()
        self.match_norm = norm()
        self.refine = Linear(2 * hidden, hidden)
        self.refine_norm = norm()
        self.critic = make_critic(config)
        initialize_like_bert(self, hidden)

    def encode(self, *variants: Tokens) -> Text:
        """The encoded texts, whose first token is [CLS]: it gives the start state and is not attended to."""
        tokens = Tokens.join([self.language.read(one) for one in variants])
        mask = tokens.mask if tokens.hidden is None else tokens.mask & ~tokens.hidden
        states = self.language(tokens, mask)
        mask = mask.clone()
        mask[:, 0] = False
        packing = Packing(mask)
        cache = self.crossmodal.text_cache(states, packing)
        return Text(states, mask, variants[0].mask, packing, cache, len(variants), tokens.ids)

    def start(self, text: Text, direction: Tensor) -> State:
        """h_0, the pooled [CLS], and the agents' directions at the start."""
        return State(torch.tanh(self.pooler(text.states[: len(text), 0])), direction)

    def step(
        self,
        text: Text,
        past: State,
        actions: Tensor,
        mask: Tensor,
        *,
        need_context: bool = True,
        need_attention: bool = False,
        need_layers: bool = False,
    ) -> Output:
        """The scores of the actions, and the next state."""
        tokens = self.token_encoder(actions, self.config.feature_scale)
        state = self.act_norm(torch.tanh(self.act(torch.cat([past.state, past.direction], dim=-1))))
        if (many := text.variants) > 1:
            actions, tokens = actions.repeat(many, 1, 1), tokens.repeat(many, 1, 1)
            state, mask = state.repeat(many, 1), mask.repeat(many, 1)
        stream_mask = torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1)
        packing = Packing(stream_mask)
        before = crossed = seen = packing.pack(torch.cat([state[:, None], tokens], dim=1))
        record: list[tuple[Tensor, Tensor]] = []
        outputs: list[tuple[Tensor, Tensor]] = []
        layers = [layer for layer in self.crossmodal.layers if isinstance(layer, SingleDirectionLayer)]
        for layer, known in zip(layers, text.cache, strict=True):
            before = seen
            _, crossed, seen, _ = self.crossmodal.run(layer, before, before, text.packing, packing, known)
            if need_attention:
                read = text.packing.pack(text.states)
                record.append(layer.weights(before, crossed, read, text.packing, packing))
            if need_layers:
                outputs.append((text.states, packing.spread(seen)))
        last = layers[-1]
        word_scores = _state_scores(last.cross.attention, before, packing, text.cache[-1][0])
        own = last.vision_attention.attention
        action_scores = _state_scores(own, crossed, packing, own.key_value(crossed, packing)[0])[:, 1:]
        logits = action_scores.masked_fill(~mask, -torch.inf)
        attended_text = _mix(word_scores.masked_fill(~text.mask, -torch.inf), text.states)
        matched = self.match_norm(attended_text * _mix(logits, tokens))
        stream = packing.spread(seen)
        pooled = torch.tanh(self.pooler(stream[:, 0]))
        refined: Tensor = self.refine_norm(self.refine(torch.cat([pooled, matched], dim=-1)))
        return Output(
            logits=logits,
            mask=mask,
            actions=actions,
            activations=tokens,
            text=text.states,
            text_mask=text.mask,
            stream=stream,
            stream_mask=stream_mask,
            attention=stack_attention(record),
            state=refined,
            layers=outputs,
        )

    def remember(
        self, past: State, step: Output, chosen: Tensor, direction: Tensor, panorama: Tensor | None = None
    ) -> State:
        assert step.state is not None
        return State(step.state, direction)

    def value(self, step: Output) -> Tensor:
        values: Tensor = self.critic(step.state)[:, 0]
        return values


def _state_scores(heads: Heads, stream: Tensor, packing: Packing, keys: Tensor) -> Tensor:
    """(B, n) how much the first token of the stream attends to each key, before the softmax, the mean over heads."""
    query = heads.query(stream, packing)[:, :, :1]
    return ((query / math.sqrt(query.shape[-1])) @ keys.transpose(-1, -2)).mean(dim=1)[:, 0]


def _mix(scores: Tensor, values: Tensor) -> Tensor:
    """(B, hidden) the values (B, n, hidden), weighted by the softmax of their scores."""
    return (scores.softmax(dim=-1)[:, None] @ values)[:, 0]
