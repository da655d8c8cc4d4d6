"""The contract of a loss: what it needs of a rollout, and what it makes of it."""

from __future__ import annotations

import abc
import dataclasses

from torch import Tensor, nn

from mtvm.learning.batch import Batch
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs, Policy, Trace
from mtvm.models.config import ModelConfig
from mtvm.models.language import Text
from mtvm.models.network import Network


@dataclasses.dataclass(frozen=True)
class Term:
    """A sum, and the number of things summed, so that the shares of several processes can be averaged together."""

    name: str
    """What the record calls the mean."""
    total: Tensor
    count: Tensor | int
    weight: float = 1.0
    """Of the mean in the loss; 0 only records it."""


class Loss(abc.ABC):
    """One term of Eq. 6, or a few that belong together.

    An instance is called with the trace of each rollout that it `applies_to`, and returns its terms: sums over what
    this process walked. The update divides them by the counts of all processes and adds them up. It keeps nothing from
    one call to the next but weights and caches: what belongs to an update travels in its `Variant` and the trace.
    """

    needs = Needs()
    """What a rollout must collect for it."""

    def modules(self, config: ModelConfig) -> nn.Module | None:
        """Weights of its own, made once for a model of this config; None for none.

        They are trained, saved and resumed with the run, and are no part of the agent that it gives.
        """
        return None

    def attach(self, model: Network) -> None:  # noqa: B027  (most losses read no weights)
        """Called once with the network that is trained, for losses that read its weights."""

    def applies_to(self, policy: Policy) -> bool:
        """Whether it is computed in rollouts of this policy."""
        return True

    def vary(self, batch: Batch, draws: Tensor) -> Variant | None:
        """A further variant of the batch's texts, with which every step is computed too; None for none.

        `draws` (B, words) are random numbers from 0 to 1. In the trace it is `trace.variants[self]`.
        """
        return None

    masks_words = False
    """Whether `mask_words` makes the variants of each step; one loss of a run can do so."""

    def mask_words(self, text: Text, draws: Tensor) -> Text:
        """The texts of a step in their variants, made of those of the rollout and `draws` (B, L) from 0 to 1."""
        return text

    @abc.abstractmethod
    def __call__(self, trace: Trace) -> list[Term]: ...
