"""The object head: which of the objects in view the instruction asks for."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mtvm.features.objects import PLACE_WIDTH
from mtvm.models.attention import LAYER_NORM_EPS
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import SingleDirectionLayer
from mtvm.models.dropout import Dropout, dropout
from mtvm.models.packing import Packing
from mtvm.models.vision import FeatureLinear
from mtvm.products import Linear


class ObjectHead(nn.Module):
    """Objects read the instruction, look at each other, and are scored."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.project = FeatureLinear(config.object_width, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList(SingleDirectionLayer(config) for _ in range(config.object_layers))
        self.score = Linear(config.hidden, 1)

    def forward(self, states: Tensor, real: Tensor, objects: Tensor, mask: Tensor) -> Tensor:
        """(B, K) the score of each object, -inf for padding.

        `states` (B, L, hidden) are encoded texts and `real` (B, L) is true for tokens that can be attended to.
        `objects` (B, K, object width) are tokens that end with where each object is, and `mask` (B, K) is true for
        real ones.
        """
        words, here = Packing(real), Packing(mask)
        packed = here.pack(objects)
        looks = packed[..., :-PLACE_WIDTH] * self.config.feature_scale
        looks = dropout(looks, self.config.feature_dropout, self.training)
        tokens = torch.cat([looks, packed[..., -PLACE_WIDTH:]], dim=-1)
        seen = self.dropout(self.norm(self.project(tokens)))
        read = words.pack(states)
        for layer in self.layers:
            _, _, seen, _ = layer(read, seen, words, here)
        return here.spread(self.score(seen)[..., 0]).masked_fill(~mask, -torch.inf)
