"""What the C++ simulator says of a viewpoint's neighbours: which are in view, and in which direction."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from mtvm.world.graph import NavGraph, directions, relative_heading
from mtvm.world.views import HEADINGS, VIEW_HEADING

_DISCRETE_HEADINGS: list[float] = VIEW_HEADING[:HEADINGS].tolist()


@dataclasses.dataclass(frozen=True, slots=True)
class ViewPoint:
    """A viewpoint and its direction from the agent's camera."""

    viewpointId: str  # noqa: N815
    ix: int
    x: float
    y: float
    z: float
    rel_heading: float = 0.0
    rel_elevation: float = 0.0
    rel_distance: float = 0.0

    @property
    def point(self) -> list[float]:
        """`[x, y, z]`, as in the oldest simulators."""
        return [self.x, self.y, self.z]


class Surroundings:
    """A viewpoint and its neighbours, with the numbers that their relative directions are computed from."""

    def __init__(self, graph: NavGraph, node: int, half_hfov: float) -> None:
        nodes = np.sort(graph.neighbours(node))
        positions = graph.positions[[node, *nodes]]
        points = [
            ViewPoint(viewpoint, index, *position)
            for viewpoint, index, position in zip(
                graph.viewpoints[[node, *nodes]].tolist(),
                graph.file_index[[node, *nodes]].tolist(),
                positions.astype(np.float32).tolist(),
                strict=True,
            )
        ]
        self.here, self.neighbours = points[0], points[1:]
        self.east, self.north, elevation, length = directions(positions[0], positions[1:])
        self.elevation, self.length = elevation.tolist(), length.tolist()
        self.half_hfov = half_hfov
        self.by_view: dict[int, list[ViewPoint]] = {}
        # All twelve discrete headings at once: most callers sweep over them.
        turn, inside = self._turns(np.array(_DISCRETE_HEADINGS))
        self._discrete = {
            heading: (turn[column].tolist(), inside[column].tolist())
            for column, heading in enumerate(_DISCRETE_HEADINGS)
        }

    def _turns(self, headings: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        return relative_heading(self.east, self.north, headings[:, None], self.half_hfov)

    def seen_from(self, heading: float, elevation: float, restricted: bool) -> list[ViewPoint]:
        """The neighbours inside the view, or all of them, nearest to its centre first."""
        found = self._discrete.get(heading)
        if found is None:
            turn, inside = self._turns(np.array([heading]))
            found = turn[0].tolist(), inside[0].tolist()
        seen = [
            (math.hypot(turn, up - elevation), turn, up - elevation, length, point)
            for point, turn, inside, up, length in zip(
                self.neighbours, *found, self.elevation, self.length, strict=True
            )
            if inside or not restricted
        ]
        seen.sort(key=lambda place: place[0])
        return [
            ViewPoint(point.viewpointId, point.ix, point.x, point.y, point.z, turn, look, length)
            for _, turn, look, length, point in seen
        ]
