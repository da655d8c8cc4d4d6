"""A small network that guesses names from captions: the room that one stands in, and what each view shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from mtvm.features.known_names import Choices
from mtvm.products import Linear
from mtvm.progress import Advance
from mtvm.world.views import HEADINGS, ROWS, VIEWS

_BIN = 15  # degrees between the angles that the network tells apart
_BINS = 360 // _BIN
FIRST_WIDTHS = (25.0, 60.0)  # degrees over which each head looks around the view at first
_PLACES_AT_A_TIME, _VIEWS_AT_A_TIME = 64, 16
_CHOICES_AT_A_TIME, _CHOICE_WEIGHT = 64, 3.0
_PLACES_TO_GUESS = 256


Said: TypeAlias = tuple[NDArray[Any], ...]
"""What a network reads of n places, in arrays of its own kinds. `Guesser` reads one, (n, captions, words of a caption),
from 1; 0 pads."""


@dataclasses.dataclass(frozen=True)
class Examples:
    """Places with what was said of them, and what is known of them; zeros where nothing is."""

    said: Said
    rooms: NDArray[np.float32]
    """(n, rooms) 1 for the room."""
    views: Sequence[NDArray[np.float16]]
    """Of each kind of name (n, 36, names): the shares of the names in what a view shows."""
    choices: Choices
    """Ways that people took from these places, perhaps none."""

    def select(self, kept: NDArray[np.bool_]) -> Examples:
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        choices = self.choices.at(numbers)
        said = tuple(part[kept] for part in self.said)
        return Examples(said, self.rooms[kept], [kind[kept] for kind in self.views], choices)


class NameNetwork(nn.Module):
    """What a network that guesses names answers, whatever it reads."""

    names: list[int]
    """How many of each kind there are, of those that a view has shares of."""
    learning_rate = 2e-3
    doubt = 0.0
    """What is left to other rooms than the one that is right, so that it does not grow too sure."""

    def forward(self, said: Sequence[Tensor], views: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The logits (b, rooms) of the room, and of each kind of name (b, v, names) in `views` (b, v); then, if words
        are spoken, what they speak for (b, v, spoken)."""
        raise NotImplementedError


