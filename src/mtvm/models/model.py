"""MTVM: language encoder, cross-modality encoder over [past; actions], action head and critic."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Attention, CrossModalEncoder
from mtvm.models.dropout import Dropout
from mtvm.models.history import Past, StepRecord, make_history
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.packing import Packing
from mtvm.models.text import Tokens
from mtvm.models.vision import CURRENT, PAST, StreamEmbedding, TokenEncoder


@dataclasses.dataclass
class Step:
    """The model's output for one step of B running episodes with up to A actions."""

    logits: Tensor
    """(B, A) of each action; -inf for padding."""
    mask: Tensor
    """(B, A) true for real actions."""
    actions: Tensor
    """(B, A, token width) the actions' tokens, their features scaled."""
    activations: Tensor
    """(B, A, feature width) V̂ after the action head's tanh, as the memory stores it."""
    text: Tensor
    """(B, L, hidden) X̂; X if the text is only key and value, or without the rest."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + A, hidden) [M̂; V̂]; (B, 0, hidden) without the rest."""
    stream_mask: Tensor
    attention: Attention | None
    has_rest: bool = True
    """Whether X̂ and M̂ were computed."""

    def select(self, rows: Callable[[Tensor], Tensor]) -> Step:
        """The step of some of the episodes, which `rows` picks from a (B, ...) tensor, without its attention."""
        tensors = {
            f.name: rows(getattr(self, f.name))
            for f in dataclasses.fields(self)
            if f.name not in ("attention", "has_rest")
        }
        return Step(**tensors, attention=None, has_rest=self.has_rest)

    def variants(self, count: int) -> list[Step]:
        """The step of each variant of the text."""
        if count == 1:
            return [self]

        def rows(number: int) -> Callable[[Tensor], Tensor]:
            return lambda batch: batch.chunk(count)[number]

        return [self.select(rows(number)) for number in range(count)]


class ActionHead(nn.Module):
    """Scores of the actions, through the activations that the memory stores."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activate = nn.Linear(config.hidden, config.feature_width)
        self.score = nn.Linear(config.feature_width, 1)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        activations = torch.tanh(self.activate(tokens))
        return self.score(activations)[..., 0], activations


class StatePooler(nn.Module):
    """The critic's state: a learned mix of the text's tokens plus the mean of the vision stream."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.pool_padding = config.pool_padding
        self.mix = nn.Linear(config.max_text, 1)
        self.dense = nn.Linear(config.hidden, config.hidden)

    def forward(self, step: Step) -> Tensor:
        text, stream = step.text, step.stream
        weights = self.mix.weight[0, : text.shape[1]]
        if self.pool_padding:
            seen = stream.mean(dim=1)
        else:
            text = text * step.text_mask[..., None]
            real = step.stream_mask[..., None].to(stream.dtype)
            seen = (stream * real).sum(dim=1) / real.sum(dim=1)
        read = weights @ text + self.mix.bias
        return torch.tanh(self.dense(read + seen))


