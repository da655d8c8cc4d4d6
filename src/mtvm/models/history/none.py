"""No past at all: every step is the first."""

from __future__ import annotations

import dataclasses

from torch import Tensor

from mtvm.models.history.base import HistoryEncoder, Transition, full_mask
from mtvm.models.language import Text
from mtvm.models.vision import TokenEncoder


@dataclasses.dataclass
class Nothing:
    tokens: Tensor
    """(B, 0, hidden)"""

    def keep(self, rows: Tensor) -> Nothing:
        return Nothing(self.tokens[rows])


class NoHistory(HistoryEncoder):
    def start(self, text: Text) -> Nothing:
        return Nothing(text.states[: len(text), :0].detach())

    def tokens(self, past: Nothing, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        return past.tokens, full_mask(past.tokens)

    def update(self, past: Nothing, step: Transition) -> Nothing:
        return past
