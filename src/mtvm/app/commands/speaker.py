"""`mtvm speaker` and `mtvm augment`: instructions for new paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.app.commands.training import run
from mtvm.app.options import console, with_absolute_paths
from mtvm.app.tables import print_speaker
from mtvm.configs.speaker import AugmentConfig, SpeakerConfig

_DEFAULT = SpeakerConfig()


def train(config: Annotated[SpeakerConfig, arg(name="")] = _DEFAULT) -> None:
    """Train a speaker, which describes paths in words.

    An existing training in the output folder is resumed. Ctrl-C saves and stops.
    """
    from mtvm.learning.speaking import text_scorers

    text_scorers()  # what is missing is said before the training, not after it
    run(dataclasses.replace(config, data=with_absolute_paths(config.data)))


def evaluate(
    folder: Annotated[Positional[Path], arg(metavar="SPEAKER", help="Folder of a speaker.")],
    split: Annotated[str, arg(metavar="TASK/SPLIT", help="Paths to describe.")] = "r2r/val_unseen",
    samples: Annotated[int, arg(metavar="N", help="How many descriptions to show.")] = 5,
    data: Annotated[
        Path | None,
        arg(metavar="DIR", help="Data folder.", help_behavior_hint="(default: the speaker's or $MTVM_DATA)"),
    ] = None,
) -> None:
    """Score what a speaker says: BLEU-4, ROUGE-L and CIDEr.

    Writes the scores and all descriptions to SPEAKER/eval/TASK-SPLIT.json.
    """
    from mtvm.learning.speaking import evaluate_speaker

    print_speaker(evaluate_speaker(folder, split, data), samples)


def augment(config: Annotated[AugmentConfig, arg(name="")]) -> None:
    """Describe new paths with a speaker, for an agent to train on.

    Samples shortest paths like those that the speaker was trained on, in the same buildings, and writes them in
    PREVALENT's format. With a follower, keeps the instructions that it understands best. With --instructions, a
    follower chooses from a file that was made before. An interrupted call goes on where it stopped.
    """
    from mtvm.learning.augment import augment as make

    numbers = make(config)
    for name, value in numbers.items():
        console.print(f"{name}: {value:,.3f}" if isinstance(value, float) else f"{name}: {value:,}")
    out = escape(str(config.out))
    console.print(f"Written to {out}; train on it with --data.train r2r/train prevalent/{out}.", soft_wrap=True)


COMMANDS: dict[str, Callable[..., None]] = {"train": train, "eval": evaluate}
