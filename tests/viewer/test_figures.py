"""Maps, matrices, strips and exports say what happened."""

import dataclasses
import io
import json
import math
import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageColor

import mtvm.viewer
from mtvm.errors import InputError
from mtvm.tasks.definitions import SUCCESS_RADIUS
from mtvm.tasks.events import StepEvent
from mtvm.viewer.charts import draw_matrix
from mtvm.viewer.drawing import AGENTS, STYLES, Drawing
from mtvm.viewer.exporting import export
from mtvm.viewer.figures import Walk
from mtvm.viewer.maps import MapOptions, draw_map
from mtvm.viewer.objects import SeenObject, draw_boxes, objects_of
from mtvm.viewer.state import ViewerState
from mtvm.viewer.strips import draw_strip, pixel


@pytest.fixture
def walk(state):
    """The longest walk of the first run."""
    source = state.sources[0]
    return max((source.walk(identity) for identity in source.episodes.ids), key=lambda walk: len(walk.events))


@pytest.fixture
def buildings(state):
    return state.buildings(state.sources[0].folder)


def looks(drawing, look):
    return [shape for shape in drawing.shapes if shape.look == look]


def cells(drawing):
    """Of a matrix, without its colour bar."""
    return [shape for shape in looks(drawing, "cell") if shape.data]


def test_map_has_every_viewpoint_and_both_ways(buildings, walk):
    drawing = draw_map(buildings, walk)
    world = buildings.world(walk.scan)
    assert {dict(shape.data)["viewpoint"] for shape in looks(drawing, "viewpoint")} == set(world.viewpoints.tolist())
    assert len(looks(drawing, "reference")) >= len(walk.reference) - 1
    assert len(looks(drawing, "path-0")) >= len(walk.viewpoints) - 1
    assert not looks(drawing, "candidate")
    ElementTree.fromstring(drawing.svg())


def test_map_draws_the_goal_with_a_radius_of_three_metres(buildings, walk):
    drawing, world = draw_map(buildings, walk), buildings.world(walk.scan)
    (goal,) = looks(drawing, "goal")
    marks = {dict(shape.data)["viewpoint"]: shape.points[0] for shape in looks(drawing, "viewpoint")}
    storeys = buildings.storeys(walk.scan)
    a, b = [node for node in range(len(world)) if storeys[node] == 0][:2]
    metres = ((world.positions[a, :2] - world.positions[b, :2]) ** 2).sum() ** 0.5
    (ax, ay), (bx, by) = (marks[str(world.viewpoints[node])] for node in (a, b))
    pixels = ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5
    assert goal.size[0] == pytest.approx(SUCCESS_RADIUS * pixels / metres, rel=1e-6)
    assert goal.points[0] == marks[walk.goals[0]]


def test_map_at_a_step_shows_the_candidates_with_their_probabilities(buildings, walk):
    event = walk.events[1]
    drawing = draw_map(buildings, walk, MapOptions(step=1))
    marks = [shape for shape in drawing.shapes if shape.look in ("candidate-mark", "chosen-mark")]
    assert [dict(shape.data)["viewpoint"] for shape in marks] == event.candidates
    assert [dict(shape.data)["action"] for shape in looks(drawing, "chosen-mark")] == (
        [] if event.stops else [str(event.action)]
    )
    said = {dict(shape.data)["action"]: shape.text for shape in looks(drawing, "label") if dict(shape.data)}
    for action, share in enumerate(event.probabilities[:-1]):
        assert said.get(str(action), "0%") == f"{share:.0%}"


def test_turns_on_the_spot_are_no_candidates_of_the_map(buildings, walk):
    first = walk.events[0]
    turning = dataclasses.replace(first, candidates=[first.viewpoint, *first.candidates], probabilities=None, action=0)
    drawn = draw_map(buildings, dataclasses.replace(walk, events=[turning]), MapOptions(step=0))
    marks = [shape for shape in drawn.shapes if shape.look.endswith("-mark") and shape.data]
    assert {dict(shape.data)["viewpoint"] for shape in marks} == set(first.candidates)
    assert len(looks(drawn, "candidate")) == len(first.candidates), "all others are next to it, and have numbers"


def test_map_is_north_up_and_east_right(buildings, walk):
    world = buildings.world(walk.scan)
    marks = {dict(s.data)["viewpoint"]: s.points[0] for s in looks(draw_map(buildings, walk), "viewpoint")}
    ground = [n for n in range(len(world)) if buildings.storeys(walk.scan)[n] == 0]
    north, south = max(ground, key=lambda n: world.positions[n, 1]), min(ground, key=lambda n: world.positions[n, 1])
    east, west = max(ground, key=lambda n: world.positions[n, 0]), min(ground, key=lambda n: world.positions[n, 0])
    assert marks[str(world.viewpoints[north])][1] < marks[str(world.viewpoints[south])][1]
    assert marks[str(world.viewpoints[east])][0] > marks[str(world.viewpoints[west])][0]


