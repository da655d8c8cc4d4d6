"""The navigation graph of one building, with every table that a simulator needs.

The tables are computed once from the Matterport connectivity file and cached on disk, keyed by the file's content.
Directions are computed as in the C++ simulator (float32 positions and headings, float64 elevations), so that
candidates, their order and their angles agree with it; distances are float64.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, brief
from mtvm.io.arrays import keep_cached, read_cached
from mtvm.io.files import cache_dir, parse_json, read_bytes
from mtvm.world.views import HALF_HFOV, HEADINGS, VIEW_ELEVATION, VIEW_HEADING, VIEWS

CACHE_VERSION = 4
SUFFIX = "_connectivity.json"
LONGEST_ID = 128
"""Characters of a viewpoint's id: a table of ids is as wide as the longest. Matterport's have 32."""
_ROTATION_ERROR = 0.01
"""Poses are rounded to about 1e-5."""
_LONGEST_USUAL_EDGE, _USUAL_MEDIAN, _LARGEST_MEDIAN = 50.0, (0.3, 10.0), 100.0
"""Metres. Matterport3D's edges are 2.1 m long in the middle, and 16.8 m at most."""


@dataclasses.dataclass(frozen=True, eq=False)
class NavGraph:
    """A scan's navigation graph. A node is an index into `viewpoints`; K is the largest number of neighbours."""

    scan: str
    viewpoints: NDArray[np.str_]
    """(n,) ids of the included viewpoints, in the file's order."""
    file_index: NDArray[np.int32]
    """(n,) each viewpoint's index in the file, which counts excluded ones too (`ix` in C++)."""
    positions: NDArray[np.float64]
    """(n, 3) in metres, z up."""
    rotations: NDArray[np.float32]
    """(n, 3, 3) camera-to-world rotation of the pose, for drawing skyboxes."""
    candidates: NDArray[np.int32]
    """(n, K) neighbours, in the order in which a sweep over the 36 views first sees them; -1 pads. A column is called
    a slot."""
    candidate_views: NDArray[np.int8]
    """(n, K) the view whose centre is closest to the candidate; 0 pads."""
    candidate_headings: NDArray[np.float64]
    """(n, K) absolute heading of the candidate in radians, from about -15 to 345 degrees."""
    candidate_elevations: NDArray[np.float64]
    """(n, K) absolute elevation of the candidate in radians."""
    navigable: NDArray[np.int16]
    """(n, 36, V) slots of the candidates inside each view, nearest to its centre first; -1 pads."""
    distances: NDArray[np.float64]
    """(n, n) walking distance in metres along the graph; inf if there is no path."""
    next_slot: NDArray[np.int16]
    """(n, n) slot of the next candidate on the shortest path from i to j; -1 if i is j or there is no path."""
    visible: NDArray[np.bool_]
    """(n, n) whether j can be seen from i; true for neighbours, false for i itself."""

    def __len__(self) -> int:
        return len(self.viewpoints)

    def node(self, viewpoint: str) -> int:
        """The node of a viewpoint id."""
        (found,) = np.nonzero(self.viewpoints == viewpoint)
        if len(found) == 0:
            raise InputError(f"scan {self.scan} has no included viewpoint {viewpoint}.")
        return int(found[0])

    def neighbours(self, node: int) -> NDArray[np.int32]:
        row = self.candidates[node]
        return row[row >= 0]

    def next_hop(self, start: int, goal: int) -> int:
        """The next node on the shortest path to `goal`; `goal` when there, -1 if there is no path."""
        slot = self.next_slot[start, goal]
        return int(self.candidates[start, slot]) if slot >= 0 else goal if start == goal else -1

    def shortest_path(self, start: int, goal: int) -> list[int]:
        """Nodes from `start` to `goal`, both included."""
        if not np.isfinite(self.distances[start, goal]):
            raise InputError(
                f"scan {self.scan}: there is no path from {self.viewpoints[start]} to {self.viewpoints[goal]}."
            )
        path = [start]
        while path[-1] != goal:
            path.append(self.next_hop(path[-1], goal))
        return path

    def tables(self) -> dict[str, NDArray[Any]]:
        """All of them by name."""
        return {name: table for name, table in vars(self).items() if name != "scan"}

    @classmethod
    def load(cls, path: Path, cache: bool = True) -> NavGraph:
        """Read `<scan>_connectivity.json`, or the cached tables of a file with the same content."""
        content = read_bytes(Path(path), "connectivity file")
        scan = scan_of(Path(path))
        key = hashlib.blake2b(scan.encode() + b"\0" + content, digest_size=16).hexdigest()
        cached = cache_dir() / "graphs" / f"v{CACHE_VERSION}" / f"{key}.npz"
        names = [field.name for field in dataclasses.fields(cls) if field.name != "scan"]
        if cache and (found := read_cached(cached, names)) is not None:
            return cls(scan=scan, **found)
        graph = cls.from_records(scan, parse_json(content, Path(path)), Path(path))
        if cache:
            keep_cached(cached, graph.tables())
        return graph

    @classmethod
    def from_records(cls, scan: str, records: Any, path: Path) -> NavGraph:
        """The graph of a parsed connectivity file; `path` is only for error messages."""
        ids, poses, included, unobstructed, visible = _check_records(records, path)
        file_index = np.nonzero(included)[0]
        if len(file_index) == 0:
            raise InputError(f"{path}: no viewpoint has 'included' true.")
        adjacency = unobstructed[np.ix_(file_index, file_index)]
        np.fill_diagonal(adjacency, False)
        in_sight = visible[np.ix_(file_index, file_index)] | adjacency
        np.fill_diagonal(in_sight, False)
        poses = poses[file_index].reshape(-1, 4, 4)
        positions = poses[:, :3, 3].copy()
        source, target = np.nonzero(adjacency)
        _check_lengths(np.linalg.norm(positions[source] - positions[target], axis=1), path)
        tables = _candidate_tables(source, target, positions, path)
        distances, next_slot = _shortest_ways(source, target, positions, tables["candidates"])
        return cls(
            scan=scan,
            viewpoints=np.array(ids)[file_index],
            file_index=file_index.astype(np.int32),
            positions=positions,
            rotations=poses[:, :3, :3].astype(np.float32),
            distances=distances,
            next_slot=next_slot,
            visible=in_sight,
            **tables,
        )


