"""Data that is wrong is refused by whoever reads it; what is odd gets a line; `mtvm data check` finds both."""

import dataclasses
import json
import shutil

import numpy as np
import pytest
from command_line import run

from mtvm.errors import InputError
from mtvm.features.store import FEATURES_FILE, FeatureStore
from mtvm.io.files import parse_json
from mtvm.progress import collected_notices
from mtvm.tasks.checking import check_data
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.tasks.registry import TASKS
from mtvm.tasks.results import read_results
from mtvm.testing.tiny import write_tiny_world
from mtvm.world.graph import NavGraph
from mtvm.world.world import World

GRAPH, R2R, NDH = "connectivity/tiny3_connectivity.json", "R2R/R2R_val_unseen.json", "NDH/val_unseen.json"
NAMES, CAPTIONS = "viewpoints.jsonl", "captions.jsonl"
THINGS = ("sofa", "lamp", "clock", "towel", "plant", "mirror", "stove", "bed")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A tiny world in which each viewpoint sees eight things all around, named by people and by captions."""
    folder = write_tiny_world(tmp_path_factory.mktemp("checked"), paths=3)
    places = [(one.scan, str(name)) for one in World.load(folder / "connectivity").graphs for name in one.viewpoints]
    names, captions = [], []
    for number, (scan, viewpoint) in enumerate(places):
        around = [THINGS[(number + heading) % 8] for heading in range(8)]
        things = [
            {"id": heading, "name": thing, "views": [12 + 3 * heading // 2], "boxes": [[1, 2, 3, 4]]}
            for heading, thing in enumerate(around)
            if heading % 2 == 0
        ]
        place = {"scan": scan, "viewpoint": viewpoint}
        names.append(place | {"room": "hall", "objects": things})
        captions.append(place | {"captions": [["", f"a {thing} in a room", ""] for thing in around]})
    for name, lines in ((NAMES, names), (CAPTIONS, captions)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    store = ((scan, viewpoint, np.full((36, 3), 0.5)) for scan, viewpoint in places[:3])
    FeatureStore.write(folder / "store", store, source="made", source_format="test")
    episodes = load_episodes("r2r", "val_unseen", folder)
    walks = [{"instr_id": one.id, "trajectory": [[one.start, 0.0, 0.0]]} for one in episodes]
    (folder / "results.json").write_text(json.dumps(walks))
    return folder


@pytest.fixture
def data(original, tmp_path):
    return shutil.copytree(original, tmp_path / "data")


def change(path, how):
    """Change a file's JSON, or its first line."""
    text = path.read_text()
    first, _, rest = text.partition("\n") if path.suffix == ".jsonl" else (text, "", "")
    content = json.loads(first)
    changed = how(content)
    path.write_text(json.dumps(content if changed is None else changed) + "\n" + rest)


def setting(place, field, value):
    return lambda content: content[place].__setitem__(field, value)


def posed(how):
    """A change of the first viewpoint's pose."""

    def spoil(records):
        pose = records[0]["pose"]
        records[0]["pose"] = how([pose[0:4], pose[4:8], pose[8:12], pose[12:16]])

    return spoil


def flat(rows):
    return [number for row in rows for number in row]


def moved(factor):
    def spoil(records):
        for record in records:
            for place in (3, 7, 11):
                record["pose"][place] *= factor

    return spoil


def one_way(records):
    there = records[0]["unobstructed"].index(True)
    records[there]["unobstructed"][0] = False


WRONG = {
    "zero rotation": (GRAPH, posed(lambda p: flat([[0, 0, 0, row[3]] for row in p[:3]]) + p[3]), "holds no rotation"),
    "mirrored": (GRAPH, posed(lambda p: flat([[-row[0], *row[1:]] for row in p[:3]]) + p[3]), "mirrors the camera"),
    "transposed": (GRAPH, posed(lambda p: flat(zip(*p, strict=True))), "transposed"),
    "last row": (GRAPH, posed(lambda p: [*flat(p[:3]), 0, 0, 0, 2]), "last row that is not 0 0 0 1"),
    "texts": (GRAPH, posed(lambda p: [str(number) for number in flat(p)]), "something other than numbers"),
    "truths": (GRAPH, posed(lambda p: [*flat(p)[:15], True]), "something other than numbers"),
    "millimetres": (GRAPH, moved(1000), "not in metres"),
    "heading in degrees": (R2R, setting(0, "heading", 270), "headings are in radians"),
    "absurd heading": (R2R, setting(0, "heading", 1e200), "headings are in radians"),
    "heading of a dialog": (NDH, lambda es: es[0]["start_pano"].update(heading=90.0), "headings are in radians"),
    "empty instruction": (R2R, lambda entries: entries[0]["instructions"].insert(0, " \n"), "is empty"),
    "negative distance": (R2R, setting(0, "distance", -3), "which is no length"),
    "infinite distance": (R2R, setting(0, "distance", float("inf")), "which is no length"),
    "ids with a blank": (R2R, lambda es: es[0].update(path_id=f"{es[1]['path_id']} "), "occurs twice but for blanks"),
    "two ids": ("results.json", setting(0, "inst_idx", 7), None),
    "absurd angle": ("results.json", lambda es: es[0]["trajectory"][0].__setitem__(1, 1e200), "not [viewpoint, head"),
    "no captions": (CAPTIONS, None, "all captions are empty"),
    "damaged store": (f"store/{FEATURES_FILE}", None, "damaged"),
}


def spoil_whole_file(data, file):
    path = data / file
    if file == CAPTIONS:
        lines = [json.loads(line) | {"captions": [["", "", ""]] * 8} for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)


def found_in(data, kind):
    return [said for what, said in check_data(DataFolder(data)) if what == kind]


