"""The page where research happens: comparing, counting, links, notes, and a server that goes and comes back."""

import csv
import io
import itertools
import json
import re
import shutil

import pytest
from browsing import TIMEOUT, long_episode, needs_chromium, rows, shown_step, until, visit
from playwright.sync_api import expect

from mtvm.acting.baselines import run_baseline
from mtvm.app.view import viewer_state
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View

pytestmark = needs_chromium


def won(source):
    return {identity: bool(source.columns["SR"][row]) for identity, row in source.rows.items()}


# Comparing


def test_compared_agents_keep_their_colours_and_the_maps_their_scale(page, server, sources):
    visit(page, server, f"#source=0&other=1,2&id={long_episode(sources).id}")
    expect(page.locator(".pane")).to_have_count(3, timeout=TIMEOUT)
    for number, pane in enumerate(page.locator(".pane").all()):
        assert pane.locator("h2").inner_text().startswith(sources[number].name.partition(" ")[0])
        drawn = set(pane.locator(".map polyline").evaluate_all("all => all.map((one) => one.getAttribute('class'))"))
        assert {f"other-{other}" for other in range(3) if other != number} <= drawn
        assert not {f"other-{number}"} & drawn
    frames = page.locator(".map svg").evaluate_all(
        "all => all.map((one) => [one.dataset.metre, one.viewBox.baseVal.width, one.viewBox.baseVal.height].join())"
    )
    assert len(set(frames)) == 1, "they can be compared"
    pixels = "all => all.map((one) => (one.getScreenCTM().a * one.dataset.metre).toFixed(2))"
    before = page.locator(".map svg").evaluate_all(pixels)
    assert len(set(before)) == 1, "however many candidates are listed below"
    page.locator(".map .drawing").first.focus()
    page.keyboard.press("+")
    zoomed = page.locator(".map svg").evaluate_all(pixels)
    assert len(set(zoomed)) == 1
    assert float(zoomed[0]) > float(before[0])
    assert page.locator("#means .swatch").count() == 3, "the header speaks of each of them"
    assert page.locator("#rows .row").first.locator(".mark").count() == 3
    page.get_by_role("button", name="whole building").nth(1).click()
    whole = "all => all.map((one) => one.getAttribute('viewBox'))"
    until(
        page,
        "count => document.querySelectorAll('.map svg:not([data-storey])').length === count",
        arg=3,
    )
    assert len(set(page.locator(".map svg").evaluate_all(whole))) == 1, "all of them show the same part"


def test_every_compared_agent_is_marked_in_the_list_and_can_be_looked_into(page, serve, sources):
    visit(page, serve(list(sources) * 2), f"#source=0&other=1,2,3,4&id={long_episode(sources).id}")
    expect(page.locator("#rows .row").first.locator(".mark")).to_have_count(5, timeout=TIMEOUT)
    expect(page.locator("#of option")).to_have_count(5)
    page.select_option("#of", "1")
    expect(page.locator("#room")).to_have_text(
        re.compile(f"^{re.escape(sources[1].name.partition(' ')[0])}"), timeout=TIMEOUT
    )
    address = page.get_by_role("link", name="matrix SVG", exact=True).get_attribute("href")
    assert "source=1" in address
    words = page.locator("#matrix .cell").evaluate_all("all => all.map((one) => one.getAttribute('opacity')).join()")
    page.goto(f"{page.url.replace('&of=1', '')}")
    page.reload()
    page.wait_for_selector("#matrix .cell")
    first = page.locator("#matrix .cell").evaluate_all("all => all.map((one) => one.getAttribute('opacity')).join()")
    assert words != first, "each has its own attention"


def test_the_menu_of_agents_closes(page, server):
    visit(page, server)
    menu, summary = page.locator("#compare"), page.locator("#compare summary")
    for leave in (
        lambda: page.keyboard.press("Escape"),
        lambda: page.mouse.click(640, 600),
        lambda: page.locator("#overview-tab").evaluate("one => one.click()"),
    ):
        summary.click()
        expect(menu).to_have_attribute("open", "")
        leave()
        expect(menu).not_to_have_attribute("open", "")


def test_an_agent_that_has_stopped_is_marked(page, server, sources):
    ends = [{one.episodes.ids[row]: len(one.events(row)) - 1 for row in range(len(one.episodes))} for one in sources]
    identity = next(one for one in ends[0] if ends[0][one] < ends[2][one])
    visit(page, server, f"#source=0&other=2&id={identity}&step={ends[2][identity]}")
    first, second = page.locator(".pane").all()
    expect(first.locator("h2 .over")).to_have_text(re.compile(f"at step {ends[0][identity]}$"), timeout=TIMEOUT)
    assert second.locator("h2 .over").count() == 0


