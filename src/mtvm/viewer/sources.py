"""What the page shows: evaluations of runs, and result files of anybody's agents.

Only the files that were named when the server started are ever read; the page knows them by number.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.find import is_policy_name
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError, brief
from mtvm.learning.run_folder import EVALUATIONS, RunFolder
from mtvm.plugins import check_names
from mtvm.tasks.data import DataFolder
from mtvm.tasks.diagnosis import Diagnosis, diagnose
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.evaluation_folder import MANIFEST, METRICS_FILE, RESULTS, Manifest, check_walks, read_manifest
from mtvm.tasks.events import STEPS, EventFile, StepEvent, events_of_trajectory
from mtvm.tasks.load import is_file_name, load_episodes, split_name
from mtvm.tasks.metric import NAVIGATION
from mtvm.tasks.metrics import goal_distance, path_length, score_trajectories, summarize
from mtvm.tasks.registry import find_task
from mtvm.tasks.results import Pose, checked_nodes, read_results
from mtvm.viewer.figures import Walk
from mtvm.viewer.refusals import UnknownError
from mtvm.world.storeys import storey_changes, storeys

_USUAL = {metric.name for metric in NAVIGATION}


@dataclasses.dataclass(frozen=True)
class Live:
    """An agent that can walk now, and what it sees."""

    agent: Path | str
    """The folder of its weights, or the name of a pretrained agent; of a policy MODULE:NAME or a baseline's name."""
    data: DataConfig

    @property
    def is_policy(self) -> bool:
        """Whether it is no network, which would walk the same way again and say where it looked."""
        return isinstance(self.agent, str) and is_policy_name(self.agent)


