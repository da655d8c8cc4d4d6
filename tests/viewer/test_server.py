"""The server's API: what it answers, and what it refuses with a sentence."""

import dataclasses
import json
import re
import shutil
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from asking import begin, client_of, ok, refused
from browsing import long_episode

from mtvm.errors import InputError
from mtvm.models.agent import Agent
from mtvm.tasks.events import write_events
from mtvm.viewer.charts import curves_of, entropy
from mtvm.viewer.sessions import Limits, Session
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState

# Sources and walks


def test_overview_names_sources_agents_and_metrics(client, state):
    said = ok(client.get("/api/overview")).json()
    assert [source["name"] for source in said["sources"]] == ["first r2r/val_unseen", "second r2r/val_unseen", "theirs"]
    assert [source["can_rethink"] for source in said["sources"]] == [True, True, False]
    assert [agent["name"] for agent in said["agents"]] == ["first", "second"]
    assert said["metrics"]["NE"]["unit"] == "m"


@pytest.mark.parametrize("number", [0, 2])
def test_episodes_are_columns_of_one_length(client, state, number):
    table = ok(client.get(f"/api/sources/{number}/episodes")).json()
    count = len(state.sources[number].episodes)
    assert {len(table[name]) for name in ("id", "scan", "text", "edges")} == {count}
    assert {len(column) for column in table["metrics"].values()} == {count}


def test_walk_of_a_run_has_probabilities_attention_and_memory(client, state):
    identity = state.sources[0].episodes.ids[2]
    walk = ok(client.get("/api/walk", params={"source": 0, "id": identity})).json()
    assert walk["id"] == identity
    for event in walk["events"]:
        assert sum(event["probabilities"]) == pytest.approx(1, abs=1e-3)
        assert len(event["memory"]) == event["step"]
        assert event["words"]
    trajectory = [pose[0] for pose in state.sources[0].trajectories[2]]
    assert [event["viewpoint"] for event in walk["events"]] == trajectory[: len(walk["events"])]


def test_walk_of_a_result_file_has_the_way_without_turns(client, state):
    source = state.sources[2]
    walk = ok(client.get("/api/walk", params={"source": 2, "id": source.episodes.ids[0]})).json()
    names = [pose[0] for pose in source.trajectories[0]]
    moves = [name for place, name in enumerate(names) if place == 0 or name != names[place - 1]]
    assert [event["viewpoint"] for event in walk["events"]] == moves
    assert all(event["probabilities"] is None for event in walk["events"])


def test_attention_that_nobody_wrote_down_is_thought_again(plain_run, run, data):
    plain, whole = (ViewerState(open_sources([path], Defaults(data=data))) for path in (plain_run, run))
    identity = whole.sources[0].episodes.ids[0]
    params = {"source": 0, "id": identity}
    client = client_of(plain)
    assert not any(event["words"] for event in client.get("/api/walk", params=params).json()["events"])
    again = ok(client.get("/api/walk", params=params | {"attention": True})).json()["events"]
    written = whole.walk(0, identity).events
    known = [event for event in written if not event.stops or event.step == len(again) - 1]
    assert len(again) >= len(known)
    for thought, event in zip(again, written, strict=False):
        assert thought["probabilities"] == pytest.approx(event.probabilities, abs=1e-3)
        assert [word for word, _ in thought["words"]] == [word for word, _ in event.words]
        assert [weight for _, weight in thought["words"]] == pytest.approx([w for _, w in event.words], abs=2e-3)
        assert thought["memory"] == pytest.approx(event.memory, abs=2e-3)


@pytest.mark.parametrize("name", ["map.svg", "matrix.svg", "memory.svg", "curves.svg", "strip.svg"])
def test_drawings_are_svg(client, state, name):
    source = state.sources[0]
    longest = source.episodes.ids[max(range(len(source.nodes)), key=lambda row: len(source.nodes[row]))]
    answer = ok(client.get(f"/api/walk/{name}", params={"source": 0, "id": longest}))
    assert answer.headers["content-type"].startswith("image/svg+xml")
    ElementTree.fromstring(answer.text)


