"""Imitation against values computed by hand."""

import math

import pytest
import torch
from made_traces import mean, step_of, trace_of

from mtvm.configs.run import ImitationConfig
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.trace import Needs

LOGITS = [[math.log(1.0), math.log(3.0), -math.inf], [0.0, 0.0, 0.0]]


def test_imitation_is_the_negative_log_probability_of_the_teachers_actions():
    trace = trace_of(
        2,
        step_of([0, 1], logits=LOGITS, teacher=[1, 2]),
        step_of([0], logits=[[0.0, 0.0]], teacher=[0]),
        policy="teacher",
    )
    (term,) = Imitation(ImitationConfig(weight=0.2))(trace)
    assert term.name == "imitation"
    assert float(term.total) == pytest.approx(-math.log(0.75) + math.log(3) + math.log(2))
    assert mean(term) == pytest.approx(float(term.total) / 2), "the mean over episodes, not over steps"
    assert term.weight == 0.2


def test_imitation_leaves_out_episodes_that_have_ended():
    step = step_of([0, 1], logits=LOGITS, teacher=[1, 2], live=[True, False])
    (term,) = Imitation(ImitationConfig(weight=1.0))(trace_of(2, step, policy="teacher"))
    assert float(term.total) == pytest.approx(-math.log(0.75))


def test_imitation_gradient_is_that_of_the_cross_entropy():
    logits = torch.tensor([[0.5, -0.5, 1.0]], requires_grad=True)
    (term,) = Imitation(ImitationConfig(weight=1.0))(
        trace_of(1, step_of([0], logits=logits, teacher=[2]), policy="teacher")
    )
    term.total.backward()
    expected = logits.detach().softmax(dim=1) - torch.tensor([[0.0, 0.0, 1.0]])
    torch.testing.assert_close(logits.grad, expected)


@pytest.mark.parametrize(
    ("weights", "policies"),
    [
        ((0.2, 0.0), {"teacher"}),
        ((0.0, 0.5), {"teacher", "student"}),  # the first updates can be teacher-forced
        ((1.0, 1.0), {"teacher", "student"}),
        ((0.0, 0.0), set()),
    ],
)
def test_imitation_applies_to_the_rollouts_that_have_a_weight(weights, policies):
    loss = Imitation(ImitationConfig(weight=weights[0], student_weight=weights[1]))
    assert {policy for policy in ("teacher", "student", "sample", "greedy") if loss.applies_to(policy)} == policies
    assert loss.needs == Needs(teacher=True)


def test_imitation_weighs_students_by_a_weight_of_their_own():
    step = step_of([0], logits=[[0.0, 0.0]], teacher=[0])
    for given, expected in ((0.2, [0.2, 0.7]), (0.0, [0.7, 0.7])):
        loss = Imitation(ImitationConfig(weight=given, student_weight=0.7))
        weights = [loss(trace_of(1, step, policy=policy))[0].weight for policy in ("teacher", "student")]
        assert weights == expected
