"""The server of the page: a thin HTTP API over sources, buildings, figures and sessions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field, FiniteFloat
from starlette.exceptions import HTTPException

import mtvm
from mtvm.errors import InputError
from mtvm.tasks.events import StepEvent
from mtvm.tasks.metric import METRICS
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.exporting import frames, gif, page_of
from mtvm.viewer.figures import Walk, draw_map, draw_matrix, draw_strip
from mtvm.viewer.refusals import UnknownError
from mtvm.viewer.safety import Guard
from mtvm.viewer.shown import Shown

STATIC = Path(__file__).parent / "static"

_PATIENCE = 0.5  # seconds; a browser has few connections, and one that waits for a picture is one less

Id = Annotated[str, Query(max_length=1000)]


class Start(BaseModel):
    """Begin a walk. Without a building, the session is told at each step what there is to see."""

    text: str
    agent: int = 0
    building: str | None = None
    viewpoint: str | None = None
    heading: float = Field(0.0, ge=-7, le=7, allow_inf_nan=False)


class Sight(BaseModel):
    """What a robot sees: a view in the direction of each place that it could go to. Angles in radians."""

    headings: list[FiniteFloat] = Field(max_length=64)
    """Relative to the robot's own, clockwise."""
    elevations: list[FiniteFloat] = Field(max_length=64)
    features: list[list[FiniteFloat]] = Field(max_length=64)
    heading: FiniteFloat = 0.0
    elevation: FiniteFloat = 0.0
    panorama: list[list[FiniteFloat]] | None = Field(None, max_length=36)
    places: list[list[FiniteFloat]] | None = Field(None, max_length=64)
    """For agents that act on a map."""


class Act(BaseModel):
    """Take a step: the agent's own, or `action`. `sight` is for sessions without a building."""

    session: str
    action: int | None = Field(None, ge=0)
    sight: Sight | None = None


class Named(BaseModel):
    session: str


class Begun(BaseModel):
    """A session, and what the agent thinks at the start; null if it has not been told yet what there is to see."""

    session: str
    thought: StepEvent | None


class Acted(BaseModel):
    """The step as taken, and what the agent thinks after it; null at the end."""

    done: StepEvent | None
    thought: StepEvent | None


class Mistake(BaseModel):
    """What was wrong, in a sentence."""

    error: str


def make_app(shown: Shown, token: str | None = None) -> FastAPI:
    """The application; with a `token`, only for those who have it."""
    app = FastAPI(
        title="mtvm",
        description="Walks of agents, and agents to walk with. Lines of a stream are steps, as in `Acted.done`.",
        version=mtvm.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses={"4XX": {"model": Mistake}},
    )
    _add_errors(app)
    _add_sources(app, shown)
    _add_walks(app, shown)
    _add_buildings(app, shown)
    _add_sessions(app, shown)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-store"})

    @app.get("/api", include_in_schema=False)
    def reference() -> FileResponse:
        return FileResponse(STATIC / "reference.html", headers={"cache-control": "no-store"})

    app.add_middleware(Guard, token=token)
    return app


