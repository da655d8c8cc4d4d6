"""The storeys of buildings, from the heights of their viewpoints."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mtvm.world.world import World

STOREY = 1.8
"""Metres above the lowest viewpoint of a storey at which the next one begins."""


def storeys(world: World) -> NDArray[np.int64]:
    """(nodes,) the storey of each viewpoint, from 0 at the bottom of its building."""
    found = np.zeros(len(world), dtype=np.int64)
    for first, end in zip(world.first_node[:-1].tolist(), world.first_node[1:].tolist(), strict=True):
        heights = world.positions[first:end, 2]
        base, storey = math.inf, -1
        for node in np.argsort(heights, kind="stable").tolist():
            if storey < 0 or heights[node] > base + STOREY:
                base, storey = heights[node], storey + 1
            found[first + node] = storey
    return found


def storey_changes(found: NDArray[np.int64], paths: NDArray[np.integer]) -> NDArray[np.int64]:
    """(N,) how often each of (N, P) paths, padded with -1, goes to another of the storeys."""
    moved = paths[:, 1:] >= 0
    here, there = np.where(moved, paths[:, :-1], 0), np.where(moved, paths[:, 1:], 0)
    changes: NDArray[np.int64] = (moved & (found[here] != found[there])).sum(axis=1)
    return changes
