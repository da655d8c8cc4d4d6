"""The gymnasium environments, by gymnasium's own checker and by walking."""

import dataclasses
import json
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import mtvm.gym
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.models.text import text_reader
from mtvm.tasks.data import DataFolder
from mtvm.tasks.definitions import Success
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


def test_sights_are_what_policies_are_shown(tiny_folder):
    envs = vector(tiny_folder, split="val_unseen", order="sequential").unwrapped
    observation, info = envs.reset(seed=0)
    for step in range(3):
        for row, sight in enumerate(envs.sights):
            assert (sight.episode.id, sight.step) == (info["id"][row], step)
            assert (sight.instruction, sight.viewpoint) == (observation["instruction"][row], info["viewpoint"][row])
            assert sight.stop == observation["actions"][row].sum() - 1
        observation, *_, info = envs.step(np.ones(6, dtype=int))
    envs.step(np.zeros(6, dtype=int))
    envs.step(np.zeros(6, dtype=int))
    assert (envs.sights.steps == 0).all()
    assert [sight.row for sight in envs.sights] == list(range(6, 12))


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


@pytest.mark.parametrize(("supervision", "steps"), [("mixed", 80), ("navigator", 80), ("oracle", 20)])
def test_registered_environments_have_the_horizon_of_their_episodes(tiny_folder, supervision, steps):
    assert vector(tiny_folder, supervision=supervision).unwrapped.max_steps == 15
    assert vector(tiny_folder, "mtvm/NDH-v0", supervision=supervision).unwrapped.max_steps == steps
    assert vector(tiny_folder, "mtvm/NDH-v0", supervision=supervision, max_steps=7).unwrapped.max_steps == 7


def test_every_task_but_augmented_instructions_has_an_environment():
    assert {task for task in mtvm.gym.ENVIRONMENTS.values() if task} == TASKS.keys() - {"prevalent"}
    assert mtvm.gym.ENVIRONMENTS.keys() <= gymnasium.registry.keys()


