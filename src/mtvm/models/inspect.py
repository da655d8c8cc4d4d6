"""A model as a table: its parameters, and the floating-point operations of a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from rich import box
from rich.table import Table
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from mtvm.errors import InputError
from mtvm.io.config_files import with_options
from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.network import Network, make_network
from mtvm.models.saving import CONFIG
from mtvm.models.text import Tokens
from mtvm.world.views import VIEWS

T = TypeVar("T")

_MOST = 10_000


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    parameters: int
    flops: int
    """Of one episode: at each step, or once."""
    once: bool = False


def parts(model: Network, words: int = 32, memory: int = 4, candidates: int = 5) -> list[Part]:
    """The model's parts, with the operations that torch counts in an episode of these sizes.

    A step includes its value and the update of the history; it is the one after `memory` others.
    """
    if not 1 <= words <= model.config.text_length:
        raise InputError(f"words must be from 1 to {model.config.text_length}, the longest text of this model.")
    if not (0 <= memory <= _MOST and 0 <= candidates <= _MOST):
        raise InputError(f"memory and candidates must be from 0 to {_MOST}.")
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            encoding, step = _episode(model, words, memory, candidates)
    finally:
        model.train(training)
    listed = [
        Part("language encoder (once per episode)", _size(model.language), encoding.inside["language"], once=True),
        Part("text projections (once per episode)", 0, encoding.total - encoding.inside["language"], once=True),
    ]
    # The methods of a history, and what a network computes between its parts, are no forward pass of a named module.
    elsewhere = step.total - sum(step.inside.values())
    for name, child in model.named_children():
        if name != "language":
            title = _TITLES.get(name, name.replace("_", " ")).format(history=model.config.history.name)
            listed.append(Part(title, _size(child), step.inside[name] + (elsewhere if name == "history" else 0)))
    if elsewhere and "history" not in step.inside:
        listed.append(Part("between the parts", 0, elsewhere))
    return sorted(listed, key=lambda part: part.name == "critic")  # the critic last


_TITLES = {
    "embedding": "stream embedding",
    "crossmodal": "cross-modality encoder",
    "head": "action head",
    "history": "history: {history}",
}


def _size(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@dataclasses.dataclass(frozen=True)
class Flops:
    total: int
    inside: dict[str, int]
    """Of each child of the model."""


class _Scope(nn.Module):
    """Runs work inside a module that holds the model, by which the counter knows the names of the model's children."""

    def __init__(self, model: Network) -> None:
        super().__init__()
        self.model = model

    def forward(self, work: Callable[[], Any]) -> Any:
        return work()


def count_flops(model: Network, work: Callable[[], T]) -> tuple[T, Flops]:
    """The result of `work`, and the floating-point operations of its matrix products."""
    # Attention is written out, because the counter does not know the fused kernel of a CPU.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        result: T = _Scope(model)(work)
    found = counter.get_flop_counts()
    inside = {name: _inside(f"_Scope.model.{name}", found) for name, _ in model.named_children()}
    inside["language"] += _inside("_Scope.model.language.reader", found)  # it reads before the encoder is called
    return result, Flops(counter.get_total_flops(), inside)


def _inside(name: str, found: dict[str, dict[Any, int]]) -> int:
    """The operations inside a module, or inside its own modules where it was not called itself."""
    if name in found:
        return sum(found[name].values())
    children = {f"{name}.{key[len(name) + 1 :].split('.')[0]}" for key in found if key.startswith(f"{name}.")}
    return sum(_inside(child, found) for child in children)


def _episode(model: Network, words: int, memory: int, candidates: int) -> tuple[Flops, Flops]:
    """The operations of encoding a text, and of a step after `memory` others."""
    device, width = model.device, model.config.token_width
    generator = torch.Generator(device).manual_seed(0)
    ids = torch.ones(1, words, dtype=torch.long, device=device)
    text, encoding = count_flops(model, lambda: model.encode(Tokens(ids, ids)))
    actions = torch.randn(1, candidates + 1, width, generator=generator, device=device)
    actions[:, candidates] = 0
    mask = torch.ones(1, candidates + 1, dtype=torch.bool, device=device)
    panorama = torch.randn(1, VIEWS, width, generator=generator, device=device)
    direction = torch.randn(1, model.config.angle_width, generator=generator, device=device)
    past = model.start(text, direction)

    def walk() -> None:
        nonlocal past
        step = model.step(text, past, actions, mask)
        model.value(step)
        past = model.remember(past, step, torch.zeros(1, dtype=torch.long, device=device), direction, panorama)

    for _ in range(memory):
        walk()
    return encoding, count_flops(model, walk)[1]


def describe(
    model: str | ModelConfig, words: int, memory: int, candidates: int, changes: Mapping[str, Any] | None = None
) -> Table:
    """The table of a preset, of a saved agent, or of a config; `changes` are other values of its options, by name."""
    config = model if isinstance(model, ModelConfig) else _config_of(model)
    config = with_options(config, changes or {}, Path("mtvm inspect"))
    network = _outline(config)
    listed = parts(network, words, memory, candidates)
    layers = f"{config.language_layers} + {config.crossmodal_layers}"
    direction = "both directions" if network.text_is_query else "text only as key and value"
    name = "" if isinstance(model, ModelConfig) else f"{model}: "
    table = Table(
        title=f"{name}{config.architecture.name}, hidden {config.hidden}, {layers} layers, {direction}",
        caption=f"{words} WordPieces, {memory} steps in memory, {candidates} candidates",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("part", "parameters", "MFLOP"):
        table.add_column(heading, justify="left" if heading == "part" else "right")
    for part in listed:
        table.add_row(part.name, f"{part.parameters:,}", f"{part.flops / 1e6:,.1f}")
    total = sum(part.parameters for part in listed)
    rest = total - listed[0].parameters
    step = sum(part.flops for part in listed if not part.once)
    table.add_section()
    table.add_row("in all", f"{total:,}", f"{step / 1e6:,.1f} a step")
    table.add_row("without the critic", f"{total - listed[-1].parameters:,}", "")
    table.add_row("without critic and language encoder", f"{rest - listed[-1].parameters:,}", "")
    return table


def _config_of(name: str) -> ModelConfig:
    if name in PRESETS:
        return PRESETS[name]
    if (Path(name) / CONFIG).is_file():
        return ModelConfig.load(Path(name) / CONFIG)
    raise InputError(f"{name} is neither a preset ({', '.join(PRESETS)}) nor the folder of a saved agent.")


def _outline(config: ModelConfig) -> Network:
    """A model without its initial weights, which take seconds and are not needed to count."""
    with torch.device("meta"):
        model = make_network(config)
    model.to_empty(device="cpu")
    for buffer in model.buffers():  # BERT's positions, which must be valid indices
        buffer.zero_()
    return model
