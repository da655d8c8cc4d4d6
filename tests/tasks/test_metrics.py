"""Metrics: small cases by hand."""

import math
import tracemalloc

import numpy as np
import pytest

from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.world.world import World
from small_worlds import make_episodes, make_graph, padded

RATES = ("SR", "OSR", "SPL", "nDTW", "SDTW", "CLS")
EXACT = {"rel": 1e-12, "abs": 1e-12}


def scores(world, walked, reference, goals, via=""):
    """Every metric of one walk, given by the letters of its viewpoints."""
    one = [[world.node(world.scans[0], name) for name in names] for names in (walked, reference, goals, via)]
    columns = score_trajectories(make_episodes(world, [one[1]], [one[2]], [one[3]]), padded([one[0]]))
    return {name: column[0] for name, column in columns.items()}


@pytest.fixture(scope="module")
def corridor():
    """A - B - C - D - E, 2 m apart."""
    return World([make_graph({name: (2 * i, 0) for i, name in enumerate("ABCDE")}, ["AB", "BC", "CD", "DE"])])


@pytest.fixture(scope="module")
def tee():
    """A stem A - B - C of 2 m each; from its top, an arm of 2 m to D and one of exactly 3 m to E."""
    places = {"A": (0, 0), "B": (0, 2), "C": (0, 4), "D": (-2, 4), "E": (3, 4)}
    return World([make_graph(places, ["AB", "BC", "CD", "CE"])])


def test_evaluate_is_perfect_for_the_reference_itself(corridor):
    assert scores(corridor, "ABCDE", "ABCDE", "E") == pytest.approx(
        {"NE": 0, "SR": 100, "OSR": 100, "SPL": 100, "TL": 8, "nDTW": 100, "SDTW": 100, "CLS": 100, "GP": 8}, **EXACT
    )


def test_evaluate_stopping_half_way(corridor):
    # D and E are 2 m and 4 m from the last visited C: DTW 0+0+0+2+4 = 6, nDTW exp(-6 / (3 * 5)).
    coverage = (3 + math.exp(-2 / 3) + math.exp(-4 / 3)) / 5  # 0.755
    expected = coverage * 8  # 6.04 m, of which 4 m were walked
    cls = coverage * expected / (expected + (expected - 4))
    assert scores(corridor, "ABC", "ABCDE", "E") == pytest.approx(
        {
            "NE": 4,
            "SR": 0,
            "OSR": 0,
            "SPL": 0,
            "TL": 4,
            "nDTW": 100 * math.exp(-0.4),
            "SDTW": 0,
            "CLS": 100 * cls,
            "GP": 4,
        },
        **EXACT,
    )
    assert 100 * cls == pytest.approx(56.45, abs=0.01)


def test_evaluate_stopping_two_metres_short_is_a_success(corridor):
    coverage = (4 + math.exp(-2 / 3)) / 5
    expected = coverage * 8  # 7.22 m, of which 6 m were walked
    cls = coverage * expected / (expected + (expected - 6))
    ndtw = 100 * math.exp(-2 / 15)  # only E, 2 m from D, costs
    assert scores(corridor, "ABCD", "ABCDE", "E") == pytest.approx(
        # SPL: 8 / max(6, 8) = 1
        {"NE": 2, "SR": 100, "OSR": 100, "SPL": 100, "TL": 6, "nDTW": ndtw, "SDTW": ndtw, "CLS": 100 * cls, "GP": 6},
        **EXACT,
    )


def test_evaluate_passing_the_goal_is_only_an_oracle_success(corridor):
    # After E, D and C are 2 m and 4 m from the last reference viewpoint: DTW 6. Everything is covered, 12 m walked.
    assert scores(corridor, "ABCDEDC", "ABCDE", "E") == pytest.approx(
        {
            "NE": 4,
            "SR": 0,
            "OSR": 100,
            "SPL": 0,
            "TL": 12,
            "nDTW": 100 * math.exp(-0.4),
            "SDTW": 0,
            "CLS": 100 * 8 / (8 + 4),
            "GP": 4,
        },
        **EXACT,
    )