@dataclasses.dataclass(eq=False)
class Source:
    """Trajectories of one agent on one split."""

    name: str
    path: Path
    folder: DataFolder
    episodes: EpisodeSet
    trajectories: list[list[Pose]]
    nodes: list[NDArray[np.int32]]
    columns: dict[str, NDArray[np.float64]]
    """Each metric of each episode; none if the goals are secret."""
    answers: list[str | None] | None = None
    """What was answered in each episode."""
    steps: EventFile | None = None
    live: Live | None = None
    notes: list[str] = dataclasses.field(default_factory=list)
    """What a visitor should know of these files."""
    _strange: set[str] = dataclasses.field(default_factory=set)

    @classmethod
    def read(cls, name: str, path: Path, folder: DataFolder, episodes: EpisodeSet, live: Live | None = None) -> Source:
        """The trajectories of a result file, and the steps beside it if there are any."""
        some, trajectories, answers = read_results(path, episodes, partial=True)
        nodes = checked_nodes(path, some, trajectories)
        columns = score_trajectories(some, nodes, answers) if some.has_goals else {}
        steps = path.with_name(STEPS)
        known = EventFile(steps) if path.name == RESULTS and steps.is_file() else None
        source = cls(name, path, folder, some, trajectories, nodes, columns, answers, known, live)
        source._compare()
        return source

    def _compare(self) -> None:
        """Note the episodes whose steps are not the walks of the result file: another evaluation wrote them."""
        if self.steps is None:
            return
        names = self.episodes.world.viewpoints
        self._strange = {
            identity
            for identity, nodes in zip(self.episodes.ids, self.nodes, strict=True)
            if identity in self.steps and self.steps.walked(identity) != names[_moves(nodes)].tolist()
        }
        if self._strange:
            first = next(identity for identity in self.episodes.ids if identity in self._strange)
            self.notes.append(
                f"{self.steps.path} and {self.path.name} are of different walks in {len(self._strange):,} of "
                f"{len(self.episodes):,} episodes (the first is {brief(first)}): their probabilities and attention are "
                "left out. Evaluate again."
            )

    @functools.cached_property
    def rows(self) -> dict[str, int]:
        return {identity: row for row, identity in enumerate(self.episodes.ids)}

    def row(self, identity: str) -> int:
        if identity not in self.rows:
            raise UnknownError(f"there is no episode {brief(identity)} in {self.name}.")
        return self.rows[identity]

    def events(self, row: int) -> list[StepEvent]:
        identity = self.episodes.ids[row]
        if self.steps is not None and identity in self.steps and identity not in self._strange:
            events = self.steps.of(identity)
            self._check(events, self.steps.path, row)
            return events
        poses, nodes = self.trajectories[row], self.nodes[row].tolist()
        arrivals = [place for place, node in enumerate(nodes) if place == 0 or node != nodes[place - 1]]
        # Low-level trajectories turn on the spot: where the agent looked last is where it went.
        ends = [following - 1 for following in [*arrivals[1:], len(nodes)]]
        angles = [poses[end][1:] for end in ends]
        return list(events_of_trajectory(identity, self.episodes.world, [nodes[place] for place in arrivals], angles))

    def _check(self, events: list[StepEvent], path: Path, row: int) -> None:
        """Raise if steps from a file are not in the episode's building."""
        world = self.episodes.world
        scan = world.scan(int(self.episodes.starts[row]))
        for event in events:
            strange = [
                name for name in (event.viewpoint, *event.candidates, *(event.way or ())) if world.find(scan, name) < 0
            ]
            if event.scan != scan or strange:
                what = f"viewpoint {brief(strange[0])}" if strange else f"scan {brief(event.scan)}"
                raise InputError(
                    f"{path}: step {event.step} of episode {brief(event.id)}: {what} is not in {scan}, where the "
                    "episode is; evaluate again."
                )

    def walk(self, identity: str) -> Walk:
        row = self.row(identity)
        episode = self.episodes[row]
        metrics = {name: float(column[row]) for name, column in self.columns.items()}
        walk = Walk(episode.id, episode.scan, episode.text, self.events(row), episode.reference, episode.goals, metrics)
        mistake = self.diagnosis.names(slice(row, row + 1))[0] if self.diagnosis else ""
        task, wanted = self.episodes.task, self.episodes.extra.get("answer")
        return dataclasses.replace(
            walk,
            distances=self._distances(walk.viewpoints, row),
            mistake=mistake,
            radius=task.success.radius,
            answer=None if self.answers is None else self.answers[row],
            target=str(wanted[row]) if wanted and task.answer == "object" else None,
        )

    def _distances(self, viewpoints: list[str], row: int) -> list[float]:
        """How far each viewpoint is from the nearest goal, in metres; nothing if the goals are secret."""
        world, goals = self.episodes.world, self.episodes.goals[row : row + 1]
        if not self.episodes.has_goals:
            return []
        scan = world.scan(int(self.episodes.starts[row]))
        nodes = np.array([[world.find(scan, name) for name in viewpoints]])
        return [round(value, 3) for value in goal_distance(world, nodes, goals)[0].tolist()]

    def describe(self) -> dict[str, Any]:
        """What the page's header says of it."""
        task = self.episodes.task
        return {
            "name": self.name,
            "task": task.name,
            "split": self.episodes.split,
            "episodes": len(self.episodes),
            "metrics": {name: round(value, 3) for name, value in summarize(self.columns).items()},
            "headline": [*task.headline_metrics, *(one.name for one in task.metrics if one.name not in _USUAL)],
            "meanings": {metric.name: dataclasses.asdict(metric) for metric in task.metrics},
            "can_rethink": self.live is not None and not self.live.is_policy,
            "has_steps": self.steps is not None,
            "notes": self.notes,
        }

    @functools.cached_property
    def diagnosis(self) -> Diagnosis | None:
        """What went wrong in each episode; None if the goals are secret."""
        known = {"NE", "SR", "OSR"} <= set(self.columns)
        return diagnose(self.episodes, self.nodes, self.columns) if known else None

    @functools.cached_property
    def facts(self) -> dict[str, list[Any]]:
        """What the episodes are like, whoever walks them: scan, length and storey changes of the reference path, and
        words of the instruction."""
        world, references = self.episodes.world, self.episodes.references
        return {
            "scan": [world.scan(start) for start in self.episodes.starts.tolist()],
            "length": np.round(path_length(world, references), 2).tolist(),
            "words": [len(text.split()) for text in self.episodes.texts],
            "storeys": storey_changes(storeys(world), references).tolist(),
        }

    def table(self, first: int = 0, count: int | None = None) -> dict[str, Any]:
        """Episodes of the list, column by column; `edges` is how many the agent walked along, `mistake` is in words."""
        part = slice(first, None if count is None else first + count)
        return {
            "total": len(self.episodes),
            "id": self.episodes.ids[part],
            "text": self.episodes.texts[part],
            **{name: column[part] for name, column in self.facts.items()},
            "edges": [int((np.diff(nodes) != 0).sum()) for nodes in self.nodes[part]],
            "mistake": self.diagnosis.names(part) if self.diagnosis else None,
            "metrics": {name: np.round(column[part], 2).tolist() for name, column in self.columns.items()},
        }


