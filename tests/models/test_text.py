"""WordPieces of instructions, and the dropping of whole words."""

import pytest
import torch

from mtvm.machine import minilm_folder
from mtvm.models.text import CLS, MASK, PAD, SEP, Tokens, drop_words, tokenize

torch.set_num_threads(1)

LONG = "Walk past the ottoman and the chandeliers, then unlatch the door by the wainscoting."


@pytest.fixture(scope="module")
def pieces():
    """The vocabulary, by number."""
    return (minilm_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()


def readable(tokens, row, pieces):
    return [pieces[number] for number in tokens.ids[row][tokens.mask[row]].tolist()]


def test_tokenize_gives_lower_case_word_pieces_and_sep(pieces):
    tokens = tokenize(["Walk past the CHANDELIERS!"])
    assert readable(tokens, 0, pieces) == ["walk", "past", "the", "chan", "##del", "##iers", "!", "[SEP]"]


def test_tokenize_adds_cls_only_if_asked():
    plain, begun = tokenize([LONG]), tokenize([LONG], leading_cls=True)
    assert CLS not in plain.ids
    assert begun.ids[0].tolist() == [CLS, *plain.ids[0].tolist()]
    assert begun.words[0].tolist() == [-1, *plain.words[0].tolist()]


def test_tokenize_numbers_all_pieces_of_a_word_alike(pieces):
    tokens = tokenize([LONG])
    words = {}
    for piece, word in zip(readable(tokens, 0, pieces), tokens.words[0].tolist(), strict=True):
        words[word] = words.get(word, "") + piece.removeprefix("##")
    assert words.pop(-1) == "[SEP]"
    assert list(words) == sorted(words)
    assert " ".join(words.values()) == LONG.lower().replace(",", " ,").replace(".", " .")


def test_tokenize_pads_to_the_longest_text():
    tokens = tokenize(["Stop.", LONG, ""])
    lengths = tokens.mask.sum(dim=1).tolist()
    assert tokens.ids.shape == tokens.words.shape == (3, max(lengths))
    assert lengths[2] == 1
    for row, length in enumerate(lengths):
        assert tokens.ids[row, length - 1] == SEP
        assert (tokens.ids[row, length:] == PAD).all()
        assert (tokens.words[row, length - 1 :] == -1).all()
        assert tokens.mask[row].tolist() == [index < length for index in range(max(lengths))]


@pytest.mark.parametrize("leading_cls", [False, True])
@pytest.mark.parametrize("truncation", ["end", "start"])
@pytest.mark.parametrize("max_length", [2, 7, 80])
def test_tokenize_truncates_at_the_end_or_start(max_length, truncation, leading_cls):
    text = " ".join([LONG] * 8)
    whole = tokenize([text], 10_000)
    ids, words = whole.ids[0, :-1].tolist(), whole.words[0, :-1].tolist()
    room = max_length - 1 - leading_cls
    part = slice(room) if truncation == "end" else slice(len(ids) - room, None)
    tokens = tokenize([text, "Go."], max_length, leading_cls=leading_cls, truncation=truncation)
    assert tokens.ids[0].tolist() == [CLS] * leading_cls + ids[part] + [SEP]
    assert tokens.words[0].tolist() == [-1] * leading_cls + words[part] + [-1]
    assert tokens.ids.shape[1] == max_length


@pytest.mark.parametrize("truncation", ["end", "start"])
def test_tokenize_leaves_a_text_that_fits(truncation):
    tokens = tokenize([LONG], tokenize([LONG]).ids.shape[1], truncation=truncation)
    assert torch.equal(tokens.ids, tokenize([LONG]).ids)


def test_tokenize_reads_dialog_markers_as_words():
    tokens, plain = tokenize(["<NAV> left? <ORA> yes <TAR> sofa"]), tokenize(["navigator left? oracle yes target sofa"])
    assert torch.equal(tokens.ids, plain.ids)
    assert torch.equal(tokens.words, plain.words)


@pytest.mark.parametrize("name", ["[PAD]", "[SEP]", "[CLS]", "[MASK]"])
def test_tokenize_reads_a_special_tokens_name_as_text(name):
    """Somebody's instruction cannot end the text early or make a hole in it."""
    tokens = tokenize([f"Go {name} on to the door", LONG * 3])
    special = tokens.ids[0][tokens.words[0] >= 0]
    assert not set(special.tolist()) & {PAD, CLS, SEP, MASK}
    alone = tokens.select(torch.tensor([0]))
    assert alone.ids[0, -1] == SEP
    assert alone.mask.all()


def test_tokenize_of_no_texts_is_empty():
    tokens = tokenize([])
    assert tokens.ids.shape == tokens.words.shape == (0, 0)
    assert drop_words(tokens, 0.5)[1].shape == (0, 0)
    assert tokens.select(torch.tensor([], dtype=torch.long)).ids.shape == (0, 0)


def test_tokens_select_pads_only_to_the_longest_left():
    tokens = tokenize([LONG, "Stop here.", "Go."])
    for rows in (torch.tensor([2, 1]), torch.tensor([False, True, True])):
        some = tokens.select(rows)
        alone = tokenize(["Go.", "Stop here."] if rows.dtype == torch.long else ["Stop here.", "Go."])
        assert torch.equal(some.ids, alone.ids)
        assert torch.equal(some.words, alone.words)


def test_drop_words_drops_all_pieces_of_a_word():
    tokens = tokenize([LONG] * 200)
    masked, dropped = drop_words(tokens, 0.5, torch.rand(200, 128, generator=torch.Generator().manual_seed(0)))
    shares = set()
    for word in range(int(tokens.words.max()) + 1):
        of_word = dropped[:, tokens.words[0] == word]
        assert (of_word == of_word[:, :1]).all()
        shares.add(float(of_word[:, 0].float().mean()))
    assert all(0 < share < 1 for share in shares)
    assert len(shares) > 1, "all words fall together"
    assert (masked.ids[dropped] == MASK).all()
    assert torch.equal(masked.ids[~dropped], tokens.ids[~dropped])
    assert masked.words is tokens.words or torch.equal(masked.words, tokens.words)


def test_drop_words_never_drops_special_tokens_or_padding():
    tokens = tokenize([LONG, "Go.", ""], leading_cls=True)
    masked, dropped = drop_words(tokens, 1.0)
    assert torch.equal(dropped, tokens.words >= 0)
    assert (masked.ids[:, 0] == CLS).all()
    assert torch.equal(masked.mask, tokens.mask)
    assert ((masked.ids == SEP).sum(dim=1) == 1).all()


def test_drop_words_at_rate_zero_drops_nothing():
    tokens = tokenize([LONG])
    before = tokens.ids.clone()
    assert not drop_words(tokens, 0.0)[1].any()
    drop_words(tokens, 1.0)
    assert torch.equal(tokens.ids, before)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_drop_words_drops_at_the_rate(rate):
    count = 20_000
    words = torch.arange(100).repeat(count // 100, 1)
    _, dropped = drop_words(
        Tokens(words + 1000, words), rate, torch.rand(200, 128, generator=torch.Generator().manual_seed(1))
    )
    deviation = (rate * (1 - rate) / count) ** 0.5
    assert abs(float(dropped.float().mean()) - rate) < 4 * deviation


def test_drop_words_follows_its_draws():
    tokens = tokenize([LONG] * 8)

    def draw(seed):
        return drop_words(tokens, 0.5, torch.rand(200, 128, generator=torch.Generator().manual_seed(seed)))[1]

    assert torch.equal(draw(3), draw(3))
    assert not torch.equal(draw(3), draw(4))
    rows = draw(3)
    assert not (rows == rows[:1]).all(), "every episode of a batch loses the same words"
