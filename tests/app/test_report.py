"""The page for newcomers: well-formed, self-contained, and nothing that it shows can break it."""

import base64
import math
import re
import struct
import sys
import zlib
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.app.figures import MOST_POINTS, smoothed
from mtvm.app.report import Curve, Table, Walk, write_report
from mtvm.errors import InputError, MissingExtraError

VOID = {"meta", "img", "br", "hr", "link"}
ATTACK = "<script>alert(\"1\")</script> & 'so' on"


class Element:
    def __init__(self, tag, attributes, parents):
        self.tag, self.attributes, self.parents, self.text = tag, attributes, parents, ""

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    def within(self, tag):
        return any(parent.tag == tag for parent in self.parents)


class Page(HTMLParser):
    """All elements in order, each with the text in it; an end tag that does not fit is an error."""

    def __init__(self, source):
        super().__init__()
        self.source, self.elements, self.open = source, [], []
        self.feed(source)
        self.close()
        assert self.open == [], "elements that nothing closes"

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in <{tag}>"
        element = Element(tag, dict(attrs), tuple(self.open))
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        assert any(element.tag == "svg" for element in self.open), f"<{tag}/> outside of SVG"
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without a beginning"
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def all(self, tag, within=None):
        return [e for e in self.elements if e.tag == tag and (within is None or e.within(within))]

    def cells(self):
        """The rows of all tables: name of the row -> its other cells."""
        rows = {}
        for element in self.elements:
            if element.tag == "th" and element.attributes.get("scope") == "row":
                rows[element.text] = name = []
            elif element.tag == "td":
                name.append(element)
        return rows