def test_map_draws_another_sources_walk_too(client, state):
    params = {"source": 0, "id": state.sources[0].episodes.ids[0], "step": 0}
    alone, both = (client.get("/api/walk/map.svg", params=params | more).text for more in ({}, {"agents": [0, 2]}))
    assert 'class="other-1"' in both
    assert 'class="other-1"' not in alone
    theirs = client.get("/api/walk/map.svg", params=params | {"source": 2, "agents": [0, 2]}).text
    assert 'class="ahead-1"' in theirs, "an agent has the same colour on every map"
    assert 'class="ahead-0"' not in theirs
    assert [re.search('data-metre="(.*?)"', one).group(1) for one in (both, theirs)] == [
        re.search('data-metre="(.*?)"', both).group(1)
    ] * 2


@pytest.mark.parametrize(
    ("name", "kind"), [("walk.gif", "image/gif"), ("frames.zip", "application/zip"), ("walk.html", "text/html")]
)
def test_exports_are_downloads(client, state, name, kind):
    answer = ok(client.get(f"/api/walk/{name}", params={"source": 0, "id": state.sources[0].episodes.ids[0]}))
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].startswith("attachment;")


def test_summary_has_means_differences_and_wins_of_shared_episodes(client, state):
    said = ok(client.get("/api/summary", params={"agents": [0, 1]})).json()
    one, two = state.sources[:2]
    rows = [two.rows[identity] for identity in one.episodes.ids]
    assert said["episodes"] == len(one.episodes)
    for source, means in zip((one, two), said["means"], strict=True):
        assert means["SPL"][0] == pytest.approx(source.columns["SPL"].mean(), abs=1e-3)
    won, other = one.columns["SR"] > 0, two.columns["SR"][rows] > 0
    assert said["wins"] == [[0, int((won & ~other).sum())], [int((other & ~won).sum()), 0]]
    (difference,) = said["differences"]
    assert difference["NE"]["gain"][0] == pytest.approx(two.columns["NE"].mean() - one.columns["NE"].mean(), abs=1e-3)
    assert [sum(one["agents"][agent] for one in said["mistakes"]) for agent in (0, 1)] == [(~won).sum(), (~other).sum()]
    for group in said["groups"]:
        assert sum(bar["episodes"] for bar in group["bars"]) == len(one.episodes), group["name"]
        column = one.facts[group["name"]]
        for bar in group["bars"]:
            low, high = bar["from"], bar["to"]
            inside = [(low is None or value >= low) and (high is None or value <= high) for value in column]
            assert bar["episodes"] == sum(inside), "a click on a bar filters the list by these ends"
    assert sum(one["episodes"] for one in said["buildings"]) == len(one.episodes)


def test_episodes_come_in_pages(client, state):
    whole = ok(client.get("/api/sources/0/episodes")).json()
    pages = [ok(client.get(f"/api/sources/0/episodes?first={first}&count=7")).json() for first in (0, 7, 14)]
    assert [identity for page in pages for identity in page["id"]] == whole["id"]
    assert [value for page in pages for value in page["metrics"]["NE"]] == whole["metrics"]["NE"]
    assert pages[0]["total"] == len(whole["id"])


def test_texts_are_compressed_and_streams_are_not(client):
    assert ok(client.get("/api/sources/0/episodes")).headers["content-encoding"] == "gzip"
    plain = ok(client.get("/api/sources/0/episodes", headers={"accept-encoding": "identity"}))
    assert "content-encoding" not in plain.headers
    assert plain.json() == client.get("/api/sources/0/episodes").json()
    stream = ok(client.post("/api/walk", json={"session": begin(client)["session"]}))
    assert "content-encoding" not in stream.headers


