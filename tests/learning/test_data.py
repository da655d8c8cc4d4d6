"""The data of a run: opened once, and one sentence where something is missing."""

import dataclasses
import json
import os
import shutil

import numpy as np
import pytest
import torch
from small_runs import SMALL, count_calls, small_config, write_features

import mtvm
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning import data as data_module
from mtvm.learning.data import Data, fingerprints
from mtvm.models.text import tokenize, with_mirrored


@pytest.fixture
def open_data(small_data):
    """Opens the small data folder with these options."""

    def opened(model=SMALL, trained=False, **options):
        config = DataConfig(**{"folder": small_data, "features": small_data / "features"} | options)
        return Data(config, model, show_progress=False, trained=trained)

    return opened


# Once


def test_data_is_walked_once_and_tokenised_once_a_split_in_training_and_in_evaluation(
    small_data, tmp_path, monkeypatch
):
    walked = count_calls(monkeypatch, os, "walk", lambda top, **_: str(top))
    tokenised = count_calls(monkeypatch, data_module, "read_texts", lambda texts, *_, **__: tuple(texts))
    splits = {"train": ("r2r/train", "ndh/train@0.5", "r2r/val_seen"), "evaluate": ("r2r/val_seen", "r2r/val_unseen")}
    config = small_config(small_data, tmp_path / "run", data=splits, optimizer={"updates": 3}, selection={"every": 1})
    assert mtvm.train(config, show_progress=False).finished
    assert walked.count(str(small_data)) == 1
    assert len(tokenised) == len(set(tokenised)) == 3, "the validation split is also one to train on"
    mtvm.evaluate(config.out, show_progress=False)
    assert walked.count(str(small_data)) <= 2, "an evaluation opens its own data"
    assert len(tokenised) == 3 + 2


def test_data_gives_a_split_again_without_reading_it(open_data, monkeypatch):
    opened = open_data()
    first = opened.dataset(Split.parse("r2r/train"))
    monkeypatch.setattr(data_module, "load_episodes", lambda *_, **__: 1 / 0)
    again = opened.dataset(Split.parse("r2r/train@0.25"))
    assert again.tokens is first.tokens
    assert again.episodes is first.episodes
    assert again.vision is first.vision
    assert (first.split.weight, again.split.weight) == (1.0, 0.25), "each has the weight that was asked for"
    assert first.name == again.name == "r2r/train"


def test_data_opens_its_features_once(open_data, monkeypatch):
    opens = count_calls(monkeypatch, data_module.FeatureStore, "open", lambda path, *_, **__: path)
    opened = open_data()
    visions = [opened.dataset(Split.parse(text)).vision for text in ("r2r/train", "ndh/train", "r2r/val_unseen")]
    assert len(opens) == 1
    assert all(vision.store is opened.store for vision in visions)


# What the agent sees


def test_data_takes_the_features_that_are_given_whatever_else_could_be_seen(open_data, small_data):
    assert open_data(sight="names").store.path == small_data / "features"


def test_data_of_a_blind_agent_has_no_store(open_data):
    opened = open_data(features=None, sight="blind")
    assert opened.store is None
    assert opened.dataset(Split.parse("r2r/train")).vision.store is None
    assert fingerprints(opened.stores, {})["features"] == "none"
    assert opened.network == SMALL


def test_data_fits_a_model_that_is_to_be_trained_to_the_features(open_data):
    wide = dataclasses.replace(SMALL, feature_width=99)
    assert open_data(wide).network == SMALL
    with pytest.raises(InputError, match="its features have 8 numbers, the agent reads 99"):
        open_data(wide, trained=True).dataset(Split.parse("r2r/train"))


# A dataset


@pytest.mark.parametrize(
    ("text", "horizon", "follow", "truncation"),
    [("r2r/train", 15, "goal", "end"), ("r4r/train", 30, "path", "end"), ("ndh/train", 80, "goal", "start")],
)
def test_dataset_has_what_its_task_asks_for(open_data, text, horizon, follow, truncation):
    model = dataclasses.replace(SMALL, max_text=12)
    dataset = open_data(model).dataset(Split.parse(text))
    assert (dataset.horizon, dataset.follow) == (horizon, follow)
    expected = tokenize(dataset.episodes.texts, 12, truncation=truncation)
    assert torch.equal(dataset.tokens.ids, expected.ids)
    assert len(dataset) == len(dataset.episodes) == len(dataset.tokens.ids)


def test_dataset_has_what_the_config_says_instead(open_data):
    dataset = open_data(horizon=7, follow="path").dataset(Split.parse("r2r/train"))
    assert (dataset.horizon, dataset.follow) == (7, "path")
    oracle, mixed = (
        open_data(supervision=supervision).dataset(Split.parse("ndh/train")) for supervision in ("oracle", "mixed")
    )
    assert (oracle.horizon, mixed.horizon) == (20, 80)
    assert not np.array_equal(oracle.episodes.references, mixed.episodes.references)


def test_dataset_first_has_the_first_episodes_with_their_texts(open_data):
    whole = open_data().dataset(Split.parse("r2r/val_unseen"))
    first = whole.first(5)
    assert first.episodes.ids == whole.episodes.ids[:5]
    assert torch.equal(first.tokens.ids, whole.tokens.select(torch.arange(5)).ids)
    assert whole.first(None) is whole
    assert whole.first(len(whole)) is whole


def test_dataset_mirrored_has_each_text_twice(open_data):
    dataset = open_data().dataset(Split.parse("r2r/val_unseen"))
    both = dataset.mirrored(SMALL)
    assert torch.equal(both.ids, with_mirrored(dataset.tokens).ids)
    assert len(both.ids) == 2 * len(dataset)


def test_dataset_without_goals_is_refused_where_goals_are_needed(open_data):
    opened = open_data()
    assert not opened.dataset(Split.parse("r2r/test")).episodes.has_goals
    with pytest.raises(InputError, match=r"R2R_test\.json: r2r/test has no goals to learn from"):
        opened.dataset_with_goals(Split.parse("r2r/test"), "learn from")


# Fingerprints


def test_fingerprints_change_with_the_episodes_and_the_features(small_data, tiny_world, tmp_path):
    def found():
        config = DataConfig(folder=tmp_path / "data", features=tmp_path / "data" / "features")
        opened = Data(config, SMALL, show_progress=False)
        names = ("r2r/train", "r2r/val_seen")
        return fingerprints(opened.stores, {name: opened.dataset(Split.parse(name)).episodes for name in names})

    shutil.copytree(small_data, tmp_path / "data")
    before = found()
    graphs = {"graphs of r2r/train", "graphs of r2r/val_seen"}
    assert set(before) == {"features", "index of the features", "r2r/train", "r2r/val_seen"} | graphs
    assert found() == before
    path = tmp_path / "data" / "R2R" / "R2R_val_seen.json"
    path.write_text(json.dumps(json.loads(path.read_text())[1:]))
    after = found()
    assert {name for name in before if before[name] != after[name]} == {"r2r/val_seen"}
    write_features(tmp_path / "data" / "features", tiny_world, SMALL.feature_width, seed=1)
    assert {name for name in before if found()[name] != after[name]} == {"features"}
