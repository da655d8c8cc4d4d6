"""The memory bank against plain lists of tokens, with and without gradients."""

import io
import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.models.memory import MemoryBank

torch.set_num_threads(1)

WIDTH = 3


def token(batch, number, grad=False):
    """A token whose every number is its own: episode * 1000 + step * 10 + place."""
    rows = 1000.0 * torch.arange(batch)[:, None] + 10 * number + torch.arange(WIDTH)
    return rows.requires_grad_(grad)


def filled(steps, batch=2, limit=None, grad=False):
    bank = MemoryBank(batch, WIDTH, limit)
    for number in range(steps):
        bank.append(token(batch, number, grad))
    return bank


def read(bank):
    """What each episode reads, in order."""
    return [rows[real].tolist() for rows, real in zip(bank.tokens().detach(), bank.mask(), strict=True)]


def pick(bits, batch):
    return torch.tensor([bool(bits >> row & 1) for row in range(batch)], dtype=torch.bool)


CHANGES = ["append", "some", "forget", "keep", "reorder", "save"]
OPERATIONS = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 15), st.booleans()), max_size=24)


@settings(deadline=None, max_examples=150)
@given(OPERATIONS, st.sampled_from([None, 0, 1, 3]))
def test_the_bank_is_a_list_of_lists(operations, limit):
    """Every way to change a bank does to it what it does to plain lists, whether or not its tokens carry gradients."""
    bank, lists = MemoryBank(4, WIDTH, limit), [[] for _ in range(4)]
    for number, (name, bits, grad) in enumerate(operations):
        chosen = pick(bits, len(lists))
        if name in ("append", "some"):
            new = token(len(lists), number, grad)
            bank.append(new, chosen if name == "some" else None)
            for row, past in enumerate(lists):
                if name == "append" or chosen[row]:
                    past.append(new[row].tolist())
        elif name == "forget":
            bank.forget(chosen)
            lists = [[] if gone else past for past, gone in zip(lists, chosen, strict=True)]
        elif name == "keep":
            bank, lists = bank.keep(chosen), [past for past, stays in zip(lists, chosen, strict=True) if stays]
        elif name == "reorder":
            order = torch.arange(len(lists)).roll(bits)
            bank, lists = bank.keep(order), [lists[row] for row in order]
        else:
            bank = MemoryBank.from_state_dict(bank.state_dict(), limit)
        last = [past if limit is None else past[len(past) - min(limit, len(past)) :] for past in lists]
        assert read(bank) == last
        assert bank.lengths().tolist() == [len(past) for past in last]
        assert bank.batch == len(lists)
        assert bank.tokens().shape[:2] == bank.mask().shape


@pytest.mark.parametrize("limit", [None, 2])
def test_tokens_are_the_same_with_and_without_gradients(limit):
    free, bound = filled(5, limit=limit), filled(5, limit=limit, grad=True)
    assert bound.tokens().requires_grad
    assert not free.tokens().requires_grad
    assert torch.equal(free.tokens(), bound.tokens())
    assert torch.equal(free.mask(), bound.mask())


def test_a_bank_that_begins_without_gradients_takes_tokens_with_them():
    bank = filled(3)
    last = token(2, 3, grad=True)
    bank.append(last)
    assert read(bank) == read(filled(4))
    bank.tokens().sum().backward()
    assert torch.equal(last.grad, torch.ones(2, WIDTH))


def test_a_new_bank_is_empty():
    bank = MemoryBank(3, WIDTH)
    assert bank.tokens().shape == (3, 0, WIDTH)
    assert bank.mask().shape == (3, 0)
    assert len(bank) == 0
    assert bank.lengths().tolist() == [0, 0, 0]


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_a_limit_is_the_full_bank_truncated(limit, grad):
    full, limited = MemoryBank(2, WIDTH), MemoryBank(2, WIDTH, limit)
    for number in range(6):
        for bank in (full, limited):
            bank.append(token(2, number, grad))
        first = max(number + 1 - limit, 0)
        assert torch.equal(limited.tokens(), full.tokens()[:, first:])
        assert limited.mask().all()
        assert limited.lengths().tolist() == [min(limit, number + 1)] * 2


@pytest.mark.parametrize("grad", [False, True])
def test_a_limit_counts_each_episodes_own_tokens(grad):
    """Episodes that rest while others walk keep their own last tokens."""
    bank = MemoryBank(3, WIDTH, limit=2)
    alive = [[1, 1, 1], [1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 0]]
    for number, row in enumerate(alive):
        bank.append(token(3, number, grad), torch.tensor(row, dtype=torch.bool))
    expected = [[0, 3, 4], [1, 0, 3], [2, 0, 1]]
    assert read(bank) == [[token(3, number)[row].tolist() for number in (a, b)] for row, a, b in expected]


@pytest.mark.parametrize("grad", [False, True])
def test_a_limited_bank_lets_go_of_what_nobody_reads(grad):
    bank, full = filled(500, limit=3, grad=grad), filled(500, grad=grad)
    assert bank.state_dict()["tokens"].shape[1] <= 32
    assert len(bank) == 500
    assert torch.equal(bank.tokens(), full.tokens()[:, -3:])


def test_alive_may_be_zeros_and_ones():
    bank = MemoryBank(2, WIDTH)
    bank.append(token(2, 0), torch.tensor([1, 0]))
    assert bank.mask().dtype == torch.bool
    assert read(bank) == [[token(2, 0)[0].tolist()], []]


