"""What the server tells of sources and of buildings."""

from __future__ import annotations

import dataclasses
import json
import threading
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

import mtvm
from mtvm.tasks.metric import METRICS
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.figures import Walk
from mtvm.viewer.maps import draw_map
from mtvm.viewer.notes import read_notes, write_note
from mtvm.viewer.refusals import UnknownError
from mtvm.viewer.state import ViewerState
from mtvm.viewer.summary import Summary
from mtvm.viewer.texts import Text
from mtvm.viewer.walks_api import svg

Objects = Annotated[tuple[str, ...], Query(max_length=200)]
Count = Annotated[int, Query(ge=0)]

_DRAWING_TIMEOUT = 0.5  # seconds; a browser has few connections, and one that waits for a picture is one less


class Note(BaseModel):
    """On an episode; an empty one is removed."""

    id: Text
    tags: list[Text] = []
    note: Text = ""


def add_sources(app: FastAPI, state: ViewerState) -> None:
    """The answers below /api/sources, and what a page asks for first."""
    summaries: dict[tuple[int, ...], dict[str, Any]] = {}
    computing = threading.Lock()

    @app.get("/api/overview")
    def overview() -> dict[str, Any]:
        """The sources, the agents that can be talked to, and what the metrics mean."""
        return {
            "version": mtvm.__version__,
            "server": state.name,
            "sources": [source.describe() for source in state.sources],
            "agents": [{"name": guide.name, "buildings": guide.buildings.scans} for guide in state.guides],
            "metrics": {metric.name: dataclasses.asdict(metric) for metric in METRICS.values()},
        }

    @app.get("/api/sources/{number}/episodes")
    def episodes(number: int, first: Count = 0, count: Count | None = None) -> Response:
        """Episodes of a source, from the `first` on: ids, texts, what they are like, and metrics, column by column."""
        return Response(json.dumps(state.source(number).table(first, count)), media_type="application/json")

    @app.get("/api/sources/{number}/notes")
    def notes(number: int) -> dict[str, Any]:
        """Notes and tags, by episode."""
        return read_notes(state.source(number).path)

    @app.post("/api/sources/{number}/notes")
    def note(number: int, asked: Note) -> dict[str, Any]:
        """Replace the note on an episode; all notes."""
        source = state.source(number)
        source.row(asked.id)
        return write_note(source.path, asked.id, asked.tags, asked.note)

    @app.get("/api/summary")
    def summary(agents: Annotated[tuple[int, ...], Query(min_length=1, max_length=20)]) -> dict[str, Any]:
        """What the episodes that these sources share say of them: means with intervals, differences, mistakes."""
        with computing:
            if agents not in summaries:
                summaries[agents] = Summary([state.source(number) for number in agents]).to_json()
            return summaries[agents]


def add_buildings(app: FastAPI, state: ViewerState) -> None:
    """The answers below /api/buildings."""

    @app.get("/api/buildings/{scan}/map.svg")
    def plan(scan: str, agent: int) -> Response:
        """A building without any walk, in which each viewpoint can be clicked."""
        buildings = state.guide(agent).buildings
        return svg(draw_map(buildings, Walk("", known(buildings, scan), "", [])).svg())

    @app.get("/api/buildings/{scan}")
    def building(scan: str, agent: int | None = None, source: int | None = None) -> dict[str, Any]:
        """Every viewpoint of a building: east, north, up (metres), storey (from 0) and room."""
        buildings = state.buildings_of(scan, agent, source)
        return {"viewpoints": buildings.plan(known(buildings, scan))}

    @app.get("/api/buildings/{scan}/{viewpoint}")
    def place(
        scan: str, viewpoint: str, agent: int | None = None, source: int | None = None, objects: Objects = ()
    ) -> dict[str, Any]:
        """What is around a viewpoint: candidates, names and sentences in their directions, and whether there is an
        image. `objects` are ids of those that should be among the names, however small they are."""
        buildings = state.buildings_of(scan, agent, source)
        world = buildings.world(known(buildings, scan))
        node = known_node(buildings, scan, viewpoint)
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
            "image": buildings.renderer(scan) is not None,
            **dataclasses.asdict(buildings.place(scan, viewpoint, objects)),
        }

    @app.get("/api/buildings/{scan}/{viewpoint}/sphere.jpg")
    def sphere(scan: str, viewpoint: str, agent: int | None = None, source: int | None = None) -> Response:
        """The panorama, headings from -180 to 180 degrees; 202 while it is being drawn."""
        buildings = state.buildings_of(scan, agent, source)
        known_node(buildings, known(buildings, scan), viewpoint)
        if state.waking or not buildings.drawn(scan, viewpoint, _DRAWING_TIMEOUT):
            return JSONResponse({"drawing": True}, 202, headers={"cache-control": "no-store"})
        content = buildings.sphere(scan, viewpoint)
        if content is None:
            raise UnknownError(f"there is no image of {scan}.")
        return Response(content, media_type="image/jpeg", headers={"cache-control": "max-age=3600"})


def known(buildings: Buildings, scan: str) -> str:
    if scan not in buildings.scans:
        raise UnknownError(f"there is no building {scan[:60]!r} here.")
    return scan


def known_node(buildings: Buildings, scan: str, viewpoint: str) -> int:
    node = buildings.world(scan).find(scan, viewpoint)
    if node < 0:
        raise UnknownError(f"building {scan} has no viewpoint {viewpoint[:60]!r}.")
    return node
