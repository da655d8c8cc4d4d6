"""AdamW and Muon, and their learning-rate schedule."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.configs.run import OptimizerConfig
from mtvm.errors import brief
from mtvm.learning import parallel
from mtvm.learning.checkpoint import check_kind
from mtvm.models.network import Network
from mtvm.products import multiply


def make_optimizer(
    model: nn.Module, config: OptimizerConfig, loss_weights: nn.Module | None = None
) -> torch.optim.AdamW:
    """An optimizer of all weights that are not frozen; an agent's language encoder and its reader have learning rates
    of their own. `loss_weights` are trained like the agent's."""
    if isinstance(model, Network):
        model.language.freeze(config.frozen_language_layers)
    factors = (1.0, config.language_lr, config.reader_lr)
    groups: defaultdict[tuple[int, int], list[Tensor]] = defaultdict(list)
    for module in (model, loss_weights or nn.Module()):
        pieces = _matrices(module) if config.kind == "muon" else {}
        for name, parameter in module.named_parameters():
            part = 0
            if isinstance(module, Network) and name.startswith("language."):
                part = 2 if name.startswith("language.reader.") else 1
            if parameter.requires_grad:
                groups[part, pieces.get(name, 0)].append(parameter)
    fused = all(parameter.device.type in ("cpu", "cuda") for group in groups.values() for parameter in group)
    kind = Muon if config.kind == "muon" else torch.optim.AdamW
    return kind(
        [
            {"params": group, "factor": factors[part], "pieces": count}
            for (part, count), group in sorted(groups.items())
        ],
        lr=config.lr,
        weight_decay=config.weight_decay,
        fused=fused,
    )


def _matrices(model: nn.Module) -> dict[str, int]:
    """The names of the weight matrices that Muon updates, and how many matrices are stacked in each."""
    return {
        f"{name}.weight": 3 if name.endswith(".qkv") else 1
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and module.out_features > 1
    }


class Muon(torch.optim.AdamW):
    """AdamW, except that groups with `pieces` above 0 hold weight matrices, which Muon updates.

    A step of Muon is the momentum, brought close to the nearest orthogonal matrix, so that every direction of a matrix
    learns. Steps are scaled to the size of AdamW's (a root mean square of 0.2), so that one learning rate suits both.
    `pieces` is the number of matrices stacked in a parameter.

    torch.optim.Muon computes in bfloat16, which many CPUs cannot multiply, and takes stacked matrices for one.
    """

    MOMENTUM = 0.95
    STEP_SIZE = 0.2

    def __init__(self, groups: list[dict[str, Any]], **options: Any) -> None:
        super().__init__(groups, **options)
        self._step_supports_amp_scaling = False  # the scaler must skip steps: ours do not

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
        found = _orthogonal_shared([torch.stack([one for _, one in pairs]) for pairs in by_shape.values()])
        for (shape, pairs), steps in zip(by_shape.items(), found, strict=True):
            size = group["lr"] * self.STEP_SIZE * math.sqrt(max(shape))
            for (weight, _), step in zip(pairs, steps, strict=True):
                weight.mul_(1 - group["lr"] * group["weight_decay"]).add_(step, alpha=-size)


_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
_NEWTON_SCHULZ_STEPS = 5
_AT_A_TIME = 2**16
"""Numbers of matrices that go through all iterations together, so that they stay in the CPU's cache."""


def _orthogonal_shared(stacks: list[Tensor]) -> list[Tensor]:
    """`orthogonal` of each of the stacks, of whose matrices every process computes its share."""
    size = parallel.size()
    if size == 1 or not stacks:
        return [orthogonal(stack) for stack in stacks]
    found, dealt = [torch.zeros_like(stack) for stack in stacks], 0
    for steps, stack in zip(found, stacks, strict=True):
        first = (parallel.rank() - dealt) % size
        if first < len(stack):
            steps[first::size] = orthogonal(stack[first::size])
        dealt += len(stack)
    joined = parallel.total(torch.cat([steps.flatten() for steps in found]))
    parts = torch.split(joined, [steps.numel() for steps in found])
    return [part.view_as(steps) for part, steps in zip(parts, found, strict=True)]


