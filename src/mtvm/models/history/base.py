"""The interface of a history encoder."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.models.config import ModelConfig
from mtvm.models.language import Text
from mtvm.models.packing import take
from mtvm.models.vision import TokenEncoder

Past = Any
"""What a history encoder remembers of a batch of episodes. `past.keep(rows)` is that of some of the episodes."""


@dataclasses.dataclass
class StepRecord:
    """A step of the B running episodes, and the action that each took."""

    chosen: Tensor
    """(B,) the action that was taken."""
    actions: Tensor
    """(B, A, token width) a token [v; d] for each action, STOP included; v without `feature_scale`."""
    activations: Tensor
    """(B, A, feature width) V̂ after the action head's tanh."""
    direction: Tensor
    """(B, angle width) the direction feature of the agent's heading and elevation after its move."""
    text: Tensor
    """(B, L, hidden) X̂."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + A, hidden) [history; V̂]."""
    stream_mask: Tensor
    panorama: Tensor | None = None
    """(B, 36, token width) all views [v; d] before the move, for histories that need them."""

    def at_chosen(self, tokens: Tensor) -> Tensor:
        """The row of (B, A, width) of the action that was taken."""
        rows = torch.arange(len(self.chosen), device=tokens.device) * tokens.shape[1] + self.chosen
        return take(tokens.flatten(0, 1), rows)


class HistoryEncoder(nn.Module, abc.ABC):
    """Turns past steps into tokens of the vision stream. A subclass is made with the model's config alone."""

    needs_panorama = False
    """Whether `update` reads the 36 views of the panorama."""
    needs_rest = False
    """Whether `update` reads X̂ and M̂ of a step, and not V̂ alone."""
    stores_activations = False
    """Whether its tokens are the token encoder's of [V̂^k; d^k], one a step, as the exported program assumes."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config

    @abc.abstractmethod
    def start(self, text: Text) -> Past:
        """The past of episodes that begin."""

    @abc.abstractmethod
    def tokens(self, past: Past, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        """(B, n, hidden) tokens that precede the actions in the vision stream, and their mask (B, n)."""

    @abc.abstractmethod
    def update(self, past: Past, step: StepRecord) -> Past:
        """The past after a step; it may be the same object, changed."""


def full_mask(tokens: Tensor) -> Tensor:
    """(B, n), all true."""
    return torch.ones(tokens.shape[:2], dtype=torch.bool, device=tokens.device)
