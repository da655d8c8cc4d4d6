"""Whether the memory of a training process grows from update to update, and what holds it.

    python benchmarks/long_run.py                    # r2r-semantic on real R2R, blind; some minutes
    python benchmarks/long_run.py --after trim       # give free memory back after every update
    ONEDNN_PRIMITIVE_CACHE_CAPACITY=1024 python benchmarks/long_run.py  # as oneDNN is without our limit of 16
    MALLOC_ARENA_MAX=1 python benchmarks/long_run.py                    # and what the allocator does

The updates are those of an agent, with all kinds of rollouts from the first one on. Every few updates a line says, in
MB: `resident` is what the process holds now; `files` is the part of it that are pages of files, such as a feature
store, which the system takes back when it needs them; `top` is the most that was resident since the last line, and
`ever` since the updates began. Of the allocator (glibc): `used` is what the program has and `free` what it gave back
but the process still holds, both of the heap; `mapped` are blocks so large that they go back to the system one by one.
Of Python: how many objects the garbage collector knows, how many of them are tensors, and how large these are.

If `used`, `mapped`, objects and tensors stay level while `resident` grows, nothing is kept alive: then the growth is in
`free` or in `files`. Seconds are of the processor, as the machine may be busy. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import gc
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from both_loops import CONSOLE, find_data
from process_memory import forget_peak, memory_megabytes

from mtvm.configs.data import BLIND, Split
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.learning.data import Data
from mtvm.learning.initial_weights import make_model
from mtvm.learning.update import AgentLearner
from mtvm.machine import keep_few_onednn_primitives

LIBC = ctypes.CDLL(None)
AFTER: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "trim": lambda: LIBC.malloc_trim(0),
    "collect": gc.collect,
}
"""What can be done after every update."""
COLUMNS = (
    *("updates", "CPU s/update", "resident", "files", "top", "ever"),
    *("used", "free", "mapped", "objects", "tensors", "in them"),
)


class MallocInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc, over all arenas, in bytes."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "heap",
            "free_chunks",
            "fast_chunks",
            "mapped_blocks",
            "mapped",
            "unused",
            "fast_free",
            "used",
            "free",
            "top",
        )
    )


def malloc_info() -> MallocInfo:
    LIBC.mallinfo2.restype = MallocInfo
    return LIBC.mallinfo2()


def live_tensors() -> list[torch.Tensor]:
    """Every tensor that Python knows of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of old names in torch, whose type is asked
        return [item for item in gc.get_objects() if isinstance(item, torch.Tensor)]


def make_config(arguments: argparse.Namespace, folder: Path) -> TrainConfig:
    preset = PRESETS[arguments.preset]
    data = dataclasses.replace(preset.data, folder=find_data(arguments.data, folder), sight=arguments.sight)
    consistency = dataclasses.replace(preset.loss.consistency, enabled=arguments.consistency)
    loss = dataclasses.replace(preset.loss, teacher_forced_updates=0, consistency=consistency)
    batch = arguments.batch or preset.batch
    return dataclasses.replace(preset, data=data, loss=loss, batch=batch, device="cpu", seed=arguments.seed)


def make_learner(config: TrainConfig, episodes: int) -> AgentLearner:
    data = Data(config.data, config.network, show_progress=sys.stdout.isatty())
    datasets = [data.dataset(Split.parse(split)).first(episodes) for split in config.data.train]
    model, _ = make_model(config, data.network)
    return AgentLearner(config, model, datasets, show_progress=sys.stdout.isatty())


class Meter:
    """What the process holds, line by line."""

    def __init__(self) -> None:
        self.ever, self.updates, self.began = 0.0, 0, time.process_time()
        forget_peak()

    def line(self, updates: int) -> list[str]:
        """The cells of `COLUMNS` after so many updates."""
        seconds = (time.process_time() - self.began) / max(updates - self.updates, 1)
        resident, files, top = (memory_megabytes(field) for field in ("VmRSS", "RssFile", "VmHWM"))
        self.ever = max(self.ever, top)
        heap, tensors = malloc_info(), live_tensors()
        storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
        megabytes = [resident, files, top, self.ever, heap.used / 1e6, heap.free / 1e6, heap.mapped / 1e6]
        counts = [str(len(gc.get_objects())), str(len(tensors)), f"{sum(storages.values()) / 1e6:.0f}"]
        forget_peak()
        self.updates, self.began = updates, time.process_time()
        return [str(updates), f"{seconds:.2f}", *(f"{number:.0f}" for number in megabytes), *counts]


def run(arguments: argparse.Namespace, folder: Path) -> None:
    learner = make_learner(make_config(arguments, folder), arguments.episodes)
    CONSOLE.print(
        f"{arguments.preset}, batch {learner.config.batch}, {torch.get_num_threads()} threads, {arguments.after} after "
        f"every {arguments.after_every} updates; MB"
    )
    meter = Meter()
    print_line(COLUMNS)
    print_line(meter.line(0))
    for number in range(1, arguments.updates + 1):
        learner.update()
        if number % arguments.after_every == 0:
            AFTER[arguments.after]()
        if number % arguments.every == 0 or number == arguments.updates:
            print_line(meter.line(number))


def print_line(cells: Sequence[str]) -> None:
    """At once, as the next one is minutes away."""
    widths = [max(len(name), 6) for name in COLUMNS]
    CONSOLE.print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, default="r2r-semantic")
    parser.add_argument("--updates", type=int, default=120)
    parser.add_argument("--every", type=int, default=10, help="updates between two lines")
    parser.add_argument("--batch", type=int, help="default: the preset's")
    parser.add_argument("--episodes", type=int, default=4000, help="of each split, at most")
    parser.add_argument("--consistency", action="store_true", help="with the consistency loss")
    parser.add_argument("--sight", default=BLIND, help="what the agent sees, as in mtvm train")
    parser.add_argument("--after", choices=AFTER, default="nothing", help="what to do after updates")
    parser.add_argument("--after-every", type=int, default=1, help="updates between doing that")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="default: $MTVM_DATA, ../shared/data, or built-in homes")
    arguments = parser.parse_args()
    keep_few_onednn_primitives()  # as the trainer does
    if sys.platform != "linux":
        raise SystemExit("this benchmark reads the memory of a process from Linux")
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, Path(folder))


if __name__ == "__main__":
    main()
