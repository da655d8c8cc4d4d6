"""What a run does not survive or go on with: divergence, changed data, damaged files; each with one sentence."""

import dataclasses
import errno
import json
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from small_runs import (
    SMALL,
    Stopped,
    assert_same_state,
    changed,
    contents,
    environment,
    leftovers,
    saved_state,
    small_config,
    train,
    write_features,
)

from mtvm.errors import InputError
from mtvm.learning import trainer as trainers
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import Trainer
from thinning import thinned

# Divergence


def assert_diverged(trainer, found, update):
    """The error names update and episodes, and the state before it can be loaded and gone on with."""
    folder = trainer.config.out / f"diverged-{update}"
    report = json.loads((folder / "episodes.json").read_text())
    assert (report["update"], report["split"]) == (update, "r2r/train")
    assert len(report["episodes"]) == trainer.config.batch
    assert set(report["episodes"]) <= set(trainer.learner.datasets[0].episodes.ids)
    message = str(found.value)
    assert f"update {update} " in message
    assert report["episodes"][0] in message
    assert f"--init {folder}" in message
    state = saved_state(folder)
    assert state["update"] == update
    assert sum(state["batches"]) == update
    assert all(value.isfinite().all() for value in state["model"].values())
    return state


class Spoiling(Imitation):
    """Imitation, multiplied by a factor once `learner` has done `after` updates."""

    def __init__(self, config, learner, factor, after):
        super().__init__(config)
        self.learner, self.factor, self.after = learner, factor, after

    def __call__(self, trace):
        factor = self.factor if self.learner.updates >= self.after else 1.0
        return [dataclasses.replace(term, total=term.total * factor) for term in super().__call__(trace)]


def spoiled(config, factor, after=0):
    """A run whose loss is spoiled from an update on."""
    trainer = Trainer(config, show_progress=False)
    learner = trainer.learner
    assert isinstance(learner.losses[0], Imitation)
    learner.losses[0] = Spoiling(config.loss.imitation, learner, factor, after)
    return trainer


@pytest.mark.slow
def test_loss_that_is_no_number_stops_the_run_and_spoils_nothing(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9, "ema": 0.9})
    assert not Stopped(config, 3).run()
    before = contents(config.out)
    trainer = spoiled(config, float("nan"), after=3)
    with pytest.raises(InputError, match="loss of nan") as found:
        trainer.run()
    state = assert_diverged(trainer, found, 3)
    assert_same_state(saved_state(config.out), state)
    after = contents(config.out)
    assert {name: content for name, content in after.items() if not str(name).startswith("diverged")} == before
    assert Trainer(config, show_progress=False).run(), "it goes on from before"


def test_gradient_that_explodes_stops_the_run(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    trainer = spoiled(config, 1e9)
    with pytest.raises(InputError, match="gradient norm") as found:
        trainer.run()
    assert_diverged(trainer, found, 0)
    assert not RunFolder(config.out).checkpoint.exists()


def test_weight_that_is_no_number_is_found_out(small_data, tmp_path):
    trainer = Trainer(small_config(small_data, tmp_path / "run"), show_progress=False)
    with torch.no_grad():
        trainer.model.head.score.weight[0, 0] = float("nan")
    with pytest.raises(InputError, match="loss of nan"):
        trainer.run()


def test_run_begins_from_the_state_before_another_diverged(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9})
    with pytest.raises(InputError, match="loss of nan"):
        spoiled(config, float("nan"), after=1).run()
    state = saved_state(config.out / "diverged-1")
    anew = Trainer(changed(config, out=tmp_path / "anew", init=config.out / "diverged-1"), show_progress=False)
    assert all(torch.equal(anew.model.state_dict()[name], value) for name, value in state["model"].items())
    assert anew.learner.updates == 0


# What cannot go on


@pytest.fixture(scope="module")
def stopped_once(small_data, tmp_path_factory):
    """A run that was stopped after an update."""
    config = small_config(small_data, tmp_path_factory.mktemp("stopped") / "run")
    assert not Stopped(config, 1).run()
    return config


