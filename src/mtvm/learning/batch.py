"""The episodes of an update that this process walks."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from mtvm.learning.data import Dataset
from mtvm.learning.texts import Texts
from mtvm.models.text import Tokens
from mtvm.tasks.episode import EpisodeSet


@dataclasses.dataclass
class Batch:
    """The episodes of an update, or of one part of it, that this process walks."""

    dataset: Dataset
    episodes: EpisodeSet
    tokens: Tokens
    mirrored: NDArray[np.bool_] | None
    """(B,) true for episodes in mirrored buildings."""
    texts: Texts
    """Of the dataset."""
    of_dataset: NDArray[np.int64]
    """The episodes' rows in the dataset."""
    rows: Tensor
    """Which rows of the whole batch these are, in all processes and parts."""
    size: int
    """Episodes of the whole batch."""
    share: float
    """Which share of the whole batch this part is, over all processes."""

    def instructions(self, rows: NDArray[np.int64]) -> Tokens:
        """(B,) instructions of other episodes of the dataset, mirrored where the batch's episodes are."""
        return self.texts.of(rows, self.mirrored).to(self.tokens.ids.device)
