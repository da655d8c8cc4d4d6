"""Statistics of studies: against hand-computed cases, against scipy, and their properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mtvm.tasks import bootstrap
from mtvm.tasks.bootstrap import Interval, Sample


def normal_sample(seeds, buildings, episodes, rng, shift=0.0, spread=0.0):
    """Scores with noise between buildings, seeds and episodes."""
    place = np.repeat(np.arange(buildings), episodes)
    noise = rng.normal(0, 1, buildings)[place] + rng.normal(0, spread, seeds)[:, None]
    return shift + noise + rng.normal(0, 0.1, (seeds, len(place))), place


def test_mean_weighs_episodes_not_buildings():
    sample = Sample([[0.0, 0.0, 0.0, 100.0]], ["a", "a", "a", "b"])
    assert bootstrap.mean(sample).value == 25.0


def test_two_buildings_draw_one_or_the_other():
    # A draw has one building of two, so that the interval reaches from one's mean to the other's.
    found = bootstrap.mean(Sample([[10.0, 30.0, 50.0]], ["a", "a", "b"]))
    assert (found.value, found.low, found.high) == (30.0, 20.0, 50.0)


def test_two_seeds_draw_one_or_the_other():
    # Both buildings are alike; the seeds have means 10 and 40.
    found = bootstrap.mean(Sample([[10.0, 10.0], [40.0, 40.0]], ["a", "b"]))
    assert (found.value, found.low, found.high) == (25.0, 10.0, 40.0)


def test_variance_of_draws_is_that_of_the_mean():
    values = np.array([3.0, 8.0, 1.0, 9.0, 4.0])
    weights = bootstrap._weights(len(values), np.random.default_rng(0))
    expected = values.var(ddof=1) / len(values)
    assert (weights @ values).var() == pytest.approx(expected, rel=0.05)


def test_interval_agrees_with_scipy_where_every_episode_is_its_own_building():
    values = np.random.default_rng(1).normal(50, 10, 400)
    ours = bootstrap.mean(Sample(values, np.arange(400)))
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=4000, rng=0).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.1)
    assert ours.high == pytest.approx(theirs.high, abs=0.1)


def test_episodes_of_few_buildings_say_less_than_as_many_independent_ones():
    rng = np.random.default_rng(2)
    scores, place = normal_sample(1, 8, 50, rng)
    clustered = bootstrap.mean(Sample(scores, place))
    independent = bootstrap.mean(Sample(scores, np.arange(scores.shape[1])))
    assert clustered.high - clustered.low > 4 * (independent.high - independent.low)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        sample = Sample(*normal_sample(3, 12, 5, rng, spread=0.5))
        found = bootstrap.mean(sample)
        covered += found.low <= 0 <= found.high
    assert 0.80 <= covered / 200 <= 0.99


def test_difference_pairs_buildings():
    # Buildings differ wildly, the arms by 2 in each of them.
    base = np.repeat([0.0, 50.0, 100.0, 20.0], 5)
    place = np.repeat(np.arange(4), 5)
    found = bootstrap.difference(Sample(base + 2, place), Sample(base, place))
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))
    assert bootstrap.verdict(found) == "better"
    assert bootstrap.verdict(found, sign=-1) == "worse"


def test_difference_of_other_episodes_is_refused():
    with pytest.raises(ValueError, match="not evaluated on the same episodes"):
        bootstrap.difference(Sample([[1.0, 2.0]], ["a", "b"]), Sample([[1.0, 2.0]], ["a", "c"]))


def test_one_building_tells_nothing():
    found = bootstrap.difference(Sample([[9.0, 8.0]], ["a", "a"]), Sample([[1.0, 2.0]], ["a", "a"]))
    assert found.value == 7.0
    assert math.isnan(found.low)
    assert bootstrap.verdict(found) == "cannot tell"


def test_interquartile_mean_is_that_of_scipy_over_buildings_and_seeds():
    scores = np.array([[0.0, 10.0, 20.0, 30.0], [40.0, 50.0, 60.0, 1000.0]])
    found = bootstrap.interquartile_mean(Sample(scores, list("abcd")))
    assert found.value == stats.trim_mean(scores.ravel(), 0.25) == 35.0
    assert found.low <= 35.0 <= found.high


def test_probability_of_improvement_is_mann_whitneys_statistic():
    rng = np.random.default_rng(4)
    ours, theirs = rng.integers(0, 6, (3, 5)).astype(float), rng.integers(0, 6, (4, 5)).astype(float)
    expected = np.mean([stats.mannwhitneyu(ours[:, b], theirs[:, b]).statistic / 12 for b in range(5)])
    found = bootstrap.probability_of_improvement(Sample(ours, np.arange(5)), Sample(theirs, np.arange(5)))
    assert found.value == pytest.approx(expected)
    lower = bootstrap.probability_of_improvement(Sample(ours, np.arange(5)), Sample(theirs, np.arange(5)), sign=-1)
    assert lower.value == pytest.approx(1 - expected)


def test_performance_profile_is_the_share_above_a_threshold():
    sample = Sample([[0.0, 50.0, 80.0, 100.0]], list("abcd"))
    assert bootstrap.performance_profile(sample, [-1, 0, 60, 100]).tolist() == [1.0, 0.75, 0.5, 0.0]


@pytest.mark.parametrize(
    ("gain", "sign", "said"),
    [
        (Interval(2, 1, 3), 1, "better"),
        (Interval(-2, -3, -1), 1, "worse"),
        (Interval(-2, -3, -1), -1, "better"),
        (Interval(2, -1, 5), 1, "cannot tell"),
        (Interval(2, 0, 5), 1, "cannot tell"),
    ],
)
def test_verdict_is_said_only_of_intervals_without_zero(gain, sign, said):
    assert bootstrap.verdict(gain, sign) == said


def test_scores_that_do_not_fit_the_buildings_are_refused():
    with pytest.raises(ValueError, match="do not fit together"):
        Sample([[1.0, 2.0]], ["a"])


@settings(max_examples=25)
@given(
    scores=st.lists(st.lists(st.floats(-100, 100), min_size=6, max_size=6), min_size=1, max_size=3),
    place=st.lists(st.integers(0, 3), min_size=6, max_size=6),
)
def test_every_estimate_lies_among_the_scores_and_order_does_not_matter(scores, place):
    sample = Sample(scores, place)
    found = bootstrap.mean(sample)
    low, high = np.min(scores) - 1e-6, np.max(scores) + 1e-6
    assert low <= found.value <= high
    if found.is_known:
        assert low <= found.low <= found.high <= high
    order = np.argsort(np.array(place), kind="stable")[::-1]
    turned = bootstrap.mean(Sample(np.array(scores)[:, order], np.array(place)[order]))
    assert turned.value == pytest.approx(found.value, abs=1e-9)
    same = bootstrap.difference(sample, Sample(scores, place))
    assert same.value == 0
    assert bootstrap.verdict(same) == "cannot tell"


def test_p_value_is_small_where_every_building_agrees_and_large_where_they_do_not():
    buildings = np.repeat(np.arange(12), 4)
    base, gain = np.zeros(48), np.repeat(np.linspace(0.5, 1.5, 12), 4)
    assert bootstrap.p_value(Sample(base + gain, buildings), Sample(base, buildings)) < 0.001
    assert bootstrap.p_value(Sample(base, buildings), Sample(base + gain, buildings)) < 0.001
    assert bootstrap.p_value(Sample(base, buildings), Sample(base, buildings)) == 1
    turns = np.repeat(np.tile([1.0, -1.0], 6), 4)
    assert bootstrap.p_value(Sample(turns, buildings), Sample(base, buildings)) > 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_its_definition(p_values):
    """The smallest is multiplied by how many there are, the next by one less; never smaller than one before it."""
    expected, largest = {}, 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda one: p_values[one])):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        expected[place] = largest
    assert bootstrap.holm(p_values) == pytest.approx([expected[place] for place in range(len(p_values))])
