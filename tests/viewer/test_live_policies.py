"""Agents that are no networks in the viewer: their thoughts are seen, and they walk live."""

import json
import sys

import pytest
from asking import begin, client_of, ok, refused

import mtvm
from mtvm.acting import find
from mtvm.acting.find import find_policy
from mtvm.app.builtin import DATA, FOLDER, SPLITS
from mtvm.app.policies import offer_language_model
from mtvm.app.view import viewer_state
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError
from mtvm.learning.run_folder import RunFolder
from mtvm.llm.options import IN_HOMES, LanguageOptions
from mtvm.llm.stub import Stub
from mtvm.viewer.sources import Defaults

HOMES = DataConfig(folder=DATA, sight="names")
AGENT = """
import mtvm

class Talker(mtvm.Policy):
    def start(self, episodes):
        self.said = len(episodes)

    def act(self, sights):
        return [
            mtvm.Decision(0 if sight.step < 2 else sight.stop, thought=f"{sight.instruction} {sight.step}", answer="7")
            for sight in sights
        ]
"""


@pytest.fixture
def state(tmp_path, tiny_folder, monkeypatch):
    (tmp_path / "my_talker.py").write_text(AGENT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_talker", raising=False)
    mtvm.evaluate(
        "my_talker:Talker", "r2r/val_unseen", data=tiny_folder, out=tmp_path / "run" / "eval", show_progress=False
    )
    return viewer_state([tmp_path / "run"], Defaults(tiny_folder, agent="my_talker:Talker"))


def test_the_page_is_told_the_thoughts_and_answers_of_an_evaluation(state):
    episode = state.source(0).episodes[3]
    answer = ok(client_of(state).get("/api/walk", params={"source": 0, "id": episode.id})).json()
    assert [event["thought"] for event in answer["events"]] == [f"{episode.text} {step}" for step in range(3)]
    assert {event["answer"] for event in answer["events"]} == {"7"}
    again = client_of(state).get("/api/walk", params={"source": 0, "id": episode.id, "attention": True})
    assert ok(again).json() == answer, "it is not asked to think again"


def test_a_policy_walks_live(state):
    client = client_of(state)
    begun = begin(client, text="to the sofa")
    assert begun["thought"]["thought"] == "to the sofa 0"
    acted = ok(client.post("/api/act", json={"session": begun["session"]})).json()
    assert acted["done"]["action"] == 0
    assert acted["thought"]["thought"] == "to the sofa 1"
    candidates = len(acted["thought"]["candidates"])
    acted = ok(client.post("/api/act", json={"session": begun["session"], "action": candidates})).json()
    assert acted["thought"] is None, "a visitor may stop it"
    lines = ok(client.post("/api/walk", json={"session": begin(client)["session"]})).text.splitlines()
    assert lines


def test_sessions_of_one_policy_do_not_disturb_each_other(state):
    client = client_of(state)
    first, second = begin(client, text="one"), begin(client, text="two")
    for session, text in ((first, "one"), (second, "two"), (first, "one")):
        thought = ok(client.post("/api/act", json={"session": session["session"]})).json()["thought"]
        assert thought["thought"].startswith(text)


def test_a_policy_is_not_told_what_a_robot_sees(state):
    client = client_of(state)
    refused(client.post("/api/sessions", json={"text": "go"}), 400, "this agent walks in buildings only")


def test_low_level_walks_of_a_baseline_can_be_watched(tmp_path, tiny_folder):
    """It turns on the spot, so that its own viewpoint is among its candidates."""
    mtvm.evaluate("random", "r2r/val_unseen", data=tiny_folder, out=tmp_path / "eval", show_progress=False)
    client = client_of(viewer_state([tmp_path], Defaults(tiny_folder)))
    identity = ok(client.get("/api/sources/0/episodes")).json()["id"][0]
    walk = ok(client.get("/api/walk", params={"source": 0, "id": identity})).json()
    assert any(event["viewpoint"] in event["candidates"] for event in walk["events"])
    ok(client.get("/api/walk/map.svg", params={"source": 0, "id": identity, "step": 1}))
    ok(client.get("/api/walk/strip.svg", params={"source": 0, "id": identity}))


@pytest.fixture
def stub():
    """llm:stub, as the command offers it: it sees what the homes that ship with the package have."""
    offer_language_model("llm:stub", LanguageOptions(see=IN_HOMES), HOMES)
    yield "llm:stub"
    find._offered.clear()


def test_a_language_model_is_talked_to_beside_a_trained_agent_on_the_same_episode(stub, tmp_path):
    """Its thought, prompt, tokens and cost are told with each step, and the trained agent's walk is there too."""
    mtvm.evaluate(find_policy(stub), SPLITS[0], data=HOMES, limit=2, out=tmp_path / "eval", show_progress=False)
    trained = RunFolder(FOLDER).evaluation(Split.parse(SPLITS[0]))
    client = client_of(viewer_state([tmp_path, trained], Defaults(DATA, agent=stub)))
    identity = ok(client.get("/api/sources/0/episodes")).json()["id"][0]
    said, other = (ok(client.get("/api/walk", params={"source": n, "id": identity})).json() for n in (0, 1))
    assert said["text"] == other["text"]
    for event in said["events"]:
        assert event["thought"].startswith("Words shared")
        assert event["details"]["cost"] == 0
    start = said["events"][0]
    begun = begin(client, text="Walk to the bed.", building=start["scan"], viewpoint=start["viewpoint"], heading=0.0)
    assert begun["thought"]["details"]["model"] == "stub"
    assert '"Walk to the bed."' in begun["thought"]["details"]["prompt"][1]["content"]
    lines = ok(client.post("/api/walk", json={"session": begun["session"]})).text.splitlines()
    assert len(lines) > 2


def test_a_walk_that_is_refused_on_its_way_can_go_on_where_it_is(stub, monkeypatch):
    """As by --max-cost, or by a server that is down for a while: the page is told why, and nothing is walked twice."""
    client = client_of(viewer_state([], Defaults(DATA, agent=stub)))
    real, asked = Stub.ask, []

    def ask(self, messages, schema):
        asked.append(messages[1]["content"])
        if len(asked) == 3:
            raise InputError("$0.01 were spent.")
        return real(self, messages, schema)

    monkeypatch.setattr(Stub, "ask", ask)
    session = begin(client, text="Walk to the bed.")["session"]
    lines = [json.loads(line) for line in ok(client.post("/api/walk", json={"session": session})).text.splitlines()]
    assert lines[-1] == {"error": "$0.01 were spent."}
    moved = lines[-2]
    ok(client.get("/api/walk/map.svg", params={"session": session, "step": 1}))
    acted = ok(client.post("/api/act", json={"session": session})).json()
    assert acted["done"]["viewpoint"] == moved["viewpoint"]
    assert acted["thought"]["step"] == 2
    assert asked[2] == asked[3], "what the model is told is not told twice"
    assert asked[3].count("you went to place") == 2


def test_the_homes_are_drawn_for_any_walks_in_them(tmp_path, tiny_folder):
    """Not only for the pretrained agent's; of other buildings there is nothing to draw."""
    for name, data in (("homes", HOMES), ("tiny", tiny_folder)):
        mtvm.evaluate("stop", SPLITS[0], data=data, limit=1, out=tmp_path / name / "eval", show_progress=False)
        state = viewer_state([tmp_path / name], Defaults(DATA if name == "homes" else tiny_folder))
        building = state.buildings(state.sources[0].folder)
        assert (building._painter is not None) == (name == "homes")
