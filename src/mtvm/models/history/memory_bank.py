"""MTVM: the past is a bank of the model's own cross-modal activations, one token a step (Eq. 2).

M_t <- (M_{t-1}, [V̂_t^k ; d_t^k])
"""

from __future__ import annotations

import abc
import dataclasses

import torch
from torch import Tensor

from mtvm.models.history.base import HistoryEncoder, Transition, full_mask
from mtvm.models.language import Text
from mtvm.models.memory import MemoryBank
from mtvm.models.vision import TokenEncoder


@dataclasses.dataclass
class Remembered:
    """The bank, and its tokens after the token encoder, so that each is encoded only once. In training, dropout
    therefore falls on a token once too, not anew at each step as in the released code."""

    bank: MemoryBank
    encoded: MemoryBank
    seen: int = 0
    """How many tokens of the bank were encoded, or were beyond the limit before they could be."""

    def keep(self, rows: Tensor) -> Remembered:
        return Remembered(self.bank.keep(rows), self.encoded.keep(rows), self.seen)


class BankHistory(HistoryEncoder):
    """One token [...; d_t^k] a step, of the width of an action's."""

    @abc.abstractmethod
    def content(self, step: Transition) -> Tensor:
        """(B, feature width) what the bank keeps of a step beside its direction."""

    def start(self, text: Text) -> Remembered:
        batch, device, limit = len(text), text.states.device, self.options.steps
        bank = MemoryBank(batch, self.config.token_width, limit, device, text.states.dtype)
        return Remembered(bank, MemoryBank(batch, self.config.hidden, limit, device, text.states.dtype))

    def tokens(self, past: Remembered, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        for token in past.bank.latest(len(past.bank) - past.seen):
            past.encoded.append(token_encoder(token))
        past.seen = len(past.bank)
        tokens = past.encoded.tokens()
        return tokens, full_mask(tokens)

    def update(self, past: Remembered, step: Transition) -> Remembered:
        past.bank.append(torch.cat([self.content(step), step.direction], dim=-1))
        return past


class MemoryBankHistory(BankHistory):
    stores_activations = True

    def content(self, step: Transition) -> Tensor:
        return step.at_chosen(step.activations)
