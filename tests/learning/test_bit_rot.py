"""A disk that changes bits: what is kept is known again by its checksum, or refused, or made anew."""

import random
import shutil

import numpy as np
import pytest
import torch
from small_runs import Stopped, assert_same_state, changed, contents, saved_state, small_config, train
from test_sight import folder, opened  # noqa: F401, a fixture

from mtvm.errors import InputError
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import Trainer
from mtvm.models.saving import load_model

DRAWS = random.Random(0)


def damaged(content, place):
    """The bytes with one of them changed."""
    return content[:place] + bytes([content[place] ^ (1 << DRAWS.randrange(8))]) + content[place + 1 :]


def same(one, other):
    """Whether two states hold the same bits, by what torch writes of them."""
    try:
        assert_same_state(one, other)
    except (AssertionError, KeyError):
        return False
    return True


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    """A run that was stopped after its third update, with a checkpoint of the second before it."""
    config = small_config(small_data, tmp_path_factory.mktemp("runs") / "run", save_minutes=0.0)
    assert not Stopped(config, 3).run()
    return config


def test_run_keeps_the_checkpoint_before_the_newest(run):
    updates = [checkpoint.load(path)["update"] for path in (RunFolder(run.out).before, RunFolder(run.out).checkpoint)]
    assert updates == [2, 3]


def test_checkpoint_with_a_changed_bit_is_refused_or_the_same(run, tmp_path):
    whole = RunFolder(run.out).checkpoint.read_bytes()
    state, path = saved_state(run.out), tmp_path / "checkpoint.pt"
    refused = 0
    for _ in range(60):
        path.write_bytes(damaged(whole, DRAWS.randrange(len(whole))))
        try:
            found = checkpoint.load(path)
        except InputError:
            refused += 1
        else:
            assert same(state, found)
    assert refused > 40


def test_run_with_a_damaged_checkpoint_offers_the_one_before_and_ends_the_same_from_there(run, small_data, tmp_path):
    _, expected = train(changed(run, out=tmp_path / "whole"))
    config = changed(run, out=tmp_path / "run")
    shutil.copytree(run.out, config.out)
    files = RunFolder(config.out)
    content = files.checkpoint.read_bytes()
    files.checkpoint.write_bytes(damaged(content, len(content) // 2))
    before = contents(config.out)
    with pytest.raises(InputError) as found:
        Trainer(config, show_progress=False)
    assert str(found.value) == (
        f"{files.checkpoint}: this checkpoint is damaged; go on from the one before it, after update 2, with: "
        f"mv {files.before} {files.checkpoint}."
    )
    assert contents(config.out) == before
    shutil.move(files.before, files.checkpoint)
    _, state = train(config)
    assert_same_state(expected, state)
    assert contents(config.out / "best") == contents(tmp_path / "whole" / "best")


def test_run_with_two_damaged_checkpoints_offers_neither(run, tmp_path):
    config = changed(run, out=tmp_path / "run")
    shutil.copytree(run.out, config.out)
    for path in (RunFolder(config.out).checkpoint, RunFolder(config.out).before):
        path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InputError, match="this checkpoint is damaged; remove it to begin the run anew"):
        Trainer(config, show_progress=False)


@pytest.mark.slow
def test_weights_of_an_agent_with_a_changed_bit_are_refused_or_the_same(run, tmp_path):
    shutil.copytree(run.out / "best", tmp_path / "agent")
    path = tmp_path / "agent" / "model.safetensors"
    whole, weights = path.read_bytes(), load_model(tmp_path / "agent", "cpu").state_dict()
    refused = 0
    for place in [*range(0, 200, 7), *(DRAWS.randrange(len(whole)) for _ in range(60))]:
        path.write_bytes(damaged(whole, place))
        try:
            found = load_model(tmp_path / "agent", "cpu").state_dict()
        except InputError:
            refused += 1
        else:
            assert all(torch.equal(found[name], value) for name, value in weights.items()), place
    assert refused > 60


@pytest.mark.parametrize("sight", ["names", "captions", "captions+names"])
@pytest.mark.parametrize("harm", ["a bit", "cut", "no description", "another index"])
def test_sight_in_a_damaged_cache_is_made_anew(folder, tmp_path, capsys, sight, harm):  # noqa: F811
    whole = np.array(opened(folder, sight)._features)
    (store,) = (tmp_path / "cache" / "features").glob("joined-*" if "+" in sight else f"{sight}-*")
    content = (store / "features.npy").read_bytes()
    if harm == "a bit":
        (store / "features.npy").write_bytes(damaged(content, len(content) - 77))
    elif harm == "cut":
        (store / "features.npy").write_bytes(content[: len(content) // 2])
    elif harm == "no description":
        (store / "meta.json").unlink()
    else:
        (store / "index.npy").write_bytes((store / "index.npy").read_bytes()[:-8] + bytes(8))
    found = opened(folder, sight)
    np.testing.assert_array_equal(found._features, whole)
    assert "damaged; it is made anew" in capsys.readouterr().err
    opened(folder, sight)
    assert capsys.readouterr().err == "", "it is whole again"
