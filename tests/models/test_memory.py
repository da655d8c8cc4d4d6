"""The memory bank against plain lists of tokens, with and without gradients."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.models.memory import MemoryBank

torch.set_num_threads(1)

WIDTH = 3


def token(batch, number, grad=False):
    """A token whose every number is its own: episode * 1000 + step * 10 + column."""
    rows = 1000.0 * torch.arange(batch)[:, None] + 10 * number + torch.arange(WIDTH)
    return rows.requires_grad_(grad)


def filled(steps, batch=2, limit=None, grad=False):
    bank = MemoryBank(batch, WIDTH, limit)
    for number in range(steps):
        bank.append(token(batch, number, grad))
    return bank


def read(bank):
    return bank.tokens().detach().tolist()


CHANGES = st.lists(st.tuples(st.sampled_from(["append", "keep", "reorder"]), st.integers(0, 15), st.booleans()))


@settings(max_examples=150)
@given(CHANGES, st.sampled_from([None, 0, 1, 3]))
def test_memory_bank_is_a_list_of_tokens_per_episode(changes, limit):
    """Every way to change a bank does to it what it does to plain lists, whether or not its tokens carry gradients."""
    bank, lists = MemoryBank(4, WIDTH, limit), [[] for _ in range(4)]
    for number, (name, bits, grad) in enumerate(changes):
        if name == "append":
            new = token(len(lists), number, grad)
            bank.append(new)
            for row, past in enumerate(lists):
                past.append(new[row].tolist())
        elif name == "keep":
            chosen = torch.tensor([bool(bits >> row & 1) for row in range(len(lists))], dtype=torch.bool)
            bank, lists = bank.keep(chosen), [past for past, stays in zip(lists, chosen, strict=True) if stays]
        else:
            order = torch.arange(len(lists)).roll(bits)
            bank, lists = bank.keep(order), [lists[row] for row in order]
        last = [past if limit is None else past[len(past) - min(limit, len(past)) :] for past in lists]
        assert read(bank) == last
        assert bank.batch == len(lists)
        assert all(len(bank) == len(past) for past in lists)


@pytest.mark.parametrize("limit", [None, 2])
def test_memory_bank_tokens_are_the_same_with_and_without_gradients(limit):
    free, bound = filled(5, limit=limit), filled(5, limit=limit, grad=True)
    assert bound.tokens().requires_grad
    assert not free.tokens().requires_grad
    assert torch.equal(free.tokens(), bound.tokens())


def test_memory_bank_without_gradients_takes_tokens_with_them():
    bank = filled(3)
    last = token(2, 3, grad=True)
    bank.append(last)
    assert read(bank) == read(filled(4))
    bank.tokens().sum().backward()
    assert torch.equal(last.grad, torch.ones(2, WIDTH))


def test_memory_bank_begins_empty():
    bank = MemoryBank(3, WIDTH)
    assert bank.tokens().shape == (3, 0, WIDTH)
    assert bank.latest(2) == []
    assert len(bank) == 0


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_memory_bank_limit_keeps_last_tokens(limit, grad):
    full, limited = MemoryBank(2, WIDTH), MemoryBank(2, WIDTH, limit)
    for number in range(6):
        for bank in (full, limited):
            bank.append(token(2, number, grad))
        first = max(number + 1 - limit, 0)
        assert torch.equal(limited.tokens(), full.tokens()[:, first:])


@pytest.mark.parametrize("grad", [False, True])
def test_memory_bank_limit_frees_older_tokens(grad):
    bank = filled(500, limit=3, grad=grad)
    assert bank._buffer.shape[1] + len(bank._pieces) <= 64
    assert len(bank) == 500
    assert torch.equal(bank.tokens(), filled(500, grad=grad).tokens()[:, -3:])


@torch.no_grad()
def test_memory_bank_append_copies_only_when_the_buffer_doubles():
    bank = MemoryBank(2, WIDTH)
    addresses = []
    for number in range(100):
        bank.append(token(2, number))
        addresses.append(bank.tokens().data_ptr())
    moves = [number for number in range(1, 100) if addresses[number] != addresses[number - 1]]
    assert len(moves) <= 4, f"the bank moved at {moves}"
    assert all(later >= 2 * earlier for earlier, later in itertools.pairwise(moves))
    assert read(bank) == read(filled(100))


def test_memory_bank_keeps_tokens_with_gradients_uncopied():
    tokens = [token(2, number, grad=True) for number in range(4)]
    bank = MemoryBank(2, WIDTH)
    for one in tokens:
        bank.append(one)
    assert all(kept is one for kept, one in zip(bank.latest(4), tokens, strict=True))


def test_memory_bank_gradients_reach_every_step():
    bank, steps = MemoryBank(2, WIDTH), [token(2, number, grad=True) for number in range(4)]
    for step in steps:
        bank.append(step)
    weights = torch.randn(2, 4, WIDTH)
    (bank.tokens() * weights).sum().backward()
    for number, step in enumerate(steps):
        assert torch.equal(step.grad, weights[:, number])


def test_memory_bank_gradients_pass_through_keep():
    first = token(3, 0, grad=True)
    bank = MemoryBank(3, WIDTH)
    bank.append(first)
    bank.keep(torch.tensor([2, 0])).tokens().sum().backward()
    assert first.grad[:, 0].tolist() == [1, 0, 1]


def test_memory_bank_gradients_end_at_the_limit():
    steps = [token(1, number, grad=True) for number in range(3)]
    bank = MemoryBank(1, WIDTH, limit=2)
    for step in steps:
        bank.append(step)
    bank.tokens().sum().backward()
    assert steps[0].grad is None
    assert steps[1].grad is not None


def test_memory_bank_tokens_stay_differentiable_after_later_appends():
    """A step's weights get their gradient from tokens that carry none, although the bank has grown meanwhile."""
    bank = MemoryBank(1, WIDTH)
    weights = torch.ones(WIDTH, 1, requires_grad=True)
    loss = torch.zeros(())
    for number in range(3):
        bank.append(token(1, number))
        loss = loss + (bank.tokens() @ weights).sum()
    loss.backward()
    expected = sum(token(1, number)[0] * (3 - number) for number in range(3))
    assert torch.equal(weights.grad[:, 0], expected)


