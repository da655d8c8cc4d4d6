"""How fast buildings load, agents look and walk, and results are scored.

    python benchmarks/world.py            # real R2R from $MTVM_DATA or ../shared/data if there, else generated

The usual way is restated here in plain Python over the same graphs: for each episode, a state object of the drop-in
simulator, candidates from a dictionary (warm) or from the sweep over 36 views (cold), angle features one by one, and
the padding at the end.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mtvm.acting.baselines import run_baseline
from mtvm.features.store import FeatureStore
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.results import write_results
from mtvm.tasks.score import score
from mtvm.testing.tiny import write_tiny_world
from mtvm.world import mattersim
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.simulator import Simulator
from mtvm.world.world import World

BATCH = 64
WIDTH = 2048
FEATURE_VIEWPOINTS = 1500
LONG_WALK = 200_000


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


class UsualObservations:
    """One state object an episode, candidates in a dictionary, features and padding in Python loops."""

    def __init__(self, world: World, connectivity: Path) -> None:
        self.world = world
        self.simulator = mattersim.Simulator()
        self.simulator.setNavGraphPath(str(connectivity))
        self.simulator.setRenderingEnabled(False)
        self.simulator.setDiscretizedViewingAngles(True)
        self.simulator.setCameraResolution(640, 480)
        self.simulator.setCameraVFOV(math.radians(60))
        self.simulator.initialize()
        self.known: dict[tuple[str, str], list[tuple[str, int, float, float]]] = {}

    def candidates(self, scan: str, viewpoint: str) -> list[tuple[str, int, float, float]]:
        if (scan, viewpoint) not in self.known:
            found: dict[str, tuple[float, int, float, float]] = {}
            for view in range(36):
                if view == 0:
                    self.simulator.newEpisode([scan], [viewpoint], [0], [math.radians(-30)])
                else:
                    self.simulator.makeAction([0], [1.0], [1.0 if view % 12 == 0 else 0.0])
                state = self.simulator.getState()[0]
                for place in state.navigableLocations[1:]:
                    off = math.hypot(place.rel_heading, place.rel_elevation)
                    if place.viewpointId not in found or off < found[place.viewpointId][0]:
                        heading, elevation = state.heading + place.rel_heading, state.elevation + place.rel_elevation
                        found[place.viewpointId] = (off, view, heading, elevation)
            self.known[scan, viewpoint] = [(name, *rest[1:]) for name, rest in found.items()]
        return self.known[scan, viewpoint]

    def observe(self, nodes: np.ndarray, views: np.ndarray, goals: np.ndarray) -> tuple[np.ndarray, ...]:
        rows = []
        for node, view, goal in zip(nodes.tolist(), views.tolist(), goals.tolist(), strict=True):
            scan, viewpoint = self.world.scan(node), str(self.world.viewpoints[node])
            self.simulator.newEpisode([scan], [viewpoint], [(view % 12) * math.pi / 6], [0])
            state = self.simulator.getState()[0]
            features, teacher = [], -1
            hop = None if node == goal else int(self.world.candidates[node, self.world.next_slot(node, goal)])
            for slot, (name, _, heading, elevation) in enumerate(self.candidates(scan, viewpoint)):
                turn = heading - state.heading
                features.append(
                    np.array(
                        [math.sin(turn), math.cos(turn), math.sin(elevation), math.cos(elevation)] * 32, np.float32
                    )
                )
                if hop is not None and name == self.world.viewpoints[hop]:
                    teacher = slot
            rows.append((features, teacher))
        width = max(len(features) for features, _ in rows)
        angles = np.zeros((len(rows), width, 128), dtype=np.float32)
        mask = np.zeros((len(rows), width), dtype=bool)
        for row, (features, _) in enumerate(rows):
            for slot, feature in enumerate(features):
                angles[row, slot] = feature
                mask[row, slot] = True
        return angles, mask, np.array([teacher for _, teacher in rows])


def random_batch(world: World, rng: np.random.Generator, scans: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Nodes, and a goal in each one's scan."""
    number = rng.integers(scans or len(world.scans), size=BATCH)
    first, size = world.first_node[number], np.diff(world.first_node)[number]
    return first + (rng.random(BATCH) * size).astype(int), first + (rng.random(BATCH) * size).astype(int)


def walk(simulator: Simulator, goals: np.ndarray, rng: np.random.Generator, steps: int, look: Callable) -> None:
    for _ in range(steps):
        seen = simulator.observe()
        simulator.world.next_slot(seen.node, goals)  # the teacher's candidate, which the usual way looks up too
        look(seen)
        # 0 is STOP for the few real viewpoints without neighbours.
        simulator.step((rng.random(BATCH) * seen.count).astype(np.int64))


def bench_loading(data: Path, connectivity: Path, scans: list[str]) -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["MTVM_CACHE"] = cache

        def load() -> World:
            """A world from files, unlike `World.load`, which keeps graphs in memory."""
            return World(NavGraph.load(connectivity / f"{scan}{SUFFIX}") for scan in scans)

        cold = seconds(load, repeats=1)
        warm = seconds(load)
        again = seconds(lambda: World.load(connectivity, scans))
        train = seconds(lambda: load_episodes("r2r", "train", DataFolder(data), world=load()))
        print(f"{len(scans)} scans, nothing cached          {cold:8.2f} s")
        print(f"{len(scans)} scans, from the cache          {warm:8.2f} s")
        print(f"{len(scans)} scans, again in a process      {again:8.2f} s")
        print(f"R2R train with its world           {train:8.2f} s")
    del os.environ["MTVM_CACHE"]


