"""What the agent sees where no store is given: made once of the data folder, kept in the cache, refused by name."""

import json
import shutil

import numpy as np
import pytest
from small_runs import count_calls

from mtvm.config import DataConfig
from mtvm.errors import InputError
from mtvm.features import captions, names
from mtvm.learning import sight as sights
from mtvm.learning.sight import SightMaker
from mtvm.tasks.data import DataFolder


def embed(phrases, title=None):
    """Three numbers for each phrase, quickly."""
    return np.array([[len(phrase) % 7 + 1, phrase.count("e") + 1, 1] for phrase in phrases], dtype=np.float32)


@pytest.fixture
def folder(tiny_folder, tiny_world, tmp_path, monkeypatch):
    """A data folder of its own with names and captions of every viewpoint."""
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(names, "embed_phrases", embed)
    monkeypatch.setattr(captions, "embed_phrases", embed)
    shutil.copytree(tiny_folder, tmp_path / "data")
    places = [
        {"scan": tiny_world.scan(node), "viewpoint": str(tiny_world.viewpoints[node])}
        for node in range(len(tiny_world))
    ]
    rooms = [place | {"room": "bedroom", "objects": []} for place in places]
    said = [place | {"captions": [["a bed", "a door", ""]] * 8} for place in places]
    for name, lines in (("viewpoints.jsonl", rooms), ("captions.jsonl", said)):
        (tmp_path / "data" / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "data"


def opened(folder, sight):
    config = DataConfig(folder=folder, sight=sight)
    return SightMaker(config, DataFolder(folder), show_progress=False).open()


def test_sight_that_is_not_named_is_refused_with_one_sentence(folder):
    with pytest.raises(InputError) as found:
        opened(folder, None)
    message = str(found.value)
    assert message.startswith("what the agent sees is not said")
    for option in ("--data.features STORE", "--data.sight with names, captions, guesses", "--data.sight blind"):
        assert option in message
    assert "\n" not in message


@pytest.mark.parametrize("sight", ["", "pictures", "names+", "names+blind", "Names"])
def test_sight_that_nobody_can_make_is_refused_by_the_config(sight):
    with pytest.raises(InputError, match="is neither blind nor made of names, captions, guesses, joined by"):
        DataConfig(sight=sight)


def test_sight_of_the_blind_is_none(folder):
    assert opened(folder, "blind") is None


@pytest.mark.parametrize(
    ("sight", "maker", "file"),
    [("names", "semantic_features", "viewpoints.jsonl"), ("captions", "caption_features", "captions.jsonl")],
)
def test_sight_is_made_once_and_anew_for_another_file(folder, tmp_path, monkeypatch, sight, maker, file):
    made = count_calls(monkeypatch, sights, maker, lambda source, out, **_: out)
    first, again = opened(folder, sight), opened(folder, sight)
    assert len(made) == 1
    assert first.path == again.path
    assert first.path.is_relative_to(tmp_path / "cache")
    (folder / file).write_text((folder / file).read_text().replace("a bed", "a bath").replace("bedroom", "kitchen"))
    assert opened(folder, sight).path != first.path
    assert len(made) == 2


def test_sight_of_names_is_made_anew_for_other_graphs(folder):
    before = opened(folder, "names").path
    graph = next((folder / "connectivity").glob("*_connectivity.json"))
    graph.write_text(graph.read_text() + "\n")
    assert opened(folder, "names").path != before


def test_guesses_learn_from_people_whatever_else_is_trained_on(folder, monkeypatch):
    """So that an agent sees the same after it was taught on other paths."""
    made = []
    monkeypatch.setattr(SightMaker, "_made", lambda maker, kind, digest, make: made.append(digest.hexdigest()))
    for train in (("r2r/train",), ("r4r/train", "r2r/train"), ("r2r/train", "prevalent/aug")):
        config = DataConfig(folder=folder, sight="guesses", train=train)
        SightMaker(config, DataFolder(folder), show_progress=False)._guesses()
    assert len(made) == 3
    assert len(set(made)) == 1
    config = DataConfig(folder=folder, sight="guesses", train=("r4r/train",))
    with pytest.raises(InputError, match="learns from what people say"):
        SightMaker(config, DataFolder(folder), show_progress=False).open()


def test_sights_that_are_joined_stand_side_by_side(folder, tiny_world):
    one, other, both = (opened(folder, sight) for sight in ("names", "captions", "names+captions"))
    assert both.width == one.width + other.width
    where = ([tiny_world.scan(3)], [str(tiny_world.viewpoints[3])])
    views = [store.panorama(store.rows(*where))[0] for store in (one, other, both)]
    np.testing.assert_array_equal(views[2], np.concatenate(views[:2], axis=1))
    assert opened(folder, "names+captions").path == both.path
    assert opened(folder, "captions+names").path != both.path


@pytest.mark.parametrize(
    ("sight", "missing"),
    [
        ("names", "viewpoints.jsonl"),
        ("captions", "captions.jsonl"),
        ("guesses", "captions.jsonl"),
        ("guesses", "viewpoints.jsonl"),
    ],
)
def test_sight_without_its_file_is_refused(folder, sight, missing):
    (folder / missing).unlink()
    with pytest.raises(InputError, match=rf"no \w+ file {missing}\(\.gz\) below it") as found:
        opened(folder, sight)
    assert str(found.value).startswith(str(folder))
