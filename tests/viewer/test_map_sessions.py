"""Walks of an agent that acts on a map, live and drawn: it may go to places that are not next to it."""

import pytest
from asking import client_of, ok, refused
from browsing import needs_chromium, shown_step, visit

from mtvm.tasks.data import DataFolder
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.exporting import export
from mtvm.viewer.sessions import Session, load_live
from mtvm.viewer.state import ViewerState
from mtvm.viewer.strips import draw_strip, facing


def test_a_live_walk_is_that_of_the_evaluation(map_source, data):
    buildings, went_back = Buildings(DataFolder(data)), 0
    for row in range(len(map_source.episodes)):
        episode, wanted = map_source.episodes[row], map_source.events(row)
        start = (episode.scan, episode.reference[0], episode.heading)
        session = Session(load_live(map_source.live), episode.text, buildings, start)
        for event in wanted:
            thought = session.events[-1]
            assert (thought.viewpoint, thought.candidates, thought.action) == (
                event.viewpoint,
                event.candidates,
                event.action,
            )
            session.act()
            assert session.events[event.step].way == event.way
            went_back += event.way is not None
    assert went_back, "some of these walks go back, so that this is tested"


@pytest.fixture
def far_step(map_source):
    """A walk, and a step of it at which the agent goes back to a place that is not next to it."""
    walks = map(map_source.walk, map_source.episodes.ids)
    return next((walk, event) for walk in walks for event in walk.events if event.way)


def test_views_are_towards_the_first_place_on_the_way(map_source, data, far_step):
    buildings, (walk, event) = Buildings(DataFolder(data)), far_step
    world = buildings.world(walk.scan)
    node = world.node(walk.scan, event.viewpoint)
    neighbours = world.viewpoints[world.candidates[node, : world.degree[node]]].tolist()
    heading, elevation = facing(buildings, event)
    slot = neighbours.index(event.way[0])
    assert heading == pytest.approx(float(world.candidate_headings[node, slot]), abs=1e-3)
    assert elevation == pytest.approx(float(world.candidate_elevations[node, slot]), abs=1e-3)
    said = [shape.text for shape in draw_strip(buildings, walk).shapes]
    assert sum(text.startswith("step ") for text in said) == len(walk.events)
    assert export(".gif", buildings, [walk], ["agent"]).startswith(b"GIF8")


@needs_chromium
def test_panorama_marks_the_places_that_the_agent_may_go_to(page_with_webgl, serve, map_source, far_step):
    page, (walk, event) = page_with_webgl, far_step
    visit(page, serve([map_source]), f"#source=0&id={walk.id}&step={event.step}")
    shown_step(page, event.step)
    page.wait_for_selector("#panorama[data-ready] .candidate.chosen", state="attached")
    chosen = page.locator("#panorama .candidate.chosen").text_content()
    assert chosen == f"{event.action + 1} · {100 * event.probabilities[event.action]:.0f}%"
    assert page.locator("#panorama .candidate.chosen.far").count() == 1
    listed = page.locator(".actions .chosen").inner_text().split()
    assert (listed[0], listed[-1]) == (str(event.action + 1), f"{100 * event.probabilities[event.action]:.1f}%")


def test_a_robot_says_where_the_places_of_its_map_are(map_source):
    client = client_of(ViewerState([map_source]))
    session = ok(client.post("/api/sessions", json={"text": "go left"})).json()["session"]
    sight = {"headings": [0.1, -1.0], "elevations": [0.0, 0.0], "features": [[0.5] * 8, [-0.5] * 8]}
    refused(client.post("/api/act", json={"session": session, "sight": sight}), 400, "needs places")
    sight["places"] = [[0.0] * 4] * 2
    said = ok(client.post("/api/act", json={"session": session, "sight": sight})).json()["thought"]
    assert len(said["probabilities"]) == 3
    refused(client.post("/api/act", json={"session": session}), 400, "with 'sight'")
    refused(client.post("/api/walk", json={"session": session}), 400, "with 'sight'")
