"""Metrics: small cases by hand, a slow plain reference on random walks, and what must hold for all walks."""

import dataclasses
import heapq
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.tasks import metrics
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metric import EVALUATED
from mtvm.tasks.metrics import evaluate, summarize
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.world import World

RATES = ("SR", "OSR", "SPL", "nDTW", "SDTW", "CLS")
EXACT = {"rel": 1e-12, "abs": 1e-12}


def make_world(scan, positions, edges):
    """A one-scan world of named viewpoints on a plane."""
    names = list(positions)
    records = []
    for name, (x, y) in positions.items():
        pose = np.eye(4)
        pose[:2, 3] = x, y
        joined = [(name + other in edges) or (other + name in edges) for other in names]
        records.append({"image_id": name, "pose": pose.ravel().tolist(), "included": True, "unobstructed": joined})
    return World([NavGraph.from_records(scan, records, Path(scan))])


def make_episodes(world, references, goals, via=None):
    """Episodes from lists of nodes."""
    return EpisodeSet(
        task="r2r",
        split="made",
        source=Path("made.json"),
        world=world,
        ids=[f"{row}_0" for row in range(len(references))],
        texts=[""] * len(references),
        headings=np.zeros(len(references)),
        references=padded(references),
        via=padded(via or [[] for _ in references]),
        goals=padded(goals),
    )


def padded(rows):
    width = max(map(len, rows))
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows], dtype=np.int32).reshape(len(rows), width)


def scores(world, walked, reference, goals, via=""):
    """Every metric of one walk, given by the letters of its viewpoints."""
    one = [[world.node(world.scans[0], name) for name in names] for names in (walked, reference, goals, via)]
    columns = evaluate(make_episodes(world, [one[1]], [one[2]], [one[3]]), padded([one[0]]))
    return {name: column[0] for name, column in columns.items()}


@pytest.fixture(scope="module")
def corridor():
    """A - B - C - D - E, 2 m apart."""
    return make_world("hall", {name: (2 * i, 0) for i, name in enumerate("ABCDE")}, ["AB", "BC", "CD", "DE"])


@pytest.fixture(scope="module")
def tee():
    """A stem A - B - C of 2 m each; from its top, an arm of 2 m to D and one of exactly 3 m to E."""
    places = {"A": (0, 0), "B": (0, 2), "C": (0, 4), "D": (-2, 4), "E": (3, 4)}
    return make_world("tee", places, ["AB", "BC", "CD", "CE"])


def test_the_reference_itself_is_perfect(corridor):
    assert scores(corridor, "ABCDE", "ABCDE", "E") == pytest.approx(
        {"NE": 0, "SR": 100, "OSR": 100, "SPL": 100, "TL": 8, "nDTW": 100, "SDTW": 100, "CLS": 100, "GP": 8}, **EXACT
    )


def test_stopping_half_way(corridor):
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


def test_stopping_two_metres_short_is_a_success(corridor):
    coverage = (4 + math.exp(-2 / 3)) / 5
    expected = coverage * 8  # 7.22 m, of which 6 m were walked
    cls = coverage * expected / (expected + (expected - 6))
    ndtw = 100 * math.exp(-2 / 15)  # only E, 2 m from D, costs
    assert scores(corridor, "ABCD", "ABCDE", "E") == pytest.approx(
        # SPL: 8 / max(6, 8) = 1
        {"NE": 2, "SR": 100, "OSR": 100, "SPL": 100, "TL": 6, "nDTW": ndtw, "SDTW": ndtw, "CLS": 100 * cls, "GP": 6},
        **EXACT,
    )


def test_passing_the_goal_and_coming_back(corridor):
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
def test_what_is_to_be_passed_comes_before_the_end(corridor, walked, via, rates):
    result = scores(corridor, walked, "ABCDEDCB", "B", via)
    assert (result["SR"], result["OSR"], result["SPL"]) == pytest.approx(rates, **EXACT)
    assert result["SDTW"] == pytest.approx(result["nDTW"] if rates[0] else 0, **EXACT)
    without = scores(corridor, walked, "ABCDEDCB", "B")
    assert [result[name] for name in ("NE", "TL", "nDTW", "CLS", "GP")] == [
        without[name] for name in ("NE", "TL", "nDTW", "CLS", "GP")
    ]


def test_exactly_three_metres_is_no_success(tee):
    result = scores(tee, "ABC", "ABCE", "E")
    assert result["NE"] == 3.0
    assert (result["SR"], result["OSR"], result["SPL"], result["SDTW"]) == (0, 0, 0, 0)


def test_a_detour_costs_spl_and_coverage(tee):
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


def test_the_wrong_arm_loses_ground(tee):
    # From C the goal E is 3 m away, from D 5 m.
    result = scores(tee, "CD", "CE", "E")
    assert (result["NE"], result["GP"], result["TL"]) == (5, -2, 2)


def test_the_nearest_of_several_goals_counts(tee):
    # From A: D is 6 m away, E 7 m. From C: 2 m and 3 m.
    result = scores(tee, "ABC", "ABCE", "ED")
    assert (result["NE"], result["SR"], result["GP"], result["SPL"]) == (2, 100, 4, 100)


