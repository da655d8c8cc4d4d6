"""From released weights to a saved agent, and back."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Literal

import torch
from rich.markup import escape

from mtvm.errors import InputError
from mtvm.io.files import read_json, write_json
from mtvm.machine import check_seed
from mtvm.models.config import PRESETS
from mtvm.models.export import export_step
from mtvm.models.network import Network, make_network
from mtvm.models.parts import HistoryConfig, part
from mtvm.models.saving import load_model, save_model
from mtvm.models.weights import Report, load_released, read_tensors, sizes_of, write_released

NOTE = "import.json"
"""The file of an agent's folder that says where its weights come from."""


def import_agent(source: Path, out: Path, preset: str, history: str, seed: int) -> str:
    """Fill the preset's model from a checkpoint and save it as an agent; the text says which tensors were used."""
    if preset not in PRESETS:
        raise InputError(f"preset '{preset}' is not one of {', '.join(PRESETS)}.")
    tensors = read_tensors(source)
    config = sizes_of(tensors, dataclasses.replace(PRESETS[preset], history=part(HistoryConfig, history)), source)
    torch.manual_seed(check_seed(seed))
    model = make_network(config)
    report = load_released(model, tensors, source)
    save_model(model, out)
    sizes = {name: value.numel() for name, value in model.state_dict().items()}
    note = {
        "source": str(source.absolute()),
        "numbers": sum(sizes.values()),
        "loaded": sum(sizes[name] for name in report.loaded),
        "random": report.fresh,
    }
    write_json(out / NOTE, note, indent=1)
    return _summary(report, model, out)


def describe_import(folder: Path) -> str | None:
    """A sentence on where an imported agent's weights come from; None for other agents."""
    if not (folder / NOTE).is_file():
        return None
    note = read_json(folder / NOTE, "note on imported weights")
    try:
        source, loaded, numbers, random = (note[name] for name in ("source", "loaded", "numbers", "random"))
        modules = ", ".join(sorted({name.split(".")[0] for name in random}))
        start = f"{loaded / 1e6:.1f} of {numbers / 1e6:.1f} million numbers are from {source}"
    except (KeyError, TypeError, AttributeError, OverflowError):
        raise InputError(f"{folder / NOTE}: not what 'mtvm weights import' writes; import the weights again.") from None
    return f"{start}, the rest is random ({modules})." if random else f"{start}, nothing is random."


def _summary(report: Report, model: Network, out: Path) -> str:
    state = model.state_dict()

    def size(names: list[str]) -> str:
        return f"{len(names)} tensors, {sum(state[name].numel() for name in names) / 1e6:.1f} M numbers"

    lines = [f"loaded:   {size(report.loaded)}"]
    if report.fresh:
        modules = Counter(".".join(name.split(".")[:2]) for name in report.fresh)
        named = ", ".join(f"{module} ({count})" for module, count in modules.items())
        lines.append(f"random:   {size(report.fresh)}, which the file does not hold: {named}")
    for reason, count in Counter(report.left_out.values()).items():
        example = next(name for name, why in report.left_out.items() if why == reason)
        lines.append(f"left out: {count} tensors, {reason} (e.g. {example})")
    lines.append(f"agent:    {out}")
    return "\n".join(escape(line) for line in lines)


def export_agent(agent: Path, out: Path, form: Literal["released", "program"]) -> None:
    """Write a saved agent as the authors' checkpoint, or its step as a program by torch.export."""
    model = load_model(agent, device="cpu")
    if form == "released":
        write_released(model, out)
    else:
        export_step(model, out)
