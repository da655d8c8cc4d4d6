"""Embeddings of the vision stream [M; V]: tokens of the past, then those of the actions."""

from __future__ import annotations

from torch import Tensor, nn

from mtvm.models.attention import LAYER_NORM_EPS
from mtvm.models.config import ModelConfig
from mtvm.models.dropout import Dropout, dropout
from mtvm.products import Linear, linear

CURRENT, PAST = 0, 1


class FeatureLinear(Linear):
    """A projection of features before a LayerNorm. Features can be all zeros, as STOP's are: the bias must not be, or
    the LayerNorm would see no variance and give gradients of a million; `initialize_like_bert` sees to it."""


class TokenEncoder(nn.Module):
    """Projects an action's or memory token [v; d] to the hidden width. Feature dropout falls on v alone."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.feature_width = config.feature_width
        self.feature_dropout = config.feature_dropout
        self.project = FeatureLinear(config.token_width, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(config.dropout)

    def forward(self, tokens: Tensor, scale: float = 1.0) -> Tensor:
        """(..., hidden) of tokens [v; d]; v is multiplied by `scale`."""
        image, angle = tokens[..., : self.feature_width], tokens[..., self.feature_width :]
        image = dropout(image, self.feature_dropout, self.training)
        # The product with [v; d] in two parts: joining them again would copy all features.
        of_image, of_angle = self.project.weight[:, : self.feature_width], self.project.weight[:, self.feature_width :]
        projected = linear(image, of_image * scale) + linear(angle, of_angle, self.project.bias)
        encoded: Tensor = self.dropout(self.norm(projected))
        return encoded


class StreamEmbedding(nn.Module):
    """Adds position embeddings, and embeddings of whether a token is of the past."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.position = nn.Embedding(config.max_positions, config.hidden)
        self.kind = nn.Embedding(2, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = Dropout(config.dropout)

    def forward(self, tokens: Tensor, positions: Tensor, kinds: Tensor) -> Tensor:
        """(B, S, hidden); `positions` (B, S) count real tokens only, `kinds` (S,) are PAST or CURRENT."""
        embedded: Tensor = self.dropout(self.norm(tokens + self.position(positions) + self.kind(kinds)))
        return embedded
