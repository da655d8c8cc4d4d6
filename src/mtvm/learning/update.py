"""What an agent learns from in an update: rollouts, and the terms of Eq. 6."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.configs.data import DataConfig, Split
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.io.files import copy_file
from mtvm.learning import parallel, streams
from mtvm.learning.agents import walk
from mtvm.learning.batch import Batch
from mtvm.learning.checkpoint import check_kind
from mtvm.learning.data import Data, Dataset, fingerprints
from mtvm.learning.initial_weights import make_model
from mtvm.learning.learner import Learner, Values
from mtvm.learning.losses import Loss, Term, attach, make_losses, make_weights
from mtvm.learning.rollout import roll_out
from mtvm.learning.run_folder import BOXES, GUESSER, RunFolder, Selection, with_guesser_of
from mtvm.learning.seen import keep_seen, seen_by
from mtvm.learning.texts import EncodedTexts, Texts, Variant
from mtvm.learning.trace import Needs, Policy, RolloutPlan, Trace
from mtvm.models.network import Network
from mtvm.models.saving import save_model
from mtvm.models.text import Tokens, drop_words
from mtvm.tasks.metrics import succeeds

ROLLOUTS: tuple[Policy, ...] = ("teacher", "student", "sample")
"""The kinds of rollouts that an update can walk, in the order in which it does."""


class AgentLearner(Learner[tuple[int, NDArray[np.int64]]]):
    """An agent that learns from rollouts: its losses and batches."""

    model: Network

    def __init__(
        self,
        config: TrainConfig,
        model: Network,
        datasets: list[Dataset],
        validation: Dataset | None = None,
        show_progress: bool = True,
    ) -> None:
        """`model` is on its device already."""
        self.config, self.datasets, self.validation = config, datasets, validation
        sizes, weights = [len(dataset) for dataset in datasets], [dataset.split.weight for dataset in datasets]
        self.batches = streams.Batches(sizes, weights, config.batch, config.seed)
        mirror = config.data.mirror
        self.texts = [
            Texts(model, dataset.mirrored(model.config) if mirror else dataset.tokens, dataset.name, show_progress)
            for dataset in datasets
        ]
        if validation is not None:
            self.validation_texts = Texts(model, validation.tokens, validation.name, show_progress)
        self.selection, self.validate_every = Selection.of(config.selection), config.selection.every
        model.crossmodal.checkpointing = config.optimizer.checkpoint_activations
        points = model.object_head is not None
        self.losses = make_losses(config.loss, config.model.released.consistency, points)
        attach(self.losses, model)
        super().__init__(config, model, make_weights(self.losses, model.config, config.seed).to(model.device))
        self.guessers: dict[str, Path | None] = {}
        self.seen: dict[str, str | None] | None = None

    @classmethod
    def of(cls, config: TrainConfig, device: torch.device, show_progress: bool = True) -> AgentLearner:
        """The learner of a run: data and first weights as its config says."""
        if config.batch < parallel.size() * config.optimizer.gradient_accumulation:
            raise InputError(
                f"batch {config.batch} cannot be shared by {parallel.size()} processes in "
                f"{config.optimizer.gradient_accumulation} parts; set --batch higher."
            )
        data = Data(_data_of(config), config.network, device, show_progress)
        config.data.check_splits_to_evaluate(data.folder)
        guessers = {GUESSER: data.guesser, BOXES: data.box_guesser}
        datasets = [data.dataset_with_goals(Split.parse(text), "learn from") for text in config.data.train]
        split = Split.parse(config.selection.split)
        validation = data.dataset_with_goals(split, "validate on").first(config.selection.limit)
        model, first_weights = make_model(config, data.network)
        learner = cls(config, model.to(device), datasets, validation, show_progress)
        learner.seen = seen_by(config.data, data.store)
        learner.guessers, learner.start = guessers, f"Weights to start from: {first_weights}."
        learner.fingerprints = fingerprints(data.stores, {one.name: one.episodes for one in (*datasets, validation)})
        return learner

    def draw(self) -> tuple[int, NDArray[np.int64]]:
        return self.batches.next()

    def learn(self, drawn: tuple[int, NDArray[np.int64]]) -> Values:
        number, rows = drawn
        policies = self._policies(self.batches.taken[number] - 1)
        recorded: Values = {}
        parts = np.array_split(np.arange(len(rows)), self.config.optimizer.gradient_accumulation)
        for part in parts:
            batch = self._batch(number, rows, part)
            with self.autocast():
                tokens, variants = self._variants(batch)
                texts = EncodedTexts(self.model, tokens)  # X, and X' where a loss asks for it
                for policy in policies:
                    losses = [loss for loss in self.losses if loss.applies_to(policy)]
                    plan = self._plan(policy, losses, batch, variants)
                    trace = roll_out(
                        self.model, batch.dataset.vision, batch.episodes, texts.text, plan, keep_steps=True
                    )
                    terms = [term for loss in losses for term in loss(trace)]  # Eq. 6
                    loss = self._backward(terms, policy, batch, recorded)
                    _add(recorded, {"loss": loss} | _outcome(trace, batch))
            if part is parts[-1] and parallel.size() > 1:
                # What the texts' graph does not reach is complete, and travels while that goes on.
                reached = texts.reached()
                self.begin_to_add(one for one in self._trained() if one not in reached)
            texts.backward()
        return recorded

    def put_back(self, drawn: tuple[int, NDArray[np.int64]]) -> tuple[str, list[str]]:
        number, rows = drawn
        self.batches.taken[number] -= 1
        dataset = self.datasets[number]
        return dataset.name, [dataset.episodes.ids[row] for row in rows]

    def validate(self) -> Values:
        assert self.validation is not None
        return walk(self.model, self.validation, texts=self.validation_texts, show_progress=False).metrics()

    def save(self, folder: Path, metrics: Values) -> None:
        save_model(self.model, folder, metrics)
        if self.seen is not None:
            keep_seen(folder, self.seen)

    def keep_beside(self, folder: Path) -> None:
        """The networks that guess names."""
        for name, file in self.guessers.items():
            kept = folder / name
            if file is not None and not (kept.is_file() and kept.read_bytes() == file.read_bytes()):
                copy_file(file, kept)

    def episodes(self, recorded: Values) -> int:
        return self.config.batch * sum(f"{policy}_steps" in recorded for policy in ROLLOUTS)

    def status(self, recorded: Values) -> str:
        status = super().status(recorded)
        for policy in ("sample", "student"):
            if f"{policy}_success" in recorded:
                status += f", success {recorded[f'{policy}_success']:.0f}%"
        return status

    def remedy(self, folder: Path) -> str:
        return f"Begin a new run from there with --init {folder}, another --out and a lower --optimizer.lr."

    def _policies(self, turn: int) -> list[Policy]:
        """The rollouts of an update on the dataset whose turn it is for the `turn`-th time."""
        loss, imitation = self.config.loss, self.config.loss.imitation
        if self.updates < loss.teacher_forced_updates and imitation.first_weight > 0:
            return ["teacher"]
        weights = {"teacher": imitation.weight, "student": imitation.student_weight, "sample": loss.a2c.weight}
        wanted = [policy for policy in ROLLOUTS if weights[policy] > 0]
        return [wanted[turn % len(wanted)]] if self.config.alternate else wanted

    def _batch(self, number: int, rows: NDArray[np.int64], part: NDArray[np.int64]) -> Batch:
        """This process's share of a part of the batch, which is of the dataset of this number."""
        dataset = self.datasets[number]
        mine = parallel.own_part(part, dataset.episodes.reference_lengths[rows[part]])
        mirrored: NDArray[np.bool_] | None = None
        if self.config.data.mirror:
            draws = streams.uniform((len(rows),), "mirror", self.config.seed, self.updates)
            mirrored = draws.numpy()[mine] < 0.5
        texts, of_dataset = self.texts[number], rows[mine]
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
        self.backward(loss)
        # All numbers at once: a device is waited for at each.
        *values, whole = torch.stack([one.detach().double() for one in (*means, loss)]).tolist()
        _add(recorded, {f"{policy}_{term.name}": value for term, value in zip(terms, values, strict=True)})
        return float(whole)

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"batches": list(self.batches.taken)}

    def check_state(self, state: Mapping[str, Any]) -> None:
        super().check_state(state)
        check_kind(state["batches"], self.batches.taken, "batches")
        if sum(state["batches"]) != state["update"]:
            raise ValueError(f"update is {state['update']}, batches are {state['batches']}")

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.batches.taken = list(state["batches"])


def _data_of(config: TrainConfig) -> DataConfig:
    """A run that is resumed, and an agent that goes on learning, see what they saw before, whatever the networks that
    guess names would learn now from the splits of this run."""
    folder, given = RunFolder(config.out), config.data
    before = folder.path if folder.checkpoint.is_file() else config.init
    own = given if before is None else with_guesser_of(before, given)
    return dataclasses.replace(
        own, guesser=given.guesser or own.guesser, box_guesser=given.box_guesser or own.box_guesser
    )


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
