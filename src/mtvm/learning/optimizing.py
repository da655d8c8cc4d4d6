"""AdamW and Muon, their schedule, and the running mean of the weights."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.config import OptimizerConfig
from mtvm.models.model import MTVM


def make_optimizer(model: MTVM, config: OptimizerConfig) -> torch.optim.AdamW:
    """An optimizer of what is not frozen; the language encoder has a rate of its own."""
    model.language.freeze(config.frozen_language_layers)
    language = {id(parameter) for parameter in model.language.parameters()}
    parameters = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    pieces = _matrices(model) if config.kind == "muon" else {}
    groups: defaultdict[tuple[bool, int], list[Tensor]] = defaultdict(list)
    for name, parameter in parameters.items():
        groups[id(parameter) in language, pieces.get(name, 0)].append(parameter)
    fused = all(parameter.device.type in ("cpu", "cuda") for parameter in parameters.values())
    kind = Muon if config.kind == "muon" else torch.optim.AdamW
    return kind(
        [
            {"params": group, "factor": config.language_rate if of_language else 1.0, "pieces": count}
            for (of_language, count), group in sorted(groups.items())
        ],
        lr=config.rate,
        weight_decay=config.weight_decay,
        fused=fused,
    )


def _matrices(model: nn.Module) -> dict[str, int]:
    """Names of the weight matrices that Muon takes, with how many matrices each of them is made of."""
    return {
        f"{name}.weight": 3 if name.endswith(".qkv") else 1
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and module.out_features > 1
    }


class Muon(torch.optim.AdamW):
    """AdamW; but groups whose `pieces` are not 0 hold matrices, which go by Muon: a step is the momentum, brought close
    to the nearest orthogonal matrix, so that no direction of a matrix is left behind. Its size is that of AdamW's steps
    (0.2 in the root of the mean square), so one learning rate suits both. `pieces` matrices can lie in one parameter.
    """

    MOMENTUM = 0.95
    STEP_SIZE = 0.2

    def __init__(self, groups: list[dict[str, Any]], **options: Any) -> None:
        super().__init__(groups, **options)
        self._step_supports_amp_scaling = False  # a scaler must skip steps itself: those of matrices do not know it

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        groups = self.param_groups
        try:
            self.param_groups = [group for group in groups if not group["pieces"]]
            super().step()
        finally:
            self.param_groups = groups
        for group in groups:
            if group["pieces"]:
                self._step_matrices(group)

    def _step_matrices(self, group: dict[str, Any]) -> None:
        by_shape: defaultdict[torch.Size, list[tuple[Tensor, Tensor]]] = defaultdict(list)
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["momentum"] = torch.zeros_like(parameter)
                state["step"] = torch.zeros(())  # which AdamW looks for when it loads a state
            momentum = state["momentum"].lerp_(parameter.grad, 1 - self.MOMENTUM)
            wanted = parameter.grad.lerp(momentum, self.MOMENTUM)  # Nesterov's: one gradient ahead
            for weight, direction in zip(parameter.chunk(group["pieces"]), wanted.chunk(group["pieces"]), strict=True):
                by_shape[weight.shape].append((weight, direction))
        for shape, pairs in by_shape.items():
            steps = orthogonal(torch.stack([direction for _, direction in pairs]))
            size = group["lr"] * self.STEP_SIZE * math.sqrt(max(shape))
            for (weight, _), step in zip(pairs, steps, strict=True):
                weight.mul_(1 - group["lr"] * group["weight_decay"]).add_(step, alpha=-size)


_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
_NEWTON_SCHULZ_STEPS = 5


def orthogonal(matrices: Tensor) -> Tensor:
    """(n, r, c) with singular values near 1 (0.7 to 1.2) and the same singular vectors, by Newton-Schulz iterations.

    Singular values below a thousandth of a matrix's norm stay smaller.
    """
    tall = matrices.shape[-2] > matrices.shape[-1]
    near = matrices.mT if tall else matrices
    near = near / near.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-12)
    first, third, fifth = _NEWTON_SCHULZ
    for _ in range(_NEWTON_SCHULZ_STEPS):
        square = near @ near.mT
        near = torch.baddbmm(near, torch.baddbmm(square, square, square, beta=third, alpha=fifth), near, beta=first)
    return near.mT if tall else near


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
