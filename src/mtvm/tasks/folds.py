"""The buildings of a data folder dealt into folds, so that each of them is once new to the agents that are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mtvm.errors import InputError

Entries = Sequence[dict[str, Any]]


def deal(buildings: Sequence[str], sizes: Sequence[int], folds: int) -> list[list[str]]:
    """The buildings in so many folds, or one each if they are fewer, with about equally many episodes each.

    Of each `folds` neighbours in the order of their sizes every fold gets one, by a draw that is always the same.
    """
    folds = min(folds, len(buildings))
    if folds < 2:
        raise InputError("agents cannot learn in other buildings than they are evaluated in: there is only one.")
    rng = np.random.default_rng(0)
    order = sorted(range(len(buildings)), key=lambda place: (-sizes[place], buildings[place]))
    dealt: list[list[str]] = [[] for _ in range(folds)]
    for first in range(0, len(order), folds):
        some = order[first : first + folds]
        for fold, place in zip(rng.permutation(folds).tolist(), some, strict=False):
            dealt[fold].append(buildings[place])
    return [sorted(one) for one in dealt]


def fold_entries(train: Entries, seen: Entries, folds: int) -> list[dict[str, list[dict[str, Any]]]]:
    """For each fold the entries to learn from (`fit`), to choose weights by (`seen`) and to be evaluated on (`new`).

    The first two are of the other buildings, the last are all that there are of the fold's own.
    """
    counts = Counter(entry["scan"] for entry in (*train, *seen))
    made = []
    for scans in deal(list(counts), list(counts.values()), folds):
        own = set(scans)
        fit, chosen = ([entry for entry in some if entry["scan"] not in own] for some in (train, seen))
        made.append(
            {
                "fit": fit,
                "seen": chosen or fit,
                "new": [entry for some in (train, seen) for entry in some if entry["scan"] in own],
            }
        )
    return made