def test_notes_are_kept_beside_the_results(plain_run, data):
    state = ViewerState(open_sources([plain_run], Defaults(data=data)))
    client, identity = client_of(state), state.sources[0].episodes.ids[1]
    body = {"id": identity, "tags": ["stairs", " stairs", "", "odd"], "note": "Turns too early."}
    expected = {identity: {"tags": ["stairs", "odd"], "note": "Turns too early."}}
    assert ok(client.post("/api/sources/0/notes", json=body)).json() == expected
    assert json.loads((plain_run / "eval" / "r2r-val_unseen" / "notes.json").read_text()) == expected
    assert ok(client.get("/api/sources/0/notes")).json() == expected
    refused(client.post("/api/sources/0/notes", json=body | {"note": "x" * 5000}), 400, "4,000 characters")
    refused(client.post("/api/sources/0/notes", json=body | {"id": "nobody"}), 404, "no episode nobody")
    assert ok(client.post("/api/sources/0/notes", json={"id": identity})).json() == {}


def test_curves_end_where_the_metrics_say(state):
    source = state.sources[0]
    for identity in source.episodes.ids[:6]:
        walk = source.walk(identity)
        assert walk.distances[-1] == pytest.approx(walk.metrics["NE"], abs=1e-3)
        assert len(curves_of(walk)["entropy"]) == len(walk.events)
    assert entropy([0.5, 0.25, 0.25, 0.0]) == 1.5


def test_building_says_where_its_viewpoints_are(client, state):
    walk = state.walk(0, state.sources[0].episodes.ids[0])
    world = state.buildings(state.sources[0].folder).world(walk.scan)
    places = ok(client.get(f"/api/buildings/{walk.scan}?source=0")).json()["viewpoints"]
    assert set(places) == set(world.viewpoints.tolist())
    assert places[walk.viewpoints[0]][:3] == pytest.approx(
        world.positions[world.node(walk.scan, walk.viewpoints[0])], abs=1e-3
    )
    assert {place[3] for place in places.values()} == {0, 1}
    assert {place[4] for place in places.values()} == {"kitchen", "hallway"}


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/sources/9/episodes", 404, "sources 0 to 2"),
        ("/api/sources/x/episodes", 422, "number"),
        ("/api/walk?source=0&id=nobody", 404, "no episode nobody"),
        ("/api/walk?source=0", 400, "name a walk"),
        ("/api/walk/map.svg?source=0&id={id}&step=99", 400, "has steps 0 to"),
        ("/api/walk/map.svg?source=0&id={id}&step=-1", 422, "step"),
        ("/api/walk/matrix.svg?source=2&id={id}", 400, "no attention"),
        ("/api/walk?session=nobody", 410, "no such session"),
        ("/api/summary?agents=7", 404, "sources 0 to 2"),
        ("/api/summary", 422, "agents"),
        ("/api/buildings/nowhere?agent=0", 404, "no building"),
        ("/api/buildings/nowhere/x?agent=0", 404, "no building"),
        ("/api/buildings/tiny3/x?agent=0", 404, "no viewpoint"),
        ("/api/buildings/tiny3/x", 400, "whose building"),
        ("/api/buildings/..%2f..%2fetc/passwd?agent=0", 404, ""),
    ],
)
def test_bad_requests_get_a_sentence(client, state, path, status, said):
    answer = client.get(path.replace("{id}", state.sources[0].episodes.ids[0]))
    assert answer.status_code == status, answer.text
    assert said in answer.text


def test_place_has_candidates_names_and_captions_as_plain_text(client, state):
    walk = state.walk(0, state.sources[0].episodes.ids[0])
    place = ok(client.get(f"/api/buildings/{walk.scan}/{walk.events[0].viewpoint}?source=0")).json()
    assert [one["viewpoint"] for one in place["candidates"]] == walk.events[0].candidates
    assert place["image"] is False
    assert "a <b>sofa</b>" in [sight["text"] for sight in place["sights"]]


# Talking


def test_agent_walks_by_itself_as_in_its_evaluation(client, state):
    source = state.sources[0]
    row = max(range(len(source.nodes)), key=lambda row: len(source.nodes[row]))
    episode = source.episodes[row]
    begun = begin(client, text=episode.text, building=episode.scan, viewpoint=episode.start, heading=episode.heading)
    session, written = begun["session"], state.walk(0, episode.id).events
    assert begun["thought"]["probabilities"] == pytest.approx(written[0].probabilities, abs=1e-3)
    for event in written[:-1]:
        answer = ok(client.post("/api/act", json={"session": session})).json()
        assert answer["done"]["candidates"][answer["done"]["action"]] == event.target
    assert answer["thought"]["viewpoint"] == written[-1].viewpoint


