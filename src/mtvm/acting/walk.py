"""The walk: any policy, any way to move, one runner.

    walks = walk(policy, episodes)                      # until all have stopped
    walks.trajectories()                                # as result files have them

`Walking` is the same step by step, for whoever wants to stand between what an agent decides and what is done. `Batch`
is what is left of it without a policy, for those whose agents are elsewhere, as in gymnasium.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.acting.navigator import Navigator, at_starts
from mtvm.acting.policy import UNLIMITED, Decisions, Policy
from mtvm.acting.recording import Recorder
from mtvm.acting.scenes import Scenes
from mtvm.acting.sights import Sights
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.events import StepEvent
from mtvm.tasks.results import Pose, trajectories
from mtvm.tasks.teacher import Follow, Teacher
from mtvm.world.simulator import Simulator

Nodes = NDArray[np.int64]

Watch = Callable[[Sights, Decisions, Nodes], None]
"""Called after each step with what was seen, what was done, and (b, H) the nodes reached by it."""
Lead = Callable[[Sights, Navigator], Nodes]
"""(b,) the actions that are taken instead of those that the agents decide on."""


class Teaching:
    """Leads agents as the teacher does."""

    def __init__(self, follow: Follow = "goal") -> None:
        self.follow = follow

    def __call__(self, sights: Sights, navigator: Navigator) -> Nodes:
        if not sights.steps.any():
            self._teacher = Teacher(sights.episodes, self.follow)
        self._teacher.keep(sights.kept)
        return navigator.right_actions(self._teacher)


@dataclasses.dataclass(frozen=True, eq=False)
class Walks:
    """What N episodes did."""

    episodes: EpisodeSet
    nodes: Nodes
    """(N, T) the nodes that they came to, the start first; -1 pads."""
    views: Nodes
    """(N, T) the view that they faced there."""
    lengths: Nodes
    """(N,) steps taken, STOP included."""
    stopped: NDArray[np.bool_]
    """(N,) true for those that stopped by themselves; the others ran out of steps."""
    answers: list[str | None]
    steps: list[list[StepEvent]] = dataclasses.field(default_factory=list)
    """What each episode did and thought at each step, if that was to be kept."""
    rows: Nodes = dataclasses.field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(N,) their rows in the split that they are a part of."""

    def trajectories(self) -> list[list[Pose]]:
        return trajectories(self.episodes, self.nodes, self.views)


class Batch:
    """Agents that walk side by side, each in an episode: what they see, and where they go."""

    def __init__(
        self, episodes: EpisodeSet, navigator: Navigator, scenes: Scenes, rows: NDArray[np.int64] | None = None
    ) -> None:
        self.episodes, self.navigator, self.scenes = episodes, navigator, scenes
        self.rows = np.arange(len(episodes)) if rows is None else rows
        """(b,) the row of the episode that each agent is in; by default, one agent in each."""
        self.steps = np.zeros(len(self.rows), dtype=np.int64)
        """(b,) how many steps it has taken there."""
        self._kept, self._taken = np.arange(len(self.rows)), np.full(len(self.rows), -1)

    def look(self) -> Sights:
        """What the agents see."""
        seen = self.navigator.observe()
        return Sights(self.episodes, seen, self.steps, self.rows, self._kept, self._taken, self.scenes)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """(b,) true for those that have stopped, which stay where they are until they begin another episode."""
        return self.navigator.simulator.ended.copy()

    def end(self, places: NDArray[np.bool_]) -> None:
        """Let the agents at `places` stop, without a step."""
        self.navigator.simulator.ended = self.ended | places

    def go(self, actions: ArrayLike, waiting: NDArray[np.bool_] | None = None) -> tuple[Nodes, Nodes]:
        """Take these actions, but for those that are `waiting`, which stay. (b, H) the nodes reached on the way, -1
        pads, and (b,) the view that each agent faces then."""
        actions, simulator = np.asarray(actions, dtype=np.int64), self.navigator.simulator
        if waiting is not None:
            self.end(waiting)
        walked = self.navigator.go(actions)
        if waiting is not None:
            simulator.ended &= ~waiting
            actions = np.where(waiting, -1, actions)
        self._kept, self._taken, self.steps = np.arange(len(self.rows)), actions, self.steps + 1
        return walked, simulator.view.copy()

    def keep(self, places: Nodes) -> None:
        """Keep only the agents at `places`."""
        self._kept, self._taken = self._kept[places], self._taken[places]
        if len(places) < len(self.rows):
            self.rows, self.steps = self.rows[places], self.steps[places]
            self.navigator.keep(places)

    def begin(self, places: NDArray[np.bool_], rows: Nodes) -> None:
        """Put the agents at `places` at the starts of the episodes at `rows`."""
        self.rows, self.steps, self._taken = self.rows.copy(), np.where(places, 0, self.steps), self._taken.copy()
        self.rows[places], self._taken[places] = rows, -1
        self.navigator.begin(places, self.episodes.starts[rows], self.episodes.headings[rows])


class Walking(Batch):
    """A policy's batch under way: alternate `think` and `act` until `rows`, the episodes that have not ended, is
    empty."""

    def __init__(
        self, policy: Policy, episodes: EpisodeSet, navigator: Navigator | None = None, scenes: Scenes | None = None
    ) -> None:
        super().__init__(
            episodes,
            at_starts(policy.moves, episodes) if navigator is None else navigator,
            Scenes(episodes.world, None, policy.wants) if scenes is None else scenes,
        )
        self.policy = policy
        if len(episodes):
            policy.start(episodes)

    def think(self) -> tuple[Sights, Decisions]:
        """What the agents see, and what the policy decides."""
        sights = self.look()
        return sights, Decisions.of(self.policy.act(sights), sights, self.policy)

    def act(self, sights: Sights, actions: ArrayLike) -> tuple[Nodes, Nodes]:
        """`go`; those that stop leave."""
        actions = np.asarray(actions, dtype=np.int64)
        done = self.go(actions)
        self.keep(np.nonzero(actions != sights.seen.count)[0])
        return done


