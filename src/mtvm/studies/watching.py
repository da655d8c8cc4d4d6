"""One episode watched: where an agent goes, what it sees there, and which words it attends to."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.policy import Decisions
from mtvm.acting.sights import Sights
from mtvm.acting.walk import walk
from mtvm.configs.data import DataConfig, Split
from mtvm.errors import InputError, brief
from mtvm.world.skybox import load_faces, render_views, skybox_folder
from mtvm.world.world import World

_VIEW = np.pi / 3  # a strip is three views of this width, the one ahead in the middle
_WIDTH, _HEIGHT, _FACES = 160, 160, 192


@dataclasses.dataclass(frozen=True)
class Watched:
    """What an agent did in an episode."""

    world: World
    nodes: list[int]
    headings: list[float]
    """Where it was going from each node, or facing at the end."""
    words: list[str]
    attention: NDArray[np.float64]
    """(steps, words) of the chosen action's token in the last cross-modal layer, mean of the heads; a word of several
    WordPieces has the attention of all of them."""
    evenness: float
    """How evenly attention is spread over WordPieces: its entropy over the largest possible one, mean of the steps."""


def watch(agent_folder: Path, data: DataConfig, split: str, row: int) -> Watched:
    """Walk episode `row` of a split greedily."""
    from mtvm.learning.data import Data, DatasetPolicy
    from mtvm.models.agent import Agent

    model = Agent.from_pretrained(agent_folder, "cpu").model
    dataset = Data(data, model.config, "cpu", show_progress=False, trained=True).dataset(Split.parse(split))
    policy, episode = DatasetPolicy(model, dataset, attention=True), dataset.episodes.select([row])
    read = policy.read(episode)
    names, words = read.reader.words(episode.texts[0]), read.words[0].numpy()
    weights: list[NDArray[np.float64]] = []
    spread: list[float] = []

    def look(sights: Sights, done: Decisions, walked: NDArray[np.int64]) -> None:
        output = policy.output
        assert output is not None
        assert output.attention is not None
        over = output.attention.over_words[-1, 0].mean(dim=0)  # (stream, WordPieces)
        chosen = over[over.shape[0] - output.mask.shape[1] + int(done.actions[0])].numpy()
        spread.append(float(-(chosen * np.log(chosen + 1e-12)).sum() / np.log(len(chosen))))
        by_word = np.zeros(len(names))
        pieces = words[: len(chosen)]
        np.add.at(by_word, pieces[pieces >= 0], chosen[pieces >= 0])
        weights.append(by_word)

    walks = walk(policy, episode, max_steps=dataset.horizon, watch=look)
    nodes = walks.nodes[0][walks.nodes[0] >= 0].tolist()
    headings, evenness = _headings(episode.world, nodes), float(np.mean(spread))
    return Watched(episode.world, nodes, headings, list(names), np.array(weights), evenness)


def _headings(world: World, nodes: list[int]) -> list[float]:
    """The direction from each node to the next; at the end, that of the last move."""
    moves = np.diff(world.positions[nodes], axis=0)
    headings = np.arctan2(moves[:, 0], moves[:, 1]).tolist() if len(nodes) > 1 else [0.0]
    return headings + headings[-1:] if len(nodes) > 1 else headings


def panoramas(watched: Watched, folder: Path) -> list[NDArray[np.uint8]]:
    """A wide view ahead at each node, of the folder's skyboxes, or of the built-in world as it is generated.

    Raises InputError if there are no images.
    """
    world, strips = watched.world, []
    scan = world.scan(watched.nodes[0])
    faces_of = _faces(folder, scan)
    for node, heading in zip(watched.nodes, watched.headings, strict=True):
        faces = faces_of(str(world.viewpoints[node]), world.rotations[node])
        around = [heading - _VIEW, heading, heading + _VIEW]
        views = render_views(faces, world.rotations[node], around, [0.0] * 3, _WIDTH, _HEIGHT, _VIEW, threads=1)
        strips.append(np.concatenate(list(views), axis=1))
    return strips


def _faces(folder: Path, scan: str) -> Any:
    """A function of a viewpoint and its camera's rotation to the six faces."""
    manifest = folder / "world.json"
    if not manifest.is_file():
        place = skybox_folder(folder, scan)
        return lambda viewpoint, rotation: load_faces(place, viewpoint)
    from mtvm.homes.build import config_of
    from mtvm.homes.generate import generate_home
    from mtvm.homes.render.raytrace import Scene

    config = config_of(folder)
    if scan not in config.scans:
        raise InputError(f"{manifest}: this world has no {brief(scan)} to draw.")
    home = generate_home(scan, config.home_seed(config.scans.index(scan)))
    scene, viewpoints = Scene(home), {one.id: one for one in home.viewpoints}
    if not viewpoints:
        raise InputError(f"{folder}: {scan} has no viewpoints to look from.")
    return lambda viewpoint, rotation: scene.panorama(viewpoints[viewpoint], _FACES, rotation).faces
