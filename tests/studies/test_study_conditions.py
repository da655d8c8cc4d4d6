"""What is changed after training: words, graphs, sight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.studies import conditions
from mtvm.studies.conditions import CONDITIONS, MEANINGS, change
from mtvm.tasks.load import load_episodes
from small_worlds import both_ways, make_records

TEXT = "Turn left at the kitchen. Go up the stairs, then right. Wait by the sofa."


def rng():
    return np.random.default_rng(0)


def test_fewer_words_keep_their_order():
    kept = conditions.fewer_words(TEXT, rng()).split()
    rest = iter(TEXT.split())
    assert all(word in rest for word in kept)
    assert 0 < len(kept) < len(TEXT.split())


def test_a_single_word_is_never_lost():
    assert all(conditions.fewer_words("Stop", np.random.default_rng(seed)) == "Stop" for seed in range(10))


@given(text=st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=60), seed=st.integers(0, 50))
def test_typos_swap_letters_and_neither_add_nor_lose_any(text, seed):
    found = conditions.with_typos(text, np.random.default_rng(seed))
    assert [sorted(word) for word in found.split()] == [sorted(word) for word in text.split()]


def test_typos_happen():
    assert conditions.with_typos(TEXT * 5, rng()) != " ".join((TEXT * 5).split())


def test_underspecified_is_the_last_sentence():
    assert conditions.only_the_end(TEXT, rng()) == "Wait by the sofa."


def test_contradictory_exchanges_directions_and_nothing_else():
    found = conditions.contradicted("Left, then right; go UP the stairs, not upright.", rng())
    assert found == "Right, then left; go Down the stairs, not upright."
    assert conditions.contradicted(conditions.contradicted(TEXT, rng()), rng()) == TEXT


@given(seed=st.integers(0, 30))
@settings(max_examples=20)
def test_lost_edges_leave_the_building_connected(seed):
    names = [f"v{i}" for i in range(12)]
    draw = np.random.default_rng(seed)
    edges = [(names[i], names[i + 1]) for i in range(11)]
    edges += [(a, b) for a in names for b in names if a < b and draw.random() < 0.4]
    records = make_records({name: (i, 0) for i, name in enumerate(names)}, both_ways(edges))
    before = np.array([record["unobstructed"] for record in records])
    after = np.array([record["unobstructed"] for record in conditions.without_edges(records, draw)])
    assert not (after & ~before).any()
    assert (after == after.T).all()
    assert connected_components(after)[0] == 1
    assert after.sum() < before.sum()


@pytest.fixture
def unseen(tiny_folder):
    return load_episodes("r2r", "val_unseen", tiny_folder)


@pytest.mark.parametrize("name", [name for name in CONDITIONS if name != "noise on sight"])
def test_a_condition_keeps_ids_and_starts(name, unseen, tiny_folder, tmp_path):
    made = change(name, unseen, DataConfig(folder=tiny_folder, sight="blind"), None, tmp_path / "made")
    task, _, path = made.split.partition("/")
    found = load_episodes(task, path, made.data.folder)
    assert found.ids == unseen.ids
    names = found.world.viewpoints[found.starts]
    assert names.tolist() == unseen.world.viewpoints[unseen.starts].tolist()
    assert (found.texts != unseen.texts) == (name in ("fewer words", "typos", "underspecified", "contradictory"))


def test_missing_candidates_are_missing(unseen, tiny_folder, tmp_path):
    made = change("missing candidates", unseen, DataConfig(folder=tiny_folder, sight="blind"), None, tmp_path / "made")
    task, _, path = made.split.partition("/")
    assert load_episodes(task, path, made.data.folder).world.degree.sum() < unseen.world.degree.sum()


def test_noise_changes_sight_of_the_same_viewpoints(unseen, tiny_folder, tmp_path):
    world = unseen.world
    views = ((world.scan(n), str(world.viewpoints[n]), np.ones((36, 4)) * np.arange(4)) for n in range(len(world)))
    store = FeatureStore.write(tmp_path / "store", views, source="made", source_format="test")
    made = change("noise on sight", unseen, DataConfig(folder=tiny_folder), store, tmp_path / "made")
    noisy = FeatureStore.open(made.data.features)
    scans = [world.scan(node) for node in range(len(world))]
    before, after = (one.panorama(one.rows(scans, world.viewpoints.tolist())) for one in (store, noisy))
    apart = (after.astype(float) - before).std()
    assert apart == pytest.approx(before.astype(float).std(), rel=0.05)


def test_the_same_seed_makes_the_same_change(unseen, tiny_folder, tmp_path):
    data = DataConfig(folder=tiny_folder, sight="blind")
    made = [change("typos", unseen, data, None, tmp_path / name).split.partition("/")[2] for name in "ab"]
    texts = [load_episodes("r2r", path, tiny_folder).texts for path in made]
    assert texts[0] == texts[1]


def test_an_unknown_condition_is_refused(unseen, tiny_folder, tmp_path):
    with pytest.raises(InputError, match="there is no condition 'fog'"):
        change("fog", unseen, DataConfig(folder=tiny_folder), None, tmp_path)


def test_noise_for_the_blind_is_refused(unseen, tiny_folder, tmp_path):
    with pytest.raises(InputError, match="blind"):
        change("noise on sight", unseen, DataConfig(folder=tiny_folder), None, tmp_path / "made")


def test_every_condition_is_explained():
    assert CONDITIONS.keys() == MEANINGS.keys()
