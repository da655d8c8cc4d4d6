"""What a rollout is asked for, and what happened in it, step by step: losses are computed from that."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.learning.texts import Variant
from mtvm.models.language import Text
from mtvm.models.network import Output
from mtvm.models.seeing import Vision
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.teacher import Follow
from mtvm.world.simulator import Observation

Policy = Literal["teacher", "student", "sample", "greedy"]
"""Who acts. teacher: the teacher. sample: the agent, by chance. student: one or the other, by chance. greedy: the
agent, which takes its most probable action."""

Rows = NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Needs:
    """What a rollout has to collect beside what the agent does."""

    teacher: bool = False
    """The teacher's action at each step."""
    rewards: bool = False
    """Rewards and the critic's values, also of where unfinished episodes were left."""
    context: bool = False
    """The cross-modal encoder's outputs for the text and the memory, X̂ and M̂."""
    layers: bool = False
    """The outputs of each of its layers too."""
    ended: bool = False
    """Episodes that have stopped stay in the batch until all have, as in the released code; `StepTrace.live` tells."""

    def __or__(self, other: Needs) -> Needs:
        return Needs(**{name: value or getattr(other, name) for name, value in vars(self).items()})


@dataclasses.dataclass(frozen=True)
class RolloutPlan:
    """How to walk, and what to collect."""

    policy: Policy
    max_steps: int
    follow: Follow = "goal"
    """What the teacher follows, if a loss asks for its actions."""
    needs: Needs = Needs()
    student_share: float = 1.0
    """Share of a student's steps at which its own action is taken, not the teacher's."""
    action_draws: Tensor | None = None
    """(max_steps, B) random numbers from 0 to 1 that sampled actions are drawn with."""
    student_draws: Tensor | None = None
    """(max_steps, B) random numbers from 0 to 1 that decide whether a student's own action is taken."""
    mirrored: NDArray[np.bool_] | None = None
    """(B,) true for episodes that are walked in a mirrored building; their texts must be mirrored too."""
    turned: NDArray[np.floating] | None = None
    """(B,) radians by which each episode's building is turned; only absolute directions change."""
    kept_features: Tensor | None = None
    """(B, feature width) factors on all features that an episode is shown: 0 for those that are dropped everywhere."""
    mask_words: Callable[[Text, Tensor], Text] | None = None
    """Makes the texts of each step, in their variants, from the episodes' texts and draws."""
    word_draws: Tensor | None = None
    """(max_steps, B, L) random numbers from 0 to 1 for `mask_words`."""
    variants: Mapping[Any, Variant] = dataclasses.field(default_factory=dict)
    """The further variants of the texts, by the loss that made them."""

    @property
    def has_teacher(self) -> bool:
        return self.needs.teacher or self.policy in ("teacher", "student")


@dataclasses.dataclass
class StepTrace:
    """What happened in one step of the b episodes that were running."""

    rows: Rows
    """(b,) their rows in the batch."""
    seen: Observation
    outputs: list[Output]
    """What the model made of it, with each variant of the texts; the first one decided."""
    text_real: Tensor
    """(b, L) true for tokens of the texts that are not padding."""
    actions: Tensor
    """(b,) the actions taken."""
    teacher: Tensor | None
    """(b,) the teacher's actions."""
    live: Tensor
    """(b,) false for episodes that had stopped before; they are here only if a loss needs them."""
    values: Tensor | None
    """(b,) the critic's values."""
    rewards: Tensor | None = None
    """(b,) what the actions earned."""
    walked: Rows | None = None
    """(b, H) the nodes that the actions led to, one after the other; -1 pads."""


@dataclasses.dataclass
class Trace:
    """What B episodes did in at most T steps."""

    policy: Policy
    nodes: NDArray[np.int64]
    """(B, N) the nodes that they came to, the start first; -1 pads."""
    views: NDArray[np.int64]
    """(B, N) the view that they faced there."""
    stopped: NDArray[np.bool_]
    """(B,) true for episodes that stopped by themselves; the others ran out of steps."""
    lengths: NDArray[np.int64]
    """(B,) steps taken."""
    text: Text
    """The texts as the rollout began with them."""
    text_is_query: bool
    """Whether the cross-modal encoder has an output for the text."""
    episodes: EpisodeSet
    """What was walked."""
    vision: Vision
    """What was seen with."""
    mirrored: NDArray[np.bool_] | None = None
    """(B,) true for episodes that were walked in a mirrored building."""
    variants: Mapping[Any, Variant] = dataclasses.field(default_factory=dict)
    """The further variants of the texts, by the loss that made them."""
    steps: list[StepTrace] = dataclasses.field(default_factory=list)
    """Empty unless the rollout was asked to keep them."""
    left: Tensor | None = None
    """(B,) the critic's value of where unfinished episodes were left, 0 for those that stopped."""

    @property
    def batch(self) -> int:
        return len(self.nodes)

    @property
    def live(self) -> Tensor:
        """(T, B) true where the episode was still running."""
        return self.spread([step.live for step in self.steps])

    @property
    def rewards(self) -> Tensor:
        """(T, B)"""
        return self.spread([_there(step.rewards) for step in self.steps])

    @property
    def values(self) -> Tensor:
        """(T, B)"""
        return self.spread([_there(step.values) for step in self.steps])

    @property
    def bootstrap(self) -> Tensor:
        """(B,) what is expected after the last step."""
        return _there(self.left)

    def spread(self, columns: Sequence[Tensor]) -> Tensor:
        """(T, B) of one (b,) tensor for each step; zeros after an episode's end."""
        spread = []
        for step, values in zip(self.steps, columns, strict=True):
            if len(step.rows) < self.batch:
                empty = torch.zeros(self.batch, dtype=values.dtype, device=values.device)
                values = empty.index_copy(0, torch.from_numpy(step.rows).to(values.device), values)
            spread.append(values)
        return torch.stack(spread)


def _there(column: Tensor | None) -> Tensor:
    if column is None:
        raise ValueError("this was not collected: the loss must say that it needs it.")
    return column
