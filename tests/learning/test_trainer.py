"""Whole runs in the tiny world: that they learn, that nothing is lost when they are stopped, and what they say."""

import contextlib
import dataclasses
import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from small_runs import (
    SMALL,
    STEADY,
    Stopped,
    assert_close_weights,
    assert_same_state,
    changed,
    environment,
    leftovers,
    record,
    small_config,
    train,
)

from mtvm.config import PRESETS, TrainConfig
from mtvm.errors import InputError
from mtvm.learning import checkpoint, parallel, sampling
from mtvm.learning import trainer as trainers
from mtvm.learning.consistency import ConsistencyConfig
from mtvm.learning.lessons import load_part
from mtvm.learning.losses import LossConfig
from mtvm.learning.trainer import DivergedError, Trainer
from mtvm.models.agent import Agent

OFF = ConsistencyConfig(enabled=False)
KINDS = {
    "plain": {},
    "mean, frozen": {"optimizer": {"ema": 0.9, "warmup": 3, "schedule": "cosine", "frozen_language_layers": 1}},
    "muon": {"optimizer": {"kind": "muon"}},
    "in parts": {"optimizer": {"accumulate": 2}, "data": {"train": ("r2r/train", "prevalent/aug@0.5")}},
    "alternating": {
        "alternate": True,
        "log_every": 3,
        "loss": {"student": 0.5, "word_dropping": 0.5, "consistency": OFF},
    },
}


