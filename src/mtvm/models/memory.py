"""A bank of past activations, one token a step (Eq. 2). It does not depend on the model that fills it.

bank = MemoryBank(batch=64, width=2176)
bank.append(token)    # (64, 2176)
bank.tokens()         # (64, n, 2176)
"""

from __future__ import annotations

import torch
from torch import Tensor

_FIRST_CAPACITY = 16


class MemoryBank:
    """The tokens of a batch of episodes; `limit` keeps only the last so many.

    Tokens that carry gradients are kept as they came and joined when they are read, so that gradients flow back
    through every step. Without gradients they are written into a buffer that doubles when it is full: appending never
    copies the bank.
    """

    def __init__(
        self,
        batch: int,
        width: int,
        limit: int | None = None,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.width, self.limit = width, limit
        self._appended = 0
        self._buffer = torch.empty(batch, 0, width, device=device, dtype=dtype)
        self._used = 0
        """Tokens in the buffer, some of which may be beyond the limit."""
        self._pieces: list[Tensor] = []

    def __len__(self) -> int:
        """How many tokens were appended to each episode, including those beyond the limit."""
        return self._appended

    @property
    def batch(self) -> int:
        return len(self._buffer)

    def append(self, token: Tensor) -> None:
        """Add a token (B, width) to each episode."""
        if token.shape != (self.batch, self.width):
            raise ValueError(
                f"a token of width {self.width} is needed for each of {self.batch} episodes; got {tuple(token.shape)}."
            )
        if token.requires_grad or self._pieces:
            self._keep_as_piece(token)
        else:
            self._make_room()
            self._buffer[:, self._used] = token
            self._used += 1
        self._appended += 1

    def _keep_as_piece(self, token: Tensor) -> None:
        if not self._pieces:
            self._pieces = list(self._buffer[:, self._first() : self._used].unbind(1))
            self._buffer, self._used = self._buffer[:, :0], 0
        self._pieces.append(token)
        if self.limit is not None:
            del self._pieces[: max(len(self._pieces) - self.limit, 0)]

    def _make_room(self) -> None:
        """Room for one more token. What is beyond the limit goes once it is as much as what is kept."""
        if self.limit is not None and self._used >= 2 * max(self.limit, _FIRST_CAPACITY):
            first = self._first()
            self._buffer, self._used = self._buffer[:, first:].clone(), self._used - first
        capacity = self._buffer.shape[1]
        if self._used == capacity:
            larger = self._buffer.new_empty(self.batch, max(2 * capacity, _FIRST_CAPACITY), self.width)
            larger[:, :capacity] = self._buffer
            self._buffer = larger

    def _first(self) -> int:
        """The first token of the buffer within the limit."""
        return 0 if self.limit is None else max(self._used - self.limit, 0)

    def tokens(self) -> Tensor:
        """(B, n, width), the oldest first."""
        return torch.stack(self._pieces, dim=1) if self._pieces else self._from_buffer(self._first())

    def latest(self, count: int) -> list[Tensor]:
        """The last `count` tokens, each (B, width), the oldest first; those beyond the limit are left out."""
        if self._pieces:
            return self._pieces[max(len(self._pieces) - count, 0) :]
        return list(self._from_buffer(max(self._used - count, self._first())).unbind(1))

    def _from_buffer(self, first: int) -> Tensor:
        stored = self._buffer[:, first : self._used]
        return stored.clone() if torch.is_grad_enabled() else stored  # a graph must not see later tokens written

    def keep(self, rows: Tensor) -> MemoryBank:
        """The bank of the episodes at `rows` (indices or a mask)."""
        kept = MemoryBank(0, self.width, self.limit)
        kept._appended, kept._used = self._appended, self._used
        kept._buffer = self._buffer[rows]
        kept._pieces = [piece[rows] for piece in self._pieces]
        return kept
