"""The reader: if it is frozen, a text is read once, and one with words dropped is read anew."""

import dataclasses

import pytest
import torch
from small_models import TEXTS, assert_same, make_model, words_of

from mtvm.errors import InputError
from mtvm.io.weight_files import read_weight_file, write_safetensors
from mtvm.learning.texts import Texts
from mtvm.models.language import READER_WIDTH
from mtvm.models.saving import WEIGHTS, load_model, save_compact
from mtvm.models.text import MASK, drop_words

DROPPED = 2
"""The word of each text that these tests drop."""


@pytest.fixture(scope="module")
def reading():
    return make_model(reader="minilm", reader_layers=2)


def drop_one(tokens):
    """The texts without one word each, and where it was; its draw is the only one below the rate."""
    draws = torch.ones(len(tokens.ids), int(tokens.words.max()) + 1)
    draws[:, DROPPED] = 0.0
    return drop_words(tokens, 0.5, draws)


def reworded(tokens):
    """The same texts with another word in that place."""
    there = tokens.words == DROPPED
    assert there.any(dim=1).sum() >= 2
    return dataclasses.replace(tokens, ids=torch.where(there, 900 - tokens.ids % 300, tokens.ids))


def test_reader_states_that_were_read_before_are_used(reading):
    tokens = words_of(TEXTS)
    read = reading.language.read(tokens)
    assert read.states.shape == (*tokens.ids.shape, READER_WIDTH)
    assert reading.language.read(read) is read
    with torch.no_grad():
        expected = reading.language(tokens, tokens.mask)
        assert_same(reading.language(read, read.mask), expected)
        other = dataclasses.replace(read, states=torch.zeros_like(read.states))
        assert not torch.allclose(reading.language(other, other.mask), expected, atol=1e-2)


def test_reader_has_no_gradients(reading):
    tokens = words_of(TEXTS)
    reading.language(tokens, tokens.mask).square().sum().backward()
    assert all(parameter.grad is None for parameter in reading.language.reader.parameters())
    assert reading.language.project.weight.grad.abs().sum() > 0


def test_a_reader_that_is_trained_learns_in_its_layers_and_is_saved(tmp_path):
    model = make_model(reader="minilm", reader_layers=1, train_reader=True, leading_cls=True)
    tokens = words_of(TEXTS)
    assert Texts(model, tokens, "texts", show_progress=False).select(torch.arange(2)).states is None
    model.encode(tokens).states.square().sum().backward()
    reader = dict(model.language.reader.named_parameters())
    learnt = {name for name, parameter in reader.items() if parameter.grad is not None and parameter.grad.any()}
    assert "encoder.layer.0.output.dense.weight" in learnt
    assert not any(name.startswith("embeddings.") for name in learnt)
    with torch.no_grad():
        reader["encoder.layer.0.output.dense.weight"].add_(1)
    save_compact(model, tmp_path, "card")
    loaded = dict(load_model(tmp_path, "cpu").language.reader.named_parameters())
    assert_same(loaded["encoder.layer.0.output.dense.weight"], reader["encoder.layer.0.output.dense.weight"], 1e-2)
    kept = {name: one for name, one in read_weight_file(tmp_path / WEIGHTS).items() if "reader" not in name}
    write_safetensors(tmp_path / WEIGHTS, kept)
    with pytest.raises(InputError, match="does not fit"):
        load_model(tmp_path, "cpu")


def test_reader_mixes_words_so_that_the_tests_below_can_fail(reading):
    """With the word still there, its neighbours' states depend on it."""
    tokens = words_of(TEXTS)
    one, two = (reading.language.read(text).states for text in (tokens, reworded(tokens)))
    kept = tokens.mask & (tokens.words != DROPPED)
    assert not torch.allclose(one[kept], two[kept], atol=1e-3)


def test_drop_words_forgets_what_the_reader_saw(reading):
    """Not only the states of the dropped word: those of its neighbours saw it too."""
    read = reading.language.read(words_of(TEXTS))
    dropped, where = drop_one(read)
    assert dropped.states is None
    assert (dropped.ids[where] == MASK).all()
    assert torch.equal(where, read.words == DROPPED)


def test_reader_states_of_kept_words_do_not_depend_on_a_dropped_word(reading):
    """Exactly: the reader is given [MASK] in both, so nothing of the word is left."""
    tokens = words_of(TEXTS)
    states = []
    for text in (tokens, reworded(tokens)):
        before = reading.language.read(text)
        dropped, _ = drop_one(before)
        states.append(reading.language.read(dropped).states)
        assert not torch.allclose(states[-1][tokens.mask], before.states[tokens.mask], atol=1e-3)
    assert torch.equal(*states)


@torch.no_grad()
def test_encode_with_a_reader_keeps_nothing_of_a_dropped_word(reading):
    """X', beside X in one pass, is X' of any other word in that place; X is not."""
    tokens = words_of(TEXTS)
    found = []
    for text in (tokens, reworded(tokens)):
        read = reading.language.read(text)
        found.append(reading.encode(read, drop_one(read)[0]))
    one, two = found
    assert torch.equal(one.variant(1).states, two.variant(1).states)
    assert not torch.allclose(one.variant(0).states, two.variant(0).states, atol=1e-3)


@pytest.fixture
def texts(reading, monkeypatch, tmp_path):
    """Texts with states from the cache, of the tokens and of the reworded ones."""
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path))
    tokens = words_of(TEXTS)
    return [Texts(reading, one, "texts", show_progress=False) for one in (tokens, reworded(tokens))]


def test_texts_select_then_drop_words_is_read_anew(reading, texts):
    """Through the cache, whose states saw the word: those of the dropped text are the same whatever the word was."""
    rows = torch.tensor([2, 0])
    states = []
    for one in texts:
        selected = one.select(rows)
        assert selected.states is not None
        dropped, where = drop_one(selected)
        assert where.any()
        states.append(reading.language.read(dropped).states)
        assert not torch.allclose(states[-1][selected.mask], selected.states[selected.mask], atol=1e-2)
    assert torch.equal(*states)


@torch.no_grad()
def test_texts_select_gives_the_encoder_the_states_that_were_read(reading, texts):
    """As read directly, but for the cache's half precision."""
    rows = torch.tensor([1, 2])
    selected = texts[0].select(rows)
    plain = words_of(TEXTS).select(rows)
    assert torch.equal(selected.ids, plain.ids)
    assert_same(selected.states[plain.mask], reading.language.read(plain).states[plain.mask], 2e-2)
    one, two = (reading.encode(tokens).states[plain.mask] for tokens in (selected, plain))
    assert_same(one, two, 5e-2)