@pytest.fixture
def stopped(stopped_once, tmp_path):
    """The same run for the test alone, on data of its own."""
    config = small_config(tmp_path / "data", tmp_path / "run")
    shutil.copytree(stopped_once.data.folder, config.data.folder)
    shutil.copytree(stopped_once.out, config.out)
    RunFolder(config.out).write_config(config)
    return config


def assert_refused(config, match):
    """One sentence, and the run is as it was."""
    before = contents(config.out)
    with pytest.raises(InputError, match=match) as found:
        Trainer(config, show_progress=False).run()
    assert str(found.value).startswith(str(config.out))
    assert "\n" not in str(found.value)
    after = contents(config.out)
    assert after == before


@pytest.mark.parametrize("split", ["train", "val_seen"])
def test_resuming_refuses_changed_episodes(stopped, split):
    path = stopped.data.folder / "R2R" / f"R2R_{split}.json"
    entries = json.loads(path.read_text())
    path.write_text(json.dumps(entries[1:]))
    assert_refused(stopped, f"r2r/{split} is not what it was when this run began")


def test_resuming_refuses_changed_features(stopped, tiny_world):
    write_features(stopped.data.features, tiny_world, SMALL.feature_width, seed=1)
    assert_refused(stopped, "features is not what it was")


def test_resuming_refuses_features_whose_bytes_have_changed(stopped):
    """The description, and with it the id, is as before."""
    path = stopped.data.features / "features.npy"
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)
    before = contents(stopped.out)
    with pytest.raises(InputError, match=r"features\.npy: this feature store is damaged .*checksum"):
        Trainer(stopped, show_progress=False)
    assert contents(stopped.out) == before


def test_resuming_refuses_features_under_other_names(stopped):
    path = stopped.data.features / "index.npy"
    index = np.load(path)
    index["row"] = index["row"][::-1].copy()
    np.save(path, index)
    assert_refused(stopped, "index of the features is not what it was")


def test_resuming_refuses_changed_graphs(stopped):
    path = next(iter(sorted((stopped.data.folder / "connectivity").glob("tiny0_*.json"))))
    records = json.loads(path.read_text())
    records[0]["pose"][3] += 0.25
    path.write_text(json.dumps(records))
    assert_refused(stopped, "graphs of r2r/train is not what it was when this run began")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (("optimizer", "lr"), 0.5),
        (("seed",), 7),
        (("batch",), 2),
        (("optimizer", "schedule"), "cosine"),
    ],
    ids=str,
)
def test_resuming_refuses_an_edited_config(stopped, option, value):
    """Only the file is edited, as by hand; the checkpoint knows what it was."""
    values = json.loads((stopped.out / "config.json").read_text())
    part = values
    for name in option[:-1]:
        part = part[name]
    part[option[-1]] = value
    (stopped.out / "config.json").write_text(json.dumps(values))
    edited = RunFolder(stopped.out).config()
    name = ".".join(option)
    assert_refused(edited, rf"config\.json is not the config .*{name} is .* in the checkpoint, {value} here")


def first_moments(state):
    """What the optimizer knows of one of the weights."""
    return next(iter(state["optimizer"]["state"].values()))


def change_moment(state, change):
    """Change a moment that is a matrix."""
    known = next(one for one in state["optimizer"]["state"].values() if one["exp_avg"].dim() == 2)
    known["exp_avg"] = change(known["exp_avg"])


