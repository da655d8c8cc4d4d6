"""REVERIE: stopping where the object is in view and naming it, scored as the released evaluation does."""

import dataclasses
import gzip
import heapq
import itertools
import json
import math
import shutil

import numpy as np
import pytest

from mtvm.acting.baselines import baseline_policy
from mtvm.acting.walk import walk_split
from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.tasks.evaluation import Evaluation
from mtvm.tasks.evaluation_folder import write_evaluation
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.tasks.results import read_results, write_results, write_submission
from mtvm.tasks.rewards import Rewards
from mtvm.tasks.score import score
from mtvm.tasks.teacher import Teacher
from mtvm.world.world import World
from small_worlds import make_episodes, make_graph, padded

SPLITS = [("train", 4071, 10_290), ("val_seen", 501, 1384), ("val_unseen", 1292, 3433)]


@pytest.mark.parametrize(("split", "paths", "instructions"), SPLITS)
def test_reverie_has_its_published_numbers(real_data, split, paths, instructions):
    episodes = load_episodes("reverie", split, DataFolder(real_data))
    assert len(episodes) == instructions
    assert len({one.rsplit("_", 1)[0] for one in episodes.ids}) == paths
    assert all(
        answer == identity.split("_")[1]
        for answer, identity in zip(episodes.extra["answer"], episodes.ids, strict=True)
    )
    assert episodes[0].extra == {"answer": episodes.extra["answer"][0]}


def test_reverie_test_has_no_goals(real_data):
    episodes = load_episodes("reverie", "test", DataFolder(real_data))
    assert len(episodes) == 6144
    assert not episodes.has_goals
    assert not episodes.extra


# The released evaluation, written down once more: from the JSON files, one episode at a time


class Released:
    """The boxes, the paths and the graphs that it scores with."""

    def __init__(self, data, split):
        names = json.loads((data / "REVERIE" / f"REVERIE_{split}.json").read_text())
        self.entries = {f"{entry['id']}_{n}": entry for entry in names for n in range(len(entry["instructions"]))}
        self.visible, self.graphs = {}, {}
        (source,) = (data / "semantics").iterdir()
        with gzip.open(source, "rt") if source.suffix == ".gz" else source.open() as lines:
            for place in map(json.loads, lines):
                shown = {str(thing["id"]) for thing in place["objects"] if thing["views"]}
                self.visible[place["scan"], place["viewpoint"]] = shown
        for scan in {entry["scan"] for entry in names}:
            self.graphs[scan] = self._graph(data / "connectivity" / f"{scan}_connectivity.json")

    @staticmethod
    def _graph(path):
        records = json.loads(path.read_text())
        edges = {record["image_id"]: {} for record in records if record["included"]}
        for record in records:
            for other, joined in zip(records, record["unobstructed"], strict=True):
                if joined and record["included"] and other["included"]:
                    apart = math.dist(*([one["pose"][place] for place in (3, 7, 11)] for one in (record, other)))
                    edges[record["image_id"]][other["image_id"]] = apart
        return edges

    def distance(self, scan, start, goal):
        best, heap = {start: 0.0}, [(0.0, start)]
        while heap:
            length, here = heapq.heappop(heap)
            if here == goal:
                return length
            for other, step in self.graphs[scan][here].items():
                if length + step < best.get(other, math.inf):
                    best[other] = length + step
                    heapq.heappush(heap, (length + step, other))
        return math.inf

    def score(self, records):
        """The summary of a result file's records."""
        found = []
        for record in records:
            entry = self.entries[record["instr_id"]]
            scan, wanted, path = entry["scan"], str(entry["objId"]), [step[0] for step in record["trajectory"]]
            in_view = [wanted in self.visible.get((scan, viewpoint), ()) for viewpoint in path]
            length = sum(self.distance(scan, one, other) for one, other in itertools.pairwise(path))
            shortest = self.distance(scan, entry["path"][0], entry["path"][-1])
            share = shortest / max(length, shortest)
            named = str(record["predObjId"]) == wanted
            found.append((length, in_view[-1], any(in_view), in_view[-1] * share, named, named * share))
        means = np.mean(found, axis=0) * [1, 100, 100, 100, 100, 100]
        return dict(zip(("TL", "SR", "OSR", "SPL", "RGS", "RGSPL"), means, strict=True))


