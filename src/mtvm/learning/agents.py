"""Networks that are evaluated: an agent or a run opened, and its walks over whole datasets."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtvm.acting.find import find_policy, is_policy_name
from mtvm.acting.policy import Policy
from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.learning.data import Data, Dataset, DatasetPolicy
from mtvm.learning.evaluation import walk_episodes
from mtvm.learning.run_folder import EVALUATIONS, RunFolder, with_guesser_of
from mtvm.learning.texts import Texts
from mtvm.machine import choose_device
from mtvm.models.agent import Agent
from mtvm.models.network import Network
from mtvm.models.parts import StepsConfig
from mtvm.models.policy import NetworkPolicy
from mtvm.models.pretrained import agent_folder
from mtvm.models.saving import WEIGHTS
from mtvm.tasks.evaluation import Evaluation


def resolve_agent(
    agent_or_run: Agent | Path | str, data: DataConfig | Path | str | None, device: str
) -> tuple[Agent, DataConfig, tuple[str, ...], Path | None]:
    """The agent, its data, the splits that are evaluated by default, and where evaluations are written."""
    data = Path(data) if isinstance(data, str) else data
    given = data if isinstance(data, DataConfig) else DataConfig(folder=data)
    if isinstance(agent_or_run, Agent):
        return agent_or_run, given, (), None
    path, name = Path(agent_or_run), choose_device(device)
    run = RunFolder(path)
    if (path / WEIGHTS).is_file() or not run.is_run:
        own = with_guesser_of(path, given)
        given = dataclasses.replace(
            own, guesser=given.guesser or own.guesser, box_guesser=given.box_guesser or own.box_guesser
        )
        return Agent.from_pretrained(path, name), given, (), path / EVALUATIONS
    config = run.config()
    if not run.best.is_dir():
        raise InputError(f"{path}: this run has no best agent yet; the first validation saves one.")
    own = config.data
    if isinstance(data, DataConfig):
        own = dataclasses.replace(
            own,
            folder=data.folder or own.folder,
            features=data.features or own.features,
            sight=data.sight or own.sight,
            guesser=data.guesser or own.guesser,
            box_guesser=data.box_guesser or own.box_guesser,
        )
    elif data is not None:
        own = dataclasses.replace(own, folder=data)
    return Agent.from_pretrained(run.best, name), own, own.splits_to_evaluate(), path / EVALUATIONS


def walk(
    model: Network,
    dataset: Dataset,
    *,
    texts: Texts | None = None,
    batch: int | None = None,
    steps: bool = False,
    attention: bool = False,
    looks: int = 1,
    show_progress: bool = True,
) -> Evaluation:
    """Walk every episode of a dataset once, greedily, spread over all processes; every process gets the whole.

    `texts` are those of the dataset, if a frozen reader has read them before. `steps` keeps what happened at each
    step, and `attention` adds where the model looked. `looks` are explained in `NetworkPolicy`.
    """
    training = model.training
    model.eval()
    policy = DatasetPolicy(model, dataset, texts=texts, attention=attention, looks=looks)
    policy.batch = batch or policy.batch
    done = walk_episodes(
        policy, dataset.episodes, dataset.horizon, keep_steps=steps or attention, show_progress=show_progress
    )
    model.train(training)
    return done


def adviser_of(name: str, data: DataConfig, device: str = "auto") -> Policy:
    """An agent that advises another one: that of a folder, a pretrained one, or a policy by name."""
    if is_policy_name(name) and not Path(name).exists():
        return find_policy(name)
    agent, config, _, _ = resolve_agent(agent_folder(name), data, device)
    store = Data(config, agent.model.config, agent.model.device, trained=True).store
    return NetworkPolicy(agent.model.eval(), store, track=config.track or "")


@contextlib.contextmanager
def remembering(model: Network, steps: int | None) -> Iterator[None]:
    """Let a model remember only its last `steps`, however many it was trained with; None changes nothing."""
    history: Any = getattr(model, "history", None)
    if steps is None:
        yield
        return
    own = model.config
    if history is None or not isinstance(own.history, StepsConfig):
        raise InputError("this agent has no memory of single steps, so that it cannot remember fewer of them.")
    history.config = dataclasses.replace(own, history=dataclasses.replace(own.history, steps=steps))
    try:
        yield
    finally:
        history.config = own
