"""The model's step: batches and single episodes, padding, STOP, memory, variants of the text, attention."""

import dataclasses

import pytest
import torch
from small_models import (
    TEXTS,
    TINY,
    assert_same,
    follow,
    make_model,
    make_walk,
    walk_of,
    walk_through,
    with_stop,
    words_of,
)

from mtvm.models.text import PAD, Tokens, drop_words

STEPS = 4
KINDS = {
    "paper": {},
    "single": {"architecture__bidirectional": False},
    "one layer": {"crossmodal_layers": 1},
    "last two": {"history__steps": 2},
    "no memory": {"history__steps": 0},
}
every_kind = pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
with_and_without_gradients = pytest.mark.parametrize("grad", [True, False])


def compare(model, step, row, alone):
    """An episode in a batch against the same episode alone."""
    width = alone.logits.shape[1]
    assert_same(step.logits[row, :width], alone.logits[0])
    assert (step.logits[row, width:] == -torch.inf).all()
    assert_same(step.activations[row, :width], alone.activations[0])
    assert_same(step.text[row][step.text_mask[row]], alone.text[0])
    assert_same(step.stream[row][step.stream_mask[row]], alone.stream[0][alone.stream_mask[0]])
    assert_same(model.value(step)[row], model.value(alone)[0])


@with_and_without_gradients
@every_kind
def test_step_of_a_batch_is_that_of_single_episodes(changes, grad):
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.set_grad_enabled(grad):
        together = follow(model, TEXTS, walk)
        for row, text in enumerate(TEXTS):
            alone = follow(model, [text], walk_of(walk, torch.tensor([row])))
            for step, single in zip(together, alone, strict=True):
                compare(model, step, row, single)


