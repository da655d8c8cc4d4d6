"""Two processes against one: the same gradients, weights, evaluations and resumed runs."""

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from small_runs import (
    IMITATION,
    OFF,
    STEADY,
    Stopped,
    assert_close_weights,
    changed,
    describe_places,
    environment,
    record,
    saved_state,
    small_config,
    train,
)
from two_processes import evaluation, gradients, texts

from mtvm.configs.run import ImitationConfig, LossConfig, OptimizerConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.learning import parallel
from mtvm.learning import update as updates
from mtvm.learning.trainer import Trainer
from mtvm.models.config import SpeakerModelConfig

LOSSES = {
    "teacher": IMITATION,
    "sampled": LossConfig(imitation=ImitationConfig(weight=0.2, student_weight=0.3), consistency=OFF),
    "consistent": LossConfig(),
}
pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("two_processes.py")


def launch(*command):
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def configs(small_data, tiny_world, tmp_path_factory):
    """By name: what two processes do, and one."""
    folder = tmp_path_factory.mktemp("parallel")

    def steady(name, **changes):
        config = small_config(small_data, folder / name, model=STEADY, batch=5, seed=2, data={"horizon": 6})
        return changed(config, **changes)

    found = {}
    for name, loss in LOSSES.items():
        found[f"gradients {name}"] = steady(f"gradients {name}", loss=loss)
        found[f"weights {name}"] = steady(f"weights {name}", loss=loss, optimizer={"updates": 2})
    found["weights in parts"] = steady("weights in parts", optimizer={"updates": 2, "gradient_accumulation": 2})
    muon = {"updates": 2, "kind": "muon"}
    found["weights by Muon"] = steady("weights by Muon", loss=LOSSES["consistent"], optimizer=muon)
    found["evaluation"] = steady("evaluation", selection={"limit": 7, "split": "r2r/val_unseen"})
    found["texts"] = steady("texts", model={"reader": "minilm", "leading_cls": True})
    data = shutil.copytree(small_data, tmp_path_factory.mktemp("described") / "data")
    describe_places(data, tiny_world)
    seen = {"folder": data, "features": None, "sight": "guesses"}
    found["guesses"] = steady("guesses", optimizer={"updates": 1}, selection={"every": 1}, data=seen)
    found["speaker"] = SpeakerConfig(
        out=folder / "speaker",
        model=SpeakerModelConfig(
            hidden=16, heads=2, encoder_layers=1, decoder_layers=1, dropout=0.0, feature_dropout=0.0
        ),
        data=found["texts"].data,
        optimizer=OptimizerConfig(updates=2, lr=1e-3, gradient_accumulation=2),
        validate_every=1,
        batch=7,
        device="cpu",
    )
    found["first half"] = steady("first half", optimizer={"ema": 0.9})
    found["second half"] = steady("second half", optimizer={"ema": 0.9})
    return found


@pytest.fixture(scope="module")
def together(configs, tmp_path_factory):
    """The results of two processes, those of each; before, one process makes the first half of a run."""
    patch = pytest.MonkeyPatch()
    patch.delenv("WORLD_SIZE", raising=False)
    assert not Stopped(configs["second half"], 2).run()
    folder = tmp_path_factory.mktemp("results")
    (folder / "task.json").write_text(json.dumps({name: config.to_dict() for name, config in configs.items()}))
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    launch(*start, str(SCRIPT), str(folder))
    patch.undo()
    return [torch.load(folder / f"results-{rank}-of-2.pt", weights_only=True) for rank in range(2)]


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_of_two_processes_are_those_of_one(configs, together, tmp_path, loss):
    name = f"gradients {loss}"
    expected, parts = gradients(changed(configs[name], out=tmp_path / "alone"))
    for found, same in (results[name] for results in together):
        assert {n for n, value in found.items() if value is None} == {n for n, v in expected.items() if v is None}
        for weight, gradient in expected.items():
            if gradient is not None:
                torch.testing.assert_close(found[weight], gradient, atol=1e-5, rtol=1e-4)
        assert same == pytest.approx(parts, rel=1e-4, abs=1e-5)


def test_rollouts_of_the_two_processes_have_different_lengths(configs, tmp_path, monkeypatch):
    """Otherwise the test above would show little."""
    config, lengths, outcome = configs["gradients consistent"], [], updates._outcome

    def note(trace, batch):
        lengths.append(len(trace.steps))
        return outcome(trace, batch)

    monkeypatch.setattr(updates, "_outcome", note)
    for rank in range(2):
        monkeypatch.setattr(parallel, "own_part", lambda rows, costs, rank=rank: np.array_split(rows, 2)[rank])
        Trainer(changed(config, out=tmp_path / str(rank)), show_progress=False).learner.update()
    assert len(lengths) == 4
    assert lengths[0] != lengths[2] or lengths[1] != lengths[3]


