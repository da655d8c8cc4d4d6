"""The one exception that means: the user can mend this."""


class InputError(ValueError):
    """A mistake in what the user gave us.

    The message is one sentence (two at most) that names the file, the place in it and the remedy; the
    command line prints it without a traceback and exits with 2.
    """


class MissingExtraError(InputError, ImportError):
    """An optional part of the package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'mtvm[{extra}]'.")
