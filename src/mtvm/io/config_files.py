"""Config dataclasses: numbers checked, as plain values for JSON, and back with errors that name file and option."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mtvm.errors import InputError, brief
from mtvm.plugins import check_names, trusting_code


class Limits(NamedTuple):
    """What a number of a config may be, as an annotation of its field."""

    least: int = 0
    below: float = 2**31


Number = Annotated[int, Limits(0)]
Size = Annotated[int, Limits(1)]
Layers = Annotated[int, Limits(0, 1001)]
SomeLayers = Annotated[int, Limits(1, 1001)]
"""A few bytes of a config must not take all memory."""
Share = Annotated[float, Limits(0, 1)]


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A config of which there are several kinds, each with options of its own. Which kind it is says its name; in a
    plain config the name alone stands for the kind's defaults."""

    name: str

    @classmethod
    def kind(cls, name: Any) -> type[Chosen]:
        """The kind of this name."""
        raise NotImplementedError


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

    Options that name code are refused unless the user trusts it, before anything is made of them. A config whose
    options had other names once has a method `as_today` that knows them.
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
                f"{path}: {option} is {brief(repr(values), 40)}, none of {', '.join(map(str, get_args(kind)))}."
            )
        return values
    if get_origin(kind) is tuple:
        if not isinstance(values, list):
            raise InputError(f"{path}: {option} is {brief(repr(values), 40)}, not a list.")
        return tuple(from_plain(get_args(kind)[0], value, path, option) for value in values)
    if get_origin(kind) is dict:
        if not isinstance(values, dict):
            raise InputError(f"{path}: {option} is {brief(repr(values), 40)}, not an object.")
        return {name: from_plain(get_args(kind)[1], one, path, _joined(option, name)) for name, one in values.items()}
    return _from_value(kind, values, path, option)


def _from_object(kind: type, values: Any, path: Path, option: str) -> Any:
    if (as_today := getattr(kind, "as_today", None)) is not None:
        values = as_today(values)
    if issubclass(kind, Chosen) and isinstance(values, str):
        values = {"name": values}
    if not isinstance(values, dict):
        raise InputError(f"{path}: {option or 'it'} is {brief(repr(values), 40)}, not an object with options.")
    if issubclass(kind, Chosen) and "name" in values:
        name = _from_value(str, values["name"], path, option)
        try:
            kind = kind.kind(name)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
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
        raise InputError(f"{path}: {option} is {brief(repr(value), 40)}, not {_NAMES.get(kind, kind)}.")
    if kind in (int, float) and not abs(value) < 1e300:
        raise InputError(f"{path}: {option} is {brief(repr(value), 40)}, too large a number.")
    if kind is Path and "\0" in value:  # which the system takes for its end
        raise InputError(f"{path}: {option} is {brief(repr(value), 40)}, not a path.")
    if kind is str:
        check_names(value, path, option)
    return Path(value) if kind is Path else float(value) if kind is float else value


def _joined(option: str, name: str) -> str:
    return f"{option}.{name}" if option else name


def with_options(config: Any, options: Mapping[str, Any], named: Path) -> Any:
    """The config with other options, by their names on the command line; `named` stands in errors for where they come
    from, which is no file."""
    plain = to_plain(config)
    for name, value in options.items():
        *groups, last = name.split(".")
        place = plain
        for group in groups:
            if isinstance(inner := place.setdefault(group, {}), str):  # a part, of which the name was given
                inner = place[group] = {"name": inner}
            if not isinstance(inner, dict):
                raise InputError(f"{named}: this version of mtvm has no option {name}.")
            place = inner
        place[last] = value
    with trusting_code():
        return from_plain(type(config), plain, named)


def option_names(plain: Mapping[str, Any], prefix: str = "") -> set[str]:
    """The options of a plain config, by their names on the command line."""
    found = {f"{prefix}{name}" for name, value in plain.items() if not isinstance(value, dict)}
    parts = (option_names(part, f"{prefix}{name}.") for name, part in plain.items() if isinstance(part, dict))
    return found.union(*parts)


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
    if config.get("name") != defaults.get("name"):  # another part, which has other options
        return config
    whole = defaults | config
    parts = {name: part for name, part in defaults.items() if isinstance(part, dict)}
    return whole | {name: completed(whole[name], part) for name, part in parts.items() if isinstance(whole[name], dict)}


def check_fields(config: Any, prefix: str = "") -> None:
    """Raise if a field of a config is not what its annotation says."""
    for name, (kind, optional, limits) in _fields_of(config.__class__).items():
        value, option = getattr(config, name), f"{prefix}{name}"
        if dataclasses.is_dataclass(value):
            check_fields(value, f"{option}.")
        elif not (optional and value is None) and not _is_of(value, kind, limits):
            meant = _meaning(kind, limits) + (", or null" if optional else "")
            raise InputError(f"{option} must be {meant}, not {brief(repr(value))}.")


@functools.cache
def _fields_of(config: type) -> dict[str, tuple[Any, bool, Limits | None]]:
    """Of each field its kind, whether it may be None, and its limits."""
    hints, found = get_type_hints(config, include_extras=True), {}
    for field in dataclasses.fields(config):
        options = [hints[field.name]]
        if get_origin(options[0]) in (typing.Union, types.UnionType):
            options = list(get_args(options[0]))
        kind, limits = next(one for one in options if one is not type(None)), None
        if get_origin(kind) is Annotated:
            limits = next((extra for extra in get_args(kind) if isinstance(extra, Limits)), None)
            kind = get_args(kind)[0]
        found[field.name] = kind, type(None) in options, limits
    return found


_MOST = 1e300
"""A number must be smaller: whole numbers can be too large for any arithmetic."""


def _is_of(value: object, kind: Any, limits: Limits | None) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind in (int, float):
        numbers = int if kind is int else int | float
        if not isinstance(value, numbers) or isinstance(value, bool) or not abs(value) < _MOST:
            return False
        return limits is None or limits.least <= value < limits.below
    return isinstance(value, kind) if isinstance(kind, type) else True


def _meaning(kind: Any, limits: Limits | None) -> str:
    """What a value must be, in words."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if limits is None:
        return _NAMES.get(kind, str(kind))
    if limits.below == Limits().below:
        return f"{_NAMES[kind]} of at least {limits.least}"
    return f"{_NAMES[kind]} from {limits.least} to {'' if kind is int else 'below '}{limits.below - (kind is int)}"


def check_numbers(config: Any) -> None:
    """Raise if a number of a config is not finite, or larger than what 64 bits hold."""
    for option, number in _numbers(config):
        if not abs(number) < 2**63:
            raise InputError(f"{option} is {brief(number)}, which is not a number that can be used.")


def _numbers(config: Any, prefix: str = "") -> Iterator[tuple[str, int | float]]:
    """All numbers of a config, by their names on the command line."""
    for name, value in vars(config).items():
        if dataclasses.is_dataclass(value):
            yield from _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            yield f"{prefix}{name}", value
