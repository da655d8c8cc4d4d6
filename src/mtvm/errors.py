"""Errors that the user can fix."""

from __future__ import annotations


class InputError(ValueError):
    """A mistake in the user's input.

    The message is one sentence (at most two) that names the file, the place in it and the remedy; the command line
    prints it without a traceback and exits with code 2.
    """


def brief(value: object, most: int = 60) -> str:
    """A value from a user's file as it stands in a message: on one line, and shortened if it is long."""
    text = str(value)
    escaped = "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text[: most + 1])
    return escaped if len(escaped) <= most else f"{escaped[: most - 3]}..."


class MissingExtraError(InputError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'mtvm[{extra}]'.")
        self._arguments = package, extra, purpose

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return MissingExtraError, self._arguments  # so that it survives the way out of a process pool
