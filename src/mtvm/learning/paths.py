"""What is seen along paths, for a speaker."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.models.speaker import PathInputs
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, angle_feature
from mtvm.world.world import World

_AROUND = np.arange(12, 24)
"""The views that look straight ahead, all around."""


class PathVision:
    """Features of the views along paths of a world."""

    def __init__(self, world: World, store: FeatureStore) -> None:
        self.world, self.store = world, store
        scans = np.array(world.scans)[world.scan_of_node]
        self._rows = store.rows(scans.tolist(), world.viewpoints.tolist())

    def inputs(
        self, paths: NDArray[np.int32], headings: NDArray[np.float64], mirrored: NDArray[np.bool_] | None = None
    ) -> PathInputs:
        """What is seen along paths (B, T), -1 pads, that begin with `headings` (B,). The `mirrored` (B,) ones lead
        through the mirror image of their building."""
        world, width = self.world, self.store.width
        mask = paths >= 0
        here = np.where(mask, paths, 0)
        following = np.concatenate([paths[:, 1:], np.full((len(paths), 1), -1, dtype=paths.dtype)], axis=1)
        moves = following >= 0
        chosen = world.candidates[here] == np.where(moves, following, -2)[..., None]
        if not chosen.any(axis=-1)[moves].all():
            raise InputError("a path leads along an edge that its building does not have.")
        slot = chosen.argmax(axis=-1)
        toward = world.candidate_headings[here, slot]
        facing = np.concatenate([headings[:, None], toward[:, :-1]], axis=1)
        rows = np.where(mask, self._rows[here], -1)

        actions = np.zeros((*paths.shape, width + 4), dtype=np.float32)
        actions[..., :width] = self.store.gather(np.where(moves, rows, -1), world.candidate_views[here, slot])
        turn = angle_feature(toward - facing, world.candidate_elevations[here, slot], 1)
        actions[..., width:] = np.where(moves[..., None], turn, 0)

        views = np.empty((*paths.shape, len(_AROUND), width + 4), dtype=np.float32)
        shape = views.shape[:-1]
        views[..., :width] = self.store.gather(np.broadcast_to(rows[..., None], shape), np.broadcast_to(_AROUND, shape))
        directions = VIEW_HEADING[_AROUND] - facing[..., None]
        views[..., width:] = angle_feature(directions, np.broadcast_to(VIEW_ELEVATION[_AROUND], shape), 1)
        if mirrored is not None:  # the sines of headings change their sign
            sign = np.where(mirrored, -1, 1).astype(np.float32)
            actions[..., width] *= sign[:, None]
            views[..., width] *= sign[:, None, None]
        return PathInputs(torch.from_numpy(actions), torch.from_numpy(views), torch.from_numpy(mask))
