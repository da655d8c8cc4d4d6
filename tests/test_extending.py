"""The examples of docs/extending.md, run as they stand there."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mtvm
from mtvm.app.cli import main
from mtvm.app.view import viewer_state
from mtvm.features.store import FeatureStore
from mtvm.tasks.metrics import succeeds
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.teacher import Teacher
from mtvm.viewer.sources import Defaults

sys.path.append(str(Path(__file__).parent / "viewer"))
from asking import begin, client_of

DOCS = Path(__file__).parents[1] / "docs" / "extending.md"
QUICK = "--batch 2 --optimizer.updates 2 --selection.every 2 --selection.limit 3 --device cpu --no-tensorboard"
QUICK += " --model.hidden 16 --model.heads 2 --model.intermediate 32 --data.horizon 4"


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
        write_questions(data, split)
    write_searches(data, ("train", "val_seen", "val_unseen"))
    write_captions(data)
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


def write_questions(data: Path, split: str) -> None:
    """R2R's episodes as questions, which can be answered from their goal and one of its neighbours."""
    episodes = mtvm.load_episodes("r2r", split, data)
    with (data / f"QUESTIONS_{split}.jsonl").open("w") as file:
        for row, episode in enumerate(episodes):
            end = int(episodes.reference_ends[row])
            beside = str(episodes.world.viewpoints[episodes.world.candidates[end, 0]])
            entry = {"number": row, "scan": episode.scan, "path": episode.reference}
            entry |= {"question": f"What is here? {episode.text}", "seen_from": [*episode.goals, beside]}
            file.write(json.dumps(entry | {"answer": episode.goals[0]}) + "\n")


def write_searches(data: Path, splits: tuple[str, ...]) -> None:
    """R2R's episodes as searches for a lamp that stands at their goal, beside a bed."""
    lamps: dict[tuple[str, str], int] = {}
    for split in splits:
        with (data / f"SEARCH_{split}.jsonl").open("w") as file:
            for row, episode in enumerate(mtvm.load_episodes("r2r", split, data)):
                lamp = lamps.setdefault((episode.scan, episode.goals[0]), 2 * len(lamps))
                entry = {"id": row, "scan": episode.scan, "start": [episode.start], "object": lamp}
                file.write(json.dumps(entry | {"description": "a lamp beside a bed"}) + "\n")
    with (data / "viewpoints.jsonl").open("w") as file:
        for (scan, viewpoint), lamp in lamps.items():
            things = [
                {"id": lamp + place, "name": name, "views": [12 + place], "boxes": [[300, 200, 50, 50]]}
                for place, name in enumerate(("lamp", "bed"))
            ]
            file.write(json.dumps({"scan": scan, "viewpoint": viewpoint, "objects": things}) + "\n")


def write_captions(data: Path) -> None:
    """Captions of the tiny world, each of which names its viewpoint's number and heading."""
    world = mtvm.load_episodes("r2r", "val_seen", data).world
    with (data / "captions.jsonl").open("w") as file:
        for node in range(len(world)):
            rows = [[f"a sofa towards {number}"] * 3 for number in range(8)]
            place = {"scan": world.scan(node), "viewpoint": str(world.viewpoints[node]), "captions": rows}
            file.write(json.dumps(place) + "\n")


def call(command: str, *changes: tuple[str, str]) -> None:
    """Run a command of the page, with changes for a smaller world."""
    for old, new in changes:
        assert old in command
        command = command.replace(old, new)
    main(command.split())


def page_of(command: str) -> object:
    """A client of the page that a `mtvm view` of the page would open."""
    paths, agent = command.partition("--agent")[::2]
    folder = Path(paths.replace("--trust-code", "").strip())
    with mtvm.trusting_code():
        state = viewer_state([folder], Defaults(Path("data"), agent=agent.strip() or None))
    return client_of(state)


