"""Which weights are the best: by a metric, ties by success rate, until patience is over."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.configs.run import SelectionConfig
from mtvm.learning.run_folder import Selection, is_number
from mtvm.tasks.metric import METRICS, NAVIGATION

MEASURED = tuple(metric.name for metric in NAVIGATION)

SPLIT = "r2r/val_seen"
# Few values, so that ties are frequent.
SCORES = st.lists(
    st.fixed_dictionaries({name: st.integers(0, 3).map(float) for name in ("SPL", "NE", "SR", "TL")}), max_size=12
)
NAMES = st.sampled_from(["SPL", "NE", "TL"])


def considered(metric, scores, patience=None):
    """A selection after these validations, and of which it said that they were the best so far."""
    selection = Selection(SPLIT, metric, patience)
    return selection, [selection.consider(10 * number, one) for number, one in enumerate(scores, 1)]


def test_selection_takes_the_first_validation_whatever_its_value():
    selection, said = considered("SPL", [{"SPL": 0.0, "SR": 0.0}])
    assert said == [True]
    assert (selection.best, selection.update) == (0.0, 10)


def test_selection_breaks_ties_by_success_rate():
    scores = [{"SPL": 4.0, "SR": sr} for sr in (1.0, 2.0, 2.0, 1.5)]
    selection, said = considered("SPL", scores)
    assert said == [True, True, False, False]
    assert (selection.best, selection.update) == (4.0, 20)


def test_selection_by_an_error_takes_the_smaller_one_and_breaks_ties_by_more_success():
    scores = [{"NE": ne, "SR": sr} for ne, sr in ((4.0, 1.0), (4.0, 2.0), (4.0, 2.0), (5.0, 9.0), (3.0, 0.0))]
    selection, said = considered("NE", scores)
    assert said == [True, True, False, False, True]
    assert (selection.best, selection.update) == (3.0, 50)


def test_selection_without_success_rates_has_no_ties_to_break():
    assert considered("GP", [{"GP": 1.0}, {"GP": 1.0}, {"GP": 2.0}])[1] == [True, False, True]


@given(NAMES, SCORES.filter(bool))
def test_selection_takes_the_first_of_the_best_validations(metric, scores):
    selection, said = considered(metric, scores)
    keys = [(METRICS[metric].sign * one[metric], one["SR"]) for one in scores]
    first = keys.index(max(keys))
    assert selection.update == 10 * (first + 1)
    assert selection.best == scores[first][metric]
    assert said == [key > max(keys[:number], default=(-math.inf,)) for number, key in enumerate(keys)]
    assert selection.validations_since == len(scores) - 1 - first


@given(NAMES, SCORES, st.integers(1, 4))
def test_selection_is_out_of_patience_after_so_many_validations_without_a_new_best(metric, scores, patience):
    selection = Selection(SPLIT, metric, patience)
    since = 0
    for number, one in enumerate(scores, 1):
        since = 0 if selection.consider(number, one) else since + 1
        assert selection.out_of_patience == (since >= patience)
    assert not considered(metric, scores)[0].out_of_patience, "without a patience it never ends"


@given(NAMES, SCORES, st.integers(1, 3), st.data())
def test_selection_replayed_from_a_record_is_the_one_that_considered_each_validation(metric, scores, patience, data):
    selection, _ = considered(metric, scores, patience)
    lines = []
    for number, one in enumerate(scores, 1):
        others = [
            {"update": 10 * number, "kind": "train", "loss": 1.0, "SPL": 99.0, "NE": -1.0, "TL": -1.0},
            {"update": 10 * number, "kind": "r2r/val_unseen", "SPL": 99.0, "NE": -1.0, "TL": -1.0, "SR": 99.0},
            {"update": 10 * number, "kind": SPLIT, "loss": 1.0},
            {"update": 10 * number, "kind": SPLIT, metric: math.nan, "SR": 5.0},
        ]
        lines += data.draw(st.lists(st.sampled_from(others), max_size=2))
        lines.append({"update": 10 * number, "kind": SPLIT} | one)
    assert Selection(SPLIT, metric, patience).replay(lines) == selection
    half = data.draw(st.integers(0, len(lines)))
    once = Selection(SPLIT, metric, patience).replay(lines[:half])
    assert Selection(**once.state()).replay(lines[half:]) == selection, "and so does one that goes on from its state"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"split": "r2r/val_seen"}, ("r2r/val_seen", "SPL", None)),
        ({"split": "ndh/val_unseen", "patience": 3}, ("ndh/val_unseen", "GP", 3)),
        ({"split": "r4r/val_seen@2", "metric": "NE"}, ("r4r/val_seen", "NE", None)),
        ({"split": "long/val_seen"}, ("long/val_seen", "SDTW", None)),
    ],
)
def test_selection_of_a_config_has_its_metric_or_that_of_the_task(config, expected):
    selection = Selection.of(SelectionConfig(**config))
    assert (selection.split, selection.metric, selection.patience) == expected


def test_selection_metric_follows_a_split_that_is_changed_later():
    preset = SelectionConfig(split="r2r/val_seen")
    assert preset.metric is None
    other = dataclasses.replace(preset, split="ndh/val_seen")
    assert other.metric is None
    assert (preset.metric_name, other.metric_name) == ("SPL", "GP")
    named = dataclasses.replace(SelectionConfig(split="r2r/val_seen", metric="NE"), split="ndh/val_seen")
    assert named.metric_name == "NE"


def test_selection_knows_which_way_every_metric_is_better():
    for name in MEASURED:
        _, said = considered(name, [{name: 1.0}, {name: 2.0}])
        assert said == [True, METRICS[name].sign > 0], name


@pytest.mark.parametrize(
    ("value", "fine"),
    [(1, True), (0.5, True), (True, False), ("1", False), (None, False), (math.inf, False), (math.nan, False)],
)
def test_is_number_takes_finite_numbers_alone(value, fine):
    assert is_number(value) is fine
