"""The language encoder: chunks and freezing; and the texts of episodes that go on."""

import pytest
import torch
from small_models import TEXTS, assert_same, make_model, make_walk, words_of

MANY = [" ".join(["walk past the red sofa then go left"] * (1 + number % 4)) for number in range(40)]


def test_language_encoder_in_chunks_is_that_of_single_texts():
    model, tokens = make_model(), words_of(MANY)
    with torch.no_grad():
        states = model.language(tokens, tokens.mask)
        for row in (0, 3, 38, 39):
            alone = tokens.select(torch.tensor([row]))
            expected = model.language(alone, alone.mask)[0]
            assert_same(states[row, : len(expected)], expected)


def test_language_encoder_freeze_stops_the_first_layers():
    model = make_model(language_layers=3)
    model.language.freeze(2)
    model.train()
    tokens = words_of(TEXTS)
    model.language(tokens, tokens.mask).square().sum().backward()
    bert = model.language.bert
    frozen = [bert.embeddings, *bert.encoder.layer[:2]]
    assert all(parameter.grad is None for part in frozen for parameter in part.parameters())
    assert not any(part.training for part in frozen)
    assert all(parameter.grad is not None for parameter in bert.encoder.layer[2].parameters())
    assert bert.encoder.layer[2].training


@pytest.mark.parametrize("bidirectional", [True, False])
def test_text_keep_is_the_encoding_of_those_kept(bidirectional):
    model = make_model(architecture__bidirectional=bidirectional)
    tokens, rows = words_of(TEXTS), torch.tensor([2, 1])
    with torch.no_grad():
        kept, alone = model.encode(tokens).keep(rows), model.encode(tokens.select(rows))
    assert torch.equal(kept.mask, alone.mask)
    assert torch.equal(kept.real, alone.real)
    assert_same(kept.states[kept.mask], alone.states[alone.mask])
    assert len(kept.cache) == len(alone.cache)
    for found, expected in zip(kept.cache, alone.cache, strict=True):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)


@torch.no_grad()
@pytest.mark.parametrize("variants", [1, 2])
def test_text_keep_leaves_padding_that_the_released_code_pools(variants):
    """So the critic's value of an episode does not change when others leave."""
    model = make_model(architecture__released__padding=True)
    text = model.encode(*[words_of(TEXTS)] * variants)
    move, rows = make_walk(model.config, steps=1)[0], torch.tensor([1])
    kept = text.keep(rows)
    assert kept.states.shape[1] == text.states.shape[1] == 80
    whole = model.step(text, model.start(text), move.actions, move.mask)
    alone = model.step(kept, model.start(kept), move.actions[rows], move.mask[rows])
    assert_same(model.value(alone.variants(variants)[-1]), model.value(whole.variants(variants)[-1])[rows])


@torch.no_grad()
def test_language_encoder_in_chunks_hides_the_tokens_that_are_hidden():
    """One padded pass, with most tokens hidden from attention, the first one always."""
    model, tokens = make_model(), words_of(MANY)
    hidden = torch.rand(tokens.ids.shape, generator=torch.Generator().manual_seed(0)) < 0.8
    visible = tokens.mask & ~hidden
    visible[:, 1] |= tokens.mask[:, 1]
    visible[:, 0] = False
    whole = model.language.bert(input_ids=tokens.ids, attention_mask=visible.long()).last_hidden_state
    chunks = model.language(tokens, visible)
    assert chunks.shape == whole.shape
    assert_same(chunks[tokens.mask], whole[tokens.mask])
    assert not torch.allclose(chunks[tokens.mask], model.language(tokens, tokens.mask)[tokens.mask], atol=1e-2)
