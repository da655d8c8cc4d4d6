"""The contract of a history encoder."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.models.config import ModelConfig
from mtvm.models.language import Text
from mtvm.models.vision import TokenEncoder

Past = Any
"""What a history encoder remembers of a batch of episodes; it has `keep(rows)`."""


@dataclasses.dataclass
class StepRecord:
    """What happened in a step, for the history to make of it what it will. B episodes are still running."""

    chosen: Tensor
    """(B,) which of the current tokens was chosen."""
    candidates: Tensor
    """(B, K + 1, token width) the current tokens [v; d], STOP included."""
    activations: Tensor
    """(B, K + 1, feature width) what the action head made of them: V̂ as the memory stores it."""
    direction: Tensor
    """(B, angle width) the direction feature of the agent after its move, absolute."""
    text: Tensor
    """(B, L, hidden) X̂."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + K + 1, hidden) [history; V̂]."""
    stream_mask: Tensor
    panorama: Tensor | None = None
    """(B, 36, token width) all views [v; d] before the move; only the hierarchical history asks for them."""

    def at_chosen(self, tokens: Tensor) -> Tensor:
        """The row of (B, K + 1, width) that was chosen."""
        return tokens[torch.arange(len(self.chosen), device=tokens.device), self.chosen]


class HistoryEncoder(nn.Module, abc.ABC):
    """Turns what happened into tokens of the vision stream.

    `start` begins a batch of episodes; `tokens` gives (B, n, hidden) and their mask (B, n), to stand before the
    candidates; `update` takes in a step and returns the past to go on with, which may be the same object.
    """

    needs_panorama = False

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config

    @abc.abstractmethod
    def start(self, text: Text) -> Past: ...

    @abc.abstractmethod
    def tokens(self, past: Past, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]: ...

    @abc.abstractmethod
    def update(self, past: Past, step: StepRecord) -> Past: ...
