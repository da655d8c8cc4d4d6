"""Live walks: sessions with an agent that remembers, in a building of ours or wherever a robot stands."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mtvm.acting.find import find_policy
from mtvm.acting.policy import Policy, WordAttention
from mtvm.acting.recording import event_of, way_of
from mtvm.acting.scenes import Scenes
from mtvm.acting.walk import Walking
from mtvm.errors import InputError
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.events import StepEvent
from mtvm.tasks.registry import find_task
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.figures import Walk
from mtvm.viewer.refusals import GoneError, TooManyError
from mtvm.viewer.sources import Live

if TYPE_CHECKING:
    from mtvm.models.agent import Agent, Observation

ByHead = Callable[[], list[list[WordAttention]]]


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a server lets its clients do."""

    sessions: int = 16
    """At a time; beyond it the longest idle one ends, if it was idle for a minute."""
    text: int = 2000
    """Characters of an instruction."""
    idle: float = 900.0
    """Seconds after which a session ends."""
    rate: int = 40
    """Steps and new sessions per second, of all clients together."""
    steps: int = 80
    """Of one walk."""


class LiveAgent:
    """An agent, loaded once and shared by its sessions."""

    def __init__(self, live: Live) -> None:
        self._policy = str(live.agent) if live.is_policy else None
        self.lock: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        if self._policy is not None:
            find_policy(self._policy)  # who has no such agent should hear it now
            return
        from mtvm.learning.data import Data
        from mtvm.models.agent import Agent

        self._model = Agent.from_pretrained(live.agent, "cpu").model
        self._store = Data(live.data, self._model.config, "cpu", show_progress=False, trained=True).store
        self.lock = threading.Lock()

    def policy(self) -> Policy:
        """Another one for each session, which remembers."""
        if self._policy is not None:
            return copy.copy(find_policy(self._policy))
        from mtvm.models.policy import NetworkPolicy

        return NetworkPolicy(self._model, self._store, attention=True)

    def agent(self) -> Agent:
        """The same without a building, for who is told what there is to see."""
        if self._policy is not None:
            raise InputError("this agent walks in buildings only; begin a session with a building and a viewpoint.")
        from mtvm.models.agent import Agent

        return Agent(self._model)


_loading = threading.Lock()


def load_live(live: Live) -> LiveAgent:
    """The agent, loaded once even if several ask for it at the same time."""
    with _loading:
        return _loaded(live)


_loaded = functools.lru_cache(maxsize=8)(LiveAgent)


class LiveSession:
    """One instruction being followed."""

    def __init__(self, live: LiveAgent, text: str) -> None:
        self.name = secrets.token_urlsafe(16)
        self.text, self.done, self.used = text, False, time.monotonic()
        self.lock = threading.Lock()
        self._live = live
        self.events: list[StepEvent] = []
        """What was done; the last one is what the agent thinks now, until `act` says what is done."""
        self.by_head: list[ByHead | None] = []
        """The attention of each of these by layer and head, made when somebody asks."""

    @property
    def buildings(self) -> Buildings:
        raise InputError("this session is not in a building.")

    def walk(self) -> Walk:
        """The walk so far, as figures and exports draw it."""
        return Walk(self.name, self.events[0].scan if self.events else "", self.text, list(self.events))

    def check_walking(self) -> None:
        """Refuse if it does not walk in a building."""
        raise InputError("this session is not in a building; say what there is to see, with 'sight'.")

    def act(self, action: int | None = None) -> StepEvent | None:
        """Take an action, by default the agent's own; what it thinks then, or None if it stopped."""
        self.check_walking()
        return None

    def told(self, seen: Observation, action: int | None) -> StepEvent:
        """What the agent makes of what a robot sees; `action` is what was done after the last answer, if not that."""
        raise InputError("this session walks in a building, or has ended; begin one without a building.")

    def _checked(self, action: int | None) -> int:
        """An action of the last step, by default the agent's own."""
        now = self.events[-1]
        chosen = now.action if action is None else action
        if not 0 <= chosen <= len(now.candidates):
            raise InputError(f"there are actions 0 to {len(now.candidates)} (STOP) here, not {chosen}.")
        return chosen


class Session(LiveSession):
    """In a building the agent looks for itself."""

    def __init__(
        self,
        live: LiveAgent,
        text: str,
        buildings: Buildings,
        start: tuple[str, str, float],
        truncation: Literal["start", "end"] = "end",
    ) -> None:
        super().__init__(live, text)
        self._buildings = buildings
        scan, viewpoint, heading = start
        world, policy = buildings.world(scan), live.policy()
        node = np.array([[world.node(scan, viewpoint)]], dtype=np.int32)
        nobody = np.zeros((1, 0), dtype=np.int32)
        task = dataclasses.replace(find_task("r2r"), truncation=truncation)
        episodes = EpisodeSet(
            task, "live", Path("a live walk"), world, [self.name], [text], np.array([heading]), node, nobody, nobody
        )
        with live.lock:
            self._walking = Walking(policy, episodes, scenes=Scenes(world, buildings.folder, policy.wants))
        self._has_moved = False
        """Since it thought last."""
        self._think()

    @property
    def buildings(self) -> Buildings:
        return self._buildings

    def check_walking(self) -> None:
        if self.done:
            raise GoneError("this walk has ended; begin a new one.")

    def act(self, action: int | None = None) -> StepEvent | None:
        self.check_walking()
        if not self._has_moved:  # otherwise the agent was refused when it thought: it thinks again where it is
            chosen = self._checked(action)
            walked, _ = self._walking.act(self._sights, [chosen])
            way = way_of(self._sights, walked[0])
            self.events[-1] = dataclasses.replace(self.events[-1], action=chosen, way=way)
            if self.events[-1].stops:
                self.done = True
                return None
            self._has_moved = True
        return self._think()

    def _think(self) -> StepEvent:
        with self._live.lock:
            self._sights, decided = self._walking.think()
            self.events.append(event_of(self._sights, decided, 0))
            self._has_moved = False
            attention = decided[0].attention
            self.by_head.append(None if attention is None else attention.by_head)
        return self.events[-1]


