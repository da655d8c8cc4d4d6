"""Words on a drawing go where they cover least."""

import pytest

from mtvm.viewer.labels import Labels, around, box_of, length_inside, shared
from mtvm.viewer.maps import MapOptions, draw_map


def test_shared_area():
    assert shared((0, 0, 4, 4), (2, 1, 9, 3)) == 4
    assert shared((0, 0, 4, 4), (4, 0, 9, 4)) == 0


def test_a_word_goes_to_the_first_free_spot():
    labels, spots = Labels((0, 0, 100, 100)), around((50, 50), 8, 10)
    assert [labels.place("word", 10, spots) for _ in range(4)] == spots


def test_a_word_goes_neither_over_a_mark_nor_outside():
    labels = Labels((0, 0, 100, 100))
    labels.take((70, 50), 8)
    assert labels.place("word", 10, around((50, 50), 5, 10))[1] == "end"
    assert labels.place("word", 10, around((95, 20), 5, 10))[1] == "end"


def test_a_word_avoids_lines_where_it_has_the_choice():
    labels = Labels((0, 0, 100, 100))
    labels.cross((50, 50), (90, 50))
    assert labels.place("word", 10, around((50, 50), 8, 10))[1] == "end"
    labels.cross((10, 50), (50, 50), (50, 10))
    labels.cross((50, 50), (50, 90))
    assert labels.place("word", 10, [((60, 50), "start")]) == ((60, 50), "start")


def test_length_of_a_line_inside():
    box = (0, 0, 10, 4)
    assert length_inside(box, (-5, 2), (5, 2)) == 5
    assert length_inside(box, (5, -3), (5, 9)) == 4
    assert length_inside(box, (11, -3), (11, 9)) == length_inside(box, (-5, 5), (20, 5)) == 0
    assert length_inside(box, (-4, -4), (4, 4)) == pytest.approx(4 * 2**0.5)


def test_shares_of_candidates_cover_no_candidate(state):
    """On every map of the first source, a share lies beside the marks and not on one."""
    source = state.sources[0]
    buildings = state.buildings(source.folder)
    for identity in source.episodes.ids:
        walk = source.walk(identity)
        for event in walk.events:
            shapes = draw_map(buildings, walk, MapOptions(step=event.step)).shapes
            marks = [shape.points[0] for shape in shapes if shape.look in ("candidate-mark", "chosen-mark")]
            words = [shape.points[0] for shape in shapes if shape.text.endswith("%")]
            assert all(abs(x - mx) > 1 or abs(y - my) > 8 for x, y in words for mx, my in marks)


def test_the_name_of_a_room_covers_no_start(state, monkeypatch):
    source = state.sources[0]
    walks = map(source.walk, source.episodes.ids)
    buildings, walk = (
        state.buildings(source.folder),
        next(one for one in walks if one.events[-1].viewpoint != one.viewpoints[0]),
    )
    names = buildings.world(walk.scan).viewpoints.tolist()
    rooms = ["bedroom" if name == walk.viewpoints[0] else None for name in names]
    monkeypatch.setattr(buildings, "rooms", lambda scan: rooms)
    shapes = draw_map(buildings, walk).shapes
    ((x, y),) = [shape.points[0] for shape in shapes if shape.look == "start"]
    (word,) = [shape for shape in shapes if shape.look == "room"]
    box = box_of(word.text, word.size[0], (word.points[0], word.anchor))
    assert shared(box, (x, y, x + 12, y + 12)) < 12, "next to nothing of it"
