"""The commands as a user types them: help, mistakes, episodes, features, homes, the demo."""

import csv
import json
import re
import subprocess
import sys
import urllib.request
from collections import Counter

import numpy as np
import pytest
from command_line import refused, run
from rich.console import Console

from mtvm.app import demo
from mtvm.app.cli import COMMANDS, GROUPS
from mtvm.configs.presets import PRESETS
from mtvm.features.store import FeatureStore
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import NAVIGATION
from mtvm.tasks.metrics import score_trajectories

NAMES = tuple(metric.name for metric in NAVIGATION)

EVERY = [(name,) for name in COMMANDS] + [(group, name) for group, (_, some) in GROUPS.items() for name in some]

# Help


def test_help_lists_every_command(capsys):
    top = run(capsys, "--help").out
    for name in (*COMMANDS, *GROUPS):
        assert f"• {name}" in top
    assert run(capsys).out == top, "without a command the help is shown"
    assert run(capsys, "--version").out.startswith("mtvm 0.")


@pytest.mark.parametrize("group", GROUPS)
def test_help_of_a_group_lists_its_commands(capsys, group):
    printed = run(capsys, group, "--help").out
    assert f"usage: mtvm {group}" in printed
    for name in GROUPS[group][1]:
        assert f"• {name}" in printed


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help_of_everything_has_usage_a_description_and_options(capsys, command):
    printed = run(capsys, *command, "--help").out
    assert f"usage: mtvm {' '.join(command)}" in printed
    function = COMMANDS[command[0]] if len(command) == 1 else GROUPS[command[0]][1][command[1]]
    first, *_ = function.__doc__.splitlines()
    assert " ".join(first.split()[:4]) in " ".join(printed.split())
    assert "-h, --help" in printed


def test_help_of_everything_visits_everything():
    """So that a new command is not forgotten."""
    assert len(EVERY) == len(COMMANDS) + sum(len(some) for _, some in GROUPS.values())
    assert {("train",), ("weights", "parity"), ("homes", "build"), ("data", "r4r")} <= set(EVERY)


@pytest.mark.parametrize("name", PRESETS)
def test_help_of_a_preset_has_every_option_of_a_run(capsys, name):
    printed = run(capsys, "train", name, "--help").out
    for option in (
        "--out",
        "--model.hidden",
        "--data.sight",
        "--loss.a2c.weight",
        "--optimizer.lr",
        "--selection.metric",
    ):
        assert option in printed


# Episodes and results


@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_baseline_then_score(capsys, tiny_folder, tmp_path, task):
    results, table = tmp_path / "results.json", tmp_path / "episodes.csv"
    where = ("--task", task, "--data", tiny_folder)
    assert str(results) in run(capsys, "baseline", "shortest", *where, "--out", results).out
    printed = run(capsys, "score", results, *where, "--csv", table)
    assert f"{task} val_unseen" in printed.out
    means = json.loads(run(capsys, "score", results, *where, "--json").out)
    assert tuple(means) == NAMES
    episodes = load_episodes(task, "val_unseen", tiny_folder)
    paths = [
        episodes.world.shortest_path(int(start), int(end))
        for start, end in zip(episodes.starts, episodes.reference_ends, strict=True)
    ]
    nodes = np.full((len(paths), max(map(len, paths))), -1)
    for row, path in enumerate(paths):
        nodes[row, : len(path)] = path
    expected = {name: column.mean() for name, column in score_trajectories(episodes, nodes).items()}
    assert means == pytest.approx(expected)
    assert means["SPL"] > 50
    assert (means["SPL"] == pytest.approx(100)) == (task == "r2r"), (
        "supervision of NDH may end elsewhere than at a goal"
    )
    rows = list(csv.DictReader(table.read_text().splitlines()))
    for name in NAMES:
        assert np.mean([float(row[name]) for row in rows]) == pytest.approx(means[name])