def test_a_sound_folder_is_fine(data):
    found = list(check_data(DataFolder(data)))
    assert {kind for kind, _ in found} == {"fine"}
    files = ("connectivity", "R2R_train", "R2R_test", "NDH/val_unseen", NAMES, CAPTIONS, "store", "results.json")
    assert all(any(name in said for _, said in found) for name in files)


@pytest.mark.parametrize("case", [case for case in WRONG if WRONG[case][2] is not None])
def test_what_is_wrong_is_found_with_file_and_place(data, case):
    file, how, said = WRONG[case]
    if how is None:
        spoil_whole_file(data, file)
    else:
        change(data / file, how)
    (first, *_) = found_in(data, "wrong")
    assert said in first
    assert str(data / file) in first
    assert "\n" not in first
    assert how is None or case == "millimetres" or "entry 0" in first or "entry 1" in first or "of episode" in first


ODD = {
    "one way": (GRAPH, one_way, "edges lead one way only, the first from"),
    "centimetres of a doll's house": (GRAPH, moved(0.1), "are these metres?"),
    "other length": (R2R, setting(0, "distance", 99.0), "99.00 m, and"),
    "captions that are empty": (CAPTIONS, lambda place: place.update(captions=[[""] * 3] * 8), "only empty captions"),
    "missing place": (NAMES, lambda place: place.update(scan="elsewhere"), "says nothing of 1 of the"),
    "another place": (
        CAPTIONS,
        lambda place: place.update(viewpoint="nowhere"),
        "not in the graphs of their buildings",
    ),
    "degrees": ("results.json", lambda es: es[0]["trajectory"][0].__setitem__(1, 270), "are these degrees?"),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_gets_a_line(data, case):
    file, how, said = ODD[case]
    change(data / file, how)
    assert found_in(data, "wrong") == []
    odd = [one for one in found_in(data, "odd") if said in one]
    assert len(odd) == 1
    assert odd[0].startswith(str(data / file))
    assert "\n" not in odd[0]


@pytest.mark.parametrize(("turn", "degrees"), [(1, 45), (-2, -90), (4, 180)])
@pytest.mark.parametrize("witness", ["names", "detections"])
def test_turned_captions_are_noticed(data, turn, degrees, witness):
    path, lines = data / CAPTIONS, []
    for line in path.read_text().splitlines():
        place = json.loads(line)
        said = place["captions"]
        if witness == "detections":
            place["detections"] = [[n, f"red {row[1].split()[1]}", 45.0 * n, 2.0] for n, row in enumerate(said)]
        lines.append(place | {"captions": said[-turn:] + said[:-turn]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    if witness == "detections":
        (data / NAMES).unlink()
    (odd,) = found_in(data, "odd")
    assert f"seem to be turned by {degrees:+} degrees" in odd


def test_the_command_and_the_doctor_say_it(data, capsys):
    assert run(capsys, "data", "check", data).err == ""
    change(data / R2R, setting(0, "heading", 270))
    change(data / GRAPH, one_way)
    printed = run(capsys, "data", "check", data, code=2)
    assert printed.err == f"mtvm: {data}: 1 of its files is wrong; mend what is named.\n"
    for said in (printed.out, run(capsys, "doctor", "--data", data).out):
        assert "headings are in radians" in said
        assert "one way only" in said


def test_loading_an_odd_graph_tells_once(data):
    change(data / GRAPH, one_way)
    with collected_notices() as notices:
        World.load(data / "connectivity")
        World.load(data / "connectivity")
    assert len(notices) == 1
    assert "one way only" in notices[0]


def test_a_spoiled_graph_is_refused_where_a_sound_one_was_cached(data, monkeypatch, tmp_path):
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    NavGraph.load(data / GRAPH)
    change(data / GRAPH, moved(1000))
    with pytest.raises(InputError, match="not in metres"):
        NavGraph.load(data / GRAPH)


def test_results_with_two_ids_must_mean_one_episode(data, tmp_path):
    episodes = load_episodes("ndh", "val_unseen", data)
    records = [{"inst_idx": int(one.id), "trajectory": [[one.start, 0, 0]]} for one in episodes]
    file = tmp_path / "results.json"
    file.write_text(json.dumps([records[0] | {"instr_id": records[0]["inst_idx"]}, *records[1:]]))
    assert len(read_results(file, episodes).trajectories) == len(episodes)
    file.write_text(json.dumps([records[0] | {"instr_id": "9999"}, *records[1:]]))
    with pytest.raises(InputError, match=r"entry 0: 'inst_idx' is .*, but 'instr_id' 9999"):
        read_results(file, episodes)


def test_a_key_twice_in_one_object_is_refused(tmp_path):
    assert parse_json(b'[{"a": 1}, {"a": 2, "b": {"a": 3}}]', "file") == [{"a": 1}, {"a": 2, "b": {"a": 3}}]
    with pytest.raises(InputError, match="file: has the key 'trajectory' twice in one object"):
        parse_json(b'[{"instr_id": "1_0", "trajectory": [], "x": 1, "trajectory": [["a", 0, 0]]}]', "file")


def test_empty_texts_of_a_speaker_are_only_told(data):
    """PREVALENT's speaker has said nothing now and then."""
    change(data / R2R, lambda entries: entries[0]["instructions"].insert(0, " "))
    file = data / "R2R" / "prevalent_aug.json"
    shutil.copy(data / R2R, file)
    with collected_notices() as notices:
        load_episodes(dataclasses.replace(TASKS["prevalent"]), "aug", data)
    assert notices == [f"{file}: 1 of 10 instructions are empty, the first that of {first_id(file)}."]


def first_id(file):
    return f"{json.loads(file.read_text())[0]['path_id']}_0"
