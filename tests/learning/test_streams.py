"""Random numbers by name, and whose turn it is."""

import itertools
from typing import get_args

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtvm.learning import parallel, streams
from mtvm.learning.streams import Batches, Stream
from mtvm.learning.update import ROLLOUTS

# Named streams

UPDATES, RANKS, KINDS = range(50), range(8), range(len(ROLLOUTS))
NUMBERS = {
    "order": [(dataset, epoch) for dataset in range(4) for epoch in UPDATES],
    "dropout": list(itertools.product(UPDATES, RANKS)),
    "actions": list(itertools.product(UPDATES, KINDS)),
    "words": [(update,) for update in UPDATES],
    "masks": list(itertools.product(UPDATES, KINDS)),
    "mirror": [(update,) for update in UPDATES],
    "turn": [(update,) for update in UPDATES],
    "environment": [(update,) for update in UPDATES],
}
"""What an update asks of each stream."""


def first_draw(stream, seed, *numbers):
    return tuple(streams.generator(stream, seed, *numbers).integers(2**63, size=2).tolist())


def test_streams_never_give_the_same_first_draw():
    assert set(NUMBERS) == set(get_args(Stream)), "a new stream: say here what is asked of it"
    found = {}
    for stream, every in NUMBERS.items():
        for seed, numbers in itertools.product(range(3), every):
            draw = first_draw(stream, seed, *numbers)
            assert draw not in found, f"{(stream, seed, *numbers)} and {found[draw]}"
            found[draw] = (stream, seed, *numbers)


def test_streams_of_a_students_actions_and_a_fourth_processs_dropout_differ():
    """They were one and the same when streams had numbers for names."""
    student = ROLLOUTS.index("student")
    for update in UPDATES:
        assert first_draw("actions", 0, update, student) != first_draw("dropout", 0, update, 3)
        every = [first_draw("dropout", 0, update, rank) for rank in RANKS]
        assert not {first_draw("actions", 0, update, kind) for kind in KINDS} & set(every)


def test_streams_do_not_collide_in_what_torch_is_seeded_with(monkeypatch):
    seeds = set()
    for rank in RANKS:
        monkeypatch.setattr(parallel, "rank", lambda rank=rank: rank)
        for seed, update in itertools.product(range(3), UPDATES):
            streams.seed_dropout(seed, update)
            seeds.add(torch.initial_seed())
    assert len(seeds) == 3 * len(UPDATES) * len(RANKS)


def test_streams_depend_on_nothing_but_their_names():
    assert torch.equal(streams.uniform((3, 2), "words", 0, 5), streams.uniform((3, 2), "words", 0, 5))
    assert not torch.equal(streams.uniform((3, 2), "words", 0, 5), streams.uniform((3, 2), "words", 0, 6))
    assert not torch.equal(streams.uniform((3, 2), "words", 0, 5), streams.uniform((3, 2), "mirror", 0, 5))
    numbers = streams.uniform((1000,), "actions", 1)
    assert bool(((numbers >= 0) & (numbers < 1)).all())
    assert 0.45 < float(numbers.mean()) < 0.55


def test_seed_dropout_gives_each_update_masks_of_its_own():
    streams.seed_dropout(3, 7)
    first = torch.rand(3)
    torch.rand(5)
    streams.seed_dropout(3, 7)
    assert torch.equal(torch.rand(3), first)
    streams.seed_dropout(3, 8)
    assert not torch.equal(torch.rand(3), first)


# Whose turn it is


def taken(batches, count):
    return [batches.next() for _ in range(count)]


def test_batches_of_equal_weights_alternate():
    batches = Batches([10, 10], [1.0, 1.0], 2, seed=0)
    assert [dataset for dataset, _ in taken(batches, 6)] == [0, 1] * 3


def test_batches_of_weight_three_are_three_of_four():
    datasets = [dataset for dataset, _ in taken(Batches([10, 10], [3.0, 1.0], 2, seed=0), 40)]
    for first in range(0, 40, 4):
        assert sorted(datasets[first : first + 4]) == [0, 0, 0, 1]


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=4), st.integers(1, 60))
def test_batches_of_a_dataset_are_never_one_ahead_of_its_due(weights, count):
    batches = Batches([7] * len(weights), weights, 3, seed=1)
    taken(batches, count)
    for weight, had in zip(weights, batches.taken, strict=True):
        assert had < count * weight / sum(weights) + 1 + 1e-6
    assert sum(batches.taken) == count


@given(st.integers(1, 12), st.integers(1, 15), st.integers(0, 99))
def test_batches_have_each_episode_once_an_epoch(size, batch, seed):
    rows = np.concatenate([rows for _, rows in taken(Batches([size], [1.0], batch, seed), 2 * size)])
    epochs = rows[: len(rows) // size * size].reshape(-1, size)
    assert (np.sort(epochs, axis=1) == np.arange(size)).all()


def test_batches_have_orders_of_their_own_by_epoch_and_seed():
    def order(seed):
        return [rows.tolist() for _, rows in taken(Batches([30], [1.0], 30, seed), 2)]

    assert order(0)[0] != order(0)[1]
    assert order(0) != order(1)
    assert order(0) == order(0)


@given(st.integers(0, 20), st.integers(0, 99))
def test_batches_go_on_from_what_was_taken(count, seed):
    sizes, weights = [5, 11], [2.0, 1.0]
    batches = Batches(sizes, weights, 4, seed)
    taken(batches, count)
    other = Batches(sizes, weights, 4, seed)
    other.taken = list(batches.taken)
    for (one, rows), (two, same) in zip(taken(batches, 5), taken(other, 5), strict=True):
        assert one == two
        assert rows.tolist() == same.tolist()
