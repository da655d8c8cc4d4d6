"""Config dataclasses: numbers checked, as plain values for JSON, and back with errors that name file and option."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from mtvm.errors import InputError, shown
from mtvm.plugins import check_names


def to_plain(config: Any) -> dict[str, Any]:
    """A dataclass as dictionaries, lists, strings and numbers."""
    return _plain(dataclasses.asdict(config))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def from_plain(kind: Any, values: Any, path: Path, option: str = "") -> Any:
    """What `to_plain` gave of an instance of `kind`, read from `path`; `option` is its name on the command line.

    Options that name code are refused unless the user trusts it, before anything is made of them.
    """
    options = get_args(kind) if get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    if values is None and type(None) in options:
        return None
    kind = next(one for one in options if one is not type(None))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _from_object(kind, values, path, option)
    if get_origin(kind) is Literal:
        if values not in get_args(kind):
            raise InputError(
                f"{path}: {option} is {shown(repr(values), 40)}, none of {', '.join(map(str, get_args(kind)))}."
            )
        return values
    if get_origin(kind) is tuple:
        if not isinstance(values, list):
            raise InputError(f"{path}: {option} is {shown(repr(values), 40)}, not a list.")
        return tuple(from_plain(get_args(kind)[0], value, path, option) for value in values)
    return _from_value(kind, values, path, option)


def _from_object(kind: type, values: Any, path: Path, option: str) -> Any:
    if not isinstance(values, dict):
        raise InputError(f"{path}: {option or 'it'} is {shown(repr(values), 40)}, not an object with options.")
    hints = get_type_hints(kind)
    for name in values:
        if name not in hints:
            raise InputError(f"{path}: this version of mtvm has no option {_joined(option, name)}.")
    for field in dataclasses.fields(kind):
        optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        if field.name not in values and not optional:
            raise InputError(f"{path}: the option {_joined(option, field.name)} is missing.")
    built = {name: from_plain(hints[name], value, path, _joined(option, name)) for name, value in values.items()}
    return kind(**built)


_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a string", Path: "a path"}


def _from_value(kind: Any, value: Any, path: Path, option: str) -> Any:
    accepted = {float: (int, float), Path: (str,)}.get(kind, (kind,))
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{path}: {option} is {shown(repr(value), 40)}, not {_NAMES.get(kind, kind)}.")
    if kind in (int, float) and not abs(value) < 1e300:
        raise InputError(f"{path}: {option} is {shown(repr(value), 40)}, too large a number.")
    if kind is str:
        check_names(value, path, option)
    return Path(value) if kind is Path else float(value) if kind is float else value


def _joined(option: str, name: str) -> str:
    return f"{option}.{name}" if option else name


def differences(one: dict[str, Any], other: dict[str, Any], prefix: str = "") -> dict[str, tuple[Any, Any]]:
    """The options in which two plain configs differ, by their names on the command line."""
    found: dict[str, tuple[Any, Any]] = {}
    for name in sorted(set(one) | set(other)):
        ours, theirs = one.get(name), other.get(name)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            found |= differences(ours, theirs, f"{prefix}{name}.")
        elif ours != theirs:
            found[f"{prefix}{name}"] = ours, theirs
    return found


def completed(config: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """A plain config with the default of each option that it does not have."""
    whole = defaults | config
    parts = {name: part for name, part in defaults.items() if isinstance(part, dict)}
    return whole | {name: completed(whole[name], part) for name, part in parts.items() if isinstance(whole[name], dict)}


def check_numbers(config: Any) -> None:
    """Raise if a number of a config is not finite, or larger than what 64 bits hold."""
    for option, number in _numbers(config):
        if not abs(number) < 2**63:
            raise InputError(f"{option} is {shown(number)}, which is not a number that can be used.")


def _numbers(config: Any, prefix: str = "") -> Iterator[tuple[str, int | float]]:
    """All numbers of a config, by their names on the command line."""
    for name, value in vars(config).items():
        if dataclasses.is_dataclass(value):
            yield from _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            yield f"{prefix}{name}", value
