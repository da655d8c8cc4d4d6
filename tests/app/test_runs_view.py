"""`mtvm runs` on the terminal: tables, options and curves, whole at any width."""

import pytest
from made_runs import config, make_run, printed, scores, trained

from mtvm.app.runs import Curve
from mtvm.app.runs_view import sparkline


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


def test_runs_show_an_evaluation_with_a_limit_beside_the_whole(tmp_path):
    both = {"r2r-val_seen": scores(61.5, 57.25), "r2r-val_seen-first-20": scores(10.5, 9.75)}
    make_run(tmp_path / "a", config(), [trained(10)], evaluations=both)
    shown = printed(tmp_path, 150)
    assert "r2r-val_seen-first-20" in shown
    assert "10.5 / 9.8" in shown
    assert "61.5 / 57.2" in shown
