"""Answers on disk, by what was asked: an interrupted run goes on for free, and a finished one costs nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from mtvm.errors import InputError
from mtvm.io.files import cache_dir, write_json


class Reply(NamedTuple):
    """What a model answered, and the tokens that it took."""

    text: str
    prompt_tokens: int
    answer_tokens: int


_MOST_TOKENS, _MOST_BYTES = 10**9, 1 << 23
"""More than any answer that was kept here can have."""


class AnswerCache:
    """A folder of answers. One that is damaged or cannot be written costs a question, nothing else."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_dir() / "llm" if folder is None else folder

    def find(self, question: Any) -> Reply | None:
        """The answer to a question that was asked before."""
        path = self._path(question)
        try:
            if not path.is_file() or path.stat().st_size > _MOST_BYTES:  # not a pipe, which would be waited for
                return None
            value = json.loads(path.read_bytes())
            reply = Reply(value["text"], value["prompt_tokens"], value["answer_tokens"])
            reply.text.encode()  # half a character could not be sent or written
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        sound = all(type(count) is int and 0 <= count < _MOST_TOKENS for count in reply[1:])
        return reply if sound and isinstance(reply.text, str) else None

    def keep(self, question: Any, reply: Reply) -> None:
        with contextlib.suppress(OSError, InputError):
            write_json(self._path(question), reply._asdict())

    def _path(self, question: Any) -> Path:
        """Named by a digest of the question alone: no answer has a say in it."""
        content = json.dumps(question, sort_keys=True, ensure_ascii=True)
        digest = hashlib.sha256(content.encode()).hexdigest()
        return self.folder / digest[:2] / f"{digest}.json"
