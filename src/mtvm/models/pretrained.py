"""Agents that come with the package, by name."""

from __future__ import annotations

from pathlib import Path

import mtvm

_FOLDER = Path(mtvm.__file__).parent / "pretrained"
HOMES = "homes"
"""Follows instructions in the built-in homes, of which it sees the names of rooms and objects."""


def pretrained_names() -> list[str]:
    return sorted(folder.name for folder in _FOLDER.iterdir() if folder.is_dir()) if _FOLDER.is_dir() else []


def agent_folder(name_or_path: Path | str) -> Path:
    """The folder of a pretrained agent, or the path itself; a folder in the way of a name must be written ./NAME."""
    if isinstance(name_or_path, str) and name_or_path in pretrained_names():
        return _FOLDER / name_or_path
    return Path(name_or_path)
