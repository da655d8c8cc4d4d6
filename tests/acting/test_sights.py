"""What agents that read are shown, against files written by hand and the real ones."""

import gzip
import json
import math

import numpy as np
import pytest
from PIL import Image

from mtvm.acting import scenes
from mtvm.acting.policy import Decision, Policy
from mtvm.acting.scenes import Scenes
from mtvm.acting.walk import Walking, walk
from mtvm.errors import InputError
from mtvm.features.detections import check_detections
from mtvm.homes.painter import skybox_files
from mtvm.tasks.load import load_episodes
from mtvm.world.views import VIEW_HEADING, direction_in_view


class Reader(Policy):
    wants = ("captions", "detections", "objects", "rooms")

    def start(self, episodes):
        pass

    def act(self, sights):
        return [Decision(sight.stop) for sight in sights]


@pytest.fixture(scope="module")
def described(tmp_path_factory, tiny_world, tiny_folder):
    """The tiny world's folder, where every viewpoint is described: captions that name their heading and row, and one
    object in the middle of view 14."""
    folder = tmp_path_factory.mktemp("described")
    (folder / "connectivity").symlink_to(tiny_folder / "connectivity")
    (folder / "R2R").symlink_to(tiny_folder / "R2R")
    captions, places, found = [], [], []
    for node in range(len(tiny_world)):
        here = {"scan": tiny_world.scan(node), "viewpoint": str(tiny_world.viewpoints[node])}
        rows = [[f"{45 * n} {row}" for row in ("down", "level", "up")] for n in range(8)]
        rows[3][2] = ""
        captions.append(here | {"captions": rows})
        boxes = [[] for _ in range(36)]
        boxes[12] = [["lamp", 0.5, [310, 230, 330, 250], "a lamp"]]
        boxes[16] = [["sofa", 0.9, [310, 230, 330, 250], "a sofa"]]
        boxes[17] = [["sofa", 0.8, [35, 230, 55, 250], "a sofa"]]
        found.append(here | {"objects": boxes})
        chair = {"id": node, "name": "chair", "views": [14, 15], "boxes": [[310, 230, 20, 20], [0, 0, 10, 10]]}
        places.append(here | {"room": "dining_room" if node % 2 else "tv", "objects": [chair]})
    with gzip.open(folder / "captions.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in captions)
    (folder / "viewpoints.jsonl").write_text("".join(json.dumps(line) + "\n" for line in places))
    (folder / "langnav.jsonl").write_text("".join(json.dumps(line) + "\n" for line in found))
    return folder


@pytest.fixture(scope="module")
def sights(described):
    episodes = load_episodes("r2r", "val_unseen", described)
    return Walking(Reader(), episodes, scenes=Scenes(episodes.world, described, Reader.wants)).think()[0]


def test_sight_says_where_the_agent_is(sights):
    episodes = sights.episodes
    for row, sight in enumerate(sights):
        episode = episodes[row]
        assert (sight.episode, sight.instruction, sight.scan, sight.viewpoint) == (
            episode,
            episode.text,
            episode.scan,
            episode.start,
        )
        assert abs(math.remainder(sight.heading - episode.heading, 2 * math.pi)) <= math.pi / 12 + 1e-9
        assert sight.stop == len(sight.candidates)
    assert sights[-1].row == len(sights) - 1
    with pytest.raises(IndexError):
        sights[len(sights)]


def test_candidates_lie_where_the_graph_has_them(sights):
    world = sights.world
    for sight in sights:
        for candidate in sight.candidates:
            east, north, up = world.positions[candidate.node] - world.positions[sight.node]
            turned = math.remainder(sight.heading + candidate.heading - math.atan2(east, north), 2 * math.pi)
            assert turned == pytest.approx(0, abs=1e-5)
            assert -math.pi <= candidate.heading <= math.pi
            assert candidate.elevation == pytest.approx(math.atan2(up, math.hypot(east, north)), abs=1e-5)
            assert candidate.distance == pytest.approx(float(world.distance(sight.node, candidate.node)))
            assert candidate.viewpoint == world.viewpoints[candidate.node]


def test_captions_are_those_nearest_to_the_direction(sights):
    for sight in sights:
        for candidate in sight.candidates:
            absolute = math.degrees(sight.heading + candidate.heading) % 360
            said, row = candidate.captions[0].split()
            assert abs(math.remainder(float(said) - absolute, 360)) <= 22.5 + 1e-6
            expected = min(
                ("level", 0), ("down", -30), ("up", 30), key=lambda p: abs(p[1] - math.degrees(candidate.elevation))
            )
            assert row == expected[0] or (said, expected[0]) == ("135", "up")
        assert len(sight.captions) == 23, "an empty caption is none"
        for caption in sight.captions:
            absolute = math.degrees(sight.heading + caption.heading)
            assert math.remainder(absolute - float(caption.text.split()[0]), 360) == pytest.approx(0, abs=1e-6)


def test_detections_are_those_of_the_place_and_of_a_direction(sights):
    for sight in sights:
        assert [(one.name, one.confidence) for one in sight.detections] == [("sofa", 0.9), ("lamp", 0.5)], (
            "surest first"
        )
        for one, degrees in zip(sight.detections, (120, 0), strict=True):
            turned = math.remainder(math.degrees(one.heading + sight.heading) - degrees, 360)
            assert turned == pytest.approx(0, abs=1e-6)
        for candidate in sight.candidates:
            ahead = math.degrees(sight.heading) + math.degrees(candidate.heading)
            within = {name for name, at in (("sofa", 120), ("lamp", 0)) if abs(math.remainder(ahead - at, 360)) < 30}
            assert {one.name for one in candidate.detections} == within


def test_detections_in_boxes_lie_where_their_views_look():
    boxes = [[] for _ in range(36)]
    boxes[14] = [["chair", 0.4, [310, 230, 330, 250], "a chair"], ["bed", 0.9, [0, 230, 20, 250], "a bed"]]
    boxes[15] = [["chair", 0.3, [0, 230, 20, 250], "a chair"]]
    found = check_detections({"scan": "s", "viewpoint": "v", "objects": boxes}, "here").detections
    assert [one.name for one in found] == ["bed", "chair"], "the surest first, what two views show once"
    assert found[1].heading == pytest.approx(VIEW_HEADING[14])
    assert found[0].heading < found[1].heading


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "field 'objects' is missing or not a list of what a detector found in each of 36 views"),
        ({"detections": [[0, "sofa", 10, 1.5]]}, "field 'objects' is missing"),
        ({"objects": [[]]}, "field 'objects' is missing or not"),
        ({"objects": [[["sofa", 0.9, [1, 2, 3]]]] + [[]] * 35}, r"is not \[name, confidence, corners\]"),
        ({"objects": [[["sofa", float("nan"), [1, 2, 3, 4]]]] + [[]] * 35}, r"is not \[name, confidence, corners\]"),
        ({"objects": [[["s" * 300, 0.9, [1, 2, 3, 4]]]] + [[]] * 35}, "has more than 200 letters"),
    ],
)
def test_detections_that_are_none_are_refused(fields, said):
    with pytest.raises(InputError, match=said):
        check_detections({"scan": "s", "viewpoint": "v"} | fields, "here")


