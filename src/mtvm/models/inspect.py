"""A model as a table: parameters, and floating-point operations of a step."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import torch
from rich import box
from rich.table import Table
from torch import nn

from mtvm.errors import InputError
from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.model import MTVM


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    parameters: int
    flops: float
    """Of one step of one episode; the language encoder's are spent once an episode."""


def parts(model: MTVM, words: int = 32, memory: int = 4, candidates: int = 5) -> list[Part]:
    """The model's parts, with the operations for a text, memory and number of candidates of these sizes."""
    config = model.config
    past = {"none": 0, "recurrent": 1}.get(config.history, memory)
    if config.memory_steps is not None and config.history != "recurrent":
        past = min(past, config.memory_steps)
    stream, hidden = past + candidates + 1, config.hidden
    encoded = stream if config.history in ("memory", "oriented") else candidates + 1
    language = config.language_layers * _layer(config, words, words)
    if config.reader == "minilm":
        reader = dataclasses.replace(config, hidden=384, heads=12, intermediate=1536)
        language += config.reader_layers * _layer(reader, words, words) + 2 * words * reader.hidden * hidden
    cross = config.crossmodal_layers * _crossmodal(config, words, stream)
    if config.bidirectional:  # the first layer's projections of the text are there already
        cross -= 6 * words * hidden**2
    return [
        Part("language encoder (once an episode)", _count(model.language), language),
        Part("token encoder", _count(model.token_encoder), 2 * encoded * config.token_width * hidden),
        Part("stream embedding", _count(model.embedding), 0),
        Part("cross-modality encoder", _count(model.crossmodal), cross),
        Part("action head", _count(model.head), 2 * (candidates + 1) * (hidden + 1) * config.feature_width),
        Part(f"history: {config.history}", _count(model.history), _history(config, words, past, candidates)),
        Part("critic's pooler", _count(model.pooler), 2 * hidden * (hidden + words)),
        Part("critic", _count(model.critic), 2 * config.critic_hidden * (hidden + 1)),
    ]


def _count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _attention(config: ModelConfig, queries: int, keys: int) -> float:
    """Projections of the queries' tokens and the output, and the two products of attention."""
    return 8 * queries * config.hidden**2 + 4 * queries * keys * config.hidden


def _feed_forward(config: ModelConfig, tokens: int) -> float:
    return 4 * tokens * config.hidden * config.intermediate


def _layer(config: ModelConfig, queries: int, keys: int) -> float:
    return _attention(config, queries, keys) + _feed_forward(config, queries)


def _crossmodal(config: ModelConfig, words: int, stream: int) -> float:
    vision = _layer(config, stream, stream)
    if not config.bidirectional:  # the text's keys and values are there already
        return vision + 4 * stream * config.hidden**2 + 4 * stream * words * config.hidden
    both = 8 * (words + stream) * config.hidden**2 + 8 * words * stream * config.hidden
    return vision + _layer(config, words, words) + both


def _history(config: ModelConfig, words: int, past: int, candidates: int) -> float:
    hidden, width = config.hidden, config.token_width
    if config.history == "recurrent":
        projections = 2 * hidden * (2 * hidden + hidden + config.angle_width)
        return projections + 4 * hidden * (words + candidates + 1)
    if config.history == "hierarchical":
        views = 2 * 36 * width * hidden + config.panorama_layers * _layer(config, 36, 36)
        return views + 2 * width * hidden + config.temporal_layers * _layer(config, past, past)
    return 0


def describe(model: str, words: int, memory: int, candidates: int) -> Table:
    """The table of a preset or of a saved agent."""
    if model in PRESETS:
        config = PRESETS[model]
    elif (Path(model) / "config.json").is_file():
        config = ModelConfig.load(Path(model) / "config.json")
    else:
        raise InputError(f"{model} is neither a preset ({', '.join(PRESETS)}) nor the folder of a saved agent.")
    with torch.device("meta"):  # sizes without numbers
        listed = parts(MTVM(config), words, memory, candidates)
    layers = f"{config.language_layers} + {config.crossmodal_layers}"
    direction = "both directions" if config.bidirectional else "text only as key and value"
    table = Table(
        title=f"{model}: hidden {config.hidden}, {layers} layers, {direction}",
        caption=f"{words} WordPieces, {memory} memory tokens, {candidates} candidates",
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
    step = sum(part.flops for part in listed[1:])
    table.add_section()
    table.add_row("in all", f"{total:,}", f"{step / 1e6:,.1f} a step")
    table.add_row("without the critic", f"{total - listed[-1].parameters:,}", "")
    table.add_row("without critic and language encoder", f"{rest - listed[-1].parameters:,}", "")
    return table
