"""How long `mtvm view` takes on a machine that has never run it: until the page is there, walks and talks.

    python benchmarks/first_view.py
    python benchmarks/first_view.py --busy 2      # while as many other processes want the processor

The folders of the user and of all caches are new and empty, numba's too, so that everything is made and compiled anew.
Beside the time that passed stands the processor time of the server, which other programs hardly change.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

MINUTES = 5 * 60_000
BROWSER = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def spin() -> None:
    while True:
        pass


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(count)]
    for other in others:
        other.start()
    yield
    for other in others:
        other.kill()


@contextlib.contextmanager
def started(folder: Path) -> Iterator[tuple[str, int]]:
    """`mtvm view` of somebody who has never used it: its address and process."""
    new = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "NUMBA_CACHE_DIR": str(folder / "numba")}
    command = [sys.executable, "-m", "mtvm", "view", "--no-browser", "--port", "0"]
    kept = {name: value for name, value in os.environ.items() if name not in ("MTVM_CACHE", "MTVM_DATA")}
    server = subprocess.Popen(command, env=kept | new, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, "the server did not start"
        yield found[0], server.pid
    finally:
        server.terminate()
        server.wait()


def processor_seconds(process: int) -> float:
    """What a process has used so far, as Linux counts it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(page: Page, address: str, report: Callable[[str], None]) -> None:
    page.set_default_timeout(MINUTES)
    page.goto(address)
    page.wait_for_selector("#rows .row")
    page.wait_for_selector("body[data-shown]")
    report("the page lists episodes and shows a walk")
    page.wait_for_selector("#matrix svg")
    report("what the agent thought is there too")
    page.click("#talk-tab")
    page.wait_for_selector(".map .viewpoint.clickable")
    page.fill("#instruction", "Leave the room, cross the hallway and stop in the kitchen.")
    page.click("#begin")
    page.wait_for_selector(".actions button")
    report("the agent answers an instruction")
    page.click("#go")
    page.wait_for_selector("#progress:has-text('It stopped')")
    report("the agent has walked")
    page.wait_for_selector("#panorama[data-ready=image]")
    report("the panorama is drawn")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--busy", type=int, default=0, help="how many other processes want the processor")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, busy(given.busy), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=BROWSER)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        begun = time.monotonic()
        print(f"load before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {given.busy} made busy on purpose")
        with started(Path(folder)) as (address, process):

            def report(text: str) -> None:
                print(f"{time.monotonic() - begun:6.1f} s ({processor_seconds(process):5.1f})  {text}", flush=True)

            report("the address is printed")
            watch(page, address, report)
        browser.close()


if __name__ == "__main__":
    main()
