"""The language encoder S: X = S(x), once per episode."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from mtvm.errors import MissingExtraError
from mtvm.models.attention import LAYER_NORM_EPS, attention
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Projected
from mtvm.models.dropout import Dropout
from mtvm.models.packing import Packing, take
from mtvm.models.places import Places
from mtvm.models.text import Tokens
from mtvm.products import Linear, adopt


@dataclasses.dataclass
class Text:
    """The encoded texts of B episodes, with the projections that the cross-modal encoder computes once per episode.

    They may come in several variants that agree token by token (the instruction, and the instruction with words
    dropped); the rows of the first variant are then followed by those of the next.
    """

    states: Tensor
    """(variants * B, L, hidden) X, and X' after it."""
    mask: Tensor
    """(variants * B, L) true for tokens that can be attended to."""
    real: Tensor
    """(B, L) true for tokens that are not padding."""
    packing: Packing
    cache: list[Projected]
    variants: int = 1
    ids: Tensor | None = None
    """(variants * B, L) the tokens as they were read, for comparing words with names."""
    places: Places | None = None
    """Which of the texts each row of the stream reads, where several read one."""

    def __len__(self) -> int:
        """The number of episodes."""
        return len(self.real)

    def variant(self, number: int) -> Text:
        """One of the variants alone."""
        if self.variants == 1:
            return self
        rows = slice(number * len(self), (number + 1) * len(self))
        mask = self.mask[rows]
        cache = [tuple(part[rows] for part in parts) for parts in self.cache]
        ids = None if self.ids is None else self.ids[rows]
        return Text(self.states[rows], mask, self.real, Packing(mask, self.packing.drop), cache, ids=ids)

    def masked(self, visible: Tensor) -> Text:
        """The first variant twice, the second time with only the tokens that are `visible` (B, L) as keys."""
        one = self.variant(0)
        mask = torch.cat([one.mask, one.mask & visible])
        cache = [tuple(part.repeat(2, 1, 1, 1) for part in parts) for parts in one.cache]
        packing = Packing(mask, drop=False)
        return Text(one.states.repeat(2, 1, 1), mask, one.real, packing, cache, variants=2)

    def keep(self, rows: Tensor, take: Callable[[Tensor, Tensor], Tensor] = take) -> Text:
        """The texts of the episodes at `rows`, none of which may occur twice, padded only to the longest of them."""
        real = self.real[rows]
        length = int(real.sum(dim=1).max()) if len(real) and not self.keeps_padding else real.shape[1]
        every = torch.cat([rows + number * len(self) for number in range(self.variants)])
        mask = self.mask[every][:, :length]
        cache = [tuple(take(part[:, :, :length], every) for part in parts) for parts in self.cache]
        states = take(self.states[:, :length], every)
        return dataclasses.replace(
            self,
            states=states,
            mask=mask,
            real=real[:, :length],
            packing=Packing(mask, self.packing.drop),
            cache=cache,
            ids=None if self.ids is None else self.ids[every][:, :length],
        )

    def repeated(self, places: Places) -> Text:
        """A text for each of the `places`, which stand in rows of texts."""
        every = places.of_variants(self.variants)
        return self.keep(places.rows, lambda batch, _: every.repeat(batch))

    def of_rows(self, texts: Tensor) -> Tensor:
        """(variants * B, ...) of the texts, as the rows of the stream read them."""
        return texts if self.places is None else self.places.of_variants(self.variants).repeat(texts)

    @property
    def keeps_padding(self) -> bool:
        """Whether padding is computed like real tokens, as in the released code."""
        return not self.packing.drop


READER_WIDTH = 384
"""Width of all-MiniLM-L6-v2's states."""


