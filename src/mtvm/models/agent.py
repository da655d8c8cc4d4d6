"""A trained model as an agent, without a simulator: instructions and views in, actions out.

    agent = Agent.from_pretrained("runs/r2r/best")
    agent.start("Walk past the sofa and stop at the stairs.")
    while not (action := agent.act(look_around())).stop:
        walk_to(action.candidate)

A batch is the same with lists. Views are features, or images if the agent has an encoder. To let somebody else decide,
`think` instead of `act`, then say with `take` what was done.
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

from mtvm.models.crossmodal import Attention
from mtvm.models.language import Text
from mtvm.models.network import Network, Step
from mtvm.models.pretrained import agent_folder
from mtvm.models.saving import load_model, save_model
from mtvm.models.text import Truncation, tokenize
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, angle_feature

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

    def __init__(self, model: Network, encoder: ImageEncoder | None = None) -> None:
        self.model = model.eval()
        self.encoder = encoder
        self.ended = np.zeros(0, dtype=bool)
        self._single = True
        self._waiting: tuple[Step, Tensor, Tensor | None] | None = None
        self._thought: tuple[Step, Tensor, Tensor | None] | None = None

    @classmethod
    def from_pretrained(cls, path: Path | str, device: str = "auto", encoder: ImageEncoder | None = None) -> Agent:
        """The agent saved in a folder, or one that comes with the package: "homes"."""
        return cls(load_model(agent_folder(path), device), encoder)

    def save_pretrained(self, path: Path | str, metrics: dict[str, float] | None = None) -> None:
        """Save config, weights and a model card."""
        save_model(self.model, path, metrics)

    def start(self, instructions: str | Sequence[str], truncation: Truncation = "end") -> None:
        """Begin new episodes: one instruction for one agent, or a list for a batch."""
        self._single = isinstance(instructions, str)
        texts = [instructions] if isinstance(instructions, str) else list(instructions)
        if not texts:
            raise ValueError("at least one instruction is needed.")
        config = self.model.config
        tokens = tokenize(texts, config.text_length, leading_cls=config.leading_cls, truncation=truncation)
        with torch.no_grad():
            self._text: Text = self.model.encode(tokens.to(self.model.device))
        self._running = np.arange(len(texts))
        self.ended = np.zeros(len(texts), dtype=bool)
        self._waiting = self._thought = None

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
        tokens, mask, panorama = self._tokens(views)
        self._remember(views)
        step = self.model.step(
            self._text,
            self._past,
            tokens,
            mask,
            need_rest=self.model.needs_rest,
            need_attention=need_attention,
        )
        chosen = step.logits.argmax(dim=1)
        stop = mask.sum(dim=1) - 1
        actions = self._actions(step, chosen, stop)
        self._thought = step, stop, panorama
        results: list[Action | None] = [None] * len(given)
        for (row, _), action in zip(seen, actions, strict=True):
            results[row] = action
        return actions[0] if self._single else results

    @torch.no_grad()
    def take(self, actions: int | Sequence[int] | None = None) -> None:
        """Say what was done: an action for each agent that had not stopped, by default what it thought best."""
        if self._thought is None:
            raise ValueError("there is nothing to take yet: call think first.")
        step, stop, panorama = self._thought
        chosen = step.logits.argmax(dim=1)
        if actions is not None:
            chosen = torch.tensor([actions] if isinstance(actions, int) else list(actions), device=stop.device)
            if chosen.shape != stop.shape or bool(((chosen < 0) | (chosen > stop)).any()):
                raise ValueError(f"there must be {len(stop)} actions, each from 0 to {stop.tolist()} (STOP).")
        self._thought = None
        self._finish(step, chosen, chosen != stop, panorama)

    def _remember(self, views: list[Observation]) -> None:
        """Begin the history, or add the last step to it, now that the agents' headings are known."""
        angles = angle_feature([view.heading for view in views], [view.elevation for view in views], self._repeats)
        direction = torch.from_numpy(self._padded(angles)).to(self.model.device)
        if self._waiting is None:
            self._past = self.model.start(self._text, direction)
            return
        step, chosen, panorama = self._waiting
        self._past = self.model.remember(self._past, step, chosen, direction, panorama)
        self._waiting = None

    def _finish(self, step: Step, chosen: Tensor, going: Tensor, panorama: Tensor | None) -> None:
        """Take the agents that stopped out of the batch."""
        self.ended[self._running[(~going).cpu().numpy()]] = True
        if bool(going.all()):
            self._waiting = step, chosen, panorama
            return
        rows = torch.nonzero(going)[:, 0]
        self._running = self._running[going.cpu().numpy()]
        self._text, self._past = self._text.keep(rows), self._past.keep(rows)
        length = self._text.states.shape[1]
        kept = step.select(lambda batch: batch[rows])
        kept = dataclasses.replace(kept, text=kept.text[:, :length], text_mask=kept.text_mask[:, :length])
        self._waiting = kept, chosen[rows], None if panorama is None else panorama[rows]

    @property
    def _repeats(self) -> int:
        return (self.model.config.angle_width - self.model.config.place_width) // 4

    def _padded(self, angles: NDArray[np.float32]) -> NDArray[np.float32]:
        """Directions where there is no place to speak of."""
        return np.pad(angles, [(0, 0)] * (angles.ndim - 1) + [(0, self.model.config.place_width)])

    def _with_places(self, angles: NDArray[np.float32], places: ArrayLike | None) -> NDArray[np.float32]:
        """Directions, followed by what the map says of the candidates."""
        width = self.model.config.place_width
        if not width:
            return angles
        if places is None or np.shape(places) != (len(angles), 4):
            raise ValueError(f"this agent acts on a map: an observation needs places, {(len(angles), 4)} numbers.")
        return np.concatenate([angles, np.tile(np.asarray(places, dtype=np.float32), width // 4)], axis=1)

    def _tokens(self, views: list[Observation]) -> tuple[Tensor, Tensor, Tensor | None]:
        config = self.model.config
        counts = [len(np.atleast_1d(np.asarray(view.headings))) for view in views]
        tokens = np.zeros((len(views), max(counts) + 1, config.token_width), dtype=np.float32)
        for row, view in enumerate(views):
            tokens[row, : counts[row], : config.feature_width] = self._features(view, counts[row])
            turned = angle_feature(view.headings, view.elevations, self._repeats)
            tokens[row, : counts[row], config.feature_width :] = self._with_places(turned, view.places)
        around = config.stop_sight == "panorama"
        panorama = self._panoramas(views) if self.model.needs_panorama or around else None
        if panorama is not None and around:
            means = panorama[..., : config.feature_width].mean(dim=1).cpu().numpy()
            tokens[np.arange(len(views)), counts, : config.feature_width] = means
        device = self.model.device
        mask = np.arange(tokens.shape[1]) <= np.array(counts)[:, None]
        return torch.from_numpy(tokens).to(device), torch.from_numpy(mask).to(device), panorama

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

    def _panoramas(self, views: list[Observation]) -> Tensor:
        shape = (36, self.model.config.feature_width)
        if any(view.panorama is None or np.shape(view.panorama) != shape for view in views):
            raise ValueError("this agent needs the panorama's 36 features in each observation.")
        features = np.stack([np.asarray(view.panorama, dtype=np.float32) for view in views])
        facing = np.array([view.heading for view in views])[:, None]
        angles = angle_feature(
            VIEW_HEADING[None] - facing, np.broadcast_to(VIEW_ELEVATION, (len(views), 36)), self._repeats
        )
        return torch.from_numpy(np.concatenate([features, self._padded(angles)], axis=-1)).to(self.model.device)

    def _actions(self, step: Step, chosen: Tensor, stop: Tensor) -> list[Action]:
        probabilities = step.logits.softmax(dim=1).cpu().numpy()
        actions = []
        for row, (index, last) in enumerate(zip(chosen.tolist(), stop.tolist(), strict=True)):
            attention = step.attention and step.attention.of(row, step.text_mask, step.stream_mask)
            actions.append(Action(index, probabilities[row, : last + 1], attention))
        return actions
