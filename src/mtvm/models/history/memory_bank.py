"""MTVM: the past is a bank of the model's own cross-modal activations, one token a step (Eq. 2).

M_t <- (M_{t-1}, [V̂_t^k ; d_t^k])
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from mtvm.models.history.base import HistoryEncoder, StepRecord
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.vision import TokenEncoder


@dataclasses.dataclass
class Remembered:
    """The bank, and its tokens as they come out of the token encoder, so that each is encoded only once. In training
    its dropout therefore falls once too, not anew at each step as in the released code."""

    bank: MemoryBank
    encoded: MemoryBank

    def keep(self, rows: Tensor) -> Remembered:
        return Remembered(self.bank.keep(rows), self.encoded.keep(rows))


class MemoryBankHistory(HistoryEncoder):
    def start(self, text: Text) -> Remembered:
        batch, device, limit = len(text), text.states.device, self.config.memory_steps
        bank = MemoryBank(batch, self.config.token_width, limit, device, text.states.dtype)
        return Remembered(bank, MemoryBank(batch, self.config.hidden, limit, device, text.states.dtype))

    def tokens(self, past: Remembered, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        bank, encoded = past.bank, past.encoded
        mask = bank.mask()
        if not bool(mask.all()):  # episodes that began at different times
            return token_encoder(bank.tokens()), mask
        for age in range(len(bank) - len(encoded), 0, -1):
            beyond = age > mask.shape[1]  # the limit: never read
            fresh = mask.new_zeros(bank.batch, self.config.hidden, dtype=torch.float32) if beyond else bank.latest(age)
            encoded.append(fresh if beyond else token_encoder(fresh))
        return encoded.tokens(), mask

    def update(self, past: Remembered, step: StepRecord) -> Remembered:
        past.bank.append(torch.cat([self.token(step), step.direction], dim=-1))  # Eq. 2
        return past

    def token(self, step: StepRecord) -> Tensor:
        """What the bank keeps of a step beside its direction: V̂_t^k."""
        return step.at_chosen(step.activations)
