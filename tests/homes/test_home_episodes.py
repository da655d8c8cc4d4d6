import itertools
import json
from itertools import pairwise

import numpy as np
import pytest
from handmade import connectivity, graph_of, handmade_home, handmade_scene, look_around

from mtvm.homes.generate import generate_home
from mtvm.homes.words.episodes import MOVES, Numbers, draw_paths, draw_tours, home_episodes
from mtvm.homes.words.follower import follow, satisfied_by, stances_after
from mtvm.homes.words.guide import Guide
from mtvm.homes.words.journeys import STEPS, draw_journeys
from mtvm.homes.words.meaning import BackTo
from mtvm.homes.words.stance import first_stance
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.world.graph import SUFFIX


@pytest.fixture(scope="module")
def scene():
    return handmade_scene()


@pytest.fixture(scope="module")
def tours(scene):
    return draw_tours(Guide(scene, np.random.default_rng(11)), 30)


@pytest.fixture(scope="module")
def journeys(scene):
    return draw_journeys(Guide(scene, np.random.default_rng(12)), 12)


def of_handmade(seed):
    scene = handmade_scene()
    return home_episodes(
        scene.home, scene.graph, look_around(scene.home), np.random.default_rng(seed), Numbers(), 10, 4, 12
    )


def test_draw_paths_resembles_r2r(scene):
    paths = draw_paths(scene.graph, 60, np.random.default_rng(0))
    assert len(paths) == 60
    assert len({(path[0], path[-1]) for path in paths}) == 60
    for path in paths:
        assert len(path) - 1 in MOVES
        assert path == scene.graph.shortest_path(path[0], path[-1])
        assert scene.graph.distances[path[0], path[-1]] >= 5
    begun = np.bincount([path[0] for path in paths], minlength=len(scene))
    assert begun.max() <= 4
    assert (begun > 0).mean() > 0.7
    moves = np.bincount([len(path) - 1 for path in paths])[MOVES.start :]
    assert moves.min() > 10


def test_draw_paths_may_find_none(scene):
    graph = scene.graph
    assert draw_paths(graph, 5, np.random.default_rng(0))
    assert draw_paths(graph, 0, np.random.default_rng(0)) == []


def test_draw_tours_gives_instructions_that_lead_only_to_their_goals(scene, tours):
    assert len(tours) == 30
    exact = 0
    for tour in tours:
        goal = tour.path[-1]
        for instruction in tour.instructions:
            ends = follow(instruction.meaning, scene, tour.path[0], tour.heading)
            assert goal in ends
            assert all(scene.distances[end][goal] < 3 for end in ends)
            exact += ends == {goal}
    assert exact > 0.6 * 3 * len(tours)


def test_draw_tours_gives_instructions_that_reject_distractors(scene, tours):
    for tour in tours:
        start, goal = tour.path[0], tour.path[-1]
        others = [scene.path(start, node) for node in range(len(scene)) if scene.distances[node][goal] >= 3]
        others = [path for path in others if len(path) - 1 in MOVES]
        assert others
        for instruction in tour.instructions:
            assert satisfied_by(instruction.meaning, scene, tour.path, tour.heading)
            assert not any(satisfied_by(instruction.meaning, scene, path, tour.heading) for path in others), (
                instruction.text
            )


def test_draw_journeys_gives_long_walks_that_return(scene, journeys):
    assert len(journeys) == 12
    for tour in journeys:
        assert len(tour.path) - 1 in STEPS
        assert all(there in scene.neighbours[here] for here, there in pairwise(tour.path))
        rooms = [room for room, _ in itertools.groupby(scene.spots[node].room for node in tour.path)]
        assert len(set(tour.path)) < len(tour.path) or len(set(rooms)) < len(rooms)
        assert len(tour.path) > len(scene.path(tour.path[0], tour.path[-1]))
        (turn,) = tour.via
        assert turn in tour.path
        assert len(scene.path(tour.path[0], turn)) + len(scene.path(turn, tour.path[-1])) - 1 <= len(tour.path)
        assert len({instruction.text for instruction in tour.instructions}) == 3
        assert max(len(instruction.text.split()) for instruction in tour.instructions) <= 62


def test_draw_journeys_gives_instructions_that_need_memory(scene, journeys):
    for tour in journeys:
        goal = tour.path[-1]
        for instruction in tour.instructions:
            first = first_stance(scene, tour.path[0], tour.heading)
            ends = stances_after(instruction.meaning, scene, first)
            assert any(end.walk == tour.path for end in ends)
            assert all(scene.distances[end.node][goal] < 3 for end in ends)

            back = next(k for k, step in enumerate(instruction.meaning) if isinstance(step, BackTo))
            for turned in stances_after(instruction.meaning[:back], scene, first, tour.path):
                forgetful = first_stance(scene, turned.node, turned.heading)
                lost = stances_after(instruction.meaning[back:], scene, forgetful)
                assert not any(end.node == goal for end in lost), instruction.text


def test_home_episodes_gives_entries_that_load_as_r2r(tmp_path):
    home, episodes = handmade_home(), of_handmade(5)
    (tmp_path / "connectivity").mkdir()
    (tmp_path / "connectivity" / f"{home.scan}{SUFFIX}").write_text(json.dumps(connectivity(home)))
    entries = [*episodes.r2r, *episodes.long]
    (tmp_path / "R2R_train.json").write_text(json.dumps(entries))
    loaded = load_episodes("r2r", "train", DataFolder(tmp_path))
    assert len(loaded) == 3 * len(entries) == 3 * 14
    assert loaded.has_goals
    assert [list(episode.via) for episode in loaded] == [entry.get("via", []) for entry in entries for _ in range(3)]
    assert len({entry["path_id"] for entry in entries}) == len(entries)
    for entry in episodes.r2r:
        assert set(entry) == {"scan", "path_id", "heading", "path", "distance", "instructions"}
        assert entry["distance"] >= 5
        assert len(entry["instructions"]) == 3
        assert 0 <= entry["heading"] < 2 * np.pi


def test_home_episodes_is_deterministic():
    one, other, different = (json.dumps([e.r2r, e.long, e.ndh]) for e in map(of_handmade, (7, 7, 8)))
    assert one == other != different


@pytest.mark.parametrize("seed", [1, 3])
def test_home_episodes_gives_enough_for_a_generated_home(seed):
    home = generate_home(f"home{seed}", seed)
    episodes = home_episodes(home, graph_of(home), look_around(home), np.random.default_rng(seed))
    assert len(episodes.r2r) >= 40
    assert len(episodes.long) >= 5
    assert len(episodes.ndh) >= 28


def test_numbers_continue_across_homes(scene):
    numbers = Numbers()
    seen = look_around(scene.home)
    homes = [
        home_episodes(scene.home, scene.graph, seen, np.random.default_rng(seed), numbers, 3, 2, 4) for seed in (1, 2)
    ]
    paths = [entry["path_id"] for home in homes for entry in [*home.r2r, *home.long]]
    assert paths == list(range(len(paths)))
    instances = [entry["inst_idx"] for home in homes for entry in home.ndh]
    assert instances == list(range(len(instances)))
