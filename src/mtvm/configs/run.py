"""What a training run is made of, as plain dataclasses: nothing here imports torch.

`mtvm.configs.presets` has the runs that we know; any field can be set on the command line.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal

from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError, brief
from mtvm.io.config_files import check_numbers, from_plain, to_plain
from mtvm.io.earlier_configs import run_as_today
from mtvm.models.config import ModelConfig

_LARGEST_BATCH = 1_000_000
OptimizerKind = Literal["adamw", "muon"]
Schedule = Literal["constant", "linear", "cosine"]
Precision = Literal["auto", "float32", "bf16", "fp16"]
Products = Literal["auto", "mkl", "onednn", "bfloat16"]


def check_episodes(number: int, option: str) -> None:
    """Raise if no update can have so many episodes, or parts of them."""
    if not 1 <= number <= _LARGEST_BATCH:
        raise InputError(f"{option} must lie from 1 to {_LARGEST_BATCH:,}, not {brief(number)}.")


@dataclasses.dataclass(frozen=True)
class ImitationConfig:
    """The teacher's actions (first term of Eq. 6)."""

    weight: float = 0.2
    """lambda_l, in teacher-forced rollouts; 0 leaves them out once `teacher_forced_updates` are over."""
    student_weight: float = 0.0
    """The same in student rollouts, where the agent takes some of the actions itself; 0 leaves them out."""
    student_share: float = 0.5
    """Share of the steps of a student rollout at which the agent's own, sampled action is taken."""

    @property
    def first_weight(self) -> float:
        """The weight in the first, teacher-forced updates."""
        return self.weight or self.student_weight


@dataclasses.dataclass(frozen=True)
class A2CConfig:
    """Advantage actor-critic in sampled rollouts (second term of Eq. 6)."""

    weight: float = 1.0
    """0 leaves out the term and its rollouts."""
    gamma: float = 0.9
    """Discount factor of the returns."""
    value_coefficient: float = 0.5
    """Weight of the critic's squared error, relative to the policy's loss."""
    entropy_coefficient: float = 0.01
    """Weight of the policy's entropy, relative to its loss."""


@dataclasses.dataclass(frozen=True)
class ConsistencyConfig:
    """The memory-aware consistency loss (Eq. 3 to 5, last term of Eq. 6)."""

    enabled: bool = True
    """Compare every rollout with one in which words of the instruction are dropped."""
    drop_rate: float = 0.5
    """Probability with which a word is dropped."""
    language_weight: float | None = None
    """lambda_s of Eq. 5; by default 0.6, and 6 for the released loss."""
    crossmodal_weight: float | None = None
    """lambda_m of Eq. 5; by default 0.2, and 2 for the released loss."""

    def weights(self, language: float, crossmodal: float) -> tuple[float, float]:
        """lambda_s and lambda_m, which are these by default."""
        return (
            language if self.language_weight is None else self.language_weight,
            crossmodal if self.crossmodal_weight is None else self.crossmodal_weight,
        )


@dataclasses.dataclass(frozen=True)
class MaskedWordsConfig:
    """Masked language modelling with the walk as context, for pretraining."""

    weight: float = 0.0
    """0 leaves it out."""
    rate: float = 0.15
    """Probability with which a word is hidden."""


@dataclasses.dataclass(frozen=True)
class MatchingConfig:
    """A path should be more probable with its own instruction than with another one's, for pretraining."""

    weight: float = 0.0
    """0 leaves it out."""


@dataclasses.dataclass(frozen=True)
class ObjectsConfig:
    """Which object an episode asks for, wherever it is in view; in tasks that ask for one."""

    weight: float = 1.0
    """0 leaves it out."""
    elsewhere: int = 0
    """In each rollout, so many other viewpoints that see the object are drawn, and pointed from as well."""


