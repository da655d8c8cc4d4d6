"""The built-in world on disk: read by the ordinary readers, the same for the same seed, safe against interruption."""

import dataclasses
import gzip
import json
import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.features.names import read_semantics
from mtvm.homes import build
from mtvm.homes.build import WorldConfig, build_world, damaged_files
from mtvm.io.files import write_json
from mtvm.tasks.load import load_episodes
from mtvm.world.graph import NavGraph
from mtvm.world.mattersim import Simulator
from mtvm.world.world import World
from small_worlds import both_ways, make_records

CONFIG = WorldConfig(homes=3, face_size=16, features="none")


@pytest.fixture(scope="module")
def world_folder(tmp_path_factory):
    return build_world(CONFIG, tmp_path_factory.mktemp("worlds") / "world", workers=1, show_progress=False)


def test_build_world_writes_files_that_the_usual_readers_read(world_folder):
    for task in ("r2r", "long", "ndh"):
        scans = {}
        for split in build.SPLITS:
            episodes = load_episodes(task, split, world_folder)
            assert len(episodes) > 0
            assert episodes.has_goals == (split != "test")
            scans[split] = set(episodes.world.scans)
        assert scans["val_seen"] <= scans["train"]
        assert not scans["val_unseen"] & (scans["train"] | scans["test"])
        assert not scans["test"] & scans["train"]


def test_build_world_splits_train_and_val_seen_without_overlap(world_folder):
    train, seen = (load_episodes("r2r", split, world_folder) for split in ("train", "val_seen"))
    walked = {episode.reference for episode in train}
    assert not any(episode.reference in walked for episode in seen)
    assert not set(train.ids) & set(seen.ids)


def test_build_world_writes_skyboxes_that_mattersim_renders(world_folder):
    world = World.load(world_folder / "connectivity")
    simulator = Simulator()
    simulator.setNavGraphPath(str(world_folder / "connectivity"))
    simulator.setDatasetPath(str(world_folder / "skyboxes"))
    simulator.setDepthEnabled(True)
    simulator.setCameraResolution(64, 48)
    simulator.newEpisode("home000", str(world.viewpoints[0]), 0.0, 0.0)
    state = simulator.getState()
    assert np.ptp(state.rgb) > 50
    assert 0.1 < np.median(state.depth) * 0.00025 < 20


def test_build_world_writes_semantics_of_every_viewpoint(world_folder):
    world = World.load(world_folder / "connectivity")
    places = list(read_semantics(world_folder / "semantics" / "viewpoints.jsonl.gz"))
    assert {(p.scan, p.viewpoint) for p in places} == {
        (world.scan(node), str(world.viewpoints[node])) for node in range(len(world))
    }
    assert sum(len(place.objects) > 0 for place in places) > 0.9 * len(places)


