"""Which episodes an update sees, and the random numbers it uses.

Everything random is a function of the seed and the number of the update, never of what was drawn before: a run that was
interrupted, or that goes on with another number of processes, draws the same.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.learning import parallel


def generator(*numbers: int) -> np.random.Generator:
    """Random numbers of their own for each tuple of numbers."""
    return np.random.default_rng(np.random.SeedSequence(numbers))


def seed_dropout(seed: int, update: int) -> None:
    """Dropout masks: their own for each update and process."""
    state = np.random.SeedSequence((seed, update, parallel.rank(), 1)).generate_state(2, np.uint32)
    torch.manual_seed(int(state[0]) << 32 | int(state[1]))


def uniform(shape: tuple[int, ...], *numbers: int) -> Tensor:
    return torch.from_numpy(generator(*numbers).random(shape, dtype=np.float32))


class Turns:
    """Several sets of episodes taking turns by weight, each gone through in a new order every epoch."""

    def __init__(self, sizes: list[int], weights: list[float], batch: int, seed: int) -> None:
        self.sizes, self.weights, self.batch, self.seed = sizes, weights, batch, seed
        self.taken = [0] * len(sizes)
        """Updates that each set has had: all that there is to save."""

    def next(self) -> tuple[int, NDArray[np.int64]]:
        """The set whose turn it is, and the episodes of the batch."""
        done, whole = sum(self.taken) + 1, sum(self.weights)
        owed = [done * weight / whole - taken for weight, taken in zip(self.weights, self.taken, strict=True)]
        part = int(np.argmax(owed))
        first = self.taken[part] * self.batch
        self.taken[part] += 1
        return part, self._episodes(part, np.arange(first, first + self.batch))

    def _episodes(self, part: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Episodes at places of the endless row of shuffled epochs."""
        epochs, within = np.divmod(places, self.sizes[part])
        orders = {
            epoch: generator(self.seed, part, epoch, 2).permutation(self.sizes[part]) for epoch in set(epochs.tolist())
        }
        return np.array([orders[epoch][place] for epoch, place in zip(epochs.tolist(), within, strict=True)])
