"""Episodes per second of training and evaluation on real episodes, against the usual loop in the same run.

    python benchmarks/training.py                                   # the small sizes; a few minutes on two quiet cores
    python benchmarks/training.py --sizes paper --repeats 3 --only training evaluation
    python benchmarks/training.py --data FOLDER                     # default: $MTVM_DATA, ../shared/data, or homes

Ours is the `AgentLearner.update` of trainings. The usual loop is restated in `usual_loop.py` and `usual_environment.py`
with the model of `benchmarks/model.py`: an observation is a dictionary with a list of candidates whose feature rows are
copied from a dictionary of float32 arrays, directions are computed one by one, the teacher looks its way up in nested
dictionaries, and Python loops fill the padded batch; texts are padded to 80 tokens, full and dropped instructions run
one after the other, ended episodes stay in the batch until all have ended, and the memory is copied at each step. It is
kept friendly: candidates come from a table instead of a simulator's sweep, the 36 views that nobody reads are not
copied, and each rollout's gradients are taken before the next rollout, so that it needs less memory.

Both walk the same: before anything is timed, their losses, gradients and walks are compared without dropout
(`equality.py`); and where dropout would lead them apart, the usual loop follows the way that ours has sampled. Features
are random, in half precision, for a few scans, and so are the weights. Walks of random weights differ more in length
than those of a trained agent, and the usual loop pays for the longest of a batch: look at the columns of steps, and at
the teacher's rollouts, whose lengths are the data's.

The paper's size is measured at batch 4, or 8 with `--batch 8`: at its 16 the usual loop's training does not fit into
24 GB.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from both_loops import (
    CONSOLE,
    DEFAULT_SIZES,
    SIZES,
    SPLITS,
    Ours,
    Setting,
    UsualTraining,
    find_data,
    load_split,
    print_machine,
    some_episodes,
)
from equality import Check, DisagreementError
from rich.table import Table
from usual_loop import HORIZON, Walk

from mtvm.learning.agents import walk as evaluate
from mtvm.tasks.data import DataFolder


@dataclasses.dataclass
class Timed:
    seconds: list[float] = dataclasses.field(default_factory=list)
    episodes: int = 0
    steps: int = 0
    """Of all repeats, as `episodes`."""
    longest: int = 0

    @property
    def rate(self) -> float:
        return self.episodes / len(self.seconds) / statistics.median(self.seconds)

    def add(self, seconds: float, lengths: list[int]) -> None:
        """The time of one repeat, and how many steps each of its episodes took."""
        self.seconds.append(seconds)
        self.episodes += len(lengths)
        self.steps += sum(lengths)
        self.longest = max(self.longest, *lengths)


Results = dict[str, dict[str, Timed]]
"""By what was done, and by the way of doing it."""


def time_training(setting: Setting, repeats: int) -> Results:
    """Updates of each, turn by turn: all rollouts of the size, clipping, AdamW."""
    size, dataset = setting.size, setting.datasets["train"]
    ours, usual = Ours(setting.model, size, dataset), UsualTraining(setting.usual("train"))
    jobs = ["update", *(f"- {policy} rollout" for policy in size.policies)]
    results: Results = {job: {name: Timed() for name in ("ours", "usual")} for job in jobs}
    for _ in range(repeats):
        rows = ours.next_rows()
        walks = [Walk(policy, ours.next_draws(policy), passes=size.passes) for policy in size.policies]
        mine = ours.update()
        for walk in walks:
            walk.replay = mine.nodes[walk.policy]
        for name, done in (("ours", mine), ("usual", usual.update(dataset, rows, walks))):
            results["update"][name].add(done.seconds, done.lengths[size.policies[-1]])
            for policy in size.policies:
                results[f"- {policy} rollout"][name].add(done.spans[policy], done.lengths[policy])
    for job, ways in results.items():
        if ways["ours"].steps != ways["usual"].steps:
            raise DisagreementError(
                f"{job}: ours took {ways['ours'].steps} steps, the usual loop {ways['usual'].steps}"
            )
    return results


def time_evaluation(setting: Setting, repeats: int) -> Results:
    """Greedy walks of two batches, turn by turn; the usual loop also with the dropped pass that training needs."""
    size, dataset, usual = setting.size, setting.datasets["evaluation"], setting.usual("evaluation")
    count = min(2 * size.batch, len(dataset))
    passes = {"ours": 0, "usual": 1} | ({"usual, two passes": 2} if size.passes == 2 else {})
    results = {name: Timed() for name in passes}
    usual.plain.train(False)
    for repeat in range(repeats):
        rows = np.random.default_rng(repeat).permutation(len(dataset))[:count]
        chosen = some_episodes(dataset, rows)
        parts = [some_episodes(dataset, part) for part in np.split(rows, range(size.batch, count, size.batch))]
        for name in list(results) if repeat % 2 == 0 else list(results)[::-1]:
            lengths: list[int] = []
            started = time.perf_counter()
            with torch.no_grad():
                if name == "ours":
                    done = evaluate(setting.model, chosen, batch=size.batch, show_progress=False)
                    lengths = np.minimum((done.nodes >= 0).sum(axis=1), HORIZON).tolist()
                else:
                    walk = Walk("greedy", learn=False, passes=passes[name])
                    for part in parts:
                        lengths += usual.roll_out(part.episodes, part.tokens, walk).lengths
            results[name].add(time.perf_counter() - started, lengths)
    return {"evaluation": results}


def print_rates(measured: dict[str, Results], batches: dict[str, int]) -> None:
    """By size. Ratios are of medians."""
    table = Table("size", "", "way", "batch", "seconds", "episodes/s", "steps", "longest", "ours is faster by")
    for column in table.columns[3:]:
        column.justify = "right"
    for size, results in measured.items():
        for job, ways in results.items():
            for name, timed in ways.items():
                table.add_row(
                    size,
                    job,
                    name,
                    str(batches[size]),
                    f"{statistics.median(timed.seconds):.2f}",
                    f"{timed.rate:.2f}",
                    "" if job == "update" else f"{timed.steps / timed.episodes:.1f}",
                    "" if job == "update" else str(timed.longest),
                    "" if name == "ours" else f"{ways['ours'].rate / timed.rate:.2f}x",
                )
            table.add_section()
    CONSOLE.print(table)


# The command line


def run(arguments: argparse.Namespace, folder: Path) -> None:
    data = find_data(arguments.data, folder)
    print_machine("at the start")
    splits = {name: load_split(DataFolder(data), split) for name, split in SPLITS.items()}
    for name, episodes in splits.items():
        CONSOLE.print(f"{name}: {len(episodes)} episodes of {episodes.name} in {episodes.world.describe()}")
    measured: dict[str, Results] = {}
    sizes = {
        name: dataclasses.replace(SIZES[name], batch=arguments.batch or SIZES[name].batch) for name in arguments.sizes
    }
    for name, size in sizes.items():
        config = size.model
        layers = f"{config.language_layers} + {config.crossmodal_layers} layers"
        CONSOLE.print(f"{name}: hidden {config.hidden}, {layers}, without dropout:")
        Check(size, splits, folder, min(arguments.check, size.batch)).run()
        setting = Setting(size, splits, folder)
        measured[name] = {}
        for job in arguments.only:
            measured[name] |= TIMERS[job](setting, arguments.repeats)
        del setting
    print_rates(measured, {name: size.batch for name, size in sizes.items()})
    print_machine("at the end")


TIMERS: dict[str, Callable[[Setting, int], Results]] = {"training": time_training, "evaluation": time_evaluation}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=DEFAULT_SIZES)
    parser.add_argument("--batch", type=int, help="default: 16, of demo and r2r-semantic their own, of paper 4")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=TIMERS, default=list(TIMERS))
    parser.add_argument("--data", type=Path, help="default: $MTVM_DATA, ../shared/data, or built-in homes")
    parser.add_argument("--check", type=int, default=8, help="episodes on which the two are compared before timing")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")
        run(arguments, Path(folder))


if __name__ == "__main__":
    main()
