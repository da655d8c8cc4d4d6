"""A bank of past activations, one token a step, of variable length (Eq. 2).

It knows nothing of the model that fills it: another one can use it as it is.

    bank = MemoryBank(batch=64, width=2176)
    bank.append(token)                       # (64, 2176): one token for each episode
    tokens, mask = bank.tokens(), bank.mask()    # (64, n, 2176), (64, n)
"""

from __future__ import annotations

import torch
from torch import Tensor

_FIRST_CAPACITY = 16


class MemoryBank:
    """Tokens of a batch of episodes that may have started at different times.

    Tokens that carry gradients are kept as they came and joined when they are read, so that gradients flow back
    through every step. Without gradients they are written into a buffer that doubles when it is full: appending never
    copies the bank. `limit` reads only the last so many tokens of each episode; older ones are let go of now and then.
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
        self._count = self._gone = 0
        self._buffer = torch.empty(batch, 0, width, device=device, dtype=dtype)
        self._pieces: list[Tensor] = []
        self._valid = torch.empty(batch, 0, dtype=torch.bool, device=device)
        self._even = True  # every episode has every token

    def __len__(self) -> int:
        """How many times something was appended: the longest episode's length, before the limit."""
        return self._gone + self._count

    @property
    def batch(self) -> int:
        return len(self._valid)

    def append(self, token: Tensor, alive: Tensor | None = None) -> None:
        """Add a token (B, width) to each episode, or to those that are `alive` (B,)."""
        if token.shape != (self.batch, self.width):
            raise ValueError(
                f"a token for each of {self.batch} episodes is needed, of width {self.width}; got {token.shape}"
            )
        if token.requires_grad or self._pieces:
            if not self._pieces and self._count:
                self._pieces = list(self._buffer[:, : self._count].unbind(1))
            self._pieces.append(token)
        else:
            self._reserve(self._count + 1)
            self._buffer[:, self._count] = token
        everyone = torch.ones(self.batch, dtype=torch.bool, device=token.device)
        self._valid = torch.cat([self._valid, (everyone if alive is None else alive.bool())[:, None]], dim=1)
        self._even = self._even and alive is None
        self._count += 1
        self._let_go()

    def _let_go(self) -> None:
        """Drop what no episode reads any more, if that is as much as all that is read, so that little is copied."""
        if self.limit is None or self._count < 2 * max(self.limit, _FIRST_CAPACITY):
            return
        first = self._first()
        self._valid, self._buffer = self._valid[:, first:], self._buffer[:, first:].clone()
        self._pieces = self._pieces[first:]
        self._count, self._gone = self._count - first, self._gone + first

    def _reserve(self, count: int) -> None:
        capacity = self._buffer.shape[1]
        if count > capacity:
            larger = self._buffer.new_empty(self.batch, max(2 * capacity, _FIRST_CAPACITY), self.width)
            larger[:, :capacity] = self._buffer
            self._buffer = larger

    def _first(self) -> int:
        """The first token that any episode reads."""
        if self._even:
            return 0 if self.limit is None else max(self._count - self.limit, 0)
        read = self._read().any(dim=0)
        return int(read.to(torch.int8).argmax()) if bool(read.any()) else self._count

    def _read(self) -> Tensor:
        """(B, n) which of all tokens each episode reads."""
        if self.limit is None:
            return self._valid
        from_the_end = self._valid.flip(1).cumsum(1).flip(1)
        return self._valid & (from_the_end <= self.limit)

    def tokens(self) -> Tensor:
        """(B, n, width). Where `mask` is false there is nothing to read."""
        first = self._first()
        if self._pieces:
            return torch.stack(self._pieces[first:], dim=1) if first < self._count else self._pieces[0][:, None][:, :0]
        stored = self._buffer[:, first : self._count]
        return stored.clone() if torch.is_grad_enabled() else stored  # a graph must not see later tokens written

    def latest(self, age: int = 1) -> Tensor:
        """(B, width) the token that was appended last, or `age` - 1 before it."""
        if self._pieces:
            return self._pieces[-age]
        stored = self._buffer[:, self._count - age]
        return stored.clone() if torch.is_grad_enabled() else stored

    def mask(self) -> Tensor:
        """(B, n), true for tokens of the episode's own past, the last `limit` of them."""
        return (self._valid if self._even else self._read())[:, self._first() :]

    def lengths(self) -> Tensor:
        """(B,) number of tokens that each episode reads."""
        return self.mask().sum(dim=1)

    def keep(self, rows: Tensor) -> MemoryBank:
        """A bank of the episodes at `rows` (indices or a mask); the others have ended."""
        kept = MemoryBank(0, self.width, self.limit, dtype=self._buffer.dtype)
        kept._count, kept._gone, kept._even = self._count, self._gone, self._even
        kept._valid = self._valid[rows]
        kept._buffer = self._buffer[rows]
        kept._pieces = [piece[rows] for piece in self._pieces]
        return kept

    def forget(self, rows: Tensor) -> None:
        """Empty the memory of the episodes at `rows`, which start anew."""
        self._valid = self._valid.clone()
        self._valid[rows] = False
        self._even = self._even and self._count == 0

    def detach(self) -> MemoryBank:
        """The same tokens without their gradients."""
        kept = self.keep(torch.arange(self.batch, device=self._valid.device))
        kept._pieces = [piece.detach() for piece in kept._pieces]
        return kept

    def state_dict(self) -> dict[str, Tensor]:
        """What a serving agent saves to go on later."""
        tokens = torch.stack(self._pieces, dim=1) if self._pieces else self._buffer[:, : self._count]
        return {"tokens": tokens.detach().clone(), "valid": self._valid.clone()}

    @classmethod
    def from_state_dict(cls, state: dict[str, Tensor], limit: int | None = None) -> MemoryBank:
        batch, count, width = state["tokens"].shape
        bank = cls(batch, width, limit, state["tokens"].device, state["tokens"].dtype)
        bank._buffer, bank._valid, bank._count = state["tokens"].clone(), state["valid"].clone(), count
        bank._even = bool(bank._valid.all())
        return bank
