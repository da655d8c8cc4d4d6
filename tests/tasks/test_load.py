"""From a task's name and split to its file, in the common layouts; and what is said if it is not found."""

import gzip
import json
import os
import shutil

import pytest
from task_files import FILES, SPLITS, change, lay_out, refused

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import available_splits, load_episodes, task_file
from mtvm.tasks.registry import TASKS
from mtvm.world.world import World


@pytest.mark.parametrize(
    ("task", "split", "place", "source"),
    [
        ("r2r", "val_unseen", "tasks/R2R/data/R2R_val_unseen.json", FILES["r2r"]),
        ("r2r", "val_unseen", "datasets/R2R/annotations/R2R_val_unseen_enc.json", FILES["r2r"]),
        ("r2r", "test", "data/R2R_test.json", "R2R/R2R_test.json"),
        ("ndh", "val_unseen", "tasks/NDH/data/val_unseen.json", FILES["ndh"]),
        ("ndh", "test", "tasks/NDH/data/test_cleaned.json", "NDH/test_cleaned.json"),
        ("ndh", "test", "tasks/NDH/data/test.json", "NDH/test_cleaned.json"),
        ("r4r", "val_unseen", "R4R_val_unseen.json", FILES["r2r"]),
        ("prevalent", "aug", "data/prevalent/prevalent_aug.json", "R2R/R2R_train.json"),
        ("prevalent", "aug", "R2R/annotations/prevalent_aug_train_enc.json", "R2R/R2R_train.json"),
    ],
)
def test_load_episodes_finds_files_in_common_layouts(tiny_folder, tmp_path, task, split, place, source):
    root = lay_out(tiny_folder, tmp_path, **{place: source})
    assert load_episodes(task, split, root).source == root / place
    assert available_splits(DataFolder(root), TASKS[task]) == [split]


def test_ndh_spec_does_not_accept_raw_cvdn_dialogs(tiny_folder, tmp_path, tiny_ndh):
    root = lay_out(tiny_folder, tmp_path, **{"tasks/NDH/data/val_unseen.json": FILES["ndh"]})
    raw = [{"idx": 7, "scan": "tiny3", "dialog": [], "nav_steps": []}]
    for place in ("val_unseen.json", "tasks/CVDN/data/val_unseen.json"):  # nearer to the top, and first by name
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(json.dumps(raw))
    (root / "train.json").write_text(json.dumps(raw))
    assert list(load_episodes("ndh", "val_unseen", root)) == list(tiny_ndh)
    assert available_splits(DataFolder(root), TASKS["ndh"]) == ["val_unseen"]


def test_prevalent_ignores_token_ids(tiny_folder, tmp_path):
    root = lay_out(tiny_folder, tmp_path, **{"prevalent_aug.json": "R2R/R2R_train.json"})

    def encode(entries):
        for number, entry in enumerate(entries):
            entry |= {"path_id": f"{entry['scan']}_{number}", "instructions": entry["instructions"][:1]}
            entry["instr_enc"] = None if number == 3 else [101, 2175, 102]

    change(root, "prevalent", encode, "prevalent_aug.json")
    episodes = load_episodes("prevalent", "aug", root)
    assert len(episodes) == SPLITS["train"]
    assert episodes.ids[0] == "tiny0_0_0"
    assert episodes.name == "prevalent aug"


def test_prevalent_has_no_validation_split(tiny_folder, tmp_path):
    root = lay_out(tiny_folder, tmp_path, **{"prevalent_aug.json": "R2R/R2R_train.json"})
    assert "val_unseen" in refused(lambda: load_episodes("prevalent", "val_unseen", root))


def test_task_file_is_the_one_nearest_to_the_top(tiny_folder, tmp_path):
    names = ("a/b/R2R_val_unseen.json", "z/R2R_val_unseen.json")
    root = lay_out(tiny_folder, tmp_path, **dict.fromkeys(names, FILES["r2r"]))
    assert task_file(DataFolder(root), TASKS["r2r"], "val_unseen") == root / names[1]


def test_connectivity_is_the_folder_with_the_most_files(folder):
    some = folder / "a"
    some.mkdir()
    for scan in ("tiny0", "tiny3"):
        shutil.copy(folder / "connectivity" / f"{scan}_connectivity.json", some)
    assert DataFolder(folder).connectivity == folder / "connectivity"


def test_data_folder_does_not_search_hidden_and_image_folders(tiny_folder, tmp_path):
    names = (".git/R2R_val_unseen.json", "v1/scans/x/matterport_skybox_images/R2R_val_unseen.json")
    root = lay_out(tiny_folder, tmp_path, **dict.fromkeys(names, FILES["r2r"]))
    refused(lambda: load_episodes("r2r", "val_unseen", root))


