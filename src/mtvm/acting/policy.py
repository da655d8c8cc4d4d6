"""What an agent is: a `Policy`, which is shown what a batch of episodes sees and says what each of them does.

    class Leftmost(mtvm.Policy):
        def start(self, episodes): ...

        def act(self, sights):
            return [mtvm.Decision(sight.stop if sight.step == 3 else 0) for sight in sights]

A network with features is a policy, a baseline is one, a language model can be one: none of this needs torch.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError

if TYPE_CHECKING:
    from mtvm.acting.scenes import Scenes
    from mtvm.acting.sights import Sights
    from mtvm.tasks.episode import EpisodeSet
    from mtvm.tasks.metric import Metric

Moves = Literal["candidates", "map", "turns"]
"""What an agent can do beside stopping. candidates: walk to a neighbour of its viewpoint. map: also to any viewpoint
that it saw earlier. turns: R2R's low-level actions, forward, right and left."""
MOVES: tuple[Moves, ...] = get_args(Moves)

Want = Literal["captions", "detections", "images", "objects", "rooms"]
"""What the data folder says of each viewpoint. Captions, detections (objects that a detector found) and images come
from pixels; objects and rooms were annotated by people, which no robot has."""
WANTS: tuple[Want, ...] = get_args(Want)
ANNOTATED: frozenset[Want] = frozenset({"objects", "rooms"})

UNLIMITED = 2**31
"""For `Policy.max_steps`: episodes last until they stop."""


@dataclasses.dataclass(frozen=True, slots=True)
class WordAttention:
    """Where a network looked when it chose an action."""

    words: list[tuple[str, float]]
    """Each word of the instruction, and the attention on it."""
    memory: list[float]
    """The attention on each memory token, oldest first."""
    by_head: Callable[[], list[list[WordAttention]]] | None = dataclasses.field(default=None, compare=False, repr=False)
    """The same of each layer and head, made when somebody asks; None if nobody knows."""


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """What one agent does in a step."""

    action: int
    """A candidate's index, or `Sight.stop`, which equals the number of candidates."""
    probabilities: Sequence[float] | None = None
    """Of each candidate and STOP."""
    attention: WordAttention | None = None
    thought: str | None = None
    """Why, in words."""
    answer: str | None = None
    """Where the task asks for more than a path, such as an object's id. The last one that is given counts."""
    details: dict[str, Any] | None = None
    """Whatever else is worth keeping with the step, as JSON has it; `mtvm.tasks.events` says what the viewer shows by
    name, such as the objects to choose from, or prompt, tokens and cost of a language model."""


@dataclasses.dataclass(frozen=True, eq=False)
class Decisions(Sequence[Decision]):
    """What b agents do in a step, as arrays: for policies that compute all of them at once."""

    actions: NDArray[np.int64]
    """(b,)"""
    probabilities: NDArray[np.floating] | None = None
    """(b, A) of each action, A being the largest number of them."""
    attention: Callable[[int, int], WordAttention] | None = None
    """Where the i-th agent looked for an action: made when somebody asks."""
    thoughts: Sequence[str | None] | None = None
    answers: Sequence[str | None] | None = None
    details: Callable[[int], dict[str, Any] | None] | None = None
    """What is worth keeping of the i-th agent's step: made when somebody asks."""

    @classmethod
    def of(cls, given: Sequence[Decision] | Decisions, sights: Sights, policy: object) -> Decisions:
        """What a policy gave for some sights, checked."""
        name = type(policy).__name__
        if len(given) != len(sights):
            raise InputError(f"{name}.act: gave {len(given)} decisions for {len(sights)} sights; give one for each.")
        if not isinstance(given, Decisions):
            given = cls._joined(given)
        stop = sights.seen.count
        if given.actions.shape != stop.shape or not np.issubdtype(given.actions.dtype, np.integer):
            raise InputError(f"{name}.act: an action is a whole number, the index of a candidate or of STOP.")
        wrong = (given.actions < 0) | (given.actions > stop)
        if wrong.any():
            row = int(wrong.argmax())
            sight = sights[row]
            raise InputError(
                f"{name}.act: action {given.actions[row]} at viewpoint {sight.viewpoint} of episode {sight.episode.id} "
                f"is out of range; there are actions 0 to {sight.stop} (STOP)."
            )
        return given

    @classmethod
    def _joined(cls, given: Sequence[Decision]) -> Decisions:
        probabilities = None
        if all(one.probabilities is not None for one in given):
            rows = [np.asarray(one.probabilities, dtype=np.float64) for one in given]
            probabilities = np.zeros((len(rows), max(map(len, rows), default=0)))
            for row, values in zip(probabilities, rows, strict=True):
                row[: len(values)] = values

        def attention(row: int, action: int) -> WordAttention:
            found = given[row].attention
            assert found is not None
            return found

        return cls(
            np.array([one.action for one in given]),
            probabilities,
            attention if given and all(one.attention is not None for one in given) else None,
            [one.thought for one in given] if any(one.thought is not None for one in given) else None,
            [one.answer for one in given] if any(one.answer is not None for one in given) else None,
            (lambda row: given[row].details) if any(one.details is not None for one in given) else None,
        )

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, row: int) -> Decision:  # type: ignore[override]
        action = int(self.actions[row])
        return Decision(
            action,
            None if self.probabilities is None else self.probabilities[row].tolist(),
            None if self.attention is None else self.attention(row, action),
            None if self.thoughts is None else self.thoughts[row],
            None if self.answers is None else self.answers[row],
            None if self.details is None else self.details(row),
        )


