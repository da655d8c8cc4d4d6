"""The training loop: updates, validations, checkpoints."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mtvm import products
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS, RECIPES
from mtvm.configs.recipe import RecipeConfig
from mtvm.configs.run import TrainConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.io.files import write_json
from mtvm.learning import checkpoint, parallel
from mtvm.learning.interruption import interruption
from mtvm.learning.learner import DivergedError, Learner
from mtvm.learning.record import Record
from mtvm.learning.run_folder import CONFIG, TENSORBOARD, RunFolder, Selection, refuse_changes
from mtvm.learning.speaker import SpeakerLearner
from mtvm.learning.update import AgentLearner
from mtvm.machine import choose_device
from mtvm.models.config import ModelConfig
from mtvm.models.network import check_fits
from mtvm.progress import progress


@dataclasses.dataclass(frozen=True)
class TrainResult:
    """How a call of `train` ended."""

    folder: RunFolder
    finished: bool
    """False if it was interrupted: the same call goes on."""
    update: int
    seconds: float
    selection: Selection


def train(
    config: TrainConfig | SpeakerConfig | RecipeConfig | Path | str,
    show_progress: bool = True,
    announce: Callable[[str], None] = lambda text: None,
    *,
    data: DataConfig | Path | str | None = None,
    out: Path | str | None = None,
) -> TrainResult:
    """Train to the end or until interrupted; a run that is in the folder `out` already is resumed.

    `config` may be a preset's name, or the folder of a run, which is resumed; a recipe goes through all its stages.
    `data`, a folder or a `DataConfig` that also says what the agent sees, and `out` replace the config's own. The best
    agent is then in `out / "best"`; `mtvm.evaluate(out)` evaluates it. `announce` is called with a sentence on what the
    run starts from.
    """
    config = _config_of(config)
    if data is not None:
        reads = data if isinstance(data, DataConfig) else dataclasses.replace(config.data, folder=Path(data))
        config = dataclasses.replace(config, data=reads)
    if out is not None:
        config = dataclasses.replace(config, out=Path(out))
    if isinstance(config, RecipeConfig):
        from mtvm.learning.recipe import train_recipe

        return train_recipe(config, show_progress, announce)
    folder = RunFolder(config.out)
    parallel.start(choose_device(config.device))
    with folder.lock() if parallel.rank() == 0 else contextlib.nullcontext():
        trainer = Trainer(config, show_progress)
        if parallel.rank() == 0:
            announce(trainer.start)
        finished = trainer.run()
        return TrainResult(folder, finished, trainer.learner.updates, trainer.seconds, trainer.selection)


def _config_of(
    given: TrainConfig | SpeakerConfig | RecipeConfig | Path | str,
) -> TrainConfig | SpeakerConfig | RecipeConfig:
    """What a preset's name or the folder of a run stands for."""
    if isinstance(given, TrainConfig | SpeakerConfig | RecipeConfig):
        return given
    presets = PRESETS | RECIPES
    if isinstance(given, str) and given in presets:
        return presets[given]
    if not Path(given).is_dir():
        raise InputError(f"'{given}' is neither a preset ({', '.join(presets)}) nor the folder of a run.")
    return RunFolder(Path(given)).resumed_config()


def make_learner(config: TrainConfig | SpeakerConfig, device: torch.device, show_progress: bool) -> Learner[Any]:
    """The agent or the speaker that a config describes, before its first update."""
    if isinstance(config, SpeakerConfig):
        return SpeakerLearner.of(config, device, show_progress)
    return AgentLearner.of(config, device, show_progress)