@pytest.mark.parametrize("grad", [False, True])
def test_memory_bank_keep_leaves_the_original_alone(grad):
    origin = filled(2, batch=3, grad=grad)
    before = read(origin)
    kept = origin.keep(torch.tensor([True, False, True]))
    kept.append(torch.full((2, WIDTH), -1.0))
    assert read(origin) == before
    origin.append(torch.full((3, WIDTH), -2.0))
    assert read(kept) == [[*before[row], [-1.0] * WIDTH] for row in (0, 2)]


@pytest.mark.parametrize("shape", [(2, WIDTH + 1), (3, WIDTH), (WIDTH,), (2, 1, WIDTH)])
def test_memory_bank_append_refuses_other_shapes(shape):
    bank = filled(1)
    with pytest.raises(ValueError, match="each of 2 episodes"):
        bank.append(torch.zeros(shape))
    assert len(bank) == 1


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("limit", [None, 2])
def test_memory_bank_latest_is_the_end_of_tokens(grad, limit):
    bank = MemoryBank(2, WIDTH, limit)
    weights = torch.ones(WIDTH, 1, requires_grad=True)
    loss = torch.zeros(())
    for number in range(40):
        bank.append(token(2, number, grad))
        for count in range(4):
            expected = bank.tokens()[:, max(bank.tokens().shape[1] - count, 0) :].unbind(1)
            found = bank.latest(count)
            assert len(found) == len(expected)
            assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
        loss = loss + (bank.latest(1)[0] @ weights).sum()
    loss.backward()  # although the bank has grown since
    assert torch.equal(weights.grad[:, 0], sum(token(2, number).sum(dim=0) for number in range(40)))
