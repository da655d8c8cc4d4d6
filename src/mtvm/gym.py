"""Gymnasium environments over the batched simulator, for every task.

    import gymnasium
    envs = gymnasium.make_vec("mtvm.gym:mtvm/R2R-v0", num_envs=64, data="path/to/data", split="train")
    mine = gymnasium.make("mtvm.gym:mtvm/Navigation-v0", task="my_task:STAIRS", tokens="wordpiece-en")

Action 0 stops; action i moves to candidate i - 1. (Elsewhere STOP comes after the candidates, whose number varies;
gymnasium's `Discrete` spaces are fixed, so here it comes first.) The observation's `actions` and `action_masks()` mark
the valid actions; an invalid one costs a step and leaves the agent where it is. The reward of a move is the decrease in
distance to the goal, in metres; stopping earns 2 where the task says that it is right, else -2. An episode is truncated
after `max_steps` actions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.features.store import FeatureStore
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.spec import TaskSpec
from mtvm.tasks.teacher import Teacher
from mtvm.tasks.way import WayAhead
from mtvm.world.simulator import Observation, Simulator
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
        order: Literal["random", "sequential"] = "random",
        episodes: EpisodeSet | None = None,
    ) -> None:
        self.num_envs = num_envs
        self.episodes = episodes or load_episodes(task, split, data, supervision=supervision)
        if not self.episodes.has_goals:
            raise InputError(f"{self.episodes.source}: {self.episodes.name} has no goals, so there are no rewards.")
        self.max_steps = self.episodes.task.horizon(supervision) if max_steps is None else max_steps
        self.order = order
        self.simulator = Simulator(self.episodes.world)
        self.simulator.reset(np.zeros(num_envs, dtype=np.int64))
        self.features = FeatureStore.open(Path(features)) if isinstance(features, str | Path) else features
        if self.features is not None:
            world = self.episodes.world
            scans = [world.scans[number] for number in world.scan_of_node]
            self._feature_rows = self.features.rows(scans, world.viewpoints.tolist())
        self._words = None if tokens is None else _tokens(tokens, self.episodes)
        self.single_observation_space = self._describe_observation()
        self.single_action_space = spaces.Discrete(self.episodes.world.max_candidates + 1)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.episode = np.zeros(num_envs, dtype=np.int64)
        self._way = WayAhead(
            self.episodes.world,
            self.episodes.via[self.episode],
            self.episodes.goals[self.episode],
            self.episodes.task.success.radius,
        )
        self._teacher = self._make_teacher(self.episode)
        self._distance = np.zeros(num_envs)
        self._next = 0
        self._over = np.ones(num_envs, dtype=bool)

    def _make_teacher(self, chosen: NDArray[np.int64]) -> Teacher:
        return Teacher(self.episodes.select(chosen), self.episodes.task.follow)

    def _describe_observation(self) -> spaces.Dict:
        candidates = self.episodes.world.max_candidates
        parts: dict[str, spaces.Space[Any]] = {
            "instruction": self._describe_instruction(),
            "view": spaces.Discrete(VIEWS),
            "angles": spaces.Box(-1, 1, (candidates, 4), np.float32),
            "actions": spaces.MultiBinary(candidates + 1),
        }
        if self.features is not None:
            limit = float(np.finfo(np.float16).max)
            parts["features"] = spaces.Box(-limit, limit, (candidates, self.features.width), np.float32)
        return spaces.Dict(parts)

    def _describe_instruction(self) -> spaces.Space[Any]:
        if self._words is not None:
            ids, vocabulary = self._words
            return spaces.Box(0, vocabulary - 1, ids.shape[1:], np.int64)
        texts = self.episodes.texts
        return spaces.Text(min_length=0, max_length=max(map(len, texts)), charset=frozenset("".join(texts)) | {" "})

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_envs, actions) true for the actions that are possible now."""
        count = self.episodes.world.degree[self.simulator.node]
        return np.arange(self.episodes.world.max_candidates + 1) <= count[:, None]

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
        starting = self._over
        simulator = self.simulator
        candidates, stop = np.asarray(actions, dtype=np.int64) - 1, self.episodes.world.degree[simulator.node]
        possible = candidates < stop
        moving = possible & (candidates >= 0) & ~starting
        before = self._distance
        simulator.step(np.where(moving, candidates, stop))
        simulator.ended[:] = False  # STOP only keeps agents in place here; `_over` marks the end of episodes
        self._distance = self._way.distance(simulator.node)
        stopped = (candidates < 0) & ~starting
        success = self._way.arrived(self._distance)
        rewards = np.where(stopped, np.where(success, _STOP_REWARD, -_STOP_REWARD), before - self._distance)
        truncated = ~stopped & (simulator.steps >= self.max_steps) & ~starting
        rewards[starting] = 0.0
        self._over = stopped | truncated
        if starting.any():
            self._start(starting)
        observation, info = self._observe()
        info |= {"success": stopped & success, "impossible": ~possible & ~starting}
        return observation, rewards, stopped, truncated, info

    def _start(self, rows: NDArray[np.bool_]) -> None:
        """Start a new episode for each of the agents at `rows`."""
        count = int(rows.sum())
        if self.order == "sequential":
            chosen = (self._next + np.arange(count)) % len(self.episodes)
            self._next += count
        else:
            chosen = self.np_random.integers(len(self.episodes), size=count)
        self.episode[rows] = chosen
        self.simulator.place(rows, self.episodes.starts[chosen], self.episodes.headings[chosen])
        self._over = np.where(rows, False, self._over)
        self._teacher.begin(rows, self._make_teacher(chosen))
        self._way.begin(rows, self.episodes.via[chosen], self.episodes.goals[chosen])
        self._distance = self._way.distance(self.simulator.node)

    def _observe(self) -> tuple[Arrays, Arrays]:
        world = self.episodes.world
        seen = self.simulator.observe()
        teacher = self._teacher.actions(seen.node)
        width = world.max_candidates
        angles = np.zeros((self.num_envs, width, 4), dtype=np.float32)
        angles[:, : seen.angles.shape[1]] = np.clip(seen.angles, -1, 1)
        texts = self.episodes.texts
        observation: Arrays = {
            "instruction": tuple(texts[row] for row in self.episode)
            if self._words is None
            else self._words[0][self.episode],
            "view": seen.view,
            "angles": angles,
            "actions": self.action_masks().astype(np.int8),
        }
        if self.features is not None:
            observation["features"] = self._gather_features(seen)
        info: Arrays = {
            "id": np.array([self.episodes.ids[row] for row in self.episode], dtype=object),
            "scan": np.array([world.scans[number] for number in world.scan_of_node[seen.node]], dtype=object),
            "viewpoint": world.viewpoints[seen.node].astype(object),
            "teacher": np.where(teacher == seen.count, 0, teacher + 1),
            "distance": self._distance.copy(),
        }
        return observation, info

    def _gather_features(self, seen: Observation) -> NDArray[np.float32]:
        assert self.features is not None
        features = np.zeros((self.num_envs, self.episodes.world.max_candidates, self.features.width), dtype=np.float32)
        rows = np.where(seen.mask, self._feature_rows[seen.node][:, None], -1)
        features[:, : rows.shape[1]] = self.features.gather(rows, seen.candidate_views.astype(np.int64))
        return features


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
