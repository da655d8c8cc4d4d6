"""`mtvm train`, `resume`, `eval`, `runs`, `inspect` and `weights` as a user types them, on the tiny world."""

import dataclasses
import json
import re
import shutil
import signal

import numpy as np
import pytest
from command_line import refused, run

torch = pytest.importorskip("torch")

from mtvm.configs.run import TrainConfig  # noqa: E402
from mtvm.features.store import FeatureStore  # noqa: E402
from mtvm.learning import checkpoint  # noqa: E402
from mtvm.learning import trainer as trainers  # noqa: E402
from mtvm.learning.run_folder import RunFolder  # noqa: E402
from mtvm.models.agent import Agent  # noqa: E402
from mtvm.models.config import ModelConfig  # noqa: E402
from mtvm.models.model import MTVM  # noqa: E402
from mtvm.models.parts import MTVMConfig, ReleasedCode  # noqa: E402
from mtvm.models.text import tokenize  # noqa: E402
from mtvm.models.weights import released_tensors  # noqa: E402
from mtvm.tasks.load import load_episodes  # noqa: E402

MODEL = "--model.hidden 16 --model.heads 2 --model.intermediate 32 --data.horizon 4"
QUICK = f"--batch 2 --optimizer.updates 2 --selection.every 1 --selection.limit 3 --device cpu --no-tensorboard {MODEL}"
WIDTH = 6


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Whatever launched the tests, they train alone and on the CPU."""
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK", "MTVM_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def store(tiny_world, tmp_path_factory):
    """A store made by `mtvm features import`."""
    from mtvm.app.cli import main

    folder = tmp_path_factory.mktemp("features")
    rng = np.random.default_rng(0)
    arrays = {
        f"{tiny_world.scan(node)}_{tiny_world.viewpoints[node]}": rng.normal(size=(36, WIDTH)).astype(np.float32)
        for node in range(len(tiny_world))
    }
    np.savez(folder / "features.npz", **arrays)
    main(["features", "import", str(folder / "features.npz"), str(folder / "store")])
    return folder / "store"


@pytest.fixture(scope="module")
def trained(tiny_folder, store, tmp_path_factory):
    """A run of `mtvm train tiny`. Copy what you want to spoil."""
    from mtvm.app.cli import main

    out = tmp_path_factory.mktemp("runs") / "run"
    where = ["--data.folder", str(tiny_folder), "--data.features", str(store), "--data.evaluate", "r2r/val_unseen"]
    main(["train", "tiny", "--out", str(out), *where, *QUICK.split()])
    return out


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# train


def test_train_leaves_a_run_and_the_evaluation_of_its_best_agent(trained, tiny_folder):
    assert {path.name for path in trained.iterdir()} == {
        *("best", "checkpoint.pt", "checkpoint-before.pt", "config.json", "eval", "lock", "metrics.jsonl")
    }
    assert {path.name for path in (trained / "eval").iterdir()} == {"r2r-val_unseen"}
    config = RunFolder(trained).config()
    assert (config.batch, config.data.folder) == (2, tiny_folder)
    assert config.selection.metric is None
    assert Agent.from_pretrained(trained / "best", "cpu").model.config.feature_width == WIDTH


def test_eval_tells_of_other_features_of_the_same_width(trained, store, tiny_folder, tmp_path, capsys):
    other = tmp_path / "other"
    shutil.copytree(store, other)
    same = ("--limit", "1", "--data.features", other, "--out", tmp_path / "same")
    assert "learnt to see" not in run(capsys, "eval", trained, *same).err
    opened = FeatureStore.open(store)
    entries = ((key["scan"].decode(), key["viewpoint"].decode(), np.ones((36, WIDTH))) for key in opened.index)
    FeatureStore.write(tmp_path / "strange", entries, source="elsewhere.npz", source_format="test")
    for agent in (trained, trained / "best"):
        options = ("--data.folder", tiny_folder, "--data.features", tmp_path / "strange", "--split", "r2r/val_unseen")
        said = run(capsys, "eval", agent, "--limit", "1", "--out", tmp_path / "out", *options).err
        assert f"{trained / 'best'}: this agent learnt to see the features of features.npz with the id" in said
        assert "and is given the features of elsewhere.npz" in said
    shutil.copytree(trained / "best", tmp_path / "copy")
    (tmp_path / "copy" / "seen.json").write_text('{"sight": 3}')
    assert "seen.json: does not say what an agent sees" in refused(
        capsys, "eval", tmp_path / "copy", "--limit", "1", *options
    )


def test_train_says_what_it_starts_from_and_how_it_ended(capsys, tiny_folder, store, tmp_path):
    where = ("--data.folder", tiny_folder, "--data.features", store, "--data.evaluate", "r2r/val_unseen")
    printed = run(capsys, "train", "tiny", "--out", tmp_path / "run", *where, *QUICK.split()).out
    assert "Weights to start from: random numbers." in printed
    assert "Trained 2 updates" in printed
    assert "Best SPL on r2r/val_seen" in printed
    assert f"written to {tmp_path / 'run' / 'eval' / 'r2r-val_unseen'}" in printed


def test_train_without_sight_is_refused_with_one_sentence(capsys, tiny_folder, tmp_path):
    arguments = ("train", "tiny", "--out", tmp_path / "run", "--data.folder", tiny_folder, *QUICK.split())
    message = refused(capsys, *arguments)
    assert message.startswith("what the agent sees is not said: give a feature store with --data.features STORE")
    assert "--data.sight blind" in message
    run(capsys, *arguments, "--data.sight", "blind", "--data.evaluate", "r2r/val_unseen")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data.sight", "names"), "no semantics file viewpoints.jsonl(.gz) below it"),
        (("--data.features", "nowhere"), "nowhere"),
        (("--data.sight", "blind", "--device", "gpu"), "device 'gpu' is not one of auto, cpu, cuda and cuda:N"),
        (("--data.sight", "blind", "--loss.extra", "nowhere:Loss"), "the module nowhere cannot be imported"),
        (("--data.sight", "blind", "--model.history", "nowhere:History"), "the module nowhere cannot be imported"),
        (("--data.sight", "blind", "--data.train", "r2r/test"), "r2r/test has no goals to learn from"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_train_answers_a_mistake_with_one_sentence(capsys, tiny_folder, tmp_path, arguments, said):
    message = refused(capsys, "train", "tiny", "--out", tmp_path / "run", "--data.folder", tiny_folder, *arguments)
    assert said in message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data.train", "r2r"), "'r2r' is not TASK/SPLIT"),
        (("--optimizer.lr", "3"), "optimizer.lr must lie between 0 and 1, not 3.0."),
        (("--selection.metric", "BLEU"), "selection.metric 'BLEU' is not one of NE, SR"),
        (("--loss.word-dropping", "0.5"), "loss.word_dropping is for training without the consistency loss"),
    ],
    ids=str,
)
def test_train_answers_an_impossible_option_without_a_traceback(capsys, tmp_path, arguments, said):
    printed = run(capsys, "train", "tiny", "--out", tmp_path / "run", *arguments, code=2)
    words = re.sub(r"[│╭╮╰╯─\s]+", " ", printed.err + printed.out)
    assert said in words
    assert "Traceback" not in words
    assert not (tmp_path / "run").exists()


def test_train_without_a_data_folder_is_refused(capsys, tmp_path):
    message = refused(capsys, "train", "tiny", "--out", tmp_path / "run", "--data.sight", "blind")
    assert "--data" in message
    assert "$MTVM_DATA" in message


# resume


@pytest.fixture
def interrupted(trained, tiny_folder, store, tmp_path):
    """A run that was interrupted after its first update, on data of its own."""
    data = tmp_path / "data"
    shutil.copytree(tiny_folder, data)
    shutil.copytree(store, data / "store")
    config = RunFolder(trained).config()
    config = dataclasses.replace(
        config,
        out=tmp_path / "run",
        data=dataclasses.replace(config.data, folder=data, features=data / "store"),
    )

    class Stopped(trainers.Trainer):
        def _update(self):
            signal.raise_signal(signal.SIGINT)
            return super()._update()

    assert not Stopped(config, show_progress=False).run()
    return config


def test_resume_ends_as_the_run_that_was_not_interrupted(capsys, trained, interrupted):
    printed = run(capsys, "resume", interrupted.out, "--device", "cpu").out
    assert "Resuming after update 1 of 2." in printed
    whole, halves = (checkpoint.load(RunFolder(folder).checkpoint) for folder in (trained, interrupted.out))
    assert whole["update"] == halves["update"] == 2
    assert all(torch.equal(whole["model"][name], value) for name, value in halves["model"].items())
    assert contents(trained / "eval") == contents(interrupted.out / "eval")


def test_resume_with_data_that_has_moved_evaluates_on_it_too(capsys, interrupted, tmp_path):
    (tmp_path / "data").rename(tmp_path / "moved")
    assert "data" in refused(capsys, "resume", interrupted.out)
    where = ("--data.folder", tmp_path / "moved", "--data.features", tmp_path / "moved" / "store")
    printed = run(capsys, "resume", interrupted.out, *where).out
    assert "Trained 2 updates" in printed
    assert (interrupted.out / "eval" / "r2r-val_unseen" / "metrics.json").is_file()


def test_resume_of_a_finished_run_evaluates_it_again(capsys, trained, tmp_path):
    shutil.copytree(trained, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "eval")
    run(capsys, "resume", tmp_path / "run")
    assert contents(tmp_path / "run" / "eval") == contents(trained / "eval")


def test_resume_where_no_run_is_says_so(capsys, tmp_path):
    assert "no run is here" in refused(capsys, "resume", tmp_path)


# eval


def test_eval_with_a_limit_writes_beside_the_whole(capsys, trained, tmp_path, tiny_folder):
    shutil.copytree(trained, tmp_path / "run")
    whole = contents(tmp_path / "run" / "eval" / "r2r-val_unseen")
    printed = run(capsys, "eval", tmp_path / "run", "--limit", 3, "--device", "cpu").out
    beside = tmp_path / "run" / "eval" / "r2r-val_unseen-first-3"
    assert "3 episodes" in printed
    assert str(beside) in printed
    assert contents(tmp_path / "run" / "eval" / "r2r-val_unseen") == whole
    ids = [one["instr_id"] for one in json.loads((beside / "results.json").read_text())]
    assert ids == load_episodes("r2r", "val_unseen", tiny_folder).ids[:3]
    listed = json.loads(run(capsys, "runs", tmp_path / "run", "--json").out)["runs"][0]["evaluations"]
    assert {name: values["episodes"] for name, values in listed.items()} == {
        "r2r-val_unseen": 36,
        "r2r-val_unseen-first-3": 3,
    }


def test_eval_writes_what_score_reads(capsys, trained, tiny_folder):
    results = trained / "eval" / "r2r-val_unseen" / "results.json"
    means = json.loads(run(capsys, "score", results, "--data", tiny_folder, "--json").out)
    metrics = json.loads((trained / "eval" / "r2r-val_unseen" / "metrics.json").read_text())
    assert means == pytest.approx({name: metrics[name] for name in means})


def test_eval_takes_an_agent_without_a_run(capsys, trained, tiny_folder, store, tmp_path):
    shutil.copytree(trained / "best", tmp_path / "agent")
    arguments = ("eval", tmp_path / "agent", "--split", "r2r/val_seen", "--data.features", store)
    assert "$MTVM_DATA" in refused(capsys, *arguments)
    printed = run(capsys, *arguments, "--data.folder", tiny_folder, "--limit", 4, "--device", "cpu").out
    where = tmp_path / "agent" / "eval" / "r2r-val_seen-first-4"
    assert "r2r/val_seen: 4 episodes" in printed
    assert str(where) in printed
    assert (where / "records.jsonl").is_file()


def test_eval_writes_attention_where_it_is_told_to(capsys, trained, tmp_path):
    run(capsys, "eval", trained, "--limit", 2, "--attention", "--out", tmp_path, "--split", "ndh/val_unseen")
    lines = (tmp_path / "ndh-val_unseen-first-2" / "steps.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert len({step["id"] for step in steps}) == 2
    assert all(sum(weight for _, weight in step["words"]) > 0 for step in steps)
    assert not (trained / "eval" / "ndh-val_unseen-first-2").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--split", "val_seen"), "'val_seen' is not TASK/SPLIT"),
        (("--limit", "0"), "limit"),
        (("--device", "gpu"), "device 'gpu'"),
        (("--data.folder", "/nowhere"), "/nowhere"),
    ],
    ids=str,
)
def test_eval_answers_a_mistake_with_one_sentence(capsys, trained, arguments, said):
    assert said in refused(capsys, "eval", trained, *arguments)


def test_eval_of_no_agent_says_so(capsys, tmp_path):
    assert "no agent here" in refused(capsys, "eval", tmp_path, "--split", "r2r/val_seen")


# runs, inspect


def test_runs_lists_a_run_that_was_trained(capsys, trained):
    printed = run(capsys, "runs", trained.parent).out
    assert "2 of 2" in printed
    assert "done" in printed
    (listed,) = json.loads(run(capsys, "runs", trained.parent, "--json").out)["runs"]
    assert (listed["name"], listed["state"], listed["selection"]["metric"]) == ("run", "done", "SPL")


@pytest.mark.parametrize("what", ["tiny", "agent"])
def test_inspect_shows_a_preset_or_an_agent(capsys, trained, what):
    printed = run(capsys, "inspect", trained / "best" if what == "agent" else what).out
    assert "language" in printed
    assert "parameters" in printed.lower()


def test_inspect_of_an_unknown_model_says_so(capsys):
    assert "huge" in refused(capsys, "inspect", "huge")


# weights


@pytest.fixture
def released(trained, capsys, tmp_path):
    """The trained agent in the authors' format."""
    assert str(tmp_path / "released.pt") in run(
        capsys, "weights", "export", trained / "best", tmp_path / "released.pt"
    ).out.replace("\n", "")
    return tmp_path / "released.pt"


