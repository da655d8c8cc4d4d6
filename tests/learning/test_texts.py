"""Texts read once by a frozen reader, and encoded once for several rollouts."""

import dataclasses

import numpy as np
import pytest
import torch
from slow_walks import STEPS, draws_of, with_variants
from small_runs import SMALL, STEADY, lively_model

from mtvm.configs.run import A2CConfig, ConsistencyConfig, ImitationConfig
from mtvm.learning import texts as texts_module
from mtvm.learning.losses.a2c import A2C
from mtvm.learning.losses.consistency import Consistency
from mtvm.learning.losses.imitation import Imitation
from mtvm.learning.rollout import roll_out
from mtvm.learning.texts import EncodedTexts, Texts
from mtvm.learning.trace import Needs, RolloutPlan
from mtvm.models import language
from mtvm.models.model import MTVM
from mtvm.models.text import tokenize
from mtvm.models.weights import load_reader

ROWS = np.array([3, 0, 17, 8, 30])

# Reading


@pytest.fixture(scope="module")
def reader():
    """A small model on top of the real, frozen MiniLM."""
    torch.manual_seed(0)
    model = MTVM(dataclasses.replace(STEADY, reader="minilm", leading_cls=True))
    load_reader(model)
    return model


TEXTS = ["Walk past the sofa.", "Stop.", "Go up the stairs, turn left and wait beside the chandelier."]


def test_texts_have_the_states_that_the_reader_gives_now(reader):
    tokens = tokenize(TEXTS, leading_cls=True)
    texts = Texts(reader, tokens, "texts", show_progress=False)
    for rows in ([0, 1, 2], [1], [2, 0]):
        found = texts.select(torch.tensor(rows))
        expected = reader.language.read(tokens.select(torch.tensor(rows)))
        assert torch.equal(found.ids, expected.ids)
        torch.testing.assert_close(found.states[found.mask], expected.states[expected.mask], atol=2e-3, rtol=2e-3)
        assert (found.states[~found.mask] == 0).all()
        with torch.no_grad():
            one, two = (reader.encode(text).states[found.mask] for text in (found, expected))
        torch.testing.assert_close(one, two, atol=2e-2, rtol=0)


def test_texts_are_read_once_and_kept_in_the_cache(reader, monkeypatch):
    tokens = tokenize(TEXTS[:2], leading_cls=True)
    first = Texts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0, 1]))
    monkeypatch.setattr(language.LanguageEncoder, "read", lambda *_: 1 / 0)
    again = Texts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0, 1]))
    assert torch.equal(first.states, again.states)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 rubbish", "a changed bit", None])
def test_texts_with_a_damaged_or_unwritable_cache_are_read_again(reader, tmp_path, monkeypatch, content):
    tokens = tokenize(TEXTS[1:2], leading_cls=True)
    folder = tmp_path / "cache"
    monkeypatch.setenv("MTVM_CACHE", str(folder))
    if content is None:
        folder.write_text("a file where the cache should be")
    else:
        Texts(reader, tokens, "texts", show_progress=False)
        (cached,) = (folder / "texts").iterdir()
        whole = bytearray(cached.read_bytes())
        whole[len(whole) // 2 + 1] ^= 0x40  # the high byte of a number
        cached.write_bytes(whole if isinstance(content, str) else content)
    found = Texts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0]))
    torch.testing.assert_close(found.states, reader.language.read(tokens).states, atol=2e-3, rtol=2e-3)


def test_texts_that_take_too_much_memory_have_no_states(reader, monkeypatch):
    monkeypatch.setattr(texts_module, "_MOST_BYTES", 10)
    texts = Texts(reader, tokenize(TEXTS), "texts", show_progress=False)
    assert texts.select(torch.tensor([1])).states is None


def test_texts_without_a_reader_are_only_selected():
    tokens = tokenize(TEXTS)
    found = Texts(MTVM(SMALL), tokens, "texts", show_progress=False).select(torch.tensor([1]))
    assert found.states is None
    assert found.ids.tolist() == tokens.select(torch.tensor([1])).ids.tolist()


def test_texts_of_another_reader_or_of_other_words_are_read_for_themselves(reader):
    one, other = (tokenize([text], leading_cls=True) for text in ("Turn left.", "Turn right."))
    first, second = (
        Texts(reader, tokens, "texts", show_progress=False).select(torch.tensor([0])) for tokens in (one, other)
    )
    assert not torch.equal(first.states, second.states)
    shallow = MTVM(dataclasses.replace(reader.config, reader_layers=1))
    load_reader(shallow)
    third = Texts(shallow, one, "texts", show_progress=False).select(torch.tensor([0]))
    assert not torch.equal(first.states, third.states)


def test_texts_know_more_than_the_number_of_any_word():
    tokens = tokenize(TEXTS)
    assert Texts(lively_model(), tokens, "texts", show_progress=False).words == int(tokens.words.max()) + 1
    assert Texts(lively_model(), tokenize([""]), "texts", show_progress=False).words == 1


# Encoding


def gradients(model):
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("consistent", [False, True], ids=["alone", "consistent"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"architecture": {"bidirectional": False}}, {"history": "recurrent"}, {"architecture": "vlnbert"}],
    ids=str,
)
def test_encoded_texts_give_the_gradients_of_rollouts_that_encode_for_themselves(
    changes, consistent, vision, tiny_r2r, tokens
):
    model = lively_model(**changes)
    episodes, words = tiny_r2r.select(ROWS), tokens.select(torch.from_numpy(ROWS))
    consistency = Consistency(ConsistencyConfig())
    losses = {"teacher": [Imitation(ImitationConfig(weight=0.2))], "sample": [A2C(A2CConfig())]}
    numbered, variants = with_variants(RolloutPlan("teacher", STEPS), words, *([consistency] if consistent else []))
    if consistent:
        losses = {policy: [*some, consistency] for policy, some in losses.items()}

    def learn(encode):
        for policy, some in losses.items():
            needs = Needs()
            for loss in some:
                needs |= loss.needs
            draws = draws_of(0, STEPS, len(ROWS))
            plan = dataclasses.replace(numbered, policy=policy, needs=needs, action_draws=draws)
            trace = roll_out(model, vision, episodes, encode(), plan, keep_steps=True)
            terms = [term for loss in some for term in loss(trace)]
            sum(term.weight * term.total / term.count for term in terms).backward()

    learn(lambda: model.encode(*variants))
    expected = gradients(model)
    model.zero_grad(set_to_none=True)
    once = EncodedTexts(model, variants)
    learn(lambda: once.text)
    without = gradients(model)
    assert not any(name.startswith("language.") for name in without)
    once.backward()
    found = gradients(model)
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        scale = float(expected[name].abs().max())
        assert float((gradient - expected[name]).abs().max()) <= 1e-5 + 1e-4 * scale, name
    assert any(name.startswith("language.") and gradient.any() for name, gradient in found.items())


def test_encoded_texts_that_no_rollout_used_have_no_gradient(tokens):
    model = lively_model()
    EncodedTexts(model, [tokens.select(torch.from_numpy(ROWS))]).backward()
    assert gradients(model) == {}
