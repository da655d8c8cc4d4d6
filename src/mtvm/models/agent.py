"""A trained model as an agent, without a simulator: instructions and views in, actions out.

    agent = Agent.from_pretrained("runs/r2r/best")
    agent.start("Walk past the sofa and stop at the stairs.")
    while not (action := agent.act(look_around())).stop:
        walk_to(action.candidate)

A batch is the same with lists. Views are features, or images if the agent has an encoder. To let somebody else decide,
`think` instead of `act`, then say with `take` what was done. In a simulator, `agent.sense(simulator)` looks around.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from mtvm.acting.navigator import Navigator
from mtvm.features.store import FeatureStore
from mtvm.models.crossmodal import Attention
from mtvm.models.network import Network, Output
from mtvm.models.policy import Last, Remembering
from mtvm.models.pretrained import agent_folder
from mtvm.models.saving import load_model, save_model
from mtvm.models.seeing import Featurizer, Vision
from mtvm.models.text import Truncation, read_texts, share_lost
from mtvm.progress import notice
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, VIEWS, angle_feature

_LARGEST = 1e6
"""No number of an observation is larger: a network makes NaN of what is far beyond."""

ImageEncoder = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""(B, H, W, 3) RGB images to (B, feature width)."""


@dataclasses.dataclass(frozen=True)
class Observation:
    """What one agent sees: a view in the direction of each of its K candidates."""

    headings: ArrayLike
    """(K,) direction of each candidate relative to the agent's heading, clockwise, in radians."""
    elevations: ArrayLike
    """(K,) upwards, in radians."""
    features: ArrayLike | None = None
    """(K, feature width) image feature of the view in that direction."""
    images: ArrayLike | None = None
    """(K, H, W, 3) RGB instead of features, if the agent has an encoder."""
    heading: float = 0.0
    """The agent's heading in any fixed frame, clockwise, in radians."""
    elevation: float = 0.0
    panorama: ArrayLike | None = None
    """(36, feature width) all views in the order of `mtvm.world.views`, for an agent whose history or STOP shows
    them."""
    places: ArrayLike | None = None
    """(K, 4) for an agent that acts on a map, whose candidates include places seen earlier: `place_feature` of
    `mtvm.world.explored`."""


@dataclasses.dataclass(frozen=True)
class Action:
    """Walk to a candidate, or stop."""

    index: int
    """Among the candidates, in their order in the observation, followed by STOP."""
    probabilities: NDArray[np.float32]
    """(K + 1,) of the candidates and STOP."""
    attention: Attention | None = None
    """(layers, heads, tokens, words or tokens) if asked for; tokens are memory, candidates, STOP."""

    @property
    def stop(self) -> bool:
        return self.index == len(self.probabilities) - 1

    @property
    def candidate(self) -> int:
        """The candidate to walk to."""
        if self.stop:
            raise ValueError("the agent stops here: there is no candidate to walk to.")
        return self.index


