"""One process or many: `torchrun` and `accelerate launch` both say so in the environment.

Processes meet at a few fixed places in each update, never inside a rollout, so that rollouts of different lengths
cannot wait for each other in vain. Agents without torch walk in one process unless `start` was called.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError

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
        # While the first process prepares data, the others wait for it; one that has died is noticed at once.
        torch.distributed.init_process_group("gloo" if device == "cpu" else "nccl", timeout=_LONGEST_WAIT)


_LONGEST_WAIT = datetime.timedelta(hours=12)
_LOST = re.compile(r"connection|peer|timed? ?out|socket|nccl", re.IGNORECASE)


@contextlib.contextmanager
def _meeting() -> Iterator[None]:
    """A block in which processes meet: one that does not come is told of in a sentence."""
    try:
        yield
    except RuntimeError as error:
        if not _LOST.search(str(error)):
            raise
        raise InputError(
            "another process of this training has ended or cannot be reached: its own output says why. The same "
            "command goes on from the last checkpoint, with any number of processes."
        ) from None


def finish() -> None:
    if (joined := _distributed()) is not None:
        with contextlib.suppress(RuntimeError):  # others may have ended before
            joined.destroy_process_group()


def rank() -> int:
    joined = _distributed()
    return 0 if joined is None else joined.get_rank()


def size() -> int:
    joined = _distributed()
    return 1 if joined is None else joined.get_world_size()


def own_part(rows: NDArray[np.int64], costs: NDArray[np.integer] | None = None) -> NDArray[np.int64]:
    """This process's share of a common list; with the cost of each row, shares of about the same cost."""
    if costs is None:
        return np.array_split(rows, size())[rank()]
    dearest_first = np.argsort(-costs, kind="stable")
    # Dealt out forwards and backwards in turns, so that no process has the dearer one of each round.
    there, back = (dearest_first[start :: 2 * size()] for start in (rank(), 2 * size() - 1 - rank()))
    return rows[np.sort(np.concatenate([there, back]))]


def total(values: Tensor) -> Tensor:
    """The sum over all processes."""
    if size() > 1:
        with _meeting():
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


class GradientSum:
    """The sum of the gradients of all processes, which is under way until `finish`: there may be work meanwhile that
    does not touch them. What has a gradient in none of them has none afterwards. All processes name the same
    parameters."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        self._parameters = [parameter for parameter in parameters if parameter.requires_grad] if size() > 1 else []
        if not self._parameters:
            return
        import torch

        first = self._parameters[0]
        have = torch.tensor([one.grad is not None for one in self._parameters], dtype=first.dtype, device=first.device)
        gradients = [torch.zeros_like(one) if one.grad is None else one.grad for one in self._parameters]
        self._joined = torch.cat([have, *(gradient.flatten() for gradient in gradients)])
        with _meeting():
            self._work = torch.distributed.all_reduce(self._joined, async_op=True)

    def finish(self) -> None:
        if not self._parameters:
            return
        import torch

        with _meeting():
            self._work.wait()
        counts, joined = self._joined.tensor_split([len(self._parameters)])
        sums = torch.split(joined, [one.numel() for one in self._parameters])
        for parameter, count, summed in zip(self._parameters, counts.tolist(), sums, strict=True):
            parameter.grad = summed.view_as(parameter) if count else None


def gather(part: object) -> list[object]:
    """What each process has, in all of them."""
    if size() == 1:
        return [part]
    parts: list[object] = [None] * size()
    with _meeting():
        _distributed().all_gather_object(parts, part)
    return parts


def wait() -> None:
    if size() > 1:
        with _meeting():
            _distributed().barrier()
