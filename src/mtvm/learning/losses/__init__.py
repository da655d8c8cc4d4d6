"""The terms of Eq. 6 and those of pretraining, one file each. `docs/extending.md` shows how to add one."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from mtvm.configs.run import LossConfig
from mtvm.errors import InputError
from mtvm.learning.batch import Batch
from mtvm.learning.losses.a2c import A2C
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.losses.consistency import Consistency
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.losses.masked_words import MaskedWords
from mtvm.learning.losses.matching import Matching
from mtvm.learning.losses.objects import PointedObject
from mtvm.learning.losses.released_consistency import ReleasedConsistency
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs
from mtvm.models.config import ModelConfig
from mtvm.models.network import Network
from mtvm.plugins import load_object


def make_losses(config: LossConfig, released: bool = False, points: bool = False) -> list[Loss]:
    """The losses that a config asks for, in the order of Eq. 6, then those of pretraining, one's own, and that of an
    agent that `points` at objects; with the consistency loss as `released`, or as in the paper."""
    losses: list[Loss] = [Imitation(config.imitation)]
    if config.a2c.weight > 0:
        losses.append(A2C(config.a2c))
    if config.consistency.enabled:
        losses.append((ReleasedConsistency if released else Consistency)(config.consistency))
    if config.masked_words.weight > 0:
        losses.append(MaskedWords(config.masked_words))
    if config.matching.weight > 0:
        losses.append(Matching(config.matching))
    losses += [_own_loss(text) for text in config.extra]
    if points and config.objects.weight > 0:
        losses.append(PointedObject(config.objects))
    return losses


def _own_loss(text: str) -> Loss:
    """A user's loss, from MODULE:CLASS@WEIGHT."""
    name, _, weight = text.partition("@")
    try:
        number = float(weight or 1)
    except ValueError:
        raise InputError(f"loss.extra '{text}': the weight after @ must be a number.") from None
    return load_object(name, Loss, "loss")(number)


def attach(losses: Sequence[Loss], model: Network) -> None:
    """Show the losses the network that is trained; raise if one of them puts weights of its own into it."""
    before = set(model.state_dict())
    for loss in losses:
        loss.attach(model)
        if added := sorted(set(model.state_dict()) - before):
            raise InputError(
                f"loss {type(loss).__name__}: adds {added[0]} to the network, which agents could then not be loaded "
                "with; return weights of its own from `modules`."
            )


def make_weights(losses: Sequence[Loss], config: ModelConfig, seed: int) -> nn.ModuleDict:
    """The weights that losses have of their own, by names that stay the same in each run of this config."""
    weights = nn.ModuleDict()
    with torch.random.fork_rng(devices=[]):  # a model's random numbers do not depend on the losses
        for number, loss in enumerate(losses):
            torch.manual_seed(seed)
            if (module := loss.modules(config)) is not None:
                weights[f"{number}-{type(loss).__name__}"] = module
    return weights


__all__ = ["Batch", "Loss", "Needs", "Term", "Variant", "attach", "make_losses", "make_weights"]
