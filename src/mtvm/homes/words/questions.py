"""Questions of a navigator, and an oracle's answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from mtvm.homes.words.guide import Guide
from mtvm.homes.words.meaning import Landmark
from mtvm.homes.words.phrases import Words
from mtvm.homes.words.route import Scene, turn_between
from mtvm.homes.words.stance import Leg, Stance, first_stance, legs_from

_CLOSE = 5.0  # metres


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    text: str
    yes: bool | None = None
    """The correct answer to a yes-or-no question."""


def ask(guide: Guide, planned: Sequence[int], heading: float, target: str, left: float, before: float) -> Question:
    """A question asked at the start of `planned`, the path to the target; `left` is its length in metres, and `before`
    the length before the last walk."""
    stance = first_stance(guide.scene, planned[0], heading)
    words = Words(guide.rng)
    thing = words.thing(Landmark(target))
    options = [
        *_about_ways(guide, stance, planned, words),
        *_about_sights(guide, stance, words),
        *_about_floors(guide.scene, stance, planned, thing, words),
        Question(words.pick("Which way should I go?", "Where should I go now?", "Where to next?", "What now?")),
        Question(f"Am I close to {thing}?", left <= _CLOSE),
    ]
    if left != before:
        options.append(Question(words.pick("Did I go the right way?", "Am I getting closer?"), left < before))
    question = options[int(guide.rng.integers(len(options)))]
    if words.chance(0.35) and guide.scene.spots[stance.node].place == "room":
        room = words.room(guide.scene.rooms[stance.room].kind)
        begin = words.pick(f"I am in {room}.", f"I am in {room} now.", f"Okay, I am in {room}.")
        return dataclasses.replace(question, text=f"{begin} {question.text}")
    return question


def answer(question: Question, directions: str, target: str, arrives: bool, rng: np.random.Generator) -> str:
    """The directions, preceded by a reply to the question and, if they arrive, followed by a remark on the target."""
    words = Words(rng)
    text = directions
    if question.yes is not None:
        begin = words.pick("Yes.", "Yes,") if question.yes else words.pick("No,", "No,", "No.")
        text = f"{begin} {text[0].lower()}{text[1:]}" if begin.endswith(",") else f"{begin} {text}"
    thing = words.thing(Landmark(target))
    if arrives and thing not in directions and words.chance(0.6):
        text += " " + words.pick(
            f"You will find {thing} there.", f"That is where {thing} is.", f"Look for {thing} there."
        )
    return text


def _about_ways(guide: Guide, stance: Stance, planned: Sequence[int], words: Words) -> list[Question]:
    """Questions about which exit to take."""
    scene, spot = guide.scene, guide.scene.spots[stance.node]
    begin = words.pick("Should I go", "Do I go", "Should I go")
    if spot.place == "stairs":
        way = words.pick("up", "down")
        return [Question(f"{begin} {way} the stairs?", way == ("up" if _rises(scene, planned[:2]) else "down"))]
    legs = legs_from(scene, stance, planned)
    right = _first_way(scene, legs[0], words) if legs else ""
    ways = {f"into {words.room(scene.rooms[way.room].kind)}" for way in scene.ways[stance.room]}
    for stairs in scene.home.stairs:
        ways |= {f"{up} the stairs" for up, r in zip(("up", "down"), stairs.rooms, strict=True) if r == stance.room}
    if spot.opening is not None:
        right = f"into {words.room(scene.rooms[stance.room].kind)}"
        ways = {right, f"into {words.room(scene.rooms[scene.across(spot.opening, stance.room)].kind)}"}
    order = sorted(ways)
    some = [order[i] for i in guide.rng.permutation(len(order))[: 3 if words.chance(0.2) else 2]]
    questions = [Question(f"{begin} {', '.join(some[:-1])} or {some[-1]}?")] * 3 if len(some) > 1 else []
    if legs and some:
        questions.append(Question(f"{begin} {some[0]}?", some[0] == right))
    if legs and spot.place == "room":
        questions.append(
            Question(f"Should I leave {words.room(scene.rooms[stance.room].kind)}?", legs[0].end != "stop")
        )
    return questions


def _first_way(scene: Scene, leg: Leg, words: Words) -> str:
    """How the path leaves the room, in the words of the question."""
    if leg.end == "opening":
        return f"into {words.room(scene.rooms[scene.across(leg.index, leg.stance.room)].kind)}"
    if leg.end == "stairs":
        return f"{'up' if _rises(scene, leg.nodes) else 'down'} the stairs"
    return ""


def _rises(scene: Scene, nodes: Sequence[int]) -> bool:
    return scene.spots[nodes[-1]].z > scene.spots[nodes[0]].z


def _about_sights(guide: Guide, stance: Stance, words: Words) -> list[Question]:
    """Questions about which of two things in different directions to walk towards."""
    named = []
    for sight in guide.scene.clear_sights(stance.node):
        name = guide.speaker.name(stance.node, sight, adjective=0.4)
        if name is not None and sight.room == stance.room:
            named.append((sight, words.thing(name)))
    questions = []
    if named:
        question = words.pick("Where do I go from here?", "Which way now?", "Do I go left or right?")
        questions.append(Question(f"I see {named[0][1]}. {question}"))
    aside = [
        thing for sight, thing in named if abs(turn_between(named[0][0].heading, sight.heading)) > math.radians(60)
    ]
    if aside:
        questions.append(Question(f"Should I walk towards {named[0][1]} or {aside[0]}?"))
    return questions


def _about_floors(scene: Scene, stance: Stance, planned: Sequence[int], thing: str, words: Words) -> list[Question]:
    if not scene.home.stairs:
        return []
    here, there = (scene.rooms[scene.spots[node].room].storey for node in (stance.node, planned[-1]))
    return [Question(words.pick(f"Is {thing} on this floor?", "Is it on this floor?"), here == there)]
