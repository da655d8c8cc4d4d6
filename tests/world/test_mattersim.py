"""The drop-in for the C++ simulator, used as other people's code uses it."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mtvm.errors import InputError
from mtvm.world import mattersim
from mtvm.world.views import VIEWS


def configured(tiny_folder, discretized=True):
    simulator = mattersim.Simulator()
    simulator.setNavGraphPath(str(tiny_folder / "connectivity"))
    simulator.setRenderingEnabled(False)
    simulator.setDiscretizedViewingAngles(discretized)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(math.radians(60))
    return simulator


@pytest.fixture
def start(tiny_world):
    return "tiny0", str(tiny_world.graph("tiny0").viewpoints[7])


def test_get_state_in_a_sweep_over_36_views_gives_the_graphs_candidates(tiny_folder, tiny_world):
    """The loop with which VLN codebases build their candidates, and the tables that replace it."""
    graph = tiny_world.graph("tiny0")
    simulator = configured(tiny_folder)
    simulator.initialize()
    for node, viewpoint in enumerate(graph.viewpoints.tolist()):
        found = {}
        for view in range(VIEWS):
            if view == 0:
                simulator.newEpisode(["tiny0"], [viewpoint], [0], [math.radians(-30)])
            elif view % 12 == 0:
                simulator.makeAction([0], [1.0], [1.0])
            else:
                simulator.makeAction([0], [1.0], [0])
            (state,) = simulator.getState()
            assert state.viewIndex == view
            for location in state.navigableLocations[1:]:
                distance = math.hypot(location.rel_heading, location.rel_elevation)
                if location.viewpointId not in found or distance < found[location.viewpointId][0]:
                    angles = state.heading + location.rel_heading, state.elevation + location.rel_elevation
                    found[location.viewpointId] = distance, view, *angles
        neighbours = graph.neighbours(node)
        count = len(neighbours)
        assert list(found) == graph.viewpoints[neighbours].tolist()
        _, views, headings, elevations = zip(*found.values(), strict=True)
        assert list(views) == graph.candidate_views[node, :count].tolist()
        np.testing.assert_allclose(headings, graph.candidate_headings[node, :count], atol=1e-12)
        np.testing.assert_allclose(elevations, graph.candidate_elevations[node, :count], atol=1e-12)


def test_older_api_has_one_state(tiny_folder, tiny_world, start):
    simulator = configured(tiny_folder)
    simulator.init()
    simulator.newEpisode(*start, 0.4, 0.0)
    state = simulator.getState()
    assert isinstance(state, mattersim.SimState)
    assert (state.scanId, state.location.viewpointId, state.step, state.viewIndex) == (*start, 0, 13)
    position = tiny_world.graph("tiny0").positions[7]
    np.testing.assert_allclose(state.location.point, position, rtol=1e-6)
    assert (state.location.x, state.location.y, state.location.z) == tuple(state.location.point)
    assert state.location.ix == 7
    simulator.makeAction(0, 1, -1)
    assert (simulator.getState().viewIndex, simulator.getState().step) == (2, 1)
    assert state.step == 0, "a state that was asked for does not change later"


def test_older_api_starts_at_random_without_a_viewpoint(tiny_folder):
    simulator = configured(tiny_folder)
    simulator.setSeed(5)
    simulator.newEpisode("tiny0")
    first = simulator.getState().location.viewpointId
    again = configured(tiny_folder)
    again.setSeed(5)
    again.newEpisode("tiny0")
    assert again.getState().location.viewpointId == first
    places = set()
    for _ in range(20):
        again.newEpisode("tiny0")
        places.add(again.getState().location.viewpointId)
    assert len(places) > 5


def test_newer_api_has_a_list_of_states(tiny_folder, start):
    simulator = configured(tiny_folder)
    simulator.setBatchSize(3)
    simulator.initialize()
    simulator.newRandomEpisode(["tiny0", "tiny1", "tiny0"])
    states = simulator.getState()
    assert [state.scanId for state in states] == ["tiny0", "tiny1", "tiny0"]
    assert all(state.elevation == 0 for state in states)
    simulator.newEpisode([start[0]] * 3, [start[1]] * 3, [0, 1, 2], [0, 0, 0])
    simulator.makeAction([0, 0, 0], [0, -1, 1], [0, 0, 0])
    assert [state.viewIndex for state in simulator.getState()] == [12, 13, 17]
    simulator.newEpisode([start[0]], [start[1]], [0], [0])
    assert len(simulator.getState()) == 1


def test_initialize_without_a_batch_size_gives_a_batch_of_one(tiny_folder):
    simulator = mattersim.Simulator()
    simulator.initialize()
    (state,) = simulator.getState()
    assert (state.scanId, state.location) == ("", None)


def test_init_gives_one_state_before_the_first_episode():
    simulator = mattersim.Simulator()
    simulator.init()
    assert isinstance(simulator.getState(), mattersim.SimState)


def test_initialize_in_the_middle_of_a_single_episode_changes_nothing(tiny_folder, start):
    simulator = configured(tiny_folder)
    simulator.newEpisode(*start, 0.4, 0.0)
    simulator.initialize()
    assert simulator.getState().location.viewpointId == start[1]


@pytest.mark.parametrize("begin", ["init", "initialize"])
def test_set_nav_graph_path_counts_after_the_configuration_has_ended(tiny_folder, tmp_path, tiny_world, start, begin):
    records = json.loads((tiny_folder / "connectivity" / "tiny0_connectivity.json").read_text())
    for record in records:
        record["unobstructed"] = [False] * len(records)
    (tmp_path / "tiny0_connectivity.json").write_text(json.dumps(records))
    simulator = configured(tiny_folder)
    simulator.setRestrictedNavigation(False)
    getattr(simulator, begin)()
    simulator.newEpisode(*start, 0.0, 0.0)
    assert len(simulator.getState().navigableLocations) == 1 + tiny_world.graph("tiny0").candidates[7].tolist().index(
        -1
    )
    simulator.setNavGraphPath(str(tmp_path))
    simulator.newEpisode(*start, 0.0, 0.0)
    assert len(simulator.getState().navigableLocations) == 1


def test_set_dataset_path_counts_after_images_were_drawn(tiny_folder, tmp_path, start):
    """Each folder holds a skybox of one grey."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("numba")
    simulator = configured(tiny_folder)
    simulator.setRenderingEnabled(True)
    simulator.init()
    for grey in (50, 200):
        folder = tmp_path / str(grey) / "tiny0" / "matterport_skybox_images"
        folder.mkdir(parents=True)
        image.new("RGB", (48, 8), (grey,) * 3).save(folder / f"{start[1]}_skybox_small.jpg")
        simulator.setDatasetPath(str(tmp_path / str(grey)))
        simulator.newEpisode(*start, 0.0, 0.0)
        assert simulator.getState().rgb.mean() == pytest.approx(grey, abs=1)


