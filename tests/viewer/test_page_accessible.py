"""What axe-core finds in every view of the page: nothing serious, light and dark, on a screen and on a tablet."""

import pytest
from browsing import TIMEOUT, long_episode, needs_chromium, visit

from thinning import thinned

pytestmark = needs_chromium

sync_playwright = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-core is not here: pip install axe-playwright-python"
)
SERIOUS = ("serious", "critical")

LOOKS = {
    "screen, light": (1280, 720, "light"),
    "screen, dark": (1280, 720, "dark"),
    "tablet, light": (820, 1180, "light"),
}


@pytest.fixture(scope="module")
def opened(browser):
    """A page that the tests of this file share."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    yield page
    context.close()


def serious(page):
    found = sync_playwright.Axe().run(page).response["violations"]
    return [(one["id"], [part["target"] for part in one["nodes"]]) for one in found if one["impact"] in SERIOUS]


@pytest.mark.parametrize("look", thinned(LOOKS, every=3))
def test_axe_finds_nothing_serious(opened, server, sources, look):
    width, height, scheme = LOOKS[look]
    opened.set_viewport_size({"width": width, "height": height})
    opened.emulate_media(color_scheme=scheme)
    opened.goto("about:blank")
    identity = long_episode(sources).id
    visit(opened, server, f"#source=0&id={identity}&step=1")
    found = {}
    for tab in ("words", "memory", "curves", "notes"):
        opened.click(f"#tab-{tab}")
        opened.wait_for_selector(f"#panel-{tab}:not([hidden])")
        found[tab] = serious(opened)
    opened.goto(f"{server.url}/#source=0&other=1,2&id={identity}&step=2")
    opened.wait_for_selector(".pane >> nth=2")
    opened.click("#compare summary")
    opened.click("#more summary")
    found["compared"] = serious(opened)
    opened.click("#overview-tab")
    opened.wait_for_selector("#means-table td")
    found["overview"] = serious(opened)
    opened.click("#talk-tab")
    opened.wait_for_selector(".map .viewpoint.clickable")
    found["choosing"] = serious(opened)
    opened.fill("#instruction", "Turn left and stop.")
    opened.click("#begin")
    opened.wait_for_selector(".actions button")
    found["talking"] = serious(opened)
    assert {view: problems for view, problems in found.items() if problems} == {}


def test_axe_finds_nothing_serious_in_the_reference(opened, server):
    opened.goto(f"{server.url}/api")
    opened.wait_for_selector("#operations section")
    assert serious(opened) == []
