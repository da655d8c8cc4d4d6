"""Task specs: their values, finding them by name, and a spec of one's own."""

import dataclasses
import pickle
import sys

import pytest
from task_files import FILES, lay_out, refused

from mtvm import plugins
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import METRICS
from mtvm.tasks.registry import TASKS, find_task
from mtvm.tasks.results import read_results, write_results
from mtvm.tasks.spec import TaskSpec

OWN = """
import dataclasses
from mtvm.tasks.registry import TASKS

def file_names(split):
    return [f"mine-{split}.json"]

SPEC = dataclasses.replace(TASKS["r2r"], name="mine", file_names=file_names, id_field="number", splits=("val_unseen",))
WRONG = "r2r"
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A module on the path with a spec of the user's own; its name."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "vln_of_mine.py").write_text(OWN)
    (tmp_path / "modules" / "broken_task.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    return "vln_of_mine"


def test_tasks_are_listed_by_name():
    assert list(TASKS) == ["r2r", "r4r", "long", "ndh", "reverie", "rxr", "prevalent"]
    assert all(spec.name == name for name, spec in TASKS.items())


@pytest.mark.parametrize(
    ("name", "horizons", "follow", "metric", "max_text", "truncation"),
    [
        ("r2r", (15, 15), "goal", "SPL", 80, "end"),
        ("prevalent", (15, 15), "goal", "SPL", 80, "end"),
        ("reverie", (15, 15), "goal", "SPL", 80, "end"),
        ("r4r", (30, 30), "path", "SDTW", 160, "end"),
        ("long", (30, 30), "path", "SDTW", 160, "end"),
        ("ndh", (80, 20), "goal", "GP", 300, "start"),
    ],
)
def test_task_spec_values(name, horizons, follow, metric, max_text, truncation):
    spec = TASKS[name]
    assert (spec.horizon("mixed"), spec.horizon("oracle")) == horizons
    assert (spec.follow, spec.selection_metric) == (follow, metric)
    assert (spec.max_text, spec.truncation) == (max_text, truncation)
    assert spec.has_supervision == (name == "ndh")
    assert (spec.id_field, spec.id_type) == (("inst_idx", int) if name == "ndh" else ("instr_id", str))
    assert {spec.selection_metric, *spec.headline_metrics} <= set(METRICS)


@pytest.mark.parametrize(
    ("name", "split", "file"),
    [
        ("r2r", "train", "R2R_train.json"),
        ("r4r", "train", "R4R_train.json"),
        ("long", "train", "LONG_train.json"),
        ("ndh", "train", "train.json"),
        ("ndh", "test", "test_cleaned.json"),
        ("prevalent", "aug", "prevalent_aug.json"),
        ("reverie", "train", "REVERIE_train.json"),
    ],
)
def test_file_names_begin_with_the_released_one(name, split, file):
    assert split in TASKS[name].splits
    assert TASKS[name].file_names(split)[0] == file


@pytest.mark.parametrize("name", TASKS)
def test_task_spec_can_be_pickled(name):
    assert pickle.loads(pickle.dumps(TASKS[name])) == TASKS[name]


def test_find_task_gives_known_tasks_by_name():
    assert find_task("ndh") is TASKS["ndh"]


@pytest.mark.parametrize(
    "name", ["soon", "", ":", "r2r:", ":SPEC", ".r2r:SPEC", "r2r:SPEC:more", "my task:SPEC", "a..b:SPEC"]
)
def test_find_task_lists_the_known_ones_if_the_name_is_unknown(name):
    message = refused(lambda: find_task(name))
    assert message.startswith(f"unknown task '{name}'")
    assert "r2r, r4r, long, ndh, reverie, rxr, prevalent" in message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("vln_of_mine:OTHER", "the module vln_of_mine has no OTHER."),
        ("vln_of_mine:WRONG", "WRONG is not a TaskSpec of mtvm.tasks.spec."),
        ("vln_of_yours:SPEC", "the module vln_of_yours cannot be imported (No module named 'vln_of_yours')."),
        (
            "no_package.vln_of_yours:SPEC",
            "the module no_package.vln_of_yours cannot be imported (No module named 'no_package').",
        ),
        (
            "broken_task:SPEC",
            "the module broken_task cannot be imported (No module named 'not_installed_anywhere').",
        ),
    ],
)
def test_find_task_refuses_what_is_not_a_spec(own_module, name, said):
    assert refused(lambda: find_task(name)) == f"task '{name}': {said}"


def test_find_task_finds_a_spec_in_the_current_folder_if_the_command_line_names_it(tmp_path, monkeypatch):
    (tmp_path / "vln_right_here.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert "No module named 'vln_right_here'" in refused(lambda: find_task("vln_right_here:SPEC"))
    monkeypatch.setattr(plugins, "_given", {"vln_right_here:SPEC"})
    assert find_task("vln_right_here:SPEC").name == "mine"
    sys.modules.pop("vln_right_here")


def test_find_task_shows_other_errors_inside_the_users_module(tmp_path, monkeypatch):
    """A mistake in their own code is for them to see, with its place."""
    (tmp_path / "vln_that_fails.py").write_text("SPEC = 1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ZeroDivisionError):
        find_task("vln_that_fails:SPEC")


def test_load_episodes_takes_a_spec_of_ones_own(own_module, tiny_folder, tmp_path, tiny_r2r):
    root = lay_out(tiny_folder, tmp_path / "data", **{"mine-val_unseen.json": FILES["r2r"]})
    episodes = load_episodes(f"{own_module}:SPEC", "val_unseen", root)
    assert list(episodes) == list(tiny_r2r)
    assert isinstance(episodes.task, TaskSpec)
    assert episodes.name == "mine val_unseen"
    assert load_episodes(episodes.task, "val_unseen", root).task is episodes.task
    walked = [[(episode.start, 0.0, 0.0)] for episode in episodes]
    write_results(tmp_path / "results.json", episodes, walked)
    assert '"number": "36_0"' in (tmp_path / "results.json").read_text()
    assert read_results(tmp_path / "results.json", episodes)[1] == walked


def test_load_episodes_marks_episodes_with_the_spec_given(tiny_folder):
    spec = dataclasses.replace(TASKS["r2r"], title="R2R, but mine")
    assert load_episodes(spec, "val_unseen", tiny_folder).task is spec
