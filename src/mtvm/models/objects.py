"""The object head: which of the objects in view the instruction asks for."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.features.objects import PLACE_WIDTH
from mtvm.models.attention import LAYER_NORM_EPS
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import SingleDirectionLayer
from mtvm.models.dropout import Dropout, dropout
from mtvm.models.packing import Packing
from mtvm.models.text import PAD
from mtvm.models.vision import FeatureLinear
from mtvm.products import Linear

MATCH_WIDTH = 3
"""Numbers that say how an object's name and the instruction's words agree."""
_SAME = 0.999


def name_matches(table: Tensor, ids: Tensor, real: Tensor, names: Tensor, shares: Tensor) -> Tensor:
    """(B, K, 3) how well each object's names agree with the words of its text, in the mean over its names: how similar
    the most similar words are, in the mean over a name's tokens; the share of these tokens that stand in the text; and
    where the last of them does, from 0 (the start) to 1, as what is asked for is often named last.

    `table` (vocabulary, width) embeds tokens, `ids` and `real` (B, L) are the texts, `names` (B, K, m, W) are padded
    with 0, and `shares` (B, K, m) say how likely they are.
    """
    words = functional.normalize(table[ids], dim=-1)
    parts = functional.normalize(table[names], dim=-1)
    agree = torch.einsum("bkmwd,bld->bkmwl", parts, words).masked_fill(~real[:, None, None, None], -1.0)
    best, place = agree.max(dim=-1)
    there = (names != PAD).float()
    count = there.sum(dim=-1).clamp(min=1)
    same = (best > _SAME).float() * there
    last = (same * place / real.sum(dim=1).clamp(min=1)[:, None, None, None]).amax(dim=-1)
    matches = torch.stack([(best * there).sum(dim=-1) / count, same.sum(dim=-1) / count, last], dim=-1)
    return (matches * shares[..., None]).sum(dim=2)


class ObjectHead(nn.Module):
    """Objects read the instruction, look at each other, and are scored."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.project = FeatureLinear(config.object_width + MATCH_WIDTH, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList(SingleDirectionLayer(config) for _ in range(config.object_layers))
        self.score = Linear(config.hidden, 1)

    def forward(
        self, states: Tensor, real: Tensor, objects: Tensor, mask: Tensor, matches: Tensor | None = None
    ) -> Tensor:
        """(B, K) the score of each object, -inf for padding.

        `states` (B, L, hidden) are encoded texts and `real` (B, L) is true for tokens that can be attended to.
        `objects` (B, K, object width) are tokens that end with where each object is, and `mask` (B, K) is true for
        real ones. `matches` (B, K, 3) are those of their names; zeros where names are not known.
        """
        if matches is None:
            matches = objects.new_zeros(*mask.shape, MATCH_WIDTH)
        words, here = Packing(real), Packing(mask)
        packed = here.pack(torch.cat([objects, matches], dim=-1))
        exact = PLACE_WIDTH + MATCH_WIDTH
        looks = packed[..., :-exact] * self.config.feature_scale
        looks = dropout(looks, self.config.feature_dropout, self.training)
        tokens = torch.cat([looks, packed[..., -exact:]], dim=-1)
        seen = self.dropout(self.norm(self.project(tokens)))
        read = words.pack(states)
        for layer in self.layers:
            _, _, seen, _ = layer(read, seen, words, here)
        return here.spread(self.score(seen)[..., 0]).masked_fill(~mask, -torch.inf)
