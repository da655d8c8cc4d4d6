"""User-defined parts, given as MODULE:NAME wherever the name of a built-in part is accepted."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from mtvm.errors import InputError


def is_object_name(name: str) -> bool:
    """Whether `name` has the form MODULE:NAME."""
    module, _, attribute = name.partition(":")
    return all(part.isidentifier() for part in (*module.split("."), attribute))


def load_object(name: str, kind: type, what: str) -> Any:
    """Load the object MODULE:NAME: an instance of `kind`, or a subclass that defines all of its abstract methods.

    The module is searched for on Python's path and in the current folder. `what` is used in errors.
    """
    if not is_object_name(name):
        raise InputError(f"{what} '{name}' is not of the form MODULE:NAME.")
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"{what} '{name}': the module {module_name} cannot be imported ({error}).") from None
    found = getattr(module, attribute, None)
    if found is None:
        raise InputError(f"{what} '{name}': the module {module_name} has no {attribute}.")
    if isinstance(found, type) and issubclass(found, kind):
        if missing := ", ".join(sorted(getattr(found, "__abstractmethods__", ()))):
            raise InputError(f"{what} '{name}': {attribute} does not define {missing}.")
    elif not isinstance(found, kind):
        raise InputError(f"{what} '{name}': {attribute} is not a {kind.__name__} of {kind.__module__}.")
    return found
