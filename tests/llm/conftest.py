import json

import pytest
from model_server import ORDER, ModelServer, completion

from mtvm.llm.client import Clock


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Starts servers that end with the test; answers are kept in its folder, and no key is known."""
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    for name in ("MTVM_LLM_API", "MTVM_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    started = []

    def start(reply):
        server = ModelServer(reply if callable(reply) else lambda number, body: (200, {}, completion(reply)))
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()


class PatientClock(Clock):
    """Nobody really waits; each look at the clock is `tick` seconds later."""

    def __init__(self, tick=0.0):
        self.waits, self.time = [], 0.0

        def now():
            self.time += tick
            return self.time

        super().__init__(now, lambda event, seconds: self.waits.append(seconds))


@pytest.fixture
def clock():
    return PatientClock()


@pytest.fixture
def hasty_clock():
    return PatientClock(tick=400.0)


@pytest.fixture(scope="session")
def described(tmp_path_factory, tiny_world, tiny_folder):
    """The tiny world's folder, with captions that say where they are; one of them, and an object
    that was found, give orders."""
    folder = tmp_path_factory.mktemp("described")
    (folder / "connectivity").symlink_to(tiny_folder / "connectivity")
    (folder / "R2R").symlink_to(tiny_folder / "R2R")
    lines, found = [], []
    for node in range(len(tiny_world)):
        rows = [[f"view {n} {row} of {node}" for row in ("down", "level", "up")] for n in range(8)]
        rows[2][1] = ORDER
        here = {"scan": tiny_world.scan(node), "viewpoint": str(tiny_world.viewpoints[node])}
        boxes = [[] for _ in range(36)]
        boxes[13] = [[ORDER, 0.9, [310, 230, 330, 250], ORDER]]
        boxes[18] = [["lamp", 0.5, [310, 230, 330, 250], "a lamp"]]
        lines.append(json.dumps(here | {"captions": rows}) + "\n")
        found.append(json.dumps(here | {"objects": boxes}) + "\n")
    (folder / "captions.jsonl").write_text("".join(lines))
    (folder / "langnav.jsonl").write_text("".join(found))
    return folder
