"""Record the viewer following an instruction, as a GIF: docs/images/following.gif (make recording).

    python tools/recording.py RUN --episode ID --out FILE

RUN is a run or an evaluation, best written with `mtvm eval --attention`. Needs Chromium.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from mtvm.app.view import view

WIDTH, HEIGHT = 1200, 700
COLOURS = 128
STEP, END = 1400, 3500
"""Milliseconds that a step and the last one are shown."""
TIMEOUT = 120_000
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def record(page: Page, address: str, episode: str) -> list[Image.Image]:
    """A picture of each step of the episode."""
    page.goto(f"{address}#source=0&id={episode}&step=0")
    pictures = []
    for step in range(int(_wait_for_step(page, 0)) + 1):
        if step:
            page.keyboard.press("ArrowRight")
            _wait_for_step(page, step)
        page.wait_for_timeout(600)  # the panorama turns
        pictures.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    return pictures


def _wait_for_step(page: Page, step: int) -> str:
    """Wait for a step; the number of the last one."""
    page.wait_for_selector(f"body[data-shown$=' {step}']", timeout=TIMEOUT)
    return page.locator("#slider").get_attribute("max") or "0"


def write_gif(pictures: list[Image.Image], out: Path) -> None:
    """With one palette for all pictures, so that what stays the same costs nothing."""
    together = Image.new("RGB", (WIDTH, HEIGHT * len(pictures)))
    for number, picture in enumerate(pictures):
        together.paste(picture, (0, number * HEIGHT))
    palette = together.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=4)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    durations = [STEP] * (len(frames) - 1) + [END]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--episode", required=True)
    parser.add_argument("--out", type=Path, default=Path("docs/images/following.gif"))
    parser.add_argument("--data", type=Path, help="(default: $MTVM_DATA)")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        sys.exit("no Chromium here: install it (Debian: apt install chromium)")
    running = view(given.run, data=given.data, port=0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        pictures = record(page, running.url, given.episode)
        browser.close()
    running.close()
    write_gif(pictures, given.out)
    print(f"{len(pictures)} steps of {given.episode} recorded to {given.out}: {given.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
