"""Pointing at an object: the negative log-probability of the one that an episode asks for."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from mtvm.configs.run import ObjectsConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.trace import Trace
from mtvm.models.network import Network
from mtvm.tasks.episode import EpisodeSet


class PointedObject(Loss):
    """The mean over all steps at which the object is in view: the last one, and where an agent passed it. With
    `elsewhere`, also over so many other places that see it, wherever the agent went."""

    def __init__(self, config: ObjectsConfig) -> None:
        self.weight, self.elsewhere = config.weight, config.elsewhere

    def attach(self, model: Network) -> None:
        self.model = model

    def __call__(self, trace: Trace) -> list[Term]:
        vision, episodes = trace.vision, trace.episodes
        if self.model.object_head is None or vision.objects is None or episodes.task.answer != "object":
            return []
        walked = zip(*((step.rows, step.seen.node, step.seen.heading) for step in trace.steps), strict=True)
        rows, nodes, headings = (np.concatenate(column) for column in walked)
        live = torch.cat([step.live for step in trace.steps]).cpu().numpy()
        (near,) = np.nonzero(live & (episodes.goals[rows] == nodes[:, None]).any(axis=1))
        drawn = self._elsewhere(episodes)
        if not len(near) + len(drawn[0]):
            return [Term("object", trace.text.states.new_zeros(()), 0, self.weight)]
        rows, nodes, headings = (
            np.concatenate([part[near], more]) for part, more in zip((rows, nodes, headings), drawn, strict=True)
        )
        mirrored = None if trace.mirrored is None else trace.mirrored[rows]
        tokens, mask, ids = vision.objects_at(nodes, headings, mirrored)
        wanted = np.array([int(episodes.extra["answer"][row]) for row in rows])
        right = torch.from_numpy((ids == wanted[:, None]).argmax(axis=1)).to(tokens.device)
        text, asked = trace.text.variant(0), torch.from_numpy(rows).to(tokens.device)
        scores = self.model.point(text, asked, tokens, mask, vision.names_at(nodes))
        total = functional.cross_entropy(scores, right, reduction="sum")
        found = (scores.detach().argmax(dim=1) == right).float().sum() * 100
        return [Term("object", total, len(rows), self.weight), Term("object_found", found, len(rows), 0.0)]

    def _elsewhere(self, episodes: EpisodeSet) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Episodes, viewpoints that see their objects, and where one faces there, by chance."""
        goals = episodes.goals.astype(np.int64)
        rows = np.repeat(np.nonzero((goals >= 0).any(axis=1))[0], self.elsewhere)
        chance = torch.rand(2, len(rows), dtype=torch.float64).numpy()
        places = (chance[0] * (goals[rows] >= 0).sum(axis=1)).astype(np.int64)
        return rows, goals[rows, places], (chance[1] * 2 * np.pi).astype(np.float32)