def connectivity_files(folder: Path) -> list[Path]:
    """The connectivity files of a folder, sorted by name."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file())


def scan_of(path: Path) -> str:
    if not path.name.endswith(SUFFIX):
        raise InputError(f"{path}: a connectivity file is named <scan>{SUFFIX}.")
    return path.name.removesuffix(SUFFIX)


def relative_heading(
    east: NDArray[np.float32],
    north: NDArray[np.float32],
    heading: NDArray[np.float64] | float,
    half_hfov: float = HALF_HFOV,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Heading of the horizontal direction (east, north) relative to a camera's, and whether it lies within half the
    horizontal field of view. In float32, as in the C++ simulator."""
    angle = math.pi / 2 - np.asarray(heading, dtype=np.float64)
    camera_east, camera_north = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    along = east * camera_east + north * camera_north
    across = east * camera_north - north * camera_east
    inverse_length = np.float32(1) / np.sqrt(east * east + north * north)
    cosine = (east * inverse_length) * camera_east + (north * inverse_length) * camera_north
    return np.arctan2(across, along), cosine.astype(np.float64) >= math.cos(half_hfov)


def directions(
    source: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """East and north offsets (float32), elevation and length (float64) from one position to another."""
    offset = target.astype(np.float32) - source.astype(np.float32)
    east, north, up = offset[..., 0], offset[..., 1], offset[..., 2]
    level = np.sqrt(east * east + north * north)
    elevation = np.arctan2(up.astype(np.float64), level.astype(np.float64))
    length = np.sqrt(east * east + north * north + up * up).astype(np.float64)
    return east, north, elevation, length


def _check_records(
    records: Any, path: Path
) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    if not isinstance(records, list) or not records:
        raise InputError(f"{path}: a connectivity file is a non-empty list of viewpoints.")
    expected = {"image_id": str, "pose": list, "included": bool, "unobstructed": list}
    for place, record in enumerate(records):
        if not isinstance(record, dict):
            raise InputError(f"{path}: entry {place} is not an object.")
        for field, kind in expected.items():
            if not isinstance(record.get(field), kind):
                raise InputError(f"{path}: entry {place}: field '{field}' is missing or not a {kind.__name__}.")
        if len(record["pose"]) != 16:
            raise InputError(f"{path}: entry {place}: field 'pose' has {len(record['pose'])} numbers, not 16.")
        for field in ("unobstructed", "visible"):
            flags = record.get(field, [False] * len(records))  # 'visible' may be missing
            if not isinstance(flags, list) or not all(isinstance(value, bool | int) for value in flags):
                raise InputError(f"{path}: entry {place}: field '{field}' is not a list of true and false.")
            if len(flags) != len(records):
                raise InputError(
                    f"{path}: entry {place}: field '{field}' has {len(flags)} values, "
                    f"not one for each of the {len(records)} viewpoints."
                )
    ids = [record["image_id"] for record in records]
    seen: set[str] = set()
    for name in ids:
        if not 1 <= len(name) <= LONGEST_ID or "\0" in name:
            raise InputError(f"{path}: field 'image_id': {brief(name)!r} is not an id of 1 to {LONGEST_ID} characters.")
        if name in seen:
            raise InputError(f"{path}: field 'image_id': viewpoint {brief(name)} occurs twice.")
        seen.add(name)
    for place, record in enumerate(records):
        if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in record["pose"]):
            raise InputError(f"{path}: entry {place}: field 'pose' contains something other than numbers.")
    try:
        poses = np.array([record["pose"] for record in records], dtype=np.float64)
    except OverflowError:
        raise InputError(f"{path}: field 'pose' contains a number that is too large.") from None
    if not (np.abs(poses) < 1e6).all():
        raise InputError(f"{path}: field 'pose' contains a number that is not finite or is too large.")
    included = np.array([record["included"] for record in records])
    _check_poses(poses.reshape(-1, 4, 4), included, path)
    unobstructed, visible = (
        np.array([record.get(field, [False] * len(records)) for record in records]).astype(bool)
        for field in ("unobstructed", "visible")
    )
    return ids, poses, included, unobstructed, visible


