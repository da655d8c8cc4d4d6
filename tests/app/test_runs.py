"""`mtvm runs` on run folders made by hand."""

import io
import json
import os
import subprocess
import sys
import time

import pytest
from rich.console import Console

from mtvm.app.cli import main
from mtvm.app.runs import Curve, as_json, chosen_curves, differing_options, find_runs
from mtvm.app.runs_view import show, sparkline
from mtvm.errors import InputError
from mtvm.presets import PRESETS

LONG_AGO = 1_000_000_000


def config(updates=100, **options):
    """The config of a run, with options by their names on the command line."""
    made = {
        "out": "somewhere",
        "model": {"hidden": 64},
        "data": {"train": ["r2r/train"], "features": None},
        "optimizer": {"updates": updates, "lr": 1e-4},
        "selection": {"split": "r2r/val_seen", "metric": "SPL", "every": 20, "patience": None},
        "seed": 0,
    }
    for name, value in options.items():
        group, _, option = name.rpartition("__")
        (made[group] if group else made)[option] = value
    return made


def trained(update, **values):
    usual = {"loss": 10 / update, "gradient_norm": 3.0, "episodes_per_second": 20.0, "trained_seconds": update * 2.0}
    return {"update": update, "kind": "train"} | usual | values


def evaluated(update, value, metric="SPL", kind="r2r/val_seen", **others):
    return {"update": update, "kind": kind, "SR": 50.0} | others | {metric: value}


def make_run(folder, made, lines=(), written=LONG_AGO, evaluations=None):
    """A run as the trainer leaves it, with the agent beside it that is not a run."""
    (folder / "best").mkdir(parents=True)
    (folder / "best" / "config.json").write_text(json.dumps({"hidden": 64, "heads": 4}))
    (folder / "config.json").write_text(json.dumps(made | {"out": str(folder)}))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for split, values in (evaluations or {}).items():
        (folder / "eval" / split).mkdir(parents=True)
        (folder / "eval" / split / "metrics.json").write_text(json.dumps(values))
    for name in ("config.json", "metrics.jsonl"):
        os.utime(folder / name, (written, written))
    return folder


def only(folder):
    (found,) = find_runs(folder)
    return found


def printed(folder, width, metric=None, encoding="utf-8"):
    found = find_runs(folder)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show(found, chosen_curves(found, folder, metric), Console(file=file, width=width))
    file.flush()
    return file.buffer.getvalue().decode(encoding)


def scores(first, second):
    return {"split": "r2r val_seen", "episodes": 1021, "SR": first, "SPL": second, "GP": 5.5, "NE": 4.2}


@pytest.fixture
def three_runs(tmp_path):
    lines = [line for update in (20, 40, 60, 80, 100) for line in (trained(update), evaluated(update, update / 2))]
    both = {"r2r-val_seen": scores(61.5, 57.25), "r2r-val_unseen": scores(48.5, 44.0)}
    make_run(tmp_path / "first", config(), lines, evaluations=both)
    make_run(tmp_path / "sweep" / "lr-2", config(optimizer__lr=2e-4), lines[:4])
    make_run(tmp_path / "sweep" / "seed-1", config(seed=1), lines[:2], written=time.time())
    return tmp_path


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


def test_sparkline_goes_through_all_heights_in_order():
    assert sparkline(Curve("loss", "train", list(range(1, 9)), [float(v) for v in range(8)]), 8, 8) == "▁▂▃▄▅▆▇█"


def test_sparkline_averages_what_is_close_and_fills_what_is_apart():
    dense = Curve("loss", "train", [1, 2, 3, 4], [0.0, 2.0, 10.0, 12.0])
    assert sparkline(dense, 4, 2) == "▁█"
    sparse = Curve("SPL", "r2r/val_seen", [50, 100], [1.0, 2.0])
    assert sparkline(sparse, 100, 6) == "▁▁▁███"
    assert sparkline(sparse, 200, 8) == "▁▁██    ", "nothing was evaluated in the last half"
    assert sparkline(Curve("SPL", "r2r/val_seen", [7], [3.0]), 7, 3) == "▅▅▅", "a flat curve lies in the middle"


@pytest.mark.parametrize("width", [80, 150])
def test_show_shows_everything_whole_at_any_width(three_runs, width):
    shown = printed(three_runs, width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    for expected in ("100 of 100", "done", "stopped", "running?", "SPL 50.0", "3 min", "20.0", "r2r-val_unseen"):
        assert expected in shown
    for expected in ("optimizer.lr", "0.0002", "loss in training", "SPL on r2r/val_seen", "50.0 at 100", "▁"):
        assert expected in shown
    assert "61.5" in shown
    assert ("61.5 / 57.2" in shown) is (width == 150), "beside the run if there is room, else in a table of its own"


def test_show_has_goal_progress_of_dialogs(tmp_path):
    make_run(tmp_path / "a", config(), evaluations={"ndh-val_unseen": scores(1.5, 2.5)})
    shown = printed(tmp_path, 150)
    assert "GP" in shown
    assert "5.50" in shown
    assert "SR" not in shown


@pytest.mark.parametrize("width", [80, 150])
def test_show_folds_long_names_and_values_and_cuts_none(tmp_path, width):
    evaluations = {f"r2r-{split}": scores(1.0, 2.0) for split in ("train", "val_seen", "val_unseen")}
    for number in range(9):
        rate = number / 1000 + 1e-4
        made = config(seed=number % 2, optimizer__lr=rate, data__features=f"/disk/{'store' * 9}/{number}")
        name = f"a-name-that-tells-very-much-about-the-run-{number}"
        make_run(tmp_path / name, made, [trained(10)], evaluations=evaluations)
    shown = printed(tmp_path, width)
    assert "…" not in shown
    assert all(str(number / 1000 + 1e-4) in shown for number in range(9))


def test_show_takes_markup_in_a_name_for_text(tmp_path):
    make_run(tmp_path / "[bold]a[" / "x", config(), [trained(10)])
    make_run(tmp_path / "b", config(seed=1, data__features="[/red]"), [trained(10)])
    shown = printed(tmp_path, 100)
    assert "[bold]a[/x" in shown
    assert "[/red]" in shown


def test_show_draws_curves_where_only_ascii_can_be_written(three_runs):
    assert "50.0 at 100" in printed(three_runs, 80, encoding="ascii")


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
        (spoil_metric, "first/config.json: selection.metric is missing"),
        (spoil_task, "first/config.json: task 'no_such_module:TASK': the module no_such_module cannot be imported"),
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


@pytest.mark.parametrize(("split", "metric"), [("r2r/val_seen", "SPL"), ("ndh/val_seen", "GP"), ("r4r/val_seen", "SDTW")])
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


def test_runs_show_an_evaluation_with_a_limit_beside_the_whole(tmp_path):
    both = {"r2r-val_seen": scores(61.5, 57.25), "r2r-val_seen-first-20": scores(10.5, 9.75)}
    make_run(tmp_path / "a", config(), [trained(10)], evaluations=both)
    shown = printed(tmp_path, 150)
    assert "r2r-val_seen-first-20" in shown
    assert "10.5 / 9.8" in shown
    assert "61.5 / 57.2" in shown
