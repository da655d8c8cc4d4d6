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
    options={"model.actions": "map"},
)
