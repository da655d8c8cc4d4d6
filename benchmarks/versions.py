"""Two checkouts of mtvm at the same work, taking turns: an agent's evaluation, training updates, and parity.

    git clone . ../before && git -C ../before checkout COMMIT
    python benchmarks/versions.py ../before . --agent releases/r2r-pixels
    python benchmarks/versions.py ../before . --only updates --hidden 256

Each checkout has a process of its own, and the two never work at the same time, so that whatever else the machine does
falls on both. Scores, losses and differences are compared as numbers; seconds are of one core's time, the median of
the rounds, with the smallest and the largest ratio of a round.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


class Work:
    """What a checkout is asked to do, in its own process; only what both versions have is used."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.agent, self.split, self.golden = arguments.agent, arguments.split, arguments.golden
        self.hidden, self.folder = arguments.hidden, folder

    def evaluation(self) -> dict[str, float]:
        import mtvm

        (done,) = mtvm.evaluate(self.agent, [self.split], out=self.folder / "eval", show_progress=False).values()
        return done.metrics()

    def updates(self) -> dict[str, float]:
        if not hasattr(self, "learner"):
            self.learner = self._learner()
        losses = [self.learner.update() for _ in range(4)]
        return {name: value for name, value in losses[-1].items() if "seconds" not in name}

    def _learner(self) -> Any:
        try:
            from mtvm.configs.presets import PRESETS
        except ImportError:
            from mtvm.presets import PRESETS
        from mtvm.learning.trainer import Trainer

        preset = PRESETS["r2r-map"]
        loss = dataclasses.replace(preset.loss, teacher_forced_updates=0)
        data = dataclasses.replace(preset.data, sight="names")
        sizes = {"hidden": self.hidden, "heads": self.hidden // 32, "intermediate": 4 * self.hidden}
        model = dataclasses.replace(preset.model, **sizes)
        config = dataclasses.replace(
            preset, out=self.folder / "run", model=model, data=data, loss=loss, tensorboard=False
        )
        return Trainer(config, show_progress=False).learner

    def parity(self) -> dict[str, float]:
        from mtvm.learning.parity import measure_parity

        assert self.golden is not None
        return {str(name): float(value) for name, value in _flat(measure_parity(self.golden))}


def _flat(found: Any, name: str = "") -> list[tuple[str, float]]:
    """All numbers in dataclasses, mappings and lists, by where they are."""
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        found = dataclasses.asdict(found)
    if isinstance(found, dict):
        return [one for key, value in found.items() for one in _flat(value, f"{name}.{key}".strip("."))]
    if isinstance(found, list | tuple):
        return [one for key, value in enumerate(found) for one in _flat(value, f"{name}.{key}".strip("."))]
    return [(name, found)] if isinstance(found, int | float) and not isinstance(found, bool) else []


def work(arguments: argparse.Namespace) -> None:
    """Do what is asked for, a line at a time."""
    import torch

    torch.set_num_threads(1)
    answers = sys.stdout
    sys.stdout = sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        mine = Work(arguments, Path(folder))
        for line in sys.stdin:
            began = time.process_time()
            found = getattr(mine, line.strip())()
            print(json.dumps({"seconds": time.process_time() - began, "found": found}), file=answers, flush=True)


class Checkout:
    """The process of a checkout."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        paths = [str(folder.resolve() / "src"), os.environ.get("PYTHONPATH", "")]
        variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=variables,
            text=True,
        )

    def do(self, what: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(what, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{what}: the process ended.")
        return json.loads(answer)


def compare(what: str, checkouts: list[Checkout], rounds: int) -> None:
    """Let both do it, in turns, and print what differs."""
    first = [checkout.do(what) for checkout in checkouts]  # opens files, fills caches; not counted
    seconds: list[list[float]] = [[], []]
    found = [one["found"] for one in first]
    for number in range(rounds):
        for place in (0, 1) if number % 2 else (1, 0):
            answer = checkouts[place].do(what)
            seconds[place].append(answer["seconds"])
            found[place] = answer["found"]
    before, after = (statistics.median(some) for some in seconds)
    ratios = [after / before for before, after in zip(*seconds, strict=True)]
    print(f"{what}: {before:.2f} s before, {after:.2f} s after; ratio {after / before:.3f}", end=" ")
    print(f"({min(ratios):.3f} to {max(ratios):.3f} in {rounds} rounds)")
    names = sorted({*found[0], *found[1]})
    differing = [name for name in names if found[0].get(name) != found[1].get(name)]
    for name in differing:
        print(f"  {name}: {found[0].get(name)} before, {found[1].get(name)} after")
    print(f"  {len(names) - len(differing)} of {len(names)} numbers are the same to the last digit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="BEFORE AFTER")
    parser.add_argument("--agent", type=Path, default=Path("releases/r2r-pixels"))
    parser.add_argument("--split", default="r2r/val_seen")
    parser.add_argument("--golden", type=Path, help="folder with recorded computations, for parity")
    parser.add_argument("--hidden", type=int, default=128, help="width of the agent that is updated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=["evaluation", "updates", "parity"])
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments)
        return
    if len(arguments.checkouts) != 2:
        parser.error("give two checkouts, the one before and the one after")
    options = ["--agent", str(arguments.agent.resolve()), "--split", arguments.split, "--hidden", str(arguments.hidden)]
    options += [] if arguments.golden is None else ["--golden", str(arguments.golden.resolve())]
    both = [Checkout(folder, options) for folder in arguments.checkouts]
    try:
        for what in arguments.only:
            if what != "parity" or arguments.golden is not None:
                compare(what, both, arguments.rounds)
    finally:
        for checkout in both:
            checkout.process.kill()


if __name__ == "__main__":
    main()
