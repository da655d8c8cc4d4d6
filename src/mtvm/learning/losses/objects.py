"""Pointing at an object: the negative log-probability of the one that an episode asks for."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from mtvm.configs.run import ObjectsConfig
from mtvm.learning.losses.base import Loss, Term
from mtvm.learning.rollout import Trace
from mtvm.models.network import Network


class PointedObject(Loss):
    """The mean over all steps at which the object is in view: the last one, and where an agent passed it."""

    def __init__(self, config: ObjectsConfig) -> None:
        self.weight = config.weight

    def attach(self, model: Network) -> None:
        self.model = model

    def __call__(self, trace: Trace) -> list[Term]:
        vision, episodes = trace.vision, trace.episodes
        if self.model.object_head is None or vision.objects is None or episodes.task.answer != "object":
            return []
        rows, nodes, headings = (
            np.concatenate(column)
            for column in zip(*((step.rows, step.seen.node, step.seen.heading) for step in trace.steps), strict=True)
        )
        live = torch.cat([step.live for step in trace.steps]).cpu().numpy()
        (near,) = np.nonzero(live & (episodes.goals[rows] == nodes[:, None]).any(axis=1))
        if not len(near):
            return [Term("object", trace.text.states.new_zeros(()), 0, self.weight)]
        rows, nodes, headings = rows[near], nodes[near], headings[near]
        mirrored = None if trace.mirrored is None else trace.mirrored[rows]
        tokens, mask, ids = vision.objects_at(nodes, headings, mirrored)
        wanted = np.array([int(episodes.extra["answer"][row]) for row in rows])
        right = torch.from_numpy((ids == wanted[:, None]).argmax(axis=1)).to(tokens.device)
        text, asked = trace.text.variant(0), torch.from_numpy(rows).to(tokens.device)
        scores = self.model.point(text, asked, tokens, mask, vision.names_at(nodes))
        total = functional.cross_entropy(scores, right, reduction="sum")
        found = (scores.detach().argmax(dim=1) == right).float().sum() * 100
        return [Term("object", total, len(rows), self.weight), Term("object_found", found, len(rows), 0.0)]