class LanguageEncoder(nn.Module):
    """transformers' BERT without its pooler; with `config.reader`, on top of a pretrained model.

    A frozen reader's states of a text never change, so they can be computed once: `read` fills `Tokens.states`, and
    tokens that have states are not read again. A text with words dropped is another text: it is read anew, as the
    reader would otherwise have seen the dropped words.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.bert = _bert(
            config.tokens_known if config.reader == "none" else 1,
            config.hidden,
            config.language_layers,
            config.heads,
            config.intermediate,
            config.max_positions,
            config.dropout,
        )
        self._always_frozen: list[nn.Module] = []
        self.reader: nn.Module | None = None
        if config.reader == "minilm":
            self.reader = _bert(config.tokens_known, READER_WIDTH, config.reader_layers, 12, 1536, 512, 0.0)
            self.project = Linear(READER_WIDTH, config.hidden)
            embeddings = self.reader.get_submodule("embeddings")
            self._always_frozen = [embeddings if config.train_reader else self.reader]
        self._frozen = self._always_frozen
        for part in self._frozen:
            part.requires_grad_(False)
        self.is_read_once = self.reader is not None and not config.train_reader
        """Whether the reader is frozen, so that texts need to be read only once."""
        self.drops_padding = not config.released.padding

    def freeze(self, layers: int) -> None:
        """Freeze the word embeddings and the first layers: no gradients, no dropout."""
        every = [self.bert.get_submodule("embeddings"), *self.bert.get_submodule("encoder.layer").children()]
        self._frozen = self._always_frozen + (every[: layers + 1] if layers else [])
        for part in self._frozen:
            part.requires_grad_(False).eval()

    def train(self, mode: bool = True) -> LanguageEncoder:
        super().train(mode)
        for part in self._frozen:
            part.eval()
        return self

    def read(self, tokens: Tokens) -> Tokens:
        """The tokens with the reader's states, if there is a reader."""
        if self.reader is None or tokens.states is not None:
            return tokens
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.is_read_once):
            states = _states(self.reader, "input_ids", tokens.ids, tokens.mask, tokens.mask, drop=True)
        return dataclasses.replace(tokens, states=states)

    @property
    def word_table(self) -> Tensor:
        """(vocabulary, width): the embedding of each token."""
        embeddings = (self.bert if self.reader is None else self.reader).get_submodule("embeddings.word_embeddings")
        assert isinstance(embeddings.weight, Tensor)
        return embeddings.weight

    def word_vectors(self) -> Tensor:
        """(vocabulary, hidden): what the first layer gets for each token by itself."""
        if self.reader is None:
            return self.word_table
        projected: Tensor = self.project(self.word_table)
        return projected

    def forward(self, tokens: Tokens, mask: Tensor) -> Tensor:
        """(B, L, hidden); `mask` (B, L) is true for tokens that can be attended to."""
        if self.reader is None:
            return _states(self.bert, "input_ids", tokens.ids, tokens.mask, mask, self.drops_padding)
        states = self.read(tokens).states
        assert states is not None
        projected = self.project(states.to(self.project.weight.dtype))
        return _states(self.bert, "inputs_embeds", projected, tokens.mask, mask, self.drops_padding)


_ATTENTION = "mtvm"


@dataclasses.dataclass(frozen=True)
class _Keys:
    """How the tokens of some texts are packed, and which may be attended to; None for all."""

    packing: Packing
    allowed: Tensor | None


def _states(bert: nn.Module, name: str, inputs: Tensor, real: Tensor, mask: Tensor, drop: bool) -> Tensor:
    """BERT's states (B, L, hidden) of `inputs`, whose padding is not computed if it is to be dropped.

    `real` and `mask` (B, L) are true for tokens that are not padding, and for those that can be attended to.
    """
    if torch.compiler.is_exporting():
        states: Tensor = bert(**{name: inputs, "attention_mask": mask.to(torch.long)}).last_hidden_state
        return states
    packing = Packing(real, drop)
    visible = packing.mask if mask is real else mask
    keys = _Keys(packing, None if visible is None else visible[:, None, None, :])
    packed = packing.pack(bert.get_submodule("embeddings")(**{name: inputs}))[None]
    for layer in bert.get_submodule("encoder.layer").children():
        packed = layer(packed, keys)
    return packing.spread(packed[0])


def _attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | _Keys | None,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[Tensor, None]:
    """Our attention as transformers calls it: (1, heads, rows, width) of packed tokens, or (B, heads, L, width)."""
    if not isinstance(attention_mask, _Keys):
        return attention(query, key, value, attention_mask, dropout).transpose(1, 2).contiguous(), None
    packing = attention_mask.packing
    parts = torch.stack([part[0].transpose(0, 1) for part in (query, key, value)], dim=1)
    query, key, value = packing.spread_heads(parts).unbind(0)
    mixed = attention(query, key, value, attention_mask.allowed, dropout)
    return packing.pack_heads(mixed)[None], None


def _bert(
    vocabulary: int, hidden: int, layers: int, heads: int, intermediate: int, positions: int, dropout: float
) -> nn.Module:
    try:
        from transformers import AttentionInterface, AttentionMaskInterface, BertConfig, BertModel
        from transformers.masking_utils import sdpa_mask
    except ImportError:
        raise MissingExtraError("transformers", "model", "The language encoder") from None
    sizes = BertConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=intermediate,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        layer_norm_eps=LAYER_NORM_EPS,
    )
    AttentionInterface.register(_ATTENTION, _attend)
    AttentionMaskInterface.register(_ATTENTION, sdpa_mask)
    sizes._attn_implementation = _ATTENTION
    model: nn.Module = BertModel(sizes, add_pooling_layer=False)  # type: ignore[no-untyped-call]
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Dropout):
                setattr(module, name, Dropout(dropout))
    adopt(model)
    return model
