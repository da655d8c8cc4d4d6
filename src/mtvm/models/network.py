"""What a network must offer so that rollouts, losses, evaluation and `Agent` can use it."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from mtvm.errors import InputError
from mtvm.machine import memory_bytes
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Attention, CrossModalEncoder, LayerKeys
from mtvm.models.dropout import Dropout
from mtvm.models.history.base import KnownWalks, Past
from mtvm.models.language import LanguageEncoder, Text
from mtvm.models.objects import ObjectHead, name_matches
from mtvm.models.parts import ArchitectureConfig
from mtvm.models.text import Tokens
from mtvm.models.vision import FeatureLinear
from mtvm.products import Linear


@dataclasses.dataclass
class Output:
    """A network's output for one step of B running episodes with up to A actions."""

    logits: Tensor
    """(B, A) of each action; -inf for padding."""
    mask: Tensor
    """(B, A) true for real actions."""
    actions: Tensor
    """(B, A, token width) the actions' tokens, as they were given."""
    activations: Tensor
    """(B, A, width) what the network could remember of each action; MTVM: V̂ after the action head's tanh."""
    text: Tensor
    """(B, L, hidden) X̂; X if the text is only key and value, or without the context."""
    text_mask: Tensor
    stream: Tensor
    """(B, n + A, hidden) [M̂; V̂]; (B, 0, hidden) without the context."""
    stream_mask: Tensor
    attention: Attention | None = None
    has_context: bool = True
    """Whether X̂ and M̂ were computed."""
    state: Tensor | None = None
    """(B, hidden) the new state of a network that carries one from step to step."""
    layers: list[tuple[Tensor, Tensor]] = dataclasses.field(default_factory=list)
    """X̂ and [M̂; V̂] after each layer, if asked for."""
    keys: list[LayerKeys] = dataclasses.field(default_factory=list)
    """The actions' keys and values in each layer, for histories that are read there."""

    def select(self, rows: Callable[[Tensor], Tensor]) -> Output:
        """The output for some of the episodes, which `rows` picks from a (B, ...) tensor, without its attention."""
        tensors: dict[str, Any] = {
            field.name: rows(value)
            for field in dataclasses.fields(self)
            if isinstance(value := getattr(self, field.name), Tensor)
        }
        layers = [(rows(text), rows(stream)) for text, stream in self.layers]
        keys = [{reader: (rows(key), rows(value)) for reader, (key, value) in one.items()} for one in self.keys]
        return dataclasses.replace(self, **tensors, layers=layers, keys=keys, attention=None)

    def variants(self, count: int) -> list[Output]:
        """The output for each variant of the text."""
        if count == 1:
            return [self]

        def rows(number: int) -> Callable[[Tensor], Tensor]:
            return lambda batch: batch.chunk(count)[number]

        return [self.select(rows(number)) for number in range(count)]