SPOILED = {
    "no model": lambda state: state.pop("model"),
    "no optimizer": lambda state: state.pop("optimizer"),
    "no random numbers": lambda state: state.pop("random"),
    "no config": lambda state: state.pop("config"),
    "no data": lambda state: state.pop("data"),
    "a model that is a list": lambda state: state.update(model=[1, 2]),
    "a model without a weight": lambda state: state["model"].popitem(),
    "a weight of another shape": lambda state: state["model"].update({"critic.0.bias": torch.zeros(3)}),
    "an update that is a word": lambda state: state.update(update="two", validated="two"),
    "batches of nothing": lambda state: state.update(batches=None),
    "a selection of something else": lambda state: state.update(selection={"colour": "red"}),
    "random numbers of another kind": lambda state: state.update(random=torch.zeros(3)),
    "lines that are numbers": lambda state: state.update(unwritten=[1]),
    "lines of words": lambda state: state.update(unwritten=[{"loss": "small"}]),
    "an update that is a dictionary": lambda state: state.update(update={"a": 1}),
    "an update before the first": lambda state: state.update(update=-1),
    "a validation without end": lambda state: state.update(validated=float("inf")),
    "a best that is a word": lambda state: state["selection"].update(best="good"),
    "a time that is no number": lambda state: state.update(seconds=float("nan")),
    "fewer batches": lambda state: state["batches"].clear(),
    "a moment of another shape": lambda state: first_moments(state).update(exp_avg=torch.zeros(7)),
    "a moment that is a number": lambda state: first_moments(state).update(exp_avg=3),
    "a moment less": lambda state: first_moments(state).pop("exp_avg_sq"),
    "a moment of other numbers": lambda state: change_moment(state, lambda one: one.double()),
    "a moment in another order": lambda state: change_moment(state, lambda one: one.T.contiguous().T),
    "a moment that is not finite": lambda state: change_moment(state, lambda one: one.fill_(torch.inf)),
    "moments of another optimizer": lambda state: first_moments(state).update(momentum=first_moments(state)["exp_avg"]),
    "moments of no weight": lambda state: state["optimizer"]["state"].update({10_000: first_moments(state)}),
    "steps that are a row": lambda state: first_moments(state).update(step=torch.ones(1)),
    "steps before the first": lambda state: first_moments(state).update(step=torch.tensor(-1.0)),
    "another option": lambda state: state["optimizer"]["param_groups"][0].update(weight_decay=7.0),
    "another option's kind": lambda state: state["optimizer"]["param_groups"][0].update(foreach="yes"),
    "weights in other groups": lambda state: state["optimizer"]["param_groups"][0]["params"].reverse(),
    "weights that are not finite": lambda state: state["model"]["critic.0.bias"].fill_(torch.nan),
    "very many batches": lambda state: state.update(batches=[2**62]),
    "an update after the last": lambda state: state.update(update=5, batches=[5]),
    "a validation to come": lambda state: state.update(validated=3),
    "another metric": lambda state: state["selection"].update(metric="colour"),
    "lines without a time": lambda state: state.update(unwritten=[{"loss": 1.0}]),
    "a rate that is a list": lambda state: state["optimizer"]["param_groups"][0].update(lr=[1.0]),
    "a config that is a word": lambda state: state.update(config="paper"),
}


@pytest.mark.parametrize("spoiled", thinned(SPOILED, every=2))
def test_resuming_refuses_a_well_formed_checkpoint_of_something_else(stopped_once, spoiled):
    path = RunFolder(stopped_once.out).checkpoint
    whole, state = path.read_bytes(), saved_state(stopped_once.out)
    SPOILED[spoiled](state)
    torch.save(state, path)
    try:
        assert_refused(stopped_once, "not a checkpoint of this run")
    finally:
        path.write_bytes(whole)


