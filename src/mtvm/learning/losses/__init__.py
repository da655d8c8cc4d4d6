"""The terms of Eq. 6 and those of pretraining, one file each. `docs/extending.md` shows how to add one."""

from __future__ import annotations

from mtvm.configs.run import LossConfig
from mtvm.errors import InputError
from mtvm.learning.losses.a2c import A2C
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.losses.consistency import Consistency
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.losses.masked_words import MaskedWords
from mtvm.learning.losses.matching import Matching
from mtvm.learning.losses.released_consistency import ReleasedConsistency
from mtvm.learning.rollout import Needs
from mtvm.plugins import load_object


def make_losses(config: LossConfig) -> list[Loss]:
    """The losses that a config asks for, in the order of Eq. 6, then those of pretraining."""
    losses: list[Loss] = [Imitation(config.imitation)]
    if config.a2c.weight > 0:
        losses.append(A2C(config.a2c))
    if config.consistency.enabled:
        released = config.consistency.variant == "released"
        losses.append((ReleasedConsistency if released else Consistency)(config.consistency))
    if config.masked_words.weight > 0:
        losses.append(MaskedWords(config.masked_words))
    if config.matching.weight > 0:
        losses.append(Matching(config.matching))
    return losses + [_own_loss(text) for text in config.extra]


def _own_loss(text: str) -> Loss:
    """A user's loss, from MODULE:CLASS@WEIGHT."""
    name, _, weight = text.partition("@")
    try:
        number = float(weight or 1)
    except ValueError:
        raise InputError(f"loss.extra '{text}': the weight after @ must be a number.") from None
    return load_object(name, Loss, "loss")(number)


__all__ = ["Loss", "Needs", "Term", "make_losses"]
