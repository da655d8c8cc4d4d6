"""One update of the weights: rollouts, the terms of Eq. 6, gradients, a step of the optimizer."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mtvm.configs.run import TrainConfig
from mtvm.learning import parallel, streams
from mtvm.learning.batch import Batch
from mtvm.learning.data import Dataset
from mtvm.learning.ema import EMA
from mtvm.learning.losses import Loss, Term, attach, make_losses, make_weights
from mtvm.learning.optimizer import load_optimizer, lr_at, make_optimizer, set_lr
from mtvm.learning.rollout import Needs, Policy, RolloutPlan, Trace, roll_out
from mtvm.learning.texts import EncodedTexts, Texts, Variant
from mtvm.models.network import Network
from mtvm.models.text import Tokens, drop_words
from mtvm.tasks.metrics import succeeds

ROLLOUTS: tuple[Policy, ...] = ("teacher", "student", "sample")
"""The kinds of rollouts that an update can walk, in the order in which it does."""


class Learner:
    """A model with its losses, optimizer and batches."""

    def __init__(
        self, config: TrainConfig, model: Network, datasets: list[Dataset], show_progress: bool = True
    ) -> None:
        self.config, self.model, self.datasets = config, model, datasets
        sizes, weights = [len(dataset) for dataset in datasets], [dataset.split.weight for dataset in datasets]
        self.batches = streams.Batches(sizes, weights, config.batch, config.seed)
        mirror = config.data.mirror
        self.texts = [
            Texts(model, dataset.mirrored(model.config) if mirror else dataset.tokens, dataset.name, show_progress)
            for dataset in datasets
        ]
        model.crossmodal.checkpointing = config.optimizer.checkpoint_activations
        self.losses = make_losses(config.loss)
        attach(self.losses, model)
        self.loss_weights = make_weights(self.losses, model.config, config.seed).to(model.device)
        self.optimizer = make_optimizer(model, config.optimizer, self.loss_weights)
        self.ema = EMA(model, config.optimizer.ema) if config.optimizer.ema > 0 else None
        self.precision = _precision(config, model.device)
        self.scaler = torch.amp.GradScaler(model.device.type, enabled=self.precision == torch.float16)
        self.updates = 0

    def update(self) -> dict[str, float]:
        """Walk a batch, and take a step of the optimizer; what to record of it. `DivergedError` if that went wrong."""
        config, model, number = self.config.optimizer, self.model, self.updates
        streams.seed_dropout(self.config.seed, number)
        set_lr(self.optimizer, lr_at(number, config))
        model.train()
        self.loss_weights.train()
        which, rows = self.batches.next()
        policies = self._policies(self.batches.taken[which] - 1)
        recorded: dict[str, float] = {}
        for part in np.array_split(np.arange(len(rows)), config.accumulate):
            batch = self._batch(which, rows, part)
            with torch.autocast(model.device.type, self.precision, enabled=self.precision != torch.float32):
                tokens, variants = self._variants(batch)
                texts = EncodedTexts(model, tokens)  # X, and X' where a loss asks for it
                for policy in policies:
                    losses = [loss for loss in self.losses if loss.applies_to(policy)]
                    plan = self._plan(policy, losses, batch, variants)
                    trace = roll_out(model, batch.dataset.vision, batch.episodes, texts.text, plan, keep_steps=True)
                    terms = [term for loss in losses for term in loss(trace)]  # Eq. 6
                    loss = self._backward(terms, policy, batch, recorded)
                    _add(recorded, {"loss": loss} | _outcome(trace, batch))
            texts.backward()
        recorded = _summed(recorded, model.device)
        parallel.add_gradients(self._trained())
        self.scaler.unscale_(self.optimizer)
        recorded["gradient_norm"] = _clip(self._trained(), config.clip)
        self._check(recorded, which, rows)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        if self.ema is not None:
            self.ema.update(model)
        self.updates += 1
        return recorded | {"lr": lr_at(number, config)}

    def _policies(self, turn: int) -> list[Policy]:
        """The rollouts of an update on the dataset whose turn it is for the `turn`-th time."""
        loss, imitation = self.config.loss, self.config.loss.imitation
        if self.updates < loss.teacher_forced_updates and imitation.first_weight > 0:
            return ["teacher"]
        weights = {"teacher": imitation.weight, "student": imitation.student_weight, "sample": loss.a2c.weight}
        wanted = [policy for policy in ROLLOUTS if weights[policy] > 0]
        return [wanted[turn % len(wanted)]] if self.config.alternate else wanted

    def _batch(self, which: int, rows: NDArray[np.int64], part: NDArray[np.int64]) -> Batch:
        """This process's share of a part of the batch."""
        dataset, mine = self.datasets[which], parallel.own_part(part)
        mirrored: NDArray[np.bool_] | None = None
        if self.config.data.mirror:
            draws = streams.uniform((len(rows),), "mirror", self.config.seed, self.updates)
            mirrored = draws.numpy()[mine] < 0.5
        texts, of_dataset = self.texts[which], rows[mine]
        tokens = texts.of(of_dataset, mirrored).to(self.model.device)
        episodes, share = dataset.episodes.select(of_dataset), len(part) / len(rows)
        of_batch = torch.from_numpy(mine)
        return Batch(dataset, episodes, tokens, mirrored, texts, of_dataset, of_batch, len(rows), share)

    def _variants(self, batch: Batch) -> tuple[list[Tokens], dict[Loss, Variant]]:
        """The texts in all their variants, and those that losses make of them."""
        tokens = batch.tokens
        by_token = any(loss.masks_words for loss in self.losses)
        shape = (batch.size, self.model.config.text_length if by_token else batch.texts.words)
        draws = streams.uniform(shape, "words", self.config.seed, self.updates)[batch.rows]
        if self.config.loss.word_dropping > 0 and not self.config.loss.consistency.enabled:
            tokens = drop_words(tokens, self.config.loss.word_dropping, draws)[0]
        every, made = [tokens], {}
        for loss in self.losses:
            variant = loss.vary(dataclasses.replace(batch, tokens=tokens), draws)
            if variant is not None:
                made[loss] = dataclasses.replace(variant, number=len(every))
                every.append(variant.tokens)
        width = max(one.ids.shape[1] for one in every)
        return [one.padded(width) for one in every], made

    def _trained(self) -> Iterator[nn.Parameter]:
        """The weights of the model and of the losses."""
        return itertools.chain(self.model.parameters(), self.loss_weights.parameters())

    def _plan(self, policy: Policy, losses: list[Loss], batch: Batch, variants: dict[Loss, Variant]) -> RolloutPlan:
        dataset = batch.dataset
        needs = Needs()
        for loss in losses:
            needs |= loss.needs
        shape, kind = (2, dataset.horizon, batch.size), ROLLOUTS.index(policy)
        draws = streams.uniform(shape, "actions", self.config.seed, self.updates, kind)[:, :, batch.rows]
        masking = [loss for loss in losses if loss.masks_words]
        word_draws = None
        if masking:
            shape = (dataset.horizon, batch.size, self.model.config.text_length)
            word_draws = streams.uniform(shape, "masks", self.config.seed, self.updates, kind)[:, batch.rows]
        return RolloutPlan(
            policy,
            dataset.horizon,
            dataset.follow,
            needs,
            student_share=self.config.loss.imitation.student_share,
            action_draws=draws[0],
            student_draws=draws[1],
            mirrored=batch.mirrored,
            turned=self._turned(batch),
            kept_features=self._kept_features(batch),
            mask_words=masking[0].mask_words if masking else None,
            word_draws=word_draws,
            variants=variants,
        )

    def _turned(self, batch: Batch) -> NDArray[np.float32] | None:
        """(B,) radians by which each episode's building is turned, the same in all rollouts."""
        if not self.config.data.turn:
            return None
        draws = streams.uniform((batch.size,), "turn", self.config.seed, self.updates)[batch.rows]
        return (2 * math.pi * draws).numpy()

    def _kept_features(self, batch: Batch) -> Tensor | None:
        """(B, feature width) factors on the features of each episode's building, the same in all rollouts."""
        rate = self.config.data.environment_dropout
        if rate == 0:
            return None
        shape = (batch.size, self.model.config.feature_width)
        draws = streams.uniform(shape, "environment", self.config.seed, self.updates)[batch.rows]
        return (draws >= rate).float() / (1 - rate)

    def _backward(self, terms: list[Term], policy: Policy, batch: Batch, recorded: dict[str, float]) -> float:
        """Add the gradients of a rollout's loss: each term's mean over all processes, times its weight.

        Where a batch is walked in parts, a mean is over the part's things, and counts by the part's share.
        """
        counts = torch.stack([torch.as_tensor(term.count, device=self.model.device).double() for term in terms])
        shared = [count / batch.share for count in parallel.total(counts).clamp(min=1).tolist()]
        means = [term.total / count for term, count in zip(terms, shared, strict=True)]
        loss = torch.stack([term.weight * mean for term, mean in zip(terms, means, strict=True) if term.weight]).sum()
        with torch.autocast(self.model.device.type, enabled=False):
            self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        _add(recorded, {f"{policy}_{term.name}": mean.item() for term, mean in zip(terms, means, strict=True)})
        return loss.item()

    def _check(self, recorded: dict[str, float], which: int, rows: NDArray[np.int64]) -> None:
        """Raise if the loss is not a number or the gradient has exploded; the batch is then not taken."""
        loss, norm = recorded["loss"], recorded["gradient_norm"]
        tame = norm < _LARGEST_NORM or self.scaler.is_enabled()  # which skips updates until its scale fits
        if not (math.isfinite(loss) and tame):
            self.batches.taken[which] -= 1
            dataset = self.datasets[which]
            raise DivergedError(dataset.name, [dataset.episodes.ids[row] for row in rows], loss, norm)

    def state_dict(self) -> dict[str, Any]:
        """All that the updates to come depend on, beside data and config."""
        losses = {"losses": self.loss_weights.state_dict()} if len(self.loss_weights) else {}
        return losses | {
            "update": self.updates,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "ema": None if self.ema is None else self.ema.state_dict(),
            "batches": list(self.batches.taken),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.updates = state["update"]
        self.model.load_state_dict(state["model"])
        if len(self.loss_weights):
            self.loss_weights.load_state_dict(state["losses"])
        load_optimizer(self.optimizer, state["optimizer"])
        self.scaler.load_state_dict(state["scaler"])
        if self.ema is not None:
            self.ema.load_state_dict(state["ema"])
        self.batches.taken = list(state["batches"])


_LARGEST_NORM = 1e5
"""A gradient norm beyond this is taken for an explosion."""


class DivergedError(Exception):
    """The loss is no longer a number, or the gradient has exploded."""

    def __init__(self, split: str, episodes: list[str], loss: float, norm: float) -> None:
        super().__init__(f"a loss of {loss:.4g} and a gradient norm of {norm:.4g}")
        self.split, self.episodes, self.loss, self.norm = split, episodes, loss, norm


def _outcome(trace: Trace, batch: Batch) -> dict[str, float]:
    """Lengths and success, as shares of the whole batch."""
    found = {f"{trace.policy}_steps": float(trace.lengths.sum()) / batch.size}
    if trace.policy != "teacher":
        episodes = batch.episodes
        success = float(succeeds(episodes, trace.nodes).sum()) / batch.size
        found[f"{trace.policy}_success"] = 100 * success
    return found


def _add(recorded: dict[str, float], values: dict[str, float]) -> None:
    for name, value in values.items():
        recorded[name] = recorded.get(name, 0.0) + value


def _summed(recorded: dict[str, float], device: torch.device) -> dict[str, float]:
    """Over all processes, which record the same names."""
    names = sorted(recorded)
    values = torch.tensor([recorded[name] for name in names], dtype=torch.float64, device=device)
    return dict(zip(names, parallel.total(values).tolist(), strict=True))


def _clip(parameters: Iterable[nn.Parameter], largest: float) -> float:
    """Clip the gradients to a norm, 0 for none; the norm that they had."""
    reached = [parameter for parameter in parameters if parameter.grad is not None]
    return float(nn.utils.clip_grad_norm_(reached, largest or math.inf))


def _precision(config: TrainConfig, device: torch.device) -> torch.dtype:
    named = config.optimizer.precision
    if named == "auto":
        named = "bf16" if device.type == "cuda" else "float32"
    return {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[named]
