"""Errors that the user can fix."""


class InputError(ValueError):
    """A mistake in the user's input.

    The message is one sentence (at most two) that names the file, the place in it and the remedy; the command line
    prints it without a traceback and exits with code 2.
    """


class MissingExtraError(InputError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'mtvm[{extra}]'.")