def test_weights_import_gives_back_what_was_exported(capsys, trained, released, tmp_path):
    printed = run(capsys, "weights", "import", released, tmp_path / "agent", "--preset", "tiny").out
    assert str(tmp_path / "agent") in printed
    before, after = (Agent.from_pretrained(folder, "cpu").model for folder in (trained / "best", tmp_path / "agent"))
    assert after.config.feature_width == WIDTH
    for name, value in before.state_dict().items():
        assert torch.equal(after.state_dict()[name], value), name


@pytest.mark.slow
def test_weights_export_writes_a_program(capsys, trained, tmp_path):
    run(capsys, "weights", "export", trained / "best", tmp_path / "step.pt2", "--format", "program")
    assert (tmp_path / "step.pt2").stat().st_size > 1000


@pytest.fixture
def recording(tmp_path):
    """A recording of one step, of our own model in the place of the released one."""
    from safetensors.torch import save_file

    sizes = {"hidden": 16, "heads": 2, "intermediate": 32, "language_layers": 1, "crossmodal_layers": 2}
    sizes |= {"feature_width": WIDTH, "angle_width": 8, "max_text": 12, "vocabulary": 30522}
    torch.manual_seed(0)
    model = MTVM(ModelConfig(**sizes, architecture=MTVMConfig(released=ReleasedCode(padding=True)))).eval()
    tokens = tokenize(["Go up the stairs.", "Stop."]).padded(12)
    actions, mask = torch.randn(2, 4, WIDTH + 8), torch.tensor([[True] * 4, [True, True, True, False]])
    actions[~mask] = 0
    with torch.no_grad():
        text = model.encode(tokens)
        step = model.step(text, model.start(text), actions, mask)
        recorded = {
            "sentence": tokens.ids,
            "text_embeds": text.states,
            "step0.stream_features": actions,
            "step0.stream_mask": mask.long(),
            "step0.logits": step.logits.masked_fill(~mask, 0),
            "step0.head_tanh": step.activations,
            "step0.state": model.pooler(step),
            "step0.value": model.value(step),
        }
    names = ["hidden_size", "num_attention_heads", "intermediate_size", "language_layers", "crossmodal_layers"]
    names += ["feature_size", "angle_feat_size", "max_text", "vocab_size"]
    meta = dict(zip(names, sizes.values(), strict=True)) | {"steps": 1}
    weights = {
        name if name.startswith("critic.") else f"vln_bert.{name}": value.clone().contiguous()
        for name, value in released_tensors(model).items()
    }
    save_file(weights, tmp_path / "parity_weights.safetensors")
    save_file({name: value.contiguous() for name, value in recorded.items()}, tmp_path / "parity_io.safetensors")
    (tmp_path / "parity_meta.json").write_text(json.dumps(meta))
    return tmp_path


