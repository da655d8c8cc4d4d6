"""The four examples of docs/extending.md, run as they stand there."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mtvm
from mtvm.app.cli import main
from mtvm.features.store import FeatureStore

DOCS = Path(__file__).parents[1] / "docs" / "extending.md"
QUICK = "--batch 2 --optimizer.updates 2 --selection.every 2 --selection.limit 3 --device cpu --no-tensorboard"


def examples() -> dict[str, str]:
    found = re.findall(r"<!-- file: (\w+\.py) -->\n```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return dict(found)


def commands(start: str) -> list[str]:
    """The command lines of the page that begin so."""
    found = re.findall(rf"^{start} (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found


@pytest.fixture
def folder(tmp_path, tiny_folder, monkeypatch):
    """A folder with the examples' modules and the tiny world, in which commands are called."""
    for name, code in examples().items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    data = tmp_path / "data"
    shutil.copytree(tiny_folder, data)
    for split in ("train", "val_seen", "val_unseen"):
        shutil.copy(data / "R2R" / f"R2R_{split}.json", data / f"STAIRS_{split}.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(data))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for name in examples():
        monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
    yield tmp_path
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]


def train(command: str, folder: Path, out: str) -> list[dict[str, object]]:
    """Run a command of the page, only shorter; the lines of its record."""
    arguments = f"train {command} {QUICK} --out {out} --data.evaluate r2r/val_seen".split()
    main(arguments)
    return [json.loads(line) for line in (folder / out / "metrics.jsonl").read_text().splitlines()]


def command_with(text: str) -> str:
    return next(command for command in commands("mtvm train") if text in command)


def test_extending_page_has_all_examples():
    assert set(examples()) == {"my_history.py", "my_loss.py", "my_reader.py", "my_task.py", "my_features.py"}


def test_custom_history_trains_and_acts(folder):
    assert train(command_with("my_history"), folder, "run")
    agent = mtvm.Agent.from_pretrained(folder / "run" / "best")
    assert type(agent.model.history).__name__ == "MeanHistory"


def test_custom_loss_is_recorded_and_changes_the_weights(folder):
    lines = train(command_with("my_loss"), folder, "with")
    assert any(line.get("teacher_progress", 0) > 0 for line in lines)
    mtvm.Agent.from_pretrained(folder / "with" / "best")
    train("tiny --data.sight blind", folder, "without")
    weights = [(folder / run / "best" / "model.safetensors").read_bytes() for run in ("with", "without")]
    assert weights[0] != weights[1]


def test_custom_text_reader_reads_for_an_agent(folder):
    assert train(command_with("my_reader"), folder, "run")
    agent = mtvm.Agent.from_pretrained(folder / "run" / "best")
    assert agent.model.language.bert.embeddings.word_embeddings.weight.shape[0] == 2004
    agent.start("Dreh dich um und geh zur Tür.")


def test_custom_task_runs_scores_and_trains(folder, capsys):
    (command,) = commands("mtvm baseline")
    main(["baseline", *command.split()])
    main(["score", "shortest_stairs_val_unseen.json", "--task", "my_task:STAIRS", "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["SR"] == 100
    lines = train(command_with("my_task"), folder, "run")
    assert lines[-1]["kind"] == "stairs/val_seen"
    assert "Best SDTW on stairs/val_seen" in capsys.readouterr().out, "the task decides, not the preset's"
    assert json.loads((folder / "run" / "config.json").read_text())["selection"]["metric"] is None
    main(["runs", "run", "--json"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    expected = {"split": "stairs/val_seen", "metric": "SDTW", "best": lines[-1]["SDTW"], "update": 2}
    assert run["selection"] == expected


def test_custom_features_make_a_store_for_training(folder):
    (code,) = re.findall(r'python -c "(.*)"', DOCS.read_text(encoding="utf-8"))
    code = code.replace("'connectivity'", "'data/connectivity'")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)
    assert FeatureStore.open(folder / "my_store").width == 1
    assert train(command_with("my_store"), folder, "run")
