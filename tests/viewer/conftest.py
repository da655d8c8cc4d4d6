"""A run in the tiny world with an evaluation, a second one, a result file, a server of them, and a browser."""

import dataclasses
import json
import shutil

import numpy as np
import pytest
import torch
from asking import client_of
from browsing import CHROMIUM, TIMEOUT, WITH_WEBGL, WITHOUT_WEBGL
from playwright.sync_api import sync_playwright

import mtvm
from mtvm.acting.baselines import run_baseline
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS
from mtvm.features.store import FeatureStore
from mtvm.learning.run_folder import RunFolder
from mtvm.models.agent import Agent
from mtvm.models.config import ModelConfig
from mtvm.models.network import make_network
from mtvm.tasks.events import write_events
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results
from mtvm.testing.tiny import write_tiny_world
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View
from mtvm.world.world import World

SMALL = ModelConfig(
    hidden=16,
    heads=2,
    intermediate=32,
    language_layers=1,
    crossmodal_layers=2,
    feature_width=8,
    angle_width=8,
    critic_hidden=8,
)


@pytest.fixture(scope="session")
def data(tmp_path_factory, own_cache):
    """A tiny world with random features, and names and captions of one of its buildings."""
    folder = write_tiny_world(tmp_path_factory.mktemp("viewed"), paths=6)
    world, rng = World.load(folder / "connectivity"), np.random.default_rng(0)
    entries = (
        (world.scan(node), str(world.viewpoints[node]), rng.normal(size=(36, 8)).astype(np.float32))
        for node in range(len(world))
    )
    FeatureStore.write(folder / "features", entries, source="random", source_format="test")
    (folder / "semantics").mkdir()
    lines = [
        {
            "scan": world.scan(node),
            "viewpoint": str(world.viewpoints[node]),
            "room": "kitchen" if node % 3 else "hallway",
            "objects": [{"id": 1, "name": "chair", "views": [12], "boxes": [[310, 230, 20, 20]]}],
        }
        for node in range(len(world))
    ]
    (folder / "semantics" / "viewpoints.jsonl").write_text("\n".join(map(json.dumps, lines)))
    said = [
        {"scan": one["scan"], "viewpoint": one["viewpoint"], "captions": [["a rug", "a <b>sofa</b>", ""]] * 8}
        for one in lines
    ]
    (folder / "captions").mkdir()
    (folder / "captions" / "captions.jsonl").write_text("\n".join(map(json.dumps, said)))
    return folder


def make_run(data, out, seed, size=SMALL):
    """A run whose best agent has random weights, evaluated with its attention."""
    preset = PRESETS["tiny"]
    config = dataclasses.replace(
        preset,
        out=out,
        model=size,
        data=DataConfig(folder=data, features=data / "features", horizon=6, evaluate=("r2r/val_unseen",)),
    )
    RunFolder(out).write_config(config)
    torch.manual_seed(seed)
    model = make_network(size).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6)
    Agent(model).save_pretrained(RunFolder(out).best)
    mtvm.evaluate(out, attention=True, show_progress=False, device="cpu")
    return out


@pytest.fixture(scope="session")
def run(data, tmp_path_factory):
    return make_run(data, tmp_path_factory.mktemp("runs") / "first", seed=1)


@pytest.fixture(scope="session")
def other_run(data, tmp_path_factory):
    return make_run(data, tmp_path_factory.mktemp("runs") / "second", seed=5)


@pytest.fixture(scope="session")
def map_source(data, tmp_path_factory):
    """The evaluation of an agent that acts on a map."""
    size = dataclasses.replace(SMALL, angle_width=16, actions="map")
    run = make_run(data, tmp_path_factory.mktemp("runs") / "map", 2, size)
    (source,) = open_sources([run], Defaults(data=data))
    return source


@pytest.fixture(scope="session")
def results(data, tmp_path_factory):
    """The result file of an agent of which nothing else is known: low-level, with turns on the spot."""
    episodes = load_episodes("r2r", "val_unseen", data)
    path = tmp_path_factory.mktemp("results") / "theirs.json"
    write_results(path, episodes, run_baseline("random", episodes, seed=3))
    return path


