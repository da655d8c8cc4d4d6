"""The gymnasium environments, by gymnasium's own checker and by walking."""

import dataclasses

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mtvm.gym
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.tasks.data import DataFolder
from mtvm.tasks.registry import TASKS


@pytest.fixture(scope="module")
def store(tmp_path_factory, tiny_world):
    rng = np.random.default_rng(0)
    entries = (
        (tiny_world.scan(node), str(tiny_world.viewpoints[node]), rng.normal(size=(36, 8)).astype(np.float32))
        for node in range(len(tiny_world))
    )
    return FeatureStore.write(
        tmp_path_factory.mktemp("features") / "store", entries, source="random", source_format="test"
    )


def vector(tiny_folder, name="mtvm/R2R-v0", num_envs=6, **arguments):
    return gymnasium.make_vec(name, num_envs=num_envs, data=tiny_folder, **arguments)


@pytest.mark.parametrize("name", ["mtvm/R2R-v0", "mtvm/NDH-v0"])
@pytest.mark.parametrize("with_features", [False, True])
def test_environment_passes_gymnasiums_checker(tiny_folder, store, name, with_features):
    env = gymnasium.make(name, data=tiny_folder, features=store.path if with_features else None)
    check_env(env.unwrapped)


def test_make_vec_gives_the_batched_environment(tiny_folder):
    envs = vector(tiny_folder)
    assert isinstance(envs.unwrapped, mtvm.gym.NavigationVectorEnv)
    observation, info = envs.reset(seed=1)
    assert envs.observation_space.contains(observation)
    assert len(info["viewpoint"]) == 6
    assert envs.action_space.contains(envs.action_space.sample())


def test_step_by_the_teacher_succeeds_and_starts_the_next_episodes(tiny_folder):
    envs = vector(tiny_folder, split="val_unseen", order="sequential")
    _, info = envs.reset(seed=0)
    seen, total = list(info["id"]), np.zeros(6)
    distance = info["distance"].copy()
    over = np.zeros(6, dtype=bool)
    ended = 0
    for _ in range(40):
        before = info
        observation, reward, stopped, truncated, info = envs.step(info["teacher"])
        assert envs.observation_space.contains(observation)
        starting, over = over, stopped | truncated
        assert not (over & starting).any(), "the step after an end only starts the next episode"
        assert (reward[starting] == 0).all()
        seen += list(info["id"][starting])
        assert (info["success"] == stopped).all(), "the teacher stops only at the goal"
        assert (reward[stopped] == 2).all()
        walking = ~stopped & ~starting
        np.testing.assert_allclose(reward[walking], (before["distance"] - info["distance"])[walking])
        total += np.where(walking, reward, 0)
        np.testing.assert_allclose(total[stopped], distance[stopped])
        total[over] = 0
        distance[starting] = info["distance"][starting]
        ended += stopped.sum()
    assert ended > 20
    expected = envs.unwrapped.episodes.ids
    assert seen == [expected[i % len(expected)] for i in range(len(seen))]


def test_step_by_the_teacher_passes_via(there_and_back):
    envs = mtvm.gym.NavigationVectorEnv(6, episodes=there_and_back, order="sequential", max_steps=40)
    observation, info = envs.reset(seed=0)
    farthest, ended = info["distance"].copy(), 0
    assert (farthest > 10).all(), "they start at their goals, but must go there and back"
    for _ in range(60):
        observation, reward, stopped, _, info = envs.step(info["teacher"])
        assert envs.observation_space.contains(observation)
        assert (info["success"] == stopped).all()
        assert (reward[stopped] == 2).all()
        ended += stopped.sum()
    assert ended > 15
    _, info = envs.reset(seed=0)
    _, reward, stopped, _, info = envs.step(np.zeros(6, dtype=int))
    assert stopped.all()
    assert not info["success"].any()
    assert (reward == -2).all()


