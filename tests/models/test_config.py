"""The model's config: presets, validation, and its file."""

import dataclasses
from pathlib import Path

import pytest

from mtvm.errors import InputError
from mtvm.models.config import PRESETS, ModelConfig


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
        {"bidirectional": 1},
        {"memory_steps": -1},
        {"reader": "gpt"},
        {"language_layers": 1001},
        {"panorama_layers": 10**6},
        {"temporal_layers": 10**6},
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
