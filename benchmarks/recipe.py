"""An update of the headline recipe by each way of multiplying, with the memory bank and with a memory of linear cost,
taking turns in one process.

    python benchmarks/recipe.py --data DATA                 # r2r-map on $MTVM_DATA
    python benchmarks/recipe.py --hidden 128 256 --sight names+guesses --repeats 8

Times are medians of CPU time, so that other work on the machine counts little; ratios are against MKL with the memory
bank, as before there was a choice.
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
from rich.table import Table

from mtvm import products
from mtvm.configs.presets import PRESETS
from mtvm.learning.trainer import Trainer
from mtvm.learning.update import AgentLearner

HISTORIES = ("memory", "cached")


def make_learner(arguments: argparse.Namespace, hidden: int, history: str, teacher: bool, folder: Path) -> AgentLearner:
    preset = PRESETS["r2r-map"]
    model = dataclasses.replace(preset.model, hidden=hidden, intermediate=4 * hidden, history=history)
    loss = dataclasses.replace(preset.loss, teacher_forced_updates=preset.optimizer.updates if teacher else 0)
    data = dataclasses.replace(preset.data, folder=arguments.data, sight=arguments.sight)
    config = dataclasses.replace(
        preset, out=folder / f"{history}-{teacher}-{hidden}", model=model, data=data, loss=loss, tensorboard=False
    )
    learner = Trainer(config, show_progress=False).learner
    assert isinstance(learner, AgentLearner)
    return learner


def measure(arguments: argparse.Namespace, hidden: int, teacher: bool, folder: Path) -> None:
    learners = {history: make_learner(arguments, hidden, history, teacher, folder) for history in HISTORIES}
    jobs = [(history, kind) for history in HISTORIES for kind in products.KINDS]
    times: dict[tuple[str, products.Kind], list[float]] = {job: [] for job in jobs}
    for repeat in range(arguments.repeats + 1):  # the first of anything is slower
        for history, kind in jobs:
            learner = learners[history]
            learner.updates, learner.batches.taken[0] = repeat, repeat  # the same episodes for all
            with products.using(kind):
                started = time.process_time()
                learner.update()
                times[history, kind].append(time.process_time() - started)
    seconds = {job: statistics.median(taken[1:]) for job, taken in times.items()}
    title = f"r2r-map, hidden {hidden}, batch 32, {'teacher' if teacher else 'student'}'s updates"
    table = Table("history", "products", "CPU seconds", "times as fast", title=title)
    for job in jobs:
        table.add_row(*job, f"{seconds[job]:.2f}", f"{seconds[jobs[0]] / seconds[job]:.2f}")
    arguments.console.print(table)


def main() -> None:
    from rich.console import Console

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hidden", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--data", type=Path, default=os.environ.get("MTVM_DATA"))
    parser.add_argument("--sight", default="names")
    parser.add_argument("--repeats", type=int, default=6)
    arguments = parser.parse_args()
    arguments.console = Console(highlight=False)
    torch.set_num_threads(1)
    products.use("onednn")  # so that it keeps as many compiled operations as it will need
    with tempfile.TemporaryDirectory() as folder:
        for hidden in arguments.hidden:
            for teacher in (True, False):
                measure(arguments, hidden, teacher, Path(folder))


if __name__ == "__main__":
    main()
