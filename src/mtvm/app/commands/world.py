"""`mtvm demo`, `doctor` and `homes`: the built-in world and the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from rich.markup import escape
from tyro.conf import arg

from mtvm.app.options import DataOption, console
from mtvm.errors import InputError
from mtvm.machine import check_workers


def demo(
    out: Path = Path("runs/demo"),
    homes: int = 36,
    seed: int = 0,
    updates: Annotated[int | None, arg(metavar="N", help_behavior_hint="(default: the preset's)")] = None,
) -> None:
    """Train agents with and without memory and compare them.

    Builds the built-in world, trains both agents, and prints their scores beside a random agent and the shortest path;
    OUT/report.html adds curves and images. An interrupted demo resumes where it stopped.

    Args:
        out: Folder for the runs, result files and report; the world itself goes to the cache.
        homes: Number of homes; fewer are built faster.
        seed: Seed of the homes and of the random agent.
        updates: Number of training updates.
    """
    from mtvm.app.demo import run_demo

    if updates is not None and updates < 1:
        raise InputError(f"--updates must be at least 1, not {updates}.")
    run_demo(out, homes, seed, console, updates)


def doctor(data: DataOption = None) -> None:
    """Show what is installed, what is missing, and how to fix it."""
    from mtvm.app.doctor import examine

    examine(data, console)


def build(
    homes: Annotated[int, arg(help="Number of homes.")] = 36,
    seed: Annotated[int, arg(help="Seed of the homes.")] = 0,
    out: Annotated[
        Path | None, arg(metavar="DIR", help="Output folder.", help_behavior_hint="(default: in the cache)")
    ] = None,
    face_size: Annotated[int, arg(help="Edge of a skybox face.", metavar="PIXELS")] = 256,
    features: Annotated[
        Literal["all", "names", "none"],
        arg(help="Features from images and names, from names only (draws no images), or none."),
    ] = "all",
    workers: Annotated[
        int | None, arg(metavar="N", help="Processes.", help_behavior_hint="(default: one per core)")
    ] = None,
) -> None:
    """Build homes with panoramas, instructions, dialogs and features.

    The files have the formats of Matterport3D, R2R and NDH. An interrupted build resumes; an existing world is checked
    and reused.
    """
    from mtvm.homes.build import WorldConfig, build_world

    config = WorldConfig(homes=homes, seed=seed, face_size=face_size, features=features)
    folder = build_world(config, out, check_workers(workers))
    console.print(f"The world is in {escape(str(folder))}; use it with --data or $MTVM_DATA.", soft_wrap=True)