class Guesser(NameNetwork):
    """Words to captions, captions to views by how far away they are, views to shares of names.

    Every caption of the viewpoint counts to every view, by a weight that depends on the angle and the rows only; and
    all of them together, weighed by what they say, tell the room. Beside the names a view has a score for each `spoken`
    word: how well it fits the direction, if somebody who leaves the viewpoint says it.
    """

    def __init__(
        self,
        vocabulary: int,
        captions: int,
        rooms: int,
        names: Sequence[int],
        spoken: int = 0,
        width: int = 160,
        hidden: int = 256,
    ) -> None:
        super().__init__()
        self.names, self.spoken = list(names), spoken
        self.word = nn.Embedding(vocabulary + 1, width, padding_idx=0)
        nn.init.normal_(self.word.weight[1:], std=0.1)
        self.row = nn.Parameter(torch.zeros(ROWS, width))
        self.nearness = nn.Parameter(first_nearness())
        self.weight = Linear(width, 1)
        self.dropout = nn.Dropout(0.3)
        self.caption_dropout = 0.2
        self.room = nn.Sequential(Linear(2 * width, hidden), nn.ReLU(), self.dropout, Linear(hidden, rooms))
        self.from_view = Linear(len(FIRST_WIDTHS) * width, hidden)
        self.from_place = Linear(2 * width, hidden, bias=False)
        self.name = Linear(hidden, sum(self.names) + spoken)
        self._relations = relations(captions)

    def forward(self, said: Sequence[Tensor], views: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        (words,) = said
        batch, captions, _ = words.shape
        heard = self.word(words).sum(2) + self.row.repeat(captions // ROWS, 1)
        heard = self.dropout(functional.relu(heard))
        unheard = torch.zeros(batch, captions, 1)
        if self.training:
            unheard = torch.where(torch.rand_like(unheard) < self.caption_dropout, -20.0, 0.0)
        telling = (self.weight(heard) + unheard).softmax(1)
        place = torch.cat([(telling * heard).sum(1), (heard * (unheard == 0)).mean(1)], dim=1)
        near = self.nearness[self._relations][views]  # (b, v, captions, heads)
        near = (near + unheard[:, None]).softmax(2)
        around = torch.einsum("bvch,bcw->bvhw", near, heard).flatten(2)
        states = self.dropout(functional.relu(self.from_view(around) + self.from_place(place)[:, None]))
        return self.room(place), self.name(states).split([*self.names, *([self.spoken] if self.spoken else [])], dim=-1)


def fit(
    make: Callable[[], NameNetwork], examples: Examples, *, epochs: int, seed: int, advance: Advance
) -> NameNetwork:
    """A network that has learnt from the examples; the same from the same seed."""
    count = len(examples.rooms)
    random = np.random.default_rng(seed)
    known: NDArray[np.bool_] = np.any(examples.views[-1] > 0, axis=2)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = make()
        optimizer = torch.optim.AdamW(network.parameters(), lr=network.learning_rate, weight_decay=0.01)
        batches = max(count // _PLACES_AT_A_TIME, 1)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, epochs * batches)
        for _ in range(epochs):
            for rows in np.array_split(random.permutation(count), batches):
                # Views of which the last kind is known, the rarest, come first, others by chance.
                order = np.argsort(random.random((len(rows), VIEWS)) - known[rows], axis=1)
                loss = _loss(network, examples, rows, order[:, :_VIEWS_AT_A_TIME])
                if len(examples.choices.places):
                    some = random.integers(len(examples.choices.places), size=_CHOICES_AT_A_TIME)
                    loss = loss + _CHOICE_WEIGHT * _choice_loss(network, examples, some)
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(network.parameters(), 5.0)
                optimizer.step()
                schedule.step()
                advance(len(rows))
    return network.eval()


def guess(network: NameNetwork, said: Said, advance: Advance) -> tuple[NDArray[np.float32], ...]:
    """The shares (n, rooms) of the room, and of each kind of name (n, 36, names); then what spoken words speak for."""
    parts: list[tuple[Tensor, ...]] = []
    with torch.inference_mode():
        for first in range(0, len(said[0]), _PLACES_TO_GUESS):
            some = _tensors(said, slice(first, first + _PLACES_TO_GUESS))
            room, kinds = network(some, torch.arange(VIEWS).expand(len(some[0]), VIEWS))
            shares = (logits.softmax(-1) for logits in (room, *kinds[: len(network.names)]))
            parts.append((*shares, *kinds[len(network.names) :]))
            advance(len(some[0]))
    return tuple(torch.cat(kind).numpy() for kind in zip(*parts, strict=True))


def _loss(network: NameNetwork, examples: Examples, rows: NDArray[np.int64], views: NDArray[np.int64]) -> Tensor:
    room, kinds = network(_tensors(examples.said, rows), torch.from_numpy(views))
    rooms = torch.from_numpy(examples.rooms[rows])
    loss = _cross_entropy(room, rooms.lerp(rooms.sum(-1, keepdim=True) / rooms.shape[-1], network.doubt))
    for logits, target in zip(kinds[: len(network.names)], examples.views, strict=True):
        loss = loss + _cross_entropy(logits, torch.from_numpy(target[rows[:, None], views]).float())
    return loss


def _choice_loss(network: NameNetwork, examples: Examples, rows: NDArray[np.int64]) -> Tensor:
    """How improbable the ways are that people took, where each way's logit is what their words speak for it."""
    places, views, taken, words = (torch.from_numpy(part[rows]) for part in examples.choices)
    _, (*_, spoken) = network(_tensors(examples.said, places.numpy()), views.clamp(min=0))
    logits = torch.einsum("bvw,bw->bv", spoken, words.float()).masked_fill(views < 0, -torch.inf)
    return functional.cross_entropy(logits, taken)


def _tensors(said: Said, rows: NDArray[np.int64] | slice) -> list[Tensor]:
    return [torch.from_numpy(part[rows]) for part in said]


def _cross_entropy(logits: Tensor, shares: Tensor) -> Tensor:
    """The mean over what is known."""
    known = shares.sum(-1)
    shares = shares / known.clamp(min=1e-6)[..., None]
    return -(shares * logits.log_softmax(-1)).sum() / (known > 0).sum().clamp(min=1)


def first_nearness() -> Tensor:
    """(angles, rows of views, rows of captions, heads): what is in the view's middle and row counts most."""
    steps = torch.arange(_BINS)
    degrees = torch.minimum(steps, _BINS - steps).float() * _BIN
    apart = (torch.arange(ROWS)[:, None] - torch.arange(ROWS)).abs().float()
    heads = [-((degrees / width) ** 2)[:, None, None] - apart for width in FIRST_WIDTHS]
    return torch.stack(heads, dim=-1)


def relations(captions: int) -> tuple[Tensor, Tensor, Tensor]:
    """(36, captions) of each view to each caption: the angle between them in bins, the view's row, the caption's."""
    headings = captions // ROWS
    view, caption = torch.arange(VIEWS)[:, None], torch.arange(captions)
    degrees = (view % HEADINGS) * (360 / HEADINGS) - (caption // ROWS) * (360 / headings)
    angle = (degrees / _BIN).round().long() % _BINS
    return angle, (view // HEADINGS).expand(-1, captions), (caption % ROWS).expand(VIEWS, -1)