def _check_poses(poses: NDArray[np.float64], included: NDArray[np.bool_], path: Path) -> None:
    """Raise if the pose of an included viewpoint is no position and direction of a camera."""
    rotations = poses[:, :3, :3]
    errors = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    wrong = {
        "has a last row that is not 0 0 0 1; is the matrix transposed?": (poses[:, 3] != [0, 0, 0, 1]).any(axis=1),
        "holds no rotation: its first three columns are not at right angles, of length 1": errors > _ROTATION_ERROR,
        "mirrors the camera: its determinant is negative": np.linalg.det(rotations) < 0,
    }
    for what, where in wrong.items():
        for place in np.nonzero(where & included)[0].tolist():
            raise InputError(f"{path}: entry {place}: field 'pose' {what}.".replace("?.", "?"))


def _check_lengths(lengths: NDArray[np.float64], path: Path) -> None:
    """Raise if positions cannot be in metres."""
    middle = float(np.median(lengths)) if len(lengths) else 0.0
    if middle > _LARGEST_MEDIAN:
        raise InputError(
            f"{path}: edges are {middle:,.0f} m long in the middle, so positions are not in metres; divide millimetres "
            "by 1,000."
        )


def oddities(graph: NavGraph) -> list[str]:
    """What is possible, but not usual, in a graph: a clause each."""
    node, slot = np.nonzero(graph.candidates >= 0)
    other = graph.candidates[node, slot]
    is_edge = np.zeros((len(graph), len(graph)), dtype=np.bool_)
    is_edge[node, other] = True
    found = []
    (one_way,) = np.nonzero(~is_edge[other, node])
    if len(one_way):
        here, there = (graph.viewpoints[nodes[one_way[0]]] for nodes in (node, other))
        found.append(
            f"{len(one_way)} edges lead one way only, the first from {brief(here)} to {brief(there)} and not back"
        )
    lengths = np.linalg.norm(graph.positions[node] - graph.positions[other], axis=1)
    if len(lengths):
        middle, longest = float(np.median(lengths)), float(lengths.max())
        if not _USUAL_MEDIAN[0] <= middle <= _USUAL_MEDIAN[1]:
            found.append(f"edges are {middle:.3g} m long in the middle, where about 2 m is usual; are these metres?")
        elif longest > _LONGEST_USUAL_EDGE:
            here, there = (graph.viewpoints[nodes[lengths.argmax()]] for nodes in (node, other))
            found.append(f"the edge from {brief(here)} to {brief(there)} is {longest:.0f} m long")
    return found


