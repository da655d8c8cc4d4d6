"""Long walks out and back, described so that only an agent that remembers the way knows where they end.

"Go back to the room you started in", "return to the second door you went through", "walk through the house until you
see a piano, then go back to ...": the destination depends on the walk so far, not on what is in sight.
"""

from __future__ import annotations

from collections import defaultdict

from mtvm.homes.words.follower import remembered_rooms, returns, stances_after
from mtvm.homes.words.guide import Guide, Instruction, Tour
from mtvm.homes.words.language import write
from mtvm.homes.words.meaning import BackTo, Cross, Exit, Landmark, Meaning, Seek
from mtvm.homes.words.route import Scene
from mtvm.homes.words.speaker import LEVELS, is_clear
from mtvm.homes.words.stance import Stance, first_stance, legs_from, walked

STEPS = range(10, 21)
"""Number of moves of a journey."""

_OUTWARD = range(5, 11)
_TRIES = 6  # attempts per instruction
_MOST_WORDS = 62  # with punctuation, this fits into the 80 tokens that agents read
_SEEKING = 0.25  # share of journeys that start with a search
_HOMEWARD = 0.15  # share of attempts that end at the start; these succeed more often
_LEAST_FROM_START = 4.0  # metres from the start to the end of the others


def draw_journeys(guide: Guide, count: int) -> list[Tour]:
    """Up to `count` journeys, each with three instructions."""
    found: list[Tour] = []
    for _ in range(60 * count):
        tour = _journey(guide)
        if tour is not None:
            found.append(tour)
        if len(found) == count:
            break
    return found


def _journey(guide: Guide) -> Tour | None:
    scene, rng = guide.scene, guide.rng
    start = int(rng.integers(len(scene)))
    sought = _something(guide) if rng.random() < _SEEKING else None
    turn = _first_sight(scene, start, sought) if sought else int(rng.integers(len(scene)))
    if turn is None or len(scene.path(start, turn)) - 1 not in _OUTWARD:
        return None
    if scene.spots[start].place != "room" or scene.spots[turn].place != "room":
        return None  # in a doorway it is unclear which room is the first
    heading = guide.start_heading(scene.path(start, turn))
    first = first_stance(scene, start, heading)
    out = walked(scene, first, scene.path(start, turn))
    by_kind = _ways_back(guide, out)
    if sought:  # a search may take several paths, so its rooms cannot be referred to
        by_kind = {what: by_kind[what] for what in ("start", "first room") if what in by_kind}
    homeward = rng.random() < _HOMEWARD
    by_kind = {what: options for what, options in by_kind.items() if (what == "start") == homeward}
    for what in rng.permutation(sorted(by_kind)):
        options = by_kind[what]
        step, back = options[int(rng.integers(len(options)))]
        end = _onward(guide, back, step)
        if end is None or len(end.walk) - 1 not in STEPS:
            continue
        if not homeward and scene.graph.distances[start, end.node] < _LEAST_FROM_START:
            continue
        instructions = _instructions(guide, first, (out, sought), (step, back), end)
        if instructions is not None:
            return Tour(end.walk, heading, instructions, via=(turn,))
    return None


def _something(guide: Guide) -> Landmark | None:
    """A thing that occurs only once in the home."""
    things = guide.scene.home.things
    kinds = [thing.kind for thing in things]
    single = [kind for kind in sorted(set(kinds)) if kinds.count(kind) == 1]
    return Landmark(single[int(guide.rng.integers(len(single)))]) if single else None


def _first_sight(scene: Scene, start: int, landmark: Landmark) -> int | None:
    """The node at which a search from `start` first sees the landmark."""
    after = stances_after((Seek(landmark),), scene, first_stance(scene, start, 0.0))
    return after[0].node if len(after) == 1 else None


