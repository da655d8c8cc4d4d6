"""The built-in world on disk: homes, panoramas, episodes and features, in the formats of the real data.

    <world>/connectivity/<scan>_connectivity.json, scans.txt
    <world>/skyboxes/<scan>/matterport_skybox_images/<viewpoint>_skybox_small.jpg, <viewpoint>_skybox_depth_small.png
    <world>/semantics/viewpoints.jsonl.gz
    <world>/R2R/R2R_<split>.json, LONG/LONG_<split>.json, NDH/<split>.json
    <world>/features/efficientnet-lite0, features/semantic
    <world>/world.json                 the config it was built from, and a checksum of every file

A world is built beside its place, home by home; one that was interrupted goes on where it stopped, and only a whole one
appears under its name.
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
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mtvm.errors import InputError
from mtvm.files import cache_dir, read_json, write_json, write_text
from mtvm.homes.generate import generate_home
from mtvm.homes.home import Home
from mtvm.machine import usable_cores
from mtvm.progress import progress
from mtvm.tasks.registry import TASKS
from mtvm.world.graph import SUFFIX, NavGraph

VERSION = 4
"""Version of the generator; each version makes different homes."""
MANIFEST = "world.json"
SPLITS = ("train", "val_seen", "val_unseen", "test")

_NUMBERS_A_HOME = 1000  # the ids of home n's entries start at n times this
_SEEN_SHARE = 0.09  # share of a training home's paths that is held out for val_seen
_JPEG_QUALITY = 92
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
        if self.homes < 3:
            raise InputError(f"a world needs at least 3 homes (to train, to validate, to test), not {self.homes}.")

    @property
    def name(self) -> str:
        parts = [f"homes{self.homes}", f"seed{self.seed}", f"faces{self.face_size}", f"v{VERSION}"]
        return "-".join(parts + ([self.features] if self.features != "all" else []))

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
    if (out / MANIFEST).is_file():
        if _config_of(out) == dataclasses.asdict(config) and not damaged_files(out):
            return out
        raise InputError(f"{out}: another or a damaged world is there; remove the folder, or name another with --out.")
    if out.exists():
        raise InputError(f"{out}: is not a world and would be overwritten; name a new folder.")
    building = out.with_name(f".{out.name}.building")
    _prepare(building, config)
    scans = [f"home{number:03d}" for number in range(config.homes)]
    with progress(config.homes, "Building homes", "homes", show_progress) as advance:
        for _ in _build_homes(building, config, scans, workers):
            advance()
    _assemble(building, config, scans)
    if config.features != "none":
        _extract(building, config, workers, show_progress)
    shutil.rmtree(building / "parts")
    _write_manifest(building, config)
    out.parent.mkdir(parents=True, exist_ok=True)
    building.rename(out)
    return out


def damaged_files(folder: Path) -> list[str]:
    """Files of a world that are missing or have changed since it was built."""
    expected = read_json(folder / MANIFEST, "description of a world")["checksums"]
    return [
        name for name, digest in expected.items() if not (folder / name).is_file() or _digest(folder / name) != digest
    ]


def _config_of(folder: Path) -> Any:
    return read_json(folder / MANIFEST, "description of a world").get("config")


def _prepare(building: Path, config: WorldConfig) -> None:
    """Set up the folder in which the world is built; leftovers of another config are deleted."""
    stamp = building / "config.json"
    wanted = dataclasses.asdict(config) | {"version": VERSION}
    if building.exists() and not (stamp.is_file() and read_json(stamp, "stamp") == wanted):
        shutil.rmtree(building)
    write_json(stamp, wanted)


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
    with _quiet_threads(), ProcessPoolExecutor(count) as pool:
        jobs = [pool.submit(_build_home, building, config, number, scan) for number, scan in todo]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _build_home(building: Path, config: WorldConfig, number: int, scan: str) -> str:
    """Build one home; its part file is written last."""
    from mtvm.homes.plan.viewpoints import connectivity_records
    from mtvm.homes.render.raytrace import Scene
    from mtvm.homes.render.visibility import seen_from, semantics_record
    from mtvm.homes.words.episodes import Numbers, home_episodes

    home = generate_home(scan, config.home_seed(number))
    records = connectivity_records(home)
    path = building / "connectivity" / f"{scan}{SUFFIX}"
    write_json(path, records)
    graph = NavGraph.from_records(scan, records, path)
    scene = Scene(home)
    if config.features != "names":
        folder = building / "skyboxes" / scan / "matterport_skybox_images"
        folder.mkdir(parents=True, exist_ok=True)
        for viewpoint, rotation in zip(home.viewpoints, graph.rotations, strict=True):
            _write_panorama(folder, viewpoint.id, scene.panorama(viewpoint, config.face_size, rotation))
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


def _write_panorama(folder: Path, viewpoint: str, panorama: Any) -> None:
    from PIL import Image

    strip = np.concatenate(list(panorama.faces), axis=1)
    Image.fromarray(strip).save(folder / f"{viewpoint}_skybox_small.jpg", quality=_JPEG_QUALITY, subsampling=0)
    depth = np.concatenate(list(panorama.depth), axis=1)
    Image.fromarray(depth).save(folder / f"{viewpoint}_skybox_depth_small.png", compress_level=1)


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
    write_text(building / "connectivity" / "scans.txt", "\n".join(scans) + "\n")
    tasks: dict[str, dict[str, list[Any]]] = {task: {split: [] for split in SPLITS} for task in ("r2r", "long", "ndh")}
    lines = []
    for number, scan in enumerate(scans):
        part = read_json(building / "parts" / f"{scan}.json", "part of a world")
        lines += [json.dumps(record) for record in part["semantics"]]
        for task, splits in tasks.items():
            _share_out(part[task], config.split_of(number), splits)
    for task, splits in tasks.items():
        for split, entries in splits.items():
            write_json(building / task.upper() / TASKS[task].file_names(split)[0], entries)
    semantics = building / "semantics" / "viewpoints.jsonl.gz"
    semantics.parent.mkdir(exist_ok=True)
    # No timestamp, so that the same world gives the same bytes.
    semantics.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))


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


def _extract(building: Path, config: WorldConfig, workers: int | None, show_progress: bool) -> None:
    from mtvm.features.encoders import load_encoder
    from mtvm.features.extract import extract_features
    from mtvm.features.names import semantic_features

    stores = building / "features"
    stores.mkdir(exist_ok=True)
    if not (stores / "semantic").exists():
        source, graphs = building / "semantics" / "viewpoints.jsonl.gz", building / "connectivity"
        semantic_features(source, stores / "semantic", connectivity=graphs, show_progress=show_progress)
    name = "efficientnet-lite0"
    if config.features == "all" and not (stores / name).exists():
        encoder = load_encoder("efficientnet-lite0", size=config.view_size)
        extract_features(
            building / "skyboxes",
            building / "connectivity",
            stores / name,
            encoder,
            workers=workers,
            show_progress=show_progress,
        )


def _write_manifest(building: Path, config: WorldConfig) -> None:
    (building / "config.json").unlink()
    files = sorted(path for path in building.rglob("*") if path.is_file())
    checksums = {path.relative_to(building).as_posix(): _digest(path) for path in files}
    write_json(
        building / MANIFEST,
        {"version": VERSION, "config": dataclasses.asdict(config), "checksums": checksums},
        indent=1,
    )


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


@contextlib.contextmanager
def _quiet_threads() -> Iterator[None]:
    """Limit each worker process to one core."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
