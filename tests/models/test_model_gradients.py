"""Gradients of the model: the numeric ones, through the memory, to every parameter; and its dropout."""

import pytest
import torch
from small_models import TEXTS, follow, make_model, make_walk

from mtvm.models.text import Tokens

SMALLEST = {
    "hidden": 8,
    "heads": 2,
    "intermediate": 12,
    "feature_width": 6,
    "angle_width": 4,
    "vocabulary": 20,
    "max_text": 6,
    "max_positions": 12,
    "critic_hidden": 5,
}
CHECKED = [
    "language.bert.embeddings.word_embeddings.weight",
    "language.bert.encoder.layer.0.attention.self.query.weight",
    "token_encoder.project.weight",
    "embedding.position.weight",
    "embedding.kind.weight",
    "crossmodal.layers.0.cross.attention.qkv.weight",
    "crossmodal.layers.1.cross.attention.qkv.bias",
    "crossmodal.layers.0.vision_feed_forward.expand.weight",
    "head.activate.weight",
    "pooler.mix.weight",
]


def loss_of(model, walk):
    """A number that depends on everything: two steps with memory between them, and the critic."""
    tokens = Tokens(torch.tensor([[3, 7, 9, 2], [5, 2, 0, 0]]), torch.tensor([[0, 1, 2, -1], [0, -1, -1, -1]]))
    weights = torch.linspace(-1, 1, 12, dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for step in follow(model, tokens, walk):
        scores = step.logits.log_softmax(dim=1)[step.mask]
        total = total + (scores * weights[: len(scores)]).sum() + model.value(step).square().sum()
    return total


@pytest.mark.parametrize("bidirectional", [True, False])
def test_model_gradients_are_the_numeric_ones(bidirectional):
    """Central differences of a few numbers of each kind of parameter, in double precision, through the memory."""
    model = make_model(**SMALLEST, architecture__bidirectional=bidirectional).double()
    walk = [
        move._replace(actions=move.actions.double(), direction=move.direction.double())
        for move in make_walk(model.config, batch=2, steps=2)
    ]
    loss_of(model, walk).backward()
    generator = torch.Generator().manual_seed(5)
    for name in CHECKED:
        parameter = model.get_parameter(name)
        strongest = parameter.grad.flatten().abs().argsort(descending=True)[:20]
        assert parameter.grad.flatten()[strongest[0]].abs() > 1e-6, f"no gradient reaches {name}"
        picked = strongest[torch.randperm(len(strongest), generator=generator)[:4]]
        for index in picked.tolist():
            with torch.no_grad():
                flat, step = parameter.view(-1), 1e-5
                flat[index] += step
                above = loss_of(model, walk)
                flat[index] -= 2 * step
                below = loss_of(model, walk)
                flat[index] += step
            numeric = float(above - below) / (2 * step)
            assert float(parameter.grad.view(-1)[index]) == pytest.approx(numeric, rel=1e-4, abs=1e-7), name


def test_model_gradients_flow_through_memory_to_the_first_step():
    model = make_model()
    walk = make_walk(model.config, steps=3)
    first = walk[0].actions.requires_grad_()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    assert torch.equal(first.grad.abs().sum(dim=-1) > 0, walk[0].mask)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_model_gradients_reach_every_parameter(bidirectional):
    model = make_model(architecture__bidirectional=bidirectional).train()
    steps = follow(model, TEXTS, make_walk(model.config, steps=2))
    sum(step.logits[step.mask].square().sum() + model.value(step).square().sum() for step in steps).backward()
    still = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


@pytest.mark.parametrize("bidirectional", [True, False])
def test_checkpointing_changes_no_gradient(bidirectional):
    gradients = []
    for checkpointing in (False, True):
        model = make_model(architecture__bidirectional=bidirectional).train()
        model.crossmodal.checkpointing = checkpointing
        torch.manual_seed(3)
        steps = follow(model, TEXTS, make_walk(model.config, steps=2))
        sum(step.logits[step.mask].square().sum() for step in steps).backward()
        gradients.append(model.crossmodal.layers[0].cross.attention.qkv.weight.grad)
    torch.testing.assert_close(*gradients)


def test_model_dropout_follows_the_seed_in_training_only():
    model = make_model()
    walk = make_walk(model.config, steps=3)

    def logits(seed):
        torch.manual_seed(seed)
        return torch.cat([step.logits[step.mask] for step in follow(model, TEXTS, walk)])

    assert torch.equal(logits(1), logits(2)), "evaluation draws random numbers"
    model.train()
    assert torch.equal(logits(1), logits(1))
    assert not torch.allclose(logits(1), logits(2), atol=1e-2)
