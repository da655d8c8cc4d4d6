"""Result files: written, read back, checked as on the leaderboards, scored and submitted."""

import csv
import json

import numpy as np
import pytest

from mtvm.acting.baselines import run_baseline
from mtvm.errors import InputError
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import NAVIGATION
from mtvm.tasks.metrics import score_trajectories, summarize
from mtvm.tasks.results import (
    read_results,
    trajectory_nodes,
    write_episode_table,
    write_results,
    write_submission,
)
from mtvm.tasks.score import score

NAMES = tuple(metric.name for metric in NAVIGATION)


@pytest.fixture
def results(tmp_path, tiny_r2r):
    """A function that writes the shortest paths, or what a function makes of the parsed file of them."""

    def write(change=lambda records: records, episodes=tiny_r2r):
        path = tmp_path / "results.json"
        write_results(path, episodes, run_baseline("shortest" if episodes.has_goals else "stop", episodes))
        path.write_text(json.dumps(change(json.loads(path.read_text()))))
        return path

    return write


@pytest.fixture(scope="session")
def tiny_tests(tiny_folder):
    """The test splits, whose goals are secret."""
    return {task: load_episodes(task, "test", tiny_folder) for task in ("r2r", "ndh")}


def entry(change):
    """Change entry 4, which is episode 37_1."""
    return lambda records: [*records[:4], change(records[4]), *records[5:]]


def without(field):
    return entry(lambda record: {name: value for name, value in record.items() if name != field})


def with_id(identity):
    return entry(lambda record: {**record, "instr_id": identity})


def steps(change):
    return entry(lambda record: {**record, "trajectory": change(record["trajectory"])})


def with_step(step):
    return steps(lambda trajectory: [*trajectory[:2], step, *trajectory[3:]])


def complaint(call, path):
    """The message that refuses a file; it begins with the file's name."""
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.endswith(".")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_read_results_gives_what_write_results_wrote(tmp_path, tiny_r2r, tiny_ndh, task):
    episodes = {"r2r": tiny_r2r, "ndh": tiny_ndh}[task]
    trajectories = run_baseline("random", episodes, seed=3)
    write_results(tmp_path / "out.json", episodes, trajectories)
    same, read, _ = read_results(tmp_path / "out.json", episodes)
    assert same is episodes
    assert read == trajectories


def test_write_results_needs_a_trajectory_for_every_episode(tmp_path, tiny_r2r):
    with pytest.raises(ValueError, match="zip"):
        write_results(tmp_path / "out.json", tiny_r2r, run_baseline("stop", tiny_r2r)[:-1])
    assert list(tmp_path.iterdir()) == []


def test_score_ignores_the_order_of_the_file(results, tiny_r2r):
    forwards = score(results(), tiny_r2r)[1]
    backwards = score(results(lambda records: records[::-1]), tiny_r2r)[1]
    assert all(np.array_equal(forwards[name], backwards[name]) for name in NAMES)


def test_score_is_in_the_order_of_the_episodes(results, tiny_r2r):
    path = results(steps(lambda trajectory: trajectory[:1]))
    episodes, columns = score(path, tiny_r2r)
    assert episodes is tiny_r2r
    assert np.nonzero(columns["SR"] == 0)[0].tolist() == [4]
    assert columns["TL"][4] == 0
    assert columns["NE"][4] == pytest.approx(tiny_r2r.world.distance(tiny_r2r.starts[4], tiny_r2r.goals[4, 0]))


def test_score_partial_takes_only_the_episodes_in_the_file(results, tiny_r2r):
    path = results(lambda records: [records[7], records[2]])
    episodes, columns = score(path, tiny_r2r, partial=True)
    assert episodes.ids == [tiny_r2r.ids[2], tiny_r2r.ids[7]]  # in the order of the split
    assert [len(column) for column in columns.values()] == [2] * len(NAMES)
    assert summarize(columns)["SR"] == 100


