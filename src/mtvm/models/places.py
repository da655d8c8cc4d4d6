"""Rows of a batch that belong together: the steps of a walk, which read one text and one memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import Tensor


@dataclasses.dataclass
class Places:
    """Where R rows stand in a grid of `batch` rows and `count` columns, each in a place of its own."""

    batch: int
    count: int
    rows: Tensor
    """(R,)"""
    columns: Tensor
    """(R,)"""

    def __len__(self) -> int:
        return len(self.rows)

    def of_variants(self, variants: int) -> Places:
        """The same for rows that come so many times, each time in a grid of their own."""
        if variants == 1:
            return self
        rows = torch.cat([self.rows + number * self.batch for number in range(variants)])
        return Places(variants * self.batch, self.count, rows, self.columns.repeat(variants))

    def spread(self, rows: Tensor) -> Tensor:
        """(R, heads, n, width) to (batch, heads, count, n, width), zeros where no row stands."""
        grid: Tensor = _Spread.apply(rows, self)  # type: ignore[no-untyped-call]
        return grid

    def collect(self, grid: Tensor) -> Tensor:
        """Back to (R, heads, n, width)."""
        rows: Tensor = _Collect.apply(grid, self)  # type: ignore[no-untyped-call]
        return rows

    def repeat(self, batch: Tensor) -> Tensor:
        """(batch, ...) to (R, ...): what each row's row of the grid has."""
        rows: Tensor = _Repeat.apply(batch, self)  # type: ignore[no-untyped-call]
        return rows


# Copies whose gradients are copies too, which torch cannot know and would add up slowly.


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, places: Places) -> Tensor:
        ctx.places = places
        grid = rows.new_zeros(places.batch, rows.shape[1], places.count, *rows.shape[2:])
        grid.transpose(1, 2)[places.rows, places.columns] = rows
        return grid

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0].transpose(1, 2)[ctx.places.rows, ctx.places.columns], None


class _Collect(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, grid: Tensor, places: Places) -> Tensor:
        ctx.places, ctx.shape = places, grid.shape
        return grid.transpose(1, 2)[places.rows, places.columns]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        grid = gradients[0].new_zeros(ctx.shape)
        grid.transpose(1, 2)[ctx.places.rows, ctx.places.columns] = gradients[0]
        return grid, None


class _Repeat(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, batch: Tensor, places: Places) -> Tensor:
        ctx.places = places
        return batch.index_select(0, places.rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        places, gradient = ctx.places, gradients[0]
        grid = gradient.new_zeros(places.batch, places.count, *gradient.shape[1:])
        grid[places.rows, places.columns] = gradient
        return grid.sum(dim=1), None
