"""Gymnasium environments over the walk of all agents, for every task.

    import gymnasium
    envs = gymnasium.make_vec("mtvm.gym:mtvm/R2R-v0", num_envs=64, data="path/to/data", split="train")
    mine = gymnasium.make("mtvm.gym:mtvm/Navigation-v0", task="my_task:QUESTIONS", tokens="wordpiece-en")

Action 0 stops; action i moves to candidate i - 1. (Elsewhere STOP comes after the candidates, whose number varies;
gymnasium's `Discrete` spaces are fixed, so here it comes first.) The observation's `actions` and `action_masks()` mark
the valid actions; an invalid one costs a step and leaves the agent where it is. The reward of a move is the decrease in
distance to the goal, in metres; stopping earns 2 where the task says that it is right, else -2. An episode is truncated
after `max_steps` actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.navigator import at_starts
from mtvm.acting.policy import Decisions, Policy
from mtvm.acting.scenes import Scenes
from mtvm.acting.sights import Sights
from mtvm.acting.walk import Batch
from mtvm.errors import InputError, MissingExtraError
from mtvm.features.store import FeatureStore
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.spec import TaskSpec
from mtvm.tasks.teacher import Teacher
from mtvm.tasks.way import WayAhead
from mtvm.world.views import VIEWS

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError("gymnasium", "gym", "The gymnasium environment") from None

_STOP_REWARD = 2.0

ENVIRONMENTS = {
    "mtvm/R2R-v0": "r2r",
    "mtvm/R4R-v0": "r4r",
    "mtvm/Long-v0": "long",
    "mtvm/NDH-v0": "ndh",
    "mtvm/REVERIE-v0": "reverie",
    "mtvm/RxR-v0": "rxr",
    "mtvm/Navigation-v0": None,
}
"""What is registered, and the task of each; None for the one whose task is given, such as yours. Gymnasium 1.0 did
away with the entry points of packages: `mtvm.gym:` before a name imports this module."""

Arrays = dict[str, Any]


class NavigationVectorEnv(VectorEnv[Arrays, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` agents at once. After the end of an episode, the agent's next step starts another one.

    Args:
        num_envs: number of agents.
        task, split, data, supervision: as for `load_episodes`.
        features: a feature store (see `mtvm features import`); observations then have `features`.
        max_steps: actions after which an episode is truncated; default: the task's horizon.
        tokens: the instruction as the tokens of a text reader (wordpiece-en, bytes, characters or MODULE:NAME) instead
            of a text, for libraries whose observations are arrays alone; 0 pads.
        candidates: the most that an observation can hold, so that the spaces are the same for all splits; default: as
            many as a viewpoint of these episodes' buildings has.
        order: `random`, or `sequential` to go through the split repeatedly.
        episodes: loaded episodes, instead of task, split and data.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        task: str | TaskSpec = "r2r",
        data: DataFolder | str | Path | None = None,
        split: str = "train",
        supervision: str = "mixed",
        features: str | Path | FeatureStore | None = None,
        max_steps: int | None = None,
        tokens: str | None = None,
        candidates: int | None = None,
        order: Literal["random", "sequential"] = "random",
        episodes: EpisodeSet | None = None,
    ) -> None:
        self.num_envs = num_envs
        self.episodes = episodes or load_episodes(task, split, data, supervision=supervision)
        if not self.episodes.has_goals:
            raise InputError(f"{self.episodes.source}: {self.episodes.name} has no goals, so there are no rewards.")
        self.max_steps = self.episodes.task.horizon(supervision) if max_steps is None else max_steps
        self.order = order
        self._ids = np.array(self.episodes.ids, dtype=object)
        self._scans = np.array(self.episodes.world.scans, dtype=object)
        self._viewpoints = self.episodes.world.viewpoints.astype(object)
        rows = np.zeros(num_envs, dtype=np.int64)
        navigator = at_starts("candidates", self.episodes.select(rows))
        self._batch = Batch(self.episodes, navigator, Scenes(self.episodes.world), rows)
        self._batch.end(np.ones(num_envs, dtype=bool))
        self.sights = self._batch.look()
        """What the agents see, as policies are shown it."""
        self._observer = _Observer(self.episodes, features, tokens, candidates)
        self.single_observation_space = self._observer.space()
        self.single_action_space = spaces.Discrete(self._observer.candidates + 1)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._way = WayAhead(
            self.episodes.world,
            self.episodes.via[rows],
            self.episodes.goals[rows],
            self.episodes.task.success.radius,
        )
        self._teacher = self._make_teacher(rows)
        self._distance = np.zeros(num_envs)
        self._next = 0

    def _make_teacher(self, chosen: NDArray[np.int64]) -> Teacher:
        return Teacher(self.episodes.select(chosen), self.episodes.task.follow)

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_envs, actions) true for the actions that are possible now."""
        return self._observer.masks(self.sights.seen.count)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, Arrays]:
        """Start new episodes for all agents. A seed also restarts the order of the episodes."""
        super().reset(seed=seed[0] if isinstance(seed, list) else seed)
        if seed is not None:
            self._next = 0
        self._start(np.ones(self.num_envs, dtype=bool))
        return self._observe()

    def step(self, actions: NDArray[np.int64]) -> tuple[Arrays, NDArray[Any], NDArray[Any], NDArray[Any], Arrays]:
        """Act. Agents whose episode is over start their next one instead."""
        batch, starting = self._batch, self._batch.ended
        candidates, stop = np.asarray(actions, dtype=np.int64) - 1, self.sights.seen.count
        stopped, impossible = (candidates < 0) & ~starting, (candidates >= stop) & ~starting
        before = self._distance
        batch.go(np.where(candidates < 0, stop, candidates), waiting=impossible)
        self._distance = self._way.distance(batch.navigator.simulator.node)
        success = self._way.arrived(self._distance)
        rewards = np.where(stopped, np.where(success, _STOP_REWARD, -_STOP_REWARD), before - self._distance)
        truncated = ~stopped & (batch.steps >= self.max_steps) & ~starting
        rewards[starting] = 0.0
        batch.end(truncated)
        if starting.any():
            self._start(starting)
        observation, info = self._observe()
        info |= {"success": stopped & success, "impossible": impossible}
        return observation, rewards, stopped, truncated, info

    def _start(self, rows: NDArray[np.bool_]) -> None:
        """Start a new episode for each of the agents at `rows`."""
        count = int(rows.sum())
        if self.order == "sequential":
            chosen = (self._next + np.arange(count)) % len(self.episodes)
            self._next += count
        else:
            chosen = self.np_random.integers(len(self.episodes), size=count)
        self._batch.begin(rows, chosen)
        self._teacher.begin(rows, self._make_teacher(chosen))
        self._way.begin(rows, self.episodes.via[chosen], self.episodes.goals[chosen])
        self._distance = self._way.distance(self._batch.navigator.simulator.node)

    def _observe(self) -> tuple[Arrays, Arrays]:
        world = self.episodes.world
        self.sights = self._batch.look()
        seen, teacher = self.sights.seen, self._batch.navigator.right_actions(self._teacher)
        info: Arrays = {
            "id": self._ids[self.sights.rows],
            "scan": self._scans[world.scan_of_node[seen.node]],
            "viewpoint": self._viewpoints[seen.node],
            "teacher": np.where(teacher == seen.count, 0, teacher + 1),
            "distance": self._distance.copy(),
        }
        return self._observer.observe(self.sights), info


