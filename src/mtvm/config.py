"""What a training run is made of. `PRESETS` has the runs that we know; any field can be set on the command line."""

from __future__ import annotations

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from mtvm.app.runs import differences
from mtvm.errors import InputError
from mtvm.learning.a2c import A2CConfig
from mtvm.learning.consistency import ConsistencyConfig
from mtvm.learning.losses import LossConfig
from mtvm.learning.teacher import Follow
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.config import ModelConfig
from mtvm.tasks.load import TASKS, Task
from mtvm.tasks.metric import EVALUATED
from mtvm.tasks.ndh import Supervision

Kind = Literal["adamw", "muon"]
Schedule = Literal["constant", "linear", "cosine"]
Precision = Literal["auto", "float32", "bf16", "fp16"]

HORIZONS: dict[Task, int] = {"r2r": 15, "prevalent": 15, "r4r": 30, "long": 30, "ndh": 80}
_ORACLE_HORIZON = 20


@dataclasses.dataclass(frozen=True)
class Part:
    """A split of a task: `r2r/train`, or `prevalent/aug@0.5` with a weight."""

    task: Task
    split: str
    weight: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Part:
        name, _, weight = text.partition("@")
        task, _, split = name.partition("/")
        if task not in TASKS or not split:
            raise InputError(f"'{text}' is not task/split or task/split@weight, with a task of {', '.join(TASKS)}.")
        try:
            number = float(weight or 1)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise InputError(f"'{text}': the weight after @ must be a number above 0.")
        return cls(task, split, number)

    @property
    def name(self) -> str:
        return f"{self.task}/{self.split}"


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """What is read."""

    folder: Path | None = None
    """Data folder; default $MTVM_DATA."""
    features: Path | None = None
    """Feature store of the views. Without one, and without `semantic`, the agent is blind."""
    semantic: bool = False
    """Without a store, make one of the names of rooms and objects that the data folder's semantics file lists."""
    train: tuple[str, ...] = ("r2r/train",)
    """Splits to train on, as task/split or task/split@weight; they take turns by weight."""
    evaluate: tuple[str, ...] = ("r2r/val_seen", "r2r/val_unseen")
    """Splits on which the best agent is evaluated at the end."""
    supervision: Supervision = "mixed"
    """NDH: whose path is the reference."""
    follow: Follow | None = None
    """Whether the teacher leads to the goal by the shortest way, or along the reference path; default is the path for
    R4R and long, where the way matters, else the goal."""
    mirror: bool = False
    """Walk half of the training episodes in mirrored buildings: left is right, in the directions and in the text."""
    horizon: int | None = None
    """Steps before a walk is cut; default 15 for R2R, 30 for R4R and long, 20 or 80 for NDH by supervision."""

    def __post_init__(self) -> None:
        for text in (*self.train, *self.evaluate):
            Part.parse(text)
        if not self.train:
            raise InputError("data.train names no split.")
        if self.horizon is not None and self.horizon < 1:
            raise InputError(f"data.horizon must be at least 1, not {self.horizon}.")

    def followed(self, task: Task) -> Follow:
        """Whom the teacher of a task follows."""
        return self.follow or ("path" if task in ("r4r", "long") else "goal")

    def steps(self, task: Task) -> int:
        """The horizon of a task."""
        if self.horizon is not None:
            return self.horizon
        return _ORACLE_HORIZON if task == "ndh" and self.supervision == "oracle" else HORIZONS[task]


