"""What each text reader makes of texts in several languages."""

import dataclasses
import json
import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.models.characters import FIRST, Bytes, Characters
from mtvm.models.config import PRESETS, TEXT_READERS, ModelConfig
from mtvm.models.network import make_network
from mtvm.models.text import TextReader, WordPieces, drop_words, letters, read_texts, text_reader, tokenize

ENGLISH = "Turn left, then walk past 2 sofas."
HINDI = "बाईं ओर मुड़ें।"
TELUGU = "ఎడమవైపు తిరిగి"
CHINESE = "向左转，走到沙发前"
EVERY = [text_reader(name) for name in TEXT_READERS]
every_reader = pytest.mark.parametrize("reader", EVERY, ids=list(TEXT_READERS))


def words_of(tokens, row=0):
    """The tokens of each word of a text, by its number."""
    found = {}
    for token, word in zip(tokens.ids[row].tolist(), tokens.words[row].tolist(), strict=True):
        if word >= 0:
            found.setdefault(word, []).append(token)
    return found


@every_reader
@given(st.text(max_size=60))
def test_reader_numbers_the_words_that_it_names(reader, text):
    tokens, names = reader.tokenize([text], 1000), reader.words(text)
    split = [ids for _, ids in reader.split(text)]
    found = words_of(tokens)
    assert all(found.get(number, []) == ids for number, ids in enumerate(split))
    assert len(names) == len(split)
    assert int(tokens.ids.min()) >= 0
    assert int(tokens.ids.max()) < reader.vocabulary


@every_reader
def test_reader_truncates_pads_and_marks_like_any_other(reader):
    texts = [ENGLISH, CHINESE, ""]
    tokens = reader.tokenize(texts, 12, leading_cls=True)
    assert tokens.ids[:, 0].tolist() == [reader.cls] * 3
    assert tokens.ids[2, :2].tolist() == [reader.cls, reader.sep]
    assert tokens.ids.shape[1] <= 12
    whole = reader.tokenize(texts, 1000)
    start = reader.tokenize(texts, 5, truncation="start")
    length = int(whole.lengths[0])
    assert start.ids[0].tolist() == whole.ids[0, length - 5 : length].tolist()
    assert tokens.cut == sum(int(one) > 11 for one in whole.lengths.tolist())


@every_reader
def test_reader_gives_dropped_words_its_own_mask(reader):
    tokens = reader.tokenize([ENGLISH], 1000)
    masked, dropped = drop_words(tokens.select(torch.tensor([0])), 1.0)
    assert set(masked.ids[dropped].tolist()) == {reader.mask}
    assert masked.ids[0, -1] == reader.sep


@given(st.text(max_size=60))
def test_bytes_are_those_of_the_text(text):
    tokens = Bytes().tokenize([text], 10_000)
    read = bytes(token - FIRST for ids in words_of(tokens).values() for token in ids).decode("utf-8")
    composed = unicodedata.normalize("NFC", text).lower()
    for marker in ("<nav>", "<ora>", "<tar>"):
        assert marker not in composed
    assert read == " ".join(composed.encode("utf-8", errors="replace").decode("utf-8").split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENGLISH, ["turn", "left", ",", "then", "walk", "past", "2", "sofas", "."]),
        (HINDI, ["बाईं", "ओर", "मुड़ें", "।"]),
        (TELUGU, ["ఎడమవైపు", "తిరిగి"]),
        (CHINESE, list(CHINESE)),
        ("  Gehe   zur\tTür! ", ["gehe", "zur", "tür", "!"]),
    ],
)
def test_characters_fall_into_the_words_of_their_language(text, words):
    composed = [unicodedata.normalize("NFC", word) for word in words]
    for reader in (Bytes(), Characters()):
        assert list(reader.words(text)) == composed


def test_characters_are_one_token_each():
    assert len(words_of(Characters().tokenize([CHINESE], 100))) == len(CHINESE)
    ids = Characters().tokenize(["左右"], 100).ids[0, :2].tolist()
    assert ids == [FIRST + ord(sign) % Characters.PLACES for sign in "左右"]