class MTVM(nn.Module):
    """The agent's network.

    `encode` the texts of a batch of episodes and `start` their history once; then alternate `step` and `remember`.
    Episodes that have ended leave the batch with `Text.keep` and `past.keep`.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.language = LanguageEncoder(config)
        self.token_encoder = TokenEncoder(config)
        self.embedding = StreamEmbedding(config)
        self.crossmodal = CrossModalEncoder(config)
        self.head = ActionHead(config)
        self.pooler = StatePooler(config)
        self.critic = nn.Sequential(
            nn.Linear(config.hidden, config.critic_hidden),
            nn.ReLU(),
            Dropout(config.critic_dropout),
            nn.Linear(config.critic_hidden, 1),
        )
        self.history = make_history(config)
        self.apply(functools.partial(_initialize, std=0.02 * math.sqrt(_BERT_WIDTH / config.hidden)))
        # STOP is all zeros: with a bias of zeros its LayerNorm would see no variance and give gradients of a million.
        nn.init.normal_(self.token_encoder.project.bias, std=0.02)

    @property
    def device(self) -> torch.device:
        return self.head.score.weight.device

    def encode(self, *variants: Tokens) -> Text:
        """X = S(x), of one or several variants of the same texts in one pass."""
        tokens = variants[0] if len(variants) == 1 else _joined(variants)
        mask = tokens.mask if tokens.hidden is None else tokens.mask & ~tokens.hidden
        states = self.language(tokens, mask)
        return self.prepare(states, mask, variants[0].mask, len(variants), drop=tokens.hidden is None)

    def prepare(self, states: Tensor, mask: Tensor, real: Tensor, variants: int = 1, drop: bool = True) -> Text:
        """Encoded texts with all that is computed of them once an episode. For the arguments see `Text`."""
        packing = self._packing(mask, drop)
        return Text(states, mask, real, packing, self.crossmodal.text_cache(states, packing), variants)

    def start(self, text: Text) -> Past:
        """The empty history of a batch of episodes."""
        return self.history.start(text)

    def step(
        self,
        text: Text,
        past: Past,
        actions: Tensor,
        mask: Tensor,
        *,
        need_rest: bool = True,
        need_attention: bool = False,
    ) -> Step:
        """One step: X̂, M̂, V̂ = C(X, [M; V]) (Eq. 1) and a = MLP(V̂).

        `actions` (B, A, token width) is a token [v; d] for each action, zeros for STOP and padding; `mask` (B, A) is
        true for real actions. A text of several variants gives a step of as many times B rows, see `Step.variants`.
        `need_rest` false skips X̂ and M̂, which only the critic, the consistency loss and some histories read.
        """
        memory, memory_mask = self.history.tokens(past, self.token_encoder)
        step: Step = self(text, memory, memory_mask, actions, mask, need_rest, need_attention)
        return step

    def forward(
        self,
        text: Text,
        memory: Tensor,
        memory_mask: Tensor,
        actions: Tensor,
        mask: Tensor,
        need_rest: bool = True,
        need_attention: bool = False,
    ) -> Step:
        """`step` as a function of tensors alone, which can be exported.

        `memory` (B, n, hidden) are the encoded tokens of the past and `memory_mask` (B, n) is true for real ones.
        """
        actions = self.scaled(actions)
        here = self._packing(mask)
        current = here.spread(self.token_encoder(here.pack(actions)))
        stream, stream_mask = self._embedded(memory, current, memory_mask, mask), torch.cat([memory_mask, mask], dim=1)
        if text.variants > 1:
            stream, actions = stream.repeat(text.variants, 1, 1), actions.repeat(text.variants, 1, 1)
            stream_mask, mask = stream_mask.repeat(text.variants, 1), mask.repeat(text.variants, 1)
            here = self._packing(mask)
        record: list[tuple[Tensor, Tensor]] | None = [] if need_attention else None
        asked = None if need_rest else here
        read, seen = self.crossmodal(
            text.states, text.packing, stream, self._packing(stream_mask), text.cache, asked, record
        )
        scores, activations = self.head(here.pack(seen[:, -mask.shape[1] :]) if need_rest else seen)
        return Step(
            logits=here.spread(scores).masked_fill(~mask, -torch.inf),
            mask=mask,
            actions=actions,
            activations=here.spread(activations),
            text=read,
            text_mask=text.mask,
            stream=seen if need_rest else stream[:, :0],
            stream_mask=stream_mask,
            attention=_stacked(record) if record else None,
            has_rest=need_rest,
        )

    def _embedded(self, memory: Tensor, current: Tensor, memory_mask: Tensor, mask: Tensor) -> Tensor:
        """The stream [M; V] with its positions and kinds."""
        numbered = torch.ones_like(mask) if self.config.pool_padding else mask  # the released code numbers padding too
        count = torch.cat([memory_mask, numbered], dim=1).cumsum(dim=1)
        positions = (count - 1).clamp(0, self.config.max_positions - 1)
        past, now = (
            torch.full((tokens.shape[1],), kind, device=tokens.device)
            for tokens, kind in ((memory, PAST), (current, CURRENT))
        )
        embedded: Tensor = self.embedding(torch.cat([memory, current], dim=1), positions, torch.cat([past, now]))
        return embedded

    def _packing(self, mask: Tensor, drop: bool = True) -> Packing:
        return Packing(mask, drop=drop and not self.config.pool_padding)

    def scaled(self, tokens: Tensor) -> Tensor:
        """Tokens [v; d] with their image features multiplied by `feature_scale`."""
        if self.config.feature_scale == 1:
            return tokens
        width = self.config.feature_width
        return torch.cat([tokens[..., :width] * self.config.feature_scale, tokens[..., width:]], dim=-1)

    def remember(
        self, past: Past, step: Step, chosen: Tensor, direction: Tensor, panorama: Tensor | None = None
    ) -> Past:
        """The history after a step: M_t <- (M_{t-1}, [V̂_t^k; d_t^k]) (Eq. 2).

        `chosen` (B,) are the actions taken, `direction` (B, angle width) is the direction feature of the agent after
        its move, and `panorama` (B, 36, token width) all views before it, for a history that needs them.
        """
        record = StepRecord(
            chosen=chosen,
            actions=step.actions,
            activations=step.activations,
            direction=direction,
            text=step.text,
            text_mask=step.text_mask,
            stream=step.stream,
            stream_mask=step.stream_mask,
            panorama=None if panorama is None else self.scaled(panorama),
        )
        return self.history.update(past, record)

    def value(self, step: Step) -> Tensor:
        """(B,) the critic's estimate of the return."""
        if not step.has_rest:
            raise ValueError("the critic reads text and memory, which this step skipped (need_rest=False).")
        values: Tensor = self.critic(self.pooler(step))[:, 0]
        return values


def _joined(variants: Sequence[Tokens]) -> Tokens:
    """Variants of the same texts as one batch."""
    every = [one.states for one in variants if one.states is not None]
    hidden = None
    if any(one.hidden is not None for one in variants):
        hidden = torch.cat([torch.zeros_like(one.mask) if one.hidden is None else one.hidden for one in variants])
    return Tokens(
        torch.cat([one.ids for one in variants]),
        torch.cat([one.words for one in variants]),
        torch.cat(every) if every else None,
        hidden,
    )


def _stacked(record: list[tuple[Tensor, Tensor]]) -> Attention:
    over_words, over_stream = zip(*record, strict=True)
    return Attention(torch.stack(over_words), torch.stack(over_stream))


_BERT_WIDTH = 768


def _initialize(module: nn.Module, std: float) -> None:
    """BERT's: normal numbers, zero biases. `std` is 0.02 at its width; a narrower model needs more for a block to
    change a token as much."""
    if isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=std)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
