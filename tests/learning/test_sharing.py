"""What the processes of a training share out: episodes by their cost, and the steps of Muon."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtvm.learning import optimizer, parallel


def as_each_of(size, monkeypatch, work):
    """What each of so many processes makes of some work."""
    found = []
    monkeypatch.setattr(parallel, "size", lambda: size)
    for rank in range(size):
        monkeypatch.setattr(parallel, "rank", lambda rank=rank: rank)
        found.append(work())
    return found


@given(costs=st.lists(st.integers(1, 30), min_size=1, max_size=40), size=st.integers(1, 5))
def test_every_row_is_one_process_s_and_the_costs_are_about_the_same(costs, size):
    rows = np.arange(100, 100 + len(costs))
    with pytest.MonkeyPatch.context() as patch:
        parts = as_each_of(size, patch, lambda: parallel.own_part(rows, np.array(costs)))
    assert sorted(np.concatenate(parts)) == rows.tolist()
    assert all(part.tolist() == sorted(part) for part in parts)
    sums = [sum(costs[row - 100] for row in part) for part in parts]
    assert max(sums) - min(sums) <= max(costs)


def test_shares_without_costs_are_runs_of_the_list(monkeypatch):
    parts = as_each_of(2, monkeypatch, lambda: parallel.own_part(np.arange(5)))
    assert [part.tolist() for part in parts] == [[0, 1, 2], [3, 4]]


def test_processes_compute_each_matrix_of_muon_once(monkeypatch):
    torch.manual_seed(0)
    stacks = [torch.randn(count, *shape) for count, shape in ((3, (8, 8)), (1, (8, 16)), (2, (24, 8)))]
    alone, computed = [optimizer.orthogonal(stack) for stack in stacks], []
    compute = optimizer.orthogonal

    def count(matrices):
        computed.append(len(matrices))
        return compute(matrices)

    monkeypatch.setattr(optimizer, "orthogonal", count)
    monkeypatch.setattr(parallel, "total", lambda values: values)
    shares = as_each_of(4, monkeypatch, lambda: optimizer._orthogonal_shared(stacks))
    assert sum(computed) == 6
    for number, steps in enumerate(alone):
        torch.testing.assert_close(sum(share[number] for share in shares), steps)


def test_what_the_texts_backward_pass_does_not_reach_is_known_before(monkeypatch):
    """Otherwise gradients would be summed while they still change, or sums would wait for the whole pass."""
    from mtvm.learning.texts import EncodedTexts

    reading, walking = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    frozen = torch.nn.Linear(4, 4).requires_grad_(False)
    texts = EncodedTexts.__new__(EncodedTexts)
    texts._computed = [frozen(reading(torch.ones(2, 4)))]
    assert texts.reached() == {reading.weight, reading.bias}
    assert walking.weight not in texts.reached()
