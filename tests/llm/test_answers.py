"""From whatever a model says to one of the offered actions."""

import json

import pytest

from mtvm.llm.answers import MalformedError, parse, schema

FIELDS = {"thought": "what you think", "action": "a place"}
LABELS = ["3", "7", "12", "stop"]


@pytest.mark.parametrize(
    ("text", "label", "thought"),
    [
        ('{"thought": "the kitchen", "action": "7"}', "7", "the kitchen"),
        ('{"thought": "t", "action": 12}', "12", "t"),
        ('```json\n{"thought": "t", "action": "Place 3"}\n```', "3", "t"),
        ('I think {this} is it. {"Action": "STOP", "Thought": "here"} Good.', "stop", "here"),
        ('{"note": 1} {"action": "3"}', "3", None),
        ('{"thought": 5, "action": "3"}', "3", None),
        ("Thought: through the door.\nAction: 7", "7", "Thought: through the door."),
        ("**Action:** `12`", "12", ""),
        ("Action: 3\nno, wait.\nAction: Place 7.", "7", "Action: 3\nno, wait."),
        ("I am there. Final Answer: Finished!", "stop", "I am there."),
        ('<think>{"action": "..."}? No: {"action": "stop"}.</think>\n{"thought": "t", "action": "7"}', "7", "t"),
        ('{"action": "stop"}</think>{"thought": "t", "action": "7"}', "7", "t"),
        ('Perhaps {"action": "3"}. But then: {"thought": {"action": "3"}, "action": "12"} {"note": 1}', "12", None),
    ],
)
def test_actions_are_read(text, label, thought):
    answer = parse(text, LABELS, FIELDS)
    assert (answer.label, answer.texts.get("thought")) == (label, thought)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not the JSON object"),
        ("I go to the kitchen.", "not the JSON object"),
        ('<think>I could {"action": "3"}, or', "not the JSON object"),
        ("<think>Action: 3</think>", "not the JSON object"),
        ('{"thought": "t"}', "no field 'action'"),
        ('{"thought": "t", "action": "8"}', "not one of 3, 7, 12, stop"),
        ('{"action": true}', "not one of"),
        ('{"action": null}', "not one of"),
        ('{"action": ["3"]}', "not one of"),
        ('{"action": "../../etc/passwd"}', "not one of"),
        ('{"action": "3; rm -rf /"}', "not one of"),
        ("Action: 99", "not one of"),
        ("[" * 100_000, "not the JSON object"),
        ('{"action":' * 2000, "not the JSON object"),
        ("{" * 1_000_000, "not the JSON object"),
        ("action:" * 150_000, "not one of"),
    ],
    ids=lambda value: value[:20],
)
def test_other_answers_are_malformed(text, said):
    with pytest.raises(MalformedError, match=said):
        parse(text, LABELS, FIELDS)


def test_fields_that_nobody_asked_for_are_dropped_and_long_ones_cut():
    text = json.dumps({"thought": "x" * 10_000, "file": "/tmp/x", "action": "3"})
    answer = parse(text, LABELS, FIELDS)
    assert set(answer.texts) == {"thought"}
    assert len(answer.texts["thought"]) == 4000


def test_schema_offers_only_the_actions_that_there_are():
    made = schema(LABELS, FIELDS)
    assert made["properties"]["action"]["enum"] == LABELS
    assert made["required"] == ["thought", "action"]
    assert made["additionalProperties"] is False