def test_step_punishes_stopping_at_once_and_truncates_long_episodes(tiny_folder):
    envs = vector(tiny_folder, max_steps=3)
    envs.reset(seed=0)
    _, reward, stopped, truncated, _info = envs.step(np.zeros(6, dtype=int))
    assert (reward == -2).all()
    assert stopped.all()
    assert not truncated.any()
    envs.step(np.zeros(6, dtype=int))  # starts the next episodes
    for step in range(3):
        _, _, stopped, truncated, _ = envs.step(np.ones(6, dtype=int))
        assert not stopped.any()
        assert (truncated == (step == 2)).all()


def test_step_counts_impossible_actions_without_moving(tiny_folder):
    envs = vector(tiny_folder)
    observation, before = envs.reset(seed=3)
    last = envs.single_action_space.n - 1
    impossible = observation["actions"][:, last] == 0
    assert impossible.any()
    _, reward, stopped, _, info = envs.step(np.full(6, last))
    assert (info["impossible"] == impossible).all()
    assert (info["viewpoint"][impossible] == before["viewpoint"][impossible]).all()
    assert (reward[impossible] == 0).all()
    assert not stopped.any()


def test_observation_has_the_features_of_the_candidates_views(tiny_folder, store):
    envs = vector(tiny_folder, features=store.path)
    observation, info = envs.reset(seed=0)
    world = envs.unwrapped.episodes.world
    for row in range(6):
        node = world.node(info["scan"][row], info["viewpoint"][row])
        count = world.degree[node]
        panorama = store.panorama(store.rows([info["scan"][row]], [info["viewpoint"][row]]))[0]
        expected = panorama[world.candidate_views[node, :count]]
        np.testing.assert_array_equal(observation["features"][row, :count], expected)
        assert not observation["features"][row, count:].any()


def test_single_environment_walks_one_episode(tiny_folder):
    env = gymnasium.make("mtvm/NDH-v0", data=tiny_folder, split="val_unseen", order="sequential").unwrapped
    observation, info = env.reset(seed=0)
    assert observation["instruction"].startswith("<NAV>")
    stopped = False
    while not stopped:
        observation, _, stopped, _, info = env.step(info["teacher"])
    assert info["success"]


def test_environment_refuses_splits_with_secret_goals(tiny_folder):
    with pytest.raises(InputError, match="has no goals"):
        vector(tiny_folder, split="test")


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        ({}, 15),
        ({"task": "ndh"}, 80),
        ({"task": "ndh", "supervision": "oracle"}, 20),
        ({"task": "ndh", "max_steps": 7}, 7),
    ],
)
def test_max_steps_default_to_the_tasks_horizon(tiny_folder, arguments, steps):
    assert mtvm.gym.NavigationVectorEnv(2, data=DataFolder(tiny_folder), **arguments).max_steps == steps


@pytest.mark.parametrize("supervision", ["mixed", "oracle"])
def test_registered_environments_keep_their_max_steps(tiny_folder, supervision):
    for name, steps in (("mtvm/R2R-v0", 15), ("mtvm/NDH-v0", 80)):
        assert vector(tiny_folder, name, supervision=supervision).unwrapped.max_steps == steps


def test_teacher_follows_the_path_if_the_task_says_so(there_and_back):
    """Without via, the shortest path to the goal is to stay."""
    episodes = dataclasses.replace(there_and_back, via=there_and_back.via[:, :0])
    along = dataclasses.replace(episodes, task=TASKS["r4r"])
    teacher = {}
    for name, some in (("goal", episodes), ("path", along)):
        envs = mtvm.gym.NavigationVectorEnv(6, episodes=some, order="sequential")
        teacher[name] = envs.reset(seed=0)[1]["teacher"]
    assert (teacher["goal"] == 0).all()
    world, starts = along.world, along.starts[:6]
    assert (world.candidates[starts, teacher["path"] - 1] == along.references[:6, 1]).all()