def test_a_limit_bounds_what_is_read_when_episodes_start_anew():
    """A server whose agents start again and again reads the last tokens only, not all since it was switched on."""
    bank = MemoryBank(2, WIDTH, limit=2)
    for number in range(40):
        if number % 3 == 0:
            bank.forget(torch.tensor([number % 2]))
        bank.append(token(2, number))
    assert bank.tokens().shape[1] == 2
    assert bank.lengths().tolist() == [2, 1]


@torch.no_grad()
def test_appending_without_gradients_never_copies_the_bank():
    bank = MemoryBank(2, WIDTH)
    places = []
    for number in range(100):
        bank.append(token(2, number))
        places.append(bank.tokens().data_ptr())
    moves = [number for number in range(1, 100) if places[number] != places[number - 1]]
    assert len(moves) <= 4, f"the bank moved at {moves}"
    assert all(later >= 2 * earlier for earlier, later in itertools.pairwise(moves))
    assert read(bank) == read(filled(100))


def test_gradients_reach_every_step():
    bank, steps = MemoryBank(2, WIDTH), [token(2, number, grad=True) for number in range(4)]
    for step in steps:
        bank.append(step)
    weights = torch.randn(2, 4, WIDTH)
    (bank.tokens() * weights).sum().backward()
    for number, step in enumerate(steps):
        assert torch.equal(step.grad, weights[:, number])


def test_gradients_pass_through_keep():
    first = token(3, 0, grad=True)
    bank = MemoryBank(3, WIDTH)
    bank.append(first)
    bank.keep(torch.tensor([2, 0])).tokens().sum().backward()
    assert first.grad[:, 0].tolist() == [1, 0, 1]


def test_beyond_the_limit_no_gradient_flows():
    steps = [token(1, number, grad=True) for number in range(3)]
    bank = MemoryBank(1, WIDTH, limit=2)
    for step in steps:
        bank.append(step)
    bank.tokens().sum().backward()
    assert steps[0].grad is None
    assert steps[1].grad is not None


def test_what_was_read_can_still_be_differentiated_after_the_next_step():
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


def test_detach_gives_the_same_tokens_without_gradients():
    bank = filled(3, grad=True)
    apart = bank.detach()
    assert not apart.tokens().requires_grad
    assert torch.equal(apart.tokens(), bank.tokens())
    apart.append(token(2, 3))
    assert (len(apart), len(bank)) == (4, 3)
    assert bank.tokens().requires_grad


@pytest.mark.parametrize("grad", [False, True])
def test_a_kept_bank_and_its_origin_go_separate_ways(grad):
    origin = filled(2, batch=3, grad=grad)
    before = read(origin)
    kept = origin.keep(torch.tensor([True, False, True]))
    kept.append(torch.full((2, WIDTH), -1.0))
    kept.forget(torch.tensor([0]))
    assert read(origin) == before
    origin.append(torch.full((3, WIDTH), -2.0))
    assert read(kept) == [[], [*before[2], [-1.0] * WIDTH]]


def test_forgetting_empties_only_the_episodes_that_start_anew():
    bank = filled(3)
    other = read(bank)[1]
    bank.forget(torch.tensor([0]))
    assert read(bank) == [[], other]
    bank.append(token(2, 7))
    assert read(bank) == [[token(2, 7)[0].tolist()], [*other, token(2, 7)[1].tolist()]]


@pytest.mark.parametrize("grad", [False, True])
def test_a_saved_bank_goes_on_where_it_was(grad):
    bank = filled(20, limit=3, grad=grad)
    bank.forget(torch.tensor([1]))
    bank.append(token(2, 20, grad))
    file = io.BytesIO()
    torch.save(bank.state_dict(), file)
    file.seek(0)
    restored = MemoryBank.from_state_dict(torch.load(file, weights_only=True), limit=3)
    assert not restored.tokens().requires_grad
    for number in range(21, 25):
        assert read(restored) == read(bank)
        for one in (bank, restored):
            one.append(token(2, number))
    assert read(restored) == read(bank)


def test_a_saved_state_does_not_change_with_the_bank():
    bank = filled(2)
    state = bank.state_dict()
    bank.append(token(2, 2))
    bank.forget(torch.tensor([0, 1]))
    assert read(MemoryBank.from_state_dict(state)) == read(filled(2))


@pytest.mark.parametrize("shape", [(2, WIDTH + 1), (3, WIDTH), (WIDTH,), (2, 1, WIDTH)])
def test_a_token_of_another_shape_is_refused(shape):
    bank = filled(1)
    with pytest.raises(ValueError, match="each of 2 episodes"):
        bank.append(torch.zeros(shape))
    assert len(bank) == 1


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("limit", [None, 2])
def test_the_latest_tokens(grad, limit):
    bank = MemoryBank(2, WIDTH, limit)
    weights = torch.ones(WIDTH, 1, requires_grad=True)
    loss = torch.zeros(())
    for number in range(40):
        bank.append(token(2, number, grad))
        for age in range(1, min(number + 1, 2) + 1):
            assert torch.equal(bank.latest(age), bank.tokens()[:, -age])
        loss = loss + (bank.latest() @ weights).sum()
    loss.backward()  # although the bank has grown since
    assert torch.equal(weights.grad[:, 0], sum(token(2, number).sum(dim=0) for number in range(40)))
