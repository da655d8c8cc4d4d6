"""Weights in a byte each, for agents to be passed on: half of what half precision takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtvm.machine import import_torch

if TYPE_CHECKING:
    from torch import Tensor

_SCALE = ".scale"


def in_bytes(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rows of matrices as whole numbers from -127 to 127, with a scale for each row; the rest in half precision."""
    torch = import_torch("Weights")
    packed = {}
    for name, value in weights.items():
        if not value.is_floating_point():
            packed[name] = value
        elif value.dim() < 2:
            packed[name] = value.half()
        else:
            scale = value.abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
            packed |= {name: (value / scale).round().to(torch.int8), name + _SCALE: scale}
    return packed


def out_of_bytes(tensors: dict[str, Any]) -> dict[str, Any]:
    """The tensors of a file, in which rows may be in bytes; a KeyError or ValueError if rows and scales do not fit."""
    scales = {name: tensors[name + _SCALE] for name, value in tensors.items() if _is_bytes(value)}
    if any(tuple(scale.shape) != (*tensors[name].shape[:-1], 1) for name, scale in scales.items()):
        raise ValueError("rows and scales do not fit")
    whole = {name: value for name, value in tensors.items() if name.removesuffix(_SCALE) not in scales}
    return whole | {name: tensors[name].float() * scale.float() for name, scale in scales.items()}


def _is_bytes(value: object) -> bool:
    return str(getattr(value, "dtype", "")) == "torch.int8"
