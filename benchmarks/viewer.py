"""How long the viewer's page takes in a real browser: the first view, a step, and a filter of 45,000 rows.

    MTVM_DATA=DATA python benchmarks/viewer.py

Walks the shortest paths of R2R's val_unseen (2,349 episodes) and shows them in headless Chromium. The panorama is left
out: drawing it by software, without a graphics card, says nothing about a machine that has one.
"""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, Route, sync_playwright

from mtvm.acting.baselines import run_baseline
from mtvm.app.view import view
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results

REPEATS, STEPS, ROWS = 5, 3, 45_000
LOOK = 500  # milliseconds that somebody looks at a step
SHOWN = """() => new Promise((done) => {
  const look = () => document.body?.dataset.shown ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
STEP = """() => new Promise((done) => {
  const before = document.body.dataset.shown, started = performance.now();
  const look = () => document.body.dataset.shown !== before ? done(performance.now() - started) : setTimeout(look, 1);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  look();
})"""
FILTER = """(text) => {
  const started = performance.now(), search = document.getElementById("search");
  search.value = text;
  search.dispatchEvent(new Event("input"));
  document.getElementById("list").getBoundingClientRect();
  return performance.now() - started;
}"""


def measure(page: Page, address: str) -> tuple[float, list[float]]:
    """Milliseconds from the request to the first view, and of steps."""
    page.goto(address, wait_until="commit")
    first = page.evaluate(SHOWN)
    steps = []
    for _ in range(STEPS):
        page.wait_for_timeout(LOOK)  # the next step is fetched in the meantime
        steps.append(page.evaluate(STEP))
    return first, steps


def many(route: Route) -> None:
    """The server's list, repeated to 45,000 rows."""
    table = route.fetch().json()
    times = -(-ROWS // len(table["id"]))
    wide = {name: (table[name] * times)[:ROWS] for name in ("scan", "text", "steps")}
    wide["id"] = [f"{number}" for number in range(ROWS)]
    wide["id"][: len(table["id"])] = table["id"]
    wide["metrics"] = {name: (column * times)[:ROWS] for name, column in table["metrics"].items()}
    route.fulfill(body=json.dumps(wide), content_type="application/json")


def main() -> None:
    episodes = load_episodes("r2r", "val_unseen")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shortest.json"
        write_results(path, episodes, run_baseline("shortest", episodes, 0))
        running = view(path, port=0)
        with sync_playwright() as playwright:
            options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox", "--disable-3d-apis"]}
            browser = playwright.chromium.launch(**options)  # type: ignore[arg-type]
            found = [measure(browser.new_page(), running.url) for _ in range(REPEATS)]
            page = browser.new_page()
            page.route("**/api/sources/0/episodes", many)
            measure(page, running.url)
            filters = [
                page.evaluate(FILTER, text) for text in ("stairs", "turn left", "", "kitchen stop", "no such word")
            ]
            browser.close()
        running.close()
    steps = [step for _, some in found for step in some]
    print(
        f"first view of {len(episodes):,} episodes: median {statistics.median(first for first, _ in found):.0f} ms, "
        f"first of all {found[0][0]:.0f} ms"
    )
    print(f"step: median {statistics.median(steps):.0f} ms, slowest {max(steps):.0f} ms")
    print(f"filter of {ROWS:,} rows: median {statistics.median(filters):.0f} ms, slowest {max(filters):.0f} ms")


if __name__ == "__main__":
    main()