def test_visitor_takes_a_step_and_the_agent_thinks_on_from_there(client):
    begun = begin(client)
    wanted = len(begun["thought"]["candidates"]) - 1
    answer = ok(client.post("/api/act", json={"session": begun["session"], "action": wanted})).json()
    assert answer["done"]["action"] == wanted
    assert answer["thought"]["viewpoint"] == begun["thought"]["candidates"][wanted]
    assert len(answer["thought"]["memory"]) == 1


def test_stopping_ends_the_walk(client):
    begun = begin(client)
    stop = len(begun["thought"]["candidates"])
    answer = ok(client.post("/api/act", json={"session": begun["session"], "action": stop})).json()
    assert answer["thought"] is None
    refused(client.post("/api/act", json={"session": begun["session"]}), 410, "has ended")


def test_walk_streams_a_line_for_each_step(client):
    begun = begin(client)
    lines = [
        json.loads(line) for line in ok(client.post("/api/walk", json={"session": begun["session"]})).text.splitlines()
    ]
    assert [line["step"] for line in lines][:3] == [0, 1, 1] or lines[-1]["action"] == len(lines[-1]["candidates"])
    assert max(line["step"] for line in lines) <= Limits().steps
    walk = ok(client.get("/api/walk", params={"session": begun["session"]})).json()
    assert walk["events"][0]["viewpoint"] == begun["thought"]["viewpoint"]
    ElementTree.fromstring(client.get("/api/walk/map.svg", params={"session": begun["session"], "step": 0}).text)


def test_robot_is_answered_as_the_agent_would(client, state):
    sight = {"headings": [0.1, -1.0], "elevations": [0.0, 0.0], "features": [[0.5] * 8, [-0.5] * 8]}
    begun = ok(client.post("/api/sessions", json={"text": "go left"})).json()
    assert begun["thought"] is None
    said = ok(client.post("/api/act", json={"session": begun["session"], "sight": sight})).json()["thought"]
    agent = Agent.from_pretrained(state.guides[0].live.agent, "cpu")
    agent.start("go left")
    from mtvm.models.agent import Observation

    expected = agent.act(Observation(**sight))
    assert said["probabilities"] == pytest.approx(expected.probabilities.tolist(), abs=1e-4)
    again = ok(client.post("/api/act", json={"session": begun["session"], "sight": sight, "action": 0})).json()
    assert len(again["thought"]["memory"]) == 1


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"text": "  "}, 400, "empty"),
        ({"text": "go " * 1000}, 400, "2000 are allowed"),
        ({"text": "go", "agent": 7}, 404, "agents 0 to 1"),
        ({"text": "go", "building": "nowhere"}, 404, "no building"),
        ({"text": "go", "building": "tiny3", "viewpoint": "x"}, 404, "no viewpoint"),
        ({"text": "go", "building": "tiny3", "heading": 1e9}, 422, "heading"),
        ({}, 422, "text"),
    ],
)
def test_sessions_that_cannot_begin_get_a_sentence(client, body, status, said):
    refused(client.post("/api/sessions", json=body), status, said)


def test_impossible_actions_are_refused_and_the_session_lives_on(client):
    begun = begin(client)
    refused(client.post("/api/act", json={"session": begun["session"], "action": 99}), 400, "there are actions 0 to")
    ok(client.post("/api/act", json={"session": begun["session"], "action": 0}))


def test_robot_with_wrong_features_gets_a_sentence(client):
    begun = ok(client.post("/api/sessions", json={"text": "go left"})).json()
    sight = {"headings": [0.1], "elevations": [0.0], "features": [[0.5] * 3]}
    refused(client.post("/api/act", json={"session": begun["session"], "sight": sight}), 400, "features must be (1, 8)")


