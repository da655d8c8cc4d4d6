"""Options that several commands share."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from rich.console import Console
from tyro.conf import FlagCreatePairsOff, arg

from mtvm.configs.data import DataConfig
from mtvm.tasks.data import DataFolder
from mtvm.tasks.ndh import Supervision

console = Console(emoji=False)  # ':m:' in a name is no picture

Switch = FlagCreatePairsOff[bool]
"""An option that is off unless it is given."""
DataOption = Annotated[Path | None, arg(metavar="DIR", help="Data folder.", help_behavior_hint="(default: $MTVM_DATA)")]
TaskOption = Annotated[str, arg(metavar="TASK", help="r2r, r4r, long, ndh, reverie, rxr, prevalent, or MODULE:SPEC.")]
SplitOption = Annotated[str, arg(metavar="SPLIT", help="val_unseen, ..., or the path of a file in the same format.")]
SupervisionOption = Annotated[Supervision, arg(help="NDH only: which path is the reference.")]
DeviceOption = Annotated[str, arg(help="auto, cpu, cuda or cuda:N.")]


def with_absolute_paths(data: DataConfig) -> DataConfig:
    """So that what is trained with it can be resumed and evaluated from another folder or shell."""
    return dataclasses.replace(
        data,
        folder=DataFolder.locate(data.folder).absolute(),
        features=data.features and data.features.absolute(),
        guesser=data.guesser and data.guesser.absolute(),
        box_guesser=data.box_guesser and data.box_guesser.absolute(),
        train=tuple(map(absolute_split, data.train)),
        evaluate=None if data.evaluate is None else tuple(map(absolute_split, data.evaluate)),
    )


def absolute_split(split: str) -> str:
    """A split, whose data folder is absolute if it has one of its own."""
    folder, elsewhere, name = split.rpartition("::")
    return f"{Path(folder).absolute()}::{name}" if elsewhere else split
