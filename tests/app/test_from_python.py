"""What an outside researcher calls from Python: names as texts, paths, one or several."""

import dataclasses
import json

import pytest

import mtvm
from mtvm.acting.baselines import Stop
from mtvm.errors import InputError
from mtvm.tasks import r2r
from mtvm.tasks.load import load_episodes


@pytest.fixture(autouse=True)
def data(tiny_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    monkeypatch.chdir(tmp_path)


def test_load_episodes_takes_task_and_split_as_one_name():
    one, two = mtvm.load_episodes("r2r/val_unseen"), mtvm.load_episodes("r2r", "val_unseen")
    assert (one.ids, one.name) == (two.ids, "r2r val_unseen")
    with pytest.raises(InputError, match="'r2r' names no split; give it as r2r/val_unseen"):
        mtvm.load_episodes("r2r")
    with pytest.raises(InputError, match="names no split"):
        mtvm.load_episodes(r2r.SPEC)


def test_score_takes_files_folders_and_names(tmp_path):
    (done,) = mtvm.evaluate("forward", "r2r/val_unseen", out=tmp_path / "out", show_progress=False).values()
    results, expected = done.folder / "results.json", done.metrics()
    for found in (
        mtvm.score(str(results), done.episodes),
        mtvm.score(results, "r2r"),
        mtvm.score(results, "r2r/val_unseen"),
        mtvm.score(results, "r2r", "val_unseen"),
        mtvm.score(done.folder, "r2r/val_unseen"),
        mtvm.score(str(done.folder), "r2r/val_unseen"),
    ):
        assert found.metrics() == pytest.approx(expected)
        episodes, columns = found
        assert episodes.ids == done.episodes.ids
        assert list(columns) == list(expected)


def test_what_is_printed_of_episodes_and_scores_is_a_line(tmp_path):
    found = mtvm.evaluate("shortest", "r2r/val_unseen", limit=2, out=tmp_path / "out", show_progress=False)
    (done,) = found.values()
    assert repr(done.episodes) == "EpisodeSet(r2r val_unseen: 2 episodes, 1 building)"
    for one in (done, mtvm.score(done.folder, done.episodes)):
        assert "r2r val_unseen: 2 episodes, NE 0.00, SR 100.00" in repr(one)
        assert len(repr(one)) < 200


def test_evaluate_takes_one_split_or_several_and_the_class_of_an_agent(tiny_folder):
    one = mtvm.evaluate(Stop, "r2r/val_seen", show_progress=False)
    both = mtvm.evaluate(Stop(), ["r2r/val_seen", "r2r/val_unseen"], data=str(tiny_folder), show_progress=False)
    assert (list(one), list(both)) == (["r2r/val_seen"], ["r2r/val_seen", "r2r/val_unseen"])
    assert one["r2r/val_seen"].metrics() == both["r2r/val_seen"].metrics()
    with pytest.raises(InputError, match="agent 'Policy': Policy does not define act, start"):
        mtvm.evaluate(mtvm.Policy, "r2r/val_seen")


def test_train_takes_a_presets_name_and_the_folder_of_a_run(tmp_path, tiny_folder, monkeypatch):
    small = dataclasses.replace(
        mtvm.PRESETS["tiny"],
        batch=2,
        tensorboard=False,
        device="cpu",
        optimizer=dataclasses.replace(mtvm.PRESETS["tiny"].optimizer, updates=1),
        selection=dataclasses.replace(mtvm.PRESETS["tiny"].selection, every=1, limit=2),
    )
    monkeypatch.setitem(mtvm.PRESETS, "tiny", small)
    blind = mtvm.DataConfig(folder=tiny_folder, sight="blind")
    done = mtvm.train("tiny", show_progress=False, data=blind, out="mine")
    assert done.finished
    assert json.loads((tmp_path / "mine" / "config.json").read_text())["data"]["sight"] == "blind"
    for again in ("mine", tmp_path / "mine"):
        assert mtvm.train(again, show_progress=False).update == 1
    assert mtvm.train("mine", show_progress=False, data=str(tiny_folder)).update == 1
    with pytest.raises(InputError, match=r"'tinny' is neither a preset .*, tiny.* nor the folder of a run"):
        mtvm.train("tinny")
    with pytest.raises(InputError, match="no run is here"):
        mtvm.train(tmp_path)


def _far(file):
    episodes = r2r.read_r2r(file)
    nearer = dataclasses.replace(file.task.success, radius=0.0)
    return dataclasses.replace(episodes, task=dataclasses.replace(episodes.task, success=nearer))


def test_what_a_reader_says_of_the_task_is_kept():
    """A reader may know more of the task than its spec, such as where stopping is right in this file."""
    spec = dataclasses.replace(r2r.SPEC, name="exact", read=_far, origin="my_task:EXACT")
    episodes = load_episodes(spec, "val_unseen")
    assert episodes.task.success.radius == 0
    assert (episodes.task.name, episodes.task.identity) == ("exact", "my_task:EXACT")
    assert load_episodes("prevalent", str(load_episodes("r2r", "val_seen").source)).task.augmented
