"""What the server tells of walks: their steps, drawings of them, and files to take away."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from mtvm.viewer.buildings import Buildings
from mtvm.viewer.charts import Scale, draw_curves, draw_matrix, draw_memory
from mtvm.viewer.export_queue import Check, ExportQueue
from mtvm.viewer.exporting import export
from mtvm.viewer.figures import Walk
from mtvm.viewer.heads import count_heads, with_head
from mtvm.viewer.maps import MapOptions, draw_map
from mtvm.viewer.state import ViewerState
from mtvm.viewer.strips import draw_strip

Id = Annotated[str, Query(max_length=1000)]
StepNumber = Annotated[int | None, Query(ge=0)]
Number = Annotated[int | None, Query(ge=1)]
Agents = Annotated[tuple[int, ...], Query(max_length=20)]


def add_walks(app: FastAPI, state: ViewerState) -> None:
    """The answers below /api/walk."""
    _add_drawings(app, state)
    _add_exports(app, state)

    @app.get("/api/walk")
    def walk(
        source: int | None = None, id: Id | None = None, session: str | None = None, attention: bool = False
    ) -> Any:
        """An episode and its steps. With `attention` an agent that is here thinks it over again if need be."""
        buildings, found = state.chosen(source, id, session, attention)
        named = {one: buildings.object_name(found.scan, one) for one in {found.target, found.answer} if one is not None}
        return dataclasses.asdict(found) | {"left_reference": found.left_reference, "objects": named}


def _add_drawings(app: FastAPI, state: ViewerState) -> None:
    @app.get("/api/walk/map.svg")
    def plan(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: StepNumber = None,
        agents: Agents = (),
        own: Literal["source", "session"] = "session",
        here: bool = False,
        storeys: Annotated[tuple[int, ...], Query(max_length=99)] = (),
        legend: bool = False,
    ) -> Response:
        """The map. `agents` are sources whose walks of the same episode are drawn too, each in the colour of its place;
        `here` leaves out other storeys. With a source and a session both are drawn, and `own` says whose map it is."""
        buildings, walks, names, mine = _walks(state, source, id, session, agents)
        mine = 0 if session is not None and own == "source" else mine
        options = MapOptions(step, here, mine, storeys, names if legend else ())
        return svg(draw_map(buildings, walks, options).svg())

    @app.get("/api/walk/curves.svg")
    def curves(
        source: int | None = None, id: Id | None = None, session: str | None = None, agents: Agents = ()
    ) -> Response:
        """Distance to the goal, probability of STOP and entropy over the steps, a line for each agent."""
        _, walks, names, _ = _walks(state, source, id, session, agents)
        return svg(draw_curves(walks, legend=names if len(names) > 1 else ()).svg())

    @app.get("/api/walk/heads")
    def heads(source: int | None = None, id: Id | None = None, session: str | None = None) -> dict[str, int]:
        """How many layers and heads an agent has, whose attention matrix.svg and memory.svg draw."""
        return count_heads(state.heads(source, id, session)[1])

    def attended(
        source: int | None, identity: str | None, session: str | None, layer: int | None, head: int | None
    ) -> Walk:
        if layer is None and head is None:
            return state.chosen(source, identity, session, attention=True)[1]
        return with_head(*state.heads(source, identity, session), layer, head)

    @app.get("/api/walk/matrix.svg")
    def matrix(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: StepNumber = None,
        scale: Scale = "row",
        layer: Number = None,
        head: Number = None,
    ) -> Response:
        """The attention on each word at each step; by default of the final layer, as the mean of its heads."""
        return svg(draw_matrix(attended(source, id, session, layer, head), step, scale).svg())

    @app.get("/api/walk/memory.svg")
    def memory(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: StepNumber = None,
        scale: Scale = "row",
        layer: Number = None,
        head: Number = None,
    ) -> Response:
        """The attention on each memory token at each step; by default of the final layer, as the mean of its heads."""
        return svg(draw_memory(attended(source, id, session, layer, head), step, scale).svg())


def _walks(
    state: ViewerState, source: int | None, identity: str | None, session: str | None, agents: tuple[int, ...]
) -> tuple[Buildings, list[Walk], tuple[str, ...], int]:
    """What is drawn in one figure: the walks, the agents' names, and which of them is meant."""
    if session is not None and source is not None and identity is not None:
        first, live = state.walk(source, identity), state.session(session)
        walk = dataclasses.replace(live.walk(), reference=first.reference, goals=first.goals, radius=first.radius)
        return live.buildings, [first, walk], (state.source(source).name, "now"), 1
    buildings, found = state.chosen(source, identity, session)
    if session is not None or source is None or identity is None:
        return buildings, [found], ("agent",), 0
    agents = agents if source in agents else (source, *agents)
    walks = [found if number == source else _or_nothing(state, number, found) for number in agents]
    return buildings, walks, tuple(state.source(number).name for number in agents), agents.index(source)


def _or_nothing(state: ViewerState, number: int, found: Walk) -> Walk:
    """The walk of another agent in this episode; one without steps if it has none."""
    if found.id not in state.source(number).rows:
        return dataclasses.replace(found, events=[], metrics={}, distances=[])
    return state.walk(number, found.id)


def _add_exports(app: FastAPI, state: ViewerState) -> None:
    queue = ExportQueue()

    def add(name: str, kind: str, described: str) -> None:
        ending = "." + name.partition(".")[2]

        async def made(
            request: Request,
            source: int | None = None,
            id: Id | None = None,
            session: str | None = None,
            agents: Agents = (),
        ) -> Response:
            buildings, walks, names, own = await run_in_threadpool(_walks, state, source, id, session, agents)

            def work(check: Check) -> bytes:
                if ending == ".svg":
                    return draw_strip(buildings, with_attention(), check=check).svg().encode()
                return export(ending, buildings, [*walks[:own], with_attention(), *walks[own + 1 :]], names, check)

            def with_attention() -> Walk:
                return state.chosen(source, id, session, attention=True)[1] if session is None else walks[own]

            content = await queue.make(request, walks[own], work)
            return _download(content, kind, walks[own], ending)

        app.get(f"/api/walk/{name}", description=described, operation_id=name)(made)

    add("strip.svg", "image/svg+xml", "The view ahead at each step.")
    add("walk.gif", "image/gif", "The walk as an animation; with `agents`, the map of each.")
    add("frames.zip", "application/zip", "The same as one PNG file a step, in a ZIP archive.")
    add("walk.html", "text/html", "The walk as a page of its own, in one file.")


def svg(content: str) -> Response:
    return Response(content, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def _download(content: bytes, kind: str, walk: Walk, ending: str) -> Response:
    plain = "".join(mark if mark.isalnum() and mark.isascii() else "-" for mark in walk.id)[:60]
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="walk-{plain}{ending}"'}
    )
