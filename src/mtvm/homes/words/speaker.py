"""From a path to the meaning of an instruction, using only what the agent can see along the way.

A thing is mentioned only where it is in clear sight, with enough adjectives to be unambiguous there.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from mtvm.homes.plan.catalogue import KINDS
from mtvm.homes.words.follower import Manner, facing, is_amid, is_beside, is_far_end, is_nearest, stances_after
from mtvm.homes.words.meaning import (
    Amid,
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
    StairsEnd,
    Step,
    Stop,
    Turn,
    landmarks_of,
)
from mtvm.homes.words.route import Scene, Sight, snap, turn_between
from mtvm.homes.words.stance import Leg, Stance, bend_of, passing, side_of, walked

SUCCESS_RADIUS = 3.0

_PLAIN_MATERIALS = {"wood", "leather", "metal", "glass", "marble", "brick"}
_COLOURLESS_KINDS = {"mirror", "potted plant", "shower", "window", "stairs", "toilet", "bathtub", "washbasin"}


@dataclasses.dataclass(frozen=True, slots=True)
class Detail:
    """How much a speaker says: the probability of each kind of detail where it is available."""

    turn: float
    straight: float
    leaving: float
    entering: float
    way: float
    passing: float
    sight: float
    waypoint: float
    adjective: float


LEVELS = (  # from terse to complete; values in the order of the fields
    Detail(0.4, 0.05, 0.45, 0.7, 0.2, 0.1, 0.0, 0.1, 0.15),
    Detail(0.55, 0.1, 0.45, 0.75, 0.35, 0.22, 0.07, 0.2, 0.25),
    Detail(0.65, 0.15, 0.45, 0.8, 0.5, 0.4, 0.15, 0.35, 0.35),
    Detail(0.95, 0.4, 0.5, 0.95, 0.9, 0.5, 0.2, 0.6, 0.4),
)


class Speaker:
    """Describes paths through one home."""

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng

    def tell(self, legs: Sequence[Leg], detail: Detail, stop: bool = True) -> Meaning | None:
        """The meaning of an instruction for a path, given as legs; None if its end cannot be named."""
        steps: list[Step] = []
        for number, leg in enumerate(legs):
            if self._chance(detail.sight if number else detail.sight / 2):
                steps += self._sight(leg.stance, detail)
            stance, nodes = leg.stance, leg.nodes
            bend = self._bend_in(nodes) if self._chance(detail.waypoint) else None
            landmark = self._beside(nodes[bend], detail) if bend is not None else None
            if bend is not None and landmark is not None:
                steps += [*self._manner(stance, nodes[: bend + 1], detail, landmark), Go(Beside(landmark))]
                stance, nodes = walked(self.scene, stance, nodes[: bend + 1]), nodes[bend:]
            if leg.end == "opening":
                steps += self._crossing(stance, nodes, leg.index, detail, landmark)
            elif leg.end == "stairs":
                manner = self._turn(stance, nodes, detail)
                steps += [*manner, Climb(self._rises(nodes))]
            elif (last := self._ending(stance, nodes, detail, stop, landmark)) is not None:
                steps += last
            else:
                return None
        return _without_echoes(steps)

    def _chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _rises(self, nodes: Sequence[int]) -> bool:
        return self.scene.spots[nodes[-1]].z > self.scene.spots[nodes[0]].z

    def name(self, node: int, sight: Sight, adjective: float) -> Landmark | None:
        """A description that fits nothing else in sight at a node; None if there is none."""
        rivals = [other for other in self.scene.sights[node] if other.kind == sight.kind and not other.same(sight)]
        colour = sight.colour if sight.kind not in _COLOURLESS_KINDS else None
        material = sight.material if colour and sight.material in _PLAIN_MATERIALS else None
        ways = [(None, None), (colour, None), (None, material), (colour, material)]
        if colour and self._chance(adjective):
            ways = ways[1:]
        for with_colour, with_material in ways:
            landmark = Landmark(sight.kind, with_colour, with_material)
            if not any(rival.fits(landmark) for rival in rivals):
                return landmark
        return None

    def _bend_in(self, nodes: Sequence[int]) -> int | None:
        """Where a walk within a room bends without turning back."""
        scene = self.scene
        for place, (a, b, c) in enumerate(zip(nodes, nodes[1:], nodes[2:], strict=False), start=1):
            if bend_of(turn_between(scene.heading(a, b), scene.heading(b, c))) in ("left", "right"):
                return place
        return None

    def _beside(self, node: int, detail: Detail) -> Landmark | None:
        """A landmark next to a node."""
        sights = [s for s in self.scene.clear_sights(node) if s.what != "stairs" and not _flat(s)]
        return self._first_name(node, [s for s in sights if is_beside(self.scene, node, s, 0.0)], detail)

    def _first_name(self, node: int, sights: list[Sight], detail: Detail) -> Landmark | None:
        """The description of one of the sights, preferably a large one."""
        order = sorted(sights, key=lambda s: -s.size * self.rng.uniform(0.3, 1.0))
        names = (self.name(node, sight, detail.adjective) for sight in order)
        return next((name for name in names if name is not None), None)

    def _sight(self, stance: Stance, detail: Detail) -> list[Step]:
        """Something in sight that confirms the position."""
        for sight in self._shuffled(self.scene.clear_sights(stance.node)):
            side = side_of(turn_between(stance.heading, sight.heading))
            if sight.room == stance.room and side is not None and (side != "behind" or len(stance.walk) == 1):
                name = self.name(stance.node, sight, detail.adjective)
                if name is not None:
                    return [See(name, side)]
        return []

    def _shuffled(self, sights: list[Sight]) -> list[Sight]:
        return [sights[i] for i in self.rng.permutation(len(sights))]

    def _turn(self, stance: Stance, nodes: Sequence[int], detail: Detail) -> Manner:
        angle = turn_between(stance.heading, self.scene.first_heading(nodes))
        bend = bend_of(angle)
        if bend == "ahead":
            return (Turn("ahead"),) if self._chance(detail.straight) else ()
        if bend is not None and self._chance(detail.turn):
            return (Turn(bend),)
        if bend is None and abs(angle) < math.pi / 3 and self._chance(detail.turn / 2):
            return (Turn("slightly right" if angle > 0 else "slightly left"),)
        return ()

    def _manner(self, stance: Stance, nodes: Sequence[int], detail: Detail, but: Landmark | None = None) -> Manner:
        """How to walk a part of the path: turns, and what it passes, except what is already mentioned (`but`)."""
        if len(nodes) < 2:
            return ()
        manner = self._turn(stance, nodes, detail)
        if not manner and self._chance(detail.turn / 3):
            manner = self._direction(stance, nodes, detail, but)
        mentioned = {how.landmark.kind for how in manner if isinstance(how, Face)} | ({but.kind} if but else set())
        climbed = len(stance.walk) > 1 and stance.through is None
        by: list[tuple[int, Pass]] = []
        for place in range(len(nodes) - 1):
            for sight in self._shuffled(self.scene.clear_sights(nodes[place])):
                if (
                    sight.kind in mentioned
                    or (sight.what == "stairs" and climbed)
                    or len(by) == 2
                    or not self._chance(detail.passing / (1 + 2 * len(by)))
                ):
                    continue
                passed = self._passing(nodes, place, sight, stance.room, detail)
                if passed is not None:
                    mentioned.add(sight.kind)
                    by.append((place, passed))
        ways = tuple(how for _, how in by)
        if len(by) == 2 and by[0][0] == by[1][0] and {how.side for how in ways} == {"left", "right"}:
            return (*manner, Between(ways[0].landmark, ways[1].landmark))
        return (*manner, *ways)

    def _direction(self, stance: Stance, nodes: Sequence[int], detail: Detail, but: Landmark | None) -> Manner:
        """Something ahead to walk towards, instead of a turn."""
        heading = self.scene.first_heading(nodes)
        ahead = [
            sight
            for sight in self.scene.clear_sights(nodes[0])
            if abs(turn_between(heading, sight.heading)) <= math.radians(14) and sight.room == stance.room
        ]
        name = self._first_name(nodes[0], [sight for sight in ahead if not _flat(sight)], detail)
        return (Face(name),) if name and (but is None or name.kind != but.kind) else ()

    def _passing(self, nodes: Sequence[int], place: int, sight: Sight, room: int, detail: Detail) -> Pass | None:
        how = passing(self.scene, nodes, sight.x, sight.y)
        if how is None or how.move != place or how.margin < 0.5 or how.distance > 2.4 or sight.room != room:
            return None
        name = self.name(nodes[place], sight, detail.adjective)
        if name is None or (_flat(sight) and how.distance > 0.7):
            return None
        if _flat(sight):
            return Pass(name)
        if abs(how.offset) < 0.5:
            return None
        side: Literal["left", "right"] = "right" if how.offset > 0 else "left"
        return Pass(name, side if self._chance(0.75) else None)

    def _crossing(
        self, stance: Stance, nodes: Sequence[int], opening: int, detail: Detail, mentioned: Landmark | None
    ) -> list[Step]:
        manner = self._manner(stance, nodes, detail, mentioned)
        exit_ = self.describe_exit(stance, nodes, opening, manner, detail)
        if exit_.side in ("left", "right"):
            manner = tuple(how for how in manner if how != Turn("ahead"))
        leaving = self.scene.rooms[stance.room].kind if self._chance(detail.leaving) else None
        if exit_ == Exit() and (not leaving or len(stance.walk) > 1):
            exit_ = Exit(leads_to=self.scene.rooms[self.scene.across(opening, stance.room)].kind)
        return [*manner, Cross(exit_, leaving)]

    def describe_exit(self, stance: Stance, nodes: Sequence[int], opening: int, manner: Manner, detail: Detail) -> Exit:
        """A partial description of an exit, as it appears at the start of the walk to it."""
        scene, way, beyond = self.scene, self.scene.home.openings[opening], self.scene.across(opening, stance.room)
        said = Exit(leads_to=scene.rooms[beyond].kind if self._chance(detail.entering) else None)
        if said.leads_to and self._chance(detail.sight / 2):
            behind = [s for s in scene.clear_sights(nodes[-1]) if s.room == beyond and s.what == "thing"]
            said = dataclasses.replace(said, showing=self._first_name(nodes[-1], behind, detail))
        if not self._chance(detail.way):
            return said
        said = dataclasses.replace(said, kind=way.kind)
        looking = facing(scene, stance, nodes, manner)
        side, certain, _ = scene.sides(stance.node, stance.room, opening, snap(looking))
        certain = certain and (side != "behind" or len(stance.walk) == 1)
        if certain and abs(turn_between(looking, snap(looking))) <= math.radians(30):
            there = scene.in_order(stance.node, stance.room, snap(looking), side, way.kind, stance.through)
            counted = side in ("left", "right") and opening in there and (len(there) > 1 or self._chance(0.25))
            # After a left turn, a door "on the left" would be misread unless it is some way off.
            if side == "ahead" or not manner or scene.distances[nodes[0]][nodes[-1]] > 3.0:
                return dataclasses.replace(said, side=side, ordinal=there.index(opening) + 1 if counted else None)
            return said
        beside = [
            sight
            for sight in scene.clear_sights(nodes[0])
            if sight.room == stance.room and math.hypot(sight.x - way.x, sight.y - way.y) <= 1.5 and not _flat(sight)
        ]
        return dataclasses.replace(said, beside=self._first_name(nodes[0], beside, detail))

    def _ending(
        self, stance: Stance, nodes: Sequence[int], detail: Detail, stop: bool, mentioned: Landmark | None
    ) -> list[Step] | None:
        """The last part of the path."""
        if len(nodes) == 1 and not stop:
            return []
        manner = self._manner(stance, nodes, detail, mentioned)
        places = self._places(stance, nodes, manner, detail)
        if not places:
            return None
        weights = np.array([weight for weight, _ in places])
        place = places[int(self.rng.choice(len(places), p=weights / weights.sum()))][1]
        return [*_without(manner, place), Stop(place) if stop else Go(place)]

    def _places(
        self, stance: Stance, nodes: Sequence[int], manner: Manner, detail: Detail
    ) -> list[tuple[float, Place]]:
        """Descriptions of the place where a walk ends, each with a weight."""
        scene, node, room = self.scene, nodes[-1], stance.room
        spot, kind, inside = scene.spots[node], scene.rooms[room].kind, scene.room_nodes[room]
        if spot.place == "stairs":
            return [(1.0, OnStairs(self._rises(nodes)))]
        if spot.opening is not None:
            exit_ = self.describe_exit(stance, nodes, spot.opening, manner, detail)
            return [(1.0, InDoorway(_one_way(dataclasses.replace(exit_, kind=scene.home.openings[spot.opening].kind))))]
        places: list[tuple[float, Place]] = []
        if name := self._beside(node, detail):
            places.append((4.0, Beside(name)))
        if pair := self._around(node, detail):
            places.append((2.0, Amid(*pair)))
        places += [
            (4.0, StairsEnd(end))
            for end in ("top", "foot")
            for x, y in scene.stairs_ends(room, end)
            if is_nearest(scene, node, room, x, y, 0.0)
        ]
        for opening in scene.openings[room]:
            near = scene.from_opening(node, opening) <= 1.8
            if opening != stance.through and near and is_nearest(scene, node, room, *scene.centre(opening), 0.0):
                exit_ = self.describe_exit(stance, nodes, opening, manner, LEVELS[-1])
                places.append((1.5, Before(_one_way(exit_))))
        if stance.through is not None and is_nearest(scene, node, room, *scene.centre(stance.through), 0.0):
            places.append((2.0, JustInside()))
        looking = snap(facing(scene, stance, nodes, manner))
        if len(inside) > 2 and is_far_end(scene, nodes, room, looking, 0.0):
            places.append((1.5, FarEnd(kind)))
        if len(inside) > 3 and is_nearest(scene, node, room, *scene.rooms[room].centre, 0.0):
            places.append((1.0, Middle(kind)))
        if all(scene.distances[one][node] < SUCCESS_RADIUS for one in inside):
            places.append((1.0 if len(inside) > 1 else 3.0, InRoom(kind)))
        return places

    def _around(self, node: int, detail: Detail) -> tuple[Landmark, Landmark] | None:
        """Two landmarks with the node between them."""
        sights = [s for s in self.scene.clear_sights(node) if s.what == "thing" and not _flat(s)]
        sights = [s for s in sights if s.room == self.scene.spots[node].room]
        for first in self._shuffled(sights):
            for second in sights:
                if first.kind != second.kind and is_amid(self.scene, node, first, second, 1.5):
                    names = self.name(node, first, detail.adjective), self.name(node, second, detail.adjective)
                    if names[0] and names[1]:
                        return names[0], names[1]
        return None


def is_clear(scene: Scene, meaning: Meaning, first: Stance, path: Sequence[int]) -> bool:
    """Whether a follower may walk exactly this path, can end only at its end, and never has to choose between exits."""
    ends = stances_after(meaning, scene, first, wonder=False)
    if not any(end.walk == tuple(path) for end in ends):
        return False
    return all(scene.distances[end.node][path[-1]] < SUCCESS_RADIUS for end in ends)


def _flat(sight: Sight) -> bool:
    """Whether it is walked over, not past."""
    kind = KINDS.get(sight.kind)
    return kind is not None and kind.placement == "flat"


def _one_way(said: Exit) -> Exit:
    """An exit described by its number or by what is behind it, not both."""
    return said if said.ordinal is None else dataclasses.replace(said, leads_to=None, showing=None)


def _without(manner: Manner, place: Place) -> Manner:
    """A manner without what the description of the destination repeats."""
    if isinstance(place, JustInside):
        return ()
    said = {mark.kind for mark in landmarks_of(place)}
    return tuple(how for how in manner if said.isdisjoint(mark.kind for mark in landmarks_of(how)))


def _without_echoes(steps: Sequence[Step]) -> Meaning:
    """Drop remarks on what the next walk mentions anyway, and repetitions of "straight"."""
    kept: list[Step] = []
    straight = False
    for number, step in enumerate(steps):
        if isinstance(step, See):
            near = [*steps[max(0, number - 2) : number], *steps[number + 1 : number + 4]]
            if any(mark.kind == step.landmark.kind for other in near for mark in landmarks_of(other)):
                continue
        if step == Turn("ahead"):
            if straight:
                continue
            straight = True
        kept.append(step)
    return tuple(kept)
