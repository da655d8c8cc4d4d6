"""Metrics of trajectories. All distances are along the navigation graph, in metres.

They are computed for all episodes at once on padded node arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metric import EVALUATED, METRICS
from mtvm.world.world import World

SUCCESS_RADIUS = 3.0

_CHUNK = 512  # episodes at a time, to limit memory

Floats = NDArray[np.float64]
Nodes = NDArray[np.integer]


def score_trajectories(episodes: EpisodeSet, trajectories: Nodes) -> dict[str, Floats]:
    """Every metric of every episode, rates in percent.

    `trajectories` (N, T) are the nodes visited, from the start on, padded with -1; staying at a viewpoint counts as one
    visit. The episodes must have goals. If they have `via`, success requires passing it, and the shortest path leads
    through it.
    """
    trajectories = without_stays(trajectories)
    columns = {name: np.empty(len(episodes)) for name in EVALUATED}
    by_length = np.argsort(_count(trajectories), kind="stable")  # to pad as little as possible
    for first in range(0, len(episodes), _CHUNK):
        rows = by_length[first : first + _CHUNK]
        walked = trajectories[rows][:, : _count(trajectories[rows]).max()]
        chosen = episodes.select(rows)
        for name, values in _evaluate(chosen.world, walked, chosen.references, chosen.via, chosen.goals).items():
            columns[name][rows] = values * 100 if METRICS[name].is_rate else values
    return columns


def summarize(columns: dict[str, Floats]) -> dict[str, float]:
    """The mean of each metric."""
    return {name: float(column.mean()) for name, column in columns.items()}


def _evaluate(world: World, walked: Nodes, reference: Nodes, via: Nodes, goals: Nodes) -> dict[str, Floats]:
    error = goal_distance(world, _last(walked)[:, None], goals)[:, 0]
    from_start = goal_distance(world, walked[:, :1], goals)[:, 0]
    shortest = shortest_length(world, walked[:, 0], via, goals)
    length = path_length(world, walked)
    right = near_goal(world, walked, via, goals)
    success: Floats = right[np.arange(len(right)), _count(walked) - 1].astype(np.float64)
    apart = pair_distances(world, walked, reference)
    ndtw = normalized_dtw(dynamic_time_warping(apart, _count(walked), _count(reference)), _count(reference))
    longer = np.maximum(length, shortest)
    return {
        "NE": error,
        "SR": success,
        "OSR": np.asarray(right.any(axis=1), dtype=np.float64),
        # 1 for an agent that starts at the goal and stays there.
        "SPL": success * np.divide(shortest, longer, out=np.ones_like(longer), where=longer > 0),
        "TL": length,
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage_by_length(apart, path_length(world, reference), length, _count(reference)),
        "GP": from_start - error,
    }


def goal_distance(world: World, nodes: Nodes, goals: Nodes) -> Floats:
    """(N, T) distance to the nearest goal; inf for padding."""
    distances = pair_distances(world, nodes, goals)
    return distances.min(axis=2)


def near_goal(world: World, walked: Nodes, via: Nodes, goals: Nodes) -> NDArray[np.bool_]:
    """(N, T) at which steps stopping is a success: within 3 m of a goal, after passing `via` in order."""
    steps = np.arange(walked.shape[1])
    since = np.zeros(len(walked), dtype=np.int64)
    for place in via.T[:, :, None]:
        near = (goal_distance(world, walked, place) < SUCCESS_RADIUS) & (steps >= since[:, None])
        passed = np.where(near.any(axis=1), near.argmax(axis=1), len(steps))
        since = np.where(place[:, 0] >= 0, passed, since)
    return (goal_distance(world, walked, goals) < SUCCESS_RADIUS) & (steps >= since[:, None])


def shortest_length(world: World, starts: Nodes, via: Nodes, goals: Nodes) -> Floats:
    """(N,) length of the shortest path from the start through `via` to the nearest goal."""
    stations = np.concatenate([starts[:, None], via], axis=1)
    return path_length(world, stations) + goal_distance(world, _last(stations)[:, None], goals)[:, 0]


def pair_distances(world: World, rows: Nodes, columns: Nodes) -> Floats:
    """(N, T, R) distances between (N, T) and (N, R) nodes; inf for padding."""
    real = (rows >= 0)[:, :, None] & (columns >= 0)[:, None, :]
    safe = rows[:, :1, None]  # in place of padding: pairs must be of one scan
    start = np.where(real, rows[:, :, None], safe)
    goal = np.where(real, columns[:, None, :], safe)
    return np.where(real, world.distance(start, goal), np.inf)


def path_length(world: World, nodes: Nodes) -> Floats:
    """(N,) length of the paths."""
    if nodes.shape[1] < 2:
        return np.zeros(len(nodes))
    moved = nodes[:, 1:] >= 0
    steps = world.distance(np.where(moved, nodes[:, :-1], nodes[:, :1]), np.where(moved, nodes[:, 1:], nodes[:, :1]))
    return np.where(moved, steps, 0.0).sum(axis=1)


def dynamic_time_warping_row(above: Floats | None, apart: Floats) -> Floats:
    """The next row (N, R) of the warping table, from the row above (None for the first row) and the distances from the
    new node to each reference node."""
    row = np.empty_like(apart)
    for column in range(apart.shape[1]):
        if above is None:
            best = row[:, column - 1] if column else np.zeros(len(apart))
        elif column == 0:
            best = above[:, 0]
        else:
            best = np.minimum(np.minimum(above[:, column], above[:, column - 1]), row[:, column - 1])
        row[:, column] = best + apart[:, column]
    return row


def dynamic_time_warping(apart: Floats, walked: ArrayLike, reference: ArrayLike) -> Floats:
    """(N,) DTW between the first `walked` visited and the first `reference` reference nodes, of distances `apart`
    (N, T, R)."""
    walked, last = np.asarray(walked), np.asarray(reference)[:, None] - 1
    row: Floats | None = None
    cost = np.zeros(len(apart))
    for step in range(apart.shape[1]):
        row = dynamic_time_warping_row(row, apart[:, step])
        cost = np.where(walked == step + 1, np.take_along_axis(row, last, axis=1)[:, 0], cost)
    return cost


def normalized_dtw(cost: Floats, reference: ArrayLike) -> Floats:
    """nDTW: exp(-DTW / (3 m * length of the reference)), 1 for the reference itself."""
    return np.exp(-cost / (SUCCESS_RADIUS * np.asarray(reference)))


def coverage_by_length(apart: Floats, reference_length: Floats, length: Floats, reference: ArrayLike) -> Floats:
    """CLS: coverage of the reference, times how well the length of the trajectory fits the part covered."""
    nearness = np.exp(-apart.min(axis=1) / SUCCESS_RADIUS)  # 0 for padding
    coverage = nearness.sum(axis=1) / np.asarray(reference)
    expected = coverage * reference_length
    scale = expected + np.abs(expected - length)
    # 1 for a trajectory of length 0 if the reference has length 0 too.
    return coverage * np.divide(expected, scale, out=np.ones_like(scale), where=scale > 0)


def without_stays(nodes: Nodes) -> Nodes:
    """The trajectories without consecutive repeats of a viewpoint, padded with -1."""
    stays = np.zeros(nodes.shape, dtype=bool)
    stays[:, 1:] = (nodes[:, 1:] == nodes[:, :-1]) | (nodes[:, 1:] < 0)
    order = np.argsort(stays, axis=1, kind="stable")
    moved = np.take_along_axis(np.where(stays, -1, nodes), order, axis=1)
    return moved[:, : int((~stays).sum(axis=1).max(initial=1))]


def _count(nodes: Nodes) -> NDArray[np.int64]:
    return (nodes >= 0).sum(axis=1)


def _last(nodes: Nodes) -> Nodes:
    return np.take_along_axis(nodes, _count(nodes)[:, None] - 1, axis=1)[:, 0]
