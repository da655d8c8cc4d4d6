"""A stand-in for a language model, to try everything that is around one: no server, no key, no cost.

It is not a language model. It counts the words that the instruction shares with what is said of each place, goes to the
place that shares most of them, and stops after five steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mtvm.llm.answers import ACTION, STOP
from mtvm.llm.cache import Reply
from mtvm.llm.client import Message, estimated_tokens
from mtvm.llm.costs import FREE, Price, count_tokens

STUB = "stub"
_STEPS = 5
_COMMON = frozenset(
    ("a", "an", "and", "at", "in", "into", "is", "it", "of", "on", "the", "then", "there", "to", "with", "you")
)


class Stub:
    """Answers at once."""

    name = STUB
    price: Price | None = FREE
    most_tokens: int | None = None
    spent = 0.0

    def ask(self, messages: list[Message], schema: Mapping[str, Any]) -> tuple[Reply, float]:
        prompt = _text(messages[1])
        labels = schema["properties"][ACTION]["enum"]
        instruction = _words(next(iter(re.findall(r"^Instruction: (.*)$", prompt, re.MULTILINE)), ""))
        step = int(next(iter(re.findall(r"\bstep (\d+) of", prompt)), "1"))
        shared = {
            label: len(instruction & _words(line))
            for label, line in re.findall(r"^(\d+): (.*)$", prompt, re.MULTILINE)
            if label in labels and "you were there" not in line
        }
        action = STOP if step > _STEPS or not shared else max(shared, key=lambda label: shared[label])
        said = f"Words shared with the instruction: {shared.get(action, 0)}."
        answer = {name: said if name == "thought" else "" for name in schema["properties"]} | {ACTION: action}
        text = json.dumps(answer)
        return Reply(text, estimated_tokens(messages), count_tokens(text)), 0.0

    def give_up(self) -> None:
        pass

    def go_on(self) -> None:
        pass


def _text(message: Message) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower())) - _COMMON
