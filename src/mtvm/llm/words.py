"""What an agent sees and remembers, in words: places with numbers that never change, their map, and the way so far.

Everything that came from a file or a person stands in quotation marks, escaped, so that it cannot pass for a part of
the prompt.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from mtvm.acting.policy import Want
from mtvm.acting.scenes import Thing
from mtvm.acting.sights import Candidate, Sight
from mtvm.features.detections import Detection
from mtvm.llm.answers import STOP

_LONGEST_CAPTION, _LONGEST_INSTRUCTION, _LONGEST_THOUGHT = 200, 4000, 400
_MOST_OBJECTS = 8
MOST_IMAGES = 12
"""Pictures in a prompt: of the places that are listed first, which are the nearest."""
_SLOPE = math.radians(14)
"""From which on a place lies up or down: about that of stairs from their middle."""
_DIRECTIONS = ("ahead", "ahead to the right", "to the right", "behind to the right", "behind")
NOTHING = "(nothing)"


def quoted(text: str, most: int = _LONGEST_CAPTION) -> str:
    """A text that is data: on one line and in quotation marks."""
    said = json.dumps(text if len(text) <= most else f"{text[: most - 3]}...", ensure_ascii=False)
    return "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in said)


def direction(heading: float, elevation: float = 0.0) -> str:
    """Where something is, as the agent faces."""
    name = _DIRECTIONS[round(abs(heading) / (math.pi / 4))]
    name = name if heading >= 0 else name.replace("right", "left")
    slope = ", up" if elevation > _SLOPE else ", down" if elevation < -_SLOPE else ""
    return name + slope


class Journal:
    """What one agent has seen and done in its episode."""

    def __init__(self, sees: Sequence[Want]) -> None:
        self.sees = frozenset(sees)
        self.last: dict[str, str] = {}
        """The texts of the last answer."""
        self._number: dict[int, int] = {}
        """Of each node that was seen, in the order in which they were."""
        self._been: list[int] = []
        """The places where it was at each step."""
        self._links: dict[int, list[int]] = {}
        self._looks: dict[int, str] = {}
        self._told: list[str] = []
        self._before: tuple[list[int], str] | None = None
        """The places that the last action could lead to, and the thought with it."""

    def look(self, sight: Sight, taken: int) -> None:
        """Arrive at a step, after the action `taken` of the step before; nothing is new if it is looked at again."""
        if sight.step < len(self._been):
            return
        here = self._numbered(sight.node)
        if self._before is not None:
            places, thought = self._before
            said = f" You thought: {quoted(thought, _LONGEST_THOUGHT)}" if thought else ""
            what = f"went to place {places[taken]}" if 0 <= taken < len(places) else "stayed"
            self._told.append(f"Step {len(self._told)}: at place {self._been[-1]} you {what}.{said}")
        self._been.append(here)
        near = [one for one in sight.candidates if one.seen_from == sight.node]
        self._links[here] = [self._numbered(one.node) for one in near]
        for candidate in sight.candidates:
            self._looks[self._numbered(candidate.node)] = self._described(candidate)
        self._before = ([self._numbered(one.node) for one in sight.candidates], "")

    def thought(self, texts: dict[str, str]) -> None:
        """What was answered at this step."""
        assert self._before is not None
        self.last, self._before = texts, (self._before[0], texts.get("thought", ""))

    def labels(self, sight: Sight) -> list[str]:
        """What an answer can name: the place of each candidate, then STOP."""
        return [*(str(self._numbered(one.node)) for one in sight.candidates), STOP]

    def _numbered(self, node: int) -> int:
        return self._number.setdefault(node, len(self._number))

    def _described(self, candidate: Candidate) -> str:
        """What is seen in the direction of a place."""
        parts = []
        if "rooms" in self.sees and candidate.room:
            parts.append(f"in the {quoted(candidate.room)}")
        if "captions" in self.sees and candidate.captions:
            parts.append("looks like " + ", ".join(map(quoted, candidate.captions)))
        if "detections" in self.sees and (found := candidate.detections):
            parts.append("found there: " + _names(found))
        if "objects" in self.sees and candidate.objects:
            parts.append("objects there: " + _names(candidate.objects))
        return "; ".join(parts)

    # Texts for the placeholders of prompts

    def values(self, sight: Sight, most_steps: int | None) -> dict[str, str]:
        """What each placeholder stands for, apart from advice."""
        here = self._been[-1]
        return {
            "instruction": quoted(sight.instruction, _LONGEST_INSTRUCTION),
            "step": str(sight.step + 1),
            "most_steps": "any number" if most_steps is None else str(most_steps),
            "here": str(here),
            "views": self._views(sight),
            "objects": _listed([f"object {one.id}: {quoted(one.name)}" for one in self._objects(sight)]),
            "places": self._places(sight),
            "trajectory": "Place " + ", ".join(map(str, self._been)),
            "map": _listed([f"Place {place}: next to {_numbers(near)}" for place, near in self._links.items()]),
            "elsewhere": self._elsewhere(here),
            "history": _listed(self._told, "(this is the first step)"),
        }

    def _objects(self, sight: Sight) -> list[Thing]:
        return sight.objects if "objects" in self.sees else []

    def _views(self, sight: Sight) -> str:
        lines = []
        if "rooms" in self.sees and sight.room:
            lines.append(f"You are in the {quoted(sight.room)}.")
        if "captions" in self.sees:
            level = [caption for caption in sight.captions if caption.elevation == 0]
            ahead_first = sorted(level, key=lambda caption: abs(caption.heading))
            lines += [f"{direction(caption.heading)}: {quoted(caption.text)}" for caption in ahead_first]
        seen = [f"{quoted(one.name)} {direction(one.heading)}" for one in self._objects(sight)[:_MOST_OBJECTS]]
        if seen:
            lines.append("Objects: " + ", ".join(seen))
        if "detections" in self.sees and sight.detections:
            found = [f"{quoted(one.name)} {direction(one.heading)}" for one in sight.detections[:_MOST_OBJECTS]]
            lines.append("Found by a detector: " + ", ".join(found))
        if "images" in self.sees:
            some = "each place" if len(sight.candidates) <= MOST_IMAGES else f"the first {MOST_IMAGES} places"
            lines.append(f"The pictures show what is seen towards {some}.")
        return _listed(lines)

    def _places(self, sight: Sight) -> str:
        lines = []
        for candidate in sight.candidates:
            place = self._numbered(candidate.node)
            known = [f"{direction(candidate.heading, candidate.elevation)}, {candidate.distance:.1f} m"]
            if candidate.seen_from != sight.node:
                known.append(f"seen from place {self._numbered(candidate.seen_from)}")
            if place in self._been:
                known.append("you were there")
            known.append(self._looks[place])
            lines.append(f"{place}: {'; '.join(filter(None, known))}")
        return _listed([*lines, f"{STOP}: end the walk here"])

    def _elsewhere(self, here: int) -> str:
        places = [place for place in self._looks if place not in self._been and place not in self._links[here]]
        return _listed([f"Place {place}: {self._looks[place] or 'seen'}" for place in places])


def advice_of(labels: Sequence[str], probabilities: Sequence[float], most: int) -> str:
    """What another agent would do: its most probable actions."""
    order = sorted(range(len(labels)), key=lambda action: -probabilities[action])[:most]
    said = ", ".join(f"{labels[action]} ({probabilities[action]:.0%})" for action in order)
    return f"\nA trained agent would take: {said}"


ADVICE_NOTE = (
    "\nA second opinion is given too: the actions that a trained agent finds most probable, with its probabilities. It "
    "follows instructions well but not always; decide for yourself.\n"
)


def _names(things: Sequence[Thing | Detection]) -> str:
    return ", ".join(quoted(name) for name in list(dict.fromkeys(one.name for one in things))[:_MOST_OBJECTS])


def _numbers(places: Sequence[int]) -> str:
    return ", ".join(map(str, places)) if places else "no other"


def _listed(lines: Sequence[str], otherwise: str = NOTHING) -> str:
    return "\n".join(lines) if lines else otherwise
