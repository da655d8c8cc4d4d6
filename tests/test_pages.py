"""What the pages refer to is there, and the rows of docs/results.md are those of the episodes in docs/runs."""

import re
from pathlib import Path

import pytest

from mtvm.studies.comparison import compare, read_seeds, read_trainings

TOP = Path(__file__).parents[1]
PAGES = [TOP / "README.md", TOP / "CHANGELOG.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("*.md"))]
RESULTS = (TOP / "docs" / "results.md").read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Those that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_evaluations_that_the_pages_name_are_there(page):
    for pattern in re.findall(r"docs/runs/[^\s`'\"]+", page.read_text(encoding="utf-8")):
        assert list(TOP.glob(pattern)), f"{page.name}: {pattern}"


@pytest.mark.parametrize("track", ["pixels", "annotated"])
@pytest.mark.parametrize("split", ["val_seen", "val_unseen"])
def test_means_of_the_agents_are_those_of_their_episodes(track, split):
    of_track = RESULTS.split("## R2R, agents")[1].split(f"\n| {track} (")[1].split("\n")  # the mean's rows come first
    row = next(row for row in of_track if f"| {split} |" in row)
    _, *numbers, _ = row.split(f"| {split} |")[1].split("|")
    scores = read_seeds(str(TOP / "docs" / "runs" / "seed*" / f"r2r-{track}" / f"r2r-{split}"))
    for name, number in zip(["SR", "OSR", "SPL", "TL", "nDTW", "SDTW", "CLS"], numbers, strict=True):
        shown, _, deviation = number.replace("*", "").partition(" ± ")
        found = compare([scores], name)[0]
        assert float(shown) == pytest.approx(found.mean.value, abs=0.051)
        if deviation:
            assert float(deviation) == pytest.approx(found.deviation, abs=0.051)


ROWS = re.findall(r"^\| `row-([a-z0-9-]+)`.*$", RESULTS, re.MULTILINE)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_those_of_their_episodes(name):
    line = re.search(rf"^\| `row-{name}`.*$", RESULTS, re.MULTILINE)[0]
    _, _, _, *shown, _ = (cell.strip() for cell in line.split("|"))
    kept = [TOP / "docs" / "runs" / "seed0" / f"half-{name}" / f"r2r-{split}" for split in ("val_seen", "val_unseen")]
    found = [
        f"{compare([read_seeds(str(folder))], metric)[0].mean.value:.1f}" for folder in kept for metric in ("SR", "SPL")
    ]
    assert shown[:4] == found
    if name != "all":
        trainings = read_trainings([str(kept[1].parents[1] / "half-all" / "r2r-val_unseen"), str(kept[1])])
        gains = [compare(trainings, metric)[1].gain for metric in ("SR", "SPL")]
        assert shown[4:] == [f"{one.value:+.1f} ({one.low:+.1f} to {one.high:+.1f})" for one in gains]
