"""Parts that users write themselves, named MODULE:NAME wherever the name of a built-in part could stand."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from mtvm.errors import InputError


def is_plugin(name: str) -> bool:
    return ":" in name


def load_object(name: str, kind: type, option: str) -> Any:
    """The object called MODULE:NAME, which must be a subclass or an instance of `kind`; `option` is named in errors.

    The module is looked for as Python does, and in the current folder.
    """
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except (ImportError, ValueError, TypeError) as error:
        raise InputError(f"{option} '{name}': module {module_name!r} cannot be imported ({error}).") from error
    found = getattr(module, attribute, None)
    if found is None:
        raise InputError(f"{option} '{name}': module {module_name} has no {attribute!r}.")
    if not (isinstance(found, kind) or (isinstance(found, type) and issubclass(found, kind))):
        raise InputError(f"{option} '{name}': {attribute} is not a {kind.__name__}.")
    return found
