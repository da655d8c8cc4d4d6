"""A guide: writes an instruction for a path and checks with a follower that it leads to the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from mtvm.homes.words.language import write
from mtvm.homes.words.meaning import Meaning
from mtvm.homes.words.route import Scene
from mtvm.homes.words.speaker import LEVELS, Speaker, is_clear
from mtvm.homes.words.stance import Leg, legs_of

_TRIES = (0, 0, 1, 1, 2, 3, 3, 3)
"""Levels of detail added at each attempt, until the follower ends at the goal and nowhere else."""
_WORDS = range(9, 57)
"""Allowed number of words of an instruction."""


@dataclasses.dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: its meaning and its text."""

    meaning: Meaning
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Tour:
    """A walk with its instructions."""

    path: tuple[int, ...]
    heading: float
    instructions: tuple[Instruction, ...]
    via: tuple[int, ...] = ()
    """Nodes that the instruction visits before the end, if not on the shortest path there."""


class Guide:
    """Writes instructions for one home. `tried` and `written` are counted for statistics."""

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng
        self.speaker = Speaker(scene, rng)
        self.tried = self.written = 0

    def start_heading(self, path: Sequence[int]) -> float:
        """A random heading, as in R2R; in a doorway, one that faces the room that the path enters."""
        if self.scene.spots[path[0]].opening is None:
            return round(float(self.rng.uniform(0, 2 * np.pi)), 3)
        aside = float(self.rng.uniform(-0.6, 0.6))
        return round((self.scene.heading(path[0], path[1]) + aside) % (2 * np.pi), 3)

    def tour(self, path: Sequence[int], count: int = 3) -> Tour | None:
        """A path with `count` different instructions, from short to long; None if it stays ambiguous."""
        heading = self.start_heading(path)
        legs = legs_of(self.scene, path, heading)
        if legs is None:
            return None
        instructions: list[Instruction] = []
        for level in self.rng.permutation(count).tolist():
            one = self._tell(legs, path, level % 3 + (len(legs) == 1), instructions)
            if one is None:
                return None
            instructions.append(one)
        return Tour(tuple(path), heading, tuple(instructions))

    def answer(self, path: Sequence[int], heading: float) -> Instruction | None:
        """Directions along a path as in a conversation: no more than necessary, and without "stop"."""
        legs = legs_of(self.scene, path, heading)
        return self._tell(legs, path, 0, [], stop=False) if legs is not None else None

    def _tell(
        self, legs: Sequence[Leg], path: Sequence[int], level: int, before: Sequence[Instruction], stop: bool = True
    ) -> Instruction | None:
        """An instruction that differs from those before it in meaning, or at least in wording."""
        for number, more in enumerate(_TRIES):
            meaning = self.speaker.tell(legs, LEVELS[min(level + more, len(LEVELS) - 1)], stop)
            self.tried += 1
            if not meaning or not is_clear(self.scene, meaning, legs[0].stance, path):
                continue
            text = write(meaning, self.rng)
            news = all(meaning != one.meaning for one in before) or number >= len(_TRIES) // 2
            if news and all(text != one.text for one in before) and (not stop or len(text.split()) in _WORDS):
                self.written += 1
                return Instruction(meaning, text)
        return None