@pytest.mark.parametrize(("walked", "spl"), [("A", 100), ("AB", 0)])
def test_an_episode_that_starts_at_its_goal(corridor, walked, spl):
    result = scores(corridor, walked, "A", "A")
    assert (result["SR"], result["SPL"]) == (100, spl)


def test_a_reference_of_one_viewpoint_expects_no_walking(corridor):
    assert scores(corridor, "A", "A", "A")["CLS"] == 100
    assert scores(corridor, "AB", "A", "A")["CLS"] == 0


# A plain reference: no arrays, the formulas as they are written down.


def plain_distances(adjacent, positions):
    """{(a, b): metres} by a search from each place; absent where there is no way."""
    found = {}
    for start in positions:
        heap = [(0.0, start)]
        while heap:
            so_far, here = heapq.heappop(heap)
            if (start, here) in found:
                continue
            found[start, here] = so_far
            for there in adjacent[here]:
                heapq.heappush(heap, (so_far + math.dist(positions[here], positions[there]), there))
    return found


@pytest.fixture(scope="session")
def plain(tiny_folder, tiny_world):
    """Distances between the tiny world's nodes, straight from the connectivity files."""
    adjacent, positions = {}, {}
    for file in sorted((tiny_folder / "connectivity").glob(f"*{SUFFIX}")):
        records, scan = json.loads(file.read_text()), file.name.removesuffix(SUFFIX)
        nodes = [tiny_world.node(scan, record["image_id"]) for record in records]
        for node, record in zip(nodes, records, strict=True):
            positions[node] = record["pose"][3], record["pose"][7], record["pose"][11]
            adjacent[node] = [nodes[i] for i, free in enumerate(record["unobstructed"]) if free]
    return plain_distances(adjacent, positions)


def plain_dtw(walked, reference, apart):
    table = {(0, 0): 0.0}
    table |= {(i, 0): math.inf for i in range(1, len(walked) + 1)}
    table |= {(0, j): math.inf for j in range(1, len(reference) + 1)}
    for i, j in itertools.product(range(1, len(walked) + 1), range(1, len(reference) + 1)):
        best = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
        table[i, j] = best + apart[walked[i - 1], reference[j - 1]]
    return table[len(walked), len(reference)]


def plain_scores(walk, reference, goals, apart):
    walked = [node for node, _ in itertools.groupby(walk)]

    def to_goal(node):
        return min(apart[node, goal] for goal in goals)

    def length(path):
        return sum(apart[pair] for pair in itertools.pairwise(path))

    error, from_start, walked_length = to_goal(walked[-1]), to_goal(walked[0]), length(walked)
    success = 1.0 if error < 3.0 else 0.0
    if from_start == 0:
        spl = 1.0 if walked_length == 0 else 0.0
    else:
        spl = success * from_start / max(walked_length, from_start)
    ndtw = math.exp(-plain_dtw(walked, reference, apart) / (3.0 * len(reference)))
    coverage = sum(math.exp(-min(apart[w, r] for w in walked) / 3.0) for r in reference) / len(reference)
    expected = coverage * length(reference)
    if expected == 0:
        fit = 1.0 if walked_length == 0 else 0.0
    else:
        fit = expected / (expected + abs(expected - walked_length))
    values = {
        "NE": error,
        "SR": success,
        "OSR": 1.0 if any(to_goal(node) < 3.0 for node in walked) else 0.0,
        "SPL": success * spl,
        "TL": walked_length,
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage * fit,
        "GP": from_start - error,
    }
    return {name: 100 * value if name in RATES else value for name, value in values.items()}


@st.composite
def episode_draws(draw, stays=True):
    """Numbers from which `walks` makes one episode: a start, steps of the walk and the reference, goals."""
    choices = st.lists(st.integers(0 if stays else 1, 10), max_size=9)
    return draw(st.integers(0, 10_000)), draw(choices), draw(choices), draw(st.lists(st.integers(0, 99), max_size=3))


def walks(world, draws):
    """(walks, references, goals) as lists of nodes; step 0 of a draw stays in place."""
    found = [], [], []
    for start, walked, reference, goals in draws:
        start %= len(world)
        for row, steps in zip(found, (walked, reference), strict=False):
            nodes = [start]
            for step in steps:
                ways = world.candidates[nodes[-1], : world.degree[nodes[-1]]].tolist()
                nodes.append(ways[step % len(ways)] if step else nodes[-1])
            row.append(nodes)
        number = world.scan_of_node[start]
        first, size = int(world.first_node[number]), len(world.graphs[number])
        found[2].append([first + goal % size for goal in goals] or [found[1][-1][-1]])
    return found


some_episodes = st.lists(episode_draws(), min_size=1, max_size=5)


@settings(deadline=None, max_examples=150)
@given(draws=some_episodes)
def test_agrees_with_the_plain_reference(tiny_world, plain, draws):
    walked, references, goals = walks(tiny_world, draws)
    columns = evaluate(make_episodes(tiny_world, references, goals), padded(walked))
    assert tuple(columns) == EVALUATED
    for row, episode in enumerate(zip(walked, references, goals, strict=True)):
        expected = plain_scores(*episode, plain)
        assert {name: column[row] for name, column in columns.items()} == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(draws=some_episodes)