def files_of(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.slow
def test_build_world_resumes_and_gives_the_same_bytes(world_folder, tmp_path, monkeypatch):
    made = []

    def stops_in_the_second(building, config, number, scan):
        if len(made) == 1:
            raise KeyboardInterrupt
        made.append(scan)
        return original(building, config, number, scan)

    original = build._build_home
    monkeypatch.setattr(build, "_build_home", stops_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        build_world(CONFIG, tmp_path / "world", workers=1, show_progress=False)
    assert not (tmp_path / "world").exists()
    monkeypatch.setattr(build, "_build_home", lambda *args: made.append(args[-1]) or original(*args))
    again = build_world(CONFIG, tmp_path / "world", workers=1, show_progress=False)
    assert made == ["home000", "home001", "home002"], "the first home was not made twice"
    assert [path.name for path in tmp_path.iterdir()] == ["world"]
    monkeypatch.undo()
    by_two = build_world(CONFIG, tmp_path / "by-two", workers=2, show_progress=False)
    ours = files_of(world_folder)
    for theirs in (files_of(again), files_of(by_two)):
        assert ours.keys() == theirs.keys()
        assert [name for name in ours if ours[name] != theirs[name]] == []


def plain_home(building, config, number, scan):
    """In place of a home: a graph of two viewpoints and an episode, in no time."""
    records = make_records({"a": (0, 0), "b": (2, 1)}, both_ways(["ab"]))
    write_json(building / "world" / "connectivity" / f"{scan}_connectivity.json", records)
    entry = {"scan": scan, "path_id": number, "path": ["a", "b"], "instructions": ["Go."], "heading": 0.0}
    part = {"semantics": [], "home": {}, "r2r": [entry, entry], "long": [], "ndh": []}
    write_json(building / "parts" / f"{scan}.json", part)
    return scan


def build_plainly(folder, name=None, after=0):
    """Build plain homes, and be killed in a later call of a function."""
    build._build_home = plain_home
    if name is not None:
        real, calls = getattr(build, name), []

        def killed(*args):
            calls.append(args)
            if len(calls) > after:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args)

        setattr(build, name, killed)
    build_world(CONFIG, folder, workers=1, show_progress=False)


def in_a_process(*args):
    process = multiprocessing.get_context("fork").Process(target=build_plainly, args=args)
    process.start()
    return process


@pytest.mark.parametrize(
    ("name", "after", "again"),
    [("_build_home", 1, 2), ("_assemble", 0, 0), ("_share_out", 4, 0), ("_write_manifest", 0, 0), ("_digest", 9, 0)],
)
def test_build_world_that_was_killed_goes_on_and_leaves_nothing(tmp_path, monkeypatch, name, after, again):
    child = in_a_process(tmp_path / "w", name, after)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == [".w.building"]
    half = tmp_path / ".w.building" / "world" / "connectivity" / ".home000_connectivity.json.x.tmp"
    half.mkdir(parents=True)
    (half / "half").write_text("half")
    made = []
    monkeypatch.setattr(build, "_build_home", lambda *args: made.append(args[-1]) or plain_home(*args))
    world = build_world(CONFIG, tmp_path / "w", workers=1, show_progress=False)
    assert len(made) == again, "what was done is not done again"
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    build_world(CONFIG, tmp_path / "whole", workers=1, show_progress=False)
    assert files_of(world) == files_of(tmp_path / "whole")
    assert damaged_files(world) == []


def test_build_world_that_is_started_many_times_is_built_once(tmp_path):
    building = [in_a_process(tmp_path / "w") for _ in range(4)]
    for process in building:
        process.join()
    assert [process.exitcode for process in building] == [0] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    assert damaged_files(tmp_path / "w") == []


def workers_of(folder):
    """Build with two workers, which take long over their homes."""
    build._build_home = slow_home
    build_world(CONFIG, folder, workers=2, show_progress=False)


def slow_home(building, config, number, scan):
    (building / f"{os.getpid()}.pid").touch()
    time.sleep(60)


def test_build_world_workers_end_with_their_parent(tmp_path):
    """Nobody waits for them any more, and they would hold the lock."""
    parent = multiprocessing.get_context("fork").Process(target=workers_of, args=(tmp_path / "w",))
    parent.start()
    children = []
    while len(children) < 2:
        children = [int(path.stem) for path in tmp_path.glob(".w.building/*.pid")]
        time.sleep(0.02)
    parent.kill()
    parent.join()
    until = time.monotonic() + 20
    while any(is_running(child) for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_running(child) for child in children)


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("content", ["[]", "{}", '{"config": 1, "checksums": 2}', '{"config": {}}', "nonsense", '"x"'])
def test_build_world_beside_a_bad_description_is_refused_with_one_sentence(tmp_path, content):
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "world.json").write_text(content)
    with pytest.raises(InputError) as caught:
        build_world(CONFIG, tmp_path / "world")
    assert str(caught.value).startswith(str(tmp_path / "world"))
    assert [path.name for path in tmp_path.iterdir()] == ["world"]


@pytest.mark.parametrize("changes", [{"seed": -1}, {"seed": 10**30}, {"homes": 10**9}, {"face_size": 0}], ids=str)
def test_world_config_refuses_absurd_numbers(changes):
    with pytest.raises(InputError):
        WorldConfig(**changes)


def test_build_world_checks_and_reuses_an_existing_world(world_folder, tmp_path, monkeypatch):
    copy = shutil.copytree(world_folder, tmp_path / "copy")
    monkeypatch.setattr(build, "_build_home", None)
    assert build_world(CONFIG, copy) == copy
    assert damaged_files(copy) == []
    with pytest.raises(InputError, match="another or a damaged world"):
        build_world(dataclasses.replace(CONFIG, seed=1), copy)
    (copy / "R2R" / "R2R_train.json").write_text("[]")
    (copy / "connectivity" / "scans.txt").unlink()
    assert sorted(damaged_files(copy)) == ["R2R/R2R_train.json", "connectivity/scans.txt"]
    with pytest.raises(InputError, match="another or a damaged world"):
        build_world(CONFIG, copy)


def test_build_world_refuses_to_overwrite_other_folders(tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(InputError, match="would be overwritten"):
        build_world(CONFIG, tmp_path)
    with pytest.raises(InputError, match="at least 3 homes"):
        WorldConfig(homes=2)


def test_build_world_hides_the_goals_of_the_test_split(world_folder):
    for entry in json.loads((world_folder / "R2R" / "R2R_test.json").read_text()):
        assert len(entry["path"]) == 1
        assert "distance" not in entry
    for entry in json.loads((world_folder / "NDH" / "test_cleaned.json").read_text()):
        assert not {"planner_path", "player_path", "end_panos"} & set(entry)


def test_world_config_has_homes_in_every_split_by_default():
    splits = [WorldConfig().split_of(number) for number in range(36)]
    assert (splits.count("train"), splits.count("val_unseen"), splits.count("test")) == (26, 5, 5)


def test_build_world_compresses_semantics_without_a_timestamp(world_folder):
    content = (world_folder / "semantics" / "viewpoints.jsonl.gz").read_bytes()
    assert content[4:8] == b"\0\0\0\0"
    assert gzip.decompress(content).endswith(b"\n")


def test_build_world_writes_the_graphs_of_the_homes(world_folder):
    graph = NavGraph.load(world_folder / "connectivity" / "home000_connectivity.json")
    assert np.isfinite(graph.distances).all()
    assert len(graph) >= 15
