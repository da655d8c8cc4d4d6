"""The language encoder S: X = S(x), once an episode."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn

from mtvm.errors import MissingExtraError
from mtvm.models.attention import LAYER_NORM_EPS, Packing
from mtvm.models.config import ModelConfig
from mtvm.models.crossmodal import Projected


@dataclasses.dataclass
class Text:
    """An encoded batch of texts, and what the cross-modal encoder computes of it once an episode."""

    states: Tensor
    """X: (B, L, hidden)."""
    mask: Tensor
    """(B, L), true for real tokens."""
    packing: Packing
    cache: list[Projected]

    def keep(self, rows: Tensor) -> Text:
        """The texts of the episodes that go on, padded only to the longest of them."""
        mask = self.mask[rows]
        length = int(mask.sum(dim=1).max()) if len(mask) and self.packing.drop else mask.shape[1]
        cache = [tuple(part[rows][:, :, :length] for part in parts) for parts in self.cache]
        return Text(
            self.states[rows][:, :length], mask[:, :length], Packing(mask[:, :length], self.packing.drop), cache
        )


class LanguageEncoder(nn.Module):
    """transformers' BERT without its pooler."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        try:
            from transformers import BertConfig, BertModel
        except ImportError:
            raise MissingExtraError("transformers", "model", "The language encoder") from None
        sizes = BertConfig(
            vocab_size=config.vocabulary,
            hidden_size=config.hidden,
            num_hidden_layers=config.language_layers,
            num_attention_heads=config.heads,
            intermediate_size=config.intermediate,
            max_position_embeddings=config.max_positions,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            layer_norm_eps=LAYER_NORM_EPS,
        )
        sizes._attn_implementation = "sdpa"
        self.bert: nn.Module = BertModel(sizes, add_pooling_layer=False)  # type: ignore[no-untyped-call]
        self._frozen: list[nn.Module] = []

    def freeze(self, layers: int) -> None:
        """Keep the word embeddings and the first layers as they are, without gradients and without dropout."""
        every = [self.bert.get_submodule("embeddings"), *self.bert.get_submodule("encoder.layer").children()]
        self._frozen = every[: layers + 1] if layers else []
        for part in self._frozen:
            part.requires_grad_(False).eval()

    def train(self, mode: bool = True) -> LanguageEncoder:
        super().train(mode)
        for part in self._frozen:
            part.eval()
        return self

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, L, hidden) of (B, L) token ids; `mask` is true for real tokens."""
        states: Tensor = self.bert(input_ids=ids, attention_mask=mask.to(torch.long)).last_hidden_state
        return states
