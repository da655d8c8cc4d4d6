"""Texts that clients send."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


def _writable(text: str) -> str:
    """Refuse half a character, which JSON can hold and no file can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text is not Unicode: half of a surrogate pair is missing") from None
    return text


Text = Annotated[str, AfterValidator(_writable)]
