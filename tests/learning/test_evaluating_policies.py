"""`mtvm eval --agent` and `mtvm.evaluate` of agents that are no networks."""

import json
import subprocess
import sys

import numpy as np
import pytest

import mtvm
from mtvm.acting.baselines import Shortest, run_baseline
from mtvm.app.cli import main
from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.tasks import evaluation as evaluations
from mtvm.tasks.events import EventFile
from mtvm.tasks.load import load_episodes
from mtvm.tasks.sampling import fair_sample

AGENT = """
import mtvm

class Ahead(mtvm.Policy):
    def start(self, episodes):
        self.started = True

    def act(self, sights):
        return [mtvm.Decision(0 if sight.step < 2 else sight.stop, thought=f"step {sight.step}") for sight in sights]

class Needy(Ahead):
    def __init__(self, key):
        self.key = key

ready = Needy("key")
number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, tiny_folder):
    (tmp_path / "my_agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    yield tmp_path
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]


def test_evaluate_walks_a_baseline_as_it_walks_by_itself(tiny_folder):
    for name in ("random", "forward", "shortest", "stop"):
        (done,) = mtvm.evaluate(name, "r2r/val_unseen", data=tiny_folder, seed=3, show_progress=False).values()
        assert done.trajectories() == run_baseline(name, done.episodes, 3)
        assert done.folder is None
    (done,) = mtvm.evaluate(Shortest(), "r2r/val_unseen", data=tiny_folder, show_progress=False).values()
    assert done.metrics()["SR"] == 100


def test_eval_of_an_agent_writes_like_that_of_a_network(folder, tiny_r2r, capsys):
    main(["eval", "--agent", "my_agent:Ahead", "--split", "r2r/val_unseen"])
    where = folder / "runs" / "my_agent.Ahead" / "eval" / "r2r-val_unseen"
    assert {path.name for path in where.iterdir()} == {
        "results.json",
        "records.jsonl",
        "episodes.csv",
        "steps.jsonl",
        "metrics.json",
        "manifest.json",
    }
    steps = EventFile(where / "steps.jsonl").of(tiny_r2r.ids[0])
    assert [(step.action, step.thought) for step in steps[:2]] == [(0, "step 0"), (0, "step 1")]
    manifest = json.loads((where / "manifest.json").read_text())
    assert (manifest["agent"], manifest["track"]) == ("my_agent:Ahead", "blind")
    assert "my_agent:Ahead" in capsys.readouterr().out


def test_eval_measures_once(folder, monkeypatch, capsys):
    """For the tables, the files and the terminal."""
    measured, real = [], evaluations.score_trajectories

    def counted(*arguments):
        measured.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(evaluations, "score_trajectories", counted)
    main(["eval", "--agent", "stop", "--split", "r2r/val_unseen"])
    assert "SPL" in capsys.readouterr().out
    assert len(measured) == 1


def test_eval_draws_a_fair_sample(folder, tiny_folder):
    main(["eval", "--agent", "stop", "--split", "r2r/train", "--sample", "10", "--seed", "2"])
    where = folder / "runs" / "stop" / "eval" / "r2r-train-sample-10-seed-2"
    written = [line["instr_id"] for line in json.loads((where / "results.json").read_text())]
    assert written == fair_sample(load_episodes("r2r", "train", tiny_folder), 10, 2).ids


def test_an_agent_without_torch_is_evaluated_where_torch_is_not_installed(folder):
    code = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
from mtvm.app.cli import main
main(["eval", "--agent", "my_agent:Ahead", "--split", "r2r/val_unseen", "--sample", "5"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "runs" / "my_agent.Ahead" / "eval" / "r2r-val_unseen-sample-5" / "metrics.json").is_file()


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("my_agent:Needy", r"Needy\(\) needs arguments .*'key'"),
        ("my_agent:number", "number is not a Policy of mtvm.acting.policy"),
        ("my_agent:Missing", "has no Missing"),
        ("nobody", "unknown agent 'nobody'; give one of random, shortest, stop, forward, minilm, llm:NAME for a"),
    ],
)
def test_eval_refuses_what_is_no_agent(folder, capsys, agent, said):
    import re

    with pytest.raises(SystemExit) as caught:
        main(["eval", "--agent", agent, "--split", "r2r/val_unseen"])
    assert caught.value.code == 2
    assert re.search(said, " ".join(capsys.readouterr().err.split()))


def test_eval_takes_an_object_that_was_made_with_arguments(folder, tiny_folder):
    sys.path.append(str(folder))
    (done,) = mtvm.evaluate("my_agent:ready", "r2r/val_unseen", limit=2, show_progress=False).values()
    assert len(done.episodes) == 2
    assert done.nodes.shape[1] == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"attention": True}, "attention is an option for networks; Shortest is none"),
        ({"looks": 2}, "looks is an option for networks"),
        ({"limit": 2, "sample": 2}, "not both"),
        ({"sample": 1000}, "a sample of r2r val_unseen can have 1 to 36 episodes, not 1000"),
        ({"splits": None}, "no split was named"),
    ],
)
def test_evaluate_refuses_options_that_do_not_fit(tiny_folder, options, said):
    with pytest.raises(InputError, match=said):
        mtvm.evaluate(Shortest(), **{"splits": "r2r/val_unseen", "data": tiny_folder, "show_progress": False} | options)


def test_evaluate_cuts_policies_at_the_horizon(tiny_folder):
    class Endless(mtvm.Policy):
        def start(self, episodes):
            pass

        def act(self, sights):
            return mtvm.Decisions(np.zeros(len(sights), dtype=int))

    data = DataConfig(folder=tiny_folder, horizon=4)
    (done,) = mtvm.evaluate(Endless(), "r2r/val_unseen", data=data, show_progress=False).values()
    assert done.nodes.shape[1] == 5
    endless = Endless()
    endless.max_steps = 7
    (done,) = mtvm.evaluate(endless, "r2r/val_unseen", data=data, show_progress=False).values()
    assert done.nodes.shape[1] == 8
