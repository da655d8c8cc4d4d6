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

from mtvm.configs.run import DataConfig, Split, TrainConfig
from mtvm.errors import InputError
from mtvm.io.files import copy_file, write_json
from mtvm.learning import checkpoint, parallel
from mtvm.learning.agents import walk
from mtvm.learning.data import Data, fingerprints
from mtvm.learning.initial_weights import make_model
from mtvm.learning.interruption import interruption
from mtvm.learning.optimizer import check_optimizer
from mtvm.learning.record import Record
from mtvm.learning.run_folder import CONFIG, GUESSER, TENSORBOARD, RunFolder, Selection, refuse_changes, with_guesser_of
from mtvm.learning.texts import Texts
from mtvm.learning.update import ROLLOUTS, DivergedError, Learner
from mtvm.machine import choose_device, keep_few_onednn_primitives
from mtvm.models.saving import save_model
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
    config: TrainConfig, show_progress: bool = True, announce: Callable[[str], None] = lambda text: None
) -> TrainResult:
    """Train to the end or until interrupted; a run that is in `config.out` already is resumed.

    The best agent is then in `config.out / "best"`; `mtvm.evaluate(config.out)` evaluates it. `announce` is called with
    a sentence on what the run starts from.
    """
    folder = RunFolder(config.out)
    parallel.start(choose_device(config.device))
    with folder.lock() if parallel.rank() == 0 else contextlib.nullcontext():
        trainer = Trainer(config, show_progress)
        if parallel.rank() == 0:
            announce(trainer.start)
        finished = trainer.run()
        return TrainResult(folder, finished, trainer.learner.updates, trainer.seconds, trainer.selection)


