"""Writing down what happens in a walk, episode by episode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.policy import Decisions
from mtvm.acting.sights import Sights
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.events import StepEvent
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING


class Recorder:
    """Collects the steps of a batch, as `walk` shows them."""

    def __init__(self, episodes: EpisodeSet) -> None:
        self.events: list[list[StepEvent]] = [[] for _ in range(len(episodes))]

    def __call__(self, sights: Sights, done: Decisions, walked: NDArray[np.int64]) -> None:
        for place, row in enumerate(sights.rows.tolist()):
            self.events[row].append(event_of(sights, done, place, walked[place]))


def event_of(sights: Sights, done: Decisions, place: int, walked: NDArray[np.int64] | None = None) -> StepEvent:
    """The step of one of the agents; `walked` are the nodes that it led through, -1 pads."""
    seen, names = sights.seen, sights.world.viewpoints
    decision, count, node = done[place], int(seen.count[place]), int(seen.node[place])
    view, attention = seen.view[place], decision.attention
    probabilities = decision.probabilities
    return StepEvent(
        id=sights.episodes.ids[int(sights.rows[place])],
        step=int(sights.steps[place]),
        scan=sights.world.scan(node),
        viewpoint=str(names[node]),
        heading=float(VIEW_HEADING[view]),
        elevation=float(VIEW_ELEVATION[view]),
        candidates=names[seen.candidates[place, :count]].tolist(),
        action=decision.action,
        probabilities=None if probabilities is None else [round(float(p), 5) for p in probabilities[: count + 1]],
        words=None if attention is None else attention.words,
        memory=None if attention is None else attention.memory,
        way=None if walked is None else way_of(sights, walked),
        thought=decision.thought,
        answer=decision.answer,
        details=decision.details,
    )


def way_of(sights: Sights, walked: NDArray[np.int64]) -> list[str] | None:
    """The viewpoints that a step led through before its end; None if there are none."""
    way: list[str] = sights.world.viewpoints[walked[walked >= 0][:-1]].tolist()
    return way or None