def bench_observations(world: World, connectivity: Path) -> None:
    rng = np.random.default_rng(0)
    nodes, goals = random_batch(world, rng)
    simulator, usual = Simulator(world), UsualObservations(world, connectivity)
    steps = 200
    ours, theirs_cold, theirs = [], [], []
    for _ in range(5):
        simulator.reset(nodes)
        ours.append(seconds(lambda: walk(simulator, goals, rng, steps, lambda seen: None), 1) / (steps * BATCH))
        usual.known.clear()
        usual.simulator.close()
        usual.simulator.initialize()
        theirs_cold.append(seconds(lambda: usual.observe(nodes, simulator.view, goals), 1) / BATCH)
        theirs.append(seconds(lambda: usual.observe(nodes, simulator.view, goals), 5) / BATCH)
    fast, slow, cold = (statistics.median(times) for times in (ours, theirs, theirs_cold))
    fresh = Simulator(world)
    fresh.reset(nodes)
    first = seconds(fresh.observe, 1) / BATCH
    print(f"observations/s, ours               {1 / fast:10,.0f}   (with random actions; batch {BATCH})")
    print(f"observations/s, ours, very first   {1 / first:10,.0f}")
    print(f"observations/s, usual way warm     {1 / slow:10,.0f}   ours is {slow / fast:.0f}x")
    print(f"observations/s, usual way cold     {1 / cold:10,.0f}   ours is {cold / fast:.0f}x")


def bench_features(world: World) -> None:
    """Random walks in the first scans, with the candidates' features gathered at each step."""
    scans = int(np.searchsorted(world.first_node, FEATURE_VIEWPOINTS, side="right")) - 1 or 1
    count = int(world.first_node[scans])
    rng = np.random.default_rng(0)
    panorama = rng.normal(size=(36, WIDTH)).astype(np.float16)
    entries = ((world.scan(node), str(world.viewpoints[node]), panorama) for node in range(count))
    with tempfile.TemporaryDirectory() as folder:
        store = FeatureStore.write(Path(folder) / "store", entries, source="random", source_format="benchmark")
        rows = store.rows([world.scan(n) for n in range(count)], world.viewpoints[:count])
        buffer = np.empty((BATCH * world.max_candidates, WIDTH), dtype=np.float16)
        simulator = Simulator(world)

        def look(seen) -> None:
            wanted = np.where(seen.mask, rows[seen.node][:, None], -1)
            out = buffer[: wanted.size].reshape(*wanted.shape, WIDTH)
            store.gather(wanted, seen.candidate_views, out)

        times, steps = [], 100
        for _ in range(7):
            nodes, goals = random_batch(world, rng, scans)
            simulator.reset(nodes)
            times.append(seconds(lambda goals=goals: walk(simulator, goals, rng, steps, look), 1) / (steps * BATCH))
    rate = 1 / statistics.median(times)
    print(f"observations/s with {WIDTH}-d features {rate:8,.0f}   ({count} viewpoints, half precision)")


def bench_scoring(episodes: EpisodeSet) -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "random.json"
        write_results(results, episodes, run_baseline("random", episodes))
        taken = seconds(lambda: score(results, episodes))
    print(f"scoring {len(episodes)} trajectories          {taken:8.2f} s   (reading, checks, all metrics)")


def bench_long_walk(episodes: EpisodeSet) -> None:
    """One very long random walk among the reference paths."""
    world, rng = episodes.world, np.random.default_rng(0)
    nodes = np.empty(LONG_WALK, dtype=np.int32)
    nodes[0] = episodes.starts[0]
    for step, draw in enumerate(rng.random(LONG_WALK - 1)):
        nodes[step + 1] = world.candidates[nodes[step], int(draw * world.degree[nodes[step]])]
    trajectories = [nodes, *(row[row >= 0] for row in episodes.references[1:])]
    taken = seconds(lambda: score_trajectories(episodes, trajectories), repeats=1)
    tracemalloc.start()
    score_trajectories(episodes, trajectories)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"with one of {LONG_WALK:,} steps         {taken:8.2f} s   in {peak / 1e6:.0f} MB")


def main() -> None:
    named = os.environ.get("MTVM_DATA")
    data = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    with tempfile.TemporaryDirectory() as generated:
        if not data.is_dir():
            print("no real data found ($MTVM_DATA): measuring on a generated world")
            data = write_tiny_world(Path(generated))
        folder = DataFolder(data)
        connectivity = folder.connectivity
        train = load_episodes("r2r", "train", folder)
        bench_loading(data, connectivity, train.world.scans)
        bench_observations(train.world, connectivity)
        bench_features(train.world)
        unseen = load_episodes("r2r", "val_unseen", folder)
        bench_scoring(unseen)
        bench_long_walk(unseen)


if __name__ == "__main__":
    main()
