"""A tiny generated world for tests and first steps: mazes without images, with R2R and NDH files.

Everything is written in the formats of the real datasets.
"""

from __future__ import annotations

import hashlib
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.io.files import write_json, write_text
from mtvm.tasks.registry import TASKS
from mtvm.world.graph import SUFFIX, NavGraph

_SPACING = 2.1  # metres between neighbouring viewpoints, before jitter
_SPLITS = {"train": 3, "val_unseen": 1, "test": 1}  # number of scans; val_seen shares those of train
_TARGETS = ("chair", "lamp", "plant", "towel", "clock")


def write_tiny_world(folder: Path, seed: int = 0, paths: int = 12) -> Path:
    """Write connectivity/, R2R/ and NDH/ below `folder`, with `paths` paths per scan and split."""
    rng = np.random.default_rng(seed)
    folder, first = Path(folder), 0
    scans: dict[str, list[NavGraph]] = {}
    for split, count in _SPLITS.items():
        scans[split] = [_write_building(folder / "connectivity", f"tiny{first + i}", rng) for i in range(count)]
        first += count
    scans["val_seen"] = scans["train"]
    names = [graph.scan for split in _SPLITS for graph in scans[split]]
    write_text(folder / "connectivity" / "scans.txt", "\n".join(names) + "\n")
    path_id, inst_idx = 0, 0
    for split, graphs in scans.items():
        entries, dialogs = [], []
        for graph in graphs:
            for path in _draw_paths(graph, paths, rng):
                entries.append(_r2r_entry(graph, path, path_id, secret=split == "test"))
                dialogs.append(_ndh_entry(graph, path, inst_idx, rng, secret=split == "test"))
                path_id, inst_idx = path_id + 1, inst_idx + 1
        for task, content in (("r2r", entries), ("ndh", dialogs)):
            write_json(folder / task.upper() / TASKS[task].file_names(split)[0], content)
    return folder


def _write_building(folder: Path, scan: str, rng: np.random.Generator) -> NavGraph:
    """A maze: a random spanning tree over a grid of viewpoints on two storeys, with some more walls opened."""
    columns, rows, storeys = int(rng.integers(5, 8)), int(rng.integers(4, 6)), 2
    places = [(x, y, z) for z in range(storeys) for y in range(rows) for x in range(columns)]
    number = {place: i for i, place in enumerate(places)}
    walls = [
        (number[x, y, z], number[x + dx, y + dy, z])
        for x, y, z in places
        for dx, dy in ((1, 0), (0, 1))
        if (x + dx, y + dy, z) in number
    ]
    # Stairs lead to a neighbour of the viewpoint above: connected viewpoints never lie exactly above each other.
    walls += [(number[x, 0, z], number[x + 1, 0, z + 1]) for x in (0, columns - 2) for z in range(storeys - 1)]
    group = list(range(len(places)))
    edges = np.zeros((len(places), len(places)), dtype=bool)
    for wall in rng.permutation(len(walls)):
        a, b = walls[wall]
        joins = group[a] != group[b]
        if joins:
            group = [group[a] if g == group[b] else g for g in group]
        edges[a, b] = edges[b, a] = joins or rng.random() < 0.3
    positions = np.array(places) * [_SPACING, _SPACING, 2.8] + rng.uniform(-0.4, 0.4, (len(places), 3)) * [
        1,
        1,
        0.1,
    ]
    records = [
        {
            "image_id": hashlib.blake2b(f"{scan}/{i}".encode(), digest_size=16).hexdigest(),
            "pose": _pose(position, rng.uniform(0, 2 * math.pi)),
            "included": True,
            "visible": edges[i].tolist(),
            "unobstructed": edges[i].tolist(),
            "height": 1.5,
        }
        for i, position in enumerate(positions)
    ]
    path = folder / f"{scan}{SUFFIX}"
    write_json(path, records)
    return NavGraph.from_records(scan, records, path)


