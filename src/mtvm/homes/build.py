"""The built-in world on disk: homes, panoramas, episodes and features, in the formats of the real data.

    <world>/connectivity/<scan>_connectivity.json, scans.txt
    <world>/skyboxes/<scan>/matterport_skybox_images/<viewpoint>_skybox_small.jpg, <viewpoint>_skybox_depth_small.png
    <world>/semantics/viewpoints.jsonl.gz
    <world>/R2R/R2R_<split>.json, LONG/LONG_<split>.json, NDH/<split>.json
    <world>/features/efficientnet-lite0, features/semantic
    <world>/world.json                 the config it was built from, and a checksum of every file

A world is built beside its place, home by home, in a folder that is locked: one that was interrupted goes on where it
stopped, a second process waits for the first, and only a whole world appears under its name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import itertools
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mtvm.errors import InputError, brief
from mtvm.homes.generate import generate_home
from mtvm.homes.home import Home
from mtvm.homes.painter import write_skybox
from mtvm.io.config_files import from_plain
from mtvm.io.files import atomic_path, cache_dir, read_json, write_json, write_text
from mtvm.io.locks import HAS_LOCKS, lock
from mtvm.machine import check_seed, child_environment, usable_cores
from mtvm.progress import notice, progress
from mtvm.tasks.registry import TASKS
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.skybox import LARGEST_FACE

VERSION = 4
"""Version of the generator; each version makes different homes."""
MANIFEST = "world.json"
WORLD = "world"
"""The folder inside that in which a world is built, which becomes the world."""
SPLITS = ("train", "val_seen", "val_unseen", "test")

_ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_MOST_HOMES = 10_000
_NUMBERS_A_HOME = 1000  # the ids of home n's entries start at n times this
_SEEN_SHARE = 0.09  # share of a training home's paths that is held out for val_seen
_GLANCE_SIZE = 96  # face pixels when only visibility is wanted: about one degree, or a few pixels of a 640x480 view


Features = Literal["all", "names", "none"]


@dataclasses.dataclass(frozen=True)
class WorldConfig:
    """What to build."""

    homes: int = 36
    seed: int = 0
    face_size: int = 256
    """Edge of a skybox face in pixels."""
    view_size: int = 128
    """Width in pixels of the views given to the image encoder."""
    features: Features = "all"
    """Which features to make: `all` from the images and from the names of what is visible, `names` only the latter,
    `none`. `names` draws no images, which is much faster."""

    def __post_init__(self) -> None:
        if not 3 <= self.homes <= _MOST_HOMES:
            raise InputError(
                f"a world needs at least 3 homes (to train, to validate, to test) and at most {_MOST_HOMES}, not "
                f"{brief(self.homes)}."
            )
        check_seed(self.seed)
        if not 8 <= self.face_size <= LARGEST_FACE:
            raise InputError(
                f"the face of a skybox has from 8 to {LARGEST_FACE} pixels a side, not {brief(self.face_size)}."
            )

    @property
    def name(self) -> str:
        parts = [f"homes{self.homes}", f"seed{self.seed}", f"faces{self.face_size}", f"v{VERSION}"]
        return "-".join(parts + ([self.features] if self.features != "all" else []))

    @property
    def scans(self) -> list[str]:
        return [f"home{number:03d}" for number in range(self.homes)]

    def home_seed(self, number: int) -> int:
        return self.seed * 100_003 + number

    def split_of(self, number: int) -> str:
        """The split that a home belongs to; val_seen shares the homes of train."""
        held_out = max(1, round(self.homes * 0.14))
        if number < self.homes - 2 * held_out:
            return "train"
        return "val_unseen" if number < self.homes - held_out else "test"


def default_folder(config: WorldConfig) -> Path:
    return cache_dir() / "worlds" / config.name


def build_world(
    config: WorldConfig, out: Path | None = None, workers: int | None = None, show_progress: bool = True
) -> Path:
    """Build the world, or return the existing one if its checksums match."""
    out = Path(out or default_folder(config)).absolute()
    building = out.with_name(f".{out.name}.building")
    if _is_built(out, config) and not building.exists():
        return out
    with _alone_in(building, out):
        if not _is_built(out, config):
            _build(building, config, workers, show_progress)
            (building / WORLD).rename(out)
        shutil.rmtree(building)
    return out


def _is_built(out: Path, config: WorldConfig) -> bool:
    """Whether the world is there, whole; raises if something else is."""
    if (out / MANIFEST).is_file():
        if _manifest(out)["config"] == dataclasses.asdict(config) and not damaged_files(out):
            return True
        raise InputError(f"{out}: another or a damaged world is there; remove the folder, or name another with --out.")
    if out.exists():
        raise InputError(f"{out}: is not a world and would be overwritten; name a new folder.")
    return False


def damaged_files(folder: Path) -> list[str]:
    """Files of a world that are missing or have changed since it was built."""
    expected = _manifest(folder)["checksums"]
    return [name for name, digest in expected.items() if not _is_as_built(folder / name, digest)]


def _is_as_built(path: Path, digest: str) -> bool:
    try:
        return path.is_file() and _digest(path) == digest
    except OSError:
        return False


def config_of(folder: Path) -> WorldConfig:
    """What a world was built from."""
    config: WorldConfig = from_plain(WorldConfig, _manifest(folder)["config"], folder / MANIFEST)
    return config


def _manifest(folder: Path) -> dict[str, Any]:
    manifest = read_json(folder / MANIFEST, "description of a world")
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(n), dict) for n in ("config", "checksums")):
        raise InputError(f"{folder / MANIFEST}: does not describe a world; remove the folder, or name another.")
    return manifest


@contextlib.contextmanager
def _alone_in(building: Path, out: Path) -> Iterator[None]:
    """Make the folder in which `out` is built, and keep others out of it; waits for another process that has it."""
    while True:
        try:
            building.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(building, os.O_RDONLY) if HAS_LOCKS else None
        except FileNotFoundError:
            continue  # the other process was done in between
        except OSError as error:
            raise InputError(f"{out}: cannot write there ({error.strerror}).") from None
        try:
            if descriptor is not None and lock(descriptor) is False:
                notice(f"another process is building {out}; waiting for it.")
                lock(descriptor, wait=True)
            if descriptor is None or _is_at(descriptor, building):
                yield
                return
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open folder is still the one of this name."""
    return path.is_dir() and os.path.samestat(os.fstat(descriptor), path.stat())


