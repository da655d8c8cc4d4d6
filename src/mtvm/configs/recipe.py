"""Recipes: trainings in stages, each of which starts from the best weights of the one before. Nothing here imports
torch.

A recipe is a preset like a run: `mtvm train RECIPE` goes through its stages, and is resumed wherever it stopped.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from mtvm.configs.data import DataConfig
from mtvm.configs.run import LossConfig, OptimizerConfig, SelectionConfig, TrainConfig
from mtvm.errors import InputError, brief
from mtvm.io.config_files import from_plain, to_plain
from mtvm.models.config import ModelConfig

_STAGE_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_TAKEN = ("best", "eval", "tensorboard")


@dataclasses.dataclass(frozen=True)
class StageConfig:
    """One training of a recipe."""

    train: tuple[str, ...] = ()
    """Splits to train on; by default the recipe's `data.train`."""
    loss: LossConfig = dataclasses.field(default_factory=LossConfig)
    optimizer: OptimizerConfig = dataclasses.field(default_factory=OptimizerConfig)
    selection: SelectionConfig = dataclasses.field(default_factory=SelectionConfig)
    batch: int = 16
    """Episodes of an update, over all processes."""
    alternate: bool = False
    """Alternate between the kinds of rollouts, one kind an update, instead of all of them in each."""

    @classmethod
    def of(cls, run: TrainConfig, train: tuple[str, ...] = ()) -> StageConfig:
        """The stage that learns what a run learns."""
        return cls(train, run.loss, run.optimizer, run.selection, run.batch, run.alternate)


@dataclasses.dataclass(frozen=True)
class RecipeConfig:
    """A training in stages, from data to the evaluation of the best agent."""

    out: Path
    """Folder of the recipe. It becomes that of the last stage's run; earlier stages have folders in it."""
    model: ModelConfig
    stages: dict[str, StageConfig]
    """The stages by name, in their order."""
    data: DataConfig = dataclasses.field(default_factory=DataConfig)
    init: Path | None = None
    """Weights that the first stage starts from."""
    seed: int = 0
    """Seed of all stages."""
    device: str = "auto"
    """auto, cpu, cuda or cuda:N."""
    log_every: int = 10
    """Updates between two lines of the record."""
    save_minutes: float = 5.0
    """Minutes between checkpoints; one is also saved at every validation and at the end."""
    tensorboard: bool = True
    """Also write curves for TensorBoard."""

    def __post_init__(self) -> None:
        if not self.stages:
            raise InputError("stages: a recipe has at least one.")
        for name in self.stages:
            if not _STAGE_NAME.fullmatch(name) or name in _TAKEN:
                raise InputError(f"stages: '{brief(name)}' cannot name a stage; use small letters, digits and dashes.")
        self.runs()  # each of them is checked

    def runs(self) -> dict[str, TrainConfig]:
        """The run of each stage."""
        found: dict[str, TrainConfig] = {}
        init, last = self.init, list(self.stages)[-1]
        for name, stage in self.stages.items():
            out = self.out if name == last else self.out / name
            data = dataclasses.replace(self.data, train=stage.train or self.data.train)
            found[name] = TrainConfig(
                out=out,
                model=self.model,
                data=data if name == last else dataclasses.replace(data, evaluate=()),
                loss=stage.loss,
                optimizer=stage.optimizer,
                selection=stage.selection,
                init=init,
                batch=stage.batch,
                alternate=stage.alternate,
                seed=self.seed,
                device=self.device,
                log_every=self.log_every,
                save_minutes=self.save_minutes,
                tensorboard=self.tensorboard,
            )
            init = (out / "best").absolute()
        return found

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> RecipeConfig:
        """The config that `to_dict` gave, read from `path`."""
        config: RecipeConfig = from_plain(cls, values, path)
        return config
