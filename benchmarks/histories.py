"""An update with the memory bank and with a memory of linear cost, `--model.history cached`, which is computed step by
step or in one pass: on R2R, R4R and the long journeys of the built-in world, taking turns in one process.

    python benchmarks/histories.py                          # r2r-map; R2R and R4R are those of $MTVM_DATA
    python benchmarks/histories.py --preset r2r-claims --walks r4r --hidden 256 --repeats 8

Times are medians of CPU time, so that other work on the machine counts little. In one pass, the teacher's walks need no
model, and students walk without gradients first.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import statistics
import tempfile
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from mtvm import products
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.homes.build import WorldConfig, build_world
from mtvm.io.files import write_json
from mtvm.learning import rollout
from mtvm.learning.trainer import Trainer
from mtvm.learning.update import AgentLearner
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.tasks.r4r import build_r4r

WALKS = ("r2r", "r4r", "long")
WAYS = {"memory bank": "memory", "cached, step by step": "cached", "cached, in one pass": "cached"}
HOMES = 6
R4R_ENTRIES = 500


def data_of(walks: str, arguments: argparse.Namespace, folder: Path) -> DataConfig:
    """What an agent learns from."""
    given = dataclasses.replace(PRESETS[arguments.preset].data, folder=arguments.data, sight=arguments.sight)
    if walks == "r2r":
        return given
    if walks == "r4r":
        return dataclasses.replace(given, train=(f"r4r/{some_r4r(DataFolder.resolve(arguments.data), folder)}",))
    homes = folder / "homes"
    build_world(WorldConfig(homes=HOMES, features="names"), homes, show_progress=False)
    return dataclasses.replace(given, folder=homes, sight="names", train=("long/train",))


def some_r4r(data: DataFolder, folder: Path) -> Path:
    """A file with some of R4R's paths."""
    short, path = load_episodes("r2r", "train", data), folder / "R4R_train.json"
    entries = build_r4r(short.source, short.world)
    write_json(path, entries[:: max(len(entries) // R4R_ENTRIES, 1)])
    return path


def make_learner(arguments: argparse.Namespace, data: DataConfig, way: str, teacher: bool, out: Path) -> AgentLearner:
    preset: TrainConfig = PRESETS[arguments.preset]
    hidden = arguments.hidden
    model = dataclasses.replace(preset.model, hidden=hidden, intermediate=4 * hidden, history=WAYS[way])
    loss = dataclasses.replace(preset.loss, teacher_forced_updates=preset.optimizer.updates if teacher else 0)
    config = dataclasses.replace(preset, out=out, model=model, data=data, loss=loss, tensorboard=False)
    learner = Trainer(config, show_progress=False).learner
    assert isinstance(learner, AgentLearner)
    return learner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=[name for name in PRESETS if name.startswith("r2r")], default="r2r-map")
    parser.add_argument("--walks", nargs="+", choices=WALKS, default=list(WALKS))
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--data", type=Path, default=os.environ.get("MTVM_DATA"))
    parser.add_argument("--sight", default="names")
    parser.add_argument("--repeats", type=int, default=4)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    console = Console(highlight=False)
    table = Table("walks", "updates", "way", "steps", "CPU seconds", "ms a step", "times as fast")
    batch = PRESETS[arguments.preset].batch
    table.title = f"{arguments.preset}, hidden {arguments.hidden}, batch {batch}, one thread"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for walks in arguments.walks:
            data = data_of(walks, arguments, folder)
            for teacher in (True, False):
                learners = {
                    way: make_learner(arguments, data, way, teacher, folder / f"{walks}-{teacher}-{number}")
                    for number, way in enumerate(WAYS)
                }
                add_rows(table, walks, "teacher" if teacher else "student", learners, arguments.repeats)
    console.print(f"products by {products.kind()}")
    console.print(table)


def add_rows(table: Table, walks: str, policy: str, learners: dict[str, AgentLearner], repeats: int) -> None:
    """Students walk as far as their weights lead them, so what counts is the time of a step of all episodes."""
    seconds: dict[str, list[float]] = {way: [] for way in learners}
    steps: dict[str, list[float]] = {way: [] for way in learners}
    for repeat in range(repeats + 1):  # the first of anything is slower
        for way, learner in learners.items():
            learner.updates, learner.batches.taken[0] = repeat, repeat  # the same episodes for all
            at_once = way == "cached, in one pass"
            rollout.computes_at_once = lambda *_, at_once=at_once: at_once
            started = time.process_time()
            recorded = learner.update()
            seconds[way].append(time.process_time() - started)
            steps[way].append(recorded[f"{policy}_steps"])
    each = {
        way: statistics.median(
            1000 * taken / count for taken, count in zip(seconds[way][1:], steps[way][1:], strict=True)
        )
        for way in learners
    }
    for way in learners:
        length, taken = statistics.mean(steps[way]), statistics.median(seconds[way][1:])
        ratio = each["memory bank"] / each[way]
        table.add_row(walks, f"{policy}'s", way, f"{length:.1f}", f"{taken:.2f}", f"{each[way]:.0f}", f"{ratio:.2f}")


if __name__ == "__main__":
    main()
