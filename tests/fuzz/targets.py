"""What is attacked: every reader of files and the commands over them, each with an honest sample."""

import contextlib
import dataclasses
import io
import json
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import torch
from PIL import Image

from mtvm.app.cli import main
from mtvm.arrays import keep_cached, read_cached
from mtvm.errors import InputError
from mtvm.features.captions import load_captions
from mtvm.features.importing import import_features
from mtvm.features.names import read_semantics
from mtvm.features.store import FeatureStore
from mtvm.homes.build import WorldConfig, _digest, _is_built
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.models.config import ModelConfig, SpeakerModelConfig
from mtvm.models.importing import import_agent
from mtvm.models.network import make_network
from mtvm.models.saving import load_model, save_model
from mtvm.models.speaker import Speaker
from mtvm.models.weights import released_tensors, write_released
from mtvm.presets import PRESETS
from mtvm.tasks.data import DataFolder
from mtvm.tasks.events import write_events
from mtvm.tasks.load import load_episodes
from mtvm.testing.tiny import write_tiny_world
from mtvm.viewer.sources import Source
from mtvm.weight_files import read_weight_file
from mtvm.world.skybox import load_depth_faces, load_faces

VIEWS = 36
SMALL = ModelConfig(
    hidden=8,
    heads=2,
    intermediate=8,
    language_layers=1,
    crossmodal_layers=1,
    feature_width=4,
    angle_width=128,
    critic_hidden=4,
)


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


def make_samples(folder):
    """Write the honest samples below a folder; the targets that read them."""
    data = write_tiny_world(folder / "data", paths=2)
    shutil.rmtree(data / "connectivity")
    write_tiny_world(folder / "again", paths=2)
    shutil.move(folder / "again" / "connectivity", data / "connectivity")
    with contextlib.redirect_stdout(io.StringIO()):
        main(["baseline", "shortest", "--data", str(data), "--out", str(data / "results.json")])
    rng = np.random.default_rng(0)
    entries = {f"scan{n}_v{n}": rng.normal(size=(VIEWS, 4)).astype(np.float32) for n in range(3)}
    _write_features(folder / "features", entries)
    store = ((*key.split("_"), value) for key, value in entries.items())
    FeatureStore.write(folder / "store" / "store", store, source="made", source_format="test")
    _write_texts(folder / "texts")
    _write_weights(folder / "weights")
    _write_run(folder / "run")
    _write_pictures(folder / "pictures")
    keep_cached(folder / "cache" / "a.npz", {"a": np.arange(20), "b": np.arange(6.0)})
    world = {
        "version": 4,
        "config": dataclasses.asdict(WorldConfig()),
        "checksums": {"results.json": _digest(data / "results.json")},
    }
    (folder / "world").mkdir()
    (folder / "world" / "world.json").write_text(json.dumps(world))
    shutil.copy(data / "results.json", folder / "world")
    _write_evaluation(folder / "evaluation", data)
    shutil.copy(data / "R2R" / "R2R_train.json", data / "R2R" / "prevalent_aug.json")
    (folder / "scans.txt").write_text("tiny0\n")
    _write_training(folder / "training", data)
    return TARGETS


def _write_evaluation(folder, data):
    episodes = load_episodes("r2r", "val_unseen", data)
    folder.mkdir()
    shutil.copy(data / "results.json", folder)
    (folder / "metrics.json").write_text(json.dumps({"split": "r2r val_unseen", "episodes": len(episodes)}))
    source = Source.read("made", folder / "results.json", DataFolder(data), episodes)
    thoughts = [
        dataclasses.replace(
            step,
            probabilities=[0.5] * (len(step.candidates) + 1),
            words=[(word, 0.1) for word in episodes.texts[0].split()],
            memory=[0.2] * step.step,
        )
        for step in source.events(0)
    ]
    write_events(folder / "steps.jsonl", thoughts)


