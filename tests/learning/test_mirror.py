"""Walking in mirrored buildings: what is seen and what is told change together, and nothing else does."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from made_traces import number
from small_runs import lively_model, small_config

from mtvm.configs.run import ImitationConfig
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.rollout import roll_out
from mtvm.learning.trace import RolloutPlan
from mtvm.learning.trainer import Trainer
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
def test_with_mirrored_swaps_left_and_right_but_not_a_right_that_only_stresses(told, mirrored):
    both = with_mirrored(tokenize([told]))
    assert both.ids.tolist() == [words(told), words(mirrored)]
    assert both.words[0].tolist() == both.words[1].tolist()


@pytest.mark.slow
@given(st.lists(st.sampled_from(["left", "right", "turn", "the", "door", "at"]), min_size=1, max_size=12))
@settings(max_examples=50)
def test_with_mirrored_twice_gives_the_text_itself(said):
    once = tokenize([" ".join(said)])
    mirrored = dataclasses.replace(once, ids=with_mirrored(once).ids[1:])
    assert torch.equal(with_mirrored(mirrored).ids[1:], once.ids)


def test_vision_mirrored_changes_the_sign_of_the_sines_of_headings_alone(vision, tiny_r2r):
    some = tiny_r2r.select(ROWS)
    simulator = Simulator(some.world)
    simulator.reset(some.starts, some.headings)
    seen, mirrored = simulator.observe(), np.array([True, False, True, False, True])
    width = vision.config.feature_width
    looks = {
        "actions": (vision.actions(seen)[0], vision.actions(seen, mirrored)[0]),
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


@pytest.mark.parametrize("history", ["memory", "hierarchical", "recurrent"])
def test_rollout_of_a_batch_with_some_mirrored_is_that_of_its_episodes_alone(history, vision, tiny_r2r, tokens):
    model = lively_model(history=history).eval()
    some = tiny_r2r.select(ROWS)
    texts = with_mirrored(tokens)
    mirrored = np.array([True, False, True, True, False])
    told = torch.from_numpy(ROWS + len(tokens.ids) * mirrored)

    def imitation(rows, mirrored):
        plan = RolloutPlan("teacher", STEPS, mirrored=mirrored)
        text = model.encode(texts.select(told[torch.from_numpy(rows)]))
        trace = roll_out(model, vision, some.select(rows), text, plan, keep_steps=True)
        return number(Imitation(ImitationConfig(weight=1.0))(trace)[0].total)

    with torch.no_grad():
        together = imitation(np.arange(len(ROWS)), mirrored)
        alone = sum(imitation(np.array([row]), mirrored[row : row + 1]) for row in range(len(ROWS)))
        unmirrored = sum(imitation(np.array([row]), None) for row in range(len(ROWS)))
    assert together == pytest.approx(alone, rel=1e-5)
    assert abs(together - unmirrored) > 1e-3


def test_rollout_in_a_turned_building_differs_only_in_what_is_remembered(vision, tiny_r2r, tokens):
    model, some = lively_model().eval(), tiny_r2r.select(ROWS)
    text = model.encode(tokens.select(torch.from_numpy(ROWS)))

    def logits(*angles):
        plan = RolloutPlan("teacher", STEPS, turned=np.array(angles, dtype=np.float32))
        with torch.no_grad():
            trace = roll_out(model, vision, some, text, plan, keep_steps=True)
        return [step.outputs[0].logits for step in trace.steps], [step.rows.tolist() for step in trace.steps]

    circle = 2 * np.pi
    (plain, rows), (same, _), (turned, _) = logits(0, 0, 0, 0, 0), logits(*[circle] * 5), logits(0, 1, 2, 0, 3)
    assert len({len(running) for running in rows}) > 1, "some episodes end before others"
    torch.testing.assert_close(plain, same, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(plain[0], turned[0])
    for step, running in list(enumerate(rows))[1:]:
        for place, row in enumerate(running):
            assert torch.allclose(plain[step][place], turned[step][place], atol=1e-3) == (row in (0, 3))


def test_update_mirrors_half_of_its_episodes_and_tells_them_so(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", batch=30, data={"mirror": True})
    learner = Trainer(config, show_progress=False).learner
    dataset, shares = learner.datasets[0], []
    for _ in range(3):
        which, rows = learner.batches.next()
        batch = learner._batch(which, rows, np.arange(len(rows)))
        chosen = rows + len(dataset) * batch.mirrored
        expected = with_mirrored(dataset.tokens).select(torch.from_numpy(chosen))
        assert torch.equal(batch.tokens.ids, expected.ids)
        assert batch.episodes.ids == [dataset.episodes.ids[row] for row in rows]
        shares.append(batch.mirrored.mean())
        learner.updates += 1
    assert 0.3 < np.mean(shares) < 0.7
    assert len(set(shares)) > 1, "each update mirrors others"
