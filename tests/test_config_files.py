"""Configs as JSON and back: every wrong value is one sentence that names the file and the option."""

import dataclasses
from pathlib import Path

import pytest

from mtvm.configs.presets import PRESETS
from mtvm.configs.run import A2CConfig, TrainConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.io.config_files import differences, from_plain, to_plain
from mtvm.io.earlier_configs import run_as_today, speaker_as_today
from mtvm.models.parts import MemoryConfig, MTVMConfig, ReleasedCode

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
        ("out", "a\0b", r"'a\x00b', not a path"),
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


def as_before(plain):
    """A plain config as earlier versions wrote it."""
    model, a2c = plain["model"], plain["loss"]["a2c"]
    architecture, history = model.pop("architecture"), model.pop("history")
    released = architecture["released"]
    model |= {"architecture": architecture["name"], "bidirectional": architecture["bidirectional"]}
    model |= {"history": history["name"], "memory_steps": history["steps"], "pool_padding": released["padding"]}
    model |= {"panorama_layers": 2, "temporal_layers": 0}
    plain["loss"]["a2c"] = {
        "weight": a2c["weight"],
        "discount": a2c["gamma"],
        "value_weight": a2c["value_coefficient"],
        "entropy_weight": a2c["entropy_coefficient"],
    }
    plain["loss"]["consistency"]["variant"] = "released" if released["consistency"] else "paper"
    plain["optimizer"]["accumulate"] = plain["optimizer"].pop("gradient_accumulation")
    return plain


@pytest.mark.parametrize("released", [False, True])
def test_runs_of_earlier_versions_mean_the_same(released):
    architecture = MTVMConfig(bidirectional=released, released=ReleasedCode(padding=released, consistency=released))
    run = PRESETS["paper"]
    run = dataclasses.replace(
        run,
        model=dataclasses.replace(run.model, architecture=architecture, history=MemoryConfig(steps=4)),
        loss=dataclasses.replace(
            run.loss, a2c=A2CConfig(2.0, gamma=0.8, value_coefficient=0.3, entropy_coefficient=0.2)
        ),
        optimizer=dataclasses.replace(run.optimizer, gradient_accumulation=3),
    )
    assert TrainConfig.from_dict(as_before(run.to_dict()), FILE) == run
    assert run_as_today(run.to_dict()) == run.to_dict()


def test_a_speakers_config_of_an_earlier_version_means_the_same():
    speaker = SpeakerConfig(optimizer=dataclasses.replace(SpeakerConfig().optimizer, gradient_accumulation=2))
    plain = speaker.to_dict()
    plain["optimizer"]["accumulate"] = plain["optimizer"].pop("gradient_accumulation")
    assert SpeakerConfig.from_dict(plain, FILE) == speaker
    assert speaker_as_today(plain) == speaker.to_dict()


def test_a_speakers_config_needs_no_option_to_be_known_for_one():
    plain = SpeakerConfig().to_dict()
    del plain["validate_on"]
    assert SpeakerConfig.from_dict(plain, FILE) == SpeakerConfig()


@pytest.mark.parametrize("released", ["x", 5, None, [1]])
def test_odd_options_of_an_earlier_version_are_refused_in_words(released):
    plain = PRESETS["tiny"].to_dict()
    plain["model"]["architecture"]["released"] = released
    plain["loss"]["consistency"]["variant"] = "released"
    with pytest.raises(InputError, match=r"model\.architecture\.released is"):
        TrainConfig.from_dict(plain, FILE)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("loss.consistency.variant", [1], "no option loss.consistency.variant"),
        ("optimizer.accumulate", 3, "no option optimizer.accumulate"),
        ("loss.a2c.discount", 0.5, "no option loss.a2c.discount"),
    ],
)
def test_what_no_earlier_version_wrote_is_refused(option, value, said):
    with pytest.raises(InputError, match=said):
        TrainConfig.from_dict(changed(option, value), FILE)
