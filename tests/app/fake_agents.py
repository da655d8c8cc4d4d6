"""What the demo trains, in the tests of how it stops: an agent that only waits to be asked to."""

import time

from mtvm.learning.interruption import interruption


def train_agent(run, data, memory, updates):
    with interruption() as caught:
        run.mkdir(parents=True)
        (run / "started").touch()
        while not caught:
            time.sleep(0.01)
        time.sleep(0.3)  # saving takes a while
        (run / "saved").touch()
