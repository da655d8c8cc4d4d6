"""How often a step and an update wait for a device: a GPU stands still each time the CPU asks it for a number."""

from collections import Counter

import pytest
import torch
from small_models import TEXTS, TINY, make_model, make_walk, words_of
from torch.utils._python_dispatch import TorchDispatchMode

from mtvm.models.packing import Packing

WAITING = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "unique")


class Counting(TorchDispatchMode):
    """Counts the operations whose result or shape the CPU must know before it goes on."""

    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        name = function.overloadpacket.__name__
        by_mask = name in ("index", "index_put_") and any(
            one is not None and one.dtype == torch.bool for one in arguments[1]
        )
        if name in WAITING or by_mask:
            self.counts[name] += 1
        return function(*arguments, **(named or {}))


def counted(work):
    with Counting() as counting:
        result = work()
    return result, counting.counts.total()


def test_counting_sees_what_waits():
    mask = torch.tensor([True, False])
    for work in (lambda: mask.sum().item(), lambda: bool(mask.all()), mask.nonzero, lambda: torch.ones(2)[mask]):
        assert counted(work)[1] > 0
    assert counted(lambda: torch.ones(2) * mask)[1] == 0


@pytest.mark.parametrize("full", [True, False])
def test_packing_waits_once(full):
    mask = torch.tensor([[True, True], [True, full]])
    assert counted(lambda: Packing(mask))[1] == 1


@pytest.mark.parametrize("history", ["memory", "cached"])
def test_step_waits_for_the_device_only_to_pack(history):
    """Once for the actions and once for the stream, whatever the number of layers; never to remember."""
    found = []
    for layers in (1, 3):
        model = make_model(history=history, crossmodal_layers=layers)
        moves = make_walk(TINY, steps=3)
        text = model.encode(words_of(TEXTS))
        past = model.start(text)
        for move in moves:
            step, waits = counted(lambda: model.step(text, past, move.actions, move.mask))  # noqa: B023
            past, remembering = counted(
                lambda: model.remember(past, step, move.chosen, move.direction)  # noqa: B023
            )
            found.append((waits, remembering))
    assert set(found) == {(2, 0)}


def test_leaving_episodes_behind_waits_twice():
    """For the longest text that is left, and to pack them."""
    model = make_model()
    text = model.encode(words_of(TEXTS))
    assert counted(lambda: text.keep(torch.tensor([0, 2])))[1] == 2