def test_map_of_the_surroundings_has_the_places_of_the_walk_on_this_storey(buildings, state):
    source, larger = state.sources[0], 0
    for walk in map(source.walk, source.episodes.ids):
        storeys, world = buildings.storeys(walk.scan), buildings.world(walk.scan)
        for event in walk.events:
            part, whole = (draw_map(buildings, walk, MapOptions(step=event.step, here=here)) for here in (True, False))
            marks = {dict(shape.data)["viewpoint"]: shape.points[0] for shape in looks(part, "viewpoint")}
            storey = storeys[world.node(walk.scan, event.viewpoint)]
            assert set(marks) == set(world.viewpoints[storeys == storey].tolist())
            for x, y in (marks[name] for name in walk.places if name in marks):
                assert 0 <= x <= part.width
                assert 0 <= y <= part.height
            larger += looks(part, "goal") != [] and looks(part, "goal")[0].size > looks(whole, "goal")[0].size
    assert larger, "some of these walks are in a part of their building"


def test_storeys_are_counted_from_the_ground(buildings, walk):
    storeys = buildings.storeys(walk.scan)
    heights = buildings.world(walk.scan).positions[:, 2]
    assert set(storeys.tolist()) == {0, 1}
    assert heights[storeys == 0].max() < heights[storeys == 1].min()


def test_walk_knows_where_it_left_the_reference():
    def step(number, here, there):
        return StepEvent("1", number, "s", here, 0.0, 0.0, [there], 0)

    walk = Walk("1", "s", "", [step(0, "a", "b"), step(1, "b", "x"), step(2, "x", "y")], ("a", "b", "c"))
    assert walk.viewpoints == ["a", "b", "x", "y"]
    assert walk.left_reference == 1
    assert dataclasses.replace(walk, events=walk.events[:1]).left_reference is None
    assert dataclasses.replace(walk, reference=("a",)).left_reference is None


def test_matrix_has_a_cell_for_each_word_and_step(walk):
    drawing = draw_matrix(walk, step=1)
    words = [word for word, _ in walk.events[0].words]
    assert len(cells(drawing)) == len(words) * len(walk.events)
    assert [shape.text for shape in looks(drawing, "label") if shape.turn] == words
    darkest = max((shape for shape in cells(drawing) if dict(shape.data)["step"] == "1"), key=lambda s: s.opacity)
    most = max(weight for _, weight in walk.events[1].words)
    assert float(dict(darkest.data)["weight"]) == pytest.approx(most, abs=1e-4)
    assert len(looks(drawing, "now")) == 1


def test_words_of_a_walk_are_those_of_its_text(walk):
    assert "".join(word for word, _ in walk.events[0].words) == re.sub(r"\s", "", walk.text)
    for event in walk.events:
        assert 0 < sum(weight for _, weight in event.words) <= 1.001
        assert len(event.memory) == event.step


def test_matrix_without_attention_says_how_to_get_it(state):
    theirs = state.sources[2].walk(state.sources[2].episodes.ids[0])
    with pytest.raises(InputError, match="evaluate with --attention"):
        draw_matrix(theirs)


def test_strip_shows_names_where_there_are_no_pictures(buildings, walk):
    drawing = draw_strip(buildings, walk)
    said = [shape.text for shape in drawing.shapes if shape.kind == "text"]
    assert {"kitchen", "hallway"} & set(said)
    assert "a rug" in said, "what an image model said of the view"
    assert sum(text.startswith("step ") for text in said) == len(walk.events)


def test_gif_has_a_frame_for_each_step(buildings, walk):
    picture = Image.open(io.BytesIO(export(".gif", buildings, [walk], ["agent"])))
    assert picture.format == "GIF"
    assert picture.n_frames == len(walk.events)


def test_gif_keeps_the_colours_of_the_paths_beside_a_colourful_picture(buildings, walk, monkeypatch):
    noise = np.random.default_rng(0).integers(-50, 50, (240, 320, 3))
    colours = (noise + np.array([180, 150, 100])).astype(np.uint8)
    monkeypatch.setattr(buildings, "view", lambda *where: Image.fromarray(colours))
    frame = np.asarray(Image.open(io.BytesIO(export(".gif", buildings, [walk], ["agent"]))).convert("RGB"), dtype=int)
    drawn = frame[:, : frame.shape[1] - 336].reshape(-1, 3)
    for look in ("agent-0", "reference", "chosen-mark"):
        wanted = ImageColor.getrgb(STYLES[look].fill or STYLES[look].stroke)
        if look == "reference":
            wanted = tuple(round(255 - 0.45 * (255 - part)) for part in wanted)  # drawn thinly on white
        assert np.abs(drawn - wanted).max(axis=1).min() <= 24, look


