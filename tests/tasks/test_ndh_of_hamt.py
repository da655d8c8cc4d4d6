"""NDH as HAMT publishes it: the whole walk of a game, and how far the player had come when the dialog ended."""

import json

import numpy as np
import pytest
from task_files import FILES, refused

from mtvm.acting.baselines import baseline_policy
from mtvm.acting.walk import walk_split
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import available_splits, load_episodes
from mtvm.tasks.registry import TASKS
from mtvm.tasks.results import write_results, write_submission


@pytest.fixture
def folder(tiny_folder, tmp_path):
    """The tiny dialogs in that form; before each, the player walked from the end of its path to its start."""
    (tmp_path / "connectivity").symlink_to(tiny_folder / "connectivity")
    entries = []
    for entry in json.loads((tiny_folder / FILES["ndh"]).read_text()):
        path = entry["player_path"]
        entries.append(
            {
                "instr_id": entry["inst_idx"],
                "game_idx": 7,
                "scan": entry["scan"],
                "start_pano": path[0],
                "start_heading": entry["start_pano"]["heading"],
                "end_panos": entry["end_panos"],
                "nav_history": path[::-1],
                "target": entry["target"],
                "dialog_history": entry["dialog_history"],
                "nav_steps": path[::-1] + path[1:],
                "nav_idx": len(path) - 1,
                "instr_encoding": [101, 102],
            }
        )
    (tmp_path / "train_enc.json").write_text(json.dumps(entries))
    return tmp_path


def test_they_are_the_same_episodes(folder, tiny_folder):
    assert available_splits(DataFolder(folder), TASKS["ndh"]) == ["train"]
    released = load_episodes("ndh", "val_unseen", tiny_folder, supervision="navigator")
    for supervision in ("navigator", "mixed"):
        found = load_episodes("ndh", "train", folder, supervision=supervision)
        assert (found.ids, found.texts) == (released.ids, released.texts)
        for name in ("references", "goals", "headings"):
            np.testing.assert_array_equal(getattr(found, name), getattr(released, name))


def test_there_is_no_path_of_the_planner(folder):
    assert "field 'planner_path' is missing" in refused(
        lambda: load_episodes("ndh/train", None, folder, supervision="oracle")
    )


@pytest.mark.parametrize(
    ("field", "value", "said"), [("nav_idx", 500, "no step of"), ("start_pano", {}, "not a string")]
)
def test_malformed_entries_are_refused(folder, field, value, said):
    path = folder / "train_enc.json"
    entries = json.loads(path.read_text())
    entries[3][field] = value
    path.write_text(json.dumps(entries))
    message = refused(lambda: load_episodes("ndh/train", None, folder))
    assert f"entry 3 (instr_id {entries[3]['instr_id']}): field '{field}' is" in message
    assert said in message


def test_the_real_part_and_the_test_split_can_be_read_and_submitted(real_data, tmp_path):
    part = load_episodes("ndh", str(real_data / "NDH_more" / "train_part_enc.json"), real_data)
    assert (len(part), part.has_goals) == (100, True)
    ends = np.array([end in goals[goals >= 0] for end, goals in zip(part.reference_ends, part.goals, strict=True)])
    assert ends.all()
    test = load_episodes("ndh", "test", real_data)
    assert (len(test), test.has_goals) == (1384, False)
    write_results(tmp_path / "results.json", test, walk_split(baseline_policy("forward"), test).trajectories())
    assert write_submission(tmp_path / "results.json", tmp_path / "submission.json", test) == 1384
    (first, *_) = json.loads((tmp_path / "submission.json").read_text())
    assert set(first) == {"inst_idx", "trajectory"}
    assert type(first["inst_idx"]) is int
