"""Two nodes with two processes each, which meet as torchrun's do: one is killed, and three others go on."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lost_in_training import AFTER, LOST
from small_runs import STEADY, environment, small_config

pytestmark = pytest.mark.slow
UPDATES = 6


def launched(path, dies, nodes, processes):
    """What the processes of some nodes print."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meeting = f"127.0.0.1:{free.getsockname()[1]}"
    script = Path(__file__).with_name("lost_in_training.py")
    start = [sys.executable, "-m", "torch.distributed.run", "--nnodes", str(nodes), "--nproc-per-node", str(processes)]
    start += ["--rdzv-backend", "c10d", "--rdzv-endpoint", meeting, "--rdzv-id", "test", "--max-restarts", "0"]
    running = [
        subprocess.Popen(
            [*start, str(script), str(path), "dies" if dies else "lives"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(nodes)
    ]
    ended = [process.communicate(timeout=300) for process in running]
    return "".join(said for said, _ in ended), "".join(errors for _, errors in ended)


def test_others_say_that_a_process_was_lost_and_fewer_go_on(small_data, tmp_path):
    changes = {"model": STEADY, "batch": 8, "save_minutes": 0, "optimizer": {"updates": UPDATES, "kind": "muon"}}
    config = small_config(small_data, tmp_path / "run", **changes)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config.to_dict()))

    said, errors = launched(path, dies=True, nodes=2, processes=2)
    assert said.count("of 4 begins at 0") == 4, errors
    assert "ends at" not in said
    telling = re.findall(r"(\d) of 4 says: another process of this training has ended or cannot be reached", said)
    # torchrun ends the process that shares a node with the one that was killed; it may come before the others tell.
    neighbours = {str(rank) for rank in range(4)} - {str(LOST)}
    assert telling, errors
    assert set(telling) <= neighbours
    assert len(set(telling)) >= 2, said + errors

    said, errors = launched(path, dies=False, nodes=1, processes=3)
    began = {int(number) for number in re.findall(r"of 3 begins at (\d)", said)}
    assert len(began) == 1, errors
    assert 0 < began.pop() <= AFTER
    assert said.count(f"of 3 ends at {UPDATES}") == 3, errors
