"""What is attacked: every reader of files and the commands over them, each with an honest sample."""

import contextlib
import dataclasses
import io
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.features.captions import load_captions
from mtvm.features.importing import import_features
from mtvm.features.names import read_semantics
from mtvm.homes.build import WorldConfig, _is_built, config_of
from mtvm.io.arrays import read_cached
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import train
from mtvm.models.importing import describe_import, import_agent
from mtvm.models.saving import load_model
from mtvm.models.speaker import Speaker
from mtvm.studies.findings import read_episodes, read_numbers
from mtvm.studies.trial import TRAINED, Trial
from mtvm.tasks.load import load_episodes
from mtvm.tasks.sub_instructions import read_sub_instructions
from mtvm.world.skybox import load_depth_faces, load_faces


@dataclasses.dataclass(frozen=True)
class Target:
    """A reader: which of its files are spoiled, and how it is called. What it writes goes to `out` of its folder."""

    name: str
    files: tuple[str, ...]
    run: Callable[[Path], object]
    is_slow: bool = False
    """It gets a tenth of the cases."""


def command(*arguments):
    """Calls the command line; a refusal must be one printable line."""

    def run(folder):
        printed, errors = io.StringIO(), io.StringIO()
        filled = [argument.format(here=folder) for argument in arguments]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            try:
                main(filled)
            except SystemExit as stop:
                if stop.code not in (0, 2, None):
                    raise AssertionError(f"exit code {stop.code}") from None
                sentence = errors.getvalue()
                if stop.code == 2 and (sentence.count("\n") != 1 or not sentence[:-1].isprintable()):
                    raise AssertionError(f"not one sentence: {sentence!r}") from None
                if stop.code == 2:
                    raise InputError(sentence) from None

    return run


def _read_graph_folder(folder):
    command("baseline", "random", "--data", "{here}/data", "--out", "{here}/out/results.json")(folder)


def _agent(folder):
    load_model(folder / "weights" / "agent", "cpu")


def _importing(name):
    return lambda folder: import_features(folder / "features" / name, folder / "out" / "store", show_progress=False)


def _released(name):
    return lambda folder: import_agent(folder / "weights" / name, folder / "out" / "agent", "tiny", "memory", 0)


def _runs(folder):
    command("runs", "{here}/run/runs")(folder)
    command("runs", "{here}/run/runs", "--json")(folder)


def _resume_speaker(folder):
    train(RunFolder(folder / "speaking").speaker_config(), show_progress=False)


