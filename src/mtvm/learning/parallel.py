"""One process or many: `torchrun` and `accelerate launch` both say so in the environment.

Processes meet at a few fixed places in each update, never inside a rollout, so that rollouts of different lengths
cannot wait for each other in vain. Agents without torch walk in one process unless `start` was called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn


def many() -> bool:
    """Whether the environment says that there are other processes."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def _distributed() -> Any:
    """`torch.distributed` of processes that have joined, else None: who has not imported torch has joined nobody."""
    torch = sys.modules.get("torch")
    return torch.distributed if torch is not None and torch.distributed.is_initialized() else None


def start(device: str) -> None:
    """Join the other processes, if there are any."""
    if not many():
        return
    import torch
    import torch.distributed

    if not torch.distributed.is_initialized():
        if device != "cpu":
            torch.cuda.set_device(device)  # where processes meet; all would meet on the first one
        torch.distributed.init_process_group("gloo" if device == "cpu" else "nccl")


def finish() -> None:
    if (joined := _distributed()) is not None:
        joined.destroy_process_group()


def rank() -> int:
    joined = _distributed()
    return 0 if joined is None else joined.get_rank()


def size() -> int:
    joined = _distributed()
    return 1 if joined is None else joined.get_world_size()


def own_part(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """This process's share of a common list."""
    return np.array_split(rows, size())[rank()]


def total(values: Tensor) -> Tensor:
    """The sum over all processes."""
    if size() > 1:
        _distributed().all_reduce(values)
    return values


def any_of(flag: bool) -> bool:
    """Whether it is true in any process."""
    import torch

    return bool(flag) if size() == 1 else bool(total(torch.tensor([int(flag)], device=_meeting_device()))[0])


def _meeting_device() -> torch.device:
    """Where processes can add up numbers."""
    import torch

    return torch.device("cuda" if torch.distributed.get_backend() == "nccl" else "cpu")


def add_gradients(parameters: Iterable[nn.Parameter]) -> None:
    """Make every process's gradients the sum of all. What has none in any process has none afterwards."""
    if size() == 1:
        return
    import torch

    every = [parameter for parameter in parameters if parameter.requires_grad]
    if not every:
        return
    have = total(
        torch.tensor([parameter.grad is not None for parameter in every], dtype=torch.int32).to(every[0].device)
    )
    wanted = [parameter for parameter, count in zip(every, have.tolist(), strict=True) if count]
    if not wanted:
        return
    for parameter in wanted:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    joined = torch.cat([parameter.grad.flatten() for parameter in wanted if parameter.grad is not None])
    torch.distributed.all_reduce(joined)
    start_at = 0
    for parameter in wanted:
        assert parameter.grad is not None
        parameter.grad.copy_(joined[start_at : start_at + parameter.numel()].view_as(parameter))
        start_at += parameter.numel()


def gather(part: object) -> list[object]:
    """What each process has, in all of them."""
    if size() == 1:
        return [part]
    parts: list[object] = [None] * size()
    _distributed().all_gather_object(parts, part)
    return parts


def wait() -> None:
    if size() > 1:
        _distributed().barrier()