@pytest.fixture(scope="module")
def houses(tiny_folder, tmp_path_factory):
    """The tiny world with an object for each path: in view at its last two viewpoints, but for the first entry, whose
    object is only in view before the end; and with a file in which viewpoints name objects that no view shows."""
    data = tmp_path_factory.mktemp("reverie") / "data"
    shutil.copytree(tiny_folder, data)
    entries, seen = [], {}
    for number, entry in enumerate(json.loads((data / "R2R" / "R2R_val_unseen.json").read_text())):
        places = entry["path"][-2:-1] if number == 0 else entry["path"][-2:]
        for viewpoint in entry["path"]:
            views = [3, 4] if viewpoint in places else []
            thing = {"id": 100 + number, "name": "lamp", "views": views, "boxes": [[1, 2, 3, 4]] * len(views)}
            seen.setdefault((entry["scan"], viewpoint), []).append(thing)
        entries.append(entry | {"id": f"{entry['path_id']}_{100 + number}", "objId": 100 + number})
    (data / "REVERIE").mkdir()
    (data / "REVERIE" / "REVERIE_val_unseen.json").write_text(json.dumps(entries))
    secret = [{**entry, "id": str(entry["path_id"]), "path": entry["path"][:1]} for entry in entries]
    (data / "REVERIE" / "REVERIE_test.json").write_text(
        json.dumps([{name: value for name, value in entry.items() if name != "objId"} for entry in secret])
    )
    (data / "semantics").mkdir(exist_ok=True)
    for old in (data / "semantics").iterdir():
        old.unlink()
    lines = [
        {"scan": scan, "viewpoint": viewpoint, "objects": things} for (scan, viewpoint), things in sorted(seen.items())
    ]
    (data / "semantics" / "viewpoints.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return data


@pytest.fixture(scope="module")
def episodes(houses):
    return load_episodes("reverie", "val_unseen", houses)


def compared(path, data, episodes, split="val_unseen"):
    """The means of a result file, which must be those of the released evaluation to the digit."""
    _, columns = score(path, episodes)
    means = summarize(columns)
    released = Released(data, split).score(json.loads(path.read_text()))
    assert {name: means[name] for name in released} == pytest.approx(released, rel=1e-6, abs=1e-9)
    return means


def random_answers(episodes, nodes, seed):
    """Objects of the building, often the right one."""
    rng = np.random.default_rng(seed)
    return [
        right if rng.random() < 0.4 else str(rng.choice(episodes.objects.at(int(node)))) if rng.random() < 0.5 else None
        for right, node in zip(episodes.extra["answer"], nodes, strict=True)
    ]


@pytest.mark.parametrize("agent", ["shortest", "random", "forward", "stop"])
def test_results_are_scored_as_the_released_evaluation_does(houses, episodes, tmp_path, agent):
    walks = walk_split(baseline_policy(agent, 3), episodes)
    answers = random_answers(episodes, episodes.goals[:, 0], seed=1)
    write_results(tmp_path / "results.json", episodes, walks.trajectories(), answers)
    (record, *_) = json.loads((tmp_path / "results.json").read_text())
    assert list(record) == ["instr_id", "trajectory", "predObjId"]
    means = compared(tmp_path / "results.json", houses, episodes)
    assert 0 < means["RGS"] < 100


@pytest.mark.parametrize("split", ["val_seen", "val_unseen"])
def test_real_results_are_scored_as_the_released_evaluation_does(real_data, tmp_path, split):
    """Of 150 real episodes, walked at random; and everybody who takes the shortest way and names the object has 100."""
    episodes = load_episodes("reverie", split, DataFolder(real_data))
    walks = walk_split(baseline_policy("shortest"), episodes)
    columns = score_trajectories(episodes, walks.nodes, walks.answers)
    assert {name: float(columns[name].min()) for name in ("SR", "OSR", "RGS")} == {"SR": 100, "OSR": 100, "RGS": 100}
    assert columns["SPL"].mean() == columns["RGSPL"].mean() == pytest.approx(100, abs=1e-6)
    some = episodes.select(np.linspace(0, len(episodes) - 1, 150).astype(int))
    walks = walk_split(baseline_policy("random"), some)
    write_results(tmp_path / "results.json", some, walks.trajectories(), random_answers(some, some.goals[:, 0], 5))
    compared(tmp_path / "results.json", real_data, some, split)


@pytest.mark.parametrize(
    ("walked", "answer", "rates"),
    [
        # SR, OSR, SPL, RGS, RGSPL of walks along A - B - C - E, 10 m, whose object 7 is in view at C and E
        ("ABCE", "7", (100, 100, 100, 100, 100)),
        ("ABC", "7", (100, 100, 100, 100, 100)),  # 8 m, shorter than the way to the end of the path
        ("ABCEC", "8", (100, 100, 1000 / 12, 0, 0)),
        ("ABCECB", "7", (0, 100, 0, 100, 1000 / 16)),  # RGS does not ask where it stops
        ("AB", None, (0, 0, 0, 0, 0)),  # 4 m from C, but it is not in view
        ("ABCEF", "7", (0, 100, 0, 100, 1000 / 11)),  # 1 m from E, but it is not in view
    ],
)
def test_a_case_by_hand(walked, answer, rates):
    places = {"A": (0, 0), "B": (4, 0), "C": (4, 4), "D": (0, 4), "E": (4, 6), "F": (4, 7)}
    world = World([make_graph(places, ["AB", "BC", "CD", "DA", "CE", "EF"])])
    reference, goals, walk = ([world.node("made", name) for name in names] for names in ("ABCE", "CE", walked))
    episodes = dataclasses.replace(make_episodes(world, [reference], [goals], task="reverie"), extra={"answer": ["7"]})
    columns = score_trajectories(episodes, padded([walk]), [answer])
    assert [columns[name][0] for name in ("SR", "OSR", "SPL", "RGS", "RGSPL")] == pytest.approx(rates, rel=1e-6)


def test_eval_and_score_agree(houses, episodes, tmp_path, capsys):
    """One definition: of what an agent's evaluation says of itself, of its result file, and of training's rewards."""
    walks = walk_split(baseline_policy("random", 1), episodes)
    done = Evaluation(episodes, walks.nodes, walks.views, [], 1.0, [*episodes.extra["answer"]])
    write_evaluation(tmp_path / "eval", done)
    said = json.loads((tmp_path / "eval" / "metrics.json").read_text())
    main(["score", str(tmp_path / "eval" / "results.json"), "--task", "reverie", "--data", str(houses), "--json"])
    scored = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert scored == {name: said[name] for name in scored}
    assert 0 < said["SR"] < 100
    rewards, ends = Rewards(episodes), walks.nodes[np.arange(len(episodes)), (walks.nodes >= 0).sum(axis=1) - 1]
    rewards.step(ends[:, None], np.zeros(len(episodes), dtype=bool))
    stopping = rewards.step(np.full((len(episodes), 0), -1), np.ones(len(episodes), dtype=bool))
    assert ((stopping > 0) == (done.columns()["SR"] > 0)).all()


def test_the_teacher_stops_where_the_object_is_in_view(episodes):
    """Also where the reference path ends out of its sight."""
    assert not (episodes.goals[0] == episodes.reference_ends[0]).any()
    for follow in ("goal", "path"):
        teacher = Teacher(episodes, follow)
        ends = teacher.stations[np.arange(len(episodes)), teacher.last]
        assert (ends[:, None] == episodes.goals).any(axis=1).all()
    assert ends[-1] == episodes.reference_ends[-1]


def test_answers_that_are_not_in_view_at_the_end_do_not_count(houses, episodes, tmp_path, capsys):
    nodes = episodes.references.astype(np.int64)
    answers = [*episodes.extra["answer"]]
    answers[1:4] = ["the lamp", "99999", "-5"]
    done = Evaluation(episodes, nodes, np.zeros_like(nodes), [], 1.0, answers)
    expected = [False, False, False, False, *[True] * (len(episodes) - 4)]  # the first path ends out of sight
    hidden = [not (episodes.goals[row] == episodes.reference_ends[row]).any() for row in range(len(episodes))]
    assert (done.columns()["RGS"] == 100).tolist() == [
        fine and not out for fine, out in zip(expected, hidden, strict=True)
    ]
    assert done.refused == len(episodes) - sum(answer is not None for answer in done.answers)
    write_evaluation(tmp_path / "eval", done)
    assert f"{done.refused} of {len(episodes)} answers name no object that is seen" in capsys.readouterr().err


def test_agents_without_answers_are_measured_by_their_walks(houses, episodes, tmp_path):
    walks = walk_split(baseline_policy("forward"), episodes)
    done = Evaluation(episodes, walks.nodes, walks.views, [], 1.0, [None] * len(episodes))
    assert done.answers is None
    assert "RGS" not in done.columns()
    write_results(tmp_path / "results.json", episodes, walks.trajectories())
    assert "RGS" not in score(tmp_path / "results.json", episodes)[1]


@pytest.mark.parametrize(
    ("answer", "said"),
    [("lamp", "not the number of an object"), (1.5, "not the number of an object"), (77777, "sees object 77777")],
)
def test_answers_of_result_files_are_checked(houses, episodes, tmp_path, answer, said):
    path = tmp_path / "results.json"
    walks = walk_split(baseline_policy("stop"), episodes)
    write_results(path, episodes, walks.trajectories(), walks.answers)
    records = json.loads(path.read_text())
    assert {record["predObjId"] for record in records} == {-1}
    for fine in (None, -1, "101", 101):
        records[2]["predObjId"] = fine
        path.write_text(json.dumps(records))
        assert read_results(path, episodes).answers[2] == (None if fine in (None, -1) else "101")
    records[2]["predObjId"] = answer
    path.write_text(json.dumps(records))
    with pytest.raises(InputError, match=said):
        score(path, episodes)


def test_results_of_duet_are_scored_too(houses, episodes, tmp_path):
    """Its steps are lists of viewpoints, and its objects in a field of its own, as texts or null."""
    walks = walk_split(baseline_policy("shortest"), episodes)
    path = tmp_path / "results.json"
    write_results(path, episodes, walks.trajectories(), walks.answers)
    records = [
        {
            "instr_id": record["instr_id"],
            "trajectory": [[pose[0]] for pose in record["trajectory"]],
            "pred_objid": None if number == 0 else str(record["predObjId"]),
        }
        for number, record in enumerate(json.loads(path.read_text()))
    ]
    path.write_text(json.dumps(records))
    _, columns = score(path, episodes)
    assert columns["RGS"].tolist() == [0, *[100] * (len(episodes) - 1)]
    records[1]["pred_objid"] = "a lamp"
    path.write_text(json.dumps(records))
    with pytest.raises(InputError, match="entry 1: 'pred_objid' is 'a lamp', not the number of an object"):
        score(path, episodes)


def test_submissions_name_an_object_for_each_episode(houses, tmp_path):
    secret = load_episodes("reverie", "test", houses)
    walks = walk_split(baseline_policy("forward"), secret)
    write_results(tmp_path / "results.json", secret, walks.trajectories())
    assert write_submission(tmp_path / "results.json", tmp_path / "submission.json", secret) == len(secret)
    assert {record["predObjId"] for record in json.loads((tmp_path / "submission.json").read_text())} == {-1}


@pytest.mark.parametrize("codebase", ["hamt", "duet"])
def test_other_codebases_compare_with_the_reference_path(houses, episodes, tmp_path, codebase):
    """HAMT and DUET: success * reference length / max(length, reference length, 0.01)."""
    walks = walk_split(baseline_policy("random", 4), episodes)
    write_results(tmp_path / "results.json", episodes, walks.trajectories(), [*episodes.extra["answer"]])
    _, columns = score(tmp_path / "results.json", episodes, definitions=codebase)
    names, released = episodes.world.viewpoints, Released(houses, "val_unseen")
    for row, identity in enumerate(episodes.ids):
        path, scan = names[episodes.references[row][episodes.references[row] >= 0]].tolist(), episodes[row].scan
        wanted = sum(released.distance(scan, one, two) for one, two in itertools.pairwise(path))
        share = wanted / max(columns["TL"][row], wanted, 0.01)
        assert columns["RGSPL"][row] == pytest.approx(100 * share), identity
        assert columns["SPL"][row] == pytest.approx(columns["SR"][row] * share), identity


def test_objects_that_nobody_sees_and_missing_boxes_are_refused(houses, tmp_path):
    shutil.copytree(houses, tmp_path / "data")
    file = tmp_path / "data" / "REVERIE" / "REVERIE_val_unseen.json"
    entries = json.loads(file.read_text())
    file.write_text(json.dumps([entries[0] | {"objId": 4}, *entries[1:]]))
    with pytest.raises(InputError, match=r"field 'objId': no viewpoint of \w+ sees object 4\."):
        load_episodes("reverie", "val_unseen", tmp_path / "data")
    (tmp_path / "data" / "semantics" / "viewpoints.jsonl").unlink()
    with pytest.raises(InputError, match=r"no viewpoints\.jsonl\(\.gz\) below it.*'mtvm data names' makes it"):
        load_episodes("reverie", "val_unseen", tmp_path / "data")


def test_entries_are_known_by_path_and_object(houses, tmp_path):
    entries = json.loads((houses / "REVERIE" / "REVERIE_val_unseen.json").read_text())[:1]
    path = tmp_path / "two_objects.json"
    path.write_text(json.dumps([entries[0], entries[0] | {"id": "7_2", "objId": str(entries[0]["objId"])}]))
    ids = load_episodes("reverie", str(path), DataFolder(houses)).ids
    assert ids[-1] == f"7_2_{len(entries[0]['instructions']) - 1}"
    path.write_text(json.dumps([entries[0], entries[0]]))
    with pytest.raises(InputError, match="occurs twice"):
        load_episodes("reverie", str(path), DataFolder(houses))
