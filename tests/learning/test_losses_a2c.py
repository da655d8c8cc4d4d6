"""Returns and the terms of A2C against values computed by hand and by a slow reference."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from made_traces import by_name, mean, number, step_of, trace_of

from mtvm.configs.run import A2CConfig
from mtvm.learning.losses.a2c import A2C, discounted_returns
from mtvm.learning.trace import Needs


def test_discounted_returns_by_hand():
    rewards = torch.tensor([[1.0, 1.0], [2.0, -2.0], [4.0, 0.0]])
    live = torch.tensor([[True, True], [True, True], [True, False]])
    returns = discounted_returns(rewards, live, torch.tensor([8.0, 0.0]), gamma=0.5)
    # First: 4 + 8/2 = 8, 2 + 4 = 6, 1 + 3 = 4. Second stopped after two steps: -2, 1 - 1 = 0.
    assert returns.tolist() == [[4.0, 0.0], [6.0, -2.0], [8.0, 0.0]]


def two_actions(*log_probabilities):
    """Logits of two actions of which the first has this log-probability."""
    return [[log, math.log1p(-math.exp(log))] for log in log_probabilities]


def entropy_of(log_probability):
    chance = math.exp(log_probability)
    return -(chance * log_probability + (1 - chance) * math.log1p(-chance))


def test_a2c_terms_by_hand():
    """Two episodes, of two steps and of one; the first was cut."""
    config = A2CConfig(weight=2.0, gamma=0.5, value_coefficient=0.5, entropy_coefficient=0.1)
    trace = trace_of(
        2,
        step_of([0, 1], logits=two_actions(-1.0, -2.0), values=[2.0, 1.0], rewards=[1.0, -2.0]),
        step_of([0], logits=two_actions(-0.5), values=[1.0], rewards=[0.5]),
        left=[4.0, 0.0],
    )
    terms = by_name(A2C(config)(trace))
    # Returns: 0.5 + 2 = 2.5 and 1 + 1.25 = 2.25; -2. Advantages: 0.25, 1.5; -3.
    expected = {
        "policy": (1 * 0.25 + 0.5 * 1.5 + 2 * -3) / 3,
        "value": (0.25**2 + 1.5**2 + 3**2) / 3,
        "entropy": sum(map(entropy_of, (-1.0, -2.0, -0.5))) / 3,
        "return": -0.5 / 2,
    }
    assert {name: mean(term) for name, term in terms.items()} == pytest.approx(expected)
    weights = {"policy": 2.0, "value": 1.0, "entropy": -0.2, "return": 0.0}
    assert {name: term.weight for name, term in terms.items()} == pytest.approx(weights)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=20)
def test_a2c_terms_agree_with_a_slow_reference(seed, ended_stay):
    generator = torch.Generator().manual_seed(seed)
    steps, batch, actions, config = 5, 3, 4, A2CConfig()
    lengths = torch.randint(1, steps + 1, (batch,), generator=generator)
    live = torch.arange(steps)[:, None] < lengths
    logits = torch.randn(steps, batch, actions, generator=generator)
    logits[:, :, 3] = torch.where(torch.rand(steps, batch, generator=generator) < 0.5, -torch.inf, 0.0)  # padding
    chosen = torch.randint(0, 3, (steps, batch), generator=generator)
    values, rewards = torch.randn(2, steps, batch, generator=generator)
    rewards = rewards * live  # of those that have ended there are none
    bootstrap = torch.randn(batch, generator=generator) * (lengths == steps)
    made = []
    for place in range(int(lengths.max())):
        rows = torch.arange(batch) if ended_stay else live[place].nonzero()[:, 0]
        columns = {"actions": chosen, "values": values, "rewards": rewards, "live": live, "logits": logits}
        made.append(step_of(rows.tolist(), **{name: column[place, rows] for name, column in columns.items()}))
    terms = by_name(A2C(config)(trace_of(batch, *made, left=bootstrap)))
    policy = value = entropy = 0.0
    for row in range(batch):
        following = float(bootstrap[row])
        for step in reversed(range(int(lengths[row]))):
            following = float(rewards[step, row]) + config.gamma * following
            advantage = following - float(values[step, row])
            chances = logits[step, row].double().softmax(dim=0)
            policy -= math.log(float(chances[chosen[step, row]])) * advantage
            value += advantage**2
            entropy -= sum(float(chance) * math.log(float(chance)) for chance in chances if chance > 0)
    count = int(lengths.sum())
    assert {int(terms[name].count) for name in ("policy", "value", "entropy")} == {count}
    found = {name: number(terms[name].total) for name in ("policy", "value", "entropy", "return")}
    expected = {"policy": policy, "value": value, "entropy": entropy, "return": float(rewards.sum())}
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    loss = sum(term.weight * number(term.total) for term in terms.values())
    weighed = policy + config.value_coefficient * value - config.entropy_coefficient * entropy
    assert loss == pytest.approx(weighed, rel=1e-4, abs=1e-4)


def test_a2c_policy_gradient_does_not_flow_through_the_advantage():
    logits = torch.tensor([[0.0, 0.0]], requires_grad=True)
    values = torch.full((1,), 0.5, requires_grad=True)
    step = step_of([0], logits=logits, values=values, rewards=[2.0])
    terms = by_name(A2C(A2CConfig())(trace_of(1, step, left=[0.0])))
    terms["policy"].total.backward(retain_graph=True)
    # -log p times the advantage of 1.5: its gradient is -1.5 (1 - p) and 1.5 p.
    assert logits.grad.tolist() == [pytest.approx([-0.75, 0.75])]
    assert values.grad is None
    terms["value"].total.backward()
    assert values.grad.item() == pytest.approx(-3.0)


def test_a2c_entropy_has_a_gradient_where_actions_are_padded():
    logits = torch.tensor([[0.0, 1.0, -torch.inf]], requires_grad=True)
    step = step_of([0], logits=logits)
    by_name(A2C(A2CConfig())(trace_of(1, step, left=[0.0])))["entropy"].total.backward()
    assert logits.grad.isfinite().all()
    assert logits.grad[0, :2].abs().min() > 0.1


def test_a2c_applies_to_sampled_rollouts_alone():
    loss = A2C(A2CConfig())
    assert [policy for policy in ("teacher", "student", "sample", "greedy") if loss.applies_to(policy)] == ["sample"]
    assert loss.needs == Needs(rewards=True)
