"""In which part of a long journey agents know the next step.

    python benchmarks/journeys.py runs/demo/memory runs/demo/no-memory

The agents are led along the reference path and asked at each viewpoint what they would do: on the way there, at the
viewpoint where the journey turns (`via`), on the way back or on from it, and at the end.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from mtvm.configs.data import Split
from mtvm.learning.data import Data, Dataset
from mtvm.learning.rollout import roll_out
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trace import RolloutPlan
from mtvm.models.agent import Agent
from mtvm.models.model import MTVM

PARTS = ("there", "turn", "back", "stop")
BATCH = 128


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--splits", nargs="+", default=["train", "val_seen", "val_unseen"])
    parser.add_argument("--episodes", type=int, help="of each split only the first; default all")
    arguments = parser.parse_args()
    table = Table(title="Right next steps on long journeys, in percent")
    for column in ("run", "split", "steps", *PARTS):
        table.add_column(column, justify="left" if column in ("run", "split") else "right")
    for run in map(RunFolder, arguments.runs):
        model = Agent.from_pretrained(run.best, "cpu").model
        data = Data(run.config().data, model.config, trained=True)
        for split in arguments.splits:
            dataset = data.dataset(Split.parse(f"long/{split}")).first(arguments.episodes)
            right, part = answers(model, dataset)
            shares = [f"{100 * right[part == number].mean():.1f}" for number in range(len(PARTS))]
            table.add_row(str(run.path), split, str(len(right)), *shares)
    Console().print(table)


@torch.no_grad()
def answers(model: MTVM, dataset: Dataset) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Of every step of every episode: whether the likeliest action is the teacher's, and which of PARTS it is in."""
    right, part = [], []
    for first in range(0, len(dataset), BATCH):
        rows = np.arange(first, min(first + BATCH, len(dataset)))
        episodes = dataset.episodes.select(rows)
        text = model.encode(dataset.tokens.select(torch.from_numpy(rows)))
        plan = RolloutPlan("teacher", episodes.references.shape[1], follow="path")
        trace = roll_out(model, dataset.vision, episodes, text, plan, keep_steps=True)
        turn = (episodes.references == episodes.via[:, :1]).argmax(axis=1)
        last = episodes.reference_lengths - 1
        for number, step in enumerate(trace.steps):
            right.append((step.outputs[0].logits.argmax(dim=1) == step.actions).numpy())
            since = number - turn[step.rows]
            part.append(np.select([since < 0, since == 0, number == last[step.rows]], [0, 1, 3], default=2))
    return np.concatenate(right), np.concatenate(part)


if __name__ == "__main__":
    main()
