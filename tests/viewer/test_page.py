"""The page in a real browser: watching, filtering, stepping, comparing, talking, exporting, and mistakes."""

import io
import json
import re
import shutil

import numpy as np
import pytest
from browsing import TIMEOUT, long_episode, needs_chromium, rows, shown_step, until, visit
from PIL import Image
from playwright.sync_api import expect

from mtvm.viewer.server import STATIC
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View

pytestmark = needs_chromium


def test_page_shows_the_first_episode_at_once(page, server, sources):
    visit(page, server)
    source = sources[0]
    assert page.input_value("#source") == "0"
    assert page.locator("#count").inner_text() == f"{len(source.episodes)} of {len(source.episodes)} episodes"
    assert page.locator(".words").inner_text() == source.episodes.texts[0]
    assert page.locator(".map svg").count() == 1
    page.wait_for_selector("#matrix svg")
    expect(page.locator("#room")).to_contain_text("The panorama cannot be drawn", timeout=TIMEOUT)


def test_panorama_has_the_words_and_candidates_of_the_place(page_with_webgl, server, sources):
    page, source = page_with_webgl, sources[0]
    visit(page, server)
    page.wait_for_selector("#panorama[data-ready] .candidate", state="attached")
    assert "chair" in page.locator(".sight.object").all_text_contents()
    assert "a <b>sofa</b>" in page.locator(".sight.caption").all_text_contents()
    assert page.locator("#panorama .candidate").count() == len(source.walk(source.episodes.ids[0]).events[0].candidates)


@pytest.mark.slow
def test_panorama_is_described_and_turned_by_keys(page_with_webgl, server):
    page = page_with_webgl
    visit(page, server)
    page.wait_for_selector("#panorama[data-ready] .candidate", state="attached")
    assert "chair" in page.get_attribute("#panorama", "aria-label")
    where = "document.querySelector('.psv-marker--visible')?.getBoundingClientRect().x"
    until(page, where)
    before, step = page.evaluate(where), page.locator("body").get_attribute("data-shown")
    page.keyboard.press("Shift+ArrowRight")
    until(page, f"before => {where} !== before", arg=before)
    assert page.locator("body").get_attribute("data-shown") == step


@pytest.mark.slow
def test_words_stand_in_until_the_image_is_drawn(page_with_webgl, server):
    page, drawn, content = page_with_webgl, [], io.BytesIO()
    Image.new("RGB", (64, 32), "#ffffff").save(content, format="JPEG")

    def place(route):
        route.fulfill(json=route.fetch().json() | {"image": True})

    def sphere(route):
        if not drawn:
            route.fulfill(status=202, json={"drawing": True})
        else:
            route.fulfill(body=content.getvalue(), content_type="image/jpeg", headers={"cache-control": "max-age=60"})

    page.route(re.compile("/api/buildings/[^/]+/[^/?.]+[?]"), place)
    page.route("**/sphere.jpg*", sphere)
    page.goto(server.url)
    page.wait_for_selector("#panorama[data-ready=words]", state="attached")
    assert "is being drawn" in page.locator("#room").inner_text()
    assert page.locator(".sight.object").count() > 0
    drawn.append(True)
    page.wait_for_selector("#panorama[data-ready=image]", state="attached")
    expect(page.locator("#room")).not_to_contain_text("drawn", timeout=TIMEOUT)
    assert page.locator(".sight.object").count() == 0, "what is seen needs no name"


def test_list_filters_and_sorts(page, server, sources):
    source = sources[2]
    visit(page, server, "#source=2")
    page.click("#more summary")
    errors = source.columns["NE"]
    page.select_option("#sort", "-NE")
    assert rows(page).first.get_attribute("data-id") == source.episodes.ids[int(errors.argmax())]
    page.fill("#error", "5")
    assert page.locator("#count").inner_text().startswith(f"{int((errors.round(2) >= 5).sum())} of")
    page.fill("#error-most", "8")
    within = (errors.round(2) >= 5) & (errors.round(2) <= 8)
    assert page.locator("#count").inner_text().startswith(f"{int(within.sum())} of")
    page.fill("#error", "")
    page.fill("#error-most", "")
    lengths = np.array([len(source.events(row)) - 1 for row in range(len(source.episodes))])
    page.fill("#edges-most", str(lengths.min()))
    assert page.locator("#count").inner_text().startswith(f"{int((lengths == lengths.min()).sum())} of")
    page.fill("#edges-most", "")
    page.select_option("#sort", "-edges")
    assert rows(page).first.get_attribute("data-id") == source.episodes.ids[int(lengths.argmax())]
    scan = source.episodes[0].scan
    page.select_option("#scan", scan)
    assert page.locator("#count").inner_text().startswith(f"{sum(one.scan == scan for one in source.episodes)} of")
    page.select_option("#scan", "")
    page.select_option("#success", "no")
    assert page.locator("#count").inner_text().startswith(f"{int((source.columns['SR'] == 0).sum())} of")
    page.select_option("#success", "")
    page.fill("#search", source.episodes.ids[3])
    assert rows(page).first.get_attribute("data-id") == source.episodes.ids[3]
    page.fill("#search", "no such words anywhere")
    assert page.locator("#count").inner_text().startswith("0 of")


