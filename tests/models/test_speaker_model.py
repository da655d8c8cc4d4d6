"""The speaker's network."""

import pytest
import torch

from mtvm.errors import InputError
from mtvm.models.config import SpeakerModelConfig
from mtvm.models.speaker import PathInputs, Speaker, vocabulary_of
from mtvm.models.text import CLS, PAD, SEP

WIDTH = 6


@pytest.fixture
def speaker():
    torch.manual_seed(0)
    config = SpeakerModelConfig(
        hidden=16, heads=2, encoder_layers=1, decoder_layers=2, feature_width=WIDTH, vocabulary=12
    )
    pieces = torch.tensor([CLS, SEP, *range(1000, 1010)])
    model = Speaker(config, pieces).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def paths(lengths, seed=0):
    generator = torch.Generator().manual_seed(seed)
    batch, steps = len(lengths), max(lengths)
    mask = torch.arange(steps) < torch.tensor(lengths)[:, None]
    return PathInputs(
        torch.randn(batch, steps, WIDTH + 4, generator=generator),
        torch.randn(batch, steps, 3, WIDTH + 4, generator=generator),
        mask,
    )


def test_speaker_predicts_a_word_from_those_before_it_only(speaker):
    words = torch.randint(2, 12, (2, 7))
    changed = words.clone()
    changed[:, 4:] = 3
    one, two = speaker(paths([3, 5]), words), speaker(paths([3, 5]), changed)
    assert torch.allclose(one[:, :4], two[:, :4], atol=1e-5)
    assert not torch.allclose(one[:, 4:], two[:, 4:], atol=1e-3)


def test_speaker_ignores_what_pads_a_path(speaker):
    both = paths([3, 5])
    alone = PathInputs(both.actions[:1, :3], both.views[:1, :3], both.mask[:1, :3])
    words = torch.randint(2, 12, (2, 6))
    assert torch.allclose(speaker(both, words)[0], speaker(alone, words[:1])[0], atol=1e-5)


def test_speaker_says_greedily_what_its_logits_say(speaker):
    """Word by word with a cache, and all words at once, are the same."""
    for seed in range(4):
        path = paths([4, 2, 6], seed)
        said = speaker.say(path, max_words=9, unrepeated=0)
        for row, ids in enumerate(said):
            indices = speaker.indices(torch.tensor([[CLS, *ids]]))
            one = PathInputs(*(part[row : row + 1] for part in path))
            logits = speaker(one, indices)[0]
            logits[:, 0] = -torch.inf
            best = speaker.pieces[logits.argmax(dim=-1)].tolist()
            assert best[: len(ids)] == ids
            assert len(ids) == 9 or best[len(ids)] == SEP


def repeated(ids, length):
    """Whether a sequence of `length` pieces occurs twice."""
    sequences = [tuple(ids[start : start + length]) for start in range(len(ids) - length + 1)]
    return len(set(sequences)) < len(sequences)


def test_speaker_does_not_go_in_circles(speaker):
    path = paths([4, 2, 6, 3, 5])
    free, kept = (speaker.say(path, max_words=40, unrepeated=length) for length in (0, 3))
    assert any(repeated(ids, 3) for ids in free)
    assert not any(repeated(ids, 3) for ids in kept)
    assert any(repeated(ids, 2) for ids in kept)  # shorter ones may come again


def test_speaker_samples_by_its_generator(speaker):
    def say(seed):
        generator = torch.Generator().manual_seed(seed)
        return speaker.say(paths([4] * 8), max_words=9, temperature=2.0, generator=generator)

    assert say(1) == say(1)
    assert say(1) != say(2)


def test_speaker_indices_are_minus_one_for_padding_and_unknown_pieces(speaker):
    ids = torch.tensor([[CLS, 1003, 1500, SEP, PAD]])
    assert speaker.indices(ids).tolist() == [[0, 5, -1, 1, -1]]


def test_speaker_saved_and_loaded_is_the_same(speaker, tmp_path):
    speaker.save(tmp_path / "speaker")
    loaded = Speaker.load(tmp_path / "speaker")
    assert not loaded.training
    words = torch.randint(2, 12, (2, 6))
    assert torch.equal(loaded(paths([3, 5]), words), speaker(paths([3, 5]), words))


def test_speaker_load_answers_a_mistake_with_one_sentence(speaker, tmp_path):
    with pytest.raises(InputError, match="no speaker here"):
        Speaker.load(tmp_path)
    speaker.save(tmp_path)
    text = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(text.replace('"hidden": 16', '"hidden": 32'))
    with pytest.raises(InputError, match="does not fit"):
        Speaker.load(tmp_path)
    (tmp_path / "config.json").write_text(text.replace('"hidden": 16', '"hidden": 1048576'))
    with pytest.raises(InputError, match="describes a larger speaker"):
        Speaker.load(tmp_path)
    (tmp_path / "config.json").write_text(text)
    content = bytearray((tmp_path / "model.safetensors").read_bytes())
    content[-9] ^= 1
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="these weights are damaged"):
        Speaker.load(tmp_path)


def test_speaker_refuses_words_and_weights_that_cannot_be(speaker, tmp_path):
    speaker.pieces[3] = -5
    speaker.save(tmp_path)
    with pytest.raises(InputError, match="does not fit"):
        Speaker.load(tmp_path)
    speaker.pieces[3] = 1000
    with torch.no_grad():
        speaker.norm.weight[0] = torch.nan
    speaker.save(tmp_path)
    with pytest.raises(InputError, match=r"model\.safetensors: the weights norm\.weight are not all finite"):
        Speaker.load(tmp_path)
    with torch.no_grad():
        speaker.norm.weight.fill_(3e38)
    with pytest.raises(InputError, match="give numbers that are not finite"):
        speaker.say(paths([3]), temperature=1.0)


def test_speaker_sizes_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="cannot be divided"):
        SpeakerModelConfig(hidden=10, heads=4)
    with pytest.raises(InputError, match="decoder_layers must be a whole number from 1 to 1000, not 0"):
        SpeakerModelConfig(decoder_layers=0)
    with pytest.raises(InputError, match="vocabulary must be a whole number of at least 0, not -1"):
        SpeakerModelConfig(vocabulary=-1)
    with pytest.raises(InputError, match="decoder_layers must be a whole number from 1 to 1000, not 100000"):
        SpeakerModelConfig(decoder_layers=100_000)


def test_vocabulary_of_has_the_frequent_pieces():
    ids = torch.tensor([[CLS, 7, 9, 7, SEP, PAD], [CLS, 9, 8, SEP, PAD, PAD]])
    assert vocabulary_of(ids, least=2).tolist() == [CLS, SEP, 7, 9]
    assert vocabulary_of(ids, least=1).tolist() == [CLS, SEP, 7, 8, 9]
