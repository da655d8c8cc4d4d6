"""Random numbers by name: which episodes an update sees, and everything that is drawn in it.

Every number is a function of the seed, the name of its stream and the update, never of what was drawn before: a run
that was interrupted, or that goes on with another number of processes, draws the same.
"""

from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.learning import parallel

Stream = Literal["order", "dropout", "actions", "words", "masks", "mirror", "turn", "environment"]
"""order: of the episodes in an epoch. dropout: masks. actions: what students and sampled rollouts do. words: which are
dropped. masks: which are hidden at a step. mirror: which episodes are mirrored.
turn: by how much they are turned. environment: which features are dropped everywhere in a building."""


def generator(stream: Stream, seed: int, *numbers: int) -> np.random.Generator:
    """Random numbers of their own for each stream, seed and tuple of numbers."""
    return np.random.default_rng(np.random.SeedSequence((zlib.crc32(stream.encode()), seed, *numbers)))


def uniform(shape: tuple[int, ...], stream: Stream, seed: int, *numbers: int) -> Tensor:
    """Numbers from 0 to 1."""
    return torch.from_numpy(generator(stream, seed, *numbers).random(shape, dtype=np.float32))


def seed_dropout(seed: int, update: int) -> None:
    """Seed torch, which draws the dropout masks, for this update and process."""
    low, high = generator("dropout", seed, update, parallel.rank()).integers(2**32, size=2)
    torch.manual_seed(int(low) << 32 | int(high))


class Batches:
    """Batches of several datasets, which take turns in proportion to their weights; each is gone through in a new order
    every epoch."""

    def __init__(self, sizes: list[int], weights: list[float], batch: int, seed: int) -> None:
        self.sizes, self.weights, self.batch, self.seed = sizes, weights, batch, seed
        self.taken = [0] * len(sizes)
        """Batches that each dataset has given: all that there is to save."""

    def next(self) -> tuple[int, NDArray[np.int64]]:
        """The dataset whose turn it is, and the episodes of the batch."""
        done, whole = sum(self.taken) + 1, sum(self.weights)
        owed = [done * weight / whole - taken for weight, taken in zip(self.weights, self.taken, strict=True)]
        dataset = int(np.argmax(owed))
        first = self.taken[dataset] * self.batch
        self.taken[dataset] += 1
        return dataset, self._episodes(dataset, np.arange(first, first + self.batch))

    def _episodes(self, dataset: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Episodes at places of the endless row of shuffled epochs."""
        epochs, within = np.divmod(places, self.sizes[dataset])
        episodes = np.empty_like(places)
        for epoch in np.unique(epochs).tolist():
            order = generator("order", self.seed, dataset, epoch).permutation(self.sizes[dataset])
            episodes[epochs == epoch] = order[within[epochs == epoch]]
        return episodes
