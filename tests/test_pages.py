"""What the pages refer to is there, and the rows of docs/notebook/results.md are those of the episodes in docs/runs."""

import fnmatch
import re
import sys
from pathlib import Path

import pytest

from mtvm.studies.comparison import compare, read_seeds, read_trainings

TOP = Path(__file__).parents[1]
sys.path.append(str(TOP / "tools"))
import lines  # noqa: E402
import records  # noqa: E402

PAGES = [TOP / "README.md", TOP / "CHANGELOG.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
RESULTS = (TOP / "docs" / "notebook" / "results.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def kept():
    return records.read_kept()


@pytest.fixture(scope="module")
def runs(kept, tmp_path_factory):
    """The evaluations that docs/runs keeps, as folders."""
    folder = tmp_path_factory.mktemp("runs")
    records.unpack(kept, folder)
    return folder


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
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name}: {link}"


def test_what_the_paper_says_is_where_the_page_says(tmp_path):
    text = lines.PAGE.read_text(encoding="utf-8")
    links = [(TOP / "docs" / link["path"], link["name"]) for link in lines.LINK.finditer(text)]
    assert len(links) >= 12
    for path, name in links:
        assert lines.line_of(path, name)
    (tmp_path / "one.py").write_text("class A:\n    def f(self): ...\n\n\nclass B:\n    def f(self): ...\n")
    assert lines.line_of(tmp_path / "one.py", "B.f") == 6
    with pytest.raises(LookupError, match=r"has no B\.g"):
        lines.line_of(tmp_path / "one.py", "B.g")


def test_evaluations_that_the_pages_name_are_there(kept):
    named = [name for page in PAGES for name in re.findall(r"docs/runs/(seed[^\s`'\"]+)", page.read_text("utf-8"))]
    assert len(named) >= 5
    for pattern in named:
        assert fnmatch.filter(kept, pattern), pattern


def test_what_is_kept_of_evaluations_is_read_as_it_was_written(tmp_path):
    (tmp_path / "episodes.csv").write_text("id,scan,NE,SR,CLS\n1_0,a,1.23456,100,7\n1_1,a,0,0,8\n")
    name = "seed0/run/r2r-val_seen"
    found = {name: records.read_evaluation(tmp_path / "episodes.csv", records.metrics_of(name))}
    records.write_kept(found | {"seed1/run/other": {"5_0": {"scan": "b", "SR": "100.0"}}}, tmp_path / "table.csv.xz")
    kept = records.read_kept(tmp_path / "table.csv.xz")
    assert kept[name] == found[name]
    assert kept[name]["1_0"] == {"scan": "a", "NE": "1.23", "SR": "100.0"}
    assert "CLS" in records.metrics_of("seed0/r2r-pixels/r2r-val_seen")
    assert kept["seed1/run/other"] == {"5_0": {"scan": "b", "SR": "100.0"}}


@pytest.mark.parametrize(("track", "agent"), [("captions only", "r2r-pixels"), ("privileged", "r2r-annotated")])
@pytest.mark.parametrize("split", ["val_seen", "val_unseen"])
def test_means_of_the_agents_are_those_of_their_episodes(runs, track, agent, split):
    of_track = RESULTS.split("## R2R, agents")[1].split(f"\n| {track} (")[1].split("\n")  # the mean's rows come first
    row = next(row for row in of_track if f"| {split} |" in row)
    _, *numbers, _ = row.split(f"| {split} |")[1].split("|")
    scores = read_seeds(str(runs / "seed*" / agent / f"r2r-{split}"))
    for name, number in zip(["SR", "OSR", "SPL", "TL", "nDTW", "SDTW", "CLS"], numbers, strict=True):
        shown, _, deviation = number.replace("*", "").partition(" ± ")
        found = compare([scores], name)[0]
        assert float(shown) == pytest.approx(found.mean.value, abs=0.051)
        if deviation:
            assert float(deviation) == pytest.approx(found.deviation, abs=0.051)


ROWS = re.findall(r"^\| `row-([a-z0-9-]+)`.*$", RESULTS, re.MULTILINE)


def test_rows_are_found():
    """Without any, the test below would test nothing."""
    assert len(ROWS) >= 10


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_those_of_their_episodes(runs, name):
    line = re.search(rf"^\| `row-{name}`.*$", RESULTS, re.MULTILINE)[0]
    _, _, _, *shown, _ = (cell.strip() for cell in line.split("|"))
    kept = [runs / "seed0" / f"half-{name}" / f"r2r-{split}" for split in ("val_seen", "val_unseen")]
    found = [
        f"{compare([read_seeds(str(folder))], metric)[0].mean.value:.1f}" for folder in kept for metric in ("SR", "SPL")
    ]
    assert shown[:4] == found
    if name != "all":
        trainings = read_trainings([str(kept[1].parents[1] / "half-all" / "r2r-val_unseen"), str(kept[1])])
        gains = [compare(trainings, metric)[1].gain for metric in ("SR", "SPL")]
        assert shown[4:] == [f"{one.value:+.1f} ({one.low:+.1f} to {one.high:+.1f})" for one in gains]
