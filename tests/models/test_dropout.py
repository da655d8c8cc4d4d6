"""Our dropout has torch's meaning: the rate, the mean, the gradient, and nothing in evaluation."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.models.dropout import Dropout, dropout


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.5, 0.9])
def test_dropout_zeroes_at_the_rate_and_keeps_the_mean(rate):
    torch.manual_seed(0)
    count = 200_000
    kept = dropout(torch.ones(count), rate)
    deviation = (rate * (1 - rate) / count) ** 0.5
    assert abs(float((kept == 0).float().mean()) - rate) < 4 * deviation + 1 / 65536
    assert kept.max().item() == pytest.approx(1 / (1 - rate), rel=1e-3)
    assert abs(float(kept.mean()) - 1) < 4 * deviation / (1 - rate)


def test_dropout_of_neighbours_is_independent():
    """Four elements share one random number; none of their bits do."""
    torch.manual_seed(0)
    fallen = (dropout(torch.ones(400_000), 0.5) == 0).float().view(-1, 4)
    expected = torch.full((4, 4), 0.25).fill_diagonal_(0.5)
    torch.testing.assert_close(fallen.T @ fallen / len(fallen), expected, atol=0.01, rtol=0)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.integers(0, 1000))
@settings(max_examples=20)
def test_dropout_gradient_passes_where_the_value_did(shape, seed):
    torch.manual_seed(seed)
    values = torch.randn(shape).transpose(0, -1).requires_grad_()
    kept = dropout(values, 0.3)
    kept.sum().backward()
    assert values.grad is not None
    torch.testing.assert_close(kept.detach(), values.detach() * values.grad)


def test_dropout_follows_the_seed():
    def draw(seed):
        torch.manual_seed(seed)
        return dropout(torch.ones(1000), 0.5)

    assert torch.equal(draw(1), draw(1))
    assert not torch.equal(draw(1), draw(2))


def test_dropout_in_evaluation_or_at_rate_zero_changes_nothing():
    values = torch.randn(7)
    assert Dropout(0.5).eval()(values) is values
    assert dropout(values, 0.0) is values