FORMS = {
    "tuples of three": lambda ids: [[name, 0.5, -0.5] for name in ids],
    "whole numbers as angles": lambda ids: [[name, 1, 0] for name in ids],
    "bare viewpoints": list,
    "viewpoints in lists of one": lambda ids: [[name] for name in ids],
    "several viewpoints walked in one step": lambda ids: [ids[:1], ids[1:]],
    "turning in place": lambda ids: [[name, heading, 0.0] for name in ids for heading in (0.0, 0.5)],
    "mixed": lambda ids: [[ids[0], 0.1, 0.2], *ids[1:3], ids[3:]],
}


@pytest.mark.parametrize("form", FORMS)
def test_score_accepts_all_forms_of_a_trajectory(results, tiny_r2r, form):
    def change(records):
        return [{**r, "trajectory": FORMS[form]([pose[0] for pose in r["trajectory"]])} for r in records]

    _, columns = score(results(change), tiny_r2r)
    expected = score_trajectories(tiny_r2r, tiny_r2r.references)
    for name in NAMES:
        assert columns[name] == pytest.approx(expected[name]), name


@pytest.mark.parametrize("kind", [str, int])
@pytest.mark.parametrize("field", ["inst_idx", "instr_id"])
def test_score_accepts_all_forms_of_ndh_ids(results, tiny_ndh, field, kind):
    def change(records):
        return [{field: kind(r["inst_idx"]), "trajectory": r["trajectory"]} for r in records]

    path = results(change, tiny_ndh)
    assert len(score(path, tiny_ndh)[0]) == len(tiny_ndh)


MALFORMED = {
    "not a list": (lambda records: {"results": records}, ["non-empty list"]),
    "an empty list": (lambda records: [], ["non-empty list"]),
    "an entry that is no object": (entry(lambda record: "x"), ["entry 4"]),
    "no id": (without("instr_id"), ["entry 4", "instr_id"]),
    "an id that is a list": (with_id(["1"]), ["entry 4", "instr_id"]),
    "an id that is true": (with_id(True), ["entry 4", "instr_id"]),
    "an unknown id": (with_id("99_0"), ["entry 4", "99_0", "r2r val_unseen"]),
    "an id twice": (with_id("36_1"), ["entry 4", "36_1", "occurs twice"]),
    "missing ids": (lambda records: records[:2] + records[5:], ["3 of 36", "36_2"]),
    "no trajectory": (without("trajectory"), ["entry 4", "37_1", "trajectory"]),
    "an empty trajectory": (steps(lambda _: []), ["entry 4", "37_1", "trajectory", "empty"]),
    "a trajectory that is a string": (steps(lambda _: "abc"), ["entry 4", "37_1", "trajectory"]),
}
BAD_STEPS = {
    "empty": [],
    "null": None,
    "no elevation": ["x", 0.0],
    "four items": ["x", 0.0, 0.0, 0.0],
    "a viewpoint that is a number": [1, 0.0, 0.0],
    "an angle that is a string": ["x", 0.0, "0"],
    "an angle that is true": ["x", True, 0.0],
    "an angle that is not a number": ["x", float("nan"), 0.0],
    "an angle without end": ["x", 0.0, float("inf")],
    "an angle beyond all numbers": ["x", 10**400, 0.0],
}


@pytest.mark.parametrize(("change", "said"), MALFORMED.values(), ids=MALFORMED)
def test_score_refuses_malformed_files_with_the_place(results, tiny_r2r, change, said):
    path = results(change)
    message = complaint(lambda: score(path, tiny_r2r), path)
    assert [part for part in said if part not in message] == []


@pytest.mark.parametrize("step", BAD_STEPS.values(), ids=BAD_STEPS)
def test_score_refuses_malformed_steps_with_the_place(results, tiny_r2r, step):
    path = results(with_step(step))
    message = complaint(lambda: score(path, tiny_r2r), path)
    assert "entry 4 (id 37_1): step 2 of 'trajectory'" in message


