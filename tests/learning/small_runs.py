"""What the tests of training share: a very small model, runs of a few updates, and how to compare two states."""

import dataclasses
import json
import os
import signal

import numpy as np
import torch

from mtvm.configs.presets import PRESETS
from mtvm.configs.run import A2CConfig, ConsistencyConfig, ImitationConfig, LossConfig
from mtvm.features.store import FeatureStore
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import Trainer
from mtvm.models.config import ModelConfig
from mtvm.models.network import make_network

SMALL = ModelConfig(
    hidden=16,
    heads=2,
    intermediate=32,
    language_layers=1,
    crossmodal_layers=2,
    feature_width=8,
    angle_width=8,
    critic_hidden=8,
    dropout=0.1,
)
STEADY = dataclasses.replace(SMALL, dropout=0.0, feature_dropout=0.0, critic_dropout=0.0)

OFF = ConsistencyConfig(enabled=False)
IMITATION = LossConfig(imitation=ImitationConfig(weight=1.0), a2c=A2CConfig(weight=0.0), consistency=OFF)
"""Imitation alone, in teacher-forced rollouts."""
WITH_STUDENTS = dataclasses.replace(IMITATION, imitation=ImitationConfig(weight=1.0, student_weight=0.5))

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "TOKENIZERS_PARALLELISM": "false"}


def count_calls(monkeypatch, holder, name, key):
    """Replace a function by one that notes `key` of the arguments of each call."""
    calls, real = [], getattr(holder, name)

    def counted(*arguments, **options):
        calls.append(key(*arguments, **options))
        return real(*arguments, **options)

    monkeypatch.setattr(holder, name, counted)
    return calls


def environment():
    """Of a subprocess that trains."""
    return os.environ | ENVIRONMENT


def write_features(path, world, width, seed=0):
    """A store of random features for every viewpoint of a world."""
    rng = np.random.default_rng(seed)
    entries = (
        (world.scan(node), str(world.viewpoints[node]), rng.normal(size=(36, width)).astype(np.float32))
        for node in range(len(world))
    )
    return FeatureStore.write(path, entries, source="random", source_format="test")


def describe_places(folder, world):
    """Write names, captions and detections of every viewpoint of a world: bedrooms and kitchens in turn."""
    seen = [("bedroom", ["a bed", "a door", "a lamp"]), ("kitchen", ["a stove", "a sink", ""])]
    rooms, said, found = [], [], []
    for node in range(len(world)):
        place = {"scan": world.scan(node), "viewpoint": str(world.viewpoints[node])}
        room, captions = seen[node % 2]
        rooms.append(place | {"room": room, "objects": []})
        said.append(place | {"captions": [captions] * 8})
        boxes = [["oven" if room == "kitchen" else "bed", 0.9, [100, 100, 300, 300], captions[0]]]
        found.append(place | {"captions": [captions[1]] * 36, "objects": [boxes] * 36})
    for name, lines in (("viewpoints.jsonl", rooms), ("captions.jsonl", said), ("langnav.jsonl", found)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def lively_model(seed=0, config=SMALL, **changes):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(seed)
    model = make_network(changed(config, **changes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


def changed(config, **changes):
    """A config with other values; `data={"horizon": 3}` changes a part of it, at any depth."""
    parts = {
        name: changed(getattr(config, name), **value) if isinstance(value, dict) else value
        for name, value in changes.items()
    }
    return dataclasses.replace(config, **parts)


def small_config(folder, out, **changes):
    """The preset `tiny`, smaller still."""
    tiny = changed(
        PRESETS["tiny"],
        out=out,
        model=SMALL,
        batch=3,
        log_every=1,
        tensorboard=False,
        device="cpu",
        data={"folder": folder, "features": folder / "features", "horizon": 5},
        optimizer={"updates": 4},
        selection={"every": 2, "limit": 5},
    )
    return changed(tiny, **changes)


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


class Stopped(Trainer):
    """A run that somebody interrupts after so many updates."""

    def __init__(self, config, after):
        super().__init__(config, show_progress=False)
        self.after = after

    def _update(self):
        recorded = super()._update()
        if self.learner.updates == self.after:
            signal.raise_signal(signal.SIGINT)
        return recorded


def saved_state(folder):
    return checkpoint.load(RunFolder(folder).checkpoint)


def train(config):
    """Run to the end; the trainer and the state that it saved."""
    trainer = Trainer(config, show_progress=False)
    assert trainer.run()
    return trainer, saved_state(config.out)


def record(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def contents(folder):
    """Every file below a folder, byte by byte."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def leftovers(folder):
    """Temporary files of a process that was killed."""
    return [path for path in folder.rglob(".*") if path.name != ".gitignore"]


def flattened(state, prefix=""):
    """Every leaf of nested dicts and lists by its path."""
    if isinstance(state, dict):
        pairs = state.items()
    elif isinstance(state, list | tuple):
        pairs = enumerate(state)
    else:
        return {prefix: state}
    return {name: leaf for key, value in pairs for name, leaf in flattened(value, f"{prefix}/{key}").items()}


UNIMPORTANT = ("/seconds", "/config/", "/random")


def assert_same_state(one, other):
    """Bit by bit, but for how long it took, where it lies, and the last random numbers: each update has its own."""
    one, other = flattened(one), flattened(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        if not name.startswith(UNIMPORTANT):
            same = torch.equal(value, other[name]) if isinstance(value, torch.Tensor) else value == other[name]
            assert same, name
    assert any(name.startswith("/optimizer/state") for name in one)


def has_no_effect(name):
    """Whether no loss depends on this weight: the score's bias moves all actions alike, keys' biases all scores."""
    return name == "head.score.bias" or name.endswith((".key.bias", ".qkv.bias", ".key_value.bias", ".in_proj_bias"))


def assert_close_weights(one, other, tolerance=1e-5):
    """But for what no loss depends on: there Adam makes steps of the rounding of gradients that should be zero."""
    assert one.keys() == other.keys()
    for name in one:
        if has_no_effect(name):
            continue
        torch.testing.assert_close(one[name], other[name], atol=tolerance, rtol=0, msg=lambda m, n=name: f"{n}: {m}")
