"""Buildings dealt into folds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.errors import InputError
from mtvm.tasks.folds import deal, fold_entries


@given(st.lists(st.integers(1, 200), min_size=2, max_size=90), st.integers(2, 8))
def test_every_building_is_in_one_fold_and_folds_are_of_like_sizes(sizes, folds):
    names = [f"b{place}" for place in range(len(sizes))]
    dealt = deal(names, sizes, folds)
    assert sorted(name for fold in dealt for name in fold) == sorted(names)
    assert len(dealt) == min(folds, len(names))
    counts = [len(fold) for fold in dealt]
    assert max(counts) - min(counts) <= 1
    totals = [sum(sizes[int(name[1:])] for name in fold) for fold in dealt]
    # In order of size, each hand is at most as much more uneven as its largest and smallest building are apart.
    assert max(totals) - min(totals) <= max(sizes) + max(sizes) - min(sizes)
    assert deal(names[::-1], sizes[::-1], folds) == dealt


def test_one_building_cannot_be_new_to_an_agent_that_learns_in_others():
    with pytest.raises(InputError, match="there is only one"):
        deal(["alone"], [3], 6)


def test_an_agent_sees_nothing_of_its_own_fold():
    train = [{"scan": scan, "path_id": number} for number, scan in enumerate("aabbbcd")]
    seen = [{"scan": scan, "path_id": 10 + number} for number, scan in enumerate("ab")]
    for fold in fold_entries(train, seen, 2):
        new = {entry["scan"] for entry in fold["new"]}
        assert not new & {entry["scan"] for entry in (*fold["fit"], *fold["seen"])}
        assert sorted(e["path_id"] for e in (*fold["fit"], *fold["new"]) if e["path_id"] < 10) == list(range(7))
        assert fold["seen"]
        assert sorted(e["path_id"] for e in fold["new"] if e["path_id"] >= 10) == [
            e["path_id"] for e in seen if e["scan"] in new
        ]
