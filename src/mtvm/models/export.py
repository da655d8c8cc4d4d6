"""The step function as a program without Python: torch.export."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from mtvm.errors import InputError
from mtvm.files import atomic_path
from mtvm.models.attention import Packing
from mtvm.models.model import MTVM
from mtvm.models.vision import CURRENT, PAST


class StepProgram(nn.Module):
    """One step of a memory-bank model as a function of tensors: what a robot's runtime calls.

    Inputs: text (B, L, hidden), text mask (B, L), memory (B, n, token width) with n >= 1 and its mask (B, n; all false
    at the first step), actions (B, A, token width) with all zeros for STOP and padding, and their mask (B, A). Outputs:
    logits (B, A) and activations (B, A, feature width), whose chosen row, joined with the direction after the move, is the next memory token.
    """

    def __init__(self, model: MTVM) -> None:
        super().__init__()
        if model.config.history != "memory":
            raise InputError(
                f"only models with a memory bank can be exported, not those with history '{model.config.history}'."
            )
        self.model = model

    def forward(
        self, text: Tensor, text_mask: Tensor, memory: Tensor, memory_mask: Tensor, actions: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        model = self.model
        current = model.scaled(actions)
        tokens = torch.cat([model.token_encoder(memory), model.token_encoder(current)], dim=1)
        stream_mask = torch.cat([memory_mask, mask], dim=1)
        positions = (stream_mask.to(torch.long).cumsum(dim=1) - 1).clamp(0, model.config.max_positions - 1)
        past = torch.full((memory.shape[1],), PAST, device=memory.device)
        now = torch.full((current.shape[1],), CURRENT, device=memory.device)
        stream = model.embedding(tokens, positions, torch.cat([past, now]))
        here = Packing(mask)
        _, seen = model.crossmodal(text, Packing(text_mask), stream, Packing(stream_mask), asked=here)
        scores, activations = model.head(seen)
        return scores.masked_fill(~mask, -torch.inf), activations


def export_step(model: MTVM, path: Path) -> None:
    """Write the step function for any batch, text, memory and number of candidates; `torch.export.load` reads it."""
    config = model.config
    training = model.training
    program = StepProgram(model.eval())
    example = (
        torch.zeros(2, 7, config.hidden),
        torch.ones(2, 7, dtype=torch.bool),
        torch.zeros(2, 3, config.token_width),
        torch.ones(2, 3, dtype=torch.bool),
        torch.zeros(2, 5, config.token_width),
        torch.ones(2, 5, dtype=torch.bool),
    )
    batch, words, steps, actions = (torch.export.Dim(name, min=1) for name in ("batch", "words", "steps", "actions"))
    shapes = (
        {0: batch, 1: words},
        {0: batch, 1: words},
        {0: batch, 1: steps},
        {0: batch, 1: steps},
        {0: batch, 1: actions},
        {0: batch, 1: actions},
    )
    try:
        exported = torch.export.export(program, example, dynamic_shapes=shapes)
    finally:
        model.train(training)
    with atomic_path(path) as fresh:
        torch.export.save(exported, fresh)
