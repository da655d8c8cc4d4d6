"""docs/headline.md, walked with the three buildings whose published files are there: downloads, converter, evaluation;
and docs/tutorials/own-building.md.

No file of ours is used but the released agent, nothing of the home folder, and nothing that people annotated.
"""

import csv
import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from command_line import run

from mtvm.io.files import write_text

RELEASE = Path(__file__).parents[2] / "releases" / "r2r-pixels"
SCANS = ("17DRP5sb8fy", "8194nk5LbLH", "QUCTc6BB5sX")
EPISODES = {"val_seen": 2, "val_unseen": 108}


def only_these_buildings(real_data: Path, folder: Path) -> Path:
    """The graphs of these buildings, and R2R's paths in them with the first instruction of each, to be quick."""
    for scan in SCANS:
        name = f"{scan}_connectivity.json"
        (folder / "Matterport3DSimulator" / "connectivity").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(real_data / "connectivity" / name, folder / "Matterport3DSimulator" / "connectivity" / name)
    for split in EPISODES:
        entries = json.loads((real_data / "R2R" / f"R2R_{split}.json").read_bytes())
        some = [entry | {"instructions": entry["instructions"][:1]} for entry in entries if entry["scan"] in SCANS]
        (folder / f"R2R_{split}.json").write_text(json.dumps(some))
    return folder


def walks(capsys, data: Path, out: Path) -> dict[str, list]:
    splits = [f"r2r/{split}" for split in EPISODES]
    run(capsys, "eval", RELEASE, "--split", *splits, "--data.folder", data, "--out", out, "--device", "cpu")
    return {split: json.loads((out / f"r2r-{split}" / "results.json").read_bytes()) for split in EPISODES}


@pytest.fixture
def stranger(monkeypatch, tmp_path):
    """Somebody who has just arrived: an empty home, no cache, no variable set."""
    for name in ("MTVM_CACHE", "MTVM_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path


def test_published_files_lead_to_the_same_walks_as_the_joined_data(stranger, real_data, capsys):
    published = real_data / "originals" / "NavGPT" / "observations"
    if not published.is_dir():
        pytest.skip(f"no published captions at {published}")
    ours = only_these_buildings(real_data, stranger / "vln")
    shutil.copytree(published, ours / "NavGPT" / "R2R" / "observations")
    run(capsys, "data", "captions", ours / "NavGPT", "--out", ours / "captions.jsonl.gz")
    joined = only_these_buildings(real_data, stranger / "joined")
    lines = gzip.decompress((real_data / "captions" / "captions.jsonl.gz").read_bytes()).splitlines(keepends=True)
    (joined / "captions.jsonl").write_bytes(b"".join(line for line in lines if json.loads(line)["scan"] in SCANS))

    found = walks(capsys, ours, stranger / "by-published")
    assert {split: len(episodes) for split, episodes in found.items()} == EPISODES
    assert found == walks(capsys, joined, stranger / "by-joined")
    for split in EPISODES:
        # The released table is of the whole split, where batches are others and rounding with them.
        released, here = table(RELEASE / "eval", split), table(stranger / "by-published", split)
        assert sum(here[episode] != released[episode] for episode in here) <= 1


def table(folder: Path, split: str) -> dict[str, dict[str, str]]:
    with (folder / f"r2r-{split}" / "episodes.csv").open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_released_agent_walks_in_the_building_of_the_tutorial(stranger, capsys):
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "own-building.md").read_text(encoding="utf-8")
    graph, instructions = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    home = stranger / "home"
    write_text(home / "connectivity" / "flat_connectivity.json", json.dumps(graph))
    write_text(home / "mine.json", json.dumps(instructions))
    rooms = {"sofa": "living room", "door": "hallway", "stove": "kitchen"}
    lines = [
        {"scan": "flat", "viewpoint": viewpoint, "captions": [[f"the floor of a {room}", f"a {room}", "a ceiling"]] * 8}
        for viewpoint, room in rooms.items()
    ]
    write_text(home / "captions.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    assert "connectivity graphs of 1 scan in" in run(capsys, "doctor", "--data", home).out
    split = ("--split", f"r2r/{home}/mine.json", "--data.folder", home)
    run(capsys, "eval", RELEASE, *split, "--out", stranger / "mine", "--device", "cpu")
    (results,) = (stranger / "mine").glob("*/results.json")
    (walk,) = json.loads(results.read_bytes())
    assert walk["instr_id"] == "1_0"
    assert {step[0] for step in walk["trajectory"]} <= set(rooms)
