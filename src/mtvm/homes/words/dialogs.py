"""Games between a navigator who looks for something and an oracle who knows the way, in the format of NDH.

A game starts somewhere in a home with a kind of thing to find. The navigator walks, asks, hears about the next moves of
the shortest path, and walks on, not always as told. Each stretch between two questions is an instance; its history is
everything walked and said before.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from mtvm.homes.words.guide import Guide
from mtvm.homes.words.questions import answer, ask
from mtvm.homes.words.route import Scene
from mtvm.homes.words.speaker import SUCCESS_RADIUS

PLANNED = 5
"""Number of moves of the shortest path that the oracle is shown."""

_MOST_INSTANCES = 8
_ENOUGH_MOVES, _LEAST_MOVES = 6, 4  # from the start to the nearest goal; the first if the home is large enough
_ASKS_AT_ONCE = 0.25  # share of games that start with a question
_WELL_SEEN = 0.008  # steradians
_NEAR = 4.5  # metres to the target
_MOST_ROOMS = 2  # that contain the target
_MOST_EXTRA_MOVES = 3  # until something unambiguous can be said
_LUCK = 0.3
_NOTICES = 0.5  # share of goals at which a navigator without help stops
_STOPS_EARLY, _GOES_ASTRAY = 0.2, 0.45
_TURNS_BACK = 0.35  # share of those who went astray
_GOES_ON = 0.3
_QUALITY = 5  # the rating that the real games' players gave each other


@dataclasses.dataclass
class Game:
    """The state of a game."""

    target: str
    ends: list[int]
    walk: list[int]
    """All nodes so far."""
    camera: list[float]
    """Headings at the last node, where the navigator looked around."""
    dialog: list[dict[str, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Talk:
    question: str
    answer: str
    camera: list[float]


def draw_dialogs(guide: Guide, count: int, game_ids: Iterator[int], inst_ids: Iterator[int]) -> list[dict[str, Any]]:
    """Entries of at least `count` instances, or fewer if the home does not allow as many."""
    entries: list[dict[str, Any]] = []
    targets = find_targets(guide.scene)
    kinds = sorted(targets)
    for _ in range(2 * count if kinds else 0):
        if len(entries) >= count:
            break
        kind = kinds[int(guide.rng.integers(len(kinds)))]
        game = _begin(guide, kind, targets[kind])
        if game is not None:
            stretches, number = list(_play(guide, game)), next(game_ids)
            entries += [{**stretch, "inst_idx": next(inst_ids), "game_idx": number} for stretch in stretches]
    return entries


def find_targets(scene: Scene) -> dict[str, list[int]]:
    """Kinds of things to look for, each with the nodes in the same room that are close and have a good view of it."""
    ends: defaultdict[str, set[int]] = defaultdict(set)
    for nodes in scene.room_nodes:
        for node in nodes:
            for sight in scene.sights[node]:
                near = sight.room == scene.spots[node].room and scene.gap(node, sight) <= _NEAR
                if sight.what == "thing" and near and sight.size >= _WELL_SEEN:
                    ends[sight.kind].add(node)
    return {
        kind: sorted(nodes)
        for kind, nodes in sorted(ends.items())
        if len({thing.room for thing in scene.home.things if thing.kind == kind}) <= _MOST_ROOMS
    }


def _begin(guide: Guide, target: str, ends: list[int]) -> Game | None:
    scene = guide.scene
    moves = [len(scene.path(node, _nearest(scene, node, ends))) - 1 for node in range(len(scene))]
    starts = [node for node, count in enumerate(moves) if count >= min(_ENOUGH_MOVES, max(moves))]
    if max(moves) < _LEAST_MOVES:
        return None
    start = starts[int(guide.rng.integers(len(starts)))]
    return Game(target, ends, [start], [round(float(guide.rng.uniform(0, 2 * math.pi)), 3)])


def _play(guide: Guide, game: Game) -> Iterator[dict[str, Any]]:
    """The instances of a game, until the navigator finds the target or there is nothing left to say."""
    scene = guide.scene
    talk = _exchange(guide, game, game.walk, None) if guide.rng.random() < _ASKS_AT_ONCE else None
    for _ in range(_MOST_INSTANCES):
        if talk is not None:
            turn = {"nav_idx": len(game.walk) - 1}
            game.dialog.append({**turn, "role": "navigator", "message": talk.question})
            game.dialog.append({**turn, "role": "oracle", "message": talk.answer})
            game.camera = talk.camera
        planned = scene.path(game.walk[-1], _nearest(scene, game.walk[-1], game.ends))[: PLANNED + 1]
        moves = _obey(guide, game, planned) if game.dialog else _explore(guide, game)
        before, talk = _left(scene, game, moves[0]), None
        for _ in range(_MOST_EXTRA_MOVES):
            if moves[-1] in game.ends:
                break
            talk = _exchange(guide, game, [*game.walk, *moves[1:]], before)
            if talk is not None:
                break
            moves.append(scene.path(moves[-1], _nearest(scene, moves[-1], game.ends))[1])
        yield _entry(scene, game, planned, moves)
        game.walk += moves[1:]
        if talk is None:
            return


def _exchange(guide: Guide, game: Game, walk: Sequence[int], before: float | None) -> Talk | None:
    """A question and its answer at the end of a walk; None if nothing unambiguous can be said there."""
    scene, rng, node = guide.scene, guide.rng, walk[-1]
    way = scene.path(node, _nearest(scene, node, game.ends))
    planned = way[: PLANNED + 1]
    if len(planned) == 1:
        return None
    camera = [scene.heading(*walk[-2:]) if len(walk) > 1 else game.camera[-1]]
    for _ in range(int(rng.integers(0, 6))):
        camera.append((camera[-1] + float(rng.normal(0, 0.6))) % (2 * math.pi))
    if scene.spots[node].opening is not None:  # a navigator in a doorway asks about the room ahead
        camera.append(scene.heading(*planned[:2]))
    camera = [round(heading, 3) for heading in camera]
    for length in range(len(planned), 1, -1):
        directions = guide.answer(planned[:length], camera[-1])
        if directions is not None:
            left = _left(scene, game, node)
            question = ask(guide, way, camera[-1], game.target, left, left if before is None else before)
            arrives = planned[length - 1] in game.ends
            return Talk(question.text, answer(question, directions.text, game.target, arrives, rng), camera)
    return None


def _explore(guide: Guide, game: Game) -> list[int]:
    """A first walk without help: prefers new places, avoids going back, and sometimes heads for the target by luck."""
    scene, rng = guide.scene, guide.rng
    moves = [game.walk[-1]]
    for _ in range(int(rng.integers(1, 10))):
        here = moves[-1]
        fresh = [node for node in scene.neighbours[here] if node not in moves] or scene.neighbours[here]
        lucky = scene.path(here, _nearest(scene, here, game.ends))[1:2]
        there = lucky[0] if lucky and rng.random() < _LUCK else fresh[int(rng.integers(len(fresh)))]
        moves.append(there)
        if there in game.ends and rng.random() < _NOTICES:
            break
    return moves


def _obey(guide: Guide, game: Game, planned: Sequence[int]) -> list[int]:
    """A walk after the oracle's answer: usually as told and a few moves on, sometimes only its start, or astray."""
    scene, rng = guide.scene, guide.rng
    mood = rng.random()
    if mood < _STOPS_EARLY:
        return list(planned[: int(rng.integers(2, len(planned) + 1))])
    moves = list(planned)
    if mood < _STOPS_EARLY + _GOES_ASTRAY:
        moves = moves[: int(rng.integers(1, len(planned)))]
        for _ in range(int(rng.integers(2, 7))):
            wrong = [node for node in scene.neighbours[moves[-1]] if node not in moves and node not in planned]
            moves += wrong[int(rng.integers(len(wrong))) :][:1] if wrong else []
        if rng.random() < _TURNS_BACK:
            moves += scene.path(moves[-1], planned[-1])[1:]
    while moves[-1] not in game.ends and rng.random() < _GOES_ON:
        moves.append(scene.path(moves[-1], _nearest(scene, moves[-1], game.ends))[1])
    return moves


