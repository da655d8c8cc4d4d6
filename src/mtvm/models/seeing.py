"""From what agents see to the tokens [v; d] that a network reads.

`Featurizer` makes them of arrays, wherever these come from. `Vision` takes the arrays from a simulator and a feature
store.
"""

from __future__ import annotations

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.errors import InputError
from mtvm.features.objects import PLACE_WIDTH, ObjectSights
from mtvm.features.store import FeatureStore
from mtvm.models.config import ModelConfig
from mtvm.models.text import PAD, text_reader
from mtvm.world.simulator import Observation
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, VIEWS, angle_feature
from mtvm.world.world import World


class Featurizer:
    """Joins features with directions, for a network of this config. Features that are None are zeros."""

    def __init__(self, config: ModelConfig, device: torch.device | str = "cpu") -> None:
        self.config, self.device = config, torch.device(device)
        self._turned = config.angle_width - config.place_width

    def actions(
        self,
        features: NDArray[np.floating] | None,
        angles: NDArray[np.float32],
        count: NDArray[np.int64],
        *,
        places: NDArray[np.float32] | None = None,
        around: NDArray[np.floating] | None = None,
        mirrored: NDArray[np.bool_] | None = None,
        kept: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """(B, K + 1, token width) a token for each action, zeros where there is none, and the mask (B, K + 1).

        Each agent has `count` (B,) candidates with `features` (B, K, feature width), `angles` (B, K, 4) and, on a map,
        `places` (B, K, 4), all zeros beyond; then comes STOP, which shows `around` (B, feature width) if that is given.
        The agents that are `mirrored` (B,) see their building in a mirror. `kept` (B, feature width) are factors on the
        features of all that an agent sees.
        """
        width, columns = self.config.feature_width, angles.shape[1]
        tokens = torch.empty(len(count), columns + 1, self.config.token_width)
        tokens[:, :columns, :width] = 0 if features is None else torch.from_numpy(features)
        end = width + self._turned
        tokens[:, :columns, width:end] = _repeated(angles, self._turned)
        if self.config.place_width:
            if places is None:
                raise ValueError("this agent acts on a map: it needs to be told of places.")
            tokens[:, :columns, end:] = _repeated(places, self.config.place_width)
        tokens[:, columns] = 0
        if around is not None:
            tokens[torch.arange(len(tokens)), torch.from_numpy(count), :width] = torch.from_numpy(around).float()
        if kept is not None:
            tokens[..., :width] *= kept[:, None]
        self._mirror(tokens[..., width:end], mirrored)
        mask = np.arange(columns + 1) <= count[:, None]
        return tokens.to(self.device), torch.from_numpy(mask).to(self.device)

    def panorama(
        self,
        features: NDArray[np.floating] | None,
        heading: NDArray[np.floating],
        *,
        mirrored: NDArray[np.bool_] | None = None,
        kept: Tensor | None = None,
    ) -> Tensor:
        """(B, 36, token width) of all views, with `features` (B, 36, feature width); directions are relative to the
        agents' `heading` (B,)."""
        tokens = torch.zeros(len(heading), VIEWS, self.config.token_width)
        if features is not None:
            seen = torch.from_numpy(features)
            tokens[..., : self.config.feature_width] = seen if kept is None else seen * kept[:, None]
        turned = VIEW_HEADING[None] - heading[:, None]
        directions = self._directions(turned, np.broadcast_to(VIEW_ELEVATION, turned.shape))
        tokens[..., self.config.feature_width :] = self._mirror(directions, mirrored)
        return tokens.to(self.device)

    def facing(
        self,
        headings: NDArray[np.floating],
        elevations: NDArray[np.floating],
        mirrored: NDArray[np.bool_] | None = None,
    ) -> Tensor:
        """(B, angle width) the direction feature of agents that face these absolute directions (B,)."""
        return self._mirror(self._directions(headings, elevations), mirrored).to(self.device)

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


class Vision:
    """The tokens of agents in a world, with features by node and view. Without a store they are blind and see zeros.
    `objects` are those that an agent can point at."""

    def __init__(
        self,
        world: World,
        store: FeatureStore | None,
        config: ModelConfig,
        device: torch.device | str = "cpu",
        objects: ObjectSights | None = None,
    ) -> None:
        if store is not None and store.width != config.feature_width:
            raise InputError(
                f"{store.path}: its features have {store.width} numbers, the agent reads {config.feature_width}; let "
                "it see what it was trained with, by --data.sight or --data.features."
            )
        if objects is not None and objects.features.shape[1] + PLACE_WIDTH != config.object_width:
            raise InputError(
                f"objects are described by {objects.features.shape[1] + PLACE_WIDTH} numbers, the agent reads "
                f"{config.object_width}; let it see what it was trained with, by --data.sight, --data.features or "
                "--data.boxes."
            )
        self.world, self.config, self.store, self.featurizer = world, config, store, Featurizer(config, device)
        self.objects = objects
        if store is not None:
            scans = np.array(world.scans)[world.scan_of_node]
            self._rows = store.rows(scans.tolist(), world.viewpoints.tolist())
        self._around = store is not None and config.stop_sight == "panorama"

    @functools.cached_property
    def _panorama_means(self) -> NDArray[np.float16]:
        """(nodes, feature width) the mean of each panorama's views."""
        assert self.store is not None
        parts = np.array_split(self._rows, max(len(self._rows) // 256, 1))
        return np.concatenate([self.store.panorama(rows).mean(axis=1, dtype=np.float32) for rows in parts]).astype(
            np.float16
        )

    def features(self, seen: Observation) -> NDArray[np.floating] | None:
        """(B, K, feature width) of the view of each candidate; None if the agents are blind."""
        if self.store is None:
            return None
        return self.store.gather(np.where(seen.mask, self._rows[seen.seen_from], -1), seen.candidate_views)

    def panorama_features(self, seen: Observation) -> NDArray[np.floating] | None:
        """(B, 36, feature width) of all views."""
        return None if self.store is None else self.store.panorama(self._rows[seen.node])

    def actions(
        self, seen: Observation, mirrored: NDArray[np.bool_] | None = None, kept: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """`Featurizer.actions` of what the agents see."""
        around = self._panorama_means[seen.node] if self._around else None
        places = seen.places if self.config.place_width else None
        return self.featurizer.actions(
            self.features(seen), seen.angles, seen.count, places=places, around=around, mirrored=mirrored, kept=kept
        )

    def panorama(
        self, seen: Observation, mirrored: NDArray[np.bool_] | None = None, kept: Tensor | None = None
    ) -> Tensor:
        """`Featurizer.panorama` of what the agents see."""
        return self.featurizer.panorama(self.panorama_features(seen), seen.heading, mirrored=mirrored, kept=kept)

    def objects_at(
        self, nodes: NDArray[np.int64], headings: NDArray[np.floating], mirrored: NDArray[np.bool_] | None = None
    ) -> tuple[Tensor, Tensor, NDArray[np.int64]]:
        """(B, K, object width) a token of each object that agents see from their nodes, the mask (B, K) of real ones,
        and their ids (B, K), -1 for the others. Directions are relative to the agents' `headings` (B,)."""
        assert self.objects is not None
        known = self.objects
        numbers, mask = known.at(nodes)
        turned = known.headings[numbers] - headings[:, None]
        if mirrored is not None:
            turned = np.where(mirrored[:, None], -turned, turned)
        directions = angle_feature(turned, known.elevations[numbers], 1)
        tokens = np.concatenate([known.features[numbers].astype(np.float32), directions, known.sizes[numbers]], axis=2)
        ids = np.where(mask, known.ids[numbers], -1) if len(known.ids) else np.full(mask.shape, -1)
        device = self.featurizer.device
        return torch.from_numpy(tokens).to(device), torch.from_numpy(mask).to(device), ids

    def names_at(self, nodes: NDArray[np.int64]) -> tuple[Tensor, Tensor] | None:
        """(B, K, m, W) the tokens of the likeliest names of each object of `objects_at`, padded with 0, and (B, K, m)
        how likely they are, zeros for padding; None where nothing is known of their names."""
        assert self.objects is not None
        known = self.objects
        if not known.names:
            return None
        numbers, mask = known.at(nodes)
        shares = torch.from_numpy(known.shares[numbers] * mask[..., None])
        tokens = self._name_tokens[torch.from_numpy(known.likely[numbers])] * (shares > 0)[..., None]
        return tokens.to(self.featurizer.device), shares.to(self.featurizer.device)

    @functools.cached_property
    def _name_tokens(self) -> Tensor:
        """(names, W) of all names that objects may have."""
        assert self.objects is not None
        read = text_reader(self.config.text_reader).tokenize(list(self.objects.names))
        return torch.where(read.words >= 0, read.ids, PAD)

    def facing(
        self,
        views: NDArray[np.int64],
        mirrored: NDArray[np.bool_] | None = None,
        turned: NDArray[np.floating] | None = None,
    ) -> Tensor:
        """`Featurizer.facing` of agents that face `views`, in buildings that are `turned` by so many radians."""
        headings = VIEW_HEADING[views] if turned is None else VIEW_HEADING[views] + turned
        return self.featurizer.facing(headings, VIEW_ELEVATION[views], mirrored)


def _repeated(numbers: NDArray[np.float32], width: int) -> Tensor:
    """(B, K, 4) to (B, K, width), by repetition."""
    return torch.from_numpy(numbers)[:, :, None, :].expand(-1, -1, width // 4, -1).flatten(2)
