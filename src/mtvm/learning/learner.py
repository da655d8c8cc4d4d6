"""A model that learns by updates of its weights, whatever it learns from: agents and speakers are learners.

The trainer calls `update` and `validate`, and saves and resumes the state.
"""

from __future__ import annotations

import abc
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import nn

from mtvm.configs.run import OptimizerConfig
from mtvm.learning import parallel, streams
from mtvm.learning.checkpoint import check_kind
from mtvm.learning.ema import EMA
from mtvm.learning.optimizer import check_optimizer, load_optimizer, lr_at, make_optimizer, set_lr
from mtvm.learning.run_folder import Selection

_LARGEST_NORM = 1e5
"""A gradient norm beyond this is taken for an explosion."""

Drawn = TypeVar("Drawn")
"""Which examples an update sees."""
Values = dict[str, float]


class LearnerConfig(Protocol):
    """What a learner must be told."""

    @property
    def optimizer(self) -> OptimizerConfig: ...
    @property
    def seed(self) -> int: ...


class Learner(abc.ABC, Generic[Drawn]):
    """A model with its optimizer and the average of its weights. What an update sees, what its loss is, and how the
    model is validated is up to the kind of learner."""

    selection: Selection
    """By which metric on which split the best weights are chosen; nothing is chosen yet."""
    validate_every: int
    """Updates between validations."""
    fingerprints: Mapping[str, str]
    """Of the data: a run is not resumed with other data."""
    start: str
    """What the weights were before the first update, in a sentence."""

    def __init__(self, config: LearnerConfig, model: nn.Module, loss_weights: nn.ModuleDict | None = None) -> None:
        """`loss_weights` are trained with the model, and are no part of it."""
        self._options, self._seed = config.optimizer, config.seed
        self.model, self.loss_weights = model, nn.ModuleDict() if loss_weights is None else loss_weights
        self.device = next(model.parameters()).device
        self.optimizer = make_optimizer(model, config.optimizer, self.loss_weights)
        self.ema = EMA(model, config.optimizer.ema) if config.optimizer.ema > 0 else None
        self.precision = _precision(config.optimizer, self.device)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.precision == torch.float16)
        self.updates = 0
        self.begin_to_add(())

    # What a kind of learner says

    @abc.abstractmethod
    def draw(self) -> Drawn:
        """Choose what the next update sees, in all processes alike."""

    @abc.abstractmethod
    def learn(self, drawn: Drawn) -> Values:
        """Add the gradients of this process's share; what to record of it, `loss` among it, to be summed over all."""

    @abc.abstractmethod
    def put_back(self, drawn: Drawn) -> tuple[str, list[str]]:
        """Undo `draw` after an update that failed; the split and the ids of the examples."""

    @abc.abstractmethod
    def validate(self) -> Values:
        """The metrics of the model, as it is now, on the validation split: the same in all processes."""

    @abc.abstractmethod
    def save(self, folder: Path, metrics: Values) -> None:
        """Save the model as users will load it."""

    @abc.abstractmethod
    def episodes(self, recorded: Values) -> int:
        """How many episodes were gone through in an update of which this was recorded."""

    def keep_beside(self, folder: Path) -> None:
        """Put what the model needs beside it into the folder of the run, or of the saved model."""

    def status(self, recorded: Values) -> str:
        """The live part of the progress line."""
        return f"loss {recorded['loss']:.2f}"

    def remedy(self, folder: Path) -> str:
        """What to do after a failed update, the state before which is in `folder`."""
        return "Begin anew with another --out and a lower --optimizer.lr."

    # An update

    def update(self) -> Values:
        """Take a step of the optimizer; what to record of it. `DivergedError` if that went wrong."""
        streams.seed_dropout(self._seed, self.updates)
        lr = lr_at(self.updates, self._options)
        set_lr(self.optimizer, lr)
        self.model.train()
        self.loss_weights.train()
        drawn = self.draw()
        recorded = _summed(self.learn(drawn), self.device)
        self._add_gradients()
        self.scaler.unscale_(self.optimizer)
        recorded["gradient_norm"] = _clip(self._trained(), self._options.clip)
        self._check(recorded, drawn)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        if self.ema is not None:
            self.ema.update(self.model)
        self.updates += 1
        return recorded | {"lr": lr}

    def autocast(self) -> torch.autocast:
        """A block that computes in the precision of the run."""
        return torch.autocast(self.device.type, self.precision, enabled=self.precision != torch.float32)

    def backward(self, loss: torch.Tensor) -> None:
        with torch.autocast(self.device.type, enabled=False):
            self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]

    def begin_to_add(self, parameters: Iterable[nn.Parameter]) -> None:
        """Begin to sum gradients over all processes: those of parameters that the rest of `learn` does not reach."""
        self._under_way = list(parameters)
        self._sum = parallel.GradientSum(self._under_way)

    def _add_gradients(self) -> None:
        early = {id(parameter) for parameter in self._under_way}
        late = parallel.GradientSum(parameter for parameter in self._trained() if id(parameter) not in early)
        for one in (self._sum, late):
            one.finish()
        self.begin_to_add(())

    def _trained(self) -> Iterator[nn.Parameter]:
        """The weights of the model and of the losses."""
        return itertools.chain(self.model.parameters(), self.loss_weights.parameters())

    def _check(self, recorded: Values, drawn: Drawn) -> None:
        """Raise if the loss is not a number or the gradient has exploded."""
        loss, norm = recorded["loss"], recorded["gradient_norm"]
        tame = norm < _LARGEST_NORM or self.scaler.is_enabled()  # which skips updates until its scale fits
        if not (math.isfinite(loss) and tame):
            raise DivergedError(*self.put_back(drawn), loss, norm)

    # The state

    def state_dict(self) -> dict[str, Any]:
        """All that the updates to come depend on, beside data and config."""
        losses = {"losses": self.loss_weights.state_dict()} if len(self.loss_weights) else {}
        return losses | {
            "update": self.updates,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "ema": None if self.ema is None else self.ema.state_dict(),
        }

    def check_state(self, state: Mapping[str, Any]) -> None:
        """Raise a ValueError unless a state fits this learner."""
        for name, ours in Learner.state_dict(self).items():
            if name != "optimizer":
                check_kind(state[name], ours, name)
        check_optimizer(state["optimizer"], self.optimizer)
        if state["update"] > self._options.updates:
            raise ValueError(f"update is {state['update']}")

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that was checked."""
        self.updates = state["update"]
        self.model.load_state_dict(state["model"])
        if len(self.loss_weights):
            self.loss_weights.load_state_dict(state["losses"])
        load_optimizer(self.optimizer, state["optimizer"])
        self.scaler.load_state_dict(state["scaler"])
        if self.ema is not None:
            self.ema.load_state_dict(state["ema"])


class DivergedError(Exception):
    """The loss is no longer a number, or the gradient has exploded."""

    def __init__(self, split: str, episodes: list[str], loss: float, norm: float) -> None:
        super().__init__(f"a loss of {loss:.4g} and a gradient norm of {norm:.4g}")
        self.split, self.episodes, self.loss, self.norm = split, episodes, loss, norm


def _summed(recorded: Values, device: torch.device) -> Values:
    """Over all processes, which record the same names."""
    names = sorted(recorded)
    values = torch.tensor([recorded[name] for name in names], dtype=torch.float64, device=device)
    return dict(zip(names, parallel.total(values).tolist(), strict=True))


def _clip(parameters: Iterable[nn.Parameter], largest: float) -> float:
    """Clip the gradients to a norm, 0 for none; the norm that they had."""
    reached = [parameter for parameter in parameters if parameter.grad is not None]
    return float(nn.utils.clip_grad_norm_(reached, largest or math.inf))


def _precision(options: OptimizerConfig, device: torch.device) -> torch.dtype:
    named = options.precision
    if named == "auto":
        named = "bf16" if device.type == "cuda" else "float32"
    return {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[named]