def _moves(nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The nodes without stays."""
    return nodes[np.append(True, nodes[1:] != nodes[:-1])]


@dataclasses.dataclass(frozen=True)
class Defaults:
    """What result files do not say of themselves."""

    data: Path | None = None
    task: str = "r2r"
    split: str = "val_unseen"
    supervision: str = "mixed"
    agent: str | None = None
    """An agent to talk to where there is no other: MODULE:NAME, or the name of a baseline."""


def open_sources(paths: list[Path], defaults: Defaults) -> list[Source]:
    """The evaluations of each run or folder, and each result file."""
    found = [source for path in paths for source in _open(path, defaults)]
    names = [source.name for source in found]
    for source in found:
        if names.count(source.name) > 1:
            source.name = f"{source.name} ({source.path.parent})"
        if source.live is None and defaults.agent is not None:
            source.live = Live(defaults.agent, DataConfig(folder=source.folder.path))
    return found


def _open(path: Path, defaults: Defaults) -> list[Source]:
    if path.is_file():
        data = data_folder(defaults.data)
        episodes = load_episodes(defaults.task, defaults.split, data, supervision=defaults.supervision)
        return [Source.read(path.stem, path, data, episodes)]
    if not path.is_dir():
        raise InputError(f"{path}: there is no such run or result file.")
    if (path / RESULTS).is_file():
        above = path.absolute().parent
        name = above.parent.name if above.name == EVALUATIONS else above.name
        return [read_evaluation(path, name, None, defaults)]
    results = _evaluations(path)
    if not results:
        raise no_evaluation(path)
    live = _agent_of(path, defaults)
    return [read_evaluation(result.parent, path.absolute().name, live, defaults) for result in results]


def lone_agent(path: Path, defaults: Defaults) -> tuple[str, Live] | None:
    """The agent of a run that was not evaluated here: there is nothing to watch, but it can be talked to."""
    if not path.is_dir() or (path / RESULTS).is_file() or _evaluations(path):
        return None
    live = _agent_of(path, defaults)
    return None if live is None else (path.absolute().name, live)


def no_evaluation(path: Path) -> InputError:
    return InputError(f"{path}: no evaluation is here; make one with 'mtvm eval {path} --attention'.")


def _evaluations(path: Path) -> list[Path]:
    """Those of a run, or of what `mtvm eval --out` wrote."""
    return sorted(path.glob(f"{EVALUATIONS}/*/{RESULTS}")) or sorted(path.glob(f"*/{RESULTS}"))


def _agent_of(path: Path, defaults: Defaults) -> Live | None:
    run = RunFolder(path)
    if not run.is_run or not run.best.is_dir():
        return None
    config = run.config().data
    return Live(run.best, dataclasses.replace(config, folder=defaults.data or config.folder))


def read_evaluation(where: Path, run: str, live: Live | None, defaults: Defaults) -> Source:
    """The folder of an evaluation; its metrics file names the split."""
    said = read_manifest(where, (RESULTS, STEPS, METRICS_FILE))
    check_names(said.task, where / (MANIFEST if (where / MANIFEST).is_file() else METRICS_FILE), "the task")
    split, folder = _evaluated_on(said, where, live, defaults)
    data = data_folder(folder)
    supervision = live.data.supervision if live else defaults.supervision
    episodes = load_episodes(said.task, split, data, supervision=supervision)
    source = Source.read(f"{run} {episodes.task.name}/{said.split}", where / RESULTS, data, episodes, live)
    check_walks(where, source.columns)
    return source


def _evaluated_on(said: Manifest, where: Path, live: Live | None, defaults: Defaults) -> tuple[str, Path | None]:
    """The split of an evaluation, which may be a file of one's own, and its data folder, which may be another one than
    the run's: as the run's config has them, or as they are given."""
    own = defaults.data or (live.data.folder if live else None)
    for text in (live.data.evaluate or ()) if live else ():
        if not text.rpartition("::")[2].startswith(f"{said.task}/"):
            continue
        split = Split.parse(text)
        name = RunFolder(where).evaluation(split).name
        if where.name == name or where.name.startswith(f"{name}-"):
            return split.split, split.folder or own
    if is_file_name(defaults.split) and split_name(defaults.split) == said.split:
        return defaults.split, own
    task = find_task(said.task)
    if said.split not in task.splits and data_folder(own).find(task.file_names(said.split), task.accepts) is None:
        raise InputError(f"{where}: evaluated on a file of one's own, {brief(said.split)}; name it with --split FILE.")
    return said.split, own


def data_folder(path: Path | None) -> DataFolder:
    return _walked(DataFolder.locate(path).absolute())


@functools.lru_cache(maxsize=8)
def _walked(path: Path) -> DataFolder:
    """A data folder is searched once."""
    return DataFolder(path)
