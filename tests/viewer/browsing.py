"""Looking at the page in a real browser, for the tests of it."""

import re
import shutil

import pytest
from playwright.sync_api import expect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: install it (Debian: apt install chromium)"
)
TIMEOUT = 60_000  # milliseconds, on a busy machine
BETWEEN = 50  # milliseconds

WITHOUT_WEBGL = ["--no-sandbox", "--disable-3d-apis"]
"""WebGL takes seconds where there is no graphics card; the page does without a panorama then."""
WITH_WEBGL = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def visit(page, server, address=""):
    page.goto(f"{server.url}/{address}")
    page.wait_for_selector("body[data-shown]")


def until(page, expression, arg=None):
    """Wait until something is true in the page. Playwright's own waiting asks again by `eval`, which the page's policy
    forbids, so that it fails unless all is well at once."""
    for _ in range(TIMEOUT // BETWEEN):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(BETWEEN)
    raise AssertionError(f"not within {TIMEOUT} ms: {expression}")


def rows(page):
    return page.locator("#rows .row")


def shown_step(page, step):
    expect(page.locator("body")).to_have_attribute("data-shown", re.compile(f" {step}$"), timeout=TIMEOUT)


def long_episode(sources):
    """The first source's longest walk."""
    source = sources[0]
    return max((source.walk(identity) for identity in source.episodes.ids), key=lambda walk: len(walk.events))
