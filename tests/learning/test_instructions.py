"""Texts that are encoded once for several rollouts give the gradients of texts that each rollout encodes itself."""

import numpy as np
import pytest
import torch
from small_runs import SMALL, lively_model

from mtvm.learning.consistency import ConsistencyConfig
from mtvm.learning.instructions import Instructions
from mtvm.learning.losses import LossConfig, rollout_loss
from mtvm.learning.rollout import RolloutPlan, roll_out

ROWS = np.array([3, 0, 17, 8, 30])
STEPS = 6


def gradients(model):
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("consistency", [None, ConsistencyConfig(), ConsistencyConfig(variant="released")], ids=str)
@pytest.mark.parametrize("changes", [{}, {"bidirectional": False}, {"history": "recurrent"}], ids=str)
def test_gradients_are_those_of_rollouts_that_encode_for_themselves(changes, consistency, vision, tiny_r2r, tokens):
    model = lively_model(**changes)
    episodes, words = tiny_r2r.select(ROWS), tokens.select(torch.from_numpy(ROWS))
    random = torch.Generator().manual_seed(0)
    word_noise = torch.rand(len(ROWS), SMALL.max_text, generator=random)
    noise = torch.rand(STEPS, len(ROWS), generator=random)
    config = LossConfig(consistency=consistency or ConsistencyConfig(enabled=False))

    def learn(told):
        for policy in ("teacher", "sample"):
            plan = RolloutPlan(
                policy,
                STEPS,
                imitation=policy == "teacher",
                reinforcement=policy == "sample",
                consistency=consistency,
                noise=noise,
                word_noise=word_noise,
            )
            rollout = roll_out(model, vision, episodes, told, plan)
            rollout_loss(rollout, 0.2, config, len(episodes))[0].backward()

    learn(words)
    expected = gradients(model)
    model.zero_grad(set_to_none=True)
    instructions = Instructions(model, words, consistency, word_noise)
    learn(instructions.encoded)
    without = gradients(model)
    assert not any(name.startswith("language.") for name in without)
    instructions.backward()
    found = gradients(model)
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        scale = float(expected[name].abs().max())
        assert float((gradient - expected[name]).abs().max()) <= 1e-5 + 1e-4 * scale, name
    assert any(name.startswith("language.") and gradient.any() for name, gradient in found.items())
