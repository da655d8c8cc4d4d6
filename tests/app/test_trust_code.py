"""Code that downloaded files name is not run, wherever the name stands and wherever the code lies."""

import dataclasses
import json
import multiprocessing
import os
import shutil
import subprocess
import sys

import pytest
from command_line import refused

import mtvm
from mtvm import plugins, products
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.io.config_files import to_plain
from mtvm.machine import child_environment, usable_cores
from mtvm.models.agent import Agent
from mtvm.models.config import ModelConfig, SpeakerModelConfig
from mtvm.models.network import make_network
from mtvm.models.speaker import Speaker
from mtvm.plugins import UntrustedCodeError, check_names, is_object_name, names_of_code
from mtvm.studies.trial import Evaluated, Trial
from mtvm.studies.worker import PROGRAM, arguments_of, main
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results

SMALL = ModelConfig(
    hidden=8, heads=2, intermediate=8, language_layers=1, crossmodal_layers=1, feature_width=4, critic_hidden=4
)
PAYLOAD = "import os, pathlib\npathlib.Path(os.environ['MARKER']).touch()\nclass Part: pass\n"


@pytest.fixture(scope="module")
def originals(tmp_path_factory, tiny_folder):
    """What may be shared: an agent, a run with results, a speaker and its instructions."""
    folder = tmp_path_factory.mktemp("originals")
    Agent(make_network(SMALL)).save_pretrained(folder / "agent")
    shutil.copytree(folder / "agent", folder / "run" / "best")
    plain = dataclasses.replace(
        PRESETS["tiny"], model=SMALL, data=DataConfig(sight="blind", evaluate=("r2r/val_unseen",))
    ).to_dict()
    write(folder / "run" / "config.json", plain)
    episodes = load_episodes("r2r", "val_unseen", tiny_folder)
    walks = [[(episode.start, 0.0, 0.0)] for episode in episodes]
    write_results(folder / "run" / "eval" / "r2r-val_unseen" / "results.json", episodes, walks)
    write(folder / "run" / "eval" / "r2r-val_unseen" / "metrics.json", {"split": "r2r val_unseen"})
    write_evaluation(folder / "walked", Evaluation(episodes, episodes.references, episodes.references * 0, [], 1.0))
    shutil.copy(tiny_folder / "R2R" / "R2R_train.json", folder / "old.json")
    Speaker(SpeakerModelConfig(8, 2, 1, 1, feature_width=4, vocabulary=5)).save(folder / "speaker")
    write(folder / "speaker" / "training.json", to_plain(SpeakerConfig()))
    return folder


@pytest.fixture
def downloads(originals, tmp_path, monkeypatch, tiny_folder):
    """An agent, a run, results and a speaker in the current folder; code beside them, below, and on the path."""
    here = tmp_path / "downloads"
    shutil.copytree(originals, here)
    (here / "sub").mkdir()
    (tmp_path / "installed").mkdir()
    for place in (here / "beside.py", here / "sub" / "below.py", tmp_path / "installed" / "on_the_path.py"):
        place.write_text(PAYLOAD)
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(tmp_path / "installed")
    monkeypatch.setenv("MARKER", str(tmp_path / "ran"))
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    monkeypatch.setattr(plugins, "_given", set())
    monkeypatch.setattr(plugins, "_trusted", set())
    yield here
    for name in ("beside", "sub", "sub.below", "on_the_path"):
        sys.modules.pop(name, None)
    assert str(here) not in sys.path


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def spoil(path, option, name):
    """Put the name of code into a file."""
    content = place = json.loads(path.read_text())
    *groups, last = option.split(".")
    for group in groups:
        place = place[group]
    place[last] = [name] if isinstance(place[last], list) else name
    path.write_text(json.dumps(content))


def ran(downloads):
    return (downloads.parent / "ran").exists()