class NavigationEnv(gymnasium.Env[Arrays, np.int64]):
    """A single agent: the vector environment with one agent. Takes the same arguments."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, **arguments: Any) -> None:
        self._batch = NavigationVectorEnv(num_envs=1, **arguments)
        self.episodes, self.max_steps = self._batch.episodes, self._batch.max_steps
        self.observation_space = self._batch.single_observation_space
        self.action_space = self._batch.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Arrays, Arrays]:
        super().reset(seed=seed)
        observation, info = self._batch.reset(seed=seed, options=options)
        return _first(observation), _first(info)

    def step(self, action: np.int64) -> tuple[Arrays, float, bool, bool, Arrays]:
        observation, rewards, stopped, truncated, info = self._batch.step(np.array([action]))
        return _first(observation), float(rewards[0]), bool(stopped[0]), bool(truncated[0]), _first(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """(actions,) true for the actions that are possible now."""
        return self._batch.action_masks()[0]


class Trained(Policy):
    """What was trained in these environments, as an agent that is evaluated, compared and watched as any other.

        agent = mtvm.gym.Trained(lambda seen, masks: model.predict(seen, action_masks=masks)[0], tokens="bytes")
        mtvm.evaluate(agent, "r2r/val_unseen")

    `choose` is given the observations of the agents that are walking, as the vector environment has them, and the masks
    of their actions, and returns their actions. The options are those of the environment.
    """

    def __init__(
        self,
        choose: Callable[[Arrays, NDArray[np.bool_]], NDArray[np.integer]],
        *,
        features: str | Path | FeatureStore | None = None,
        tokens: str | None = None,
        candidates: int | None = None,
    ) -> None:
        self.choose = choose
        self._options = features, tokens, candidates

    @property
    def track(self) -> str:
        return super().track if self._options[0] is None else ""

    def start(self, episodes: EpisodeSet) -> None:
        self._observer = _Observer(episodes, *self._options)

    def act(self, sights: Sights) -> Decisions:
        observer, count = self._observer, sights.seen.count
        chosen = np.asarray(self.choose(observer.observe(sights), observer.masks(count)), np.int64)
        return Decisions(np.where(chosen == 0, count, chosen - 1))


class _Observer:
    """Makes observations of fixed shapes."""

    def __init__(
        self,
        episodes: EpisodeSet,
        features: str | Path | FeatureStore | None,
        tokens: str | None,
        candidates: int | None,
    ) -> None:
        world = episodes.world
        self.texts, self.candidates = episodes.texts, int(candidates or world.max_candidates)
        if self.candidates < world.max_candidates:
            raise InputError(
                f"candidates must be at least {world.max_candidates}, which a viewpoint of {episodes.name} has, not "
                f"{candidates}."
            )
        self.store = FeatureStore.open(Path(features)) if isinstance(features, str | Path) else features
        if self.store is not None:
            scans = [world.scans[number] for number in world.scan_of_node]
            self._rows = self.store.rows(scans, world.viewpoints.tolist())
        self.tokens = None if tokens is None else _tokens(tokens, episodes)

    def space(self) -> spaces.Dict:
        parts: dict[str, spaces.Space[Any]] = {
            "instruction": self._instruction_space(),
            "view": spaces.Discrete(VIEWS),
            "angles": spaces.Box(-1, 1, (self.candidates, 4), np.float32),
            "actions": spaces.MultiBinary(self.candidates + 1),
        }
        if self.store is not None:
            limit = float(np.finfo(np.float16).max)
            parts["features"] = spaces.Box(-limit, limit, (self.candidates, self.store.width), np.float32)
        return spaces.Dict(parts)

    def _instruction_space(self) -> spaces.Space[Any]:
        if self.tokens is not None:
            ids, vocabulary = self.tokens
            return spaces.Box(0, vocabulary - 1, ids.shape[1:], np.int64)
        longest, letters = max(map(len, self.texts)), frozenset("".join(self.texts)) | {" "}
        return spaces.Text(min_length=0, max_length=longest, charset=letters)

    def masks(self, count: NDArray[np.integer]) -> NDArray[np.bool_]:
        """(b, candidates + 1) true for STOP and the `count` (b,) candidates."""
        return np.arange(self.candidates + 1) <= count[:, None]

    def observe(self, sights: Sights) -> Arrays:
        seen, rows = sights.seen, sights.rows
        columns = seen.angles.shape[1]
        angles = np.zeros((len(rows), self.candidates, 4), dtype=np.float32)
        np.maximum(np.minimum(seen.angles, 1), -1, out=angles[:, :columns])  # half the time of np.clip
        texts = tuple(self.texts[row] for row in rows) if self.tokens is None else self.tokens[0][rows]
        found: Arrays = {"instruction": texts, "view": seen.view, "angles": angles}
        found["actions"] = self.masks(seen.count).astype(np.int8)
        if self.store is not None:
            features = np.zeros((len(rows), self.candidates, self.store.width), dtype=np.float32)
            places = np.where(seen.mask, self._rows[seen.node][:, None], -1)
            features[:, :columns] = self.store.gather(places, seen.candidate_views.astype(np.int64))
            found["features"] = features
        return found


def _tokens(reader: str, episodes: EpisodeSet) -> tuple[NDArray[np.int64], int]:
    """(N, L) the instructions as a text reader's tokens, as many as the task's texts may have, and how many different
    tokens there are."""
    from mtvm.models.text import text_reader

    task, found = episodes.task, text_reader(reader)
    length = math.ceil(task.max_text * found.tokens_per_piece)
    tokens = found.tokenize(episodes.texts, length, truncation=task.truncation).padded(length)
    return tokens.ids.numpy(), found.vocabulary


def _first(batch: Arrays) -> Arrays:
    return {name: values[0] for name, values in batch.items()}


def register() -> None:
    """Register the environments with gymnasium; called when this module is imported."""
    for environment, task in ENVIRONMENTS.items():
        if environment not in gymnasium.registry:
            gymnasium.register(
                id=environment,
                entry_point="mtvm.gym:NavigationEnv",
                vector_entry_point="mtvm.gym:NavigationVectorEnv",
                kwargs={} if task is None else {"task": task},
            )


register()
