"""No past at all: every step is the first."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from mtvm.models.history.base import HistoryEncoder, StepRecord
from mtvm.models.language import Text
from mtvm.models.vision import TokenEncoder


@dataclasses.dataclass
class Nothing:
    like: Tensor
    """(B, 0, hidden)"""

    def keep(self, rows: Tensor) -> Nothing:
        return Nothing(self.like[rows])


class NoHistory(HistoryEncoder):
    def start(self, text: Text) -> Nothing:
        return Nothing(text.states[: len(text), :0].detach())

    def tokens(self, past: Nothing, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        return past.like, torch.ones(past.like.shape[:2], dtype=torch.bool, device=past.like.device)

    def update(self, past: Nothing, step: StepRecord) -> Nothing:
        return past
