"""One of four processes is killed: each of the others says so in a sentence, and ends."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import ENVIRONMENT

PROCESSES = 4
LOST = 2


@pytest.mark.slow
def test_processes_say_that_one_was_lost():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).with_name("lost_process.py")
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(PROCESSES)}
    running = [
        subprocess.Popen(
            [sys.executable, script, str(LOST)],
            env=os.environ | ENVIRONMENT | common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(PROCESSES)
    ]
    ended = [process.communicate(timeout=300) for process in running]
    for rank, (process, (said, errors)) in enumerate(zip(running, ended, strict=True)):
        if rank == LOST:
            continue
        assert process.returncode == 3, errors
        assert said.startswith("another process of this training has ended or cannot be reached"), errors
        assert said.count("\n") == 1