@dataclasses.dataclass(frozen=True)
class LossConfig:
    """The terms of Eq. 6, and those of pretraining."""

    imitation: ImitationConfig = dataclasses.field(default_factory=ImitationConfig)
    a2c: A2CConfig = dataclasses.field(default_factory=A2CConfig)
    consistency: ConsistencyConfig = dataclasses.field(default_factory=ConsistencyConfig)
    masked_words: MaskedWordsConfig = dataclasses.field(default_factory=MaskedWordsConfig)
    matching: MatchingConfig = dataclasses.field(default_factory=MatchingConfig)
    objects: ObjectsConfig = dataclasses.field(default_factory=ObjectsConfig)
    extra: tuple[str, ...] = ()
    """Losses of your own, as MODULE:CLASS or MODULE:CLASS@WEIGHT; see docs/extending.md."""
    word_dropping: float = 0.0
    """Without the consistency loss: drop words of the instruction with this probability, as plain augmentation."""
    teacher_forced_updates: int = 0
    """Number of first updates with teacher-forced rollouts alone: there is little to learn from what a random policy
    does."""


@dataclasses.dataclass(frozen=True)
class OptimizerConfig:
    """AdamW or Muon, and what goes with them."""

    kind: OptimizerKind = "adamw"
    """muon: Muon for the weight matrices, AdamW for the rest. It needs fewer updates where weights start at random."""
    updates: int = 10_000
    lr: float = 5e-6
    """Learning rate."""
    language_lr: float = 1.0
    """Factor on the learning rate for the language encoder."""
    reader_lr: float = 0.1
    """Factor on the learning rate of MiniLM's layers, if `model.train_reader`."""
    weight_decay: float = 0.01
    warmup: int = 0
    """Updates over which the learning rate grows from 0."""
    schedule: Schedule = "constant"
    """How the learning rate falls to 0 after the warm-up; constant does not fall."""
    clip: float = 40.0
    """Gradients are clipped to this norm; 0 turns clipping off."""
    gradient_accumulation: int = 1
    """Split each batch into this many parts and sum their gradients, to save memory."""
    ema: float = 0.0
    """Decay of an exponential moving average of the weights, which is then evaluated and saved; 0 uses none."""
    precision: Precision = "auto"
    """auto is bf16 on a GPU and float32 on a CPU."""
    products: Products = "auto"
    """How a CPU multiplies tokens with weights. mkl: as PyTorch does. onednn: by oneDNN, in float32 too. auto: the one
    that is faster here, measured once. bfloat16: by oneDNN, rounded; never chosen by itself."""
    checkpoint_activations: bool = False
    """Recompute activations in the backward pass instead of keeping them, to save memory."""
    frozen_language_layers: int = 0
    """Freeze the word embeddings and this many layers of the language encoder; 0 freezes nothing."""

    def __post_init__(self) -> None:
        if self.updates < 1:
            raise InputError("optimizer.updates must be at least 1.")
        check_episodes(self.gradient_accumulation, "optimizer.gradient_accumulation")
        if not 0 < self.lr < 1:
            raise InputError(f"optimizer.lr must lie between 0 and 1, not {self.lr}.")
        if self.language_lr < 0 or self.reader_lr < 0 or self.weight_decay < 0 or self.clip < 0 or self.warmup < 0:
            raise InputError("optimizer: language_lr, reader_lr, weight_decay, clip and warmup cannot be negative.")
        if not 0 <= self.ema < 1:
            raise InputError(f"optimizer.ema must lie from 0 to below 1, not {self.ema}.")


