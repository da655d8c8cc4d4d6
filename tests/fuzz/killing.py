"""Kills trainings at random moments, and compares what they end with to a run that nobody killed, bit by bit.

    PYTHONPATH=tests/learning python tests/fuzz/killing.py --kills 100 --processes 2        (make attack)

The runs validate, write curves for TensorBoard, save after every update and evaluate at the end. All processes of a run
are forked from one that has everything imported, and killed together.
"""

import argparse
import os
import random
import signal
import socket
import tempfile
import time
from pathlib import Path

import torch
from killing_writers import contents, ended, leftovers
from small_runs import (
    assert_same_state,
    changed,
    command,
    saved_state,
    small_config,
    write_features,
)

from mtvm.app.cli import main as mtvm
from mtvm.testing.tiny import write_tiny_world
from mtvm.world.world import World


def start(config, processes):
    """Fork the processes of a training."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(processes):
        child = os.fork()
        if child:
            started.append(child)
            continue
        if processes > 1:
            ranks = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "MASTER_PORT": port}
            os.environ.update({name: str(value) for name, value in ranks.items()} | {"MASTER_ADDR": "127.0.0.1"})
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        code = 1
        try:
            mtvm([option if option != "--no-tensorboard" else "--tensorboard" for option in command(config)])
            code = 0
        finally:
            os._exit(code)
    return started


def kill_until_done(config, processes, longest, rng):
    """Train, killed again and again; how often it was."""
    kills = 0
    while True:
        running = start(config, processes)
        codes = ended(running, rng.uniform(0.05, longest) if kills < 6 else 600)
        if codes is None:
            for process in running:
                os.kill(process, signal.SIGKILL)
            for process in running:
                os.waitpid(process, 0)
            kills += 1
        elif any(codes):
            raise AssertionError(f"exit codes {codes}")
        else:
            return kills


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kills", type=int, default=100)
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--seconds", type=float, default=float("inf"), help="begin no further run after this time")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    rng, kills, runs, until = random.Random(given.seed), 0, 0, time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")
        data = write_tiny_world(Path(folder) / "data")
        write_features(data / "features", World.load(data / "connectivity"), 8)
        whole = small_config(
            data, Path(folder) / "whole" / "run", batch=2, optimizer={"updates": 6}, selection={"every": 2}
        )
        began = time.monotonic()
        assert not any(ended(start(whole, given.processes), 600))
        longest = time.monotonic() - began
        while kills < given.kills and time.monotonic() < until:
            broken = changed(whole, out=Path(folder) / f"broken{runs}" / "run")
            kills += kill_until_done(broken, given.processes, longest, rng)
            runs += 1
            assert_same_state(saved_state(whole.out), saved_state(broken.out))
            for part in ("best", "eval"):
                assert contents(whole.out / part) == contents(broken.out / part), part
            assert leftovers(broken.out) == []
    print(f"{kills} kills of {runs} runs of {given.processes} processes: weights, best agent and evaluation identical")


if __name__ == "__main__":
    main()
