import math

import pytest
from handmade import handmade_scene, standing

from mtvm.homes.words.follower import follow, satisfied_by, stances_after
from mtvm.homes.words.meaning import (
    BackTo,
    Beside,
    Climb,
    Cross,
    Exit,
    FarEnd,
    Go,
    InDoorway,
    InRoom,
    JustInside,
    Landmark,
    OnStairs,
    Pass,
    See,
    Seek,
    StairsEnd,
    Stop,
    Turn,
)
from mtvm.homes.words.stance import first_stance, legs_of, walked

NORTH, EAST, SOUTH, WEST = 0.0, math.pi / 2, math.pi, 3 * math.pi / 2
HALL, LIVING, KITCHEN, BEDROOM, BATHROOM, OFFICE, ENTRYWAY, UPSTAIRS, UPPER_BEDROOM = range(9)


@pytest.fixture(scope="module")
def scene():
    return handmade_scene()


def rooms_at_end(scene, meaning, start, heading):
    return {stance.room for stance in stances_after(meaning, scene, first_stance(scene, start, heading))}


def test_scene_zone_is_defined_for_every_edge(scene):
    zones = {scene.zone(a, b)[0] for a in range(len(scene)) for b in scene.neighbours[a]}
    assert zones == {"room", "opening", "stairs"}


def test_follow_counts_doors_on_their_side(scene):
    start = standing(scene, HALL, 5, 0.5)
    doors = {
        number: rooms_at_end(scene, (Cross(Exit(kind="door", side="right", ordinal=number)),), start, NORTH)
        for number in (1, 2, 3, 4)
    }
    assert doors == {1: {BEDROOM}, 2: {BATHROOM}, 3: {OFFICE}, 4: set()}
    assert rooms_at_end(scene, (Cross(Exit(kind="door", side="left")),), start, NORTH) == {KITCHEN}
    assert rooms_at_end(scene, (Cross(Exit(kind="door", side="ahead")),), start, NORTH) == {ENTRYWAY}


def test_follow_takes_sides_relative_to_the_heading(scene):
    start = standing(scene, HALL, 5, 11)
    assert rooms_at_end(scene, (Cross(Exit(kind="door", side="left", ordinal=1)),), start, SOUTH) == {OFFICE}
    assert rooms_at_end(scene, (Cross(Exit(kind="door", side="right")),), start, SOUTH) == {KITCHEN}


def test_follow_turns_on_leaving_a_room(scene):
    start = standing(scene, BATHROOM, 8, 6)
    leave = Cross(Exit(leads_to="hallway"), leaving="bathroom")
    left = follow((leave, Turn("left"), Stop(FarEnd("hallway"))), scene, start, WEST)
    right = follow((leave, Turn("right"), Stop(FarEnd("hallway"))), scene, start, WEST)
    assert left == {standing(scene, HALL, 5, 0)}
    assert right == {standing(scene, HALL, 5, 12)}


def test_follow_goes_nowhere_if_a_landmark_is_absent(scene):
    start = standing(scene, LIVING, 0, 1)
    assert follow((Stop(Beside(Landmark("sofa", "red"))),), scene, start, NORTH)
    assert follow((Stop(Beside(Landmark("sofa", "blue"))),), scene, start, NORTH) == set()
    assert follow((Stop(Beside(Landmark("bathtub"))),), scene, start, NORTH) == set()
    assert follow((See(Landmark("piano"), "behind"), Stop(InRoom("living room"))), scene, start, EAST)
    assert not follow((See(Landmark("piano"), "ahead"), Stop(InRoom("living room"))), scene, start, EAST)


def test_follow_distinguishes_landmarks_by_adjective(scene):
    start = standing(scene, LIVING, 1, 2)
    both = follow((Stop(Beside(Landmark("armchair"))),), scene, start, NORTH)
    blue = follow((Stop(Beside(Landmark("armchair", "blue"))),), scene, start, NORTH)
    grey = follow((Stop(Beside(Landmark("armchair", "grey"))),), scene, start, NORTH)
    assert blue
    assert grey
    assert blue.isdisjoint(grey)
    assert both == blue | grey