class Agent:
    """A model and its running episodes; it acts greedily.

    A step enters the history with the next observation, which has the direction after the move.
    """

    def __init__(self, model: Network, encoder: ImageEncoder | None = None, store: FeatureStore | None = None) -> None:
        self.model = model.eval()
        self.encoder, self.store = encoder, store
        self.ended = np.zeros(0, dtype=bool)
        self._featurizer = Featurizer(model.config, model.device)
        self._vision: Vision | None = None
        self._single = True
        self._thought: tuple[Output, NDArray[np.int64], Tensor | None] | None = None

    @classmethod
    def from_pretrained(
        cls,
        path: Path | str,
        device: str = "auto",
        encoder: ImageEncoder | None = None,
        store: FeatureStore | None = None,
    ) -> Agent:
        """The agent saved in a folder, or one that comes with the package: "homes". `store` has the features that it
        sees in a simulator, see `sense`."""
        return cls(load_model(agent_folder(path), device), encoder, store)

    def save_pretrained(self, path: Path | str, metrics: dict[str, float] | None = None) -> None:
        """Save config, weights and a model card."""
        save_model(self.model, path, metrics)

    def start(self, instructions: str | Sequence[str], truncation: Truncation = "end") -> None:
        """Begin new episodes: one instruction for one agent, or a list for a batch."""
        self._single = isinstance(instructions, str)
        texts = [instructions] if isinstance(instructions, str) else list(instructions)
        if not texts:
            raise ValueError("at least one instruction is needed.")
        self.tokens = read_texts(texts, self.model.config, truncation)
        """The instructions, as the network reads them."""
        if lost := share_lost(texts, self.model.config):
            notice(f"{lost:.1%} of the letters of these instructions are lost on the agent, which cannot read them.")
        with torch.no_grad():
            self._remembering = Remembering(self.model, self.model.encode(self.tokens.to(self.model.device)))
        self._running = np.arange(len(texts))
        self.ended = np.zeros(len(texts), dtype=bool)
        self._last: Last | None = None
        self._thought = None

    def sense(self, where: Simulator | Navigator, row: int = 0) -> Observation:
        """What the agent at `row` of a simulator sees, for `act`: features of its store, or of none.

        An agent that acts on a map needs the map: `Map(simulator)` of `mtvm.acting.navigator`, which moves it too.
        """
        if self.model.config.actions == "map" and isinstance(where, Simulator):
            raise ValueError("this agent acts on a map: give Map(simulator) instead of the simulator.")
        seen, config = where.observe(), self.model.config
        if self._vision is None or self._vision.world is not where.world:
            self._vision = Vision(where.world, self.store, config, self.model.device)
        seen = seen.of(row)
        features, panorama = self._vision.features(seen), self._vision.panorama_features(seen)
        count = int(seen.count[0])
        return Observation(
            headings=seen.headings[0, :count],
            elevations=seen.elevations[0, :count],
            features=np.zeros((count, config.feature_width)) if features is None else features[0, :count],
            heading=float(VIEW_HEADING[seen.view[0]]),
            elevation=float(VIEW_ELEVATION[seen.view[0]]),
            panorama=np.zeros((VIEWS, config.feature_width)) if panorama is None else panorama[0],
            places=None if seen.places is None else seen.places[0, :count],
        )

    def act(
        self, observation: Observation | Sequence[Observation | None], need_attention: bool = False
    ) -> Action | list[Action | None]:
        """The next action; for a batch, that of each agent, None for those that have stopped."""
        actions = self.think(observation, need_attention)
        self.take()
        return actions

    @torch.no_grad()
    def think(
        self, observation: Observation | Sequence[Observation | None], need_attention: bool = False
    ) -> Action | list[Action | None]:
        """What the agent would do; `take` says what is done."""
        if not len(self.ended):
            raise ValueError("there is no instruction yet: call start first.")
        if self._thought is not None:
            raise ValueError("the agent has thought already: call take with what was done.")
        given = [observation] if isinstance(observation, Observation) else list(observation)
        if len(given) != len(self.ended):
            raise ValueError(f"there are {len(self.ended)} instructions, but {len(given)} observations.")
        seen = [(row, given[row]) for row in self._running]
        if any(one is None for _, one in seen):
            raise ValueError("an agent that has not stopped needs an observation.")
        views = [one for _, one in seen if one is not None]
        if not views:
            raise ValueError("all agents have stopped: call start for new episodes.")
        for view in views:
            _check_numbers(view)
        tokens, mask, panorama = self._tokens(views)
        step = self._remembering.step(tokens, mask, self._facing(views), self._last, need_attention=need_attention)
        actions = self._actions(step, mask)
        self._thought = step, np.array([len(action.probabilities) - 1 for action in actions]), panorama
        results: list[Action | None] = [None] * len(given)
        for (row, _), action in zip(seen, actions, strict=True):
            results[row] = action
        return actions[0] if self._single else results

    def take(self, actions: int | Sequence[int] | None = None) -> None:
        """Say what was done: an action for each agent that had not stopped, by default what it thought best."""
        if self._thought is None:
            raise ValueError("there is nothing to take yet: call think first.")
        step, stop, panorama = self._thought
        chosen = step.logits.argmax(dim=1).cpu().numpy()
        if actions is not None:
            chosen = np.array([actions] if isinstance(actions, int) else list(actions), dtype=np.int64)
            if chosen.shape != stop.shape or ((chosen < 0) | (chosen > stop)).any():
                raise ValueError(f"there must be {len(stop)} actions, each from 0 to {stop.tolist()} (STOP).")
        (going,) = np.nonzero(chosen != stop)
        self.ended[np.delete(self._running, going)] = True
        self._running = self._running[going]
        self._last, self._thought = Last(going, chosen[going], panorama), None

    def _facing(self, views: list[Observation]) -> Tensor:
        headings, elevations = (np.array([getattr(view, name) for view in views]) for name in ("heading", "elevation"))
        return self._featurizer.facing(headings, elevations)

    def _tokens(self, views: list[Observation]) -> tuple[Tensor, Tensor, Tensor | None]:
        config = self.model.config
        counts = np.array([len(np.atleast_1d(np.asarray(view.headings))) for view in views])
        size = (len(views), int(counts.max()))
        features = np.zeros((*size, config.feature_width), dtype=np.float32)
        angles, places = np.zeros((*size, 4), dtype=np.float32), np.zeros((*size, 4), dtype=np.float32)
        for row, (view, count) in enumerate(zip(views, counts.tolist(), strict=True)):
            features[row, :count] = self._features(view, count)
            angles[row, :count] = angle_feature(view.headings, view.elevations, 1)
            places[row, :count] = self._places(view, count)
        around = config.stop_sight == "panorama"
        panorama = self._panoramas(views) if self.model.needs_panorama or around else None
        tokens, mask = self._featurizer.actions(
            features,
            angles,
            counts,
            places=places,
            around=None if panorama is None or not around else panorama.mean(axis=1),
        )
        if panorama is None:
            return tokens, mask, None
        return tokens, mask, self._featurizer.panorama(panorama, np.array([view.heading for view in views]))

    def _places(self, view: Observation, count: int) -> ArrayLike:
        """What the map says of the candidates; nothing for an agent that acts on none."""
        if not self.model.config.place_width:
            return 0
        if view.places is None or np.shape(view.places) != (count, 4):
            raise ValueError(f"this agent acts on a map: an observation needs places, {(count, 4)} numbers.")
        return view.places

    def _features(self, view: Observation, count: int) -> NDArray[Any]:
        if view.features is not None:
            features = np.asarray(view.features, dtype=np.float32)
        elif view.images is not None and self.encoder is not None:
            features = self.encoder(np.asarray(view.images, dtype=np.uint8))
        else:
            raise ValueError("an observation needs features, or images and an agent with an encoder.")
        if features.shape != (count, self.model.config.feature_width):
            raise ValueError(f"features must be {(count, self.model.config.feature_width)}, not {features.shape}.")
        return features

    def _panoramas(self, views: list[Observation]) -> NDArray[np.float32]:
        """(B, 36, feature width)"""
        shape = (VIEWS, self.model.config.feature_width)
        if any(view.panorama is None or np.shape(view.panorama) != shape for view in views):
            raise ValueError("this agent needs the panorama's 36 features in each observation.")
        return np.stack([np.asarray(view.panorama, dtype=np.float32) for view in views])

    def _actions(self, step: Output, mask: Tensor) -> list[Action]:
        probabilities, best = step.logits.softmax(dim=1).cpu().numpy(), step.logits.argmax(dim=1).tolist()
        actions = []
        for row, (index, count) in enumerate(zip(best, mask.sum(dim=1).tolist(), strict=True)):
            attention = step.attention and step.attention.of(row, step.text_mask, step.stream_mask)
            actions.append(Action(index, probabilities[row, :count], attention))
        return actions


def _check_numbers(view: Observation) -> None:
    """Raise if an observation holds what is no number, or none that can be computed with."""
    for name in ("headings", "elevations", "features", "heading", "elevation", "panorama", "places"):
        if (value := getattr(view, name)) is None:
            continue
        try:
            largest = np.abs(np.asarray(value, dtype=np.float64)).max(initial=0.0)
        except ValueError:  # rows of several lengths
            raise ValueError(f"{name} must be a table of numbers.") from None
        if not largest < _LARGEST:
            raise ValueError(f"{name} must be numbers below {_LARGEST:,.0f}, not {largest:g}.")
