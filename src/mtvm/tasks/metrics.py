"""Metrics of trajectories. All distances are along the navigation graph, in metres.

They are computed for many episodes at once on padded node arrays. What a trajectory is compared with step by step is
computed for a block of steps at a time, so that memory does not grow with the length of a trajectory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError
from mtvm.tasks.definitions import SUCCESS_RADIUS
from mtvm.tasks.metric import NAVIGATION
from mtvm.world.world import World

if TYPE_CHECKING:
    from mtvm.tasks.episode import EpisodeSet

_EPISODES = 512
"""Episodes at a time, at most."""
_CELLS = 1_000_000
"""Entries of the arrays that are computed at a time, more or less."""

Floats = NDArray[np.float64]
Nodes = NDArray[np.integer]
Walks = Nodes | Sequence[Nodes]
"""The nodes visited, from the start on, as (N, T) padded with -1 or as N arrays without padding."""
Answers = Sequence[str | None]
"""What was answered in each episode; None if nothing was."""
Measure = Callable[["EpisodeSet", Walks, Answers | None], dict[str, Floats]]


def score_trajectories(episodes: EpisodeSet, walks: Walks, answers: Answers | None = None) -> dict[str, Floats]:
    """The metrics of every episode as its task measures them, in the order of its tables. There must be goals."""
    task = episodes.task
    columns = {name: np.asarray(column) for name, column in task.measure(episodes, walks, answers).items()}
    for name, column in columns.items():
        if task.metric(name) is None:
            raise InputError(f"task {task.name} measures {name}, which is not among its metrics.")
        if column.shape != (len(episodes),):
            raise InputError(f"task {task.name}: {name} has the shape {column.shape} for {len(episodes)} episodes.")
    return {metric.name: columns[metric.name].astype(np.float64) for metric in task.metrics_in(columns)}


def navigation_metrics(episodes: EpisodeSet, walks: Walks, answers: Answers | None = None) -> dict[str, Floats]:
    """The metrics of walks; rates in percent. Answers are not looked at.

    Staying at a viewpoint counts as one visit. If the episodes have `via`, success requires passing it, and the
    shortest path leads through it.
    """
    columns = {metric.name: np.empty(len(episodes)) for metric in NAVIGATION}
    rates = {metric.name for metric in NAVIGATION if metric.is_rate}
    for rows, walked in _batches(walks):
        scores = _evaluate(episodes.select(rows), without_stays(walked))
        for name, values in scores.items():
            columns[name][rows] = values * 100 if name in rates else values
    return columns


def _batches(trajectories: Nodes | Sequence[Nodes]) -> Iterator[tuple[NDArray[np.int64], Nodes]]:
    """Rows, and their trajectories padded with -1: together those that differ in length by a factor of two at most, and
    the longer they are the fewer."""
    whole = trajectories if isinstance(trajectories, np.ndarray) else None
    lengths = _count(whole) if whole is not None else np.array([len(nodes) for nodes in trajectories])
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        width = int(lengths[order[first]])
        rows = order[first : first + min(_EPISODES, max(1, _CELLS // width))]
        rows = rows[2 * lengths[rows] >= width]
        first += len(rows)
        yield rows, whole[rows, :width] if whole is not None else pad([trajectories[row] for row in rows])


def pad(rows: Sequence[Nodes]) -> NDArray[np.int32]:
    """(N, T) nodes, padded with -1."""
    nodes = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int32)
    for row, found in zip(nodes, rows, strict=True):
        row[: len(found)] = found
    return nodes


def summarize(columns: dict[str, Floats]) -> dict[str, float]:
    """The mean of each metric."""
    return {name: float(column.mean()) for name, column in columns.items()}


def _evaluate(episodes: EpisodeSet, walked: Nodes) -> dict[str, Floats]:
    world, reference, goals = episodes.world, episodes.references, episodes.goals
    error = goal_distance(world, _last(walked)[:, None], goals)[:, 0]
    from_start = goal_distance(world, walked[:, :1], goals)[:, 0]
    length, reference_length = path_length(world, walked), path_length(world, reference)
    right = right_to_stop(episodes, walked)
    success: Floats = right[np.arange(len(right)), _count(walked) - 1].astype(np.float64)
    cost, nearest = follow(world, walked, reference)
    ndtw = normalized_dtw(cost, _count(reference))
    return {
        "NE": error,
        "SR": success,
        "OSR": np.asarray(right.any(axis=1), dtype=np.float64),
        "SPL": success * path_efficiency(episodes, length),
        "TL": length,
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage_by_length(nearest, reference_length, length, _count(reference)),
        "GP": from_start - error,
    }


def right_to_stop(episodes: EpisodeSet, walked: Nodes) -> NDArray[np.bool_]:
    """(N, T) at which steps stopping is a success in the episodes' task."""
    return near_goal(episodes.world, walked, episodes.via, episodes.goals, episodes.task.success.radius)


