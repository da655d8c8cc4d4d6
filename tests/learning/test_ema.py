"""The exponential moving average of the weights, against values computed by hand."""

import pytest
import torch
from small_runs import SMALL, lively_model
from torch import nn

from mtvm.learning.ema import EMA
from mtvm.models.model import MTVM


def test_ema_is_the_one_computed_by_hand():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1.0)
    ema = EMA(model, 0.2)
    model.weight.data.fill_(3.0)
    ema.update(model)  # 2/11 is less than 0.2
    first = 2 / 11 * 1 + 9 / 11 * 3
    assert ema.weights["weight"].item() == pytest.approx(first)
    model.weight.data.fill_(-1.0)
    ema.update(model)  # 3/12 is more
    assert ema.weights["weight"].item() == pytest.approx(0.2 * first + 0.8 * -1)


def halved_model():
    """A model and the average of its weights and what they were before."""
    model = lively_model()
    ema = EMA(model, 0.9)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1 / 3)
    ema.update(model)
    return model, ema


def copies(tensors):
    return {name: value.detach().clone() for name, value in tensors.items()}


def test_ema_in_place_gives_the_averages_and_brings_every_bit_back():
    model, ema = halved_model()
    weights, averages = copies(model.state_dict()), copies(ema.weights)
    assert not torch.equal(weights["head.score.weight"], averages["head.score.weight"])
    with ema.in_place(model):
        assert all(torch.equal(dict(model.named_parameters())[name], value) for name, value in averages.items())
    assert all(torch.equal(model.state_dict()[name], value) for name, value in weights.items())
    assert all(torch.equal(ema.weights[name], value) for name, value in averages.items())


def test_ema_in_place_brings_the_weights_back_after_an_error():
    model, ema = halved_model()
    weights = copies(model.state_dict())
    with pytest.raises(KeyboardInterrupt), ema.in_place(model):
        raise KeyboardInterrupt
    assert all(torch.equal(model.state_dict()[name], value) for name, value in weights.items())


def test_ema_goes_on_from_its_state():
    model, ema = halved_model()
    other = EMA(model, 0.9)
    other.load_state_dict({"weights": copies(ema.weights), "updates": ema.updates})
    for one in (ema, other):
        one.update(model)
    assert ema.updates == other.updates == 2
    assert all(torch.equal(other.weights[name], value) for name, value in ema.weights.items())


def test_ema_leaves_frozen_weights_alone():
    model = MTVM(SMALL)
    model.language.freeze(1)
    ema = EMA(model, 0.9)
    assert not any(name.startswith("language.bert.embeddings") for name in ema.weights)
    assert ema.weights.keys() == {name for name, value in model.named_parameters() if value.requires_grad}
