"""The model's step as a program without Python, by torch.export."""

from __future__ import annotations

import io
from pathlib import Path

import torch
from torch import Tensor, nn

from mtvm import products
from mtvm.errors import InputError
from mtvm.io.weight_files import torch_file
from mtvm.models.model import MTVM
from mtvm.models.network import Network


class ActionProgram(nn.Module):
    """One step of a model with a memory bank, for a robot's runtime.

    Inputs: text (B, L, hidden), text mask (B, L), memory (B, n, token width) with n >= 1 and its mask (B, n; all false
    at the first step), actions (B, A, token width) with all zeros for STOP and padding, and their mask (B, A). Outputs:
    logits (B, A) and activations (B, A, feature width), whose chosen row, joined with the direction after the move, is
    the next memory token.
    """

    def __init__(self, model: Network) -> None:
        super().__init__()
        if not isinstance(model, MTVM) or not model.history.stores_activations:
            kind = model.config.history.name if isinstance(model, MTVM) else model.config.architecture.name
            raise InputError(f"only models with a memory bank can be exported, not those of kind '{kind}'.")
        self.model = model

    def forward(
        self, text: Tensor, text_mask: Tensor, memory: Tensor, memory_mask: Tensor, actions: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        words = self.model.prepare(text, text_mask, text_mask)
        encoded = self.model.token_encoder(memory)
        step = self.model(words, encoded, memory_mask, actions, mask, need_context=False)
        return step.logits, step.activations


def export_step(model: Network, path: Path) -> None:
    """Write the step for any batch size, text length, memory length and number of actions, for `torch.export.load`."""
    config, training, program = model.config, model.training, ActionProgram(model)
    sizes = {"words": (7, config.hidden), "steps": (3, config.token_width), "actions": (5, config.token_width)}
    batch = torch.export.Dim("batch", min=1)
    example, shapes = [], []
    for name, (length, width) in sizes.items():
        shape = {0: batch, 1: torch.export.Dim(name, min=1)}
        example += [torch.zeros(2, length, width), torch.ones(2, length, dtype=torch.bool)]
        shapes += [shape, shape]
    try:
        with products.using("mkl"):  # other ways, which a training before may have chosen, are for some sizes only
            exported = torch.export.export(program.eval(), tuple(example), dynamic_shapes=tuple(shapes))
    finally:
        model.train(training)
    packed = io.BytesIO()  # torch ends the whole process where it cannot write a program to a file
    torch.export.save(exported, packed)
    with torch_file(path) as file:
        file.write(packed.getbuffer())
