"""How time and memory of an episode grow with the batch, the horizon and the length of the text.

    python benchmarks/growth.py                     # small-256; some minutes on two quiet cores
    python benchmarks/growth.py --size r2r-semantic --axes batch
    python benchmarks/growth.py --axes horizon walk # also a memory of linear cost, --model.history cached

Every point is measured in a process of its own, on the teacher's walks, without gradients and with them, in seconds of
CPU time. The usual loop of `benchmarks/training.py` stands beside ours where it does not take too long. `walk` is one
walk of 1,000 steps in the built-in world, without gradients, at its 10th, 100th and last step.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
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
    SPLITS,
    Ours,
    Setting,
    UsualTraining,
    built_in_world,
    find_data,
    load_split,
    print_machine,
    some_episodes,
)
from equality import only
from process_memory import forget_peak, memory_megabytes
from rich.table import Table
from usual_loop import Size, Walk

from mtvm.learning.data import Dataset
from mtvm.learning.rollout import Watch, roll_out
from mtvm.learning.trace import RolloutPlan
from mtvm.models.text import Tokens
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet

GROWTH = {"batch": (8, 16, 32, 64, 128), "horizon": (15, 30, 80), "text": (20, 40, 80), "walk": (10, 100, 1000)}
GROWTH_BATCH = {"horizon": 8, "text": 16, "walk": 1}
CHEAP_FOR_THE_USUAL = {"batch": 16, "horizon": 15, "text": 40}
"""The largest points at which the usual loop's growth is measured too."""
NAMES = {"ours": "memory bank", "cached": "cached", "usual": "usual loop"}


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


def measure_growth(size: str, axis: str, values: tuple[int, ...], data: Path, folder: Path) -> None:
    """Each point is measured once: what counts is the row of them."""
    table = Table(axis, "way", "batch", "steps", title=f"{size}: growth with {axis} (teacher's walks)")
    for heading in ("training ms/episode", "ms/step", "MB/episode", "walking ms/episode", "ms/step", "MB/episode"):
        table.add_column(heading, justify="right")
    measured: dict[str, list[dict[str, float]]] = {}
    for value in values:
        for way in ways_of(axis, value):
            point = Point(size, way, axis, value, str(data), str(folder))
            found = in_own_process(point)
            if found is None:
                table.add_row(str(value), NAMES[way], str(point.batch), "did not finish (memory?)")
                continue
            measured.setdefault(way, []).append(found)
            cells = []
            for job in ("training", "walking"):
                milliseconds = 1000 * found[f"{job}_seconds"]
                cells.append(f"{milliseconds / point.batch:.1f}")
                cells.append(f"{milliseconds / found['steps']:.2f}")
                cells.append(f"{found[f'{job}_megabytes'] / point.batch:.1f}")
            table.add_row(str(value), NAMES[way], str(point.batch), f"{found['steps'] / point.batch:.1f}", *cells)
    CONSOLE.print(table)
    if axis == "horizon" and len(values) > 1:
        compare_longest(measured, values)


def compare_longest(measured: dict[str, list[dict[str, float]]], horizons: tuple[int, ...]) -> None:
    """The longest walks against those before them."""
    few, many = horizons[-2:]
    table = Table("way", "training: time", "memory", "walking: time", "memory", title=f"{many} steps against {few}")
    for way, found in measured.items():
        if len(found) == len(horizons):
            names = [f"{job}_{what}" for job in ("training", "walking") for what in ("seconds", "megabytes")]
            table.add_row(NAMES[way], *(f"{found[-1][name] / found[-2][name]:.2f}x" for name in names))
    table.add_row("linear", *4 * [f"{many / few:.2f}x"])
    CONSOLE.print(table)


