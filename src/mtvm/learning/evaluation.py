"""Walking whole splits: trajectories, metrics, and what agents thought. Needs no torch for an agent without it."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.find import find_policy, is_policy_name, made, name_of
from mtvm.acting.policy import Policy
from mtvm.acting.scenes import Scenes
from mtvm.acting.walk import Walks, joined, walk_split
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning import parallel
from mtvm.learning.run_folder import RunFolder
from mtvm.progress import progress
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.tasks.load import load_episodes
from mtvm.tasks.ndh import Supervision
from mtvm.tasks.sampling import fair_rows

if TYPE_CHECKING:
    from mtvm.models.agent import Agent


@dataclasses.dataclass(frozen=True)
class Options:
    """How an evaluation differs from a whole one; it is then written beside it."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    attention: bool = False
    memory_steps: int | None = None
    looks: int = 1
    supervision: Supervision | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise InputError(f"the limit must be at least 1 episode, not {self.limit}.")
        if self.limit is not None and self.sample is not None:
            raise InputError("give a limit, for the first episodes, or a sample, for a fair one, but not both.")

    @property
    def suffix(self) -> str:
        """What the name of the evaluation's folder ends with."""
        drawn = f"{self.sample}-seed-{self.seed}" if self.sample is not None and self.seed else self.sample
        changes = {
            "": self.supervision,
            "memory-": self.memory_steps,
            "looks-": self.looks if self.looks > 1 else None,
            "first-": self.limit,
            "sample-": drawn,
        }
        return "".join(f"-{name}{value}" for name, value in changes.items() if value is not None)

    def rows(self, episodes: EpisodeSet) -> NDArray[np.int64]:
        """Which episodes of a split are walked."""
        if self.sample is not None:
            return fair_rows(episodes, self.sample, self.seed)
        return np.arange(len(episodes))[: self.limit]


@dataclasses.dataclass(frozen=True)
class _Opened:
    """Who is evaluated, and on what."""

    name: str
    track: str
    """What the results may be compared with; empty if nobody knows."""
    splits: tuple[str, ...]
    """Those that are evaluated by default."""
    folder: Path | None
    """Where evaluations are written by default."""
    walk: Callable[[Split], Evaluation]


def evaluate(
    agent: Policy | type[Policy] | Agent | Path | str,
    splits: str | Sequence[str] | None = None,
    *,
    data: DataConfig | Path | str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    attention: bool = False,
    memory_steps: int | None = None,
    looks: int = 1,
    supervision: Supervision | None = None,
    out: Path | str | None = None,
    device: str = "auto",
    show_progress: bool = True,
    report: Callable[[Split, Evaluation], None] = lambda split, done: None,
) -> dict[str, Evaluation]:
    """Walk splits with a policy (itself, its class, MODULE:NAME or a baseline's name), with an agent, with the agent
    saved in a folder, or with a run's best agent.

    `splits` are named TASK/SPLIT, one or several; by default those that a run's config evaluates. `data` is the data
    folder, or a `DataConfig` that also says what the agent sees; by default a run's own. Result files, records and
    metrics are written to TASK-SPLIT folders below `out`, by default RUN/eval; nothing is written for what has no
    folder. With a `limit` only the first episodes are walked, with a `sample` so many drawn by a `seed`, of each
    building in proportion. Of networks, `attention` writes where they looked, with `memory_steps` only the last steps
    are remembered, and with `looks` of 2, 4 or 8 (test-time augmentation) predictions are averaged over mirrored and
    rotated copies of the building. `supervision` says whose path is the reference in NDH. What is not a whole
    evaluation is written beside it. `report` is called after each split.
    """
    options = Options(limit, sample, seed, attention, memory_steps, looks, supervision)
    if isinstance(agent, str) and is_policy_name(agent) and not Path(agent).exists():
        agent = find_policy(agent, seed)
    if isinstance(agent, type):
        agent = made(agent, agent.__name__)
    found: dict[str, Evaluation] = {}
    opening = (
        _open_policy(agent, data, options, show_progress)
        if isinstance(agent, Policy)
        else _open_network(agent, data, options, device, show_progress)
    )
    with opening as opened:
        chosen = (splits,) if isinstance(splits, str) else tuple(splits or opened.splits)
        if not chosen:
            raise InputError("no split was named to evaluate on; give some as TASK/SPLIT, such as r2r/val_unseen.")
        folder = opened.folder if out is None else Path(out)
        if out is None and folder is not None:
            RunFolder(folder.parent).check_links()
        for split in map(Split.parse, chosen):
            done = opened.walk(split)
            if folder is not None and parallel.rank() == 0:
                place = folder / f"{RunFolder(folder).evaluation(split).name}{options.suffix}"
                write_evaluation(place, done, opened.name, opened.track)
            found[split.name] = done
            report(split, done)
    return found


