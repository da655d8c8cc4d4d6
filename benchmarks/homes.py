"""Generated homes: seconds to build a scene, panoramas and looks per second with one and with two processes.

    python benchmarks/homes.py [--homes 3] [--panoramas 24] [--size 256]

A scene is triangles, Embree's tree and baked light; a panorama is colours, depth and owners of six faces. Every
process draws its own homes, after compiling; the rate is the sum of the processes' rates while all of them run.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from itertools import pairwise
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

from mtvm.homes.generate import generate_home
from mtvm.homes.render.raytrace import Scene
from mtvm.homes.render.visibility import seen_from, semantics_record
from mtvm.homes.shapes import forget_shapes

TIMEOUT = 300
"""Seconds after which a process that does not answer is given up."""


def build_seconds(seed: int) -> tuple[str, float]:
    home = generate_home(f"bench{seed}", seed)
    forget_shapes()
    begin = time.perf_counter()
    scene = Scene(home)
    seconds = time.perf_counter() - begin
    about = f"{len(home.rooms)} rooms, {len(home.things)} things, {len(scene.mesh.triangles)} triangles"
    return about, seconds


def draw(seed: int, panoramas: int, size: int, together: Barrier, rates: Queue[tuple[float, float]]) -> None:
    home = generate_home(f"bench{seed}", seed)
    scene = Scene(home)
    scene.panorama(home.viewpoints[0], size)
    together.wait(TIMEOUT)
    begin, used = time.perf_counter(), time.process_time()
    for number in range(panoramas):
        scene.panorama(home.viewpoints[number % len(home.viewpoints)], size)
    rates.put((panoramas / (time.perf_counter() - begin), panoramas / (time.process_time() - used)))


def panoramas_per_second(processes: int, panoramas: int, size: int) -> tuple[float, float]:
    """By the clock, and by the processor's time, which other programs on the machine hardly touch."""
    # A forked child would inherit Embree's and numba's threads in an unknown state.
    context = multiprocessing.get_context("spawn")
    together, rates = context.Barrier(processes), context.Queue()
    workers = [context.Process(target=draw, args=(seed, panoramas, size, together, rates)) for seed in range(processes)]
    for worker in workers:
        worker.start()
    clock, processor = zip(*(rates.get(timeout=TIMEOUT) for _ in workers), strict=True)
    for worker in workers:
        worker.join()
    return sum(clock), sum(processor)


def looks_per_second(seed: int) -> tuple[float, float, float]:
    """Looks at 64 pixels; what is seen in them; records of semantics from 256 pixels, looking included."""
    home = generate_home(f"bench{seed}", seed)
    scene = Scene(home)
    seen_from(scene, scene.look(home.viewpoints[0]))
    semantics_record(home, home.viewpoints[0], scene.look(home.viewpoints[0]))
    marks = [time.perf_counter()]
    looks = [scene.look(viewpoint) for viewpoint in home.viewpoints]
    marks.append(time.perf_counter())
    for look in looks:
        seen_from(scene, look)
    marks.append(time.perf_counter())
    for viewpoint in home.viewpoints:
        semantics_record(home, viewpoint, scene.look(viewpoint, 256))
    marks.append(time.perf_counter())
    looking, seeing, recording = (len(looks) / (end - begin) for begin, end in pairwise(marks))
    return looking, seeing, recording


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=3)
    parser.add_argument("--panoramas", type=int, default=24)
    parser.add_argument("--size", type=int, default=256)
    arguments = parser.parse_args()
    build_seconds(0)
    builds = [build_seconds(seed) for seed in range(arguments.homes)]
    for about, seconds in builds:
        print(f"scene built in {seconds:.2f} s: {about}")
    print(f"median {statistics.median(seconds for _, seconds in builds):.2f} s")
    looking, seeing, recording = looks_per_second(0)
    print(f"looks at 64 pixels {looking:.0f}/s, what is seen in them {seeing:.0f}/s, semantics {recording:.1f}/s")
    for processes in (1, 2):
        clock, processor = panoramas_per_second(processes, arguments.panoramas, arguments.size)
        faces = f"{arguments.size}x{arguments.size} faces"
        print(f"panoramas of {faces}, {processes} process(es): {clock:.1f}/s, {processor:.1f}/s of processor time")


if __name__ == "__main__":
    main()
