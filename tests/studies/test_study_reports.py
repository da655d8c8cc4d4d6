"""Studies from end to end on the tiny world, in this process, with trainings of one update."""

import json
import lzma
import re
import shutil

import pytest
from small_studies import SMALL, request_of, run_here, write_sight

from mtvm.app.cli import main as command_line
from mtvm.errors import InputError
from mtvm.studies.conditions import CONDITIONS
from mtvm.studies.keeping import EPISODES, TRIALS, restore
from mtvm.studies.registry import NAMES
from mtvm.studies.running import Sources, run_study


@pytest.fixture(autouse=True)
def coarse_figures(monkeypatch, request):
    """Figures of few dots, which are drawn faster; empty files where a test is not about them."""
    monkeypatch.setattr("mtvm.studies.charts._DOTS_PER_INCH", 30)
    if request.function is not test_every_study_ends_with_a_report:
        monkeypatch.setattr("mtvm.studies.charts._write_png", lambda figure, path: path.touch())
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, file, **options: None)


@pytest.fixture(scope="module")
def sight(tiny_folder, tmp_path_factory):
    return write_sight(tiny_folder, tmp_path_factory.mktemp("sight") / "store")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """One folder for all, so that studies share trials."""
    return tmp_path_factory.mktemp("studies")


def run(name, out, folder, sight, runner=run_here, **changes):
    sources = Sources(folder, sight)
    return run_study(request_of(name, out, **changes), sources, runner, f"mtvm study run {name}", lambda text: None)


def slow_but_for(some, names):
    """All of these studies, of which only some in the short run of the tests."""
    return [pytest.param(name, marks=[] if name in some else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", slow_but_for(("drop-rate",), NAMES))
def test_every_study_ends_with_a_report(name, tiny_folder, sight, out):
    folder = run(name, out, tiny_folder, sight)
    text, page = (folder / "report.md").read_text(), (folder / "report.html").read_text()
    for said in ("# ", "Is it real?", f"mtvm study run {name}", "mtvm train paper-small"):
        assert said in text
    assert "<table>" in page
    figures = sorted(file.name for file in (folder / "figures").iterdir())
    assert len(figures) >= 3
    assert {file.rpartition(".")[0] for file in figures if file.endswith(".png")} == {
        file.rpartition(".")[0] for file in figures if file.endswith(".svg")
    }
    assert page.count("data:image/png;base64,") == len(figures) // 2
    assert sorted(re.findall(r"\]\(figures/([^)]+)\)", text)) == [name for name in figures if name.endswith(".svg")]
    trials = json.loads((folder / TRIALS).read_text())
    assert all(trial["config"]["model"]["critic_hidden"] == 8 for trial in trials.values())


def never(trials):
    raise AssertionError(f"{len(list(trials))} trials were run again")


def test_a_finished_study_only_redraws(tiny_folder, sight, out):
    run("drop-rate", out, tiny_folder, sight)
    before = (out / "drop-rate-quick" / "report.md").read_text()
    run("drop-rate", out, tiny_folder, sight, runner=never)
    assert (out / "drop-rate-quick" / "report.md").read_text() == before


def test_reports_do_not_say_where_things_are(tiny_folder, sight, out, monkeypatch):
    monkeypatch.chdir(out.parent)
    here = out.relative_to(out.parent)
    run("drop-rate", here, tiny_folder, sight)
    agent = next(here.glob("trials/*/run/best"))
    folder = run("drop-rate", here, tiny_folder, sight, init=agent)
    for name in ("report.md", "report.html", TRIALS):
        text = (folder / name).read_text()
        assert str(out.parent) not in text
        assert str(tiny_folder) not in text
        assert "$MTVM_DATA" in text
        assert str(agent) in text


REDRAWN = [name for name in NAMES if name != "attention"]
"""From tables alone; `attention` looks into the agents."""


@pytest.mark.parametrize("name", slow_but_for(("drop-rate",), REDRAWN))
def test_what_a_report_keeps_is_enough_to_redraw_it(tiny_folder, sight, out, tmp_path, name):
    before = run(name, out, tiny_folder, sight)
    for file in (EPISODES, TRIALS):
        kept = tmp_path / before.name / file
        kept.parent.mkdir(exist_ok=True)
        shutil.copy(before / file, kept)
    folder = run(name, tmp_path, tiny_folder, sight, runner=never)
    for file in ("report.md", TRIALS):  # some studies make R4R's files, in a folder of theirs
        assert (folder / file).read_text().replace(str(tmp_path), str(out)) == (before / file).read_text()
    assert (folder / EPISODES).read_bytes() == (before / EPISODES).read_bytes()


@pytest.mark.slow
def test_what_a_report_keeps_stands_for_trials_of_other_weights_if_one_says_so(tiny_folder, sight, out, tmp_path):
    run("attention", out, tiny_folder, sight)
    agent = next(out.glob("trials/*/run/best"))
    before = run("drop-rate", out, tiny_folder, sight, init=agent)
    shutil.copytree(before, tmp_path / before.name)
    folder = run("drop-rate", tmp_path, tiny_folder, sight, runner=never, any_version=True)
    results = [(place / "report.md").read_text().split("## How it was made")[0] for place in (before, folder)]
    assert results[0] == results[1]
    assert f"--init {agent}" in (folder / "report.md").read_text()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (EPISODES, b"rubbish"),
        (EPISODES, lzma.compress(b"evaluation,id,scan,0123 colour\nr2r,1_0,home000,5\n")),
        (EPISODES, lzma.compress(b"evaluation,id,scan,0123 SR\nr2r,1_0\n")),
        (EPISODES, lzma.compress(b"\xff\xfe")),
        (TRIALS, b"[]"),
        (TRIALS, b'{"../../here": {"evaluations": {}}}'),
        (TRIALS, b'{"0123": {"evaluations": {"../here": null}}}'),
        (TRIALS, b'{"0123": {"evaluations": {"..": null}}}'),
        (TRIALS, b'{"0123": 5}'),
    ],
)
def test_what_a_report_keeps_is_refused_where_it_is_damaged(tmp_path, file, content):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / EPISODES).write_bytes(lzma.compress(b"evaluation,id,scan\n"))
    (tmp_path / "study" / TRIALS).write_text("{}")
    restore(tmp_path / "study", tmp_path / "trials")
    (tmp_path / "study" / file).write_bytes(content)
    with pytest.raises(InputError, match=r"not what 'mtvm study run' keeps of trials; remove it|file is damaged"):
        restore(tmp_path / "study", tmp_path / "trials")
    assert not (tmp_path / "trials").exists() or not list((tmp_path / "trials").iterdir())