@dataclasses.dataclass(frozen=True)
class OptimizerConfig:
    """AdamW or Muon, and what goes with them."""

    kind: Kind = "adamw"
    """muon: weight matrices go by Muon, which learns from fewer updates where weights begin at random; what is not a
    matrix goes by AdamW."""
    updates: int = 10_000
    rate: float = 5e-6
    """Learning rate."""
    language_rate: float = 1.0
    """Factor on it for the language encoder."""
    weight_decay: float = 0.01
    warmup: int = 0
    """Updates over which the rate grows from 0."""
    schedule: Schedule = "constant"
    """How the rate goes to 0 after the warm-up, or not at all."""
    clip: float = 40.0
    """Largest gradient norm; 0 does not clip."""
    accumulate: int = 1
    """Parts into which a batch is cut, one after the other, to save memory."""
    ema: float = 0.0
    """Decay of the running mean of the weights, which is then what is evaluated and saved; 0 has none."""
    precision: Precision = "auto"
    """auto is bf16 on a GPU and float32 on a CPU."""
    checkpoint_activations: bool = False
    """Compute activations twice instead of keeping them."""
    frozen_language_layers: int = 0
    """Word embeddings and so many layers of the language encoder that stay as they are."""

    def __post_init__(self) -> None:
        if self.updates < 1 or self.accumulate < 1:
            raise InputError("optimizer.updates and optimizer.accumulate must be at least 1.")
        if not 0 < self.rate < 1 or self.language_rate < 0 or self.weight_decay < 0 or self.clip < 0 or self.warmup < 0:
            raise InputError("optimizer: rates lie above 0 and below 1, decay, clip and warmup at 0 or above.")
        if not 0 <= self.ema < 1:
            raise InputError(f"optimizer.ema must lie from 0 to below 1, not {self.ema}.")