PLACES = [
    ("eval agent", "agent/config.json", "history", ""),
    ("eval agent", "agent/config.json", "architecture", ""),
    ("inspect agent", "agent/config.json", "history", ""),
    ("weights export agent out.bin", "agent/config.json", "architecture", ""),
    ("grounding agent", "agent/config.json", "history", ""),
    ("eval run", "run/config.json", "model.history", ""),
    ("eval run", "run/best/config.json", "history", ""),
    ("eval run", "run/config.json", "data.evaluate", "/val_unseen"),
    ("eval run", "run/config.json", "data.train", "/train@0.5"),
    ("eval run", "run/config.json", "selection.split", "/val_seen"),
    ("eval run", "run/config.json", "loss.extra", "@2"),
    ("resume run", "run/config.json", "loss.extra", "@2"),
    ("weights release run out", "run/config.json", "model.history", ""),
    ("augment --out new.json --instructions old.json --follower run", "run/config.json", "data.train", "/train"),
    ("runs .", "run/config.json", "selection.split", "/val_seen"),
    ("view run --no-browser", "run/config.json", "data.evaluate", "/val_unseen"),
    ("view run --no-browser", "run/eval/r2r-val_unseen/metrics.json", "split", " val_unseen"),
    ("figure map run/eval/r2r-val_unseen", "run/eval/r2r-val_unseen/metrics.json", "split", " val_unseen"),
    ("figure map walked", "walked/manifest.json", "task", ""),
    ("speaker eval speaker", "speaker/training.json", "data.train", "/train"),
    ("speaker eval speaker", "speaker/training.json", "validate_on", "/val_seen"),
]
NOT_RUN_AT_ONCE = [("run/config.json", "model.history", ""), ("run/config.json", "loss.extra", "@2")]
"""A run's own agent says what it is; losses are made when a training begins."""
SPOILED = pytest.mark.parametrize(("command", "file", "option", "after"), PLACES)


@SPOILED
def test_a_name_in_a_file_is_refused_and_not_run(downloads, capsys, command, file, option, after):
    spoil(downloads / file, option, f"on_the_path:Part{after}")
    said = refused(capsys, *command.split())
    assert said.startswith(f"{file}: ")
    assert said.endswith(
        " is on_the_path:Part, code of the module on_the_path, which would be run; if you trust it, put the module on "
        "PYTHONPATH and add --trust-code (in Python: with mtvm.trusting_code())."
    )
    assert not ran(downloads)


@pytest.mark.parametrize("name", ["beside:Part", "sub.below:Part"])
def test_a_name_of_code_in_the_download_is_refused_and_not_run(downloads, capsys, name):
    spoil(downloads / "agent" / "config.json", "history", name)
    assert f"history is {name}, code of the module {name.partition(':')[0]}" in refused(capsys, "eval", "agent")
    assert not ran(downloads)


@pytest.mark.parametrize(
    ("command", "file", "option", "after"), [place for place in PLACES if place[1:] not in NOT_RUN_AT_ONCE]
)
def test_a_trusted_name_is_run(downloads, capsys, command, file, option, after):
    """And then refused, because it is no part of any kind."""
    spoil(downloads / file, option, f"on_the_path:Part{after}")
    assert "'on_the_path:Part': Part is not a " in refused(capsys, *command.split(), "--trust-code")
    assert ran(downloads)


@pytest.mark.parametrize("name", ["beside:Part", "sub.below:Part"])
def test_trusted_code_is_not_searched_for_in_the_current_folder(downloads, capsys, name):
    spoil(downloads / "agent" / "config.json", "history", name)
    said = refused(capsys, "inspect", "agent", "--trust-code")
    assert said.startswith(
        f"agent/config.json: history '{name}': the module {name.partition(':')[0]} cannot be imported"
    )
    assert not ran(downloads)


def test_a_name_that_also_stands_on_the_command_line_is_trusted(downloads, capsys):
    spoil(downloads / "agent" / "config.json", "history", "beside:Part")
    said = refused(capsys, "inspect", "agent", "--history", "beside:Part")
    assert said == "agent/config.json: history 'beside:Part': Part is not a HistoryEncoder of mtvm.models.history.base."
    assert ran(downloads)
    sys.path.remove(str(downloads))


def test_a_folder_is_no_module_on_the_command_line_either(downloads, capsys):
    said = refused(capsys, "inspect", "tiny", "--history", "sub.below:Part")
    assert said.startswith("mtvm inspect: history 'sub.below:Part': the module sub.below cannot be imported")
    assert not ran(downloads)


