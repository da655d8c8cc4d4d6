"""Attention by layer and head: which there are, and a walk with that of one of them instead of the usual one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from mtvm.acting.policy import WordAttention
from mtvm.errors import InputError
from mtvm.viewer.figures import Walk

Heads = list[list[WordAttention]]
"""The attention of a step, by layer and head."""


def count_heads(steps: Sequence[Heads]) -> dict[str, int]:
    """How many layers and heads there are."""
    if not steps:
        raise InputError("this walk has no steps.")
    return {"layers": len(steps[0]), "heads": len(steps[0][0])}


def with_head(walk: Walk, steps: Sequence[Heads], layer: int | None, head: int | None) -> Walk:
    """A walk with the attention of a layer (from 1, by default the final one) and a head (from 1, by default the mean
    of all heads)."""
    there = count_heads(steps)
    for name, asked, most in (("layer", layer, there["layers"]), ("head", head, there["heads"])):
        if asked is not None and not 1 <= asked <= most:
            raise InputError(f"this agent has {name}s 1 to {most}, not {asked}.")
    events = []
    for event, layers in zip(walk.events, steps, strict=True):
        heads = layers[-1 if layer is None else layer - 1]
        some = heads if head is None else [heads[head - 1]]
        shares = np.mean([[share for _, share in one.words] for one in some], axis=0).round(4).tolist()
        words = [(word, share) for (word, _), share in zip(some[0].words, shares, strict=True)]
        memory = np.mean([one.memory for one in some], axis=0).round(4).tolist()
        events.append(dataclasses.replace(event, words=words, memory=memory))
    return dataclasses.replace(walk, events=events)