EVALUATION = tuple(f"evaluation/{name}" for name in ("results.json", "steps.jsonl", "metrics.json"))
SCORE = ("score", "{here}/data/results.json", "--data", "{here}/data", "--csv", "{here}/out/table.csv")
RUN_METRICS = "training/eval/r2r-val_unseen/metrics.json"
TARGETS = [
    Target("score: result file", ("data/results.json",), command(*SCORE)),
    Target("score: R2R file", ("data/R2R/R2R_val_unseen.json",), command(*SCORE)),
    Target(
        "submit: result file",
        ("data/results.json",),
        command(
            "submit",
            "{here}/data/results.json",
            "--split",
            "val_unseen",
            "--data",
            "{here}/data",
            "--out",
            "{here}/out/s.json",
        ),
    ),
    Target("baseline: graph", ("data/connectivity/tiny3_connectivity.json",), _read_graph_folder),
    Target(
        "baseline: NDH file",
        ("data/NDH/val_unseen.json",),
        command("baseline", "stop", "--task", "ndh", "--data", "{here}/data", "--out", "{here}/out/n.json"),
    ),
    *(
        Target(f"features import: {name}", (f"features/{name}",), _importing(name))
        for name in ("f.tsv", "f.tsv.gz", "f.zip", "f.hdf5", "f.npz")
    ),
    Target(
        "features info: store",
        ("store/store/meta.json", "store/store/index.npy", "store/store/features.npy"),
        command("features", "info", "{here}/store/store"),
    ),
    Target("semantics", ("texts/viewpoints.jsonl",), lambda f: list(read_semantics(f / "texts/viewpoints.jsonl"))),
    Target(
        "semantics, gzipped",
        ("texts/viewpoints.jsonl.gz",),
        lambda f: list(read_semantics(f / "texts/viewpoints.jsonl.gz")),
    ),
    Target("captions", ("texts/captions.jsonl",), lambda f: load_captions(f / "texts/captions.jsonl")),
    Target("agent's folder", ("weights/agent/config.json", "weights/agent/model.safetensors"), _agent),
    *(
        Target(f"weights import: {name}", (f"weights/{name}",), _released(name))
        for name in ("released.pt", "legacy.bin")
    ),
    Target("checkpoint", ("weights/checkpoint.pt",), lambda f: checkpoint.load(f / "weights/checkpoint.pt")),
    Target("resume: config", ("run/runs/one/config.json",), lambda f: RunFolder(f / "run/runs/one").config()),
    Target(
        "runs",
        ("run/runs/one/config.json", "run/runs/one/metrics.jsonl", "run/runs/one/eval/r2r-val_seen/metrics.json"),
        _runs,
    ),
    Target("homes build: world.json", ("world/world.json",), lambda f: _is_built(f / "world", WorldConfig())),
    Target("skybox", ("pictures/v_skybox_small.jpg",), lambda f: load_faces(f / "pictures", "v")),
    Target("depth", ("pictures/v_skybox_depth_small.png",), lambda f: load_depth_faces(f / "pictures", "v")),
    *(
        Target(
            f"figure {kind}: evaluation",
            EVALUATION,
            command("figure", kind, "{here}/evaluation", "--data", "{here}/data", "--out", f"{{here}}/out/f.{ending}"),
            is_slow=True,
        )
        for kind, ending in (
            ("map", "svg"),
            ("matrix", "svg"),
            ("memory", "pdf"),
            ("strip", "png"),
            ("curves", "svg"),
            ("walk", "html"),
        )
    ),
    Target(
        "data hold-out",
        ("data/R2R/R2R_train.json", "scans.txt"),
        command("data", "hold-out", "{here}/out/dev", "--data", "{here}/data", "--scans", "{here}/scans.txt"),
    ),
    Target(
        "data r4r",
        ("data/R2R/R2R_train.json",),
        command("data", "r4r", "train", "--data", "{here}/data", "--out", "{here}/out/r4r.json"),
    ),
    Target(
        "baseline: PREVALENT's file",
        ("data/R2R/prevalent_aug.json",),
        command(
            *("baseline", "stop", "--task", "prevalent", "--split", "aug"),
            *("--data", "{here}/data", "--out", "{here}/out/p.json"),
        ),
    ),
    Target(
        "weights export: agent",
        ("weights/agent/config.json", "weights/agent/model.safetensors"),
        command("weights", "export", "{here}/weights/agent", "{here}/out/w.pt"),
    ),
    Target("speaker", ("speaker/config.json", "speaker/model.safetensors"), lambda f: Speaker.load(f / "speaker")),
    Target(
        "resume: run",
        ("training/config.json", "training/checkpoint.pt", "training/metrics.jsonl"),
        command("resume", "{here}/training"),
        is_slow=True,
    ),
    Target(
        "eval: run",
        ("training/config.json", "training/best/config.json", "data/R2R/R2R_val_unseen.json"),
        command(
            *("eval", "{here}/training", "--split", "r2r/val_unseen", "--out", "{here}/out/eval", "--device", "cpu"),
        ),
        is_slow=True,
    ),
    Target(
        "baseline: REVERIE's file",
        ("reverie/REVERIE_val_unseen.json", "reverie/viewpoints.jsonl"),
        command("baseline", "stop", "--task", "reverie", "--data", "{here}/reverie", "--out", "{here}/out/v.json"),
    ),
    Target(
        "sub-instructions",
        ("data/FGR2R_val_unseen.json",),
        lambda f: read_sub_instructions(f / "data/FGR2R_val_unseen.json"),
    ),
    Target(
        "grounding",
        ("data/FGR2R_val_unseen.json", "training/config.json"),
        command("grounding", "{here}/training", "--data", "{here}/data"),
        is_slow=True,
    ),
    Target(
        "weights release: run",
        ("training/config.json", "training/metrics.jsonl", "training/best/config.json", RUN_METRICS),
        command("weights", "release", "{here}/training", "{here}/out/released"),
    ),
    Target("inspect: agent", ("weights/agent/config.json",), command("inspect", "{here}/weights/agent")),
    Target("weights import: note", ("trial/import.json",), lambda f: describe_import(f / "trial")),
    Target("doctor: data", ("data/R2R/R2R_train.json",), command("doctor", "--data", "{here}/data"), is_slow=True),
    Target(
        "features semantic",
        ("texts/viewpoints.jsonl",),
        command("features", "semantic", "{here}/texts/viewpoints.jsonl", "{here}/out/store"),
        is_slow=True,
    ),
    Target("study: trial", ("trial/trial.json",), lambda f: Trial.load(f / "trial" / "trial.json")),
    Target("study: episodes", ("trial/episodes.csv",), lambda f: read_episodes(f / "trial" / "episodes.csv")),
    Target("study: costs", ("trial/training.json",), lambda f: read_numbers(f / "trial" / "training.json", TRAINED)),
    Target("study: world.json", ("world/world.json",), lambda f: config_of(f / "world")),
    Target(
        "speaker train: resume",
        ("speaking/config.json", "speaking/checkpoint.pt"),
        _resume_speaker,
        is_slow=True,
    ),
    Target(
        "augment: speaker",
        ("speaking/config.json", "speaking/best/config.json", "speaking/best/model.safetensors"),
        command("augment", "--speaker", "{here}/speaking", "--out", "{here}/out/new.json", "--paths", "2"),
        is_slow=True,
    ),
    Target(
        "task file: gzipped",
        ("data/packed.json.gz",),
        lambda f: load_episodes("r2r", str(f / "data" / "packed.json.gz"), f / "data"),
    ),
    Target("cache", ("cache/a.npz",), lambda f: read_cached(f / "cache" / "a.npz", ["a", "b"])),
]
warnings.filterwarnings("ignore", module="torch|PIL")
assert sys.platform != "win32", "it needs signals and fork"
