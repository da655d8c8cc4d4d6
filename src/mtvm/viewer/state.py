"""Everything that a server shows: sources, buildings, walks and sessions."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mtvm.errors import InputError
from mtvm.tasks.data import DataFolder
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.figures import Walk
from mtvm.viewer.heads import Heads
from mtvm.viewer.refusals import UnknownError
from mtvm.viewer.sources import Live, Source, data_folder

if TYPE_CHECKING:
    from mtvm.viewer.buildings import Painter
    from mtvm.viewer.sessions import ByHead, Limits, LiveAgent, LiveSession, Sessions

_KEPT_WALKS, _KEPT_BY_HEAD = 64, 4


@dataclasses.dataclass(frozen=True)
class Guide:
    """An agent that visitors can talk to, with the buildings that it can walk in."""

    name: str
    live: Live
    buildings: Buildings


class ViewerState:
    """The state of a server."""

    def __init__(
        self,
        sources: list[Source],
        skyboxes: Path | None = None,
        limits: Limits | None = None,
        painter: Painter | None = None,
        agents: Sequence[tuple[str, Live]] = (),
    ) -> None:
        """`agents` are named ones to talk to beside those of the sources."""
        self.sources = sources
        self.name = secrets.token_hex(8)
        """By which a page sees that it talks to another server than before."""
        self._painter = painter
        self.waking = self.awake = False
        """Whether an agent is being loaded, which pictures that have to be drawn wait for; whether one was."""
        self._limits = limits
        self._skyboxes = skyboxes
        self._buildings: dict[Path, Buildings] = {}
        self._thought: OrderedDict[tuple[int, str], Walk] = OrderedDict()
        self._read = functools.lru_cache(_KEPT_WALKS)(lambda number, identity: self.source(number).walk(identity))
        """The walks that were asked for last: a map of ten agents needs all ten."""
        self._by_head: OrderedDict[tuple[int, str], tuple[Walk, list[Heads]]] = OrderedDict()
        self._sessions: Sessions | None = None
        self._lock = threading.Lock()
        self.guides: list[Guide] = []
        for source in sources:
            if source.live is not None and all(guide.live != source.live for guide in self.guides):
                name = str(source.live.agent) if source.live.is_policy else source.name.partition(" ")[0]
                self.guides.append(Guide(name, source.live, self.buildings(source.folder)))
        self.guides += [Guide(name, live, self.buildings(data_folder(live.data.folder))) for name, live in agents]

    def warm(self) -> None:
        """Read what the first view needs, so that it comes at once."""
        if self.sources:
            first = self.sources[0]
            episode = first.episodes[0]
            self.buildings(first.folder).place(episode.scan, episode.start)

    def buildings(self, folder: DataFolder) -> Buildings:
        if folder.path not in self._buildings:
            self._buildings[folder.path] = Buildings(folder, self._skyboxes, self._painter)
        return self._buildings[folder.path]

    def source(self, number: int) -> Source:
        if not 0 <= number < len(self.sources):
            raise UnknownError(f"there are sources 0 to {len(self.sources) - 1}, not {number}.")
        return self.sources[number]

    def guide(self, number: int) -> Guide:
        if not self.guides:
            raise UnknownError("no agent is here to walk; open a run, or 'mtvm view' without anything.")
        if not 0 <= number < len(self.guides):
            raise UnknownError(f"there are agents 0 to {len(self.guides) - 1}, not {number}.")
        return self.guides[number]

    def wake(self, number: int) -> LiveAgent:
        """Load an agent, so that nobody who talks to it has to wait; it is loaded once."""
        guide = self.guide(number)
        self.waking = True
        try:
            from mtvm.viewer.sessions import load_live

            loaded = load_live(guide.live)
        finally:
            self.waking = False
        self.awake = True
        return loaded

    def wake_first(self) -> None:
        """Load the agent of the built-in homes: whoever sees it for the first time wants to talk to it at once."""
        if self._painter is not None:
            with contextlib.suppress(InputError):  # whoever talks to it will be told
                self.wake(0)

    @property
    def sessions(self) -> Sessions:
        """Made on first use, because agents need torch and result files do not."""
        from mtvm.viewer.sessions import Limits, Sessions

        with self._lock:
            if self._sessions is None:
                self._sessions = Sessions(self._limits or Limits())
            return self._sessions

    def session(self, name: str) -> LiveSession:
        return self.sessions.get(name)

    def chosen(
        self, source: int | None, identity: str | None, session: str | None, attention: bool = False
    ) -> tuple[Buildings, Walk]:
        """A walk named by source and id or by session, and where it takes place."""
        if session is not None:
            found = self.session(session)
            return found.buildings, found.walk()
        if source is None or identity is None:
            raise InputError("name a walk by source and id, or by session.")
        return self.buildings(self.source(source).folder), self.walk(source, identity, attention)

    def walk(self, number: int, identity: str, attention: bool = False) -> Walk:
        """The walk of an episode. With `attention`, an agent that is here walks it again if nobody wrote it down."""
        source, key = self.source(number), (number, identity)
        with self._lock:
            if key in self._thought:
                return self._thought[key]
        walk = self._read(number, identity)
        known = any(event.words for event in walk.events)
        if not attention or known or source.live is None or source.live.is_policy:
            return walk
        walk, _ = self._rethought(source, walk)
        with self._lock:
            self._thought[key] = walk
            while len(self._thought) > _KEPT_WALKS:
                self._thought.popitem(last=False)
        return walk

    def heads(self, source: int | None, identity: str | None, session: str | None) -> tuple[Walk, list[Heads]]:
        """A walk, and the attention at each of its steps by layer and head; an agent that is here walks it again."""
        if session is not None:
            live = self.session(session)
            with live.lock:
                walk, known = live.walk(), list(live.by_head)
        elif source is None or identity is None:
            raise InputError("name a walk by source and id, or by session.")
        else:
            found = self.source(source)
            if found.live is None or found.live.is_policy:
                raise InputError(f"no agent of {found.name} is here to think this walk over again, head by head.")
            with self._lock:
                if (source, identity) in self._by_head:
                    return self._by_head[source, identity]
            walk, known = self._rethought(found, found.walk(identity))
        steps = [one() for one in known if one is not None]
        if len(steps) < len(walk.events):
            raise InputError("this agent does not say where it looked, head by head.")
        if session is None and source is not None and identity is not None:
            with self._lock:
                self._by_head[source, identity] = walk, steps
                while len(self._by_head) > _KEPT_BY_HEAD:
                    self._by_head.popitem(last=False)
        return walk, steps

    def _rethought(self, source: Source, walk: Walk) -> tuple[Walk, list[ByHead | None]]:
        """The same way with what the agent thinks along it."""
        from mtvm.viewer.sessions import Session, load_live

        assert source.live is not None
        episode = source.episodes[source.row(walk.id)]
        start = (episode.scan, episode.start, episode.heading)
        session = Session(
            load_live(source.live),
            episode.text,
            self.buildings(source.folder),
            start,
            source.episodes.task.truncation,
        )
        for event in walk.events[:-1]:
            session.act(event.action)
        done = dataclasses.replace(session.events[-1], action=walk.events[-1].action)
        events = [dataclasses.replace(event, id=walk.id) for event in [*session.events[:-1], done]]
        return dataclasses.replace(walk, events=events), session.by_head

    def buildings_of(self, scan: str, guide: int | None = None, source: int | None = None) -> Buildings:
        """Where a building is."""
        if guide is not None:
            return self.guide(guide).buildings
        if source is not None:
            return self.buildings(self.source(source).folder)
        raise InputError(f"say whose building {scan} is: a source or an agent.")