class Policy(abc.ABC):
    """An agent that walks batches of episodes.

    The runner calls `start` with the B episodes of a batch, then `act` once a step with the `Sights` of those that are
    still running, in the order in which they started; `sights.rows` are their places in the batch, and `sights.kept`
    their places among the sights of the step before. `act` returns a `Decision` for each sight in the same order, or
    all of them as `Decisions`.

    An action is the index of a candidate; one more than the last index is STOP. An episode leaves the batch when it
    stops, or after the task's number of steps, and `act` is not called any more once all have left. What was done may
    differ from what was decided, where a person or a teacher leads: `sights.taken` says it at the next step.
    """

    name: str = ""
    """What results call the agent; by default its class, or MODULE:NAME if it was found by that."""
    wants: tuple[Want, ...] = ()
    """What the agent reads of the data folder beside directions and distances. Nothing else is shown to it, and results
    say it."""
    moves: Moves = "candidates"
    batch: int | None = 128
    """Episodes that walk at the same time; None for all."""
    max_steps: int | None = None
    """Steps after which an episode is cut; by default the task's."""
    measures: tuple[Metric, ...] = ()
    """What results say of each episode beside the task's metrics: the sum of these numbers in the `details` of its
    steps; `tokens.reply` is the field `reply` of `tokens`."""

    def prepare(self, episodes: EpisodeSet, scenes: Scenes, max_steps: int) -> None:  # noqa: B027, need not be defined
        """Called once before a split is walked, with all of its episodes: the place to say what that will cost, and to
        refuse what cannot be done."""

    @property
    def track(self) -> str:
        """What its results may be compared with, by what it reads; empty if nobody knows."""
        return track_of(self.wants)

    @abc.abstractmethod
    def start(self, episodes: EpisodeSet) -> None:
        """Begin a batch of episodes; `episodes.texts` are the instructions."""

    @abc.abstractmethod
    def act(self, sights: Sights) -> Sequence[Decision] | Decisions:
        """What each of the running episodes does."""

    def order(self, episodes: EpisodeSet) -> NDArray[np.int64]:
        """(N,) in which order the episodes of a split walk, `batch` at a time."""
        return np.arange(len(episodes))


_TRACKS = ("blind", "captions only", "captions and detections", "images", "privileged")
"""From those who see least to those who see most."""


def track_of(wants: Sequence[Want]) -> str:
    """What results of an agent that reads these may be compared with."""
    if ANNOTATED & set(wants):
        return "privileged"
    if "images" in wants:
        return "images"
    return "captions and detections" if "detections" in wants else "captions only" if wants else "blind"


def joined_track(one: str, other: str) -> str:
    """The track of an agent whom another one helps: that of the one who sees more; empty if nobody knows."""
    if "privileged" in (one, other):
        return "privileged"
    return max(one, other, key=_TRACKS.index) if {one, other} <= set(_TRACKS) else ""