def test_score_refuses_broken_json_with_line_and_column(tmp_path, tiny_r2r):
    path = tmp_path / "results.json"
    path.write_text('[\n  {"instr_id": "36_0", "trajectory": [')
    message = complaint(lambda: score(path, tiny_r2r), path)
    assert "line 2, column 39" in message


def test_score_refuses_a_missing_file(tmp_path, tiny_r2r):
    assert "no such file" in complaint(lambda: score(tmp_path / "no.json", tiny_r2r), tmp_path / "no.json")


STRANGE = "a\nb\x1b[31m\u202e" + "x" * 100_000


@pytest.mark.parametrize(
    "change",
    [
        with_id(STRANGE),
        entry(lambda record: {"instr_id": STRANGE, "trajectory": []}),
        entry(lambda record: {"instr_id": STRANGE, "trajectory": [None]}),
        with_step([STRANGE, 0.0, 0.0]),
    ],
    ids=["unknown id", "no trajectory", "bad step", "unknown viewpoint"],
)
def test_score_refuses_strange_values_on_one_short_line(results, tiny_r2r, change):
    path = results(change)
    message = complaint(lambda: score(path, tiny_r2r), path)
    assert message.isprintable()
    assert r"a\nb\x1b[31m\u202exxx" in message
    assert len(message) < len(str(path)) + len(str(tiny_r2r.source)) + 200


@pytest.mark.parametrize(("identity", "said"), [("99_0", "is not in"), ("36_1", "occurs twice")])
def test_score_partial_refuses_unknown_and_double_ids(results, tiny_r2r, identity, said):
    path = results(with_id(identity))
    message = complaint(lambda: score(path, tiny_r2r, partial=True), path)
    assert f"id {identity} {said}" in message


def test_score_refuses_an_unknown_viewpoint(results, tiny_r2r):
    path = results(with_step(["nowhere", 0.0, 0.0]))
    message = complaint(lambda: score(path, tiny_r2r), path)
    assert "id 37_1" in message
    assert "scan tiny3 has no included viewpoint nowhere" in message


def test_score_refuses_a_viewpoint_of_another_scan(results, tiny_folder, tiny_world):
    episodes = load_episodes("r2r", "val_unseen", tiny_folder, world=tiny_world)
    elsewhere = str(tiny_world.viewpoints[0])
    path = results(with_step([elsewhere, 0.0, 0.0]), episodes)
    assert f"scan tiny3 has no included viewpoint {elsewhere}" in complaint(lambda: score(path, episodes), path)


def test_score_refuses_another_start(results, tiny_r2r):
    path = results(steps(lambda trajectory: trajectory[1:]))
    message = complaint(lambda: score(path, tiny_r2r), path)
    start, second = tiny_r2r[4].reference[:2]
    assert "id 37_1" in message
    assert f"begins at {second}" in message
    assert start in message


def test_score_refuses_a_move_without_an_edge(results, tiny_r2r):
    path = results(steps(lambda trajectory: trajectory[:2] + trajectory[3:]))
    message = complaint(lambda: score(path, tiny_r2r), path)
    reference = tiny_r2r[4].reference
    assert "id 37_1" in message
    assert f"from {reference[1]} to {reference[3]} (step 1)" in message


@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_score_refuses_a_split_without_goals(results, tiny_tests, task):
    episodes = tiny_tests[task]
    path = results(episodes=episodes)
    message = complaint(lambda: score(path, episodes), episodes.source)
    assert f"{task} test cannot be scored, because it has no goals" in message
    assert "mtvm submit" in message


