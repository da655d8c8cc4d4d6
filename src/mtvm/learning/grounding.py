"""Does an agent look at the words that describe where it is? Measured with Fine-Grained R2R.

The agent is led along each reference path. At every step, the attention of the right action's token on the words
(final layer, mean of the heads) is compared with the sub-instruction that people gave to this part of the path.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.walk import Teaching, walk_split
from mtvm.errors import InputError
from mtvm.learning.data import Dataset, DatasetPolicy
from mtvm.models.network import Network
from mtvm.progress import progress
from mtvm.tasks.events import StepEvent
from mtvm.tasks.sub_instructions import SubInstruction, part_of_word, parts_of_step


@dataclasses.dataclass
class Grounding:
    """Of each episode that has several sub-instructions, means over its steps, in percent."""

    ids: list[str]
    scans: list[str]
    on_part: NDArray[np.float64]
    """How much of the attention on words falls on the sub-instruction of the step."""
    chance: NDArray[np.float64]
    """How much would if all words were looked at alike."""
    steps: int
    """Steps that were looked at."""

    def more_than(self, other: Grounding) -> tuple[NDArray[np.float64], list[str]]:
        """By how much more attention falls on it than another agent's, in the episodes of both, and their scans."""
        rows = {identity: row for row, identity in enumerate(other.ids)}
        shared = [(row, rows[identity]) for row, identity in enumerate(self.ids) if identity in rows]
        ours, theirs = np.array(shared, dtype=np.int64).reshape(-1, 2).T
        return self.on_part[ours] - other.on_part[theirs], [self.scans[row] for row in ours]


def measure_grounding(
    model: Network, dataset: Dataset, parts: dict[str, list[SubInstruction]], show_progress: bool = True
) -> Grounding:
    """Lead the agent along the reference paths of a dataset, and compare where it looks with `parts`, by episode."""
    episodes = dataset.episodes
    if not any(identity in parts for identity in episodes.ids):
        raise InputError(f"no instruction of {dataset.name} has sub-instructions; are they of another split?")
    ids: list[str] = []
    scans: list[str] = []
    shares: list[tuple[float, float]] = []
    steps = 0
    for row, events in enumerate(led_along_paths(model, dataset, show_progress)):
        measured = _shares(events, dataset.tokens.reader.words(episodes.texts[row]), parts.get(episodes.ids[row], []))
        if measured:
            steps += len(measured)
            ids.append(episodes.ids[row])
            scans.append(events[0].scan)
            shares.append((float(np.mean([one for one, _ in measured])), float(np.mean([one for _, one in measured]))))
    both = 100 * np.array(shares).reshape(-1, 2)
    return Grounding(ids, scans, both[:, 0], both[:, 1], steps)


def led_along_paths(model: Network, dataset: Dataset, show_progress: bool = True) -> list[list[StepEvent]]:
    """What the agent thinks at each step of each reference path, where it is led."""
    model.eval()
    episodes, policy = dataset.episodes, DatasetPolicy(model, dataset, attention=True)
    with progress(len(dataset), f"Following {dataset.name}", "episodes", show_progress) as advance:
        walks = walk_split(
            policy,
            episodes,
            max_steps=episodes.references.shape[1],
            lead=Teaching("path"),
            keep_steps=True,
            advance=advance,
        )
    return walks.steps


def _shares(events: list[StepEvent], words: Sequence[str], parts: list[SubInstruction]) -> list[tuple[float, float]]:
    """Of each step that some sub-instructions describe and others do not: the attention on them, and by chance."""
    if len(parts) < 2:
        return []
    belongs = part_of_word(words, parts)
    found = []
    for event in events:
        assert event.words is not None
        weights = np.array([weight for _, weight in event.words])
        described = parts_of_step(parts, event.step, len(events))[belongs[: len(weights)]]
        if 0 < described.sum() < len(described) and weights.sum() > 0:
            found.append((float(weights[described].sum() / weights.sum()), float(described.mean())))
    return found
