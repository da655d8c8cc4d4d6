"""Processes that race for the same names: files, stores, caches, worlds and the lock of a run.

    python tests/fuzz/racing.py --rounds 1000        (make attack)

In each round two processes begin at the same moment; what they leave must be whole, and right. In half of the rounds
one of them is killed at a random moment; the next process then must clear up after it.
"""

import argparse
import functools
import gzip
import itertools
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from mtvm.acting.baselines import run_baseline
from mtvm.errors import InputError
from mtvm.features.converting.published import write_lines
from mtvm.features.store import FeatureStore
from mtvm.homes import build
from mtvm.io.arrays import keep_cached, read_cached
from mtvm.io.files import atomic_path, read_json, write_json
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.models.config import ModelConfig
from mtvm.models.network import make_network
from mtvm.models.saving import load_model, save_model
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import MANIFEST, RESULTS, read_manifest, write_evaluation
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import pad
from mtvm.tasks.results import read_results
from mtvm.testing.tiny import write_tiny_world
from mtvm.viewer.notes import read_notes, write_note
from mtvm.world.graph import NavGraph

VIEWPOINTS = {"a": (0, 0), "b": (2, 1)}
KILLED = "one is killed"
"""The file that says so to a race, because it may find what the other has left."""
CONFIG = build.WorldConfig(homes=3, features="none")
SMALL = ModelConfig(
    hidden=8, heads=2, intermediate=8, language_layers=1, crossmodal_layers=1, feature_width=4, critic_hidden=4
)


def write_file(folder, number):
    write_json(folder / "file.json", [number] * 5000)
    assert len(set(read_json(folder / "file.json", "file"))) == 1


def write_folder(folder, number):
    with atomic_path(folder / "folder") as fresh:
        fresh.mkdir()
        for name in ("one", "other"):
            (fresh / name).write_text(str(number))


def write_store(folder, number):
    values = np.full((36, 4 + number), float(number), dtype=np.float32)
    FeatureStore.write(folder / "store", [("s", "v", values)], source="made", source_format="test").verify()
    found = FeatureStore.open(folder / "store").verify()
    assert (found.panorama([0]) == found.width - 4).all()


def use_cache(folder, number):
    found = read_cached(folder / "kept.npz", ["a"])
    assert found is None or (found["a"] == np.arange(1000)).all()
    if found is None or number == 2:
        keep_cached(folder / "kept.npz", {"a": np.arange(1000)})


def load_graph(folder, number):
    graph = NavGraph.load(folder / "made_connectivity.json")
    assert graph.viewpoints.tolist() == ["a", "b"]


def build_world(folder, number):
    build.build_world(CONFIG, folder / "world", workers=1, show_progress=False)
    assert build.damaged_files(folder / "world") == []


def take_lock(folder, number):
    """Whoever has the lock is alone."""
    try:
        with RunFolder(folder / "run").lock():
            (folder / "run" / "mine").mkdir(exist_ok=(folder / KILLED).exists())
            time.sleep(0.002)
            (folder / "run" / "mine").rmdir()
    except InputError:
        return  # the other one has it


def write_walks(folder, number):
    """Whose evaluation it is, its files say alike."""
    place, episodes = folder / "evaluation", _tiny()
    nodes = pad([[episodes.world.node("tiny3", name) for name in walk] for walk in _walks(AGENTS[number], episodes)])
    write_evaluation(place, Evaluation(episodes, nodes, np.zeros_like(nodes), [], 1.0), AGENTS[number])
    manifest = (place / MANIFEST).read_bytes()
    said = read_manifest(place).agent
    found = read_results(place / RESULTS, episodes).trajectories
    if (place / MANIFEST).read_bytes() == manifest:  # nobody has replaced it meanwhile
        assert _passed(found) == _walks(said, episodes)


AGENTS = ("shortest", "stop", "forward")


@functools.cache
def _tiny():
    with tempfile.TemporaryDirectory() as folder:
        return load_episodes("r2r", "val_unseen", write_tiny_world(Path(folder), paths=2))


def _walks(agent, episodes):
    return _passed(run_baseline(agent, episodes, 0))


def _passed(walks):
    """The viewpoints, without turns on the spot."""
    return [[name for name, _ in itertools.groupby(pose[0] for pose in walk)] for walk in walks]


