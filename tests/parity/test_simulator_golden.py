"""Our answers against those of the real C++ simulator: ids and orders exactly, angles to 1e-5."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from mtvm.world import mattersim
from mtvm.world.graph import SUFFIX, NavGraph
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING
from mtvm.world.world import World

ANGLE = 1e-5


@pytest.fixture(scope="module")
def golden(golden_data):
    def read(name):
        with gzip.open(golden_data / "golden" / name) as file:
            return json.load(file)

    return {"candidates": read("candidates.json.gz"), "walks": read("walks.json.gz")}


@pytest.fixture(scope="module")
def world(golden_data, golden):
    return World.load(golden_data / "connectivity", sorted(golden["candidates"]))


def test_candidates_equal_the_real_simulator(golden_data, golden):
    compared = 0
    for scan, viewpoints in golden["candidates"].items():
        graph = NavGraph.load(golden_data / "connectivity" / f"{scan}{SUFFIX}")
        assert set(viewpoints) == set(graph.viewpoints)
        for viewpoint, expected in viewpoints.items():
            node = graph.node(viewpoint)
            count = len(graph.neighbours(node))
            assert graph.viewpoints[graph.neighbours(node)].tolist() == [c["viewpointId"] for c in expected]
            views = graph.candidate_views[node, :count]
            assert views.tolist() == [c["pointId"] for c in expected]
            headings, elevations = graph.candidate_headings[node, :count], graph.candidate_elevations[node, :count]
            np.testing.assert_allclose(headings, [c["normalized_heading"] for c in expected], rtol=0, atol=ANGLE)
            np.testing.assert_allclose(elevations, [c["elevation"] for c in expected], rtol=0, atol=ANGLE)
            for slot, candidate in enumerate(expected):
                assert graph.navigable[node, candidate["pointId"], candidate["idx"] - 1] == slot
                off_centre = np.hypot(
                    headings[slot] - VIEW_HEADING[views[slot]], elevations[slot] - VIEW_ELEVATION[views[slot]]
                )
                assert off_centre == pytest.approx(candidate["distance"], abs=ANGLE)
            compared += count
    assert compared >= 166


def test_batched_simulator_replays_every_walk(golden, world):
    """All walks at once, each stopping to act when its golden walk ends."""
    walks = golden["walks"]
    simulator = Simulator(world)
    simulator.reset_at(
        [w["scan"] for w in walks],
        [w["start_viewpoint"] for w in walks],
        [w["start_heading"] for w in walks],
        [w["start_elevation"] for w in walks],
    )
    check_states(simulator, [w["initial"] for w in walks], range(len(walks)))
    for step in range(max(len(w["steps"]) for w in walks)):
        going = [row for row, w in enumerate(walks) if step < len(w["steps"])]
        actions = np.zeros((len(walks), 3))
        actions[going] = [walks[row]["steps"][step]["action"] for row in going]
        simulator.act(*actions.T)
        check_states(simulator, [walks[row]["steps"][step]["state"] for row in going], going)


def check_states(simulator, expected, rows):
    world, navigable = simulator.world, simulator.navigable()
    for row, state in zip(rows, expected, strict=True):
        assert world.viewpoints[simulator.node[row]] == state["viewpointId"]
        assert simulator.view[row] == state["viewIndex"]
        slots = navigable[row]
        found = world.viewpoints[world.candidates[simulator.node[row], slots[slots >= 0]]].tolist()
        assert [state["viewpointId"], *found] == [location[0] for location in state["navigableLocations"]]


def check_drop_in(state, expected):
    assert state.location.viewpointId == expected["viewpointId"]
    assert (state.viewIndex, state.step) == (expected["viewIndex"], expected["step"])
    assert state.heading == pytest.approx(expected["heading"], abs=ANGLE)
    assert state.elevation == pytest.approx(expected["elevation"], abs=ANGLE)
    locations = state.navigableLocations
    assert [location.viewpointId for location in locations] == [
        location[0] for location in expected["navigableLocations"]
    ]
    for location, (_, heading, elevation, distance) in zip(locations, expected["navigableLocations"], strict=True):
        assert location.rel_heading == pytest.approx(heading, abs=ANGLE)
        assert location.rel_elevation == pytest.approx(elevation, abs=ANGLE)
        assert location.rel_distance == pytest.approx(distance, abs=ANGLE)


def drop_in(golden_data):
    simulator = mattersim.Simulator()
    simulator.setNavGraphPath(str(golden_data / "connectivity"))
    simulator.setRenderingEnabled(False)
    simulator.setDiscretizedViewingAngles(True)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(np.radians(60))
    return simulator


def test_older_api_replays_every_walk(golden_data, golden):
    simulator = drop_in(golden_data)
    simulator.init()
    for walk in golden["walks"]:
        simulator.newEpisode(walk["scan"], walk["start_viewpoint"], walk["start_heading"], walk["start_elevation"])
        check_drop_in(simulator.getState(), walk["initial"])
        for step in walk["steps"]:
            simulator.makeAction(*step["action"])
            check_drop_in(simulator.getState(), step["state"])


def test_newer_api_replays_every_walk(golden_data, golden):
    walks = [walk for walk in golden["walks"] if len(walk["steps"]) == len(golden["walks"][0]["steps"])]
    simulator = drop_in(golden_data)
    simulator.setBatchSize(len(walks))
    simulator.initialize()
    columns = ("scan", "start_viewpoint", "start_heading", "start_elevation")
    simulator.newEpisode(*([walk[column] for walk in walks] for column in columns))
    for state, walk in zip(simulator.getState(), walks, strict=True):
        check_drop_in(state, walk["initial"])
    for step in range(len(walks[0]["steps"])):
        simulator.makeAction(*zip(*(walk["steps"][step]["action"] for walk in walks), strict=True))
        for state, walk in zip(simulator.getState(), walks, strict=True):
            check_drop_in(state, walk["steps"][step]["state"])
