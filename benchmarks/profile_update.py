"""Where the time of a training update goes, by kind of operation.

python benchmarks/profile_update.py                                    # r2r-map on $MTVM_DATA
python benchmarks/profile_update.py r2r-map --sight guesses --updates 20
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from mtvm.configs.presets import PRESETS
from mtvm.learning.trainer import Trainer

KINDS = {
    "matrix products": ("mm", "addmm", "bmm", "baddbmm", "linear"),
    "attention": ("_scaled_dot_product", "_softmax", "_log_softmax"),
    "copies, fills and gathers": (
        "copy_",
        "fill_",
        "zero_",
        "index",
        "gather",
        "scatter",
        "cat",
        "_index_put",
        "slice",
    ),
    "activations, norms and dropout": (
        "gelu",
        "tanh",
        "relu",
        "native_layer_norm",
        "dropout",
        "bernoulli",
        "mul",
        "div",
    ),
}


def kind_of(name: str) -> str:
    name = name.removeprefix("aten::")
    return next((kind for kind, starts in KINDS.items() if name.startswith(starts)), "other")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", nargs="?", default="r2r-map", choices=PRESETS)
    parser.add_argument("--sight", default="names")
    parser.add_argument("--data", type=Path, default=os.environ.get("MTVM_DATA"))
    parser.add_argument("--updates", type=int, default=12)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = PRESETS[arguments.preset]
    data = dataclasses.replace(preset.data, folder=arguments.data, sight=arguments.sight)
    loss = dataclasses.replace(preset.loss, teacher_forced_updates=0)
    with tempfile.TemporaryDirectory() as folder:
        config = dataclasses.replace(preset, out=Path(folder) / "run", data=data, loss=loss, tensorboard=False)
        learner = Trainer(config, show_progress=False).learner
        for _ in range(3):
            learner.update()
        began = time.process_time()
        with profile(activities=[ProfilerActivity.CPU]) as done:
            for _ in range(arguments.updates):
                learner.update()
        seconds = (time.process_time() - began) / arguments.updates
    events = done.key_averages()
    total = sum(event.self_cpu_time_total for event in events)
    shares: Counter[str] = Counter()
    for event in events:
        shares[kind_of(event.key)] += event.self_cpu_time_total / total
    step = sum(event.cpu_time_total for event in events if event.key.startswith("Optimizer.step"))
    print(f"{arguments.preset}, {arguments.sight}, batch {config.batch}: {seconds:.2f} s of CPU an update, profiled")
    for kind, share in shares.most_common():
        print(f"{share:6.1%}  {kind}")
    print(f"{step / total:6.1%}  the optimizer's step, which is counted above too")


if __name__ == "__main__":
    main()
