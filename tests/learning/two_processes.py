"""What each of two processes does for `test_parallel.py`; started by torchrun with a folder that says what."""

import functools
import json
import sys
from pathlib import Path

import torch
from small_runs import Stopped, lively_model

from mtvm.configs.run import TrainConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.learning import parallel, sight
from mtvm.learning import texts as texts_module
from mtvm.learning.agents import walk
from mtvm.learning.trainer import Trainer


def gradients(config):
    """Of the first update, summed over the processes."""
    learner = Trainer(config, show_progress=False).learner
    found = {}

    def keep(*_, **__):
        named = learner.model.named_parameters()
        found.update({name: None if value.grad is None else value.grad.clone() for name, value in named})

    learner.scaler.step = keep
    return found, learner.update()


def evaluation(config):
    trainer = Trainer(config, show_progress=False)
    model = lively_model(seed=2, config=config.model)
    done = walk(model, trainer.learner.validation, batch=4, steps=True, show_progress=False)
    steps = [[step.to_json() for step in steps] for steps in done.steps]
    return torch.from_numpy(done.nodes), torch.from_numpy(done.views), steps


def texts(config):
    """All texts of the training split as the frozen reader reads them, in batches small enough to share."""
    texts_module._BATCH = 8
    read = Trainer(config, show_progress=False).learner.texts[0]
    return read.select(torch.arange(len(read))).states


def main(folder):
    torch.set_num_threads(1)
    sight.learn_names = functools.partial(sight.learn_names, folds=2, epochs=1)  # there are few buildings
    task = json.loads((folder / "task.json").read_text())
    results = {}
    for name, values in task.items():
        kind = SpeakerConfig if name == "speaker" else TrainConfig
        config = kind.from_dict(values, folder / "task.json")
        if name.startswith("gradients"):
            results[name] = gradients(config)
        elif name.startswith("evaluation"):
            results[name] = evaluation(config)
        elif name.startswith("texts"):
            results[name] = texts(config)
        elif name.startswith("first half"):
            Stopped(config, 2).run()
        else:
            trainer = Trainer(config, show_progress=False)
            began = trainer.learner.updates
            trainer.run()
            results[name] = trainer.model.state_dict(), began
    torch.save(results, folder / f"results-{parallel.rank()}-of-{parallel.size()}.pt")
    parallel.finish()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
