"""How a speaker is trained, and how it makes new training data; nothing here imports torch."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from mtvm.configs.data import DataConfig, Split
from mtvm.configs.run import OptimizerConfig, check_episodes
from mtvm.errors import InputError
from mtvm.io.config_files import check_numbers, from_plain, to_plain
from mtvm.io.earlier_configs import speaker_as_today
from mtvm.models.config import SpeakerModelConfig


@dataclasses.dataclass(frozen=True)
class SpeakerConfig:
    """The training of a speaker."""

    out: Path = Path("runs/speaker")
    """Folder of the speaker. If one is being trained there already, it is resumed."""
    model: SpeakerModelConfig = dataclasses.field(default_factory=SpeakerModelConfig)
    data: DataConfig = dataclasses.field(default_factory=lambda: DataConfig(sight="names", mirror=True))
    optimizer: OptimizerConfig = dataclasses.field(
        default_factory=lambda: OptimizerConfig(
            kind="muon", updates=3000, lr=1e-3, schedule="cosine", warmup=100, clip=5.0, ema=0.995
        )
    )
    label_smoothing: float = 0.1
    validate_on: str = "r2r/val_seen"
    """The weights with the lowest loss on this split are kept."""
    validate_every: int = 500
    """Updates between validations."""
    batch: int = 64
    """Texts of an update, over all processes."""
    seed: int = 0
    device: str = "auto"
    """auto, cpu, cuda or cuda:N."""
    log_every: int = 50
    """Updates between two lines of the record."""
    save_minutes: float = 5.0
    """Minutes between checkpoints; one is also saved at every validation and at the end."""
    tensorboard: bool = False
    """Also write curves for TensorBoard."""

    def __post_init__(self) -> None:
        Split.parse(self.validate_on)
        check_numbers(self)
        check_episodes(self.batch, "batch")
        if min(self.validate_every, self.log_every) < 1 or self.seed < 0:
            raise InputError("validate_every and log_every must be at least 1, and the seed at least 0.")
        if not 0 <= self.label_smoothing < 1:
            raise InputError(f"label_smoothing must lie from 0 to below 1, not {self.label_smoothing}.")

    as_today = staticmethod(speaker_as_today)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> SpeakerConfig:
        """The config that `to_dict` gave, read from `path`."""
        config: SpeakerConfig = from_plain(cls, values, path)
        return config


@dataclasses.dataclass(frozen=True)
class AugmentConfig:
    """How many new instructions to make, of what, and which to keep."""

    out: Path
    """The file to write (.json or .json.gz)."""
    speaker: Path | None = None
    """Folder of the speaker that describes new paths."""
    instructions: Path | None = None
    """Instead of a speaker: a file that was made before, whose instructions another follower chooses from."""
    follower: Path | None = None
    """Folder of the run whose best agent scores the instructions; without one, all of them are kept."""
    paths: int = 60_000
    """Number of paths to describe."""
    not_in: tuple[str, ...] = ("r2r/val_seen",)
    """Splits whose paths the speaker leaves alone: those that agents are selected on, and the files of earlier rounds,
    as prevalent/FILE."""
    keep: float = 0.5
    """Share of them to keep: those whose path the follower finds most probable, given the instruction."""
    temperature: float = 0.5
    """Of the speaker's words; 0 takes the most probable ones."""
    folder: Path | None = None
    """Data folder; default: the speaker's or $MTVM_DATA."""
    seed: int = 0
    shard: int = 4096
    """Paths of a shard."""

    def __post_init__(self) -> None:
        check_numbers(self)
        if not self.out.name.endswith((".json", ".json.gz")):
            raise InputError(f"--out {self.out}: name a file that ends in .json or .json.gz.")
        if self.out.is_dir():
            raise InputError(f"--out {self.out}: is a folder; name a file in it.")
        for text in self.not_in:
            Split.parse(text)
        if (self.speaker is None) == (self.instructions is None):
            raise InputError("give either --speaker, to describe new paths, or --instructions, to choose from a file.")
        if self.instructions is not None and self.follower is None:
            raise InputError("--instructions are chosen by a follower; give its run with --follower.")
        if self.paths < 1 or self.shard < 1 or self.seed < 0:
            raise InputError("paths and shard must be at least 1, and the seed at least 0.")
        if not 0 < self.keep <= 1:
            raise InputError(f"keep must be above 0 and at most 1, not {self.keep}.")
        if self.temperature < 0:
            raise InputError(f"temperature cannot be negative, as {self.temperature} is.")