def test_steps_by_slider_keys_and_links(page, server, sources):
    walk = long_episode(sources)
    assert len(walk.events) > 2, "the agent of this test must walk"
    visit(page, server, f"#source=0&id={walk.id}&step=1")
    shown_step(page, 1)
    assert page.locator("#step").inner_text() == f"step 1 of {len(walk.events) - 1}"
    assert page.locator(".memory .strip span").count() == 1
    page.keyboard.press("ArrowRight")
    shown_step(page, 2)
    assert page.locator(".memory .strip span").count() == 2
    assert "step=2" in page.url
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    shown_step(page, 0)
    probabilities = page.locator(".actions .share").all_inner_texts()
    shares = sorted(walk.events[0].probabilities, reverse=True)
    assert probabilities == [f"{100 * share:.1f}%" for share in shares]
    page.click("#play")
    shown_step(page, 1)


def test_list_is_walked_through_by_keys_and_steps_go_on(page, server, sources):
    visit(page, server)
    ids = sources[0].episodes.ids
    page.focus("#list")
    for key, expected in (("ArrowDown", ids[1]), ("End", ids[-1]), ("Home", ids[0])):
        page.keyboard.press(key)
        chosen = page.locator(".row[aria-selected=true]")
        expect(chosen).to_have_attribute("data-id", expected)
        assert page.get_attribute("#list", "aria-activedescendant") == chosen.get_attribute("id")
    walk = long_episode(sources)
    page.goto(f"{server.url}/#source=0&id={walk.id}")
    shown_step(page, f"{walk.id} 0")
    page.focus("#list")
    page.keyboard.press("ArrowRight")
    shown_step(page, 1)


def test_talk_lets_the_agent_and_the_visitor_take_steps(page, server):
    page.goto(f"{server.url}/#talk=1")
    page.wait_for_selector(".map .viewpoint.clickable")
    page.locator(".map .viewpoint").nth(4).click()
    start = page.locator(".map .viewpoint").nth(4).get_attribute("data-viewpoint")
    assert page.input_value("#start") == start
    page.fill("#instruction", "Turn left and stop.")
    page.click("#begin")
    page.wait_for_selector(".actions button")
    count = page.locator(".actions button").count()
    expect(page.locator(".map .candidate-mark, .map .chosen-mark")).to_have_count(count - 1, timeout=TIMEOUT)
    page.locator(".actions [data-action='0'] button").click()
    expect(page.locator("#progress")).to_have_text("1 step so far", timeout=TIMEOUT)
    expect(page.locator(".memory .strip span")).to_have_count(1, timeout=TIMEOUT)
    page.locator(".actions li", has_text="stop").locator("button").click()
    expect(page.locator("#progress")).to_have_text("It stopped after 1 step.", timeout=TIMEOUT)
    expect(page.locator("#go")).to_be_disabled()


def test_talk_walks_until_it_stops_and_complains_in_words(page, server):
    page.goto(f"{server.url}/#talk=1")
    page.wait_for_selector(".map .viewpoint.clickable")
    page.click("#begin")
    page.wait_for_selector("#message:not([hidden])")
    assert "instruction is empty" in page.locator("#message").inner_text()
    page.fill("#instruction", "Go on and stop there.")
    page.click("#begin")
    page.wait_for_selector(".actions button")
    expect(page.locator("#message")).to_be_hidden(timeout=TIMEOUT)
    page.click("#one")
    expect(page.locator("#progress")).to_have_text(re.compile("1 step so far|stopped"), timeout=TIMEOUT)
    if not page.locator("#go").is_disabled():
        page.click("#go")
    expect(page.locator("#begin")).to_be_enabled(timeout=TIMEOUT)
    expect(page.locator("#progress")).to_have_text(re.compile("It stopped after"), timeout=TIMEOUT)


def test_start_can_be_chosen_without_a_mouse(page, server):
    page.goto(f"{server.url}/#talk=1")
    page.wait_for_selector("#start option >> nth=3", state="attached")
    wanted = page.locator("#start option").nth(3).get_attribute("value")
    page.select_option("#start", wanted)
    assert page.locator(".viewpoint.start-here").get_attribute("data-viewpoint") == wanted
    page.fill("#instruction", "Turn left and stop.")
    with page.expect_response("**/api/sessions") as answer:
        page.click("#begin")
    assert answer.value.json()["thought"]["viewpoint"] == wanted
    page.wait_for_selector(".actions button")
    page.select_option("#start", page.locator("#start option").nth(1).get_attribute("value"))
    expect(page.locator("#go")).to_be_disabled(timeout=TIMEOUT)


