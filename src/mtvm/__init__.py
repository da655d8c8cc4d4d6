"""Vision-and-Language Navigation in plain Python.

    import mtvm

    episodes = mtvm.load_episodes("r2r/val_unseen")           # instructions, starts and reference paths
    simulator = mtvm.Simulator(episodes.world)                # moves a batch of agents
    mtvm.train("tiny", data=mtvm.DataConfig(sight="blind"))   # trains an agent: a preset, or a config made from one
    mtvm.evaluate("runs/tiny", "r2r/val_unseen")              # writes trajectories and metrics
    agent = mtvm.Agent.from_pretrained("runs/tiny/best")      # the agent, for your own program
    class Mine(mtvm.Policy): ...                              # an agent of your own, with or without torch
    mtvm.score("results.json", episodes).metrics()            # scores any result file
    mtvm.view("runs/tiny")                                    # shows what an agent did, in a browser or notebook
    with mtvm.trusting_code(): ...                            # lets files that are read inside name code of yours

Heavy modules are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtvm.acting.policy import Decision, Decisions, Policy
    from mtvm.acting.walk import walk
    from mtvm.app.view import view
    from mtvm.configs.data import DataConfig
    from mtvm.configs.presets import PRESETS
    from mtvm.configs.run import TrainConfig
    from mtvm.learning.evaluation import evaluate
    from mtvm.learning.trainer import train
    from mtvm.models.agent import Agent, Observation
    from mtvm.plugins import trusting_code
    from mtvm.tasks.load import load_episodes
    from mtvm.tasks.score import score
    from mtvm.world.simulator import Simulator

__version__ = "0.2.0"

_HOMES = {
    "Agent": ("mtvm.models.agent", "Agent"),
    "DataConfig": ("mtvm.configs.data", "DataConfig"),
    "Decision": ("mtvm.acting.policy", "Decision"),
    "Decisions": ("mtvm.acting.policy", "Decisions"),
    "Observation": ("mtvm.models.agent", "Observation"),
    "PRESETS": ("mtvm.configs.presets", "PRESETS"),
    "Policy": ("mtvm.acting.policy", "Policy"),
    "Simulator": ("mtvm.world.simulator", "Simulator"),
    "TrainConfig": ("mtvm.configs.run", "TrainConfig"),
    "evaluate": ("mtvm.learning.evaluation", "evaluate"),
    "load_episodes": ("mtvm.tasks.load", "load_episodes"),
    "score": ("mtvm.tasks.score", "score"),
    "train": ("mtvm.learning.trainer", "train"),
    "trusting_code": ("mtvm.plugins", "trusting_code"),
    "view": ("mtvm.app.view", "view"),
    "walk": ("mtvm.acting.walk", "walk"),
}

__all__ = [
    "PRESETS",
    "Agent",
    "DataConfig",
    "Decision",
    "Decisions",
    "Observation",
    "Policy",
    "Simulator",
    "TrainConfig",
    "evaluate",
    "load_episodes",
    "score",
    "train",
    "trusting_code",
    "view",
    "walk",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mtvm' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
