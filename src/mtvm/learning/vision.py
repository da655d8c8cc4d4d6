"""From what the simulator says to the tokens [v; d] that the model reads."""

from __future__ import annotations

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.models.config import ModelConfig
from mtvm.world.explored import MapObservation
from mtvm.world.simulator import Observation
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, VIEWS, angle_feature
from mtvm.world.world import World


class Vision:
    """Image features by node and view, joined with directions. Without a store the agent is blind: it sees zeros."""

    def __init__(
        self, world: World, store: FeatureStore | None, config: ModelConfig, device: torch.device | str = "cpu"
    ) -> None:
        if store is not None and store.width != config.feature_width:
            raise InputError(
                f"{store.path}: its features have {store.width} numbers, the agent reads {config.feature_width}; let "
                "it see what it was trained with, by --data.sight or --data.features."
            )
        self.config, self.store, self.device = config, store, torch.device(device)
        if store is not None:
            scans = np.array(world.scans)[world.scan_of_node]
            self._rows = store.rows(scans.tolist(), world.viewpoints.tolist())
        self._around = store is not None and config.stop_sight == "panorama"
        self._turned = config.angle_width - config.place_width

    @functools.cached_property
    def _panorama_means(self) -> NDArray[np.float16]:
        """(nodes, feature width) the mean of each panorama's views."""
        assert self.store is not None
        parts = np.array_split(self._rows, max(len(self._rows) // 256, 1))
        return np.concatenate([self.store.panorama(rows).mean(axis=1, dtype=np.float32) for rows in parts]).astype(
            np.float16
        )

    def actions(
        self, seen: Observation, mirrored: NDArray[np.bool_] | None = None, kept: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """(B, A, token width) a token for each action, zero where there is none, and the mask (B, A).

        The agents that are `mirrored` (B,) see their building in a mirror. `kept` (B, feature width) are factors on the
        features of all that an agent sees.
        """
        width, count = self.config.feature_width, seen.mask.shape[1]
        tokens = torch.empty(len(seen.node), count + 1, self.config.token_width)
        if self.store is None:
            tokens[:, :count, :width] = 0
        else:
            shown_from = seen.seen_from if isinstance(seen, MapObservation) else seen.node[:, None]
            rows = np.where(seen.mask, self._rows[shown_from], -1)
            tokens[:, :count, :width] = torch.from_numpy(self.store.gather(rows, seen.candidate_views))
        end = width + self._turned
        tokens[:, :count, width:end] = _repeated(seen.angles, self._turned)
        if isinstance(seen, MapObservation):
            tokens[:, :count, end:] = _repeated(seen.places, self.config.place_width)
        tokens[:, count] = 0
        if self._around:
            tokens[torch.arange(len(tokens)), torch.from_numpy(seen.count), :width] = torch.from_numpy(
                self._panorama_means[seen.node]
            ).float()
        if kept is not None:
            tokens[..., :width] *= kept[:, None]
        self._mirror(tokens[..., width:end], mirrored)
        return tokens.to(self.device), torch.from_numpy(seen.actions.mask).to(self.device)

    def panorama(
        self, seen: Observation, mirrored: NDArray[np.bool_] | None = None, kept: Tensor | None = None
    ) -> Tensor:
        """(B, 36, token width) of all views, directions relative to the agent's heading."""
        batch = len(seen.node)
        tokens = torch.zeros(batch, VIEWS, self.config.token_width)
        if self.store is not None:
            features = torch.from_numpy(self.store.panorama(self._rows[seen.node]))
            tokens[..., : self.config.feature_width] = features if kept is None else features * kept[:, None]
        turned = VIEW_HEADING[None] - seen.heading[:, None]
        directions = self._directions(turned, np.broadcast_to(VIEW_ELEVATION, turned.shape))
        tokens[..., self.config.feature_width :] = self._mirror(directions, mirrored)
        return tokens.to(self.device)

    def facing(
        self,
        views: NDArray[np.int64],
        mirrored: NDArray[np.bool_] | None = None,
        turned: NDArray[np.floating] | None = None,
    ) -> Tensor:
        """(B, angle width) the direction feature of agents that face `views`, absolute, in buildings that are `turned`
        by so many radians."""
        headings = VIEW_HEADING[views] if turned is None else VIEW_HEADING[views] + turned
        directions = self._directions(headings, VIEW_ELEVATION[views])
        return self._mirror(directions, mirrored).to(self.device)

    def _directions(self, headings: NDArray[np.floating], elevations: NDArray[np.floating]) -> Tensor:
        """(..., angle width)"""
        turned = torch.from_numpy(angle_feature(headings, elevations, self._turned // 4))
        return torch.nn.functional.pad(turned, (0, self.config.place_width))

    def _mirror(self, directions: Tensor, mirrored: NDArray[np.bool_] | None) -> Tensor:
        """Swap left and right, in place: the sines of the headings change their sign."""
        if mirrored is not None:
            sign = torch.from_numpy(np.where(mirrored, -1, 1).astype(np.float32))
            directions[..., 0 : self._turned : 4] *= sign.view(-1, *[1] * (directions.ndim - 1))
        return directions


def _repeated(numbers: NDArray[np.float32], width: int) -> Tensor:
    """(B, K, 4) to (B, K, width), by repetition."""
    return torch.from_numpy(numbers)[:, :, None, :].expand(-1, -1, width // 4, -1).flatten(2)