def test_baseline_writes_to_the_current_folder_by_default(capsys, tiny_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    run(capsys, "baseline", "stop", "--split", "val_seen")
    assert (tmp_path / "stop_r2r_val_seen.json").exists()


def test_score_counts_where_it_went_wrong(capsys, tiny_folder, tmp_path):
    results, table = tmp_path / "random.json", tmp_path / "episodes.csv"
    run(capsys, "baseline", "random", "--data", tiny_folder, "--out", results)
    printed = run(capsys, "score", results, "--data", tiny_folder, "--errors", "--csv", table).out
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counted = Counter(row["mistake"] for row in rows)
    assert counted.pop("", 0) == sum(float(row["SR"]) > 0 for row in rows)
    assert counted
    for mistake, count in counted.items():
        assert re.search(rf"{mistake} +{count} ", printed)
    for row in rows:
        assert (row["move"] == "0") >= (row["mistake"] == "wrong first turn")
    said = json.loads(run(capsys, "score", results, "--data", tiny_folder, "--errors", "--json").out)
    assert {name: count for name, count in said["mistakes"].items() if count} == counted


def test_score_takes_partial_results_if_told(capsys, tiny_folder, tmp_path):
    results = tmp_path / "results.json"
    run(capsys, "baseline", "stop", "--data", tiny_folder, "--out", results)
    results.write_text(json.dumps(json.loads(results.read_text())[:5]))
    refused = run(capsys, "score", results, "--data", tiny_folder, code=2).err
    assert "31 of 36 ids" in refused
    assert "Use --partial to score only the others" in refused
    assert "5 of 36 episodes" in run(capsys, "score", results, "--data", tiny_folder, "--partial").out


def test_submit_writes_what_the_leaderboard_reads(capsys, tiny_folder, tmp_path):
    results, upload = tmp_path / "results.json", tmp_path / "upload.json"
    for task, field in (("r2r", "instr_id"), ("ndh", "inst_idx")):
        where = ("--task", task, "--data", tiny_folder)
        run(capsys, "baseline", "random", *where, "--split", "test", "--out", results)
        assert "upload" in run(capsys, "submit", results, *where, "--out", upload).out
        assert set(json.loads(upload.read_text())[0]) == {field, "trajectory"}


def test_data_r4r_writes_joined_paths(capsys, tiny_folder, tmp_path):
    out = tmp_path / "R4R_train.json"
    printed = run(capsys, "data", "r4r", "train", "--data", tiny_folder, "--out", out).out
    whole = json.loads(out.read_text())
    assert f"{len(whole)} paths" in printed
    drawn = []
    for _ in range(2):
        run(capsys, "data", "r4r", "train", "--data", tiny_folder, "--out", out, "--paths", "2")
        drawn.append(json.loads(out.read_text()))
    assert drawn[0] == drawn[1]
    assert [entry for entry in whole if entry in drawn[0]] == drawn[0]
    assert len(drawn[0]) == 2
    more = str(len(whole) + 1)
    said = refused(capsys, "data", "r4r", "train", "--data", tiny_folder, "--out", out, "--paths", more)
    assert f"from 1 to {len(whole)}" in said
    assert json.loads(out.read_text()) == drawn[0]


def test_features_import_writes_a_store_that_info_reads(capsys, tmp_path):
    source, store = tmp_path / "features.npz", tmp_path / "store"
    np.savez(source, scan_one=np.ones((36, 4), np.float32), scan_two=np.zeros((36, 4), np.float32))
    printed = run(capsys, "features", "import", source, store, "--width", "3")
    assert "2 viewpoints x 36 views x 3" in printed.out
    assert "features.npz" in run(capsys, "features", "info", store).out


def test_features_semantic_writes_a_store_of_names(capsys, tiny_world, tiny_folder, tmp_path):
    pytest.importorskip("torch")
    places = [(tiny_world.scan(node), str(tiny_world.viewpoints[node])) for node in range(len(tiny_world))]
    lines = [{"scan": scan, "viewpoint": name, "room": "kitchen", "objects": []} for scan, name in places]
    (tmp_path / "viewpoints.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    store = tmp_path / "store"
    arguments = ("--connectivity", tiny_folder / "connectivity", "--scans", "tiny0")
    printed = run(capsys, "features", "semantic", tmp_path / "viewpoints.jsonl", store, *arguments).out
    count = sum(scan == "tiny0" for scan, _ in places)
    assert f"{count} viewpoints x 36 views x 1152" in printed
    assert FeatureStore.open(store).width == 3 * 384


def test_features_extract_makes_a_store_of_captions(capsys, tmp_path):
    source, store = tmp_path / "captions.jsonl", tmp_path / "store"
    said = [["a rug", "a sofa", ""]] + [["", "a door", ""]] * 7
    source.write_text(json.dumps({"scan": "house", "viewpoint": "v0", "captions": said}))
    printed = run(capsys, "features", "extract", source, store, "--encoder", "captions").out
    assert printed.startswith("1 viewpoints x 36 views x 384 written to")
    assert FeatureStore.open(store).width == 384
    refused = run(capsys, "features", "extract", source, store, "--encoder", "captions", "--size", "9", code=2)
    assert "are for images" in refused.err


@pytest.mark.slow
def test_homes_build_writes_a_world_that_is_found_again(capsys, tmp_path):
    pytest.importorskip("embreex")
    out = tmp_path / "world"
    options = ("--homes", 3, "--features", "none", "--face-size", 16, "--workers", 1, "--out", out)
    assert f"{out}" in run(capsys, "homes", "build", *options).out
    assert len(load_episodes("r2r", "train", out)) > 0
    before = (out / "world.json").stat().st_mtime_ns
    run(capsys, "homes", "build", *options)
    assert (out / "world.json").stat().st_mtime_ns == before
    assert refused(capsys, "homes", "build", "--homes", 2).startswith("a world needs at least 3 homes")


def test_demo_shows_an_agent_before_it_builds_anything(capsys, tmp_path):
    pytest.importorskip("fastapi")
    with demo._watching_another(tmp_path / "demo", Console(width=200)):
        printed = capsys.readouterr().out
        address = re.search(r"http://127\.0\.0\.1:\d+", printed)[0]
        with urllib.request.urlopen(f"{address}/api/overview", timeout=60) as answer:
            assert b"homes" in answer.read()
    assert "kitchen → dining room → hallway → living room: it stops 0.0 m from the goal" in printed
    assert (tmp_path / "demo" / "meanwhile.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_demo_writes_tables_result_files_pictures_and_a_report(capsys, tmp_path):
    pytest.importorskip("torch")
    out = tmp_path / "demo"
    printed = run(capsys, "demo", "--out", out, "--homes", "3", "--updates", "2").out
    for agent in ("random", "shortest path", "without memory", "with variable-length memory"):
        rows = [line for line in printed.splitlines() if re.match(rf" {agent} +\d", line)]
        assert len(rows) == 4, "one row in each of the four tables"
    for task in ("r2r", "long"):
        for agent in ("random", "shortest"):
            assert (out / f"{agent}_{task}_val_unseen.json").exists()
        for agent in ("memory", "no-memory"):
            assert (out / agent / "eval" / f"{task}-val_unseen" / "results.json").exists()
    words = " ".join(printed.split())
    assert words.index("follows an instruction") < words.index("Building the world")
    for picture in ("meanwhile.png", "reference.png", "memory.png", "no-memory.png", "episode.png"):
        assert (out / picture).read_bytes().startswith(b"\x89PNG")
    assert "with variable-length memory" in (out / "report.html").read_text()


def test_doctor_says_what_is_there_and_what_is_missing(capsys, tiny_folder, tmp_path, monkeypatch):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    for asked in ((), ("--data", tmp_path / "nowhere")):
        said = run(capsys, "doctor", *asked).out
        assert "set $MTVM_DATA, or give the folder with --data" in said
        assert "mtvm data fetch lists what to put there" in said
    printed = run(capsys, "doctor", "--data", tiny_folder).out
    assert "R2R: train, val_seen, val_unseen, test" in printed
    assert "connectivity graphs of 5 scans" in printed
    assert "mtvm data r4r train" in printed
    assert "numpy" in printed
    (tmp_path / "empty").mkdir()
    said = run(capsys, "doctor", "--data", tmp_path / "empty").out
    assert "mtvm data fetch connectivity" in said
    assert "  wrong " not in said  # what is missing is said once


def test_mistake_is_one_sentence_without_a_traceback(tiny_folder, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"instr_id": "1_0", ')
    done = subprocess.run(
        [sys.executable, "-m", "mtvm", "score", str(bad), "--data", str(tiny_folder)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"mtvm: {bad}: not valid JSON at line 1")
