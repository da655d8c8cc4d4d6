"""What tokens cost, and the limit of what may be spent."""

from __future__ import annotations

import dataclasses
import math
import threading
from importlib import resources
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.io.files import parse_json, read_bytes

_LETTERS_PER_TOKEN = 4
"""Of English, roughly: for estimates, and where a server does not count."""
IMAGE_TOKENS = 765
"""An image of 640x480 as OpenAI's models count it, for estimates; others count differently."""


def count_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return math.ceil(len(text) / _LETTERS_PER_TOKEN)


@dataclasses.dataclass(frozen=True)
class Price:
    """Dollars per million tokens."""

    prompt: float
    answer: float

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6


FREE = Price(0.0, 0.0)


def read_prices(path: Path | None = None) -> dict[str, Price]:
    """The prices of models by name, from a file or from that of the package."""
    own = resources.files("mtvm.llm") / "prices.json"
    where = path or Path("prices.json")
    values = parse_json(own.read_bytes() if path is None else read_bytes(path, "prices"), where)
    models = values.get("models") if isinstance(values, dict) else None
    if not isinstance(models, dict):
        raise InputError(
            f'{where}: not a file of prices; it holds {{"models": {{NAME: {{"prompt": ..., "answer": ...}}}}}}.'
        )
    return {str(name): _price(one, f"{where}: model {brief(name)}") for name, one in models.items()}


def _price(value: Any, where: str) -> Price:
    known = isinstance(value, dict) and value.keys() == {"prompt", "answer"}
    if not known or not all(type(one) in (int, float) and 0 <= one < 1e6 for one in value.values()):
        raise InputError(f"{where}: give the dollars per million tokens of 'prompt' and 'answer'.")
    return Price(float(value["prompt"]), float(value["answer"]))


class BudgetError(InputError):
    """The next question could cost more than is left."""


class Budget:
    """What was spent, and what may be; threads share it.

    A question is paid for in advance with the most that it can cost, so that questions under way at the same time
    cannot spend more than there is. Where that leaves too little for another, it waits for what they leave over.
    """

    def __init__(self, most: float | None = None) -> None:
        if most is not None and not 0 <= most < math.inf:
            raise InputError(f"--max-cost is a number of dollars, not {brief(most)}.")
        self.most, self.spent = most, 0.0
        self._reserved, self._under_way = 0.0, 0
        self._changed = threading.Condition()

    def reserve(self, most: float) -> None:
        """Set aside the most that a question can cost."""
        with self._changed:
            while self._under_way and not self._leaves(most):
                self._changed.wait()
            if not self._leaves(most):
                raise BudgetError(
                    f"${self.spent:.4f} were spent and the next answer could cost ${most:.4f}, which is more than "
                    f"--max-cost {self.most:g} leaves; what was answered is kept, so start again with more, or with a "
                    "smaller --sample."
                )
            self._reserved += most
            self._under_way += 1

    def pay(self, reserved: float, cost: float) -> None:
        """Spend `cost` of what was set aside."""
        with self._changed:
            self._under_way -= 1
            self._reserved = self._reserved - reserved if self._under_way else 0.0
            self.spent += cost
            self._changed.notify_all()

    def _leaves(self, most: float) -> bool:
        return self.most is None or self.spent + self._reserved + most <= self.most
