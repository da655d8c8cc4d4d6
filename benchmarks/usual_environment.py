"""The usual environment of VLN code, restated: dictionaries and lists, one episode at a time.

See `benchmarks/training.py` for what is measured with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.features.store import FeatureStore
from mtvm.models.config import ModelConfig
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import SUCCESS_RADIUS
from mtvm.tasks.teacher import Follow
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING, nearest_view
from mtvm.world.world import World


class UsualHouses:
    """What the usual code keeps of buildings and features: dictionaries by scan and viewpoint."""

    def __init__(self, world: World, store: FeatureStore) -> None:
        self.features: dict[str, NDArray[np.float32]] = {}
        self.candidates: dict[str, list[dict[str, Any]]] = {}
        self.distances: dict[str, dict[str, dict[str, float]]] = {}
        self.next_viewpoint: dict[str, dict[str, dict[str, str]]] = {}
        for graph in world.graphs:
            names: list[str] = graph.viewpoints.tolist()
            rows = store.rows(graph.scan, names)
            self.distances[graph.scan] = {}
            self.next_viewpoint[graph.scan] = {}
            for node, name in enumerate(names):
                key = f"{graph.scan}_{name}"
                self.features[key] = store.panorama(rows[node]).astype(np.float32)
                self.candidates[key] = [
                    {
                        "viewpoint": names[neighbour],
                        "view": int(graph.candidate_views[node, slot]),
                        "heading": float(graph.candidate_headings[node, slot]),
                        "elevation": float(graph.candidate_elevations[node, slot]),
                    }
                    for slot, neighbour in enumerate(graph.neighbours(node).tolist())
                ]
                self.distances[graph.scan][name] = dict(zip(names, graph.distances[node].tolist(), strict=True))
                self.next_viewpoint[graph.scan][name] = {
                    goal: names[graph.next_hop(node, place)]
                    for place, goal in enumerate(names)
                    if graph.next_hop(node, place) >= 0
                }


def direction_feature(heading: float, elevation: float, width: int) -> NDArray[np.float32]:
    four = [math.sin(heading), math.cos(heading), math.sin(elevation), math.cos(elevation)]
    return np.array(four * (width // 4), dtype=np.float32)


def ndtw(path: list[str], reference: list[str], distances: dict[str, dict[str, float]]) -> float:
    """Likeness of a path to its reference, as it is usually computed: the whole warping table at each step."""
    table = np.full((len(path) + 1, len(reference) + 1), np.inf)
    table[0, 0] = 0
    for i in range(1, len(path) + 1):
        for j in range(1, len(reference) + 1):
            best = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
            table[i, j] = distances[path[i - 1]][reference[j - 1]] + best
    return math.exp(-table[-1, -1] / (SUCCESS_RADIUS * len(reference)))


class UsualEnvironment:
    """A batch of episodes, each a dictionary; observations are made one by one."""

    def __init__(self, houses: UsualHouses, episodes: EpisodeSet, config: ModelConfig, follow: Follow = "goal") -> None:
        self.houses, self.config, self.follow = houses, config, follow
        self.states: list[dict[str, Any]] = [
            {
                "scan": episode.scan,
                "viewpoint": episode.start,
                "view": int(nearest_view(episode.heading)),
                "reference": list(episode.reference),
                "goals": list(episode.goals),
                "path": [episode.start],
                "reached": 0,
                "ended": False,
            }
            for episode in episodes
        ]

    def observe(self, with_teacher: bool) -> list[dict[str, Any]]:
        observations = []
        for state in self.states:
            key = f"{state['scan']}_{state['viewpoint']}"
            features, heading = self.houses.features[key], VIEW_HEADING[state["view"]]
            candidates = []
            for known in self.houses.candidates[key]:
                candidate = dict(known)
                direction = direction_feature(known["heading"] - heading, known["elevation"], self.config.angle_width)
                candidate["feature"] = np.concatenate((features[known["view"]], direction), -1)
                candidates.append(candidate)
            observation = {"scan": state["scan"], "viewpoint": state["viewpoint"], "candidate": candidates}
            if with_teacher:
                observation["teacher"] = self.teacher(state, candidates)
            observations.append(observation)
        return observations

    def teacher(self, state: dict[str, Any], candidates: list[dict[str, Any]]) -> int:
        """The place of the next viewpoint on the way; that of STOP, after the candidates, at the goal."""
        reference, here = state["reference"], state["viewpoint"]
        goal = reference[-1]
        if self.follow == "path":
            while state["reached"] < len(reference) - 1 and reference[state["reached"] + 1] == here:
                state["reached"] += 1
            goal = reference[min(state["reached"] + 1, len(reference) - 1)]
        if here == goal:
            return len(candidates)
        following = self.houses.next_viewpoint[state["scan"]][here][goal]
        for place, candidate in enumerate(candidates):
            if candidate["viewpoint"] == following:
                return place
        raise AssertionError("the way leads over no candidate")

    def pad(self, observations: list[dict[str, Any]]) -> tuple[Tensor, Tensor]:
        """(B, K + 1, token width) candidates with STOP after the last, zeros; and which of them are real."""
        counts = [len(observation["candidate"]) + 1 for observation in observations]
        tokens = np.zeros((len(observations), max(counts), self.config.token_width), dtype=np.float32)
        mask = np.zeros((len(observations), max(counts)), dtype=bool)
        for row, observation in enumerate(observations):
            mask[row, : counts[row]] = True
            for place, candidate in enumerate(observation["candidate"]):
                tokens[row, place] = candidate["feature"]
        return torch.from_numpy(tokens), torch.from_numpy(mask)

    def directions(self) -> Tensor:
        """(B, angle width) of where the agents face."""
        width = self.config.angle_width
        features = [
            direction_feature(VIEW_HEADING[state["view"]], VIEW_ELEVATION[state["view"]], width)
            for state in self.states
        ]
        return torch.from_numpy(np.stack(features))

    def step(self, observations: list[dict[str, Any]], places: list[int]) -> None:
        for state, observation, place in zip(self.states, observations, places, strict=True):
            if state["ended"]:
                continue
            if place == len(observation["candidate"]):
                state["ended"] = True
            else:
                candidate = observation["candidate"][place]
                state["viewpoint"], state["view"] = candidate["viewpoint"], candidate["view"]
                state["path"].append(candidate["viewpoint"])

    def progress(self, state: dict[str, Any]) -> tuple[float, float]:
        """The distance to the nearest goal, and the nDTW of the path so far."""
        distances = self.houses.distances[state["scan"]]
        distance = min(distances[state["viewpoint"]][goal] for goal in state["goals"])
        return distance, ndtw(state["path"], state["reference"], distances)

    def rewards(self, before: list[tuple[float, float]], was_ended: list[bool]) -> list[float]:
        """Those of `mtvm.tasks.rewards`; `before` is the progress before the step, and becomes that after it."""
        rewards = []
        for row, state in enumerate(self.states):
            if was_ended[row]:
                rewards.append(0.0)
                continue
            (last_distance, last_ndtw), (distance, likeness) = before[row], self.progress(state)
            before[row] = (distance, likeness)
            if state["ended"]:
                reward = 2.0 + 2.0 * likeness if distance < SUCCESS_RADIUS else -2.0
            else:
                reward = float(np.sign(last_distance - distance)) + (likeness - last_ndtw)
                if last_distance <= 1.0 and distance > last_distance:
                    reward -= 2.0 * (1.0 - last_distance)
            rewards.append(reward)
        return rewards
