"""`mtvm runs`: which folders are runs, what they have done and how they differ."""

import json
import subprocess
import sys
import time

import pytest
from made_runs import LONG_AGO, config, evaluated, make_run, only, printed, trained

from mtvm.app.cli import main
from mtvm.app.runs import Curve, as_json, chosen_curves, differing_options, find_runs
from mtvm.configs.presets import PRESETS
from mtvm.errors import InputError


def test_find_runs_finds_them_at_any_depth_and_takes_nothing_else_for_one(three_runs):
    for name, content in (
        ("agent", {"hidden": 64}),
        ("list", [1]),
        (".config.json.x", config()),
        ("half", {"model": 1}),
    ):
        (three_runs / name).mkdir()
        (three_runs / name / "config.json").write_text(json.dumps(content))
    (three_runs / "first" / "best" / "config.json").write_text("{")
    make_run(three_runs / "first" / "again", config())
    names = [run.name for run in find_runs(three_runs)]
    assert names == ["first", "first/again", "sweep/lr-2", "sweep/seed-1"]


def test_find_runs_names_a_run_that_is_given_itself_by_its_folder(three_runs, monkeypatch):
    assert only(three_runs / "first").name == "first"
    monkeypatch.chdir(three_runs / "first")
    assert only(type(three_runs)(".")).name == "first"


def test_run_state_tells_done_from_stopped_from_perhaps_running(three_runs):
    states = {run.name: (run.update, run.state(time.time())) for run in find_runs(three_runs)}
    assert states == {
        "first": (100, "done"),
        "sweep/lr-2": (40, "stopped"),
        "sweep/seed-1": (20, "running?"),
    }


def test_run_state_of_one_that_is_slow_to_write_is_not_stopped(tmp_path):
    make_run(tmp_path / "slow", config(), [trained(10, trained_seconds=1000), trained(20, trained_seconds=3000)])
    run = only(tmp_path)
    assert run.state(LONG_AGO + 3000) == "running?"
    assert run.state(LONG_AGO + 5000) == "stopped"


def test_run_without_a_record_has_done_nothing_yet(tmp_path):
    make_run(tmp_path / "new", config(), written=LONG_AGO)
    (tmp_path / "new" / "metrics.jsonl").unlink()
    run = only(tmp_path)
    assert (run.update, run.selection.best, run.trained_seconds, run.episodes_per_second) == (0, None, None, None)
    assert run.state(LONG_AGO + 10) == "running?"
    assert "0 of 100" in printed(tmp_path, 80)


@pytest.mark.parametrize(("values", "early"), [([30, 20, 29], True), ([30, 20, 31], False), ([30, 20], False)])
def test_run_state_is_done_when_patience_is_over(tmp_path, values, early):
    lines = [evaluated(20 * number, value) for number, value in enumerate(values, 1)]
    make_run(tmp_path / "patient", config(updates=1000, selection__patience=2), lines)
    assert only(tmp_path).state(time.time()) == ("done" if early else "stopped")
    assert ("done early" in printed(tmp_path, 80)) is early


@pytest.mark.parametrize(("metric", "best"), [("SPL", (9.0, 60)), ("NE", (2.0, 40)), ("TL", (2.0, 40))])
def test_selection_of_a_run_is_high_or_low_by_the_metric(tmp_path, metric, best):
    lines = [evaluated(update, value, metric) for update, value in ((20, 5.0), (40, 2.0), (60, 9.0))]
    elsewhere = evaluated(80, 100.0 if metric == "SPL" else 0.0, metric, kind="r2r/val_unseen")
    make_run(tmp_path / "a", config(selection__metric=metric), [*lines, elsewhere])
    selection = only(tmp_path).selection
    assert (selection.best, selection.update) == best


def test_selection_of_a_run_breaks_ties_by_success_rate(tmp_path):
    lines = [evaluated(20, 5.0, SR=40.0), evaluated(40, 5.0, SR=45.0), evaluated(60, 5.0, SR=45.0)]
    make_run(tmp_path / "a", config(), lines)
    selection = only(tmp_path).selection
    assert (selection.best, selection.update) == (5.0, 40)


