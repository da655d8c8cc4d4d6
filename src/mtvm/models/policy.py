"""A network with features as a policy: greedy, a batch at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mtvm.acting.policy import Decisions, Moves, Policy, WordAttention
from mtvm.acting.sights import Sights
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.models.history.base import Past
from mtvm.models.language import Text
from mtvm.models.mirroring import Language, language_of
from mtvm.models.network import Network, Output
from mtvm.models.seeing import Vision
from mtvm.models.text import Tokens, mirrored_too, read_texts
from mtvm.tasks.episode import EpisodeSet
from mtvm.world.simulator import Observation

ByHead = Callable[[], list[list[WordAttention]]]

LOOKS = (1, 2, 4, 8)
"""How often an agent can look at each step."""


def check_looks(looks: int) -> None:
    if looks not in LOOKS:
        raise InputError(f"an agent can look {', '.join(map(str, LOOKS))} times, not {looks}.")


class Remembering:
    """The texts and histories of episodes that a network walks, step after step.

    A step enters the history with the next one, which has the directions after the move and knows who has left.
    """

    def __init__(self, model: Network, text: Text) -> None:
        self.model, self.text = model, text
        self._past: Past | None = None
        self._last: Output | None = None

    def step(
        self, tokens: Tensor, mask: Tensor, facing: Tensor, last: Last | None, *, need_attention: bool = False
    ) -> Output:
        """What the network makes of the actions' tokens (b, A, token width) of agents that face `facing`
        (b, angle width); `last` says how the step before ended."""
        model = self.model
        if self._last is None:
            self._past = model.start(self.text, facing)
        else:
            assert last is not None
            assert self._past is not None
            self._remember(self._past, self._last, facing, last)
        assert self._past is not None
        self._last = model.step(
            self.text, self._past, tokens, mask, need_context=model.needs_context, need_attention=need_attention
        )
        return self._last

    def _remember(self, past: Past, step: Output, facing: Tensor, last: Last) -> None:
        before, kept = len(step.logits), torch.from_numpy(last.kept).to(facing.device)
        chosen = torch.zeros(before, dtype=torch.int64, device=facing.device)
        direction = facing.new_zeros(before, facing.shape[1])
        chosen[kept], direction[kept] = torch.from_numpy(last.taken).to(facing.device), facing
        # Before the others are left behind: one token of each episode is copied then, not all that the step gave.
        self._past = self.model.remember(past, step, chosen, direction, last.panorama)
        if len(kept) < before:
            self._past, self.text = self._past.keep(kept), self.text.keep(kept)


@dataclasses.dataclass(frozen=True, eq=False)
class Last:
    """How a step ended."""

    kept: NDArray[np.int64]
    """(b,) which of its agents go on."""
    taken: NDArray[np.int64]
    """(b,) the actions that these took."""
    panorama: Tensor | None = None
    """Of all of its agents, for a network that needs it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Objects:
    """The objects that agents see from where they are, and how probable it is that each is the right one."""

    ids: NDArray[np.int64]
    """(b, K), -1 where there is none."""
    shares: NDArray[np.float32]
    """(b, K), zeros where there is none."""

    def answers(self) -> list[str | None]:
        """The most probable one of each agent."""
        best = self.ids[np.arange(len(self.ids)), self.shares.argmax(axis=1)]
        return [None if number < 0 else str(number) for number in best.tolist()]

    def details(self, row: int) -> dict[str, Any]:
        """What one of the agents chooses from, for the record of its steps."""
        pairs = zip(self.ids[row].tolist(), self.shares[row].tolist(), strict=True)
        return {"objects": [{"id": str(one), "probability": round(share, 4)} for one, share in pairs if one >= 0]}


