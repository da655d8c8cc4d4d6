"""Dropout that is several times faster than torch's on a CPU, where drawing random numbers is most of its cost.

A random number of 64 bits decides on four elements, with 16 bits each, so the rate is rounded to 1/65536; what is kept
is scaled by the exact inverse of the share kept. On other devices it is torch's own.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

_LEVELS = 65536


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, rate: float) -> Tensor:
        count, threshold = values.numel(), round(rate * _LEVELS)
        bits = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        mask = (bits.view(torch.int16)[:count] >= threshold - _LEVELS // 2).view(values.shape)
        ctx.scale = _LEVELS / (_LEVELS - threshold)
        ctx.save_for_backward(mask)
        return _kept(values, mask, ctx.scale)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (mask,) = ctx.saved_tensors
        return _kept(gradients[0], mask, ctx.scale), None


def _kept(values: Tensor, mask: Tensor, scale: float) -> Tensor:
    return (values * mask.view(torch.uint8)).mul_(scale)  # torch has a fast product with bytes, not with booleans


def dropout(values: Tensor, rate: float, training: bool = True) -> Tensor:
    """Zero each element with probability `rate`, and scale the others so that the mean stays the same."""
    if not training or rate == 0:
        return values
    if values.device.type != "cpu" or torch.compiler.is_compiling():
        return functional.dropout(values, rate)
    dropped: Tensor = _Dropout.apply(values, rate)  # type: ignore[no-untyped-call]
    return dropped


class Dropout(nn.Dropout):
    """`dropout` as a module."""

    def forward(self, input: Tensor) -> Tensor:
        return dropout(input, self.p, self.training)
