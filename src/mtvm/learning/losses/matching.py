"""Instruction-path matching: a path should be more probable with its own instruction than with another one's."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from mtvm.configs.run import MatchingConfig
from mtvm.learning.batch import Batch
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.texts import Variant
from mtvm.learning.trace import Needs, Policy, StepTrace, Trace
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.shared_paths import SharedPaths


class Matching(Loss):
    """-log sigmoid of the difference of a path's log-probabilities, in teacher-forced rollouts.

    The other instruction is that of a path that shares a viewpoint with this one, where there is such a path: to tell
    the two apart, it does not help to know the building.
    """

    needs = Needs(teacher=True)

    def __init__(self, config: MatchingConfig) -> None:
        self.config = config
        self._paths: dict[int, tuple[EpisodeSet, SharedPaths]] = {}
        """Of each dataset, by the identity of its episodes, which are kept so that no others can get it."""

    def applies_to(self, policy: Policy) -> bool:
        return policy == "teacher"

    def vary(self, batch: Batch, draws: Tensor) -> Variant:
        episodes, rows = batch.dataset.episodes, batch.of_dataset
        if id(episodes) not in self._paths:
            self._paths[id(episodes)] = (episodes, SharedPaths(episodes))
        paths = self._paths[id(episodes)][1]
        others = paths.others(rows, draws[:, :2].numpy())
        return Variant(batch.instructions(others), torch.from_numpy(paths.path[rows] != paths.path[others]))

    def __call__(self, trace: Trace) -> list[Term]:
        variant = trace.variants[self]
        own, other = (
            trace.spread([_log_probability(step, number) for step in trace.steps]).sum(dim=0)
            for number in (0, variant.number)
        )
        differ = variant.kept.to(own.device)
        losses = functional.softplus(other - own)[differ]
        count = int(differ.sum())
        return [
            Term("matching", losses.sum(), count, self.config.weight),
            Term("matching_right", 100.0 * (own > other)[differ].sum(), count, 0.0),
        ]


def _log_probability(step: StepTrace, variant: int) -> Tensor:
    """(b,) of the teacher's actions; 0 for episodes that have stopped."""
    assert step.teacher is not None
    logs = step.outputs[variant].logits.log_softmax(dim=1).gather(1, step.teacher[:, None])[:, 0]
    return logs.masked_fill(~step.live, 0)
