"""What `import mtvm` offers: everything by name, nothing imported before it is used."""

import dataclasses
import shutil
import subprocess
import sys

import pytest

import mtvm
from mtvm.viewer.view import View

OFFERED = {
    "Agent": "mtvm.models.agent",
    "DataConfig": "mtvm.configs.data",
    "Decision": "mtvm.acting.policy",
    "Decisions": "mtvm.acting.policy",
    "Observation": "mtvm.models.agent",
    "Policy": "mtvm.acting.policy",
    "Simulator": "mtvm.world.simulator",
    "TrainConfig": "mtvm.configs.run",
    "evaluate": "mtvm.learning.evaluation",
    "load_episodes": "mtvm.tasks.load",
    "score": "mtvm.tasks.score",
    "train": "mtvm.learning.trainer",
    "trusting_code": "mtvm.plugins",
    "view": "mtvm.app.view",
    "walk": "mtvm.acting.walk",
}


def python(code, *arguments):
    """What a new Python prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", OFFERED)
def test_mtvm_offers_each_name_from_its_module(name):
    found = getattr(mtvm, name)
    assert found.__module__ == OFFERED[name]
    assert found.__name__ == name


def test_mtvm_lists_what_it_offers():
    assert set(mtvm.__all__) == {*OFFERED, "PRESETS"}
    assert {*OFFERED, "__version__"} <= set(dir(mtvm))
    assert dir(mtvm) == sorted(dir(mtvm))


def test_mtvm_refuses_other_names():
    with pytest.raises(AttributeError, match="module 'mtvm' has no attribute 'teleport'"):
        mtvm.teleport  # noqa: B018


def test_import_of_mtvm_imports_nothing_heavy():
    heavy = "{'torch', 'transformers', 'numpy', 'scipy', 'numba', 'matplotlib', 'rich', 'tyro'}"
    assert python(f"import sys, mtvm; dir(mtvm); print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_mtvm_imports_no_torch_for_what_needs_none():
    light = "DataConfig Decision PRESETS Policy Simulator TrainConfig load_episodes score walk"
    code = "import sys, mtvm; print([name for name in sys.argv[1:] if getattr(mtvm, name) and 'torch' in sys.modules])"
    assert python(code, *light.split()) == "[]"


def test_mtvm_names_are_there_for_from_imports():
    assert python("from mtvm import load_episodes, Simulator; print(load_episodes.__name__)") == "load_episodes"


def test_the_docstring_runs_as_it_stands(tmp_path, tiny_folder, monkeypatch):
    code = [line for line in mtvm.__doc__.splitlines() if line.startswith("    ")]
    assert [line.split("#")[0].strip() for line in code if "mtvm.view" in line] == ['mtvm.view("runs/tiny")']
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MTVM_DATA", str(tiny_folder))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    tiny = mtvm.PRESETS["tiny"]
    parts = {
        "model": dataclasses.replace(tiny.model, hidden=16, heads=2, intermediate=32),
        "optimizer": dataclasses.replace(tiny.optimizer, updates=2),
        "selection": dataclasses.replace(tiny.selection, limit=3),
    }
    quick = dataclasses.replace(tiny, batch=2, **parts)
    monkeypatch.setitem(mtvm.PRESETS, "tiny", quick)
    evaluated = mtvm.evaluate("shortest", ["r2r/val_unseen"], out="shortest", show_progress=False)
    shutil.copyfile(evaluated["r2r/val_unseen"].folder / "results.json", "results.json")
    names = {}
    for line in code:
        names["last"] = None
        exec(f"last = {line.strip()}" if line.strip().startswith("mtvm.") else line.strip(), names)
        if isinstance(names["last"], View):
            names["last"].close()
    assert (tmp_path / "runs/tiny/eval/r2r-val_unseen/metrics.json").is_file()
    assert len(names["episodes"]) > 0
    assert names["agent"].model is not None