SCALARS = """
    import sys, torch
    from mtvm.errors import InputError
    from mtvm.learning.run_folder import RunFolder
    from mtvm.learning.trainer import Trainer

    try:
        Trainer(RunFolder(sys.argv[1]).config(), show_progress=False).run()
    except InputError as error:
        sys.exit(str(error))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["adamw", "muon"])
def test_resuming_refuses_moments_that_are_single_numbers(small_data, tmp_path, kind):
    """In a process of its own: the optimizer would read and write beyond such a moment."""
    config = small_config(small_data, tmp_path / "run", optimizer={"kind": kind})
    assert not Stopped(config, 1).run()
    state = saved_state(config.out)
    for known in state["optimizer"]["state"].values():
        known.update({name: torch.tensor(0.5) for name in known})
    torch.save(state, RunFolder(config.out).checkpoint)
    arguments = [sys.executable, "-c", textwrap.dedent(SCALARS), str(config.out)]
    done = subprocess.run(arguments, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stderr
    assert "checkpoint.pt: not a checkpoint of this run" in done.stderr
    assert "Traceback" not in done.stderr


def test_resuming_refuses_a_changed_config(stopped):
    assert_refused(changed(stopped, optimizer={"lr": 0.5}), r"optimizer.lr is 0.001 there, 0.5 here")
    assert_refused(changed(stopped, model={"hidden": 32}), r"model.hidden is 16 there, 32 here")


def test_resuming_takes_changes_that_do_not_change_the_learning(stopped):
    other = changed(stopped, log_every=2, save_minutes=1.0)
    train(other)


def test_resuming_finds_data_that_has_moved(stopped, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(stopped.data.folder, moved)
    there = {"folder": moved, "features": moved / stopped.data.features.name}
    trainer = Trainer(changed(stopped, data=there), show_progress=False)
    assert trainer.learner.updates > 0
    assert trainer.run()


def test_train_is_refused_in_a_folder_where_another_trains(stopped):
    before = contents(stopped.out)
    with RunFolder(stopped.out).lock(), pytest.raises(InputError, match="another process is training"):
        trainers.train(stopped, show_progress=False)
    assert {name: content for name, content in contents(stopped.out).items() if name.name != "lock"} == before
    assert trainers.train(stopped, show_progress=False).finished


def test_resuming_refuses_a_damaged_checkpoint(stopped):
    path = RunFolder(stopped.out).checkpoint
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", whole[:-1000], b"rubbish"):
        path.write_bytes(content)
        assert_refused(stopped, "this checkpoint is damaged; remove it")


def test_resuming_refuses_a_checkpoint_of_another_version(stopped):
    path = RunFolder(stopped.out).checkpoint
    torch.save(saved_state(stopped.out) | {"format": 99, "mtvm": "9.9"}, path)
    assert_refused(stopped, r"another version of mtvm \(9\.9\)")


def test_resuming_refuses_a_checkpoint_without_its_config(stopped):
    (stopped.out / "config.json").unlink()
    assert_refused(stopped, "has a checkpoint but no config.json")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), RuntimeError("unexpected pos 64")])
def test_full_disk_leaves_the_checkpoint_before(stopped, monkeypatch, error):
    kept = RunFolder(stopped.out).checkpoint.read_bytes()

    def fill(state, file):
        file.write(b"half of it")
        raise error

    monkeypatch.setattr(torch, "save", fill)
    trainer = Trainer(stopped, show_progress=False)
    with pytest.raises(InputError, match=r"checkpoint\.pt: .*(No space left|disk may be full)"):
        trainer.run()
    assert RunFolder(stopped.out).checkpoint.read_bytes() == kept
    assert leftovers(stopped.out) == []
    monkeypatch.undo()
    train(stopped)


def test_trainer_names_a_folder_that_cannot_be_written(small_data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        Trainer(small_config(small_data, tmp_path / "file" / "run"), show_progress=False).run()


@pytest.mark.parametrize("where", ["data", "selection"])
def test_trainer_refuses_a_split_without_goals(small_data, tmp_path, where):
    change = {"train": ("r2r/test",)} if where == "data" else {"split": "r2r/test"}
    with pytest.raises(InputError, match="goals"):
        Trainer(small_config(small_data, tmp_path / "run", **{where: change}), show_progress=False).run()


@pytest.mark.parametrize("content", ["[]", "null", '{"out": "x"', '{"novelty": 1}'])
def test_resuming_refuses_a_damaged_config(stopped, content):
    (stopped.out / "config.json").write_text(content)
    assert_refused(stopped, str(stopped.out))


def test_trainer_refuses_a_batch_that_is_smaller_than_its_parts(small_data, tmp_path):
    with pytest.raises(InputError, match="batch 3 cannot be shared by 1 processes in 4 parts"):
        Trainer(small_config(small_data, tmp_path / "run", optimizer={"gradient_accumulation": 4}), show_progress=False)