def test_robot_is_asked_again_after_numbers_that_cannot_be_computed_with(client):
    begun = ok(client.post("/api/sessions", json={"text": "go left"})).json()
    sight = {"headings": [0.1], "elevations": [0.0], "features": [[0.5] * 8]}
    asked = {"session": begun["session"], "sight": sight, "action": 0}
    first = ok(client.post("/api/act", json=asked)).json()["thought"]
    for name, odd in (("heading", 1e308), ("headings", [1e9]), ("features", [[1e39] * 8])):
        refused(client.post("/api/act", json=asked | {"sight": sight | {name: odd}}), 400, f"{name} must be numbers")
    refused(client.post("/api/act", json=asked | {"sight": sight | {"features": [[1.0], []]}}), 400, "must be a table")
    second = ok(client.post("/api/act", json=asked)).json()["thought"]
    assert (first["step"], second["step"]) == (0, 1)
    assert None not in second["probabilities"]


def test_limits_on_sessions_rate_and_idle_time(sources, monkeypatch):
    few = client_of(ViewerState(sources, limits=Limits(sessions=2)))
    first = begin(few)
    begin(few)
    building = {"text": "go", "building": "tiny3"}
    refused(few.post("/api/sessions", json=building), 429, "2 walks are under way")
    ok(few.post("/api/sessions/end", json={"session": first["session"]}))
    ok(few.post("/api/sessions", json=building))
    slow = client_of(ViewerState(sources, limits=Limits(rate=1)))
    ok(slow.post("/api/sessions", json=building))
    refused(slow.post("/api/sessions", json=building), 429, "a second")
    brief = client_of(ViewerState(sources, limits=Limits(idle=-1.0)))
    refused(brief.post("/api/act", json={"session": begin(brief)["session"]}), 410, "no such session")


def test_a_crash_in_one_session_leaves_the_others(client, monkeypatch):
    broken, fine = begin(client), begin(client)
    real = Session.act

    def crash(self, action=None):
        if self.name == broken["session"]:
            raise RuntimeError("secret detail")
        return real(self, action)

    monkeypatch.setattr(Session, "act", crash)
    answer = client.post("/api/act", json={"session": broken["session"]})
    refused(answer, 500, "something went wrong")
    assert "secret" not in answer.text
    ok(client.post("/api/act", json={"session": fine["session"], "action": 0}))
    refused(client.post("/api/act", json={"session": broken["session"]}), 410, "no such session")


def test_a_crash_on_the_way_ends_the_stream_with_a_sentence(client, monkeypatch):
    broken, fine = begin(client), begin(client)

    def crash(self, action=None):
        raise RuntimeError("secret detail")

    with monkeypatch.context() as patch:
        patch.setattr(Session, "act", crash)
        answer = ok(client.post("/api/walk", json={"session": broken["session"]}))
    assert "something went wrong" in json.loads(answer.text.splitlines()[-1])["error"]
    assert "secret" not in answer.text
    refused(client.post("/api/act", json={"session": broken["session"]}), 410, "no such session")
    ok(client.post("/api/act", json={"session": fine["session"], "action": 0}))


# Opening


def test_open_refuses_what_is_not_there_or_not_evaluated(tmp_path, data, run):
    with pytest.raises(InputError, match="no such run"):
        open_sources([tmp_path / "nothing"], Defaults(data=data))
    shutil.copytree(run, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "eval")
    with pytest.raises(InputError, match="mtvm eval"):
        open_sources([tmp_path / "copy"], Defaults(data=data))


def test_open_takes_an_evaluation_without_its_run(run, data):
    (source,) = open_sources([run / "eval" / "r2r-val_unseen"], Defaults(data=data))
    assert source.name == "first r2r/val_unseen"
    (written,) = open_sources([run / "eval"], Defaults(data=data))  # as with 'mtvm eval --out'
    assert written.path == source.path
    assert source.live is None
    assert dataclasses.is_dataclass(source.walk(source.episodes.ids[0]))


def test_malformed_steps_name_their_line(plain_run, data):
    (plain_run / "eval" / "r2r-val_unseen" / "steps.jsonl").write_text('{"id": 3}\n')
    with pytest.raises(InputError, match=r"steps\.jsonl, line 1"):
        open_sources([plain_run], Defaults(data=data))


