"""Advantage actor-critic on a batch of rollouts (second term of Eq. 6)."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor


@dataclasses.dataclass(frozen=True)
class A2CConfig:
    discount: float = 0.9
    value_weight: float = 0.5
    entropy_weight: float = 0.01


@dataclasses.dataclass
class A2CTerms:
    """The losses, each a sum over live steps, and how many of these there are."""

    policy: Tensor
    value: Tensor
    entropy: Tensor
    count: Tensor

    def loss(self, config: A2CConfig) -> Tensor:
        """The sum over live steps; divide it by their number."""
        return self.policy + config.value_weight * self.value - config.entropy_weight * self.entropy


def discounted_returns(rewards: Tensor, live: Tensor, bootstrap: Tensor, discount: float) -> Tensor:
    """(T, B) returns R_t = r_t + discount * R_{t+1} over live steps; `bootstrap` (B,) follows the last step of episodes
    that were cut short, and is 0 for those that stopped."""
    returns = torch.zeros_like(rewards)
    following = bootstrap
    for step in reversed(range(len(rewards))):
        following = torch.where(live[step], rewards[step] + discount * following, following)
        returns[step] = following
    return returns * live


def a2c_terms(
    log_probabilities: Tensor,
    entropies: Tensor,
    values: Tensor,
    rewards: Tensor,
    live: Tensor,
    bootstrap: Tensor,
    config: A2CConfig,
) -> A2CTerms:
    """All arguments but `bootstrap` (B,) are (T, B); `live` is true where the episode was still running.

    The policy follows the advantage A_t = R_t - V_t, through which no gradient flows.
    """
    returns = discounted_returns(rewards, live, bootstrap.detach(), config.discount)
    advantage = (returns - values).detach()
    policy = -(log_probabilities * advantage * live).sum()
    value = ((returns - values) ** 2 * live).sum()
    entropy = (entropies * live).sum()
    return A2CTerms(policy, value, entropy, live.sum())
