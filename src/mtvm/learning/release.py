"""A run, made small enough to pass on: its best agent in two bytes a weight or one, its config, and
what it was measured to do.

A released folder is a run like others, without the state to go on training from: `mtvm eval`, `mtvm view` and
`--init` take it.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

from mtvm import __version__
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError, brief
from mtvm.features.guesses import NameGuesser
from mtvm.io.files import atomic_path, read_json, write_json, write_text
from mtvm.learning.data import Data
from mtvm.learning.run_folder import BOXES, EVALUATIONS, GUESSER, RunFolder, Selection, is_number
from mtvm.learning.seen import keep_seen, read_seen
from mtvm.models.saving import CARD, Bits, load_model, save_compact
from mtvm.tasks.evaluation_folder import METRICS_FILE, read_manifest, write_manifest
from mtvm.tasks.metric import Metric
from mtvm.tasks.results import EPISODE_TABLE

_PRECISION: dict[Bits, str] = {16: "half precision", 8: "a byte each"}


def release(run: Path, out: Path, bits: Bits = 16) -> Path:
    """Write the folder to pass on, with so many bits of each weight; its model card has the run's evaluations."""
    folder = RunFolder(run)
    config = folder.config()
    if not folder.best.is_dir():
        raise InputError(f"{run}: this run has no best agent yet; the first validation saves one.")
    if out.exists():
        raise InputError(f"{out}: is there already; name another folder.")
    model = load_model(folder.best, "cpu")
    metrics = {name: _metrics(file) for name, file in folder.evaluations().items()}
    manifests = {
        name: read_manifest(file.parent, (EPISODE_TABLE, METRICS_FILE)) for name, file in folder.evaluations().items()
    }
    measured = list(dict.fromkeys(metric for manifest in manifests.values() for metric in manifest.metrics))
    card = _card(config, folder, metrics, measured, bits)
    read = Data(config.data, model.config, show_progress=False, trained=True)
    guesser, boxes = read.guesser, read.box_guesser
    with atomic_path(out) as fresh:
        fresh.mkdir()
        # What it sees is up to the store that it was given, and not to `sight`.
        sight = config.data.sight if config.data.features is None else None
        data = dataclasses.replace(config.data, folder=None, features=None, guesser=None, box_guesser=None, sight=sight)
        there = RunFolder(fresh)
        there.write_config(dataclasses.replace(config, out=Path(out.name), data=data, init=None))
        save_compact(model, there.best, card, bits)
        if (seen := read_seen(folder.best)) is not None:
            keep_seen(there.best, seen)
        if guesser is not None:
            NameGuesser.load(guesser).save(there.best / GUESSER, compact=True)
        if boxes is not None:
            shutil.copyfile(boxes, there.best / BOXES)
        write_text(fresh / CARD, card)
        for name, values in metrics.items():
            target = fresh / EVALUATIONS / name
            target.mkdir(parents=True)
            write_json(target / "metrics.json", values, indent=1)
            table = folder.path / EVALUATIONS / name / EPISODE_TABLE
            if table.is_file():
                shutil.copyfile(table, target / EPISODE_TABLE)
            write_manifest(target, manifests[name])
    return out


def _metrics(file: Path) -> dict[str, Any]:
    metrics = read_json(file, "metrics of an evaluation")
    if not isinstance(metrics, dict):
        raise InputError(f"{file}: not the metrics of an evaluation; write them again with 'mtvm eval'.")
    return metrics


def _card(config: TrainConfig, folder: RunFolder, metrics: dict[str, Any], measured: list[Metric], bits: Bits) -> str:
    """The model card."""
    chosen = Selection.of(config.selection).replay(folder.lines())
    name, data = folder.path.absolute().name, config.data
    sight = "a feature store that the user brings" if data.features is not None else data.sight
    track = "" if data.track is None else f" Track: {data.track}."
    lines = [
        f"# {name}: an agent of mtvm",
        "",
        f"Trained by mtvm {__version__} on {', '.join(data.train)}, seed {config.seed}, for {config.optimizer.updates} "
        f"updates; the weights after update {chosen.update} had the best {chosen.metric} on {chosen.split}.",
        *([] if config.init is None else [f"It began with the weights of {'/'.join(config.init.parts[-2:])}."]),
        f"Sight: {sight}.{track} Actions: {config.model.actions}. History: {config.model.history.name}.",
        "",
        "| split | episodes | " + " | ".join(metric.name for metric in measured) + " |",
        "|---" * (len(measured) + 2) + "|",
    ]
    for split, values in metrics.items():
        row = (one.format(values[one.name]) if is_number(values.get(one.name)) else "" for one in measured)
        lines.append(f"| {split} | {brief(values.get('episodes', ''))} | {' | '.join(row)} |")
    reads, trained = config.model.reader == "minilm", config.model.train_reader
    left_out = f", without {'the words of its' if trained else 'the frozen'} MiniLM reader, which pip brings."
    lines += [
        "",
        f"The metrics are those of the run. Here weights are in {_PRECISION[bits]}" + (left_out if reads else "."),
        "",
        "```sh",
        f"cp -r FOLDER runs/{name}        # evaluations are written into the agent's folder",
        f"mtvm eval runs/{name} --split r2r/val_unseen --attention        # $MTVM_DATA names the data",
        f"mtvm view runs/{name}        # watch its walks",
        "```",
        "",
    ]
    return "\n".join(lines)
