"""The training loop: rollouts, losses, updates, evaluations, checkpoints."""

from __future__ import annotations

import contextlib
import hashlib
import math
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mtvm.config import Part, TrainConfig, differences
from mtvm.errors import InputError
from mtvm.files import read_json, write_json
from mtvm.learning import checkpoint, parallel, sampling
from mtvm.learning.evaluation import evaluate_agent
from mtvm.learning.instructions import Instructions
from mtvm.learning.lessons import first_of, load_part, make_model, open_store
from mtvm.learning.losses import rollout_loss
from mtvm.learning.optimizing import RunningMean, make_optimizer, rate_at, set_rate
from mtvm.learning.reading import ReadTexts
from mtvm.learning.record import Record
from mtvm.learning.rollout import Policy, Rollout, RolloutPlan, roll_out
from mtvm.models.agent import Agent
from mtvm.models.text import drop_words, with_mirrored
from mtvm.progress import progress
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metric import METRICS
from mtvm.tasks.metrics import near_goal

_KINDS: tuple[Policy, ...] = ("teacher", "student", "sample")
CONFIG = "config.json"
BEST = "best"
_LARGEST_NORM = 1e5
"""A gradient norm beyond this is taken for an explosion."""


class DivergedError(InputError):
    """The loss is no longer a number, or the gradient has exploded."""


