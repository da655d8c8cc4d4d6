"""The stream of steps: what is written is read again, and what is malformed is refused with its line."""

import dataclasses
import json
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtvm.errors import InputError
from mtvm.tasks.events import (
    LONGEST_DETAIL,
    LONGEST_DETAILS,
    EventFile,
    StepEvent,
    events_of_trajectory,
    parse_event,
    write_events,
)

shares = st.floats(0, 1)
names = st.text(min_size=1, max_size=20)


@st.composite
def steps(draw, identity=names):
    candidates = draw(st.lists(names, max_size=4))
    known = draw(st.booleans())
    return StepEvent(
        id=draw(identity),
        step=draw(st.integers(0, 50)),
        scan=draw(names),
        viewpoint=draw(names),
        heading=draw(st.floats(-7, 7)),
        elevation=draw(st.floats(-1, 1)),
        candidates=candidates,
        action=draw(st.integers(0, len(candidates))),
        probabilities=draw(st.lists(shares, min_size=len(candidates) + 1, max_size=len(candidates) + 1))
        if known
        else None,
        words=draw(st.lists(st.tuples(names, shares).map(list), max_size=4)) if known else None,
        memory=draw(st.lists(shares, max_size=4)) if known else None,
    )


GOOD = StepEvent("1_0", 0, "scan", "here", 0.5, 0.0, ["a", "b"], 1, [0.2, 0.7, 0.1], [["go", 0.4]], [])


@given(steps())
def test_step_survives_json(event):
    assert parse_event(json.loads(json.dumps(event.to_json())), "line") == event


def test_candidates_are_called_as_the_agents_thought_calls_them():
    assert [GOOD.called(action) for action in (0, 1)] == ["1", "2"]
    named = dataclasses.replace(GOOD, details={"places": ["12", "4"]})
    assert [named.called(action) for action in (0, 1)] == ["12", "4"]
    for strange in (["12"], "12", None, [["a" * 99], "b"]):
        odd = dataclasses.replace(GOOD, details={"places": strange})
        assert len(odd.called(0)) <= 4
        assert odd.called(1) in ("2", "b")


def test_details_survive_json_and_what_no_file_can_hold_is_cut():
    details = {"prompt": [{"role": "user", "content": "Where?"}], "tokens": {"prompt": 3}, "cost": 0.002}
    event = dataclasses.replace(GOOD, thought="left", details=details)
    assert parse_event(json.loads(json.dumps(event.to_json())), "line") == event
    assert "details" not in GOOD.to_json()
    deep = []
    for _ in range(900):
        deep = [deep]
    odd = {
        "text": "a" * 30_000,
        "half": "\ud800",
        "nan": float("nan"),
        "where": pathlib.PurePosixPath("a"),
        "deep": deep,
        "long": ["many"] * 50_000,
    }
    written = dataclasses.replace(GOOD, details=odd, thought="\ud800").to_json()
    assert written["thought"] == "?"
    found = written["details"]
    assert (found["half"], found["nan"], found["where"]) == ("?", None, "a")
    assert len(found["text"]) == LONGEST_DETAIL
    assert found["long"] == "(400,000 characters are left out)"
    assert len(json.dumps(found)) < LONGEST_DETAILS


def test_step_knows_where_it_leads():
    assert GOOD.target == "b"
    assert not GOOD.stops
    last = dataclasses.replace(GOOD, action=2)
    assert last.stops
    assert last.target is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 3),
        ("step", -1),
        ("step", True),
        ("viewpoint", None),
        ("heading", "north"),
        ("heading", float("nan")),
        ("heading", 10**400),
        ("candidates", "ab"),
        ("candidates", [1]),
        ("action", 3),
        ("action", 1.0),
        ("probabilities", [0.5, 0.5]),
        ("probabilities", [0.5, "x", 0.5]),
        ("words", [["go"]]),
        ("words", [[3, 0.1]]),
        ("memory", 3),
        ("thought", 3),
        ("details", []),
        ("details", "cheap"),
    ],
)
def test_parse_event_refuses_a_malformed_field(field, value):
    with pytest.raises(InputError, match=f"file, line 3: .*{field}"):
        parse_event(GOOD.to_json() | {field: value}, "file, line 3")


def test_parse_event_refuses_a_step_with_absurdly_many_candidates():
    many = GOOD.to_json() | {"candidates": ["a"] * 90_000, "probabilities": None}
    with pytest.raises(InputError, match="1,000 candidates at most, not 90,000"):
        parse_event(many, "file, line 3")


def test_parse_event_refuses_what_is_not_an_object():
    with pytest.raises(InputError, match="not a JSON object"):
        parse_event([1], "here")


def test_event_file_gives_each_episode_its_steps_in_order(tmp_path):
    def step(identity, number):
        return dataclasses.replace(GOOD, id=identity, step=number)

    mixed = [step("a", 1), step("b", 0), step("a", 0), step("c", 0)]
    write_events(tmp_path / "steps.jsonl", mixed)
    file = EventFile(tmp_path / "steps.jsonl")
    assert len(file) == 3
    assert "a" in file
    assert "d" not in file
    assert [event.step for event in file.of("a")] == [0, 1]
    assert file.of("d") == []


@pytest.mark.parametrize("line", ["{", '{"step": 0}', "[]", "\xff", '{"id": "\\ud800"}', "[" * 5000])
def test_event_file_names_the_line_that_is_damaged(tmp_path, line):
    path = tmp_path / "steps.jsonl"
    path.write_bytes(json.dumps(GOOD.to_json()).encode() + b"\n" + line.encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"steps.jsonl, line 2"):
        EventFile(path)


def test_events_of_a_trajectory_lead_along_it_and_stop(tiny_r2r):
    world, nodes = tiny_r2r.world, tiny_r2r.references[0, :4].tolist()
    events = list(events_of_trajectory("x", world, nodes, [(0.0, 0.0)] * 4))
    assert [event.viewpoint for event in events] == world.viewpoints[nodes].tolist()
    assert [event.target for event in events] == [*world.viewpoints[nodes[1:]].tolist(), None]
    assert all(event.probabilities is None for event in events)
