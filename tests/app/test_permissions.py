"""Folders that may not be written to and files that may not be read: one sentence each, and nothing is left behind."""

import json
import os
import shutil
import subprocess
import sys

import pytest
import torch

from mtvm.app.cli import main
from mtvm.models.config import ModelConfig
from mtvm.models.network import make_network
from mtvm.models.saving import save_model

SMALL = ModelConfig(hidden=8, heads=2, intermediate=8, language_layers=1, crossmodal_layers=1, critic_hidden=4)
BOUND = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--")
"""Runs a command of root's so that permissions hold for it too."""
RUN_ALL = """
import contextlib, io, json, sys
from mtvm.app.cli import main

said = {}
for name, arguments in json.load(sys.stdin).items():
    errors, code = io.StringIO(), 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code
        except BaseException as error:
            code = repr(error)
    said[name] = [code, errors.getvalue()]
print(json.dumps(said))
"""
BLIND = ("--data.sight", "blind", "--optimizer.updates", "1", "--device", "cpu")
REFUSED = {
    # Nothing may be written there.
    "baseline": ("{locked}/b.json", "baseline", "stop", "--data", "{data}", "--out", "{locked}/b.json"),
    "score": ("{locked}/s.csv", "score", "{results}", "--data", "{data}", "--csv", "{locked}/s.csv"),
    "submit": (
        "{locked}/s.json",
        *("submit", "{results}", "--split", "val_unseen", "--data", "{data}", "--out", "{locked}/s.json"),
    ),
    "r4r": ("{locked}/r.json", "data", "r4r", "train", "--data", "{data}", "--out", "{locked}/r.json"),
    "train": ("{locked}/run", "train", "tiny", "--data.folder", "{data}", "--out", "{locked}/run", *BLIND),
    "eval": (
        "{locked}/e",
        *("eval", "{agent}", "--split", "r2r/val_unseen", "--data.folder", "{data}", "--data.sight", "blind"),
        *("--out", "{locked}/e", "--device", "cpu"),
    ),
    "export": ("{locked}/w.pt", "weights", "export", "{agent}", "{locked}/w.pt"),
    "homes": ("{locked}/w", "homes", "build", "--homes", "3", "--features", "none", "--out", "{locked}/w"),
    "figure": ("{locked}/m.svg", "figure", "map", "{results}", "--data", "{data}", "--out", "{locked}/m.svg"),
    "semantic": ("{locked}/st", "features", "semantic", "{semantics}", "{locked}/st"),
    # Nothing may be read there.
    "results": ("{secret}/file", "score", "{secret}/file", "--data", "{data}"),
    "data": ("{secret}", "baseline", "stop", "--data", "{secret}/data", "--out", "{open}/b.json"),
    "graphs": ("{hidden}", "baseline", "stop", "--data", "{hidden}", "--out", "{open}/b.json"),
    "store": ("{secret}/store", "features", "info", "{secret}/store"),
    "features": ("{secret}/f.tsv", "features", "import", "{secret}/f.tsv", "{open}/store"),
    "weights": ("{secret}/w.pt", "weights", "import", "{secret}/w.pt", "{open}/agent"),
    "agent": ("{secret}/agent", "inspect", "{secret}/agent"),
    "resume": ("{secret}/run", "resume", "{secret}/run"),
    "names": ("{secret}/v.jsonl", "features", "semantic", "{secret}/v.jsonl", "{open}/store"),
    "view": ("{secret}/file", "view", "{secret}/file", "--data", "{data}", "--no-browser"),
}


def bound(command):
    """The command, for which permissions hold; skips where root cannot give up its rights."""
    if os.geteuid() != 0:
        return command
    if shutil.which(BOUND[0]) is None:
        pytest.skip("we are root, for whom no permission holds, and setpriv is not installed")
    return [*BOUND, *command]


@pytest.fixture(scope="module")
def folders(tiny_folder, tmp_path_factory):
    here = tmp_path_factory.mktemp("permissions")
    found = {name: here / name for name in ("locked", "secret", "open", "agent", "hidden")}
    for name in ("locked", "secret", "open"):
        found[name].mkdir()
    shutil.copytree(tiny_folder, found["hidden"])
    for graph in (found["hidden"] / "connectivity").iterdir():
        graph.chmod(0)
    torch.manual_seed(0)
    save_model(make_network(SMALL), found["agent"])
    results, semantics = here / "results.json", here / "viewpoints.jsonl"
    main(["baseline", "stop", "--data", str(tiny_folder), "--out", str(results)])
    semantics.write_text('{"scan": "s", "viewpoint": "v", "room": "hall", "objects": []}\n')
    found["locked"].chmod(0o555)
    found["secret"].chmod(0)
    yield found | {"data": tiny_folder, "results": results, "semantics": semantics}
    for name in ("locked", "secret"):
        found[name].chmod(0o755)


@pytest.fixture(scope="module")
def said(folders):
    """The exit code and the message of each command."""
    filled = {name: [part.format_map(folders) for part in arguments] for name, (_, *arguments) in REFUSED.items()}
    command = bound([sys.executable, "-c", RUN_ALL])
    done = subprocess.run(command, input=json.dumps(filled), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_may_not_be_written_or_read_is_one_sentence(folders, said, name):
    code, message = said[name]
    assert code == 2, (code, message)
    assert message.splitlines()[-1].startswith("mtvm: ")
    assert sum(line.startswith("mtvm: ") for line in message.splitlines()) == 1
    assert "Traceback" not in message
    assert REFUSED[name][0].format_map(folders) in message
    assert list(folders["locked"].iterdir()) == []
    assert list(folders["open"].iterdir()) == []


@pytest.mark.slow
def test_cache_that_may_not_be_written_costs_only_time(folders, tmp_path):
    out = tmp_path / "b.json"
    command = [sys.executable, "-m", "mtvm", "baseline", "stop", "--data", str(folders["data"]), "--out", str(out)]
    for cache in (folders["locked"], folders["secret"] / "cache"):
        environment = os.environ | {"MTVM_CACHE": str(cache)}
        done = subprocess.run(bound(command), env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert out.is_file()
        out.unlink()
