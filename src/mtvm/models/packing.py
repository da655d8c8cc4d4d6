"""Batches without their padding.

Nearly all of a transformer's work is products of tokens with weight matrices, and padded tokens cost as much as real
ones. Tokens therefore travel packed, as one (tokens, hidden) matrix of the real ones; only attention, which must know
which tokens belong together, spreads them out to (batch, length) and back.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from mtvm import products
from mtvm.models.places import Places


class Packing:
    """Where the real tokens of a padded batch are.

    `mask` is (B, n), true for tokens that can be attended to. `drop` false computes padded tokens like real ones.

    Products may be faster with certain numbers of rows. A packed batch then has a few more rows at its end, which are
    kept from layer to layer, are never spread, and have no gradients.
    """

    def __init__(self, mask: Tensor, drop: bool = True) -> None:
        self.batch, self.length = mask.shape
        self.drop = drop
        self._joined: Packing | None = None
        # An exported program must not depend on the data: it keeps its padding, and its batch dimension.
        self._exporting = torch.compiler.is_exporting()
        real = mask.flatten().nonzero()[:, 0] if drop and not self._exporting else None
        # Either way a device is waited for once.
        full = len(real) == mask.numel() if real is not None else not self._exporting and bool(mask.all())
        self.mask: Tensor | None = None if full else mask
        """None where all tokens are real, which lets torch take its fastest path."""
        self._real: Tensor | None = None if full else real
        self._grid: tuple[Tensor, Tensor] | None = None
        if self._real is not None:
            self._grid = (self._real // self.length, self._real % self.length)
            extra = products.bucket(len(self._real)) - len(self._real)
            self._rows = functional.pad(self._real, (0, extra)) if extra else self._real

    def last(self, packed: Tensor, tail: Packing) -> Tensor:
        """The last tokens of each row of a packed batch, packed as `tail`."""
        if tail.length == self.length:
            return packed
        if self._grid is not None:
            rows = (self._grid[1] >= self.length - tail.length).nonzero()[:, 0]
            extra = products.bucket(len(rows)) - len(rows)
            return take(packed, rows, functional.pad(rows, (0, extra)) if extra else None)
        spread = packed if self._exporting else packed.view(self.batch, self.length, *packed.shape[1:])
        return tail.pack(spread[:, -tail.length :])

    @property
    def together(self) -> Packing:
        """How the tokens ask others: as they are, unless `join` has put rows that ask the same side by side."""
        return self._joined or self

    def join(self, places: Places) -> None:
        """Let rows that share a row of `places` ask together."""
        device = places.rows.device
        rows, columns = self._grid or (
            torch.arange(self.batch, device=device).repeat_interleave(self.length),
            torch.arange(self.length, device=device).repeat(self.batch),
        )
        self._joined = joined = copy.copy(self)
        joined.batch, joined.length = places.batch, places.count * self.length
        joined._grid = places.rows[rows], places.columns[rows] * self.length + columns
        joined._real = joined._grid[0] * joined.length + joined._grid[1]
        if self._grid is None:
            joined._rows = joined._real

    def pack(self, tokens: Tensor) -> Tensor:
        """(B, n, ...) to (rows, ...), one for each real token."""
        if self._exporting:
            return tokens
        flat = tokens.flatten(0, 1)
        return flat if self._real is None else take(flat, self._real, self._rows)

    def real(self, tokens: Tensor) -> Tensor:
        """(B, n, ...) to (real tokens, ...), nothing else."""
        flat = tokens.flatten(0, 1)
        return flat if self._real is None else take(flat, self._real)

    def spread(self, packed: Tensor) -> Tensor:
        """(rows, ...) to (B, n, ...), with zeros for padding."""
        if self._exporting:
            return packed
        if self._real is not None:
            packed = _Spread.apply(packed, self._real, self.batch * self.length)  # type: ignore[no-untyped-call]
        return packed.view(self.batch, self.length, *packed.shape[1:])

    def spread_heads(self, packed: Tensor) -> Tensor:
        """(rows, parts, heads, width) to (parts, B, heads, n, width), with zeros for padding."""
        if self._grid is not None:
            padded: Tensor = _SpreadHeads.apply(packed, *self._grid, self.batch, self.length)  # type: ignore[no-untyped-call]
            return padded
        spread = packed if self._exporting else packed.view(self.batch, self.length, *packed.shape[1:])
        return spread.permute(2, 0, 3, 1, 4)

    def pack_heads(self, spread: Tensor) -> Tensor:
        """(B, heads, n, width) to (rows, heads * width)."""
        if self._grid is None:
            return self.pack(spread.transpose(1, 2).flatten(2))
        packed: Tensor = _PackHeads.apply(spread, *self._grid, len(self._rows))  # type: ignore[no-untyped-call]
        return packed


# Gathers whose gradients are copies: no index occurs twice, which torch cannot know and would add up slowly.


def take(batch: Tensor, rows: Tensor, padded: Tensor | None = None) -> Tensor:
    """The rows at these indices, none of which may occur twice; `padded` are these and then others, whose rows fill up
    the batch and get no gradient."""
    taken: Tensor = _Take.apply(batch, rows, rows if padded is None else padded)  # type: ignore[no-untyped-call]
    return taken


class _Take(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, flat: Tensor, rows: Tensor, padded: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.count = len(flat)
        return flat.index_select(0, padded)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (rows,) = ctx.saved_tensors
        gradient = gradients[0]
        of_rows = gradient.new_zeros(ctx.count, *gradient.shape[1:]).index_copy_(0, rows, gradient[: len(rows)])
        return of_rows, None, None


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, packed: Tensor, rows: Tensor, count: int) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.count = len(packed)
        return packed.new_zeros(count, *packed.shape[1:]).index_copy_(0, rows, packed[: len(rows)])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (rows,) = ctx.saved_tensors
        return _filled_up(gradients[0].index_select(0, rows), ctx.count), None, None


class _SpreadHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, packed: Tensor, rows: Tensor, columns: Tensor, batch: int, length: int) -> Tensor:
        ctx.save_for_backward(rows, columns)
        ctx.count, parts, heads, width = packed.shape
        spread = packed.new_zeros(parts, batch, heads, length, width)
        spread.permute(1, 3, 0, 2, 4)[rows, columns] = packed[: len(rows)]
        return spread

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        rows, columns = ctx.saved_tensors
        of_rows = gradients[0].permute(1, 3, 0, 2, 4)[rows, columns]
        return _filled_up(of_rows, ctx.count), None, None, None, None


class _PackHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, spread: Tensor, rows: Tensor, columns: Tensor, count: int) -> Tensor:
        ctx.save_for_backward(rows, columns)
        ctx.shape = spread.shape
        return _filled_up(spread.transpose(1, 2)[rows, columns].flatten(1), count)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        rows, columns = ctx.saved_tensors
        _, heads, _, width = ctx.shape
        spread = gradients[0].new_zeros(ctx.shape)
        spread.transpose(1, 2)[rows, columns] = gradients[0][: len(rows)].view(-1, heads, width)
        return spread, None, None, None


def _filled_up(rows: Tensor, count: int) -> Tensor:
    """With rows of zeros to `count` rows."""
    return rows if len(rows) == count else functional.pad(rows, (0, 0) * (rows.ndim - 1) + (0, count - len(rows)))
