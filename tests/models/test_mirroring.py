"""Instructions as they would be told in mirrored buildings, in the languages whose words for left and right we know."""

import pytest
import torch

from mtvm.models.mirroring import language_of, mirror_text
from mtvm.models.text import tokenize, with_mirrored


@pytest.mark.parametrize(
    ("language", "text", "mirrored"),
    [
        ("en", "Turn left, then RIGHT.", "Turn right, then LEFT."),
        (
            "en",
            "Left, on the right-hand side, the leftmost",
            "Right, on the left-hand side, the rightmost",
        ),
        ("en", "Wait right there. Turn right", "Wait right there. Turn left"),
        ("en", "It is bright upright", "It is bright upright"),
        ("zh", "向左转，再右转", "向右转，再左转"),
        ("zh", "走一米左右，左右两边", "走一米左右，左右两边"),
    ],
)
def test_mirror_text_exchanges_left_and_right(language, text, mirrored):
    assert mirror_text(text, language) == mirrored
    assert mirror_text(mirrored, language) == text


def test_mirror_text_agrees_with_the_mirrored_wordpieces():
    texts = ["Turn left and wait right there.", "Go to the leftmost door; it is on your RIGHT.", "Stop right here"]
    expected = with_mirrored(tokenize(texts)).ids[len(texts) :]
    assert torch.equal(tokenize([mirror_text(text, "en") for text in texts]).ids, expected)


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["Go to the sofa.", "Turn left and stop"], "en"),
        (["向左转", "走到沙发前"], "zh"),
        (["向左转", "Go to the sofa"], None),
        (["Gehe zum Sofa"], None),
        (["बाईं ओर मुड़ें"], None),
        (["左に曲がって、ソファの前で止まる"], None),
        ([], None),
        (["", " "], None),
    ],
)
def test_language_of_texts_is_known_or_nothing(texts, language):
    assert language_of(texts) == language


def test_dialogs_in_which_nobody_has_spoken_say_nothing_of_their_language():
    assert language_of(["<NAV> Do I go left? <ORA> Yes, to the door. <TAR> towel", "<TAR> towel"]) == "en"
    assert language_of(["<NAV> Left? <ORA> Yes, to the door. <TAR> towel", *["<TAR> wall mounted shelf"] * 9]) == "en"
    assert language_of(["<TAR> towel", "<TAR> rug"]) is None
