"""A drop-in replacement for the Python API of the C++ Matterport3D simulator, in both its versions.

    import mtvm.world.mattersim
    mtvm.world.mattersim.install()  # from now on, `import MatterSim` imports this module

or, without touching the other project's code:

    PYTHONPATH=$(python -m mtvm.world.mattersim) python their_training.py

Called with strings and numbers, `newEpisode`, `makeAction` and `getState` act like the older, single-state simulator;
called with lists, like the newer, batched one. Images are drawn when `rgb` or `depth` is first read, so code that only
walks does not pay for them.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.world.arguments import is_list, real_number, truth_value, whole_number
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.skybox import SkyboxRenderer, load_depth_faces, render_depth, skybox_folder
from mtvm.world.surroundings import Surroundings, ViewPoint
from mtvm.world.views import HEADINGS, ROWS, VIEW_ELEVATION, VIEW_HEADING, nearest_view, wrap_heading

__all__ = ["SimState", "Simulator", "ViewPoint", "install"]

_HEADINGS: list[float] = VIEW_HEADING.tolist()
_ELEVATIONS: list[float] = VIEW_ELEVATION.tolist()


def install() -> None:
    """Make `import MatterSim` import this module, for the rest of the process.

    Worker processes that are spawned do not inherit this; with the folder on PYTHONPATH they find the module too.
    """
    sys.modules["MatterSim"] = sys.modules[__name__]


class SimState:
    """One agent's state. It does not change when the agent moves on."""

    def __init__(self, simulator: Simulator) -> None:
        self.scanId = ""
        self.step = 0
        self.location: ViewPoint | None = None
        self.heading = 0.0
        self.elevation = 0.0
        self.viewIndex = 0
        self.navigableLocations: list[ViewPoint] = []
        self._simulator = simulator
        self._rgb: NDArray[np.uint8] | None = None
        self._depth: NDArray[np.uint16] | None = None

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """The view as (height, width, 3), in BGR order; black if rendering is disabled."""
        if self._rgb is None:
            self._rgb = self._simulator._draw_rgb(self)
        return self._rgb

    @property
    def depth(self) -> NDArray[np.uint16]:
        """Distance from the image plane as (height, width, 1), in units of 0.25 mm; zeros unless depth is enabled."""
        if self._depth is None:
            self._depth = self._simulator._draw_depth(self)
        return self._depth


