"""The texts of a dataset: tokenised once, read once by a frozen reader, encoded once per update."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.io.arrays import keep_cached, read_cached
from mtvm.io.files import cache_dir
from mtvm.learning import parallel
from mtvm.models.language import READER_WIDTH, Text
from mtvm.models.network import Network
from mtvm.models.text import Tokens
from mtvm.progress import progress

_BATCH = 64
_STATES = "states"
_MOST_BYTES = 4 * 2**30
"""States that take more memory than this are not kept, but computed anew each time."""


class Texts:
    """Texts by row; if the model has a frozen reader, with the reader's states.

    The states are kept in half precision without padding, and in the cache on disk.
    """

    def __init__(self, model: Network, tokens: Tokens, title: str, show_progress: bool = True) -> None:
        self.tokens = tokens
        self.lengths = tokens.lengths
        self.words = max(int(tokens.words.max()) + 1, 1)
        """More than the number of any word."""
        self._states: Tensor | None = None
        self._starts = torch.cat([self.lengths.new_zeros(1), self.lengths.cumsum(0)])
        count = int(self.lengths.sum())
        if not model.language.is_read_once or count * READER_WIDTH * 2 > _MOST_BYTES:
            return
        path = cache_dir() / "texts" / f"{_digest(model, tokens)}.npz"
        states = _cached(path, (count, READER_WIDTH))
        found = parallel.total(torch.tensor([states is not None], dtype=torch.int32, device=model.device))
        if states is None or int(found) < parallel.size():  # all processes read, or none
            states = self._read(model, title, show_progress)
            if parallel.rank() == 0:
                keep_cached(path, {_STATES: states.numpy()})
        self._states = states

    def _read(self, model: Network, title: str, show_progress: bool) -> Tensor:
        """The states of all texts, of which each process reads its share."""
        tokens, lengths = self.tokens, self.lengths
        states = torch.zeros(int(self._starts[-1]), READER_WIDTH, dtype=torch.float16)
        columns = torch.arange(tokens.ids.shape[1])
        batches = torch.split(lengths.argsort(stable=True), _BATCH)[parallel.rank() :: parallel.size()]
        with progress(sum(map(len, batches)), f"Reading {title}", "texts", show_progress) as advance:
            for rows in batches:
                some = tokens.select(rows)
                read = model.language.read(some.to(model.device)).states
                assert read is not None
                into = (self._starts[rows][:, None] + columns[: some.ids.shape[1]])[some.mask]
                states[into] = read.cpu()[some.mask].half()
                advance(len(rows))
        return parallel.total(states.to(model.device)).cpu()

    def __len__(self) -> int:
        return len(self.tokens.ids)

    def of(self, episodes: NDArray[np.int64], mirrored: NDArray[np.bool_] | None = None) -> Tokens:
        """The texts of some episodes; those of `mirrored` ones come from the second half, see `with_mirrored`."""
        rows = episodes if mirrored is None else episodes + len(self) // 2 * mirrored
        return self.select(torch.from_numpy(rows))

    def select(self, rows: Tensor) -> Tokens:
        """Some of the texts, padded only to the longest of them."""
        some = self.tokens.select(rows)
        if self._states is None:
            return some
        states = torch.zeros(*some.ids.shape, self._states.shape[1])
        columns = self._starts[rows][:, None] + torch.arange(some.ids.shape[1])
        states[some.mask] = self._states[columns[some.mask]].float()
        return dataclasses.replace(some, states=states)


def _cached(path: Path, shape: tuple[int, int]) -> Tensor | None:
    """What was read before; None if there is nothing, or nothing whole."""
    found = read_cached(path, [_STATES])
    if found is None or found[_STATES].dtype != np.float16 or found[_STATES].shape != shape:
        return None
    return torch.from_numpy(found[_STATES])


def _digest(model: Network, tokens: Tokens) -> str:
    """A name for these texts as this reader reads them."""
    assert model.language.reader is not None
    weights = list(model.language.reader.state_dict().values())
    digest = hashlib.sha256(tokens.ids.numpy().tobytes())
    digest.update(f"{tuple(tokens.ids.shape)} {model.config.reader_layers}".encode())
    for tensor in (weights[0], weights[-1]):
        digest.update(tensor.detach().cpu().numpy().tobytes())
    return digest.hexdigest()[:32]


@dataclasses.dataclass(frozen=True)
class Variant:
    """A further variant of an update's texts, with which every step is computed too."""

    tokens: Tokens
    kept: Any = None
    """What the loss that made it will want to know when it sees the rollout."""
    number: int = 1
    """Its number among the variants of a text and the outputs of a step; the texts themselves are number 0."""


class EncodedTexts:
    """The texts of an update, encoded once for all of its rollouts.

    Each rollout's backward pass stops here and leaves its gradients, so that the graphs of several rollouts need not be
    held at the same time; `backward` takes their sum through the language encoder.
    """

    def __init__(self, model: Network, variants: list[Tokens]) -> None:
        encoded = model.encode(*variants)
        self._computed = [encoded.states, *(part for parts in encoded.cache for part in parts)]
        self._leaves = [tensor.detach().requires_grad_() for tensor in self._computed]
        parts = iter(self._leaves[1:])
        cache = [tuple(next(parts) for _ in one) for one in encoded.cache]
        self.text: Text = dataclasses.replace(encoded, states=self._leaves[0], cache=cache)
        """For `roll_out`."""

    def reached(self) -> set[Tensor]:
        """The weights that `backward` will reach."""
        found, seen = set(), set()
        open_nodes = [tensor.grad_fn for tensor in self._computed if tensor.grad_fn is not None]
        while open_nodes:
            node = open_nodes.pop()
            if node not in seen:
                seen.add(node)
                open_nodes += [following for following, _ in node.next_functions if following is not None]
                if hasattr(node, "variable"):
                    found.add(node.variable)
        return found

    def backward(self) -> None:
        """Take the gradients that the rollouts have left here through the language encoder."""
        pairs = zip(self._computed, self._leaves, strict=True)
        reached = [(tensor, leaf.grad) for tensor, leaf in pairs if leaf.grad is not None and tensor.requires_grad]
        if reached:
            tensors, gradients = zip(*reached, strict=True)
            torch.autograd.backward(tensors, gradients)