def _candidate_tables(
    source: NDArray[np.int64], target: NDArray[np.int64], positions: NDArray[np.float64], path: Path
) -> dict[str, Any]:
    """Each viewpoint's candidates, as a sweep over the 36 views would find them."""
    nodes = len(positions)
    east, north, elevation, _ = directions(positions[source], positions[target])
    if not (east * east + north * north).all():
        raise InputError(f"{path}: an edge joins two viewpoints, one exactly above the other.")
    view_heading = VIEW_HEADING[:HEADINGS]
    heading, seen = relative_heading(east[:, None], north[:, None], view_heading[None, :])
    heading, seen = np.tile(heading, 3), np.tile(seen, 3)  # edges x 36: rows differ only in elevation
    angle = np.hypot(heading.astype(np.float64), elevation[:, None] - VIEW_ELEVATION)
    angle[~seen] = np.inf

    edges = np.arange(len(source))
    closest = angle.argmin(axis=1)  # the first on a tie, as in the sweep
    first = seen.argmax(axis=1)
    order = np.lexsort((angle[edges, first], first, source))
    degree = np.bincount(source, minlength=nodes)
    slot = np.empty(len(source), dtype=np.int64)
    slot[order] = _place_in_group(degree)

    width = int(degree.max(initial=1))  # at least one column, so that it can be indexed
    candidates = np.full((nodes, width), -1, dtype=np.int32)
    candidates[source, slot] = target
    views = np.zeros((nodes, width), dtype=np.int8)
    views[source, slot] = closest
    headings, elevations = np.zeros((nodes, width)), np.zeros((nodes, width))
    headings[source, slot] = view_heading[closest % HEADINGS] + heading[edges, closest].astype(np.float64)
    elevations[source, slot] = elevation

    edge, view = np.nonzero(seen)
    by_view = np.lexsort((angle[edge, view], source[edge] * VIEWS + view))
    edge, view = edge[by_view], view[by_view]
    in_view = np.bincount(source[edge] * VIEWS + view, minlength=nodes * VIEWS)
    navigable = np.full((nodes, VIEWS, int(in_view.max(initial=1))), -1, dtype=np.int16)
    navigable[source[edge], view, _place_in_group(in_view)] = slot[edge]
    return {
        "candidates": candidates,
        "candidate_views": views,
        "candidate_headings": headings,
        "candidate_elevations": elevations,
        "navigable": navigable,
    }


def _place_in_group(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The index of each item within its group, for consecutive groups of these sizes."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


def _shortest_ways(
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    positions: NDArray[np.float64],
    candidates: NDArray[np.int32],
) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    from scipy.sparse import csr_array  # slow to import, and not needed for cached graphs
    from scipy.sparse.csgraph import dijkstra

    nodes = len(positions)
    lengths = np.linalg.norm(positions[source] - positions[target], axis=1)
    # Searching backwards from each goal, the predecessor of i is the node after i on the path.
    backwards = csr_array((lengths, (target, source)), shape=(nodes, nodes))
    distances, following = dijkstra(backwards, return_predecessors=True)
    slot_to = np.full((nodes, nodes + 1), -1, dtype=np.int16)  # the last column is for "no path"
    node, slot = np.nonzero(candidates >= 0)
    slot_to[node, candidates[node, slot]] = slot
    following = np.where(following < 0, nodes, following).T
    return np.ascontiguousarray(distances.T), np.take_along_axis(slot_to, following, axis=1)
