"""Rollouts of agents that act on the map of what they have seen."""

import dataclasses

import numpy as np
import pytest
import torch
from slow_walks import ROWS, STEPS, greedy, rolled_out, walk_slowly
from small_runs import SMALL, WITH_STUDENTS, lively_model, small_config, train

import mtvm
from mtvm.configs.data import DataConfig
from mtvm.features.store import FeatureStore
from mtvm.learning.trace import Needs, RolloutPlan
from mtvm.models import agent as agents
from mtvm.models.seeing import Vision
from mtvm.tasks.events import EventFile
from mtvm.tasks.score import score
from mtvm.tasks.teacher import Teacher
from mtvm.viewer.figures import Walk
from mtvm.world.explored import ExploredMap
from mtvm.world.simulator import Simulator
from mtvm.world.world import World
from small_worlds import lettered_episodes, make_graph

MAP = dataclasses.replace(SMALL, angle_width=16, actions="map")


@pytest.fixture(scope="module")
def vision(small_data, tiny_r2r):
    return Vision(tiny_r2r.world, FeatureStore.open(small_data / "features"), MAP)


@pytest.fixture(scope="module")
def some(tiny_r2r):
    return tiny_r2r.select(ROWS)


@pytest.fixture(scope="module")
def words(tokens):
    return tokens.select(torch.from_numpy(ROWS))


def visited(trace, row):
    return trace.nodes[row][trace.nodes[row] >= 0].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_rollout_of_a_batch_is_that_of_each_episode_alone(seed, vision, some, words):
    model = lively_model(seed, MAP)
    needs = Needs(teacher=True, rewards=True)
    trace = rolled_out(model, vision, some, words, RolloutPlan("greedy", STEPS, needs=needs))
    for row in range(len(some)):
        walk = walk_slowly(model, vision, some, words, row, greedy)
        assert visited(trace, row) == [node for node in walk.nodes if node >= 0]
        place = [(step.rows == row).nonzero()[0] for step in trace.steps]
        for number, right in enumerate(walk.teacher):
            step, here = trace.steps[number], int(place[number][0])
            torch.testing.assert_close(step.outputs[0].logits[here][: len(walk.logits[number])], walk.logits[number])
            assert int(step.teacher[here]) == right
            assert float(step.rewards[here]) == pytest.approx(walk.rewards[number], abs=1e-5)


def test_rollouts_of_these_tests_go_back(vision, some, words):
    """So that the test above is of steps over several nodes too."""
    walks = [
        rolled_out(lively_model(seed, MAP), vision, some, words, RolloutPlan("greedy", STEPS)) for seed in range(4)
    ]
    assert any(len(visited(trace, row)) > trace.lengths[row] + 1 for trace in walks for row in range(len(some)))


@pytest.mark.parametrize("stop_sight", ["nothing", "panorama"])
def test_agent_walks_like_a_greedy_rollout(stop_sight, vision, some, words):
    model = lively_model(1, MAP, stop_sight=stop_sight)
    vision = Vision(some.world, vision.store, model.config)
    trace = rolled_out(model, vision, some, words, RolloutPlan("greedy", STEPS))
    agent = agents.Agent(model)
    for row, episode in enumerate(some):
        simulator = Simulator(some.world)
        simulator.reset(some.starts[[row]], some.headings[[row]])
        known, walked = ExploredMap(simulator), [int(simulator.node[0])]
        agent.start(episode.text)
        for _ in range(STEPS):
            seen = known.observe()
            features = vision.actions(seen)[0][0, : seen.count[0], : MAP.feature_width].numpy()
            view = agents.Observation(
                seen.headings[0],
                seen.elevations[0],
                features,
                heading=float(seen.heading[0]),
                elevation=float(seen.elevation[0]),
                places=seen.places[0],
                panorama=vision.panorama(seen)[0, :, : MAP.feature_width].numpy(),
            )
            action = agent.act(view)
            walked += [node for node in known.go(seen, np.array([action.index]))[0].tolist() if node >= 0]
            if action.stop:
                break
        assert visited(trace, row) == walked


def test_agent_on_a_map_needs_to_know_the_places():
    agent = agents.Agent(lively_model(0, MAP))
    agent.start("walk")
    view = agents.Observation([0.0], [0.0], np.zeros((1, MAP.feature_width)))
    with pytest.raises(ValueError, match="acts on a map"):
        agent.act(view)