def write_weights(folder, number):
    """Weights loaded are weights saved."""
    network = make_network(SMALL)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(number / 3)
    save_model(network, folder / "agent")
    found = load_model(folder / "agent", "cpu").state_dict()
    assert len({float(found[name].flatten()[0]) for name, _ in network.named_parameters()}) == 1


def keep_checkpoint(folder, number):
    """The newest and the one before it are whole."""
    path, before = folder / "checkpoint.pt", folder / "before.pt"
    checkpoint.save(path, {"update": number, "model": {"a": torch.full((999,), float(number))}}, before)
    for one in (path, before):
        if one.is_file():
            state = checkpoint.load(one)
            assert (state["model"]["a"] == state["update"]).all()


def convert_lines(folder, number):
    write_lines(folder / "lines.jsonl.gz", (f"{number} {line}" for line in range(2000)))
    lines = gzip.decompress((folder / "lines.jsonl.gz").read_bytes()).decode().split("\n")
    assert len({line.split()[0] for line in lines if line}) == 1
    assert len(lines) == 2001


def write_notes(folder, number):
    write_note(folder / "results.json", str(number), ["odd"], "a note")
    assert all(entry["note"] == "a note" for entry in read_notes(folder / "results.json").values())


RACES = [
    *(write_file, write_folder, write_store, use_cache, load_graph, build_world, take_lock),
    *(write_walks, write_weights, keep_checkpoint, convert_lines, write_notes),
]


def plain_home(building, config, number, scan):
    """In place of a home: next to nothing, in no time."""
    write_json(building / "world" / "connectivity" / f"{scan}_connectivity.json", graph_records())
    entry = {"scan": scan, "path_id": number, "path": ["a", "b"], "instructions": ["Go."], "heading": 0.0}
    write_json(building / "parts" / f"{scan}.json", {"semantics": [], "r2r": [entry, entry], "long": [], "ndh": []})
    return scan


def graph_records():
    pose = np.eye(4)
    records = []
    for name, (east, north) in VIEWPOINTS.items():
        pose[:2, 3] = east, north
        flags = [name != other for other in VIEWPOINTS]
        records.append({"image_id": name, "pose": pose.ravel().tolist(), "included": True, "unobstructed": flags})
    return records


def run(race, folder, number, start):
    build._build_home = plain_home
    _wait_for(start)
    race(folder, number)


def _wait_for(moment):
    while time.monotonic() < moment:
        time.sleep(0)


def race_once(race, folder, kill):
    """Two processes in one folder; with `kill`, one of them dies in the middle, and another comes after both. What went
    wrong, or nothing."""
    context = multiprocessing.get_context("fork")
    start = time.monotonic() + 0.05  # no lock that a killed process could keep
    write_json(folder / "made_connectivity.json", graph_records())
    racing = [context.Process(target=run, args=(race, folder, number, start)) for number in range(2)]
    for process in racing:
        process.start()
    if kill:
        (folder / KILLED).touch()
        _wait_for(start)
        time.sleep(np.random.default_rng().uniform(0, 0.02))
        os.kill(racing[0].pid, signal.SIGKILL)
    for process in racing:
        process.join(600)
        if process.is_alive():
            process.kill()
            return "no end"
    codes = [process.exitcode for process in racing]
    if codes[1] != 0 or codes[0] not in ((0, -signal.SIGKILL) if kill else (0,)):
        return f"exit codes {codes}"
    if kill:
        after = context.Process(target=run, args=(race, folder, 2, 0.0))
        after.start()
        after.join(600)
        if after.exitcode != 0:
            return f"exit code {after.exitcode} after a kill"
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    return f"left {left[0]}" if left else ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=1000)
    arguments.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:  # what takes long to import, once for all that are forked
        write_walks(Path(folder), 0)
        write_weights(Path(folder), 0)
    done, failures, until = 0, [], time.monotonic() + given.seconds
    while done < given.rounds and time.monotonic() < until:
        race = RACES[done % len(RACES)]
        with tempfile.TemporaryDirectory() as folder:
            os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")
            if said := race_once(race, Path(folder), kill=done // len(RACES) % 2 == 1):
                failures.append(f"{race.__name__}: {said}")
        done += 1
    print(f"{done} rounds of two processes over {len(RACES)} races, {len(failures)} failures")
    print("\n".join(failures[:20]))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
