"""How the past enters the vision stream: the memory bank and the paper's rivals (Table 3), behind one interface."""

from __future__ import annotations

from mtvm.models.config import ModelConfig
from mtvm.models.history.base import HistoryEncoder, Past, StepRecord
from mtvm.models.history.hierarchical import HierarchicalHistory
from mtvm.models.history.memory_bank import MemoryBankHistory
from mtvm.models.history.none import NoHistory
from mtvm.models.history.oriented import OrientedHistory
from mtvm.models.history.recurrent import RecurrentHistory

_ENCODERS: dict[str, type[HistoryEncoder]] = {
    "memory": MemoryBankHistory,
    "none": NoHistory,
    "recurrent": RecurrentHistory,
    "oriented": OrientedHistory,
    "hierarchical": HierarchicalHistory,
}


def make_history(config: ModelConfig) -> HistoryEncoder:
    """The history encoder that the config names."""
    return _ENCODERS[config.history](config)


__all__ = ["HistoryEncoder", "Past", "StepRecord", "make_history"]