def _entry(scene: Scene, game: Game, planned: Sequence[int], moves: Sequence[int]) -> dict[str, Any]:
    """An instance in NDH's format; its scores are the navigator's, computed as in NDH."""
    near = [scene.distances[node][planned[-1]] < SUCCESS_RADIUS for node in moves]
    looks = [{"heading": h, "elevation": 0.0, "pano": scene.spots[game.walk[-1]].id} for h in game.camera]
    return {
        "scan": scene.home.scan,
        "target": game.target,
        "start_pano": looks[-1],
        "end_panos": _ids(scene, game.ends),
        "dialog_history": list(game.dialog),
        "nav_history": _ids(scene, game.walk) if game.dialog else [],
        "nav_camera": looks if game.dialog else [],
        "planner_path": _ids(scene, planned),
        "player_path": _ids(scene, moves),
        "R2R_success": int(near[-1]),
        "R2R_spl": near[-1] / len(moves),
        "R2R_oracle_success": int(any(near)),
        "R2R_oracle_spl": 1 / max(1, near.index(True)) if any(near) else 0.0,
        "navigator_game_quality": _QUALITY,
        "navigator_avg_quality": float(_QUALITY),
        "oracle_game_quality": _QUALITY,
        "oracle_avg_quality": float(_QUALITY),
    }


def _ids(scene: Scene, nodes: Sequence[int]) -> list[str]:
    return [scene.spots[node].id for node in nodes]


def _nearest(scene: Scene, node: int, ends: Sequence[int]) -> int:
    return min(ends, key=lambda end: scene.distances[node][end])


def _left(scene: Scene, game: Game, node: int) -> float:
    return scene.distances[node][_nearest(scene, node, game.ends)]