NUMBERS = {
    "Python": (int, float),
    "numpy, 64 bits": (np.int64, np.float64),
    "numpy, 32 bits": (np.int32, np.float32),
    "numpy, no dimensions": (np.array, np.array),
    "torch": (lambda value: tensor(value), lambda value: tensor(value)),
}


def tensor(value):
    return pytest.importorskip("torch").tensor(value)


@pytest.mark.parametrize(("whole", "real"), NUMBERS.values(), ids=NUMBERS)
def test_simulator_takes_numbers_of_numpy_and_torch(tiny_folder, start, whole, real):
    simulator = configured(tiny_folder, discretized=False)
    simulator.setCameraResolution(whole(640), whole(480))
    simulator.setCameraVFOV(real(1.0))
    simulator.setCacheSize(whole(3))
    simulator.setSeed(whole(3))
    simulator.setRestrictedNavigation(whole(0))
    assert simulator.setElevationLimits(real(-0.5), real(0.5)) is True
    simulator.setBatchSize(whole(2))
    simulator.initialize()
    assert len(simulator.getState()) == 2
    simulator.newEpisode([start[0]] * 2, [start[1]] * 2, [real(0.5), 1], [real(0.25), 0])
    simulator.makeAction([whole(1), whole(0)], [real(0.25)] * 2, [real(0.0)] * 2)
    simulator.newEpisode(*start, real(0.5), real(0.25))
    goal = simulator.getState().navigableLocations[1].viewpointId
    simulator.makeAction(whole(1), real(0.25), real(-0.125))
    state = simulator.getState()
    assert state.location.viewpointId == goal
    assert (state.heading, state.elevation) == (0.75, 0.125)
    assert (type(state.heading), type(state.elevation)) == (float, float)
    assert state.rgb.shape == (480, 640, 3)


