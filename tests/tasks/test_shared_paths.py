"""Other episodes whose paths share a part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.tasks.shared_paths import SharedPaths
from mtvm.world.world import World
from small_worlds import lettered_episodes, make_graph

ROW = {letter: (2.0 * number, 0) for number, letter in enumerate("abcdefgh")}


@pytest.fixture(scope="module")
def episodes():
    """abc twice, bcd and cba share viewpoints with it; fgh shares none with any."""
    world = World([make_graph(ROW, ["ab", "bc", "cd", "de", "ef", "fg", "gh"])])
    return lettered_episodes(world, *((path, "") for path in ("abc", "abc", "bcd", "cba", "fgh")))


@given(draws=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_another_episode_shares_a_viewpoint_and_has_another_path(episodes, draws):
    others = SharedPaths(episodes).others(np.arange(5), np.tile(draws, (5, 1)))
    assert set(others[:2]) <= {2, 3}
    assert others[2] in (0, 1, 3)
    assert others[3] in (0, 1, 2)
    assert others[4] in (0, 1, 2, 3), "it shares nothing with any, so any other path will do"


def test_every_other_episode_is_drawn(episodes):
    draws = np.random.default_rng(0).random((400, 2))
    drawn = SharedPaths(episodes).others(np.full(400, 2), draws)
    assert set(drawn.tolist()) == {0, 1, 3}


def test_the_only_path_is_left_alone(episodes):
    alone = episodes.select(np.array([0, 1]))
    assert SharedPaths(alone).others(np.arange(2), np.full((2, 2), 0.5)).tolist() == [0, 1]


def test_nearly_all_paths_of_r2r_have_one_that_shares_a_part(real_data):
    from mtvm.tasks.data import DataFolder
    from mtvm.tasks.load import load_episodes

    train = load_episodes("r2r", "train", DataFolder(real_data))
    rows = np.arange(0, len(train), 7)
    others = SharedPaths(train).others(rows, np.random.default_rng(0).random((len(rows), 2)))
    shared = [
        len(set(train.references[one]) & set(train.references[other]) - {-1})
        for one, other in zip(rows, others, strict=True)
    ]
    assert np.mean(np.array(shared) > 0) > 0.99
    assert (SharedPaths(train).path[rows] != SharedPaths(train).path[others]).all()