def _pose(position: NDArray[np.float64], heading: float) -> list[float]:
    """Row-major camera-to-world matrix of a level camera: x right, y down, z forward."""
    right, forward = (math.cos(heading), -math.sin(heading), 0.0), (math.sin(heading), math.cos(heading), 0.0)
    rotation = np.array([right, (0.0, 0.0, -1.0), forward]).T
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return [float(number) for number in pose.round(6).ravel()]


def _draw_paths(graph: NavGraph, count: int, rng: np.random.Generator) -> list[list[int]]:
    """Shortest paths of 4 to 6 edges and at least 5 m, as in R2R."""
    found: list[list[int]] = []
    for pair in rng.permutation(len(graph) ** 2):
        path = graph.shortest_path(*divmod(int(pair), len(graph)))
        if 5 <= len(path) <= 7 and graph.distances[path[0], path[-1]] >= 5:
            found.append(path)
            if len(found) == count:
                break
    return found


def _r2r_entry(graph: NavGraph, path: list[int], path_id: int, secret: bool) -> dict[str, Any]:
    moves = ", then ".join(_moves(graph, path))
    return {
        "scan": graph.scan,
        "path_id": path_id,
        "heading": _heading(graph, path[0], path[1]),
        "path": graph.viewpoints[path[:1] if secret else path].tolist(),
        "distance": round(float(graph.distances[path[0], path[-1]]), 2),
        "instructions": [
            f"{moves[0].upper()}{moves[1:]}, and stop.",
            f"From where you stand {moves}. Wait there.",
            f"Walk {len(path) - 1} steps: {moves}.",
        ],
    }


def _ndh_entry(
    graph: NavGraph, path: list[int], inst_idx: int, rng: np.random.Generator, secret: bool
) -> dict[str, Any]:
    ids, target = graph.viewpoints, str(rng.choice(_TARGETS))
    moves = ", then ".join(_moves(graph, path[:4]))
    detour = [path[0], int(rng.choice(graph.neighbours(path[0])))]
    player = [*detour, *graph.shortest_path(detour[-1], path[-1])[1:]]
    entry = {
        "inst_idx": inst_idx,
        "game_idx": inst_idx,
        "scan": graph.scan,
        "target": target,
        "start_pano": {
            "heading": _heading(graph, path[0], path[1]),
            "elevation": 0.0,
            "pano": str(ids[path[0]]),
        },
        "dialog_history": [
            {"nav_idx": 0, "role": "navigator", "message": f"Where should I go to find the {target}?"},
            {"nav_idx": 0, "role": "oracle", "message": f"Please {moves}."},
        ],
        "nav_history": [str(ids[path[0]])],
    }
    if not secret:
        ends = [path[-1], *graph.neighbours(path[-1])[:1].tolist()]
        entry |= {
            "planner_path": ids[path[:6]].tolist(),
            "player_path": ids[player].tolist(),
            "end_panos": ids[ends].tolist(),
        }
    return entry


def _moves(graph: NavGraph, path: list[int]) -> list[str]:
    """Directions along the path: turns and stairs."""
    words, before = [], _heading(graph, path[0], path[1])
    for here, there in pairwise(path):
        heading = _heading(graph, here, there)
        turn = math.degrees((heading - before + math.pi) % (2 * math.pi) - math.pi)
        climb = graph.positions[there, 2] - graph.positions[here, 2]
        if abs(climb) > 1:
            words.append("go upstairs" if climb > 0 else "go downstairs")
        elif abs(turn) < 35:
            words.append("go straight on")
        elif abs(turn) > 145:
            words.append("turn around")
        else:
            words.append("turn right" if turn > 0 else "turn left")
        before = heading
    return words


def _heading(graph: NavGraph, here: int, there: int) -> float:
    east, north = (graph.positions[there] - graph.positions[here])[:2]
    return round(math.atan2(east, north) % (2 * math.pi), 3)
