"""The config of a run: splits, impossible values, what tasks decide, and presets."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.app.commands.training import WhereData
from mtvm.configs.data import DataConfig, Split
from mtvm.configs.presets import DESCRIPTIONS, PRESETS, RECIPES
from mtvm.configs.run import A2CConfig, ImitationConfig, LossConfig, OptimizerConfig, SelectionConfig, TrainConfig
from mtvm.errors import InputError
from mtvm.io.config_files import differences
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.config import ModelConfig
from mtvm.models.parts import MTVMConfig, ReleasedCode
from mtvm.tasks.registry import TASKS

# Splits


@pytest.mark.parametrize("text", ["", "r2r", "r2r/", "@2", "r2r@2", "r2r/train@x", "r2r/train@0", "r2r/train@-1"])
def test_split_parse_names_what_is_none(text):
    with pytest.raises(InputError, match=f"^'{re.escape(text)}'"):
        Split.parse(text)


@pytest.mark.parametrize("text", ["r3r/train", "/train", "r2r:/train", ":SPEC/train"])
def test_split_parse_lists_the_tasks_if_one_is_unknown(text):
    task = text.partition("/")[0]
    with pytest.raises(InputError, match=f"^unknown task '{re.escape(task)}'; give one of r2r, r4r, long, ndh"):
        Split.parse(text)


@pytest.mark.parametrize("weight", ["inf", "nan"])
def test_split_parse_refuses_a_weight_that_is_no_number(weight):
    with pytest.raises(InputError, match="must be a number above 0"):
        Split.parse(f"r2r/train@{weight}")


def test_split_parse_takes_files_and_weights():
    assert Split.parse("prevalent/aug@0.5") == Split(TASKS["prevalent"], "aug", 0.5)
    assert Split.parse("r2r/some/where/R2R_train.json") == Split(TASKS["r2r"], "some/where/R2R_train.json")
    assert Split.parse("r2r/train@2").name == "r2r/train"


# What tasks decide


@pytest.mark.parametrize(
    ("task", "follow", "horizon", "metric", "text"),
    [("r2r", "goal", 15, "SPL", 80), ("r4r", "path", 30, "SDTW", 160), ("ndh", "goal", 80, "GP", 300)],
)
def test_config_leaves_to_the_task_what_is_not_named(task, follow, horizon, metric, text):
    """Also in a preset that was made for another task."""
    config = dataclasses.replace(
        PRESETS["tiny"],
        data=DataConfig(train=(f"{task}/train",)),
        selection=dataclasses.replace(PRESETS["tiny"].selection, split=f"{task}/val_seen"),
    )
    spec = TASKS[task]
    assert (config.data.follow_of(spec), config.data.horizon_of(spec)) == (follow, horizon)
    assert (config.selection.metric, config.selection.metric_name) == (None, metric)
    assert (config.model.max_text, config.network.max_text) == (None, text)
    assert dataclasses.replace(config.network, max_text=None) == config.model


def test_config_keeps_what_is_named():
    config = dataclasses.replace(
        PRESETS["paper-ndh"],
        model=dataclasses.replace(MODELS["tiny"], max_text=50),
        data=DataConfig(follow="path", horizon=9),
        selection=SelectionConfig(split="ndh/val_seen", metric="SR"),
    )
    assert (config.network.max_text, config.selection.metric_name) == (50, "SR")
    assert (config.data.follow_of(TASKS["ndh"]), config.data.horizon_of(TASKS["ndh"])) == ("path", 9)


def test_config_reads_texts_as_long_as_the_longest_task_needs():
    mixed = dataclasses.replace(PRESETS["tiny"], data=DataConfig(train=("r2r/train", "r4r/train@0.5")))
    assert mixed.network.max_text == 160
    selected = dataclasses.replace(PRESETS["tiny"], selection=SelectionConfig(split="ndh/val_seen"))
    assert selected.network.max_text == 300


# Impossible values


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (DataConfig, {"train": ()}, "data.train names no split"),
        (DataConfig, {"train": ("train",)}, "'train' is not TASK/SPLIT"),
        (DataConfig, {"evaluate": ("r9r/train",)}, "unknown task 'r9r'"),
        (DataConfig, {"horizon": 0}, "data.horizon must be at least 1, not 0"),
        (OptimizerConfig, {"updates": 0}, "optimizer.updates"),
        (OptimizerConfig, {"gradient_accumulation": 0}, "optimizer.gradient_accumulation"),
        (OptimizerConfig, {"gradient_accumulation": 2**62}, "optimizer.gradient_accumulation must lie from 1 to"),
        (OptimizerConfig, {"lr": 0.0}, "optimizer.lr must lie between 0 and 1, not 0.0"),
        (OptimizerConfig, {"lr": float("nan")}, "optimizer.lr"),
        (OptimizerConfig, {"lr": 10**400}, "optimizer.lr"),
        (OptimizerConfig, {"ema": 1.0}, "optimizer.ema"),
        (OptimizerConfig, {"clip": -1.0}, "clip"),
        (OptimizerConfig, {"language_lr": -1.0}, "language_lr"),
        (SelectionConfig, {"metric": "BLEU"}, "selection.metric 'BLEU' is not one of NE, SR"),
        (SelectionConfig, {"every": 0}, "selection.every must be at least 1, not 0"),
        (SelectionConfig, {"patience": 0}, "selection.patience must be at least 1, not 0"),
        (SelectionConfig, {"limit": 0}, "selection.limit must be at least 1, not 0"),
        (SelectionConfig, {"split": "train"}, "'train' is not TASK/SPLIT"),
    ],
    ids=str,
)
def test_config_refuses_impossible_values_by_their_names(kind, values, said):
    with pytest.raises(InputError, match=re.escape(said)) as found:
        kind(**values)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"batch": 0}, "batch must lie from 1 to 1,000,000, not 0"),
        ({"batch": 2**62}, "batch must lie from 1 to 1,000,000, not 4611686018427387904"),
        ({"log_every": 0}, "log_every"),
        ({"seed": -1}, "seed"),
        (
            {"loss": LossConfig(imitation=ImitationConfig(weight=0.0), a2c=A2CConfig(weight=0.0))},
            "there is nothing to learn",
        ),
        ({"loss": LossConfig(word_dropping=0.5)}, "loss.word_dropping is for training without the consistency loss"),
        (
            {"model": ModelConfig(architecture=MTVMConfig(released=ReleasedCode(consistency=True)))},
            "--model.architecture.released.padding",
        ),
    ],
    ids=str,
)
def test_train_config_refuses_what_cannot_be_trained(changes, said):
    with pytest.raises(InputError, match=re.escape(said)):
        dataclasses.replace(PRESETS["tiny"], **changes)


# JSON


@pytest.mark.parametrize("name", PRESETS)
def test_train_config_survives_json(name):
    config = PRESETS[name]
    values = json.loads(json.dumps(config.to_dict()))
    assert TrainConfig.from_dict(values, Path("config.json")) == config
    assert differences(values, config.to_dict()) == {}


@given(st.data())
@settings(max_examples=20)
def test_train_config_refuses_unknown_options_wherever_they_are(data):
    values = PRESETS["tiny"].to_dict()
    places = [(), ("model",), ("data",), ("loss",), ("loss", "a2c"), ("loss", "imitation"), ("optimizer",)]
    place = data.draw(st.sampled_from(places))
    part = values
    for name in place:
        part = part[name]
    part["novelty"] = 1
    option = ".".join([*place, "novelty"])
    with pytest.raises(InputError, match=rf"some/config\.json: this version of mtvm has no option {option}\."):
        TrainConfig.from_dict(values, Path("some/config.json"))


@pytest.mark.parametrize("values", [[], None, 3, "text"])
def test_train_config_refuses_what_is_no_object(values):
    with pytest.raises(InputError, match=r"config\.json"):
        TrainConfig.from_dict(values, Path("config.json"))


# Presets


def test_presets_have_descriptions_and_folders_of_their_own():
    assert (PRESETS | RECIPES).keys() == DESCRIPTIONS.keys()
    assert len({preset.out for preset in PRESETS.values()}) == len(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_leave_to_the_task_what_it_decides(name):
    """Else another task on the command line would be trained as the preset's."""
    preset = PRESETS[name]
    assert preset.selection.metric is None
    assert preset.model.max_text is None
    assert preset.data.follow is None
    assert preset.data.horizon is None


