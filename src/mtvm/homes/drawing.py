"""Figures of the built-in world: floor plans, and what the agent sees along an episode."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mtvm.errors import MissingExtraError
from mtvm.homes.home import Home, Opening, Room, Thing
from mtvm.homes.render.materials import PALETTE
from mtvm.homes.render.raytrace import Scene
from mtvm.io.files import atomic_path
from mtvm.world.skybox import render_views
from mtvm.world.world import World

_FLAT = {"rug"}
_OVERHEAD = {"ceiling lamp", "painting", "mirror", "clock", "curtain", "towel rack"}
_VIEW_FIELD = math.radians(75)
_FACE_SIZE = 384


def draw_home(home: Home, path: Path, walk: Sequence[int] = (), title: str = "") -> None:
    """Draw the floor plan of every storey: rooms, furniture, viewpoints, and `walk`, a list of viewpoint numbers."""
    figure = _figure((6.2 * len(home.storey_heights), 5.6))
    for storey in range(len(home.storey_heights)):
        axes = figure.add_subplot(1, len(home.storey_heights), storey + 1)
        _draw_storey(axes, home, storey, walk)
    figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    _save(figure, path)


def draw_episode(
    home: Home, world: World, nodes: Sequence[int], heading: float, text: str, path: Path, most: int = 8
) -> None:
    """Draw the view ahead at the first `most` viewpoints of a path, with the instruction above."""
    drawn = nodes[:most]
    scene = Scene(home)
    viewpoint_of = {viewpoint.id: viewpoint for viewpoint in home.viewpoints}
    columns = min(len(drawn), 4)
    rows = math.ceil(len(drawn) / columns)
    figure = _figure((3.1 * columns, 2.35 * rows + 0.7))
    for step, node in enumerate(drawn):
        if step + 1 < len(nodes):
            east, north, _ = world.positions[nodes[step + 1]] - world.positions[node]
            heading = math.atan2(east, north)
        rotation = world.rotations[node]
        panorama = scene.panorama(viewpoint_of[str(world.viewpoints[node])], _FACE_SIZE, rotation)
        assert panorama.faces is not None
        view = render_views(panorama.faces, rotation, [heading], [-0.12], 400, 300, _VIEW_FIELD)[0]
        axes = figure.add_subplot(rows, columns, step + 1)
        axes.imshow(view)
        axes.set_title("start" if step == 0 else "stop" if step + 1 == len(nodes) else f"step {step}", fontsize=8)
        axes.axis("off")
    figure.suptitle("\n".join(textwrap.wrap(f"“{text}”", 105)), fontsize=10)
    _save(figure, path)


def _figure(size: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures", "Drawing the built-in world") from None
    return Figure(figsize=size, dpi=100, layout="constrained")


def _save(figure: Any, path: Path) -> None:
    with atomic_path(path) as fresh:
        figure.savefig(fresh, format="png")


def _draw_storey(axes: Any, home: Home, storey: int, walk: Sequence[int]) -> None:
    rooms = [room for room in home.rooms if room.storey == storey]
    numbers = {room.index for room in rooms}
    for room in rooms:
        _draw_room(axes, room)
    for thing in home.things:
        if thing.room in numbers and thing.kind not in _OVERHEAD:
            _draw_thing(axes, thing)
    for opening in home.openings:
        if opening.rooms[0] in numbers:
            _draw_opening(axes, opening, home.wall_thickness)
    for stairs in home.stairs:
        if numbers & set(stairs.rooms):
            steps = np.linspace(stairs.foot[:2], stairs.top[:2], stairs.steps)
            axes.plot(*steps.T, color="#777777", linewidth=5, alpha=0.6, zorder=3, solid_capstyle="butt")
            axes.annotate(
                "", stairs.top[:2], stairs.foot[:2], arrowprops={"arrowstyle": "->", "color": "black"}, zorder=4
            )
    points = np.array([(v.x, v.y) for v in home.viewpoints])
    here = [n for n, v in enumerate(home.viewpoints) if home.rooms[v.room].storey == storey]
    for first, second in home.edges:
        if first in here or second in here:
            axes.plot(*points[[first, second]].T, color="#3b6fb6", linewidth=0.6, alpha=0.6, zorder=5)
    axes.scatter(points[here, 0], points[here, 1], s=14, color="#1f4e96", zorder=6)
    if len(walk):
        axes.plot(points[list(walk), 0], points[list(walk), 1], color="#d55e00", linewidth=2.4, zorder=7)
        for node, marker in ((walk[0], "s"), (walk[-1], "*")):
            if node in here:
                axes.scatter(*points[node], marker=marker, s=120, color="#d55e00", edgecolors="black", zorder=8)
    axes.set_title("ground floor" if storey == 0 else "upper floor", fontsize=9)
    axes.set_aspect("equal")
    axes.axis("off")


def _draw_room(axes: Any, room: Room) -> None:
    floor = _rectangle((room.x0, room.y0), room.width, room.depth, facecolor=PALETTE[room.floor.colour], alpha=0.45)
    walls = _rectangle((room.x0, room.y0), room.width, room.depth, fill=False, edgecolor="black", linewidth=1.4)
    axes.add_patch(floor)
    axes.add_patch(walls)
    axes.plot([room.x0, room.x1], [room.y0, room.y1], alpha=0)  # invisible; sets the axis limits
    label = axes.text(*room.centre, room.kind, fontsize=6.5, ha="center", va="center", zorder=9)
    label.set_bbox({"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1})


def _draw_thing(axes: Any, thing: Thing) -> None:
    corner = (thing.x - thing.width / 2, thing.y - thing.depth / 2)
    patch = _rectangle(
        corner,
        thing.width,
        thing.depth,
        angle=-math.degrees(thing.heading),
        rotation_point=(thing.x, thing.y),
        facecolor=PALETTE[thing.surface.colour],
        edgecolor="#444444",
        linewidth=0.5,
        zorder=2 if thing.kind in _FLAT else 3,
    )
    axes.add_patch(patch)


def _draw_opening(axes: Any, opening: Opening, thickness: float) -> None:
    along, across = opening.width, thickness * 1.6
    width, depth = (along, across) if opening.along == "x" else (across, along)
    corner = (opening.x - width / 2, opening.y - depth / 2)
    axes.add_patch(_rectangle(corner, width, depth, facecolor="white", edgecolor="none", zorder=4))


def _rectangle(corner: tuple[float, float], width: float, depth: float, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, depth, **style)
