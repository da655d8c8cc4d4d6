"""Wall hangings: paintings, mirrors, clocks and curtains."""

from __future__ import annotations

import math

import numpy as np

from mtvm.homes.home import Surface
from mtvm.homes.shapes.solids import Form, Span, deeper

BLACK_PAINT = Surface("black", "paint")


def painting(f: Form) -> None:
    """A framed picture dominated by the main colour: hills, circles, bars, waves or a sailing boat."""
    rim = min(0.05, 0.08 * f.width)
    frame(f, rim, f.accent)
    ground = f.back + f.depth * 0.4
    x, z = (f.left + rim, f.right - rim), (rim, f.height - rim)
    f.box(x, (f.back, ground), z, f.main)
    styles = (_hills, _circles, _bars, _boat)
    styles[int(f.rng.integers(len(styles)))](f, x, z, ground)


_CONTRAST = {
    "red": "yellow",
    "blue": "orange",
    "green": "yellow",
    "yellow": "blue",
    "orange": "dark blue",
    "purple": "yellow",
    "turquoise": "red",
    "pink": "purple",
}


def _inks(f: Form) -> tuple[Surface, Surface, Surface]:
    colour = f.main.colour
    return deeper(f.main), Surface(_CONTRAST.get(colour, "yellow"), "paper"), Surface("white", "paper")


def _hills(f: Form, x: Span, z: Span, ground: float) -> None:
    deep, bright, white = _inks(f)
    width, height = x[1] - x[0], z[1] - z[0]
    f.cylinder(
        (x[0] + width * 0.7, 0, z[0] + height * 0.7), height * 0.12, (ground, ground + 0.002), bright, "y", segments=20
    )
    for k, (middle, top, look) in enumerate(((0.25, 0.62, white), (0.68, 0.5, deep), (0.4, 0.36, f.accent))):
        peak = x[0] + width * middle
        spread = width * 0.34
        left, right = max(x[0], peak - spread), min(x[1], peak + spread)
        outline = [(left, z[0]), (right, z[0]), (peak, z[0] + height * top)]
        f.prism(outline, (ground, ground + 0.003 + 0.002 * k), look, "y")


def _circles(f: Form, x: Span, z: Span, ground: float) -> None:
    inks = _inks(f)
    width, height = x[1] - x[0], z[1] - z[0]
    for k in range(6):
        radius = height * (0.1 + 0.14 * f.rng.random())
        a = x[0] + radius + (width - 2 * radius) * f.rng.random()
        b = z[0] + radius + (height - 2 * radius) * f.rng.random()
        f.cylinder((a, 0, b), radius, (ground, ground + 0.002 + 0.001 * k), inks[k % 3], "y", segments=22)


def _bars(f: Form, x: Span, z: Span, ground: float) -> None:
    inks = _inks(f)
    width, height = x[1] - x[0], z[1] - z[0]
    for k in range(6):
        a, b = sorted(f.rng.random(2))
        c, d = sorted(f.rng.random(2))
        b, d = min(max(b, a + 0.12), 1.0), min(max(d, c + 0.12), 1.0)
        a, c = min(a, b - 0.08), min(c, d - 0.08)
        f.box(
            (x[0] + a * width, x[0] + b * width),
            (ground, ground + 0.002 + 0.001 * k),
            (z[0] + c * height, z[0] + d * height),
            inks[k % 3],
        )
    for share in (0.33, 0.7):
        f.box((x[0] + share * width, x[0] + share * width + 0.012), (ground, ground + 0.009), z, BLACK_PAINT)


def _boat(f: Form, x: Span, z: Span, ground: float) -> None:
    deep, bright, white = _inks(f)
    width, height = x[1] - x[0], z[1] - z[0]
    sea = z[0] + height * 0.35
    f.box(x, (ground, ground + 0.002), (z[0], sea), deep)
    middle, size = x[0] + width * 0.45, height * 0.3
    f.prism(
        [
            (middle - size * 0.5, sea - size * 0.2),
            (middle + size * 0.5, sea - size * 0.2),
            (middle + size * 0.8, sea + size * 0.1),
            (middle - size * 0.8, sea + size * 0.1),
        ],
        (ground, ground + 0.005),
        BLACK_PAINT,
        "y",
    )
    f.prism(
        [
            (middle + size * 0.05, sea + size * 0.15),
            (middle + size * 0.8, sea + size * 0.15),
            (middle + size * 0.05, sea + size * 1.6),
        ],
        (ground, ground + 0.004),
        white,
        "y",
    )
    f.prism(
        [
            (middle - size * 0.6, sea + size * 0.15),
            (middle - size * 0.05, sea + size * 0.15),
            (middle - size * 0.05, sea + size * 1.3),
        ],
        (ground, ground + 0.004),
        bright,
        "y",
    )
    f.cylinder(
        (x[0] + width * 0.85, 0, z[0] + height * 0.8), height * 0.09, (ground, ground + 0.002), bright, "y", segments=18
    )