def test_data_folder_follows_links(folder, tmp_path):
    (tmp_path / "other").mkdir()
    (folder / "R2R").rename(tmp_path / "other" / "R2R")
    (folder / "link").symlink_to(tmp_path / "other")
    assert load_episodes("r2r", "val_unseen", folder).source == folder / "link" / FILES["r2r"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_load_episodes_passes_over_pipes(folder, tiny_r2r):
    """Opening a pipe would wait for ever."""
    os.mkfifo(folder / "R2R_val_unseen.json")  # nearer to the top than the file
    os.mkfifo(folder / "val_seen.json")  # a name for which NDH's reader looks into the file
    os.mkfifo(folder / "connectivity" / "castle_connectivity.json")
    (folder / "train.json").symlink_to("/dev/zero")
    (folder / "elsewhere").mkdir()
    for number in range(20):
        os.mkfifo(folder / "elsewhere" / f"scan{number}_connectivity.json")
    data = DataFolder(folder)
    assert data.connectivity == folder / "connectivity"
    episodes = load_episodes("r2r", "val_unseen", data)
    assert episodes.source == folder / FILES["r2r"]
    assert episodes.ids == tiny_r2r.ids
    assert task_file(data, TASKS["ndh"], "val_seen") == folder / "NDH" / "val_seen.json"
    assert task_file(data, TASKS["ndh"], "train") == folder / "NDH" / "train.json"
    assert "castle" not in World.load(folder / "connectivity").scans


def test_data_folder_survives_cycles_of_links(folder, monkeypatch):
    for name in ("one", "two"):
        (folder / name).symlink_to(folder)
    walk = os.walk

    def counted(*args, **kwargs):
        for number, found in enumerate(walk(*args, **kwargs)):
            assert number < 1000, "the search never ends"
            yield found

    monkeypatch.setattr(os, "walk", counted)
    assert task_file(DataFolder(folder), TASKS["r2r"], "val_unseen") == folder / FILES["r2r"]


def test_load_episodes_uses_the_environments_data_folder(tiny_folder, tiny_r2r, monkeypatch):
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    assert list(load_episodes("r2r", "val_unseen")) == list(tiny_r2r)


def test_data_folder_is_searched_once_for_many_splits(tiny_folder, tiny_r2r, monkeypatch):
    folder = DataFolder(tiny_folder)
    monkeypatch.setattr(os, "walk", None)
    assert DataFolder.resolve(folder) is folder
    assert list(load_episodes("r2r", "val_unseen", folder)) == list(tiny_r2r)
    assert available_splits(folder, TASKS["ndh"]) == ["train", "val_seen", "val_unseen", "test"]


@pytest.mark.parametrize("named", [None, ""])
def test_load_episodes_refuses_to_guess_the_data_folder(monkeypatch, named):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    if named is not None:
        monkeypatch.setenv("MTVM_DATA", named)
    message = refused(lambda: load_episodes("r2r", "val_unseen"))
    assert "--data" in message
    assert "$MTVM_DATA" in message


def test_load_episodes_refuses_a_missing_data_folder(tmp_path):
    message = refused(lambda: load_episodes("r2r", "val_unseen", tmp_path / "no"))
    assert message.startswith(f"{tmp_path / 'no'}: ")
    assert "--data" in message


def test_load_episodes_refuses_a_folder_without_graphs(folder):
    shutil.rmtree(folder / "connectivity")
    message = refused(lambda: load_episodes("r2r", "val_unseen", folder))
    assert message.startswith(f"{folder}: ")
    assert "_connectivity.json" in message


@pytest.mark.parametrize(("task", "looked_for"), [("r2r", "R2R_val_unsen.json"), ("ndh", "val_unsen.json")])
def test_load_episodes_refuses_an_unknown_split_and_lists_others(tiny_folder, task, looked_for):
    message = refused(lambda: load_episodes(task, "val_unsen", tiny_folder))
    assert message.startswith(f"{tiny_folder}: ")
    assert f"{task} split 'val_unsen'" in message
    assert looked_for in message
    assert "train, val_seen, val_unseen, test." in message


def test_load_episodes_says_if_there_are_no_splits(tiny_folder):
    assert "available splits: none." in refused(lambda: load_episodes("r4r", "val_unseen", tiny_folder))


def test_load_episodes_refuses_a_missing_file(tiny_folder, tmp_path):
    path = tmp_path / "mine.json"
    message = refused(lambda: load_episodes("r2r", str(path), tiny_folder))
    assert message.startswith(f"{path}: ")
    assert "no such file" in message


def test_read_ndh_refuses_unknown_supervision(tiny_folder):
    message = refused(lambda: load_episodes("ndh", "val_unseen", tiny_folder, supervision="planner"))
    assert message == "unknown supervision 'planner'; give one of mixed, oracle, navigator."


def test_load_reads_a_gzipped_file_by_its_path(tiny_folder, tmp_path):
    plain = tiny_folder / "R2R" / "R2R_val_seen.json"
    packed = tmp_path / "mine.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    episodes = load_episodes("r2r", str(packed), tiny_folder)
    assert episodes.texts == load_episodes("r2r", "val_seen", tiny_folder).texts
    assert episodes.split == "mine"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"mine\.json\.gz: this gzip file is damaged"):
        load_episodes("r2r", str(packed), tiny_folder)


def test_load_refuses_a_gzip_file_that_unpacks_to_too_much(tiny_folder, tmp_path, monkeypatch):
    packed = tmp_path / "bomb.json.gz"
    packed.write_bytes(gzip.compress(b" " * 3_000_000))
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "0.001")
    with pytest.raises(InputError, match="looks like a trap"):
        load_episodes("r2r", str(packed), tiny_folder)
