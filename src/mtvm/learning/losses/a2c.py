"""Advantage actor-critic on a batch of sampled rollouts (second term of Eq. 6)."""

from __future__ import annotations

import torch
from torch import Tensor

from mtvm.configs.run import A2CConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.trace import Needs, Policy, Trace


class A2C(Loss):
    """Policy, value and entropy terms, each averaged over live steps."""

    needs = Needs(rewards=True)

    def __init__(self, config: A2CConfig) -> None:
        self.config = config

    def applies_to(self, policy: Policy) -> bool:
        return policy == "sample"

    def __call__(self, trace: Trace) -> list[Term]:
        config, live, rewards, values = self.config, trace.live, trace.rewards, trace.values
        log_probabilities, entropies = zip(
            *(_log_probability_and_entropy(step.outputs[0].logits, step.actions) for step in trace.steps), strict=True
        )
        returns = discounted_returns(rewards, live, trace.bootstrap.detach(), config.gamma)
        advantage = (returns - values).detach()  # A_t = R_t - V_t; no gradient flows through it
        policy = -(trace.spread(log_probabilities) * advantage * live).sum()
        value = ((returns - values) ** 2 * live).sum()
        entropy = (trace.spread(entropies) * live).sum()
        steps = live.sum()
        return [
            Term("policy", policy, steps, config.weight),
            Term("value", value, steps, config.weight * config.value_coefficient),
            Term("entropy", entropy, steps, -config.weight * config.entropy_coefficient),
            Term("return", rewards.sum(), trace.batch, 0.0),
        ]


def _log_probability_and_entropy(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """(b,) the log-probability of the action taken, and the entropy of the policy."""
    logs = logits.log_softmax(dim=1)
    entropy = -(logs.exp() * logs.masked_fill(logits == -torch.inf, 0)).sum(dim=1)
    return logs.gather(1, actions[:, None])[:, 0], entropy


def discounted_returns(rewards: Tensor, live: Tensor, bootstrap: Tensor, gamma: float) -> Tensor:
    """(T, B) returns R_t = r_t + gamma * R_{t+1} over live steps; `bootstrap` (B,) follows the last step of episodes
    that were cut short, and is 0 for those that stopped."""
    returns = torch.zeros_like(rewards)
    following = bootstrap
    for step in reversed(range(len(rewards))):
        following = torch.where(live[step], rewards[step] + gamma * following, following)
        returns[step] = following
    return returns * live
