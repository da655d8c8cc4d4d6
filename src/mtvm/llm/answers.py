"""What a language model may answer: one of the actions that it was offered, with some texts, and nothing else.

An answer is compared with the labels of the offered actions. It is never taken for a path, a name or code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ACTION = "action"
STOP = "stop"
"""The label of the action that ends an episode; the others are numbers of places."""

_MOST_OBJECTS = 50
"""How many `{`, the last ones, are tried as the beginning of the JSON object that is asked for."""
_LONGEST_TEXT = 4000
_SAID = re.compile(
    r"\b(?:final answer|action)\b[\"'*_` ]{0,8}[:=][\"'*_` \[(]{0,8}(?:place )?([a-z0-9]{1,12})", re.IGNORECASE
)
_FINISHED = {"finished", "finish", "stop", "done"}


class Answer(NamedTuple):
    """A well-formed answer."""

    label: str
    """Of the action: the number of a place, or `STOP`."""
    texts: dict[str, str]
    """The other fields, as far as they were given."""


class MalformedError(ValueError):
    """An answer from which no action can be read; the message tells the model what is wrong with it."""


def schema(labels: Sequence[str], fields: Mapping[str, str]) -> dict[str, Any]:
    """The JSON schema of an answer: texts, then the action. `fields` says of each what it should hold."""
    said: dict[str, Any] = {name: {"type": "string", "description": what} for name, what in fields.items()}
    said[ACTION] = said.get(ACTION, {"type": "string"}) | {"enum": list(labels)}
    return {"type": "object", "properties": said, "required": list(said), "additionalProperties": False}


def parse(text: str, labels: Sequence[str], fields: Mapping[str, str]) -> Answer:
    """The answer in a text: its last JSON object, or else a line such as 'Action: 3'. What stands between <think> and
    </think>, as some models write it, is not a part of it."""
    offered, text = ", ".join(labels), _without_thinking(text)
    found = _object_in(text)
    if found is None:
        said = list(_SAID.finditer(text))
        if not said:
            raise MalformedError(f"it is not the JSON object that was asked for, with an action of {offered}")
        label = _label(said[-1][1], labels)
        if label is None:
            raise MalformedError(f"the action is not one of {offered}")
        thought = next((name for name in fields if name != ACTION), None)
        before = text[: said[-1].start()].rstrip(" *_`\"'\n")
        return Answer(label, {} if thought is None else {thought: before[:_LONGEST_TEXT]})
    named = {str(name).lower(): value for name, value in found.items()}
    if ACTION not in named:
        raise MalformedError(f"the JSON object has no field '{ACTION}'")
    label = _label(named[ACTION], labels)
    if label is None:
        raise MalformedError(f"the action is not one of {offered}")
    texts = {name: named[name] for name in fields if name != ACTION and isinstance(named.get(name), str)}
    return Answer(label, {name: value[:_LONGEST_TEXT] for name, value in texts.items()})


def _label(value: Any, labels: Sequence[str]) -> str | None:
    """Which of the offered labels a value means."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    said = str(value)[:60].strip().strip(".\"'`*").lower().removeprefix("place").strip()
    if said in _FINISHED:
        said = STOP
    return said if said in labels else None


def _without_thinking(text: str) -> str:
    """The text after the model's thinking; nothing if it never ends. Some servers leave out its beginning."""
    return text.rpartition("</think>")[2].partition("<think>")[0]


def _object_in(text: str) -> dict[str, Any] | None:
    """The last JSON object with an action in a text, since who thinks aloud answers in the end; else the first."""
    decoder, found, first, end = json.JSONDecoder(), None, None, 0
    for start in [place.start() for place in re.finditer(r"\{", text)][-_MOST_OBJECTS:]:
        if start < end:  # inside of the one before
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        first = first or value
        if any(str(name).lower() == ACTION for name in value):
            found = value
    return found or first
