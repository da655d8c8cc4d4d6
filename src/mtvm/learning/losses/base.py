"""The contract of a loss: what it needs of a rollout, and what it makes of it."""

from __future__ import annotations

import abc
import dataclasses

from torch import Tensor

from mtvm.learning.rollout import Needs, Policy, Rows, Trace
from mtvm.models.language import Text
from mtvm.models.network import Network
from mtvm.models.text import Tokens
from mtvm.tasks.episode import EpisodeSet


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
    this process walked. The update divides them by the counts of all processes and adds them up.
    """

    needs = Needs()
    """What a rollout must collect for it."""

    def attach(self, model: Network) -> None:  # noqa: B027  (most losses read no weights)
        """Called once with the network that is trained, for losses that read its weights."""

    def applies_to(self, policy: Policy) -> bool:
        """Whether it is computed in rollouts of this policy."""
        return True

    def drop_words(self, tokens: Tokens, draws: Tensor) -> Tokens | None:
        """A further variant of the texts, token by token, that every step is computed with too; None for none.

        `draws` (B, words) are random numbers from 0 to 1. `variant` says where it is in a trace's outputs.
        """
        return None

    def other_instructions(self, episodes: EpisodeSet, rows: Rows, draws: Tensor) -> Rows | None:
        """(B,) the episodes whose instructions are a further variant of the texts of those at `rows`; None for none.

        `draws` (B, words) are random numbers from 0 to 1. `variant` says where it is in a trace's outputs.
        """
        return None

    masks_words = False
    """Whether `mask_words` makes the variants of each step; one loss of a run can do so."""

    def mask_words(self, text: Text, draws: Tensor) -> Text:
        """The texts of a step in their variants, made of those of the rollout and `draws` (B, L) from 0 to 1."""
        return text

    variant: int = 0
    """Set by the update: the number of the variant that `drop_words` or `other_instructions` made."""

    @abc.abstractmethod
    def __call__(self, trace: Trace) -> list[Term]: ...
