"""Baselines that ignore the instruction."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.machine import check_seed
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.results import Pose
from mtvm.tasks.teacher import Teacher
from mtvm.world.simulator import Simulator
from mtvm.world.views import HEADINGS

Baseline = Literal["random", "shortest", "stop", "forward"]
BASELINES: tuple[Baseline, ...] = get_args(Baseline)

_FORWARD_MOVES = 5


def run_baseline(baseline: Baseline, episodes: EpisodeSet, seed: int = 0) -> list[list[Pose]]:
    """One trajectory for each episode.

    - random: R2R's random agent. It turns right 0 to 11 times, then moves forward five times, turning right whenever
      there is nothing ahead.
    - forward: the same without the first turns.
    - shortest: walks the shortest path to the end of the reference path, through `via`.
    - stop: stays at the start.
    """
    if baseline not in BASELINES:
        raise InputError(f"unknown agent '{baseline}'; give one of {', '.join(BASELINES)}.")
    check_seed(seed)
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts, episodes.headings)
    if baseline == "stop":
        return [[pose] for pose in simulator.locations()]
    if baseline == "shortest":
        return _shortest(simulator, episodes)
    rng = np.random.default_rng(seed)
    turns = rng.integers(HEADINGS, size=len(episodes)) if baseline == "random" else np.zeros(len(episodes), int)
    return _wander(simulator, turns)


def _shortest(simulator: Simulator, episodes: EpisodeSet) -> list[list[Pose]]:
    if not episodes.has_goals:
        raise InputError(f"{episodes.source}: {episodes.name} has no goals to walk to.")
    teacher = Teacher(episodes)
    trajectories = [[pose] for pose in simulator.locations()]
    while not simulator.ended.all():
        moving = ~simulator.ended
        simulator.step(teacher.actions(simulator.node))
        _record(simulator, moving & ~simulator.ended, trajectories)
    return trajectories


def _wander(simulator: Simulator, turns: NDArray[np.int64]) -> list[list[Pose]]:
    """Turn right `turns` times, then move forward five times, turning right whenever there is nothing ahead."""
    trajectories = [[pose] for pose in simulator.locations()]
    moves = np.zeros(len(simulator), dtype=np.int64)
    # An agent at a viewpoint without neighbours can never move.
    while (live := (moves < _FORWARD_MOVES) & (simulator.world.degree[simulator.node] > 0)).any():
        forward = live & (turns == 0) & (simulator.navigable()[:, 0] >= 0)
        simulator.act(forward, heading=live & ~forward)
        moves += forward
        turns = np.maximum(turns - 1, 0)
        _record(simulator, live, trajectories)
    return trajectories


def _record(simulator: Simulator, changed: NDArray[np.bool_], trajectories: list[list[Pose]]) -> None:
    poses = simulator.locations()
    for row in np.nonzero(changed)[0]:
        trajectories[row].append(poses[row])