def test_wins_and_losses_are_told_apart(page, server, sources):
    one, two = won(sources[0]), won(sources[2])
    visit(page, server, "#source=0&other=2")
    for value, expected in (
        ("only:0", [i for i in one if one[i] and not two[i]]),
        ("only:1", [i for i in one if two[i] and not one[i]]),
        ("differ", [i for i in one if two[i] != one[i]]),
        ("none", [i for i in one if not two[i] and not one[i]]),
    ):
        page.select_option("#outcome", value)
        expect(page.locator("#count")).to_have_text(re.compile(f"^{len(expected)} of"), timeout=TIMEOUT)


def test_exports_and_links_hold_every_agent(page, server, sources, tmp_path):
    visit(page, server, f"#source=0&other=2&id={long_episode(sources).id}")
    assert "other=2" in page.url
    with page.expect_download() as download:
        page.get_by_role("link", name="map SVG", exact=True).click()
    download.value.save_as(tmp_path / "map.svg")
    drawn = (tmp_path / "map.svg").read_text()
    assert 'class="other-1"' in drawn
    assert sources[2].name in drawn, "the legend names them"
    for name in ("GIF", "HTML"):
        assert "agents=0&agents=2" in page.get_by_role("link", name=name, exact=True).get_attribute("href")


def test_an_export_says_that_it_is_on_the_way_and_why_it_does_not_come(page, server):
    visit(page, server)
    asked = []
    page.route("**/walk.gif?*", lambda route: asked.append(route))
    page.get_by_role("link", name="GIF", exact=True).click()
    expect(page.locator("#making")).to_have_text("GIF: on the way…")
    refusal = "9 exports are under way or waiting; try again in a moment."
    asked[0].fulfill(status=429, json={"error": refusal})
    expect(page.locator("#message")).to_have_text(f"GIF: {refusal}")
    expect(page.locator("#making")).to_be_hidden()


# The map


def test_map_is_zoomed_moved_and_shown_whole_again(page, server):
    visit(page, server)
    width = "document.querySelector('.map svg').viewBox.baseVal.width"
    whole, bar = page.evaluate(width), page.locator(".scale").inner_text()
    assert re.match(r"[\d.]+ m", bar)
    page.locator(".map .drawing").hover()
    page.mouse.wheel(0, -300)
    until(page, f"before => {width} < before", arg=whole)
    corner = "document.querySelector('.map svg').viewBox.baseVal.x"
    before = page.evaluate(corner)
    box = page.locator(".map .drawing").bounding_box()
    page.mouse.move(box["x"] + 80, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 120)
    page.mouse.up()
    assert page.evaluate(corner) > before
    page.get_by_role("button", name="Show all of the map").first.click()
    assert page.evaluate(width) == pytest.approx(whole)
    page.locator(".map .drawing").focus()
    page.keyboard.press("+")
    until(page, f"before => {width} < before", arg=whole)


def test_marks_do_not_grow_with_the_map(page, server):
    visit(page, server)
    wide = "document.querySelector('.map .viewpoint').getBoundingClientRect().width"
    places = """() => {
      const marks = [...document.querySelectorAll(".map .viewpoint")];
      const [one, other] = marks.map((mark) => mark.getBoundingClientRect());
      return Math.hypot(one.x - other.x, one.y - other.y);
    }"""
    page.locator(".map .drawing").focus()
    for _ in range(4):
        page.keyboard.press("+")
    before, apart = page.evaluate(wide), page.evaluate(places)
    for _ in range(4):
        page.keyboard.press("+")
    assert page.evaluate(wide) == pytest.approx(before, rel=0.05)
    assert page.evaluate(places) > 2 * apart, "those that overlapped come apart"