@dataclasses.dataclass(frozen=True)
class SelectionConfig:
    """When to evaluate, and which weights are the best."""

    split: str = "r2r/val_unseen"
    """The split that chooses. The paper chooses on val_unseen; a result to report should not."""
    metric: str = "SPL"
    every: int = 500
    """Updates between evaluations."""
    patience: int | None = None
    """Stop after so many evaluations without a better one; None never does."""
    limit: int | None = None
    """Evaluate on the first so many episodes only."""

    def __post_init__(self) -> None:
        Part.parse(self.split)
        if self.metric not in EVALUATED:
            raise InputError(f"selection.metric '{self.metric}' is none of {', '.join(EVALUATED)}.")
        for name in ("every", "patience", "limit"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise InputError(f"selection.{name} must be at least 1, not {number}.")


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """A training run, from data to the best agent."""

    out: Path
    """Folder of the run. A run that is there already goes on where it was."""
    model: ModelConfig
    data: DataConfig = dataclasses.field(default_factory=DataConfig)
    loss: LossConfig = dataclasses.field(default_factory=LossConfig)
    optimizer: OptimizerConfig = dataclasses.field(default_factory=OptimizerConfig)
    selection: SelectionConfig = dataclasses.field(default_factory=SelectionConfig)
    init: Path | None = None
    """Weights to begin with: the folder of an agent or of a run, a checkpoint of PREVALENT or of the authors, a folder
    of BERT; default
    is MiniLM's language encoder where its width fits, else random numbers."""
    batch: int = 16
    """Episodes of an update, over all processes."""
    alternate: bool = False
    """One rollout an update, teacher-forced and sampled in turn, instead of both in each."""
    seed: int = 0
    device: str = "auto"
    """auto, cpu, cuda or cuda:N."""
    log_every: int = 10
    """Updates between two lines of the record."""
    save_minutes: float = 5.0
    """Minutes between checkpoints; one is also saved at every evaluation and at the end."""
    tensorboard: bool = True

    def __post_init__(self) -> None:
        if self.batch < 1 or self.log_every < 1 or self.seed < 0:
            raise InputError("batch and log_every must be at least 1, and the seed at least 0.")
        if max(self.loss.imitation, self.loss.student, self.loss.reinforcement) <= 0:
            raise InputError("loss: imitation, student and reinforcement are all 0, so there is nothing to learn from.")

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return _plain(dataclasses.asdict(self))

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> TrainConfig:
        """The config that `to_dict` gave, read from `path`."""
        return _build(cls, values, path)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _build(kind: Any, values: Any, path: Path) -> Any:
    """`values` as an instance of the type `kind`."""
    options = get_args(kind) if get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    if values is None and type(None) in options:
        return None
    kind = next(option for option in options if option is not type(None))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        if not isinstance(values, dict) or not set(values) <= set(hints):
            unknown = sorted(set(values) - set(hints)) if isinstance(values, dict) else repr(values)[:40]
            raise InputError(f"{path}: not a config of this version of mtvm (unknown: {unknown}).")
        return kind(**{name: _build(hints[name], value, path) for name, value in values.items()})
    if get_origin(kind) is tuple:
        return tuple(values)
    return Path(values) if kind is Path else values


def _presets() -> dict[str, TrainConfig]:
    replace = dataclasses.replace
    paper = TrainConfig(
        out=Path("runs/paper"),
        model=MODELS["paper"],
        data=DataConfig(train=("r2r/train", "prevalent/aug")),
    )
    ndh = DataConfig(train=("ndh/train",), evaluate=("ndh/val_seen", "ndh/val_unseen"))
    choice = SelectionConfig(split="ndh/val_unseen", metric="GP")
    r4r = DataConfig(train=("r4r/train",), evaluate=("r4r/val_seen", "r4r/val_unseen"))
    semantic = TrainConfig(
        out=Path("runs/r2r-semantic"),
        model=ModelConfig(
            hidden=128,
            heads=4,
            intermediate=512,
            language_layers=2,
            crossmodal_layers=3,
            reader="minilm",
            feature_width=3 * 384,
            feature_scale=5.0,
            leading_cls=True,
            bidirectional=False,
            dropout=0.0,
            feature_dropout=0.3,
        ),
        data=DataConfig(semantic=True, mirror=True),
        loss=LossConfig(
            imitation=1.0,
            student=1.0,
            own_share=0.5,
            sampled_from=1200,
            reinforcement=0.0,
            consistency=ConsistencyConfig(enabled=False),
        ),
        optimizer=OptimizerConfig(updates=3600, rate=1e-3, schedule="linear", warmup=100, clip=5.0, ema=0.995),
        selection=SelectionConfig(split="r2r/val_seen", every=600),
        batch=64,
        alternate=True,
    )
    long_too = ("r2r/val_seen", "r2r/val_unseen", "long/val_seen", "long/val_unseen")
    demo = TrainConfig(
        out=Path("runs/demo/memory"),
        model=replace(semantic.model, crossmodal_layers=2, reader_layers=0, feature_dropout=0.0),
        data=DataConfig(semantic=True, train=("r2r/train", "long/train"), evaluate=long_too, mirror=True),
        loss=LossConfig(
            imitation=1.0,
            student=1.0,
            own_share=0.4,
            sampled_from=300,
            reinforcement=0.0,
            consistency=ConsistencyConfig(enabled=False),
        ),
        optimizer=OptimizerConfig(
            kind="muon", updates=750, rate=1.5e-3, schedule="cosine", warmup=30, clip=5.0, ema=0.99
        ),
        selection=SelectionConfig(split="r2r/val_seen", every=750),
        batch=16,
        alternate=True,
        tensorboard=False,
    )
    tiny = TrainConfig(
        out=Path("runs/tiny"),
        model=MODELS["tiny"],
        optimizer=OptimizerConfig(updates=20, rate=1e-3),
        selection=SelectionConfig(split="r2r/val_seen", every=10),
        batch=8,
    )
    return {
        "paper": paper,
        "paper-single": replace(paper, out=Path("runs/paper-single"), model=MODELS["paper-single"]),
        "paper-ndh": replace(paper, out=Path("runs/paper-ndh"), data=ndh, selection=choice),
        "paper-r4r": replace(
            paper,
            out=Path("runs/paper-r4r"),
            data=r4r,
            selection=SelectionConfig(split="r4r/val_unseen", metric="SDTW"),
        ),
        "r2r-semantic": semantic,
        "demo": demo,
        "tiny": tiny,
    }


PRESETS: dict[str, TrainConfig] = _presets()
DESCRIPTIONS: dict[str, str] = {
    "paper": "The paper's R2R run: 768 wide, 9 + 4 layers, batch 16, with PREVALENT's augmented instructions.",
    "paper-single": "The same with text only as key and value (MTVM-dagger-star).",
    "paper-ndh": "The paper's NDH run, chosen by goal progress.",
    "paper-r4r": "The paper's model on R4R, following the reference path.",
    "r2r-semantic": "Real R2R without images: room and object names as features. 45 minutes on two cores.",
    "demo": "The small agent of `make demo`, for the built-in world and its long walks. Six minutes on one core.",
    "tiny": "A few seconds, to try things.",
}

__all__ = ["DESCRIPTIONS", "PRESETS", "A2CConfig", "Part", "TrainConfig", "differences"]
