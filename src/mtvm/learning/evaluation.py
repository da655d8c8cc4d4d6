"""Walking whole splits greedily: trajectories, metrics, and on request what the model thought."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mtvm.configs.run import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning import parallel
from mtvm.learning.data import Data, Dataset
from mtvm.learning.rollout import RolloutPlan, StepTrace, roll_out
from mtvm.learning.run_folder import EVALUATIONS, RunFolder, with_guesser_of
from mtvm.learning.texts import Texts
from mtvm.machine import choose_device
from mtvm.models.agent import Agent
from mtvm.models.history.hierarchical import HierarchicalHistory
from mtvm.models.history.memory_bank import BankHistory
from mtvm.models.network import Network, Step
from mtvm.models.saving import WEIGHTS
from mtvm.models.text import Tokens, attention_by_word
from mtvm.progress import progress
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.tasks.events import StepEvent
from mtvm.tasks.ndh import Supervision
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING

BATCH = 128
LOOKS = (1, 2, 4, 8)
"""How often an agent can look at each step."""


def evaluate(
    agent_or_run: Agent | Path | str,
    splits: str | Sequence[str] | None = None,
    *,
    data: DataConfig | Path | str | None = None,
    limit: int | None = None,
    attention: bool = False,
    memory_steps: int | None = None,
    looks: int = 1,
    supervision: Supervision | None = None,
    out: Path | str | None = None,
    device: str = "auto",
    show_progress: bool = True,
    report: Callable[[Split, Evaluation], None] = lambda split, done: None,
) -> dict[str, Evaluation]:
    """Walk splits greedily with an agent, with the agent saved in a folder, or with a run's best agent.

    `splits` are named TASK/SPLIT, one or several; by default those that a run's config evaluates. `data` is the data
    folder, or a `DataConfig` that also says what the agent sees; by default a run's own. Result files, records and
    metrics are written to TASK-SPLIT folders below `out`, by default RUN/eval; nothing is written for an `Agent`.
    With a `limit` only the first episodes are walked, with `memory_steps` only the last steps are remembered, with more
    `looks` (2, 4 or 8) the agent decides by what it would do in the building as it is, mirrored and turned, and
    `supervision` says whose path is the reference in NDH; these are written beside a whole evaluation. `report` is
    called after each split.
    """
    agent, config, chosen, folder = resolve_agent(agent_or_run, data, device)
    chosen = (splits,) if isinstance(splits, str) else tuple(splits or chosen)
    if not chosen:
        raise InputError("no split was named to evaluate on; give some as TASK/SPLIT, such as r2r/val_unseen.")
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1 episode, not {limit}.")
    if looks not in LOOKS:
        raise InputError(f"an agent can look {', '.join(map(str, LOOKS))} times, not {looks}.")
    if supervision is not None:
        config = dataclasses.replace(config, supervision=supervision)
    opened = Data(config, agent.model.config, agent.model.device, show_progress, trained=True)
    folder = folder if out is None else Path(out)
    found: dict[str, Evaluation] = {}
    many = looks if looks > 1 else None
    changes = (("", supervision), ("memory-", memory_steps), ("looks-", many), ("first-", limit))
    suffix = "".join(f"-{name}{value}" for name, value in changes if value is not None)
    name = "" if isinstance(agent_or_run, Agent) else Path(agent_or_run).absolute().name
    with remembering(agent.model, memory_steps):
        for split in map(Split.parse, chosen):
            dataset = opened.dataset(split).first(limit)
            done = walk(agent.model, dataset, steps=True, attention=attention, looks=looks, show_progress=show_progress)
            if folder is not None and parallel.rank() == 0:
                write_evaluation(folder / f"{RunFolder(folder).evaluation(split).name}{suffix}", done, name)
            found[split.name] = done
            report(split, done)
    return found


@contextlib.contextmanager
def remembering(model: Network, steps: int | None) -> Iterator[None]:
    """Let a model remember only its last `steps`, however many it was trained with; None changes nothing."""
    history = getattr(model, "history", None)
    if steps is None:
        yield
        return
    if not isinstance(history, BankHistory | HierarchicalHistory):
        raise InputError("this agent has no memory of single steps, so that it cannot remember fewer of them.")
    own = history.config
    history.config = dataclasses.replace(own, memory_steps=steps)
    try:
        yield
    finally:
        history.config = own


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
        if given.guesser is None:
            given = with_guesser_of(path, given)
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
        )
    elif data is not None:
        own = dataclasses.replace(own, folder=data)
    return Agent.from_pretrained(run.best, name), own, own.evaluate, path / EVALUATIONS


@torch.no_grad()
def walk(
    model: Network,
    dataset: Dataset,
    *,
    texts: Texts | None = None,
    batch: int = BATCH,
    steps: bool = False,
    attention: bool = False,
    looks: int = 1,
    show_progress: bool = True,
) -> Evaluation:
    """Walk every episode of a dataset once, spread over all processes; every process gets the whole.

    `texts` are those of the dataset, if a frozen reader has read them before. `steps` keeps what happened at each
    step, and `attention` adds where the model looked. `looks` are explained in `evaluate`.
    """
    started, training = time.monotonic(), model.training
    model.eval()
    episodes, read = dataset.episodes, (texts or dataset.tokens) if looks == 1 else dataset.mirrored()
    # Texts of one length together, so that little is padded; dealt in turn, so that processes have equal work.
    order = np.argsort(dataset.tokens.lengths.numpy(), kind="stable")
    mine = order[parallel.rank() :: parallel.size()]
    nodes: list[NDArray[np.int64]] = []
    views: list[NDArray[np.int64]] = []
    events: list[list[StepEvent]] = []
    shown = show_progress and parallel.rank() == 0
    with progress(len(mine), f"Evaluating {episodes.name}", "episodes", shown) as advance:
        for first in range(0, len(mine), batch):
            rows = mine[first : first + batch]
            mirrored, turned = _ways_to_look(looks, len(rows))
            copies = np.tile(rows, looks)
            text = model.encode(read.select(torch.from_numpy(copies + len(dataset) * mirrored)).to(model.device))
            tokens = dataset.tokens.select(torch.from_numpy(rows))
            watch = Watching(episodes.select(rows), tokens) if steps or attention else None
            plan = RolloutPlan(
                "greedy", dataset.horizon, attention=attention, mirrored=mirrored, turned=turned, looks=looks
            )
            walked = roll_out(model, dataset.vision, episodes.select(copies), text, plan, watch=watch)
            nodes += list(walked.nodes[: len(rows)])
            views += list(walked.views[: len(rows)])
            events += watch.events if watch is not None else []
            advance(len(rows))
    model.train(training)
    return _joined(episodes, parallel.gather((mine, nodes, views, events)), time.monotonic() - started)


def _ways_to_look(looks: int, episodes: int) -> tuple[NDArray[np.bool_], NDArray[np.floating]]:
    """(looks * episodes,) whether each copy sees its building mirrored, and by which angle it is turned."""
    number = np.repeat(np.arange(looks), episodes)
    return number % 2 == 1, number // 2 * (4 * np.pi / looks)


def _joined(episodes: EpisodeSet, parts: list[Any], seconds: float) -> Evaluation:
    """The processes' parts in the order of the episodes."""
    order = np.argsort(np.concatenate([part[0] for part in parts]), kind="stable")
    nodes, views = (_padded([row for part in parts for row in part[number]])[order] for number in (1, 2))
    steps = [one for part in parts for one in part[3]]
    return Evaluation(episodes, nodes, views, [steps[row] for row in order] if steps else [], seconds)


