"""What an agent did and thought, as a stream of steps: written by evaluation and live walks, read by everything else.

One JSON object a line (`steps.jsonl`):

    {"id": "6250_0", "step": 0, "scan": ..., "viewpoint": ..., "heading": 1.57, "elevation": 0.0,
     "candidates": [viewpoint, ...], "probabilities": [..., of STOP], "action": 2,
     "words": [["walk", 0.031], ...], "memory": [0.2, ...]}

`action` is an index into the candidates followed by STOP. `probabilities`, `words` and `memory` are null where nobody
knows them, as for the result file of another codebase. An agent that acts on a map may go back over several viewpoints
in a step: `"way": [viewpoint, ...]` are those before its end. `thought` is what an agent of words said of the step,
`answer` what it answered, where a task asks for more than a path, and `details` an object of whatever else is worth
knowing; lines without these fields are read too. Of the details, the viewer knows these by name:

- `objects`: among which the agent chooses its answer, `[{"id": "12", "probability": 0.4}, ...]`. `name`, `view` (0 to
  35) and `box` (left, top, width and height in the view's 640x480 image) come from the data folder where they are left
  out. The chosen one is the `answer`.
- `prompt`: what a language model was asked, a text or a list of `{"role": ..., "content": ...}`; `reply`: what it said.
- `places`: what a language model calls the candidates, `["4", "12", ...]`, shown in place of 1, 2, ...
- `model`, `tokens` (`{"prompt": 812, "reply": 95}`), `cost` (US dollars) and `seconds`.

Anything else is shown as it is.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief
from mtvm.io.files import atomic_path, json_text, parse_json
from mtvm.world.world import World

STEPS = "steps.jsonl"
MOST_STEPS, MOST_CANDIDATES = 1000, 1000
"""Of an episode and of a step, far above those of any task: a longer walk is a damaged file."""
LONGEST_THOUGHT = 4000
LONGEST_DETAIL, LONGEST_DETAILS = 20_000, 100_000
"""Characters of a text in the details of a step, and of all of them as JSON; what is longer is cut as it is written."""
_DEEPEST = 12
_LONGEST_PLACE = 4
_IN_WORDS = ("thought", "answer", "details")


@dataclasses.dataclass(frozen=True, slots=True)
class StepEvent:
    """One step of one episode."""

    id: str
    """The episode's."""
    step: int
    scan: str
    viewpoint: str
    heading: float
    elevation: float
    candidates: list[str]
    """The viewpoints that the agent could walk to."""
    action: int
    """What it did: the index of a candidate, or their number, which is STOP."""
    probabilities: list[float] | None = None
    """Of each candidate and STOP."""
    words: list[tuple[str, float]] | None = None
    """The words of the instruction and the attention of the action's token on them: final layer, mean of the heads."""
    memory: list[float] | None = None
    """The same attention on each memory token, oldest first."""
    way: list[str] | None = None
    """The viewpoints that the step led through before its end, if it goes back on a map; null if there are none."""
    thought: str | None = None
    """Why, in the agent's words; cut after `LONGEST_THOUGHT` characters."""
    answer: str | None = None
    """What the agent answered, where the task asks for more than a path."""
    details: dict[str, Any] | None = None
    """Whatever else is worth knowing, as JSON has it."""

    def __post_init__(self) -> None:
        for name in ("thought", "answer"):
            text = getattr(self, name)
            if text is not None:
                object.__setattr__(self, name, _cut(text, LONGEST_THOUGHT))
        if self.details is not None:
            object.__setattr__(self, "details", _shortened(self.details))

    @property
    def stops(self) -> bool:
        return self.action == len(self.candidates)

    @property
    def target(self) -> str | None:
        """The viewpoint walked to; None for STOP."""
        return None if self.stops else self.candidates[self.action]

    def called(self, action: int) -> str:
        """What a candidate is called: as the agent's thought calls it, or else by its number from 1."""
        places = (self.details or {}).get("places")
        if not isinstance(places, list) or len(places) != len(self.candidates):
            return str(action + 1)
        return str(places[action])[:_LONGEST_PLACE]

    def to_json(self) -> dict[str, Any]:
        """Its fields; thought, answer and details only where there are some."""
        record = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in record.items() if value is not None or name not in _IN_WORDS}


def _cut(text: str, longest: int) -> str:
    """A text that can be written: no halves of a surrogate pair, and not too long."""
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _shortened(details: dict[str, Any]) -> dict[str, Any]:
    """Details of which no text is too long, nor all of them together; the longest entries are left out then."""
    found = {_cut(str(name), 100): _plain(value, _DEEPEST) for name, value in details.items()}
    sizes = {name: len(json_text(value)) for name, value in found.items()}
    while sum(sizes.values()) > LONGEST_DETAILS:
        longest = max(sizes, key=lambda name: sizes[name])
        found[longest] = f"({sizes.pop(longest):,} characters are left out)"
    return found


def _plain(value: Any, deepest: int) -> Any:
    """A value as JSON has it."""
    if isinstance(value, str):
        return _cut(value, LONGEST_DETAIL)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, dict | list | tuple) and not deepest:
        return "..."
    if isinstance(value, dict):
        return {_cut(str(name), 100): _plain(one, deepest - 1) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, deepest - 1) for one in value]
    return _cut(str(value), LONGEST_DETAIL)


