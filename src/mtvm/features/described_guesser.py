"""A small network that guesses names from what two image models and a detector said of the views."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from mtvm.features.described import OF_CLASS
from mtvm.features.guesser import FIRST_WIDTHS, NameNetwork, first_nearness, relations
from mtvm.products import Linear
from mtvm.world.views import HEADINGS, ROWS, VIEWS

_SOURCES = 3
"""The captions of one image model, those of the other, and the boxes of the detector."""
_FORGOTTEN = 0.6  # of the words that tell the room, while it is learnt
_SECOND = 0.4  # what those of the second image model count, where the first one's are 1
_LOUDNESS = 3.0


class DescribedGuesser(NameNetwork):
    """As `Guesser`, with several sources, each with weights of its own for angles and rows: what the sources say of the
    surroundings of a view, and of the place, is laid side by side, so that each may be believed as it deserves.

    All of them share the words. A view's boxes are the words that were said of them and the classes that were found.
    The room is also told by the words of all captions in a row, wherever they are, most of which are forgotten while it
    is learnt: rooms are learnt by heart before objects are learnt at all.
    """

    learning_rate = 4e-3
    doubt = 0.1

    def __init__(
        self,
        vocabulary: int,
        captions: int,
        classes: int,
        rooms: int,
        names: Sequence[int],
        spoken: int = 0,
        width: int = 96,
        hidden: int = 192,
    ) -> None:
        super().__init__()
        self.names, self.spoken = list(names), spoken
        self.word = nn.Embedding(vocabulary + 1, width, padding_idx=0)
        nn.init.normal_(self.word.weight[1:], std=0.1)
        self.found = Linear(classes * OF_CLASS, width, bias=False)
        self.row = nn.Parameter(torch.zeros(_SOURCES, ROWS, width))
        self.nearness = nn.ParameterList([first_nearness() for _ in range(_SOURCES)])
        self.weight = nn.ModuleList([Linear(width, 1) for _ in range(_SOURCES)])
        self.dropout = nn.Dropout(0.3)
        self.caption_dropout = 0.2
        self.place = Linear(_SOURCES * 2 * width, 128)
        self.room = Linear(128, rooms)
        self.room_by_words = nn.Sequential(
            Linear((ROWS + 1) * width, 64), nn.ReLU(), nn.Dropout(0.5), Linear(64, rooms)
        )
        self.from_view = Linear(_SOURCES * len(FIRST_WIDTHS) * width, hidden)
        self.from_place = Linear(128, hidden, bias=False)
        self.name = Linear(hidden, sum(self.names) + spoken)
        of_captions, of_views = relations(captions), relations(VIEWS)
        in_order = torch.arange(VIEWS) % HEADINGS * ROWS + torch.arange(VIEWS) // HEADINGS
        views = tuple(part[:, in_order] for part in of_views)
        self._relations = [of_captions, views, views]

    def forward(self, said: Sequence[Tensor], views: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        words, of_views, of_boxes, shares, found = said
        heard = [
            self._bag(words),
            self._bag(of_views),
            self._bag(of_boxes, shares.float()) + self.found(found.float()),
        ]
        around, places = [], []
        for source, one in enumerate(heard):
            near, place = self._gathered(source, one, views)
            around.append(near)
            places.append(place)
        place = self.dropout(functional.relu(self.place(torch.cat(places, dim=1))))
        states = self.from_view(torch.cat(around, dim=2)) + self.from_place(place)[:, None]
        names = self.name(self.dropout(functional.relu(states)))
        room = self.room(place) + self.room_by_words(self._words_here(words, of_views))
        return room, names.split([*self.names, *([self.spoken] if self.spoken else [])], dim=-1)

    def _gathered(self, source: int, said: Tensor, views: Tensor) -> tuple[Tensor, Tensor]:
        """What one source says around `views` (b, v, heads * width), and of the whole place (b, 2 * width)."""
        rows = self._relations[source][2][0]
        said = self.dropout(functional.relu(said + self.row[source, rows]))
        unheard = torch.zeros(*said.shape[:2], 1)
        if self.training:
            unheard = torch.where(torch.rand_like(unheard) < self.caption_dropout, -20.0, 0.0)
        telling = (self.weight[source](said) + unheard).softmax(1)
        place = torch.cat([(telling * said).sum(1), (said * (unheard == 0)).mean(1)], dim=1)
        near = self.nearness[source][self._relations[source]][views]  # (b, v, captions, heads)
        near = (near + unheard[:, None]).softmax(2)
        return torch.einsum("bvch,bcw->bvhw", near, said).flatten(2), place

    def _words_here(self, words: Tensor, of_views: Tensor) -> Tensor:
        """(b, (rows + 1) * width) the words of the one image model in each row, and all of the other's."""
        louder = _LOUDNESS / (1 - _FORGOTTEN) if self.training else _LOUDNESS
        rows = self._bag(self._without_some(words)).view(len(words), -1, ROWS, self.word.embedding_dim).mean(1)
        others = self._bag(self._without_some(of_views)).mean(1)
        return louder * torch.cat([rows.flatten(1), _SECOND * others], dim=1)

    def _without_some(self, words: Tensor) -> Tensor:
        """While it learns, most of the words are left out."""
        return words * (torch.rand(words.shape) >= _FORGOTTEN) if self.training else words

    def _bag(self, words: Tensor, shares: Tensor | None = None) -> Tensor:
        """The sums (b, captions, width) of the words of each caption."""
        numbers = words.long().flatten(0, 1)
        weights = None if shares is None else shares.flatten(0, 1)
        table = self.word.weight
        sums = functional.embedding_bag(numbers, table, mode="sum", padding_idx=0, per_sample_weights=weights)
        return sums.view(*words.shape[:2], -1)