def contents(folder):
    """Every file below a folder, byte by byte."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Learning


def test_a_run_leaves_config_record_checkpoint_and_the_best_agent(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", tensorboard=True)
    trainer, state = train(config)
    folder = tmp_path / "run"
    assert {path.name for path in folder.iterdir()} == {
        "best",
        "checkpoint.pt",
        "config.json",
        "metrics.jsonl",
        "tensorboard",
    }
    values = json.loads((folder / "config.json").read_text())
    assert TrainConfig.from_dict(values, folder / "config.json") == config
    lines = record(folder)
    assert [(line["update"], line["kind"]) for line in lines] == [
        (1, "train"),
        (2, "train"),
        (2, "r2r/val_seen"),
        (3, "train"),
        (4, "train"),
        (4, "r2r/val_seen"),
    ]
    assert all(np.isfinite(value) for line in lines for name, value in line.items() if name != "kind")
    assert state["update"] == trainer.update == 4
    scores = [line["SPL"] for line in lines if "SPL" in line]
    assert trainer.best == max(scores)
    agent = Agent.from_pretrained(folder / "best", "cpu")
    assert agent.model.config == config.model


def test_a_finished_run_that_is_started_again_has_nothing_to_do(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    _, state = train(config)
    before = record(config.out)
    trainer, again = train(config)
    assert trainer.update == 4
    assert_same_state(state, again)
    assert record(config.out) == before


def test_the_loss_falls_on_a_few_episodes(small_data, tmp_path):
    entries = json.loads((small_data / "R2R" / "R2R_train.json").read_text())
    (tmp_path / "few.json").write_text(json.dumps(entries[:1]))
    config = small_config(
        small_data,
        tmp_path / "run",
        model=STEADY,
        data={"train": (f"r2r/{tmp_path / 'few.json'}",), "horizon": 8},
        loss=LossConfig(imitation=1.0, reinforcement=0.0, consistency=OFF),
        optimizer={"updates": 50, "rate": 0.01},
        selection={"every": 50, "split": f"r2r/{tmp_path / 'few.json'}", "limit": None},
    )
    train(config)
    losses = [line["loss"] for line in record(config.out) if line["kind"] == "train"]
    assert losses[-1] < 0.2 * losses[0]


def test_the_run_stops_when_it_has_been_patient(small_data, tmp_path, monkeypatch):
    scores = iter([1.0, 3.0, 2.0, 3.0, 9.0])

    class Scored:
        def metrics(self):
            return {"SPL": next(scores), "SR": 5.0}

    monkeypatch.setattr(trainers, "evaluate_agent", lambda *_, **__: Scored())
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9}, selection={"every": 1, "patience": 2})
    trainer, state = train(config)
    assert trainer.update == state["update"] == 4
    assert (trainer.best, trainer.best_update) == (3.0, 2)
    assert trainer.run(), "it is still done"
    assert trainer.update == 4


def test_of_equal_scores_the_one_with_more_success_is_the_best(small_data, tmp_path, monkeypatch):
    scores = iter([(4.0, 1.0), (4.0, 2.0), (4.0, 2.0), (5.0, 9.0)])

    class Scored:
        def metrics(self):
            return dict(zip(("NE", "SR"), next(scores), strict=True))

    monkeypatch.setattr(trainers, "evaluate_agent", lambda *_, **__: Scored())
    config = small_config(small_data, tmp_path / "run", selection={"every": 1, "metric": "NE"})
    trainer, _ = train(config)
    assert (trainer.best, trainer.best_update) == (4.0, 2), "of errors the smaller is the better"


def test_the_best_agent_has_the_running_mean(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"ema": 0.9, "updates": 2})
    trainer, state = train(config)
    saved = Agent.from_pretrained(config.out / "best", "cpu").model.state_dict()
    assert all(torch.equal(saved[name], mean) for name, mean in state["mean"]["weights"].items())
    assert any(not torch.equal(saved[name], value) for name, value in state["model"].items())
    assert all(torch.equal(trainer.model.state_dict()[name], value) for name, value in state["model"].items())


def test_frozen_layers_stay_as_they_are(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"frozen_language_layers": 1, "weight_decay": 0.5})
    before = Trainer(config, show_progress=False).model.state_dict()
    before = {name: value.clone() for name, value in before.items()}
    _, state = train(config)
    for name, value in state["model"].items():
        frozen = name.startswith(("language.bert.embeddings", "language.bert.encoder.layer.0"))
        assert torch.equal(value, before[name]) == frozen or value.dim() == 1, name


def test_a_run_begins_with_the_weights_of_an_agent(small_data, tmp_path):
    first = small_config(small_data, tmp_path / "one", optimizer={"updates": 2})
    train(first)
    second = Trainer(small_config(small_data, tmp_path / "two", init=tmp_path / "one" / "best"), show_progress=False)
    saved = Agent.from_pretrained(tmp_path / "one" / "best", "cpu").model.state_dict()
    assert all(torch.equal(second.model.state_dict()[name], value) for name, value in saved.items())


# Gradients


def one_update(config):
    """The gradients of the first update, before they are applied."""
    trainer = Trainer(config, show_progress=False)
    found = {}

    def keep(*_, **__):
        found.update({n: p.grad.clone() for n, p in trainer.model.named_parameters() if p.grad is not None})

    trainer.scaler.step = keep
    parts, _ = trainer._step(False)
    return found, parts


def test_activation_checkpointing_gives_the_same_gradients(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    plain, _ = one_update(config)
    again, _ = one_update(changed(config, out=tmp_path / "other", optimizer={"checkpoint_activations": True}))
    assert plain.keys() == again.keys()
    assert_close_weights(plain, again, 1e-6)


IMITATION = LossConfig(imitation=1.0, reinforcement=0.0, consistency=OFF)


@pytest.mark.parametrize("loss", [IMITATION, dataclasses.replace(IMITATION, student=0.5)], ids=["teacher", "student"])
def test_a_batch_in_parts_gives_the_same_weights(small_data, tmp_path, loss):
    config = small_config(small_data, tmp_path / "whole", model=STEADY, batch=5, loss=loss, optimizer={"clip": 0.0})
    _, whole = train(config)
    _, parts = train(changed(config, out=tmp_path / "parts", optimizer={"accumulate": 2}))
    assert_close_weights(whole["model"], parts["model"])
    for one, other in zip(record(config.out), record(tmp_path / "parts"), strict=True):
        for name in one.keys() - {"kind", "seconds", "episodes_per_second", "trained_seconds"}:
            assert one[name] == pytest.approx(other[name], rel=1e-3, abs=1e-4), name


def test_two_equal_halves_of_a_batch_weigh_as_much_as_the_whole(small_data, tmp_path, monkeypatch):
    """Where a term is a mean over steps or tokens, halves need the same number of them to be compared."""

    def twice(shape, *numbers):
        axis = len(shape) - 1 if numbers[2] == 3 else 0
        half = torch.from_numpy(sampling.generator(*numbers).random(shape, dtype=np.float32))
        return torch.cat([half.narrow(axis, 0, shape[axis] // 2)] * 2, dim=axis)

    monkeypatch.setattr(sampling, "uniform", twice)
    monkeypatch.setattr(sampling.Turns, "next", lambda self: (0, np.array([4, 9, 4, 9])))
    config = small_config(small_data, tmp_path / "whole", model=STEADY, batch=4)
    one, parts = one_update(config)
    two, same = one_update(changed(config, out=tmp_path / "parts", optimizer={"accumulate": 2}))
    assert parts["sample_return"] != 0
    assert_close_weights(one, two)
    assert parts == pytest.approx(same, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("precision", "kind"), [("bf16", "adamw"), ("fp16", "adamw"), ("fp16", "muon")])
def test_half_precision_trains_too(small_data, tmp_path, precision, kind):
    """In a process of its own: on some processors bfloat16 products die unless oneDNN is told to avoid them."""
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 2}, selection={"every": 2})
    done = subprocess.run(
        [sys.executable, "-m", "mtvm", *command(config), "--optimizer.precision", precision, "--optimizer.kind", kind],
        env=environment() | {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    state = checkpoint.load(config.out / checkpoint.NAME)
    assert state["update"] == 2
    assert all(value.isfinite().all() for value in state["model"].values())


# Nothing lost


@pytest.mark.parametrize(("kind", "after"), [("plain", 1), ("plain", 3), *((kind, 2) for kind in KINDS)])
def test_a_run_that_was_interrupted_ends_bit_by_bit_as_one_that_was_not(small_data, tmp_path, kind, after):
    config = small_config(small_data, tmp_path / "whole")
    config = changed(config, **KINDS[kind])
    _, expected = train(config)
    broken = changed(config, out=tmp_path / "broken")
    first = Stopped(broken, after)
    assert not first.run()
    assert checkpoint.load(broken.out / checkpoint.NAME)["update"] == after
    second = Trainer(broken, show_progress=False)
    assert second.update == after
    assert second.run()
    assert_same_state(expected, checkpoint.load(broken.out / checkpoint.NAME))
    assert contents(broken.out / "best") == contents(config.out / "best")
    timeless = [
        [{n: v for n, v in line.items() if "second" not in n} for line in record(folder)]
        for folder in (config.out, broken.out)
    ]
    assert timeless[0] == timeless[1]


def test_a_run_that_was_interrupted_after_its_last_update_is_still_examined(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 2})
    stopped = Stopped(config, 2)
    assert not stopped.run(), "the last evaluation is missing"
    trainer, _ = train(config)
    assert trainer.best is not None
    assert [line["kind"] for line in record(config.out)] == ["train", "train", "r2r/val_seen"]


def test_a_signal_stops_the_run_after_its_update_and_is_handled_as_before_afterwards(small_data, tmp_path):
    class Signalled(Trainer):
        def _seen(self, *arguments):
            if self.update == 1:
                os.kill(os.getpid(), signal.SIGINT)
            return super()._seen(*arguments)

    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9})
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    trainer = Signalled(config, show_progress=False)
    with pytest.raises(KeyboardInterrupt):  # it came once in each rollout, and the second time is enough
        trainer.run()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before

    class Asked(Signalled):
        def _kinds(self, turn):
            return super()._kinds(turn)[:1]

    trainer = Asked(changed(config, out=tmp_path / "other"), show_progress=False)
    assert not trainer.run()
    assert trainer.update == 2, "the update in which it came is the last"
    assert checkpoint.load(trainer.config.out / checkpoint.NAME)["update"] == 2


def test_of_many_processes_none_stops_at_once(monkeypatch):
    """Their launcher passes on the signal that each of them got already."""
    monkeypatch.setattr(parallel, "size", lambda: 2)
    with trainers._interruption() as caught:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
    assert caught


def command(config):
    """`mtvm train` with what the config changes."""
    return [
        *("train", "tiny", "--out", str(config.out), "--batch", str(config.batch), "--log-every", "1"),
        *("--save-minutes", "0", "--device", "cpu", "--no-tensorboard"),
        *("--data.folder", str(config.data.folder), "--data.features", str(config.data.features)),
        *("--data.horizon", str(config.data.horizon), "--data.evaluate", "r2r/val_unseen"),
        *("--optimizer.updates", str(config.optimizer.updates), "--optimizer.ema", "0.9"),
        *("--selection.every", str(config.selection.every), "--selection.limit", "5"),
        *(f"--model.{name.replace('_', '-')}={getattr(SMALL, name)}" for name in ("hidden", "heads", "intermediate")),
        *(f"--model.{name.replace('_', '-')}={getattr(SMALL, name)}" for name in ("feature_width", "angle_width")),
    ]


KILLING = """
    import json, os, signal, sys, time
    import mtvm.app.training_commands
    import mtvm.models.text
    from mtvm.app.cli import main
    from transformers import BertConfig, BertModel

    mtvm.models.text.tokenize(["so that no child has to import anything"])

    whole, broken, delays = json.loads(sys.argv[1])

    def start(arguments):
        child = os.fork()
        if child:
            return child
        try:
            main(arguments)
            os._exit(0)
        except SystemExit as error:
            os._exit(error.code or 0)
        finally:
            os._exit(1)

    started = time.monotonic()
    assert os.waitstatus_to_exitcode(os.waitpid(start(whole), 0)[1]) == 0
    seconds = time.monotonic() - started
    killed = 0
    for delay in delays:
        child = start(broken)
        until = time.monotonic() + delay * seconds
        ended = 0
        while not ended and time.monotonic() < until:
            ended = os.waitpid(child, os.WNOHANG)[0]
            time.sleep(0.001)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            killed += 1
    assert os.waitstatus_to_exitcode(os.waitpid(start(broken), 0)[1]) == 0
    print("killed", killed)