def test_environments_are_made_without_an_import_of_ours(tiny_folder):
    code = (
        "import gymnasium, sys; env = gymnasium.make('mtvm.gym:mtvm/R4R-v0', data=sys.argv[1], split=sys.argv[2]); "
        "print(env.unwrapped.episodes.task.name, env.unwrapped.max_steps)"
    )
    arguments = [str(tiny_folder), str(tiny_folder / "R2R" / "R2R_val_unseen.json")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["r4r", "30"]


def test_environment_of_a_task_of_ones_own_takes_its_success_and_horizon(tiny_folder):
    at_goal = dataclasses.replace(TASKS["r2r"], name="mine", horizon=_nine, success=Success(radius=0.0))
    env = gymnasium.make("mtvm/Navigation-v0", task=at_goal, data=tiny_folder, split="val_unseen").unwrapped
    assert (env.episodes.task.name, env.max_steps) == ("mine", 9)
    _, info = env.reset(seed=0)
    while info["distance"] >= 3 or info["teacher"] == 0:
        _, _, _, truncated, info = env.step(info["teacher"])
        assert not truncated
    assert 0 < info["distance"] < 3
    _, reward, _, _, info = env.step(0)
    assert (reward, info["success"]) == (-2, False)


def _nine(supervision):
    return 9


# Libraries of reinforcement learning


@pytest.mark.parametrize(("tokens", "length"), [("wordpiece-en", 80), ("bytes", 400)])
def test_tokens_take_the_place_of_the_instruction(tiny_folder, tokens, length):
    envs = vector(tiny_folder, tokens=tokens, split="val_unseen", order="sequential")
    observation, _ = envs.reset(seed=0)
    kinds = {type(space) for space in envs.single_observation_space.spaces.values()}
    assert kinds == {spaces.Box, spaces.Discrete, spaces.MultiBinary}, "arrays alone"
    assert envs.observation_space.contains(observation)
    assert observation["instruction"].shape == (6, length)
    texts = envs.unwrapped.episodes.texts[:6]
    expected = text_reader(tokens).tokenize(texts, length).padded(length).ids
    assert (observation["instruction"] == expected.numpy()).all()
    check_env(gymnasium.make("mtvm/R2R-v0", data=tiny_folder, tokens=tokens).unwrapped)


def test_tokens_of_a_dialog_are_its_end(tiny_folder, tiny_ndh):
    envs = vector(tiny_folder, "mtvm/NDH-v0", tokens="bytes", split="val_unseen", order="sequential")
    ids = envs.reset(seed=0)[0]["instruction"]
    expected = text_reader("bytes").tokenize(tiny_ndh.texts[:6], ids.shape[1], truncation="start")
    assert (ids == expected.padded(ids.shape[1]).ids.numpy()).all()


def test_spaces_are_the_same_for_all_splits_if_asked_for(tiny_folder):
    most = max(vector(tiny_folder, split=split).unwrapped.single_action_space.n for split in ("train", "val_unseen"))
    spaces_of = [
        vector(tiny_folder, split=split, tokens="bytes", candidates=most).unwrapped.single_observation_space
        for split in ("train", "val_unseen")
    ]
    assert spaces_of[0] == spaces_of[1]
    envs = vector(tiny_folder, candidates=most)
    observation, info = envs.reset(seed=2)
    assert envs.observation_space.contains(observation)
    assert envs.unwrapped.action_masks().shape == (6, most + 1)
    *_, info = envs.step(np.full(6, most))
    assert info["impossible"].all()
    with pytest.raises(InputError, match=r"candidates must be at least \d+, which a viewpoint of r2r train has, not 1"):
        vector(tiny_folder, candidates=1)


@pytest.mark.parametrize("with_features", [False, True])
def test_what_was_trained_here_is_evaluated_as_any_agent(tiny_folder, store, tmp_path, with_features):
    """It decides in the evaluation by what it saw in the environment."""
    options = {"tokens": "bytes", "features": store if with_features else None}

    def choose(seen, masks):
        scores = np.where(masks, seen["angles"].sum(axis=2).round(3)[:, [0, *range(masks.shape[1] - 1)]], -np.inf)
        if with_features:
            scores[:, 1:] += seen["features"].sum(axis=2)
        scores[:, 0] = seen["instruction"].sum(axis=1) % 3 - 1.0
        return scores.argmax(axis=1)

    agent = mtvm.gym.Trained(choose, **options)
    (done,) = mtvm.evaluate(
        agent, "r2r/val_unseen", data=tiny_folder, out=tmp_path / "eval", show_progress=False
    ).values()
    assert json.loads((done.folder / "manifest.json").read_text())["track"] == ("" if with_features else "blind")
    count = len(done.episodes)
    envs = vector(tiny_folder, num_envs=count, split="val_unseen", order="sequential", **options)
    observation, info = envs.reset(seed=0)
    walks, over = [[name] for name in info["viewpoint"]], np.zeros(count, dtype=bool)
    while not over.all():
        observation, _, stopped, truncated, info = envs.step(choose(observation, envs.unwrapped.action_masks()))
        for row in np.nonzero(~over & ~stopped)[0]:
            walks[row].append(info["viewpoint"][row])
        over |= stopped | truncated
    assert [[pose[0] for pose in walk] for walk in done.trajectories()] == walks
    assert len(set(map(len, walks))) > 1


def test_action_masks_are_what_the_observation_says_through_wrappers(tiny_folder):
    """MaskablePPO asks for `action_masks` by name, through whatever is wrapped around: a row of booleans."""
    env, envs = gymnasium.make("mtvm/R2R-v0", data=tiny_folder), vector(tiny_folder)
    observation, info = env.reset(seed=5)
    for _ in range(4):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == bool
        assert (masks == observation["actions"]).all()
        assert masks.shape == (env.action_space.n,)
        observation, *_, info = env.step(info["teacher"] or 1)
    observations, _ = envs.reset(seed=5)
    assert (envs.unwrapped.action_masks() == observations["actions"]).all()
    last = np.where(envs.unwrapped.action_masks(), np.arange(envs.single_action_space.n), 0).max(axis=1)
    *_, info = envs.step(last)
    assert not info["impossible"].any()


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
