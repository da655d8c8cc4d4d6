"""Masked language modelling with the walk as context: words are hidden, and read off from X̂ at the end of the path.

A word such as "left" or "kitchen" can often only be told from what was seen, so that text and sight learn to agree.
Hidden words are scored against the language encoder's own word vectors: there are no weights to throw away later.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from mtvm.configs.run import MaskedWordsConfig
from mtvm.learning.batch import Batch
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs, Policy, Trace
from mtvm.models.network import Network
from mtvm.models.text import drop_words


class MaskedWords(Loss):
    """The mean of -log p over hidden WordPieces, in teacher-forced rollouts, with the whole path in memory."""

    needs = Needs(teacher=True, context=True)

    def __init__(self, config: MaskedWordsConfig) -> None:
        self.config = config

    def attach(self, model: Network) -> None:
        self._language = model.language

    def applies_to(self, policy: Policy) -> bool:
        return policy == "teacher"

    def vary(self, batch: Batch, draws: Tensor) -> Variant:
        masked, hidden = drop_words(batch.tokens, self.config.rate, draws)
        return Variant(masked, (batch.tokens.ids, hidden))

    def __call__(self, trace: Trace) -> list[Term]:
        variant = trace.variants[self]
        ids, are_hidden = variant.kept
        weight = self._language.word_vectors()
        total, right, count = weight.new_zeros(()), weight.new_zeros(()), 0
        for step in trace.steps:
            ending = torch.from_numpy(step.seen.actions.is_stop(step.actions.cpu().numpy())).to(weight.device)
            states = step.outputs[variant.number].text[:, : ids.shape[1]]  # other variants may be longer
            rows = torch.from_numpy(step.rows).to(weight.device)
            hidden = are_hidden[rows][:, : states.shape[1]] & ending[:, None]
            wanted = ids[rows][:, : states.shape[1]][hidden]
            if len(wanted):
                logits = functional.linear(states[hidden], weight)
                total = total + functional.cross_entropy(logits, wanted, reduction="sum")
                right = right + (logits.argmax(dim=-1) == wanted).sum()
                count += len(wanted)
        return [
            Term("masked_words", total, count, self.config.weight),
            Term("masked_words_right", 100 * right, count, 0.0),
        ]
