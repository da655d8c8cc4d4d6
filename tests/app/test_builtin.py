"""What `mtvm view` shows without any data: what ships is what the code makes, the rest is made on demand."""

import json
import threading
import time

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from mtvm.app import builtin
from mtvm.app.view import viewer_state
from mtvm.configs.data import DataConfig
from mtvm.homes.generate import generate_home
from mtvm.homes.painter import Painter, skybox_files
from mtvm.homes.plan.viewpoints import connectivity_records
from mtvm.learning.evaluation import evaluate
from mtvm.models.agent import Agent
from mtvm.viewer.server import make_app
from mtvm.viewer.sources import Defaults
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View

TIMEOUT = 300  # seconds, on a busy machine; the first picture compiles the ray tracer


@pytest.fixture(scope="module")
def sources():
    return builtin.builtin_sources()


@pytest.fixture
def painter(tmp_path):
    """Draws small pictures of a built-in home."""
    return Painter(tmp_path / "skyboxes", {"home001": builtin.WORLD.home_seed(1)}, 16)


def shipped_records(scan):
    return json.loads((builtin.DATA / "connectivity" / f"{scan}_connectivity.json").read_text())


def test_homes_that_ship_are_those_that_are_drawn():
    for number, scan in enumerate(builtin.WORLD.scans):
        made = connectivity_records(generate_home(scan, builtin.WORLD.home_seed(number)))
        assert json.loads(json.dumps(made)) == shipped_records(scan)


@pytest.mark.slow
def test_walks_that_ship_are_those_of_the_agent_that_ships(sources):
    data = DataConfig(folder=builtin.DATA, sight="names")
    agent = Agent.from_pretrained(builtin.FOLDER, "cpu")
    done = evaluate(agent, ["r2r/val_unseen"], data=data, limit=12, show_progress=False)["r2r/val_unseen"]
    walked = [[pose[0] for pose in trajectory] for trajectory in done.trajectories()]
    shipped = [[pose[0] for pose in trajectory] for trajectory in sources[0].trajectories[: len(walked)]]
    same = sum(one == other for one, other in zip(walked, shipped, strict=True))
    assert same >= len(walked) - 1, "a processor may round a close decision differently, but not several"


def test_view_of_nothing_shows_the_pretrained_agent(sources):
    state = viewer_state([], Defaults())
    assert [source.name for source in state.sources] == ["homes r2r/val_unseen", "homes long/val_unseen"]
    assert [guide.name for guide in state.guides] == ["homes"]
    assert state.guides[0].buildings.scans == builtin.WORLD.scans
    means = json.loads((builtin.FOLDER / "eval" / "r2r-val_unseen" / "metrics.json").read_text())
    assert state.sources[0].describe()["metrics"]["SPL"] == pytest.approx(means["SPL"], abs=1e-3)
    walk = state.walk(0, state.sources[0].episodes.ids[1], attention=True)
    assert all(event.words and event.probabilities for event in walk.events)
    assert [event.viewpoint for event in walk.events] == [event.viewpoint for event in sources[0].events(1)]


def test_agent_of_the_built_in_homes_is_loaded_in_the_background(sources, painter):
    running = View(ViewerState(sources, painter=painter), "127.0.0.1", 0)
    try:
        assert running.awake()
    finally:
        running.close()


def test_painter_draws_a_place_once_and_the_newest_wish_first(painter, monkeypatch):
    order, gate = [], threading.Event()

    def draw(scan, viewpoint):
        gate.wait(TIMEOUT)
        order.append(viewpoint)
        path = skybox_files(painter.skyboxes, scan, viewpoint)[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    monkeypatch.setattr(painter, "_draw", draw)
    first = painter.ask("home001", "a")
    while painter._waiting.qsize():
        time.sleep(0.01)
    jobs = [painter.ask("home001", name) for name in ("b", "c", "b", "a")]
    assert jobs[3] is first
    gate.set()
    for job in jobs:
        job.result(TIMEOUT)
    assert order == ["a", "c", "b"]


def test_painter_says_what_went_wrong_and_tries_again(painter, monkeypatch):
    def fail(scan, viewpoint):
        raise RuntimeError("no ray tracer")

    monkeypatch.setattr(painter, "_draw", fail)
    with pytest.raises(RuntimeError, match="no ray tracer"):
        painter.ask("home001", "a").result(TIMEOUT)
    monkeypatch.setattr(painter, "_draw", lambda scan, viewpoint: None)
    painter.ask("home001", "a").result(TIMEOUT)


@pytest.mark.slow
def test_panoramas_are_drawn_when_they_are_asked_for(sources, painter):
    state = ViewerState(sources, painter=painter)
    client = TestClient(make_app(state), base_url="http://127.0.0.1")
    place = f"/api/buildings/home001/{shipped_records('home001')[3]['image_id']}"
    assert client.get(place, params={"source": 0}).json()["image"] is True
    state.waking = True  # an agent comes first
    assert client.get(f"{place}/sphere.jpg", params={"source": 0}).status_code == 202
    assert not painter.skyboxes.exists()
    state.waking = False
    ends = time.monotonic() + TIMEOUT
    while (answer := client.get(f"{place}/sphere.jpg", params={"source": 0})).status_code == 202:
        assert time.monotonic() < ends
        time.sleep(0.2)
    assert answer.headers["content-type"] == "image/jpeg"
    (strip,) = painter.skyboxes.rglob("*_skybox_small.jpg")
    with Image.open(strip) as picture:
        assert picture.size == (6 * 16, 16)
        assert np.asarray(picture).std() > 10, "a room is not of one colour"
