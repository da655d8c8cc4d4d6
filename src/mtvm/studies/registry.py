"""The studies by name, each in a module of its own."""

from __future__ import annotations

import importlib

from mtvm.errors import InputError, brief
from mtvm.plugins import is_object_name, load_object
from mtvm.studies.study import Study

NAMES = (
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "memory-size",
    "drop-rate",
    "sensitivity",
    "attention",
    "horizon",
    "scaling",
    "robustness",
    "claims",
    "claims-map",
)


def find_study(name: str) -> Study:
    """A study by its name, or MODULE:STUDY of a user's own."""
    if is_object_name(name):
        own: Study = load_object(name, Study, "study")
        return own
    if name not in NAMES:
        raise InputError(f"there is no study '{brief(name)}'; 'mtvm study list' has {', '.join(NAMES)}.")
    study: Study = importlib.import_module(f"mtvm.studies.{name.replace('-', '_')}").STUDY
    return study
