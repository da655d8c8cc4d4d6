"""Traces made by hand, for the losses."""

from types import SimpleNamespace

import numpy as np
import torch

from mtvm.learning.trace import StepTrace, Trace


def step_of(rows, live=None, logits=None, actions=None, teacher=None, values=None, rewards=None):
    """A step of the episodes at `rows`."""
    count = len(rows)

    def column(given):
        return torch.as_tensor([0.0] * count if given is None else given)

    return StepTrace(
        rows=np.array(rows),
        seen=None,
        outputs=[] if logits is None else [SimpleNamespace(logits=torch.as_tensor(logits))],
        text_real=None,
        actions=torch.as_tensor([0] * count if actions is None else actions),
        teacher=None if teacher is None else torch.as_tensor(teacher),
        live=torch.ones(count, dtype=torch.bool) if live is None else torch.as_tensor(live),
        values=column(values),
        rewards=column(rewards),
    )


def trace_of(batch, *steps, policy="sample", left=None):
    """The trace of these steps of a batch; `left` are the values of where episodes were left."""
    return Trace(
        policy=policy,
        nodes=np.zeros((batch, 1), dtype=np.int64),
        views=np.zeros((batch, 1), dtype=np.int64),
        stopped=np.zeros(batch, dtype=bool),
        lengths=np.zeros(batch, dtype=np.int64),
        text=None,
        text_is_query=True,
        episodes=None,
        vision=None,
        steps=list(steps),
        left=None if left is None else torch.as_tensor(left),
    )


def by_name(terms):
    """Terms by their names."""
    found = {term.name: term for term in terms}
    assert len(found) == len(terms)
    return found


def number(value):
    """A tensor of one number, whose gradient does not matter here, as a number."""
    return value.detach().item() if isinstance(value, torch.Tensor) else float(value)


def mean(term):
    return number(term.total) / number(term.count)
