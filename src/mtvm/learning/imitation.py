"""Imitation learning: the negative log-probability of the teacher's actions (first term of Eq. 6)."""

from __future__ import annotations

from torch import Tensor


def imitation_loss(logits: Tensor, teacher: Tensor) -> Tensor:
    """(B,) -log a(a*) of each running episode; `teacher` are places among the current tokens."""
    return -logits.log_softmax(dim=1).gather(1, teacher[:, None])[:, 0]