class Trainer:
    """A run in its folder. `run` goes on until it is done, interrupted or diverged."""

    def __init__(self, config: TrainConfig, show_progress: bool = True) -> None:
        self.config, self.show_progress = config, show_progress
        self.device = parallel.local_device(config.device)
        parallel.start(self.device)
        if config.batch < parallel.size() * config.optimizer.accumulate:
            raise InputError(
                f"batch {config.batch} cannot be shared by {parallel.size()} processes in "
                f"{config.optimizer.accumulate} parts; set --batch higher."
            )
        _check_folder(config)
        self.store = open_store(config, show_progress)
        self.lessons = [load_part(Part.parse(text), config, self.store, self.device) for text in config.data.train]
        for lesson in self.lessons:
            if not lesson.episodes.has_goals:
                raise InputError(f"{lesson.episodes.source}: {lesson.part.name} has no goals to learn from.")
        exam = load_part(Part.parse(config.selection.split), config, self.store, self.device)
        if not exam.episodes.has_goals:
            raise InputError(f"{exam.episodes.source}: {exam.part.name} has no goals to choose the best weights by.")
        self.exam = first_of(exam, config.selection.limit)
        sizes, weights = [len(one.episodes) for one in self.lessons], [one.part.weight for one in self.lessons]
        self.turns = sampling.Turns(sizes, weights, config.batch, config.seed)
        self.model = make_model(config).to(self.device)
        told = [with_mirrored(one.tokens) if config.data.mirror else one.tokens for one in self.lessons]
        self.texts = [
            ReadTexts(self.model, tokens, one.part.name, show_progress)
            for tokens, one in zip(told, self.lessons, strict=True)
        ]
        self.exam_texts = ReadTexts(self.model, self.exam.tokens, self.exam.part.name, show_progress)
        self.model.crossmodal.checkpointing = config.optimizer.checkpoint_activations
        self.optimizer = make_optimizer(self.model, config.optimizer)
        self.mean = RunningMean(self.model, config.optimizer.ema) if config.optimizer.ema > 0 else None
        self.precision = _precision(config, self.device)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.precision == torch.float16)
        self.update = 0
        self.best: float | None = None
        self.best_tie = -math.inf
        self.best_update = 0
        self.evaluations_since_best = 0
        self.examined = 0
        self.logged: list[dict[str, float]] = []
        """What is not in the record yet."""
        self.seconds = 0.0
        self._fingerprint = self._fingerprints()
        self._resume()

    # The loop

    def run(self) -> bool:
        """Train to the end; false if it was interrupted."""
        with checkpoint.alone(self.config.out / CONFIG) if parallel.rank() == 0 else contextlib.nullcontext():
            return self._run()

    def _run(self) -> bool:
        config, total = self.config, self.config.optimizer.updates
        first = parallel.rank() == 0
        record = Record(config.out, self.update, config.tensorboard) if first else None
        saved = began = time.monotonic()
        trained = self.seconds
        with (
            _interruption() as interrupted,
            progress(
                total, f"Training {config.out.name}", "updates", first and self.show_progress, already=self.update
            ) as advance,
        ):
            if self._exam_is_due():  # it was interrupted just before
                self._examine(record)
            while self.update < total and not self._out_of_patience():
                started = time.monotonic()
                parts, stop = self._step(interrupted)
                self.update += 1
                self.seconds = trained + time.monotonic() - began
                parts["seconds"] = time.monotonic() - started
                self.logged.append(parts)
                advance(1, _told(parts, self.best, config.selection.metric))
                if self.update % config.log_every == 0 or self.update == total:
                    if record is not None:
                        record.write("train", self.update, self._averages(self.logged))
                    self.logged.clear()
                if not stop and self._exam_is_due():
                    self._examine(record)
                    saved = -math.inf
                if first and (stop or time.monotonic() - saved > 60 * config.save_minutes):
                    checkpoint.save(config.out / checkpoint.NAME, self.state())
                    saved = time.monotonic()
                if stop:
                    break
            else:
                if first:
                    checkpoint.save(config.out / checkpoint.NAME, self.state())
        if record is not None:
            record.close()
        parallel.wait()
        return (self.update >= total and not self._exam_is_due()) or self._out_of_patience()

    def _step(self, interrupted: list[int]) -> tuple[dict[str, float], bool]:
        """One update; what to log of it, and whether any process was asked to stop."""
        config = self.config
        sampling.seed_dropout(config.seed, self.update)
        rate = rate_at(self.update, config.optimizer)
        set_rate(self.optimizer, rate)
        self.model.train()
        number, rows = self.turns.next()
        parts: dict[str, float] = {}
        kinds = self._kinds(self.turns.taken[number] - 1)
        for places in np.array_split(np.arange(len(rows)), config.optimizer.accumulate):
            mine, share = parallel.own_part(places), len(places) / len(rows)
            for name, value in self._learn(number, rows, mine, kinds, share).items():
                parts[name] = parts.get(name, 0.0) + value
        names = sorted(parts)
        numbers = torch.tensor([parts[name] for name in names] + [float(bool(interrupted))], dtype=torch.float64)
        summed: list[float] = parallel.total(numbers.to(self._meeting_place)).tolist()
        parts = dict(zip(names, summed, strict=False))
        parallel.add_gradients(self.model.parameters())
        self.scaler.unscale_(self.optimizer)
        clip = config.optimizer.clip or math.inf
        wanted = [parameter for parameter in self.model.parameters() if parameter.grad is not None]
        parts["gradient_norm"] = norm = float(nn.utils.clip_grad_norm_(wanted, clip))
        tame = norm < _LARGEST_NORM or self.scaler.is_enabled()  # which skips updates until its scale fits
        if not (math.isfinite(parts["loss"]) and tame):
            self._diverged(number, rows, parts["loss"], norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        if self.mean is not None:
            self.mean.update(self.model)
        return parts | {"rate": rate}, summed[-1] > 0

    def _kinds(self, turn: int) -> list[Policy]:
        """The rollouts of an update on the split whose turn it is for the `turn`-th time."""
        loss = self.config.loss
        kinds: list[Policy] = ["teacher"] if loss.imitation > 0 else []
        if self.update >= loss.sampled_from or not kinds:
            kinds += ["student"] if loss.student > 0 else []
            kinds += ["sample"] if loss.reinforcement > 0 else []
        return [kinds[turn % len(kinds)]] if self.config.alternate else kinds

    def _learn(
        self, number: int, rows: NDArray[np.int64], mine: NDArray[np.int64], kinds: list[Policy], share: float
    ) -> dict[str, float]:
        """Walk this process's episodes in each of the ways and add their gradients; their texts are encoded once."""
        lesson, loss_config = self.lessons[number], self.config.loss
        seed, batch, own = self.config.seed, len(rows), torch.from_numpy(mine)
        mirrored: NDArray[np.bool_] | None = None
        if self.config.data.mirror:
            mirrored = sampling.uniform((batch,), seed, self.update, 5).numpy()[mine] < 0.5
        told = rows[mine] if mirrored is None else rows[mine] + len(lesson.episodes) * mirrored
        tokens = self.texts[number].select(torch.from_numpy(told)).to(self.device)
        word_noise = sampling.uniform((batch, lesson.words), seed, self.update, 4)[own]
        consistency = loss_config.consistency if loss_config.consistency.enabled else None
        if consistency is None and loss_config.word_dropping > 0:
            tokens = drop_words(self.model.language.read(tokens), loss_config.word_dropping, word_noise)[0]
        episodes = lesson.episodes.select(rows[mine])
        shown: dict[str, float] = {"loss": 0.0}
        with torch.autocast(self.device.type, self.precision, enabled=self.precision != torch.float32):
            instructions = Instructions(self.model, tokens, consistency, word_noise)
            for kind in kinds:
                weight = {"teacher": loss_config.imitation, "student": loss_config.student}.get(kind, 0.0)
                draws = (2, lesson.horizon, batch)
                noise = sampling.uniform(draws, seed, self.update, 3, _KINDS.index(kind))[:, :, own]
                plan = RolloutPlan(
                    kind,
                    lesson.horizon,
                    follow=self.config.data.followed(lesson.part.task),
                    imitation=weight > 0,
                    reinforcement=kind == "sample",
                    consistency=consistency,
                    own_share=loss_config.own_share,
                    noise=noise[0],
                    lead_noise=noise[1],
                    mirrored=mirrored,
                )
                rollout = roll_out(self.model, lesson.vision, episodes, instructions.encoded, plan)
                loss, parts = rollout_loss(rollout, weight, loss_config, batch, share)
                with torch.autocast(self.device.type, enabled=False):
                    self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
                shown["loss"] += loss.item()
                shown |= {f"{kind}_{name}": value for name, value in parts.items()}
                shown |= self._seen(rollout, episodes, kind, batch)
        instructions.backward()
        return shown

    def _seen(self, rollout: Rollout, episodes: EpisodeSet, kind: Policy, batch: int) -> dict[str, float]:
        """Lengths and success, as shares of the whole batch."""
        lengths = rollout.live.sum(dim=0).cpu().numpy()
        right = near_goal(episodes.world, rollout.nodes, episodes.via, episodes.goals)
        last = (rollout.nodes >= 0).sum(axis=1) - 1
        success = float(right[np.arange(len(right)), last].sum()) / batch
        return {f"{kind}_steps": float(lengths.sum()) / batch} | (
            {f"{kind}_success": 100 * success} if kind != "teacher" else {}
        )

    def _averages(self, logged: list[dict[str, float]]) -> dict[str, float]:
        """Means over the updates since the last line; alternating rollouts each over their own."""
        names = sorted({name for parts in logged for name in parts})
        means = {name: float(np.mean([parts[name] for parts in logged if name in parts])) for name in names}
        rollouts = float(np.mean([sum(f"{kind}_steps" in parts for kind in _KINDS) for parts in logged]))
        return means | {
            "episodes_per_second": rollouts * self.config.batch / max(means["seconds"], 1e-9),
            "trained_seconds": self.seconds,
        }

    @property
    def _meeting_place(self) -> torch.device:
        return self.device if self.device.type == "cuda" else torch.device("cpu")

    # Choosing the best

    def _exam_is_due(self) -> bool:
        every, total = self.config.selection.every, self.config.optimizer.updates
        return self.update > self.examined and (self.update % every == 0 or self.update == total)

    def _examine(self, record: Record | None) -> None:
        """Evaluate on the selection split, and keep the weights if they are the best so far."""
        with self.evaluated_weights():
            exam = self.exam
            done = evaluate_agent(
                self.model, exam.vision, exam.episodes, exam.horizon, texts=self.exam_texts, show_progress=False
            )
            metrics = done.metrics()
            sign = METRICS[self.config.selection.metric].sign
            value, tie = sign * metrics[self.config.selection.metric], metrics["SR"]
            if self.best is None or (value, tie) > (sign * self.best, self.best_tie):
                self.best, self.best_tie, self.best_update = sign * value, tie, self.update
                self.evaluations_since_best = 0
                if parallel.rank() == 0:
                    Agent(self.model).save_pretrained(self.config.out / BEST, metrics)
            else:
                self.evaluations_since_best += 1
        self.examined = self.update
        if record is not None:
            record.write(self.exam.part.name, self.update, metrics)

    @contextlib.contextmanager
    def evaluated_weights(self) -> Iterator[None]:
        """The running mean in place of the weights, if there is one."""
        if self.mean is not None:
            self.mean.swap(self.model)
        try:
            yield
        finally:
            if self.mean is not None:
                self.mean.swap(self.model)

    def _out_of_patience(self) -> bool:
        patience = self.config.selection.patience
        return patience is not None and self.evaluations_since_best >= patience

    # Nothing lost

    def state(self) -> dict[str, Any]:
        """All that the run needs to go on as if it had never stopped."""
        return {
            "config": self.config.to_dict(),
            "update": self.update,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "mean": None if self.mean is None else {"weights": self.mean.weights, "updates": self.mean.updates},
            "turns": list(self.turns.taken),
            "random": torch.get_rng_state(),
            "best": [self.best, self.best_tie, self.best_update, self.evaluations_since_best],
            "examined": self.examined,
            "logged": list(self.logged),
            "seconds": self.seconds,
            "data": self._fingerprint,
        }

    def _resume(self) -> None:
        """Go on from the checkpoint, or begin."""
        path = self.config.out / checkpoint.NAME
        if not path.is_file():
            if parallel.rank() == 0:
                write_json(self.config.out / CONFIG, self.config.to_dict(), indent=1)
            return
        state = checkpoint.load(path)
        changed = [name for name in self._fingerprint if state["data"].get(name) != self._fingerprint[name]]
        if changed:
            raise InputError(
                f"{path}: {changed[0]} is not what it was when this run began; bring it back, or begin a new run "
                "with --out."
            )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scaler.load_state_dict(state["scaler"])
        if self.mean is not None:
            self.mean.weights = {name: value.to(self.device) for name, value in state["mean"]["weights"].items()}
            self.mean.updates = state["mean"]["updates"]
        self.turns.taken = list(state["turns"])
        torch.set_rng_state(state["random"])
        self.best, self.best_tie, self.best_update, self.evaluations_since_best = state["best"]
        self.update, self.seconds = state["update"], state["seconds"]
        self.examined, self.logged = state.get("examined", self.update), state.get("logged", [])

    def _fingerprints(self) -> dict[str, str]:
        """What the data is, so that a run does not go on with other data."""
        found = {"features": "none" if self.store is None else str(self.store.meta["id"])}
        for lesson in (*self.lessons, self.exam):
            found[lesson.part.name] = hashlib.sha256(lesson.episodes.source.read_bytes()).hexdigest()
        return found

    def _diverged(self, number: int, rows: NDArray[np.int64], loss: float, norm: float) -> None:
        """Save the state before this update with the episodes that spoiled it, and stop."""
        lesson = self.lessons[number]
        self.turns.taken[number] -= 1
        folder = self.config.out / f"diverged-{self.update}"
        ids = [lesson.episodes.ids[row] for row in rows]
        if parallel.rank() == 0:
            checkpoint.save(folder / checkpoint.NAME, self.state())
            report = {"update": self.update, "split": lesson.part.name, "loss": str(loss), "gradient_norm": str(norm)}
            write_json(folder / "episodes.json", report | {"episodes": ids}, indent=1)
        parallel.wait()  # a launcher ends all processes when one has failed
        raise DivergedError(
            f"{self.config.out}: update {self.update} gave a loss of {loss:.4g} and a gradient norm of {norm:.4g} on "
            f"episodes {', '.join(ids[:4])}, ...; the state before it is in {folder}, and nothing else was changed. "
            f"Begin a new run from there with --init {folder}, another --out and a lower --optimizer.rate."
        )


def _check_folder(config: TrainConfig) -> None:
    """A run that is there must be this one."""
    path = config.out / CONFIG
    if not path.is_file():
        if (config.out / checkpoint.NAME).is_file():
            raise InputError(f"{config.out}: has a checkpoint but no {CONFIG}; name another folder with --out.")
        return
    there = read_json(path, "config of a run")
    if not isinstance(there, dict):
        raise InputError(f"{path}: not the config of a run; name another folder with --out.")
    changed = differences(there, config.to_dict())
    for name in ("device", "log_every", "save_minutes", "tensorboard", "out"):
        changed.pop(name, None)  # these do not change what is learned
    for name in ("data.folder", "data.features"):
        changed.pop(name, None)  # they may have moved; that they are the same data is looked at when the run goes on
    if changed:
        name, (before, now) = next(iter(changed.items()))
        raise InputError(
            f"{config.out}: a run with another config is there ({name} is {before} there, {now} here); "
            "name another folder with --out."
        )


def _precision(config: TrainConfig, device: torch.device) -> torch.dtype:
    named = config.optimizer.precision
    if named == "auto":
        named = "bf16" if device.type == "cuda" else "float32"
    return {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[named]


@contextlib.contextmanager
def _interruption() -> Iterator[list[int]]:
    """A list that holds the signal once somebody wants the run to stop; a second one stops it at once, unless there are
    many processes, whose launcher passes on what each of them got already."""
    caught: list[int] = []

    def note(number: int, _: Any) -> None:
        if caught and parallel.size() == 1:
            raise KeyboardInterrupt
        caught.append(number)

    before = {}
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            before[one] = signal.signal(one, note)
    except ValueError:  # not in the main thread: nobody can send us signals
        pass
    try:
        yield caught
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _told(parts: dict[str, float], best: float | None, metric: str) -> str:
    """The live part of the progress line."""
    told = f"loss {parts['loss']:.2f}"
    for kind in ("sample", "student"):
        if f"{kind}_success" in parts:
            told += f", success {parts[f'{kind}_success']:.0f}%"
    return told if best is None else f"{told}, best {metric} {best:.1f}"
