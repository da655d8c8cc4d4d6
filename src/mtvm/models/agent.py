"""An agent that others can hold: instructions in, views in, actions out, with no simulator in sight.

    agent = Agent.from_pretrained("runs/r2r")
    agent.start("Walk past the sofa and stop at the stairs.")
    while not (action := agent.act(look_around())).stop:
        walk_to(action.candidate)

A batch is the same with lists. The robot brings its own views: features, or images if the agent has an encoder.
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

from mtvm import __version__
from mtvm.errors import InputError
from mtvm.files import atomic_path, write_text
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Attention
from mtvm.models.language import Text
from mtvm.models.model import MTVM, Step
from mtvm.models.text import Truncation, tokenize
from mtvm.models.weights import _read_file
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, angle_feature

ImageEncoder = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""(B, H, W, 3) RGB images to (B, feature width)."""


@dataclasses.dataclass(frozen=True)
class Observation:
    """What one agent sees: a view in the direction of each place that it can walk to."""

    headings: ArrayLike
    """(K,) direction of each candidate relative to where the agent faces, clockwise, in radians."""
    elevations: ArrayLike
    """(K,) upwards, in radians."""
    features: ArrayLike | None = None
    """(K, feature width) image feature of the view in that direction."""
    images: ArrayLike | None = None
    """(K, H, W, 3) RGB instead of features, if the agent has an encoder."""
    heading: float = 0.0
    """Where the agent faces, in any fixed frame."""
    elevation: float = 0.0
    panorama: ArrayLike | None = None
    """(36, feature width) all views, in the order of `mtvm.world.views`; only a hierarchical history needs them."""


