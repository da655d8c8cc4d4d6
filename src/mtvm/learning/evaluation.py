"""Walking a whole split greedily: trajectories, metrics, and on request what the model thought."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mtvm.files import atomic_path, write_json
from mtvm.learning import parallel
from mtvm.learning.reading import ReadTexts
from mtvm.learning.rollout import Rollout, RolloutPlan, roll_out
from mtvm.learning.vision import Vision
from mtvm.models.model import MTVM
from mtvm.models.text import Tokens, Truncation, tokenize
from mtvm.progress import progress
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metrics import evaluate, summarize
from mtvm.tasks.results import Pose, write_results
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING

BATCH = 128

Trace = dict[str, Any]
"""Of one episode: the probabilities of each step, and the attention if it was asked for."""


@dataclasses.dataclass
class Evaluation:
    """What an agent did on a split."""

    episodes: EpisodeSet
    nodes: NDArray[np.int64]
    """(N, T) nodes visited, -1 padded."""
    views: NDArray[np.int64]
    traces: list[Trace]
    """One for each episode, if asked for."""

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Each metric of each episode."""
        return evaluate(self.episodes, self.nodes)

    def metrics(self) -> dict[str, float]:
        return summarize(self.columns())

    def trajectories(self) -> list[list[Pose]]:
        names = self.episodes.world.viewpoints
        walks: list[list[Pose]] = []
        for nodes, views in zip(self.nodes, self.views, strict=True):
            real = nodes >= 0
            angles = zip(VIEW_HEADING[views[real]].tolist(), VIEW_ELEVATION[views[real]].tolist(), strict=True)
            walks.append([(name, *pair) for name, pair in zip(names[nodes[real]].tolist(), angles, strict=True)])
        return walks


def text_tokens(episodes: EpisodeSet, max_text: int, leading_cls: bool) -> Tokens:
    """The episodes' texts. A dialog that is too long loses its beginning, an instruction its end."""
    truncation: Truncation = "start" if episodes.task == "ndh" else "end"
    return tokenize(episodes.texts, max_text, leading_cls=leading_cls, truncation=truncation)


@torch.no_grad()
def evaluate_agent(
    model: MTVM,
    vision: Vision,
    episodes: EpisodeSet,
    max_steps: int,
    *,
    texts: ReadTexts | None = None,
    batch: int = BATCH,
    probabilities: bool = False,
    attention: bool = False,
    show_progress: bool = True,
) -> Evaluation:
    """Walk every episode once, spread over all processes; every process gets the whole. `texts` are those of the
    episodes, if they were read before."""
    training = model.training
    model.eval()
    read = texts or text_tokens(episodes, model.config.max_text, model.config.leading_cls)
    # Texts of one length together, so that little is padded; dealt in turn, so that processes have equal work.
    order = np.argsort(read.lengths.numpy(), kind="stable")
    mine = order[parallel.rank() :: parallel.size()]
    plan = RolloutPlan("greedy", max_steps, probabilities=probabilities, attention=attention)
    nodes = np.full((len(mine), max_steps + 1), -1, dtype=np.int64)
    views = np.full_like(nodes, -1)
    traces: list[Trace] = []
    shown = show_progress and parallel.rank() == 0
    with progress(len(mine), f"Evaluating {episodes.name}", "episodes", shown) as advance:
        for first in range(0, len(mine), batch):
            rows = mine[first : first + batch]
            walked = roll_out(model, vision, episodes.select(rows), read.select(torch.from_numpy(rows)), plan)
            here = slice(first, first + len(rows))
            nodes[here, : walked.nodes.shape[1]], views[here, : walked.views.shape[1]] = walked.nodes, walked.views
            traces += _traces(walked, attention) if probabilities or attention else []
            advance(len(rows))
    model.train(training)
    return _joined(episodes, parallel.gather((mine, nodes, views, traces)))


def _joined(episodes: EpisodeSet, parts: list[Any]) -> Evaluation:
    """The processes' parts in the order of the episodes."""
    order = np.concatenate([part[0] for part in parts])
    places = np.argsort(order, kind="stable")
    traces = [trace for part in parts for trace in part[3]]
    return Evaluation(
        episodes,
        np.concatenate([part[1] for part in parts])[places],
        np.concatenate([part[2] for part in parts])[places],
        [traces[place] for place in places] if traces else [],
    )


def _traces(walked: Rollout, attention: bool) -> list[Trace]:
    """Of each episode of the batch: a list over its steps."""
    found: list[Trace] = [{"probabilities": []} | ({"attention": []} if attention else {}) for _ in walked.nodes]
    for step in walked.traces:
        for place, row in enumerate(step.rows.tolist()):
            count = int(step.counts[place])
            found[row]["probabilities"].append([round(float(p), 5) for p in step.probabilities[place, : count + 1]])
            if step.attention is not None:
                words, stream = step.text_mask[place], step.stream_mask[place]
                over_words = step.attention.over_words[:, place].cpu().numpy()[:, :, stream][..., words]
                over_stream = step.attention.over_stream[:, place].cpu().numpy()[:, :, stream][..., stream]
                found[row]["attention"].append(
                    {
                        "over_words": np.round(over_words, 4).tolist(),
                        "over_stream": np.round(over_stream, 4).tolist(),
                    }
                )
    return found


def write_evaluation(folder: Path, done: Evaluation) -> dict[str, float]:
    """Write the result file, the episodes' records and the metrics; the metrics, if the split has goals."""
    episodes = done.episodes
    trajectories = done.trajectories()
    write_results(folder / "results.json", episodes, trajectories)
    columns = done.columns() if episodes.has_goals else {}
    with atomic_path(folder / "records.jsonl") as fresh, fresh.open("w", encoding="utf-8") as file:
        for row, identity in enumerate(episodes.ids):
            record: dict[str, Any] = {
                "id": identity,
                "scan": episodes.world.scan(int(episodes.starts[row])),
                "text": episodes.texts[row],
                "trajectory": [list(pose) for pose in trajectories[row]],
                "metrics": {name: round(float(column[row]), 4) for name, column in columns.items()},
            }
            file.write(json.dumps(record | (done.traces[row] if done.traces else {})) + "\n")
    means = summarize(columns) if columns else {}
    write_json(folder / "metrics.json", {"split": episodes.name, "episodes": len(episodes)} | means, indent=1)
    return means