def test_weights_parity_compares_a_recording_step_by_step(capsys, recording):
    printed = run(capsys, "weights", "parity", recording).out
    for kind in ("language", "logits", "activations", "memory", "state", "value"):
        assert kind in printed
    assert "0.0001" in printed


def test_weights_parity_refuses_a_difference(capsys, recording):
    from safetensors.torch import load_file, save_file

    file = recording / "parity_io.safetensors"
    tensors = load_file(file)
    file.unlink()
    save_file(tensors | {"step0.value": tensors["step0.value"] + 0.01}, file)
    printed = run(capsys, "weights", "parity", recording, code=2)
    assert "MTVM" in printed.err
    run(capsys, "weights", "parity", recording, "--bound", "0.1")


def test_config_of_a_run_is_the_one_that_train_was_given(trained):
    values = json.loads((trained / "config.json").read_text())
    config = TrainConfig.from_dict(values, trained / "config.json")
    assert (config.optimizer.updates, config.selection.every, config.selection.limit) == (2, 1, 3)
    assert config.data.evaluate == ("r2r/val_unseen",)


# Recipes


@pytest.mark.slow
def test_recipe_is_one_command_that_goes_on_where_it_was_interrupted(capsys, tiny_folder, store, tmp_path, monkeypatch):
    """Interrupted in its second stage, then after its training, it ends with the weights of one that was not."""
    quick = [f"--stages.{stage}.{option}" for stage in ("imitation", "a2c") for option in STAGE.split()]
    where = ("--data.folder", tiny_folder, "--data.features", store, "--device", "cpu", "--no-tensorboard", *LOGGED)
    where += (*MODEL.split(),)

    def command(out):
        return ("train", "tiny-stages", "--out", out, *where, *quick)

    printed = run(capsys, *command(tmp_path / "whole")).out
    assert "Stage 1 of 2, imitation." in printed
    assert "Stage 2 of 2, a2c." in printed
    assert "r2r/val_seen: " in printed
    again = run(capsys, *command(tmp_path / "whole")).out
    assert "Stage 2 of 2, a2c: done." in again
    assert "r2r/val_unseen: evaluated already" in again

    out, updated = tmp_path / "run", []
    update = trainers.Trainer._update

    def interrupted(self):
        recorded = update(self)
        updated.append(self)
        if len(updated) == 3:
            signal.raise_signal(signal.SIGINT)
        return recorded

    monkeypatch.setattr(trainers.Trainer, "_update", interrupted)
    stopped = run(capsys, *command(out), code=130).out
    assert f"Resume with: mtvm resume {out}" in stopped
    listed = json.loads(run(capsys, "runs", tmp_path, "--json").out)["runs"]
    stages = {one["name"]: (one["stage"], one["update"]) for one in listed}
    assert stages["run/imitation"] == ("imitation, 1 of 2", 2)
    assert stages["run"] == ("a2c, 2 of 2", 1)
    run(capsys, "resume", out)
    assert len(updated) == 4
    for place in ("best", "imitation/best"):
        weights = [(tmp_path / name / place / "model.safetensors").read_bytes() for name in ("whole", "run")]
        assert weights[0] == weights[1]
    assert {path.name for path in (out / "eval").iterdir()} == {"r2r-val_seen", "r2r-val_unseen"}


LOGGED = ("--log-every", "1")
STAGE = "batch=2 optimizer.updates=2 selection.every=1 selection.limit=3"


# What is evaluated


@pytest.mark.parametrize(
    ("split", "said"),
    [("r4r/val_seen", "no file of r4r split 'val_seen'"), ("r2r/nowhere.json", "nowhere.json is not there")],
)
def test_a_split_to_evaluate_that_is_not_there_is_refused_before_training(capsys, tiny_folder, tmp_path, split, said):
    arguments = ("--data.folder", tiny_folder, "--data.sight", "blind", "--data.evaluate", split, *QUICK.split())
    assert said in refused(capsys, "train", "tiny", "--out", tmp_path / "run", *arguments)
    assert not (tmp_path / "run").exists()