def test_what_is_evaluated_follows_from_what_is_trained_on(tiny_folder, tmp_path):
    def found(**config):
        return DataConfig(folder=tiny_folder, **config).splits_to_evaluate()

    r2r = ("r2r/val_seen", "r2r/val_unseen")
    assert found() == r2r
    assert found(train=("prevalent/aug",)) == r2r
    assert found(train=("r2r/train@2", "prevalent/aug", "r2r/train")) == r2r
    assert found(train=("r4r/train",)) == ()
    (tmp_path / "connectivity").mkdir()
    assert found(train=("r4r/train",), evaluate=("r2r/val_seen",)) == ("r2r/val_seen",)
    assert found(evaluate=()) == ()


@pytest.mark.parametrize(
    ("seen", "track"),
    [
        ({"sight": "guesses"}, "captions only"),
        ({"sight": "described"}, "captions and detections"),
        ({"sight": "names+described-aligned"}, "privileged"),
        ({"sight": "captions", "boxes": "detections"}, "captions and detections"),
        ({"sight": "names+guesses", "boxes": "detections"}, "privileged"),
        ({"sight": "blind", "boxes": "detections"}, "blind"),
        ({}, None),
    ],
)
def test_results_are_compared_with_those_that_see_as_much(seen, track):
    assert WhereData(**seen).instead_of(DataConfig()).track == track