@pytest.mark.slow
def test_table1_has_baselines_published_rows_and_a_submission(tiny_folder, sight, out, tmp_path):
    folder = run("table1", out, tiny_folder, sight)
    text = (folder / "report.md").read_text()
    for row in ("| random |", "| shortest path |", "| VLN⟲BERT, as published | 2.90 | 72 | 68 | 3.93 | 63 | 57 |"):
        assert row in text
    (tmp_path / "world.json").write_text("{}")
    for part in tiny_folder.iterdir():
        (tmp_path / part.name).symlink_to(part)
    built_in = (run("table1", out, tmp_path, sight) / "report.md").read_text()
    assert "| random |" in built_in, "agents in a world of ours"
    assert "as published" not in built_in, "and the paper's, in real buildings, in one table"
    assert "is the built-in world" in built_in
    submitted = json.loads((folder / "submission-test.json").read_text())
    assert {"instr_id", "trajectory"} <= submitted[0].keys()


@pytest.mark.slow
def test_robustness_compares_agents_in_every_condition(tiny_folder, sight, out):
    text = (run("robustness", out, tiny_folder, sight) / "report.md").read_text()
    for condition in ("as it is", *CONDITIONS):
        assert f"| {condition} | memory bank + consistency | SR | " in text


def test_an_agent_that_is_given_is_a_row(tiny_folder, sight, out, tmp_path):
    run("attention", out, tiny_folder, sight)
    best = next(out.glob("trials/*/run/best"))
    agent = shutil.copytree(best, tmp_path / "imported")
    folder = run("table1", out, tiny_folder, sight, agents=(agent,))
    assert "| imported | " in (folder / "report.md").read_text()


@pytest.mark.slow
def test_two_presets_are_two_sections(tiny_folder, sight, out):
    options = {"selection.split": "r2r/val_seen"}
    folder = run("attention", out, tiny_folder, sight, presets=("paper-small", "tiny"), options=options)
    text = (folder / "report.md").read_text()
    assert "## Results: paper-small" in text
    assert "## Results: tiny" in text


def failing(arm):
    """A runner in which the trials of one arm fail."""

    def run(trials):
        for trial in trials:
            if trial.arm == arm:
                yield trial, "out of memory; give fewer --workers."
            else:
                yield from run_here([trial])

    return run


def test_a_study_finishes_without_the_arm_that_fails(tiny_folder, sight, tmp_path):
    folder = run("drop-rate", tmp_path, tiny_folder, sight, failing("0.3"))
    text = (folder / "report.md").read_text()
    assert "Left out: 0.3 (paper-small, seed 0): out of memory; give fewer --workers." in text
    assert "| 0.3 | – | – | – | – |" in text


def test_a_study_whose_reference_fails_still_reports_the_others(tiny_folder, sight, tmp_path):
    folder = run("drop-rate", tmp_path, tiny_folder, sight, failing("0.5"))
    text = (folder / "report.md").read_text()
    assert "| 0.5 | – | – | – | – |" in text
    assert "Is it real?" not in text


def test_a_study_of_which_everything_fails_writes_no_report(tiny_folder, sight, tmp_path):
    def fail(trials):
        yield from ((trial, "out of memory; give fewer --workers.") for trial in trials)

    with pytest.raises(InputError, match="all trials of attention failed; the first: out of memory"):
        run("attention", tmp_path, tiny_folder, sight, fail)
    assert not (tmp_path / "attention-quick").exists()


def test_an_interrupted_report_leaves_the_old_one(tiny_folder, sight, out, monkeypatch):
    folder = run("drop-rate", out, tiny_folder, sight)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mtvm.studies.report._html", stop)
    with pytest.raises(KeyboardInterrupt):
        run("drop-rate", out, tiny_folder, sight)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    assert not list(out.glob(".drop-rate*"))


@pytest.mark.slow
def test_the_command_runs_a_study_in_processes_of_its_own(tiny_folder, sight, tmp_path, capsys):
    options = [f"{name}={value}" for name, value in SMALL.items()]
    command_line(
        [
            *("study", "run", "attention", "--data", str(tiny_folder), "--features", str(sight), "--workers", "2"),
            *("--device", "cpu", "--out", str(tmp_path), "--set", *options),
        ]
    )
    assert "report.html" in capsys.readouterr().out
    assert (tmp_path / "attention-quick" / "report.html").is_file()
    logs = list(tmp_path.glob("trials/*/log.txt"))
    assert len(logs) == 2
    assert not list(tmp_path.glob("trials/*/run/checkpoint.pt"))


def test_the_command_lists_all_studies(capsys):
    command_line(["study", "list"])
    printed = capsys.readouterr().out
    assert all(name in printed for name in NAMES)