def test_objects_and_rooms_are_those_of_the_place(sights, tiny_world):
    def number(place):
        return tiny_world.node(sights.world.scan(place.node), place.viewpoint)

    for sight in sights:
        (chair,) = sight.objects
        assert (chair.name, chair.id) == ("chair", number(sight))
        turned = math.remainder(chair.heading + sight.heading - VIEW_HEADING[14], 2 * math.pi)
        assert turned == pytest.approx(0, abs=1e-6)
        assert chair.elevation == pytest.approx(0, abs=1e-6)
        assert sight.room == ("dining room" if number(sight) % 2 else "television room")
        for candidate in sight.candidates:
            shown = candidate.view in (14, 15)
            assert [thing.id for thing in candidate.objects] == ([number(sight)] if shown else [])
            assert candidate.room == ("dining room" if number(candidate) % 2 else "television room")


def test_candidates_on_a_map_are_described_from_where_they_were_seen(described, tiny_world):
    class OnMap(Reader):
        moves = "map"

        def act(self, sights):
            self.last = sights
            return [Decision(0 if sight.step < 2 else sight.stop) for sight in sights]

    policy = OnMap()
    episodes = load_episodes("r2r", "val_unseen", described)
    walk(policy, episodes, scenes=Scenes(episodes.world, described, policy.wants))
    remembered = 0
    for sight in policy.last:
        for candidate in sight.candidates:
            (place,) = [number for number, one in enumerate(sight.candidates) if one.node == candidate.node]
            seen_from = int(policy.last.seen.seen_from[sight.place, place])
            if seen_from != sight.node:
                remembered += 1
                east, north, _ = episodes.world.positions[candidate.node] - episodes.world.positions[seen_from]
                said = float(candidate.captions[0].split()[0])
                assert abs(math.remainder(said - math.degrees(math.atan2(east, north)), 360)) <= 22.5 + 1e-6
                there = tiny_world.node(sight.scan, str(episodes.world.viewpoints[seen_from]))
                assert [thing.id for thing in candidate.objects] == ([there] if candidate.view in (14, 15) else [])
    assert remembered


