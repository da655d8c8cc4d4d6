"""User-defined parts, given as MODULE:NAME wherever the name of a built-in part is accepted.

A name makes its module run. So names are taken from the command line and from Python; those that stand in a file, such
as the config of somebody's agent, are refused by whoever reads it, unless the user trusts the file.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from mtvm.errors import InputError, brief

TRUST = "--trust-code"
"""The option with which a command trusts the files that it reads."""
_NAME = re.compile(r"(?!\d)\w+(?:\.(?!\d)\w+)*:(?!\d)\w+")
_trusting: ContextVar[bool] = ContextVar("_trusting", default=False)
_given: set[str] = set()
"""Names that stand on this process's command line."""
_trusted: set[str] = set()
"""Names whose code was loaded, or that were read from a file which is trusted."""


class UntrustedCodeError(InputError):
    """A file names code that the user has not said to trust."""


@contextlib.contextmanager
def trusting_code(trusted: bool = True) -> Iterator[None]:
    """Let the files that are read inside name code of the user's own, which then runs. Trust who wrote them."""
    before = _trusting.set(trusted)
    try:
        yield
    finally:
        _trusting.reset(before)


def trusts_code() -> bool:
    """Whether files may name code."""
    return _trusting.get()


def give_names(arguments: Iterable[str]) -> None:
    """Take the names of code on a command line for the user's own; their modules may be in the current folder."""
    _given.clear()
    _given.update(name for argument in arguments for name in names_of_code(argument))


def given_names() -> list[str]:
    """The names that stand on the command line."""
    return sorted(_given)


def names_of_code(text: str) -> list[str]:
    """Every MODULE:NAME in a text, whatever is around it."""
    return _NAME.findall(text)


def is_object_name(name: str) -> bool:
    """Whether `name` has the form MODULE:NAME."""
    return _NAME.fullmatch(name) is not None


def check_names(text: str, path: Path | str, what: str) -> None:
    """Raise if a text that was read from a file names code, unless it is trusted; `what` the text is."""
    for name in names_of_code(text):
        if trusts_code():
            _trusted.add(name)
        elif name not in _given | _trusted:
            raise UntrustedCodeError(
                f"{path}: {what} is {brief(name)}, code of the module {brief(name.partition(':')[0])}, which would be "
                f"run; if you trust it, put the module on PYTHONPATH and add {TRUST} (in Python: with "
                "mtvm.trusting_code())."
            )


def load_object(name: str, kind: type, what: str) -> Any:
    """Load the object MODULE:NAME: an instance of `kind`, or a subclass that defines all of its abstract methods.

    The module is searched for on Python's path and, if the name stands on the command line, in the current folder.
    `what` is used in errors.
    """
    if not is_object_name(name):
        raise InputError(f"{what} '{brief(name)}' is not of the form MODULE:NAME.")
    module, _, attribute = name.partition(":")
    if name in _given:
        _look_here(module.partition(".")[0])
    try:
        found = pkgutil.resolve_name(name)
    except ImportError as error:
        raise InputError(f"{what} '{name}': the module {module} cannot be imported ({error}).") from None
    except AttributeError as error:
        if error.name != attribute:  # a mistake in their own code, which they should see
            raise
        raise InputError(f"{what} '{name}': the module {module} has no {attribute}.") from None
    if isinstance(found, type) and issubclass(found, kind):
        if missing := ", ".join(sorted(getattr(found, "__abstractmethods__", ()))):
            raise InputError(f"{what} '{name}': {attribute} does not define {missing}.")
    elif not isinstance(found, kind):
        raise InputError(f"{what} '{name}': {attribute} is not a {kind.__name__} of {kind.__module__}.")
    _trusted.add(name)
    return found


def _look_here(package: str) -> None:
    """Put the current folder at the end of Python's path if the module or package is there, and nowhere else.

    A mere folder of that name, which Python would take for a package, is not enough.
    """
    if package in sys.modules or importlib.util.find_spec(package) is not None:
        return
    here = str(Path.cwd())
    found = importlib.machinery.PathFinder.find_spec(package, [here])
    if found is not None and found.origin is not None:
        sys.path.append(here)
