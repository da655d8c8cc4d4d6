"""What there is to see without any data: the pretrained agent in built-in homes that it has never been in.

The homes and the agent's walks there ship with it, so that the page is there at once. Panoramas are drawn when somebody
looks, and what the agent thought is thought again.
"""

from __future__ import annotations

from pathlib import Path

from mtvm.acting.scenes import offer_pictures
from mtvm.configs.data import DataConfig, Split
from mtvm.homes.build import WorldConfig
from mtvm.homes.painter import Painter
from mtvm.io.files import cache_dir
from mtvm.learning.run_folder import RunFolder
from mtvm.models.pretrained import HOMES, agent_folder
from mtvm.viewer.sources import Defaults, Live, Source, read_evaluation

WORLD = WorldConfig(homes=3, seed=1, features="names")
"""Other homes than those of seed 0, on which the agent was trained."""
SPLITS = ("r2r/val_unseen", "long/val_unseen")
FOLDER = agent_folder(HOMES)
DATA = FOLDER / "world"
"""What of the world is needed to walk and talk in it."""


def builtin_sources(agent: str | None = None) -> list[Source]:
    """Walks of the pretrained agent, which can be talked to, or another `agent` in its place."""
    live = Live(agent or FOLDER, DataConfig(folder=DATA, sight="names"))
    walks = [RunFolder(FOLDER).evaluation(Split.parse(split)) for split in SPLITS]
    return [read_evaluation(walk, HOMES, live, Defaults(data=DATA)) for walk in walks]


def is_builtin(folder: Path | None) -> bool:
    """Whether a data folder is that of the homes, of which pictures can be drawn."""
    return folder is not None and folder.resolve() == DATA.resolve()


def builtin_painter() -> Painter:
    """Draws the homes in the cache."""
    seeds = {scan: WORLD.home_seed(number) for number, scan in enumerate(WORLD.scans)}
    return Painter(cache_dir() / "viewer" / WORLD.name / "skyboxes", seeds, WORLD.face_size)


def offer_builtin_pictures(painter: Painter | None = None) -> None:
    """Let agents look at the homes, of which no pictures ship: they are drawn as agents come by."""
    drawn_by = painter or builtin_painter()
    offer_pictures(DATA, drawn_by.skyboxes, lambda scan, viewpoint: drawn_by.ask(scan, viewpoint).result())
