"""Live walks of an agent that acts on a map."""

from mtvm.tasks.data import DataFolder
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.sessions import Session, load_live


def test_a_live_walk_is_that_of_the_evaluation(map_source, data):
    buildings, went_back = Buildings(DataFolder(data)), 0
    for row in range(len(map_source.episodes)):
        episode, wanted = map_source.episodes[row], map_source.events(row)
        start = (episode.scan, episode.reference[0], episode.heading)
        session = Session(load_live(map_source.live), episode.text, buildings, start)
        for event in wanted:
            thought = session.events[-1]
            assert (thought.viewpoint, thought.candidates, thought.action) == (
                event.viewpoint,
                event.candidates,
                event.action,
            )
            session.act()
            assert session.events[event.step].way == event.way
            went_back += event.way is not None
    assert went_back, "some of these walks go back, so that this is tested"
