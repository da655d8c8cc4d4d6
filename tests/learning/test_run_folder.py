"""A run's folder: its config, what may change in it, and the lock that keeps a second process out."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import SMALL, changed, command, contents, environment, saved_state, small_config

from mtvm.configs.data import Split
from mtvm.configs.presets import RECIPES
from mtvm.configs.recipe import StageConfig
from mtvm.errors import InputError
from mtvm.learning.evaluation import evaluate
from mtvm.learning.recipe import train_recipe
from mtvm.learning.run_folder import RunFolder, find_run_folders
from mtvm.models.network import make_network
from mtvm.models.saving import save_model


@pytest.fixture
def config(small_data, tmp_path):
    return small_config(small_data, tmp_path / "run")


# Configs


def test_run_folder_gives_the_config_that_was_written_with_the_folder_where_it_is_now(config, tmp_path):
    RunFolder(config.out).write_config(config)
    assert RunFolder(config.out).config() == config
    config.out.rename(tmp_path / "moved")
    assert RunFolder(tmp_path / "moved").config() == dataclasses.replace(config, out=tmp_path / "moved")


def test_run_folder_writes_no_metric_that_nobody_named(config):
    RunFolder(config.out).write_config(config)
    selection = json.loads((config.out / "config.json").read_text())["selection"]
    assert selection["metric"] is None
    RunFolder(config.out).write_config(changed(config, selection={"metric": "NE"}))
    assert json.loads((config.out / "config.json").read_text())["selection"]["metric"] == "NE"


def test_run_folder_without_a_run_says_so(tmp_path):
    with pytest.raises(InputError, match=r"no run is here \(config.json is missing\)"):
        RunFolder(tmp_path).config()
    assert not RunFolder(tmp_path).is_run


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 5}, "seed is 0 there, 5 here"),
        ({"optimizer": {"lr": 0.5}}, "optimizer.lr is 0.001 there, 0.5 here"),
        ({"loss": {"a2c": {"weight": 2.0}}}, "loss.a2c.weight is 1.0 there, 2.0 here"),
        ({"selection": {"metric": "NE"}}, "selection.metric is None there, NE here"),
        ({"data": {"train": ("ndh/train",)}}, "data.train is"),
    ],
    ids=str,
)
def test_run_folder_check_refuses_another_config(config, changes, said):
    RunFolder(config.out).write_config(config)
    RunFolder(config.out).check(config)
    with pytest.raises(InputError, match=said) as found:
        RunFolder(config.out).check(changed(config, **changes))
    assert str(found.value).startswith(str(config.out))


def test_run_folder_check_takes_a_run_that_is_older_than_an_option(config):
    RunFolder(config.out).write_config(config)
    older = json.loads((config.out / "config.json").read_text())
    del older["model"]["train_reader"], older["optimizer"]["reader_lr"], older["loss"]["matching"]
    (config.out / "config.json").write_text(json.dumps(older))
    RunFolder(config.out).check(config)
    with pytest.raises(InputError, match=r"optimizer\.reader_lr is 0\.1 there, 0\.5 here"):
        RunFolder(config.out).check(changed(config, optimizer={"reader_lr": 0.5}))


@pytest.mark.parametrize(
    "changes",
    [
        {"device": "cuda"},
        {"log_every": 7},
        {"save_minutes": 1.0},
        {"tensorboard": True},
        {"data": {"folder": Path("/elsewhere")}},
        {"data": {"features": Path("/elsewhere")}},
    ],
    ids=str,
)
def test_run_folder_check_lets_change_what_does_not_change_the_learning(config, changes):
    RunFolder(config.out).write_config(config)
    RunFolder(config.out).check(changed(config, **changes))


@pytest.fixture
def linked(tmp_path):
    """Puts a link out of the run into it: one that was downloaded may hold a link to a file of one's own."""

    def link(name):
        place = tmp_path / "run" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(tmp_path / "mine")
        return RunFolder(tmp_path / "run")

    yield link
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "name", ["metrics.jsonl", "checkpoint-before.pt", "best", "best/README.md", "eval/x/a", "lock"]
)
def test_nothing_is_written_to_where_a_link_in_a_run_leads(linked, name):
    folder = linked(name)
    with pytest.raises(InputError, match=rf"run/{name}: is a link that leads out of {folder.path}"), folder.lock():
        pass


def test_an_evaluation_and_a_recipe_write_to_no_link_either(linked, config):
    config = dataclasses.replace(config, out=linked("first").path)
    recipe = dataclasses.replace(RECIPES["tiny-stages"], out=config.out, stages={"first": StageConfig.of(config)})
    with pytest.raises(InputError, match="run/first: is a link that leads out of"):
        train_recipe(dataclasses.replace(recipe, data=config.data, stages=recipe.stages | {"last": StageConfig()}))
    save_model(make_network(SMALL), linked("eval").path)
    with pytest.raises(InputError, match="run/eval: is a link that leads out of"):
        evaluate(config.out, "r2r/val_unseen", data=config.data, show_progress=False)