def measure_walk(size: str, steps: tuple[int, ...], folder: Path) -> None:
    """One long walk with each memory."""
    data = built_in_world(folder)
    table = Table(
        "way", "steps", "seconds", "ms/step since the last row", "MB", title=f"{size}: one walk, no gradients"
    )
    for way in ways_of("walk", steps[-1]):
        found = in_own_process(Point(size, way, "walk", steps[-1], str(data), str(folder)))
        if found is None:
            table.add_row(NAMES[way], f"{steps[-1]}", "did not finish (memory?)")
            continue
        before, taken = 0, 0.0
        for number in steps:
            seconds, megabytes = found[f"seconds_{number}"], found[f"megabytes_{number}"]
            each = 1000 * (seconds - taken) / (number - before)
            table.add_row(NAMES[way], f"{number}", f"{seconds:.2f}", f"{each:.1f}", f"{megabytes:.1f}")
            before, taken = number, seconds
    CONSOLE.print(table)


def ways_of(axis: str, value: int) -> list[str]:
    ways = ["ours", "cached"] if axis in ("horizon", "walk") else ["ours"]
    return ways + ["usual"] * (value <= CHEAP_FOR_THE_USUAL.get(axis, 0))


def in_own_process(point: Point) -> dict[str, float] | None:
    command = [sys.executable, __file__, "--point", json.dumps(dataclasses.asdict(point))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode < 0:  # killed
        return None
    done.check_returncode()
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_point(point: Point) -> dict[str, float]:
    """Time and peak memory of teacher's walks: first without losses and gradients, then an update."""
    whole = SIZES[point.size]
    model = dataclasses.replace(whole.model, history="cached" if point.way == "cached" else whole.model.history)
    size = dataclasses.replace(whole, model=model, loss=only(whole.loss, ["teacher"]), batch=point.batch)
    setting = Setting(size, {"train": load_split(DataFolder(Path(point.data)), SPLITS["train"])}, Path(point.folder))
    dataset = grown(setting.datasets["train"], point)
    way = UsualWay(setting, size, dataset) if point.way == "usual" else OurWay(setting, size, dataset)
    if point.axis == "walk":
        assert isinstance(way, OurWay)
        return along_the_walk(way)
    way.walk(min(2, point.batch))  # the first of anything is slower, and takes memory that stays
    before = memory_megabytes("VmRSS")
    found: dict[str, float] = {}
    forget_peak()
    started = time.process_time()
    found["steps"] = way.walk(point.batch)
    found["walking_seconds"] = time.process_time() - started
    found["walking_megabytes"] = memory_megabytes("VmHWM") - before
    # Gradients and the optimizer's two averages, which do not depend on the batch, are not counted.
    before += 3 * sum(one.nbytes for one in setting.model.parameters() if one.requires_grad) / 1e6
    way.update(point.batch)  # the first touches memory that the system must clear
    forget_peak()
    started = time.process_time()
    way.update(point.batch)
    found["training_seconds"] = time.process_time() - started
    found["training_megabytes"] = memory_megabytes("VmHWM") - before
    return found


def along_the_walk(way: OurWay) -> dict[str, float]:
    """Seconds and memory at some steps of one walk."""
    way.walk(1, steps=3)  # the first of anything is slower, and takes memory that stays
    found: dict[str, float] = {}
    before = memory_megabytes("VmRSS")
    number, started = 0, time.process_time()

    def note(_: object) -> None:
        nonlocal number
        number += 1
        if number in GROWTH["walk"]:
            found[f"seconds_{number}"] = time.process_time() - started
            found[f"megabytes_{number}"] = memory_megabytes("VmHWM") - before

    forget_peak()
    way.walk(1, note)
    return found


class OurWay:
    """Ours on the teacher's walks."""

    def __init__(self, setting: Setting, size: Size, dataset: Dataset) -> None:
        self.model, self.dataset = setting.model, dataset
        self.ours = Ours(setting.model, size, dataset)

    @torch.no_grad()
    def walk(self, count: int, watch: Watch | None = None, steps: int | None = None) -> int:
        """Walk the first episodes without losses; the number of steps."""
        self.model.eval()
        rows, dataset = np.arange(count), self.dataset
        text = self.model.encode(self.ours.learner.texts[0].select(torch.from_numpy(rows)))
        plan = RolloutPlan("teacher", steps or dataset.horizon, dataset.follow)
        episodes = dataset.episodes.select(rows)
        return int(roll_out(self.model, dataset.vision, episodes, text, plan, watch=watch).lengths.sum())

    def update(self, count: int) -> None:
        """An update on so many episodes."""
        self.ours.learner.batches.batch = count
        self.ours.update()


class UsualWay:
    """The usual loop on the teacher's walks."""

    def __init__(self, setting: Setting, size: Size, dataset: Dataset) -> None:
        self.dataset = dataset
        self.usual = setting.usual("train", size)
        self.training = UsualTraining(self.usual)
        self.learning = Walk("teacher", passes=size.passes, horizon=dataset.horizon, follow=dataset.follow)

    @torch.no_grad()
    def walk(self, count: int) -> int:
        """Walk the first episodes without losses; the number of steps."""
        self.usual.plain.train(False)
        some = some_episodes(self.dataset, np.arange(count))
        walk = dataclasses.replace(self.learning, learn=False, passes=1)
        return sum(self.usual.roll_out(some.episodes, some.tokens, walk).lengths)

    def update(self, count: int) -> None:
        """An update on so many episodes; the seconds of its rollout."""
        self.training.update(self.dataset, np.arange(count), [self.learning])


# The data of a point


def grown(dataset: Dataset, point: Point) -> Dataset:
    """As many episodes as the point's batch, with references or texts of its length."""
    dataset = some_episodes(dataset, np.arange(point.batch) % len(dataset))
    if point.axis in ("horizon", "walk"):
        episodes = walk_back_and_forth(dataset.episodes, point.value)
        return dataclasses.replace(dataset, episodes=episodes, horizon=point.value, follow="path")
    if point.axis == "text":
        return dataclasses.replace(dataset, tokens=texts_of_length(dataset.tokens, point.value))
    return dataset


def walk_back_and_forth(episodes: EpisodeSet, steps: int) -> EpisodeSet:
    """The same episodes with references of `steps` - 1 moves, so that with the final STOP they take `steps` steps."""
    references = np.full((len(episodes), steps), -1, dtype=np.int32)
    for row in range(len(episodes)):
        there = episodes.references[row, : episodes.reference_lengths[row]]
        round_trip = np.concatenate([there, there[-2:0:-1]])
        references[row] = np.resize(round_trip, steps)
    return dataclasses.replace(episodes, references=references, goals=references[:, -1:])


def texts_of_length(tokens: Tokens, length: int) -> Tokens:
    """The same texts, each repeated until it has so many tokens."""
    ids, words = [], []
    for row, count in enumerate(tokens.lengths.tolist()):
        last = int(tokens.words[row].max()) + 1
        repeats = -(-length // count)
        ids.append(tokens.ids[row, :count].repeat(repeats)[:length])
        shifted = [
            torch.where(tokens.words[row, :count] >= 0, tokens.words[row, :count] + last * number, -1)
            for number in range(repeats)
        ]
        words.append(torch.cat(shifted)[:length])
    return Tokens(torch.stack(ids), torch.stack(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="small-256")
    parser.add_argument("--axes", nargs="+", choices=GROWTH, default=list(GROWTH))
    parser.add_argument("--points", type=int, help="of each axis only the first; default all")
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
            if axis == "walk":
                with tempfile.TemporaryDirectory() as homes:
                    measure_walk(arguments.size, GROWTH[axis], Path(homes))
            else:
                measure_growth(arguments.size, axis, GROWTH[axis][: arguments.points], data, Path(folder))
        print_machine("at the end")


if __name__ == "__main__":
    main()