def write_events(path: Path, events: Iterable[StepEvent]) -> None:
    with atomic_path(path) as fresh, fresh.open("w", encoding="utf-8") as file:
        for event in events:
            file.write(json_text(event.to_json()) + "\n")


def parse_event(record: Any, where: str) -> StepEvent:
    """A line of a stream, checked field by field; `where` begins the sentence of an error."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object with the fields of a step.")
    values: dict[str, Any] = {}
    for field in dataclasses.fields(StepEvent):
        value = record.get(field.name)
        if not _CHECKS[field.name](value):
            raise InputError(f"{where}: field '{field.name}' is missing or malformed ({brief(value, 30)}).")
        values[field.name] = value
    event = StepEvent(**values)
    count = len(event.candidates)
    if count > MOST_CANDIDATES:
        raise InputError(f"{where}: a step has {MOST_CANDIDATES:,} candidates at most, not {count:,}.")
    if event.action > count or (event.probabilities is not None and len(event.probabilities) != count + 1):
        raise InputError(f"{where}: 'action' and 'probabilities' do not fit {count} candidates and STOP.")
    return event


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 1000


def _is_thought(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= LONGEST_THOUGHT)


def _are_details(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _is_index(value: Any) -> bool:
    return type(value) is int and value >= 0


def _are_numbers(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_number, value)))


def _are_texts_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text, value)))


def _are_words(value: Any) -> bool:
    return value is None or (
        isinstance(value, list)
        and all(
            isinstance(pair, list) and len(pair) == 2 and _is_text(pair[0]) and _is_number(pair[1]) for pair in value
        )
    )


_CHECKS = {
    "id": _is_text,
    "step": _is_index,
    "scan": _is_text,
    "viewpoint": _is_text,
    "heading": _is_number,
    "elevation": _is_number,
    "candidates": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "action": _is_index,
    "probabilities": _are_numbers,
    "words": _are_words,
    "memory": _are_numbers,
    "way": _are_texts_or_none,
    "thought": _is_thought,
    "answer": _is_thought,
    "details": _are_details,
}


class EventFile:
    """A stream on disk: where each episode's lines are is read once, the lines themselves when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, list[tuple[int, int]]] = {}
        """Of each episode: line number and offset."""
        self._ways: dict[str, dict[int, tuple[str, ...]]] = {}
        """Of each episode and step: where the agent stood, and the viewpoints that the step led to."""
        try:
            with path.open("rb") as file:
                offset = 0
                for number, line in enumerate(file, 1):
                    if not line.isspace():
                        self._note(line, number, offset)
                    offset += len(line)
        except OSError as error:
            raise InputError(f"{path}: cannot read these steps ({error.strerror}).") from None

    def _note(self, line: bytes, number: int, offset: int) -> None:
        """Where a line is, and of which step."""
        record, where = self._parsed(line, number), f"{self.path}, line {number}"
        for name in ("id", "step", "viewpoint", "candidates", "action", "way"):
            if not isinstance(record, dict) or not _CHECKS[name](record.get(name)):
                raise InputError(f"{where}: field '{name}' is missing or malformed.")
        identity, step, action = record["id"], record["step"], record["action"]
        lines, ways = self._lines.setdefault(identity, []), self._ways.setdefault(identity, {})
        if len(lines) == MOST_STEPS:
            raise InputError(f"{where}: episode {brief(identity)} has more than {MOST_STEPS:,} steps.")
        if step in ways:
            raise InputError(f"{where}: step {step} of episode {brief(identity)} occurs twice.")
        lines.append((number, offset))
        target = record["candidates"][action : action + 1]
        ways[step] = tuple(map(sys.intern, (record["viewpoint"], *(record.get("way") or ()), *target)))

    def _parsed(self, line: bytes, number: int) -> Any:
        try:
            return parse_json(line, self.path)
        except InputError:
            raise InputError(f"{self.path}, line {number}: not valid JSON; write the file again.") from None

    def __contains__(self, identity: object) -> bool:
        return identity in self._lines

    def __len__(self) -> int:
        """The number of episodes."""
        return len(self._lines)

    def walked(self, identity: str) -> list[str]:
        """The viewpoints of an episode, in order and without stays; not connected if the steps are not."""
        passed = [name for _, way in sorted(self._ways.get(identity, {}).items()) for name in way]
        return [name for name, _ in itertools.groupby(passed)]

    def of(self, identity: str) -> list[StepEvent]:
        """The steps of an episode in their order; none if the stream does not have it."""
        events = []
        with self.path.open("rb") as file:
            for number, offset in self._lines.get(identity, []):
                file.seek(offset)
                line = self._parsed(file.readline(), number)
                events.append(parse_event(line, f"{self.path}, line {number}"))
        return sorted(events, key=lambda event: event.step)


def events_of_trajectory(
    identity: str, world: World, nodes: Sequence[int], headings: Sequence[tuple[float, float]]
) -> Iterator[StepEvent]:
    """The steps of a walk of which only the way is known: `nodes` without stays, and where the agent looked there."""
    for step, (node, (heading, elevation)) in enumerate(zip(nodes, headings, strict=True)):
        slots = world.candidates[node, : world.degree[node]].tolist()
        last = step + 1 == len(nodes)
        yield StepEvent(
            id=identity,
            step=step,
            scan=world.scan(node),
            viewpoint=str(world.viewpoints[node]),
            heading=heading,
            elevation=elevation,
            candidates=world.viewpoints[slots].tolist(),
            action=len(slots) if last else slots.index(nodes[step + 1]),
        )