def test_speaker_of_two_processes_is_that_of_one(configs, together, tmp_path):
    alone = changed(configs["speaker"], out=tmp_path / "alone")
    _, state = train(alone)
    for results in together:
        assert_close_weights(results["speaker"][0], state["model"])
    losses = [[line["loss"] for line in record(config.out)] for config in (alone, configs["speaker"])]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize("name", [*(f"weights {loss}" for loss in LOSSES), "weights in parts", "weights by Muon"])
def test_two_updates_of_two_processes_give_the_weights_of_one(configs, together, tmp_path, name):
    alone = changed(configs[name], out=tmp_path / "alone")
    _, state = train(alone)
    for weights, _ in (results[name] for results in together):
        assert_close_weights(state["model"], weights)
    for one, other in zip(record(alone.out), record(configs[name].out), strict=True):
        for number in one.keys() - {"kind", "seconds", "episodes_per_second", "trained_seconds"}:
            assert one[number] == pytest.approx(other[number], rel=1e-3, abs=1e-3), number


def test_two_processes_have_the_very_same_weights(configs, together):
    for name in configs:
        if name.startswith("weights"):
            one, other = (results[name][0] for results in together)
            assert all(torch.equal(one[weight], other[weight]) for weight in one)


def test_evaluation_by_two_processes_is_that_of_one(configs, together, tmp_path):
    nodes, views, steps = evaluation(changed(configs["evaluation"], out=tmp_path / "alone"))
    assert len(nodes) == 7
    for found_nodes, found_views, found_steps in (results["evaluation"] for results in together):
        assert torch.equal(found_nodes, nodes)
        assert torch.equal(found_views, views)
        for mine, theirs in zip(found_steps, steps, strict=True):
            for step, same in zip(mine, theirs, strict=True):
                assert step["viewpoint"] == same["viewpoint"]
                assert step["probabilities"] == pytest.approx(same["probabilities"], abs=1e-3)


def test_texts_that_two_processes_share_are_read_like_those_of_one(configs, together, tmp_path, monkeypatch):
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "empty"))
    alone = texts(changed(configs["texts"], out=tmp_path / "alone"))
    assert len(alone) > 16, "or one process reads nothing"
    for results in together:
        torch.testing.assert_close(results["texts"], alone, atol=2e-3, rtol=2e-3)


def test_two_processes_share_the_networks_that_guess_names(configs, together):
    for place in (".", "best"):
        assert (configs["guesses"].out / place / "guesser.safetensors").is_file()
    for name, weight in together[0]["guesses"][0].items():
        assert torch.equal(weight, together[1]["guesses"][0][name])


def test_run_goes_on_with_more_or_fewer_processes(configs, together, tmp_path):
    _, whole = train(changed(configs["first half"], out=tmp_path / "whole"))
    halved = Trainer(configs["first half"], show_progress=False)
    assert halved.learner.updates == 2
    assert halved.run()
    assert_close_weights(whole["model"], halved.model.state_dict())
    for weights, began in (results["second half"] for results in together):
        assert began == 2
        assert_close_weights(whole["model"], weights)
    for name in ("first half", "second half"):
        state = saved_state(configs[name].out)
        assert_close_weights(whole["ema"]["weights"], state["ema"]["weights"])
        assert [line["update"] for line in record(configs[name].out)] == [1, 2, 2, 3, 4, 4]


def test_accelerate_launches_two_processes_that_train_alike(configs, together, tmp_path):
    pytest.importorskip("accelerate")
    config = changed(configs["weights teacher"], out=tmp_path / "run")
    (tmp_path / "task.json").write_text(json.dumps({"weights": config.to_dict()}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # With --cpu it asks for MPI; without a GPU this option only starts the processes, which then meet by gloo.
    options = ["--multi_gpu", "--num_processes", "2", "--num_machines", "1", "--mixed_precision", "no"]
    options += ["--dynamo_backend", "no", "--main_process_port", str(port)]
    start = [sys.executable, "-m", "accelerate.commands.launch", *options]
    launch(*start, str(SCRIPT), str(tmp_path))
    weights, _ = torch.load(tmp_path / "results-0-of-2.pt", weights_only=True)["weights"]
    assert all(torch.equal(weights[name], value) for name, value in together[0]["weights teacher"][0].items())
