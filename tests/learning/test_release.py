"""Runs made small enough to pass on."""

import json
import shutil

import pytest
from small_runs import small_config, train

import mtvm
from mtvm.errors import InputError
from mtvm.learning.release import release
from mtvm.learning.run_folder import RunFolder
from mtvm.studies.comparison import read_evaluation


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    config = small_config(small_data, tmp_path_factory.mktemp("runs") / "mine", optimizer={"updates": 2})
    train(config)
    mtvm.evaluate(config.out, ["r2r/val_unseen"], show_progress=False)
    return config.out


def test_a_released_agent_walks_as_the_run_does(run, small_data, tmp_path):
    folder = release(run, tmp_path / "small")
    given = mtvm.evaluate(run, ["r2r/val_unseen"], show_progress=False, device="cpu")
    data = RunFolder(run).config().data
    passed_on = mtvm.evaluate(folder, ["r2r/val_unseen"], data=data, show_progress=False, device="cpu")
    same = (given["r2r/val_unseen"].nodes == passed_on["r2r/val_unseen"].nodes).all(axis=1)
    assert same.mean() > 0.9, "half precision may change a close decision"


def test_its_card_has_the_measurements_and_nothing_names_this_machine(run, tmp_path):
    folder = release(run, tmp_path / "small")
    card = (folder / "README.md").read_text()
    metrics = json.loads((folder / "eval" / "r2r-val_unseen" / "metrics.json").read_text())
    assert f"| r2r-val_unseen | {metrics['episodes']} |" in card
    assert f"{metrics['NE']:.2f}" in card
    assert "after update" in card
    assert len(read_evaluation(folder / "eval" / "r2r-val_unseen").ids) == metrics["episodes"]
    for path in folder.rglob("*"):
        assert path.is_dir() or str(run.parent).encode() not in path.read_bytes()


def test_what_it_began_with_is_on_its_card_without_the_way_there(run, small_data, tmp_path):
    config = small_config(small_data, tmp_path / "next", optimizer={"updates": 1}, init=run / "best")
    train(config)
    folder = release(config.out, tmp_path / "small")
    assert f"It began with the weights of {run.name}/best." in (folder / "README.md").read_text()
    assert RunFolder(folder).config().init is None
    for path in folder.rglob("*"):
        assert path.is_dir() or str(run.parent).encode() not in path.read_bytes()


def test_the_weights_are_half_as_large(run, tmp_path):
    folder = release(run, tmp_path / "small")
    ours, theirs = ((where / "best" / "model.safetensors").stat().st_size for where in (folder, run))
    assert ours < 0.7 * theirs


def test_nothing_is_overwritten_and_a_folder_without_a_run_is_refused(run, tmp_path):
    folder = release(run, tmp_path / "small")
    with pytest.raises(InputError, match="is there already"):
        release(run, folder)
    with pytest.raises(InputError, match="no run is here"):
        release(tmp_path / "nothing", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_else_comes_along_by_a_link_in_the_run(run, tmp_path):
    """A run that was downloaded may hold a link to a file of one's own."""
    copy = shutil.copytree(run, tmp_path / "run")
    seen = copy / "best" / "seen.json"
    said = json.loads(seen.read_text())
    seen.unlink()
    (tmp_path / "secret.json").write_text(json.dumps(said | {"password": "tiger"}))
    seen.symlink_to(tmp_path / "secret.json")
    assert json.loads((release(copy, tmp_path / "out") / "best" / "seen.json").read_text()) == said
    (tmp_path / "secret.json").write_text("tiger")
    with pytest.raises(InputError, match=r"seen\.json: not valid JSON"):
        release(copy, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_metrics_that_are_none_are_refused(run, tmp_path):
    copy = shutil.copytree(run, tmp_path / "run")
    (copy / "eval" / "r2r-val_unseen" / "metrics.json").write_text("5")
    with pytest.raises(InputError, match="not the metrics of an evaluation"):
        release(copy, tmp_path / "out")
    assert not (tmp_path / "out").exists()