def starts_alone(command: str) -> bool:
    """Whether `PYTHONPATH=. mtvm view ...` shows a page, in a process that imported nothing before."""
    code = "import sys; from mtvm.app.cli import main; main(sys.argv[1:])"
    arguments = [sys.executable, "-c", code, "view", *command.split(), "--no-browser", "--port", "0"]
    known = filter(None, [os.environ.get("PYTHONPATH")])
    process = subprocess.Popen(
        arguments,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([".", *known]), "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        return process.stdout.readline().startswith("The page is at ")
    finally:
        process.terminate()
        process.communicate()


def test_extending_page_has_all_examples():
    names = ("my_agent", "my_history", "my_loss", "my_reader", "my_task", "my_search", "my_features")
    assert set(examples()) == {f"{name}.py" for name in names}


@pytest.mark.parametrize("name", sorted(examples()))
def test_example_is_short(name):
    lines = [line for line in examples()[name].splitlines() if line.strip()]
    assert 5 < len(lines) <= 30
    assert max(map(len, lines)) <= 120


def test_own_agent_is_evaluated_and_watched_with_its_thoughts(folder):
    (evaluating,) = [one for one in commands("mtvm eval") if "my_agent" in one]
    call(f"eval {evaluating}", ("--sample 100", "--sample 12"))
    place = folder / "runs" / "reader" / "eval" / "r2r-val_seen-sample-12"
    assert json.loads((place / "manifest.json").read_text())["track"] == "captions only"
    (viewing,) = [one for one in commands("mtvm view") if "reader" in one]
    client = page_of(viewing)
    identity = client.get("/api/sources/0/episodes").json()["id"][0]
    events = client.get("/api/walk", params={"source": 0, "id": identity}).json()["events"]
    assert events[0]["thought"].startswith("I see ")
    assert events[-1]["thought"] == "This is far enough."
    assert begin(client, text="find the sofa")["thought"]["thought"] == "I see sofa."


@pytest.mark.slow
def test_own_agent_needs_no_torch_and_walks_100_episodes_of_real_r2r(folder, real_data):
    (evaluating,) = [one for one in commands("mtvm eval") if "my_agent" in one]
    code = "import sys; from mtvm.app.cli import main; main(sys.argv[1:]); print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "eval", *evaluating.split()],
        env=os.environ | {"MTVM_DATA": str(real_data)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
    place = folder / "runs" / "reader" / "eval" / "r2r-val_seen-sample-100"
    ids = {line["instr_id"] for line in json.loads((place / "results.json").read_text())}
    assert len(ids) == 100
    thoughts = [json.loads(line)["thought"] for line in (place / "steps.jsonl").read_text().splitlines()]
    assert len(set(thoughts)) > 100


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


def test_custom_task_is_walked_scored_trained_and_shown(folder, capsys):
    (evaluating,), (scoring,) = (
        [one for one in commands(f"mtvm {name}") if "my_task" in one or "questions" in one]
        for name in ("eval", "score")
    )
    main(["eval", *evaluating.split()])
    main(["score", *scoring.split(), "--json"])
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    written = json.loads((folder / "runs/shortest/eval/questions-val_unseen/metrics.json").read_text())
    assert (scores["SR"], scores["right"]) == (100, 100)
    assert {name: written[name] for name in scores} == pytest.approx(scores)
    lines = train(command_with("my_task"), folder, "run")
    assert lines[-1]["kind"] == "questions/val_seen"
    assert "Best SPL on questions/val_seen" in capsys.readouterr().out
    (viewing,) = commands("PYTHONPATH=. mtvm view")
    assert starts_alone(viewing)
    client = page_of(viewing)
    identity = client.get("/api/sources/0/episodes").json()["id"][0]
    events = client.get("/api/walk", params={"source": 0, "id": identity}).json()["events"]
    assert events[-1]["answer"] == mtvm.load_episodes("r2r/val_unseen")[0].goals[0]


def test_custom_tasks_success_is_one_definition(folder, monkeypatch):
    """At a viewpoint that sees the answer, and nowhere else: in metrics, rewards, and for the teacher."""
    monkeypatch.syspath_prepend(folder)
    episodes = mtvm.load_episodes("my_task:QUESTIONS/val_unseen")
    other, rewards = episodes.goals[:, 1], Rewards(episodes)
    walked = np.stack([episodes.reference_ends, other], axis=1)
    assert succeeds(episodes, walked).all()
    assert (Teacher(episodes).actions(episodes.reference_ends) == episodes.world.degree[episodes.reference_ends]).all()
    found = rewards.step(episodes.starts[:, None], np.ones(len(episodes), dtype=bool))
    assert (found == -2).all(), "no episode starts where its question can be answered"
    nodes = np.arange(len(episodes.world))
    apart = episodes.world.distance(episodes.reference_ends[:, None], nodes[None])
    near = (apart < 3) & ~(nodes == episodes.goals[:, :, None]).any(axis=1)
    rows, beside = np.nonzero(near)
    assert len(rows) > 5, "in R2R these would be successes"
    assert not succeeds(episodes.select(rows), beside[:, None]).any()


def test_custom_task_that_asks_for_an_object_is_walked_and_trained(folder):
    (evaluating,) = [one for one in commands("mtvm eval") if "my_search" in one]
    call(f"eval {evaluating}")
    means = json.loads((folder / "runs/found/search-val_unseen/metrics.json").read_text())
    assert [means[name] for name in ("SR", "SPL", "RGS", "RGSPL")] == pytest.approx([100] * 4)
    lines = train(command_with("my_search:SEARCH"), folder, "runs/search")
    assert any("teacher_object" in line for line in lines)


def test_custom_features_make_a_store_for_training(folder):
    (code,) = re.findall(r'python -c "(.*)"', DOCS.read_text(encoding="utf-8"))
    code = code.replace("'connectivity'", "'data/connectivity'")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)
    assert FeatureStore.open(folder / "my_store").width == 1
    assert train(command_with("my_store"), folder, "run")
