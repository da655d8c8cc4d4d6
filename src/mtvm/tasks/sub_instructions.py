"""Fine-Grained R2R: which words of an instruction belong to which part of its path."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.tasks.records import Records, read_records

_LONGEST = 100_000
"""Letters of a list in a string, which takes Python up to 500 bytes a letter; those of Fine-Grained R2R have 1,400."""


@dataclasses.dataclass(frozen=True)
class SubInstruction:
    """A part of an instruction, and the part of the path that it describes."""

    words: tuple[str, ...]
    """In small letters, some of them reduced to their stem."""
    first: int
    """Index of the viewpoint of the path where it begins."""
    last: int
    """And of the one where it ends, which may be the same."""


def read_sub_instructions(path: Path) -> dict[str, list[SubInstruction]]:
    """The sub-instructions of each instruction, by ids as R2R's: `<path_id>_<i>`."""
    records = read_records(path, "path_id")
    found: dict[str, list[SubInstruction]] = {}
    texts, views = records.column("new_instructions", (str, list)), records.column("chunk_view", list)
    for place, (identity, words, spans) in enumerate(zip(records.unique_ids(), texts, views, strict=True)):
        for number, (some, parts) in enumerate(itertools.zip_longest(_listed(records, place, words), spans)):
            found[f"{identity}_{number}"] = _parts(records, place, some, parts)
    return found


def parts_of_step(parts: Sequence[SubInstruction], step: int, steps: int) -> NDArray[np.bool_]:
    """(parts,) which of them describe a step: from viewpoint `step` of the path to the next one, or STOP, the last of
    the `steps`, which is the last part's."""
    if step + 1 == steps:
        return np.arange(len(parts)) == len(parts) - 1
    return np.array([part.first <= step < part.last for part in parts])


def part_of_word(names: Sequence[str], parts: Sequence[SubInstruction]) -> NDArray[np.int64]:
    """(words,) which of the `parts` each word of a text belongs to.

    Words of the two texts are matched in order; one without a match belongs to the part of the word before it.
    """
    theirs = [_stem(word) for part in parts for word in part.words]
    numbers = np.repeat(np.arange(len(parts)), [len(part.words) for part in parts])
    found = np.full(len(names), -1, dtype=np.int64)
    matcher = difflib.SequenceMatcher(None, [_stem(name) for name in names], theirs, autojunk=False)
    for here, there, size in matcher.get_matching_blocks():
        found[here : here + size] = numbers[there : there + size]
    before = 0
    for place, number in enumerate(found.tolist()):
        before = found[place] = before if number < 0 else number
    return found


def _stem(word: str) -> str:
    """Near enough to compare a word with its stem."""
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _listed(records: Records, place: int, words: Any) -> list[Any]:
    """The released files have the words as a Python list in a string."""
    if isinstance(words, str) and len(words) > _LONGEST:
        raise InputError(f"{records.where(place, 'new_instructions')} has more than {_LONGEST:,} letters.")
    try:
        listed = ast.literal_eval(words) if isinstance(words, str) else words
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        listed = None
    if not isinstance(listed, list):
        raise InputError(f"{records.where(place, 'new_instructions')} is not a list of sub-instructions.")
    return listed


def _parts(records: Records, place: int, words: Any, spans: Any) -> list[SubInstruction]:
    """The parts of one instruction, checked."""
    parts = []
    both = [one if isinstance(one, list) else [None] for one in (words, spans)]
    for some, span in itertools.zip_longest(*both):
        whole = isinstance(some, list) and all(isinstance(word, str) for word in some)
        ends = isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)
        if not (whole and ends and 1 <= span[0] <= span[1]):
            raise InputError(f"{records.where(place, 'chunk_view')} does not give each sub-instruction its viewpoints.")
        parts.append(SubInstruction(tuple(some), span[0] - 1, span[1] - 1))
    return parts