@dataclasses.dataclass(frozen=True)
class SelectionConfig:
    """When to validate, and which weights are the best."""

    split: str = "r2r/val_unseen"
    """The validation split. The paper selects on val_unseen; for a result that you report, select on another split."""
    metric: str | None = None
    """The metric that selects, ties by SR; by default the task decides: SPL for R2R, SDTW for R4R, GP for NDH."""
    every: int = 500
    """Updates between validations."""
    patience: int | None = None
    """Stop training after this many validations in a row without a new best; by default train to the end."""
    limit: int | None = None
    """Validate on the first episodes of the split only."""

    def __post_init__(self) -> None:
        measured = [metric.name for metric in Split.parse(self.split).task.metrics]
        if self.metric_name not in measured:
            raise InputError(f"selection.metric '{self.metric_name}' is not one of {', '.join(measured)}.")
        for name in ("every", "patience", "limit"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise InputError(f"selection.{name} must be at least 1, not {number}.")

    @property
    def metric_name(self) -> str:
        """The metric that selects: the one that was named, else the one of the split's task."""
        return self.metric or Split.parse(self.split).task.selection_metric


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """A training run, from data to the best agent."""

    out: Path
    """Folder of the run. If a run is there already, it is resumed."""
    model: ModelConfig
    data: DataConfig = dataclasses.field(default_factory=DataConfig)
    loss: LossConfig = dataclasses.field(default_factory=LossConfig)
    optimizer: OptimizerConfig = dataclasses.field(default_factory=OptimizerConfig)
    selection: SelectionConfig = dataclasses.field(default_factory=SelectionConfig)
    init: Path | None = None
    """Weights to start from: the folder of an agent or of a run, a checkpoint of PREVALENT or of the MTVM authors, or a
    folder of BERT. By default MiniLM's language encoder where its sizes fit, else random numbers."""
    batch: int = 16
    """Episodes of an update, over all processes."""
    alternate: bool = False
    """Alternate between the kinds of rollouts, one kind an update, instead of all of them in each."""
    seed: int = 0
    device: str = "auto"
    """auto, cpu, cuda or cuda:N."""
    log_every: int = 10
    """Updates between two lines of the record."""
    save_minutes: float = 5.0
    """Minutes between checkpoints; one is also saved at every validation and at the end."""
    tensorboard: bool = True
    """Also write curves for TensorBoard."""

    def __post_init__(self) -> None:
        check_numbers(self)
        check_episodes(self.batch, "batch")
        if self.log_every < 1 or self.seed < 0:
            raise InputError("log_every must be at least 1, and the seed at least 0.")
        loss = self.loss
        shares = {
            "loss.imitation.student_share": loss.imitation.student_share,
            "loss.a2c.gamma": loss.a2c.gamma,
            "loss.consistency.drop_rate": loss.consistency.drop_rate,
            "loss.word_dropping": loss.word_dropping,
        }
        for option, share in shares.items():
            if not 0 <= share <= 1:
                raise InputError(f"{option} must lie from 0 to 1, not {share}.")
        if not 0 <= loss.objects.elsewhere <= 100:
            raise InputError(f"loss.objects.elsewhere must lie from 0 to 100, not {loss.objects.elsewhere}.")
        if max(loss.imitation.weight, loss.imitation.student_weight, loss.a2c.weight) <= 0:
            raise InputError("loss: the weights of imitation, student and A2C are all 0, so there is nothing to learn.")
        if loss.consistency.enabled and loss.word_dropping > 0:
            raise InputError(
                "loss.word_dropping is for training without the consistency loss, which drops words itself; set it to "
                "0, or give --loss.consistency.no-enabled."
            )
        if max(loss.masked_words.weight, loss.matching.weight) > 0:
            self._check_pretraining()
        if loss.consistency.enabled and self.model.released.consistency:
            self._check_released_consistency()

    def _check_pretraining(self) -> None:
        loss, model = self.loss, self.model
        if loss.imitation.weight <= 0:
            raise InputError("loss: masked words and matching need teacher-forced rollouts; set loss.imitation.weight.")
        if not 0 < loss.masked_words.rate < 1:
            raise InputError(f"loss.masked_words.rate must lie between 0 and 1, not {loss.masked_words.rate}.")
        if loss.masked_words.weight > 0 and not model.bidirectional:
            raise InputError(
                "loss.masked_words needs a network whose text sees the walk: --model.architecture.bidirectional."
            )

    def _check_released_consistency(self) -> None:
        """The released loss computes padding too, reads words itself, and works with four layers."""
        model = self.model
        if not (model.released.padding and model.reader == "none" and model.crossmodal_layers == 4):
            raise InputError(
                "the released consistency loss needs --model.architecture.released.padding, --model.reader none and "
                "--model.crossmodal-layers 4, as in the released code."
            )

    as_today = staticmethod(run_as_today)

    @property
    def network(self) -> ModelConfig:
        """The model that is trained: where its `max_text` is not given, it reads texts as long as the tasks need."""
        if self.model.max_text is not None:
            return self.model
        splits = (*self.data.train, self.selection.split)
        needed = max(Split.parse(text).task.max_text for text in splits)
        return dataclasses.replace(self.model, max_text=self.model.text_length_for(needed))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> TrainConfig:
        """The config that `to_dict` gave, read from `path`."""
        config: TrainConfig = from_plain(cls, values, path)
        return config
