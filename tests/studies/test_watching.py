"""One episode watched: the same walk as evaluated, with attention over whole words."""

import json

import numpy as np
import pytest
from small_studies import plan_of, request_of, run_here

from mtvm.errors import InputError
from mtvm.models.text import WordPieces
from mtvm.studies.watching import panoramas, watch


@pytest.fixture(scope="module")
def trial(tiny_folder, tmp_path_factory):
    made = plan_of(request_of("attention", tmp_path_factory.mktemp("watching")), tiny_folder)[0]
    assert list(run_here([made])) == [(made, None)]
    return made


def test_the_walk_is_the_one_that_was_evaluated(trial):
    results = json.loads((trial.evaluation(trial.evaluations[0]) / "results.json").read_text())
    for row in (0, 7):
        seen = watch(trial.run / "best", trial.data, "r2r/val_unseen", row)
        walked = [pose[0] for pose in results[row]["trajectory"]]
        assert seen.world.viewpoints[seen.nodes].tolist() == walked
        assert len(seen.headings) == len(seen.nodes)


def test_attention_is_over_the_words_of_the_text(trial, tiny_r2r):
    seen = watch(trial.run / "best", trial.data, "r2r/val_unseen", 3)
    assert seen.words == list(WordPieces().words(tiny_r2r.texts[3]))
    assert seen.attention.shape[1] == len(seen.words)
    # What is missing to 1 is the attention on [SEP].
    assert (seen.attention >= 0).all()
    assert np.all((seen.attention.sum(axis=1) > 0.3) & (seen.attention.sum(axis=1) < 1))
    assert 0 < seen.evenness <= 1


def test_a_folder_without_images_is_said_to_have_none(trial, tiny_folder):
    with pytest.raises(InputError, match="skybox"):
        panoramas(watch(trial.run / "best", trial.data, "r2r/val_unseen", 0), tiny_folder)
