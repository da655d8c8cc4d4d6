"""Names guessed from what two image models and a detector said, together or one of them alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_buildings import BUILDINGS, NEW, PLACES, walks, write_buildings

from mtvm.errors import InputError
from mtvm.features.captions import CaptionedPlace
from mtvm.features.described import OF_CLASS, read_said, what_occurs

pytest.importorskip("torch")
import torch

from mtvm.features.described_guesser import DescribedGuesser
from mtvm.features.guesses import NameGuesser, learn_names
from mtvm.io.weight_files import read_weight_file, write_safetensors

BEDROOM, GARAGE, KITCHEN = range(3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_buildings(tmp_path_factory.mktemp("buildings"))


def learn(folder, captions="captions.jsonl", **options):
    options = {"described": folder / "langnav.jsonl", "epochs": 40, "show_progress": False} | options
    return learn_names(folder / captions, folder / "semantics.jsonl", folder / "connectivity", BUILDINGS, **options)


def rooms_of(guesser, folder, scan, out, captions="captions.jsonl"):
    """(places, rooms) the shares of the room of each place."""
    described = folder / "langnav.jsonl" if guesser.classes is not None else None
    store = guesser.write_features(folder / captions, out, [scan], show_progress=False, described=described)
    features = store.panorama(store.rows([scan] * PLACES, [f"v{place}" for place in range(PLACES)]))
    return features[:, 0, :3].astype(np.float32) ** 2


@pytest.fixture(scope="module")
def learnt(folder):
    return learn(folder)


@pytest.fixture(scope="module")
def silent(folder):
    """Captions of which all are the same."""
    lines = [json.loads(line) for line in (folder / "captions.jsonl").read_text().splitlines()]
    same = [json.dumps(line | {"captions": [["a room"] * 3] * 8}) + "\n" for line in lines]
    (folder / "silent.jsonl").write_text("".join(same))
    return "silent.jsonl"


def test_a_new_building(folder, learnt, tmp_path):
    here = rooms_of(learnt, folder, NEW, tmp_path / "store")
    assert (here[:3, KITCHEN] > 0.7).all()
    assert (here[3:, BEDROOM] > 0.7).all()
    garage = rooms_of(learnt, folder, "h3", tmp_path / "other")
    assert (garage[:3, GARAGE] < 0.2).all(), "of a training building, the network that never saw it must be asked"


def test_what_the_detector_alone_knows_is_enough(folder, silent, tmp_path):
    guesser = learn(folder, silent)
    here = rooms_of(guesser, folder, NEW, tmp_path / "store", silent)
    assert (here[:3, KITCHEN] > 0.7).all()
    assert (here[3:, BEDROOM] > 0.7).all()
    without = learn(folder, silent, described=None)
    assert np.ptp(rooms_of(without, folder, NEW, tmp_path / "blind", silent), axis=0).max() < 1e-3


@pytest.fixture
def by_hand(tmp_path):
    """One viewpoint: what the two image models said of its views, and two boxes in view 14."""
    boxes = [
        ["oven", 0.5, [0, 0, 640, 480], "a red stove"],
        ["oven", 0.4, [300, 0, 340, 480], "a stove"],
        ["truck", 0.9, [0, 0, 1, 1], "a red thing"],
    ]
    views = [boxes if view == 14 else [] for view in range(36)]
    captions = ["a red wall" if view == 0 else "" for view in range(36)]
    line = {"scan": "h", "viewpoint": "v", "captions": captions, "objects": views}
    (tmp_path / "langnav.jsonl").write_text(json.dumps(line) + "\n")
    return tmp_path / "langnav.jsonl"


def test_what_is_read(by_hand):
    place = CaptionedPlace("h", "v", [["a bed", "", ""]] * 8)
    assert what_occurs([place], by_hand, {"h"}, 1) == (("bed", "red", "stove", "thing", "wall"), ("oven", "truck"))
    assert what_occurs([place], by_hand, {"h"}, 2) == (("bed", "red", "stove"), ("oven", "truck"))
    words, views, of_boxes, shares, found = read_said([place], by_hand, ("bed", "red", "stove"), ("chair", "oven"))
    assert words[0, :4, 0].tolist() == [1, 0, 0, 1]
    assert views[0, 0, :2].tolist() == [2, 0]
    assert not views[0, 1:].any()
    assert of_boxes[0, 14, :3].tolist() == [2, 3, 0]
    assert shares[0, 14, :3].tolist() == pytest.approx([0.65, 0.65, 0], abs=1e-3)
    chair, oven = found[0, 14].reshape(2, OF_CLASS)
    assert not chair.any()
    assert oven.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.45], abs=1e-3)
    assert not np.delete(found[0], 14, axis=0).any()


def test_a_box_far_from_the_middle_counts_less(by_hand):
    line = json.loads(by_hand.read_text())
    line["objects"][14] = [["oven", 0.8, [512, 0, 640, 120], "a stove"]]
    by_hand.write_text(json.dumps(line))
    place = CaptionedPlace("h", "v", [["", "", ""]] * 8)
    *_, found = read_said([place], by_hand, (), ("oven",))
    assert found[0, 14].tolist() == pytest.approx([0.8, 0.8 * 0.05**0.5, 0.8 * np.exp(-4), 0.4], abs=1e-3)


def test_a_viewpoint_of_which_nothing_was_said_is_named(by_hand):
    places = [CaptionedPlace("h", name, [["", "", ""]] * 8) for name in ("v", "w")]
    with pytest.raises(InputError, match="says nothing of viewpoint w of scan h; describe it too"):
        read_said(places, by_hand, (), ())


def test_words_that_speak_for_ways_are_learnt_too(folder, tmp_path):
    guesser = learn(folder, epochs=1, walks=walks(), align=True)
    assert (guesser.sight, learn(folder, epochs=1).sight) == ("described-aligned", "described")
    store = guesser.write_features(
        folder / "captions.jsonl", tmp_path / "store", show_progress=False, described=folder / "langnav.jsonl"
    )
    assert store.width == guesser.width == 9 + 2 + 6


def test_networks_are_kept_in_a_file(folder, learnt, tmp_path):
    learnt.save(tmp_path / "guesser.safetensors")
    learnt.save(tmp_path / "compact.safetensors", compact=True)
    again, rough = (NameGuesser.load(tmp_path / f"{name}.safetensors") for name in ("guesser", "compact"))
    assert again.classes == learnt.classes == ("couch", "oven", "truck")
    here = rooms_of(learnt, folder, NEW, tmp_path / "store")
    np.testing.assert_array_equal(rooms_of(again, folder, NEW, tmp_path / "again"), here)
    np.testing.assert_allclose(rooms_of(rough, folder, NEW, tmp_path / "rough"), here, atol=0.02)
    with pytest.raises(InputError, match="also read what a detector found"):
        again.write_features(folder / "captions.jsonl", tmp_path / "none", show_progress=False)


@pytest.mark.parametrize("classes", [["oven"], ["couch", "oven", None], 5, None, ["oven"] * 10**6], ids=repr)
def test_classes_that_do_not_fit_are_refused(learnt, tmp_path, classes):
    path = tmp_path / "guesser.safetensors"
    learnt.save(path)
    tensors = read_weight_file(path)
    said = json.loads(bytes(tensors["description"].numpy())) | {"classes": classes}
    tensors["description"] = torch.frombuffer(bytearray(json.dumps(said).encode()), dtype=torch.uint8)
    write_safetensors(path, tensors)
    with pytest.raises(InputError, match="not the networks that guess names from captions"):
        NameGuesser.load(path)


def test_each_source_is_heard_in_its_direction():
    """Only what stands beside a view counts to it, of each source."""
    torch.manual_seed(0)
    network = DescribedGuesser(2, 24, 1, 2, [2]).eval()
    with torch.no_grad():
        for nearness in network.nearness:
            nearness.mul_(20)
        network.from_place.weight.zero_()
    silence = [torch.zeros(1, 24, 3), *(torch.zeros(1, 36, 3) for _ in range(3)), torch.zeros(1, 36, OF_CLASS)]
    views = torch.arange(36)[None]
    east = {0: 2 * 3 + 1, 1: 15, 2: 15}  # the level view to the east, in the order of each source
    before = network(silence, views)[1][0]
    for source, place in east.items():
        said = [part.clone() for part in silence]
        said[source][0, place, 0] = 1
        said[3][0, place, 0] = 1
        moved = (network(said, views)[1][0] - before).abs().sum(-1)[0]
        assert moved[15] > 1e-3
        assert moved[[12, 18, 21, 3, 27]].max() < 0.1 * moved[15]
