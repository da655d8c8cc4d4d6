"""Walking in mirrored buildings: what is seen and what is told change together, and nothing else does."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import lively_model

from mtvm.learning.rollout import RolloutPlan, roll_out
from mtvm.models.text import tokenize, with_mirrored
from mtvm.world.simulator import Simulator

ROWS = np.array([3, 0, 17, 8, 30])
STEPS = 6


def words(text):
    return tokenize([text]).ids[0].tolist()


@pytest.mark.parametrize(
    ("told", "mirrored"),
    [
        ("Turn left, then walk right past the lamp.", "Turn right, then walk left past the lamp."),
        ("Take the leftmost door on your right side.", "Take the rightmost door on your left side."),
        ("Turn right and wait right there.", "Turn left and wait right there."),
        ("Stop right before the rug on the left", "Stop right before the rug on the right"),
        ("Go up the stairs.", "Go up the stairs."),
    ],
)
def test_left_becomes_right_and_a_right_that_only_stresses_stays(told, mirrored):
    both = with_mirrored(tokenize([told]))
    assert both.ids.tolist() == [words(told), words(mirrored)]
    assert both.words[0].tolist() == both.words[1].tolist()


@given(st.lists(st.sampled_from(["left", "right", "turn", "the", "door", "at"]), min_size=1, max_size=12))
@settings(max_examples=50, deadline=None)
def test_a_mirror_in_a_mirror_shows_the_text_itself(said):
    once = tokenize([" ".join(said)])
    mirrored = dataclasses.replace(once, ids=with_mirrored(once).ids[1:])
    assert torch.equal(with_mirrored(mirrored).ids[1:], once.ids)


def test_only_the_sines_of_headings_change_their_sign(vision, tiny_r2r):
    some = tiny_r2r.select(ROWS)
    simulator = Simulator(some.world)
    simulator.reset(some.starts, some.headings)
    seen, mirrored = simulator.observe(), np.array([True, False, True, False, True])
    width = vision.config.feature_width
    looks = {
        "candidates": (vision.candidates(seen), vision.candidates(seen, mirrored)),
        "panorama": (vision.panorama(seen), vision.panorama(seen, mirrored)),
    }
    for plain, other in looks.values():
        assert torch.equal(other[~mirrored], plain[~mirrored])
        sign = torch.ones(plain.shape[-1])
        sign[width::4] = -1
        assert torch.equal(other[mirrored], plain[mirrored] * sign)
        assert not torch.equal(other[mirrored], plain[mirrored])
    turned = vision.facing(simulator.view, mirrored)
    plain = vision.facing(simulator.view)
    assert torch.equal(turned[:, 1::4], plain[:, 1::4])
    assert torch.equal(turned[:, 0::4], plain[:, 0::4] * torch.where(torch.from_numpy(mirrored), -1, 1)[:, None])


@pytest.mark.parametrize("history", ["memory", "hierarchical"])
def test_a_mixed_batch_walks_as_its_episodes_alone(history, vision, tiny_r2r, tokens):
    model = lively_model(history=history).eval()
    some = tiny_r2r.select(ROWS)
    texts = with_mirrored(tokens)
    mirrored = np.array([True, False, True, True, False])
    told = torch.from_numpy(ROWS + len(tokens.ids) * mirrored)
    plan = RolloutPlan("teacher", STEPS, imitation=True)
    with torch.no_grad():
        together = roll_out(
            model, vision, some, texts.select(told), dataclasses.replace(plan, mirrored=mirrored)
        ).imitation
        alone, unmirrored = 0.0, 0.0
        for row in range(len(ROWS)):
            one, text = some.select(np.array([row])), texts.select(told[row : row + 1])
            reflected = dataclasses.replace(plan, mirrored=mirrored[row : row + 1])
            alone += float(roll_out(model, vision, one, text, reflected).imitation)
            unmirrored += float(roll_out(model, vision, one, text, plan).imitation)
    assert float(together) == pytest.approx(alone, rel=1e-5)
    assert abs(float(together) - unmirrored) > 1e-3
