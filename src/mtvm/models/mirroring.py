"""Instructions for mirrored buildings: which language a text is in, and its words for left and right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Language = Literal["en", "zh"]
"""Languages whose words for left and right are known."""

_ENGLISH_WORDS = re.compile(r"\b(the|to|and|of|in|at|on|go|you|stop|walk|turn)\b")
_SPEAKER = re.compile(r"<[A-Z]+>")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")


def language_of(texts: Sequence[str]) -> Language | None:
    """The language that nearly all of some texts are in; None if it is none of those we know, or there are several."""
    some = [text for text in texts if text.strip() and not _says_little(text)][:1000]
    shares = {
        "en": sum(text.isascii() and bool(_ENGLISH_WORDS.search(text.lower())) for text in some),
        "zh": sum(bool(_HAN.search(text)) and not _KANA.search(text) for text in some),
    }
    for language in ("en", "zh"):
        if some and shares[language] >= 0.9 * len(some):
            return "en" if language == "en" else "zh"
    return None


def _says_little(text: str) -> bool:
    """Whether a text is too short to tell its language, as a dialog in which nobody has spoken: `<TAR> floor lamp`."""
    words = _SPEAKER.sub(" ", text).split()
    return text.isascii() and len(words) <= 3 and not _ENGLISH_WORDS.search(text.lower())


_ENGLISH = re.compile(r"\b(left|right)", re.IGNORECASE)
_JUST = re.compile(r"\b(stop|wait|stand|is|are)\s+$", re.IGNORECASE)
"""Before "right", which then means just: "wait right there"."""
_CHINESE = re.compile("左右|左|右")
"""Both together mean about, or both sides."""


def mirror_text(text: str, language: Language) -> str:
    """The text as it would be told in a mirrored building."""
    if language == "zh":
        return _CHINESE.sub(lambda found: {"左": "右", "右": "左"}.get(found[0], found[0]), text)

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word.lower() == "right" and _JUST.search(text[: found.start()]):
            return word
        swapped = "right" if word.lower() == "left" else "left"
        return swapped.upper() if word.isupper() else swapped.capitalize() if word[0].isupper() else swapped

    return _ENGLISH.sub(other, text)
