"""HAMT: the past is every panorama that was seen, encoded on two levels, behind a learned [CLS].

The 36 views of a panorama go through a small transformer and are averaged; the view that the agent turned to, the
direction of its action and the number of the step are added. Between the steps there is only the cross-modal encoder's
own attention, as in HAMT's released configuration; `temporal_layers` puts a transformer of its own before it.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from mtvm.models.attention import LAYER_NORM_EPS, TransformerLayer
from mtvm.models.config import ModelConfig
from mtvm.models.dropout import Dropout, dropout
from mtvm.models.history.base import HistoryEncoder, Transition, full_mask
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.packing import Packing
from mtvm.models.vision import FeatureLinear, TokenEncoder


@dataclasses.dataclass
class Panoramas:
    cls: Tensor
    """(B, hidden)"""
    bank: MemoryBank
    """One token of the hidden width a step."""

    def keep(self, rows: Tensor) -> Panoramas:
        return Panoramas(self.cls[rows], self.bank.keep(rows))


class ViewEmbedding(nn.Module):
    """LN(W v) + LN(W' d) of tokens [v; d]. Feature dropout falls on v alone."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.feature_width, self.feature_dropout = config.feature_width, config.feature_dropout
        self.image = FeatureLinear(config.feature_width, config.hidden)
        self.image_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.angle = FeatureLinear(config.angle_width, config.hidden)
        self.angle_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)

    def forward(self, tokens: Tensor) -> Tensor:
        image, angle = tokens[..., : self.feature_width], tokens[..., self.feature_width :]
        if self.training and self.feature_dropout > 0:
            image = dropout(image, self.feature_dropout)
        embedded: Tensor = self.image_norm(self.image(image)) + self.angle_norm(self.angle(angle))
        return embedded


class HierarchicalHistory(HistoryEncoder):
    needs_panorama = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)

        def layers(count: int) -> nn.ModuleList:
            sizes = (config.hidden, config.heads, config.intermediate, config.dropout)
            return nn.ModuleList(TransformerLayer(*sizes) for _ in range(count))

        self.cls = nn.Parameter(torch.zeros(config.hidden))
        self.view = ViewEmbedding(config)
        self.over_views = layers(self.options.panorama_layers)
        self.step = ViewEmbedding(config)
        self.when = nn.Embedding(config.max_positions, config.hidden)
        self.kind = nn.Embedding(1, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(config.dropout)
        self.over_time = layers(self.options.temporal_layers)

    def start(self, text: Text) -> Panoramas:
        states, config = text.states, self.config
        cls = self.dropout(self.norm((self.cls + self.kind.weight[0]).expand(len(text), -1)))
        return Panoramas(cls, MemoryBank(len(text), config.hidden, self.options.steps, states.device, states.dtype))

    def tokens(self, past: Panoramas, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        tokens = torch.cat([past.cls[:, None], past.bank.tokens()], dim=1)
        return _through(self.over_time, tokens), full_mask(tokens)

    def update(self, past: Panoramas, step: Transition) -> Panoramas:
        if step.panorama is None:
            raise ValueError("the hierarchical history needs the 36 views of the panorama at each step.")
        views = _through(self.over_views, self.dropout(self.view(step.panorama))).mean(dim=1)
        turned_to = self.config.feature_scale * step.at_chosen(step.actions)[:, : self.config.feature_width]
        action = self.step(torch.cat([turned_to, step.direction], dim=-1))
        when = self.when.weight[min(len(past.bank), self.config.max_positions - 1)]
        past.bank.append(self.dropout(self.norm(action + when + self.kind.weight[0] + views)))
        return past


def _through(layers: nn.ModuleList, tokens: Tensor) -> Tensor:
    """(B, n, hidden) after transformer layers; all tokens are real."""
    packing = Packing(full_mask(tokens))
    packed = packing.pack(tokens)
    for layer in layers:
        packed = layer(packed, packing)
    return packing.spread(packed)
