"""Mistakes of a client that HTTP has a status for; any other `InputError` is a 400."""

from __future__ import annotations

from mtvm.errors import InputError


class UnknownError(InputError):
    """Something that is not there was asked for."""

    status = 404


class GoneError(InputError):
    """The session has ended or never was."""

    status = 410


class TooManyError(InputError):
    """A limit was reached; the client may try again later."""

    status = 429
