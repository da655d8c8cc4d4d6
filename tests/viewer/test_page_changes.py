"""The page when its visitor goes to and fro: links that are wrong, other splits, Watch and Talk, late answers."""

import itertools
import re

import pytest
from browsing import TIMEOUT, long_episode, needs_chromium, rows, shown_step, visit
from playwright.sync_api import expect

from mtvm.acting.baselines import run_baseline
from mtvm.io.files import read_json, write_json
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results
from mtvm.viewer.sources import Defaults, open_sources

pytestmark = needs_chromium


@pytest.fixture
def few(results, data, tmp_path):
    """A result file of the first two episodes only."""
    write_json(tmp_path / "few.json", read_json(results, "results")[:2])
    return open_sources([tmp_path / "few.json"], Defaults(data=data))


@pytest.fixture
def seen(data, tmp_path):
    """A result file of another split."""
    episodes = load_episodes("r2r", "val_seen", data)
    write_results(tmp_path / "seen.json", episodes, run_baseline("random", episodes, seed=3))
    return open_sources([tmp_path / "seen.json"], Defaults(data=data, split="val_seen"))


def test_an_episode_that_the_other_has_not_is_shown_alone(page, serve, sources, few):
    running = serve([sources[0], *few])
    missing = next(identity for identity in sources[0].episodes.ids if identity not in few[0].episodes.ids)
    visit(page, running, f"#source=0&other=1&id={missing}")
    assert f"no episode {missing} in few" in page.locator("#message").inner_text()
    assert page.locator(".pane").count() == 1
    page.goto(f"{running.url}/#source=0&other=1&id={few[0].episodes.ids[0]}")
    expect(page.locator(".pane")).to_have_count(2, timeout=TIMEOUT)
    expect(page.locator("#message")).to_be_hidden(timeout=TIMEOUT)


def test_only_results_of_the_same_split_are_offered_to_compare(page, serve, sources, seen):
    visit(page, serve([sources[0], sources[1], *seen]))

    def offered():
        boxes = page.locator("#others label:not([hidden]) input")
        return boxes.evaluate_all("all => all.map((one) => one.value)")

    assert offered() == ["1"]
    page.click("#compare summary")
    page.locator("#others input").nth(1).check()
    expect(page.locator(".pane")).to_have_count(2, timeout=TIMEOUT)
    page.select_option("#source", "2")
    expect(page.locator(".words").first).to_have_text(seen[0].episodes.texts[0], timeout=TIMEOUT)
    assert offered() == []
    assert page.locator(".pane").count() == 1


def test_another_agent_is_shown_at_the_same_episode(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&id={walk.id}")
    page.select_option("#source", "2")
    expect(page.locator("body")).to_have_attribute("data-shown", f"2 {walk.id} 0", timeout=TIMEOUT)


def test_watching_goes_on_after_talking(page, server):
    visit(page, server)
    expect(page.locator("#matrix svg")).to_be_visible(timeout=TIMEOUT)
    watched = page.locator("#matrix text").all_text_contents()
    page.click("#talk-tab")
    page.wait_for_selector(".map .viewpoint.clickable")
    for name in ("#look", "#player", "#matrix"):
        expect(page.locator(name)).to_be_hidden()
    page.fill("#instruction", "Words of another walk.")
    page.click("#begin")
    expect(page.locator("#matrix")).to_contain_text("another", timeout=TIMEOUT)
    page.click("#watch-tab")
    expect(page.locator("#matrix text")).to_have_text(watched, timeout=TIMEOUT)


def test_a_late_answer_does_not_replace_what_was_chosen_after_it(page, server, sources):
    visit(page, server)
    first, second = sources[0].episodes.ids[1:3]
    held = []
    page.route(re.compile(f"api/walk[?].*id={first}$"), lambda route: held.append(route))
    rows(page).nth(1).click()
    while not held:
        page.wait_for_timeout(20)
    rows(page).nth(2).click()
    shown_step(page, f"{second} 0")
    with page.expect_response(re.compile(f"api/walk[?].*id={first}$")) as late:
        held[0].continue_()
    late.value.finished()
    page.wait_for_timeout(300)
    assert page.locator("body").get_attribute("data-shown") == f"0 {second} 0"
    assert page.locator(".words").inner_text() == sources[0].episodes.texts[2]


def test_a_result_file_says_what_is_not_known(page, server, sources):
    source = sources[2]
    visit(page, server, "#source=2")
    first = source.walk(source.episodes.ids[0]).events[0]
    said = page.locator(".actions").inner_text()
    assert said.startswith(f"Goes to candidate {first.action + 1} (")
    assert said.endswith(f"), one of {len(first.candidates)}; probabilities were not recorded.")
    assert page.locator(".memory").inner_text() == "Memory: not recorded"
    expect(page.locator("#matrix")).to_contain_text("No attention was recorded", timeout=TIMEOUT)


def test_nothing_lies_over_the_candidates_where_there_is_little_room(page, server):
    page.set_viewport_size({"width": 1280, "height": 480})
    visit(page, server)
    below = page.locator(".foot").bounding_box()
    assert page.locator(".thought").bounding_box()["y"] >= below["y"] + below["height"]


def test_the_parts_of_the_page_stand_below_each_other_on_a_narrow_screen(page, server):
    page.set_viewport_size({"width": 820, "height": 1180})
    visit(page, server, "#source=0&other=1")
    page.locator("#more").evaluate("one => { one.open = true; }")
    parts = [page.locator(name).bounding_box() for name in ("header", "#list", "#panes")]
    for above, below in itertools.pairwise(parts):
        assert above["y"] + above["height"] <= below["y"]
    page.locator("#overview-tab").click()
    overview = page.locator("#overview h2").first
    expect(overview).to_be_visible(timeout=TIMEOUT)
    assert overview.bounding_box()["y"] >= parts[1]["y"] + parts[1]["height"]


def test_all_of_a_walk_is_in_sight_on_a_small_screen(page, server):
    visit(page, server)
    page.wait_for_selector("#matrix svg")
    assert (
        page.evaluate(
            "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('main'))"
        )
        <= 0
    )
    for name in (".words", ".map svg", ".actions", ".memory", ".metrics", "#panorama", "#matrix", "#slider"):
        box = page.locator(name).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720
        assert box["height"] > 10
