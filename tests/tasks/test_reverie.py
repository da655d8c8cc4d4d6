"""REVERIE's instructions as navigation."""

import json

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes


@pytest.mark.parametrize(
    ("split", "paths", "instructions"), [("train", 4071, 10_290), ("val_seen", 501, 1384), ("val_unseen", 1292, 3433)]
)
def test_reverie_has_its_published_numbers(real_data, split, paths, instructions):
    episodes = load_episodes("reverie", split, DataFolder(real_data))
    assert len(episodes) == instructions
    assert len({one.rsplit("_", 1)[0] for one in episodes.ids}) == paths
    np.testing.assert_array_equal(episodes.goals[:, 0], episodes.reference_ends)


def test_reverie_test_has_no_goals(real_data):
    episodes = load_episodes("reverie", "test", DataFolder(real_data))
    assert len(episodes) == 6144
    assert not episodes.has_goals


def test_entries_are_known_by_path_and_object(tiny_folder, tmp_path):
    entries = json.loads((tiny_folder / "R2R" / "R2R_val_unseen.json").read_text())[:2]
    both = [entries[0] | {"id": "7_1", "objId": 1}, entries[0] | {"id": "7_2", "objId": 2}]
    path = tmp_path / "two_objects.json"
    path.write_text(json.dumps(both))
    ids = load_episodes("reverie", str(path), DataFolder(tiny_folder)).ids
    assert ids[0] == "7_1_0"
    assert ids[-1] == f"7_2_{len(entries[0]['instructions']) - 1}"
    path.write_text(json.dumps([both[0], both[0]]))
    with pytest.raises(InputError, match="occurs twice"):
        load_episodes("reverie", str(path), DataFolder(tiny_folder))
