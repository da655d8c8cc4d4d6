"""Attention on the sub-instruction of each step, against chance."""

import dataclasses

import numpy as np
import pytest
from small_runs import SMALL, lively_model

from mtvm.configs.data import Split
from mtvm.errors import InputError
from mtvm.learning.data import Dataset
from mtvm.learning.grounding import Grounding, led_along_paths, measure_grounding
from mtvm.models.text import WordPieces
from mtvm.tasks.sub_instructions import SubInstruction


@pytest.fixture(scope="module")
def dataset(vision, tiny_r2r, tokens):
    return Dataset(Split.parse("r2r/val_unseen"), tiny_r2r, vision, tokens, 15, "goal")


def halves(episodes):
    """Two parts for each instruction: the first half of its words for the first half of the path, and so on."""
    parts = {}
    for one, text, length in zip(episodes.ids, episodes.texts, episodes.reference_lengths.tolist(), strict=True):
        words, middle = WordPieces().words(text), length // 2
        half = len(words) // 2
        parts[one] = [
            SubInstruction(tuple(words[:half]), 0, middle),
            SubInstruction(tuple(words[half:]), middle, length - 1),
        ]
    return parts


def test_agents_are_led_along_the_reference_paths(dataset):
    events = led_along_paths(lively_model(), dataset, show_progress=False)
    episodes = dataset.episodes
    for row, some in enumerate(events):
        path = episodes.references[row][: episodes.reference_lengths[row]]
        assert [event.viewpoint for event in some] == episodes.world.viewpoints[path].tolist()
        assert some[-1].stops


def test_shares_are_those_of_a_slow_count(dataset):
    model, parts = lively_model(), halves(dataset.episodes)
    done = measure_grounding(model, dataset, parts, show_progress=False)
    wanted, chances = [], []
    for row, events in enumerate(led_along_paths(model, dataset, show_progress=False)):
        half = len(WordPieces().words(dataset.episodes.texts[row])) // 2
        middle = int(dataset.episodes.reference_lengths[row]) // 2
        shares, chance = [], []
        for event in events:
            weights = [weight for _, weight in event.words]
            in_first = event.step < middle
            part = sum(weights[:half] if in_first else weights[half:])
            shares.append(part / sum(weights))
            chance.append((half if in_first else len(weights) - half) / len(weights))
        wanted.append(100 * np.mean(shares))
        chances.append(100 * np.mean(chance))
    np.testing.assert_allclose(done.on_part, wanted)
    np.testing.assert_allclose(done.chance, chances)
    assert done.scans == [dataset.episodes[row].scan for row in range(len(dataset))]


def test_agents_are_compared_in_the_episodes_of_both():
    def of(ids, shares):
        return Grounding(ids, [f"scan of {one}" for one in ids], np.array(shares), np.zeros(len(ids)), 0)

    more, scans = of(["a", "b", "c"], [50.0, 40.0, 30.0]).more_than(of(["c", "a"], [25.0, 60.0]))
    assert more.tolist() == [-10, 5]
    assert scans == ["scan of a", "scan of c"]


def test_instructions_of_one_part_say_nothing(dataset):
    parts = halves(dataset.episodes)
    first = dataset.episodes.ids[0]
    parts[first] = [dataclasses.replace(parts[first][0], last=9)]
    assert len(measure_grounding(lively_model(), dataset, parts, show_progress=False).scans) == len(dataset) - 1


def test_sub_instructions_of_another_split_are_refused(dataset):
    with pytest.raises(InputError, match="another split"):
        measure_grounding(lively_model(), dataset, {"7_0": []}, show_progress=False)


def test_small_models_read_whole_texts(dataset):
    """So that the counts above are of all words."""
    assert int(dataset.tokens.lengths.max()) < SMALL.text_length
