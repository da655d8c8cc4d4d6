"""New training data: paths that nobody described, described by a speaker, and kept if a follower understands them.

The result has PREVALENT's (and R2R's) format, with the follower's score beside each instruction, so that
`--data.train r2r/train prevalent/FILE` trains on it. It is made in shards, which an interrupted call
does not make again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mtvm.configs.data import Split
from mtvm.configs.speaker import AugmentConfig
from mtvm.errors import InputError
from mtvm.io.config_files import to_plain
from mtvm.io.files import read_json, write_json
from mtvm.learning.data import Data, Dataset
from mtvm.learning.paths import PathVision
from mtvm.learning.rollout import roll_out
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.speaker import load
from mtvm.learning.speaking import load_speaker, path_id, speak
from mtvm.learning.trace import Needs, RolloutPlan, StepTrace
from mtvm.models.agent import Agent
from mtvm.models.network import Network
from mtvm.models.saving import WEIGHTS
from mtvm.models.seeing import Vision
from mtvm.models.speaker import speaker_folder
from mtvm.models.text import read_texts
from mtvm.progress import progress
from mtvm.tasks.data import DataFolder
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.sampling import sample_paths

Describe = Callable[[EpisodeSet, int], list[str]]
"""The instructions of the episodes of a shard with this number."""


def augment(config: AugmentConfig, show_progress: bool = True) -> dict[str, float]:
    """Write new instructions to `config.out`; returns some numbers about them."""
    made, describe, folder = (_given if config.speaker is None else _described)(config, show_progress)
    follower = None if config.follower is None else Follower(config.follower, folder, show_progress)
    texts, scores = _in_shards(config, made, describe, follower, show_progress)
    kept = np.arange(len(made))
    if follower is not None:
        kept = np.sort(np.argsort(-scores, kind="stable")[: math.ceil(config.keep * len(made))])
    by_scan = kept[np.argsort(made.world.scan_of_node[made.starts[kept]], kind="stable")]  # which packs well
    entries = [_entry(made, row, texts[row]) for row in by_scan.tolist()]
    numbers: dict[str, float] = {"described": len(made), "kept": len(kept)}
    if follower is not None:
        for entry, score in zip(entries, scores[by_scan].tolist(), strict=True):
            entry["score"] = round(score, 4)
        numbers |= {"mean score": float(scores.mean()), "mean score of those kept": float(scores[kept].mean())}
    write_json(config.out, entries)
    shutil.rmtree(_shards(config), ignore_errors=True)
    return numbers


def _described(config: AugmentConfig, show_progress: bool) -> tuple[EpisodeSet, Describe, DataFolder]:
    """New paths, and a speaker who describes them."""
    assert config.speaker is not None
    speaker, own, folder, store = load_speaker(config.speaker, config.folder, show_progress)
    episodes = load(own.train[0], folder)
    others = [load_episodes(split.task, split.split, folder) for split in map(Split.parse, config.not_in)]
    paths, headings = sample_paths(episodes, config.paths, np.random.default_rng(config.seed), others)
    made = dataclasses.replace(
        episodes,
        ids=[f"aug-{config.seed}-{row}" for row in range(len(paths))],
        texts=[""] * len(paths),
        headings=headings,
        references=paths,
        via=np.empty((len(paths), 0), dtype=np.int32),
        goals=np.take_along_axis(paths, (paths >= 0).sum(axis=1)[:, None] - 1, axis=1),
    )
    vision = PathVision(made.world, store)

    def describe(some: EpisodeSet, number: int) -> list[str]:
        return speak(
            speaker,
            vision,
            some.references,
            some.headings,
            temperature=config.temperature,
            seed=int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0]),
            show_progress=False,
        )

    return made, describe, folder


def _given(config: AugmentConfig, show_progress: bool) -> tuple[EpisodeSet, Describe, DataFolder]:
    """The paths and instructions of a file that was made before."""
    folder = DataFolder.resolve(config.folder)
    made = load(f"prevalent/{config.instructions}", folder)
    times = Counter(map(path_id, made.ids))
    # What was one of several instructions of a path is written as a path of its own.
    made = dataclasses.replace(made, ids=[path_id(one) if times[path_id(one)] == 1 else one for one in made.ids])
    return made, lambda some, number: list(some.texts), folder


def _in_shards(
    config: AugmentConfig, made: EpisodeSet, describe: Describe, follower: Follower | None, show_progress: bool
) -> tuple[list[str], NDArray[np.float64]]:
    """The texts of all paths and their scores, 0 without a follower."""
    shards = _shards(config)
    options = {name: value for name, value in to_plain(config).items() if name not in ("out", "keep")}
    plain = json.dumps(options | _weights(config) | {"paths": _digest(made)}, sort_keys=True)
    texts: list[str] = []
    scores: list[float] = []
    with progress(len(made), "Augmenting", "paths", show_progress) as advance:
        for number, first in enumerate(range(0, len(made), config.shard)):
            rows = np.arange(first, min(first + config.shard, len(made)))
            path = shards / f"{number}.json"
            shard = _read_shard(path, plain, len(rows))
            if shard is None:
                some = made.select(rows)
                said = describe(some, number)
                given = np.zeros(len(rows))
                if follower is not None:
                    given = follower.scores(dataclasses.replace(some, texts=said))
                shard = {"config": plain, "texts": said, "scores": given.tolist()}
                write_json(path, shard)
            texts += shard["texts"]
            scores += shard["scores"]
            advance(len(rows))
    return texts, np.array(scores)


def _weights(config: AugmentConfig) -> dict[str, str]:
    """Digests of the speaker's and the follower's weights, which may change where they are."""
    speaker = config.speaker and speaker_folder(config.speaker)
    files = {"speaker": speaker, "follower": config.follower and RunFolder(config.follower).best}
    named = {f"weights of the {name}": folder / WEIGHTS for name, folder in files.items() if folder is not None}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in named.items()}


def _digest(made: EpisodeSet) -> str:
    """Of the paths and what is known of them, which depend on files that may change where they are."""
    digest = hashlib.sha256(made.world.fingerprint.encode())
    for part in (made.references.tobytes(), made.headings.tobytes(), json.dumps([made.ids, made.texts]).encode()):
        digest.update(part)
    return digest.hexdigest()


def _shards(config: AugmentConfig) -> Path:
    return config.out.with_suffix(".shards")


def _read_shard(path: Path, config: str, rows: int) -> dict[str, Any] | None:
    """A shard that an interrupted call with the same options made."""
    if not path.is_file():
        return None
    content = read_json(path, "shard of augmented instructions")
    if not isinstance(content, dict) or content.get("config") != config:
        raise InputError(
            f"{path.parent}: was made with other options, weights or data; remove this folder, or name another file "
            "with --out."
        )
    kinds: dict[str, type | tuple[type, ...]] = {"texts": str, "scores": (int, float)}
    if not all(
        isinstance(content.get(name), list)
        and len(content[name]) == rows
        and all(isinstance(value, kind) for value in content[name])
        for name, kind in kinds.items()
    ):
        raise InputError(f"{path}: this shard is damaged; remove it, and it is made anew.")
    return content


def _entry(made: EpisodeSet, row: int, text: str) -> dict[str, Any]:
    episode = made[row]
    return {
        "scan": episode.scan,
        "path_id": made.ids[row],
        "heading": round(episode.heading, 4),
        "path": list(episode.reference),
        "distance": round(float(made.world.distance(made.starts[row], made.goals[row, 0])), 2),
        "instructions": [text],
    }


class Follower:
    """A run's best agent, which says how well it understands instructions."""

    def __init__(self, run: Path, folder: DataFolder, show_progress: bool = True) -> None:
        config = RunFolder(run).config()
        self.model = Agent.from_pretrained(RunFolder(run).best, "cpu").model
        self.task = Split.parse(config.data.train[0]).task
        data = dataclasses.replace(config.data, folder=folder.path)
        self.store = Data(data, self.model.config, "cpu", show_progress, trained=True).store

    def scores(self, episodes: EpisodeSet) -> NDArray[np.float64]:
        """(N,) the mean log-probability of the steps of each reference path, STOP included."""
        model = self.model.config
        dataset = Dataset(
            Split(self.task, episodes.split),
            episodes,
            Vision(episodes.world, self.store, model),
            read_texts(episodes.texts, model),
            episodes.references.shape[1],
            "path",
        )
        return path_scores(self.model, dataset)


@torch.no_grad()
def path_scores(model: Network, dataset: Dataset, batch: int = 64) -> NDArray[np.float64]:
    """(N,) the mean log-probability of the steps of each reference path, STOP included."""
    order = np.argsort(dataset.tokens.lengths.numpy(), kind="stable")
    scores = np.zeros(len(dataset))
    plan = RolloutPlan("teacher", dataset.horizon, follow="path", needs=Needs(teacher=True))
    model.eval()
    for first in range(0, len(order), batch):
        rows = order[first : first + batch]
        text = model.encode(dataset.tokens.select(torch.from_numpy(rows)).to(model.device))
        summed, steps = np.zeros(len(rows)), np.zeros(len(rows))

        def add(step: StepTrace, summed: NDArray[np.float64] = summed, steps: NDArray[np.float64] = steps) -> None:
            assert step.teacher is not None
            logs = step.outputs[0].logits.float().log_softmax(dim=1)
            summed[step.rows] += logs.gather(1, step.teacher[:, None])[:, 0].cpu().numpy()
            steps[step.rows] += 1

        roll_out(model, dataset.vision, dataset.episodes.select(rows), text, plan, watch=add)
        scores[rows] = summed / steps
    return scores
