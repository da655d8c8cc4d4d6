"""The folder of an evaluation: all of one agent, whatever happens while it is written, and refused if it is mixed."""

import dataclasses
import json
import os
import shutil

import numpy as np
import pytest

from mtvm.acting.baselines import run_baseline
from mtvm.errors import InputError
from mtvm.studies.comparison import read_evaluation
from mtvm.tasks import evaluation_folder
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import FILES, MANIFEST, read_manifest, read_metrics, write_evaluation
from mtvm.tasks.events import events_of_trajectory
from mtvm.tasks.metrics import without_stays
from mtvm.tasks.results import trajectory_nodes
from mtvm.viewer.sources import Defaults, open_sources


def evaluation(episodes, baseline):
    """What a baseline does, with its steps."""
    poses = run_baseline(baseline, episodes)
    walks = without_stays(trajectory_nodes("made", episodes, poses)).astype(np.int64)
    rows = [row[row >= 0].tolist() for row in walks]
    steps = [
        list(events_of_trajectory(identity, episodes.world, row, [(0.0, 0.0)] * len(row)))
        for identity, row in zip(episodes.ids, rows, strict=True)
    ]
    return Evaluation(episodes, walks, np.where(walks >= 0, 12, -1), steps, 1.0)


@pytest.fixture(scope="module")
def walked(tiny_r2r):
    return {name: evaluation(tiny_r2r, name) for name in ("shortest", "random")}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folders(walked, tmp_path):
    """The evaluations of both."""
    for name, done in walked.items():
        write_evaluation(tmp_path / name, done, name)
    return tmp_path


def test_an_evaluation_has_all_files_and_says_whose_it_is(folders, tiny_r2r):
    assert contents(folders / "random").keys() == {*FILES, MANIFEST}
    manifest = read_manifest(folders / "random")
    assert (manifest.task, manifest.split, manifest.agent) == ("r2r", "val_unseen", "random")
    assert manifest.metrics == tiny_r2r.task.metrics
    assert read_metrics(folders / "shortest")["SR"] == 100


@pytest.mark.parametrize("broken", range(1, len(FILES) + 2))
def test_a_failure_between_files_leaves_the_old_evaluation_whole(folders, walked, monkeypatch, broken):
    """The disk is full before any of the files, or the process is killed there."""
    before = contents(folders / "shortest")
    done, calls = dataclasses.replace(walked["random"]), []

    def failing(write):
        def written(*arguments, **options):
            calls.append(write)
            if len(calls) == broken:
                raise OSError(28, os.strerror(28))
            return write(*arguments, **options)

        return written

    for name in ("write_results", "write_events", "write_episode_table", "write_json", "json_text"):
        monkeypatch.setattr(evaluation_folder, name, failing(getattr(evaluation_folder, name)))
    with pytest.raises(InputError, match="No space left") as found:
        write_evaluation(folders / "shortest", done)
    assert str(folders / "shortest") in str(found.value)
    assert contents(folders / "shortest") == before
    assert sorted(path.name for path in folders.iterdir()) == ["random", "shortest"]


def test_what_others_put_into_the_folder_stays(folders, walked):
    (folders / "shortest" / "map.svg").write_text("a figure")
    (folders / "shortest" / "notes").mkdir()
    (folders / "shortest" / "notes" / "one.txt").write_text("mine")
    done = dataclasses.replace(walked["random"], steps=[])
    write_evaluation(folders / "shortest", done)
    assert (folders / "shortest" / "map.svg").read_text() == "a figure"
    assert (folders / "shortest" / "notes" / "one.txt").read_text() == "mine"
    assert not (folders / "shortest" / "steps.jsonl").exists(), "the steps were of another agent"
    assert read_manifest(folders / "shortest").agent == ""


def test_a_link_to_a_folder_stays_a_link(folders, walked, tmp_path):
    (tmp_path / "link").symlink_to(folders / "shortest")
    write_evaluation(tmp_path / "link", dataclasses.replace(walked["random"]), "random")
    assert (tmp_path / "link").is_symlink()
    assert read_manifest(folders / "shortest").agent == "random"


def mixed(folders, name, manifest=True):
    """The evaluation of one agent with one file of the other's."""
    shutil.copy(folders / "random" / name, folders / "shortest" / name)
    if not manifest:
        (folders / "shortest" / MANIFEST).unlink()
    return folders / "shortest"


@pytest.mark.parametrize("manifest", [True, False], ids=["manifest", "older"])
@pytest.mark.parametrize("name", ["results.json", "metrics.json", "episodes.csv"])
def test_files_of_two_agents_are_refused(folders, tiny_folder, name, manifest):
    folder = mixed(folders, name, manifest)
    command = "compare" if name == "episodes.csv" else "figure"
    read = {"compare": lambda: read_evaluation(folder), "figure": lambda: open_sources([folder], Defaults(tiny_folder))}
    with pytest.raises(InputError, match=r"evaluation.*evaluate again with 'mtvm eval'") as found:
        read[command]()
    assert str(folder) in str(found.value)
    assert "\n" not in str(found.value)


def test_steps_of_another_agent_are_refused(folders, tiny_folder):
    with pytest.raises(InputError, match=r"steps.jsonl is not of the same evaluation"):
        open_sources([mixed(folders, "steps.jsonl")], Defaults(tiny_folder))
    (folders / "shortest" / MANIFEST).unlink()
    (source,) = open_sources([folders / "shortest"], Defaults(tiny_folder))
    assert "are of different walks" in source.notes[0]


def test_older_folders_still_open(folders, tiny_folder):
    (folders / "random" / MANIFEST).unlink()
    (source,) = open_sources([folders / "random"], Defaults(tiny_folder))
    assert all(source.events(row) for row in range(len(source.episodes)))
    assert read_manifest(folders / "random").task == "r2r"
    assert read_evaluation(folders / "random").metrics


def test_an_older_folder_with_a_number_beyond_arithmetic_is_refused(folders):
    (folders / "random" / MANIFEST).unlink()
    path = folders / "random" / "metrics.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"TL": 10**400}))
    with pytest.raises(InputError, match="so they are of two evaluations"):
        read_evaluation(folders / "random")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"version": "1"},
        {"task": 7},
        {"files": []},
        {"metrics": [{"name": "SR"}]},
        {"metrics": "SR"},
        {"agent": None},
    ],
    ids=str,
)
def test_a_malformed_manifest_is_one_sentence(folders, change):
    path = folders / "random" / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match="manifest") as found:
        read_manifest(folders / "random")
    assert "\n" not in str(found.value)
