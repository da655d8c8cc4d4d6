"""What learns from a rollout: gradients of a batch are those of its episodes, and reach every weight."""

import numpy as np
import pytest
import torch
from slow_walks import KINDS, ROWS, STEPS, draws_of, rolled_out
from small_runs import OFF, lively_model

from mtvm.configs.run import A2CConfig, LossConfig
from mtvm.learning.losses import make_losses
from mtvm.learning.trace import Needs, RolloutPlan


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


def test_gradients_of_a_batch_are_the_sum_of_those_of_its_episodes(vision, some, words):
    model, draws = lively_model(seed=1), draws_of(5, STEPS, len(ROWS))

    def gradients(rows):
        plan = RolloutPlan("sample", STEPS, needs=Needs(teacher=True, rewards=True), action_draws=draws[:, rows])
        trace = rolled_out(model, vision, some.select(rows), words.select(torch.from_numpy(rows)), plan)
        loss = (trace.values**2).sum()
        for step in trace.steps:
            logs = step.outputs[0].logits.log_softmax(dim=1)
            loss = loss - logs.gather(1, step.teacher[:, None]).sum() + logs.gather(1, step.actions[:, None]).sum()
            loss = loss - (logs.exp() * logs.masked_fill(logs == -torch.inf, 0)).sum()
        return torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)

    together = gradients(np.arange(len(ROWS)))
    alone = [gradients(np.array([row])) for row in range(len(ROWS))]
    for joint, *parts in zip(together, *alone, strict=True):
        if joint is None:
            assert all(part is None for part in parts)
        else:
            expected = sum(part for part in parts if part is not None)
            assert float((joint - expected).norm()) <= 1e-3 * float(joint.norm()) + 1e-3


def gradients_of(model, vision, some, words, **loss):
    """Of a teacher-forced and a sampled rollout with the losses of a config, by weight."""
    config = LossConfig(**loss)
    losses = make_losses(config)
    for policy in ("teacher", "sample") if config.a2c.weight > 0 else ("teacher",):
        applied, needs = [one for one in losses if one.applies_to(policy)], Needs()
        for one in applied:
            needs |= one.needs
        plan = RolloutPlan(policy, STEPS, needs=needs, action_draws=draws_of(0, STEPS, len(some)))
        trace = rolled_out(model, vision, some, words, plan, *losses)
        sum(term.weight * term.total / term.count for one in applied for term in one(trace)).backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.requires_grad}


@pytest.mark.parametrize("changes", KINDS, ids=str)
def test_gradients_reach_every_weight(changes, vision, some, words):
    model = lively_model(seed=1, **changes)
    found = gradients_of(model, vision, some, words)
    # The score's bias moves all actions alike; keys' biases all scores of a query.
    without = {"head.score.bias"} | {name for name in found if name.endswith("attention.self.key.bias")}
    for name, gradient in found.items():
        assert gradient is not None, name
        assert gradient.isfinite().all()
        assert name in without or bool((gradient.abs() > 1e-7).any()), name


def test_gradients_do_not_reach_a_text_that_nobody_reads_after_the_last_layer(vision, some, words):
    model = lively_model(seed=1)
    found = gradients_of(model, vision, some, words, a2c=A2CConfig(weight=0.0), consistency=OFF)
    untouched = {name for name, gradient in found.items() if gradient is None}
    last = "crossmodal.layers.1.text_"
    assert untouched == {name for name in found if name.startswith((last, "pooler.", "critic."))}
    assert any(name.startswith(last) for name in untouched)
