"""Protocols: what a language model is told at each step and what it answers, as files to read and replace.

One sentence that says what it is.

moves: candidates                       where an action can lead, as `Policy.moves`
thought: What you see ...               the fields of an answer in their order, and what each holds
action: The number of the place ...

# system
Text with $placeholders.

# user
Text with $placeholders.
"""

from __future__ import annotations

import dataclasses
import re
import string
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import get_args

from mtvm.acting.policy import Moves
from mtvm.errors import InputError, brief
from mtvm.io.files import read_bytes
from mtvm.llm.answers import ACTION

PROTOCOLS = ("mtvm", "map", "thought", "object")
"""Those of the package."""
PLACEHOLDERS = (
    *("instruction", "step", "most_steps", "here", "views", "objects", "places", "trajectory", "map", "elsewhere"),
    *("history", "advice", "advice_note"),
)
"""What a prompt can say. Beside these there is $last_FIELD, a field of the answer at the step before."""
_FIELD = re.compile(r"[a-z][a-z_]{0,30}")
_MOST_BYTES = 1 << 18


@dataclasses.dataclass(frozen=True)
class Protocol:
    """Read from a file."""

    name: str
    about: str
    moves: Moves
    fields: Mapping[str, str]
    """Of an answer, in their order: what each holds."""
    system: str
    user: str

    @property
    def texts(self) -> list[str]:
        """The fields of an answer other than its action."""
        return [name for name in self.fields if name != ACTION]

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """The messages of system and user. A value is put in as it is: what looks like a placeholder in it is none."""
        system, user = (string.Template(text).substitute(values).strip() for text in (self.system, self.user))
        return system, user


def read_protocol(name: str | Path) -> Protocol:
    """A protocol of the package by name, or the one in a file."""
    if str(name) in PROTOCOLS:
        content = (resources.files("mtvm.llm") / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
        return _parsed(content, str(name), f"{name}.txt")
    path = Path(name)
    if not path.is_file() and not path.suffix:
        raise InputError(f"there is no protocol '{brief(name)}'; give one of {', '.join(PROTOCOLS)}, or a file.")
    content_bytes = read_bytes(path, "protocol")
    if len(content_bytes) > _MOST_BYTES:
        raise InputError(f"{path}: has {len(content_bytes):,} bytes; a protocol has {_MOST_BYTES:,} at most.")
    try:
        return _parsed(content_bytes.decode(), path.stem, str(path))
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text in UTF-8; write the protocol again.") from None


def _parsed(content: str, name: str, where: str) -> Protocol:
    parts = re.split(r"^# (system|user)[ \t]*$", content.replace("\r\n", "\n"), flags=re.MULTILINE)
    if parts[1::2] != ["system", "user"]:
        raise InputError(f"{where}: a protocol has a line '# system' and, later, a line '# user', once each.")
    about, said = [], {}
    for line in filter(str.strip, parts[0].split("\n")):
        key, colon, value = line.partition(":")
        if colon and _FIELD.fullmatch(key):
            said[key] = value.strip()
        else:
            about.append(line.strip())
    moves = said.pop("moves", "")
    if moves not in ("candidates", "map"):
        raise InputError(f"{where}: a protocol says 'moves: candidates' or 'moves: map', not '{brief(moves)}'.")
    assert moves in get_args(Moves)
    if ACTION not in said:
        raise InputError(f"{where}: a protocol says '{ACTION}: ...', what the action of an answer is.")
    known = {*PLACEHOLDERS, *(f"last_{field}" for field in said if field != ACTION)}
    for text in parts[2::2]:
        template = string.Template(text)
        if not template.is_valid():
            raise InputError(f"{where}: holds a '$' that begins no placeholder; write '$$' for the sign.")
        if unknown := sorted(set(template.get_identifiers()) - known):
            raise InputError(
                f"{where}: there is no placeholder ${brief(unknown[0])}; there are {', '.join(sorted(known))}."
            )
    return Protocol(name, " ".join(about), moves, said, parts[2], parts[4])
