"""Buildings and episodes made by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.registry import TASKS
from mtvm.world.graph import NavGraph
from mtvm.world.world import World


def make_records(
    positions: Mapping[str, Sequence[float]], edges: Collection[tuple[str, str] | str], excluded: str = ""
) -> list[dict[str, Any]]:
    """A connectivity file: viewpoints by name, joined by one-way `edges` (pairs of names)."""
    pairs = {tuple(edge) for edge in edges}
    records = []
    for name, position in positions.items():
        pose = np.eye(4)
        pose[: len(position), 3] = position
        records.append(
            {
                "image_id": name,
                "pose": pose.ravel().tolist(),
                "included": name not in excluded,
                "unobstructed": [(name, other) in pairs for other in positions],
            }
        )
    return records


def both_ways(edges: Collection[tuple[str, str] | str]) -> list[tuple[str, str]]:
    return [pair for a, b in edges for pair in ((a, b), (b, a))]


def make_graph(
    positions: Mapping[str, Sequence[float]], edges: Collection[tuple[str, str] | str], scan: str = "made"
) -> NavGraph:
    """A building of named viewpoints with two-way edges."""
    return NavGraph.from_records(scan, make_records(positions, both_ways(edges)), Path(scan))


def make_star(arms: int) -> NavGraph:
    """A hub `h` with `arms` neighbours around it, each with another viewpoint `far<i>` behind it."""
    angles = np.arange(arms) * 2 * np.pi / arms
    around = np.stack([np.sin(angles), np.cos(angles)], axis=1)
    positions = {"h": (0.0, 0.0)}
    positions |= {f"near{i}": tuple(2 * place) for i, place in enumerate(around)}
    positions |= {f"far{i}": tuple(4 * place) for i, place in enumerate(around)}
    edges = [pair for i in range(arms) for pair in (("h", f"near{i}"), (f"near{i}", f"far{i}"))]
    return make_graph(positions, edges, "star")


def make_episodes(world, references, goals, via=None, task="r2r") -> EpisodeSet:
    """Episodes from lists of nodes."""
    return EpisodeSet(
        task=TASKS[task],
        split="made",
        source=Path("made.json"),
        world=world,
        ids=[f"{row}_0" for row in range(len(references))],
        texts=[""] * len(references),
        headings=np.zeros(len(references)),
        references=padded(references),
        via=padded(via or [[] for _ in references]),
        goals=padded(goals),
    )


def lettered_episodes(world: World, *episodes: tuple[str, str]) -> EpisodeSet:
    """Episodes of (reference, via) in a world whose viewpoints are single letters; the reference's end is the goal."""
    nodes = [[[world.node(world.scans[0], name) for name in names] for names in episode] for episode in episodes]
    return make_episodes(world, [one[0] for one in nodes], [one[0][-1:] for one in nodes], [one[1] for one in nodes])


def padded(rows):
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows], dtype=np.int32).reshape(len(rows), width)
