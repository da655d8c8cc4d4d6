"""Fair samples of a dataset's episodes; new paths like its own: shortest paths of the same buildings, with as many
steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.machine import check_seed
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.world import World


def fair_sample(episodes: EpisodeSet, count: int, seed: int = 0) -> EpisodeSet:
    """`count` of the episodes, drawn at random, in their order; every building has its share of them, to one episode.

    The same seed draws the same episodes.
    """
    return episodes.select(fair_rows(episodes, count, seed))


def fair_rows(episodes: EpisodeSet, count: int, seed: int = 0) -> NDArray[np.int64]:
    """The rows of a fair sample."""
    if not 1 <= count <= len(episodes):
        raise InputError(f"a sample of {episodes.name} can have 1 to {len(episodes)} episodes, not {count}.")
    check_seed(seed)
    rng = np.random.default_rng(seed)
    building = episodes.world.scan_of_node[episodes.starts]
    scans, sizes = np.unique(building, return_counts=True)
    exact = count * sizes / len(episodes)
    shares = np.floor(exact).astype(np.int64)
    # What is left goes to the largest remainders; which of equal ones is drawn too.
    order = np.lexsort((rng.random(len(scans)), -np.round(exact - shares, 9)))
    shares[order[: count - shares.sum()]] += 1
    rows = [
        rng.choice(np.nonzero(building == scan)[0], share, replace=False)
        for scan, share in zip(scans, shares, strict=True)
    ]
    return np.sort(np.concatenate(rows))


def sample_paths(
    episodes: EpisodeSet, count: int, rng: np.random.Generator, others: Sequence[EpisodeSet] = ()
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """(n, P) nodes of new paths, -1 pads, and (n,) initial headings.

    They are shortest paths between pairs of nodes that no episode joins, nor one of the `others`. Their numbers of
    nodes are distributed as those of the episodes' paths, their lengths in metres lie within the same range, and
    buildings with more paths of that kind give more. Fewer than `count` are returned if there are no more.
    """
    lengths = episodes.reference_lengths
    if not len(episodes) or lengths.max() < 2:
        raise InputError(f"{episodes.source}: its paths have no goals, so there is nothing to sample others after.")
    metres = episodes.world.distance(episodes.starts, episodes.reference_ends)
    pairs, nodes = _pairs(episodes.world, metres.min(), metres.max(), int(lengths.max()))
    known = set(zip(episodes.starts.tolist(), episodes.reference_ends.tolist(), strict=True))
    for other in others:
        known |= _pairs_elsewhere(other, episodes.world)
    fresh = np.array([pair not in known for pair in map(tuple, pairs.tolist())], dtype=bool)
    pairs, nodes = pairs[fresh], nodes[fresh]
    chosen = []
    sizes, shares = np.unique(lengths, return_counts=True)
    for size, share in zip(sizes, shares / len(lengths), strict=True):
        (rows,) = np.nonzero(nodes == size)
        wanted = min(round(count * share), len(rows))
        chosen.append(rng.choice(rows, wanted, replace=False))
    rows = rng.permutation(np.concatenate(chosen))
    walked = _walk(episodes.world, pairs[rows], int(lengths.max()))
    return walked, rng.uniform(0, 2 * np.pi, len(rows))


def _pairs_elsewhere(episodes: EpisodeSet, world: World) -> set[tuple[int, int]]:
    """The first and the last node of each episode as another world numbers them, -1 where it does not have them."""
    theirs = episodes.world

    def numbered(nodes: NDArray[np.integer]) -> list[int]:
        return [world.find(theirs.scan(node), str(theirs.viewpoints[node])) for node in nodes.tolist()]

    return set(zip(numbered(episodes.starts), numbered(episodes.reference_ends), strict=True))


def _pairs(world: World, shortest: float, longest: float, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n, 2) pairs of nodes at a distance within the range, at most `most` nodes apart, and (n,) the nodes between
    them, both included."""
    found, counts = [], []
    for number in range(len(world.scans)):
        nodes = np.arange(world.first_node[number], world.first_node[number + 1])
        start, goal = (grid.ravel() for grid in np.meshgrid(nodes, nodes, indexing="ij"))
        distance = world.distance(start, goal)
        near = (distance >= shortest) & (distance <= longest)
        pairs = np.stack([start[near], goal[near]], axis=1)
        length = (_walk(world, pairs, most + 1) >= 0).sum(axis=1)
        found.append(pairs[length <= most])
        counts.append(length[length <= most])
    return np.concatenate(found), np.concatenate(counts)


def _walk(world: World, pairs: NDArray[np.int64], most: int) -> NDArray[np.int32]:
    """(n, most) the nodes of the shortest paths, cut after `most`; -1 pads."""
    paths = np.full((len(pairs), most), -1, dtype=np.int32)
    node, goal = pairs[:, 0].copy(), pairs[:, 1]
    going = np.ones(len(pairs), dtype=bool)
    for step in range(most):
        paths[going, step] = node[going]
        going &= node != goal
        slot = world.next_slot(node[going], goal[going])
        node[going] = world.candidates[node[going], slot]
    return paths