def _build(building: Path, config: WorldConfig, workers: int | None, show_progress: bool) -> None:
    """Build the world in its folder, or go on where an earlier process stopped."""
    _prepare(building, config)
    scans = config.scans
    with progress(config.homes, "Building homes", "homes", show_progress) as advance:
        for _ in _build_homes(building, config, scans, workers):
            advance()
    world = building / WORLD
    _assemble(building, config, scans)
    if config.features != "none":
        _extract(world, config, workers, show_progress)
    _write_manifest(world, config)


def _prepare(building: Path, config: WorldConfig) -> None:
    """Set up the folder in which the world is built; leftovers of another config are deleted."""
    stamp = building / "config.json"
    wanted = dataclasses.asdict(config) | {"version": VERSION}
    if not (stamp.is_file() and read_json(stamp, "stamp") == wanted):
        for item in building.iterdir():
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    write_json(stamp, wanted)
    (building / WORLD).mkdir(exist_ok=True)


def _build_homes(building: Path, config: WorldConfig, scans: list[str], workers: int | None) -> Iterator[str]:
    """Build every missing home, several at a time; yields each scan when it is done."""
    todo = []
    for number, scan in enumerate(scans):
        if (building / "parts" / f"{scan}.json").is_file():
            yield scan
        else:
            todo.append((number, scan))
    count = workers or usable_cores()
    if count == 1 or len(todo) < 2:
        for number, scan in todo:
            yield _build_home(building, config, number, scan)
        return
    with (
        child_environment(**_ONE_CORE),
        ProcessPoolExecutor(count, initializer=_end_with, initargs=(os.getpid(),)) as pool,
    ):
        jobs = [pool.submit(_build_home, building, config, number, scan) for number, scan in todo]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BrokenProcessPool:
            raise InputError(
                f"{building}: a process that was building a home was killed, perhaps for want of memory; run the "
                "command again to go on, with fewer --workers."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with(parent: int) -> None:
    """Let this process end soon after its parent, so that it does not go on building what nobody waits for."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _build_home(building: Path, config: WorldConfig, number: int, scan: str) -> str:
    """Build one home; its part file is written last."""
    from mtvm.homes.plan.viewpoints import connectivity_records
    from mtvm.homes.render.raytrace import Scene
    from mtvm.homes.render.visibility import seen_from, semantics_record
    from mtvm.homes.words.episodes import Numbers, home_episodes

    home = generate_home(scan, config.home_seed(number))
    records = connectivity_records(home)
    world = building / WORLD
    path = world / "connectivity" / f"{scan}{SUFFIX}"
    write_json(path, records)
    graph = NavGraph.from_records(scan, records, path)
    scene = Scene(home)
    if config.features != "names":
        for viewpoint, rotation in zip(home.viewpoints, graph.rotations, strict=True):
            panorama = scene.panorama(viewpoint, config.face_size, rotation)
            write_skybox(world / "skyboxes", scan, viewpoint.id, panorama)
    semantics, seen = [], []
    for viewpoint, rotation in zip(home.viewpoints, graph.rotations, strict=True):
        glance = scene.look(viewpoint, _GLANCE_SIZE, rotation)
        semantics.append(semantics_record(home, viewpoint, glance))
        seen.append(seen_from(scene, glance))
    first = number * _NUMBERS_A_HOME
    numbers = Numbers(itertools.count(first), itertools.count(first), itertools.count(first))
    episodes = home_episodes(home, graph, seen, np.random.default_rng([config.seed, number]), numbers)
    part = {"semantics": semantics, "home": _summary(home), **dataclasses.asdict(episodes)}
    write_json(building / "parts" / f"{scan}.json", part)
    return scan


def _summary(home: Home) -> dict[str, Any]:
    return {
        "rooms": [room.kind for room in home.rooms],
        "storeys": len(home.storey_heights),
        "things": len(home.things),
        "viewpoints": len(home.viewpoints),
        "edges": len(home.edges),
    }


def _assemble(building: Path, config: WorldConfig, scans: list[str]) -> None:
    """Join the homes' parts into the files of the splits."""
    world = building / WORLD
    write_text(world / "connectivity" / "scans.txt", "\n".join(scans) + "\n")
    tasks: dict[str, dict[str, list[Any]]] = {task: {split: [] for split in SPLITS} for task in ("r2r", "long", "ndh")}
    lines = []
    for number, scan in enumerate(scans):
        part = read_json(building / "parts" / f"{scan}.json", "part of a world")
        lines += [json.dumps(record) for record in part["semantics"]]
        for task, splits in tasks.items():
            _share_out(part[task], config.split_of(number), splits)
    for task, splits in tasks.items():
        for split, entries in splits.items():
            write_json(world / task.upper() / TASKS[task].file_names(split)[0], entries)
    with atomic_path(world / "semantics" / "viewpoints.jsonl.gz") as fresh:
        # No timestamp, so that the same world gives the same bytes.
        fresh.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))