"""


def test_a_run_that_is_killed_again_and_again_ends_bit_by_bit_as_one_that_was_not(small_data, tmp_path):
    whole = small_config(small_data, tmp_path / "whole", batch=2, optimizer={"updates": 6}, selection={"every": 2})
    broken = changed(whole, out=tmp_path / "broken")
    draw = random.Random(3)
    delays = [draw.uniform(0.15, 0.6) for _ in range(5)]
    # Processes that are forked from one that has everything imported: there is more to kill in a second of work.
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLING), json.dumps([command(whole), command(broken), delays])],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"killed (\d+)", done.stdout)[1]) >= 1
    states = [checkpoint.load(config.out / checkpoint.NAME) for config in (whole, broken)]
    assert_same_state(*states)
    assert contents(whole.out / "best") == contents(broken.out / "best")
    assert contents(whole.out / "eval") == contents(broken.out / "eval")
    lines = [(line["update"], line["kind"]) for line in record(broken.out)]
    assert lines == [(line["update"], line["kind"]) for line in record(whole.out)]
    assert len(set(lines)) == len(lines)
    assert leftovers(broken.out) == []


def test_ctrl_c_saves_and_says_how_to_go_on(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 100_000}, selection={"every": 100_000})
    with subprocess.Popen(
        [sys.executable, "-m", "mtvm", *command(config)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (config.out / checkpoint.NAME).is_file() and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        process.send_signal(signal.SIGINT)
        told, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    state = checkpoint.load(config.out / checkpoint.NAME)
    assert 1 <= state["update"] < 100_000
    assert f"Stopped after update {state['update']}, all is saved" in told
    assert f"mtvm resume {config.out}" in told
    assert record(config.out)[-1]["update"] == state["update"]
    assert leftovers(config.out) == []


def test_half_written_files_are_cleared(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 1})
    train(config)
    for left in (".checkpoint.pt.x1", "best/.model.safetensors.x2", ".metrics.jsonl.x3", "best/.config.json.x4"):
        (config.out / left).mkdir()
        (config.out / left / "half").write_text("half")
    Trainer(config, show_progress=False).run()
    assert leftovers(config.out) == []


# Divergence


def assert_diverged(trainer, found, update):
    """The error names update and episodes, and the state before it can be loaded and gone on with."""
    folder = trainer.config.out / f"diverged-{update}"
    report = json.loads((folder / "episodes.json").read_text())
    assert report["update"] == update
    assert len(report["episodes"]) == trainer.config.batch
    assert set(report["episodes"]) <= set(trainer.lessons[0].episodes.ids)
    assert f"update {update} " in str(found.value)
    assert report["episodes"][0] in str(found.value)
    state = checkpoint.load(folder / checkpoint.NAME)
    assert state["update"] == update
    assert sum(state["turns"]) == update
    assert all(value.isfinite().all() for value in state["model"].values())
    return state


def test_a_loss_that_is_no_number_stops_the_run_and_spoils_nothing(small_data, tmp_path, monkeypatch):
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9, "ema": 0.9})
    assert not Stopped(config, 3).run()
    before = contents(config.out)
    trainer = Trainer(config, show_progress=False)
    good = trainers.rollout_loss

    def poisoned(*arguments):
        loss, parts = good(*arguments)
        return loss * (float("nan") if trainer.update == 3 else 1), parts

    monkeypatch.setattr(trainers, "rollout_loss", poisoned)
    with pytest.raises(DivergedError, match="loss of nan") as found:
        trainer.run()
    state = assert_diverged(trainer, found, 3)
    assert_same_state(checkpoint.load(config.out / checkpoint.NAME), state)
    after = contents(config.out)
    assert {name: content for name, content in after.items() if not str(name).startswith("diverged")} == before
    monkeypatch.undo()
    assert Trainer(config, show_progress=False).run(), "it goes on from before"


def test_a_gradient_that_explodes_stops_the_run(small_data, tmp_path, monkeypatch):
    config = small_config(small_data, tmp_path / "run")
    trainer = Trainer(config, show_progress=False)
    good = trainers.rollout_loss

    def enlarged(*arguments):
        loss, parts = good(*arguments)
        return loss * 1e9, parts

    monkeypatch.setattr(trainers, "rollout_loss", enlarged)
    with pytest.raises(DivergedError, match="gradient norm") as found:
        trainer.run()
    assert_diverged(trainer, found, 0)
    assert not (config.out / checkpoint.NAME).exists()


def test_a_weight_that_is_no_number_is_found_out(small_data, tmp_path):
    trainer = Trainer(small_config(small_data, tmp_path / "run"), show_progress=False)
    with torch.no_grad():
        trainer.model.head.score.weight[0, 0] = float("nan")
    with pytest.raises(DivergedError):
        trainer.run()


# What cannot go on


@pytest.fixture
def stopped(small_data, tmp_path):
    """A run that was stopped after an update, on data of its own."""
    data = tmp_path / "data"
    shutil.copytree(small_data, data)
    config = small_config(data, tmp_path / "run")
    assert not Stopped(config, 1).run()
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
def test_changed_episodes_are_refused(stopped, split):
    path = stopped.data.folder / "R2R" / f"R2R_{split}.json"
    entries = json.loads(path.read_text())
    path.write_text(json.dumps(entries[1:]))
    assert_refused(stopped, f"r2r/{split} is not what it was when this run began")


def test_changed_features_are_refused(stopped, tiny_world):
    from conftest import write_features

    write_features(stopped.data.features, tiny_world, SMALL.feature_width, seed=1)
    assert_refused(stopped, "features is not what it was")


def test_a_changed_config_is_refused(stopped):
    assert_refused(changed(stopped, optimizer={"rate": 0.5}), r"optimizer.rate is 0.001 there, 0.5 here")
    assert_refused(changed(stopped, model={"hidden": 32}), r"model.hidden is 16 there, 32 here")


def test_what_does_not_change_the_learning_may_change(stopped):
    other = changed(stopped, log_every=2, save_minutes=1.0)
    train(other)


def test_data_that_has_moved_is_found_again(stopped, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(stopped.data.folder, moved)
    there = {"folder": moved, "features": moved / stopped.data.features.name}
    trainer = Trainer(changed(stopped, data=there), show_progress=False)
    assert trainer.update > 0
    assert trainer.run()


def test_two_processes_do_not_train_in_one_folder(stopped):
    before = contents(stopped.out)
    with checkpoint.alone(stopped.out / "config.json"), pytest.raises(InputError, match="another process is training"):
        Trainer(stopped, show_progress=False).run()
    assert contents(stopped.out) == before
    assert Trainer(stopped, show_progress=False).run()


def test_a_damaged_checkpoint_is_refused(stopped):
    path = stopped.out / checkpoint.NAME
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", whole[:-1000], b"rubbish"):
        path.write_bytes(content)
        assert_refused(stopped, "this checkpoint cannot be read; remove it")


def test_a_checkpoint_of_another_version_is_refused(stopped):
    path = stopped.out / checkpoint.NAME
    torch.save(checkpoint.load(path) | {"format": 99, "mtvm": "9.9"}, path)
    assert_refused(stopped, r"another version of mtvm \(9\.9\)")


def test_a_checkpoint_without_its_config_is_refused(stopped):
    (stopped.out / "config.json").unlink()
    assert_refused(stopped, "has a checkpoint but no config.json")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), RuntimeError("unexpected pos 64")])
def test_a_full_disk_leaves_the_checkpoint_before(stopped, monkeypatch, error):
    kept = (stopped.out / checkpoint.NAME).read_bytes()

    def fill(state, file):
        file.write(b"half of it")
        raise error

    monkeypatch.setattr(torch, "save", fill)
    trainer = Trainer(stopped, show_progress=False)
    with pytest.raises(InputError, match=r"checkpoint\.pt: .*(No space left|disk may be full)"):
        trainer.run()
    assert (stopped.out / checkpoint.NAME).read_bytes() == kept
    assert leftovers(stopped.out) == []
    monkeypatch.undo()
    train(stopped)


def test_a_folder_that_cannot_be_written_is_named(small_data, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        Trainer(small_config(small_data, tmp_path / "file" / "run"), show_progress=False).run()


@pytest.mark.parametrize("where", ["data", "selection"])
def test_a_split_without_goals_is_refused(small_data, tmp_path, where):
    change = {"train": ("r2r/test",)} if where == "data" else {"split": "r2r/test"}
    with pytest.raises(InputError, match="goals"):
        Trainer(small_config(small_data, tmp_path / "run", **{where: change}), show_progress=False).run()


@pytest.mark.parametrize("content", ["[]", "null", '{"out": "x"', '{"novelty": 1}'])
def test_a_damaged_config_is_refused(stopped, content):
    (stopped.out / "config.json").write_text(content)
    assert_refused(stopped, str(stopped.out))


def test_a_batch_that_is_smaller_than_its_parts_is_refused(small_data, tmp_path):
    with pytest.raises(InputError, match="batch 3 cannot be shared by 1 processes in 4 parts"):
        Trainer(small_config(small_data, tmp_path / "run", optimizer={"accumulate": 4}), show_progress=False)


# Presets


@pytest.mark.parametrize("dropping", [{}, {"word_dropping": 0.5, "consistency": OFF}])
def test_words_are_dropped_from_the_end_of_a_long_dialog(small_data, tmp_path, dropping):
    """Its beginning is cut, so that the words that are left have high numbers."""
    entries = json.loads((small_data / "NDH" / "train.json").read_text())[:4]
    for entry in entries:
        entry["dialog_history"][0]["message"] = "Should I go on, or wait here? " * 40
    (tmp_path / "long.json").write_text(json.dumps(entries))
    config = small_config(
        small_data,
        tmp_path / "run",
        data={"train": (f"ndh/{tmp_path / 'long.json'}",)},
        optimizer={"updates": 1},
        loss=dropping,
    )
    train(config)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_an_update(small_data, tmp_path, name):
    preset = PRESETS[name]
    sizes = {
        field: getattr(SMALL, field)
        for field in ("hidden", "heads", "intermediate", "language_layers", "feature_width", "critic_hidden")
    }
    config = changed(
        preset,
        out=tmp_path / name,
        model=sizes | {"crossmodal_layers": 2, "reader": "none"},
        data={"folder": small_data, "features": small_data / "features", "horizon": 4},
        optimizer={"updates": 1},
        selection={"limit": 2},
        batch=2,
        device="cpu",
    )
    trainer, state = train(config)
    assert state["update"] == 1
    assert {line["kind"] for line in record(config.out)} == {"train", preset.selection.split}
    for text in config.data.evaluate:
        lesson = load_part(trainers.Part.parse(text), config, trainer.store, trainer.device)
        assert len(lesson.episodes)


def test_the_preset_with_a_reader_makes_an_update(small_data, tmp_path):
    preset = PRESETS["r2r-semantic"]
    model = dataclasses.replace(preset.model, hidden=16, heads=2, intermediate=32, feature_width=SMALL.feature_width)
    config = small_config(
        small_data, tmp_path / "run", model=model, loss=preset.loss, optimizer={"updates": 2}, alternate=True
    )
    trainer, state = train(config)
    reader = {name for name in state["model"] if ".reader." in name}
    assert reader
    assert trainer.texts[0].select(torch.tensor([0])).states is not None
    Trainer(config, show_progress=False)
