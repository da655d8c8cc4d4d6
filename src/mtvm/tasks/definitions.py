"""What codebases do not agree about when they score a trajectory. `docs/data.md` has the differences in a table."""

from __future__ import annotations

import dataclasses
from typing import Literal, get_args

from mtvm.errors import InputError
from mtvm.tasks.spec import TaskSpec

SUCCESS_RADIUS = 3.0

Codebase = Literal["leaderboard", "hamt", "duet"]
CODEBASES: tuple[Codebase, ...] = get_args(Codebase)


@dataclasses.dataclass(frozen=True, slots=True)
class Definitions:
    """The leaderboards' definitions, unless said otherwise."""

    success_radius: float = SUCCESS_RADIUS
    """How near to a goal, in metres, is a success; 0 means at a goal."""
    spl_length: Literal["shortest", "reference"] = "shortest"
    """Which path SPL compares the agent's with: the shortest one to a goal, or the reference path."""
    least_length: float = 0.0
    """SPL's divisor in metres is no smaller than this. An agent that starts at its goal and stays there has an SPL of 1
    if it is 0, and otherwise of 0."""


def definitions_of(codebase: str, task: TaskSpec) -> Definitions:
    """How a codebase scores a task."""
    if codebase not in CODEBASES:
        raise InputError(f"unknown definitions '{codebase}'; give one of {', '.join(CODEBASES)}.")
    if codebase == "leaderboard":
        return Definitions()
    if not task.goals_form_a_region:
        return Definitions(spl_length="reference", least_length=0.01)
    if codebase == "hamt":
        return Definitions(success_radius=0.0, least_length=0.01)
    raise InputError(f"DUET's code does not score {task.title}; give the definitions of leaderboard or hamt.")
