"""Live walks: sessions with an agent that remembers, in a building of ours or wherever a robot stands."""

from __future__ import annotations

import dataclasses
import functools
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.learning.data import Data
from mtvm.models.agent import Action, Agent, Observation
from mtvm.models.text import Truncation, read_texts
from mtvm.tasks.events import StepEvent
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.figures import Walk
from mtvm.viewer.refusals import GoneError, TooManyError
from mtvm.viewer.sources import Live
from mtvm.world.explored import ExploredMap, MapObservation
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING


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
    """An agent's weights and sight, loaded once and shared by its sessions."""

    def __init__(self, live: Live) -> None:
        self.model = Agent.from_pretrained(live.agent, "cpu").model
        data = Data(live.data, self.model.config, "cpu", show_progress=False, trained=True)
        self.store: FeatureStore | None = data.store
        self.lock = threading.Lock()

    def new(self) -> Agent:
        return Agent(self.model)


_loading = threading.Lock()


def load_live(live: Live) -> LiveAgent:
    """The agent, loaded once even if several ask for it at the same time."""
    with _loading:
        return _loaded(live)


_loaded = functools.lru_cache(maxsize=8)(LiveAgent)


class Session:
    """One instruction being followed. In a building it looks for itself; elsewhere it is told what there is to see."""

    def __init__(
        self,
        live: LiveAgent,
        text: str,
        buildings: Buildings | None = None,
        start: tuple[str, str, float] | None = None,
        truncation: Truncation = "end",
    ) -> None:
        self.name = secrets.token_urlsafe(16)
        self.text, self.done, self.used = text, False, time.monotonic()
        self.lock = threading.Lock()
        self._live, self._agent = live, live.new()
        self._agent.start(text, truncation)
        config = live.model.config
        tokens = read_texts([text], config, truncation)
        self._reader, self._words = tokens.reader, tokens.words[0].tolist()
        self.events: list[StepEvent] = []
        """What was done; the last one is what the agent thinks now, until `act` says what is done."""
        self._simulator: Simulator | None = None
        self._buildings = buildings
        if buildings is not None and start is not None:
            scan, viewpoint, heading = start
            world = buildings.world(scan)
            if live.store is not None:
                self._rows = live.store.rows([scan] * len(world), world.viewpoints.tolist())
            self._simulator = Simulator(world)
            self._simulator.reset_at([scan], [viewpoint], heading)
            self._map = ExploredMap(self._simulator) if config.actions == "map" else None
            self._think(self._look())

    @property
    def buildings(self) -> Buildings:
        if self._buildings is None:
            raise InputError("this session is not in a building.")
        return self._buildings

    def walk(self) -> Walk:
        """The walk so far, as figures and exports draw it."""
        return Walk(self.name, self.events[0].scan if self.events else "", self.text, list(self.events))

    def check_walking(self) -> Simulator:
        """Where it walks; refuses if it does not."""
        if self._simulator is None:
            raise InputError("this session is not in a building; say what there is to see, with 'sight'.")
        if self.done:
            raise GoneError("this walk has ended; begin a new one.")
        return self._simulator

    def act(self, action: int | None = None) -> StepEvent | None:
        """Take an action, by default the agent's own; what it thinks then, or None if it stopped."""
        simulator = self.check_walking()
        now = self.events[-1]
        chosen = now.action if action is None else action
        if not 0 <= chosen <= len(now.candidates):
            raise InputError(f"there are actions 0 to {len(now.candidates)} (STOP) here, not {chosen}.")
        self._take(chosen)
        self._move(simulator, chosen)
        if self.events[-1].stops:
            self.done = True
            return None
        return self._think(self._look())

    def _move(self, simulator: Simulator, action: int) -> None:
        if self._map is None:
            simulator.step([action])
            return
        assert isinstance(self._seen, MapObservation)
        walked = self._map.go(self._seen, np.array([action]))[0]
        way: list[str] = simulator.world.viewpoints[walked[walked >= 0][:-1]].tolist()
        self.events[-1] = dataclasses.replace(self.events[-1], way=way or None)

    def told(self, seen: Observation, action: int | None) -> StepEvent:
        """What the agent makes of what a robot sees; `action` is what was done after the last answer, if not that."""
        if self.done or self._simulator is not None:
            raise InputError("this session walks in a building, or has ended; begin one without a building.")
        if self.events:
            self._take(self.events[-1].action if action is None else action)
        if len(self._agent.ended) and self._agent.ended.all():
            self.done = True
            raise GoneError("the agent stopped at the last step; begin a new session.")
        return self._think((seen, ("", "", [str(n) for n in range(len(np.atleast_1d(np.asarray(seen.headings))))])))

    def _take(self, action: int) -> None:
        if not 0 <= action <= len(self.events[-1].candidates):
            raise InputError(f"there were actions 0 to {len(self.events[-1].candidates)} (STOP), not {action}.")
        with self._live.lock:
            self._agent.take(action)
        self.events[-1] = dataclasses.replace(self.events[-1], action=action)

    def _think(self, sight: tuple[Observation, tuple[str, str, list[str]]]) -> StepEvent:
        seen, (scan, viewpoint, candidates) = sight
        try:
            with self._live.lock:
                thought = self._agent.think(seen, need_attention=True)
        except ValueError as error:
            raise InputError(str(error)) from None
        assert isinstance(thought, Action)
        words: list[tuple[str, float]] | None = None
        memory: list[float] | None = None
        if thought.attention is not None:
            on_words, on_memory = thought.attention.at(thought.index, len(candidates) + 1)
            words = self._reader.attention_by_word(self.text, self._words, on_words.tolist())
            memory = [round(weight, 4) for weight in on_memory.tolist()]
        event = StepEvent(
            id=self.name,
            step=len(self.events),
            scan=scan,
            viewpoint=viewpoint,
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

    def _look(self) -> tuple[Observation, tuple[str, str, list[str]]]:
        assert self._simulator is not None
        seen = self._seen = self._simulator.observe() if self._map is None else self._map.observe()
        world, store = self._simulator.world, self._live.store
        node, view, count = int(seen.node[0]), int(seen.view[0]), int(seen.count[0])
        features: NDArray[Any] = np.zeros((count, self._live.model.config.feature_width), dtype=np.float32)
        panorama: NDArray[Any] = np.zeros((36, self._live.model.config.feature_width), dtype=np.float32)
        if store is not None:
            seen_from = seen.seen_from[:, :count] if isinstance(seen, MapObservation) else np.full((1, count), node)
            rows = self._rows[seen_from]
            features = store.gather(rows, seen.candidate_views[:, :count])[0]
            panorama = store.panorama(self._rows[[node]])[0]
        observation = Observation(
            headings=seen.headings[0, :count],
            elevations=seen.elevations[0, :count],
            features=features,
            heading=float(VIEW_HEADING[view]),
            elevation=float(VIEW_ELEVATION[view]),
            panorama=panorama,
            places=seen.places[0, :count] if isinstance(seen, MapObservation) else None,
        )
        names = world.viewpoints[seen.candidates[0, :count]].tolist()
        return observation, (world.scan(node), str(world.viewpoints[node]), names)


class Sessions:
    """All sessions of a server, within its limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._sessions: dict[str, Session] = {}
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
    ) -> Session:
        if not text.strip():
            raise InputError("the instruction is empty; say where to go.")
        if len(text) > self.limits.text:
            raise InputError(f"the instruction has {len(text)} characters; {self.limits.text} are allowed.")
        with self._lock:
            self._make_room()
        session = Session(load_live(live), text, buildings, start)
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

    def get(self, name: str) -> Session:
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

    def walk(self, session: Session) -> Iterator[StepEvent]:
        """Let the agent walk until it stops: each step as it was done, then what it thinks at the next viewpoint."""
        for _ in range(self.limits.steps):
            with session.lock:
                thought = session.act()
                done = session.events[-1 if thought is None else -2]
            yield done
            if thought is None:
                return
            yield thought