def test_mirrored_agents_on_a_map_see_left_for_right_and_the_same_places(vision, some):
    simulator = Simulator(some.world)
    simulator.reset(some.starts, some.headings)
    known = ExploredMap(simulator)
    known.go(known.observe(), np.zeros(len(some), dtype=int))
    seen = known.observe()
    plain, mirrored = (vision.actions(seen, np.full(len(some), flag))[0] for flag in (False, True))
    place = MAP.token_width - MAP.place_width
    turned = slice(MAP.feature_width, place)
    torch.testing.assert_close(plain[..., turned][..., 0::4], -mirrored[..., turned][..., 0::4])
    torch.testing.assert_close(plain[..., turned][..., 1::4], mirrored[..., turned][..., 1::4])
    torch.testing.assert_close(plain[..., place:], mirrored[..., place:])
    assert (plain[..., place:] != 0).any()


def test_an_agent_on_a_map_trains_and_its_results_are_legal_walks(small_data, tmp_path):
    config = small_config(small_data, tmp_path / "run", model=MAP, loss=WITH_STUDENTS, optimizer={"updates": 2})
    train(config)
    agent = agents.Agent.from_pretrained(config.out / "best", "cpu")
    assert agent.model.config.actions == "map"
    wild = lively_model(1, MAP)  # goes back more often than one that has hardly learnt
    wild.eval()
    agents.Agent(wild).save_pretrained(tmp_path / "wild")
    given = DataConfig(folder=small_data, features=small_data / "features")
    (done,) = mtvm.evaluate(tmp_path / "wild", ["r2r/val_unseen"], data=given, show_progress=False).values()
    scored, columns = score(done.folder / "results.json", done.episodes)
    assert len(scored) == len(done.episodes)
    assert columns["TL"].mean() == pytest.approx(done.metrics()["TL"])
    steps = EventFile(done.folder / "steps.jsonl")
    some = [steps.of(one) for one in done.episodes.ids]
    assert any(event.way for events in some for event in events)
    for row, events in enumerate(some):
        walk = Walk(done.episodes.ids[row], events[0].scan, "", events).walked()
        nodes = done.nodes[row][done.nodes[row] >= 0]
        assert walk == done.episodes.world.viewpoints[nodes].tolist()


# The teacher. a - b - c - d in a row, e beside b, f beside a.

PLACES = {"a": (0, 0), "b": (2, 0), "c": (4, 0), "d": (6, 0), "e": (2, 2), "f": (0, 3)}


@pytest.mark.parametrize(
    ("walked", "goal", "right"),
    [
        ("a", "d", "b"),  # along the shortest path
        ("abc", "d", "d"),
        ("abcd", "e", "e"),  # back to what was seen, in one action
        ("abe", "d", "c"),
        ("abc", "f", "f"),
        ("abcd", "a", "c"),  # to where one has been, viewpoint by viewpoint
        ("abcd", "d", "stop"),
    ],
)
def test_teacher_leads_to_the_unvisited_place_through_which_the_way_is_shortest(walked, goal, right):
    world = World([make_graph(PLACES, ["ab", "bc", "cd", "be", "af"])])
    nodes = [world.node("made", letter) for letter in walked]
    simulator = Simulator(world)
    simulator.reset(nodes[:1])
    known = ExploredMap(simulator)
    for node in nodes[1:]:
        seen = known.observe()
        known.go(seen, seen.actions.leading_to([node]))
    seen = known.observe()
    (action,) = Teacher(lettered_episodes(world, (f"a{goal}", ""))).actions_on_map(seen)
    names = [*world.viewpoints[seen.candidates[0]].tolist(), "stop"]
    assert names[action] == right


@pytest.mark.parametrize(
    "changes", [{}, {"stop_sight": "panorama"}, {"actions": "candidates"}, {"history": "recurrent"}]
)
def test_what_is_to_be_seen_where_an_agent_has_not_been_changes_nothing(changes, vision, some, words, tmp_path):
    config = dataclasses.replace(MAP, **changes)
    model, store = lively_model(2, config), vision.store
    before = rolled_out(model, Vision(some.world, store, config), some, words, RolloutPlan("greedy", STEPS))
    for row in (0, 1, 2):
        been, world = set(visited(before, row)), some.world
        where = [(world.scan(node), str(world.viewpoints[node])) for node in range(len(world))]
        rows = store.rows(*zip(*where, strict=True))
        sights = store.panorama(rows)
        entries = ((*where[node], sights[node] if node in been else -sights[node]) for node in range(len(world)))
        other = FeatureStore.write(tmp_path / f"store{row}", entries, source="test", source_format="test")
        after = rolled_out(model, Vision(world, other, config), some, words, RolloutPlan("greedy", STEPS))
        assert visited(after, row) == visited(before, row)
        for one, two in zip(before.steps, after.steps, strict=False):
            if row in one.rows:
                logits = [step.outputs[0].logits[step.rows.tolist().index(row)] for step in (one, two)]
                count = min(len(logits[0]), len(logits[1]))
                torch.testing.assert_close(logits[0][:count], logits[1][:count])
