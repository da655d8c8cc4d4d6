"""Many buildings in one set of tables, so that agents in different scans are looked up together.

Nodes are numbered consecutively across scans, and tables are indexed by node. Tables of node pairs are flat, with one
block per scan, because most pairs lie in different buildings.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtvm.errors import InputError
from mtvm.progress import notice
from mtvm.world.graph import SUFFIX, NavGraph, connectivity_files, oddities, scan_of
from mtvm.world.views import VIEWS


class World:
    """The tables of several scans, joined.

    `candidates`, `candidate_views`, `candidate_headings`, `candidate_elevations` are (nodes, K) and
    `navigable` is (nodes, 36, V), as in `NavGraph` but with node numbers of the world; `degree` counts the
    candidates of a node. `distance(a, b)` and `next_slot(a, b)` look up pairs of nodes of one scan.
    """

    def __init__(self, graphs: Iterable[NavGraph]) -> None:
        self.graphs = list(graphs)
        if not self.graphs:
            raise InputError("a world needs at least one scan.")
        self.scans = [graph.scan for graph in self.graphs]
        self.scan_number = {scan: number for number, scan in enumerate(self.scans)}
        if len(self.scan_number) != len(self.scans):
            raise InputError("the same scan was given twice; a world holds each scan once.")
        sizes = np.array([len(graph) for graph in self.graphs])
        self.first_node = np.concatenate([[0], np.cumsum(sizes)])
        self.scan_of_node = np.repeat(np.arange(len(sizes)), sizes)
        self.viewpoints = np.concatenate([graph.viewpoints for graph in self.graphs])
        self.positions = np.concatenate([graph.positions for graph in self.graphs])
        self.rotations = np.concatenate([graph.rotations for graph in self.graphs])

        candidates = _stack([graph.candidates for graph in self.graphs], fill=-1)
        offsets = self.first_node[self.scan_of_node][:, None]
        self.candidates = np.where(candidates >= 0, candidates + offsets, -1).astype(np.int32)
        self.degree = (candidates >= 0).sum(axis=1)
        self.candidate_views = _stack([graph.candidate_views for graph in self.graphs], fill=0)
        self.candidate_headings = _stack([graph.candidate_headings for graph in self.graphs], fill=0)
        self.candidate_elevations = _stack([graph.candidate_elevations for graph in self.graphs], fill=0)
        self.navigable = _stack([graph.navigable for graph in self.graphs], fill=-1)

        self._distances = np.concatenate([graph.distances.ravel() for graph in self.graphs])
        self._next_slot = np.concatenate([graph.next_slot.ravel() for graph in self.graphs])
        block = np.concatenate([[0], np.cumsum(sizes**2)])[self.scan_of_node]
        first = self.first_node[self.scan_of_node]
        # The pair of nodes (a, b) lies at _pair_row[a] + b.
        self._pair_row = block + (np.arange(len(first)) - first) * sizes[self.scan_of_node] - first

    @classmethod
    def load(cls, folder: Path, scans: Iterable[str] | None = None, cache: bool = True) -> World:
        """The named scans, by default all, of a folder of `<scan>_connectivity.json` files."""
        folder = Path(folder)
        if scans is None:
            scans = [scan_of(path) for path in connectivity_files(folder)]
            if not scans:
                raise InputError(f"{folder}: no file named <scan>{SUFFIX} in this folder.")
        return cls(_load_graph(folder / f"{scan}{SUFFIX}", cache) for scan in dict.fromkeys(scans))

    def __len__(self) -> int:
        return len(self.viewpoints)

    @functools.cached_property
    def fingerprint(self) -> str:
        """A digest of all tables of all scans."""
        digest = hashlib.sha256()
        for graph in self.graphs:
            digest.update(graph.scan.encode())
            for name, table in graph.tables().items():
                digest.update(f"{name} {table.dtype} {table.shape}".encode() + table.tobytes())
        return digest.hexdigest()

    @property
    def max_candidates(self) -> int:
        return self.candidates.shape[1]

    def graph(self, scan: str) -> NavGraph:
        if scan not in self.scan_number:
            raise InputError(f"scan {scan} is not among the {len(self.scans)} scans loaded.")
        return self.graphs[self.scan_number[scan]]

    @functools.cached_property
    def _node_of(self) -> dict[tuple[str, str], int]:
        names = [self.scans[number] for number in self.scan_of_node]
        pairs = zip(names, self.viewpoints.tolist(), strict=True)
        return {pair: node for node, pair in enumerate(pairs)}

    def node(self, scan: str, viewpoint: str) -> int:
        """The node of a viewpoint id."""
        node = self._node_of.get((scan, viewpoint))
        if node is None:
            self.graph(scan)
            raise InputError(f"scan {scan} has no included viewpoint {viewpoint}.")
        return node

    def find(self, scan: str, viewpoint: str) -> int:
        """The node of a viewpoint id, or -1."""
        return self._node_of.get((scan, viewpoint), -1)

    def nodes(self, scans: Sequence[str], viewpoints: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.node(s, v) for s, v in zip(scans, viewpoints, strict=True)], dtype=np.int64)

    def scan(self, node: int) -> str:
        return self.scans[self.scan_of_node[node]]

    def distance(self, start: ArrayLike, goal: ArrayLike) -> NDArray[np.float64]:
        """Walking distance in metres. Both nodes of a pair must be of one scan."""
        return self._distances[self._pair(start, goal)]

    def next_slot(self, start: ArrayLike, goal: ArrayLike) -> NDArray[np.integer]:
        """The slot of the next candidate on the shortest path; -1 at the goal, or if there is no path."""
        return self._next_slot[self._pair(start, goal)]

    def reachable(self, start: NDArray[np.int64], goal: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each goal is a node of the same scan with a path to it."""
        inside = (goal >= 0) & (goal < len(self))
        goal = np.where(inside, goal, start)
        same = self.scan_of_node[start] == self.scan_of_node[goal]
        return inside & same & np.isfinite(self.distance(start, np.where(same, goal, start)))

    def _pair(self, start: ArrayLike, goal: ArrayLike) -> NDArray[np.int64]:
        return self._pair_row[np.asarray(start)] + np.asarray(goal)

    def has_edge(self, start: ArrayLike, goal: ArrayLike) -> NDArray[np.bool_]:
        return (self.candidates[np.asarray(start)] == np.asarray(goal)[..., None]).any(axis=-1)

    def shortest_path(self, start: int, goal: int) -> list[int]:
        """Nodes from `start` to `goal`, both included."""
        number = self.scan_of_node[start]
        first = int(self.first_node[number])
        return [first + node for node in self.graphs[number].shortest_path(start - first, goal - first)]

    def describe(self) -> str:
        edges = int(self.degree.sum()) // 2
        return f"{len(self.scans)} scans, {len(self)} viewpoints, {edges} edges, {VIEWS} views each"


def _load_graph(path: Path, cache: bool) -> NavGraph:
    """The graph of a file, which a process reads and hashes only once unless it changes."""
    try:
        status = path.stat()
    except OSError:
        return NavGraph.load(path, cache=cache)  # for its error message
    return _load_graph_once(path.absolute(), cache, status.st_mtime_ns, status.st_size, status.st_ino)


@functools.lru_cache(maxsize=256)
def _load_graph_once(path: Path, cache: bool, *version: int) -> NavGraph:
    graph = NavGraph.load(path, cache=cache)
    for odd in oddities(graph):
        notice(f"{path}: {odd}.".replace("?.", "?"))
    return graph


def _stack(tables: Sequence[NDArray[Any]], fill: int) -> NDArray[Any]:
    """Join tables along the first axis, padding the last one to the widest."""
    width = max(table.shape[-1] for table in tables)
    rows = sum(len(table) for table in tables)
    joined = np.full((rows, *tables[0].shape[1:-1], width), fill, dtype=tables[0].dtype)
    start = 0
    for table in tables:
        joined[start : start + len(table), ..., : table.shape[-1]] = table
        start += len(table)
    return joined
