"""What a study is: arms to compare, where they are evaluated, and how the outcome is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mtvm.acting.baselines import Baseline

if TYPE_CHECKING:
    from mtvm.studies.blocks import Block
    from mtvm.studies.findings import Findings

Options = Mapping[str, Any]
"""Options of a training run by their names on the command line, such as {"model.history.steps": 4}."""

SEEN, UNSEEN = "r2r/val_seen", "r2r/val_unseen"
NEW = "r2r/new"
"""All instructions of the buildings of a fold, of all folds together."""

NO_CONSISTENCY: Options = {"loss.consistency.enabled": False}
NO_HISTORY: Options = {"model.history": "none", **NO_CONSISTENCY}


@dataclasses.dataclass(frozen=True)
class Arm:
    """One of the things that a study compares: a preset with other options, trained once for each seed."""

    name: str
    options: Options = dataclasses.field(default_factory=dict)
    share: float = 1.0
    """Share of the paths to train on."""
    quick: bool = True
    """Whether it is part of the study at the budget quick too."""
    fewer_steps: tuple[int, ...] = ()
    """With how many of the last steps in memory its agents are evaluated too."""


@dataclasses.dataclass(frozen=True)
class Study:
    name: str
    title: str
    source: str
    """Which table or figure of the paper it is, or that it goes beyond the paper."""
    says: str
    """What the paper says about it; what we ask, beyond the paper."""
    arms: tuple[Arm, ...]
    draw: Callable[[Findings], list[Block]]
    """Its tables and figures."""
    splits: tuple[str, ...] = (SEEN, UNSEEN)
    """Where agents are evaluated."""
    if_there: tuple[str, ...] = ()
    """Where they are evaluated too, if the data has it."""
    train: tuple[str, ...] = ()
    """Splits to train on: the first, and those of the others that the data has; by default the preset's."""
    options: Options = dataclasses.field(default_factory=dict)
    """Options of all arms."""
    quick_options: Options = dataclasses.field(default_factory=dict)
    """More of them, at the budget quick."""
    reference: str = ""
    """The arm that the others are compared with; without one no differences are reported."""
    compared_on: str = UNSEEN
    """The split on which they are compared."""
    metrics: tuple[str, ...] = ("SR", "SPL")
    """The metrics in which they are compared."""
    shows: tuple[str, ...] = ("SR", "SPL")
    """The metrics of its own tables and figures."""
    baselines: tuple[Baseline, ...] = ()
    folds: int = 0
    """Into how many parts the buildings are dealt, if there are so many.

    An agent of each arm is then trained for each part, in the buildings of the others, and evaluated in its own,
    instead of on `splits`.
    """
    preset: str = ""
    """What its arms are built on at the budget cpu, if not on what other studies are."""
    conditions: tuple[str, ...] = ()
    """What is changed in the split `compared_on` after training, see `conditions.py`."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The metrics of each episode that are kept with its report, which is redrawn from them."""
        return tuple(dict.fromkeys((*self.shows, *self.metrics)))

    def arms_of(self, budget: Budget) -> tuple[Arm, ...]:
        return tuple(arm for arm in self.arms if arm.quick or budget.name != "quick")


@dataclasses.dataclass(frozen=True)
class Budget:
    """How much a study may cost."""

    name: str
    meaning: str
    preset: str
    seeds: int
    updates: int | None = None
    """The most updates of a training; None for as many as the preset has."""


BUDGETS = {
    "quick": Budget("quick", "about 15 minutes on two cores, in the built-in world", "paper-small", 1, 200),
    "cpu": Budget("cpu", "a night on two cores", "paper-small", 3),
    "paper": Budget("paper", "the paper's network, updates and data; GPUs", "paper", 3),
}
