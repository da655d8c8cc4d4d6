"""The server of the page: a thin HTTP API over sources, buildings, figures and sessions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field, FiniteFloat
from starlette.exceptions import HTTPException

import mtvm
from mtvm.errors import InputError
from mtvm.tasks.events import StepEvent
from mtvm.viewer.compression import Compressed
from mtvm.viewer.safety import Guard
from mtvm.viewer.sources_api import add_buildings, add_sources, known, known_node
from mtvm.viewer.state import ViewerState
from mtvm.viewer.texts import Text
from mtvm.viewer.walks_api import add_walks

STATIC = Path(__file__).parent / "static"


class Start(BaseModel):
    """Begin a walk. Without a building, the session is told at each step what there is to see."""

    text: Text
    agent: int = 0
    building: Text | None = None
    viewpoint: Text | None = None
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

    session: Text
    action: int | None = Field(None, ge=0)
    sight: Sight | None = None


class Named(BaseModel):
    session: Text


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


def make_app(state: ViewerState, token: str | None = None) -> FastAPI:
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
    add_sources(app, state)
    add_walks(app, state)
    add_buildings(app, state)
    _add_sessions(app, state)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-store"})

    @app.get("/api", include_in_schema=False)
    def reference() -> FileResponse:
        return FileResponse(STATIC / "reference.html", headers={"cache-control": "no-store"})

    app.add_middleware(Compressed)
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


def _add_sessions(app: FastAPI, state: ViewerState) -> None:
    @app.post("/api/sessions")
    def begin(asked: Start) -> Begun:
        """Begin a walk with an instruction: what the agent thinks at the start."""
        state.sessions.count_request()
        guide = state.guide(asked.agent)
        if asked.building is None:
            session = state.sessions.open(guide.live, asked.text)
            return Begun(session=session.name, thought=None)
        known(guide.buildings, asked.building)
        names = guide.buildings.world(asked.building).viewpoints
        viewpoint = str(names[0]) if asked.viewpoint is None else asked.viewpoint
        known_node(guide.buildings, asked.building, viewpoint)
        start = (asked.building, viewpoint, asked.heading)
        session = state.sessions.open(guide.live, asked.text, guide.buildings, start)
        return Begun(session=session.name, thought=session.events[-1])

    @app.post("/api/agents/{number}/wake")
    def wake(number: int) -> dict[str, Any]:
        """Load an agent; answers when it can be talked to."""
        state.wake(number)
        return {"awake": state.guide(number).name}

    @app.post("/api/act")
    def act(asked: Act) -> Acted:
        """Take a step. `done` is the step as taken, `thought` what the agent thinks after it; null at the end."""
        from mtvm.models.agent import Observation

        state.sessions.count_request()
        session = state.session(asked.session)
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
            state.sessions.close(asked.session)  # its memory may be half-written
            raise

    @app.post("/api/walk")
    def walk(asked: Named) -> StreamingResponse:
        """Let the agent walk until it stops: one line of JSON a step, as it happens; if it fails, a last one with
        `error`."""
        state.sessions.count_request()
        session = state.session(asked.session)
        session.check_walking()

        def lines() -> Iterator[str]:
            try:
                for event in state.sessions.walk(session):
                    yield json.dumps(event.to_json()) + "\n"
            except Exception as error:  # the status has been sent, so that the last line says it
                if not isinstance(error, InputError):
                    state.sessions.close(asked.session)  # its memory may be half-written
                yield json.dumps({"error": _sentence(error)}) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    @app.post("/api/sessions/end")
    def end(asked: Named) -> dict[str, Any]:
        """Forget a session."""
        state.sessions.close(asked.session)
        return {"ended": asked.session}