def test_curve_passes_over_what_is_no_number_and_an_unfinished_line(tmp_path):
    lines = [trained(10), trained(20, loss=float("nan")), {"update": 25}, trained(30, loss="x"), trained(40, loss=True)]
    folder = make_run(tmp_path / "a", config(), lines)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"update": 50, "kind": "tra')
    run = only(tmp_path)
    assert run.update == 40
    assert run.curve("loss") == Curve("loss", "train", [10], [1.0])


def test_differing_options_have_their_names_on_the_command_line(three_runs):
    older = config(data__train=["r2r/train", "prevalent/aug@0.5"])
    del older["seed"]
    make_run(three_runs / "older", older)
    assert differing_options(find_runs(three_runs)) == {
        "data.train": {
            "first": ["r2r/train"],
            "older": ["r2r/train", "prevalent/aug@0.5"],
            "sweep/lr-2": ["r2r/train"],
            "sweep/seed-1": ["r2r/train"],
        },
        "optimizer.lr": {"first": 1e-4, "older": 1e-4, "sweep/lr-2": 2e-4, "sweep/seed-1": 1e-4},
        "seed": {"first": 0, "sweep/lr-2": 0, "sweep/seed-1": 1},
    }


def test_differing_options_compare_a_group_that_is_off_in_one_run_as_a_whole(tmp_path):
    make_run(tmp_path / "off", config(consistency=None))
    make_run(tmp_path / "on", config(consistency={"drop": 0.5}))
    make_run(tmp_path / "other", config(consistency={"drop": 0.1}))
    found = differing_options(find_runs(tmp_path))
    assert found == {"consistency": {"off": None, "on": {"drop": 0.5}, "other": {"drop": 0.1}}}


def test_chosen_curves_are_of_another_quantity_if_asked(three_runs):
    shown = printed(three_runs, 80, "gradient_norm")
    assert "gradient_norm in training" in shown
    assert "3 to 3" in shown, "neither high nor low is good"
    assert "loss" not in shown
    assert "SR on r2r/val_seen" in printed(three_runs, 80, "SR")


def test_chosen_curves_name_those_that_are_there_if_one_is_not(three_runs, tmp_path_factory):
    with pytest.raises(InputError, match=r"'speed'; there are SPL, SR, episodes_per_second, gradient_norm, loss"):
        printed(three_runs, 80, "speed")
    empty = tmp_path_factory.mktemp("empty")
    make_run(empty / "new", config())
    with pytest.raises(InputError, match="nothing is recorded yet"):
        printed(empty, 80, "loss")


def test_runs_json_has_all_of_it_and_only_real_numbers(three_runs, capsys):
    path = three_runs / "first" / "eval" / "r2r-val_seen" / "metrics.json"
    path.write_text('{"split": "r2r val_seen", "episodes": 3, "SR": 61.5, "SPL": NaN}')
    main(["runs", str(three_runs), "--json"])
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert [run["name"] for run in told["runs"]] == ["first", "sweep/lr-2", "sweep/seed-1"]
    first = told["runs"][0]
    assert (first["state"], first["update"], first["updates"], first["trained_seconds"]) == ("done", 100, 100, 200.0)
    assert first["selection"] == {"split": "r2r/val_seen", "metric": "SPL", "best": 50.0, "update": 100}
    assert first["evaluations"]["r2r-val_seen"] == {"episodes": 3, "SR": 61.5}
    assert first["curves"][1] == {
        "name": "SPL",
        "kind": "r2r/val_seen",
        "updates": [20, 40, 60, 80, 100],
        "values": [10.0, 20.0, 30.0, 40.0, 50.0],
    }
    assert told["differences"]["seed"] == {"first": 0, "sweep/lr-2": 0, "sweep/seed-1": 1}
    found = find_runs(three_runs)
    assert as_json(found, chosen_curves(found, three_runs), three_runs)["differences"] == told["differences"]


def spoil_nothing(folder):
    return folder / "nowhere"


def spoil_all_runs(folder):
    (folder / "empty").mkdir()
    return folder / "empty"


def spoil_config(folder):
    (folder / "first" / "config.json").write_text('{"out": ')
    return folder


