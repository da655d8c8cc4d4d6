"""Episodic Transformer (E.T.): the past is what the agent looked at and what it did.

Each step leaves the image feature of the view that it turned to and the direction of its action: a token of the same
form as a candidate, but seen with the eyes alone. What the instruction made of it is not kept.
"""

from __future__ import annotations

import torch

from mtvm.models.history.base import StepRecord
from mtvm.models.history.memory_bank import MemoryBankHistory
from mtvm.models.memory import MemoryBank


class OrientedHistory(MemoryBankHistory):
    def update(self, past: MemoryBank, step: StepRecord) -> MemoryBank:
        view = step.at_chosen(step.candidates)[:, : self.config.feature_width]
        past.append(torch.cat([view, step.direction], dim=-1))
        return past
