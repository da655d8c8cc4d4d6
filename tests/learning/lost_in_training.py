"""What each process does for `test_two_nodes.py`: it trains, until one of them is killed."""

import json
import os
import signal
import sys
from pathlib import Path

import torch

from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.learning import parallel
from mtvm.learning.trainer import Trainer

LOST, AFTER = 3, 3
"""The rank of the process that is killed, and after how many updates."""


class Lost(Trainer):
    def _update(self):
        recorded = super()._update()
        if parallel.rank() == LOST and self.learner.updates == AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        return recorded


def main(path, dies):
    torch.set_num_threads(1)
    config = TrainConfig.from_dict(json.loads(path.read_text()), path)
    try:
        trainer = (Lost if dies else Trainer)(config, show_progress=False)
        print(f"{parallel.rank()} of {parallel.size()} begins at {trainer.learner.updates}", flush=True)
        trainer.run()
        print(f"{parallel.rank()} of {parallel.size()} ends at {trainer.learner.updates}", flush=True)
    except InputError as error:
        print(f"{parallel.rank()} of {parallel.size()} says: {error}", flush=True)
        os._exit(3)
    parallel.finish()


if __name__ == "__main__":
    main(Path(sys.argv[1]), dies=sys.argv[2] == "dies")
