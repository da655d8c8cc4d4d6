"""A follower that knows only the meaning of an instruction, and takes every walk that the meaning allows.

Speakers are strict (they say "left" only if everyone would call it left) and followers are lenient, so a meaning that
takes the follower to a single node is unambiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mtvm.homes.words.meaning import (
    Amid,
    BackTo,
    Before,
    Beside,
    Between,
    Climb,
    Cross,
    Exit,
    Face,
    FarEnd,
    Go,
    InDoorway,
    InRoom,
    JustInside,
    Landmark,
    Meaning,
    Middle,
    OnStairs,
    Pass,
    Place,
    See,
    Seek,
    StairsEnd,
    Step,
    Stop,
    Turn,
)
from mtvm.homes.words.route import Scene, Sight, snap, turn_between
from mtvm.homes.words.stance import Stance, first_stance, passing, sights_of, stays_in, through, walked

Manner = tuple[Turn | Face | Pass | Between, ...]
"""How to do the next walk."""

MOST_STANCES = 48
"""A meaning that allows more stances than this is given up."""

_BENDS = {
    "left": (-155, -20),
    "right": (20, 155),
    "ahead": (-45, 45),
    "slightly left": (-75, -8),
    "slightly right": (8, 75),
}
_SIGHT_SIDES = {"left": (-150, -20), "right": (20, 150), "ahead": (-50, 50)}
_PASSING_DISTANCE = 3.2
_NEARLY = 0.35  # metres by which another node may be farther and still be mistaken for the nearest


def follow(meaning: Meaning, scene: Scene, start: int, heading: float) -> set[int]:
    """The nodes at which a follower may end."""
    return {stance.node for stance in stances_after(meaning, scene, first_stance(scene, start, heading))}


def satisfied_by(meaning: Meaning, scene: Scene, walk: Sequence[int], heading: float) -> bool:
    """Whether a walk agrees with the meaning."""
    first = first_stance(scene, walk[0], heading)
    return any(stance.walk == tuple(walk) for stance in stances_after(meaning, scene, first, tuple(walk)))


def stances_after(
    meaning: Meaning, scene: Scene, first: Stance, along: tuple[int, ...] | None = None, wonder: bool = True
) -> list[Stance]:
    """All stances after carrying out a meaning; with `along`, only those whose walk is a prefix of it; without
    `wonder`, none if a step leaves open which exit of a room is meant."""
    stances, manner = [first], Manner()
    for step in meaning:
        if isinstance(step, Turn | Face | Pass | Between):
            manner = (*manner, step)
            continue
        after = [new for stance in stances for new in carry_out(scene, stance, step, manner)]
        if along is not None:
            after = [stance for stance in after if stance.walk == along[: len(stance.walk)]]
        stances, manner = list(dict.fromkeys(after)), ()
        in_doubt = isinstance(step, Cross) and len({stance.through for stance in stances}) > 1
        if len(stances) > MOST_STANCES or (in_doubt and not wonder):
            return []
    return stances


def carry_out(scene: Scene, stance: Stance, step: Step, manner: Manner) -> list[Stance]:
    """Every stance that one step may lead to."""
    if isinstance(step, See):
        return [stance] if _in_sight(scene, stance, step) else []
    if isinstance(step, Cross):
        legs = _crossings(scene, stance, step.exit, manner)
    elif isinstance(step, Climb):
        legs = _climbs(scene, stance, step.up)
    elif isinstance(step, Go | Stop):
        legs = _walks_to(scene, stance, step.place, manner, may_stay=isinstance(step, Stop) and not manner)
    elif isinstance(step, Seek):
        legs = _walks_until_seen(scene, stance, step.landmark)
    elif isinstance(step, BackTo):
        legs = returns(scene, stance, step)
    else:
        raise TypeError(f"not a step that walks: {step}")
    return [leg for leg in legs if _walked_so(scene, stance, leg.walk[len(stance.walk) - 1 :], manner)]


def facing(scene: Scene, stance: Stance, nodes: Sequence[int], manner: Manner) -> float:
    """The heading when setting out: unchanged, or after a turn, the direction of walking."""
    turned = any(isinstance(how, Turn | Face) for how in manner)
    return scene.first_heading(nodes) if turned and len(nodes) > 1 else stance.heading


def is_meant(scene: Scene, stance: Stance, opening: int, said: Exit, looking: float, leg: Sequence[int]) -> bool:
    """Whether an opening of the current room can be the exit that was mentioned."""
    way, beyond = scene.home.openings[opening], scene.across(opening, stance.room)
    if said.leads_to not in (None, scene.rooms[beyond].kind) or said.kind not in (None, way.kind):
        return False
    if said.untaken and opening in stance.taken:
        return False
    if said.side is not None and said.side not in scene.sides(stance.node, stance.room, opening, looking)[2]:
        return False
    if said.ordinal is not None and said.side is not None:
        there = scene.in_order(stance.node, stance.room, looking, said.side, way.kind, stance.through)
        if opening not in there or there.index(opening) + 1 != said.ordinal:
            return False
    if said.beside is not None:
        beside = sights_of(scene, leg, said.beside)
        if not any(math.hypot(sight.x - way.x, sight.y - way.y) <= 2.0 for sight in beside):
            return False
    return said.showing is None or any(s.room == beyond for s in sights_of(scene, leg[-2:], said.showing))


def _crossings(scene: Scene, stance: Stance, said: Exit, manner: Manner) -> Iterable[Stance]:
    for way in scene.ways[stance.room]:
        nodes = scene.path(stance.node, way.node)
        if way.opening == stance.through or len(nodes) == 1:
            continue
        last = ("room", stance.room) if way.node in scene.doorways[way.opening] else ("opening", way.opening)
        if not stays_in(scene, stance.room, nodes[:-1]) or scene.zone(*nodes[-2:]) != last:
            continue
        looking = snap(facing(scene, stance, nodes, manner))
        if is_meant(scene, stance, way.opening, said, looking, nodes):
            leg = walked(scene, stance, nodes)
            yield leg if leg.room == way.room else through(scene, leg, way.opening)


def _climbs(scene: Scene, stance: Stance, up: bool) -> Iterable[Stance]:
    for stairs in scene.home.stairs:
        foot, top = stairs.rooms if up else stairs.rooms[::-1]
        if scene.spots[stance.node].stairs != stairs.index and stance.room != foot:
            continue
        for node in scene.landings(stairs.index, top):
            nodes = scene.path(stance.node, node)
            if _takes_stairs(scene, stance, nodes, stairs.index):
                yield walked(scene, stance, nodes)


def _takes_stairs(scene: Scene, stance: Stance, nodes: Sequence[int], stairs: int) -> bool:
    """Whether a path stays in the room until it reaches the flight of stairs, then takes it."""
    zones = [scene.zone(a, b) for a, b in pairwise(nodes)]
    flight = zones.count(("stairs", stairs))
    before = len(zones) - flight
    return flight > 0 and zones == [("room", stance.room)] * before + [("stairs", stairs)] * flight


def _walks_to(scene: Scene, stance: Stance, place: Place, manner: Manner, may_stay: bool) -> Iterable[Stance]:
    for node in _candidates(scene, stance, place):
        nodes = scene.path(stance.node, node)
        if isinstance(place, OnStairs):
            steps = scene.spots[node].stairs
            if len(nodes) > 1 and steps is not None and _takes_stairs(scene, stance, nodes, steps):
                yield walked(scene, stance, nodes)
        elif (len(nodes) > 1 or may_stay) and stays_in(scene, stance.room, nodes):
            looking = snap(facing(scene, stance, nodes, manner))
            if is_at(scene, stance, nodes, place, looking):
                yield walked(scene, stance, nodes)


def _candidates(scene: Scene, stance: Stance, place: Place) -> list[int]:
    if isinstance(place, InDoorway):
        return [node for way in scene.openings[stance.room] if way != stance.through for node in scene.doorways[way]]
    if isinstance(place, OnStairs):
        end = 0 if place.up else 1
        flights = [s.index for s in scene.home.stairs if s.rooms[end] == stance.room]
        return [node for flight in flights for node in scene.steps[flight]]
    return scene.room_nodes[stance.room]


def is_at(scene: Scene, stance: Stance, leg: Sequence[int], place: Place, looking: float) -> bool:
    """Whether the last node of a walk within the room can be the place that was mentioned."""
    room, node = scene.rooms[stance.room], leg[-1]
    if isinstance(place, Beside):
        return any(is_beside(scene, node, sight, _NEARLY) for sight in sights_of(scene, leg, place.landmark))
    if isinstance(place, Amid):
        pairs = ((a, b) for a in sights_of(scene, leg, place.first) for b in sights_of(scene, leg, place.second))
        return any(is_amid(scene, node, a, b, 2.2) for a, b in pairs)
    if isinstance(place, InDoorway):
        opening = scene.spots[node].opening
        return opening is not None and is_meant(scene, stance, opening, place.exit, looking, leg)
    if isinstance(place, Before):
        return any(
            is_meant(scene, stance, opening, place.exit, looking, leg)
            for opening in scene.openings[stance.room]
            if opening != stance.through and is_nearest(scene, node, stance.room, *scene.centre(opening), _NEARLY)
        )
    if isinstance(place, JustInside):
        return stance.through is not None and is_nearest(
            scene, node, stance.room, *scene.centre(stance.through), 2 * _NEARLY
        )
    if isinstance(place, FarEnd):
        return place.kind == room.kind and is_far_end(scene, leg, stance.room, looking, _NEARLY)
    if isinstance(place, Middle):
        return place.kind == room.kind and is_nearest(scene, node, stance.room, *room.centre, _NEARLY)
    if isinstance(place, StairsEnd):
        ends = scene.stairs_ends(stance.room, place.end)
        return any(is_nearest(scene, node, stance.room, x, y, _NEARLY) for x, y in ends)
    return isinstance(place, InRoom) and place.kind == room.kind


def is_nearest(scene: Scene, node: int, room: int, x: float, y: float, slack: float) -> bool:
    """Whether no other node of a room is closer to a point by more than `slack`."""
    gaps = [math.hypot(x - scene.xy[one][0], y - scene.xy[one][1]) for one in (node, *scene.room_nodes[room])]
    return gaps[0] <= min(gaps) + slack


def is_beside(scene: Scene, node: int, sight: Sight, slack: float) -> bool:
    """Whether a node is next to something, and within `slack` of being the nearest to it in the room."""
    if sight.room != scene.spots[node].room:
        return False
    gap = scene.gap(node, sight)
    return gap <= 1.6 + slack and gap <= min(scene.gap(n, sight) for n in scene.room_nodes[sight.room]) + slack


def is_amid(scene: Scene, node: int, first: Sight, second: Sight, within: float) -> bool:
    if first.same(second) or max(scene.gap(node, first), scene.gap(node, second)) > within:
        return False
    apart = turn_between(scene.heading_to(node, first.x, first.y), scene.heading_to(node, second.x, second.y))
    return abs(apart) > math.radians(110)


def is_far_end(scene: Scene, leg: Sequence[int], room: int, looking: float, slack: float) -> bool:
    """Whether a walk is long enough and ends as far as the room allows in the direction `looking`."""
    reach = [
        x * math.sin(looking) + y * math.cos(looking) for x, y in map(scene.xy.__getitem__, scene.room_nodes[room])
    ]
    x, y = scene.xy[leg[-1]]
    there = x * math.sin(looking) + y * math.cos(looking)
    return there >= max(reach) - slack and scene.distances[leg[0]][leg[-1]] >= 2.0


def _in_sight(scene: Scene, stance: Stance, step: See) -> bool:
    for sight in sights_of(scene, [stance.node], step.landmark):
        angle = math.degrees(turn_between(stance.heading, sight.heading))
        low, high = _SIGHT_SIDES.get(step.side, (115, 180))
        if low <= (abs(angle) if step.side == "behind" else angle) <= high:
            return True
    return False


def _walked_so(scene: Scene, stance: Stance, nodes: Sequence[int], manner: Manner) -> bool:
    """Whether a walk from a stance agrees with the manner."""
    if manner and len(nodes) < 2:
        return False
    for how in manner:
        if isinstance(how, Turn):
            angle = math.degrees(turn_between(stance.heading, scene.first_heading(nodes)))
            low, high = _BENDS.get(how.bend, (120, 180))
            if not low <= (abs(angle) if how.bend == "around" else angle) <= high:
                return False
        elif isinstance(how, Face):
            there = sights_of(scene, nodes[:1], how.landmark)
            if not any(abs(turn_between(s.heading, scene.first_heading(nodes))) <= math.radians(40) for s in there):
                return False
        elif isinstance(how, Pass):
            if not _passed(scene, nodes, how.landmark, how.side):
                return False
        elif not any(
            _passed(scene, nodes, how.first, one) and _passed(scene, nodes, how.second, other)
            for one, other in (("left", "right"), ("right", "left"))
        ):
            return False
    return True


def _passed(scene: Scene, nodes: Sequence[int], landmark: Landmark, side: str | None) -> bool:
    for sight in sights_of(scene, nodes[:-1], landmark):
        how = passing(scene, nodes, sight.x, sight.y)
        if how is None or how.distance > _PASSING_DISTANCE or how.margin < 0.1:
            continue
        if side is None or (how.offset > -_NEARLY if side == "right" else how.offset < _NEARLY):
            return True
    return False


def _walks_until_seen(scene: Scene, stance: Stance, landmark: Landmark) -> Iterable[Stance]:
    """Walks to the nearest node from which the landmark is in clear sight."""
    from_here = scene.distances[stance.node]
    there = [n for n in range(len(scene)) if any(s.clear and s.fits(landmark) for s in scene.sights[n])]
    if not there or stance.node in there:
        return
    nearest = min(from_here[node] for node in there)
    for node in there:
        if from_here[node] <= nearest + _NEARLY:
            yield walked(scene, stance, scene.path(stance.node, node))


def returns(scene: Scene, stance: Stance, step: BackTo) -> Iterable[Stance]:
    """Walks back along the shortest path to what the step refers to."""
    if step.what == "start":
        yield walked(scene, stance, scene.path(stance.node, stance.walk[0]))
    elif step.what == "doorway":
        doors = [opening for opening in stance.taken if scene.home.openings[opening].kind == "door"]
        for opening in doors[step.number - 1 : step.number]:
            for node in scene.doorways[opening]:
                yield walked(scene, stance, scene.path(stance.node, node))
    else:
        for room in remembered_rooms(scene, stance, step):
            if room != stance.room:
                yield enter_room(scene, stance, room)


def remembered_rooms(scene: Scene, stance: Stance, step: BackTo) -> list[int]:
    """The rooms of the walk so far that the step may refer to."""
    rooms = list(dict.fromkeys(stance.rooms))
    if step.what == "first room":
        rooms = rooms[:1]
    elif step.what == "room":
        rooms = rooms[step.number : step.number + 1]
    elif step.what == "room with" and step.landmark is not None:
        sights = sights_of(scene, stance.walk, step.landmark)
        rooms = [room for room in rooms if any(sight.room == room for sight in sights)]
    return [room for room in rooms if step.kind in (None, scene.rooms[room].kind)]


def enter_room(scene: Scene, stance: Stance, room: int) -> Stance:
    """The stance after entering a room along the shortest path."""
    inside = min(scene.room_nodes[room], key=lambda node: scene.distances[stance.node][node])
    nodes = scene.path(stance.node, inside)
    last = len(nodes) - 1
    while last > 0 and scene.zone(nodes[last - 1], nodes[last]) == ("room", room):
        last -= 1
    after = walked(scene, stance, nodes[: last + 1])
    opening = scene.spots[after.node].opening
    return after if after.room == room or opening is None else through(scene, after, opening)