def test_bounds(tiny_world, draws):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    columns = evaluate(episodes, padded(walked))
    for name in RATES:
        assert (columns[name] >= 0).all()
        assert (columns[name] <= 100 + 1e-9).all()
    assert (columns["SPL"] <= columns["SR"] + 1e-9).all()
    assert (columns["SR"] <= columns["OSR"]).all()
    assert (columns["SDTW"] <= columns["nDTW"]).all()
    from_start = metrics.goal_distance(tiny_world, padded([walk[:1] for walk in walked]), episodes.goals)[:, 0]
    assert columns["GP"] + columns["NE"] == pytest.approx(from_start, **EXACT)


@settings(deadline=None)
@given(draws=some_episodes)
def test_walking_the_reference_is_perfect_but_for_its_length(tiny_world, plain, draws):
    _, references, _ = walks(tiny_world, draws)
    columns = evaluate(make_episodes(tiny_world, references, [path[-1:] for path in references]), padded(references))
    assert (columns["NE"] == 0).all()
    for name in ("SR", "OSR", "nDTW", "SDTW", "CLS"):
        assert columns[name] == pytest.approx(np.full(len(references), 100.0), **EXACT)
    direct = np.array([plain[path[0], path[-1]] for path in references])
    assert columns["GP"] == pytest.approx(direct, abs=1e-9)
    assert columns["SPL"] * columns["TL"] == pytest.approx(100 * direct, abs=1e-6)


def test_references_of_r2r_are_shortest_paths_and_score_full_spl(tiny_r2r):
    means = summarize(evaluate(tiny_r2r, tiny_r2r.references))
    assert {name: means[name] for name in RATES} == pytest.approx(dict.fromkeys(RATES, 100.0))
    assert means["NE"] == 0
    assert means["TL"] == pytest.approx(means["GP"])


@settings(deadline=None)
@given(draws=st.lists(episode_draws(stays=False), min_size=1, max_size=4), repeats=st.integers(2, 3))
def test_staying_in_place_changes_nothing(tiny_world, draws, repeats):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    lingering = [[node for node in walk for _ in range(repeats)] for walk in walked]
    assert_same(evaluate(episodes, padded(lingering)), evaluate(episodes, padded(walked)))


@settings(deadline=None)
@given(draws=some_episodes, walk=st.integers(0, 3), reference=st.integers(0, 3), goal=st.integers(0, 3))
def test_padding_changes_nothing(tiny_world, draws, walk, reference, goal):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    wider = dataclasses.replace(
        episodes, references=widened(episodes.references, reference), goals=widened(episodes.goals, goal)
    )
    assert_same(evaluate(wider, widened(padded(walked), walk)), evaluate(episodes, padded(walked)))


@settings(deadline=None)
@given(draws=st.lists(episode_draws(), min_size=2, max_size=6), chunk=st.integers(1, 4), data=st.data())
def test_order_and_chunks_change_nothing(tiny_world, draws, chunk, data):
    walked, references, goals = walks(tiny_world, draws)
    episodes, nodes = make_episodes(tiny_world, references, goals), padded(walked)
    whole = evaluate(episodes, nodes)
    order = data.draw(st.permutations(range(len(draws))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "_CHUNK", chunk)
        shuffled = evaluate(episodes.select(order), nodes[order])
    assert_same(shuffled, {name: column[order] for name, column in whole.items()})


def test_trajectories_are_left_as_they_were(tiny_r2r):
    nodes = np.repeat(tiny_r2r.references, 2, axis=1)
    before = nodes.copy()
    evaluate(tiny_r2r, nodes)
    assert np.array_equal(nodes, before)


@settings(deadline=None)
@given(data=st.data(), episodes=st.integers(1, 4), steps=st.integers(1, 6), width=st.integers(1, 6))
def test_warping_row_by_row_equals_the_whole(data, episodes, steps, width):
    numbers = st.floats(0, 20, allow_nan=False)
    size = episodes * steps * width
    apart = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size))).reshape(episodes, steps, width)
    row, last = None, np.full(episodes, width)
    for step in range(steps):
        row = metrics.dynamic_time_warping_row(row, apart[:, step])
        whole = metrics.dynamic_time_warping(apart[:, : step + 1], np.full(episodes, step + 1), last)
        assert np.array_equal(row[:, -1], whole)
        for episode in range(episodes):
            table = dict(np.ndenumerate(apart[episode]))
            plain = plain_dtw(range(step + 1), range(width), table)
            assert whole[episode] == pytest.approx(plain)


def test_summary_is_the_mean():
    assert summarize({"NE": np.array([1.0, 2.0, 6.0])}) == {"NE": 3.0}


def widened(nodes, columns):
    return np.pad(nodes, ((0, 0), (0, columns)), constant_values=-1)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        assert found[name] == pytest.approx(column, rel=1e-12, abs=1e-12), name