def walk(
    policy: Policy,
    episodes: EpisodeSet,
    navigator: Navigator | None = None,
    *,
    max_steps: int = UNLIMITED,
    scenes: Scenes | None = None,
    lead: Lead | None = None,
    watch: Watch | None = None,
    keep_steps: bool = False,
) -> Walks:
    """Walk a batch of episodes until all have stopped or `max_steps` are over.

    `navigator` moves agents that stand at the starts; by default it is the policy's kind. `lead` decides in the agents'
    stead, while they think all the same. `watch` is shown each step as it was done, and `keep_steps` writes them down.
    """
    walking = Walking(policy, episodes, navigator, scenes)
    path, record = Path(walking.navigator.simulator), Recorder(episodes) if keep_steps else None
    stopped, lengths = np.zeros(len(episodes), dtype=bool), np.zeros(len(episodes), dtype=np.int64)
    answers: list[str | None] = [None] * len(episodes)
    while len(walking.rows) and walking.steps[0] < max_steps:
        sights, done = walking.think()
        if lead is not None:
            done = dataclasses.replace(done, actions=lead(sights, walking.navigator))
        walked, views = walking.act(sights, done.actions)
        path.add(sights.rows, walked, views)
        lengths[sights.rows] += 1
        stopped[sights.rows] = done.actions == sights.seen.count
        for row, answer in zip(sights.rows.tolist(), done.answers or (), strict=False):
            answers[row] = answers[row] if answer is None else answer
        for each in (watch, record):
            if each is not None:
                each(sights, done, walked)
    return Walks(episodes, *path.padded(), lengths, stopped, answers, [] if record is None else record.events)


def walk_split(
    policy: Policy,
    episodes: EpisodeSet,
    *,
    max_steps: int = UNLIMITED,
    scenes: Scenes | None = None,
    lead: Lead | None = None,
    keep_steps: bool = False,
    part: tuple[int, int] = (0, 1),
    advance: Callable[[int], None] = lambda episodes: None,
) -> Walks:
    """Walk any number of episodes, as many at a time and in the order as the policy says, or every n-th of them from
    the k-th on, if `part` is (k, n); `advance` is told how many have ended."""
    mine = policy.order(episodes)[part[0] :: part[1]]
    scenes = Scenes(episodes.world, None, policy.wants) if scenes is None else scenes
    parts: list[Walks] = []
    for first in range(0, len(mine), policy.batch or max(len(mine), 1)):
        rows = mine[first : first + (policy.batch or len(mine))]
        some = episodes.select(rows)
        done = walk(policy, some, max_steps=max_steps, scenes=scenes, lead=lead, keep_steps=keep_steps)
        parts.append(dataclasses.replace(done, rows=rows))
        advance(len(rows))
    return joined(episodes, parts)


def joined(episodes: EpisodeSet, parts: Sequence[Walks]) -> Walks:
    """Walks of some episodes each as one, in the order of the episodes."""
    rows = np.concatenate([part.rows for part in parts]) if parts else np.zeros(0, dtype=np.int64)
    order = np.argsort(rows, kind="stable")

    answers, steps = ([one for part in parts for one in getattr(part, name)] for name in ("answers", "steps"))
    width = max((part.nodes.shape[1] for part in parts), default=1)
    if not parts:
        nothing = np.zeros((0, 1), dtype=np.int64)
        return Walks(episodes.select(rows), nothing, nothing, rows, rows > 0, [])
    return Walks(
        episodes.select(rows[order]),
        np.concatenate([_padded(part.nodes, width) for part in parts])[order],
        np.concatenate([_padded(part.views, width) for part in parts])[order],
        np.concatenate([part.lengths for part in parts])[order],
        np.concatenate([part.stopped for part in parts])[order],
        [answers[row] for row in order],
        [steps[row] for row in order] if steps else [],
        rows[order],
    )


def _padded(nodes: Nodes, width: int) -> Nodes:
    return np.pad(nodes, ((0, 0), (0, width - nodes.shape[1])), constant_values=-1)


class Path:
    """Where the episodes of a batch have been, however many nodes a step leads through."""

    def __init__(self, simulator: Simulator) -> None:
        self.nodes = np.full((len(simulator), _USUAL), -1, dtype=np.int64)
        self.views = np.full_like(self.nodes, -1)
        self.nodes[:, 0], self.views[:, 0] = simulator.node, simulator.view
        self.count = np.ones(len(simulator), dtype=np.int64)

    def add(self, rows: Nodes, walked: Nodes, views: Nodes) -> None:
        """Add the nodes (b, H) that the episodes at `rows` came to, and the views that they face at the last one."""
        for nodes in walked.T:
            here = nodes >= 0
            some = rows[here]
            if len(some) and self.count[some].max() >= self.nodes.shape[1]:
                wider = ((0, 0), (0, self.nodes.shape[1]))
                self.nodes, self.views = (np.pad(old, wider, constant_values=-1) for old in (self.nodes, self.views))
            self.nodes[some, self.count[some]], self.views[some, self.count[some]] = nodes[here], views[here]
            self.count[some] += 1

    def padded(self) -> tuple[Nodes, Nodes]:
        longest = int(self.count.max(initial=1))
        return self.nodes[:, :longest], self.views[:, :longest]


_USUAL = 16
"""Nodes of a path for which there is room from the start."""
