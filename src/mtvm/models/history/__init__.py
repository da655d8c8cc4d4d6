"""How the past enters the vision stream: the memory bank and the paper's rivals (Table 3), behind one interface."""

from __future__ import annotations

from mtvm.models.config import HISTORIES, ModelConfig
from mtvm.models.history.base import HistoryEncoder, KnownWalks, Past, ReadHistory, StepRecord
from mtvm.plugins import load_object


def make_history(config: ModelConfig) -> HistoryEncoder:
    """The history encoder that the config names."""
    encoder: type[HistoryEncoder] = load_object(
        HISTORIES.get(config.history, config.history), HistoryEncoder, "history"
    )
    return encoder(config)


__all__ = ["HistoryEncoder", "KnownWalks", "Past", "ReadHistory", "StepRecord", "make_history"]