def png(width=4, height=3):
    """A grey picture."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture
def write(tmp_path):
    """A function that writes a page with the given parts and reads it."""

    def call(title="Title", lead="Lead.", tables=(), curves=(), walks=(), next_steps=(), footer=""):
        path = tmp_path / "runs" / "report.html"
        write_report(path, title, lead, list(tables), list(curves), list(walks), list(next_steps), footer)
        assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]
        return Page(path.read_text(encoding="utf-8"))

    return call


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "plan.png"
    path.write_bytes(png())
    return path


def scores(error, success):
    return {"NE": error, "SR": success}


TABLE = Table(
    "Unseen homes",
    "420 episodes",
    ("NE", "SR"),
    [("random", scores(9.5, 5.0)), ("memory", scores(4.125, 51.26)), ("shortest path", scores(0.0, 100.0))],
    bounds=("shortest path",),
)
CURVE = Curve("Success over iterations", "percent", {"memory": [(0, 1), (10, 40)], "no memory": [(0, 2), (10, 30)]})


def full(picture, text="plain"):
    return {
        "title": text,
        "lead": text,
        "tables": [Table(text, text, ("NE", text), [(text, {"NE": 1.0, text: 2.0})], (text,))],
        "curves": [Curve(text, text, {text: [(0.0, 1.0), (1.0, 2.0)]})],
        "walks": [Walk(text, text, [(picture, text)])],
        "next_steps": [(text, text)],
        "footer": text,
    }


def test_page_is_well_formed_and_complete(write, picture):
    page = write(**full(picture) | {"curves": [CURVE, CURVE]})
    assert page.source.startswith("<!DOCTYPE html>\n")
    assert page.all("html")[0].attributes["lang"] == "en"
    assert [heading.text for heading in page.all("h1")] == ["plain"]
    assert len(page.all("figure")) == 3
    assert [heading.text for heading in page.all("h2")] == ["Scores", "Curves", "Walks", "Next steps"]
    assert {"width=device-width, initial-scale=1"} <= {meta.attributes.get("content") for meta in page.all("meta")}
    names = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(set(names)) == len(names)
    referred = [e.attributes["aria-labelledby"] for e in page.elements if "aria-labelledby" in e.attributes]
    referred += [e.attributes["xlink:href"].removeprefix("#") for e in page.all("use")]
    referred += re.findall(r"url\(#([^)]*)\)", page.source)
    assert set(referred) <= set(names)
    assert len(page.all("style")) == 1  # one inside of an SVG would apply to the whole page
    assert page.all("script") == []


def test_empty_lists_leave_their_section_out(write):
    page = write()
    assert page.all("h2") == page.all("section") == page.all("footer") == []
    assert "Lead." in page.source
    assert [heading.text for heading in write(tables=[TABLE]).all("h2")] == ["Scores"]
    assert [heading.text for heading in write(curves=[CURVE]).all("h2")] == ["Curves"]
    assert write(curves=[Curve("nothing", "m", {"none": [], "lost": [(0.0, math.nan)]})]).all("h2") == []


def test_all_texts_are_escaped(write, picture):
    page = write(**full(picture, ATTACK))
    assert page.all("script") == []
    assert "<script" not in page.source
    for tag in ("title", "h1", "h3", "blockquote", "code", "footer", "figcaption"):
        assert ATTACK in [element.text.strip() for element in page.all(tag)], tag
    assert ATTACK in page.all("img")[0].attributes["alt"]
    assert ATTACK in page.all("svg")[0].attributes["aria-label"]
    assert ATTACK in page.cells()


def test_characters_that_html_forbids_are_replaced(write):
    page = write(title="a\0b\x1bc\ud800d", lead="é – “”")
    assert page.all("h1")[0].text == "a\ufffdb\ufffdc\ufffdd"
    assert page.all("p")[0].text == "é – “”"


def test_blank_lines_begin_paragraphs(write):
    assert [part.text for part in write(lead="One\ntwo.\n\n\nThree.\n").all("p")] == ["One\ntwo.", "Three."]


def test_nothing_is_fetched(write, picture):
    page = write(**full(picture))
    assert not re.search(r"https?://", page.source)
    assert not re.search(r"@import|url\((?!#)", page.source)
    for element in page.elements:
        assert "href" not in element.attributes
        assert element.attributes.get("xlink:href", "#").startswith("#")
        assert element.attributes.get("src", "data:").startswith("data:")


def test_table_has_headers_and_rounded_values(write):
    page = write(tables=[TABLE])
    columns = [element.text for element in page.all("th") if element.attributes["scope"] == "col"]
    assert columns == ["agent", "NE m ↓", "SR % ↑"]
    rows = {name: [cell.text for cell in cells] for name, cells in page.cells().items()}
    assert rows == {"random": ["9.50", "5.0"], "memory": ["4.12", "51.3"], "shortest path": ["0.00", "100.0"]}


def emphasised(page):
    return {name: ["best" in cell.classes for cell in cells] for name, cells in page.cells().items()}


def test_best_competitor_is_emphasised_and_bounds_are_muted(write):
    page = write(tables=[TABLE])
    assert emphasised(page) == {"random": [False] * 2, "memory": [True] * 2, "shortest path": [False] * 2}
    assert [element.text for element in page.all("strong")] == ["4.12", "51.3"]
    assert [row.text for row in page.all("tr") if "bound" in row.classes] == ["shortest path0.00100.0"]


def test_best_is_found_for_each_column_and_shared_by_values_that_look_alike(write):
    rows = [("a", scores(3.0, 20.01)), ("b", scores(2.0, 10.0)), ("c", {"SR": 20.04}), ("d", scores(math.nan, 20.06))]
    page = write(tables=[Table("t", "", ("NE", "SR"), rows[:3])])
    assert emphasised(page) == {"a": [False, True], "b": [True, False], "c": [False, True]}
    page = write(tables=[Table("t", "", ("NE", "SR"), rows)])
    assert emphasised(page) == {"a": [False] * 2, "b": [True, False], "c": [False] * 2, "d": [False, True]}
    assert [cell.text for cell in page.cells()["d"]] == ["–", "20.1"]


def test_bounds_and_unknown_columns_have_no_best(write):
    page = write(tables=[Table("t", "", ("TL", "SR"), [("a", {"TL": 9.0, "SR": 1.0})], ("a",))])
    assert emphasised(page) == {"a": [False, False]}
    page = write(tables=[Table("t", "", ("TL", "GP", "own"), [("a", {"TL": 9.0, "GP": -1.0, "own": 2.0})])])
    assert emphasised(page) == {"a": [True, True, False]}
    assert [cell.text for cell in page.cells()["a"]] == ["9.00", "−1.00", "2.0"]
    assert [element.text for element in page.all("th")][1:4] == ["TL m ↓", "GP m ↑", "own %"]


def test_metrics_are_explained_once(write):
    metrics = ("NE", "SR", "OSR", "SPL", "nDTW")
    page = write(tables=[Table(title, "", metrics, [("a", dict.fromkeys(metrics, 1.0))]) for title in "xy"])
    assert [term.text for term in page.all("dt")] == list(metrics)
    assert page.source.count("Navigation error") == page.source.count("within 3 m of the goal.</dd>") == 1


def test_picture_is_embedded(write, picture):
    page = write(walks=[Walk("home031", "Go & stop.", [(picture, "the plan")])])
    (image,) = page.all("img")
    kind, _, data = image.attributes["src"].partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data) == png()
    assert (image.attributes["width"], image.attributes["height"]) == ("4", "3")
    assert image.attributes["alt"] == "home031: the plan"
    assert page.all("figcaption")[0].text == "the plan"
    assert page.all("blockquote")[0].text.strip() == "Go & stop."


def test_wide_pictures_have_a_row_to_themselves(write, picture):
    picture.write_bytes(png(20, 10))
    page = write(walks=[Walk("w", "", [(picture, "")])])
    assert page.all("figure")[0].classes == ["wide"]
    assert page.all("blockquote") == page.all("figcaption") == []


def test_missing_picture_is_one_sentence_and_the_old_page_stays(write, picture, tmp_path):
    before = write(walks=[Walk("w", "t", [(picture, "c")])]).source
    missing = tmp_path / "gone.png"
    with pytest.raises(InputError) as caught:
        write(walks=[Walk("w", "t", [(picture, "c"), (missing, "c")])])
    assert str(caught.value) == f"{missing}: there is no such file (picture for the report)."
    assert (tmp_path / "runs" / "report.html").read_text(encoding="utf-8") == before


def test_file_that_is_no_picture_is_named(write, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no picture")
    with pytest.raises(InputError, match=r"notes\.txt: neither a PNG nor a JPEG image"):
        write(walks=[Walk("w", "t", [(path, "c")])])


def test_commands_copy_as_they_are(write):
    page = write(next_steps=[("First", "mtvm doctor --data 'a b' && ls > x\nmtvm demo\n"), ("Then", "make")])
    assert [code.text for code in page.all("code")] == ["mtvm doctor --data 'a b' && ls > x\nmtvm demo", "make"]
    assert [item.text.split()[0] for item in page.all("li")] == ["First", "Then"]


def dots(page):
    """The ends of all lines, which lie within the view box as the lines do."""
    found = [e for e in page.all("use") if "clip-path" in e.parents[-1].attributes]
    places = [(float(e.attributes["x"]), float(e.attributes["y"])) for e in found]
    for line in lines(page):
        places += [tuple(map(float, pair)) for pair in re.findall(r"[ML] (\S+) (\S+)", line.attributes["d"])]
    _, _, width, height = map(float, page.all("svg")[0].attributes["viewbox"].split())  # the parser lowers names
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    return found


def lines(page):
    return [e for e in page.all("path") if "clip-path" in e.attributes and "stroke-width: 2" in e.attributes["style"]]


anything = st.floats(allow_nan=True, allow_infinity=True)
ordinary = st.one_of(st.floats(-1000, 1000), st.integers(-5, 5).map(float), st.just(3.7), st.floats(1e9, 1e9 + 1))
series = st.dictionaries(
    st.text(max_size=60),
    st.one_of(*(st.lists(st.tuples(values, values), max_size=12) for values in (anything, ordinary))),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15)
@given(series)
def test_any_curves_stay_within_their_box(tmp_path_factory, series):
    path = tmp_path_factory.getbasetemp() / "curves.html"
    write_report(path, "t", "", [], [Curve("c", "m", series)], [], [], "")
    page = Page(path.read_text(encoding="utf-8"))
    drawn = [points for points in series.values() if any(abs(x) < 1e100 and abs(y) < 1e100 for x, y in points)]
    assert len(page.all("li")) == len(drawn)
    if drawn:
        assert len(dots(page)) == len(drawn)


@pytest.mark.parametrize(
    "points",
    [
        [(0.0, 0.0)],
        [(float(x), 0.3) for x in range(5)],
        [(5.0, float(y)) for y in range(5)],
        [(0.0, 5e-324), (1.0, 0.0)],
        [(0.0, -9e99), (1.0, 9e99)],
    ],
)
def test_unusual_curves_are_drawn(write, points):
    page = write(curves=[Curve("c", "m", {"a": points})])
    assert len(dots(page)) == 1
    assert len(page.all("text", within="svg")) >= 4  # numbers on the axes


def test_points_that_are_not_finite_and_lines_without_points_are_left_out(write):
    points = [(0.0, 1.0), (1.0, math.nan), (math.inf, 2.0), (2.0, -math.inf), (3.0, 5.0)]
    page = write(curves=[Curve("c", "m", {"a": points, "lost": [(0.0, math.nan)], "none": []})])
    assert [item.text for item in page.all("li")] == ["a"]
    assert page.all("svg")[0].attributes["aria-label"] == "c (m): a from 1 at 0 to 5 at 3."
    (line,) = lines(page)
    assert len(re.findall("[ML]", line.attributes["d"])) == 2


def test_curves_have_round_numbers_a_legend_and_a_description(write):
    page = write(curves=[CURVE])
    words = [element.text for element in page.all("text")]
    assert words == ["0", "2", "4", "6", "8", "10", "0", "10", "20", "30", "40"]
    assert [item.text for item in page.all("li")] == ["memory", "no memory"]
    assert page.all("figcaption")[0].text == "Success over iterations percent"
    drawing = page.all("svg")[0].attributes
    assert drawing["role"] == "img"
    assert drawing["aria-label"] == (
        "Success over iterations (percent): memory from 1 at 0 to 40 at 10; no memory from 2 at 0 to 30 at 10."
    )


def test_series_differ_in_colour_or_dash_and_the_legend_shows_which(write):
    page = write(curves=[Curve("c", "m", {str(n): [(0.0, 1.0 * n), (1.0, 2.0)] for n in range(20)})])
    swatches = [path.attributes for path in page.all("path", within="li")]
    legend = [(swatch["stroke"], swatch["stroke-dasharray"].replace(" ", ",")) for swatch in swatches]
    styles = [dict(part.split(": ") for part in line.attributes["style"].split("; ")) for line in lines(page)]
    assert [(style["stroke"], style.get("stroke-dasharray", "none")) for style in styles] == legend
    assert len(set(legend)) == 20


def luminance(colour):
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_lines_stand_out_from_the_light_and_the_dark_background(write):
    page = write(curves=[Curve("c", "m", {str(n): [(0.0, 1.0 * n)] for n in range(20)})])
    backgrounds = re.findall(r"--back: (#\w{6})", page.source)
    assert len(backgrounds) == 2
    for colour in {path.attributes["stroke"] for path in page.all("path", within="li")}:
        for background in backgrounds:
            dark, light = sorted((luminance(colour), luminance(background)))
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, background)  # what WCAG asks of graphics
    assert "fill: #ffffff" not in page.source


def test_the_same_content_gives_the_same_file(write):
    assert write(curves=[CURVE, CURVE]).source == write(curves=[CURVE, CURVE]).source


def test_long_series_are_smoothed_and_the_page_says_so(write):
    noisy = [(float(x), 10.0 + (-1) ** x) for x in range(1000)]
    assert len(smoothed(noisy)) == MOST_POINTS
    assert {y for _, y in smoothed(noisy)} == {10.0}
    assert smoothed(noisy[:100]) == noisy[:100]
    page = write(curves=[Curve("c", "m", {"a": noisy})])
    assert page.all("svg")[0].attributes["aria-label"] == "c (m): a from 10 at 4.5 to 10 at 994.5."
    assert "lightly smoothed" in page.source
    assert "smoothed" not in write(curves=[Curve("c", "m", {"a": noisy[:100]})]).source


def test_only_curves_need_matplotlib(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert len(write(tables=[TABLE]).all("table")) == 1
    with pytest.raises(MissingExtraError, match=r"Drawing curves needs matplotlib, .*mtvm\[figures\]"):
        write(curves=[CURVE])
