"""What success is, and what codebases do not agree about. `docs/data.md` has the differences in a table."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, get_args

from mtvm.errors import InputError

if TYPE_CHECKING:
    from mtvm.tasks.spec import TaskSpec

SUCCESS_RADIUS = 3.0
"""What counts as near, in metres: to a goal in most tasks, and to a viewpoint that has to be passed in all of them."""

Codebase = Literal["leaderboard", "hamt", "duet"]
CODEBASES: tuple[Codebase, ...] = get_args(Codebase)


@dataclasses.dataclass(frozen=True, slots=True)
class Success:
    """Where stopping is right, and which path is the shortest that SPL could have expected."""

    radius: float = SUCCESS_RADIUS
    """How near to a goal, in metres, is a success; 0 means at a goal."""
    spl_length: Literal["shortest", "direct", "reference"] = "shortest"
    """Which path SPL compares the agent's with: the shortest one to a goal, the shortest one to the end of the
    reference path, or the reference path itself."""
    least_length: float = 0.0
    """SPL's divisor in metres is no smaller than this. An agent that starts at its goal and stays there has an SPL of 1
    if it is 0, and otherwise of 0."""


def success_of(codebase: str, task: TaskSpec) -> Success:
    """What success is in a task for the code of HAMT or DUET, or for the leaderboard."""
    if codebase not in CODEBASES:
        raise InputError(f"unknown definitions '{codebase}'; give one of {', '.join(CODEBASES)}.")
    if codebase == "leaderboard":
        return task.success
    known = dict(task.success_elsewhere)
    if codebase not in known:
        others = " or ".join(["leaderboard", *known])
        raise InputError(f"{codebase.upper()}'s code does not score {task.title}; give the definitions of {others}.")
    return known[codebase]
