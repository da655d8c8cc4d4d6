"""HAMT: the past is every panorama that was seen, encoded on two levels.

The 36 views of a panorama go through a small transformer and are averaged; with the view that the agent turned to and
the direction of its action added, this is the step's token, and a second transformer runs over the tokens of all steps.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.models.attention import LAYER_NORM_EPS, TransformerLayer
from mtvm.models.config import ModelConfig
from mtvm.models.history.base import HistoryEncoder, StepRecord, full_mask
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.packing import Packing
from mtvm.models.vision import TokenEncoder


class HierarchicalHistory(HistoryEncoder):
    needs_panorama = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)

        def layers(count: int) -> nn.ModuleList:
            sizes = (config.hidden, config.heads, config.intermediate, config.dropout)
            return nn.ModuleList(TransformerLayer(*sizes) for _ in range(count))

        self.view = nn.Linear(config.token_width, config.hidden)
        self.view_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.over_views = layers(config.panorama_layers)
        self.step = nn.Linear(config.token_width, config.hidden)
        self.step_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.when = nn.Embedding(config.max_positions, config.hidden)
        self.over_time = layers(config.temporal_layers)

    def start(self, text: Text) -> MemoryBank:
        states, config = text.states, self.config
        return MemoryBank(len(text), config.hidden, config.memory_steps, states.device, states.dtype)

    def tokens(self, past: MemoryBank, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        tokens = past.tokens()
        mask = full_mask(tokens)
        if tokens.shape[1] == 0:
            return tokens, mask
        tokens = tokens + self.when((mask.cumsum(dim=1) - 1).clamp(max=self.config.max_positions - 1))
        return _through(self.over_time, tokens), mask

    def update(self, past: MemoryBank, step: StepRecord) -> MemoryBank:
        if step.panorama is None:
            raise ValueError("the hierarchical history needs the 36 views of the panorama at each step.")
        width = self.config.feature_width
        image, angle = step.panorama[..., :width], step.panorama[..., width:]
        dropped = functional.dropout(image, self.config.feature_dropout, self.training)  # as on the other histories
        views = self.view_norm(self.view(torch.cat([dropped, angle], dim=-1)))
        views = _through(self.over_views, views)
        turned_to = step.at_chosen(step.actions)[:, :width]
        action = self.step_norm(self.step(torch.cat([turned_to, step.direction], dim=-1)))
        past.append(views.mean(dim=1) + action)
        return past


def _through(layers: nn.ModuleList, tokens: Tensor) -> Tensor:
    """(B, n, hidden) after transformer layers; all tokens are real."""
    packing = Packing(full_mask(tokens))
    packed = packing.pack(tokens)
    for layer in layers:
        packed = layer(packed, packing)
    return packing.spread(packed)