class Trainer:
    """A run in its folder. `run` goes on until it is done, interrupted or diverged."""

    def __init__(self, config: TrainConfig, show_progress: bool = True, data: Data | None = None) -> None:
        self.config, self.show_progress = config, show_progress
        self.folder = RunFolder(config.out)
        keep_few_onednn_primitives()
        parallel.start(choose_device(config.device))
        device = torch.device(choose_device(config.device))
        if config.batch < parallel.size() * config.optimizer.accumulate:
            raise InputError(
                f"batch {config.batch} cannot be shared by {parallel.size()} processes in "
                f"{config.optimizer.accumulate} parts; set --batch higher."
            )
        self.folder.check(config)
        self.data = data or Data(_data_of(config), config.network, device, show_progress)
        self.guesser = self.data.guesser
        datasets = [self.data.dataset_with_goals(Split.parse(text), "learn from") for text in config.data.train]
        split = Split.parse(config.selection.split)
        self.validation = self.data.dataset_with_goals(split, "validate on").first(config.selection.limit)
        model, self.first_weights = make_model(config, self.data.network)
        self.learner = Learner(config, model.to(device), datasets, show_progress)
        self.validation_texts = Texts(model, self.validation.tokens, self.validation.name, show_progress)
        self.selection = Selection.of(config.selection)
        self.validated = 0
        """The update after which the last validation was."""
        self.unwritten: list[dict[str, float]] = []
        """What is not in the record yet."""
        self.seconds = 0.0
        self._fingerprints = fingerprints(
            self.data.store, {one.name: one.episodes for one in (*datasets, self.validation)}
        )
        self._resume()

    @property
    def start(self) -> str:
        """What the run starts from, in a sentence."""
        if self.learner.updates:
            return f"Resuming after update {self.learner.updates} of {self.config.optimizer.updates}."
        return f"Weights to start from: {self.first_weights}."

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
            self._keep_guesser(self.folder.path)
            if self.folder.best.is_dir():
                self._keep_guesser(self.folder.best)
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
            rollouts = float(np.mean([sum(f"{policy}_steps" in line for policy in ROLLOUTS) for line in lines]))
            speed = rollouts * self.config.batch / max(means["seconds"], 1e-9)
            times = {"episodes_per_second": speed, "trained_seconds": self.seconds}
            record.write("train", self.learner.updates, means | times)
        self.unwritten.clear()

    def _status(self, recorded: dict[str, float]) -> str:
        """The live part of the progress line."""
        status = f"loss {recorded['loss']:.2f}"
        for policy in ("sample", "student"):
            if f"{policy}_success" in recorded:
                status += f", success {recorded[f'{policy}_success']:.0f}%"
        best = self.selection.best
        return status if best is None else f"{status}, best {self.selection.metric} {best:.1f}"

    # Validation

    def _validation_is_due(self) -> bool:
        update, every, total = self.learner.updates, self.config.selection.every, self.config.optimizer.updates
        return update > self.validated and (update % every == 0 or update == total)

    def _validate(self, record: Record | None) -> None:
        """Evaluate on the validation split, and keep the weights if they are the best so far."""
        learner = self.learner
        with contextlib.nullcontext() if learner.ema is None else learner.ema.in_place(learner.model):
            metrics = walk(learner.model, self.validation, texts=self.validation_texts, show_progress=False).metrics()
            if self.selection.consider(learner.updates, metrics) and parallel.rank() == 0:
                save_model(learner.model, self.folder.best, metrics)
                self._keep_guesser(self.folder.best)
        self.validated = learner.updates
        if record is not None:
            record.write(self.validation.name, learner.updates, metrics)

    def _keep_guesser(self, folder: Path) -> None:
        """Let the networks that guess names be beside what needs them."""
        kept = folder / GUESSER
        if self.guesser is not None and not (kept.is_file() and kept.read_bytes() == self.guesser.read_bytes()):
            copy_file(self.guesser, kept)

    # Checkpoints

    def state(self) -> dict[str, Any]:
        """All that the run needs to go on as if it had never stopped."""
        return self.learner.state_dict() | {
            "config": self.config.to_dict(),
            "random": torch.get_rng_state(),
            "selection": self.selection.state(),
            "validated": self.validated,
            "unwritten": list(self.unwritten),
            "seconds": self.seconds,
            "data": self._fingerprints,
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
            return
        state = checkpoint.load(path, self.folder.before)
        with checkpoint.going_on_from(path):
            self._check_unchanged(state, path)
            self._go_on_from(state)

    def _check_unchanged(self, state: dict[str, Any], path: Path) -> None:
        """Raise if the data or the config is another than that of the checkpoint."""
        checkpoint.refuse_other_data(path, state["data"], self._fingerprints)
        what, where = f"{CONFIG} is not the config that this run began with", "in the checkpoint"
        refuse_changes(state["config"], self.config, path, what, where, "restore it, or begin a new run")

    def _go_on_from(self, state: dict[str, Any]) -> None:
        for name, ours in self.state().items():
            if name not in ("config", "data", "optimizer"):
                checkpoint.check_kind(state[name], ours, name)
        check_optimizer(state["optimizer"], self.learner.optimizer)
        update = state["update"]
        if not (sum(state["batches"]) == update <= self.config.optimizer.updates and state["validated"] <= update):
            raise ValueError(f"update is {update}, validated {state['validated']}, batches are {state['batches']}")
        if not all("seconds" in line for line in state["unwritten"]):
            raise ValueError("unwritten lines do not say how long they took")
        self.learner.load_state_dict(state)
        torch.set_rng_state(state["random"])
        self.selection = self.selection.resumed(state["selection"])
        self.validated, self.seconds = state["validated"], float(state["seconds"])
        self.unwritten = [{str(name): float(value) for name, value in line.items()} for line in state["unwritten"]]

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
            f"state before it is in {folder.path}, and nothing else was changed. Begin a new run from there with "
            f"--init {folder.path}, another --out and a lower --optimizer.lr."
        )


def _data_of(config: TrainConfig) -> DataConfig:
    """A run that is resumed, and an agent that goes on learning, see what they saw before, whatever the networks that
    guess names would learn now from the splits of this run."""
    if config.data.guesser is not None:
        return config.data
    folder = RunFolder(config.out)
    before = folder.path if folder.checkpoint.is_file() else config.init
    return config.data if before is None else with_guesser_of(before, config.data)