@pytest.fixture(scope="session")
def sources(run, other_run, results, data):
    return open_sources([run, other_run, results], Defaults(data=data))


@pytest.fixture(scope="session")
def objects(data, tmp_path_factory):
    """Results of REVERIE, in which every second answer is wrong, and what the agent thought of its objects."""
    folder = tmp_path_factory.mktemp("objects") / "data"
    shutil.copytree(data, folder)
    (entries,) = [json.loads(path.read_text()) for path in folder.rglob("R2R_val_unseen.json")]
    kept = [{**one, "id": f"{one['path_id']}_1", "objId": 1} for one in entries]
    (folder / "REVERIE_val_unseen.json").write_text(json.dumps(kept))
    path = next(folder.rglob("viewpoints.jsonl"))
    places = [json.loads(line) for line in path.read_text().splitlines()]
    for place in places:
        place["objects"].append({"id": 7, "name": "floor lamp", "views": [13], "boxes": [[0, 0, 640, 480]]})
    path.write_text("\n".join(map(json.dumps, places)))
    episodes = load_episodes("reverie", "val_unseen", folder)
    answers = ["1" if row % 2 else "7" for row in range(len(episodes))]
    out = folder.parent / "pointing" / "eval" / "reverie-val_unseen"
    out.mkdir(parents=True)
    write_results(out / "results.json", episodes, run_baseline("shortest", episodes, 0), answers)
    (out / "metrics.json").write_text(json.dumps({"split": "reverie val_unseen", "episodes": len(episodes)}))
    (source,) = open_sources([folder.parent / "pointing"], Defaults(data=folder))
    offered = {"objects": [{"id": "1", "probability": 0.25}, {"id": "7", "probability": 0.75}]}
    write_events(
        out / "steps.jsonl",
        [
            dataclasses.replace(event, answer=answer, details=offered)
            for identity, answer in zip(source.episodes.ids, answers, strict=True)
            for event in source.walk(identity).events
        ],
    )
    return open_sources([folder.parent / "pointing"], Defaults(data=folder))


@pytest.fixture
def state(sources):
    return ViewerState(sources)


@pytest.fixture
def client(state):
    return client_of(state)


@pytest.fixture
def plain_run(run, tmp_path):
    """The first run without the attention that was written down."""
    copy = tmp_path / "plain"
    shutil.copytree(run, copy)
    for name in ("steps.jsonl", "manifest.json"):  # as an evaluation of before there were manifests
        (copy / "eval" / "r2r-val_unseen" / name).unlink()
    return copy


@pytest.fixture(scope="module")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright):
    launched = playwright.chromium.launch(executable_path=CHROMIUM, args=WITHOUT_WEBGL)
    yield launched
    launched.close()


@pytest.fixture
def page_with_webgl(playwright):
    launched = playwright.chromium.launch(executable_path=CHROMIUM, args=WITH_WEBGL)
    opened = launched.new_page(viewport={"width": 1000, "height": 500})
    opened.set_default_timeout(TIMEOUT)
    yield opened
    launched.close()


@pytest.fixture(scope="module")
def server(sources):
    running = View(ViewerState(sources), "127.0.0.1", 0)
    yield running
    running.close()


@pytest.fixture
def serve():
    """Starts servers of these sources, which end with the test."""
    started = []

    def of(sources):
        started.append(View(ViewerState(sources), "127.0.0.1", 0))
        return started[-1]

    yield of
    for running in started:
        running.close()


@pytest.fixture
def page(browser):
    """A page that fails the test if a script of it failed, or if it asked another machine for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(TIMEOUT)
    problems = []
    opened.on("pageerror", lambda error: problems.append(str(error)))

    def asked(request):
        if not request.url.removeprefix("blob:").startswith(("http://127.0.0.1:", "data:")):
            problems.append(request.url)

    opened.on("request", asked)
    yield opened
    context.close()
    assert problems == []
