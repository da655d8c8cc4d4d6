"""Recurrent state, after VLN⟲BERT: the past is one state token inside MTVM, refined at each step.

It is ours, and takes none of VLN⟲BERT's weights; VLN⟲BERT itself is the architecture `vlnbert` (`models/vlnbert.py`).

After a step the state is joined with the product of the attended language and the attended vision (how well they
match) and with the direction of the action, and projected to the state of the next step. At the start it is the text's
first token.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from mtvm.models.attention import LAYER_NORM_EPS
from mtvm.models.config import ModelConfig
from mtvm.models.history.base import HistoryEncoder, Transition, full_mask
from mtvm.models.language import Text
from mtvm.models.vision import TokenEncoder
from mtvm.products import Linear


@dataclasses.dataclass
class State:
    token: Tensor
    """(B, hidden)"""

    def keep(self, rows: Tensor) -> State:
        return State(self.token[rows])


class RecurrentHistory(HistoryEncoder):
    """Recurrent state, after VLN⟲BERT; VLN⟲BERT itself is architecture vlnbert."""

    needs_context = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        hidden = config.hidden
        self.match_norm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)
        self.refine = Linear(2 * hidden, hidden)
        self.refine_norm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)
        self.act = Linear(hidden + config.angle_width, hidden)
        self.act_norm = nn.LayerNorm(hidden, eps=LAYER_NORM_EPS)

    def start(self, text: Text) -> State:
        return State(text.variant(0).states[:, 0])

    def tokens(self, past: State, token_encoder: TokenEncoder) -> tuple[Tensor, Tensor]:
        tokens = past.token[:, None]
        return tokens, full_mask(tokens)

    def update(self, past: State, step: Transition) -> State:
        state = step.stream[:, 0]
        language = _attended(state, step.text, step.text_mask)
        vision = _attended(state, step.stream[:, 1:], step.stream_mask[:, 1:])
        match = self.match_norm(language * vision)
        refined = self.refine_norm(self.refine(torch.cat([state, match], dim=-1)))
        return State(self.act_norm(torch.tanh(self.act(torch.cat([refined, step.direction], dim=-1)))))


def _attended(state: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
    """The state's dot-product attention to tokens."""
    scores = (tokens @ state[:, :, None])[..., 0] / state.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return (weights[:, None] @ tokens)[:, 0]
