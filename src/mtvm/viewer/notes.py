"""Notes and tags of one's own, in a file beside the results: `notes.json`, an object with an entry for each episode."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from mtvm.errors import InputError
from mtvm.io.files import read_json, write_json

LONGEST, MOST_TAGS, LONGEST_TAG = 4000, 20, 40
_lock = threading.Lock()


def notes_file(results: Path) -> Path:
    """Where the notes on a result file are: those on an evaluation are in its folder."""
    return results.with_name("notes.json" if results.name == "results.json" else f"{results.stem}.notes.json")


def read_notes(results: Path) -> dict[str, dict[str, Any]]:
    """By episode: `tags`, a list, and `note`, a text."""
    path = notes_file(results)
    if not path.is_file():
        return {}
    found = read_json(path, "notes")
    if not isinstance(found, dict) or not all(map(_is_entry, found.values())):
        raise InputError(f"{path}: notes are an object with 'tags' and 'note' for each episode; mend the file.")
    return found


def write_note(results: Path, identity: str, tags: list[str], note: str) -> dict[str, dict[str, Any]]:
    """Replace the note on an episode; an empty one is removed. Returns all notes."""
    tags = list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
    if len(note) > LONGEST or len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        raise InputError(
            f"a note has {LONGEST:,} characters at most, and {MOST_TAGS} tags of {LONGEST_TAG} characters."
        )
    with _lock:
        notes = read_notes(results)
        notes.pop(identity, None)
        if tags or note.strip():
            notes[identity] = {"tags": tags, "note": note.strip()}
        write_json(notes_file(results), dict(sorted(notes.items())))
        return notes


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("note"), str)
        and isinstance(entry.get("tags"), list)
        and all(isinstance(tag, str) for tag in entry["tags"])
    )
