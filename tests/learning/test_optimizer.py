"""Learning rates, AdamW and Muon, against values computed by hand."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_runs import SMALL, STEADY, lively_model
from torch import nn

from mtvm.configs.run import OptimizerConfig
from mtvm.learning.optimizer import Muon, lr_at, make_optimizer, orthogonal, set_lr
from mtvm.models.model import MTVM
from mtvm.models.text import tokenize

# The learning rate


def lrs(updates, **config):
    options = OptimizerConfig(updates=updates, **config)
    return [lr_at(update, options) for update in range(updates)]


def test_lr_of_a_constant_schedule_stays():
    assert lrs(4, lr=0.5) == [0.5] * 4


def test_lr_of_a_linear_schedule_falls_to_nothing():
    assert lrs(4, lr=0.4, schedule="linear") == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_lr_of_a_cosine_schedule_falls_along_half_a_wave():
    half = math.sqrt(0.5)
    expected = [0.2, 0.1 * (1 + half), 0.1, 0.1 * (1 - half)]
    assert lrs(4, lr=0.2, schedule="cosine") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("schedule", "after"), [("constant", [0.4, 0.4]), ("linear", [0.4, 0.2]), ("cosine", [0.4, 0.2])]
)
def test_lr_warms_up_before_its_schedule_begins(schedule, after):
    found = lrs(6, lr=0.4, warmup=4, schedule=schedule)
    assert found == pytest.approx([0.1, 0.2, 0.3, 0.4, *after])


@given(
    st.integers(1, 50),
    st.integers(0, 60),
    st.floats(1e-6, 0.5),
    st.sampled_from(["constant", "linear", "cosine"]),
    st.integers(0, 200),
)
def test_lr_never_leaves_its_bounds(updates, warmup, lr, schedule, update):
    config = OptimizerConfig(updates=updates, warmup=warmup, lr=lr, schedule=schedule)
    assert 0 <= lr_at(update, config) <= lr * (1 + 1e-9)


def test_set_lr_gives_the_language_encoder_a_rate_of_its_own():
    model = MTVM(SMALL)
    optimizer = make_optimizer(model, OptimizerConfig(language_lr=0.25))
    set_lr(optimizer, 0.4)
    by_parameter = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    assert len(by_parameter) == len(list(model.parameters()))
    for name, parameter in model.named_parameters():
        assert by_parameter[id(parameter)] == pytest.approx(0.1 if name.startswith("language.") else 0.4)


# Muon


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


def test_muon_steps_are_those_computed_by_hand():
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
        set_lr(optimizer, 0.01)
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

    config = OptimizerConfig(kind="muon", lr=0.01)
    whole, halves = lively_model(), lively_model()
    steps(make_optimizer(whole, config), whole, range(4))
    first = make_optimizer(halves, config)
    steps(first, halves, range(2))
    second = make_optimizer(halves, config)
    second.load_state_dict(first.state_dict())
    steps(second, halves, range(2, 4))
    for one, other in zip(whole.parameters(), halves.parameters(), strict=True):
        assert torch.equal(one, other)


# What learns


def test_optimizer_leaves_out_the_frozen_reader():
    torch.manual_seed(0)
    model = MTVM(dataclasses.replace(STEADY, reader="minilm", reader_layers=1, leading_cls=True)).train()
    assert not model.language.reader.training
    optimizer = make_optimizer(model, OptimizerConfig())
    learning = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    reader = {id(parameter) for parameter in model.language.reader.parameters()}
    assert learning == {id(parameter) for parameter in model.parameters()} - reader
    model.encode(tokenize(["Go up the stairs."], leading_cls=True)).states.sum().backward()
    assert all(parameter.grad is None for parameter in model.language.reader.parameters())
    assert model.language.project.weight.grad is not None


def test_a_reader_that_is_trained_has_a_learning_rate_of_its_own():
    config = dataclasses.replace(STEADY, reader="minilm", reader_layers=1, train_reader=True, leading_cls=True)
    model = MTVM(config).train()
    optimizer = make_optimizer(model, OptimizerConfig(language_lr=0.5, reader_lr=0.25))
    factors = {id(parameter): group["factor"] for group in optimizer.param_groups for parameter in group["params"]}
    layer = model.language.reader.get_submodule("encoder.layer.0.output.dense")
    assert factors[id(layer.weight)] == 0.25
    assert factors[id(model.language.project.weight)] == 0.5
    assert set(factors.values()) == {0.25, 0.5, 1.0}
    assert id(model.language.reader.get_submodule("embeddings.word_embeddings").weight) not in factors


def test_optimizer_freezes_layers_without_gradients_and_dropout():
    model = MTVM(dataclasses.replace(SMALL, language_layers=2, dropout=0.5))
    optimizer = make_optimizer(model, OptimizerConfig(frozen_language_layers=1))
    model.train()
    encoder = model.language.bert
    frozen = [encoder.embeddings, encoder.encoder.layer[0]]
    assert not any(module.training for part in frozen for module in part.modules())
    assert all(module.training for module in encoder.encoder.layer[1].modules())
    learning = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    assert not any(id(parameter) in learning for part in frozen for parameter in part.parameters())
    tokens = tokenize(["Go up the stairs.", "Stop."])
    model.encode(tokens).states.sum().backward()
    assert all(p.grad is None and not p.requires_grad for part in frozen for p in part.parameters())
    assert all(parameter.grad is not None for parameter in encoder.encoder.layer[1].parameters())
    assert torch.equal(encoder.embeddings(tokens.ids), encoder.embeddings(tokens.ids))


def test_optimizer_freezes_nothing_unless_asked():
    model = MTVM(SMALL)
    optimizer = make_optimizer(model, OptimizerConfig())
    model.train()
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert all(module.training for module in model.modules())
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(model.parameters()))