def succeeds(episodes: EpisodeSet, walked: Nodes) -> NDArray[np.bool_]:
    """(N,) whether the end of each walk is a success."""
    return right_to_stop(episodes, walked)[np.arange(len(walked)), _count(walked) - 1]


def path_efficiency(episodes: EpisodeSet, length: Floats) -> Floats:
    """(N,) by what SPL weighs the success of walks of this length: 1 if they are no longer than need be. The episodes
    begin at their `starts`."""
    world, success = episodes.world, episodes.task.success
    if success.spl_length == "reference":
        wanted = path_length(world, episodes.references)
    else:
        ends = episodes.goals if success.spl_length == "shortest" else episodes.reference_ends[:, None]
        wanted = shortest_length(world, episodes.starts, episodes.via, ends)
    longer = np.maximum(np.maximum(length, wanted), success.least_length)
    # 1 for an agent that starts at the goal and stays there.
    return np.divide(wanted, longer, out=np.ones_like(longer), where=longer > 0)


def goal_distance(world: World, nodes: Nodes, goals: Nodes) -> Floats:
    """(N, T) distance to the nearest goal; inf for padding."""
    return np.concatenate([apart.min(axis=2) for apart in _blocks(world, nodes, goals)], axis=1)


def near_goal(
    world: World, walked: Nodes, via: Nodes, goals: Nodes, radius: float = SUCCESS_RADIUS
) -> NDArray[np.bool_]:
    """(N, T) at which steps stopping is a success: within `radius` of a goal (at it, if that is 0), after passing `via`
    in order."""
    steps = np.arange(walked.shape[1])
    since = np.zeros(len(walked), dtype=np.int64)
    for place in via.T[:, :, None]:
        near = (goal_distance(world, walked, place) < SUCCESS_RADIUS) & (steps >= since[:, None])
        passed = np.where(near.any(axis=1), near.argmax(axis=1), len(steps))
        since = np.where(place[:, 0] >= 0, passed, since)
    distance = goal_distance(world, walked, goals)
    return ((distance < radius) | (distance == 0)) & (steps >= since[:, None])


def shortest_length(world: World, starts: Nodes, via: Nodes, goals: Nodes) -> Floats:
    """(N,) length of the shortest path from the start through `via` to the nearest goal."""
    stations = np.concatenate([starts[:, None], via], axis=1)
    return path_length(world, stations) + goal_distance(world, _last(stations)[:, None], goals)[:, 0]


def pair_distances(world: World, rows: Nodes, columns: Nodes) -> Floats:
    """(N, T, R) distances between (N, T) and (N, R) nodes; inf for padding."""
    real = (rows >= 0)[:, :, None] & (columns >= 0)[:, None, :]
    start = np.where(real, rows[:, :, None], 0)  # in place of padding one node twice: pairs must be of one scan
    goal = np.where(real, columns[:, None, :], 0)
    return np.where(real, world.distance(start, goal), np.inf)


def _blocks(world: World, rows: Nodes, columns: Nodes) -> Iterator[Floats]:
    """`pair_distances` of a few of the rows' T nodes at a time."""
    steps = max(1, _CELLS // max(1, columns.size))
    for first in range(0, rows.shape[1], steps):
        yield pair_distances(world, rows[:, first : first + steps], columns)


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


def follow(world: World, walked: Nodes, reference: Nodes) -> tuple[Floats, Floats]:
    """(N,) DTW between the trajectories and the reference paths, and (N, R) how near to each node of its reference path
    a trajectory comes, inf for padding."""
    end, last = _count(walked) - 1, _count(reference) - 1
    cost, nearest = np.zeros(len(walked)), np.full(reference.shape, np.inf)
    row: Floats | None = None
    step = 0
    for apart in _blocks(world, walked, reference):
        nearest = np.minimum(nearest, apart.min(axis=1))
        for distances in np.moveaxis(apart, 1, 0):
            row = dynamic_time_warping_row(row, distances)
            ended = np.nonzero(end == step)[0]
            cost[ended] = row[ended, last[ended]]
            step += 1
    return cost, nearest


def normalized_dtw(cost: Floats, reference: ArrayLike) -> Floats:
    """nDTW: exp(-DTW / (3 m * length of the reference)), 1 for the reference itself."""
    return np.exp(-cost / (SUCCESS_RADIUS * np.asarray(reference)))


def coverage_by_length(nearest: Floats, reference_length: Floats, length: Floats, reference: ArrayLike) -> Floats:
    """CLS: coverage of the reference, times how well the length of the trajectory fits the part covered."""
    nearness = np.exp(-nearest / SUCCESS_RADIUS)  # 0 for padding
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