def test_python_trusts_inside_a_block_only(downloads):
    spoil(downloads / "agent" / "config.json", "history", "on_the_path:Part")
    with pytest.raises(UntrustedCodeError, match="code of the module on_the_path"):
        Agent.from_pretrained("agent")
    assert not ran(downloads)
    with mtvm.trusting_code(), pytest.raises(InputError, match="Part is not a HistoryEncoder"):
        Agent.from_pretrained("agent")
    assert ran(downloads)


def test_code_that_was_named_in_python_may_be_named_in_files_too(downloads):
    """What a training in Python saves, the same program opens."""
    (downloads.parent / "installed" / "on_the_path.py").write_text(
        f"{PAYLOAD}from mtvm.models.history.none import NoHistory\nclass Part(NoHistory): pass\n"
    )
    config = dataclasses.replace(SMALL, history="on_the_path:Part")
    Agent(make_network(config)).save_pretrained("saved")
    assert Agent.from_pretrained("saved", device="cpu").model.config.history.name == "on_the_path:Part"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("r2r/val_unseen@0.5", []),
        ("cuda:0", []),
        ("http://somewhere", []),
        ("my.own:Loss@2", ["my.own:Loss"]),
        ("a:B/train@2", ["a:B"]),
        ("names+a:B", ["a:B"]),
        ("/folder/a.b:C", ["a.b:C"]),
        ("..a:B", ["a:B"]),
        ("9a:B", ["a:B"]),
        ("é:B a.b:c", ["é:B", "a.b:c"]),
        ("--model.history=a:B", ["a:B"]),
    ],
)
def test_names_of_code_are_found_in_any_text(text, names):
    assert names_of_code(text) == names
    assert all(map(is_object_name, names))


def test_names_are_shown_short():
    with pytest.raises(UntrustedCodeError) as error:
        check_names(f"{'a' * 10_000}:B", "file", "it")
    assert len(str(error.value)) < 400


# Trials of studies


def test_a_trial_names_code_because_its_study_does_but_an_agent_that_is_given_may_not(downloads, capsys, tiny_folder):
    spoil(downloads / "agent" / "config.json", "history", "on_the_path:Part")
    data = DataConfig(folder=tiny_folder, sight="blind")
    evaluated = (Evaluated("one", "r2r/val_unseen"),)
    trial = Trial(downloads / "trial-0", "agent", "given", 0, data, evaluated, agent=downloads / "agent")
    assert main(*arguments_of(trial)) == 2
    assert "code of the module on_the_path" in trial.failure.read_text()
    assert not ran(downloads)
    with mtvm.trusting_code():
        arguments = arguments_of(trial)
    assert arguments[1:] == ["--trust-code"]
    assert main(*arguments) == 2
    assert "Part is not a HistoryEncoder" in trial.failure.read_text()
    assert ran(downloads)


@pytest.mark.slow
def test_the_process_of_a_trial_imports_nothing_from_the_current_folder(downloads):
    (downloads / "mtvm").mkdir()
    for name in ("mtvm/__init__.py", "torch.py", "json.py"):
        (downloads / name).write_text(PAYLOAD)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(downloads / "trial.json")], capture_output=True, text=True, check=False
    )
    assert "trial.json" in done.stderr
    assert not ran(downloads)


@pytest.mark.slow
def test_the_process_that_measures_products_imports_nothing_from_the_current_folder(downloads):
    (downloads / "mtvm").mkdir()
    for name in ("mtvm/__init__.py", "torch.py", "json.py"):
        (downloads / name).write_text(PAYLOAD)
    assert set(products._in_a_child(16, 16)) == set(products.KINDS)
    assert not ran(downloads)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 always searches the current folder here")
def test_processes_of_a_demo_import_nothing_from_the_current_folder(downloads):
    for name in ("multiprocessing.py", "socket.py"):
        (downloads / name).write_text(PAYLOAD)
    with child_environment():
        child = multiprocessing.get_context("spawn").Process(target=usable_cores)
        child.start()
    child.join()
    assert child.exitcode == 0
    assert not ran(downloads)
    assert "PYTHONSAFEPATH" not in os.environ


def test_python_m_mtvm_takes_no_code_from_the_current_folder(downloads):
    spoil(downloads / "run" / "config.json", "selection.split", "beside:Part/val_seen")
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, "-m", "mtvm", "runs", "run", "--trust-code"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": path})
    assert "the module beside cannot be imported" in done.stderr
    assert not ran(downloads)
