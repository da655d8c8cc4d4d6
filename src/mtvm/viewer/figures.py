"""A walk as everything that draws it takes it."""

from __future__ import annotations

import dataclasses

from mtvm.errors import InputError
from mtvm.tasks.definitions import SUCCESS_RADIUS
from mtvm.tasks.events import StepEvent


@dataclasses.dataclass(frozen=True)
class Walk:
    """What an agent did in an episode, and what it was asked to do."""

    id: str
    scan: str
    text: str
    events: list[StepEvent]
    reference: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    metrics: dict[str, float] = dataclasses.field(default_factory=dict)
    distances: list[float] = dataclasses.field(default_factory=list)
    """From each of `viewpoints` to the nearest goal, in metres, where the goals are known."""
    mistake: str = ""
    """What went wrong, in the words of `mtvm.tasks.diagnosis`."""
    radius: float = SUCCESS_RADIUS
    """How near to a goal stopping is right, in metres; 0 means at it."""
    answer: str | None = None
    """What was answered at the end, where the task asks for more than a path."""
    target: str | None = None
    """The object that should have been answered, by its id, where it is known."""

    @property
    def viewpoints(self) -> list[str]:
        """Where the agent was, in order, and where its last step led."""
        places = [event.viewpoint for event in self.events]
        last = self.events[-1].target if self.events else None
        return places if last is None else [*places, last]

    def walked(self, first: int = 0, last: int | None = None) -> list[str]:
        """The viewpoints from the beginning of step `first` to that of step `last`, also those on the way."""
        places = self.viewpoints
        last = len(places) - 1 if last is None else min(last, len(places) - 1)
        ways = [event.way or [] for event in self.events]
        passed = [name for step in range(first, last) for name in (*ways[step], places[step + 1])]
        return [*places[first : first + 1], *passed]

    @property
    def places(self) -> list[str]:
        """Every viewpoint that the walk has to do with: the reference's, the agent's, and those it could go to."""
        offered = [name for event in self.events for name in event.candidates]
        return sorted({*self.reference, *self.goals, *self.walked(), *offered})

    @property
    def left_reference(self) -> int | None:
        """The step with which the agent left the reference path for good; None if it ended on it."""
        if len(self.reference) < 2:
            return None
        known = set(self.reference)
        on_it = [step for step, viewpoint in enumerate(self.viewpoints) if viewpoint in known]
        return on_it[-1] if on_it and on_it[-1] + 1 < len(self.viewpoints) else None

    def at(self, step: int) -> StepEvent:
        if not 0 <= step < len(self.events):
            raise InputError(f"episode {self.id} has steps 0 to {len(self.events) - 1}, not {step}.")
        return self.events[step]
