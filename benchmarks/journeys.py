"""In which part of a long journey agents know the next step.

    python benchmarks/journeys.py runs/demo/memory runs/demo/no-memory

The agents are led along the reference path and asked at each viewpoint what they would do: on the way there, at the
place where the journey turns (`via`), on the way back or on from it, and at the end.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from mtvm.learning.lessons import Lesson, load_part, open_store
from rich.console import Console
from rich.table import Table

from mtvm.config import Part, TrainConfig
from mtvm.files import read_json
from mtvm.learning.rollout import RolloutPlan, roll_out
from mtvm.learning.trainer import BEST, CONFIG
from mtvm.models.agent import Agent
from mtvm.models.model import MTVM
from mtvm.world.actions import ActionSpace

PARTS = ("there", "turn", "back", "stop")
BATCH = 128


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--splits", nargs="+", default=["train", "val_seen", "val_unseen"])
    arguments = parser.parse_args()
    table = Table(title="Right next steps on long journeys, in percent")
    for column in ("run", "split", "steps", *PARTS):
        table.add_column(column, justify="left" if column in ("run", "split") else "right")
    for run in arguments.runs:
        config = TrainConfig.from_dict(read_json(run / CONFIG, "config"), run)
        model, store = Agent.from_pretrained(run / BEST, "cpu").model, open_store(config)
        for split in arguments.splits:
            right, part = answers(model, load_part(Part("long", split), config, store, model.device))
            shares = [f"{100 * right[part == number].mean():.1f}" for number in range(len(PARTS))]
            table.add_row(str(run), split, str(len(right)), *shares)
    Console().print(table)


@torch.no_grad()
def answers(model: MTVM, lesson: Lesson) -> tuple[np.ndarray, np.ndarray]:
    """Of every step of every episode: whether the likeliest action is the teacher's, and which of PARTS it is in."""
    right, part = [], []
    for first in range(0, len(lesson.episodes), BATCH):
        rows = np.arange(first, min(first + BATCH, len(lesson.episodes)))
        episodes, tokens = lesson.episodes.select(rows), lesson.tokens.select(torch.from_numpy(rows))
        walked = episodes.references
        plan = RolloutPlan("teacher", walked.shape[1], follow="path", imitation=True, probabilities=True)
        rollout = roll_out(model, lesson.vision, episodes, tokens, plan)
        turn, last = (walked == episodes.via[:, :1]).argmax(axis=1), episodes.reference_lengths - 1
        for number, trace in enumerate(rollout.traces):
            here, there = walked[trace.rows, number], rollout.nodes[trace.rows, number + 1]
            space = ActionSpace.of(here, episodes.world.candidates[here])
            wanted = space.leading_to(np.where(there >= 0, there, here))
            right.append(trace.probabilities.argmax(axis=1) == wanted)
            since = number - turn[trace.rows]
            part.append(np.select([since < 0, since == 0, number == last[trace.rows]], [0, 1, 3], default=2))
    return np.concatenate(right), np.concatenate(part)


if __name__ == "__main__":
    main()
