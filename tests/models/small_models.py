"""Small models whose every input matters, and walks for them to take."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from mtvm.io.config_files import with_options
from mtvm.models.config import PRESETS, ModelConfig
from mtvm.models.history import Past
from mtvm.models.network import Network, Output, make_network
from mtvm.models.text import Tokens, tokenize

torch.set_num_threads(1)

TINY = dataclasses.replace(PRESETS["tiny"], vocabulary=1000)  # quick to build
TEXTS = ["Walk past the sofa and the chandeliers, then stop.", "Go up.", "Leave the kitchen by the left door."]


def words_of(texts: list[str], leading_cls: bool = False) -> Tokens:
    """WordPieces of the texts, in the small vocabulary."""
    tokens = tokenize(texts, leading_cls=leading_cls)
    return Tokens(torch.where(tokens.ids < 200, tokens.ids, 200 + tokens.ids % 800), tokens.words)


@torch.no_grad()
def strengthen(module: nn.Module) -> nn.Module:
    """Make the weights large enough that every input matters."""
    for name, parameter in module.named_parameters():
        wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
        parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return module


def changed(config: ModelConfig, **changes: Any) -> ModelConfig:
    """The config with other options; those of a part are named as history__steps."""
    named = {name.replace("__", "."): value for name, value in changes.items()}
    return with_options(config, named, Path("test"))


def make_model(config: ModelConfig = TINY, seed: int = 0, **changes: Any) -> Network:
    torch.manual_seed(seed)
    model = make_network(changed(config, **changes)).eval()
    strengthen(model)
    return model


def with_stop(views: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Actions and mask of candidates (B, K, token width) of which each episode has `counts` (B,), then STOP."""
    real = torch.arange(views.shape[1]) < counts[:, None]
    actions = nn.functional.pad(views * real[..., None], (0, 0, 0, 1))
    return actions, torch.arange(actions.shape[1]) <= counts[:, None]


class Move(NamedTuple):
    """A step of a batch of episodes: what they see and do."""

    actions: Tensor
    mask: Tensor
    chosen: Tensor
    direction: Tensor
    panorama: Tensor


Walk = list[Move]


def make_walk(config: ModelConfig, batch: int = 3, steps: int = 4, seed: int = 1) -> Walk:
    """Random moves; no episode stops."""
    generator = torch.Generator().manual_seed(seed)
    walk = []
    for _ in range(steps):
        counts = torch.randint(1, 6, (batch,), generator=generator)
        views = torch.randn(batch, int(counts.max()), config.token_width, generator=generator)
        chosen = (torch.rand(batch, generator=generator) * counts).long()
        direction = torch.randn(batch, config.angle_width, generator=generator)
        panorama = torch.randn(batch, 36, config.token_width, generator=generator)
        walk.append(Move(*with_stop(views, counts), chosen, direction, panorama))
    return walk


def walk_of(walk: Walk, rows: Tensor) -> Walk:
    """The walk of some of the episodes, each step padded only as far as they need it."""
    some = [Move(*(part[rows] for part in move)) for move in walk]
    lengths = [int(move.mask.sum(dim=1).max()) for move in some]
    return [
        move._replace(actions=move.actions[:, :length], mask=move.mask[:, :length])
        for move, length in zip(some, lengths, strict=True)
    ]


def facing(walk: Walk, config: ModelConfig) -> Tensor:
    """(B, angle width) the agents' directions at the start of a walk: that of the first view, so that they differ."""
    return walk[0].panorama[:, 0, config.feature_width :]


def walk_through(model: Network, texts: list[str] | Tokens, walk: Walk, **options: Any) -> tuple[list[Output], Past]:
    """The model's steps along a walk, and the past after it."""
    text = model.encode(texts if isinstance(texts, Tokens) else words_of(texts, model.config.leading_cls))
    past, steps = model.start(text, facing(walk, model.config)), []
    for move in walk:
        steps.append(model.step(text, past, move.actions, move.mask, **options))
        past = model.remember(past, steps[-1], move.chosen, move.direction, move.panorama)
    return steps, past


def follow(model: Network, texts: list[str] | Tokens, walk: Walk, **options: Any) -> list[Output]:
    return walk_through(model, texts, walk, **options)[0]


def assert_same(found: Tensor, expected: Tensor, tolerance: float = 1e-4) -> None:
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


def one_sentence(error: pytest.ExceptionInfo[Exception], *parts: str) -> None:
    """The message is for a user: one line, not long, and names what it is about."""
    message = str(error.value)
    assert "\n" not in message
    assert len(message.partition(": ")[2]) < 300, message
    for part in parts:
        assert part in message
    assert "weights_only" not in message, "a user should not learn how to switch the protection off"