@contextlib.contextmanager
def _open_policy(
    policy: Policy, data: DataConfig | Path | str | None, options: Options, show_progress: bool
) -> Iterator[_Opened]:
    for option in ("attention", "memory_steps", "looks"):
        if getattr(options, option) != getattr(Options, option):
            raise InputError(f"{option} is an option for networks; {name_of(policy)} is none.")
    config = data if isinstance(data, DataConfig) else DataConfig(folder=None if data is None else Path(data))
    config = dataclasses.replace(config, supervision=options.supervision or config.supervision)
    folder = DataFolder.resolve(config.folder)

    def walk(split: Split) -> Evaluation:
        place = split.data(folder)
        episodes = load_episodes(split.task, split.split, place, supervision=config.supervision)
        episodes = episodes.select(options.rows(episodes))
        scenes = Scenes(episodes.world, place, policy.wants)
        steps = policy.max_steps or config.horizon_of(split.task)
        policy.prepare(episodes, scenes, steps)
        return walk_episodes(policy, episodes, steps, scenes=scenes, keep_steps=True, show_progress=show_progress)

    yield _Opened(name_of(policy), policy.track, (), None, walk)


@contextlib.contextmanager
def _open_network(
    given: Agent | Path | str,
    data: DataConfig | Path | str | None,
    options: Options,
    device: str,
    show_progress: bool,
) -> Iterator[_Opened]:
    from mtvm import products
    from mtvm.learning.agents import remembering, resolve_agent, walk
    from mtvm.learning.data import Data
    from mtvm.learning.seen import seen_by, tell_other_sight
    from mtvm.models.policy import check_looks

    check_looks(options.looks)
    agent, config, splits, folder = resolve_agent(given, data, device)
    sizes = agent.model.config
    chosen = products.choose(
        "auto", hidden=sizes.hidden, intermediate=sizes.intermediate, device=agent.model.device.type
    )
    products.use(chosen.kind)
    if options.supervision is not None:
        config = dataclasses.replace(config, supervision=options.supervision)
    opened: list[Data] = []

    def walk_split_of(split: Split) -> Evaluation:
        if not opened:
            opened.append(Data(config, agent.model.config, agent.model.device, show_progress, trained=True))
            if isinstance(given, str | Path) and parallel.rank() == 0:
                own = RunFolder(given).best if RunFolder(given).best.is_dir() else Path(given)
                tell_other_sight(own, seen_by(config, opened[0].store))
        dataset = opened[0].dataset(split)
        if options.limit is not None or options.sample is not None:
            dataset = dataset.select(options.rows(dataset.episodes))
        return walk(
            agent.model,
            dataset,
            steps=True,
            attention=options.attention,
            looks=options.looks,
            show_progress=show_progress,
        )

    name = Path(given).absolute().name if isinstance(given, str | Path) else ""
    with remembering(agent.model, options.memory_steps):
        yield _Opened(name, config.track or "", splits, folder, walk_split_of)


def walk_episodes(
    policy: Policy,
    episodes: EpisodeSet,
    max_steps: int,
    *,
    scenes: Scenes | None = None,
    keep_steps: bool = False,
    show_progress: bool = True,
) -> Evaluation:
    """Walk every episode once, spread over all processes; every process gets the whole."""
    started, part = time.monotonic(), (parallel.rank(), parallel.size())
    mine = len(range(part[0], len(episodes), part[1]))
    with progress(mine, f"Evaluating {episodes.name}", "episodes", show_progress and part[0] == 0) as advance:
        walks = walk_split(
            policy,
            episodes,
            max_steps=max_steps,
            scenes=scenes,
            keep_steps=keep_steps,
            part=part,
            advance=advance,
        )
    walks = _gathered(walks, episodes)
    answers = walks.answers if any(answer is not None for answer in walks.answers) else None
    seconds, measures = time.monotonic() - started, policy.measures if keep_steps else ()
    return Evaluation(episodes, walks.nodes, walks.views, walks.steps, seconds, answers, measures=measures)


def _gathered(walks: Walks, episodes: EpisodeSet) -> Walks:
    """The walks of all processes; they do not send each other the buildings."""
    if parallel.size() == 1:
        return walks
    names = ("nodes", "views", "lengths", "stopped", "answers", "steps", "rows")
    sent: list[Any] = parallel.gather({name: getattr(walks, name) for name in names})
    return joined(episodes, [Walks(episodes.select(one["rows"]), **one) for one in sent])