def test_letters_of_one_alphabet_have_embeddings_of_their_own():
    for first, last in ((0x20, 0x24F), (0x370, 0x52F), (0x900, 0xDFF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3)):
        numbers = [code % Characters.PLACES for code in range(first, last + 1)]
        assert len(set(numbers)) == len(numbers)


# What cannot be read


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (ENGLISH, 0),
        ("Gehe zur Tür, à côté", 0),  # uncased BERT reads tur: another letter, but a letter
        ("म", 0),
        ("में", 2),  # the vowel sign and the nasal
        ("ओर", 2),  # an unknown word
        ("🛋 sofa", 0),  # a sign and no letter
        ("卐", 1),
    ],
)
def test_wordpieces_count_the_letters_that_they_lose(text, lost):
    assert WordPieces().unreadable(text) == lost
    assert 0 <= lost <= letters(text)


def test_wordpieces_lose_much_of_other_languages_and_the_others_nothing():
    for text in (HINDI, TELUGU, CHINESE):
        assert WordPieces().unreadable(text) / letters(text) > 0.2
        assert Bytes().unreadable(text) == Characters().unreadable(text) == 0


# In a model


def test_model_without_a_text_reader_in_its_config_reads_english(tmp_path):
    config = PRESETS["tiny"]
    config.save(tmp_path / "config.json")
    values = json.loads((tmp_path / "config.json").read_text())
    del values["text_reader"]
    values["vocabulary"] = 30522
    (tmp_path / "config.json").write_text(json.dumps(values))
    old = ModelConfig.load(tmp_path / "config.json")
    assert torch.equal(read_texts([ENGLISH], old).ids, tokenize([ENGLISH]).ids)
    assert old.tokens_known == config.tokens_known == 30522


@pytest.mark.parametrize(("name", "words"), [("bytes", 260), ("characters", 32753), ("wordpiece-en", 30522)])
def test_model_has_as_many_embeddings_as_its_reader_has_tokens(name, words, tmp_path):
    config = dataclasses.replace(PRESETS["tiny"], text_reader=name)
    agent = Agent(make_network(config))
    assert agent.model.language.bert.embeddings.word_embeddings.weight.shape[0] == words
    agent.save_pretrained(tmp_path / "agent")
    again = Agent.from_pretrained(tmp_path / "agent", "cpu")
    assert again.model.config.text_reader == name
    tokens = read_texts([HINDI, CHINESE], again.model.config)
    assert torch.equal(agent.model.encode(tokens).states, again.model.encode(tokens).states)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text_reader": "words"}, "text_reader 'words' is not one of wordpiece-en, bytes, characters, and not"),
        ({"text_reader": "bytes", "reader": "minilm"}, "reader minilm reads English WordPieces, not bytes"),
    ],
)
def test_model_refuses_readers_that_cannot_be(options, said):
    with pytest.raises(InputError, match=said):
        ModelConfig(**options)


def test_model_reads_longer_texts_in_smaller_tokens():
    config = ModelConfig(text_reader="bytes")
    assert config.text_length_for(80) == 400
    assert config.text_length_for(300) == 512, "there are no more positions"
    assert ModelConfig().text_length_for(300) == 300


def test_reader_of_ones_own_needs_little():
    class Words(TextReader):
        vocabulary = 4 + 26

        def split(self, text):
            return [(word, [4 + (ord(word[0].lower()) - 97) % 26]) for word in text.split()]

    reader = Words()
    tokens = reader.tokenize(["go left <NAV>"], 3)
    assert tokens.ids.tolist() == [[4 + 6, 4 + 11, 2]]
    assert reader.words("go left <NAV>") == ("go", "left", "navigator")
    assert reader.attention_by_word("go left", [0, 1, -1], [0.25, 0.5, 0.25]) == [("go", 0.25), ("left", 0.5)]
