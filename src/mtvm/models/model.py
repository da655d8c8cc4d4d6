"""MTVM: language encoder, cross-modality encoder over [past; candidates; STOP], action head and critic."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from mtvm.models.attention import Packing
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Attention, CrossModalEncoder
from mtvm.models.dropout import Dropout
from mtvm.models.history import Past, StepRecord, make_history
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.text import Tokens
from mtvm.models.vision import CURRENT, PAST, StreamEmbedding, TokenEncoder


@dataclasses.dataclass
class Step:
    """What the model makes of one step of B running episodes with up to A actions."""

    logits: Tensor
    """(B, A) of each action; -inf where there is none."""
    mask: Tensor
    """(B, A), true for real actions."""
    actions: Tensor
    """(B, A, token width) the actions' tokens as they went in."""
    activations: Tensor
    """(B, A, feature width) V̂ as the action head and the memory see it."""
    text: Tensor
    """(B, L, hidden) X̂; X where the text is only key and value, or where the rest was not asked for."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + A, hidden) [M̂; V̂]; (B, 0, hidden) where the rest was not asked for."""
    stream_mask: Tensor
    attention: Attention | None
    has_rest: bool = True
    """Whether X̂ and M̂ were computed too."""

    def select(self, rows: Callable[[Tensor], Tensor]) -> Step:
        """The step of some of the episodes: `rows` picks them from a (B, ...) tensor. Attention is not kept."""
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
        return [self.select(lambda batch, number=number: batch.chunk(count)[number]) for number in range(count)]


class ActionHead(nn.Module):
    """Scores of the current tokens, through the activations that the memory stores."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.activate = nn.Linear(config.hidden, config.feature_width)
        self.score = nn.Linear(config.feature_width, 1)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        activations = torch.tanh(self.activate(tokens))
        return self.score(activations)[..., 0], activations


class StatePooler(nn.Module):
    """The critic's view of a step: a learned mix of the text's tokens plus the mean of the vision stream."""

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

    An episode batch is encoded once (`encode`), its history started (`start`), and then each step is `step` and
    `remember`. Everything takes only the episodes that are still running; see `Text.keep` and `past.keep`.
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
        """X = S(x) of the same texts in one or several variants, token by token, in one pass."""
        tokens = variants[0] if len(variants) == 1 else _joined(variants)
        hiding = tokens.hidden is not None
        mask = tokens.mask & ~tokens.hidden if tokens.hidden is not None else tokens.mask
        packing = Packing(mask, drop=not hiding and not self.config.pool_padding)
        states = self.language(tokens, mask)
        cache = self.crossmodal.text_cache(states, packing)
        return Text(states, mask, variants[0].mask, packing, cache, len(variants))

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

        `actions` (B, A, token width) has a token [v; d] for each action, zeros for STOP and where there is none;
        `mask` (B, A) is true for real actions. A text of several variants gives a step of as many times B rows, see
        `Step.variants`. `need_rest` false skips X̂ and M̂, which only the critic, the consistency loss and some
        histories read.
        """
        stream, stream_mask, current = self.assemble(past, actions, mask)
        if (many := text.variants) > 1:
            stream, stream_mask = stream.repeat(many, 1, 1), stream_mask.repeat(many, 1)
            current, mask = current.repeat(many, 1, 1), mask.repeat(many, 1)
        return self.attend(text, stream, stream_mask, current, mask, need_rest, need_attention)

    def assemble(self, past: Past, actions: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The embedded stream [M; V] and its mask, and the actions' tokens."""
        current = self.scaled(actions)
        remembered, past_mask = self.history.tokens(past, self.token_encoder)
        here = Packing(mask, drop=not self.config.pool_padding)
        tokens = torch.cat([remembered, here.spread(self.token_encoder(here.pack(current)))], dim=1)
        stream_mask = torch.cat([past_mask, mask], dim=1)
        positions = (stream_mask.cumsum(dim=1) - 1).clamp(0, self.config.max_positions - 1)
        if self.config.pool_padding:  # the released code numbers padding too
            positions = torch.arange(tokens.shape[1], device=tokens.device).expand_as(positions)
        kinds = torch.full((tokens.shape[1],), CURRENT, device=tokens.device)
        kinds[: remembered.shape[1]] = PAST
        return self.embedding(tokens, positions, kinds), stream_mask, current

    def scaled(self, tokens: Tensor) -> Tensor:
        """Tokens [v; d] with their image features as the model wants them."""
        if self.config.feature_scale == 1:
            return tokens
        width = self.config.feature_width
        return torch.cat([tokens[..., :width] * self.config.feature_scale, tokens[..., width:]], dim=-1)

    def attend(
        self,
        text: Text,
        stream: Tensor,
        stream_mask: Tensor,
        current: Tensor,
        mask: Tensor,
        need_rest: bool = True,
        need_attention: bool = False,
    ) -> Step:
        """The cross-modality encoder and the action head on an assembled stream."""
        record: list[tuple[Tensor, Tensor]] | None = [] if need_attention else None
        places = Packing(stream_mask, drop=not self.config.pool_padding)
        here = Packing(mask, drop=not self.config.pool_padding)
        asked = None if need_rest else here
        read, seen = self.crossmodal(text.states, text.packing, stream, places, text.cache, asked, record)
        scores, activations = self.head(here.pack(seen[:, -mask.shape[1] :]) if need_rest else seen)
        scores, activations = here.spread(scores), here.spread(activations)
        return Step(
            logits=scores.masked_fill(~mask, -torch.inf),
            mask=mask,
            actions=current,
            activations=activations,
            text=read,
            text_mask=text.mask,
            stream=seen if need_rest else stream[:, :0],
            stream_mask=stream_mask,
            attention=_stacked(record) if record else None,
            has_rest=need_rest,
        )

    def remember(
        self, past: Past, step: Step, chosen: Tensor, direction: Tensor, panorama: Tensor | None = None
    ) -> Past:
        """Take the step into the history: M_t <- (M_{t-1}, [V̂_t^k; d_t^k]) (Eq. 2).

        `chosen` (B,) are the actions that were taken, `direction` (B, angle width) the direction feature of the
        agent after its move.
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
            raise ValueError("the critic reads the text and the memory, which this step skipped (need_rest=False)")
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