class ToldSession(LiveSession):
    """Elsewhere the agent is told at each step what there is to see."""

    def __init__(self, live: LiveAgent, text: str) -> None:
        super().__init__(live, text)
        self._agent = live.agent()
        self._agent.start(text)
        self._taken = True
        """Whether the agent has been told what was done after its last answer."""

    def told(self, seen: Observation, action: int | None) -> StepEvent:
        if self.done:
            return super().told(seen, action)
        if not self._taken:
            chosen = self._checked(action)
            with self._live.lock:
                self._agent.take(chosen)
            self._taken = True
            self.events[-1] = dataclasses.replace(self.events[-1], action=chosen)
        if len(self._agent.ended) and self._agent.ended.all():
            self.done = True
            raise GoneError("the agent stopped at the last step; begin a new session.")
        return self._think(seen)

    def _think(self, seen: Observation) -> StepEvent:
        try:
            with self._live.lock:
                thought = self._agent.think(seen, need_attention=True)
        except ValueError as error:
            raise InputError(str(error)) from None
        self._taken = False
        assert not isinstance(thought, list)
        candidates = [str(number) for number in range(len(thought.probabilities) - 1)]
        assert thought.attention is not None
        on_words, on_memory = thought.attention.at(thought.index, len(candidates) + 1)
        read = self._agent.tokens
        words = read.reader.attention_by_word(self.text, read.words[0].tolist(), on_words.tolist())
        memory = [round(weight, 4) for weight in on_memory.tolist()]
        event = StepEvent(
            id=self.name,
            step=len(self.events),
            scan="",
            viewpoint="",
            heading=float(seen.heading),
            elevation=float(seen.elevation),
            candidates=candidates,
            action=thought.index,
            probabilities=[round(float(p), 5) for p in thought.probabilities],
            words=words,
            memory=memory,
        )
        self.events.append(event)
        return event


class Sessions:
    """All sessions of a server, within its limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._sessions: dict[str, LiveSession] = {}
        self._lock = threading.Lock()
        self._recent: deque[float] = deque()

    def __len__(self) -> int:
        return len(self._sessions)

    def count_request(self) -> None:
        """Refuse more than so many steps a second."""
        now = time.monotonic()
        with self._lock:
            while self._recent and self._recent[0] < now - 1:
                self._recent.popleft()
            if len(self._recent) >= self.limits.rate:
                raise TooManyError(f"more than {self.limits.rate} steps a second were asked for; wait a moment.")
            self._recent.append(now)

    def open(
        self, live: Live, text: str, buildings: Buildings | None = None, start: tuple[str, str, float] | None = None
    ) -> LiveSession:
        if not text.strip():
            raise InputError("the instruction is empty; say where to go.")
        if len(text) > self.limits.text:
            raise InputError(f"the instruction has {len(text)} characters; {self.limits.text} are allowed.")
        with self._lock:
            self._make_room()
        agent = load_live(live)
        session: LiveSession
        if buildings is None or start is None:
            session = ToldSession(agent, text)
        else:
            session = Session(agent, text, buildings, start)
        with self._lock:
            self._sessions[session.name] = session
        return session

    def _make_room(self) -> None:
        now = time.monotonic()
        for name, session in list(self._sessions.items()):
            if now - session.used > self.limits.idle:
                del self._sessions[name]
        if len(self._sessions) >= self.limits.sessions:
            oldest = min(self._sessions.values(), key=lambda session: session.used)
            if now - oldest.used < 60:
                raise TooManyError(f"{self.limits.sessions} walks are under way, which is the limit; try again later.")
            del self._sessions[oldest.name]

    def get(self, name: str) -> LiveSession:
        with self._lock:
            session = self._sessions.get(name)
            if session is None or time.monotonic() - session.used > self.limits.idle:
                self._sessions.pop(name, None)
                raise GoneError("there is no such session any more; begin a new one.")
            session.used = time.monotonic()
            return session

    def close(self, name: str) -> None:
        with self._lock:
            self._sessions.pop(name, None)

    def walk(self, session: LiveSession) -> Iterator[StepEvent]:
        """Let the agent walk until it stops: each step as it was done, then what it thinks at the next viewpoint."""
        for _ in range(self.limits.steps):
            with session.lock:
                thought = session.act()
                done = session.events[-1 if thought is None else -2]
            yield done
            if thought is None:
                return
            yield thought
