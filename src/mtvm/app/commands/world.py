"""`mtvm demo`, `doctor` and `homes`: the built-in world, and what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from rich.markup import escape
from tyro.conf import arg

from mtvm.app.options import DataOption, console


def demo(out: Path = Path("runs/demo"), homes: int = 36, seed: int = 0, updates: int | None = None) -> None:
    """Build the world that comes with the package, train an agent with memory and one without, and compare them.

    The scores stand in tables beside a random agent and the shortest path, and in OUT/report.html with curves and
    pictures. A demo that was stopped goes on where it was.

    Args:
        out: Folder for the runs, result files and the report; the world itself goes to the cache.
        homes: Fewer homes are built faster.
        seed: Another seed makes other homes and another random agent.
        updates: Train longer or shorter than the preset does.
    """
    from mtvm.app.demo import run_demo

    run_demo(out, homes, seed, console, updates)


def doctor(data: DataOption = None) -> None:
    """Say what is installed, which data is found, which device is used, and what is missing with the remedy."""
    from mtvm.app.doctor import examine

    examine(data, console)


def build(
    homes: Annotated[int, arg(help="How many homes.")] = 36,
    seed: Annotated[int, arg(help="Another seed makes other homes.")] = 0,
    out: Annotated[Path | None, arg(metavar="DIR", help="Default: a folder in the cache.")] = None,
    face_size: Annotated[int, arg(help="Pixels of a skybox face's edge.", metavar="PIXELS")] = 256,
    features: Annotated[
        Literal["all", "names", "none"],
        arg(help="Make features of images and names, of names only (no image is drawn), or none."),
    ] = "all",
    workers: Annotated[int | None, arg(metavar="N", help="Processes; default one a core.")] = None,
) -> None:
    """Build homes, panoramas, instructions, dialogs and features, in the formats of Matterport3D, R2R and NDH.

    A build that is stopped goes on where it was; one that is there already is checked and used.
    """
    from mtvm.homes.build import WorldConfig, build_world

    config = WorldConfig(homes=homes, seed=seed, face_size=face_size, features=features)
    folder = build_world(config, out, workers)
    console.print(f"The world is in {escape(str(folder))}; use it with --data or $MTVM_DATA.", soft_wrap=True)
