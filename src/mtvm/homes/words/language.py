"""From meaning to English: steps become clauses, clauses become sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from mtvm.homes.words.follower import Manner
from mtvm.homes.words.meaning import (
    BackTo,
    Beside,
    Between,
    Climb,
    Cross,
    Face,
    Go,
    InRoom,
    JustInside,
    Meaning,
    OnStairs,
    Pass,
    See,
    Seek,
    StairsEnd,
    Step,
    Stop,
    Turn,
)
from mtvm.homes.words.phrases import FROM_FIRST_ROOM, FROM_LATER_ROOM, HALLS, ORDINALS, TURNS, Words

_STARTS_AFTER_THEN = ("walk", "go ", "head", "turn", "enter", "leave", "cross")
_MOST_WORDS = 26  # in a sentence; above this, the next clause starts a new one


class Clause(NamedTuple):
    """An action, a lead-in to the next clause ("at the sofa"), or a remark in a sentence of its own."""

    text: str
    role: Literal["do", "lead", "remark"] = "do"


def write(meaning: Meaning, rng: np.random.Generator) -> str:
    """The text of an instruction; the generator chooses among alternative wordings."""
    words = Words(rng)
    return sentences(_Clauses(words).of(meaning), words)


def sentences(clauses: Sequence[Clause], words: Words) -> str:
    """Join clauses into sentences of one to three clauses."""
    done: list[str] = []
    parts: list[str] = []
    lead, flow = "", 0.45 if words.chance(0.5) else 0.8

    def finish() -> None:
        if parts:
            text = _joined(parts, words)
            if done and words.chance(0.12) and text.startswith(_STARTS_AFTER_THEN) and "then" not in text:
                text = f"{words.pick('then', 'then', 'next,')} {text}"
            done.append(f"{text[0].upper()}{text[1:]}.")
            parts.clear()

    for clause in clauses:
        length = sum(len(part.split()) for part in parts) + len(clause.text.split())
        if clause.role != "do" or len(parts) >= _room_for(parts) or length > _MOST_WORDS or not words.chance(flow):
            finish()
        if clause.role == "remark":
            done.append(f"{clause.text[0].upper()}{clause.text[1:]}.")
        elif clause.role == "lead":
            lead = clause.text
        else:
            parts.append(f"{lead}, {clause.text}" if lead else clause.text)
            lead = ""
    finish()
    return " ".join(done)


def _is_simple(part: str) -> bool:
    return " and " not in part and "," not in part


def _room_for(parts: Sequence[str]) -> int:
    """How many clauses a sentence with these parts may have."""
    return 3 if all(map(_is_simple, parts)) else 2


def _joined(parts: Sequence[str], words: Words) -> str:
    if len(parts) == 1:
        return parts[0]
    *before, last = parts
    if not _is_simple(last):
        return f"{', '.join(before)}, then {last}"
    if len(before) > 1:
        return f"{', '.join(before)} and {last}"
    if not _is_simple(before[0]):
        return f"{before[0]}, then {last}"
    return words.pick(" and ", " and ", ", then ", " and then ").join(parts)


class _Clauses:
    """The clauses of one text, from its first step to its last."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.inside: str | None = None
        """The kind of room that the text last placed the reader in."""
        self.climbed = False
        """Whether the last walk was on stairs."""

    def of(self, meaning: Meaning) -> list[Clause]:
        groups: list[tuple[Manner, Step]] = []
        manner: Manner = ()
        for step in meaning:
            if isinstance(step, Turn | Face | Pass | Between):
                manner = (*manner, step)
            else:
                groups.append((manner, step))
                manner = ()
        clauses: list[Clause] = []
        walked = False
        for number, (manner, step) in enumerate(groups):
            following = groups[number + 1][0] if number + 1 < len(groups) else ()
            turns_next = bool(following) and isinstance(following[0], Turn) and following[0].bend != "ahead"
            turns_next = turns_next and not (clauses and clauses[-1].role == "lead")  # a sentence has one lead
            clauses += self._group(manner, step, walked, turns_next)
            if isinstance(step, BackTo) and number + 1 == len(groups):
                clauses.append(Clause(self.words.pick("stop there", "wait there", "stop")))
            walked = walked or not isinstance(step, See)
            self.climbed = isinstance(step, Climb)
        return clauses

    def _group(self, manner: Manner, step: Step, walked: bool, turns_next: bool) -> list[Clause]:
        if isinstance(step, See):
            return [self._remark(step) if walked else self._outlook(step)]
        if isinstance(step, Cross):
            return self._crossing(manner, step, walked, turns_next)
        if isinstance(step, Climb):
            return self._stairs(manner, step, turns_next)
        if isinstance(step, Go):
            return self._going(manner, step, turns_next)
        if isinstance(step, Stop):
            return self._stopping(manner, step)
        if isinstance(step, Seek):
            return [self._seeking(step)]
        if isinstance(step, BackTo):
            return [self._returning(step)]
        raise TypeError(f"no words for {step}")

    def _remark(self, step: See) -> Clause:
        thing, side = self.words.a_thing(step.landmark), self.words.side(step.side)
        many = thing.endswith("stairs")
        options = (
            f"you will see {thing} {side}",
            f"you should see {thing} {side}",
            f"there will be {thing} {side}",
            f"there {'are' if many else 'is'} {thing} {side}",
        )
        return Clause(self.words.pick(*options), "remark")

    def _outlook(self, step: See) -> Clause:
        """What is in sight at the start, as a lead-in to the first move."""
        thing = self.words.thing(step.landmark)
        if step.side == "ahead":
            return Clause(self.words.pick(f"facing {thing}", f"with {thing} in front of you"), "lead")
        where = "behind you" if step.side == "behind" else f"on {self.words.pick('your', 'the')} {step.side}"
        return Clause(f"with {thing} {where}", "lead")

    def _crossing(self, manner: Manner, step: Cross, walked: bool, turns_next: bool) -> list[Clause]:
        words, said = self.words, step.exit
        slots = {
            "l": (words.room(step.leaving) if not words.chance(0.2) else "the room") if step.leaving else "",
            "w": words.way(said) if said.kind or said.untaken else "",
            "i": words.beyond(said) if said.leads_to else "",
        }
        if step.leaving in HALLS:
            slots["l"] = words.room(step.leaving or "")
        self.inside = said.leads_to
        key = "".join(name for name, text in slots.items() if text)
        if turns_next and not manner and key in ("l", "i", "li") and words.chance(0.4):
            return self._entering_lead(key, slots)
        after_verb, alone = (FROM_LATER_ROOM if walked else FROM_FIRST_ROOM)[key]
        motion, by_itself = words.pick(*after_verb).format(**slots), words.pick(*alone).format(**slots)
        if "door " not in f"{slots['w']} ":  # "take the door", but "go through the doorway"
            by_itself = by_itself.replace("take the", "go through the")
        return self._so(manner, motion, by_itself, turnable=key in ("w", "i", "wi"))

    def _entering_lead(self, key: str, slots: dict[str, str]) -> list[Clause]:
        """Entering or leaving a room, as a lead-in to a turn."""
        words = self.words
        if key == "l":
            lead = words.pick("as you leave {l}", "when you come out of {l}", "after you leave {l}")
            return [Clause(lead.format(**slots), "lead")]
        if key == "i":
            return [Clause(words.pick("when you enter {i}", "once you are in {i}").format(**slots), "lead")]
        first = words.pick("leave {l}", "walk out of {l}", "exit {l}").format(**slots)
        return [Clause(first), Clause(words.pick("once you are in {i}", "in {i}").format(**slots), "lead")]

    def _so(self, manner: Manner, motion: str, by_itself: str, turnable: bool = False) -> list[Clause]:
        """A walk in a given manner: `motion` follows a verb of motion or, if `turnable`, a turn; `by_itself` has a verb
        of its own."""
        words = self.words
        turn = next((how for how in manner if isinstance(how, Turn)), None)
        passed = self._passed([how for how in manner if not isinstance(how, Turn)])
        walk = f"{words.verb()} {motion}" if words.chance(0.5) else by_itself
        if turn is None and not passed:
            return [Clause(walk)]
        turns = [Clause(words.pick(*TURNS[turn.bend]))] if turn is not None else []
        if turn is not None and not passed:
            bend = turns[0].text
            turnable = turnable and turn.bend != "around" and bend.startswith(("turn", "bear", "veer"))
            if turn.bend == "ahead" or (turnable and " to " not in bend and words.chance(0.35)):
                return [Clause(f"{bend} {motion}")]
            return [*turns, Clause(walk)]
        if " and " not in passed and " and " not in motion and not passed.startswith("pass ") and words.chance(0.6):
            return [*turns, Clause(f"{passed} and {motion}")]
        return [*turns, Clause(passed), Clause(by_itself)]

    def _passed(self, manner: Sequence[Step]) -> str:
        """What the walk passes, as an action."""
        words, texts = self.words, []
        for number, how in enumerate(manner):
            if isinstance(how, Face):
                texts.append(f"{words.verb()} {words.pick('towards', 'toward')} {words.thing(how.landmark)}")
            elif isinstance(how, Between):
                texts.append(f"{words.verb()} between {words.thing(how.first)} and {words.thing(how.second)}")
            elif isinstance(how, Pass) and how.landmark.kind == "rug":
                texts.append(f"{words.verb()} across {words.thing(how.landmark)}")
            elif isinstance(how, Pass):
                before = manner[number - 1] if number else None
                side = f" on {words.pick('your', 'the')} {how.side}" if how.side else ""
                if isinstance(before, Pass) and before.landmark.kind != "rug":
                    if before.side == how.side and side:
                        texts[-1] = texts[-1].removesuffix(f" on your {how.side}").removesuffix(f" on the {how.side}")
                    texts.append(f"{words.thing(how.landmark)}{side}")
                else:
                    verb = words.pick(f"{words.verb()} past", "pass")
                    texts.append(f"{verb} {words.thing(how.landmark)}{side}")
        return " and ".join(texts)

    def _stairs(self, manner: Manner, step: Climb, turns_next: bool) -> list[Clause]:
        words, up = self.words, "up" if step.up else "down"
        options = [f"{words.verb()} {up} the stairs", f"take the stairs {up}", f"go {up}stairs"]
        options += ["climb the stairs"] if step.up else ["walk down the stairs"]
        clauses = self._so(manner, f"{up} the stairs", words.pick(*options))
        self.inside = None
        if turns_next and words.chance(0.5):
            end = "top" if step.up else "bottom"
            clauses.append(Clause(words.pick(f"at the {end}", f"at the {end} of the stairs"), "lead"))
        return clauses

    def _going(self, manner: Manner, step: Go, turns_next: bool) -> list[Clause]:
        words, place = self.words, step.place
        _, there = words.place(place)
        if turns_next and isinstance(place, Beside) and words.chance(0.6):
            thing = there.removeprefix("to ")
            lead = words.pick(
                f"when you reach {thing}", f"when you get to {thing}", f"at {thing}", f"once you are at {thing}"
            )
            turns = [Clause(words.pick(*TURNS[how.bend])) for how in manner if isinstance(how, Turn)]
            passed = self._passed([how for how in manner if not isinstance(how, Turn)])
            return [*turns, *([Clause(passed)] if passed else []), Clause(lead, "lead")]
        if self.inside and (isinstance(place, JustInside) or place == InRoom(self.inside)) and not manner:
            return []  # already told to enter
        if isinstance(place, JustInside):
            return self._so(manner, "inside", "step inside")
        if place == InRoom(self.inside or ""):
            return self._so(manner, "further in", "go further in")
        return self._so(manner, there, f"{words.verb()} {there}")

    def _stopping(self, manner: Manner, step: Stop) -> list[Clause]:
        words, place = self.words, step.place
        at, there = words.place(place)
        halt = words.pick("stop", "stop", "wait")
        if isinstance(place, InRoom) and place.kind == self.inside and not manner:
            return [Clause(words.pick("stop there", "wait there", "stop", "stop once you are inside"))]
        if isinstance(place, InRoom) and place.kind == self.inside:
            return [*self._so(manner, "further in", "go further in"), Clause(f"{halt} there")]
        options = [f"{halt} {at}", f"{halt} {at}", f"{words.pick('stop and wait', 'stand', 'come to a stop')} {at}"]
        if isinstance(place, Beside):
            thing = there.removeprefix("to ")
            options += [f"stop when you {words.pick('reach', 'get to')} {thing}", f"walk over to {thing} and {halt}"]
        elif isinstance(place, JustInside):
            options.append("stop as soon as you are inside")
        elif isinstance(place, StairsEnd) and self.climbed:
            options = [f"{halt} at the {'top' if place.end == 'top' else 'bottom'}"]
        elif isinstance(place, OnStairs):
            options = [f"{words.verb()} {there} and {halt} there"]
        elif not isinstance(place, InRoom | StairsEnd):
            options.append(f"{words.verb()} {there} and {halt}")
        return (
            self._so(manner, f"{there} and {halt}", words.pick(*options)) if manner else [Clause(words.pick(*options))]
        )

    def _seeking(self, step: Seek) -> Clause:
        thing = self.words.a_thing(step.landmark)
        self.inside = None
        options = (
            f"walk through the house until you see {thing}",
            f"look around the house until you find {thing}",
            f"explore the house until {thing} comes into view",
        )
        return Clause(self.words.pick(*options))

    def _returning(self, step: BackTo) -> Clause:
        words = self.words
        room = words.room(step.kind) if step.kind else "the room"
        count = ORDINALS[step.number - 1] if step.number else ""
        self.inside = step.kind
        targets = {
            "start": ("where you started", "the spot where you started", "your starting point"),
            "first room": (f"{room} you started in", f"{room} where you started", f"{room} where you began"),
            "room": (f"the {count} room you entered", f"the {count} room you walked into"),
            "doorway": (f"the {count} door you went through", f"the {count} door you walked through"),
            "room of kind": (f"{room} you came through", f"{room} you walked through earlier"),
            "room with": (),
        }[step.what]
        if step.landmark is not None:
            thing = words.thing(step.landmark)
            targets = (f"{room} where you saw {thing}", f"{room} with {thing} that you were in before")
        return Clause(f"{words.pick('go back to', 'return to', 'walk back to', 'head back to')} {words.pick(*targets)}")
