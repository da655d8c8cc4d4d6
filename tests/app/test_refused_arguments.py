"""Absurd arguments and hostile surroundings of commands: one sentence on one line, and exit code 2."""

import json
import os
import resource
import subprocess
import sys

import pytest
from command_line import refused, run
from made_runs import config, make_run, printed, trained

from mtvm.app.runs import find_runs
from mtvm.models.config import PRESETS
from mtvm.models.network import make_network
from mtvm.models.saving import save_model

TRAIN = ("train", "tiny", "--data.sight", "blind", "--out", "{out}", "--data.folder", "{data}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("figure", "map"), "name what to draw"),
        ((*TRAIN, "--device", "tpu"), "device 'tpu' is not one of"),
        ((*TRAIN, "--device", "cuda:99"), "device 'cuda:99' does not exist"),
        ((*TRAIN, "--seed", "9" * 30), "seed is 9999"),
        ((*TRAIN, "--optimizer.lr", "nan"), "optimizer.lr"),
        ((*TRAIN, "--loss.a2c.weight", "inf"), "loss.a2c.weight is inf"),
        ((*TRAIN, "--model.hidden", "0"), "hidden must be a whole number"),
        ((*TRAIN, "--model.heads", "7"), "hidden 64 is not a multiple of heads 7"),
        ((*TRAIN, "--model.angle-width", "6"), "angle_width 6 is not a multiple of 4"),
        ((*TRAIN, "--model.max-positions", "20"), "max_positions 20 is too"),
        ((*TRAIN, "--model.vocabulary", "100"), "model.vocabulary 100 is too few"),
        ((*TRAIN, "--model.hidden", "1048576", "--model.intermediate", "1048576"), "this machine has"),
        ((*TRAIN, "--model.language-layers", "100000"), "from 0 to 1000"),
        ((*TRAIN, "--loss.consistency.drop-rate", "2"), "drop_rate must lie from 0 to 1"),
        (("speaker", "train", "--seed", "9" * 30), "seed is 9999"),
        (("speaker", "train", "--model.feature-scale", "nan"), "feature_scale must be a number, not nan"),
        (("augment", "--speaker", "{out}", "--out", "{out}", "--temperature", "nan"), "temperature is nan"),
        (("augment", "--speaker", "{out}", "--out", "{out}.json", "--seed", "-1"), "the seed at least 0"),
        (("demo", "--updates", "0"), "--updates must be at least 1"),
        (("homes", "build", "--workers", "-4"), "--workers must lie from 1"),
        (("features", "extract", "{data}", "{out}", "--data", "{data}", "--workers", "0"), "--workers must lie from 1"),
        (("eval", "{out}", "--limit", "0"), ""),
        (("eval", "a" * 300), "name too long"),
        (("score", "a" * 300, "--data", "{data}"), "name too long"),
        (("baseline", "random", "--seed", "-1", "--data", "{data}"), "seed must lie from 0"),
        (("homes", "build", "--seed", "-1"), "seed must lie from 0"),
        (("features", "info", "\x1b]0;gone\x07"), r"\x1b]0;gone\x07"),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, tuple) else "",
)
def test_absurd_argument_is_refused_with_one_sentence(capsys, tiny_folder, tmp_path, arguments, said):
    filled = [argument.format(data=tiny_folder, out=tmp_path / "out") for argument in arguments]
    sentence, *rest = run(capsys, *filled, code=2).err.splitlines()
    assert said.lower() in sentence.lower()
    assert sentence.isprintable()
    assert not rest
    assert not (tmp_path / "out" / "config.json").exists()


ABSURD = [
    '{"update": 1, "kind": "train", "loss": 1e999}',
    '{"update": 2, "kind": "train", "loss": ' + "9" * 400 + "}",
    '{"update": ' + "9" * 400 + ', "kind": "train"}',
    '{"update": 3, "kind": "train", "loss": NaN}',
    '{"update": true, "kind": "train", "loss": 1}',
    '{"update": -5, "kind": "train", "loss": 1}',
    '{"update": 3, "kind": "train", "loss": "many"}',
    '{"update": 3, "kind": ["x"], "loss": 2}',
    "[" * 50_000,
    '{"update": 4, "kind": "\\ud800", "loss": 2}',
    "half a li",
]


def test_runs_lives_with_absurd_lines_of_a_record(tmp_path):
    folder = make_run(tmp_path / "run", config(), [trained(10)])
    with (folder / "metrics.jsonl").open("a") as file:
        file.write("\n".join([*ABSURD, json.dumps(trained(20))]) + "\n")
    (found,) = find_runs(tmp_path)
    assert found.curve("loss").values == [1.0, 0.5]
    assert "20 of 100" in printed(tmp_path, 100)


def test_runs_passes_over_pipes(tmp_path):
    make_run(tmp_path / "run", config(), [trained(10)], evaluations={"r2r-val_seen": {"SR": 50.0}})
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "config.json")
    (tmp_path / "run" / "eval" / "r2r-pipe").mkdir()
    os.mkfifo(tmp_path / "run" / "eval" / "r2r-pipe" / "metrics.json")
    assert [found.name for found in find_runs(tmp_path)] == ["run"]


def small_files():
    """Files of more than 100 KB cannot be written, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["released", pytest.param("program", marks=pytest.mark.slow)])
def test_export_to_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, form):
    save_model(make_network(PRESETS["tiny"]), tmp_path / "agent")
    done = subprocess.run(
        [sys.executable, "-m", "mtvm", "weights", "export", tmp_path / "agent", tmp_path / "out.pt", "--format", form],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"mtvm: {tmp_path / 'out.pt'}: writing failed")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["agent"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score",), "missing from mtvm score: RESULTS A result file (JSON). (required); see 'mtvm score --help'."),
        (("train", "tiny", "--nope", "3"), "unrecognized options: --nope, 3; see 'mtvm --help'."),
        (("train", "tiny", "--batch", "x"), "error parsing --batch: invalid literal for int() with base 10: 'x'; see"),
        (("data", "chek"), "unrecognized options: chek; available subcommands: fetch, check, captions"),
        (
            ("train", "tiny", "--optimizer.kind", "x"),
            "invalid choice 'x' for argument '--optimizer.kind'. Expected one",
        ),
        (("weights",), "expected one of {import, export, parity, release}; see 'mtvm --help'."),
    ],
)
def test_what_the_command_line_itself_refuses_is_one_line_too(capsys, arguments, said):
    assert refused(capsys, *arguments).startswith(said)


def test_weights_that_do_not_fit_leave_no_folder_behind(capsys, tmp_path, tiny_folder):
    (tmp_path / "weights.pt").write_bytes(b"nothing")
    options = ("--data.sight", "blind", "--data.folder", tiny_folder, "--init", tmp_path / "weights.pt")
    said = refused(capsys, "train", "tiny", "--out", tmp_path / "run", *options)
    assert str(tmp_path / "weights.pt") in said
    assert not (tmp_path / "run").exists()
    (tmp_path / "run").mkdir()  # what was there before stays
    refused(capsys, "train", "tiny", "--out", tmp_path / "run", *options)
    assert (tmp_path / "run").is_dir()
    refused(capsys, "train", "tiny", "--out", tmp_path / "runs" / "mine" / "run", *options)
    assert not (tmp_path / "runs").exists()
