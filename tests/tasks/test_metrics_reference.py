"""Metrics on random walks: against the formulas as they are written down, without arrays, and what must always hold."""

import dataclasses
import heapq
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.tasks import metrics
from mtvm.tasks.metric import NAVIGATION
from mtvm.tasks.metrics import score_trajectories
from mtvm.world.graph import SUFFIX
from small_worlds import make_episodes, padded

NAMES = tuple(metric.name for metric in NAVIGATION)

RATES = ("SR", "OSR", "SPL", "nDTW", "SDTW", "CLS")
EXACT = {"rel": 1e-12, "abs": 1e-12}


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


@st.composite
def long_draws(draw):
    """The same with walks of very different lengths."""
    start, _, reference, goals = draw(episode_draws())
    return start, draw(st.lists(st.integers(0, 10), max_size=draw(st.sampled_from([2, 20, 80])))), reference, goals


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


@settings(max_examples=150)
@given(draws=some_episodes)
def test_evaluate_agrees_with_the_plain_reference(tiny_world, plain, draws):
    walked, references, goals = walks(tiny_world, draws)
    columns = score_trajectories(make_episodes(tiny_world, references, goals), padded(walked))
    assert tuple(columns) == NAMES
    for row, episode in enumerate(zip(walked, references, goals, strict=True)):
        expected = plain_scores(*episode, plain)
        assert {name: column[row] for name, column in columns.items()} == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(draws=some_episodes)
def test_evaluate_keeps_metrics_within_their_bounds(tiny_world, draws):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    columns = score_trajectories(episodes, padded(walked))
    for name in RATES:
        assert (columns[name] >= 0).all()
        assert (columns[name] <= 100 + 1e-9).all()
    assert (columns["SPL"] <= columns["SR"] + 1e-9).all()
    assert (columns["SR"] <= columns["OSR"]).all()
    assert (columns["SDTW"] <= columns["nDTW"]).all()
    from_start = metrics.goal_distance(tiny_world, padded([walk[:1] for walk in walked]), episodes.goals)[:, 0]
    assert columns["GP"] + columns["NE"] == pytest.approx(from_start, **EXACT)


@given(draws=some_episodes)
def test_evaluate_of_the_reference_is_perfect_but_for_its_length(tiny_world, plain, draws):
    _, references, _ = walks(tiny_world, draws)
    columns = score_trajectories(
        make_episodes(tiny_world, references, [path[-1:] for path in references]), padded(references)
    )
    assert (columns["NE"] == 0).all()
    for name in ("SR", "OSR", "nDTW", "SDTW", "CLS"):
        assert columns[name] == pytest.approx(np.full(len(references), 100.0), **EXACT)
    direct = np.array([plain[path[0], path[-1]] for path in references])
    assert columns["GP"] == pytest.approx(direct, abs=1e-9)
    assert columns["SPL"] * columns["TL"] == pytest.approx(100 * direct, abs=1e-6)


@given(draws=st.lists(episode_draws(stays=False), min_size=1, max_size=4), repeats=st.integers(2, 3))
def test_evaluate_ignores_staying_in_place(tiny_world, draws, repeats):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    lingering = [[node for node in walk for _ in range(repeats)] for walk in walked]
    assert_same(score_trajectories(episodes, padded(lingering)), score_trajectories(episodes, padded(walked)))


@given(draws=some_episodes, walk=st.integers(0, 3), reference=st.integers(0, 3), goal=st.integers(0, 3))
def test_evaluate_ignores_padding(tiny_world, draws, walk, reference, goal):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    wider = dataclasses.replace(
        episodes, references=widened(episodes.references, reference), goals=widened(episodes.goals, goal)
    )
    assert_same(score_trajectories(wider, widened(padded(walked), walk)), score_trajectories(episodes, padded(walked)))


@given(draws=st.lists(episode_draws(), min_size=2, max_size=6), chunk=st.integers(1, 4), data=st.data())
def test_evaluate_does_not_depend_on_order_and_chunks(tiny_world, draws, chunk, data):
    walked, references, goals = walks(tiny_world, draws)
    episodes, nodes = make_episodes(tiny_world, references, goals), padded(walked)
    whole = score_trajectories(episodes, nodes)
    order = data.draw(st.permutations(range(len(draws))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "_EPISODES", chunk)
        shuffled = score_trajectories(episodes.select(order), nodes[order])
    assert_same(shuffled, {name: column[order] for name, column in whole.items()})


@given(data=st.data(), episodes=st.integers(1, 4), steps=st.integers(1, 6), width=st.integers(1, 6))
def test_dynamic_time_warping_row_by_row_equals_the_plain_table(data, episodes, steps, width):
    numbers = st.floats(0, 20, allow_nan=False)
    size = episodes * steps * width
    apart = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size))).reshape(episodes, steps, width)
    row = None
    for step in range(steps):
        row = metrics.dynamic_time_warping_row(row, apart[:, step])
        for episode in range(episodes):
            table = dict(np.ndenumerate(apart[episode]))
            assert row[episode, -1] == pytest.approx(plain_dtw(range(step + 1), range(width), table))


@given(draws=st.lists(long_draws(), min_size=1, max_size=4), cells=st.integers(1, 200), ragged=st.booleans())
def test_evaluate_in_blocks_of_steps_equals_all_steps_at_once(tiny_world, plain, draws, cells, ragged):
    walked, references, goals = walks(tiny_world, draws)
    episodes = make_episodes(tiny_world, references, goals)
    whole = score_trajectories(episodes, padded(walked))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "_CELLS", cells)
        blocks = score_trajectories(episodes, [np.array(walk) for walk in walked] if ragged else padded(walked))
    for name in ("NE", "SR", "OSR", "nDTW", "SDTW", "GP"):
        assert np.array_equal(blocks[name], whole[name]), name
    assert_same(blocks, whole)  # sums of lengths may be rounded in another order
    for row, episode in enumerate(zip(walked, references, goals, strict=True)):
        expected = plain_scores(*episode, plain)
        assert {name: column[row] for name, column in blocks.items()} == pytest.approx(expected, rel=1e-9, abs=1e-9)


def widened(nodes, columns):
    return np.pad(nodes, ((0, 0), (0, columns)), constant_values=-1)


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        assert found[name] == pytest.approx(column, rel=1e-12, abs=1e-12), name
