"""Configs as JSON and back: every wrong value is one sentence that names the file and the option."""

import dataclasses
from pathlib import Path

import pytest

from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.io.config_files import differences, from_plain, to_plain

FILE = Path("runs/mine/config.json")


@pytest.mark.parametrize("name", PRESETS)
def test_to_plain_and_from_plain_undo_each_other(name):
    assert from_plain(TrainConfig, to_plain(PRESETS[name]), FILE) == PRESETS[name]


def changed(option, value):
    values = to_plain(PRESETS["tiny"])
    place = values
    *groups, last = option.split(".")
    for group in groups:
        place = place[group]
    place[last] = value
    return values


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("optimizer.kind", "adamx", "'adamx', none of adamw, muon"),
        ("optimizer.schedule", "cosin", "'cosin', none of constant, linear, cosine"),
        ("optimizer.lr", "fast", "'fast', not a number"),
        ("optimizer.lr", True, "True, not a number"),
        ("batch", 8.5, "8.5, not a whole number"),
        ("batch", True, "True, not a whole number"),
        ("tensorboard", 1, "1, not true or false"),
        ("out", 7, "7, not a path"),
        ("data.train", "r2r/train", "'r2r/train', not a list"),
        ("data.train", [1], "1, not a string"),
        ("model", [], "[], not an object with options"),
        ("model.history", ["memory"], "not an object with options"),
    ],
)
def test_from_plain_names_the_option_of_a_wrong_value(option, value, said):
    with pytest.raises(InputError) as error:
        TrainConfig.from_dict(changed(option, value), FILE)
    message = str(error.value)
    assert message.startswith(f"{FILE}: {option} is ")
    assert said in message
    assert "\n" not in message


def test_from_plain_names_an_unknown_option():
    with pytest.raises(InputError, match=r"no option optimizer\.rate"):
        TrainConfig.from_dict(changed("optimizer.rate", 1e-3), FILE)


def test_from_plain_names_a_missing_option():
    values = to_plain(PRESETS["tiny"])
    del values["model"]
    with pytest.raises(InputError, match="the option model is missing"):
        TrainConfig.from_dict(values, FILE)


def test_from_plain_takes_whole_numbers_for_numbers():
    config = TrainConfig.from_dict(changed("optimizer.clip", 3), FILE)
    assert config.optimizer.clip == 3.0
    assert isinstance(config.optimizer.clip, float)


def test_differences_are_named_as_on_the_command_line():
    one = PRESETS["tiny"]
    other = dataclasses.replace(one, seed=1, model=dataclasses.replace(one.model, hidden=128))
    found = differences(to_plain(one), to_plain(other))
    assert found == {"seed": (0, 1), "model.hidden": (64, 128)}
