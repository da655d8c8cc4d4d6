"""Episodic Transformer (E.T.): the past is what the agent looked at and what it did.

A step leaves the image feature of the view that the agent turned to and the direction of its action: a token like an
action's, on which the instruction has no influence.
"""

from __future__ import annotations

from torch import Tensor

from mtvm.models.history.base import Transition
from mtvm.models.history.memory_bank import BankHistory


class OrientedHistory(BankHistory):
    def content(self, step: Transition) -> Tensor:
        return self.config.feature_scale * step.at_chosen(step.actions)[:, : self.config.feature_width]