@pytest.mark.parametrize(
    ("walked", "via", "rates"),
    [
        ("ABCDEDCB", "E", (100, 100, 100)),  # there and back: 8 m out, 6 m back, and no way is shorter
        ("ABCDCB", "E", (100, 100, 100)),  # within 3 m of E is there
        ("ABCB", "E", (0, 0, 0)),  # 4 m before it is not
        ("ABCDEDC", "E", (100, 100, 100)),  # within 3 m of B
        ("ABCDED", "E", (0, 0, 0)),  # on the way back, not there yet; B was passed before E only
        ("ABCDEDCBCD", "E", (0, 100, 0)),  # and past it
        ("ABCDEDEDCB", "E", (100, 100, 100 * 14 / 18)),
        ("ABCDEDCB", "EC", (100, 100, 100)),
        ("ABCDEDCB", "CE", (100, 100, 100)),
        ("ABCDEDCB", "EA", (100, 100, 100)),  # B itself is within 3 m of A
        ("ABCDEDC", "EA", (0, 0, 0)),  # C is not
    ],
)
def test_evaluate_success_requires_via_in_order(corridor, walked, via, rates):
    result = scores(corridor, walked, "ABCDEDCB", "B", via)
    assert (result["SR"], result["OSR"], result["SPL"]) == pytest.approx(rates, **EXACT)
    assert result["SDTW"] == pytest.approx(result["nDTW"] if rates[0] else 0, **EXACT)
    without = scores(corridor, walked, "ABCDEDCB", "B")
    assert [result[name] for name in ("NE", "TL", "nDTW", "CLS", "GP")] == [
        without[name] for name in ("NE", "TL", "nDTW", "CLS", "GP")
    ]


def test_evaluate_exactly_three_metres_is_no_success(tee):
    result = scores(tee, "ABC", "ABCE", "E")
    assert result["NE"] == 3.0
    assert (result["SR"], result["OSR"], result["SPL"], result["SDTW"]) == (0, 0, 0, 0)


def test_evaluate_a_detour_costs_spl_and_cls(tee):
    # 2 + 2 + 2 + 2 + 3 = 11 m instead of 7 m. D and the second C: D is 2 m from C, so DTW 2 over 4 viewpoints.
    ndtw = 100 * math.exp(-2 / 12)
    assert scores(tee, "ABCDCE", "ABCE", "E") == pytest.approx(
        {
            "NE": 0,
            "SR": 100,
            "OSR": 100,
            "SPL": 100 * 7 / 11,
            "TL": 11,
            "nDTW": ndtw,
            "SDTW": ndtw,
            "CLS": 100 * 7 / (7 + 4),
            "GP": 7,
        },
        **EXACT,
    )


def test_evaluate_goal_progress_can_be_negative(tee):
    # From C the goal E is 3 m away, from D 5 m.
    result = scores(tee, "CD", "CE", "E")
    assert (result["NE"], result["GP"], result["TL"]) == (5, -2, 2)


def test_evaluate_counts_the_nearest_of_several_goals(tee):
    # From A: D is 6 m away, E 7 m. From C: 2 m and 3 m.
    result = scores(tee, "ABC", "ABCE", "ED")
    assert (result["NE"], result["SR"], result["GP"], result["SPL"]) == (2, 100, 4, 100)


@pytest.mark.parametrize(("walked", "spl"), [("A", 100), ("AB", 0)])
def test_evaluate_spl_of_an_episode_that_starts_at_its_goal(corridor, walked, spl):
    result = scores(corridor, walked, "A", "A")
    assert (result["SR"], result["SPL"]) == (100, spl)


def test_evaluate_cls_of_a_reference_of_one_viewpoint(corridor):
    assert scores(corridor, "A", "A", "A")["CLS"] == 100
    assert scores(corridor, "AB", "A", "A")["CLS"] == 0


def test_evaluate_gives_r2r_references_full_spl(tiny_r2r):
    means = summarize(score_trajectories(tiny_r2r, tiny_r2r.references))
    assert {name: means[name] for name in RATES} == pytest.approx(dict.fromkeys(RATES, 100.0))
    assert means["NE"] == 0
    assert means["TL"] == pytest.approx(means["GP"])


def test_evaluate_does_not_change_the_trajectories(tiny_r2r):
    nodes = np.repeat(tiny_r2r.references, 2, axis=1)
    before = nodes.copy()
    score_trajectories(tiny_r2r, nodes)
    assert np.array_equal(nodes, before)


def test_evaluate_takes_no_memory_for_the_length_of_a_trajectory(corridor):
    """One of 500 walks goes back and forth 5,000 times; a table of all steps would take 100 MB."""
    episodes = make_episodes(corridor, [[0, 1, 2, 3, 4]] * 500, [[4]] * 500, [[]] * 500)
    walks = [np.array([0, 1, 2, 3, 4], dtype=np.int32)] * 499
    walks.append(np.tile(np.array([0, 1], dtype=np.int32), 2_500))
    tracemalloc.start()
    try:
        columns = score_trajectories(episodes, walks)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert columns["SR"].tolist() == [100] * 499 + [0]
    assert columns["TL"][-1] == pytest.approx(2 * 4_999)
    assert peak < 50e6


def test_summarize_gives_the_mean():
    assert summarize({"NE": np.array([1.0, 2.0, 6.0])}) == {"NE": 3.0}
