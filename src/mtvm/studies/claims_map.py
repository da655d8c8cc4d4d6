"""The same for the agent that acts on a map, which has a memory of its own: the places that it has seen."""

from __future__ import annotations

import dataclasses

from mtvm.studies import claims

_ARMS = (claims.MEMORY, claims.CONSISTENCY, claims.NONE, claims.RECURRENT)

STUDY = dataclasses.replace(
    claims.STUDY,
    name="claims-map",
    title="The paper's claims, by agents that act on a map",
    source="Beyond the paper, whose agents go to neighbours only",
    arms=tuple(arm for arm in claims.STUDY.arms if arm.name in _ARMS),
    preset="r2r-map",
    # A fifth of the headline's imitation, of which half with the teacher. No words are dropped but by the loss, so that
    # the arms differ in nothing else.
    options={
        "optimizer.updates": 700,
        "loss.teacher_forced_updates": 350,
        "selection.every": 700,
        "loss.word_dropping": 0.0,
    },
    quick_options={
        "model.actions": "map",
        "optimizer.updates": 200,
        "loss.teacher_forced_updates": 100,
        "selection.every": 200,
    },
)