@pytest.mark.parametrize("listed", [list, tuple, np.array, tensor])
def test_make_action_takes_any_list_of_numbers(tiny_folder, start, listed):
    simulator = configured(tiny_folder)
    simulator.newEpisode([start[0]] * 2, [start[1]] * 2, listed([0.0, 1.0]), listed([0.0, 0.0]))
    simulator.makeAction(listed([0, 0]), listed([1.0, -1.0]), listed([0.0, 1.0]))
    assert [state.viewIndex for state in simulator.getState()] == [13, 25]


REFUSED = {
    "a float as index": lambda simulator: simulator.makeAction(1.0, 0, 0),
    "a numpy float64, which is a Python float, as index": lambda simulator: simulator.makeAction(np.float64(1), 0, 0),
    "None as index": lambda simulator: simulator.makeAction(None, 0, 0),
    "None as heading": lambda simulator: simulator.makeAction(0, None, 0),
    "None in a list": lambda simulator: simulator.makeAction([0], [None], [0]),
    "a string as elevation": lambda simulator: simulator.makeAction(0, 0, "1"),
    "a negative batch": lambda simulator: simulator.setBatchSize(-1),
    "half a batch": lambda simulator: simulator.setBatchSize(0.5),
    "None as resolution": lambda simulator: simulator.setCameraResolution(None, 480),
    "a string as a switch": lambda simulator: simulator.setRenderingEnabled("false"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_simulator_refuses_arguments_that_pybind_refuses(tiny_folder, start, call):
    simulator = configured(tiny_folder)
    simulator.newEpisode(*start, 0.0, 0.0)
    with pytest.raises(TypeError, match="MatterSim"):
        call(simulator)


def test_simulator_takes_booleans_and_none_as_pybind_does(tiny_folder, start):
    simulator = configured(tiny_folder)
    simulator.setDiscretizedViewingAngles(np.bool_(True))
    simulator.setRestrictedNavigation(None)
    simulator.newEpisode(*start, False, False)
    everywhere = simulator.getState().navigableLocations
    simulator.makeAction(True, True, False)
    state = simulator.getState()
    assert state.location.viewpointId == everywhere[1].viewpointId
    assert state.viewIndex == 13


def test_make_action_turns_continuously_within_elevation_limits(tiny_folder, start):
    simulator = configured(tiny_folder, discretized=False)
    simulator.newEpisode(*start, -0.25, 0.1)
    state = simulator.getState()
    assert state.heading == pytest.approx(2 * math.pi - 0.25)
    simulator.makeAction(0, 0.5, 5.0)
    state = simulator.getState()
    assert state.heading == pytest.approx(0.25)
    assert state.elevation == 0.94
    assert simulator.setElevationLimits(-0.2, 0.3)
    assert not simulator.setElevationLimits(0.2, 0.3)
    assert not simulator.setElevationLimits(-2.0, 0.3)
    simulator.makeAction(0, 0, -5.0)
    assert simulator.getState().elevation == -0.2


def test_unrestricted_navigation_gives_all_neighbours(tiny_folder, tiny_world, start):
    graph = tiny_world.graph("tiny0")
    simulator = configured(tiny_folder)
    simulator.setRestrictedNavigation(False)
    simulator.newEpisode(*start, 0.0, 0.0)
    offered = {location.viewpointId for location in simulator.getState().navigableLocations[1:]}
    assert offered == set(graph.viewpoints[graph.neighbours(7)])
    angles = [math.hypot(v.rel_heading, v.rel_elevation) for v in simulator.getState().navigableLocations]
    assert angles == sorted(angles)


def test_navigable_locations_depend_on_the_field_of_view(tiny_folder, tiny_world):
    seen = {}
    for name, vfov in (("narrow", 0.2), ("wide", 1.5)):
        simulator = configured(tiny_folder)
        simulator.setCameraVFOV(vfov)
        simulator.initialize()
        total = 0
        for viewpoint in tiny_world.graph("tiny0").viewpoints.tolist():
            simulator.newEpisode("tiny0", viewpoint, 0.0, 0.0)
            total += len(simulator.getState().navigableLocations) - 1
        seen[name] = total
    assert 0 < seen["narrow"] < seen["wide"]


def test_make_action_moves_to_a_navigable_location(tiny_folder, tiny_world, start):
    simulator = configured(tiny_folder)
    simulator.setRestrictedNavigation(False)
    simulator.newEpisode(*start, 1.0, 0.0)
    goal = simulator.getState().navigableLocations[1]
    assert goal.rel_distance == pytest.approx(
        np.linalg.norm(np.subtract(goal.point, simulator.getState().location.point)), rel=1e-5
    )
    simulator.makeAction(1, 0, 0)
    here = simulator.getState().location
    assert here.viewpointId == goal.viewpointId
    assert (here.rel_heading, here.rel_elevation, here.rel_distance) == (0, 0, 0)


def test_simulator_refuses_mistakes_with_clear_errors(tiny_folder, start):
    simulator = configured(tiny_folder)
    with pytest.raises(RuntimeError, match="newEpisode must be called before makeAction"):
        simulator.makeAction(0, 0, 0)
    simulator.newEpisode(*start, 0.0, 0.0)
    with pytest.raises(ValueError, match="Invalid action index: 99 in environment 0 of 1"):
        simulator.makeAction(99, 0, 0)
    with pytest.raises(ValueError, match="2 actions for 1 environments"):
        simulator.makeAction([0, 0], [0, 0], [0, 0])
    with pytest.raises(InputError, match="no included viewpoint nowhere"):
        simulator.newEpisode(start[0], "nowhere", 0.0, 0.0)
    with pytest.raises(InputError, match="no such file"):
        simulator.newEpisode("castle", "nowhere", 0.0, 0.0)


def test_configuration_is_fixed_by_initialize_until_close(tiny_folder, start):
    simulator = configured(tiny_folder)
    simulator.setPreloadingEnabled(False)
    simulator.setDepthEnabled(True)
    simulator.setCacheSize(10)
    simulator.initialize()
    simulator.setDiscretizedViewingAngles(False)
    simulator.newEpisode(*start, 0.4, 0.0)
    assert simulator.getState().heading == pytest.approx(math.pi / 6)
    simulator.close()
    simulator.setDiscretizedViewingAngles(False)
    simulator.newEpisode(*start, 0.4, 0.0)
    assert simulator.getState().heading == pytest.approx(0.4)


def test_images_are_black_without_rendering(tiny_folder, start):
    simulator = configured(tiny_folder)
    simulator.newEpisode(*start, 0.0, 0.0)
    state = simulator.getState()
    assert state.rgb.shape == (480, 640, 3)
    assert state.rgb.dtype == np.uint8
    assert state.depth.shape == (480, 640, 1)
    assert state.depth.dtype == np.uint16
    assert not state.rgb.any()
    assert "Rendered 0 frames" in simulator.timingInfo()


def test_rgb_refuses_missing_skyboxes(tiny_folder, tmp_path, start):
    simulator = configured(tiny_folder)
    simulator.setRenderingEnabled(True)
    simulator.setDatasetPath(str(tmp_path))
    simulator.newEpisode(*start, 0.0, 0.0)
    with pytest.raises(InputError, match="tiny0"):
        _ = simulator.getState().rgb


@pytest.mark.parametrize("way", ["install", "path"])
def test_mattersim_can_be_imported_by_another_program(tiny_folder, start, way):
    other = f"""
import MatterSim
sim = MatterSim.Simulator()
sim.setRenderingEnabled(False)
sim.setDiscretizedViewingAngles(True)
sim.setNavGraphPath({str(tiny_folder / "connectivity")!r})
sim.initialize()
sim.newEpisode([{start[0]!r}], [{start[1]!r}], [0], [0])
print(sim.getState()[0].location.viewpointId)
"""
    environment = None
    if way == "install":
        other = "import mtvm.world.mattersim as m; m.install()\n" + other
    else:
        found = subprocess.run(
            [sys.executable, "-m", "mtvm.world.mattersim"], capture_output=True, text=True, check=True
        )
        environment = {"PYTHONPATH": found.stdout.strip()}
    done = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == start[1]


def test_mattersim_on_the_path_reaches_spawned_workers(tmp_path):
    """As `install` does not; its docstring says so."""
    program = tmp_path / "their_training.py"
    program.write_text("""
import multiprocessing

def work():
    import MatterSim
    print(MatterSim.Simulator.__module__)

if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work)
    worker.start()
    worker.join()
""")
    compat = Path(mattersim.__file__).parent / "compat"
    path = os.pathsep.join(filter(None, [str(compat), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.stdout.strip() == "mtvm.world.mattersim"
