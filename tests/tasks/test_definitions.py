"""Success and SPL as different codebases define them: small cases by hand."""

import dataclasses
import json

import numpy as np
import pytest
from task_files import refused

from mtvm.app.commands.tasks import score as score_command
from mtvm.tasks.definitions import CODEBASES, success_of
from mtvm.tasks.metric import NAVIGATION
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.registry import TASKS
from mtvm.tasks.results import write_results
from mtvm.tasks.score import score
from mtvm.world.world import World
from small_worlds import make_episodes, make_graph, padded

NAMES = tuple(metric.name for metric in NAVIGATION)

EXACT = {"rel": 1e-12, "abs": 1e-12}


@pytest.fixture(scope="module")
def square():
    """A square A - B - C - D - A with sides of 4 m, and E 2 m beyond C."""
    places = {"A": (0, 0), "B": (4, 0), "C": (4, 4), "D": (0, 4), "E": (4, 6)}
    return World([make_graph(places, ["AB", "BC", "CD", "DA", "CE"])])


def scores(world, walked, reference, goals, codebase, task):
    nodes = [[world.node("made", name) for name in names] for names in (walked, reference, goals)]
    episodes = make_episodes(world, nodes[1:2], nodes[2:], task=task)
    task = dataclasses.replace(episodes.task, success=success_of(codebase, episodes.task))
    columns = score_trajectories(dataclasses.replace(episodes, task=task), padded(nodes[:1]))
    return {name: column[0] for name, column in columns.items()}


@pytest.mark.parametrize("task", ["r2r", "r4r"])
@pytest.mark.parametrize(
    ("walked", "leaderboard", "others"),
    [
        ("ABC", 100, 100),  # 8 m, the shortest path, which is not longer than the reference
        ("ABCDABC", 100 * 8 / 24, 100),  # 24 m, the length of the reference
        ("ABCDABCDABC", 100 * 8 / 40, 100 * 24 / 40),
        ("ABCE", 100 * 8 / 10, 100),  # 10 m, to 2 m beyond the goal
        ("AB", 0, 0),  # 4 m short of it
    ],
)
def test_spl_compares_with_the_shortest_or_the_reference_path(square, task, walked, leaderboard, others):
    reference = "ABCDABC"
    assert scores(square, walked, reference, "C", "leaderboard", task)["SPL"] == pytest.approx(leaderboard, **EXACT)
    for codebase in ("hamt", "duet"):
        assert scores(square, walked, reference, "C", codebase, task)["SPL"] == pytest.approx(others, **EXACT)


@pytest.mark.parametrize(
    ("walked", "leaderboard", "hamt"),
    [
        # SR, OSR and SPL; the goals are C and D, and D is 4 m from A
        ("AD", (100, 100, 100), (100, 100, 100)),
        ("ABC", (100, 100, 50), (100, 100, 50)),
        ("ABCE", (100, 100, 40), (0, 100, 0)),  # E is 2 m from C
        ("AB", (0, 0, 0), (0, 0, 0)),
    ],
)
def test_success_on_ndh_is_near_or_at_a_goal(square, walked, leaderboard, hamt):
    for codebase, rates in (("leaderboard", leaderboard), ("hamt", hamt)):
        found = scores(square, walked, "ABC", "CD", codebase, "ndh")
        assert (found["SR"], found["OSR"], found["SPL"]) == pytest.approx(rates, **EXACT)
        assert found["SDTW"] == pytest.approx(found["nDTW"] if rates[0] else 0, **EXACT)


@pytest.mark.parametrize(
    ("codebase", "task", "spl"), [("leaderboard", "r2r", 100), ("hamt", "r2r", 0), ("hamt", "ndh", 0)]
)
def test_spl_of_staying_at_a_goal_where_one_starts(square, codebase, task, spl):
    found = scores(square, "C", "C", "C", codebase, task)
    assert (found["SR"], found["SPL"]) == (100, spl)


@pytest.mark.parametrize("task", ["r2r", "ndh"])
def test_other_metrics_do_not_depend_on_definitions(square, task):
    names = ("NE", "TL", "nDTW", "CLS", "GP")
    ours, theirs = (scores(square, "ABCE", "ABCDA", "CD", codebase, task) for codebase in ("leaderboard", "hamt"))
    assert [ours[name] for name in names] == [theirs[name] for name in names]


def test_definitions_of_tasks():
    assert all(success_of("leaderboard", spec) == spec.success for spec in TASKS.values())
    assert success_of("hamt", TASKS["r4r"]) == success_of("duet", TASKS["r4r"])
    own = dataclasses.replace(TASKS["ndh"], name="mine")
    assert success_of("hamt", own) == success_of("hamt", TASKS["ndh"])


def test_definitions_that_nobody_has_are_refused():
    assert "DUET's code does not score NDH" in refused(lambda: success_of("duet", TASKS["ndh"]))
    assert ", ".join(CODEBASES) in refused(lambda: success_of("speaker-follower", TASKS["r2r"]))


def test_score_command_prints_the_numbers_of_the_definitions(tiny_folder, tiny_r2r, tmp_path, capsys):
    """Everybody walks to the second viewpoint, back and then along the reference."""
    path, names = tmp_path / "results.json", tiny_r2r.world.viewpoints
    references = [row[row >= 0] for row in tiny_r2r.references]
    walks = [np.concatenate([reference[:2], reference]) for reference in references]
    write_results(path, tiny_r2r, [[(str(names[node]), 0.0, 0.0) for node in walk] for walk in walks])
    _, theirs = score(path, tiny_r2r, definitions="hamt")
    score_command(path, data=tiny_folder, definitions="hamt", json_=True)
    assert json.loads(capsys.readouterr().out) == {name: theirs[name].mean() for name in NAMES}
    score_command(path, data=tiny_folder, definitions="hamt")
    assert "as HAMT defines them" in " ".join(capsys.readouterr().out.split())
