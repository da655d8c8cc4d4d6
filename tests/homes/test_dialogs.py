import itertools
import json
import re

import numpy as np
import pytest
from handmade import connectivity, handmade_scene

from mtvm.homes.words.dialogs import PLANNED, draw_dialogs, find_targets
from mtvm.homes.words.follower import follow
from mtvm.homes.words.guide import Guide
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.tasks.ndh import SUPERVISIONS
from mtvm.world.graph import SUFFIX


@pytest.fixture(scope="module")
def scene():
    return handmade_scene()


@pytest.fixture(scope="module")
def entries(scene):
    guide = Guide(scene, np.random.default_rng(21))
    return draw_dialogs(guide, 80, itertools.count(5), itertools.count(100))


@pytest.fixture(scope="module")
def nodes(scene):
    return {spot.id: node for node, spot in enumerate(scene.spots)}


def test_draw_dialogs_gives_the_fields_of_real_entries(entries, real_data):
    real = json.loads((real_data / "NDH" / "val_seen.json").read_text())[5]
    for entry in entries:
        assert set(entry) == set(real)
        for field, value in real.items():
            assert type(entry[field]) is type(value), field
        assert set(entry["start_pano"]) == set(real["start_pano"])
        for turn in entry["dialog_history"]:
            assert set(turn) == set(real["dialog_history"][0])
        for look in entry["nav_camera"]:
            assert set(look) == set(real["nav_camera"][0])


def test_draw_dialogs_computes_scores_as_real_files_do(entries, scene, nodes):
    for entry in entries:
        planned, player = ([nodes[v] for v in entry[field]] for field in ("planner_path", "player_path"))
        near = [scene.distances[node][planned[-1]] < 3 for node in player]
        assert entry["R2R_success"] == near[-1]
        assert entry["R2R_spl"] == near[-1] / len(player)
        assert entry["R2R_oracle_success"] == any(near)
        assert entry["R2R_oracle_spl"] == (1 / max(1, near.index(True)) if any(near) else 0)


def test_draw_dialogs_gives_entries_that_load_as_ndh(entries, scene, tmp_path):
    (tmp_path / "connectivity").mkdir()
    (tmp_path / "connectivity" / f"{scene.home.scan}{SUFFIX}").write_text(json.dumps(connectivity(scene.home)))
    (tmp_path / "train.json").write_text(json.dumps(entries))
    for supervision in SUPERVISIONS:
        loaded = load_episodes("ndh", "train", DataFolder(tmp_path), supervision=supervision)
        assert len(loaded) == len(entries) >= 80
        assert loaded.has_goals


def test_find_targets_gives_nodes_that_see_the_target(scene):
    targets = find_targets(scene)
    assert len(targets) > 10
    for kind, ends in targets.items():
        for node in ends:
            sights = [sight for sight in scene.sights[node] if sight.kind == kind]
            assert any(sight.room == scene.spots[node].room for sight in sights)


def test_draw_dialogs_plans_shortest_paths_and_connected_walks(entries, scene, nodes):
    for entry in entries:
        planned, player, ends = (
            [nodes[v] for v in entry[field]] for field in ("planner_path", "player_path", "end_panos")
        )
        start = nodes[entry["start_pano"]["pano"]]
        assert planned[0] == player[0] == start
        nearest = min(ends, key=lambda end: scene.distances[start][end])
        assert tuple(planned) == scene.path(start, nearest)[: PLANNED + 1]
        assert all(there in scene.neighbours[here] for here, there in itertools.pairwise(player))


def test_draw_dialogs_extends_the_history_through_a_game(entries):
    games = {}
    for entry in entries:
        games.setdefault(entry["game_idx"], []).append(entry)
    assert max(len(game) for game in games.values()) > 2
    for game in games.values():
        walk = []
        for number, entry in enumerate(game):
            walk = walk or entry["player_path"][:1]
            turns = entry["dialog_history"]
            assert entry["target"] == game[0]["target"]
            assert entry["end_panos"] == game[0]["end_panos"]
            assert [turn["role"] for turn in turns] == ["navigator", "oracle"] * (len(turns) // 2)
            if turns:
                assert entry["nav_history"] == walk
                assert turns[-1]["nav_idx"] == len(walk) - 1
                assert entry["nav_camera"][-1] == entry["start_pano"]
            else:
                assert number == 0
                assert entry["nav_history"] == [] == entry["nav_camera"]
            if number:
                assert turns[: len(game[number - 1]["dialog_history"])] == game[number - 1]["dialog_history"]
                assert len(turns) == len(game[number - 1]["dialog_history"]) + 2
            walk = [*walk, *entry["player_path"][1:]]


def test_draw_dialogs_has_navigators_that_deviate(entries):
    """Some get there, some do not, and some walk more than they were told."""
    success = np.mean([entry["R2R_success"] for entry in entries])
    assert 0.3 < success < 0.9
    assert any(len(set(entry["player_path"])) < len(entry["player_path"]) for entry in entries)
    assert any(len(entry["player_path"]) > len(entry["planner_path"]) for entry in entries)


def test_draw_dialogs_writes_grammatical_messages(entries):
    for entry in entries:
        for turn in entry["dialog_history"]:
            text = turn["message"]
            assert re.fullmatch(r"[A-Z][A-Za-z ,.'?-]*[.?]", text), text
            assert not re.search(r" [ ,.?]|\b[Aa] [aeiou]|\b[Aa]n [^aeiou]", text), text
            assert text.endswith("?") == (turn["role"] == "navigator"), text


def test_guide_answer_leads_along_the_planned_path(scene):
    guide = Guide(scene, np.random.default_rng(2))
    answered = 0
    for start, goal in np.random.default_rng(3).integers(len(scene), size=(60, 2)).tolist():
        path = scene.path(start, goal)[: PLANNED + 1]
        if len(path) < 2:
            continue
        heading = guide.start_heading(path)
        answer = guide.answer(path, heading)
        if answer is not None:
            answered += 1
            ends = follow(answer.meaning, scene, path[0], heading)
            assert path[-1] in ends
            assert all(scene.distances[end][path[-1]] < 3 for end in ends)
    assert answered > 40
