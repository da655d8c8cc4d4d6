"""The instructions of an update, encoded once for all of its rollouts."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor

from mtvm.learning.consistency import ConsistencyConfig, PairedText, encode_pair
from mtvm.models.language import Text
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens

Encoded: TypeAlias = Text | PairedText


def encode(model: MTVM, tokens: Tokens, consistency: ConsistencyConfig | None, word_noise: Tensor | None) -> Encoded:
    """X, or X and X' if consistency is asked for."""
    if consistency is None:
        return model.encode(tokens)
    return encode_pair(model, tokens, consistency, word_noise)


class Instructions:
    """Encoded texts that gather the gradients of one rollout after the other, so that their graphs need not be held
    at the same time, and go through the language encoder in one backward pass at the end."""

    def __init__(
        self, model: MTVM, tokens: Tokens, consistency: ConsistencyConfig | None, word_noise: Tensor | None
    ) -> None:
        encoded = encode(model, tokens, consistency, word_noise)
        text = encoded.both if isinstance(encoded, PairedText) else encoded
        self._computed = [text.states, *(part for parts in text.cache for part in parts)]
        self._gathering = [tensor.detach().requires_grad_() for tensor in self._computed]
        parts = iter(self._gathering[1:])
        leaf = Text(
            self._gathering[0], text.mask, text.packing, [tuple(next(parts) for _ in one) for one in text.cache]
        )
        self.encoded: Encoded = PairedText(leaf, encoded.real) if isinstance(encoded, PairedText) else leaf
        """For `roll_out`."""

    def backward(self) -> None:
        """Take what the rollouts' backward passes have left here through the language encoder."""
        pairs = zip(self._computed, self._gathering, strict=True)
        reached = [(tensor, leaf.grad) for tensor, leaf in pairs if leaf.grad is not None and tensor.requires_grad]
        if reached:
            tensors, gradients = zip(*reached, strict=True)
            torch.autograd.backward(tensors, gradients)
