"""What an agent said of its steps, what that cost, and the objects that it chose from, on the page."""

import dataclasses
import math
import re

import pytest
from browsing import TIMEOUT, long_episode, needs_chromium, until, visit
from playwright.sync_api import expect

from mtvm.tasks.events import EventFile, write_events
from mtvm.viewer.sources import Defaults, open_sources

pytestmark = needs_chromium
LOOKED_AT = """(mark) => {
  const box = document.querySelector(`#panorama ${mark}`)?.getBoundingClientRect();
  const all = document.getElementById("panorama").getBoundingClientRect();
  const apart = box && Math.abs((box.left + box.right - all.left - all.right) / 2);
  return box?.width > 0 && apart < all.width / 10;
}"""
STEPS = ("eval", "r2r-val_unseen", "steps.jsonl")


def test_what_an_agent_said_is_shown_at_each_step(page, serve, plain_run, run, data):
    place = ("eval", "r2r-val_unseen", "steps.jsonl")
    (source,) = open_sources([run], Defaults(data=data))
    walk = long_episode([source])
    events = EventFile(run.joinpath(*place)).of(walk.id)
    said = [dataclasses.replace(event, thought=f"<b>I think</b> of {event.step}.") for event in events]
    write_events(plain_run.joinpath(*place), said)
    visit(page, serve(open_sources([plain_run], Defaults(data=data))), f"#id={walk.id}&step=1")
    expect(page.locator(".thought-words")).to_have_text("<b>I think</b> of 1.", timeout=TIMEOUT)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".thought-words")).to_have_text("<b>I think</b> of 2.", timeout=TIMEOUT)


def test_prompt_reply_and_costs_are_shown_as_data(page, serve, plain_run, run, data):
    (source,) = open_sources([run], Defaults(data=data))
    walk = long_episode([source])
    details = {
        "model": "stub-1",
        "tokens": {"prompt": 1812, "reply": 95},
        "cost": 0.0021,
        "prompt": [{"role": "system", "content": "You walk."}, {"role": "user", "content": "<img src=x>"}],
        "reply": '{"action": 1}',
        "problem": "no JSON at first",
        "map": {"seen": 4},
    }
    events = EventFile(run.joinpath(*STEPS)).of(walk.id)
    write_events(plain_run.joinpath(*STEPS), [dataclasses.replace(event, details=details) for event in events])
    visit(page, serve(open_sources([plain_run], Defaults(data=data))), f"#id={walk.id}")
    said = page.locator(".said")
    expect(said.locator(".facts")).to_have_text("stub-1 · prompt 1,812 + reply 95 tokens · $0.0021", timeout=TIMEOUT)
    expect(said.locator(".bad")).to_have_text("no JSON at first")
    prompt = said.locator("details", has=page.locator("summary", has_text="Prompt"))
    expect(prompt.locator("pre").first).to_be_hidden()
    prompt.locator("summary").click()
    assert prompt.locator("pre").all_inner_texts() == ["You walk.", "<img src=x>"]
    page.keyboard.press("ArrowRight")
    expect(page.locator("body")).to_have_attribute("data-shown", re.compile(" 1$"), timeout=TIMEOUT)
    expect(prompt.locator("pre").first).to_be_visible()
    assert said.locator("details").count() == 3


def test_candidates_are_called_as_the_thought_calls_them(page, serve, plain_run, run, data):
    """By the numbers of places that a language model was told, on the map, in the list and in the panorama."""
    (source,) = open_sources([run], Defaults(data=data))
    walk = long_episode([source])
    events = EventFile(run.joinpath(*STEPS)).of(walk.id)
    told = [
        dataclasses.replace(event, details={"places": [str(20 + n) for n in range(len(event.candidates))]})
        for event in events
    ]
    write_events(plain_run.joinpath(*STEPS), told)
    visit(page, serve(open_sources([plain_run], Defaults(data=data))), f"#id={walk.id}")
    names = {str(20 + n) for n in range(len(events[0].candidates))}
    listed = page.locator(".actions b")
    expect(listed.first).to_be_visible(timeout=TIMEOUT)
    assert {one.strip() for one in listed.all_inner_texts()} <= names
    drawn = page.locator("svg text[class*=number]").all_text_contents()
    assert {one[:2] for one in drawn} == names
    assert all(f"candidate {one[:2]}: " in one for one in drawn)
    assert page.locator(".said details").count() == 0, "they need not be shown once more"


def test_target_and_choice_of_an_object_are_named(page, serve, objects):
    ids = objects[0].episodes.ids
    running = serve(objects)
    visit(page, running, f"#id={ids[0]}")
    found = page.locator(".objects")
    expect(found.locator(".target")).to_have_text("Target: chair 1", timeout=TIMEOUT)
    expect(found.locator(".chosen").first).to_have_text("Chosen: floor lamp 7 ✗")
    listed = found.locator("li").all_inner_texts()
    assert [" ".join(one.split()) for one in listed] == ["floor lamp 7 75.0%", "chair 1 (target) 25.0%"]
    page.goto(f"{running.url}/#id={ids[1]}")
    expect(found.locator(".chosen").first).to_have_text("Chosen: chair 1 ✓", timeout=TIMEOUT)


@pytest.mark.slow
def test_boxes_are_where_the_objects_are(page_with_webgl, serve, objects):
    page = page_with_webgl
    running, identity = serve(objects), objects[0].episodes.ids[0]
    visit(page, running, f"#id={identity}")
    page.wait_for_selector("#panorama[data-ready] .object-box.target", state="attached", timeout=TIMEOUT)
    assert page.locator("#panorama .object-box.chosen").count() == 1
    assert page.locator("#panorama .object-name.chosen").text_content() == "floor lamp 75%"
    sides = page.evaluate("import('./static/said.js').then(({ corners }) => corners(13, [0, 0, 640, 480]))")
    assert [heading for heading, _ in sides] == pytest.approx(
        [math.radians(30) + side * math.atan(4 / 3 * math.tan(math.pi / 6)) for side in (-1, 1, 1, -1)]
    )
    assert [elevation > 0 for _, elevation in sides] == [True, True, False, False]
    page.goto(f"{running.url}/#id={identity}&step=99")
    until(page, LOOKED_AT, arg=".object-box.chosen")  # where it stops, the choice is in the middle
