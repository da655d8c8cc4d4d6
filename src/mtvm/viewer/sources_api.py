"""What the server tells of sources and of buildings."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response

import mtvm
from mtvm.errors import InputError
from mtvm.tasks.metric import METRICS
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.figures import Walk, draw_map
from mtvm.viewer.refusals import UnknownError
from mtvm.viewer.shown import Shown
from mtvm.viewer.walks_api import svg

_PATIENCE = 0.5  # seconds; a browser has few connections, and one that waits for a picture is one less


def add_sources(app: FastAPI, shown: Shown) -> None:
    """The answers below /api/sources, and what a page asks for first."""

    @app.get("/api/overview")
    def overview() -> dict[str, Any]:
        """The sources, the agents that can be talked to, and what the metrics mean."""
        return {
            "version": mtvm.__version__,
            "sources": [source.describe() for source in shown.sources],
            "agents": [{"name": guide.name, "buildings": guide.buildings.scans} for guide in shown.guides],
            "metrics": {
                metric.name: dataclasses.asdict(metric)
                for metrics in (METRICS.values(), *(source.episodes.task.metrics for source in shown.sources))
                for metric in metrics
            },
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


def add_buildings(app: FastAPI, shown: Shown) -> None:
    """The answers below /api/buildings."""

    @app.get("/api/buildings/{scan}/map.svg")
    def plan(scan: str, agent: int) -> Response:
        """A building without any walk, in which each viewpoint can be clicked."""
        buildings = shown.guide(agent).buildings
        return svg(draw_map(buildings, Walk("", known(buildings, scan), "", [])).svg())

    @app.get("/api/buildings/{scan}/{viewpoint}")
    def place(scan: str, viewpoint: str, agent: int | None = None, source: int | None = None) -> dict[str, Any]:
        """What is around a viewpoint: candidates, names and sentences in their directions, heading, elevation
        and distance of every viewpoint, and whether there is an image."""
        buildings = shown.buildings_of(scan, agent, source)
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
            "directions": buildings.directions(scan, viewpoint),
            "image": buildings.renderer(scan) is not None,
            **dataclasses.asdict(buildings.place(scan, viewpoint)),
        }

    @app.get("/api/buildings/{scan}/{viewpoint}/sphere.jpg")
    def sphere(scan: str, viewpoint: str, agent: int | None = None, source: int | None = None) -> Response:
        """The panorama, headings from -180 to 180 degrees; 202 while it is being drawn."""
        buildings = shown.buildings_of(scan, agent, source)
        known_node(buildings, known(buildings, scan), viewpoint)
        if shown.waking or not buildings.drawn(scan, viewpoint, _PATIENCE):
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