@pytest.mark.parametrize(("field", "value", "said"), [("candidates", ["x"], "viewpoint x"), ("scan", "s", "scan s")])
def test_steps_in_another_building_are_refused(plain_run, data, field, value, said):
    path = plain_run / "eval" / "r2r-val_unseen" / "steps.jsonl"
    (source,) = open_sources([plain_run], Defaults(data=data))
    row = next(row for row, nodes in enumerate(source.nodes) if len(nodes) == 1)  # stops at once
    (only,) = source.events(row)
    changed = dataclasses.replace(only, probabilities=None, **{field: value})
    write_events(path, [dataclasses.replace(changed, action=len(changed.candidates))])
    (source,) = open_sources([plain_run], Defaults(data=data))
    with pytest.raises(InputError, match=rf"steps\.jsonl: step 0 of episode .*: {said} is not in "):
        source.events(row)


def test_steps_of_other_walks_are_left_out_and_said_so(run, other_run, plain_run, data):
    """Results of one agent beside the steps of another, as after a kill between the two files."""
    place = ("eval", "r2r-val_unseen", "steps.jsonl")
    shutil.copy(other_run.joinpath(*place), plain_run.joinpath(*place))
    mixed, whole = (open_sources([path], Defaults(data=data))[0] for path in (plain_run, run))
    assert whole.notes == []
    (note,) = mixed.describe()["notes"]
    assert "different walks" in note
    theirs = open_sources([other_run], Defaults(data=data))[0]
    for row, identity in enumerate(mixed.episodes.ids):
        same = mixed.nodes[row].tolist() == theirs.nodes[row].tolist()
        assert all((event.probabilities is not None) == same for event in mixed.events(row)), identity
        assert mixed.walk(identity).viewpoints == whole.walk(identity).viewpoints


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines + lines[:1], "occurs twice"),
        (lambda lines: [lines[0] | {"step": step} for step in range(1002)], "more than 1,000 steps"),
    ],
)
def test_absurd_steps_are_refused(plain_run, run, data, change, said):
    place = ("eval", "r2r-val_unseen", "steps.jsonl")
    lines = [json.loads(line) for line in run.joinpath(*place).read_text().splitlines()]
    plain_run.joinpath(*place).write_text("\n".join(map(json.dumps, change(lines))))
    with pytest.raises(InputError, match=said):
        open_sources([plain_run], Defaults(data=data))


# Attention by head


def shades(client, file, **asked):
    drawing = ok(client.get(f"/api/walk/{file}.svg", params=asked)).text
    return [float(one) for one in re.findall('data-weight="([^"]*)"', drawing)]


@pytest.mark.parametrize("file", ["matrix", "memory"])
def test_heads_of_the_last_layer_have_the_usual_attention_as_their_mean(client, state, file):
    walk = {"source": 0, "id": long_episode(state.sources).id}
    assert ok(client.get("/api/walk/heads", params=walk)).json() == {"layers": 2, "heads": 2}
    usual = shades(client, file, **walk)
    assert usual
    heads = [shades(client, file, **walk, head=head) for head in (1, 2)]
    assert heads[0] != heads[1]
    assert np.mean(heads, axis=0) == pytest.approx(usual, abs=5e-3)
    assert shades(client, file, **walk, layer=2) == pytest.approx(usual, abs=5e-3)
    assert shades(client, file, **walk, layer=1) != usual


def test_heads_that_are_not_there_are_refused(client, state):
    walk = {"id": state.source(0).episodes.ids[0]}
    refused(client.get("/api/walk/matrix.svg", params=walk | {"source": 0, "head": 3}), 400, "has heads 1 to 2, not 3")
    refused(client.get("/api/walk/memory.svg", params=walk | {"source": 0, "layer": 9}), 400, "layers 1 to 2, not 9")
    refused(client.get("/api/walk/heads", params=walk | {"source": 2}), 400, "no agent of theirs")


def test_a_live_walk_has_heads_too(client):
    session = begin(client)["session"]
    assert ok(client.get("/api/walk/heads", params={"session": session})).json() == {"layers": 2, "heads": 2}
    assert shades(client, "matrix", session=session, layer=1, head=1)