def _share_out(entries: list[Any], split: str, splits: dict[str, list[Any]]) -> None:
    """Add a home's entries to its split: the last ones of a training home go to val_seen, test entries lose goals."""
    if split == "train":
        kept_back = max(1, round(len(entries) * _SEEN_SHARE)) if len(entries) > 1 else 0
        splits["train"] += entries[: len(entries) - kept_back]
        splits["val_seen"] += entries[len(entries) - kept_back :]
    elif split == "test":
        splits["test"] += [_without_goal(entry) for entry in entries]
    else:
        splits[split] += entries


def _without_goal(entry: dict[str, Any]) -> dict[str, Any]:
    secret = {"distance", "via", "planner_path", "player_path", "end_panos"}
    public = {name: value for name, value in entry.items() if name not in secret and not name.startswith("R2R_")}
    return public | {"path": entry["path"][:1]} if "path" in entry else public


def _extract(world: Path, config: WorldConfig, workers: int | None, show_progress: bool) -> None:
    from mtvm.features.encoders import load_encoder
    from mtvm.features.extract import extract_features
    from mtvm.features.names import semantic_features

    stores = world / "features"
    stores.mkdir(exist_ok=True)
    if not (stores / "semantic").exists():
        source, graphs = world / "semantics" / "viewpoints.jsonl.gz", world / "connectivity"
        semantic_features(source, stores / "semantic", connectivity=graphs, show_progress=show_progress)
    name = "efficientnet-lite0"
    if config.features == "all" and not (stores / name).exists():
        encoder = load_encoder("efficientnet-lite0", size=config.view_size)
        extract_features(
            world / "skyboxes",
            world / "connectivity",
            stores / name,
            encoder,
            workers=workers,
            show_progress=show_progress,
        )


def _write_manifest(world: Path, config: WorldConfig) -> None:
    for left in list(world.rglob(".*")):  # of killed processes; nothing of a world is hidden
        shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)
    files = sorted(path for path in world.rglob("*") if path.is_file() and path != world / MANIFEST)
    checksums = {path.relative_to(world).as_posix(): _digest(path) for path in files}
    write_json(
        world / MANIFEST,
        {"version": VERSION, "config": dataclasses.asdict(config), "checksums": checksums},
        indent=1,
    )


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
