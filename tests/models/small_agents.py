"""Small agents that act on random observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import small_models

from mtvm.models.agent import Action, Agent, Observation
from mtvm.models.config import PRESETS
from mtvm.models.network import Network

TEXTS = [
    "Walk past the sofa and the chandeliers, then stop.",
    "Go up.",
    "Leave the kitchen by the left door.",
    "Wait by the window.",
]
STEPS = 6
FEATURES = PRESETS["tiny"].feature_width

Views = list[list[Observation]]


def make_model(seed: int = 4, **changes: Any) -> Network:
    """With the whole vocabulary, because an agent reads texts."""
    return small_models.make_model(PRESETS["tiny"], seed, **changes)


def look(generator: np.random.Generator, count: int | None = None) -> Observation:
    count = int(generator.integers(1, 6)) if count is None else count
    return Observation(
        headings=generator.uniform(-3, 3, count),
        elevations=generator.uniform(-0.5, 0.5, count),
        features=generator.normal(size=(count, FEATURES)),
        heading=float(generator.uniform(0, 6)),
        elevation=float(generator.uniform(-0.5, 0.5)),
        panorama=generator.normal(size=(36, FEATURES)),
    )


def walk_together(agent: Agent, views: Views, **options: Any) -> list[list[Action | None]]:
    """The actions of all agents, step by step, until all have stopped."""
    agent.start(TEXTS)
    actions = []
    for seen in views:
        if agent.ended.all():
            break
        given = [None if ended else view for view, ended in zip(seen, agent.ended, strict=True)]
        actions.append(agent.act(given, **options))
    return actions


def walk_alone(agent: Agent, row: int, views: Views, **options: Any) -> list[Action]:
    agent.start(TEXTS[row])
    actions = []
    for seen in views:
        actions.append(agent.act(seen[row], **options))
        if actions[-1].stop:
            break
    return actions
