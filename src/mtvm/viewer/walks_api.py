"""What the server tells of walks: their steps, drawings of them, and files to take away."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response

from mtvm.viewer.export_queue import Check, ExportQueue
from mtvm.viewer.exporting import frames, gif, page_of
from mtvm.viewer.figures import Walk, draw_map, draw_matrix, draw_strip
from mtvm.viewer.shown import Shown

Id = Annotated[str, Query(max_length=1000)]
Step = Annotated[int | None, Query(ge=0)]


def add_walks(app: FastAPI, shown: Shown) -> None:
    """The answers below /api/walk."""
    _add_drawings(app, shown)
    _add_exports(app, shown)

    @app.get("/api/walk")
    def walk(
        source: int | None = None, id: Id | None = None, session: str | None = None, attention: bool = False
    ) -> Any:
        """An episode and its steps. With `attention` an agent that is here thinks it over again if need be."""
        _, found = shown.chosen(source, id, session, attention)
        return dataclasses.asdict(found) | {"left_reference": found.left_reference}


def _add_drawings(app: FastAPI, shown: Shown) -> None:
    @app.get("/api/walk/map.svg")
    def plan(
        source: int | None = None,
        id: Id | None = None,
        session: str | None = None,
        step: Step = None,
        other: int | None = None,
        here: bool = False,
    ) -> Response:
        """The map; `other` is a source whose walk of the same episode is drawn too, `here` leaves out other storeys."""
        buildings, found = shown.chosen(source, id, session)
        beside = None if other is None or id is None else shown.walk(other, id)
        return svg(draw_map(buildings, found, step, beside, here).svg())

    @app.get("/api/walk/matrix.svg")
    def matrix(
        source: int | None = None, id: Id | None = None, session: str | None = None, step: Step = None
    ) -> Response:
        """The attention on each word at each step."""
        _, found = shown.chosen(source, id, session, attention=True)
        return svg(draw_matrix(found, step).svg())


def _add_exports(app: FastAPI, shown: Shown) -> None:
    queue = ExportQueue()

    async def made(
        request: Request, kind: str, ending: str, source: int | None, id: str | None, session: str | None
    ) -> Response:
        buildings, found = shown.chosen(source, id, session)

        def work(check: Check) -> bytes:
            walk = shown.chosen(source, id, session, attention=True)[1]
            if ending == "svg":
                return draw_strip(buildings, walk, check=check).svg().encode()
            if ending == "html":
                return page_of(buildings, walk, check).encode()
            return (gif if ending == "gif" else frames)(buildings, walk, check)

        content = await queue.make(request, found, work)
        return _download(content, kind, found, ending)

    @app.get("/api/walk/strip.svg")
    async def strip(
        request: Request, source: int | None = None, id: Id | None = None, session: str | None = None
    ) -> Response:
        """The view ahead at each step."""
        return await made(request, "image/svg+xml", "svg", source, id, session)

    @app.get("/api/walk/walk.gif")
    async def animation(
        request: Request, source: int | None = None, id: Id | None = None, session: str | None = None
    ) -> Response:
        """The walk as an animation."""
        return await made(request, "image/gif", "gif", source, id, session)

    @app.get("/api/walk/frames.zip")
    async def pictures(
        request: Request, source: int | None = None, id: Id | None = None, session: str | None = None
    ) -> Response:
        """The same as one PNG file a step, in a ZIP archive."""
        return await made(request, "application/zip", "zip", source, id, session)

    @app.get("/api/walk/walk.html")
    async def standalone(
        request: Request, source: int | None = None, id: Id | None = None, session: str | None = None
    ) -> Response:
        """The walk as a page of its own, in one file."""
        return await made(request, "text/html", "html", source, id, session)


def svg(content: str) -> Response:
    return Response(content, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def _download(content: bytes, kind: str, walk: Walk, ending: str) -> Response:
    plain = "".join(mark if mark.isalnum() and mark.isascii() else "-" for mark in walk.id)[:60]
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="walk-{plain}.{ending}"'}
    )