def test_links_within_a_run_stay(tmp_path):
    (tmp_path / "best").mkdir()
    (tmp_path / "eval").symlink_to(tmp_path / "best")
    (tmp_path / "notes").symlink_to("/elsewhere")  # nobody writes there
    (tmp_path.with_name("linked")).symlink_to(tmp_path)
    with RunFolder(tmp_path.with_name("linked")).lock():
        pass


# Finding


def test_find_run_folders_finds_runs_at_any_depth_and_nothing_inside_them(tmp_path):
    for name in ("a", "b/c", "b/c/best", "b/c/eval/x", "b/c/again", ".hidden"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "config.json").write_text("{}")
    found = [folder.path.relative_to(tmp_path) for folder in find_run_folders(tmp_path)]
    assert found == [Path("a"), Path("b/c"), Path("b/c/again")]


def test_run_folder_names_evaluations_by_task_and_split(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path)
    assert folder.evaluation(Split.parse("r2r/val_seen")) == tmp_path / "eval" / "r2r-val_seen"
    assert folder.evaluation(Split.parse("r2r//far/away/mine.json")) == tmp_path / "eval" / "r2r-away-mine"
    assert folder.evaluation(Split.parse("r2r/dev/val_seen.json.gz")) == tmp_path / "eval" / "r2r-dev-val_seen"
    monkeypatch.chdir(tmp_path)
    assert folder.evaluation(Split.parse("r2r/val_seen.json")) == tmp_path / "eval" / f"r2r-{tmp_path.name}-val_seen"
    for name in ("ndh-val_seen", "r2r-val_seen"):
        (tmp_path / "eval" / name).mkdir(parents=True)
        (tmp_path / "eval" / name / "metrics.json").write_text("{}")
    assert list(folder.evaluations()) == ["ndh-val_seen", "r2r-val_seen"]


# The lock


def test_lock_is_let_go_of_and_clears_what_was_half_written(tmp_path):
    folder = RunFolder(tmp_path / "run")
    for _ in range(2):
        with folder.lock():
            assert (tmp_path / "run" / "lock").is_file()
    lefts = (".checkpoint.pt.1.tmp", "best/.model.safetensors.2.tmp", ".a.jsonl.3.tmp", "eval/r2r-test/.b.json.4.tmp")
    kept = ("checkpoint.pt", "best/model.safetensors", "metrics.jsonl", ".gitignore")
    for left in lefts:
        (tmp_path / "run" / left).mkdir(parents=True)
        (tmp_path / "run" / left / "half").write_text("half")
    for name in kept:
        (tmp_path / "run" / name).write_text("whole")
    with folder.lock():
        assert set(map(str, contents(tmp_path / "run"))) == {"lock", *kept}


def test_lock_is_refused_while_it_is_held(tmp_path):
    with RunFolder(tmp_path).lock():
        (tmp_path / ".checkpoint.pt.x1.tmp").mkdir()
        with pytest.raises(InputError, match="another process is training here"), RunFolder(tmp_path).lock():
            pytest.fail("it was locked twice")
        assert (tmp_path / ".checkpoint.pt.x1.tmp").is_dir(), "nothing of the first one is cleared away"
    with RunFolder(tmp_path).lock():
        pass


def test_lock_of_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/run: cannot write there"), RunFolder(tmp_path / "file" / "run").lock():
        pass


def snapshot(folder):
    """Every file with its content and when it was written."""
    return {name: (content, (folder / name).stat().st_mtime_ns) for name, content in contents(folder).items()}


def test_clear_removes_a_run_but_not_one_that_is_being_trained(tmp_path):
    (tmp_path / "best").mkdir()
    (tmp_path / "best" / "config.json").write_text("{}")
    (tmp_path / "config.json").write_text("{}")
    folder = RunFolder(tmp_path)
    with folder.lock(), pytest.raises(InputError, match="another process is training here"):
        RunFolder(tmp_path).clear()
    assert folder.is_run
    folder.clear()
    assert [item.name for item in tmp_path.iterdir()] == ["lock"]


@pytest.mark.slow
def test_second_process_is_refused_before_it_reads_or_writes_anything(config):
    """Two real processes; the first one is held in the middle of its training."""
    config = changed(config, optimizer={"updates": 100_000}, selection={"every": 100_000})
    first = subprocess.Popen(
        [sys.executable, "-m", "mtvm", *command(config)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not (config.out / "checkpoint.pt").is_file():
            assert first.poll() is None, first.stderr.read()
        os.kill(first.pid, signal.SIGSTOP)
        before = snapshot(config.out)
        # Were the data read first, or the config compared, something else would be wrong before the lock is.
        other = changed(config, batch=7, data={"folder": Path("/nowhere"), "features": Path("/nowhere")})
        second = subprocess.run(
            [sys.executable, "-m", "mtvm", *command(other)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert second.returncode == 2
        assert second.stderr == (
            f"mtvm: {config.out}: another process is training here; wait for it, or name another folder with --out.\n"
        )
        assert second.stdout == ""
        assert snapshot(config.out) == before
        os.kill(first.pid, signal.SIGCONT)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=120)
        assert first.returncode == 130
        assert saved_state(config.out)["update"] >= 1
        with RunFolder(config.out).lock():
            pass
    finally:
        first.kill()
        first.wait()
