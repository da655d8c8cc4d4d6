"""Fair samples: every building in proportion, the same for the same seed."""

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.tasks.load import load_episodes
from mtvm.tasks.sampling import fair_sample


@pytest.fixture(scope="module")
def train(tiny_folder):
    """30 episodes of three buildings, which have different numbers of them."""
    episodes = load_episodes("r2r", "train", tiny_folder)
    return episodes.select(np.arange(30))


def buildings(episodes):
    scans, counts = np.unique([episode.scan for episode in episodes], return_counts=True)
    return dict(zip(scans.tolist(), counts.tolist(), strict=True))


def test_fair_sample_has_each_building_in_proportion(train):
    whole = buildings(train)
    for count in (1, 5, 10, 29, 30):
        for seed in range(5):
            sample = fair_sample(train, count, seed)
            assert len(set(sample.ids)) == count
            for scan, size in whole.items():
                assert abs(buildings(sample).get(scan, 0) - count * size / 30) < 1
            assert [train.ids.index(identity) for identity in sample.ids] == sorted(map(train.ids.index, sample.ids))


def test_fair_sample_is_drawn_by_its_seed(train):
    assert fair_sample(train, 10, 3).ids == fair_sample(train, 10, 3).ids
    assert len({tuple(fair_sample(train, 10, seed).ids) for seed in range(10)}) > 5
    drawn = {identity for seed in range(50) for identity in fair_sample(train, 10, seed).ids}
    assert drawn == set(train.ids), "every episode has a chance"


@pytest.mark.parametrize("count", [0, -1, 31])
def test_fair_sample_refuses_what_it_cannot_draw(train, count):
    with pytest.raises(InputError, match=f"a sample of r2r train can have 1 to 30 episodes, not {count}"):
        fair_sample(train, count)


def test_fair_sample_of_real_r2r_visits_all_buildings(real_data):
    episodes = load_episodes("r2r", "val_unseen", real_data)
    sample = fair_sample(episodes, 100)
    assert len(buildings(sample)) == len(buildings(episodes)) == 11
    first = episodes.select(np.arange(100))
    assert len(buildings(first)) < 11