class Simulator:
    """The simulator, with the methods and names of the C++ one."""

    def __init__(self) -> None:
        self._width, self._height, self._vfov = 320, 240, 0.8
        self._elevation_limits = (-0.94, 0.94)
        self._graph_path = Path("connectivity")
        self._dataset_path = Path("data/v1/scans")
        self._rendering = True
        self._depth = False
        self._discretized = False
        self._restricted = True
        self._preloading = False
        self._cache_size = 200
        self._batched = False
        self._seed = 1
        self._initialized = False
        self._graphs: dict[str, NavGraph] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self._around: dict[tuple[str, int], Surroundings] = {}
        self._renderer: SkyboxRenderer | None = None
        self._preloaded: set[str] = set()
        self._states: list[SimState] = [SimState(self)]
        self._frames = 0
        self.resetTimers()

    # Configuration. As in the C++ simulator, `initialize` fixes most of it, but not the paths: the older one reads them
    # whenever it needs them.

    def setCameraResolution(self, width: int, height: int) -> None:
        self._width, self._height = whole_number(width), whole_number(height)
        self._around.clear()  # what is navigable depends on the field of view

    def setCameraVFOV(self, vfov: float) -> None:
        self._vfov = real_number(vfov)
        self._around.clear()

    def setElevationLimits(self, min: float, max: float) -> bool:
        """Limit continuous viewing angles. Returns false and changes nothing unless -pi/2 < min < 0 < max < pi/2."""
        low, high = real_number(min), real_number(max)
        valid = -math.pi / 2 < low < 0 < high < math.pi / 2
        if valid:
            self._elevation_limits = (low, high)
        return valid

    def setDatasetPath(self, path: str) -> None:
        """Folder of the skybox images: `<scan>/matterport_skybox_images`, also below `v1/scans`."""
        self._dataset_path = Path(path)
        self._renderer = None

    def setNavGraphPath(self, path: str) -> None:
        """Folder of the `<scan>_connectivity.json` files."""
        self._graph_path = Path(path)
        self._forget_graphs()

    def setRenderingEnabled(self, value: bool) -> None:
        self._configure("_rendering", truth_value(value))

    def setDepthEnabled(self, value: bool) -> None:
        self._configure("_depth", truth_value(value))

    def setDiscretizedViewingAngles(self, value: bool) -> None:
        self._configure("_discretized", truth_value(value))

    def setRestrictedNavigation(self, value: bool) -> None:
        """If false, all neighbours are navigable, not only those inside the view."""
        self._configure("_restricted", truth_value(value))

    def setPreloadingEnabled(self, value: bool) -> None:
        """Load all of a scan's skyboxes when its first image is drawn."""
        self._configure("_preloading", truth_value(value))

    def setBatchSize(self, size: int) -> None:
        size = whole_number(size, least=0)
        if not self._initialized:
            self._batched = True
            self._states = [SimState(self) for _ in range(size)]

    def setCacheSize(self, size: int) -> None:
        """Number of panoramas kept in memory."""
        self._configure("_cache_size", whole_number(size, least=0))

    def setSeed(self, seed: int) -> None:
        self._configure("_seed", whole_number(seed))

    def _configure(self, name: str, value: object) -> None:
        if not self._initialized:
            setattr(self, name, value)

    def initialize(self) -> None:
        """End the configuration, with a batch of one unless `setBatchSize` was called. `newEpisode` does this too."""
        self._batched = self._batched or not self._initialized
        self._begin()

    def init(self) -> None:
        """End the configuration, in the older simulator: one state instead of a batch."""
        self._begin()

    def _begin(self) -> None:
        if not self._initialized:
            self._initialized = True
            self._random = random.Random(self._seed)

    def close(self) -> None:
        """Free images and graphs. The simulator can then be configured and used again."""
        self._initialized = False
        self._renderer = None
        self._forget_graphs()

    def _forget_graphs(self) -> None:
        self._graphs.clear()
        self._numbers.clear()
        self._around.clear()

    # Walking

    def newEpisode(
        self,
        scanId: str | Sequence[str],
        viewpointId: str | Sequence[str] = "",
        heading: float | Sequence[float] = 0.0,
        elevation: float | Sequence[float] = 0.0,
    ) -> None:
        """Start an episode: one agent for strings (at a random viewpoint if none is given), a batch for lists."""
        self._begin()
        if isinstance(scanId, str):
            start = str(viewpointId) or self._random_viewpoint(scanId)
            self._batched = False
            starts = [(scanId, start, heading, elevation)]
        else:
            self._batched = True
            starts = list(zip(scanId, viewpointId, heading, elevation, strict=True))  # type: ignore[arg-type]
        self._states = [
            self._arrive(scan, self._number(scan, viewpoint), real_number(turn), real_number(look), 0)
            for scan, viewpoint, turn, look in starts
        ]

    def newRandomEpisode(self, scanId: str | Sequence[str]) -> None:
        """Start at random viewpoints and headings in these scans, looking level."""
        self._begin()
        if isinstance(scanId, str):
            self.newEpisode(scanId, "", self._random.uniform(0, 2 * math.pi))
            return
        viewpoints = [self._random_viewpoint(scan) for scan in scanId]
        headings = [self._random.uniform(0, 2 * math.pi) for _ in scanId]
        self.newEpisode(scanId, viewpoints, headings, [0.0] * len(viewpoints))

    def makeAction(
        self, index: int | Sequence[int], heading: float | Sequence[float], elevation: float | Sequence[float]
    ) -> None:
        """Move to a navigable location (0 stays), turn, look up or down. For discretized angles only signs count."""
        if not self._initialized or self._states[0].location is None:
            raise RuntimeError("MatterSim: newEpisode must be called before makeAction")
        columns: Any = (index, heading, elevation) if is_list(index) else ([index], [heading], [elevation])
        actions = [
            (whole_number(chosen), real_number(turn), real_number(look))
            for chosen, turn, look in zip(*columns, strict=True)
        ]
        if len(actions) != len(self._states):
            raise ValueError(f"MatterSim: {len(actions)} actions for {len(self._states)} environments")
        for place, (state, (chosen, _, _)) in enumerate(zip(self._states, actions, strict=True)):
            if not 0 <= chosen < len(state.navigableLocations):
                raise ValueError(
                    f"MatterSim: Invalid action index: {chosen} in environment {place} of {len(self._states)}"
                )
        self._states = [self._moved(state, *action) for state, action in zip(self._states, actions, strict=True)]

    def getState(self) -> SimState | list[SimState]:
        """The state, or the list of states of a batch."""
        return list(self._states) if self._batched else self._states[0]

    def _moved(self, state: SimState, index: int, turn: float, look: float) -> SimState:
        scan, step = state.scanId, state.step + 1
        node = self._number(scan, state.navigableLocations[index].viewpointId)
        if not self._discretized:
            return self._arrive(scan, node, state.heading + turn, state.elevation + look, step)
        row, column = divmod(state.viewIndex, HEADINGS)
        row = min(max(row + (look > 0) - (look < 0), 0), ROWS - 1)
        return self._arrive_facing(scan, node, row * HEADINGS + (column + (turn > 0) - (turn < 0)) % HEADINGS, step)

    def _arrive(self, scan: str, node: int, heading: float, elevation: float, step: int) -> SimState:
        if self._discretized:
            return self._arrive_facing(scan, node, int(nearest_view(heading, elevation)), step)
        state = SimState(self)
        low, high = self._elevation_limits
        state.scanId, state.step = scan, step
        state.heading = float(wrap_heading(heading))
        state.elevation = max(min(elevation, high), low)
        around = self._surroundings(scan, node)
        state.location = around.here
        state.navigableLocations = [around.here, *around.seen_from(state.heading, state.elevation, self._restricted)]
        return state

    def _arrive_facing(self, scan: str, node: int, view: int, step: int) -> SimState:
        """The state with discretized angles, whose navigable locations are cached."""
        state = SimState(self)
        state.scanId, state.step, state.viewIndex = scan, step, view
        state.heading, state.elevation = _HEADINGS[view], _ELEVATIONS[view]
        around = self._surroundings(scan, node)
        if view not in around.by_view:
            around.by_view[view] = around.seen_from(state.heading, state.elevation, self._restricted)
        state.location = around.here
        state.navigableLocations = [around.here, *around.by_view[view]]
        return state

    def _surroundings(self, scan: str, node: int) -> Surroundings:
        around = self._around.get((scan, node))
        if around is None:
            half_hfov = self._vfov * self._width / self._height / 2
            around = self._around[scan, node] = Surroundings(self._graph(scan), node, half_hfov)
        return around

    def _graph(self, scan: str) -> NavGraph:
        if scan not in self._graphs:
            self._graphs[scan] = graph = NavGraph.load(self._graph_path / f"{scan}{SUFFIX}")
            self._numbers[scan] = {viewpoint: node for node, viewpoint in enumerate(graph.viewpoints.tolist())}
        return self._graphs[scan]

    def _number(self, scan: str, viewpoint: str) -> int:
        graph = self._graph(scan)
        number = self._numbers[scan].get(viewpoint)
        if number is None:
            raise InputError(f"MatterSim: scan {graph.scan} has no included viewpoint {viewpoint}.")
        return number

    def _random_viewpoint(self, scan: str) -> str:
        return str(self._random.choice(self._graph(scan).viewpoints.tolist()))

    # Images

    def _draw_rgb(self, state: SimState) -> NDArray[np.uint8]:
        if not self._rendering or state.location is None:
            return np.zeros((self._height, self._width, 3), dtype=np.uint8)
        view = self._draw(state, depth=False)
        return np.ascontiguousarray(view[..., ::-1])

    def _draw_depth(self, state: SimState) -> NDArray[np.uint16]:
        if not (self._rendering and self._depth) or state.location is None:
            return np.zeros((self._height, self._width, 1), dtype=np.uint16)
        return self._draw(state, depth=True)[..., None]

    def _draw(self, state: SimState, depth: bool) -> NDArray[Any]:
        started = time.perf_counter()
        assert state.location is not None
        scan, viewpoint = state.scanId, state.location.viewpointId
        graph = self._graph(scan)
        if self._renderer is None:
            panoramas = sys.maxsize if self._preloading else self._cache_size
            self._renderer, self._preloaded = SkyboxRenderer(self._dataset_path, cache_size=panoramas), set()
        if self._preloading and scan not in self._preloaded:
            self._preloaded.add(scan)
            self._renderer.preload((scan, name) for name in graph.viewpoints.tolist())
        rotation = graph.rotations[self._number(scan, viewpoint)]
        camera = ([state.heading], [state.elevation], self._width, self._height, self._vfov)
        if depth:
            faces = load_depth_faces(skybox_folder(self._dataset_path, scan), viewpoint)
            view = render_depth(faces, rotation, *camera)[0]
        else:
            view = self._renderer.render(scan, viewpoint, rotation, *camera)[0]
        self._frames += 1
        self._draw_seconds += time.perf_counter() - started
        return view

    def resetTimers(self) -> None:
        self._started = time.perf_counter()
        self._frames = 0
        self._draw_seconds = 0.0

    def timingInfo(self) -> str:
        wall = time.perf_counter() - self._started
        return (
            f"Rendered {self._frames} frames\n"
            f"Wall time: {wall * 1000:.1f} ms ({self._frames / wall:.1f} fps)\n"
            f"Rendering, with image loading: {self._draw_seconds * 1000:.1f} ms\n"
        )


if __name__ == "__main__":
    print(Path(__file__).parent / "compat")
