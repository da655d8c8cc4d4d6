"""R4R: joined paths against a plain implementation of the recipe, and read as a task."""

import heapq
import itertools
import json
import math
import shutil

import pytest

from mtvm.errors import InputError
from mtvm.io.files import write_json
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.r4r import build_r4r
from mtvm.world.world import World
from small_worlds import make_graph


def plain_shortest(records, start, goal):
    """(metres, viewpoints) of the shortest way in a parsed connectivity file."""
    by_id = {record["image_id"]: record for record in records}
    ids = list(by_id)
    places = {name: record["pose"][3::4][:3] for name, record in by_id.items()}
    heap, done = [(0.0, [start])], set()
    while heap:
        metres, path = heapq.heappop(heap)
        if path[-1] == goal:
            return metres, path
        if path[-1] in done:
            continue
        done.add(path[-1])
        for name, free in zip(ids, by_id[path[-1]]["unobstructed"], strict=True):
            if free:
                heapq.heappush(heap, (metres + math.dist(places[path[-1]], places[name]), [*path, name]))
    return math.inf, []


def plain_r4r(folder, split):
    entries = json.loads((folder / "R2R" / f"R2R_{split}.json").read_text())
    graphs = {
        scan: json.loads((folder / "connectivity" / f"{scan}_connectivity.json").read_text())
        for scan in {entry["scan"] for entry in entries}
    }
    for one, two in itertools.permutations(entries, 2):
        if one["scan"] != two["scan"]:
            continue
        metres, way = plain_shortest(graphs[one["scan"]], one["path"][-1], two["path"][0])
        if metres <= 3:
            yield {
                "scan": one["scan"],
                "path_id": f"{one['path_id']}-{two['path_id']}",
                "heading": one["heading"],
                "path": [*one["path"], *way[1:-1], *(two["path"] if len(way) > 1 else two["path"][1:])],
                "instructions": [f"{a} {b}" for a in one["instructions"] for b in two["instructions"]],
            }


@pytest.mark.parametrize("split", ["train", "val_unseen"])
def test_build_r4r_agrees_with_the_plain_recipe(tiny_folder, tiny_world, split):
    joined = build_r4r(tiny_folder / "R2R" / f"R2R_{split}.json", tiny_world)
    expected = {entry["path_id"]: entry for entry in plain_r4r(tiny_folder, split)}
    assert len(joined) == len(expected) > 0
    for entry in joined:
        metres = entry.pop("distance")
        assert entry == expected[entry["path_id"]]
        nodes = [tiny_world.node(entry["scan"], name) for name in entry["path"]]
        assert metres == pytest.approx(sum(tiny_world.distance(nodes[:-1], nodes[1:])), abs=0.006)


def test_build_r4r_gives_entries_that_load_as_r4r(tiny_folder, tmp_path, tiny_world):
    joined = build_r4r(tiny_folder / "R2R" / "R2R_train.json", tiny_world)
    shutil.copytree(tiny_folder / "connectivity", tmp_path / "connectivity")
    write_json(tmp_path / "R4R_train.json", joined)
    episodes = load_episodes("r4r", "train", tmp_path)
    assert episodes.name == "r4r train"
    assert len(episodes) == 9 * len(joined)
    for entry, episode in zip(joined, itertools.islice(episodes, 0, None, 9), strict=True):
        assert episode.id == f"{entry['path_id']}_0"
        assert (episode.scan, episode.heading) == (entry["scan"], entry["heading"])
        assert episode.reference == tuple(entry["path"])
        assert episode.goals == (entry["path"][-1],)
    columns = score_trajectories(episodes, episodes.references)
    assert (columns["SR"] == 100).all()
    assert (columns["SPL"] < 99).any()  # joined paths wind


# Viewpoints on a line, with metres; each has an edge to the next.
PLACES = {"A": 0.0, "B": 2.0, "C": 5.0, "D": 7.0, "E": 8.0}


@pytest.fixture
def join(tmp_path):
    """A function that joins paths given by letters."""

    def build(*paths, **fields):
        entries = [
            {
                "scan": "hall",
                "path_id": number,
                "path": list(path),
                "heading": number / 10,
                "instructions": [f"{path} a. ", f" {path} b."],
                **fields,
            }
            for number, path in enumerate(paths)
        ]
        path = tmp_path / "R2R_train.json"
        path.write_text(json.dumps(entries))
        hall = make_graph({name: (x, 0) for name, x in PLACES.items()}, ["AB", "BC", "CD", "DE"], "hall")
        return build_r4r(path, World([hall]))

    return build


def test_build_r4r_joins_paths_three_metres_apart_in_order(join):
    (entry,) = join("AB", "CD")
    assert entry == {
        "scan": "hall",
        "path_id": "0-1",
        "heading": 0.0,
        "path": ["A", "B", "C", "D"],
        "distance": 7.0,
        "instructions": ["AB a. CD a.", "AB a. CD b.", "AB b. CD a.", "AB b. CD b."],
    }


def test_build_r4r_joins_paths_that_meet_without_a_repeat(join):
    joined = {entry["path_id"]: "".join(entry["path"]) for entry in join("AB", "BC", "DC")}
    # 0 ends at B: 1 begins there. 1 ends at C, 2 m from D. 2 ends at C, 3 m from B. Others are farther apart.
    assert joined == {"0-1": "ABC", "1-2": "BCDC", "2-1": "DCBC"}


def test_build_r4r_includes_every_viewpoint_of_the_connection(join):
    (entry,) = join("BC", "ED")
    assert entry["path"] == ["B", "C", "D", "E", "D"]
    assert entry["distance"] == 3 + 2 + 1 + 1


def test_build_r4r_does_not_join_a_path_to_itself(join):
    assert join("ABA") == []


def test_build_r4r_refuses_paths_without_goals(tiny_folder, tiny_world):
    path = tiny_folder / "R2R" / "R2R_test.json"
    with pytest.raises(InputError, match="no goals") as caught:
        build_r4r(path, tiny_world)
    assert str(caught.value).startswith(f"{path}: ")


def test_build_r4r_refuses_entries_without_instructions(join):
    with pytest.raises(InputError, match="'instructions' is empty"):
        join("AB", "CD", instructions=[])