def spoil_updates(folder):
    (folder / "first" / "config.json").write_text(json.dumps(config(updates="many")))
    return folder


def spoil_patience(folder):
    (folder / "first" / "config.json").write_text(json.dumps(config(selection__patience="much")))
    return folder


def spoil_metric(folder):
    (folder / "first" / "config.json").write_text(json.dumps(config(selection__metric="BLEU")))
    return folder


def spoil_task(folder):
    made = config(selection__split="no_such_module:TASK/val_seen", selection__metric=None)
    (folder / "first" / "config.json").write_text(json.dumps(made))
    return folder


def spoil_record(folder):
    (folder / "first" / "metrics.jsonl").write_bytes(b"\xff\xfe")
    return folder


def spoil_evaluation(folder):
    (folder / "first" / "eval" / "r2r-val_seen" / "metrics.json").write_text("{")
    return folder


def spoil_evaluation_kind(folder):
    (folder / "first" / "eval" / "r2r-val_seen" / "metrics.json").write_text("[]")
    return folder


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_nothing, "nowhere: there is no such folder"),
        (spoil_all_runs, "empty: contains no runs"),
        (spoil_config, "first/config.json: not valid JSON at line 1"),
        (spoil_updates, "first/config.json: optimizer.updates is missing"),
        (spoil_patience, "first/config.json: selection.patience is missing"),
        (spoil_metric, "first/config.json: selection.metric 'BLEU' is not one of"),
        (spoil_task, "first/config.json: selection.split is no_such_module:TASK, code of the module no_such_module"),
        (spoil_record, "first/metrics.jsonl: cannot be read"),
        (spoil_evaluation, "metrics.json: not valid JSON"),
        (spoil_evaluation_kind, "metrics.json: not the metrics of an evaluation"),
    ],
)
def test_runs_answers_bad_input_with_one_sentence_and_exit_code_two(three_runs, capsys, spoil, said):
    with pytest.raises(SystemExit) as stop:
        main(["runs", str(spoil(three_runs))])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_runs_looks_into_the_folder_runs_by_default(three_runs, monkeypatch, capsys):
    three_runs.rename(three_runs.parent / "runs")
    monkeypatch.chdir(three_runs.parent)
    main(["runs"])
    assert "sweep/seed-1" in capsys.readouterr().out


def test_runs_lists_without_torch(three_runs):
    listing = f"import sys; from mtvm.app.cli import main; main(['runs', {str(three_runs)!r}])"
    code = f"{listing}; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_find_runs_reads_the_config_of_every_preset(tmp_path):
    for name, preset in PRESETS.items():
        make_run(tmp_path / name, preset.to_dict())
    found = find_runs(tmp_path)
    assert [run.name for run in found] == sorted(PRESETS)
    assert "out" not in differing_options(found)
    assert differing_options(found)["selection.split"]["paper-ndh"] == "ndh/val_unseen"
    for run in found:
        assert run.selection.metric == PRESETS[run.name].selection.metric_name


@pytest.mark.parametrize(
    ("split", "metric"), [("r2r/val_seen", "SPL"), ("ndh/val_seen", "GP"), ("r4r/val_seen", "SDTW")]
)
def test_selection_of_a_run_is_by_its_tasks_metric_unless_one_is_named(tmp_path, split, metric):
    values = {"SPL": (1.0, 2.0), "GP": (4.0, 3.0), "SDTW": (5.0, 6.0)}
    lines = [
        {"update": 20 * (number + 1), "kind": split, "SR": 50.0} | {name: some[number] for name, some in values.items()}
        for number in range(2)
    ]
    make_run(tmp_path / "a", config(selection__split=split, selection__metric=None), lines)
    selection = only(tmp_path).selection
    assert (selection.metric, selection.split) == (metric, split)
    assert (selection.best, selection.update) == ((4.0, 20) if metric == "GP" else (values[metric][1], 40))


def test_selection_of_a_run_finds_validations_on_a_weighed_split(tmp_path):
    make_run(tmp_path / "a", config(selection__split="r2r/val_seen@2"), [evaluated(20, 7.0)])
    assert only(tmp_path).selection.best == 7.0
