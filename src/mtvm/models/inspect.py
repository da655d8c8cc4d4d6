"""A model as a table: parameters, and floating-point operations of a step."""

from __future__ import annotations

import dataclasses

from torch import nn

from mtvm.models.config import ModelConfig
from mtvm.models.model import MTVM


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    parameters: int
    flops: float
    """Of one step of one episode; the language encoder's are spent once an episode."""


def parts(model: MTVM, words: int = 32, memory: int = 4, candidates: int = 5) -> list[Part]:
    """The model's parts, with the operations for a text, memory and number of candidates of these sizes."""
    config = model.config
    stream, hidden = memory + candidates + 1, config.hidden
    language = config.language_layers * _layer(config, words, words)
    cross = config.crossmodal_layers * _crossmodal(config, words, stream)
    return [
        Part("language encoder (once an episode)", _count(model.language), language),
        Part("token encoder", _count(model.token_encoder), 2 * stream * config.token_width * hidden),
        Part("stream embedding", _count(model.embedding), 0),
        Part("cross-modality encoder", _count(model.crossmodal), cross),
        Part("action head", _count(model.head), 2 * (candidates + 1) * (hidden + 1) * config.feature_width),
        Part(f"history: {config.history}", _count(model.history), 0),
        Part("critic's pooler", _count(model.pooler), 2 * hidden * (hidden + words)),
        Part("critic", _count(model.critic), 2 * config.critic_hidden * (hidden + 1)),
    ]


def _count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _attention(config: ModelConfig, queries: int, keys: int) -> float:
    """Projections of the queries' tokens and the output, and the two products of attention."""
    return 8 * queries * config.hidden**2 + 4 * queries * keys * config.hidden


def _feed_forward(config: ModelConfig, tokens: int) -> float:
    return 4 * tokens * config.hidden * config.intermediate


def _layer(config: ModelConfig, queries: int, keys: int) -> float:
    return _attention(config, queries, keys) + _feed_forward(config, queries)


def _crossmodal(config: ModelConfig, words: int, stream: int) -> float:
    vision = _layer(config, stream, stream)
    if not config.bidirectional:  # the text's keys and values are there already
        return vision + 4 * stream * config.hidden**2 + 4 * stream * words * config.hidden
    both = 8 * (words + stream) * config.hidden**2 + 8 * words * stream * config.hidden
    return vision + _layer(config, words, words) + both
