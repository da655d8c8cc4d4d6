"""What there is to see without any data: the pretrained agent in built-in homes that it has never been in."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mtvm.config import DataConfig
from mtvm.files import cache_dir
from mtvm.homes.build import WorldConfig, build_world
from mtvm.models.pretrained import HOMES, agent_folder
from mtvm.models.saving import WEIGHTS
from mtvm.viewer.sources import Defaults, Live, Source, read_evaluation

WORLD = WorldConfig(homes=3, seed=1, features="none")
"""Other homes than those of seed 0, on which the agent was trained; with images, and quick to build."""
SPLITS = ("r2r/val_unseen", "long/val_unseen")
EPISODES = 60
"""Of each split; all of them would take longer than anybody wants to wait."""


def builtin_sources() -> list[Source]:
    """Walks of the pretrained agent; the homes are built and walked on first use, and kept in the cache."""
    data = DataConfig(folder=build_world(WORLD), sight="names")
    folder = agent_folder(HOMES)
    out = _evaluated(folder, data)
    live = Live(folder, data)
    return [read_evaluation(out / _name(split), HOMES, live, Defaults(data=data.folder)) for split in SPLITS]


def _name(split: str) -> str:
    """The folder of an evaluation of the first episodes."""
    return f"{split.replace('/', '-')}-first-{EPISODES}"


def _evaluated(agent: Path, data: DataConfig) -> Path:
    digest = hashlib.blake2b((agent / WEIGHTS).read_bytes(), digest_size=6).hexdigest()
    out = cache_dir() / "viewer" / f"{HOMES}-{digest}-{WORLD.name}"
    missing = [split for split in SPLITS if not (out / _name(split) / "metrics.json").is_file()]
    if missing:
        from mtvm.learning.evaluation import evaluate
        from mtvm.models.agent import Agent

        evaluate(Agent.from_pretrained(agent, "cpu"), missing, data=data, limit=EPISODES, attention=True, out=out)
    return out