@dataclasses.dataclass(frozen=True)
class Action:
    """Where to go, or to stop."""

    index: int
    """The action among the agent's: its candidates in the order in which they were given, then STOP."""
    probabilities: NDArray[np.float32]
    """(K + 1,) of the candidates, then of stopping."""
    attention: Attention | None = None
    """(layers, heads, tokens, words or tokens) of this agent, if asked for; tokens are memory, candidates, STOP."""

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
    """A model with its episodes. Greedy; it remembers a step when the next observation says where it led."""

    def __init__(self, model: MTVM, encoder: ImageEncoder | None = None) -> None:
        self.model = model.eval()
        self.encoder = encoder
        self.ended = np.zeros(0, dtype=bool)
        self._single = True
        self._waiting: tuple[Step, Tensor, Tensor | None] | None = None

    @classmethod
    def from_pretrained(cls, path: Path | str, device: str = "auto", encoder: ImageEncoder | None = None) -> Agent:
        """The agent saved in a folder."""
        folder = Path(path)
        if not (folder / "config.json").is_file():
            raise InputError(
                f"{folder}: no agent here (config.json is missing); give a folder that an agent was saved to."
            )
        model = MTVM(ModelConfig.load(folder / "config.json"))
        load_weights(model, folder / "model.safetensors")
        name = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        try:
            model = model.to(name)
        except (RuntimeError, AssertionError):
            raise InputError(f"device '{device}' is not there; give cpu or auto.") from None
        return cls(model, encoder)

    def save_pretrained(self, path: Path | str, metrics: dict[str, float] | None = None) -> None:
        """Save config, weights and a model card."""
        from safetensors import SafetensorError
        from safetensors.torch import save_file

        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot write there ({error.strerror}).") from None
        tensors = {name: value.contiguous() for name, value in self.model.state_dict().items()}
        with atomic_path(folder / "model.safetensors") as fresh:
            try:
                save_file(tensors, fresh)
            except SafetensorError as error:
                raise InputError(
                    f"{folder}: the weights could not be written ({error}); is the disk full? What was there is kept."
                ) from None
        self.model.config.save(folder / "config.json")
        write_text(folder / "README.md", model_card(self.model, metrics))

    def start(self, instructions: str | Sequence[str], truncation: Truncation = "end") -> None:
        """Begin: one instruction for one agent, or a list for a batch."""
        self._single = isinstance(instructions, str)
        texts = [instructions] if isinstance(instructions, str) else list(instructions)
        if not texts:
            raise ValueError("at least one instruction is needed.")
        config = self.model.config
        tokens = tokenize(texts, config.max_text, leading_cls=config.leading_cls, truncation=truncation)
        with torch.no_grad():
            self._text: Text = self.model.encode(tokens.to(self.model.device))
            self._past = self.model.start(self._text)
        self._running = np.arange(len(texts))
        self.ended = np.zeros(len(texts), dtype=bool)
        self._waiting = None

    @torch.no_grad()
    def act(
        self, observation: Observation | Sequence[Observation | None], need_attention: bool = False
    ) -> Action | list[Action | None]:
        """The next action of the agent, or of each agent of the batch (None for those that have stopped)."""
        if not len(self.ended):
            raise ValueError("no instruction was given yet: call start first.")
        given = [observation] if isinstance(observation, Observation) else list(observation)
        if len(given) != len(self.ended):
            raise ValueError(f"{len(self.ended)} instructions were given, but {len(given)} observations.")
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
            need_rest=self.model.history.needs_rest,
            need_attention=need_attention,
        )
        chosen = step.logits.argmax(dim=1)
        stop = mask.sum(dim=1) - 1
        actions = self._actions(step, chosen, stop)
        self._finish(step, chosen, chosen != stop, panorama)
        results: list[Action | None] = [None] * len(given)
        for (row, _), action in zip(seen, actions, strict=True):
            results[row] = action
        if self._single:
            assert actions
            return actions[0]
        return results

    def _remember(self, views: list[Observation]) -> None:
        """Take in the step before, now that the agents' new headings are known."""
        if self._waiting is None:
            return
        step, chosen, panorama = self._waiting
        direction = torch.from_numpy(
            angle_feature([view.heading for view in views], [view.elevation for view in views], self._repeats)
        )
        self._past = self.model.remember(self._past, step, chosen, direction.to(self.model.device), panorama)
        self._waiting = None

    def _finish(self, step: Step, chosen: Tensor, going: Tensor, panorama: Tensor | None) -> None:
        """Let the agents that stopped leave the batch."""
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
        return self.model.config.angle_width // 4

    def _tokens(self, views: list[Observation]) -> tuple[Tensor, Tensor, Tensor | None]:
        config = self.model.config
        counts = [len(np.atleast_1d(np.asarray(view.headings))) for view in views]
        tokens = np.zeros((len(views), max(counts) + 1, config.token_width), dtype=np.float32)  # STOP is all zeros
        for row, view in enumerate(views):
            tokens[row, : counts[row], : config.feature_width] = self._features(view, counts[row])
            tokens[row, : counts[row], config.feature_width :] = angle_feature(
                view.headings, view.elevations, self._repeats
            )
        panorama = self._panoramas(views) if self.model.history.needs_panorama else None
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
            raise ValueError("this agent's history needs the panorama's 36 features in each observation.")
        features = np.stack([np.asarray(view.panorama, dtype=np.float32) for view in views])
        facing = np.array([view.heading for view in views])[:, None]
        angles = angle_feature(
            VIEW_HEADING[None] - facing, np.broadcast_to(VIEW_ELEVATION, (len(views), 36)), self._repeats
        )
        return torch.from_numpy(np.concatenate([features, angles], axis=-1)).to(self.model.device)

    def _actions(self, step: Step, chosen: Tensor, stop: Tensor) -> list[Action]:
        probabilities = step.logits.softmax(dim=1).cpu().numpy()
        actions = []
        for row, (index, last) in enumerate(zip(chosen.tolist(), stop.tolist(), strict=True)):
            attention = None
            if step.attention is not None:
                words, stream = step.text_mask[row], step.stream_mask[row]
                over_words, over_stream = step.attention.over_words[:, row], step.attention.over_stream[:, row]
                attention = Attention(over_words[:, :, stream][..., words], over_stream[:, :, stream][..., stream])
            actions.append(Action(index, probabilities[row, : last + 1], attention))
        return actions


def load_weights(model: MTVM, path: Path) -> None:
    """Fill a model with weights that `save_pretrained` wrote; everything must fit."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file (weights).")
    fill(model, _read_file(path), path)


def fill(model: MTVM, tensors: dict[str, Tensor], path: Path) -> None:
    """Give a model tensors under our own names, which `path` held; everything must fit."""
    expected = model.state_dict()
    wrong = sorted(set(tensors) ^ set(expected)) or [n for n in expected if tensors[n].shape != expected[n].shape]
    if wrong:
        raise InputError(f"{path}: does not fit the model's config (first at {wrong[0]}); choose its own sizes.")
    model.load_state_dict(tensors)


def model_card(model: MTVM, metrics: dict[str, float] | None) -> str:
    """The README of a saved agent."""
    parameters = sum(parameter.numel() for parameter in model.parameters())
    lines = [
        "# An mtvm agent",
        "",
        f"Saved by mtvm {__version__}. {parameters / 1e6:.1f} M parameters.",
        "",
        "## Metrics",
        "",
    ]
    if metrics:
        lines += ["| metric | value |", "|---|---|", *(f"| {name} | {value:.2f} |" for name, value in metrics.items())]
    else:
        lines += ["None were given when it was saved."]
    lines += ["", "## Config", "", "| option | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in dataclasses.asdict(model.config).items()]
    lines += [
        "",
        "## Use",
        "",
        "```python",
        "from mtvm.models.agent import Agent",
        "",
        'agent = Agent.from_pretrained(".")',
    ]
    return "\n".join([*lines, "```", ""])
