"""The demo is asked to stop: both of its agents save, and nobody prints a traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CODE = """
import sys
from pathlib import Path
from fake_agents import train_agent
from mtvm.app import demo

demo.train_agent = train_agent
try:
    demo._train_both(Path(sys.argv[1]), Path("data"), 5)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "to_all"),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)],
    ids=["Ctrl-C reaches all of them", "SIGTERM only the first", "a closed terminal all of them"],
)
def test_demo_that_is_stopped_loses_no_agents_work(tmp_path, one, to_all):
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, "-c", CODE, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": path},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        while len(list(tmp_path.glob("*/started"))) < 2:
            assert demo.poll() is None, demo.stderr.read()
            time.sleep(0.02)
        if to_all:
            os.killpg(demo.pid, one)
        else:
            demo.send_signal(one)
        _, said = demo.communicate(timeout=120)
    assert len(list(tmp_path.glob("*/saved"))) == 2
    assert "Traceback" not in said
    assert "the same command goes on from there" in said
    assert demo.returncode == 130
