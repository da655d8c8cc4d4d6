"""A zero-shot agent without any model of language but a sentence encoder: what nobody trained should be compared with.

It cuts the instruction into clauses and goes where a caption is most similar to one of them, by the vectors of
all-MiniLM-L6-v2; clauses count the more the nearer they are to how far it should have come by now. It does not go back,
and stops after a fixed number of steps.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.policy import Decisions, Policy, Want
from mtvm.acting.scenes import Scenes
from mtvm.acting.sights import Sights
from mtvm.errors import InputError
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.world import World

MINILM = "minilm"
"""The name of this agent."""
STEPS, SLACK = 5, 1.2
"""Chosen on val_seen; see docs/agents.md."""
_ENDS = re.compile(r"[.,;:!?]|\b(?:and|then|until|once|when)\b")
_BACK = 10.0
"""What going back costs: more than any similarity."""


class Similar(Policy):
    """Moves `steps` times; a clause that is a whole instruction too early or too late loses `slack` of similarity."""

    name = MINILM
    wants: tuple[Want, ...] = ("captions",)

    def __init__(self, steps: int = STEPS, slack: float = SLACK) -> None:
        self.steps, self.slack = steps, slack
        self._world: World | None = None

    def start(self, episodes: EpisodeSet) -> None:
        from mtvm.features.names import embed_phrases

        self._clauses = [clauses(text) for text in episodes.texts]
        different = sorted({clause for some in self._clauses for clause in some})
        vectors = dict(zip(different, embed_phrases(different), strict=True))
        most = max(map(len, self._clauses))
        width = len(next(iter(vectors.values())))
        self._wanted = np.zeros((len(episodes), most, width), dtype=np.float32)
        self._when = np.zeros((len(episodes), most), dtype=np.float32)
        self._padding = np.ones((len(episodes), most), dtype=bool)
        for row, some in enumerate(self._clauses):
            self._wanted[row, : len(some)] = [vectors[clause] for clause in some]
            self._padding[row, : len(some)] = False
            self._when[row, : len(some)] = (np.arange(len(some)) + 0.5) / len(some)
        self._been = np.full((len(episodes), self.steps + 1), -1, dtype=np.int64)

    def act(self, sights: Sights) -> Decisions:
        if self._world is not sights.world:
            self._world, self._towards = sights.world, _towards(sights.scenes)
        seen, rows = sights.seen, sights.rows
        step = int(sights.steps[0])
        if step >= self.steps:
            return Decisions(seen.count)
        self._been[rows, step] = seen.node
        towards = self._towards[seen.node, : seen.candidates.shape[1]].astype(np.float32)
        like = towards @ self._wanted[rows].transpose(0, 2, 1)
        late = np.abs(self._when[rows] - (step + 0.5) / self.steps)
        like = np.where(self._padding[rows][:, None, :], -np.inf, like - self.slack * late[:, None, :])
        back = (seen.candidates[:, :, None] == self._been[rows][:, None, :]).any(axis=2)
        score = np.where(seen.mask, like.max(axis=2) - _BACK * back, -np.inf)
        actions = np.where(seen.count > 0, score.argmax(axis=1), 0)
        which = like[np.arange(len(rows)), actions].argmax(axis=1)
        said = [f"{self._clauses[row][clause]!r}" for row, clause in zip(rows.tolist(), which.tolist(), strict=True)]
        return Decisions(actions, thoughts=said)


def clauses(text: str) -> list[str]:
    """The parts of an instruction between marks and words such as 'then'."""
    found = [part.strip() for part in _ENDS.split(text.lower())]
    return [part for part in found if len(part) > 2] or [text.strip() or "go"]


def _towards(scenes: Scenes) -> NDArray[np.float16]:
    """(nodes, K, width) the vector of what is said of the view that shows each candidate of each node."""
    from mtvm.features.captions import embed_captions, heading_shares, view_vectors

    world, places = scenes.world, scenes.captioned
    if len({len(place.captions) for place in places}) != 1:
        raise InputError(f"{MINILM}: the captions of this world do not all have the same number of headings.")
    vector_of = embed_captions(places)
    shares = heading_shares(len(places[0].captions))
    width = len(vector_of[""])
    found = np.zeros((*world.candidates.shape, width), dtype=np.float16)
    for place in places:
        node = world.find(place.scan, place.viewpoint)
        if node >= 0:
            views = view_vectors(place, vector_of, shares)
            found[node] = views[world.candidate_views[node]]
    return found
