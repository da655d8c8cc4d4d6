"""Texts that are too long for a model are counted and told."""

from mtvm.configs.data import DataConfig, Split
from mtvm.learning.data import Data
from mtvm.models.config import ModelConfig
from mtvm.models.text import tokenize


def test_tokenize_counts_the_texts_that_it_cuts():
    texts = ["walk", "walk to the kitchen", "walk to the kitchen and stop"]
    assert tokenize(texts, 7).cut == 0
    assert tokenize(texts, 6).cut == 1
    assert tokenize(texts, 6, leading_cls=True).cut == 1
    assert tokenize(texts, 5, leading_cls=True).cut == 2


def told(small_data, capsys, max_text, show_progress=True):
    data = Data(
        DataConfig(folder=small_data, sight="blind"), ModelConfig(max_text=max_text), show_progress=show_progress
    )
    data.dataset(Split.parse("ndh/val_unseen"))
    return capsys.readouterr().err


def test_data_says_how_many_texts_of_a_split_are_cut(small_data, capsys):
    message = told(small_data, capsys, 8)
    assert "texts of ndh/val_unseen have more than 8 WordPieces and lose their start" in message
    assert "--model.max-text" in message


def test_data_says_nothing_if_no_text_is_cut_or_nobody_listens(small_data, capsys):
    assert told(small_data, capsys, 300) == ""
    assert told(small_data, capsys, 8, show_progress=False) == ""