def test_agents_are_shown_only_what_they_say_they_want(described):
    class Blind(Reader):
        wants = ()

        def act(self, sights):
            return [Decision(0 if sight.captions else sight.stop) for sight in sights]

    episodes = load_episodes("r2r", "val_unseen", described)
    with pytest.raises(InputError, match=r"reads captions, but does not say so; write wants = \('captions',\)"):
        walk(Blind(), episodes)


@pytest.mark.parametrize(
    ("wants", "said"),
    [
        (("captions",), r"no file captions.jsonl\(.gz\) below it"),
        (("detections",), r"no file langnav.jsonl\(.gz\) below it"),
        (("rooms",), r"no file viewpoints.jsonl\(.gz\) below it"),
        (("images",), "no skyboxes of scan"),
        (("smells",), "there is no 'smells'; name some of captions, detections, images, objects, rooms"),
    ],
)
def test_scenes_refuse_what_is_not_there_before_anybody_walks(tiny_folder, tiny_world, wants, said):
    with pytest.raises(InputError, match=said):
        Scenes(tiny_world, tiny_folder, wants)


def test_direction_in_view_is_the_views_own_in_its_middle():
    assert direction_in_view(14, 320, 240) == (VIEW_HEADING[14], 0)
    heading, elevation = direction_in_view(14, 320, 0)
    assert (heading, elevation) == (VIEW_HEADING[14], pytest.approx(math.pi / 6))
    assert direction_in_view(26, 320, 240)[1] == pytest.approx(math.pi / 6)


def test_real_captions_speak_of_the_real_views(real_data):
    episodes = load_episodes("r2r", "val_unseen", real_data).select(np.arange(3))
    sights, _ = Walking(Reader(), episodes, scenes=Scenes(episodes.world, real_data, Reader.wants)).think()
    for sight in sights:
        assert len(sight.captions) == 24
        assert sight.room
        assert all(0 < one.confidence <= 1 for one in sight.detections)
        assert all(len(candidate.captions) == 3 for candidate in sight.candidates)


def test_pictures_are_drawn_where_a_folder_has_none(described, tmp_path, monkeypatch):
    """As for the homes that ship with the package: when an agent looks, and not before."""
    monkeypatch.setattr(scenes, "_offered", {})
    episodes, drawn = load_episodes("r2r", "val_unseen", described), []

    def draw(scan, viewpoint):
        drawn.append((scan, viewpoint))
        colours, _ = skybox_files(tmp_path, scan, viewpoint)
        colours.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((32, 6 * 32, 3), (200, 100, 50), dtype=np.uint8)).save(colours)

    scenes.offer_pictures(described, tmp_path, draw)
    known = Scenes(episodes.world, described, ["images"])
    assert not drawn
    node = int(episodes.reference_ends[0])
    pixels = known.image(node, 0.5, 0.0, width=64, height=48)
    assert drawn == [(episodes.world.scan(node), str(episodes.world.viewpoints[node]))]
    assert pixels.shape == (48, 64, 3)
    np.testing.assert_allclose(pixels.reshape(-1, 3).mean(axis=0), (200, 100, 50), atol=3)