class NetworkPolicy(Policy):
    """Takes a network's most probable action.

    With several `looks` (2, 4 or 8) the network sees the building as it is, mirrored and turned, and takes the action
    that these agree on: by the mean of their log-probabilities.
    """

    def __init__(
        self,
        model: Network,
        store: FeatureStore | None = None,
        *,
        vision: Vision | None = None,
        attention: bool = False,
        looks: int = 1,
        track: str = "",
    ) -> None:
        check_looks(looks)
        self.model, self.store, self.attention, self.looks = model, store, attention, looks
        self._track = track
        self.moves: Moves = model.config.actions
        self.vision = vision
        self.language: Language | None = None
        """Of the texts, for looks in a mirror; by default that of the episodes which begin."""
        self.output: Output | None = None
        """What the network made of the last sights, those of the first look first."""

    @property
    def track(self) -> str:
        """As its data says, which it does not know itself."""
        return self._track

    def order(self, episodes: EpisodeSet) -> NDArray[np.int64]:
        """Texts of one length together, so that little is padded."""
        return np.argsort(self.lengths(episodes), kind="stable")

    def lengths(self, episodes: EpisodeSet) -> NDArray[np.int64]:
        """(N,) tokens of each text."""
        return self.read(episodes).lengths.numpy()

    def read(self, episodes: EpisodeSet) -> Tokens:
        """The texts of some episodes, padded to the longest."""
        return read_texts(episodes.texts, self.model.config, episodes.task.truncation)

    @torch.no_grad()
    def start(self, episodes: EpisodeSet) -> None:
        if self.vision is None or self.vision.world is not episodes.world:
            self.vision = Vision(episodes.world, self.store, self.model.config, self.model.device)
        self._texts, self._tokens = episodes.texts, self.read(episodes)
        read = self._tokens
        if self.looks > 1:
            language, lost = self.language or language_of(self._texts), episodes.task.truncation
            read = mirrored_too(self._texts, read, self.model.config, language, lost, episodes.task.title)
        number = np.repeat(np.arange(self.looks), len(episodes))
        copies = np.tile(np.arange(len(episodes)), self.looks) + len(episodes) * (number % 2)
        text = self.model.encode(read.select(torch.from_numpy(copies)).to(self.model.device))
        self._remembering = Remembering(self.model, text)
        self._seen: Observation | None = None

    @torch.no_grad()
    def act(self, sights: Sights) -> Decisions:
        seen, many = sights.seen, len(sights)
        assert self.vision is not None
        parts = [self.vision.actions(seen, mirrored) for mirrored, _ in self._ways_to_look(many)]
        tokens, mask = (torch.cat(part) if self.looks > 1 else part[0] for part in zip(*parts, strict=True))
        facing = [self.vision.facing(seen.view, mirrored, turned) for mirrored, turned in self._ways_to_look(many)]
        step = self._remembering.step(
            tokens, mask, torch.cat(facing), self._last(sights), need_attention=self.attention
        )
        if self.looks > 1:
            logits = step.logits.view(self.looks, many, -1).log_softmax(dim=2).mean(dim=0)
            step.logits = logits.repeat(self.looks, 1)
        self._seen, self.output = seen, step
        logits, objects = step.logits[:many], self._objects(seen)
        return Decisions(
            logits.argmax(dim=1).cpu().numpy(),
            logits.float().softmax(dim=1).cpu().numpy(),
            self._attention(sights, step) if self.attention else None,
            answers=None if objects is None else objects.answers(),
            details=None if objects is None else objects.details,
        )

    def _objects(self, seen: Observation) -> Objects | None:
        """What each agent would point at, by all of its looks."""
        vision = self.vision
        assert vision is not None
        if self.model.object_head is None or vision.objects is None:
            return None
        many, text = len(seen.node), self._remembering.text
        looks = [vision.objects_at(seen.node, seen.heading, mirrored) for mirrored, _ in self._ways_to_look(many)]
        (tokens, mask, ids), (there,) = looks[0], np.nonzero(looks[0][1].any(dim=1).cpu().numpy())
        shares = np.zeros(ids.shape, dtype=np.float32)
        if len(there):
            rows = torch.from_numpy(there).to(tokens.device)
            every = torch.cat([rows + many * number for number in range(self.looks)])
            objects = torch.cat([look[0][rows] for look in looks])
            names = vision.names_at(seen.node[there])
            if names is not None and self.looks > 1:
                names = names[0].repeat(self.looks, 1, 1, 1), names[1].repeat(self.looks, 1, 1)
            scores = self.model.point(text, every, objects, mask[rows].repeat(self.looks, 1), names)
            logits = scores.log_softmax(dim=1).view(self.looks, len(there), -1).mean(dim=0)
            shares[there] = logits.float().softmax(dim=1).cpu().numpy()
        return Objects(ids, shares)

    def _last(self, sights: Sights) -> Last | None:
        """How the step before ended, for each look."""
        if self._seen is None:
            return None
        before = len(self._seen.node)
        kept = np.concatenate([sights.kept + before * number for number in range(self.looks)])
        panorama = None
        if self.model.needs_panorama:
            assert self.vision is not None
            ways = self._ways_to_look(before)
            panorama = torch.cat([self.vision.panorama(self._seen, mirrored) for mirrored, _ in ways])
        return Last(kept, np.tile(sights.taken, self.looks), panorama)

    def _ways_to_look(self, many: int) -> list[tuple[NDArray[np.bool_] | None, NDArray[np.floating] | None]]:
        """Whether each look is mirrored (b,), and by which angle the building is turned (b,)."""
        if self.looks == 1:
            return [(None, None)]
        return [
            (np.full(many, number % 2 == 1), np.full(many, number // 2 * (4 * np.pi / self.looks)))
            for number in range(self.looks)
        ]

    def _attention(self, sights: Sights, step: Output) -> Callable[[int, int], WordAttention]:
        counts, rows = sights.seen.count, sights.rows
        texts, tokens = self._texts, self._tokens

        def attention(place: int, action: int) -> WordAttention:
            assert step.attention is not None
            looked = step.attention.of(place, step.text_mask, step.stream_mask)
            row, actions = int(rows[place]), int(counts[place]) + 1
            numbers = tokens.words[row, : int(tokens.lengths[row])].tolist()

            def made(words: Tensor, memory: Tensor, by_head: ByHead | None = None) -> WordAttention:
                by_word = tokens.reader.attention_by_word(texts[row], numbers, words.tolist())
                return WordAttention(by_word, [round(weight, 4) for weight in memory.tolist()], by_head)

            def by_head() -> list[list[WordAttention]]:
                return [list(map(made, *layer)) for layer in zip(*looked.by_head(action, actions), strict=True)]

            return made(*looked.at(action, actions), by_head)

        return attention
