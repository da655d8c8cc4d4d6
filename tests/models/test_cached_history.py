"""The memory of linear cost: what is written once and read inside the layers."""

import dataclasses
import itertools

import pytest
import torch
from small_models import TEXTS, TINY, assert_same, follow, make_model, make_walk, walk_through, words_of

from mtvm.models.history import KnownWalks
from mtvm.models.inspect import count_flops
from mtvm.models.places import Places

STEPS = 5


def known(walk):
    """All steps of a walk whose episodes go on to the end, and their actions and mask."""
    width = max(move.actions.shape[1] for move in walk)
    actions = [torch.nn.functional.pad(move.actions, (0, 0, 0, width - move.actions.shape[1])) for move in walk]
    masks = [torch.nn.functional.pad(move.mask, (0, width - move.mask.shape[1])) for move in walk]
    rows = torch.arange(len(TEXTS)).repeat(len(walk))
    columns = torch.arange(len(walk)).repeat_interleave(len(TEXTS))
    walks = KnownWalks(
        0,
        Places(len(TEXTS), len(walk), rows, columns),
        torch.cat([move.chosen for move in walk]),
        torch.cat([move.direction for move in walk]),
    )
    return walks, torch.cat(actions), torch.cat(masks)


def in_one_pass(model, walk, rows=None, **options):
    """The step of all steps of a walk, or of some rows of them."""
    walks, actions, mask = known(walk)
    if rows is not None:
        places = dataclasses.replace(walks.places, rows=walks.places.rows[rows], columns=walks.places.columns[rows])
        walks = KnownWalks(0, places, walks.chosen[rows], walks.direction[rows])
        actions, mask = actions[rows], mask[rows]
    text = model.encode(words_of(TEXTS))
    text = text.repeated(walks.places) if model.text_is_query else dataclasses.replace(text, places=walks.places)
    return model.step(text, model.walked(None, walks), actions, mask, **options)


@pytest.mark.parametrize("need_context", [True, False])
@pytest.mark.parametrize(
    "changes", [{}, {"architecture__bidirectional": False}, {"history__steps": 2}, {"crossmodal_layers": 1}], ids=str
)
def test_cached_history_computes_a_known_walk_in_one_pass_as_step_by_step(changes, need_context):
    model = make_model(history="cached", **changes)
    walk = make_walk(TINY, steps=STEPS)
    one = in_one_pass(model, walk, need_context=need_context)
    for number, step in enumerate(follow(model, TEXTS, walk, need_context=need_context)):
        rows = slice(len(TEXTS) * number, len(TEXTS) * (number + 1))
        assert_same(one.logits[rows][:, : step.logits.shape[1]], step.logits)
        if need_context:
            assert_same(one.text[rows], step.text)
            assert_same(model.value(one)[rows], model.value(step))


def test_cached_history_has_the_same_gradients_in_one_pass_as_step_by_step():
    model, walk = make_model(history="cached"), make_walk(TINY, steps=STEPS)
    found = []
    for steps in (lambda: [in_one_pass(model, walk)], lambda: follow(model, TEXTS, walk)):
        model.zero_grad()
        sum(step.logits[step.mask].square().sum() + model.value(step).sum() for step in steps()).backward()
        found.append({name: part.grad.clone() for name, part in model.named_parameters() if part.grad is not None})
    assert found[0].keys() == found[1].keys()
    for name, gradient in found[1].items():
        scale = float(gradient.abs().max())
        torch.testing.assert_close(found[0][name], gradient, atol=1e-4 * max(scale, 1), rtol=1e-3, msg=name)


def test_cached_history_knows_walks_that_end_at_different_times():
    model, walk = make_model(history="cached"), make_walk(TINY, steps=STEPS)
    lengths = torch.tensor([2, 5, 3])
    walks, _, _ = known(walk)
    rows = (walks.numbers < lengths[walks.places.rows]).nonzero()[:, 0]
    whole, some = in_one_pass(model, walk), in_one_pass(model, walk, rows)
    assert_same(some.logits, whole.logits[rows])


def test_cached_history_lets_no_step_see_a_later_one():
    model, walk = make_model(history="cached"), make_walk(TINY, steps=STEPS)
    changed = [*walk[:3], walk[3]._replace(direction=torch.randn(3, TINY.angle_width)), walk[4]]
    one, other = (in_one_pass(model, given).logits.unflatten(0, (STEPS, -1)) for given in (walk, changed))
    assert torch.equal(one[:4], other[:4])
    assert not torch.allclose(one[4], other[4], atol=1e-3)


@torch.no_grad()
def test_cached_history_costs_the_same_at_every_step_apart_from_attention():
    model, move = make_model(history="cached"), make_walk(TINY, steps=1)[0]
    text = model.encode(words_of(TEXTS))
    past, totals = model.start(text), []
    for _ in range(6):
        step, flops = count_flops(model, lambda: model.step(text, past, move.actions, move.mask))  # noqa: B023
        totals.append(flops.total)
        past = model.remember(past, step, move.chosen, move.direction)
    queries = len(TEXTS) * (text.states.shape[1] + move.actions.shape[1])
    scores_and_mix = 2 * 2 * TINY.hidden * TINY.crossmodal_layers * queries
    assert [later - before for before, later in itertools.pairwise(totals)] == 5 * [scores_and_mix]


def test_cached_history_is_shown_to_all_variants_of_a_text():
    model, walk, words = make_model(history="cached"), make_walk(TINY, steps=3), words_of(TEXTS)
    alone, _ = walk_through(model, words, walk)
    text = model.encode(words, words)
    past = model.start(text)
    for move, expected in zip(walk, alone, strict=True):
        both = model.step(text, past, move.actions, move.mask).variants(2)
        for step in both:
            assert_same(step.logits, expected.logits)
        past = model.remember(past, both[0], move.chosen, move.direction)


def test_cached_history_shows_what_is_looked_at():
    """The memory stands before the actions, as it does where it is tokens."""
    model, walk = make_model(history="cached"), make_walk(TINY, steps=3)
    last = follow(model, TEXTS, walk, need_attention=True)[-1]
    looked = last.attention.of(1, last.text_mask, last.stream_mask)
    actions = int(last.mask[1].sum())
    assert looked.over_stream.shape[-2:] == (actions, 2 + actions)
    words, memory = looked.at(0, actions)
    assert words.shape == (int(last.text_mask[1].sum()),)
    assert memory.shape == (2,)
    torch.testing.assert_close(looked.over_stream.sum(dim=-1), torch.ones(looked.over_stream.shape[:-1]))
    assert (memory > 0).all()
