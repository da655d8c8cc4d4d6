"""`mtvm eval llm:MODEL` on the command line."""

import json
from pathlib import Path

import pytest
from model_server import good

from mtvm.acting.find import find_policy, is_policy_name
from mtvm.app.builtin import DATA
from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.tasks.events import EventFile
from mtvm.viewer.sources import Defaults, open_sources

KEY = "sk-SECRET-0123456789"


@pytest.fixture
def folder(tmp_path, monkeypatch, described):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(described))
    return tmp_path


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(["eval", *arguments])
    assert caught.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def test_the_stub_is_tried_with_three_words(tmp_path, monkeypatch, capsys):
    """Without data, server and key, in the homes that ship with the package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTVM_DATA", raising=False)
    main(["eval", "llm:stub", "--limit", "3"])
    where = tmp_path / "runs" / "llm.stub" / "eval" / "r2r-val_unseen-first-3"
    said = json.loads((where / "metrics.json").read_text())
    assert (said["episodes"], said["cost"]) == (3, 0)
    assert json.loads((where / "manifest.json").read_text())["track"] == "privileged"
    said = capsys.readouterr().out
    assert "Spent now: $0.0000" in said
    watched = said.splitlines()[-1]
    assert watched == f"Watch it: mtvm view {Path('runs/llm.stub')} --data {DATA}"
    (source,) = open_sources([Path("runs/llm.stub")], Defaults(DATA))
    assert source.name == "llm.stub r2r/val_unseen"


def test_a_model_is_evaluated_with_everything_that_was_asked_for(serve, folder, capsys, monkeypatch):
    monkeypatch.setenv("MTVM_LLM_KEY", KEY)
    server = serve(good)
    options = [
        "--api",
        server.api,
        "--split",
        "r2r/val_unseen",
        "--sample",
        "6",
        "--seed",
        "1",
        "--protocol",
        "thought",
    ]
    main(["eval", "llm:maker/small-7b:latest", *options, "--concurrency", "2", "--max-cost", "0"])
    assert len(server.bodies) == 18, "a server of one's own costs nothing"
    assert {body["model"] for body in server.bodies} == {"maker/small-7b:latest"}
    where = folder / "runs" / "llm.maker.small-7b.latest.thought" / "eval" / "r2r-val_unseen-sample-6-seed-1"
    steps = EventFile(where / "steps.jsonl")
    assert len(steps) == 6
    shown = capsys.readouterr()
    assert "questions" in shown.out
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in content for content in [*written, shown.out.encode(), shown.err.encode()])
    main(["eval", "--agent", "llm:maker/small-7b:latest", *options, "--out", "again"])
    assert len(server.bodies) == 18
    again = folder / "again" / where.name / "steps.jsonl"
    assert again.read_bytes() == (where / "steps.jsonl").read_bytes()


def test_a_protocol_of_ones_own_is_a_file(serve, folder):
    (folder / "mine.txt").write_text(
        "moves: candidates\naction: a place\n# system\nAHOY\n# user\n$instruction at step $step of $most_steps\n$places"
    )
    server = serve(good)
    main(["eval", "llm:m", "--api", server.api, "--split", "r2r/val_unseen", "--limit", "1", "--protocol", "mine.txt"])
    assert server.bodies[0]["messages"][0]["content"] == "AHOY"
    assert "at step 1 of 15" in server.bodies[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["llm:m"], "where is m to be asked? Give the address of an endpoint with --api"),
        (["llm:stub", "--api", "http://localhost/v1"], "llm:stub is built in and asks no server"),
        (["--agent", "stop", "--max-cost", "1"], "--max-cost is an option of language models"),
        (["llm:m", "--api", "http://localhost:1/v1", "--max-cost", "-1"], "--max-cost is a number of dollars"),
        (["llm:m", "--api", "http://localhost:1/v1", "--max-tokens", "0"], "--max-tokens must lie from 1 to 100,000"),
        (["llm:m", "--api", "http://localhost:1/v1", "--concurrency", "0"], "concurrency must lie from 1 to 256"),
        (["llm:m", "--api", "http://localhost:1/v1", "--see", "objects"], "no file viewpoints.jsonl"),
        (["llm:m", "--api", "http://localhost:1/v1", "--see", "images"], "no skyboxes of scan"),
        (["llm:m", "--api", "http://localhost:1/v1", "--advice", "shortest"], "use --protocol map or thought"),
        (["llm:stub", "--advice", "shortest", "--protocol", "map"], "Shortest gives no probabilities"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(serve, folder, capsys, arguments, said):
    assert said in refused(capsys, *arguments, "--split", "r2r/val_unseen")


def test_names_are_no_pictures(serve, folder, capsys):
    """'llm:m: an episode' is the title of a table."""
    main(["eval", "llm:m", "--api", serve(good).api, "--split", "r2r/val_unseen", "--limit", "1"])
    assert "llm:m: an episode" in capsys.readouterr().out


def test_results_of_other_prompts_are_kept_apart(serve, folder):
    options = ["--api", serve(good).api, "--split", "r2r/val_unseen", "--limit", "1"]
    main(["eval", "llm:m", *options])
    main(["eval", "llm:m", *options, "--protocol", "map", "--see", "captions", "detections"])
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["llm.m", "llm.m.map.captions.detections"]


def test_a_server_that_is_not_there_is_one_sentence(serve, folder, capsys):
    server = serve(good)
    server.close()
    said = refused(capsys, "llm:m", "--api", server.api, "--split", "r2r/val_unseen", "--limit", "1")
    assert f"{server.api}: cannot be reached" in said
    assert not (folder / "runs").exists()


def test_an_adviser_who_sees_peoples_names_makes_results_privileged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["eval", "llm:stub", "--limit", "1", "--advice", "homes", "--protocol", "thought", "--see", "images"])
    (said,) = (tmp_path / "runs").rglob("manifest.json")
    assert said.parents[2].name == "llm.stub.thought.images.advice-homes"
    assert json.loads(said.read_text())["track"] == "privileged"


def test_language_models_are_found_by_name_as_other_agents_are(serve, monkeypatch):
    assert is_policy_name("llm:gpt-4o")
    assert not is_policy_name("llm:")
    assert find_policy("llm:stub").name == "llm:stub"
    with pytest.raises(InputError, match="MTVM_LLM_API"):
        find_policy("llm:m")
    monkeypatch.setenv("MTVM_LLM_API", "http://localhost:1/v1")
    assert find_policy("llm:m").model.address == "http://localhost:1/v1"
