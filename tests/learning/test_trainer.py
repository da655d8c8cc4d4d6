"""Whole runs in the tiny world: that they learn, what they leave, and that every preset does."""

import dataclasses
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from small_runs import (
    IMITATION,
    SMALL,
    STEADY,
    assert_same_state,
    changed,
    command,
    environment,
    has_no_effect,
    record,
    saved_state,
    small_config,
    train,
)

import mtvm
from mtvm.configs.data import Split
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.learning import update as updates
from mtvm.learning.trainer import Trainer
from mtvm.models.agent import Agent
from mtvm.models.parts import MTVMConfig
from mtvm.models.weights import released_tensors
from mtvm.tasks.load import load_episodes
from thinning import thinned

# What a run leaves


def test_train_leaves_config_record_checkpoint_and_the_best_agent(small_data, tmp_path):
    config, told = small_config(small_data, tmp_path / "run", tensorboard=True), []
    result = mtvm.train(config, show_progress=False, announce=told.append)
    folder = tmp_path / "run"
    assert {path.name for path in folder.iterdir()} == {
        "best",
        "checkpoint.pt",
        "checkpoint-before.pt",
        "config.json",
        "lock",
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
    assert result.finished
    assert saved_state(folder)["update"] == result.update == 4
    scores = [line["SPL"] for line in lines if "SPL" in line]
    assert result.selection.best == max(scores)
    assert result.folder.path == folder
    assert told == ["Weights to start from: random numbers."]
    agent = Agent.from_pretrained(folder / "best", "cpu")
    assert agent.model.config == config.network


def test_train_of_a_finished_run_has_nothing_to_do(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run")
    _, state = train(config)
    before, told = record(config.out), []
    result = mtvm.train(config, show_progress=False, announce=told.append)
    assert (result.finished, result.update) == (True, 4)
    assert_same_state(state, saved_state(config.out))
    assert record(config.out) == before
    assert told == ["Resuming after update 4 of 4."]


def test_record_has_the_means_over_the_updates_since_its_last_line(small_data, tmp_path):
    """Alternating rollouts each over their own updates."""
    fine = small_config(
        small_data, tmp_path / "fine", alternate=True, loss={"imitation": {"student_weight": 1.0}}, model=STEADY
    )
    coarse = changed(fine, out=tmp_path / "coarse", log_every=4)
    for config in (fine, coarse):
        train(config)
    lines = [line for line in record(fine.out) if line["kind"] == "train"]
    (mean,) = [line for line in record(coarse.out) if line["kind"] == "train"]
    times = {"seconds", "episodes_per_second", "trained_seconds"}
    for name in mean.keys() - times - {"kind", "update"}:
        some = [line[name] for line in lines if name in line]
        assert mean[name] == pytest.approx(np.mean(some), rel=1e-6), name
    assert 0 < sum("student_steps" in line for line in lines) < len(lines)


# Learning


def test_train_makes_the_loss_fall_on_a_few_episodes(small_data, tmp_path):
    entries = json.loads((small_data / "R2R" / "R2R_train.json").read_text())
    (tmp_path / "few.json").write_text(json.dumps(entries[:1]))
    config = small_config(
        small_data,
        tmp_path / "run",
        model=STEADY,
        data={"train": (f"r2r/{tmp_path / 'few.json'}",), "horizon": 8},
        loss=IMITATION,
        optimizer={"updates": 50, "lr": 0.01},
        selection={"every": 50, "split": f"r2r/{tmp_path / 'few.json'}", "limit": None},
    )
    train(config)
    losses = [line["loss"] for line in record(config.out) if line["kind"] == "train"]
    assert losses[-1] < 0.2 * losses[0]


def scored(monkeypatch, scores):
    """Give these metrics to the validations to come."""
    left = iter(scores)

    class Scored:
        def metrics(self):
            return next(left)

    monkeypatch.setattr(updates, "walk", lambda *_, **__: Scored())


def test_train_stops_when_it_has_been_patient(small_data, tmp_path, monkeypatch):
    scored(monkeypatch, [{"SPL": value, "SR": 5.0} for value in (1.0, 3.0, 2.0, 3.0, 9.0)])
    config = small_config(small_data, tmp_path / "run", optimizer={"updates": 9}, selection={"every": 1, "patience": 2})
    trainer, state = train(config)
    assert trainer.learner.updates == state["update"] == 4
    assert (trainer.selection.best, trainer.selection.update) == (3.0, 2)
    assert trainer.run(), "it is still done"
    assert trainer.learner.updates == 4


def test_train_saves_the_agent_of_the_best_validation(small_data, tmp_path, monkeypatch):
    """Of equal errors the one with more success, and of errors the smaller is the better."""
    scored(monkeypatch, [{"NE": ne, "SR": sr} for ne, sr in ((4.0, 1.0), (4.0, 2.0), (4.0, 2.0), (5.0, 9.0))])
    saved, real = [], updates.save_model
    monkeypatch.setattr(updates, "save_model", lambda model, path, metrics: saved.append(metrics) or real(model, path))
    config = small_config(small_data, tmp_path / "run", selection={"every": 1, "metric": "NE"})
    trainer, _ = train(config)
    assert (trainer.selection.best, trainer.selection.update) == (4.0, 2)
    assert saved == [{"NE": 4.0, "SR": 1.0}, {"NE": 4.0, "SR": 2.0}]


def test_best_agent_has_the_average_of_the_weights(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"ema": 0.9, "updates": 2})
    trainer, state = train(config)
    saved = Agent.from_pretrained(config.out / "best", "cpu").model.state_dict()
    assert all(torch.equal(saved[name], average) for name, average in state["ema"]["weights"].items())
    assert any(not torch.equal(saved[name], value) for name, value in state["model"].items())
    assert all(torch.equal(trainer.model.state_dict()[name], value) for name, value in state["model"].items())


def test_frozen_layers_stay_as_they_are_and_all_others_learn(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", optimizer={"frozen_language_layers": 1, "weight_decay": 0.5})
    before = Trainer(config, show_progress=False).model.state_dict()
    before = {name: value.clone() for name, value in before.items()}
    _, state = train(config)
    unchanged = {name for name, value in state["model"].items() if torch.equal(value, before[name])}
    frozen = ("language.bert.embeddings", "language.bert.encoder.layer.0")
    expected = {name for name in before if name.startswith(frozen)}
    assert expected
    assert expected <= unchanged
    assert {name for name in unchanged - expected if not has_no_effect(name)} == set()


@pytest.fixture(scope="module")
def one(small_data, tmp_path_factory):
    """A run to begin with."""
    config = small_config(small_data, tmp_path_factory.mktemp("runs") / "one", optimizer={"updates": 2})
    train(config)
    return config.out


def test_train_begins_with_the_weights_of_an_agent(one, small_data, tmp_path):
    second = Trainer(small_config(small_data, tmp_path / "two", init=one / "best"), show_progress=False)
    saved = Agent.from_pretrained(one / "best", "cpu").model.state_dict()
    assert all(torch.equal(second.model.state_dict()[name], value) for name, value in saved.items())
    assert second.start == f"Weights to start from: all of them from the agent in {one / 'best'}."


@pytest.mark.parametrize(
    ("changes", "random"),
    [
        ({"max_text": 30}, ()),  # as for a task with longer texts
        ({"history": "none"}, ()),
        ({"history": "hierarchical"}, ("history.",)),
        ({"architecture": MTVMConfig(bidirectional=False)}, ()),
    ],
)
def test_train_begins_with_what_fits_of_another_agent(one, small_data, tmp_path, changes, random):
    model = dataclasses.replace(SMALL, **changes)
    second = Trainer(small_config(small_data, tmp_path / "two", model=model, init=one / "best"), show_progress=False)
    saved = Agent.from_pretrained(one / "best", "cpu").model.state_dict()
    for name, ours in second.model.state_dict().items():
        if name == "pooler.mix.weight":
            length = min(ours.shape[1], saved[name].shape[1])
            assert torch.equal(ours[:, :length], saved[name][:, :length])
        else:
            assert name.startswith(random) if name not in saved else torch.equal(ours, saved[name])
    assert ("the rest random" in second.start) == bool(random)


def test_train_refuses_an_agent_of_other_sizes(one, small_data, tmp_path):
    model = dataclasses.replace(SMALL, intermediate=2 * SMALL.intermediate)
    with pytest.raises(InputError, match="does not fit the model's config"):
        Trainer(small_config(small_data, tmp_path / "two", model=model, init=one / "best"))


def test_train_begins_with_a_release(one, small_data, tmp_path):
    shutil.copytree(one / "best", tmp_path / "released" / "best")
    second = Trainer(small_config(small_data, tmp_path / "two", init=tmp_path / "released"), show_progress=False)
    assert second.start == f"Weights to start from: all of them from the agent in {tmp_path / 'released' / 'best'}."


def test_train_begins_with_the_last_weights_of_a_run(one, small_data, tmp_path):
    state = saved_state(one)
    second = Trainer(small_config(small_data, tmp_path / "two", init=one), show_progress=False)
    assert all(torch.equal(second.model.state_dict()[name], value) for name, value in state["model"].items())
    assert "from the checkpoint in" in second.start


def test_train_begins_with_the_encoders_of_a_prevalent_file(small_data, tmp_path):
    other = Trainer(small_config(small_data, tmp_path / "one", seed=5), show_progress=False).model
    inner = {n: v.clone() for n, v in released_tensors(other).items() if n.startswith("vln_bert.") and "_pos" not in n}
    pretrained = {f"bert.{name.removeprefix('vln_bert.')}": value for name, value in inner.items()}
    torch.save(pretrained | {"cls.predictions.bias": torch.randn(300)}, tmp_path / "pytorch_model.bin")
    config = small_config(small_data, tmp_path / "two", init=tmp_path / "pytorch_model.bin")
    trainer = Trainer(config, show_progress=False)
    ours, theirs = trainer.model.state_dict(), other.state_dict()
    encoders = [name for name in ours if name.startswith(("language.", "crossmodal."))]
    assert encoders
    assert all(torch.equal(ours[name], theirs[name]) for name in encoders)
    critic = next(name for name, value in ours.items() if name.startswith("critic.") and value.dim() == 2)
    assert not torch.equal(ours[critic], theirs[critic])
    assert "million numbers from" in trainer.start
    assert trainer.start.endswith(f"{tmp_path / 'pytorch_model.bin'}, the rest random.")


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "kind"), [("bf16", "adamw"), ("fp16", "adamw"), ("fp16", "muon")])
def test_train_in_half_precision(small_data, tmp_path, precision, kind):
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
    state = saved_state(config.out)
    assert state["update"] == 2
    assert all(value.isfinite().all() for value in state["model"].values())


