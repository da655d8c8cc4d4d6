"""Names guessed from captions: in made-up buildings whose captions say what their rooms are."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from small_buildings import BUILDINGS, NEW, PLACES, walks, write_buildings

from mtvm.errors import InputError
from mtvm.features.caption_words import frequent_words, word_numbers, words_of
from mtvm.features.captions import CaptionedPlace
from mtvm.features.known_names import known_names

pytest.importorskip("torch")
import torch

from mtvm.features.guesses import NameGuesser, learn_names
from mtvm.io.weight_files import read_weight_file, write_safetensors


def learn(folder, **options):
    options = {"train_scans": BUILDINGS, "epochs": 40, "show_progress": False} | options
    return learn_names(folder / "captions.jsonl", folder / "semantics.jsonl", folder / "connectivity", **options)


def guess(folder, out="store", scans=None, **options):
    guesser = learn(folder, **options)
    return guesser.write_features(folder / "captions.jsonl", folder / out, scans, show_progress=False)


def shares(store, scan):
    """(places, 36, ...) of rooms here, rooms ahead, objects; in alphabetical order, objects by frequency."""
    features = store.panorama(store.rows([scan] * PLACES, [f"v{place}" for place in range(PLACES)])).astype(np.float32)
    return np.split(features[..., :9] ** 2, 3, axis=-1)


BEDROOM, GARAGE, KITCHEN = range(3)
EAST, WEST, NORTH = 15, 21, 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_buildings(tmp_path_factory.mktemp("buildings"))


@pytest.fixture(scope="module")
def store(folder):
    return guess(folder)


@pytest.fixture(scope="module")
def of_walks(folder):
    """A guesser that has learnt from walks too, and which way words speak for."""
    return learn(folder, walks=walks(), align=True)


def test_a_new_building(store):
    assert (len(store), store.width) == (PLACES * 5, 9)
    here, ahead, objects = shares(store, NEW)
    assert (here[:3, :, KITCHEN] > 0.8).all()
    assert (here[3:, :, BEDROOM] > 0.8).all()
    assert ahead[2, EAST, BEDROOM] > 0.5 > 0.3 > ahead[2, WEST, BEDROOM]
    assert ahead[3, WEST, KITCHEN] > 0.5 > 0.3 > ahead[3, EAST, KITCHEN]
    oven, bed = 0, 1  # the most frequent first
    assert objects[0, NORTH, oven] > 0.25 > 0.1 > objects[0, NORTH, bed]
    assert objects[5, NORTH, bed] > 0.25 > 0.1 > objects[5, NORTH, oven]
    assert (objects.sum(-1) < 1.01).all()
    assert (objects[:, 30].sum(-1) < objects[:, 18].sum(-1)).all()  # up there was never anything


def test_a_training_building_is_guessed_by_who_never_saw_it(store):
    """No other building has a garage, so that nobody can guess that of h3, however clear its captions are."""
    here, *_ = shares(store, "h3")
    assert (here[:3, :, GARAGE] < 0.2).all()
    assert (here[3:, :, KITCHEN] > 0.6).all()
    known, *_ = shares(store, "h1")
    assert (known[:3, :, KITCHEN] > 0.8).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_store(folder, store):
    assert guess(folder, "again").meta["id"] == store.meta["id"]
    assert guess(folder, "other", seed=1).meta["id"] != store.meta["id"]
    one = guess(folder, "one", scans=[NEW])
    assert set(one.index["scan"].tolist()) == {NEW.encode()}
    assert all(np.array_equal(a, b) for a, b in zip(shares(one, NEW), shares(store, NEW), strict=True))


@pytest.mark.slow
def test_other_buildings_are_not_looked_at(folder, store, tmp_path):
    """What annotation and walks say of a building that is not learnt from changes nothing."""
    known = [*walks()]
    before = guess(folder, "known", walks=known).meta["id"]
    assert before != store.meta["id"]
    write_buildings(tmp_path, annotated=[*BUILDINGS, NEW])
    more = [*known, *(SimpleNamespace(scan=NEW, text="a car", reference=("v0", "v1")) for _ in range(60))]
    assert guess(tmp_path, walks=more).meta["id"] == before


@pytest.mark.slow
def test_words_that_people_say(folder, of_walks):
    store = of_walks.write_features(folder / "captions.jsonl", folder / "walks", show_progress=False)
    assert store.width == 9 + 2 + 6
    features = store.panorama(store.rows([NEW] * PLACES, [f"v{place}" for place in range(PLACES)])).astype(np.float32)
    bed, stove = 9, 10  # the most frequent first
    assert features[0, EAST, stove] > features[0, EAST, bed]
    assert features[2, EAST, bed] > features[2, EAST, stove]
    assert np.abs(features[..., 9:11]).max() < 10


def both_ways():
    """From the last kitchen people go west with a stove in mind, and east with a bed: where they stand is no help."""
    for scan in BUILDINGS[:3]:
        for _ in range(40):
            yield SimpleNamespace(scan=scan, text="Find the stove.", reference=("v2", "v1"))
            yield SimpleNamespace(scan=scan, text="Find the bed.", reference=("v2", "v3"))


@pytest.mark.slow
def test_words_speak_for_one_way_against_another(folder):
    guesser = learn(folder, walks=both_ways(), align=True)
    assert guesser.spoken == ("find", "bed", "stove")
    store = guesser.write_features(folder / "captions.jsonl", folder / "ways", show_progress=False)
    features = store.panorama(store.rows([NEW], ["v2"])).astype(np.float32)[0, :, -3:]
    east_not_west = features[EAST] - features[WEST]
    assert east_not_west[1] > 0.5 > -0.5 > east_not_west[2]
    assert abs(east_not_west[0]) < min(east_not_west[1], -east_not_west[2])


def test_choices(folder):
    known = known_names(folder / "semantics.jsonl", folder / "connectivity", {"h0"}, both_ways(), ["a bed"], True)
    assert len(known.choices.places) == 80
    assert set(known.choices.places.tolist()) == {known.row_of["h0", "v2"]}
    step = dict(zip(known.choices._fields, (part[0] for part in known.choices), strict=True))
    assert step["views"][step["taken"]] == WEST
    assert sorted(step["views"].tolist()) == [EAST, WEST]
    assert (step["words"] > 0).tolist() == [True, False, True]
    numbers = np.full(PLACES, -1)
    assert len(known.choices.at(numbers).places) == 0
    numbers[known.row_of["h0", "v2"]] = 4
    assert set(known.choices.at(numbers).places.tolist()) == {4}


@pytest.mark.slow
def test_a_guesser_that_was_saved_needs_nothing_but_captions(folder, of_walks, tmp_path):
    guesser = of_walks
    guesser.save(tmp_path / "guesser.safetensors")
    again = NameGuesser.load(tmp_path / "guesser.safetensors")
    assert (again.rooms, again.objects, again.words, again.spoken) == (
        ("bedroom", "garage", "kitchen"),
        ("oven", "bed", "car"),
        ("bed", "stove"),
        ("bed", "go", "stop", "past", "stove", "walk"),
    )
    assert again.width == 17
    (tmp_path / "captions.jsonl").write_text((folder / "captions.jsonl").read_text())
    stores = [
        one.write_features(tmp_path / "captions.jsonl", tmp_path / f"store{number}", show_progress=False)
        for number, one in enumerate((guesser, again))
    ]
    assert stores[0].meta["id"] == stores[1].meta["id"]
    guesser.save(tmp_path / "compact.safetensors", compact=True)
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("guesser", "compact")]
    assert sizes[1] < 0.3 * sizes[0]
    rough = NameGuesser.load(tmp_path / "compact.safetensors")
    rough = rough.write_features(tmp_path / "captions.jsonl", tmp_path / "rough", show_progress=False)
    np.testing.assert_allclose(shares(rough, NEW)[0], shares(stores[0], NEW)[0], atol=0.01)
    here, *_ = shares(stores[1], "h3")
    assert (here[:3, :, GARAGE] < 0.2).all(), "of a training building, the network that never saw it must be asked"


def test_a_guesser_refuses_other_files(folder, tmp_path):
    guesser = learn(folder, epochs=1)
    path = tmp_path / "guesser.safetensors"
    guesser.save(path)
    lines = [json.loads(line) for line in (folder / "captions.jsonl").read_text().splitlines()]
    few = "".join(json.dumps(line | {"captions": line["captions"][:4]}) + "\n" for line in lines)
    (tmp_path / "few.jsonl").write_text(few)
    with pytest.raises(InputError, match=r"has 12 captions of each viewpoint, where .* learnt from 24"):
        guesser.write_features(tmp_path / "few.jsonl", tmp_path / "store", show_progress=False)
    tensors = {name: torch.zeros(2) for name in ("mean", "spread", "description")}
    for wrong in (tensors, {"0.word.weight": torch.zeros(3, 2)}):
        write_safetensors(path, wrong)
        with pytest.raises(InputError, match="not the networks that guess names from captions"):
            NameGuesser.load(path)
    guesser.save(path, compact=True)
    packed, scale = read_weight_file(path), "0.word.weight.scale"
    for wrong in (
        {name: value for name, value in packed.items() if name != scale},
        packed | {scale: packed[scale][1:]},
        packed | {scale: torch.ones(1)},
        packed | {"0.weight.bias.scale": torch.ones(1)},
    ):
        write_safetensors(path, wrong)
        with pytest.raises(InputError, match="not the networks that guess names from captions"):
            NameGuesser.load(path)
    guesser.networks[0].word.weight.data[0] = torch.nan
    guesser.save(path)
    with pytest.raises(InputError, match=r"0\.word\.weight are not all finite"):
        NameGuesser.load(path)
    with pytest.raises(InputError, match="there is no such weight file"):
        NameGuesser.load(tmp_path / "none.safetensors")


@pytest.fixture(scope="module")
def guesser_file(folder):
    learn(folder, epochs=1).save(folder / "guesser.safetensors")
    return folder / "guesser.safetensors"


@pytest.mark.parametrize(
    ("part", "value"),
    [
        *(("captions", value) for value in (float("inf"), 10**9, 0, -3, 24.0, True, None, 25)),
        *(("fold_of", value) for value in ({"h0": -1}, {"h0": 1.5}, {"h0": 10**400}, {}, [], None)),
        *(("vocabulary", value) for value in (["a"] * 10**6, [None], "abc", 5)),
        *(("spoken", value) for value in (["a"], None)),
        *(("mean", value) for value in (torch.zeros(5), torch.zeros(0, dtype=torch.int64))),
        *(("spread", value) for value in (torch.ones(5), torch.zeros(2))),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_a_guesser_says_of_itself_is_checked_before_it_is_believed(guesser_file, tmp_path, part, value):
    """A number of captions took gigabytes, or forever; others ended in a traceback."""
    tensors = read_weight_file(guesser_file)
    if isinstance(value, torch.Tensor):
        tensors[part] = value
    else:
        said = json.loads(bytes(tensors["description"].numpy())) | {part: value}
        tensors["description"] = torch.frombuffer(bytearray(json.dumps(said).encode()), dtype=torch.uint8)
    write_safetensors(tmp_path / "guesser.safetensors", tensors)
    with pytest.raises(InputError, match="not the networks that guess names from captions"):
        NameGuesser.load(tmp_path / "guesser.safetensors")


def test_what_is_known(folder):
    texts = ["a stove", "a bed"] * 100
    known = known_names(folder / "semantics.jsonl", folder / "connectivity", {"h0", "h3"}, walks(), texts)
    at = known.row_of["h0", "v2"]
    assert known.rooms[at].tolist() == [0, 0, 1]
    assert known.rooms_ahead[at, EAST].tolist() == [1, 0, 0]
    assert known.rooms_ahead[at, WEST].tolist() == [0, 0, 1]
    assert not known.rooms_ahead[at, NORTH].any()
    assert known.objects[at, 12].tolist() == [1, 0, 0, 0]  # oven before bed and car
    assert known.objects[at, 0].tolist() == [0, 0, 0, 1]
    assert known.words[at, EAST].any()
    assert np.count_nonzero(known.words.any(axis=2)) == PLACES - 1  # in h0 only, and only to the east


def test_words():
    assert words_of("Two Stairs, a glass; CHAIRS!") == ["two", "stairs", "a", "glass", "chair"]
    assert frequent_words(["a bed", "the beds and a bed", "a rug"], 2) == ["bed"]
    place = CaptionedPlace("h", "v", [["a rug on a rug", "a bed", ""]])
    numbers = word_numbers([place], ["bed", "rug"])
    assert numbers.shape == (1, 3, 10)
    assert numbers[0, :, 0].tolist() == [2, 1, 0]
    assert numbers.sum() == 3


def test_errors(folder, tmp_path):
    for message, options in [
        ("says nothing of scan villa; check", {"train_scans": ["h0", "villa"], "folds": 2}),
        ("5 folds of 4 training scans are not possible", {"folds": 5}),
        ("1 folds of 4 training scans are not possible", {"folds": 1}),
        ("says nothing of scan villa", {"scans": ["villa"], "epochs": 1}),
    ]:
        with pytest.raises(InputError, match=message):
            guess(folder, "none", **options)
    write_buildings(tmp_path)
    lines = (tmp_path / "captions.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "captions.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(InputError, match="says nothing of viewpoint v0 of training scan h0; describe it"):
        guess(tmp_path)
    assert not (folder / "none").exists()
