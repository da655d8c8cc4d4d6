"""The interface of a history encoder."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from mtvm.models.attention import Queries, Recalled
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import LayerKeys
from mtvm.models.language import Text
from mtvm.models.packing import take
from mtvm.models.parts import HistoryConfig
from mtvm.models.places import Places
from mtvm.models.vision import TokenEncoder

Past = Any
"""What a history encoder remembers of a batch of episodes. `past.keep(rows)` is that of some of the episodes."""


@dataclasses.dataclass
class Transition:
    """A step of the B running episodes, and the action that each took."""

    chosen: Tensor
    """(B,) the action that was taken."""
    actions: Tensor
    """(B, A, token width) a token [v; d] for each action, STOP included; v without `feature_scale`."""
    activations: Tensor
    """(B, A, feature width) V̂ after the action head's tanh."""
    direction: Tensor
    """(B, angle width) the direction feature of the agent's heading and elevation after its move."""
    text: Tensor
    """(B, L, hidden) X̂."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + A, hidden) [history; V̂]."""
    stream_mask: Tensor
    panorama: Tensor | None = None
    """(B, 36, token width) all views [v; d] before the move, for histories that need them."""
    keys: Sequence[LayerKeys] = ()
    """The stream's keys and values in each layer, for histories that are read inside the layers."""

    def at_chosen(self, tokens: Tensor) -> Tensor:
        """The row of (B, A, width) of the action that was taken."""
        rows = torch.arange(len(self.chosen), device=tokens.device) * tokens.shape[1] + self.chosen
        return take(tokens.flatten(0, 1), rows)


@dataclasses.dataclass
class KnownWalks:
    """R steps of B walks whose actions are all known, so that they can be computed in one pass: some numbers of steps,
    from `first` on. The walks need not all go on to the last of them."""

    first: int
    places: Places
    """Where each step stands in a grid of walks and numbers of steps."""
    chosen: Tensor
    """(R,) the action that was taken."""
    direction: Tensor
    """(R, angle width) the direction feature after the move."""

    @property
    def numbers(self) -> Tensor:
        """(R,) the number of each step in its walk."""
        return self.places.columns + self.first


class HistoryEncoder(nn.Module, abc.ABC):
    """Turns past steps into tokens of the vision stream, which go through all layers again at each step. For one that
    is read inside the layers instead see `ReadHistory`. A subclass is made with the model's config alone."""

    computes_walks = False
    """Whether it is a `ReadHistory` that can also be asked for all steps of known walks at once, see its `walked`."""
    Options: ClassVar[type[HistoryConfig]] = HistoryConfig
    """The config of a history of one's own, a frozen dataclass whose fields are options on the command line."""
    needs_panorama = False
    """Whether `update` reads the 36 views of the panorama."""
    needs_context = False
    """Whether `update` reads X̂ and M̂ of a step, and not V̂ alone."""
    stores_activations = False
    """Whether its tokens are the token encoder's of [V̂^k; d^k], one a step, as the exported program assumes."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config

    @property
    def options(self) -> Any:
        """The history's own part of the config."""
        return self.config.history

    @abc.abstractmethod
    def start(self, text: Text) -> Past:
        """The past of episodes that begin."""

    @abc.abstractmethod
    def tokens(self, past: Past, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        """(B, n, hidden) tokens that precede the actions in the vision stream, and their mask (B, n)."""

    @abc.abstractmethod
    def update(self, past: Past, step: Transition) -> Past:
        """The past after a step; it may be the same object, changed."""


class ReadHistory(HistoryEncoder):
    """Gives no tokens, but answers queries inside the layers."""

    @abc.abstractmethod
    def read(self, layer: int, queries: Queries, state: Past) -> Recalled | None:
        """What the past answers to queries in a layer, counted from 0; None where nothing is remembered yet. Where
        texts come in several variants, the queries have as many times B rows."""

    def walked(self, past: Past | None, walks: KnownWalks) -> Past:
        """A past for which `read` answers every step of known walks at once, R rows. `past` is what this gave for the
        steps before them, which have been computed; None where there are none."""
        raise NotImplementedError(f"{type(self).__name__} cannot compute known walks in one pass.")

    def tokens(self, past: Past, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        raise TypeError(f"{type(self).__name__} is read inside the layers; it has no tokens.")


def full_mask(tokens: Tensor) -> Tensor:
    """(B, n), all true."""
    return torch.ones(tokens.shape[:2], dtype=torch.bool, device=tokens.device)