@every_kind
def test_step_is_the_same_with_and_without_gradients(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.no_grad():
        free = follow(model, TEXTS, walk)
    for bound, one in zip(follow(model, TEXTS, walk), free, strict=True):
        assert_same(bound.logits, one.logits)
        assert_same(bound.stream, one.stream)


def test_step_without_gradients_sees_memory_with_them():
    """The value that A2C bootstraps with: the steps before it were taken with gradients."""
    model = make_model()
    *walk, last = make_walk(model.config)
    text, (_, past) = model.encode(words_of(TEXTS)), walk_through(model, TEXTS, walk)
    expected = model.step(text, past, last.actions, last.mask)
    with torch.no_grad():
        found = model.step(text, past, last.actions, last.mask)
    assert found.stream.shape == expected.stream.shape
    assert_same(found.logits, expected.logits)
    assert_same(model.value(found), model.value(expected))


@torch.no_grad()
def test_step_does_not_change_the_past():
    model = make_model()
    text = model.encode(words_of(TEXTS))
    past = model.start(text)
    for move in make_walk(model.config, steps=2):
        first = model.step(text, past, move.actions, move.mask)
        again = model.step(text, past, move.actions, move.mask)
        assert torch.equal(first.logits, again.logits)
        past = model.remember(past, first, move.chosen, move.direction)


@with_and_without_gradients
@every_kind
def test_step_is_the_same_after_other_episodes_leave(changes, grad):
    """The longest text leaves after two steps, then another; the rest go on with less padding."""
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.set_grad_enabled(grad):
        everyone = follow(model, TEXTS, walk)
        text = model.encode(words_of(TEXTS))
        past, rows = model.start(text), torch.arange(3)
        for number, gone in enumerate([None, None, 0, 2]):
            if gone is not None:
                stay = torch.nonzero(rows != gone)[:, 0]
                text, past, rows = text.keep(stay), past.keep(stay), rows[stay]
                assert text.states.shape[1] == int(text.mask.sum(dim=1).max())
                assert text.cache, "what an episode computes once must stay"
                assert all(part.shape[2] == text.states.shape[1] for parts in text.cache for part in parts)
            move = walk_of(walk, rows)[number]
            step = model.step(text, past, move.actions, move.mask)
            assert_same(step.logits, everyone[number].logits[rows, : step.logits.shape[1]])
            assert_same(model.value(step), model.value(everyone[number])[rows])
            past = model.remember(past, step, move.chosen, move.direction)


def test_text_and_past_can_keep_no_episode():
    model = make_model()
    text, (_, past) = model.encode(words_of(TEXTS)), walk_through(model, TEXTS, make_walk(model.config, steps=1))
    nobody = torch.tensor([], dtype=torch.long)
    assert len(text.keep(nobody).states) == 0
    assert past.keep(nobody).bank.tokens().shape == (0, 1, model.config.token_width)


def test_step_logits_are_finite_for_real_actions_only():
    model = make_model()
    walk = make_walk(model.config)
    for step, move in zip(follow(model, TEXTS, walk), walk, strict=True):
        assert torch.equal(step.mask, move.mask)
        assert torch.equal(torch.isfinite(step.logits), step.mask)
        assert_same(step.logits.softmax(dim=1).sum(dim=1), torch.ones(3))


def test_step_with_stop_alone_has_one_logit():
    model = make_model()
    text = model.encode(words_of(TEXTS[:1]))
    actions, mask = with_stop(torch.zeros(1, 0, model.config.token_width), torch.tensor([0]))
    step = model.step(text, model.start(text), actions, mask)
    assert step.logits.shape == (1, 1)
    assert torch.isfinite(step.logits).all()


def test_step_never_reads_padded_actions():
    model = make_model()
    walk = make_walk(model.config)
    spoiled = [move._replace(actions=torch.where(move.mask[..., None], move.actions, 7.0)) for move in walk]
    assert not torch.equal(walk[0].actions, spoiled[0].actions)
    for clean, dirty in zip(follow(model, TEXTS, walk), follow(model, TEXTS, spoiled), strict=True):
        assert_same(dirty.logits, clean.logits)
        assert_same(model.value(dirty), model.value(clean))


def test_step_never_reads_padded_words():
    model = make_model()
    walk = make_walk(model.config)
    tokens = words_of(TEXTS)
    further = Tokens(
        torch.nn.functional.pad(tokens.ids, (0, 9), value=PAD), torch.nn.functional.pad(tokens.words, (0, 9), value=-1)
    )
    for step, plain in zip(follow(model, further, walk), follow(model, tokens, walk), strict=True):
        assert_same(step.logits, plain.logits)
        assert_same(model.value(step), model.value(plain))


def test_step_never_reads_hidden_words():
    """They are encoded, but nothing attends to them, also after other episodes have left."""
    model = make_model()
    move = make_walk(model.config)[0]
    tokens = words_of(TEXTS)
    hidden = torch.zeros_like(tokens.mask)
    hidden[0, 1:4] = True
    texts = [
        model.encode(dataclasses.replace(tokens, ids=torch.where(hidden, other, tokens.ids), hidden=hidden))
        for other in (300, 700)
    ]
    one, other = (model.step(text, model.start(text), move.actions, move.mask) for text in texts)
    assert_same(one.logits, other.logits)
    kept = texts[0].keep(torch.tensor([0]))
    here = walk_of([move], torch.tensor([0]))[0]
    alone = model.step(kept, model.start(kept), here.actions, here.mask)
    assert_same(alone.logits[0], one.logits[0, : alone.logits.shape[1]])
    visible = model.encode(tokens)
    plain = model.step(visible, model.start(visible), move.actions, move.mask)
    assert not torch.allclose(plain.logits[0], one.logits[0], atol=1e-2)


def test_step_permutes_with_its_actions_without_position_embedding():
    model = make_model()
    walk = walk_of(make_walk(model.config, steps=1), torch.tensor([0]))
    text, (_, past) = model.encode(words_of(TEXTS[:1])), walk_through(model, TEXTS[:1], walk)
    views, order = torch.randn(1, 4, model.config.token_width), torch.tensor([2, 0, 3, 1])

    def logits(views):
        return model.step(text, past, *with_stop(views, torch.tensor([4]))).logits[0]

    moved = torch.cat([order, torch.tensor([4])])
    assert not torch.allclose(logits(views[:, order]), logits(views)[moved], atol=1e-2)
    torch.nn.init.zeros_(model.embedding.position.weight)
    assert_same(logits(views[:, order]), logits(views)[moved])


def test_step_marks_memory_before_the_actions_as_past():
    model = make_model()
    walk = make_walk(model.config)
    steps = follow(model, TEXTS, walk)
    for number, step in enumerate(steps):
        assert step.stream.shape[1] == number + step.logits.shape[1]
        assert step.stream_mask[:, :number].all()
    before = steps[1].logits
    with torch.no_grad():
        model.embedding.kind.weight[1] += torch.randn(model.config.hidden)
    changed = follow(model, TEXTS, walk)
    assert torch.equal(changed[0].logits, steps[0].logits), "at the first step there is no past"
    assert not torch.allclose(changed[1].logits, before, atol=1e-2)


def test_step_scales_image_features_alone():
    model, plain = make_model(feature_scale=3.0), make_model()
    walk, width = make_walk(model.config), model.config.feature_width
    scaled = [
        move._replace(actions=torch.cat([3 * move.actions[..., :width], move.actions[..., width:]], dim=-1))
        for move in walk
    ]
    for found, expected in zip(follow(model, TEXTS, walk), follow(plain, TEXTS, scaled), strict=True):
        assert_same(found.logits, expected.logits)


def test_step_logits_and_activations_come_from_the_same_head():
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config, steps=1))[0]
    activations = torch.tanh(model.head.activate(step.stream[:, -step.mask.shape[1] :]))
    assert_same(step.activations[step.mask], activations[step.mask])
    assert_same(step.logits[step.mask], model.head.score(activations)[..., 0][step.mask])


