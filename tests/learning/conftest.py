"""A data folder with everything that a preset asks for, in the tiny world."""

import shutil

import pytest
import torch
from small_runs import ENVIRONMENT, SMALL, write_features

from mtvm.features.store import FeatureStore
from mtvm.io.files import write_json
from mtvm.models.seeing import Vision
from mtvm.models.text import tokenize
from mtvm.tasks.r4r import build_r4r

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    """Whatever launched the tests, they train alone and on the CPU."""
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def small_data(tiny_folder, tiny_world, tmp_path_factory):
    """The tiny world with features, R4R, long and augmented paths. Copy what you want to spoil."""
    folder = tmp_path_factory.mktemp("small") / "data"
    shutil.copytree(tiny_folder, folder)
    write_features(folder / "features", tiny_world, SMALL.feature_width)
    for split in ("train", "val_seen", "val_unseen"):
        joined = build_r4r(folder / "R2R" / f"R2R_{split}.json", tiny_world)
        assert joined
        write_json(folder / "R4R" / f"R4R_{split}.json", joined[:12])
        write_json(folder / "LONG" / f"LONG_{split}.json", joined[:12])
    shutil.copy(folder / "R2R" / "R2R_train.json", folder / "R2R" / "prevalent_aug.json")
    return folder


@pytest.fixture(scope="session")
def vision(small_data, tiny_r2r):
    return Vision(tiny_r2r.world, FeatureStore.open(small_data / "features"), SMALL)


@pytest.fixture(scope="session")
def tokens(tiny_r2r):
    return tokenize(tiny_r2r.texts, SMALL.text_length)