def mirror(f: Form) -> None:
    """A frame around the glass."""
    rim = 0.045
    frame(f, rim, f.accent)
    f.box(
        (f.left + rim, f.right - rim),
        (f.back, f.front - f.depth * 0.45),
        (rim, f.height - rim),
        Surface("silver", "mirror"),
    )


def frame(f: Form, rim: float, surface: Surface) -> None:
    for x in ((f.left, f.left + rim), (f.right - rim, f.right)):
        f.box(x, (f.back, f.front), (0, f.height), surface)
    for z in ((0, rim), (f.height - rim, f.height)):
        f.box((f.left + rim, f.right - rim), (f.back, f.front), z, surface)


def clock(f: Form) -> None:
    """A dial with twelve marks and two hands at ten past ten."""
    radius = min(f.width, f.height) / 2
    middle = (0, 0, f.height / 2)
    f.lathe(
        middle,
        [
            (0, f.back),
            (radius, f.back),
            (radius, f.front - 0.004),
            (radius * 0.9, f.front),
            (radius * 0.88, f.front - 0.012),
            (0, f.front - 0.012),
        ],
        f.accent,
        "y",
        32,
    )
    face = f.front - 0.012
    f.cylinder(middle, radius * 0.88, (face - 0.01, face + 0.002), f.main, "y", segments=32)
    ink = Surface("black" if f.main.colour not in ("black", "blue") else "white", "paint")
    for hour in range(12):
        first = len(f.solids)
        size = 0.014 if hour % 3 == 0 else 0.008
        f.box((-size, size), (face, face + 0.004), (f.height / 2 + radius * 0.66, f.height / 2 + radius * 0.82), ink)
        f.turn(first, "y", hour * math.pi / 6, middle)
    # Seen from the front, the thing's own right is on the left.
    for angle, length, size in ((-math.radians(60), 0.66, 0.008), (math.radians(55), 0.45, 0.011)):
        first = len(f.solids)
        f.box((-size, size), (face, face + 0.006), (f.height / 2 - radius * 0.1, f.height / 2 + radius * length), ink)
        f.turn(first, "y", angle, middle)
    f.cylinder(middle, radius * 0.06, (face, face + 0.009), ink, "y")


def curtain(f: Form) -> None:
    """A rod with two gathered panels, drawn to the sides."""
    rod = f.height - 0.035
    f.cylinder((0, 0, rod), 0.013, (f.left, f.right), f.accent, "x", segments=10)
    for x in (f.left + 0.02, f.right - 0.02):
        f.ball((x, 0, rod), 0.02, f.accent, 6)
    panel = min(0.22 * f.width, 0.5)
    amplitude = f.depth / 2 - 0.006
    for start in (f.left + 0.03, f.right - 0.03 - panel):
        folds = max(3, round(panel / 0.09))
        steps = folds * 6
        across = start + panel * np.arange(steps + 1) / steps
        wave = amplitude * np.sin(np.arange(steps + 1) / 6 * 2 * math.pi)
        slope = np.gradient(wave, across)
        flat = np.stack([-slope, np.ones_like(slope)], axis=-1)
        flat /= np.linalg.norm(flat, axis=1, keepdims=True)
        levels = np.linspace(0.0, f.height - 0.05, 5)
        for sign in (1, -1):
            line = np.stack([across, wave], axis=-1) + sign * 0.003 * flat
            points = np.concatenate([np.column_stack([line, np.full(len(line), z)]) for z in levels])
            normals = np.tile(np.column_stack([sign * flat, np.zeros(len(line))]), (len(levels), 1))
            rows = np.arange(len(levels) - 1)[:, None] * len(line) + np.arange(len(line) - 1)
            low = rows.ravel()
            quads = np.stack([low, low + len(line), low + len(line) + 1, low, low + len(line) + 1, low + 1], axis=-1)
            triangles = quads.reshape(-1, 3)
            f.add(points, normals, triangles if sign > 0 else triangles[:, ::-1], f.main)
