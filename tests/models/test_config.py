"""The model's config: presets, validation, and its file."""

import dataclasses
import re
from pathlib import Path

import pytest

from mtvm.errors import InputError
from mtvm.io.config_files import to_plain
from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.parts import HierarchicalConfig, MemoryConfig, MTVMConfig, OrientedConfig, ReleasedCode, VLNBertConfig


@pytest.mark.parametrize("name", PRESETS)
def test_config_preset_comes_back_from_its_file(name, tmp_path):
    PRESETS[name].save(tmp_path / "config.json")
    assert ModelConfig.load(tmp_path / "config.json") == PRESETS[name]


def test_config_token_width_is_feature_and_angle():
    assert ModelConfig(feature_width=10, angle_width=8).token_width == 18


@pytest.mark.parametrize(
    "change",
    [
        {"hidden": -1},
        {"hidden": 64.0},
        {"hidden": True},
        {"heads": 0},
        {"heads": 5},
        {"dropout": 1.0},
        {"feature_dropout": "0.4"},
        {"architecture": MTVMConfig(bidirectional=1)},
        {"architecture": MTVMConfig(released=ReleasedCode(padding="yes"))},
        {"architecture": MemoryConfig()},
        {"architecture": MTVMConfig(name="vlnbert")},
        {"history": MemoryConfig(steps=-1)},
        {"reader": "gpt"},
        {"language_layers": 1001},
        {"history": HierarchicalConfig(panorama_layers=10**6)},
        {"history": HierarchicalConfig(temporal_layers=10**6)},
        {"reader_layers": 7},
        {"train_reader": True},
        {"train_reader": True, "reader": "minilm", "reader_layers": 0},
        {"vocabulary": 10**8, "reader": "minilm"},
    ],
    ids=str,
)
def test_config_refuses_values_that_make_no_model(change):
    with pytest.raises(InputError, match=next(iter(change))):
        dataclasses.replace(PRESETS["tiny"], **change)


def test_config_refuses_unknown_options():
    with pytest.raises(InputError, match="colour"):
        ModelConfig.from_dict({"colour": "red"}, Path("config.json"))


def test_a_name_alone_stands_for_a_parts_defaults():
    config = ModelConfig(history="hierarchical", architecture="vlnbert")
    assert config == ModelConfig(history=HierarchicalConfig(), architecture=VLNBertConfig())
    plain = to_plain(config) | {"history": "oriented"}
    assert ModelConfig.from_dict(plain, Path("config.json")).history == OrientedConfig()


@pytest.mark.parametrize(
    ("earlier", "today"),
    [
        ({}, ModelConfig()),
        ({"history": "memory", "memory_steps": 4}, ModelConfig(history=MemoryConfig(steps=4))),
        ({"memory_steps": 4}, ModelConfig(history=MemoryConfig(steps=4))),
        ({"history": "none", "memory_steps": None, "panorama_layers": 2}, ModelConfig(history="none")),
        (
            {"history": "hierarchical", "memory_steps": 3, "panorama_layers": 1, "temporal_layers": 2},
            ModelConfig(history=HierarchicalConfig(steps=3, panorama_layers=1, temporal_layers=2)),
        ),
        (
            {"architecture": "mtvm", "bidirectional": False, "pool_padding": True},
            ModelConfig(architecture=MTVMConfig(bidirectional=False, released=ReleasedCode(padding=True))),
        ),
        (
            {"architecture": "vlnbert", "bidirectional": True, "pool_padding": False},
            ModelConfig(architecture="vlnbert"),
        ),
    ],
    ids=str,
)
def test_configs_of_earlier_versions_mean_the_same(earlier, today):
    assert ModelConfig.from_dict(earlier, Path("config.json")) == today


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"history": {"name": "hierarchical", "steps": 2.5}}, "history.steps is 2.5, not a whole number"),
        ({"history": {"name": "none", "steps": 2}}, "no option history.steps"),
        ({"history": {"name": "magic"}}, "history 'magic' is not one of memory, none"),
        ({"history": {"name": ["memory"]}}, "history is ['memory'], not a string"),
        ({"history": ["memory"]}, "history is"),
        ({"architecture": {"name": "mtvm", "memory_steps": 3}}, "no option architecture.memory_steps"),
        ({"bidirectional": "no"}, "architecture.bidirectional is 'no', not true or false"),
    ],
    ids=str,
)
def test_config_files_with_wrong_parts_are_refused_by_file_and_option(wrong, said):
    with pytest.raises(InputError, match=re.escape(said)) as error:
        ModelConfig.from_dict(wrong, Path("config.json"))
    assert str(error.value).startswith("config.json: ")
