"""How long the page takes with 2,349 episodes, measured in a real browser; no time is asserted.

The times are printed (`pytest -s`) and kept as properties of the test (`--junitxml`). `benchmarks/viewer.py` measures
the same on R2R itself.
"""

import os
import statistics

import pytest
from browsing import needs_chromium, until

from mtvm.acting.baselines import run_baseline
from mtvm.tasks.load import load_episodes
from mtvm.tasks.results import write_results
from mtvm.testing.tiny import write_tiny_world
from mtvm.viewer.sources import Defaults, open_sources

EPISODES, STEPS = 2349, 3

STEP = """() => new Promise((done) => {
  const before = document.body.dataset.shown, started = performance.now();
  const look = () => document.body.dataset.shown !== before ? done(performance.now() - started) : setTimeout(look, 1);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  look();
})"""


@pytest.fixture
def many(tmp_path):
    """A result file of as many episodes as R2R's val_unseen has."""
    data = write_tiny_world(tmp_path / "data", paths=EPISODES // 3)
    episodes = load_episodes("r2r", "val_unseen", data)
    write_results(tmp_path / "many.json", episodes, run_baseline("random", episodes, seed=3))
    return open_sources([tmp_path / "many.json"], Defaults(data=data))


@pytest.mark.slow
@needs_chromium
def test_first_view_and_steps_are_measured(page, serve, many, record_property):
    (source,) = many
    longest = max(source.episodes.ids, key=lambda identity: len(source.walk(identity).events))
    running = serve(many)
    page.goto(f"{running.url}/#source=0&id={longest}")
    page.wait_for_selector("body[data-shown]")
    first = page.evaluate("performance.getEntriesByName('first view')[0].startTime")
    every = f"{EPISODES:,} of {EPISODES:,} episodes"
    until(page, "text => document.querySelector('#count').innerText === text", arg=every)
    steps = []
    for number in range(1, STEPS + 1):
        page.wait_for_timeout(300)  # somebody looks, and the next step is fetched
        steps.append(page.evaluate(STEP))
        assert page.locator("body").get_attribute("data-shown") == f"0 {longest} {number}"
    measured = {"first view": first, "step": statistics.median(steps), "load": os.getloadavg()[0]}
    for name, value in measured.items():
        record_property(name, round(value, 1))
    print(f"first view {first:.0f} ms, step {measured['step']:.0f} ms, machine's load {measured['load']:.1f}")
