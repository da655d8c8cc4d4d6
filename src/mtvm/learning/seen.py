"""What an agent learnt to see, kept beside its weights: other features of the same width fit, but mean other things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mtvm.configs.data import DataConfig
from mtvm.errors import InputError, brief
from mtvm.features.store import FeatureStore
from mtvm.io.files import read_json, write_json
from mtvm.progress import notice

SEEN = "seen.json"
_PARTS = ("sight", "source", "id")


def seen_by(config: DataConfig, store: FeatureStore | None) -> dict[str, str | None]:
    """What an agent sees by a config: a sight that is made of the data, or the features of a store."""
    if config.features is None or store is None:
        return {"sight": config.sight, "source": None, "id": None}
    return {"sight": None, "source": str(store.meta["source"]), "id": str(store.meta["id"])}


def keep_seen(folder: Path, seen: dict[str, str | None]) -> None:
    """Write it into the folder of an agent."""
    write_json(folder / SEEN, seen, indent=1)


def read_seen(folder: Path) -> dict[str, str | None] | None:
    """What the agent in a folder learnt to see; None if nobody wrote it down."""
    path = folder / SEEN
    if not path.is_file():
        return None
    learnt = read_json(path, "note on what an agent sees")
    if not isinstance(learnt, dict) or not all(isinstance(learnt.get(part), str | None) for part in _PARTS):
        raise InputError(f"{path}: does not say what an agent sees; copy it again, or remove it.")
    return {part: learnt.get(part) for part in _PARTS}


def tell_other_sight(folder: Path, seen: dict[str, str | None]) -> None:
    """Say so if the agent in a folder learnt to see something else."""
    learnt = read_seen(folder)
    if learnt is not None and any(learnt[part] != seen[part] for part in ("sight", "id")):
        notice(
            f"{folder}: this agent learnt to see {_described(learnt)}, and is given {_described(seen)}; what is of the "
            "same width need not mean the same."
        )


def _described(seen: dict[str, Any]) -> str:
    if seen["id"] is None:
        return brief(seen["sight"])
    return f"the features of {brief(seen['source'])} with the id {brief(seen['id'])}"
