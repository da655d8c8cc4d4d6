"""The exponential moving average (EMA) of the weights.

The average itself is torch's. Its `AveragedModel` is not used: that is a copy of the whole network, with the frozen
reader that no average concerns, while this keeps the trained weights alone and lends them to the network that is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn


class EMA:
    """The average of a model's trainable weights. Its decay grows from 0.1, so that the random start is forgotten."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.updates = 0
        self.weights: dict[str, Tensor] = {
            name: value.detach().clone() for name, value in model.named_parameters() if value.requires_grad
        }

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        current = dict(model.named_parameters())
        average = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]
        average(list(self.weights.values()), [current[name].detach() for name in self.weights], self.updates)

    @contextlib.contextmanager
    def in_place(self, model: nn.Module) -> Iterator[None]:
        """The average in place of the model's weights, which come back afterwards."""
        self._swap(model)
        try:
            yield
        finally:
            self._swap(model)

    @torch.no_grad()
    def _swap(self, model: nn.Module) -> None:
        current = dict(model.named_parameters())
        for name, average in self.weights.items():
            kept = current[name].detach().clone()
            current[name].copy_(average)
            average.copy_(kept)

    def state_dict(self) -> dict[str, Any]:
        return {"weights": self.weights, "updates": self.updates}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, average in self.weights.items():
            average.copy_(state["weights"][name])
        self.updates = state["updates"]