def test_page_stands_alone_and_holds_the_steps(buildings, walk):
    spiteful = dataclasses.replace(walk, text="</script><script>alert(1)</script>")
    page = export(".html", buildings, [spiteful], ["<i>agent</i>"]).decode()
    assert "<i>agent" not in page
    assert "<script>alert" not in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    held = re.search(r'id="steps">(.*?)</script>', page, re.DOTALL).group(1)
    assert [step["viewpoint"] for step in json.loads(held)] == [event.viewpoint for event in walk.events]


def test_sights_lie_in_the_directions_of_what_they_name(buildings, walk):
    place = buildings.place(walk.scan, walk.events[0].viewpoint)
    (chair,) = [sight for sight in place.sights if sight.text == "chair"]
    assert (chair.heading, chair.elevation) == pytest.approx((0, 0), abs=1e-9)
    captions = [sight for sight in place.sights if sight.kind == "caption"]
    assert len(captions) == 16, "empty captions say nothing"
    assert {round(sight.elevation, 3) for sight in captions} == {-0.524, 0.0}
    for sight in place.sights:
        assert sight.kind != "room" or sight.text != place.room


def test_the_page_has_a_colour_for_each_agent():
    style = (Path(mtvm.viewer.__file__).parent / "static" / "style.css").read_text()
    assert len(set(AGENTS)) == len(AGENTS) == 10
    for number in range(len(AGENTS)):
        assert style.count(f"--agent-{number}: #") == 2, "light and dark"
        assert f".path-{number}, " in style
        assert f".agent-{number} {{ --own" in style


def test_target_and_choice_are_boxed_and_named_in_exports(objects):
    (source,) = objects
    shown = ViewerState(objects)
    buildings, walk = shown.buildings(source.folder), source.walk(source.episodes.ids[0])
    strip = draw_strip(buildings, walk)
    said = [shape.text for shape in looks(strip, "label")]
    assert said.count("target: chair 1; chosen: floor lamp 7 (75%), wrong") == len(walk.events)
    assert "floor lamp (chosen)" in said
    assert looks(strip, "chosen-box"), "where it stops, it looks at what it chose"
    right = source.walk(source.episodes.ids[1])
    assert any(shape.text == "chair (target and chosen)" for shape in looks(draw_strip(buildings, right), "label"))
    page = export(".html", buildings, [walk], ["agent"]).decode()
    assert 'class="chosen-box"' in page
    assert "floor lamp 7 (75%), wrong" in page
    frames = Image.open(io.BytesIO(export(".gif", buildings, [walk], ["agent"])))
    frames.seek(frames.n_frames - 1)
    drawn = np.asarray(frames.convert("RGB"), dtype=int)[:, -336:].reshape(-1, 3)
    assert np.abs(drawn - ImageColor.getrgb(STYLES["chosen-box"].stroke)).max(axis=1).min() <= 24


def test_boxes_are_drawn_where_the_camera_sees_them(objects):
    """A box of a whole view fills the picture of that view, and is cut at the edges of one beside it."""
    lamp = SeenObject("7", "lamp", True, False, None, 13, (0.0, 0.0, 640.0, 480.0))
    focal, half = 120 / math.tan(math.pi / 6), math.atan(4 / 3 * math.tan(math.pi / 6))  # of 320x240 pixels
    for turn, columns in ((0.0, (0, 320)), (30.0, (0, round(160 + focal * math.tan(half - math.radians(30)))))):
        drawing = Drawing(320, 240, "")
        project = partial(pixel, math.radians(30 + turn), 0.0)
        draw_boxes(drawing, [lamp], (0, 0), (320, 240), project)
        xs = [x for x, _ in looks(drawing, "chosen-box")[0].points]
        assert (round(min(xs)), round(max(xs))) == columns
    drawing = Drawing(320, 240, "")
    draw_boxes(drawing, [lamp], (0, 0), (320, 240), partial(pixel, math.radians(210), 0.0))
    assert not drawing.shapes


@pytest.mark.parametrize("view", [5, 99])
@pytest.mark.parametrize("box", [None, "x", [1, 2, 3], [0, 0, "a", 1], [0, 0, float("inf"), 1], [0, 0, 10**400, 1]])
def test_a_box_that_is_none_is_left_out(objects, box, view):
    (source,) = objects
    walk = source.walk(source.episodes.ids[0])
    named = {"id": "9", "view": view, "box": box, "name": 3, "probability": 10**400}
    strange = {"objects": [named, 5, {"view": 1}]}
    walk = dataclasses.replace(walk, events=[dataclasses.replace(event, details=strange) for event in walk.events])
    found = objects_of(ViewerState(objects).buildings(source.folder), walk, walk.events[0])
    assert [(one.corners, one.share) for one in found if one.id == "9"] == [([], None)]