def test_candidates_are_named_sorted_and_marked_wherever_they_are(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&id={walk.id}")
    shares = [float(one.rstrip("%")) for one in page.locator(".actions .share").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    named = page.locator(".actions .chosen .name").inner_text()
    assert re.fullmatch(rf"{walk.events[0].action + 1} (kitchen|hallway), \d+\.\d m, [a-z ]+(, \w+stairs)?", named)
    page.locator(".actions .chosen").hover()
    expect(page.locator(f".map circle.hovered[data-action='{walk.events[0].action}']")).to_have_count(1)
    page.locator(".map .chosen-mark").hover(force=True)
    expect(page.locator(".actions .chosen.hovered")).to_have_count(1)
    assert page.locator(".pane h2 code").inner_text() == walk.id


# Counting


def test_overview_counts_and_what_is_clicked_filters_the_list(page, server, sources):
    visit(page, server, "#source=0&other=2&view=overview")
    page.wait_for_selector("#means-table td")
    assert page.locator("#means-table tbody tr").count() == 3, "two agents and their difference"
    bar = page.locator("#groups figure").first.locator(".bar").last
    episodes = int(re.search(r"(\d+) episodes", bar.get_attribute("aria-label")).group(1))
    bar.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text(re.compile(f"^{episodes} of"), timeout=TIMEOUT)
    assert "length=" in page.url
    page.click("#clear")
    page.click("#overview-tab")
    one, two = won(sources[0]), won(sources[2])
    wins = sum(two[i] and not one[i] for i in one)
    cell = page.locator("#wins-table tbody tr").nth(1).locator("button")
    assert cell.inner_text() == str(wins)
    cell.click()
    expect(page.locator("#count")).to_have_text(re.compile(f"^{wins} of"), timeout=TIMEOUT)


def test_labels_of_bars_stand_apart(page, server):
    visit(page, server, "#source=0&view=overview")
    page.wait_for_selector("#groups .bar text")
    for figure in page.locator("#groups figure").all():
        boxes = [bar.locator("text").first.bounding_box() for bar in figure.locator(".bar").all()]
        for left, right in itertools.pairwise(boxes):
            assert left["x"] + left["width"] <= right["x"]


def test_mistakes_are_counted_and_filtered(page, server, sources):
    visit(page, server, "#source=0&other=2&view=overview")
    counts = [sources[number].diagnosis.counts() for number in (0, 2)]
    name = next(
        name for name in counts[0] if counts[0][name] and counts[1][name] and counts[0][name] != counts[1][name]
    )
    for agent, found in enumerate(counts):
        row = page.locator("#mistakes-table tbody tr", has=page.locator("th", has_text=name))
        assert row.locator("td").nth(agent).inner_text() == str(found[name])
        row.locator("td").nth(agent).get_by_role("button").click()
        expect(page.locator("#count")).to_have_text(re.compile(f"^{found[name]} of"), timeout=TIMEOUT)
        expect(page.locator(".metrics").nth(agent).locator(".bad")).to_have_text(
            re.compile(f"^{name}"), timeout=TIMEOUT
        )
        page.click("#overview-tab")


def test_a_longer_walk_is_neither_better_nor_worse(client):
    (difference,) = client.get("/api/summary", params={"agents": [0, 2]}).json()["differences"]
    assert difference["TL"]["verdict"] == ""
    assert difference["SR"]["verdict"]


def test_curves_and_memory_lead_to_their_steps(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&id={walk.id}")
    page.click("#tab-curves")
    page.locator("#curves circle[data-step='2']").first.click(force=True)
    shown_step(page, 2)
    expect(page.locator("#curves circle.current")).not_to_have_count(0)
    page.click("#tab-memory")
    expect(page.locator("#memories text[data-step]")).to_have_count(len(walk.events) - 1, timeout=TIMEOUT)
    page.check("#scale")
    expect(page.locator("#memories svg")).not_to_contain_text("each row's maximum", timeout=TIMEOUT)
    assert "scale=common" in page.url


# Links


@pytest.mark.slow
def test_the_back_button_goes_back_and_links_hold_filters_and_sorting(page, server, sources, browser):
    visit(page, server)
    ids = sources[0].episodes.ids
    rows(page).nth(1).click()
    shown_step(page, f"{ids[1]} 0")
    rows(page).nth(2).click()
    shown_step(page, f"{ids[2]} 0")
    page.go_back()
    shown_step(page, f"{ids[1]} 0")
    page.go_forward()
    shown_step(page, f"{ids[2]} 0")
    page.select_option("#success", "no")
    page.select_option("#sort", "-NE")
    page.click("#more summary")
    page.fill("#edges-most", "4")
    page.click("#tab-notes")
    count = page.locator("#count").inner_text()
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("#count")).to_have_text(count, timeout=TIMEOUT)
    assert other.input_value("#sort") == "-NE"
    expect(other.locator("#panel-notes")).to_be_visible()
    other.close()


def test_the_filtered_list_is_downloaded_as_csv(page, server, sources, tmp_path):
    visit(page, server, "#source=0&other=2&success=no")
    with page.expect_download() as download:
        page.click("#csv")
    download.value.save_as(tmp_path / "episodes.csv")
    found = list(csv.DictReader(io.StringIO((tmp_path / "episodes.csv").read_text())))
    failed = [identity for identity, success in won(sources[0]).items() if not success]
    assert [row["id"] for row in found] == failed
    first, row = sources[0].rows[failed[0]], found[0]
    assert float(row["first NE"]) == pytest.approx(sources[0].columns["NE"][first], abs=0.01)
    assert row["text"] == sources[0].episodes.texts[first]


def test_the_legend_says_what_the_map_shows(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&other=1&id={walk.id}")
    legend = page.locator(".pane").first.locator(".legend")
    legend.locator("summary").click()
    said = legend.locator("li").all_inner_texts()
    assert said[:2] == ["first", "second"]
    assert {"reference path", "start", "goal", "candidate", "chosen candidate"} <= set(said)
    expect(page.locator(".pane").nth(1).locator(".legend li").first).to_be_visible(timeout=TIMEOUT)
    page.goto(f"{server.url}/#source=0&id={walk.id}")
    expect(legend.locator("li").first).to_have_text("the agent's way", timeout=TIMEOUT)


def test_attention_of_a_single_head_is_drawn_on_demand(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&id={walk.id}")
    shades = page.locator("#matrix rect[data-weight]")
    expect(shades.first).to_be_attached(timeout=TIMEOUT)
    read = "all => all.map((one) => one.dataset.weight)"
    usual = shades.evaluate_all(read)
    page.click("#by-head")
    expect(page.locator("#head option")).to_have_text(["mean", "1", "2"], timeout=TIMEOUT)
    with page.expect_response(re.compile("matrix.svg.*layer=1&head=2")):
        page.select_option("#layer", "1")
        page.select_option("#head", "2")
    until(
        page,
        "([mark, before]) => [...document.querySelectorAll(mark)].some((one, at) => one.dataset.weight !== before[at])",
        arg=["#matrix rect[data-weight]", usual],
    )
    page.reload()
    expect(page.locator("#layer")).to_have_value("1", timeout=TIMEOUT)
    expect(page.locator("#head")).to_have_value("2", timeout=TIMEOUT)


# Notes and dialogs


def test_notes_and_tags_are_kept_beside_the_results(page, serve, plain_run, data):
    running = serve(open_sources([plain_run], Defaults(data=data)))
    visit(page, running, "#tab=notes")
    page.fill("#tags", "stairs, odd")
    page.fill("#note", "Turns too early.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#noted")).to_have_text("Saved beside the results.", timeout=TIMEOUT)
    (kept,) = json.loads((plain_run / "eval" / "r2r-val_unseen" / "notes.json").read_text()).values()
    assert kept == {"tags": ["stairs", "odd"], "note": "Turns too early."}
    page.select_option("#tag", "odd")
    expect(page.locator("#count")).to_have_text(re.compile("^1 of"))
    page.reload()
    expect(page.locator("#note")).to_have_value("Turns too early.", timeout=TIMEOUT)


def test_a_dialog_is_shown_in_turns(page, serve, data, tmp_path):
    episodes = load_episodes("ndh", "val_unseen", data)
    write_results(tmp_path / "dialogs.json", episodes, run_baseline("shortest", episodes, 0))
    source = open_sources([tmp_path / "dialogs.json"], Defaults(data=data, task="ndh"))
    row = next(row for row, text in enumerate(episodes.texts) if "<ORA>" in text)
    visit(page, serve(source), f"#id={episodes.ids[row]}")
    turns = page.locator(".words .turn").all_inner_texts()
    assert len(turns) == len(re.findall("<(?:NAV|ORA|TAR)>", episodes.texts[row]))
    assert turns[0].startswith("Navigator: ")
    assert turns[-1].startswith("Target: ")


# Talking


def test_an_episode_is_walked_again_with_other_words(page, server, sources):
    walk = long_episode(sources)
    visit(page, server, f"#source=0&id={walk.id}")
    page.click("#reword")
    page.wait_for_selector(".viewpoint.start-here")
    assert page.input_value("#instruction") == walk.text
    page.fill("#instruction", walk.text.replace("left", "right"))
    page.click("#begin")
    expect(page.locator(".pane")).to_have_count(2, timeout=TIMEOUT)
    first, second = page.locator(".pane").all()
    expect(first.locator("h2")).to_have_text(re.compile(f"{walk.id}$"), timeout=TIMEOUT)
    expect(second.locator("h2")).to_contain_text("with other words", timeout=TIMEOUT)
    expect(second.locator(".actions button")).to_have_count(len(walk.events[0].candidates) + 1, timeout=TIMEOUT)
    assert first.locator(".actions button").count() == 0
    page.click("#go")
    expect(page.locator("#progress")).to_have_text(re.compile("It stopped after"), timeout=TIMEOUT)


@pytest.mark.slow
def test_an_agent_that_was_not_evaluated_can_be_talked_to(page, run, data, tmp_path):
    """As those that are released: weights and a config."""
    shutil.copytree(run, tmp_path / "released", ignore=shutil.ignore_patterns("results.json"))
    state = viewer_state([tmp_path / "released"], Defaults(data=data))
    assert not state.sources
    running = View(state, "127.0.0.1", 0)
    try:
        page.goto(running.url)
        page.wait_for_selector(".map .viewpoint.clickable")
        for name in ("#watch-tab", "#overview-tab"):
            expect(page.locator(name)).to_be_disabled()
            assert "mtvm eval" in page.get_attribute(name, "title")
        page.fill("#instruction", "Turn left and stop.")
        page.click("#begin")
        page.wait_for_selector(".actions button")
        page.click("#go")
        expect(page.locator("#progress")).to_have_text(re.compile("It stopped after"), timeout=TIMEOUT)
    finally:
        running.close()


@pytest.mark.slow
def test_sessions_end_with_their_page_and_many_begins_lock_nobody_out(browser, sources):
    state = ViewerState(sources)
    running = View(state, "127.0.0.1", 0)
    try:
        page = browser.new_page()
        page.goto(f"{running.url}/#talk=1")
        page.wait_for_selector(".map .viewpoint.clickable")
        page.fill("#instruction", "Turn left and stop.")
        for _ in range(20):
            with page.expect_response("**/api/sessions") as answer:
                page.click("#begin")
            assert answer.value.status == 200
            expect(page.locator("#go")).to_be_enabled(timeout=TIMEOUT)
        until(page, "!document.body.classList.contains('busy')")
        page.goto("about:blank")
        for _ in range(100):
            if not len(state.sessions):
                break
            page.wait_for_timeout(50)
        assert len(state.sessions) == 0
        page.close()
    finally:
        running.close()


# A server that goes and comes back


def test_what_failed_once_is_asked_for_again(page, server, sources):
    visit(page, server)
    identity = sources[0].episodes.ids[1]
    page.route(
        re.compile(f"api/walk[?].*id={identity}$"), lambda route: route.fulfill(status=500, json={"error": "no."})
    )
    rows(page).nth(1).click()
    expect(page.locator("#message")).to_have_text("No.", timeout=TIMEOUT)
    assert "stale" in page.get_attribute("body", "class")
    page.unroute_all()
    rows(page).nth(0).click()
    rows(page).nth(1).click()
    shown_step(page, f"{identity} 0")
    expect(page.locator("#message")).to_be_hidden()
    assert "stale" not in page.get_attribute("body", "class")


@pytest.mark.slow
def test_a_page_finds_its_server_again(browser, sources):
    running = View(ViewerState(sources), "127.0.0.1", 0)
    port = int(running.url.rpartition(":")[2])
    page = browser.new_page()
    visit(page, running)
    running.close()
    rows(page).nth(2).click()
    expect(page.locator("#lost")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator("#message")).to_be_hidden()  # it would say the same
    assert "lost" in page.get_attribute("body", "class")
    assert "no agent is here" not in page.locator("body").inner_text()
    again = View(ViewerState(sources[1:]), "127.0.0.1", port)
    try:
        expect(page.locator("#lost")).to_be_hidden(timeout=TIMEOUT)
        identity = sources[1].episodes.ids[2]
        expect(page.locator("body")).to_have_attribute("data-shown", f"0 {identity} 0", timeout=TIMEOUT)
        assert page.locator(".pane h2").inner_text().startswith(sources[1].name)
        assert page.locator(".words").inner_text() == sources[1].episodes.texts[2]
    finally:
        page.close()
        again.close()


def test_results_beside_the_steps_of_another_agent_are_said_to_be(page, serve, plain_run, other_run, data):
    place = ("eval", "r2r-val_unseen", "steps.jsonl")
    shutil.copy(other_run.joinpath(*place), plain_run.joinpath(*place))
    visit(page, serve(open_sources([plain_run], Defaults(data=data))))
    expect(page.locator("#source-notes")).to_contain_text("different walks", timeout=TIMEOUT)
