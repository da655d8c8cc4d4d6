"""Rates, Muon and the running mean of the weights, against values computed by hand."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import SMALL, STEADY, lively_model
from torch import nn

from mtvm.config import OptimizerConfig
from mtvm.learning.optimizing import Muon, RunningMean, make_optimizer, orthogonal, rate_at, set_rate
from mtvm.models.model import MTVM

# The learning rate


def rates(updates, **config):
    options = OptimizerConfig(updates=updates, **config)
    return [rate_at(update, options) for update in range(updates)]


def test_a_constant_rate_stays():
    assert rates(4, rate=0.5) == [0.5] * 4


def test_a_linear_rate_falls_to_nothing():
    assert rates(4, rate=0.4, schedule="linear") == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_a_cosine_rate_falls_along_half_a_wave():
    half = math.sqrt(0.5)
    expected = [0.2, 0.1 * (1 + half), 0.1, 0.1 * (1 - half)]
    assert rates(4, rate=0.2, schedule="cosine") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("schedule", "after"), [("constant", [0.4, 0.4]), ("linear", [0.4, 0.2]), ("cosine", [0.4, 0.2])]
)
def test_the_rate_warms_up_before_its_schedule_begins(schedule, after):
    found = rates(6, rate=0.4, warmup=4, schedule=schedule)
    assert found == pytest.approx([0.1, 0.2, 0.3, 0.4, *after])


@given(
    st.integers(1, 50),
    st.integers(0, 60),
    st.floats(1e-6, 0.5),
    st.sampled_from(["constant", "linear", "cosine"]),
    st.integers(0, 200),
)
def test_the_rate_never_leaves_its_bounds(updates, warmup, rate, schedule, update):
    config = OptimizerConfig(updates=updates, warmup=warmup, rate=rate, schedule=schedule)
    assert 0 <= rate_at(update, config) <= rate * (1 + 1e-9)


def test_the_language_encoder_has_a_rate_of_its_own():
    model = MTVM(SMALL)
    optimizer = make_optimizer(model, OptimizerConfig(language_rate=0.25))
    set_rate(optimizer, 0.4)
    by_parameter = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    assert len(by_parameter) == len(list(model.parameters()))
    for name, parameter in model.named_parameters():
        assert by_parameter[id(parameter)] == pytest.approx(0.1 if name.startswith("language.") else 0.4)


# Muon


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.floats(1e-6, 1e6), st.integers(0, 2**31))
def test_orthogonal_keeps_singular_vectors_and_evens_their_values(rows, columns, scale, seed):
    """Of matrices that are well away from singular ones."""
    generator = torch.Generator().manual_seed(seed)
    least = min(rows, columns)
    left, _ = torch.linalg.qr(torch.randn(2, rows, least, generator=generator, dtype=torch.float64))
    right, _ = torch.linalg.qr(torch.randn(2, columns, least, generator=generator, dtype=torch.float64))
    values = 0.1 + torch.rand(2, least, generator=generator, dtype=torch.float64)
    found = orthogonal(scale * (left * values[:, None]) @ right.mT)
    inner = left.mT @ found @ right
    evened = inner.diagonal(dim1=1, dim2=2)
    assert ((evened > 0.6) & (evened < 1.3)).all()
    torch.testing.assert_close(inner, torch.diag_embed(evened), atol=1e-9, rtol=0)
    torch.testing.assert_close(left @ inner @ right.mT, found, atol=1e-9, rtol=0)


def test_orthogonal_takes_zeros():
    assert (orthogonal(torch.zeros(2, 3, 4)) == 0).all()


def test_muon_by_hand():
    """Two steps of two matrices in one parameter, from the definition, with an exact singular value decomposition; the
    iterations come within 0.32 of its singular values."""
    torch.manual_seed(0)
    weight = nn.Parameter(torch.randn(8, 4))
    start, gradients = weight.detach().clone(), [torch.randn(8, 4), torch.randn(8, 4)]
    optimizer = Muon([{"params": [weight], "pieces": 2}], lr=0.1, weight_decay=0.5, fused=True)
    momentum, expected, most = torch.zeros(8, 4), start.clone(), 0.0
    for gradient in gradients:
        weight.grad = gradient.clone()
        optimizer.step()
        momentum = 0.95 * momentum + 0.05 * gradient
        ahead = 0.05 * gradient + 0.95 * momentum
        for part in (slice(0, 4), slice(4, 8)):
            u, _, vh = torch.linalg.svd(ahead[part])
            expected[part] = expected[part] * (1 - 0.1 * 0.5) - 0.1 * 0.2 * math.sqrt(4) * u @ vh
        most += 0.32 * 0.1 * 0.2 * math.sqrt(4)
        for part in (slice(0, 4), slice(4, 8)):
            assert torch.linalg.matrix_norm(weight.detach()[part] - expected[part], ord=2) < most
    assert (weight.detach() - start).norm() > 0.1


def test_muon_takes_the_matrices_and_leaves_the_rest_to_adamw():
    models = [lively_model(config=STEADY) for _ in range(2)]
    kinds = [make_optimizer(m, OptimizerConfig(kind=k)) for m, k in zip(models, ("muon", "adamw"), strict=True)]
    for model, optimizer in zip(models, kinds, strict=True):
        generator = torch.Generator().manual_seed(1)
        for parameter in model.parameters():
            parameter.grad = torch.randn(parameter.shape, generator=generator)
        set_rate(optimizer, 0.01)
        optimizer.step()
    before = lively_model(config=STEADY)
    linear = {f"{name}.weight" for name, module in before.named_modules() if isinstance(module, nn.Linear)}
    ours, theirs, old = (dict(model.named_parameters()) for model in (*models, before))
    for name, value in ours.items():
        assert not torch.equal(value, old[name]), name
        by_muon = name in linear and len(value) > 1
        assert torch.equal(value, theirs[name]) != by_muon, name
        if by_muon:  # its steps are about as long as AdamW's
            lengths = [(one[name] - old[name]).norm().item() for one in (ours, theirs)]
            assert 0.1 < lengths[0] / lengths[1] < 0.4, name


def test_muon_goes_on_from_its_state():
    def steps(optimizer, model, seeds):
        for seed in seeds:
            generator = torch.Generator().manual_seed(seed)
            for parameter in model.parameters():
                parameter.grad = torch.randn(parameter.shape, generator=generator)
            optimizer.step()

    config = OptimizerConfig(kind="muon", rate=0.01)
    whole, halves = lively_model(), lively_model()
    steps(make_optimizer(whole, config), whole, range(4))
    first = make_optimizer(halves, config)
    steps(first, halves, range(2))
    second = make_optimizer(halves, config)
    second.load_state_dict(first.state_dict())
    steps(second, halves, range(2, 4))
    for one, other in zip(whole.parameters(), halves.parameters(), strict=True):
        assert torch.equal(one, other)


# The running mean


def test_the_running_mean_by_hand():
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1.0)
    mean = RunningMean(model, 0.2)
    model.weight.data.fill_(3.0)
    mean.update(model)  # 2/11 is less than 0.2
    first = 2 / 11 * 1 + 9 / 11 * 3
    assert mean.weights["weight"].item() == pytest.approx(first)
    model.weight.data.fill_(-1.0)
    mean.update(model)  # 3/12 is more
    assert mean.weights["weight"].item() == pytest.approx(0.2 * first + 0.8 * -1)


def test_swapping_the_running_mean_twice_changes_no_bit():
    model = lively_model()
    mean = RunningMean(model, 0.9)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1 / 3)
    mean.update(model)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    means = {name: value.clone() for name, value in mean.weights.items()}
    mean.swap(model)
    assert all(torch.equal(dict(model.named_parameters())[name], value) for name, value in means.items())
    mean.swap(model)
    assert all(torch.equal(model.state_dict()[name], value) for name, value in weights.items())
    assert all(torch.equal(mean.weights[name], value) for name, value in means.items())


def test_the_running_mean_leaves_frozen_weights_alone():
    model = MTVM(SMALL)
    model.language.freeze(1)
    mean = RunningMean(model, 0.9)
    assert not any(name.startswith("language.bert.embeddings") for name in mean.weights)
    assert mean.weights.keys() == {name for name, value in model.named_parameters() if value.requires_grad}