# Presets


# tests/learning/test_pointing.py trains the preset reverie.
@pytest.mark.parametrize("name", thinned(sorted(PRESETS.keys() - {"reverie"}), every=2))
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
    _, state = train(config)
    assert state["update"] == 1
    assert {line["kind"] for line in record(config.out)} == {"train", preset.selection.split}
    evaluated = [Split.parse(text) for text in config.data.splits_to_evaluate()]
    assert evaluated
    assert all(len(load_episodes(split.task, split.split, small_data)) for split in evaluated)


@pytest.mark.slow
@pytest.mark.parametrize("consistent", thinned([True, False], every=2))
def test_preset_with_a_reader_makes_updates(small_data, tmp_path, consistent):
    preset = PRESETS["r2r-semantic"]
    model = dataclasses.replace(preset.model, hidden=16, heads=2, intermediate=32, feature_width=SMALL.feature_width)
    loss = changed(preset.loss, consistency={"enabled": consistent})
    config = small_config(
        small_data, tmp_path / "run", model=model, loss=loss, optimizer={"updates": 2}, alternate=True
    )
    trainer, state = train(config)
    assert {name for name in state["model"] if ".reader." in name}
    assert trainer.learner.texts[0].select(torch.tensor([0])).states is not None
    assert Trainer(config, show_progress=False).learner.updates == 2


def test_other_architecture_trains_and_acts(small_data, tmp_path):
    model = dataclasses.replace(SMALL, architecture="vlnbert", leading_cls=True)
    config = small_config(small_data, tmp_path / "run", model=model)
    train(config)
    assert type(Agent.from_pretrained(config.out / "best", "cpu").model).__name__ == "VLNBert"
    (done,) = mtvm.evaluate(config.out, ["r2r/val_unseen"], limit=3, show_progress=False).values()
    assert len(done.nodes) == 3
