"""Episodic Transformer (E.T.): the past is what the agent looked at and what it did.

Each step leaves the image feature of the view that it turned to and the direction of its action: a token of the same
form as a candidate, but seen with the eyes alone. What the instruction made of it is not kept.
"""

from __future__ import annotations

from torch import Tensor

from mtvm.models.history.base import StepRecord
from mtvm.models.history.memory_bank import MemoryBankHistory


class OrientedHistory(MemoryBankHistory):
    def token(self, step: StepRecord) -> Tensor:
        return step.at_chosen(step.actions)[:, : self.config.feature_width]
