"""The commands as a user types them."""

import csv
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from mtvm.app.cli import main
from mtvm.tasks.metric import EVALUATED


def run(capsys, *arguments, code=0):
    try:
        main([str(argument) for argument in arguments])
        left = 0
    except SystemExit as stop:
        left = stop.code or 0
    printed = capsys.readouterr()
    assert left == code, printed.err
    return printed


def test_help_of_everything_reads_and_names_its_options(capsys):
    top = run(capsys, "--help").out
    for command in ("demo", "doctor", "score", "baseline", "submit", "data", "features"):
        assert f"• {command}" in top
        assert "usage: mtvm " + command in run(capsys, command, "--help").out
    assert "--json" in run(capsys, "score", "--help").out
    for command in (("data", "r4r"), ("features", "import"), ("features", "info")):
        assert "usage: mtvm " + " ".join(command) in run(capsys, *command, "--help").out
    assert run(capsys).out == top, "without a command the help is shown"
    assert run(capsys, "--version").out.startswith("mtvm 0.")


@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_baseline_then_score(capsys, tiny_folder, tmp_path, task):
    results, table = tmp_path / "results.json", tmp_path / "episodes.csv"
    where = ("--task", task, "--data", tiny_folder)
    assert str(results) in run(capsys, "baseline", "shortest", *where, "--out", results).out
    printed = run(capsys, "score", results, *where, "--csv", table)
    assert f"{task} val_unseen" in printed.out
    means = json.loads(run(capsys, "score", results, *where, "--json").out)
    assert tuple(means) == EVALUATED
    assert means["SPL"] == pytest.approx(100 if task == "r2r" else means["SPL"])
    rows = list(csv.DictReader(table.read_text().splitlines()))
    for name in EVALUATED:
        assert np.mean([float(row[name]) for row in rows]) == pytest.approx(means[name])


def test_baselines_write_beside_us_by_default(capsys, tiny_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    run(capsys, "baseline", "stop", "--split", "val_seen")
    assert (tmp_path / "stop_r2r_val_seen.json").exists()


def test_partial_results(capsys, tiny_folder, tmp_path):
    results = tmp_path / "results.json"
    run(capsys, "baseline", "stop", "--data", tiny_folder, "--out", results)
    results.write_text(json.dumps(json.loads(results.read_text())[:5]))
    refused = run(capsys, "score", results, "--data", tiny_folder, code=2).err
    assert "31 of 36 ids" in refused
    assert "Use --partial to score only the others" in refused
    assert "5 of 36 episodes" in run(capsys, "score", results, "--data", tiny_folder, "--partial").out


def test_submit(capsys, tiny_folder, tmp_path):
    results, upload = tmp_path / "results.json", tmp_path / "upload.json"
    for task, field in (("r2r", "instr_id"), ("ndh", "inst_idx")):
        where = ("--task", task, "--data", tiny_folder)
        run(capsys, "baseline", "random", *where, "--split", "test", "--out", results)
        assert "upload" in run(capsys, "submit", results, *where, "--out", upload).out
        assert set(json.loads(upload.read_text())[0]) == {field, "trajectory"}


def test_r4r(capsys, tiny_folder, tmp_path):
    out = tmp_path / "R4R_train.json"
    printed = run(capsys, "data", "r4r", "train", "--data", tiny_folder, "--out", out).out
    assert f"{len(json.loads(out.read_text()))} paths" in printed


def test_features_import_and_info(capsys, tmp_path):
    source, store = tmp_path / "features.npz", tmp_path / "store"
    np.savez(source, scan_one=np.ones((36, 4), np.float32), scan_two=np.zeros((36, 4), np.float32))
    printed = run(capsys, "features", "import", source, store, "--width", "3")
    assert "2 viewpoints x 36 views x 3" in printed.out
    assert "features.npz" in run(capsys, "features", "info", store).out


def test_demo(capsys, tmp_path):
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
    for picture in ("reference.png", "memory.png", "no-memory.png", "episode.png"):
        assert (out / picture).read_bytes().startswith(b"\x89PNG")
    assert "with variable-length memory" in (out / "report.html").read_text()


def test_doctor_with_and_without_data(capsys, tiny_folder, tmp_path, monkeypatch):
    monkeypatch.delenv("MTVM_DATA", raising=False)
    assert "give the folder with --data or in $MTVM_DATA" in run(capsys, "doctor").out
    printed = run(capsys, "doctor", "--data", tiny_folder).out
    assert "R2R: train, val_seen, val_unseen, test" in printed
    assert "connectivity graphs of 5 scans" in printed
    assert "mtvm data r4r train" in printed
    assert "numpy" in printed
    (tmp_path / "empty").mkdir()
    assert "put the Matterport3DSimulator" in run(capsys, "doctor", "--data", tmp_path / "empty").out


def test_mistakes_are_one_sentence_without_a_traceback(tiny_folder, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"instr_id": "1_0", ')
    done = subprocess.run(
        [sys.executable, "-m", "mtvm", "score", str(bad), "--data", str(tiny_folder)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"mtvm: {bad}: not valid JSON at line 1")
