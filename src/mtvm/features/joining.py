"""Several feature stores side by side in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.progress import track


def join_stores(
    stores: Sequence[FeatureStore | Path | str],
    out: Path | str,
    *,
    weights: Sequence[float] | None = None,
    show_progress: bool = True,
) -> FeatureStore:
    """Write a store whose features are those of all `stores`, one after the other, each times its weight (default 1).

    It has the viewpoints that all of them have. What is at `out` may be replaced, but not one of the stores.
    """
    opened = [store if isinstance(store, FeatureStore) else FeatureStore.open(store) for store in stores]
    if not opened:
        raise InputError("there is no feature store to join; name at least one.")
    if weights is not None and len(weights) != len(opened):
        raise InputError(f"{len(opened)} feature stores to join have {len(weights)} weights; give one for each.")
    for store in opened:
        if store.path == Path(out).absolute():
            raise InputError(f"{out}: is one of the stores to join; name a new folder.")
    pairs = sorted(set.intersection(*(_viewpoints(store) for store in opened)))
    if not pairs:
        raise InputError(f"{opened[0].path}: has no viewpoint in common with the others; join stores of one dataset.")
    tracked = track(_joined(opened, pairs, weights), len(pairs), "Joining features", "viewpoints", show_progress)
    names = " + ".join(str(store.meta["source"]) for store in opened)
    return FeatureStore.write(out, tracked, source=names, source_format="features of several stores side by side")


def _viewpoints(store: FeatureStore) -> set[tuple[str, str]]:
    return {(scan.decode(), viewpoint.decode()) for scan, viewpoint, _ in store.index.tolist()}


def _joined(
    stores: Sequence[FeatureStore], pairs: Sequence[tuple[str, str]], weights: Sequence[float] | None
) -> Iterator[tuple[str, str, NDArray[np.floating]]]:
    scans, viewpoints = [scan for scan, _ in pairs], [viewpoint for _, viewpoint in pairs]
    rows = [store.rows(scans, viewpoints) for store in stores]
    for place, (scan, viewpoint) in enumerate(pairs):
        parts = [store.panorama(of_store[place]) for store, of_store in zip(stores, rows, strict=True)]
        if weights is not None:
            parts = [weight * part.astype(np.float32) for weight, part in zip(weights, parts, strict=True)]
        yield scan, viewpoint, np.hstack(parts)