def test_step_goes_on_beyond_the_position_table():
    model = make_model(max_positions=16)
    with torch.no_grad():
        steps = follow(model, ["Go up.", "Stop.", "Wait."], make_walk(model.config, steps=20))
    assert all(torch.isfinite(step.logits[step.mask]).all() for step in steps)


@every_kind
def test_step_without_the_rest_has_the_same_logits(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    for full, quick in zip(follow(model, TEXTS, walk), follow(model, TEXTS, walk, need_context=False), strict=True):
        assert_same(quick.logits, full.logits)
        assert_same(quick.activations[quick.mask], full.activations[full.mask])
        assert quick.stream.shape[1] == 0


def test_value_of_a_step_without_the_rest_is_refused():
    """The critic reads X̂ and M̂: its value of a step that skipped them would be silently wrong."""
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config, steps=1), need_context=False)[0]
    with pytest.raises(ValueError, match="need_context"):
        model.value(step)


@pytest.mark.parametrize("rest", [True, False])
@every_kind
def test_step_of_text_variants_is_that_of_each_variant(changes, rest):
    """X and X' in one pass, also after an episode has left."""
    model = make_model(**changes)
    tokens = words_of(TEXTS)
    variants = [tokens, drop_words(tokens, 0.6, torch.rand(3, 32, generator=torch.Generator().manual_seed(0)))[0]]
    text, texts = model.encode(*variants), [model.encode(one) for one in variants]
    assert len(text) == 3
    past, rows = model.start(text), torch.arange(3)
    for number, move in enumerate(make_walk(model.config, steps=3)):
        if number == 2:
            rows = torch.tensor([2, 1])
            text, past, texts = text.keep(rows), past.keep(rows), [one.keep(rows) for one in texts]
        actions, mask = move.actions[rows], move.mask[rows]
        together = model.step(text, past, actions, mask, need_context=rest).variants(2)
        for step, alone, variant in zip(together, texts, (text.variant(0), text.variant(1)), strict=True):
            single = model.step(alone, past, actions, mask, need_context=rest)
            assert_same(step.logits, single.logits)
            assert_same(step.stream, single.stream)
            assert_same(variant.states[variant.mask], alone.states[alone.mask])
            assert_same(model.step(variant, past, actions, mask, need_context=rest).logits, single.logits)
        assert not torch.allclose(together[0].logits[mask], together[1].logits[mask], atol=1e-2)
        past = model.remember(past, together[0], move.chosen[rows], move.direction[rows])


@every_kind
def test_step_attention_sums_to_one_over_real_keys(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    silent, looked = (follow(model, TEXTS, walk, need_attention=asked) for asked in (False, True))
    for number, (step, plain) in enumerate(zip(looked, silent, strict=True)):
        assert plain.attention is None
        assert torch.equal(step.logits, plain.logits)
        layers, heads = model.config.crossmodal_layers, model.config.heads
        stream, words = step.stream.shape[1], step.text.shape[1]
        assert step.attention.over_words.shape == (layers, 3, heads, stream, words)
        assert step.attention.over_stream.shape == (layers, 3, heads, stream, stream)
        for weights, keys in (
            (step.attention.over_words, step.text_mask),
            (step.attention.over_stream, step.stream_mask),
        ):
            for row in range(3):
                of_real = weights[:, row][:, :, step.stream_mask[row]]
                assert_same(of_real.sum(dim=-1), torch.ones(of_real.shape[:-1]))
                assert (of_real[..., ~keys[row]] == 0).all()
                assert (of_real[..., keys[row]] > 0).all()
        limit = model.config.history.steps
        assert stream - step.mask.shape[1] == (number if limit is None else min(number, limit))


def test_pooler_adds_a_mix_of_words_and_the_mean_of_the_stream():
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config))[-1]
    for row, found in enumerate(model.pooler(step)):
        words, stream = step.text[row][step.text_mask[row]], step.stream[row][step.stream_mask[row]]
        mixed = model.pooler.mix.weight[0, : len(words)] @ words + model.pooler.mix.bias
        assert_same(found, torch.tanh(model.pooler.dense(mixed + stream.mean(dim=0))))
    assert model.value(step).shape == (3,)


def test_pooler_counts_padding_as_the_released_code_if_asked():
    """A padded batch pools its padding, so the state depends on how far it is padded."""
    model, ours = make_model(architecture__released__padding=True), make_model()
    walk = make_walk(TINY, steps=2)
    steps = follow(model, TEXTS, walk)
    for step, plain in zip(steps, follow(ours, TEXTS, walk), strict=True):
        assert_same(step.logits, plain.logits)
        words = model.pooler.mix.weight[0, : step.text.shape[1]] @ step.text + model.pooler.mix.bias
        expected = torch.tanh(model.pooler.dense(words + step.stream.mean(dim=1)))
        assert_same(model.pooler(step), expected)
        assert not torch.allclose(model.pooler(step), ours.pooler(plain), atol=1e-3)
