"""AdamW, its schedule, and the running mean of the weights."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mtvm.config import OptimizerConfig
from mtvm.models.model import MTVM


def make_optimizer(model: MTVM, config: OptimizerConfig) -> torch.optim.AdamW:
    """AdamW over what is not frozen; the language encoder has a rate of its own."""
    model.language.freeze(config.frozen_language_layers)
    language = {id(parameter) for parameter in model.language.parameters()}
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if id(p) not in language], "factor": 1.0},
        {"params": [p for p in parameters if id(p) in language], "factor": config.language_rate},
    ]
    fused = all(parameter.device.type in ("cpu", "cuda") for parameter in parameters)
    groups = [group for group in groups if group["params"]]
    return torch.optim.AdamW(groups, lr=config.rate, weight_decay=config.weight_decay, fused=fused)


def rate_at(update: int, config: OptimizerConfig) -> float:
    """The learning rate of an update, counted from 0."""
    if update < config.warmup:
        return config.rate * (update + 1) / config.warmup
    done = (update - config.warmup) / max(config.updates - config.warmup, 1)
    if config.schedule == "linear":
        return config.rate * max(1 - done, 0)
    if config.schedule == "cosine":
        return config.rate * (1 + math.cos(math.pi * min(done, 1))) / 2
    return config.rate


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * group["factor"]


class RunningMean:
    """An exponential mean of the weights, which forgets its random start quickly."""

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
        torch._foreach_lerp_(list(self.weights.values()), [current[name].detach() for name in self.weights], 1 - decay)

    @torch.no_grad()
    def swap(self, model: nn.Module) -> None:
        """Exchange the mean with the model's weights; a second call brings them back."""
        current = dict(model.named_parameters())
        for name, mean in self.weights.items():
            kept = current[name].detach().clone()
            current[name].copy_(mean)
            mean.copy_(kept)
