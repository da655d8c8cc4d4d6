"""Masked language modelling with the walk as context: words are hidden, and read off from X̂ at the end of the path.

A word such as "left" or "kitchen" can often only be told from what was seen, so that text and sight learn to agree.
Hidden words are scored against the language encoder's own word embeddings: there are no weights to throw away later.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from mtvm.configs.run import MaskedWordsConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.rollout import Needs, Policy, Trace
from mtvm.models.network import Network
from mtvm.models.text import Tokens, drop_words


class MaskedWords(Loss):
    """The mean of -log p over hidden WordPieces, in teacher-forced rollouts, with the whole path in memory."""

    needs = Needs(teacher=True, rest=True)

    def __init__(self, config: MaskedWordsConfig) -> None:
        self.config = config

    def attach(self, model: Network) -> None:
        self._embeddings = model.language.bert.get_submodule("embeddings.word_embeddings")

    def applies_to(self, policy: Policy) -> bool:
        return policy == "teacher"

    def drop_words(self, tokens: Tokens, draws: Tensor) -> Tokens:
        masked, self._hidden = drop_words(tokens, self.config.rate, draws)
        self._ids = tokens.ids
        return masked

    def __call__(self, trace: Trace) -> list[Term]:
        weight = self._embeddings.weight
        assert isinstance(weight, Tensor)
        total, right, count = weight.new_zeros(()), weight.new_zeros(()), 0
        for step in trace.steps:
            ending = torch.from_numpy(step.seen.actions.is_stop(step.actions.cpu().numpy())).to(weight.device)
            states = step.outputs[self.variant].text[:, : self._ids.shape[1]]  # other variants may be longer
            rows = torch.from_numpy(step.rows).to(weight.device)
            hidden = self._hidden[rows][:, : states.shape[1]] & ending[:, None]
            wanted = self._ids[rows][:, : states.shape[1]][hidden]
            if len(wanted):
                logits = functional.linear(states[hidden], weight)
                total = total + functional.cross_entropy(logits, wanted, reduction="sum")
                right = right + (logits.argmax(dim=-1) == wanted).sum()
                count += len(wanted)
        return [
            Term("masked_words", total, count, self.config.weight),
            Term("masked_words_right", 100 * right, count, 0.0),
        ]
