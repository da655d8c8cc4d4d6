"""Agents that read no instruction, which every other one should be compared with."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from mtvm.acting.policy import UNLIMITED, Decisions, Moves, Policy
from mtvm.acting.sights import Sights
from mtvm.acting.walk import walk_split
from mtvm.errors import InputError
from mtvm.machine import check_seed
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.results import Pose
from mtvm.tasks.teacher import Teacher
from mtvm.world.views import HEADINGS

Baseline = Literal["random", "shortest", "stop", "forward"]
BASELINES: tuple[Baseline, ...] = get_args(Baseline)

_FORWARD_MOVES = 5


class Forward(Policy):
    """Moves forward five times, turning right whenever there is nothing ahead."""

    moves: Moves = "turns"
    batch = None
    max_steps = UNLIMITED

    def start(self, episodes: EpisodeSet) -> None:
        self.turns = np.zeros(len(episodes), dtype=np.int64)
        self.moved = np.zeros(len(episodes), dtype=np.int64)

    def act(self, sights: Sights) -> Decisions:
        seen = sights.seen
        turns, moved = self.turns[sights.rows], self.moved[sights.rows]
        ahead = seen.candidates[:, 0] != seen.node
        # An agent at a viewpoint without neighbours can never move.
        ended = (moved >= _FORWARD_MOVES) | (sights.world.degree[seen.node] == 0)
        forward = ahead & (turns == 0)
        self.moved[sights.rows] += forward
        self.turns[sights.rows] = np.maximum(turns - 1, 0)
        return Decisions(np.where(ended, seen.count, np.where(forward, 0, ahead.astype(np.int64))))


class Random(Forward):
    """R2R's random agent: turns right 0 to 11 times, then moves forward five times, turning right whenever there is
    nothing ahead."""

    def __init__(self, seed: int = 0) -> None:
        check_seed(seed)
        self._draws = np.random.default_rng(seed)

    def start(self, episodes: EpisodeSet) -> None:
        super().start(episodes)
        self.turns = self._draws.integers(HEADINGS, size=len(episodes))


class Shortest(Policy):
    """Walks the shortest path to the end of the reference path, through `via`, or to where stopping is right, and gives
    the right answer if the task asks for one."""

    batch = None
    max_steps = UNLIMITED

    def start(self, episodes: EpisodeSet) -> None:
        if not episodes.has_goals:
            raise InputError(f"{episodes.source}: {episodes.name} has no goals to walk to.")
        self._teacher = Teacher(episodes)
        self._answers = episodes.extra.get("answer")

    def act(self, sights: Sights) -> Decisions:
        self._teacher.keep(sights.kept)
        said = None if self._answers is None else [self._answers[row] for row in sights.rows.tolist()]
        return Decisions(self._teacher.actions(sights.seen.node), answers=said)


class Stop(Policy):
    """Stays at the start."""

    batch = None

    def start(self, episodes: EpisodeSet) -> None:
        pass

    def act(self, sights: Sights) -> Decisions:
        return Decisions(sights.seen.count)


def baseline_policy(baseline: str, seed: int = 0) -> Policy:
    """The baseline of this name; `seed` is the random agent's."""
    if baseline not in BASELINES:
        raise InputError(f"unknown agent '{baseline}'; give one of {', '.join(BASELINES)}.")
    check_seed(seed)
    return {"random": lambda: Random(seed), "shortest": Shortest, "stop": Stop, "forward": Forward}[baseline]()


def run_baseline(baseline: Baseline, episodes: EpisodeSet, seed: int = 0) -> list[list[Pose]]:
    """One trajectory for each episode, however many steps it takes."""
    return walk_split(baseline_policy(baseline, seed), episodes).trajectories()
