"""How long the viewer's page takes in a real browser: the first view, a step, filters of 45,000 rows with ten agents
open, and all of it behind a slow line.

    MTVM_DATA=DATA python benchmarks/viewer.py

Shows walks of R2R's val_unseen (2,349 episodes) in headless Chromium, then the same repeated to 45,000. The panorama is
left out: drawing it by software, without a graphics card, says nothing about a machine that has one.
"""

from __future__ import annotations

import dataclasses
import shutil
import statistics
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from mtvm.acting.baselines import run_baseline
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import score_trajectories
from mtvm.tasks.results import checked_nodes
from mtvm.viewer.sources import Source
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View

REPEATS, STEPS, ROWS, AGENTS = 5, 3, 45_000, 10
LINE = 800_000 // 8  # bytes a second
LOOK = 500  # milliseconds that somebody looks at a step
SHOWN = """() => new Promise((done) => {
  const look = () => document.body?.dataset.shown ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
COMPLETE = """() => new Promise((done) => {
  const whole = () => /^[0-9,]+ of [0-9,]+ episodes$/.test(document.getElementById("count").textContent);
  const look = () => whole() ? done(performance.now()) : setTimeout(look, 20);
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


def source(episodes: EpisodeSet, folder: DataFolder, name: str, seed: int, rows: int) -> Source:
    """An agent's walks of a split, repeated to so many rows."""
    walks = run_baseline("shortest" if seed == 0 else "random", episodes, seed)
    nodes = checked_nodes(Path(name), episodes, walks)
    columns = score_trajectories(episodes, nodes)
    order = np.arange(rows) % len(episodes)
    many = dataclasses.replace(episodes.select(order), ids=[f"{episodes.ids[row]}.{n}" for n, row in enumerate(order)])
    return Source(
        f"{name} r2r/val_unseen",
        Path(f"{name}.json"),
        folder,
        many,
        [walks[row] for row in order],
        [nodes[row] for row in order],
        {metric: column[order] for metric, column in columns.items()},
    )


def steps_of(page: Page) -> list[float]:
    """Milliseconds of some steps."""
    found = []
    for _ in range(STEPS):
        page.wait_for_timeout(LOOK)  # the next step is fetched in the meantime
        found.append(page.evaluate(STEP))
    return found


def say(what: str, values: list[float]) -> None:
    print(f"{what}: median {statistics.median(values):.0f} ms, slowest {max(values):.0f} ms", flush=True)


def measure_first(browser: Browser, address: str) -> None:
    firsts, steps = [], []
    for _ in range(REPEATS):
        page = browser.new_page()
        page.goto(address, wait_until="commit")
        firsts.append(page.evaluate(SHOWN))
        steps += steps_of(page)
        page.close()
    say("first view of 2,349 episodes", firsts)
    say("step", steps)


def measure_many(browser: Browser, address: str) -> None:
    page = browser.new_page()
    others = ",".join(map(str, range(1, AGENTS)))
    page.goto(f"{address}/#source=0&other={others}", wait_until="commit")
    print(f"{AGENTS} agents, {ROWS:,} rows: first view {page.evaluate(SHOWN):.0f} ms", end=", ")
    print(f"all rows {page.evaluate(COMPLETE):.0f} ms", flush=True)
    page.wait_for_timeout(4 * LOOK)
    say(f"step with {AGENTS} agents", steps_of(page))
    texts = ("stairs", "turn left", "", "kitchen stop", "no such word")
    say(f"filter of {ROWS:,} rows with {AGENTS} agents", [page.evaluate(FILTER, text) for text in texts])
    page.close()


def measure_slow(browser: Browser, address: str) -> None:
    page = browser.new_page()
    line = page.context.new_cdp_session(page)
    conditions = {"offline": False, "latency": 40, "downloadThroughput": LINE, "uploadThroughput": LINE}
    line.send("Network.emulateNetworkConditions", conditions)
    received = 0

    def count(event: dict[str, float]) -> None:
        nonlocal received
        received += int(event["encodedDataLength"])

    line.send("Network.enable")
    line.on("Network.loadingFinished", count)
    page.goto(address, wait_until="commit")
    print(f"at {8 * LINE // 1000} kbit/s: first view {page.evaluate(SHOWN) / 1000:.1f} s", end=", ")
    print(f"all {ROWS:,} rows {page.evaluate(COMPLETE) / 1000:.1f} s, {received / 1e6:.2f} MB received")
    page.close()


def main() -> None:
    folder = DataFolder(DataFolder.locate(None))
    episodes = load_episodes("r2r", "val_unseen", folder)
    few = View(ViewerState([source(episodes, folder, "agent0", 0, len(episodes))]), "127.0.0.1", 0)
    agents = [source(episodes, folder, f"agent{seed}", seed, ROWS) for seed in range(AGENTS)]
    many = View(ViewerState(agents), "127.0.0.1", 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-3d-apis"]
        )
        measure_first(browser, few.url)
        measure_many(browser, many.url)
        measure_slow(browser, many.url)
        browser.close()
    few.close()
    many.close()


if __name__ == "__main__":
    main()