def test_exports_are_downloaded(page, server, tmp_path):
    visit(page, server)
    for name, beginning in (("GIF", b"GIF8"), ("PNGs", b"PK"), ("HTML", b"<!DOCTYPE html>"), ("map SVG", b"<svg")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(beginning)


@pytest.mark.slow
def test_exported_page_works_alone(browser, server, sources, page, tmp_path):
    walk = long_episode(sources)
    with page.expect_download() as download:
        visit(page, server, f"#source=0&id={walk.id}")
        page.get_by_role("link", name="HTML", exact=True).click()
    download.value.save_as(tmp_path / "walk.html")
    alone = browser.new_page()
    asked = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "walk.html").as_uri())
    alone.fill("#slider", "1")
    assert alone.locator("#number").inner_text() == "1"
    assert alone.locator(".step:visible").count() == 1
    assert len(asked) == 1
    alone.close()


def test_markup_in_a_result_file_is_shown_and_not_run(browser, run, data, tmp_path):
    """An instruction, words and the name of a run that would be markup are text on the page."""
    folder = tmp_path / "data"
    shutil.copytree(data, folder)
    spiteful = '<img src=x onerror="window.caught=1"><b>bold</b>'
    (episodes,) = folder.rglob("R2R_val_unseen.json")
    entries = json.loads(episodes.read_text())
    for entry in entries:
        entry["instructions"] = [spiteful] * 3
    episodes.write_text(json.dumps(entries))
    named = tmp_path / '<img src=x onerror="window.caught=1">'
    steps = named / "eval" / "r2r-val_unseen" / "steps.jsonl"
    shutil.copytree(run, named)
    steps.with_name("manifest.json").unlink()
    lines = [json.loads(line) for line in steps.read_text().splitlines()]
    for line in lines:
        line["words"] = [["<img src=x onerror='window.caught=1'>", 0.5]]
    steps.write_text("\n".join(map(json.dumps, lines)))
    running = View(ViewerState(open_sources([named], Defaults(data=folder))), "127.0.0.1", 0)
    try:
        opened = browser.new_page()
        opened.set_default_timeout(TIMEOUT)
        visit(opened, running)
        opened.wait_for_selector("#matrix svg")
        assert opened.locator(".words").inner_text() == spiteful
        assert opened.locator(".pane h2").inner_text().startswith(f"{named.name} r2r/val_unseen")
        assert opened.locator("body img").count() == 0
        assert opened.evaluate("window.caught") is None
        opened.close()
    finally:
        running.close()


def test_a_link_to_nothing_says_so_and_shows_something(page, server, sources):
    page.goto(f"{server.url}/#source=0&id=nobody")
    page.wait_for_selector("#message:not([hidden])")
    assert "no episode nobody" in page.locator("#message").inner_text()
    assert page.locator(".words").inner_text() == sources[0].episodes.texts[0]
    rows(page).nth(1).click()
    expect(page.locator(".words")).to_have_text(sources[0].episodes.texts[1], timeout=TIMEOUT)
    expect(page.locator("#message")).to_be_hidden(timeout=TIMEOUT)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (820, 1180)])
def test_page_fits_screens(page, server, width, height):
    page.set_viewport_size({"width": width, "height": height})
    visit(page, server)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("#slider", "#list", ".map svg", "#exports a >> nth=0"):
        box = page.locator(name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width + 1


def test_controls_have_names_for_screen_readers(page, server):
    visit(page, server)
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, textarea, [role=listbox]")].filter((part) =>
        !part.getAttribute("aria-label") && !part.textContent.trim() && !part.labels?.length).map((one) => one.id)"""
    )
    assert unnamed == []
    assert re.match("Map of", page.locator(".map svg").get_attribute("aria-label"))


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const shade = (css, below) => {
    canvas.fillStyle = below; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    return `rgb(${[...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)})`;
  };
  const light = (css) => {
    const [r, g, b] = css.match(/[\\d.]+/g).map((part) => part / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (part) => part ? shade(getComputedStyle(part).backgroundColor, ground(part.parentElement)) : "white";
  const poor = [];
  for (const part of document.querySelectorAll("body *")) {
    const own = [...part.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !part.checkVisibility() || part.closest(":disabled, svg, #panorama")) continue;
    const [a, b] = [light(shade(getComputedStyle(part).color, ground(part))), light(ground(part))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${part.tagName} ${part.className} "${part.textContent}": ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_what_is_behind_them(page, server, scheme):
    """By the ratio of 4.5 that the Web Content Accessibility Guidelines ask for."""
    page.emulate_media(color_scheme=scheme)
    visit(page, server, "#source=0&other=1&step=1")
    page.wait_for_selector("#matrix svg")
    assert page.evaluate(CONTRAST) == []
    page.click("#talk-tab")
    page.wait_for_selector(".map .viewpoint.clickable")
    assert page.evaluate(CONTRAST) == []


def test_page_needs_no_file_from_elsewhere():
    for path in STATIC.glob("*.*"):
        assert not re.search(r"""(src|href|from|import)\s*[=(]?\s*["'](https?:)?//""", path.read_text()), path
    assert (STATIC / "vendor" / "LICENSES.txt").read_text().count("MIT") >= 3