def test_write_submission_has_exactly_the_form_of_r2r(results, tmp_path, tiny_tests):
    episodes = tiny_tests["r2r"]
    backwards = results(lambda records: [{**r, "note": "more"} for r in records[::-1]], episodes)
    assert write_submission(backwards, tmp_path / "up.json", episodes) == len(episodes)
    uploaded = json.loads((tmp_path / "up.json").read_text())
    assert [set(record) for record in uploaded] == [{"instr_id", "trajectory"}] * len(episodes)
    assert [record["instr_id"] for record in uploaded] == episodes.ids
    viewpoint, heading, elevation = uploaded[0]["trajectory"][0]
    assert viewpoint == episodes[0].start
    assert abs(heading - episodes.headings[0]) <= np.pi / 12 + 1e-3
    assert elevation == 0.0


def test_write_submission_has_exactly_the_form_of_ndh(results, tmp_path, tiny_tests):
    episodes = tiny_tests["ndh"]
    path = results(lambda records: [{**r, "inst_idx": str(r["inst_idx"])} for r in records], episodes)
    write_submission(path, tmp_path / "up.json", episodes)
    uploaded = json.loads((tmp_path / "up.json").read_text())
    assert [set(record) for record in uploaded] == [{"inst_idx", "trajectory"}] * len(episodes)
    assert [record["inst_idx"] for record in uploaded] == [int(identity) for identity in episodes.ids]
    assert all(type(record["inst_idx"]) is int for record in uploaded)


def test_write_submission_writes_every_step_in_full(results, tmp_path, tiny_r2r):
    ids = tiny_r2r[4].reference
    path = results(steps(lambda _: [ids[0], [ids[1], 0.5, 0.25], list(ids[2:])]))
    write_submission(path, tmp_path / "up.json", tiny_r2r)
    uploaded = json.loads((tmp_path / "up.json").read_text())[4]["trajectory"]
    assert uploaded == [[ids[0], 0.0, 0.0], [ids[1], 0.5, 0.25], *([name, 0.0, 0.0] for name in ids[2:])]


@pytest.mark.parametrize(
    "change",
    [
        lambda records: records[:-1],
        with_id("99_0"),
        steps(lambda trajectory: trajectory[1:]),
        steps(lambda trajectory: trajectory[:2] + trajectory[3:]),
        with_step(["nowhere", 0.0, 0.0]),
    ],
    ids=["missing id", "unknown id", "start", "edge", "viewpoint"],
)
def test_write_submission_writes_nothing_unless_all_checks_pass(results, tmp_path, tiny_r2r, change):
    (tmp_path / "up.json").write_text("before")
    path = results(change)
    with pytest.raises(InputError):
        write_submission(path, tmp_path / "up.json", tiny_r2r)
    assert (tmp_path / "up.json").read_text() == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["results.json", "up.json"]


def test_write_submission_does_not_suggest_partial(results, tmp_path, tiny_r2r):
    path = results(lambda records: records[:-1])
    message = complaint(lambda: write_submission(path, tmp_path / "up.json", tiny_r2r), path)
    assert f"1 of {len(tiny_r2r)}" in message
    assert "--partial" not in message


def test_trajectory_nodes_pads_with_minus_one(results, tiny_r2r):
    path = results(steps(lambda trajectory: trajectory[:2]))
    nodes = trajectory_nodes(path, tiny_r2r, read_results(path, tiny_r2r)[1])
    assert nodes.shape == tiny_r2r.references.shape
    assert nodes[4].tolist() == [*tiny_r2r.references[4, :2].tolist(), *[-1] * (nodes.shape[1] - 2)]


def test_write_episode_table_has_a_row_for_each_episode(results, tmp_path, tiny_r2r):
    path = results(lambda records: [records[7], records[2]])
    episodes, columns = score(path, tiny_r2r, partial=True)
    write_episode_table(tmp_path / "table.csv", episodes, columns)
    with (tmp_path / "table.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["id", "scan", *NAMES]
    assert [row[:2] for row in rows] == [["36_2", "tiny3"], ["38_1", "tiny3"]]
    for row, found in enumerate(rows):
        expected = [columns[name][row] for name in NAMES]
        assert [float(cell) for cell in found[2:]] == pytest.approx(expected, rel=1e-6)
