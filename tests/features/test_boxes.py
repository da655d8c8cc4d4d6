"""Names that networks guess of boxes, from what a detector and an image model said of them."""

import dataclasses
import json

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from mtvm.errors import InputError
from mtvm.features.boxes import BoxGuesser, evidence, keep_boxes, kept_boxes, learn_boxes
from mtvm.features.detections import check_described
from mtvm.features.names import SeenObject, read_semantics

NAMES = {"lamp": "vase", "bed": "couch", "stove": "oven"}
"""What objects are called, and what the detector takes them for."""
SCANS = [f"house{number}" for number in range(6)]
BOX = [100.0, 100.0, 80.0, 60.0]


def described(views):
    """A line of the file, by view: the caption, and what was found."""
    captions, boxes = [""] * 36, [[] for _ in range(36)]
    for view, (caption, found) in views.items():
        captions[view], boxes[view] = caption, found
    return {"scan": "s", "viewpoint": "v", "captions": captions, "objects": boxes}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Six buildings with one object at each of forty viewpoints, in view 14; its name is only told by the detector."""
    folder, random = tmp_path_factory.mktemp("boxes"), np.random.default_rng(0)
    seen, said = [], []
    for scan in SCANS:
        for number in range(40):
            name = sorted(NAMES)[random.integers(3)]
            place = {"scan": scan, "viewpoint": f"v{number}"}
            things = [{"id": 7, "name": name, "views": [14], "boxes": [BOX]}] if number < 39 else []
            seen.append(place | {"room": "kitchen", "objects": things})
            said.append(described({14: ("a room", [[NAMES[name], 0.9, [100, 100, 180, 160], "a thing"]])}) | place)
    for name, lines in (("viewpoints.jsonl", seen), ("langnav.jsonl", said)):
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def learnt(files):
    return learn_boxes(files / "langnav.jsonl", files / "viewpoints.jsonl", SCANS[:4], epochs=60, show_progress=False)


def test_evidence_says_how_boxes_overlap_and_what_was_said_of_them():
    half = [140, 100, 220, 160]  # the right half of the object's box, and as much beside it
    place = check_described(
        described({14: ("a red wall", [["vase", 0.5, half, "a red vase"]]), 15: ("a wall", [])}), "here"
    )
    thing = SeenObject(1, "lamp", [14, 15], [BOX, BOX])
    (found,) = evidence(place, [thing], ["oven", "vase"], ["red", "wall", "vase"])
    assert found[:6].reshape(3, 2).tolist() == [[0, pytest.approx(1 / 3)], [0, 0.5], [0, 0.5]]
    assert found[6:9].tolist() == pytest.approx([1 / 3, 0, 1 / 3])
    assert found[9:12].tolist() == [0.5, 1, 0]  # both views show as much of it, and one is red


def test_names_are_learnt_from_training_buildings_and_guessed_in_others(files, learnt):
    assert learnt.names == tuple(sorted(NAMES))
    assert set(learnt.fold_of) == set(SCANS[:4])
    boxes = learnt.guess(files / "langnav.jsonl", files / "viewpoints.jsonl", show_progress=False)
    assert len(boxes.shares) == 6 * 39
    for place in read_semantics(files / "viewpoints.jsonl"):
        if place.objects:
            (shares,) = boxes.shares[place.scan, place.viewpoint]
            assert boxes.names[int(shares.argmax())] == place.objects[0].name
            assert 0.5 < shares.sum() <= 1


def test_a_training_building_is_guessed_by_a_network_that_never_saw_it(files, learnt):
    """Spoilt annotation of one building changes what is guessed of the others, and nothing in that one."""
    lines = (files / "viewpoints.jsonl").read_text().splitlines()
    spoilt = files / "spoilt.jsonl"
    spoilt.write_text("\n".join(line.replace("lamp", "bed") if '"house0"' in line else line for line in lines))
    other = learn_boxes(files / "langnav.jsonl", spoilt, SCANS[:4], epochs=60, show_progress=False)
    one, two = (
        networks.guess(files / "langnav.jsonl", files / "viewpoints.jsonl", show_progress=False).shares
        for networks in (learnt, other)
    )
    number = learnt.fold_of["house0"]
    same = {key[0] for key in one if (one[key] == two[key]).all()}
    assert same == {scan for scan, fold in learnt.fold_of.items() if fold == number}


def test_networks_and_tables_are_kept_in_files(files, learnt, tmp_path):
    learnt.save(tmp_path / "boxes.safetensors")
    loaded = BoxGuesser.load(tmp_path / "boxes.safetensors")
    places = files / "langnav.jsonl", files / "viewpoints.jsonl"
    before, after = (networks.guess(*places, show_progress=False) for networks in (learnt, loaded))
    keep_boxes(tmp_path / "table.npz", after)
    kept = kept_boxes(tmp_path / "table.npz")
    assert kept.names == after.names == before.names
    assert kept.shares.keys() == before.shares.keys()
    for key, shares in before.shares.items():
        np.testing.assert_allclose(after.shares[key], shares, atol=2e-3)
        np.testing.assert_array_equal(kept.shares[key], after.shares[key])
    assert kept_boxes(tmp_path / "other.npz") is None


@pytest.mark.parametrize("spoil", ["cut", "names", "networks"])
def test_spoilt_networks_are_refused(learnt, tmp_path, spoil):
    path = tmp_path / "boxes.safetensors"
    if spoil == "names":
        dataclasses.replace(learnt, names=learnt.names[:-1]).save(path)
    else:
        learnt.save(path)
    if spoil == "cut":
        path.write_bytes(path.read_bytes()[:2000])
    if spoil == "networks":
        save_file({name: one for name, one in load_file(path).items() if not name.startswith("4.")}, path)
    with pytest.raises(InputError, match="boxes"):
        BoxGuesser.load(path)


def test_a_viewpoint_of_which_nothing_was_said_is_named(files, learnt, tmp_path):
    lines = (files / "langnav.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "langnav.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(InputError, match="says nothing of viewpoint v0 of scan house0"):
        learnt.guess(tmp_path / "langnav.jsonl", files / "viewpoints.jsonl", show_progress=False)


def test_one_building_and_names_that_are_rare_are_refused(files):
    places = files / "langnav.jsonl", files / "viewpoints.jsonl"
    with pytest.raises(InputError, match="in two buildings at least"):
        learn_boxes(*places, SCANS[:1], show_progress=False)
    rare = files / "rare.jsonl"
    thing = {"id": 1, "name": "globe", "views": [14], "boxes": [BOX]}
    rare.write_text(
        "".join(
            f"{json.dumps({'scan': scan, 'viewpoint': 'v0', 'room': 'hall', 'objects': [thing]})}\n"
            for scan in SCANS[:4]
        )
    )
    with pytest.raises(InputError, match="no object of the training scans has a name that is frequent enough"):
        learn_boxes(files / "langnav.jsonl", rare, SCANS[:4], show_progress=False)
