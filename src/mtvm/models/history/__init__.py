"""How the past enters the vision stream: the memory bank and the paper's rivals (Table 3), behind one interface."""

from __future__ import annotations

import importlib

from mtvm.errors import InputError
from mtvm.models.config import HISTORIES, ModelConfig
from mtvm.models.history.base import HistoryEncoder, Past, StepRecord


def make_history(config: ModelConfig) -> HistoryEncoder:
    """The history encoder that the config names."""
    return _class_of(HISTORIES.get(config.history, config.history))(config)


def _class_of(name: str) -> type[HistoryEncoder]:
    """The class `module:Class`."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ImportError as error:
        raise InputError(f"history '{name}': the module {module} cannot be imported ({error}).") from None
    if found is None:
        raise InputError(f"history '{name}': the module {module} has no {attribute}.")
    if not (isinstance(found, type) and issubclass(found, HistoryEncoder)):
        raise InputError(f"history '{name}': {attribute} is not a subclass of mtvm.models.history.HistoryEncoder.")
    if missing := ", ".join(sorted(found.__abstractmethods__)):
        raise InputError(f"history '{name}': {attribute} does not define {missing}.")
    return found


__all__ = ["HistoryEncoder", "Past", "StepRecord", "make_history"]