def _ways_back(guide: Guide, out: Stance) -> dict[str, list[tuple[BackTo, Stance]]]:
    """Every unambiguous way to go back, by kind, with the stance that it leads to."""
    scene = guide.scene
    rooms = list(dict.fromkeys(out.rooms))
    doors = [opening for opening in out.taken if scene.home.openings[opening].kind == "door"]
    steps = [BackTo("start"), BackTo("first room")]
    steps += [BackTo("room", number=n) for n in range(1, len(rooms))]
    steps += [BackTo("doorway", number=n) for n in range(1, len(doors) + 1)]
    kinds = [room.kind for room in scene.rooms]
    steps += [BackTo("room of kind", kind=kinds[room]) for room in rooms[1:-1] if kinds.count(kinds[room]) > 1]
    for node in out.walk:
        names = (guide.speaker.name(node, s, adjective=0.5) for s in scene.clear_sights(node) if s.what == "thing")
        steps += [BackTo("room with", landmark=name) for name in names if name is not None]
    by_kind: defaultdict[str, list[tuple[BackTo, Stance]]] = defaultdict(list)
    for step in dict.fromkeys(steps):
        if step.what.startswith("room") and len(remembered_rooms(scene, out, step)) != 1:
            continue
        ends = list(returns(scene, out, step))
        if len(ends) == 1 and len(ends[0].walk) > len(out.walk):
            by_kind[step.what].append((step, ends[0]))
    return by_kind


def _onward(guide: Guide, back: Stance, step: BackTo) -> Stance | None:
    """Where the journey ends: right after going back, elsewhere in that room, or through a door not taken before."""
    scene, rng = guide.scene, guide.rng
    if step.what in ("start", "doorway"):
        return back
    goals = list(scene.room_nodes[back.room])
    fresh = [way for way in scene.ways[back.room] if way.opening not in back.taken and way.opening != back.through]
    if fresh and rng.random() < 0.4:
        way = fresh[int(rng.integers(len(fresh)))]
        goals = scene.room_nodes[way.room]
    if not goals:
        return None
    return walked(scene, back, scene.path(back.node, goals[int(rng.integers(len(goals)))]))


def _instructions(
    guide: Guide, first: Stance, out: tuple[Stance, Landmark | None], back: tuple[BackTo, Stance], end: Stance
) -> tuple[Instruction, ...] | None:
    """Three instructions for a journey, each checked with a follower that remembers the walk."""
    instructions: dict[str, Instruction] = {}
    for number in range(3 * _TRIES):
        if number == _TRIES and not instructions:
            return None
        level = min(len(instructions) // 2 + number // _TRIES, len(LEVELS) - 1)
        meaning = _meaning(guide, first, out, back, end, level)
        if meaning is None or not is_clear(guide.scene, meaning, first, end.walk):
            continue
        text = write(meaning, guide.rng)
        if len(text.split()) <= _MOST_WORDS:
            instructions.setdefault(text, Instruction(meaning, text))
        if len(instructions) == 3:
            return tuple(instructions.values())
    return None


def _meaning(
    guide: Guide,
    first: Stance,
    out: tuple[Stance, Landmark | None],
    back: tuple[BackTo, Stance],
    end: Stance,
    level: int,
) -> Meaning | None:
    turned, sought = out
    step, returned = back
    outward: Meaning | None = (Seek(sought),) if sought is not None else None
    if outward is None:
        legs = legs_from(guide.scene, first, turned.walk)
        outward = guide.speaker.tell(legs, LEVELS[level], stop=False) if legs else None
    if outward is None or step.what in ("start", "doorway"):
        return None if outward is None else (*outward, step)
    legs = legs_from(guide.scene, returned, end.walk[len(returned.walk) - 1 :])
    onward = guide.speaker.tell(legs, LEVELS[min(level, 1)]) if legs else None
    if onward is None:
        return None
    return (*outward, step, *(_by_the_untaken(guide, returned, onward)))


def _by_the_untaken(guide: Guide, stance: Stance, onward: Meaning) -> Meaning:
    """`onward`, with its first exit described as the door not taken before, if there is exactly one such door."""
    ways = {way.opening for way in guide.scene.ways[stance.room]}
    fresh = ways - {*stance.taken, stance.through}
    if len(fresh) != 1 or not isinstance(onward[0], Cross) or guide.rng.random() < 0.3:
        return onward
    (opening,) = fresh
    kind = guide.scene.home.openings[opening].kind
    return (Cross(Exit(kind=kind, untaken=True)), *onward[1:])