def _write_training(folder, data):
    """A run and a speaker that could go on."""
    options = ("--optimizer.updates", "1", "--batch", "2", "--data.folder", str(data))
    sizes = [f"--model.{name}={value}" for name, value in (("hidden", 8), ("heads", 2), ("intermediate", 8))]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["train", "tiny", "--out", str(folder), "--data.sight", "blind", "--device", "cpu", *options, *sizes])
    sizes = SpeakerModelConfig(hidden=8, heads=2, encoder_layers=1, decoder_layers=1, feature_width=4, vocabulary=9)
    Speaker(sizes).save(folder.parent / "speaker")


def _write_features(folder, entries):
    import base64
    import gzip
    import zipfile

    folder.mkdir()
    lines = "".join(
        "\t".join([*key.split("_"), "640", "480", "60", base64.b64encode(value.tobytes()).decode()]) + "\n"
        for key, value in entries.items()
    ).encode()
    (folder / "f.tsv").write_bytes(lines)
    (folder / "f.tsv.gz").write_bytes(gzip.compress(lines))
    with zipfile.ZipFile(folder / "f.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("f.tsv", lines)
    with h5py.File(folder / "f.hdf5", "w") as file:
        for key, value in entries.items():
            file.create_dataset(key, data=value, compression="gzip")
    np.savez(folder / "f.npz", **entries)


def _write_texts(folder):
    import gzip

    folder.mkdir()
    seen = {"id": 1, "name": "chair", "views": [3], "boxes": [[1, 2, 3, 4]]}
    rooms = [{"scan": "s", "viewpoint": f"v{n}", "room": "hall", "objects": [seen]} for n in range(4)]
    said = [{"scan": "s", "viewpoint": f"v{n}", "captions": [["a", "b", ""]] * 8} for n in range(4)]
    lines = "".join(json.dumps(line) + "\n" for line in rooms).encode()
    (folder / "viewpoints.jsonl").write_bytes(lines)
    (folder / "viewpoints.jsonl.gz").write_bytes(gzip.compress(lines))
    (folder / "captions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in said))


def _write_weights(folder):
    torch.manual_seed(0)
    model = make_network(SMALL)
    save_model(model, folder / "agent")
    write_released(model, folder / "released.pt")
    torch.save(released_tensors(model), folder / "legacy.bin", _use_new_zipfile_serialization=False)
    state = {"model": model.state_dict(), "update": 3, "data": {"a": "b"}, "random": torch.get_rng_state()}
    checkpoint.save(folder / "checkpoint.pt", state)
    torch.save({"code": Path("x")}, folder / "code.pt")
    with contextlib.suppress(InputError):
        read_weight_file(folder / "code.pt")  # the first time, torch imports a good part of itself


def _write_run(folder):
    run = folder / "runs" / "one"
    (run / "eval" / "r2r-val_seen").mkdir(parents=True)
    RunFolder(run).write_config(dataclasses.replace(PRESETS["tiny"], out=run))
    line = {"kind": "train", "loss": 2.0, "trained_seconds": 3.0, "episodes_per_second": 5.0}
    lines = [{"update": n} | line for n in (1, 2, 3)] + [{"update": 3, "kind": "r2r/val_unseen", "SR": 5.0, "SPL": 4.0}]
    (run / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    (run / "eval" / "r2r-val_seen" / "metrics.json").write_text(json.dumps({"episodes": 5, "SR": 5.0, "SPL": 4.0}))


def _write_pictures(folder):
    folder.mkdir()
    strip = np.random.default_rng(0).integers(0, 255, (16, 96, 3)).astype(np.uint8)
    Image.fromarray(strip).save(folder / "v_skybox_small.jpg")
    Image.fromarray(strip[..., 0].astype(np.uint16)).save(folder / "v_skybox_depth_small.png")


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


EVALUATION = tuple(f"evaluation/{name}" for name in ("results.json", "steps.jsonl", "metrics.json"))
SCORE = ("score", "{here}/data/results.json", "--data", "{here}/data", "--csv", "{here}/out/table.csv")
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
        for kind, ending in (("map", "svg"), ("matrix", "svg"), ("strip", "png"), ("html", "html"))
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
    Target("cache", ("cache/a.npz",), lambda f: read_cached(f / "cache" / "a.npz", ["a", "b"])),
]
warnings.filterwarnings("ignore", module="torch|PIL")
assert sys.platform != "win32", "it needs signals and fork"
