"""Fine-Grained R2R's files: sub-instructions and the words that belong to them."""

import json

import pytest

from mtvm.errors import InputError
from mtvm.models.text import WordPieces
from mtvm.tasks.sub_instructions import SubInstruction, part_of_word, parts_of_step, read_sub_instructions

TEXT = "Walk past the chairs, turn left. Stop by the sofa."
WORDS = [["walk", "past", "the", "chair", "turn", "left"], ["stop", "by", "the", "sofa"]]


def write(path, words=WORDS, spans=((1, 3), (3, 3)), **changes):
    entry = {"path_id": 7, "new_instructions": str([words]), "chunk_view": [[list(span) for span in spans]]}
    path.write_text(json.dumps([entry | changes]))
    return path


def test_parts_are_read_with_viewpoints_counted_from_zero(tmp_path):
    parts = read_sub_instructions(write(tmp_path / "fg.json"))["7_0"]
    assert [(part.first, part.last) for part in parts] == [(0, 2), (2, 2)]
    assert parts[1].words == ("stop", "by", "the", "sofa")


def test_words_may_also_be_plain_lists(tmp_path):
    assert read_sub_instructions(write(tmp_path / "a.json")) == read_sub_instructions(
        write(tmp_path / "b.json", new_instructions=[WORDS])
    )


@pytest.mark.parametrize(("step", "covered"), [(0, [True, False]), (1, [True, False]), (2, [False, True])])
def test_a_step_belongs_to_the_part_whose_viewpoints_it_joins_and_stop_to_the_last_part(step, covered):
    parts = [SubInstruction((), 0, 2), SubInstruction((), 2, 2)]
    assert parts_of_step(parts, step, 3).tolist() == covered


def test_each_word_belongs_to_a_part_stems_and_signs_included():
    parts = [SubInstruction(tuple(words), 0, 1) for words in WORDS]
    names = WordPieces().words(TEXT)
    belongs = part_of_word(names, parts).tolist()
    assert belongs == [0] * (names.index(".") + 1) + [1] * (len(names) - names.index(".") - 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"new_instructions": "[[['walk']"},
        {"new_instructions": "__import__('os')"},
        {"new_instructions": "[" * 5000},
        {"new_instructions": 7},
        {"chunk_view": [[[1, 3]]]},
        {"chunk_view": [[[0, 3], [3, 3]]]},
        {"chunk_view": [[[3, 1], [3, 3]]]},
        {"chunk_view": []},
        {"chunk_view": [[[1, 3], ["3", 3]]]},
        {"chunk_view": [7]},
    ],
    ids=str,
)
def test_a_spoiled_file_is_refused_in_one_sentence(tmp_path, changes):
    path = write(tmp_path / "fg.json", **changes)
    with pytest.raises(InputError) as refused:
        read_sub_instructions(path)
    assert str(path) in str(refused.value)


def test_a_list_that_would_take_gigabytes_is_not_read(tmp_path):
    """6 MB of zeros took 2.8 GB."""
    with pytest.raises(InputError, match="has more than 100,000 letters"):
        read_sub_instructions(write(tmp_path / "fg.json", new_instructions=f"[{'0,' * 50_000}]"))


@pytest.mark.parametrize(("split", "count"), [("val_seen", 1020), ("val_unseen", 2349)])
def test_the_released_files_fit_r2r(real_data, split, count):
    from mtvm.tasks.data import DataFolder
    from mtvm.tasks.load import load_episodes

    parts = read_sub_instructions(real_data / "FGR2R" / f"FGR2R_{split}.json")
    episodes = load_episodes("r2r", split, DataFolder(real_data))
    assert len(set(episodes.ids) & set(parts)) >= count - 1
    lengths = dict(zip(episodes.ids, episodes.reference_lengths, strict=True))
    assert all(part.last < lengths[one] for one, some in parts.items() if one in lengths for part in some)