class Network(nn.Module, abc.ABC):
    """`encode` the texts of a batch of episodes and `start` their history once; then alternate `step` and `remember`.

    Episodes that have ended leave the batch with `Text.keep` and `past.keep`.
    """

    Options: ClassVar[type[ArchitectureConfig]] = ArchitectureConfig
    """The config of a network of one's own, a frozen dataclass whose fields are options on the command line."""
    config: ModelConfig
    language: LanguageEncoder
    crossmodal: CrossModalEncoder
    needs_context = False
    """Whether `remember` reads X̂ and M̂ of a step, and not V̂ alone."""
    needs_panorama = False
    """Whether `remember` must be given the 36 views of the panorama."""
    computes_walks = False
    """Whether it can take all steps of known walks at once: `step`, with the past that `walked` gives."""

    def __init__(self) -> None:
        super().__init__()
        self.object_head: ObjectHead | None = None
        """What points at an object, in an agent that was trained to."""

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def point(
        self,
        text: Text,
        rows: Tensor,
        objects: Tensor,
        mask: Tensor,
        names: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """(n, K) the score of each object that agents see, -inf for padding: of the texts at `rows` (n,), with tokens
        and names as `Vision.objects_at` and `Vision.names_at` give them."""
        assert self.object_head is not None
        matches = None
        if names is not None and text.ids is not None:
            matches = name_matches(self.language.word_table.detach(), text.ids[rows], text.mask[rows], *names)
        scores: Tensor = self.object_head(text.states[rows], text.mask[rows], objects, mask, matches)
        return scores

    @property
    def text_is_query(self) -> bool:
        """Whether the cross-modality encoder changes the text, so that there is an X̂."""
        return self.crossmodal.bidirectional

    @abc.abstractmethod
    def encode(self, *variants: Tokens) -> Text:
        """X = S(x), of one or several variants of the same texts in one pass."""

    @abc.abstractmethod
    def start(self, text: Text, direction: Tensor) -> Past:
        """The history of episodes that begin, their agents facing `direction` (B, angle width)."""

    @abc.abstractmethod
    def step(
        self,
        text: Text,
        past: Past,
        actions: Tensor,
        mask: Tensor,
        *,
        need_context: bool = True,
        need_attention: bool = False,
        need_layers: bool = False,
    ) -> Output:
        """One step of B episodes.

        `actions` (B, A, token width) is a token [v; d] for each action, zeros for STOP and padding; `mask` (B, A) is
        true for real actions. A text of several variants gives one of as many times B rows, see `Output.variants`.
        `need_context` false skips X̂ and M̂, which only the critic, the consistency loss and some histories read.
        """

    @abc.abstractmethod
    def remember(
        self, past: Past, step: Output, chosen: Tensor, direction: Tensor, panorama: Tensor | None = None
    ) -> Past:
        """The history after a step.

        `chosen` (B,) are the actions taken, `direction` (B, angle width) is the direction feature of the agent after
        its move, and `panorama` (B, 36, token width) all views before it, for a network that needs them.
        """

    def walked(self, past: Past | None, walks: KnownWalks) -> Past:
        """The past with which `step` computes every step of known walks at once, one row each. `past` is what this gave
        for the steps before them, which have been computed; None where there are none."""
        raise NotImplementedError(f"{type(self).__name__} cannot compute known walks in one pass.")

    @abc.abstractmethod
    def value(self, step: Output) -> Tensor:
        """(B,) the critic's estimate of the return."""


def check_fits(config: ModelConfig) -> None:
    """Refuse a network that this machine has no memory for."""
    if (needed := 4 * config.least_parameters) > memory_bytes():
        raise InputError(
            f"a model of this size takes {needed / 1e9:.0f} GB, but this machine has {memory_bytes() / 1e9:.0f} GB; "
            "choose a smaller one."
        )


def make_network(config: ModelConfig) -> Network:
    """The network that the config names, with random weights."""
    check_fits(config)
    network: Network = config.architecture.code(config.architecture.name)(config)
    if config.object_width:
        network.object_head = head = ObjectHead(config)
        initialize_like_bert(head, config.hidden)
    return network


# Parts that networks share


def make_critic(config: ModelConfig) -> nn.Sequential:
    return nn.Sequential(
        Linear(config.hidden, config.critic_hidden),
        nn.ReLU(),
        Dropout(config.critic_dropout),
        Linear(config.critic_hidden, 1),
    )


def scale_features(tokens: Tensor, config: ModelConfig) -> Tensor:
    """Tokens [v; d] with their image features multiplied by `feature_scale`."""
    if config.feature_scale == 1:
        return tokens
    width = config.feature_width
    return torch.cat([tokens[..., :width] * config.feature_scale, tokens[..., width:]], dim=-1)


def stack_attention(record: Sequence[tuple[Tensor, Tensor]]) -> Attention | None:
    """What the layers recorded, if anything."""
    if not record:
        return None
    over_words, over_stream = zip(*record, strict=True)
    return Attention(torch.stack(over_words), torch.stack(over_stream))


_BERT_WIDTH = 768


def initialize_like_bert(network: nn.Module, hidden: int) -> None:
    """Normal numbers and zero biases.

    The deviation is 0.02 at BERT's width; a narrower model needs more for a block to change a token as much.
    """
    deviation = 0.02 * math.sqrt(_BERT_WIDTH / hidden)
    for module in network.modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=deviation)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    for module in network.modules():
        if isinstance(module, FeatureLinear):
            nn.init.normal_(module.bias, std=0.02)