class Trainer:
    """A run in its folder. `run` goes on until it is done, interrupted or diverged."""

    def __init__(self, config: TrainConfig | SpeakerConfig, show_progress: bool = True) -> None:
        self.config, self.show_progress = config, show_progress
        self.folder = RunFolder(config.out)
        device = choose_device(config.device)
        parallel.start(device)
        self.folder.check(config)
        self.products = self._choose_products(device)
        products.use(self.products.kind)
        self.learner = make_learner(config, torch.device(device), show_progress)
        self.selection = self.learner.selection
        self.validated = 0
        """The update after which the last validation was."""
        self.unwritten: list[dict[str, float]] = []
        """What is not in the record yet."""
        self.seconds = 0.0
        self._resume()

    @property
    def start(self) -> str:
        """What the run starts from, in a sentence."""
        if self.learner.updates:
            begun = f"Resuming after update {self.learner.updates} of {self.config.optimizer.updates}."
        else:
            begun = self.learner.start
        return f"{begun} {self.products.reason}".rstrip()

    @property
    def model(self) -> torch.nn.Module:
        return self.learner.model

    def run(self) -> bool:
        """Train to the end; false if it was interrupted."""
        config, learner, total = self.config, self.learner, self.config.optimizer.updates
        first = parallel.rank() == 0
        tensorboard = config.out / TENSORBOARD if config.tensorboard else None
        record = Record(config.out, learner.updates, tensorboard) if first else None
        if first:
            learner.keep_beside(self.folder.path)
            if self.folder.best.is_dir():
                learner.keep_beside(self.folder.best)
        saved = began = time.monotonic()
        trained = self.seconds
        title, already = f"Training {config.out.name}", learner.updates
        with (
            interruption() as interrupted,
            progress(total, title, "updates", first and self.show_progress, already=already) as advance,
        ):
            if self._validation_is_due():  # the run was interrupted just before it
                self._validate(record)
            while learner.updates < total and not self.selection.out_of_patience:
                started = time.monotonic()
                recorded = self._update()
                self.seconds = trained + time.monotonic() - began
                self.unwritten.append(recorded | {"seconds": time.monotonic() - started})
                advance(1, self._status(recorded))
                if learner.updates % config.log_every == 0 or learner.updates == total:
                    self._write(record)
                stop = parallel.any_of(bool(interrupted))
                if not stop and self._validation_is_due():
                    self._validate(record)
                    saved = -math.inf
                if stop or time.monotonic() - saved > 60 * config.save_minutes:
                    self._save()
                    saved = time.monotonic()
                if stop:
                    break
            else:
                self._save()
        parallel.wait()
        done = learner.updates >= total and not self._validation_is_due()
        return done or self.selection.out_of_patience

    def _update(self) -> dict[str, float]:
        try:
            return self.learner.update()
        except DivergedError as error:
            raise self._report(error) from None

    def _write(self, record: Record | None) -> None:
        """Write the means over the updates since the last line; alternating rollouts each over their own."""
        if record is not None:
            lines = self.unwritten
            names = sorted({name for line in lines for name in line})
            means = {name: float(np.mean([line[name] for line in lines if name in line])) for name in names}
            episodes = float(np.mean([self.learner.episodes(line) for line in lines]))
            speed = episodes / max(means["seconds"], 1e-9)
            times = {"episodes_per_second": speed, "trained_seconds": self.seconds}
            record.write("train", self.learner.updates, means | times)
        self.unwritten.clear()

    def _status(self, recorded: dict[str, float]) -> str:
        """The live part of the progress line."""
        status, best = self.learner.status(recorded), self.selection
        return status if best.best is None else f"{status}, best {best.metric} {best.formatted}"

    # Validation

    def _validation_is_due(self) -> bool:
        update, every, total = self.learner.updates, self.learner.validate_every, self.config.optimizer.updates
        return update > self.validated and (update % every == 0 or update == total)

    def _validate(self, record: Record | None) -> None:
        """Evaluate on the validation split, and keep the weights if they are the best so far."""
        learner = self.learner
        with contextlib.nullcontext() if learner.ema is None else learner.ema.in_place(learner.model):
            metrics = learner.validate()
            if self.selection.consider(learner.updates, metrics) and parallel.rank() == 0:
                learner.save(self.folder.best, metrics)
                learner.keep_beside(self.folder.best)
        self.validated = learner.updates
        if record is not None:
            record.write(self.selection.split, learner.updates, metrics)

    def _choose_products(self, device: str) -> products.Choice:
        """How to multiply: as the run began, unless the config names a way; the same in all processes."""
        config = self.config
        wanted, kept = config.optimizer.products, None
        model = config.model if isinstance(config, SpeakerConfig) else config.network
        if wanted == "auto" and self.folder.checkpoint.is_file():
            kept = self.folder.kept_products
            if kept is None:
                return products.Choice("mkl", "")
        if isinstance(model, ModelConfig):
            check_fits(model)
        inner = model.intermediate if isinstance(model, ModelConfig) else 4 * model.hidden
        choice = products.choose(kept or wanted, hidden=model.hidden, intermediate=inner, device=device)
        if kept is not None:
            choice = products.Choice(choice.kind, f"Products by {kept}, as the run began.")
        if len(set(parallel.gather(choice.kind))) > 1:
            choice = products.Choice("mkl", "Products by MKL: the machines differ in what is faster.")
        return choice

    # Checkpoints

    def state(self) -> dict[str, Any]:
        """All that the run needs to go on as if it had never stopped."""
        return self.learner.state_dict() | {"config": self.config.to_dict()} | self._progress()

    def _progress(self) -> dict[str, Any]:
        """How far the run is."""
        return {
            "random": torch.get_rng_state(),
            "selection": self.selection.state(),
            "validated": self.validated,
            "unwritten": list(self.unwritten),
            "seconds": self.seconds,
            "data": dict(self.learner.fingerprints),
        }

    def _save(self) -> None:
        if parallel.rank() == 0:
            checkpoint.save(self.folder.checkpoint, self.state(), self.folder.before)

    def _resume(self) -> None:
        """Go on from the checkpoint, or begin."""
        path = self.folder.checkpoint
        if not path.is_file():
            if parallel.rank() == 0:
                self.folder.write_config(self.config)
                if self.products.reason:
                    write_json(self.folder.products, dataclasses.asdict(self.products), indent=1)
            return
        state = checkpoint.load(path, self.folder.before)
        with checkpoint.resuming(path):
            self._check(state, path)
            self.learner.load_state_dict(state)
            torch.set_rng_state(state["random"])
            self.selection = self.selection.resumed(state["selection"])
            self.validated, self.seconds = state["validated"], float(state["seconds"])
            self.unwritten = [{str(name): float(value) for name, value in line.items()} for line in state["unwritten"]]

    def _check(self, state: dict[str, Any], path: Path) -> None:
        """Raise if the data or the config is another than that of the checkpoint, or if anything in it does not fit."""
        checkpoint.refuse_other_data(path, state["data"], self.learner.fingerprints)
        what, where = f"{CONFIG} is not the config that this run began with", "in the checkpoint"
        before = self.config.as_today(state["config"])
        refuse_changes(before, self.config, path, what, where, "restore it, or begin a new run")
        for name, ours in self._progress().items():
            if name != "data":
                checkpoint.check_kind(state[name], ours, name)
        self.learner.check_state(state)
        if state["validated"] > state["update"]:
            raise ValueError(f"validated is {state['validated']}")
        if not all("seconds" in line for line in state["unwritten"]):
            raise ValueError("unwritten lines do not say how long they took")

    def _report(self, error: DivergedError) -> InputError:
        """Save the state before a failed update with the episodes that spoiled it; what to tell the user."""
        update = self.learner.updates
        folder = RunFolder(self.config.out / f"diverged-{update}")
        if parallel.rank() == 0:
            checkpoint.save(folder.checkpoint, self.state())
            report = {"update": update, "split": error.split, "loss": str(error.loss), "gradient_norm": str(error.norm)}
            write_json(folder.path / "episodes.json", report | {"episodes": error.episodes}, indent=1)
        parallel.wait()  # a launcher ends all processes when one has failed
        return InputError(
            f"{self.config.out}: update {update} gave {error} on episodes {', '.join(error.episodes[:4])}, ...; the "
            f"state before it is in {folder.path}, and nothing else was changed. {self.learner.remedy(folder.path)}"
        )
