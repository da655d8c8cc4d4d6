"""One training in the buildings of several data folders, and tasks with heads of their own."""

import json
import shutil

import pytest
from small_runs import describe_places, record, small_config

import mtvm
from mtvm.app.options import absolute_split
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning import checkpoint
from mtvm.learning.trainer import Trainer
from mtvm.testing.tiny import write_tiny_world
from mtvm.world.world import World


@pytest.fixture(scope="module")
def folders(small_data, tiny_world, tmp_path_factory):
    """The small world, and another one with buildings of other names, each with names of what is seen."""
    top = tmp_path_factory.mktemp("folders")
    here, there = top / "here", top / "there"
    shutil.copytree(small_data, here)
    write_tiny_world(there, seed=1)
    renamed = {}
    for file in sorted((there / "connectivity").glob("*_connectivity.json")):
        renamed[file.name.partition("_")[0]] = f"other{file.name.partition('_')[0]}"
        file.rename(file.with_name(f"other{file.name}"))
    for file in there.rglob("*.json"):
        if "connectivity" not in file.name:
            entries = json.loads(file.read_text())
            for entry in entries:
                entry["scan"] = renamed[entry["scan"]]
            file.write_text(json.dumps(entries))
    for folder in (here, there):
        for old in (folder / "semantics").glob("*"):
            old.unlink()
        describe_places(folder, World.load(folder / "connectivity"))
    return here, there


def config_of(folders, out, train, **changes):
    here, _ = folders
    data = {"folder": here, "features": None, "sight": "names", "train": train, "evaluate": ("r2r/val_unseen",)}
    return small_config(here, out, data=data, **changes)


def test_a_split_may_name_its_data_folder(tmp_path):
    split = Split.parse("some/where::ndh/train@0.5")
    assert (split.task.name, split.split, split.weight, str(split.folder)) == ("ndh", "train", 0.5, "some/where")
    assert split.name == "where::ndh/train"
    assert absolute_split("some/where::ndh/train@0.5").endswith("/some/where::ndh/train@0.5")
    assert absolute_split("some/where::ndh/train").startswith("/")
    assert absolute_split("r2r/train@2") == "r2r/train@2"
    with pytest.raises(InputError, match=r"names no data folder before the ::"):
        Split.parse("::r2r/train")


@pytest.mark.slow
def test_a_run_learns_in_the_buildings_of_several_folders_and_resumes(folders, tmp_path):
    _, there = folders
    train = ("r2r/train", f"{there}::ndh/train@2", f"{there}::r2r/train")
    config = config_of(folders, tmp_path / "run", train)
    trainer = Trainer(config, show_progress=False)
    scans = [set(dataset.episodes.world.scans) for dataset in trainer.learner.datasets]
    assert all(scan.startswith("tiny") for scan in scans[0])
    assert all(scan.startswith("othertiny") for scan in scans[1] | scans[2])
    assert trainer.run()
    fingerprints = checkpoint.load(tmp_path / "run" / "checkpoint.pt")["data"]
    assert {"features", "features of there", "r2r/train", "there::ndh/train", "there::r2r/train"} <= set(fingerprints)
    assert len([line for line in record(config.out) if line["kind"] == "train"]) == 4
    assert Trainer(config, show_progress=False).run()  # what it was trained with is still what is there


def test_agents_are_evaluated_in_another_folder(folders, tmp_path):
    here, there = folders
    data = DataConfig(folder=here, sight="blind")
    found = mtvm.evaluate("stop", [f"{there}::r2r/val_unseen", "r2r/val_unseen"], data=data, out=tmp_path)
    assert set(found) == {"there::r2r/val_unseen", "r2r/val_unseen"}
    scans = set(found["there::r2r/val_unseen"].episodes.world.scans)
    assert all(scan.startswith("othertiny") for scan in scans)
    written = {file.parent.name for file in tmp_path.rglob("metrics.json")}
    assert written == {"there-r2r-val_unseen", "r2r-val_unseen"}


def test_a_store_of_one_folder_is_not_used_for_another(folders):
    here, there = folders
    with pytest.raises(InputError, match=r"data\.features has the buildings of one data folder"):
        DataConfig(folder=here, features=here / "features", train=(f"{there}::r2r/train",))


def test_a_folder_that_is_not_there_is_named(folders, tmp_path):
    with pytest.raises(InputError, match=r"nowhere: the data folder does not exist"):
        Trainer(config_of(folders, tmp_path / "run", (f"{tmp_path}/nowhere::r2r/train",)), show_progress=False)