def _add_errors(app: FastAPI) -> None:
    """Mistakes get a sentence, and a crash ends one request."""

    @app.exception_handler(InputError)
    def mistaken(request: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, getattr(error, "status", 400))

    @app.exception_handler(HTTPException)
    def unknown(request: Request, error: HTTPException) -> JSONResponse:
        where = f"{request.method} {request.url.path[:60]}"
        return JSONResponse(
            {"error": f"{where}: {str(error.detail).lower()}; see /api/openapi.json."}, error.status_code
        )

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return JSONResponse({"error": f"{where}: {first['msg']}."}, 422)

    @app.exception_handler(Exception)
    def crashed(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": _sentence(error)}, 500)


def _sentence(error: Exception) -> str:
    """What a visitor is told; the details of a crash are not for everybody."""
    if isinstance(error, InputError):
        return str(error)
    return f"something went wrong here ({type(error).__name__}); the others go on."


def _add_sources(app: FastAPI, shown: Shown) -> None:
    @app.get("/api/overview")
    def overview() -> dict[str, Any]:
        """The sources, the agents that can be talked to, and what the metrics mean."""
        return {
            "version": mtvm.__version__,
            "sources": [source.describe() for source in shown.sources],
            "agents": [{"name": guide.name, "buildings": guide.buildings.scans} for guide in shown.guides],
            "metrics": {name: dataclasses.asdict(metric) for name, metric in METRICS.items()},
        }

    @app.get("/api/sources/{number}/episodes")
    def episodes(number: int) -> Response:
        """Every episode of a source: ids, scans, texts, numbers of steps and metrics, column by column."""
        return Response(json.dumps(shown.source(number).table()), media_type="application/json")

    @app.get("/api/differences")
    def differences(first: int, second: int, metric: str = "SR") -> dict[str, Any]:
        """The episodes that two sources share and that differ in a metric, the largest difference first."""
        one, two = shown.source(first), shown.source(second)
        if metric not in one.columns or metric not in two.columns:
            raise InputError(f"the two sources have no metric {metric[:20]!r} in common.")
        shared = [identity for identity in one.episodes.ids if identity in two.rows]
        pairs = [
            (identity, float(one.columns[metric][one.rows[identity]]), float(two.columns[metric][two.rows[identity]]))
            for identity in shared
        ]
        different = sorted((pair for pair in pairs if pair[1] != pair[2]), key=lambda pair: -abs(pair[1] - pair[2]))
        return {"shared": len(shared), "different": [{"id": i, "first": a, "second": b} for i, a, b in different]}


def _add_walks(app: FastAPI, shown: Shown) -> None:
    @app.get("/api/walk")
    def walk(
        source: int | None = None, id: Id | None = None, session: str | None = None, attention: bool = False
    ) -> Any:
        """An episode and its steps. With `attention` an agent that is here thinks it over again if need be."""
        _, found = shown.chosen(source, id, session, attention)
        return dataclasses.asdict(found) | {"left_reference": found.left_reference}

    @app.get("/api/walk/map.svg")
    def plan(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: Annotated[int | None, Query(ge=0)] = None,
        other: int | None = None,
        here: bool = False,
    ) -> Response:
        """The map; `other` is a source whose walk of the same episode is drawn too, `here` leaves out other storeys."""
        buildings, found = shown.chosen(source, id, session)
        beside = None if other is None or id is None else shown.walk(other, id)
        return _svg(draw_map(buildings, found, step, beside, here).svg())

    @app.get("/api/walk/matrix.svg")
    def matrix(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: Annotated[int | None, Query(ge=0)] = None,
    ) -> Response:
        """The attention on each word at each step."""
        _, found = shown.chosen(source, id, session, attention=True)
        return _svg(draw_matrix(found, step).svg())

    @app.get("/api/walk/strip.svg")
    def strip(source: int | None = None, id: Id | None = None, session: str | None = None) -> Response:
        """The view ahead at each step."""
        buildings, found = shown.chosen(source, id, session, attention=True)
        return _svg(draw_strip(buildings, found).svg())

    @app.get("/api/walk/walk.gif")
    def animation(source: int | None = None, id: Id | None = None, session: str | None = None) -> Response:
        """The walk as an animation."""
        buildings, found = shown.chosen(source, id, session, attention=True)
        return _download(gif(buildings, found), "image/gif", found, "gif")

    @app.get("/api/walk/frames.zip")
    def pictures(source: int | None = None, id: Id | None = None, session: str | None = None) -> Response:
        """The same as one PNG file a step, in a ZIP archive."""
        buildings, found = shown.chosen(source, id, session, attention=True)
        return _download(frames(buildings, found), "application/zip", found, "zip")

    @app.get("/api/walk/walk.html")
    def standalone(source: int | None = None, id: Id | None = None, session: str | None = None) -> Response:
        """The walk as a page of its own, in one file."""
        buildings, found = shown.chosen(source, id, session, attention=True)
        return _download(page_of(buildings, found).encode(), "text/html", found, "html")


def _svg(content: str) -> Response:
    return Response(content, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def _download(content: bytes, kind: str, walk: Walk, ending: str) -> Response:
    plain = "".join(mark if mark.isalnum() and mark.isascii() else "-" for mark in walk.id)[:60]
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="walk-{plain}.{ending}"'}
    )


def _add_buildings(app: FastAPI, shown: Shown) -> None:
    @app.get("/api/buildings/{scan}/map.svg")
    def plan(scan: str, agent: int) -> Response:
        """A building without any walk, in which each viewpoint can be clicked."""
        buildings = shown.guide(agent).buildings
        return _svg(draw_map(buildings, Walk("", _known(buildings, scan), "", [])).svg())

    @app.get("/api/buildings/{scan}/{viewpoint}")
    def place(scan: str, viewpoint: str, agent: int | None = None, source: int | None = None) -> dict[str, Any]:
        """What is around a viewpoint: candidates, names and sentences in their directions, heading, elevation
        and distance of every viewpoint, and whether there is an image."""
        buildings = shown.buildings_of(scan, agent, source)
        world = buildings.world(_known(buildings, scan))
        node = _known_node(buildings, scan, viewpoint)
        count = int(world.degree[node])
        return {
            "candidates": [
                {
                    "viewpoint": str(world.viewpoints[neighbour]),
                    "heading": float(heading),
                    "elevation": float(elevation),
                }
                for neighbour, heading, elevation in zip(
                    world.candidates[node, :count],
                    world.candidate_headings[node, :count],
                    world.candidate_elevations[node, :count],
                    strict=True,
                )
            ],
            "directions": buildings.directions(scan, viewpoint),
            "image": buildings.renderer(scan) is not None,
            **dataclasses.asdict(buildings.place(scan, viewpoint)),
        }

    @app.get("/api/buildings/{scan}/{viewpoint}/sphere.jpg")
    def sphere(scan: str, viewpoint: str, agent: int | None = None, source: int | None = None) -> Response:
        """The panorama, headings from -180 to 180 degrees; 202 while it is being drawn."""
        buildings = shown.buildings_of(scan, agent, source)
        _known_node(buildings, _known(buildings, scan), viewpoint)
        if shown.waking or not buildings.drawn(scan, viewpoint, _PATIENCE):
            return JSONResponse({"drawing": True}, 202, headers={"cache-control": "no-store"})
        content = buildings.sphere(scan, viewpoint)
        if content is None:
            raise UnknownError(f"there is no image of {scan}.")
        return Response(content, media_type="image/jpeg", headers={"cache-control": "max-age=3600"})


def _known(buildings: Buildings, scan: str) -> str:
    if scan not in buildings.scans:
        raise UnknownError(f"there is no building {scan[:60]!r} here.")
    return scan


def _known_node(buildings: Buildings, scan: str, viewpoint: str) -> int:
    node = buildings.world(scan).find(scan, viewpoint)
    if node < 0:
        raise UnknownError(f"building {scan} has no viewpoint {viewpoint[:60]!r}.")
    return node


def _add_sessions(app: FastAPI, shown: Shown) -> None:
    @app.post("/api/sessions")
    def begin(asked: Start) -> Begun:
        """Begin a walk with an instruction: what the agent thinks at the start."""
        shown.sessions.count_request()
        guide = shown.guide(asked.agent)
        if asked.building is None:
            session = shown.sessions.open(guide.live, asked.text)
            return Begun(session=session.name, thought=None)
        _known(guide.buildings, asked.building)
        names = guide.buildings.world(asked.building).viewpoints
        viewpoint = str(names[0]) if asked.viewpoint is None else asked.viewpoint
        _known_node(guide.buildings, asked.building, viewpoint)
        start = (asked.building, viewpoint, asked.heading)
        session = shown.sessions.open(guide.live, asked.text, guide.buildings, start)
        return Begun(session=session.name, thought=session.events[-1])

    @app.post("/api/agents/{number}/wake")
    def wake(number: int) -> dict[str, Any]:
        """Load an agent; answers when it can be talked to."""
        shown.wake(number)
        return {"awake": shown.guide(number).name}

    @app.post("/api/act")
    def act(asked: Act) -> Acted:
        """Take a step. `done` is the step as taken, `thought` what the agent thinks after it; null at the end."""
        from mtvm.models.agent import Observation

        shown.sessions.count_request()
        session = shown.session(asked.session)
        try:
            with session.lock:
                if asked.sight is not None:
                    thought = session.told(Observation(**asked.sight.model_dump()), asked.action)
                    return Acted(done=None, thought=thought)
                after = session.act(asked.action)
                return Acted(done=session.events[-1 if after is None else -2], thought=after)
        except InputError:
            raise
        except Exception:
            shown.sessions.close(asked.session)  # its memory may be half-written
            raise

    @app.post("/api/walk")
    def walk(asked: Named) -> StreamingResponse:
        """Let the agent walk until it stops: one line of JSON a step, as it happens; if it fails, a last one with
        `error`."""
        shown.sessions.count_request()
        session = shown.session(asked.session)
        session.check_walking()

        def lines() -> Iterator[str]:
            try:
                for event in shown.sessions.walk(session):
                    yield json.dumps(event.to_json()) + "\n"
            except Exception as error:  # the status has been sent, so that the last line says it
                shown.sessions.close(asked.session)
                yield json.dumps({"error": _sentence(error)}) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    @app.post("/api/sessions/end")
    def end(asked: Named) -> dict[str, Any]:
        """Forget a session."""
        shown.sessions.close(asked.session)
        return {"ended": asked.session}