def orthogonal(matrices: Tensor) -> Tensor:
    """(n, r, c) with singular values near 1 (0.7 to 1.2) and the same singular vectors, by Newton-Schulz iterations.

    Singular values below a thousandth of a matrix's norm stay smaller.
    """
    count = max(_AT_A_TIME // matrices[0].numel(), 1)
    return torch.cat([_orthogonal(some) for some in torch.split(matrices, count)])


def _orthogonal(matrices: Tensor) -> Tensor:
    rows, columns = matrices.shape[-2:]
    near = matrices.mT if rows > columns else matrices
    near = near / near.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-12)
    # An iteration is X <- P X with P = a I + b XXᵀ + c (XXᵀ)².
    if max(rows, columns) < 2 * min(rows, columns):
        for _ in range(_NEWTON_SCHULZ_STEPS):
            near = multiply(_newton_schulz(multiply(near, near.mT)), near)
    else:
        near = multiply(_all_steps(multiply(near, near.mT)), near)
    return near.mT if rows > columns else near


def _all_steps(square: Tensor) -> Tensor:
    """The product of all P of a matrix whose square is given: all of them are small, symmetric and commute."""
    factors = factor = _newton_schulz(square)
    for _ in range(_NEWTON_SCHULZ_STEPS - 1):
        square = multiply(multiply(factor, square), factor)
        factor = _newton_schulz(square)
        factors = multiply(factor, factors)
    return factors


def _newton_schulz(square: Tensor) -> Tensor:
    """(n, r, r) a I + b S + c S² of symmetric matrices S."""
    first, third, fifth = _NEWTON_SCHULZ
    factor = multiply(square, square).mul_(fifth).add_(square, alpha=third)
    factor.diagonal(dim1=-2, dim2=-1).add_(first)
    return factor


def check_optimizer(given: Any, optimizer: torch.optim.Optimizer) -> None:
    """Raise a ValueError unless what a checkpoint holds of an optimizer fits ours: the same weights in the same groups
    with the same options, and of each weight the moments, which are like it, and a number of steps."""
    groups = optimizer.state_dict()["param_groups"]
    check_kind(given, {"state": {}, "param_groups": [{} for _ in groups]}, "optimizer")
    for theirs, group in zip(given["param_groups"], groups, strict=True):
        for name in group.keys() & theirs.keys():  # other versions of torch have other options
            check_kind(theirs[name], group[name], f"optimizer.{name}")
            if theirs[name] != group[name] and name not in ("lr", "fused"):
                raise ValueError(f"optimizer.{name} is {brief(theirs[name], 30)}")
    weights = {
        number: (weight, group)
        for ours, group in zip(optimizer.param_groups, groups, strict=True)
        for number, weight in zip(group["params"], ours["params"], strict=True)
    }
    for number, known in given["state"].items():
        weight, group = weights[number]
        moments = dict.fromkeys(("momentum",) if group["pieces"] else ("exp_avg", "exp_avg_sq"), weight.detach())
        check_kind(known, moments | {"step": torch.zeros(())}, f"optimizer.state.{number}")
        if known["step"] < 0:
            raise ValueError(f"optimizer.state.{number}.step is {known['step']}")


def load_optimizer(optimizer: torch.optim.Optimizer, given: dict[str, Any]) -> None:
    """Go on from a state that was checked. Options are not learned: they stay as they are."""
    optimizer.load_state_dict({"state": given["state"], "param_groups": optimizer.state_dict()["param_groups"]})


def lr_at(update: int, config: OptimizerConfig) -> float:
    """The learning rate of an update, counted from 0."""
    if update < config.warmup:
        return config.lr * (update + 1) / config.warmup
    done = (update - config.warmup) / max(config.updates - config.warmup, 1)
    if config.schedule == "linear":
        return config.lr * max(1 - done, 0)
    if config.schedule == "cosine":
        return config.lr * (1 + math.cos(math.pi * min(done, 1))) / 2
    return config.lr


def set_lr(optimizer: torch.optim.Optimizer, lr: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = lr * group["factor"]
