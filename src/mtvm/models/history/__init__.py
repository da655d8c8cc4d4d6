"""How the past enters the vision stream: the memory bank and the paper's rivals (Table 3), behind one interface."""

from __future__ import annotations

from mtvm.models.config import ModelConfig
from mtvm.models.history.base import HistoryEncoder, KnownWalks, Past, ReadHistory, Transition


def make_history(config: ModelConfig) -> HistoryEncoder:
    """The history encoder that the config names."""
    encoder: type[HistoryEncoder] = config.history.code(config.history.name)
    return encoder(config)


__all__ = ["HistoryEncoder", "KnownWalks", "Past", "ReadHistory", "Transition", "make_history"]