def test_follow_checks_the_side_of_passed_landmarks(scene):
    start, end = standing(scene, HALL, 5, 0.5), standing(scene, HALL, 5, 11)
    walk = scene.path(start, end)
    stop = Stop(FarEnd("hallway"))
    assert satisfied_by((Pass(Landmark("painting", "red"), "left"), stop), scene, walk, NORTH)
    assert not satisfied_by((Pass(Landmark("painting", "red"), "right"), stop), scene, walk, NORTH)
    assert not satisfied_by((Pass(Landmark("bathtub")), stop), scene, walk, NORTH)


def test_follow_climbs_stairs(scene):
    start = standing(scene, ENTRYWAY, 5, 13)
    top = follow((Climb(up=True), Stop(StairsEnd("top"))), scene, start, NORTH)
    assert top == {standing(scene, UPSTAIRS, 5, 16.6)}
    assert follow((Stop(OnStairs(up=True)),), scene, start, NORTH) == set(scene.steps[0])
    assert follow((Climb(up=False), Stop(InRoom("entryway"))), scene, start, NORTH) == set()


def test_follow_stops_in_a_doorway_and_just_inside(scene):
    start = standing(scene, HALL, 5, 5)
    (doorway,) = follow((Stop(InDoorway(Exit(leads_to="bathroom"))),), scene, start, NORTH)
    assert scene.spots[doorway].opening == 4
    inside = follow((Cross(Exit(leads_to="bathroom")), Stop(JustInside())), scene, start, NORTH)
    assert {scene.spots[node].room for node in inside} == {BATHROOM}


def test_follow_returns_to_places_of_the_walk(scene):
    start = standing(scene, BEDROOM, 8, 2)
    out = (Cross(Exit(leads_to="hallway")), Cross(Exit(leads_to="kitchen")), Go(Beside(Landmark("fridge"))))
    assert follow((*out, BackTo("start")), scene, start, WEST) == {start}
    assert rooms_at_end(scene, (*out, BackTo("first room")), start, WEST) == {BEDROOM}
    assert rooms_at_end(scene, (*out, BackTo("room", number=1)), start, WEST) == {HALL}
    second_door = follow((*out, BackTo("doorway", number=2)), scene, start, WEST)
    assert [scene.spots[node].opening for node in second_door] == [2]
    elsewhere = standing(scene, OFFICE, 8, 9)
    assert rooms_at_end(scene, (*out, BackTo("first room")), elsewhere, WEST) == {OFFICE}


def test_follow_takes_the_untaken_door(scene):
    start = standing(scene, LIVING, 1, 2)
    meaning = (
        Cross(Exit(leads_to="kitchen")),
        Go(Beside(Landmark("fridge"))),
        BackTo("first room"),
        Cross(Exit(kind="passage", untaken=True)),
    )
    assert rooms_at_end(scene, meaning, start, NORTH) == {HALL}


def test_follow_ends_a_search_at_first_sight(scene):
    start = standing(scene, BEDROOM, 8, 2)
    (found,) = follow((Seek(Landmark("fridge")),), scene, start, WEST)
    assert any(sight.kind == "fridge" for sight in scene.clear_sights(found))


def test_legs_of_splits_paths_where_rooms_end(scene):
    start, goal = standing(scene, BEDROOM, 8, 2), standing(scene, UPPER_BEDROOM, 1, 18)
    path = scene.path(start, goal)
    legs = legs_of(scene, path, WEST)
    ends = [(leg.end, leg.index) for leg in legs]
    assert ends == [("opening", 3), ("opening", 6), ("stairs", 0), ("opening", 7), ("stop", -1)]
    assert walked(scene, legs[0].stance, path).rooms == (BEDROOM, HALL, ENTRYWAY, UPSTAIRS, UPPER_BEDROOM)
    together = [node for leg in legs for node in leg.nodes[1:]]
    assert (start, *together) == path


def test_stances_after_rejects_ambiguous_doors_without_wonder(scene):
    start = standing(scene, HALL, 5, 5)
    first = first_stance(scene, start, NORTH)
    assert stances_after((Cross(Exit(kind="door")),), scene, first, wonder=False) == []
    assert len(stances_after((Cross(Exit(kind="door")),), scene, first)) > 1