def _padded(rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Rows of different lengths as one array, padded with -1."""
    padded = np.full((len(rows), max((len(row) for row in rows), default=1)), -1, dtype=np.int64)
    for row, numbers in zip(padded, rows, strict=True):
        row[: len(numbers)] = numbers
    return padded


class Watching:
    """Collects what happens in a rollout, episode by episode."""

    def __init__(self, episodes: EpisodeSet, tokens: Tokens) -> None:
        self.episodes, self.tokens = episodes, tokens
        self.events: list[list[StepEvent]] = [[] for _ in range(len(episodes))]

    def __call__(self, step: StepTrace) -> None:
        output, seen, world = step.outputs[0], step.seen, self.episodes.world
        probabilities = output.logits.float().softmax(dim=1).cpu().numpy()
        for place, (row, action) in enumerate(zip(step.rows.tolist(), step.actions.tolist(), strict=True)):
            if row >= len(self.episodes):
                break  # the rest are copies of these episodes
            count, view = int(seen.count[place]), seen.view[place]
            words, memory = self._attention(output, place, row, action, count + 1)
            self.events[row].append(
                StepEvent(
                    id=self.episodes.ids[row],
                    step=len(self.events[row]),
                    scan=world.scan(int(seen.node[place])),
                    viewpoint=str(world.viewpoints[seen.node[place]]),
                    heading=float(VIEW_HEADING[view]),
                    elevation=float(VIEW_ELEVATION[view]),
                    candidates=world.viewpoints[seen.candidates[place, :count]].tolist(),
                    action=action,
                    probabilities=[round(float(p), 5) for p in probabilities[place, : count + 1]],
                    words=words,
                    memory=memory,
                    way=self._way(step, place),
                )
            )

    def _way(self, step: StepTrace, place: int) -> list[str] | None:
        """The viewpoints that a step led through before its end."""
        walked = step.walked[place] if step.walked is not None else np.zeros(0, dtype=np.int64)
        passed: list[str] = self.episodes.world.viewpoints[walked[walked >= 0][:-1]].tolist()
        return passed or None

    def _attention(
        self, output: Step, place: int, row: int, action: int, actions: int
    ) -> tuple[list[tuple[str, float]] | None, list[float] | None]:
        """On each word and on each memory token, of the action that was taken."""
        if output.attention is None:
            return None, None
        words, memory = output.attention.of(place, output.text_mask, output.stream_mask).at(action, actions)
        numbers = self.tokens.words[row, : int(self.tokens.lengths[row])].tolist()
        by_word = attention_by_word(self.episodes.texts[row], numbers, words.tolist())
        return by_word, [round(weight, 4) for weight in memory.tolist()]
