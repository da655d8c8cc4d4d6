"""MTVM: the past is a bank of the model's own cross-modal activations, one token a step (Eq. 2).

M_t <- (M_{t-1}, [V̂_t^k ; d_t^k])
"""

from __future__ import annotations

import torch
from torch import Tensor

from mtvm.models.history.base import HistoryEncoder, StepRecord
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.vision import TokenEncoder


class MemoryBankHistory(HistoryEncoder):
    def start(self, text: Text) -> MemoryBank:
        limit = self.config.memory_steps
        return MemoryBank(len(text.states), self.config.token_width, limit, device=text.states.device)

    def tokens(self, past: MemoryBank, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        return token_encoder(past.tokens()), past.mask()

    def update(self, past: MemoryBank, step: StepRecord) -> MemoryBank:
        past.append(torch.cat([step.at_chosen(step.activations), step.direction], dim=-1))  # Eq. 2
        return past
