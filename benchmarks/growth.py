"""How time and memory of an episode grow with the batch, the horizon and the length of the text.

    python benchmarks/growth.py                     # small-256; some minutes on two quiet cores
    python benchmarks/growth.py --size r2r-semantic --axes batch

Every point is measured in a process of its own, on the teacher's walks, without gradients and with them. The usual
loop of `benchmarks/training.py` stands beside ours where it does not take too long.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from both_loops import (
    CONSOLE,
    SIZES,
    Setting,
    find_data,
    load_split,
    print_machine,
    texts_of_length,
    walk_back_and_forth,
)
from rich.table import Table
from usual_loop import HORIZON, Draws, Walk

from mtvm.learning.teacher import Follow
from mtvm.tasks.data import DataFolder

GROWTH = {"batch": (8, 16, 32, 64, 128), "horizon": (15, 30, 80), "text": (20, 40, 80)}
GROWTH_BATCH = {"horizon": 8, "text": 16}
CHEAP_FOR_THE_USUAL = {"batch": 16, "horizon": 15, "text": 40}
"""The largest points at which the usual loop's growth is measured too."""


@dataclasses.dataclass
class Point:
    """What is measured in one process."""

    size: str
    way: str
    axis: str
    value: int
    data: str
    folder: str
    """Of the feature stores that were made before."""

    @property
    def batch(self) -> int:
        return self.value if self.axis == "batch" else GROWTH_BATCH[self.axis]


def measure_growth(size: str, axis: str, data: Path, folder: Path) -> None:
    """Each point is measured once: what counts is the row of them."""
    table = Table(axis, "way", "batch", "steps", title=f"{size}: growth with {axis} (teacher's walks)")
    for heading in ("training ms/episode", "ms/step", "MB/episode", "walking ms/episode", "ms/step", "MB/episode"):
        table.add_column(heading, justify="right")
    for value in GROWTH[axis]:
        for way in ("ours", "usual") if value <= CHEAP_FOR_THE_USUAL[axis] else ("ours",):
            point = Point(size, way, axis, value, str(data), str(folder))
            found = in_own_process(point)
            if found is None:
                table.add_row(str(value), way, str(point.batch), "did not finish (memory?)")
                continue
            cells = []
            for job in ("training", "walking"):
                milliseconds = 1000 * found[f"{job}_seconds"]
                cells.append(f"{milliseconds / point.batch:.1f}")
                cells.append(f"{milliseconds / found['steps']:.2f}")
                cells.append(f"{found[f'{job}_megabytes'] / point.batch:.1f}")
            table.add_row(str(value), way, str(point.batch), f"{found['steps'] / point.batch:.1f}", *cells)
    CONSOLE.print(table)


def in_own_process(point: Point) -> dict[str, float] | None:
    command = [sys.executable, __file__, "--point", json.dumps(dataclasses.asdict(point))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode < 0:  # killed
        return None
    done.check_returncode()
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_point(point: Point) -> dict[str, float]:
    """Time and peak memory of teacher's walks: first without losses and gradients, then with them."""
    splits = {"train": load_split(DataFolder(Path(point.data)), "train")}
    setting = Setting(SIZES[point.size], splits, Path(point.folder))
    scene = setting.scenes["train"]
    rows = np.arange(point.batch) % len(scene.episodes)
    episodes, tokens = scene.episodes.select(rows), scene.texts.select(torch.from_numpy(rows))
    follow: Follow = "goal"
    if point.axis == "horizon":
        episodes, follow = walk_back_and_forth(episodes, point.value), "path"
    if point.axis == "text":
        tokens = setting.model.language.read(texts_of_length(tokens, point.value))
    horizon = point.value if point.axis == "horizon" else HORIZON

    def rollout(count: int, learn: bool) -> int:
        """Of the first `count` episodes; the number of steps."""
        setting.train(learn)
        walk = Walk("teacher", Draws.make(count, horizon, 0), learn, max_steps=horizon, follow=follow)
        some, texts = episodes.select(np.arange(count)), tokens.select(torch.arange(count))
        with torch.set_grad_enabled(learn):
            if point.way == "ours":
                loss, _, rolled = setting.our_rollout_of(scene.vision, some, texts, walk)
                steps = rolled.steps
            else:
                usual = scene.usual.roll_out(some, texts, walk, passes=setting.passes if learn else 1)
                loss, steps = usual.loss, sum(usual.lengths)
        if learn:
            loss.backward()
        return steps

    rollout(2, False)  # the first of anything is slower, and takes memory that stays
    before = memory_megabytes("VmRSS")
    found: dict[str, float] = {}
    for job, learn in (("walking", False), ("training", True)):
        if learn:
            for parameter in setting.model.parameters():
                if parameter.requires_grad:
                    parameter.grad = torch.zeros_like(parameter)
                    before += parameter.grad.nbytes / 1e6
            rollout(2, True)
        forget_peak()
        setting.model.zero_grad(set_to_none=False)
        started = time.perf_counter()
        found["steps"] = rollout(point.batch, learn)
        found[f"{job}_seconds"] = time.perf_counter() - started
        found[f"{job}_megabytes"] = memory_megabytes("VmHWM") - before
    return found


def forget_peak() -> None:
    """Let the peak of this process begin anew. (`ru_maxrss` cannot; and it begins with the parent's own peak.)"""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")


def memory_megabytes(field: str) -> float:
    """VmRSS: what this process holds now. VmHWM: its peak since `forget_peak`."""
    if sys.platform != "linux":
        return math.nan
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="small-256")
    parser.add_argument("--axes", nargs="+", choices=GROWTH, default=list(GROWTH))
    parser.add_argument("--data", type=Path, help="default: $MTVM_DATA, ../shared/data, or built-in homes")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.point:
        print(json.dumps(run_point(Point(**json.loads(arguments.point)))))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")  # also of the processes that measure
        data = find_data(arguments.data, Path(folder))
        print_machine("at the start")
        for axis in arguments.axes:
            measure_growth(arguments.size, axis, data, Path(folder))
        print_machine("at the end")


if __name__ == "__main__":
    main()
